#include "lesson/cell_words.hpp"

#include <vector>

#include "lesson/cell.hpp"
#include "lesson/lineage.hpp"
#include "tensor/words.hpp"

namespace attn::render {

std::string CellWords::name(const Tensor& tensor) const {
  if (tensor.id() == root_.tensor->id()) {
    return root_.name;
  }
  if (!tensor.name().empty()) {
    return tensor.name();
  }
  const bool is_copy = tensor.kind() == Kind::contiguous;  // the same numbers in the same places
  return is_copy ? name(tensor.operands()[0]) : grouped(tensor.expression());
}

std::string CellWords::cell(const Tensor& tensor, const Shape& index, std::optional<std::size_t> open) const {
  return name(tensor) + index_text(index, open);
}

std::string CellWords::run(const Tensor& tensor, const Shape& index, std::optional<std::size_t> open) const {
  std::string kind;
  if (open && tensor.dim() > 1) {
    const std::size_t from_end = index.size() - *open;
    kind = from_end == 1 ? "row " : from_end == 2 ? "column " : "";
  }
  std::string words;
  const std::vector<bool> axes = token_axes(tensor, tokens_.size());
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    if (axes[axis] && open != axis) {
      words += (words.empty() ? " (" : ", ") + token(index[axis]);
    }
  }
  return kind + cell(tensor, index, open) + (words.empty() ? "" : words + ")");
}

std::string CellWords::places(const Tensor& tensor, const Shape& index) const {
  const std::vector<bool> axes = token_axes(tensor, tokens_.size());
  std::string text;
  for (std::size_t axis = 0; axis < index.size(); ++axis) {
    if (counts_heads(tensor, axis)) {
      text += (text.empty() ? "" : ", ") + head_name(index[axis]);
    }
    if (!axes[axis]) {
      continue;
    }
    const std::size_t from_end = index.size() - axis;
    const std::string kind = index.size() == 1 || from_end > 2 ? "item " : from_end == 2 ? "row " : "column ";
    text += (text.empty() ? "" : ", ") + kind + std::to_string(index[axis]) + ": " + token(index[axis]);
  }
  return text;
}

std::optional<std::string> CellWords::token_along(const Tensor& tensor, const Shape& index,
                                                  std::optional<std::size_t> axis) const {
  const bool is_token = axis && token_axes(tensor, tokens_.size())[*axis];
  return is_token ? std::optional(token(index[*axis])) : std::nullopt;
}

}  // namespace attn::render
