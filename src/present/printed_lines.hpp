#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "present/step_lines.hpp"
#include "torch/print.hpp"

namespace attn::present {

/// The cells in a text, in order; no cell spans two lines.
struct TextCells {
  std::vector<torch::PrintedCell> all;
  std::vector<bool> changed = {};  ///< in reverse while no cell is chosen; empty: none
  std::int64_t in_row = 1;
};

/// A text of any length, and the cells in it.
class PrintedLines final : public StepLines {
 public:
  explicit PrintedLines(std::string text, TextCells cells = {});
  /// `find` is called once, when the cells are first needed.
  PrintedLines(std::string text, std::function<TextCells()> find);

  std::size_t count() const override { return begins_.size(); }
  std::string_view plain(std::size_t line) const;
  text::StyledLine styled(std::size_t line, const render::CellMarks& marks) const override;
  std::int64_t columns() const override;
  render::CellPlace place(const render::GridCell& cell) const override;

 private:
  void find_begins();
  const TextCells& cells() const;
  void append_cell(text::StyledLine& line, std::size_t k, const render::CellMarks& marks) const;

  std::string text_;
  std::vector<std::size_t> begins_;
  std::function<TextCells()> find_;
  mutable std::optional<TextCells> cells_;
};

}  // namespace attn::present
