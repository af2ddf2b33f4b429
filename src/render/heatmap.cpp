#include "render/heatmap.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "render/ramp.hpp"

namespace attn::render {
namespace {

using Colour = Terminal::Colour;

constexpr std::string_view reset = "\x1b[0m";
constexpr std::int64_t narrowest = 12;

// ---- What is shown -----------------------------------------------------------------------------

/// The items of an axis; "..." stands before the one at `dots`.
struct Items {
  std::vector<std::int64_t> shown;
  std::optional<std::size_t> dots;

  std::size_t count() const { return shown.size(); }
};

/// PyTorch's choice: `edge` items at either end where there are more than twice as many.
Items shown_items(std::int64_t size, std::int64_t edge) {
  Items items;
  const bool cut = edge < size - size / 2;
  for (std::int64_t i = 0; i < size; ++i) {
    if (cut && i == edge) {
      items.dots = items.count();
      i = size - edge;
    }
    items.shown.push_back(i);
  }
  return items;
}

std::vector<Items> shown_axes(const Shape& shape, const torch::PrintOptions& print) {
  constexpr std::int64_t everything = std::numeric_limits<std::int64_t>::max();
  const bool summarised = element_count(shape) > print.threshold;
  const std::int64_t edge = summarised ? std::max<std::int64_t>(print.edgeitems, 1) : everything;
  std::vector<Items> axes;
  for (const std::int64_t size : shape) {
    axes.push_back(shown_items(size, edge));
  }
  return axes;
}

/// The row-major positions of the elements where the axes' items meet.
std::vector<std::size_t> shown_positions(const Shape& shape, const std::vector<Items>& axes) {
  std::vector<std::size_t> positions{0};
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    std::vector<std::size_t> longer;
    longer.reserve(positions.size() * axes[axis].count());
    for (const std::size_t position : positions) {
      for (const std::int64_t item : axes[axis].shown) {
        longer.push_back(position * static_cast<std::size_t>(shape[axis]) + static_cast<std::size_t>(item));
      }
    }
    positions = std::move(longer);
  }
  return positions;
}

/// The elements at these positions, as a tensor of one axis.
Contents gathered(const Contents& contents, const std::vector<std::size_t>& positions) {
  return std::visit(
      [&](const auto& array) -> Contents {
        std::decay_t<decltype(array)> chosen(
            {static_cast<std::int64_t>(positions.size())});
        std::transform(positions.begin(), positions.end(), chosen.data(),
                       [&](std::size_t position) { return array.data()[position]; });
        return chosen;
      },
      contents);
}

std::vector<double> as_doubles(const Contents& contents) {
  return std::visit(
      [](const auto& array) {
        std::vector<double> values;
        std::transform(array.data(), array.data() + array.size(), std::back_inserter(values),
                       [](auto value) { return static_cast<double>(value); });
        return values;
      },
      contents);
}

// ---- The numbers' texts ------------------------------------------------------------------------

/// What PyTorch prints for each element of a tensor of one axis.
std::vector<std::string> printed_elements(const Contents& contents, torch::PrintOptions print) {
  print.threshold = std::numeric_limits<std::int64_t>::max();
  constexpr std::string_view separators = "[], \n";
  const std::string printed = torch::format_tensor(contents, {}, print);
  std::string_view text = printed;
  text.remove_prefix(text.find('['));
  text.remove_suffix(text.size() - text.rfind(']'));
  std::vector<std::string> elements;
  for (std::size_t begin = text.find_first_not_of(separators); begin != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
    elements.emplace_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(separators, end);
  }
  return elements;
}

std::int64_t widest(const std::vector<std::string>& texts) {
  std::int64_t columns = 0;
  for (const std::string& text : texts) {
    columns = std::max(columns, display_columns(text));
  }
  return columns;
}

/// The same with as few decimals as it takes to fit, then in scientific notation, then cut.
std::vector<std::string> fitting_elements(const Contents& contents, torch::PrintOptions print, std::int64_t room,
                                          const Terminal& terminal) {
  std::vector<std::string> texts = printed_elements(contents, print);
  for (std::int64_t excess = widest(texts) - room; excess > 0 && print.precision > 0; excess = widest(texts) - room) {
    print.precision -= static_cast<int>(std::min<std::int64_t>(excess, print.precision));
    texts = printed_elements(contents, print);
  }
  if (widest(texts) > room) {
    print.sci_mode = torch::SciMode::on;
    texts = printed_elements(contents, print);
  }
  for (std::string& text : texts) {
    text = cut_to(text, room, terminal);
  }
  return texts;
}

// ---- Colours and glyphs ------------------------------------------------------------------------

/// Where finite numbers stand on the ramp.
struct Scale {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  explicit Scale(const std::vector<double>& values) {
    for (const double value : values) {
      if (std::isfinite(value)) {
        low = std::min(low, value);
        high = std::max(high, value);
      }
    }
  }

  bool empty() const { return low > high; }
  bool diverging() const { return low < 0 && high > 0; }

  /// From 0 to 1; 0.5 for the 0 of a diverging scale and for the only number of a constant tensor.
  double at(double value) const {
    if (diverging()) {
      return 0.5 + 0.5 * (value / std::max(-low, high));
    }
    return low < high ? (value - low) / (high - low) : 0.5;
  }
};

/// How one number looks: a background, or where the terminal has no colours, a glyph beside it.
struct Look {
  std::string style;  ///< an escape sequence; empty: plain
  std::string glyph;
};

std::string parameters(Rgb colour) {
  return std::to_string(colour.red) + ";" + std::to_string(colour.green) + ";" + std::to_string(colour.blue);
}

/// Select Graphic Rendition (ECMA-48 8.3.117), with xterm's 38;5, 48;5, 38;2 and 48;2.
std::string style(Rgb background) {
  return "\x1b[48;2;" + parameters(background) + ";38;2;" + parameters(text_colour(background)) + "m";
}

std::string style(int index) {
  return "\x1b[48;5;" + std::to_string(index) + ";38;5;" +
         std::to_string(nearest_xterm(text_colour(xterm_colour(index)))) + "m";
}

constexpr std::array<std::string_view, 8> blocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<std::string_view, 10> characters{" ", ".", ":", "-", "=", "+", "*", "#", "%", "@"};

template <std::size_t size>
std::string level(const std::array<std::string_view, size>& glyphs, double t) {
  const auto index = static_cast<std::size_t>(std::clamp(t, 0.0, 1.0) * static_cast<double>(size));
  return std::string(glyphs[std::min(index, size - 1)]);
}

/// Gives numbers their looks.
class Painter {
 public:
  Painter(const Scale& scale, bool boolean, const Terminal& terminal)
      : scale_(scale), boolean_(boolean), terminal_(terminal) {}

  bool coloured() const { return terminal_.colour != Colour::none; }
  /// The columns of a cell besides the number: a blank at either side, or two blanks and the glyph.
  std::int64_t padding() const { return coloured() ? 2 : 3; }

  Look look(double value) const {
    if (!std::isfinite(value)) {
      return {"", " "};
    }
    const double t = scale_.at(value);
    if (coloured()) {
      return {terminal_.colour == Colour::ansi256 ? style(xterm(value, t)) : style(colour(value, t)), ""};
    }
    if (boolean_) {
      return {"", terminal_.unicode ? value != 0 ? "█" : "░" : value != 0 ? "#" : "."};
    }
    return {"", terminal_.unicode ? level(blocks, t) : level(characters, t)};
  }

  /// So many samples from the lowest to the highest number.
  std::string ramp(std::int64_t columns) const {
    std::string text;
    for (std::int64_t i = 0; i < columns; ++i) {
      const double share = columns > 1 ? static_cast<double>(i) / static_cast<double>(columns - 1) : 0;
      const Look sample = look(std::lerp(scale_.low, scale_.high, share));
      text += coloured() ? sample.style + " " : sample.glyph;
    }
    return text + (coloured() ? std::string(reset) : "");
  }

  std::int64_t ramp_columns() const {
    return coloured() ? 32 : static_cast<std::int64_t>(terminal_.unicode ? blocks.size() : characters.size());
  }

 private:
  Rgb colour(double value, double t) const {
    if (boolean_) {
      return value != 0 ? Rgb{208, 208, 208} : Rgb{88, 88, 88};
    }
    return scale_.diverging() ? diverging_colour(t) : sequential_colour(t);
  }

  int xterm(double value, double t) const {
    if (boolean_) {
      return nearest_xterm(colour(value, t));
    }
    return scale_.diverging() ? diverging_xterm(t) : sequential_xterm(t);
  }

  const Scale& scale_;
  bool boolean_;
  const Terminal& terminal_;
};

/// A line of cells: a reset before what is plain and at the end, no plain blanks at the end.
class Line {
 public:
  void plain(std::string_view text) { styled("", text); }

  void styled(const std::string& new_style, std::string_view text) {
    if (new_style != style_) {
      text_ += new_style.empty() ? reset : std::string_view(new_style);
      style_ = new_style;
    }
    text_ += text;
  }

  std::string finished() {
    if (!style_.empty()) {
      return text_ + std::string(reset);
    }
    text_.erase(text_.find_last_not_of(' ') + 1);
    return text_;
  }

 private:
  std::string text_;
  std::string style_;
};

std::string right_aligned(const std::string& text, std::int64_t columns) {
  return std::string(static_cast<std::size_t>(std::max<std::int64_t>(columns - display_columns(text), 0)), ' ') + text;
}

std::string left_aligned(const std::string& text, std::int64_t columns) {
  return text + std::string(static_cast<std::size_t>(std::max<std::int64_t>(columns - display_columns(text), 0)), ' ');
}

// ---- Layout ------------------------------------------------------------------------------------

/// The shown items of the last two axes (of fewer axes, one row or one cell) and their names.
struct Grid {
  Items rows;
  Items columns;
  std::vector<std::string> row_names;     ///< empty ones where there is no such axis
  std::vector<std::string> column_names;
};

/// The columns [begin, end) of a grid, as far as they fit beside each other.
struct Block {
  std::size_t begin;
  std::size_t end;
};

/// Draws the matrices of a tensor.
class Drawing {
 public:
  Drawing(const Grid& grid, const std::vector<double>& values, const std::vector<std::string>& texts,
          const Painter& painter, std::int64_t width)
      : grid_(grid), values_(values), texts_(texts), painter_(painter) {
    const std::int64_t names = widest(grid.row_names);
    label_ = names == 0 ? 0 : names + 1;
    const std::int64_t room = width - label_;
    const std::int64_t number = widest(texts) + painter.padding();
    const std::int64_t named = std::min(widest(grid.column_names) + 2, number + 6);
    const std::int64_t fitting = (room - (grid.columns.dots ? dots_columns : 0)) /
                                 static_cast<std::int64_t>(grid.columns.count());
    cell_ = std::max(number, std::min(named, fitting));
    split(room);
  }

  /// The matrix whose first element is at this position of the values.
  void draw(std::vector<std::string>& lines, std::size_t first, const Terminal& terminal) const {
    for (const Block& block : blocks_) {
      if (blocks_.size() > 1) {
        lines.push_back(title(block));
      }
      draw_names(lines, block, terminal);
      for (std::size_t row = 0; row < grid_.rows.count(); ++row) {
        if (grid_.rows.dots == row) {
          lines.emplace_back("...");
        }
        lines.push_back(row_line(block, row, first + row * grid_.columns.count()));
      }
    }
  }

 private:
  static constexpr std::int64_t dots_columns = 4;

  void split(std::int64_t room) {
    std::int64_t left = 0;
    for (std::size_t column = 0; column < grid_.columns.count(); ++column) {
      const bool dots = grid_.columns.dots == column;
      const std::int64_t needed = cell_ + (dots ? dots_columns : 0);
      if (needed > left) {
        blocks_.push_back({column, column});
        left = room + (dots ? dots_columns : 0);  // at the edge of a block, its title tells what is left out
      }
      left -= needed;
      blocks_.back().end = column + 1;
    }
  }

  bool dots_before(const Block& block, std::size_t column) const {
    return grid_.columns.dots == column && column > block.begin;
  }

  std::string title(const Block& block) const {
    const std::string from = std::to_string(grid_.columns.shown[block.begin]);
    const std::string to = std::to_string(grid_.columns.shown[block.end - 1]);
    return block.end - block.begin == 1 ? "column " + from : "columns " + from + "-" + to;
  }

  void draw_names(std::vector<std::string>& lines, const Block& block, const Terminal& terminal) const {
    if (grid_.column_names.empty()) {
      return;
    }
    Line line;
    line.plain(left_aligned("", label_));
    for (std::size_t column = block.begin; column < block.end; ++column) {
      line.plain(dots_before(block, column) ? " ..." : "");
      const std::string name = cut_to(grid_.column_names[column], cell_ - 2, terminal);
      line.plain(right_aligned(name, cell_ - 1) + " ");
    }
    lines.push_back(line.finished());
  }

  std::string row_line(const Block& block, std::size_t row, std::size_t first) const {
    Line line;
    line.plain(left_aligned(grid_.row_names[row], label_));
    for (std::size_t column = block.begin; column < block.end; ++column) {
      if (dots_before(block, column)) {
        line.plain(" ...");
      }
      const Look look = painter_.look(values_[first + column]);
      const std::string number = right_aligned(texts_[first + column], cell_ - 1);
      line.styled(look.style, number + (painter_.coloured() ? " " : look.glyph));
    }
    return line.finished();
  }

  const Grid& grid_;
  const std::vector<double>& values_;
  const std::vector<std::string>& texts_;
  const Painter& painter_;
  std::int64_t label_ = 0;
  std::int64_t cell_ = 0;
  std::vector<Block> blocks_;
};

bool has_token_names(const Tensor& tensor, std::size_t axis, std::size_t tokens, const CountsTokens& counts_tokens) {
  if (tensor.shape()[axis] != static_cast<std::int64_t>(tokens)) {
    return false;
  }
  return counts_tokens ? counts_tokens(tensor, axis) : !tensor.operation().is_parameter();
}

std::vector<std::string> names(const Items& items, bool by_tokens, std::span<const std::string> tokens,
                               const Terminal& terminal) {
  std::vector<std::string> texts;
  for (const std::int64_t item : items.shown) {
    texts.push_back(by_tokens ? printable(tokens[static_cast<std::size_t>(item)], terminal) : std::to_string(item));
  }
  return texts;
}

Grid make_grid(const Tensor& tensor, const std::vector<Items>& axes, std::span<const std::string> tokens,
               const Terminal& terminal, const CountsTokens& counts_tokens) {
  Grid grid{shown_items(1, 1), shown_items(1, 1), {""}, {}};
  const std::size_t dim = axes.size();
  if (dim >= 1) {
    grid.columns = axes[dim - 1];
    const bool by_tokens = has_token_names(tensor, dim - 1, tokens.size(), counts_tokens);
    grid.column_names = names(grid.columns, by_tokens, tokens, terminal);
  }
  if (dim >= 2) {
    grid.rows = axes[dim - 2];
    const bool by_tokens = has_token_names(tensor, dim - 2, tokens.size(), counts_tokens);
    grid.row_names = names(grid.rows, by_tokens, tokens, terminal);
    for (std::string& name : grid.row_names) {
      name = cut_to(name, std::clamp<std::int64_t>(terminal.width / 5, 3, 20), terminal);
    }
  }
  return grid;
}

/// Draws the matrices along the axes before the last two, each under its heading.
class Headings {
 public:
  Headings(const std::vector<Items>& axes, const Drawing& drawing, std::size_t matrix, const Terminal& terminal)
      : axes_(axes), drawing_(drawing), matrix_(matrix), terminal_(terminal) {}

  void draw(std::vector<std::string>& lines, const std::string& prefix = "", std::size_t axis = 0) {
    if (axis + 2 >= axes_.size()) {
      if (!prefix.empty()) {
        lines.push_back(cut_to("[" + prefix + "]", terminal_.width, terminal_));
      }
      drawing_.draw(lines, next_, terminal_);
      next_ += matrix_;
      return;
    }
    for (std::size_t i = 0; i < axes_[axis].count(); ++i) {
      if (axes_[axis].dots == i) {
        lines.emplace_back("...");
      }
      draw(lines, prefix + (prefix.empty() ? "" : ", ") + std::to_string(axes_[axis].shown[i]), axis + 1);
    }
  }

 private:
  const std::vector<Items>& axes_;
  const Drawing& drawing_;
  std::size_t matrix_;
  const Terminal& terminal_;
  std::size_t next_ = 0;
};

// ---- The legend --------------------------------------------------------------------------------

std::string text_of_value(double value, const std::vector<double>& values, const std::vector<std::string>& texts) {
  return texts[static_cast<std::size_t>(std::find(values.begin(), values.end(), value) - values.begin())];
}

std::string boolean_legend(const Painter& painter) {
  Line line;
  for (const bool value : {false, true}) {
    const Look look = painter.look(value ? 1 : 0);
    line.styled(look.style, painter.coloured() ? value ? " True " : " False " : value ? " True " : "False ");
    line.plain(look.glyph);
  }
  return line.finished();
}

/// "low ramp high"; without the ramp, then on two lines, where the terminal is too narrow.
std::string range_legend(const std::string& low, const std::string& high, const Painter& painter, std::int64_t width) {
  const std::int64_t room = width - display_columns(low) - display_columns(high) - 2;
  if (room < 2) {
    return low + (room < 0 ? "\n" : "  ") + high;
  }
  return low + " " + painter.ramp(std::min(painter.ramp_columns(), room)) + " " + high;
}

std::string legend(const Scale& scale, const Painter& painter, const std::vector<double>& values,
                   const std::vector<std::string>& texts, std::int64_t width) {
  const std::string low = text_of_value(scale.low, values, texts);
  if (scale.low < scale.high) {
    return range_legend(low, text_of_value(scale.high, values, texts), painter, width);
  }
  return display_columns(low) + 2 > width ? low : low + " " + painter.ramp(1);
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += (text.empty() ? "" : "\n") + line;
  }
  return text;
}

bool is_summarised(const std::vector<Items>& axes) {
  return std::any_of(axes.begin(), axes.end(), [](const Items& items) { return items.dots.has_value(); });
}

}  // namespace

std::string heatmap_text(const Tensor& tensor, std::span<const std::string> tokens, const torch::PrintOptions& print,
                         const Terminal& wanted, const CountsTokens& counts_tokens) {
  Terminal terminal = wanted;
  terminal.width = std::max(terminal.width, narrowest);
  const std::shared_ptr<const Contents> contents = tensor.array().contents();
  if (tensor.array().count() == 0) {
    return cut_to(torch::format_tensor(*contents, {}, print), terminal.width, terminal);
  }
  const std::vector<Items> axes = shown_axes(tensor.shape(), print);
  const Contents shown = gathered(*contents, shown_positions(tensor.shape(), axes));
  const std::vector<double> values = as_doubles(shown);
  const Scale scale(values);
  const bool boolean = tensor.dtype() == DType::boolean;
  const Painter painter(scale, boolean, terminal);
  const Grid grid = make_grid(tensor, axes, tokens, terminal, counts_tokens);
  const std::int64_t room = terminal.width - widest(grid.row_names) - 1 - painter.padding();
  const std::vector<std::string> texts = fitting_elements(shown, print, room, terminal);
  const Drawing drawing(grid, values, texts, painter, terminal.width);
  std::vector<std::string> lines;
  Headings(axes, drawing, grid.rows.count() * grid.columns.count(), terminal).draw(lines);
  if (boolean) {
    lines.push_back(boolean_legend(painter));
  } else if (!scale.empty()) {
    lines.push_back((is_summarised(axes) ? "shown:\n" : "") + legend(scale, painter, values, texts, terminal.width));
  }
  return joined(lines);
}

}  // namespace attn::render
