#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>

#include "picture/marks.hpp"
#include "picture/terminal.hpp"
#include "tensor/tensor.hpp"
#include "text/styled.hpp"
#include "torch/print_options.hpp"

namespace attn::render {

/// A tensor's numbers, as PyTorch prints them, on coloured cells; without colours each beside a block glyph. No
/// line is wider than the terminal (of 12 columns or more). A line is made when somebody looks at it.
///
/// Rows and columns that count the lesson's tokens have their names, others indices. The axes before the last two
/// become headings. One scale serves the whole tensor: from the smallest to the largest finite number shown, or for
/// numbers of both signs, symmetric around 0. What is not finite stays plain. Tensors of more than print.threshold
/// elements are summarised as PyTorch does, with one item at least at either end of an axis; where a number is wider
/// than the terminal, all have fewer decimals.
class HeatMap {
 public:
  HeatMap(const Tensor& tensor, std::span<const std::string> tokens, const torch::PrintOptions& print,
          const Terminal& terminal);
  /// `changed` minus `as_is`, of the same shape: colours are symmetric around 0, and cells that do not differ are
  /// plain.
  HeatMap(const Tensor& as_is, const Tensor& changed, std::span<const std::string> tokens,
          const torch::PrintOptions& print, const Terminal& terminal);

  /// The printing that says which cells are shown: one item at least at either end of an axis.
  static torch::PrintOptions with_edges(torch::PrintOptions print);

  /// The lines.
  std::int64_t count() const;
  text::StyledLine line(std::int64_t i, const CellMarks& marks = {}) const;
  /// Where a shown cell stands.
  CellPlace place(const GridCell& cell) const;
  /// No line has more display columns.
  std::int64_t columns() const { return columns_; }

 private:
  class Lines;
  struct Numbers;

  void make(const Tensor& tensor, const Numbers& numbers, std::span<const std::string> tokens,
            const torch::PrintOptions& print, Terminal terminal);

  std::shared_ptr<const Lines> lines_;  ///< null of a tensor without numbers
  std::int64_t columns_;
  std::string empty_;  ///< what that is shown as
};

/// Its lines with escape codes, each with a newline.
void write_heatmap(std::ostream& out, const HeatMap& map);

}  // namespace attn::render
