#include "verify/port/right.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <set>

#include "tensor/operations.hpp"
#include "tensor/tensor.hpp"
#include "text/lines.hpp"

namespace attn::verify {
namespace {

/// The axes that a tensor has, in its order: {"T", "B*H", "d"}.
using Order = std::vector<std::string>;

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

/// Returns true if weights have a column for each query: their rows do not sum to 1, their columns do.
bool is_turned(const std::vector<Axis>& order) {
  const std::size_t key = place_of(order, "S");
  return key < order.size() && key < place_of(order, "T") && place_of(order, "T") < order.size();
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

/// The orders in which programs may store the axes: the target's own comes first, then those with its last axis last.
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

/// The axes that a shape may list one by one or multiplied together: all but those of size 1. An axis shared by all
/// heads is divided.
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

/// Returns {"B*H", "T", "d"} if each axis of the shape is one of these atoms or a product of several. If they are not
/// in the target's order, d must come last in its product, and no tokens before entries: numbers would move to another
/// head or row.
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

}  // namespace

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

namespace {

// ---- Conventions ----------------------------------------------------------------------------------

/// Numbers in another convention, and its name.
struct Meaning {
  SharedNumbers values;
  std::string words;
};

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

bool is_truth(double value) { return value == 0 || value == 1; }

/// A mask as it is, True for False, or what is added to scores.
std::vector<Meaning> mask_meanings(const Tensor& tensor, const SharedNumbers& theirs) {
  const bool shows = tensor.kind() == Kind::bernoulli || tensor.dtype() != DType::boolean;  // where it is True
  const auto meaning = [&](const std::string& words, const auto& is_true) {
    std::vector<double> values = theirs;
    std::ranges::transform(theirs, values.begin(), [&](double value) { return is_true(value) ? 1.0 : 0.0; });
    return Meaning{std::move(values), words};
  };
  if (std::ranges::all_of(theirs, is_truth)) {
    return {{theirs, ""},
            meaning(shows ? "True for what is dropped" : "True for what is seen", [](double v) { return v == 0; })};
  }
  if (std::ranges::all_of(theirs, [](double value) { return value == 0 || is_hiding(value); })) {
    return {meaning("0 for what is seen", [shows](double value) { return is_hiding(value) != shows; })};
  }
  return {{theirs, ""}};
}

/// Hidden scores with whatever large negative number hides them: one whose weight is exactly 0. `cells` says where they
/// belong.
std::vector<double> hidden_as_infinity(const Target& target, const std::vector<double>& theirs,
                                       const std::vector<std::int64_t>& cells) {
  constexpr double no_scores = -1e8;  // below which nothing is a score
  const auto width = static_cast<std::size_t>(target.tensor.size(-1));
  constexpr double vanishing = 880;  // exp(-110) is 0 in float32; scores may be scaled later, by the root of 64
  std::vector<double> most(target.right.size() / width, minus_infinity);  // of each row
  const auto most_at = [&](std::size_t i) -> double& { return most[(cells.empty() ? i : at(cells[i])) / width]; };
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    most_at(i) = std::max(most_at(i), theirs[i]);
  }
  std::vector<double> values = theirs;
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    const bool is_far_below = is_hiding(theirs[i]) && most_at(i) - theirs[i] > vanishing && !is_hiding(most_at(i));
    values[i] = std::isfinite(theirs[i]) && (is_far_below || theirs[i] < no_scores) ? minus_infinity : theirs[i];
  }
  return values;
}

/// Returns the readings of these numbers: programs differ in how they hide scores (-inf, -1e9) and in which cells of a
/// mask are True. `cells` holds the place of each number; it is empty where each is in its own.
std::vector<Meaning> meanings_of(const Target& target, const SharedNumbers& theirs,
                                 const std::vector<std::int64_t>& cells) {
  const Tensor& tensor = target.tensor;
  if (theirs.size() > 1 && (tensor.dtype() == DType::boolean ||
                            (tensor.operation().facts().is_by_tokens && std::ranges::all_of(target.right, is_truth)))) {
    return mask_meanings(tensor, theirs);
  }
  if (tensor.dim() >= 2 && std::ranges::any_of(theirs, is_hiding) &&
      std::ranges::find(target.right, minus_infinity) != target.right.end()) {
    SharedNumbers hidden = hidden_as_infinity(target, theirs, cells);
    if (!(hidden == theirs)) {
      return {{std::move(hidden), "a large negative number for -inf"}, {theirs, ""}};
    }
  }
  return {{theirs, ""}};
}

// ---- Layouts --------------------------------------------------------------------------------------

std::string with(const std::string& words, const std::string& more) {
  return words.empty() || more.empty() ? words + more : words + ", " + more;
}

/// Where a tensor's numbers belong in a target.
struct Layout {
  std::vector<Axis> atoms;  ///< the target's axes in the tensor's order; empty: each number is in its place
  std::int64_t first = 0;   ///< the cell of its first number
  Laid laid = {};           ///< what is told of it
};

/// Finds the layouts that a shape allows.
class Layouts {
 public:
  Layouts(const Observed& theirs, const Target& target)
      : theirs_(theirs), tensor_(target.tensor), axes_(axes_of(tensor_)), section_(meant_by(theirs.name).section) {
    // The result of the output projection has no heads itself.
    const bool is_projected = tensor_.kind() == Kind::linear && tensor_.operands()[0].kind() == Kind::view;
    heads_ = is_projected ? 1 : target.heads;
    std::ranges::copy_if(theirs.shape, std::back_inserter(shape_), [](std::int64_t size) { return size != 1; });
  }

  std::vector<Layout> all() && {
    const std::int64_t count = element_count(theirs_.shape);
    const std::int64_t wanted = element_count(tensor_.shape());
    if (count == wanted) {
      whole();
    } else if (wanted > 0 && count % wanted == 0) {
      repeated(count / wanted);
    } else if (count > 0 && wanted % count == 0) {
      slices(axes_);
      std::ranges::for_each(split_axes(), [this](const auto& axes) { slices(axes); });
    }
    return std::move(all_);
  }

 private:
  /// The axes with one that heads share in two.
  std::vector<std::vector<Axis>> split_axes() const {
    std::vector<std::vector<Axis>> result;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const std::vector<Axis> parts = atoms_of({axes_[i]}, heads_);
      if (parts.size() == 2) {
        std::vector<Axis>& axes = result.emplace_back(axes_);
        axes[i] = parts[1];
        axes.insert(axes.begin() + static_cast<std::ptrdiff_t>(i), parts[0]);
      }
    }
    return result;
  }

  /// All numbers.
  void whole() {
    const bool is_own = theirs_.shape == tensor_.shape();
    std::vector<std::vector<Axis>> orders = orders_of(axes_);
    if (is_weight(tensor_)) {  // [d_out, H, d]: heads come first, or between
      for (const std::vector<Axis>& axes : split_axes()) {
        orders.push_back(axes[0].label == "H" ? std::vector{axes[0], axes[2], axes[1]}
                                              : std::vector{axes[1], axes[0], axes[2]});
      }
    }
    const bool is_large = element_count(tensor_.shape()) > evaluation().large;
    for (std::size_t i = 0; i < orders.size(); ++i) {
      const bool is_square_weight = i == 1 && is_weight(tensor_);
      const bool turned = is_turned(orders[i]);
      if (i > 0 && is_own && !is_square_weight && (!turned || is_large)) {
        continue;  // wrong numbers of the right shape are wrong, and not laid out otherwise
      }
      std::vector<Axis> atoms = atoms_of(orders[i], heads_);
      if (const auto order = order_of(shape_, atoms, i == 0)) {
        const bool is_plain = i == 0;
        const bool has_sizes = is_plain && std::ranges::equal(shape_, atoms_of(axes_, 1), {}, {}, &Axis::size);
        const std::string shape = is_plain && is_own ? ""
                                  : has_sizes        ? "of shape " + shape_text(theirs_.shape)
                                                     : "[" + text::joined(*order) + "]";
        const std::string how = turned || (!is_plain && orders[i].size() == 2) ? "transposed" : "";
        all_.push_back({is_plain ? std::vector<Axis>() : std::move(atoms),
                        0,
                        {.words = with(how, shape), .is_plain = is_plain, .is_turned = turned}});
      }
    }
  }

  /// A matrix repeated for each batch entry or head.
  void repeated(std::int64_t times) {
    std::vector<Axis> atoms = atoms_of(axes_, 1);
    if (atoms.size() >= 2 && shape_.size() > atoms.size() &&
        std::equal(atoms.rbegin(), atoms.rend(), shape_.rbegin(),
                   [](const Axis& atom, std::int64_t size) { return atom.size == size; })) {
      atoms.insert(atoms.begin(), {"", times, 0});
      all_.push_back({std::move(atoms), 0, {.words = "once for each entry of the batch or head", .is_plain = false}});
    }
  }

  /// Some entries of outer axes, or one head of an axis shared by all heads.
  void slices(const std::vector<Axis>& axes) {
    constexpr std::size_t most = 64;
    for (const std::string left : {"B", "H", "BH"}) {
      std::vector<Axis> dropped;
      std::vector<Axis> kept;
      for (const Axis& axis : axes) {
        const bool is_dropped = axis.size > 1 && axis.label.size() == 1 && left.find(axis.label) != std::string::npos;
        (is_dropped ? dropped : kept).push_back(axis);
      }
      const std::vector<std::vector<Axis>> orders = orders_of(kept);
      for (std::size_t i = 0; dropped.size() == left.size() && i < orders.size(); ++i) {
        const std::vector<Axis> atoms = atoms_of(orders[i], heads_);
        const std::vector<std::int64_t> firsts = cells_of(dropped, 0);
        for (std::size_t n = 0; order_of(shape_, atoms, i == 0) && n < std::min(firsts.size(), most); ++n) {
          all_.push_back({atoms, firsts[n], slice_at(firsts[n], dropped)});
          all_.back().laid.is_turned = is_turned(orders[i]);
        }
      }
    }
  }

  Laid slice_at(std::int64_t first, const std::vector<Axis>& dropped) const {
    Laid laid{.is_plain = false};
    for (const Axis& axis : dropped) {
      const std::int64_t entry = first / axis.step % axis.size;
      const bool is_head = axis.label == "H";
      laid.is_named = laid.is_named || (is_head && section_ == "head_" + std::to_string(entry + 1));
      laid.words = with(laid.words,
                        is_head ? "head " + std::to_string(entry) : "entry " + std::to_string(entry) + " of the batch");
    }
    return laid;
  }

  const Observed& theirs_;
  const Tensor& tensor_;
  std::vector<Axis> axes_;
  std::int64_t heads_;   ///< among which its axes may be divided
  Shape shape_;          ///< theirs, without axes of size 1
  std::string section_;  ///< "head_1", if its name says so
  std::vector<Layout> all_;
};

/// Puts numbers in their cells; of several for one cell the one that is wrong.
void put(Laid& laid, const std::vector<double>& numbers, const std::vector<std::int64_t>& cells,
         const std::vector<double>& right) {
  std::vector<double> values = right;
  std::vector<bool> is_there(values.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::size_t cell = at(cells[i]);
    const bool is_kept = is_there[cell] && values[cell] != right[cell];
    values[cell] = is_kept ? values[cell] : numbers[i];
    is_there[cell] = true;
  }
  for (std::size_t cell = 0; cells.size() < is_there.size() && cell < is_there.size(); ++cell) {
    is_there[cell] ? laid.cells.push_back(static_cast<std::int64_t>(cell)) : void();
  }
  laid.values = std::move(values);
}

/// The first rows and columns of a mask made for longer texts; none if it is no such mask.
std::optional<Observed> corner_of(const Observed& theirs, const Tensor& tensor) {
  Shape shape = theirs.shape;
  std::erase(shape, 1);
  if (tensor.dim() != 2 || shape.size() != 2 || shape[0] != shape[1] || tensor.size(0) != tensor.size(1) ||
      !is_token_by_token(tensor) || shape[0] <= tensor.size(0)) {
    return std::nullopt;
  }
  std::vector<double> values;
  for (std::int64_t i = 0; i < element_count(tensor.shape()); ++i) {
    values.push_back(theirs.values[at(i / tensor.size(1) * shape[1] + i % tensor.size(1))]);
  }
  return Observed{theirs.name, tensor.shape(), theirs.dtype, std::move(values)};
}

}  // namespace

void lay_out(const Observed& theirs, const Target& target, const std::function<bool(Laid&& laid)>& take) {
  if (const std::optional<Observed> corner = corner_of(theirs, target.tensor)) {
    return lay_out(*corner, target, [&](Laid&& laid) {
      laid.words = with("the first " + std::to_string(target.tensor.size(0)) + " rows and columns", laid.words);
      laid.is_plain = false;
      return take(std::move(laid));
    });
  }
  for (const Layout& layout : Layouts(theirs, target).all()) {
    const bool is_moved = !layout.atoms.empty();
    const std::vector<std::int64_t> cells =
        is_moved ? cells_of(layout.atoms, layout.first) : std::vector<std::int64_t>();
    for (Meaning& meaning : meanings_of(target, theirs.values, cells)) {
      Laid laid = layout.laid;
      laid.words = with(laid.words, meaning.words);
      laid.is_plain = laid.is_plain && meaning.words.empty();
      is_moved ? put(laid, meaning.values, cells, target.right) : void(laid.values = std::move(meaning.values));
      if (take(std::move(laid))) {
        return;
      }
    }
  }
}

std::vector<std::vector<Observed>> taken_apart(const Observed& theirs, std::span<const std::int64_t> sizes,
                                               std::int64_t heads) {
  std::vector<std::vector<Observed>> result;
  const std::int64_t count = element_count(theirs.shape);
  if (count == 0 || std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}) != count) {
    return result;
  }
  std::int64_t outer = 1;
  for (std::size_t axis = 0; axis < theirs.shape.size(); outer *= theirs.shape[axis++]) {
    const std::int64_t size = theirs.shape[axis];
    const std::int64_t inner = count / outer / size;
    // Side by side; side by side for each head; one of each after the other.
    for (const std::int64_t repeat : std::set{std::int64_t{1}, heads, size / std::ssize(sizes)}) {
      const std::int64_t rows = outer * inner * repeat;
      if (rows == 0 || size % repeat != 0 ||
          std::ranges::any_of(sizes, [&](std::int64_t part) { return part % rows != 0; })) {
        continue;
      }
      std::vector<Observed>& parts = result.emplace_back();
      std::int64_t before = 0;
      for (const std::int64_t part : sizes) {
        const std::int64_t own = part / rows;
        std::vector<double> values;
        for (std::int64_t block = 0; block < outer * repeat; ++block) {
          const auto begin = theirs.values.begin() + (block * (size / repeat) + before) * inner;
          values.insert(values.end(), begin, begin + own * inner);
        }
        before += own;
        parts.push_back({theirs.name, theirs.shape, theirs.dtype, std::move(values)});
        parts.back().shape[axis] = own * repeat;
      }
    }
  }
  return result;
}

}  // namespace attn::verify
