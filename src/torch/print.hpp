#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensor/array.hpp"
#include "torch/print_options.hpp"

namespace attn::torch {

/// One element as a tensor's text has it.
struct PrintedCell {
  std::int64_t position;  ///< in the tensor, row-major; index_at makes it an index
  std::size_t offset;     ///< in the text, of the first character after the padding
  std::size_t size;       ///< in bytes
};

/// A tensor's text and where it has which element, in the order of the text. Of a summarised tensor, those at the
/// edges.
struct PrintedTensor {
  std::string text;
  std::vector<PrintedCell> cells;
};

/// What print needs of a tensor's numbers.
struct Printable {
  /// A tensor of these numbers.
  Printable(const Contents& all);
  /// A tensor of this shape of which only those that are shown are there, in the order of the text.
  Printable(Shape whole, const Contents& those_shown) : shape(std::move(whole)), shown(&those_shown), is_all(false) {}

  Shape shape;
  const Contents* shown;
  bool is_all = true;
};

/// What `print(tensor)` prints in PyTorch 2.14 (torch/_tensor_str.py) for a dense CPU tensor, any shape; older ones
/// print the same unless sci_mode is forced or edgeitems is 0.
///
/// `suffixes` are the trailing texts about autograd ("grad_fn=<MulBackward0>",
/// "requires_grad=True"), in order; size= and dtype= of an empty tensor come by themselves, as does size= where
/// edgeitems is 0. Of a summarised tensor only the shown elements are read. Neither precision nor edgeitems is
/// negative.
[[nodiscard]] PrintedTensor print_tensor(const Printable& values, std::span<const std::string> suffixes,
                                         const PrintOptions& options);

/// print_tensor's text alone.
[[nodiscard]] std::string format_tensor(const Printable& values, std::span<const std::string> suffixes,
                                        const PrintOptions& options);

/// Takes the next piece of a text.
using TextSink = std::function<void(std::string_view)>;

/// Hands on the same in pieces: it is never there as a whole.
void write_tensor(const TextSink& sink, const Printable& values, std::span<const std::string> suffixes,
                  const PrintOptions& options);

/// Prints single elements, by their positions, as print_tensor does, without the padding.
[[nodiscard]] std::function<std::string(std::int64_t)> element_printer(std::shared_ptr<const Contents> values,
                                                                       const PrintOptions& options);

/// The length of the longest text of an element that print_tensor shows; 0 where there is none.
[[nodiscard]] std::size_t longest_element(const Contents& values, const PrintOptions& options);

/// The text of one cell.
[[nodiscard]] std::string cell_text(const PrintedTensor& printed, const PrintedCell& cell);

/// "torch.Size([2, 6, 3])"
[[nodiscard]] std::string format_size(const Shape& shape);

}  // namespace attn::torch
