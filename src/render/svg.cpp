#include "render/svg.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "picture/heatmap.hpp"
#include "picture/heatmap_grid.hpp"
#include "picture/painter.hpp"
#include "render/page/template.hpp"
#include "render/text.hpp"
#include "text/columns.hpp"
#include "torch/print.hpp"
#include "torch/shown.hpp"

namespace attn::render {
namespace {

// All lengths are whole user units, so nothing is rounded. A column of monospace text of size 16 is narrower than 10.
constexpr std::int64_t margin = 24;
constexpr std::int64_t text_size = 16;
constexpr std::int64_t text_column = 10;
constexpr std::int64_t title_size = 24;
constexpr std::int64_t title_column = 15;
constexpr std::int64_t title_height = 48;
constexpr std::int64_t line_height = 28;
constexpr std::int64_t cell_height = 34;
constexpr std::int64_t padding = 8;
constexpr std::int64_t gap = 2;
constexpr std::int64_t between = 32;
constexpr std::int64_t dots_length = 40;
constexpr std::int64_t swatch = 6;
constexpr std::int64_t longest_name = 20;
constexpr std::string_view ink = "#1b1c20";
constexpr std::string_view soft = "#565a64";

/// Capabilities without a limit on width: the picture is as large as its numbers.
constexpr Terminal canvas = {.colour = Terminal::Colour::truecolour, .width = 5 * longest_name, .unicode = true};
constexpr std::int64_t no_limit = 1'000'000;

struct Point {
  std::int64_t x;
  std::int64_t y;
};

enum class Anchor { start, middle, end };

void write_text(std::ostream& out, Point at, std::string_view text, Anchor anchor, std::string_view colour,
                std::int64_t size = text_size) {
  out << "<text x=\"" << at.x << "\" y=\"" << at.y << "\" fill=\"" << colour << '"';
  out << (anchor == Anchor::middle ? " text-anchor=\"middle\"" : anchor == Anchor::end ? " text-anchor=\"end\"" : "");
  if (size != text_size) {
    out << " font-size=\"" << size << "\" font-weight=\"bold\"";
  }
  out << '>';
  write_escaped(out, text);
  out << "</text>";
}

void write_rectangle(std::ostream& out, Point at, std::int64_t width, std::int64_t height, std::string_view look) {
  out << "<rect x=\"" << at.x << "\" y=\"" << at.y << "\" width=\"" << width << "\" height=\"" << height << "\" "
      << look << "/>";
}

std::string fill(const text::Colour& colour) { return "fill=\"" + hex(std::get<Rgb>(colour)) + "\""; }

/// The baseline of a line of text within a box.
std::int64_t baseline(std::int64_t top, std::int64_t height) { return top + height / 2 + text_size * 35 / 100; }

/// The number of matrices per row that brings the picture's aspect ratio nearest to a slide's; `above` is the height of
/// everything else.
std::int64_t most_slide_like(std::int64_t count, std::int64_t width, std::int64_t height, std::int64_t above) {
  constexpr double slide = 16.0 / 9;
  const auto strangeness = [&](std::int64_t beside) {
    const std::int64_t rows = (count + beside - 1) / beside;
    return std::abs(std::log(static_cast<double>(beside * width) / static_cast<double>(rows * height + above) / slide));
  };
  std::int64_t best = 1;
  for (std::int64_t beside = 2; beside <= count; ++beside) {
    best = strangeness(beside) < strangeness(best) ? beside : best;
  }
  return best;
}

class Picture {
 public:
  Picture(const Step& step, std::span<const std::string> tokens, const torch::PrintOptions& print)
      : name_(full_name(step) + " " + shape_text(step.tensor->shape())),
        is_boolean_(step.tensor->dtype() == DType::boolean),
        axes_(torch::shown_items(step.tensor->shape(), print)),
        grid_(grid_of(*step.tensor, axes_, tokens, canvas)),
        extremes_(extremes_of(*step.tensor->array().contents(), axes_)),
        painter_(extremes_.scale, is_boolean_ ? Painter::Of::booleans : Painter::Of::numbers, canvas),
        cells_(step.tensor->array().contents(), print, no_limit, canvas),
        matrices_(matrices_of(axes_)),
        heading_(matrix_headings(*step.tensor)) {
    const std::int64_t named = std::min(widest(grid_.column_names), longest_name);
    cell_width_ = std::max(cells_.widest(), named) * text_column + 2 * padding;
    label_width_ = widest(grid_.row_names) * text_column + (grid_.row_names.empty() ? 0 : padding);
    matrix_width_ = label_width_ + grid_.columns.count() * (cell_width_ + gap) + (grid_.columns.cut ? dots_length : 0);
    matrix_height_ = (has_headings() ? line_height : 0) + (grid_.column_names.empty() ? 0 : line_height) +
                     grid_.rows.count() * (cell_height + gap) + (grid_.rows.cut ? line_height : 0);
    const auto count = static_cast<std::int64_t>(matrices_.size());
    const std::int64_t above = margin + title_height + legend_height();
    beside_ = most_slide_like(count, matrix_width_ + between, matrix_height_ + between, above);
    const std::int64_t below = (count + beside_ - 1) / beside_;
    width_ = std::max({beside_ * (matrix_width_ + between) - between, text::display_columns(name_) * title_column,
                       legend_width()}) +
             2 * margin;
    height_ = above + below * (matrix_height_ + between);
  }

  const std::string& name() const { return name_; }
  std::int64_t width() const { return width_; }
  std::int64_t height() const { return height_; }

  void write(std::ostream& out) const {
    write_text(out, {margin, margin + title_size}, name_, Anchor::start, ink, title_size);
    out << '\n';
    for (std::size_t i = 0; i < matrices_.size(); ++i) {
      const auto place = static_cast<std::int64_t>(i);
      write_matrix(out,
                   {margin + place % beside_ * (matrix_width_ + between),
                    margin + title_height + place / beside_ * (matrix_height_ + between)},
                   matrices_[i]);
    }
    write_legend(out, {margin, height_ - legend_height()});
  }

 private:
  bool has_headings() const { return axes_.size() > 2; }
  bool has_legend() const { return is_boolean_ || !extremes_.scale.empty(); }
  std::int64_t legend_height() const { return has_legend() ? line_height + margin : 0; }
  std::int64_t legend_width() const {
    return (2 * cells_.widest() + 2) * text_column + painter_.ramp_columns() * swatch + 2 * padding;
  }

  /// The left edge of a column of cells.
  std::int64_t column_x(std::int64_t column) const {
    const bool is_after_dots = grid_.columns.cut && column >= grid_.columns.head_end;
    return label_width_ + column * (cell_width_ + gap) + (is_after_dots ? dots_length : 0);
  }
  std::int64_t row_y(std::int64_t row) const {
    const bool is_after_dots = grid_.rows.cut && row >= grid_.rows.head_end;
    return (has_headings() ? line_height : 0) + (grid_.column_names.empty() ? 0 : line_height) +
           row * (cell_height + gap) + (is_after_dots ? line_height : 0);
  }

  /// `first` is the position of the matrix's first element, or -1 for matrices left out.
  void write_matrix(std::ostream& out, Point at, std::int64_t first) const {
    out << "<g class=\"matrix\" transform=\"translate(" << at.x << ' ' << at.y << ")\">\n";
    if (has_headings()) {
      write_text(out, {0, baseline(0, line_height)}, first < 0 ? "..." : heading_(first), Anchor::start, ink);
      out << '\n';
    }
    if (first >= 0) {
      write_column_names(out);
      for (std::int64_t row = 0; row < grid_.rows.count(); ++row) {
        write_row(out, row, first);
      }
    }
    out << "</g>\n";
  }

  void write_column_names(std::ostream& out) const {
    const std::int64_t y = baseline(row_y(0) - line_height, line_height);
    for (std::int64_t column = 0; column < (grid_.column_names.empty() ? 0 : grid_.columns.count()); ++column) {
      const std::string name = cut_to(grid_.column_names.at(static_cast<std::size_t>(column)), longest_name, canvas);
      out << "<g class=\"column\">";
      write_text(out, {column_x(column) + cell_width_ / 2, y}, name, Anchor::middle, soft);
      out << "</g>\n";
    }
  }

  void write_row(std::ostream& out, std::int64_t row, std::int64_t first) const {
    const std::int64_t y = row_y(row);
    if (grid_.rows.dots_before(row)) {
      write_text(out, {label_width_ + cell_width_ / 2, baseline(y - line_height, line_height)}, "...", Anchor::middle,
                 soft);
    }
    if (!grid_.row_names.empty()) {
      out << "<g class=\"row\">";
      write_text(out, {label_width_ - padding, baseline(y, cell_height)},
                 grid_.row_names.at(static_cast<std::size_t>(row)), Anchor::end, soft);
      out << "</g>\n";
    }
    for (std::int64_t column = 0; column < grid_.columns.count(); ++column) {
      if (grid_.columns.dots_before(column)) {
        write_text(out, {column_x(column) - dots_length / 2, baseline(y, cell_height)}, "...", Anchor::middle, soft);
      }
      const std::int64_t position = first + grid_.rows.item(row) * grid_.columns.size + grid_.columns.item(column);
      write_cell(out, {column_x(column), y}, painter_.look(cells_.value(position)).style, cells_.text(position));
    }
  }

  void write_cell(std::ostream& out, Point at, const text::Style& style, const std::string& number) const {
    const bool is_plain = style.is_plain();
    out << "<g class=\"cell\">";
    write_rectangle(out, at, cell_width_, cell_height,
                    is_plain ? "rx=\"4\" fill=\"#ffffff\" stroke=\"#d9d7d0\"" : "rx=\"4\" " + fill(style.background));
    write_text(out, {at.x + cell_width_ - padding, baseline(at.y, cell_height)}, number, Anchor::end,
               is_plain ? std::string(ink) : hex(std::get<Rgb>(style.foreground)));
    out << "</g>\n";
  }

  void write_legend(std::ostream& out, Point at) const {
    if (is_boolean_) {
      for (const bool value : {false, true}) {
        const std::int64_t width = 5 * text_column + 2 * padding;
        const text::Style style = painter_.look(value ? 1 : 0).style;
        write_rectangle(out, {at.x + (value ? width + gap : 0), at.y}, width, line_height,
                        "rx=\"4\" " + fill(style.background));
        write_text(out, {at.x + (value ? width + gap : 0) + width / 2, baseline(at.y, line_height)},
                   value ? "True" : "False", Anchor::middle, hex(std::get<Rgb>(style.foreground)));
      }
      out << '\n';
    } else if (has_legend()) {
      write_range(out, at);
    }
  }

  /// "low ramp high"
  void write_range(std::ostream& out, Point at) const {
    const bool is_range = extremes_.scale.low < extremes_.scale.high;
    const std::string low = cells_.text(extremes_.low);
    write_text(out, {at.x, baseline(at.y, line_height)}, low, Anchor::start, soft);
    std::int64_t x = at.x + text::display_columns(low) * text_column + padding;
    for (const text::Run& run : painter_.ramp(is_range ? painter_.ramp_columns() : 1)) {
      write_rectangle(out, {x, at.y + 6}, swatch, line_height - 12, fill(run.style.background));
      x += swatch;
    }
    if (is_range) {
      write_text(out, {x + padding, baseline(at.y, line_height)}, cells_.text(extremes_.high), Anchor::start, soft);
    }
    out << '\n';
  }

  std::string name_;
  bool is_boolean_;
  Axes axes_;
  Grid grid_;
  Extremes extremes_;
  Painter painter_;
  CellTexts cells_;
  std::vector<std::int64_t> matrices_;
  std::function<std::string(std::int64_t)> heading_;
  std::int64_t cell_width_;
  std::int64_t label_width_;
  std::int64_t matrix_width_;
  std::int64_t matrix_height_;
  std::int64_t beside_;  ///< matrices per row
  std::int64_t width_;
  std::int64_t height_;
};

void write_frame(std::ostream& out, std::int64_t width, std::int64_t height) {
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" "
         "width=\""
      << width << "\" height=\"" << height << "\" viewBox=\"0 0 " << width << ' ' << height
      << "\" font-family=\"monospace\" font-size=\"" << text_size << "\">\n";
}

void write_words(std::ostream& out, const std::string& name, const Step& step, const ShownChapter& chapter) {
  out << "<title>";
  write_escaped(out, name);
  out << "</title>\n<desc>";
  write_escaped(out, "The numbers of " + step.name + " = " + step.tensor->expression() +
                         ", as PyTorch prints them, on coloured cells; from " + chapter.article + ", " + chapter.title);
  out << "</desc>\n";
}

/// Writes what PyTorch prints for a tensor without numbers.
void write_empty(std::ostream& out, const Step& step, const ShownChapter& chapter, const torch::PrintOptions& print) {
  const std::string name = full_name(step) + " " + shape_text(step.tensor->shape());
  const std::string text = torch::format_tensor(*step.tensor->array().contents(), {}, print);
  const std::int64_t width =
      std::max(text::display_columns(name) * title_column, text::display_columns(text) * text_column) + 2 * margin;
  write_frame(out, width, margin + title_height + line_height + margin);
  write_words(out, name, step, chapter);
  write_text(out, {margin, margin + title_size}, name, Anchor::start, ink, title_size);
  write_text(out, {margin, margin + title_height + text_size}, text, Anchor::start, ink);
  out << "\n</svg>\n";
}

}  // namespace

void write_svg(std::ostream& out, const Document& document) {
  const ShownChapter& chapter = document.chapters.at(0);
  const Step& step = *std::ranges::find(chapter.steps, Step::Kind::tensor, &Step::kind);
  const torch::PrintOptions print = HeatMap::with_edges(document.text.print);
  if (element_count(step.tensor->shape()) == 0) {
    write_empty(out, step, chapter, print);
    return;
  }
  const Picture picture(step, chapter.tokens, print);
  write_frame(out, picture.width(), picture.height());
  write_words(out, picture.name(), step, chapter);
  write_rectangle(out, {0, 0}, picture.width(), picture.height(), "fill=\"#ffffff\"");
  out << '\n';
  picture.write(out);
  out << "</svg>\n";
}

}  // namespace attn::render
