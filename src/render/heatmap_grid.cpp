#include "render/heatmap_grid.hpp"

#include <algorithm>

#include "text/columns.hpp"

namespace attn::render {
namespace {

constexpr std::string_view dots = " ...";
constexpr auto dots_columns = static_cast<std::int64_t>(dots.size());

}  // namespace

std::int64_t widest(const std::vector<std::string>& texts) {
  std::int64_t columns = 0;
  for (const std::string& text : texts) {
    columns = std::max(columns, text::display_columns(text));
  }
  return columns;
}

Drawing::Drawing(const Grid& grid, const std::vector<double>& values, const std::vector<std::string>& texts,
                 const Painter& painter, const Terminal& terminal)
    : grid_(grid), values_(values), texts_(texts), painter_(painter), terminal_(terminal) {
  const std::int64_t names = widest(grid.row_names);
  label_ = names == 0 ? 0 : names + 1;
  const std::int64_t room = terminal.width - label_;
  const std::int64_t number = widest(texts) + painter.padding();
  const std::int64_t named = std::min(widest(grid.column_names) + 2, number + 6);
  const std::int64_t fitting = (room - (grid.columns.cut ? dots_columns : 0)) / grid.columns.count();
  cell_ = std::max(number, std::min(named, fitting));
  split(room);
}

void Drawing::draw(std::vector<text::StyledLine>& lines, std::size_t first) const {
  for (const Block& block : blocks_) {
    if (blocks_.size() > 1) {
      lines.push_back({{title(block)}});
    }
    if (!grid_.column_names.empty()) {
      lines.push_back(names_line(block));
    }
    for (std::int64_t row = 0; row < grid_.rows.count(); ++row) {
      if (grid_.rows.dots_before(row)) {
        lines.push_back({{"..."}});
      }
      lines.push_back(row_line(block, row, first + static_cast<std::size_t>(row * grid_.columns.count())));
    }
  }
}

void Drawing::split(std::int64_t room) {
  std::int64_t left = 0;
  for (std::int64_t column = 0; column < grid_.columns.count(); ++column) {
    const std::int64_t before = grid_.columns.dots_before(column) ? dots_columns : 0;
    const std::int64_t needed = cell_ + before;
    if (needed > left) {
      blocks_.push_back({column, column});
      left = room + before;  // at the edge of a block, its title tells what is left out
    }
    left -= needed;
    blocks_.back().end = column + 1;
  }
}

bool Drawing::dots_before(const Block& block, std::int64_t column) const {
  return grid_.columns.dots_before(column) && column > block.begin;
}

std::string Drawing::title(const Block& block) const {
  const std::string from = std::to_string(grid_.columns.item(block.begin));
  const std::string to = std::to_string(grid_.columns.item(block.end - 1));
  return block.end - block.begin == 1 ? "column " + from : "columns " + from + "-" + to;
}

text::StyledLine Drawing::names_line(const Block& block) const {
  std::string line = text::left_aligned("", label_);
  for (std::int64_t column = block.begin; column < block.end; ++column) {
    line += dots_before(block, column) ? dots : "";
    const std::string name = cut_to(grid_.column_names[static_cast<std::size_t>(column)], cell_ - 2, terminal_);
    line += text::right_aligned(name, cell_ - 1) + " ";
  }
  return text::without_blank_end({{line}});
}

text::StyledLine Drawing::row_line(const Block& block, std::int64_t row, std::size_t first) const {
  text::StyledLine line;
  text::append(line, text::left_aligned(grid_.row_names[static_cast<std::size_t>(row)], label_));
  for (std::int64_t column = block.begin; column < block.end; ++column) {
    if (dots_before(block, column)) {
      text::append(line, dots);
    }
    const std::size_t at = first + static_cast<std::size_t>(column);
    const Look look = painter_.look(values_[at]);
    const std::string number = text::right_aligned(texts_[at], cell_ - 1);
    text::append(line, number + (painter_.coloured() ? " " : look.glyph), look.style);
  }
  return text::without_blank_end(std::move(line));
}

}  // namespace attn::render
