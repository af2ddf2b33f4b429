#include "render/heatmap.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <variant>

#include "render/heatmap_grid.hpp"
#include "render/lineage.hpp"
#include "render/painter.hpp"
#include "text/columns.hpp"
#include "text/lines.hpp"
#include "torch/print.hpp"
#include "torch/shown.hpp"

namespace attn::render {
namespace {

using Axes = std::vector<torch::ShownItems>;
using Lines = std::vector<text::StyledLine>;

constexpr std::int64_t narrowest = 12;

// ---- The numbers -------------------------------------------------------------------------------

std::vector<double> values_of(const Contents& contents, const torch::PrintedTensor& printed) {
  return std::visit(
      [&printed](const auto& block) {
        std::vector<double> values;
        for (const torch::PrintedCell& cell : printed.cells) {
          values.push_back(static_cast<double>(block[static_cast<std::size_t>(cell.position)]));
        }
        return values;
      },
      contents);
}

std::vector<std::string> texts_of(const torch::PrintedTensor& printed) {
  std::vector<std::string> texts;
  for (const torch::PrintedCell& cell : printed.cells) {
    texts.push_back(torch::cell_text(printed, cell));
  }
  return texts;
}

/// The elements' texts with as few decimals as it takes to fit, then in scientific notation, then cut.
std::vector<std::string> fitting_texts(const Contents& contents, const torch::PrintedTensor& printed,
                                       torch::PrintOptions print, std::int64_t room, const Terminal& terminal) {
  std::vector<std::string> texts = texts_of(printed);
  for (std::int64_t excess = widest(texts) - room; excess > 0 && print.precision > 0; excess = widest(texts) - room) {
    print.precision -= static_cast<int>(std::min<std::int64_t>(excess, print.precision));
    texts = texts_of(torch::print_tensor(contents, {}, print));
  }
  if (widest(texts) > room) {
    print.sci_mode = torch::SciMode::on;
    texts = texts_of(torch::print_tensor(contents, {}, print));
  }
  for (std::string& text : texts) {
    text = cut_to(text, room, terminal);
  }
  return texts;
}

// ---- Layout ------------------------------------------------------------------------------------

std::vector<std::string> names(const torch::ShownItems& items, bool by_tokens, std::span<const std::string> tokens,
                               const Terminal& terminal) {
  std::vector<std::string> texts;
  for (std::int64_t rank = 0; rank < items.count(); ++rank) {
    const std::int64_t item = items.item(rank);
    texts.push_back(by_tokens ? printable(tokens[static_cast<std::size_t>(item)], terminal) : std::to_string(item));
  }
  return texts;
}

Grid make_grid(const Tensor& tensor, const Axes& axes, std::span<const std::string> tokens, const Terminal& terminal) {
  constexpr torch::ShownItems one = {1, 1, 1, false};
  Grid grid{one, one, {""}, {}};
  const std::size_t dim = axes.size();
  const std::vector<bool> by_tokens = token_axes(tensor, tokens.size());
  if (dim >= 1) {
    grid.columns = axes[dim - 1];
    grid.column_names = names(grid.columns, by_tokens[dim - 1], tokens, terminal);
  }
  if (dim >= 2) {
    grid.rows = axes[dim - 2];
    grid.row_names = names(grid.rows, by_tokens[dim - 2], tokens, terminal);
    for (std::string& name : grid.row_names) {
      name = cut_to(name, std::clamp<std::int64_t>(terminal.width / 5, 3, 20), terminal);
    }
  }
  return grid;
}

/// Draws the matrices along the axes before the last two, each under its heading.
class Headings {
 public:
  /// `matrix`: the shown elements of one.
  Headings(const Axes& axes, const Drawing& drawing, std::int64_t matrix, const Terminal& terminal)
      : axes_(axes), drawing_(drawing), matrix_(static_cast<std::size_t>(matrix)), terminal_(terminal) {}

  void draw(Lines& lines, const std::string& prefix = "", std::size_t axis = 0) {
    if (axis + 2 >= axes_.size()) {
      if (!prefix.empty()) {
        lines.push_back({{cut_to("[" + prefix + "]", terminal_.width, terminal_)}});
      }
      drawing_.draw(lines, next_);
      next_ += matrix_;
      return;
    }
    const torch::ShownItems& items = axes_[axis];
    for (std::int64_t rank = 0; rank < items.count(); ++rank) {
      if (items.dots_before(rank)) {
        lines.push_back({{"..."}});
      }
      draw(lines, prefix + (prefix.empty() ? "" : ", ") + std::to_string(items.item(rank)), axis + 1);
    }
  }

 private:
  const Axes& axes_;
  const Drawing& drawing_;
  std::size_t matrix_;
  const Terminal& terminal_;
  std::size_t next_ = 0;
};

// ---- The legend --------------------------------------------------------------------------------

std::string text_of_value(double value, const std::vector<double>& values, const std::vector<std::string>& texts) {
  return texts[static_cast<std::size_t>(std::find(values.begin(), values.end(), value) - values.begin())];
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

text::StyledLine with_ramp(const std::string& low, const text::StyledLine& ramp, const std::string& high) {
  text::StyledLine line = {{low + " "}};
  line.insert(line.end(), ramp.begin(), ramp.end());
  if (!high.empty()) {
    line.push_back({" " + high});
  }
  return line;
}

/// "low ramp high"; without the ramp, then on two lines, where the terminal is too narrow.
Lines range_legend(const std::string& low, const std::string& high, const Painter& painter, std::int64_t width) {
  const std::int64_t room = width - text::display_columns(low) - text::display_columns(high) - 2;
  if (room < 0) {
    return {{{low}}, {{high}}};
  }
  if (room < 2) {
    return {{{low + "  " + high}}};
  }
  return {with_ramp(low, painter.ramp(std::min(painter.ramp_columns(), room)), high)};
}

Lines legend(const Scale& scale, const Painter& painter, const std::vector<double>& values,
             const std::vector<std::string>& texts, std::int64_t width) {
  const std::string low = text_of_value(scale.low, values, texts);
  if (scale.low < scale.high) {
    return range_legend(low, text_of_value(scale.high, values, texts), painter, width);
  }
  return {text::display_columns(low) + 2 > width ? text::StyledLine{{low}} : with_ramp(low, painter.ramp(1), "")};
}

}  // namespace

std::vector<text::StyledLine> heatmap(const Tensor& tensor, std::span<const std::string> tokens,
                                      const torch::PrintOptions& wanted_print, const Terminal& wanted) {
  Terminal terminal = wanted;
  terminal.width = std::max(terminal.width, narrowest);
  torch::PrintOptions print = wanted_print;
  print.edgeitems = std::max<std::int64_t>(print.edgeitems, 1);
  const std::shared_ptr<const Contents> contents = tensor.array().contents();
  const torch::PrintedTensor printed = torch::print_tensor(*contents, {}, print);
  if (printed.cells.empty()) {
    return {{{cut_to(printed.text, terminal.width, terminal)}}};
  }
  const Axes axes = torch::shown_items(tensor.shape(), print);
  const std::vector<double> values = values_of(*contents, printed);
  const Scale scale(values);
  const bool boolean = tensor.dtype() == DType::boolean;
  const Painter painter(scale, boolean, terminal);
  const Grid grid = make_grid(tensor, axes, tokens, terminal);
  const std::int64_t room = terminal.width - widest(grid.row_names) - 1 - painter.padding();
  const std::vector<std::string> texts = fitting_texts(*contents, printed, print, room, terminal);
  const Drawing drawing(grid, values, texts, painter, terminal);
  Lines lines;
  Headings(axes, drawing, grid.rows.count() * grid.columns.count(), terminal).draw(lines);
  if (boolean) {
    lines.push_back(boolean_legend(painter));
  } else if (!scale.empty()) {
    if (std::any_of(axes.begin(), axes.end(), [](const torch::ShownItems& items) { return items.cut; })) {
      lines.push_back({{"shown:"}});
    }
    for (text::StyledLine& line : legend(scale, painter, values, texts, terminal.width)) {
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

std::string heatmap_text(const Tensor& tensor, std::span<const std::string> tokens, const torch::PrintOptions& print,
                         const Terminal& terminal) {
  std::vector<std::string> lines;
  for (const text::StyledLine& line : heatmap(tensor, tokens, print, terminal)) {
    lines.push_back(text::with_escapes(line));
  }
  return text::joined(lines, "\n");
}

}  // namespace attn::render
