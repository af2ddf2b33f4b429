#include "text/styled.hpp"

#include <algorithm>

#include "text/lines.hpp"

namespace attn::text {
namespace {

constexpr std::string_view reset = "\x1b[0m";

bool has_colour(const Colour& colour) { return !std::holds_alternative<std::monostate>(colour); }

/// ";48;5;200" or ";48;2;1;2;3": `ground` is 38 or 48.
std::string parameters(const Colour& colour, const std::string& ground) {
  if (const int* index = std::get_if<int>(&colour)) {
    return ";" + ground + ";5;" + std::to_string(*index);
  }
  if (const Rgb* rgb = std::get_if<Rgb>(&colour)) {
    return ";" + ground + ";2;" + std::to_string(rgb->red) + ";" + std::to_string(rgb->green) + ";" +
           std::to_string(rgb->blue);
  }
  return "";
}

std::string sequence(const Style& style) {
  std::string all = style.bold ? ";1" : "";
  all += style.reverse ? ";7" : "";
  all += parameters(style.background, "48") + parameters(style.foreground, "38");
  return "\x1b[" + all.substr(1) + "m";
}

/// Returns true if an attribute of the first style would remain active in the second.
bool stays_on(const Style& style, const Style& next) {
  return (style.bold && !next.bold) || (style.reverse && !next.reverse) ||
         (has_colour(style.foreground) && !has_colour(next.foreground)) ||
         (has_colour(style.background) && !has_colour(next.background));
}

}  // namespace

void append(StyledLine& line, std::string_view text, const Style& style) {
  if (line.empty() || line.back().style != style) {
    line.push_back({"", style});
  }
  line.back().text += text;
}

StyledLine without_blank_end(StyledLine line) {
  while (!line.empty() && line.back().style.is_plain()) {
    std::string& text = line.back().text;
    text.erase(text.find_last_not_of(' ') + 1);
    if (!text.empty()) {
      break;
    }
    line.pop_back();
  }
  return line;
}

std::string plain_text(const StyledLine& line) {
  std::string text;
  for (const Run& run : line) {
    text += run.text;
  }
  return text;
}

std::int64_t display_columns(const StyledLine& line) {
  std::int64_t columns = 0;
  for (const Run& run : line) {
    columns += display_columns(run.text);
  }
  return columns;
}

StyledLine sliced(const StyledLine& line, std::int64_t from, std::int64_t width) {
  StyledLine slice;
  std::int64_t column = 0;
  for (const Run& run : line) {
    Run kept = {"", run.style};
    for (std::string_view rest = run.text; !rest.empty() && column < from + width;) {
      const std::size_t size = cluster_size(rest);
      const std::int64_t end = column + display_columns(rest.substr(0, size));
      if (column >= from && end <= from + width) {
        kept.text += rest.substr(0, size);
      } else if (end > from) {
        kept.text.append(static_cast<std::size_t>(std::min(end, from + width) - std::max(column, from)), ' ');
      }
      column = end;
      rest.remove_prefix(size);
    }
    slice.push_back(std::move(kept));
  }
  return slice;
}

std::vector<StyledLine> styled_lines(std::string_view text, const Style& style) {
  std::vector<StyledLine> lines;
  for (std::string& line : lines_of(text)) {
    lines.push_back({{std::move(line), style}});
  }
  return lines;
}

std::string with_escapes(const StyledLine& line) {
  std::string text;
  Style style;
  for (const Run& run : line) {
    if (stays_on(style, run.style)) {
      text += reset;
    }
    text += run.style.is_plain() ? "" : sequence(run.style);
    text += run.text;
    style = run.style;
  }
  return text + (style.is_plain() ? "" : std::string(reset));
}

}  // namespace attn::text
