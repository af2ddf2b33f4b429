#include "render/page/frame.hpp"

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <vector>

#include "render/page/template.hpp"
#include "text/lines.hpp"

namespace attn::render {
namespace {

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

/// Links each tensor to its step if the page shows it.
void write_map(std::ostream& out, std::span<const MapLine> map, std::span<const std::string> ids) {
  out << "<ul class=\"step-map\" aria-label=\"Map of the steps\">\n";
  for (const MapLine& line : map) {
    const std::string& id = ids[line.step];
    out << "<li style=\"--depth: " << line.depth << "\">" << (id.empty() ? "" : "<a href=\"#" + id + "\">");
    write_escaped(out, line.name + " " + line.shape);
    out << (id.empty() ? "" : "</a>");
    write_escaped(out, origin_words(line));
    out << "</li>\n";
  }
  out << "</ul>\n";
}

}  // namespace

void write_introduction(std::ostream& out, const Frame& frame, const std::string& id,
                        std::span<const std::string> ids) {
  begin_article(out, "introduction", id, frame.question);
  write_element(out, "p", frame.idea);
  write_element(out, "p", std::string(goals_heading) + ":");
  write_list(out, "goals", frame.goals);
  if (!frame.formula.text.empty()) {
    out << "<p class=\"formula\"><code>";
    write_escaped(out, frame.formula.text);
    out << "</code></p>\n";
  }
  write_list(out, "terms", frame.formula.terms);
  if (!frame.map.empty()) {
    write_map(out, frame.map, ids);
  }
  out << "</article>\n";
}

void write_ending(std::ostream& out, const Frame& frame, const std::string& id) {
  begin_article(out, "ending", id, ending_heading);
  write_list(out, "seen", frame.seen);
  if (!frame.next.empty()) {
    out << "<p>Next steps:</p>\n<pre tabindex=\"0\">";
    for (const std::string& command : frame.next) {
      write_escaped(out, command + "\n");
    }
    out << "</pre>\n";
  }
  out << "</article>\n";
}

}  // namespace attn::render
