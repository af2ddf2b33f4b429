#include "picture/heatmap.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>

#include "lesson/explain.hpp"
#include "text/lines.hpp"
#include "torch/print.hpp"

namespace attn::render {
namespace {

// ---- The grid --------------------------------------------------------------------------------------

/// Tokens if the axis counts the lesson's tokens, heads if it counts heads, else indices; cut to `room` columns.
std::vector<std::string> names_of(const Tensor& tensor, std::size_t axis, const torch::ShownItems& items,
                                  std::span<const std::string> tokens, std::int64_t room, const Terminal& terminal) {
  const bool by_tokens = token_axes(tensor, tokens.size())[axis];
  const bool by_heads = counts_heads(tensor, axis);
  std::vector<std::string> names;
  for (std::int64_t rank = 0; rank < items.count(); ++rank) {
    const std::int64_t item = items.item(rank);
    names.push_back(cut_to(by_tokens  ? printable(tokens[static_cast<std::size_t>(item)], terminal)
                           : by_heads ? head_name(item)
                                      : std::to_string(item),
                           room, terminal));
  }
  return names;
}

void add_matrices(const Axes& axes, std::size_t axis, std::int64_t index, std::vector<std::int64_t>& firsts) {
  if (axis + 2 >= axes.size()) {
    const std::int64_t rows = axes.size() < 2 ? 1 : axes[axes.size() - 2].size;
    firsts.push_back(axes.empty() ? index : index * rows * axes.back().size);
    return;
  }
  const torch::ShownItems& items = axes[axis];
  for (std::int64_t rank = 0; rank < items.count(); ++rank) {
    if (items.dots_before(rank)) {
      firsts.push_back(-1);
    }
    add_matrices(axes, axis + 1, index * items.size + items.item(rank), firsts);
  }
}

}  // namespace

Grid grid_of(const Tensor& tensor, const Axes& axes, std::span<const std::string> tokens, const Terminal& terminal) {
  constexpr torch::ShownItems one = {1, 1, 1, false};
  Grid grid{one, one, {}, {}};
  const std::size_t dim = axes.size();
  if (dim >= 1) {
    grid.columns = axes[dim - 1];
    grid.column_names = names_of(tensor, dim - 1, grid.columns, tokens, terminal.width, terminal);
  }
  if (dim >= 2) {
    const std::int64_t room = std::clamp<std::int64_t>(terminal.width / 5, 3, 20);
    grid.rows = axes[dim - 2];
    grid.row_names = names_of(tensor, dim - 2, grid.rows, tokens, room, terminal);
  }
  return grid;
}

std::int64_t widest(const std::vector<std::string>& names) {
  std::int64_t columns = 0;
  for (const std::string& name : names) {
    columns = std::max(columns, text::display_columns(name));
  }
  return columns;
}

std::vector<std::int64_t> matrices_of(const Axes& axes) {
  std::vector<std::int64_t> firsts;
  add_matrices(axes, 0, 0, firsts);
  return firsts;
}

std::function<std::string(std::int64_t)> matrix_headings(const Tensor& tensor) {
  const Shape& shape = tensor.shape();
  std::size_t head_axis = 0;
  while (head_axis < shape.size() && !counts_heads(tensor, head_axis)) {
    ++head_axis;
  }
  return [shape, head_axis](std::int64_t first) {
    Shape index = index_at(first, shape);
    index.resize(index.size() - 2);
    return shape_text(index) + (head_axis < index.size() ? " " + head_name(index[head_axis]) : "");
  };
}

Extremes extremes_of(const Contents& contents, const Axes& axes) {
  Extremes found;
  std::visit(
      [&]<class Element>(const Block<Element>& block) {
        auto include = [&](const Element& element) {
          const auto value = static_cast<double>(element);
          if (std::isfinite(value) && value < found.scale.low) {
            found.scale.low = value;
            found.low = &element - block.data();
          }
          if (std::isfinite(value) && value > found.scale.high) {
            found.scale.high = value;
            found.high = &element - block.data();
          }
        };
        torch::for_each_shown(torch::View<Element>{block.data(), axes, static_cast<std::int64_t>(block.size())},
                              include);
      },
      contents);
  return found;
}

/// Drops decimals until the number fits, then tries scientific notation, then cuts the text.
CellTexts::CellTexts(std::shared_ptr<const Contents> contents, torch::PrintOptions print, std::int64_t room,
                     const Terminal& terminal)
    : contents_(std::move(contents)), room_(room), terminal_(terminal) {
  const auto measure = [&] {
    const std::vector<torch::PrintedCell> cells = torch::print_tensor(*contents_, {}, print).cells;
    const auto longest = std::ranges::max_element(cells, {}, &torch::PrintedCell::size);
    return cells.empty() ? 0 : static_cast<std::int64_t>(longest->size);
  };
  std::int64_t columns = measure();
  while (columns > room && print.precision > 0) {
    print.precision -= static_cast<int>(std::min<std::int64_t>(columns - room, print.precision));
    columns = measure();
  }
  if (columns > room) {
    print.sci_mode = torch::SciMode::on;
    columns = measure();
  }
  widest_ = std::min(columns, room);
  print_ = torch::element_printer(contents_, print);
}

double CellTexts::value(std::int64_t position) const {
  return std::visit([&](const auto& block) { return static_cast<double>(block[static_cast<std::size_t>(position)]); },
                    *contents_);
}

std::string CellTexts::text(std::int64_t position) const { return cut_to(print_(position), room_, terminal_); }

// ---- Heat maps -------------------------------------------------------------------------------------

namespace {

constexpr std::int64_t narrowest = 12;
constexpr std::string_view dots = " ...";
constexpr auto dots_columns = static_cast<std::int64_t>(dots.size());

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
  if (room < 2) {
    return high.empty() ? std::vector<text::StyledLine>{{{low}}} : std::vector<text::StyledLine>{{{low}}, {{high}}};
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
    : HeatMap(tensor, tensor.array().contents(), tokens, with_edges(print), wide_enough(terminal)) {}

HeatMap::HeatMap(const Tensor& tensor, const std::shared_ptr<const Contents>& numbers,
                 std::span<const std::string> tokens, const torch::PrintOptions& print, const Terminal& terminal)
    : terminal_(terminal),
      axes_(torch::shown_items(tensor.shape(), print)),
      grid_(grid_of(tensor, axes_, tokens, terminal)),
      extremes_(extremes_of(*numbers, axes_)),
      painter_(extremes_.scale, tensor.dtype() == DType::boolean, terminal),
      cells_(numbers, print, terminal.width - widest(grid_.row_names) - 1 - painter_.padding(), terminal),
      heading_(matrix_headings(tensor)),
      label_(widest(grid_.row_names) == 0 ? 0 : widest(grid_.row_names) + 1) {
  if (element_count(tensor.shape()) == 0) {
    end_ = {{{cut_to(torch::format_tensor(*numbers, {}, print), terminal.width, terminal)}}};
    return;
  }
  split_columns();
  add_parts();
  add_legend(tensor.dtype() == DType::boolean);
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

void HeatMap::add_legend(bool are_booleans) {
  const Scale& scale = extremes_.scale;
  if (are_booleans) {
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
