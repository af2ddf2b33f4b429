#include "picture/heatmap.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string_view>
#include <utility>

#include "text/columns.hpp"
#include "torch/print.hpp"
#include "torch/shown.hpp"

namespace attn::render {
namespace {

constexpr std::int64_t narrowest = 12;
constexpr std::string_view dots = " ...";
constexpr auto dots_columns = static_cast<std::int64_t>(dots.size());

/// The differences; 0 for equal numbers, and nan equals nan.
Contents difference_of(const Tensor& as_is, const Tensor& changed) {
  Block<float> differences(as_is.shape());
  std::visit(
      [&]<class Element>(const Block<Element>& before) {
        const auto& after = std::get<Block<Element>>(*changed.array().contents());
        for (std::size_t i = 0; i < before.size(); ++i) {
          const auto a = static_cast<float>(before[i]);
          const auto b = static_cast<float>(after[i]);
          differences[i] = a == b || (std::isnan(a) && std::isnan(b)) ? 0 : b - a;
        }
      },
      *as_is.array().contents());
  return differences;
}

Terminal wide_enough(Terminal terminal) {
  terminal.width = std::max(terminal.width, narrowest);
  return terminal;
}

text::StyledLine boolean_legend(const Painter& painter) {
  text::StyledLine line;
  for (const bool value : {false, true}) {
    const Look look = painter.look(value ? 1 : 0);
    text::append(line, painter.coloured() ? value ? " True " : " False " : value ? " True " : "False ", look.style);
    text::append(line, look.glyph);
  }
  return text::without_blank_end(std::move(line));
}

/// "low ramp high"; two lines without the ramp if the terminal is too narrow. `high` is empty for a single number.
std::vector<text::StyledLine> range_legend(const std::string& low, const std::string& high, const Painter& painter,
                                           std::int64_t width) {
  const std::int64_t room = width - text::display_columns(low) - text::display_columns(high) - 2;
  if (room < 0) {
    return high.empty() ? std::vector<text::StyledLine>{{{low}}} : std::vector<text::StyledLine>{{{low}}, {{high}}};
  }
  if (room < 2 && !high.empty()) {
    return {{{low + "  " + high}}};
  }
  text::StyledLine line = {{low + " "}};
  std::ranges::copy(painter.ramp(high.empty() ? 1 : std::min(painter.ramp_columns(), room)), std::back_inserter(line));
  if (!high.empty()) {
    line.push_back({" " + high});
  }
  return {line};
}

}  // namespace

HeatMap::HeatMap(const Tensor& tensor, std::span<const std::string> tokens, const torch::PrintOptions& print,
                 const Terminal& terminal)
    : HeatMap(tensor, tensor.array().contents(),
              tensor.dtype() == DType::boolean ? Painter::Of::booleans : Painter::Of::numbers, tokens,
              with_edges(print), wide_enough(terminal)) {}

HeatMap::HeatMap(const Tensor& as_is, const Tensor& changed, std::span<const std::string> tokens,
                 const torch::PrintOptions& print, const Terminal& terminal)
    : HeatMap(as_is, std::make_shared<const Contents>(difference_of(as_is, changed)), Painter::Of::differences, tokens,
              with_edges(print), wide_enough(terminal)) {}

HeatMap::HeatMap(const Tensor& tensor, std::shared_ptr<const Contents> numbers, Painter::Of of,
                 std::span<const std::string> tokens, const torch::PrintOptions& print, const Terminal& terminal)
    : terminal_(terminal),
      axes_(torch::shown_items(tensor.shape(), print)),
      grid_(grid_of(tensor, axes_, tokens, terminal)),
      extremes_(extremes_of(*numbers, axes_)),
      painter_(extremes_.scale, of, terminal),
      cells_(numbers, print, terminal.width - widest(grid_.row_names) - 1 - painter_.padding(), terminal),
      heading_(matrix_headings(tensor)),
      label_(widest(grid_.row_names) == 0 ? 0 : widest(grid_.row_names) + 1) {
  if (element_count(tensor.shape()) == 0) {
    end_ = {{{cut_to(torch::format_tensor(*numbers, {}, print), terminal.width, terminal)}}};
    return;
  }
  split_columns();
  add_parts();
  add_legend(of);
}

torch::PrintOptions HeatMap::with_edges(torch::PrintOptions print) {
  print.edgeitems = std::max<std::int64_t>(print.edgeitems, 1);
  return print;
}

// ---- Layout ------------------------------------------------------------------------------------

void HeatMap::split_columns() {
  const std::int64_t room = terminal_.width - label_;
  const std::int64_t number = cells_.widest() + painter_.padding();
  const std::int64_t named = std::min(widest(grid_.column_names) + 2, number + 6);
  const std::int64_t fitting = (room - (grid_.columns.cut ? dots_columns : 0)) / grid_.columns.count();
  cell_ = std::max(number, std::min(named, fitting));
  std::int64_t left = 0;
  for (std::int64_t column = 0; column < grid_.columns.count(); ++column) {
    const std::int64_t before = grid_.columns.dots_before(column) ? dots_columns : 0;
    if (cell_ + before > left) {
      blocks_.push_back({column, column});
      left = room + before;  // at the edge of a block, its title covers what is left out
    }
    left -= cell_ + before;
    blocks_.back().end = column + 1;
  }
}

void HeatMap::add_parts() {
  std::int64_t matrices = 0;
  for (const std::int64_t first : matrices_of(axes_)) {
    parts_.push_back({matrices_end_, first, matrices});
    matrices_end_ += first < 0 ? 1 : std::ssize(blocks_) * lines_of_block() + heading_lines();
    matrices += first < 0 ? 0 : 1;
  }
}

void HeatMap::add_legend(Painter::Of of) {
  const Scale& scale = extremes_.scale;
  if (of == Painter::Of::booleans) {
    end_.push_back(boolean_legend(painter_));
  } else if (!scale.empty()) {
    if (std::ranges::any_of(axes_, &torch::ShownItems::cut)) {
      end_.push_back({{"shown:"}});
    }
    std::ranges::move(
        range_legend(cells_.text(extremes_.low), scale.low < scale.high ? cells_.text(extremes_.high) : "", painter_,
                     terminal_.width),
        std::back_inserter(end_));
  }
}

CellPlace HeatMap::place(const GridCell& cell) const {
  if (parts_.empty()) {
    return {0, 0, 0};
  }
  const std::int64_t row = cell.row % grid_.rows.count();
  const Part& part = *(std::ranges::upper_bound(parts_, cell.row / grid_.rows.count(), {}, &Part::rank) - 1);
  const auto block = std::ranges::upper_bound(blocks_, cell.column, {}, &Block::begin) - 1;
  std::int64_t column = label_;
  for (std::int64_t before = block->begin; before <= cell.column; ++before) {
    column += (dots_before(*block, before) ? dots_columns : 0) + (before < cell.column ? cell_ : 0);
  }
  const std::int64_t dots_rows = grid_.rows.cut && row >= grid_.rows.head_end ? 1 : 0;
  return {part.begin + heading_lines() + (block - blocks_.begin()) * lines_of_block() + lines_above() + row + dots_rows,
          column, cell_};
}

// ---- Lines -------------------------------------------------------------------------------------

text::StyledLine HeatMap::line(std::int64_t i, std::optional<GridCell> chosen) const {
  if (i >= matrices_end_) {
    return end_[static_cast<std::size_t>(i - matrices_end_)];
  }
  const Part& part = *(std::ranges::upper_bound(parts_, i, {}, &Part::begin) - 1);
  if (part.first < 0) {
    return {{"..."}};
  }
  const std::int64_t below = i - part.begin - heading_lines();
  if (below < 0) {
    return {{cut_to(heading_(part.first), terminal_.width, terminal_)}};
  }
  const Block& block = blocks_[static_cast<std::size_t>(below / lines_of_block())];
  const std::int64_t in_block = below % lines_of_block();
  if (in_block < lines_above()) {
    const bool is_title = blocks_.size() > 1 && in_block == 0;
    return is_title ? text::StyledLine{{title(block)}} : names_line(block);
  }
  const std::int64_t row = in_block - lines_above();
  if (grid_.rows.cut && row == grid_.rows.head_end) {
    return {{"..."}};
  }
  return row_line(block, row - (grid_.rows.cut && row > grid_.rows.head_end ? 1 : 0), part, chosen);
}

bool HeatMap::dots_before(const Block& block, std::int64_t column) const {
  return grid_.columns.dots_before(column) && column > block.begin;
}

std::string HeatMap::title(const Block& block) const {
  const std::string from = std::to_string(grid_.columns.item(block.begin));
  const std::string to = std::to_string(grid_.columns.item(block.end - 1));
  return block.end - block.begin == 1 ? "column " + from : "columns " + from + "-" + to;
}

std::string HeatMap::in_cell(const std::string& text) const { return text::right_aligned(text, cell_ - 1); }

text::StyledLine HeatMap::names_line(const Block& block) const {
  std::string line = text::left_aligned("", label_);
  for (std::int64_t column = block.begin; column < block.end; ++column) {
    line += dots_before(block, column) ? dots : "";
    line += in_cell(cut_to(grid_.column_names[static_cast<std::size_t>(column)], cell_ - 2, terminal_)) + " ";
  }
  return text::without_blank_end({{line}});
}

text::StyledLine HeatMap::row_line(const Block& block, std::int64_t row, const Part& part,
                                   const std::optional<GridCell>& chosen) const {
  text::StyledLine line;
  if (!grid_.row_names.empty()) {
    text::append(line, text::left_aligned(grid_.row_names[static_cast<std::size_t>(row)], label_));
  }
  for (std::int64_t column = block.begin; column < block.end; ++column) {
    if (dots_before(block, column)) {
      text::append(line, dots);
    }
    const std::int64_t position = part.first + grid_.rows.item(row) * grid_.columns.size + grid_.columns.item(column);
    Look look = painter_.look(cells_.value(position));
    look.style.reverse = chosen == GridCell{part.rank * grid_.rows.count() + row, column};
    text::append(line, in_cell(cells_.text(position)) + (painter_.coloured() ? " " : look.glyph), look.style);
  }
  return text::without_blank_end(std::move(line));
}

void write_heatmap(std::ostream& out, const HeatMap& map) {
  for (std::int64_t i = 0; i < map.count(); ++i) {
    out << text::with_escapes(map.line(i)) << '\n';
  }
}

}  // namespace attn::render
