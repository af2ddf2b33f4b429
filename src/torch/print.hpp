#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "torch/shown.hpp"

namespace attn::torch {

/// The place of one element in a tensor's text.
struct PrintedCell {
  std::int64_t position;  ///< in the tensor, row-major; index_at converts it to an index
  std::size_t offset;     ///< in the text: the first character after the padding
  std::size_t size;       ///< in bytes
};

/// A tensor's text and the places of its elements in the text's order. For a summarised tensor, the elements at the
/// edges.
struct PrintedTensor {
  std::string text;
  std::vector<PrintedCell> cells;
};

/// The tensor's numbers that print needs.
struct Printable {
  /// A tensor with all its numbers.
  Printable(const Contents& all);
  /// A tensor of this shape with only its shown elements, in the text's order.
  Printable(Shape whole, const Contents& those_shown) : shape(std::move(whole)), shown(&those_shown), is_all(false) {}

  Shape shape;
  const Contents* shown;
  bool is_all = true;
};

/// Returns the output of `print(tensor)` in PyTorch 2.14 (torch/_tensor_str.py) for a dense CPU tensor of any shape.
/// Older versions print the same unless sci_mode is forced or edgeitems is 0.
///
/// `suffixes` are the trailing texts about autograd ("grad_fn=<MulBackward0>", "requires_grad=True"), in order. size=
/// and dtype= of an empty tensor are added automatically, as is size= if edgeitems is 0. Only the shown elements of a
/// summarised tensor are read. Neither precision nor edgeitems may be negative.
[[nodiscard]] PrintedTensor print_tensor(const Printable& values, std::span<const std::string> suffixes,
                                         const PrintOptions& options);

/// The text of print_tensor.
[[nodiscard]] std::string format_tensor(const Printable& values, std::span<const std::string> suffixes,
                                        const PrintOptions& options);

/// Receives the next piece of a text.
using TextSink = std::function<void(std::string_view)>;

/// Passes the same text on in pieces; it is never held as a whole.
void write_tensor(const TextSink& sink, const Printable& values, std::span<const std::string> suffixes,
                  const PrintOptions& options);

/// Formats single elements, by position, as print_tensor does, without the padding.
[[nodiscard]] std::function<std::string(std::int64_t)> element_printer(std::shared_ptr<const Contents> values,
                                                                       const PrintOptions& options);

/// The text of one cell.
[[nodiscard]] std::string cell_text(const PrintedTensor& printed, const PrintedCell& cell);

/// "torch.Size([2, 6, 3])"
[[nodiscard]] std::string format_size(const Shape& shape);

}  // namespace attn::torch
