#include "verify/port/layouts.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <utility>

#include "tensor/operations.hpp"

namespace attn::verify {
namespace {

/// Returns true for attention weights, dropped or not.
bool weighs(const Tensor& tensor) {
  return tensor.kind() == Kind::softmax || (tensor.kind() == Kind::dropout && weighs(tensor.operands()[0]));
}

std::vector<std::string> labels_of(const Tensor& tensor) {
  if (tensor.kind() == Kind::transpose) {
    std::vector<std::string> labels = labels_of(tensor.operands()[0]);
    const auto [a, b] = tensor.operation().facts().axes;
    std::swap(labels[a], labels[b]);
    return labels;
  }
  if (tensor.kind() == Kind::view && tensor.dim() == 4) {
    return {"B", "T", "H", "d"};
  }
  const char* const last = weighs(tensor) ? "S" : is_token_by_token(tensor) ? "T" : "";
  const auto last_or = [last](const char* other) { return *last == '\0' ? other : last; };
  switch (tensor.dim()) {
    case 0: return {};
    case 1: return {tensor.operation().is_parameter() ? "d_out" : "d"};
    case 2:
      if (is_weight(tensor)) {
        return data_of(tensor).operation().facts().fan_in > 0 ? std::vector<std::string>{"d_out", "d_in"}
                                                              : std::vector<std::string>{"d_in", "d_out"};
      }
      return {"T", last_or("D")};
    case 3: return {"B", "T", last_or("D")};
    default: break;
  }
  std::vector<std::string> labels(static_cast<std::size_t>(tensor.dim()) - 4, "");
  labels.insert(labels.end(), {"B", "H", "T", last_or("d")});
  return labels;
}

std::size_t place_of(const std::vector<Axis>& axes, const std::string& label) {
  return static_cast<std::size_t>(std::ranges::find(axes, label, &Axis::label) - axes.begin());
}

}  // namespace

bool is_turned(const std::vector<Axis>& order) {
  const std::size_t key = place_of(order, "S");
  return key < order.size() && key < place_of(order, "T") && place_of(order, "T") < order.size();
}

bool is_token_by_token(const Tensor& tensor) {
  switch (tensor.kind()) {
    case Kind::scaled:
    case Kind::masked:
    case Kind::dropout:
    case Kind::multiplied:
    case Kind::contiguous: return is_token_by_token(tensor.operands()[0]);
    case Kind::softmax:
    case Kind::bernoulli:
    case Kind::divided:
    case Kind::pairwise_dots: return true;
    case Kind::matmul: {
      const Tensor& right = tensor.operands()[1];
      return right.kind() == Kind::transpose &&
             right.operation().facts().axes[1] + 1 == static_cast<std::size_t>(right.dim());
    }
    default: return tensor.dtype() == DType::boolean || tensor.operation().facts().is_by_tokens;
  }
}

bool is_weight(const Tensor& tensor) {
  return tensor.dim() == 2 && (tensor.operation().is_parameter() || data_of(tensor).operation().facts().fan_in > 0);
}

std::vector<Axis> axes_of(const Tensor& tensor) {
  const std::vector<std::string> labels = labels_of(tensor);
  const Shape steps = row_major_strides(tensor.shape());
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    axes.push_back({labels[i], tensor.shape()[i], steps[i]});
  }
  return axes;
}

std::vector<std::vector<Axis>> orders_of(const std::vector<Axis>& axes) {
  // Where queries and keys are as many, what has them the other way round is another matrix.
  const auto is_another = [](const std::vector<Axis>& order) {
    std::vector<Axis> tokens;
    std::ranges::copy_if(order, std::back_inserter(tokens), [](const Axis& axis) { return axis.label == "T"; });
    return tokens.size() == 2 && tokens[0].size == tokens[1].size && tokens[0].step < tokens[1].step;
  };
  std::vector<std::vector<Axis>> orders;
  std::vector<std::size_t> places(axes.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  do {
    std::vector<Axis> order;
    std::ranges::transform(places, std::back_inserter(order), [&](std::size_t place) { return axes[place]; });
    is_another(order) ? void() : orders.push_back(std::move(order));
  } while (std::next_permutation(places.begin(), places.end()));
  std::stable_partition(orders.begin(), orders.end(), [&](const std::vector<Axis>& order) {
    return axes.empty() || order.back().step == axes.back().step;
  });
  return orders;
}

std::vector<Axis> atoms_of(const std::vector<Axis>& axes, std::int64_t heads) {
  std::vector<Axis> atoms;
  for (const Axis& axis : axes) {
    const bool is_shared = axis.label == "D" || axis.label == "d_out" || axis.label == "d_in";
    if (is_shared && heads > 1 && axis.size % heads == 0 && axis.size > heads) {
      atoms.push_back({"H", heads, axis.step * (axis.size / heads), axis.label});
      atoms.push_back({"d", axis.size / heads, axis.step, axis.label});
    } else if (axis.size != 1) {
      atoms.push_back(axis);
    }
  }
  return atoms;
}

std::optional<Order> order_of(const Shape& shape, const std::vector<Axis>& atoms, bool is_own_order) {
  std::size_t next = 0;
  Order order;
  for (const std::int64_t size : shape) {
    std::string group;
    std::int64_t product = 1;
    bool ends = false;
    while (product < size && next < atoms.size()) {
      const Axis& atom = atoms[next];
      const bool is_whole = atom.label == "H" && next + 1 < atoms.size() && !atom.whole.empty() &&
                            product * atom.size * atoms[next + 1].size <= size && atoms[next + 1].whole == atom.whole &&
                            atoms[next + 1].label == "d";
      if (ends && !is_own_order) {
        return std::nullopt;
      }
      product *= atom.size * (is_whole ? atoms[next + 1].size : 1);
      group += (group.empty() ? "" : "*") + (is_whole ? atom.whole : atom.label);
      ends = is_whole || atom.label == "d" || atom.label == "D" ||
             (atom.label == "T" && next + 1 < atoms.size() && atoms[next + 1].label == "B");
      next += is_whole ? 2 : 1;
    }
    if (product != size) {
      return std::nullopt;
    }
    order.push_back(group.empty() ? "1" : group);
  }
  return next == atoms.size() ? std::optional(std::move(order)) : std::nullopt;
}

std::vector<std::int64_t> cells_of(const std::vector<Axis>& atoms, std::int64_t first) {
  std::vector<std::int64_t> cells{first};
  for (const Axis& atom : atoms) {
    std::vector<std::int64_t> more;
    more.reserve(cells.size() * static_cast<std::size_t>(atom.size));
    for (const std::int64_t cell : cells) {
      for (std::int64_t i = 0; i < atom.size; ++i) {
        more.push_back(cell + i * atom.step);
      }
    }
    cells = std::move(more);
  }
  return cells;
}

}  // namespace attn::verify
