#include "render/page_frame.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <vector>

#include "render/page_template.hpp"
#include "text/columns.hpp"

namespace attn::render {
namespace {

// In pixels, for letters of 15 pixels.
constexpr std::int64_t column_width = 9;
constexpr std::int64_t label_height = 30;
constexpr std::int64_t line_height = 14;
constexpr std::int64_t box_height = 24;
constexpr std::int64_t padding = 6;

void write_element(std::ostream& out, const char* element, const std::string& text) {
  out << '<' << element << '>';
  write_escaped(out, text);
  out << "</" << element << ">\n";
}

void write_list(std::ostream& out, const char* name, std::span<const std::string> items) {
  if (items.empty()) {
    return;
  }
  out << "<ul class=\"" << name << "\">\n";
  for (const std::string& item : items) {
    write_element(out, "li", item);
  }
  out << "</ul>\n";
}

void begin_article(std::ostream& out, const char* kind, const std::string& id, const std::string& heading) {
  out << "<article class=\"step " << kind << "\" id=\"" << id << "\" aria-labelledby=\"" << id
      << "--heading\" tabindex=\"-1\">\n<header><h2 id=\"" << id << "--heading\">";
  write_escaped(out, heading);
  out << "</h2></header>\n";
}

class MapDrawing {
 public:
  MapDrawing(const StepMap& map, std::span<const std::string> ids) : map_(map), ids_(ids) {
    std::vector<std::int64_t> heights(static_cast<std::size_t>(map.rows), line_height);
    for (const StepMap::Label& label : map.labels) {
      heights[static_cast<std::size_t>(label.row)] = label_height;
    }
    std::int64_t top = 0;
    for (const std::int64_t height : heights) {
      centres_.push_back(top + height / 2);
      top += height;
    }
    height_ = top;
  }

  void write(std::ostream& out) const {
    const std::int64_t width = map_.columns * column_width + 2 * padding;
    out << "<svg class=\"step-map\" viewBox=\"0 0 " << width << ' ' << height_ << "\" width=\"" << width
        << "\" height=\"" << height_ << "\" role=\"group\" aria-label=\"Map of the steps\">\n";
    for (const StepMap::Net& net : map_.nets) {
      write_net(out, net);
    }
    for (const StepMap::Label& label : map_.labels) {
      if (label.follows) {
        write_net(out, {{label.row - 1, middle(label), label.row, middle(label)}});
      }
    }
    for (const StepMap::Label& label : map_.labels) {
      write_label(out, label);
    }
    out << "</svg>\n";
  }

 private:
  std::int64_t x(std::int64_t column) const { return padding + column * column_width + column_width / 2; }
  std::int64_t y(std::int64_t row) const { return centres_[static_cast<std::size_t>(row)]; }

  /// The column in the middle of a label.
  static std::int64_t middle(const StepMap::Label& label) {
    return label.column + text::display_columns(label.text) / 2;
  }

  void write_net(std::ostream& out, const StepMap::Net& net) const {
    out << "<path d=\"";
    for (const StepMap::Segment& segment : net) {
      out << 'M' << x(segment.column) << ' ' << y(segment.row) << 'L' << x(segment.last_column) << ' '
          << y(segment.last_row);
    }
    out << "\"/>\n";
  }

  void write_label(std::ostream& out, const StepMap::Label& label) const {
    const std::int64_t width = text::display_columns(label.text) * column_width;
    const std::int64_t left = padding + label.column * column_width;
    const bool is_linked = !ids_[label.step].empty();
    if (is_linked) {
      out << "<a href=\"#" << ids_[label.step] << "\">";
    }
    out << "<rect x=\"" << left - padding + 1 << "\" y=\"" << y(label.row) - box_height / 2 << "\" width=\""
        << width + 2 * padding - 2 << "\" height=\"" << box_height << "\" rx=\"5\"/><text x=\"" << left + width / 2
        << "\" y=\"" << y(label.row) + 5 << "\">";
    write_escaped(out, label.text);
    out << "</text>" << (is_linked ? "</a>" : "") << '\n';
  }

  const StepMap& map_;
  std::span<const std::string> ids_;
  std::vector<std::int64_t> centres_;  ///< of rows
  std::int64_t height_ = 0;
};

}  // namespace

void write_introduction(std::ostream& out, const Frame& frame, const std::string& id,
                        std::span<const std::string> ids) {
  begin_article(out, "introduction", id, frame.question);
  if (!frame.formula.text.empty()) {
    out << "<p class=\"formula\"><code>";
    write_escaped(out, frame.formula.text);
    out << "</code></p>\n";
  }
  write_list(out, "terms", frame.formula.terms);
  if (!frame.map.labels.empty()) {
    out << "<div class=\"scroll\" role=\"group\" aria-label=\"From top to bottom\">\n";
    MapDrawing(frame.map, ids).write(out);
    out << "</div>\n";
  }
  out << "</article>\n";
}

void write_ending(std::ostream& out, const Frame& frame, const std::string& id) {
  begin_article(out, "ending", id, ending_heading);
  write_list(out, "seen", frame.seen);
  if (!frame.next.empty()) {
    out << "<p>To go on:</p>\n<pre tabindex=\"0\">";
    for (const std::string& command : frame.next) {
      write_escaped(out, command + "\n");
    }
    out << "</pre>\n";
  }
  out << "</article>\n";
}

}  // namespace attn::render
