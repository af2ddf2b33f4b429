#include "picture/heatmap.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <ostream>
#include <utility>
#include <vector>

#include "picture/heatmap_grid.hpp"
#include "picture/painter.hpp"
#include "text/columns.hpp"
#include "torch/print.hpp"
#include "torch/shown.hpp"

namespace attn::render {

namespace {

using StyledLines = std::vector<text::StyledLine>;

constexpr std::int64_t narrowest = 12;

// ---- The legend --------------------------------------------------------------------------------

text::StyledLine boolean_legend(const Painter& painter) {
  text::StyledLine line;
  for (const bool value : {false, true}) {
    const Look look = painter.look(value ? 1 : 0);
    text::append(line, painter.coloured() ? value ? " True " : " False " : value ? " True " : "False ", look.style);
    text::append(line, look.glyph);
  }
  return text::without_blank_end(std::move(line));
}

text::StyledLine with_ramp(const std::string& low, const text::StyledLine& ramp, const std::string& high) {
  text::StyledLine line = {{low + " "}};
  line.insert(line.end(), ramp.begin(), ramp.end());
  if (!high.empty()) {
    line.push_back({" " + high});
  }
  return line;
}

/// "low ramp high", or two lines without the ramp if the terminal is too narrow.
StyledLines range_legend(const std::string& low, const std::string& high, const Painter& painter, std::int64_t width) {
  const std::int64_t room = width - text::display_columns(low) - text::display_columns(high) - 2;
  if (room < 0) {
    return {{{low}}, {{high}}};
  }
  if (room < 2) {
    return {{{low + "  " + high}}};
  }
  return {with_ramp(low, painter.ramp(std::min(painter.ramp_columns(), room)), high)};
}

StyledLines legend(const Extremes& extremes, const Painter& painter, const CellTexts& cells, std::int64_t width) {
  const std::string low = cells.text(extremes.low);
  if (extremes.scale.low < extremes.scale.high) {
    return range_legend(low, cells.text(extremes.high), painter, width);
  }
  return {text::display_columns(low) + 2 > width ? text::StyledLine{{low}} : with_ramp(low, painter.ramp(1), "")};
}

bool is_cut(const Axes& axes) {
  return std::any_of(axes.begin(), axes.end(), [](const torch::ShownItems& items) { return items.cut; });
}

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

Painter::Of painted(const Tensor& tensor) {
  return tensor.dtype() == DType::boolean ? Painter::Of::booleans : Painter::Of::numbers;
}

}  // namespace

struct HeatMap::Numbers {
  std::shared_ptr<const Contents> contents;
  Painter::Of of;
};

// ---- All of it ---------------------------------------------------------------------------------

/// The lines of a tensor with numbers: the matrices along the axes before the last two, each under its heading, then
/// the legend.
class HeatMap::Lines {
 public:
  Lines(const Tensor& tensor, const Numbers& numbers, std::span<const std::string> tokens,
        const torch::PrintOptions& print, const Terminal& terminal)
      : shape_(tensor.shape()),
        axes_(torch::shown_items(shape_, print)),
        terminal_(terminal),
        grid_(grid_of(tensor, axes_, tokens, terminal)),
        extremes_(extremes_of(*numbers.contents, axes_)),
        painter_(extremes_.scale, numbers.of, terminal),
        cells_(numbers.contents, print, terminal.width - grid_.row_names.widest() - 1 - painter_.padding(), terminal),
        drawing_(grid_, cells_, painter_, terminal_) {
    headings_ = matrix_headings(tensor);
    std::int64_t matrices = 0;
    for (const std::int64_t first : matrices_of(axes_)) {
      parts_.push_back({matrices_end_, first, matrices});
      matrices_end_ += first < 0 ? 1 : drawing_.count() + (has_headings() ? 1 : 0);
      matrices += first < 0 ? 0 : 1;
    }
    if (numbers.of == Painter::Of::booleans) {
      end_.push_back(boolean_legend(painter_));
    } else if (!extremes_.scale.empty()) {
      if (is_cut(axes_)) {
        end_.push_back({{"shown:"}});
      }
      for (text::StyledLine& line : legend(extremes_, painter_, cells_, terminal.width)) {
        end_.push_back(std::move(line));
      }
    }
  }

  std::int64_t count() const { return matrices_end_ + static_cast<std::int64_t>(end_.size()); }

  text::StyledLine line(std::int64_t i, std::optional<GridCell> chosen) const {
    if (i >= matrices_end_) {
      return end_[static_cast<std::size_t>(i - matrices_end_)];
    }
    const auto after = std::ranges::upper_bound(parts_, i, {}, &Part::begin);
    const Part& part = *(after - 1);
    if (part.first < 0) {
      return {{"..."}};
    }
    const std::int64_t below = i - part.begin - (has_headings() ? 1 : 0);
    if (below < 0) {
      return {{heading(part)}};
    }
    if (chosen) {
      chosen->row -= part.rank * grid_.rows.count();
    }
    return drawing_.line(below, part.first, chosen);
  }

  CellPlace place(const GridCell& cell) const {
    const std::int64_t rows = grid_.rows.count();
    const auto after = std::ranges::upper_bound(parts_, cell.row / rows, {}, &Part::rank);
    CellPlace place = drawing_.place({cell.row % rows, cell.column});
    place.line += (after - 1)->begin + (has_headings() ? 1 : 0);
    return place;
  }

 private:
  /// The lines from `begin` on: the shown matrix number `rank`, whose first element is at position `first`, or, if
  /// `first` is negative, the dots before it.
  struct Part {
    std::int64_t begin;
    std::int64_t first;
    std::int64_t rank;
  };

  bool has_headings() const { return axes_.size() > 2; }

  std::string heading(const Part& part) const { return cut_to(headings_(part.first), terminal_.width, terminal_); }

  Shape shape_;
  Axes axes_;
  Terminal terminal_;
  Grid grid_;
  Extremes extremes_;
  Painter painter_;
  CellTexts cells_;
  Drawing drawing_;
  std::function<std::string(std::int64_t)> headings_;
  std::vector<Part> parts_;
  std::int64_t matrices_end_ = 0;
  StyledLines end_;
};

HeatMap::HeatMap(const Tensor& tensor, std::span<const std::string> tokens, const torch::PrintOptions& print,
                 const Terminal& terminal)
    : columns_(std::max(terminal.width, narrowest)) {
  make(tensor, {tensor.array().contents(), painted(tensor)}, tokens, with_edges(print), terminal);
}

HeatMap::HeatMap(const Tensor& as_is, const Tensor& changed, std::span<const std::string> tokens,
                 const torch::PrintOptions& print, const Terminal& terminal)
    : columns_(std::max(terminal.width, narrowest)) {
  const auto differences = std::make_shared<const Contents>(difference_of(as_is, changed));
  make(as_is, {differences, Painter::Of::differences}, tokens, with_edges(print), terminal);
}

void HeatMap::make(const Tensor& tensor, const Numbers& numbers, std::span<const std::string> tokens,
                   const torch::PrintOptions& print, Terminal terminal) {
  terminal.width = columns_;
  if (element_count(tensor.shape()) == 0) {
    empty_ = cut_to(torch::format_tensor(*numbers.contents, {}, print), terminal.width, terminal);
  } else {
    lines_ = std::make_shared<const Lines>(tensor, numbers, tokens, print, terminal);
  }
}

torch::PrintOptions HeatMap::with_edges(torch::PrintOptions print) {
  print.edgeitems = std::max<std::int64_t>(print.edgeitems, 1);
  return print;
}

std::int64_t HeatMap::count() const { return lines_ == nullptr ? 1 : lines_->count(); }

text::StyledLine HeatMap::line(std::int64_t i, const std::optional<GridCell>& chosen) const {
  return lines_ == nullptr ? text::StyledLine{{empty_}} : lines_->line(i, chosen);
}

CellPlace HeatMap::place(const GridCell& cell) const {
  return lines_ == nullptr ? CellPlace{0, 0, 0} : lines_->place(cell);
}

void write_heatmap(std::ostream& out, const HeatMap& map) {
  for (std::int64_t i = 0; i < map.count(); ++i) {
    out << text::with_escapes(map.line(i)) << '\n';
  }
}

}  // namespace attn::render
