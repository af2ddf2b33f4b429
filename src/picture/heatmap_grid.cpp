#include "picture/heatmap_grid.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <variant>

#include "lesson/lineage.hpp"
#include "text/columns.hpp"
#include "torch/print.hpp"

namespace attn::render {
namespace {

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
  const auto measure = [&] { return static_cast<std::int64_t>(torch::longest_element(*contents_, print)); };
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

}  // namespace attn::render
