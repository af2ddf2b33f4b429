#include <algorithm>
#include <ostream>
#include <variant>

#include "picture/heatmap.hpp"
#include "picture/painter.hpp"
#include "render/page/nodes.hpp"
#include "render/writers.hpp"
#include "text/lines.hpp"

namespace attn::render {
namespace {

// All lengths are whole user units, so nothing is rounded. A column of monospace text of size 16 is narrower than 10.
constexpr std::int64_t margin = 24;
constexpr std::int64_t text_size = 16;
constexpr std::int64_t text_column = 10;
constexpr std::int64_t title_size = 24;
constexpr std::int64_t title_column = 15;
constexpr std::int64_t title_height = 48;
constexpr std::int64_t line_height = 36;
constexpr std::string_view ink = "#1b1c20";

/// Capabilities without a limit on width: the picture is as large as its numbers.
constexpr Terminal canvas = {.colour = Terminal::Colour::truecolour, .width = 1'000'000, .unicode = true};

void write_rectangle(std::ostream& out, std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height,
                     std::string_view fill) {
  out << "<rect x=\"" << x << "\" y=\"" << y << "\" width=\"" << width << "\" height=\"" << height << "\" fill=\""
      << fill << "\"/>";
}

/// Writes text to the right of `x`, or to its left if `anchor` is "end". `y` is the baseline.
void write_text(std::ostream& out, std::int64_t x, std::int64_t y, std::string_view text, std::string_view fill,
                std::string_view anchor = "start") {
  out << "<text x=\"" << x << "\" y=\"" << y << "\" fill=\"" << fill << "\" text-anchor=\"" << anchor << "\">";
  write_escaped(out, text);
  out << "</text>";
}

/// Writes each word of plain text at its column.
void write_words(std::ostream& out, std::int64_t x, std::int64_t y, const std::string& text) {
  for (std::size_t begin = text.find_first_not_of(' '); begin != std::string::npos;) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    write_text(out, x + text::display_columns(text.substr(0, begin)) * text_column, y, text.substr(begin, end - begin),
               ink);
    begin = text.find_first_not_of(' ', end);
  }
}

/// Writes a cell: its number at the right of its colour. A piece of the legend's ramp has no number, and no gap.
void write_cell(std::ostream& out, std::int64_t x, std::int64_t top, std::int64_t baseline, const text::Run& cell) {
  const std::int64_t width = text::display_columns(cell.text) * text_column;
  const std::string background = hex(std::get<Rgb>(cell.style.background));
  const std::string_view number = text::trimmed(cell.text);
  if (number.empty()) {
    write_rectangle(out, x, top + line_height / 4, width, line_height / 2, background);
    return;
  }
  out << "<g class=\"cell\">";
  write_rectangle(out, x, top, width - 2, line_height - 2, background);
  write_text(out, x + width - text_column, baseline, number, hex(std::get<Rgb>(cell.style.foreground)), "end");
  out << "</g>\n";
}

/// Writes a line of the heat map, whose cells are `cell` columns wide.
void write_line(std::ostream& out, std::int64_t top, const text::StyledLine& line, std::int64_t cell) {
  const std::int64_t baseline = top + line_height / 2 + text_size * 35 / 100;
  std::int64_t x = margin;
  out << "<g class=\"line\">";
  for (const text::Run& run : line) {
    const std::int64_t columns = text::display_columns(run.text);
    if (run.style.is_plain()) {
      write_words(out, x, baseline, run.text);
    } else {
      for (std::int64_t at = 0; at < columns; at += cell) {
        write_cell(out, x + at * text_column, top, baseline, text::sliced({run}, at, cell).at(0));
      }
    }
    x += columns * text_column;
  }
  out << "</g>\n";
}

}  // namespace

void write_svg(std::ostream& out, const Document& document) {
  const ShownChapter& chapter = document.chapters.at(0);
  const Step& step = *std::ranges::find(chapter.steps, Step::Kind::tensor, &Step::kind);
  const HeatMap map(*step.tensor, chapter.tokens, document.text.print, canvas);
  const std::string name = full_name(step) + " " + shape_text(step.tensor->shape());
  std::int64_t width = text::display_columns(name) * title_column;
  for (std::int64_t i = 0; i < map.count(); ++i) {
    width = std::max(width, text::display_columns(map.line(i)) * text_column);
  }
  width += 2 * margin;
  const std::int64_t height = margin + title_height + map.count() * line_height + margin;
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" "
         "width=\""
      << width << "\" height=\"" << height << "\" viewBox=\"0 0 " << width << ' ' << height
      << "\" font-family=\"monospace\" font-size=\"" << text_size << "\">\n<title>";
  write_escaped(out, name);
  out << "</title>\n<desc>";
  write_escaped(out, "The numbers of " + step.name + " = " + step.tensor->expression() +
                         ", as PyTorch prints them, on coloured cells; from " + chapter.article + ", " + chapter.title);
  out << "</desc>\n";
  write_rectangle(out, 0, 0, width, height, "#ffffff");
  out << "\n<g font-size=\"" << title_size << "\" font-weight=\"bold\">";
  write_text(out, margin, margin + title_size, name, ink);
  out << "</g>\n";
  for (std::int64_t i = 0; i < map.count(); ++i) {
    write_line(out, margin + title_height + i * line_height, map.line(i), map.place({}).width);
  }
  out << "</svg>\n";
}

}  // namespace attn::render
