#include "lesson/lineage.hpp"

#include <algorithm>
#include <unordered_set>

namespace attn::render {

bool counts_tokens(const Tensor& tensor, std::size_t axis) {
  if (tensor.operation().facts().is_by_tokens || (axis == 0 && (tensor.name() == "inputs" || tensor.name() == "ids"))) {
    return true;
  }
  const auto source = tensor.operation().axis_source(tensor.operands(), axis);
  return source && counts_tokens(source->tensor, source->axis);
}

std::vector<bool> token_axes(const Tensor& tensor, std::size_t count) {
  std::vector<bool> axes;
  for (std::size_t axis = 0; axis < tensor.shape().size(); ++axis) {
    axes.push_back(tensor.shape()[axis] == static_cast<std::int64_t>(count) && counts_tokens(tensor, axis));
  }
  return axes;
}

bool counts_heads(const Tensor& tensor, std::size_t axis) {
  if (tensor.kind() == Kind::view) {
    const Shape& from = tensor.operands()[0].shape();
    const Shape& to = tensor.shape();
    const bool splits_last =
        !from.empty() && to.size() == from.size() + 1 && std::equal(from.begin(), from.end() - 1, to.begin());
    if (splits_last && axis + 1 == from.size()) {
      return true;
    }
    if (to.size() < from.size() && axis + 1 == to.size()) {
      return false;  // joined again
    }
  }
  const auto source = tensor.operation().axis_source(tensor.operands(), axis);
  return source && counts_heads(source->tensor, source->axis);
}

std::string head_name(std::int64_t item) { return "head " + std::to_string(item + 1); }

bool is_made_with(const Tensor& tensor, const std::set<Kind>& kinds) {
  std::unordered_set<const void*> seen;
  bool is_made = false;
  for_each_source(tensor, seen, [&](const Tensor& one) { is_made = is_made || kinds.contains(one.kind()); });
  return is_made;
}

std::optional<std::int64_t> token_of(const Tensor& vector) {
  if (vector.dim() != 1) {
    return std::nullopt;
  }
  const auto& operands = vector.operands();
  switch (vector.kind()) {
    case Kind::index:
      return counts_tokens(operands[0], 0) ? std::optional(vector.operation().facts().at) : std::nullopt;
    case Kind::dots:
    case Kind::matvec: return token_of(operands[1]);
    case Kind::matmul:
    case Kind::linear:
    case Kind::weighted_sum:
    case Kind::scaled:
    case Kind::divided:
    case Kind::masked:
    case Kind::softmax:
    case Kind::exp:
    case Kind::cosine:
    case Kind::sine:
    case Kind::root:
    case Kind::inverse_root:
    case Kind::raised:
    case Kind::scaled_and_shifted:
    case Kind::subtracted:
    case Kind::dropout: return token_of(operands[0]);
    default: return std::nullopt;
  }
}

}  // namespace attn::render
