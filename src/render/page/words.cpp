#include "render/page/words.hpp"

#include <cstddef>
#include <ostream>
#include <vector>

#include "render/page/template.hpp"
#include "text/lines.hpp"

namespace attn::render {
namespace {

void write_cell(std::ostream& out, const char* element, const char* scope, const std::string& text) {
  out << '<' << element << scope << '>';
  write_escaped(out, text);
  out << "</" << element << '>';
}

/// The first row names the columns, the first column the rows.
void write_table(std::ostream& out, const std::vector<std::vector<std::string>>& table) {
  out << "<div class=\"scroll\" role=\"group\" aria-label=\"In numbers\"><table class=\"reason\">";
  for (std::size_t row = 0; row < table.size(); ++row) {
    out << "<tr>";
    for (std::size_t column = 0; column < table[row].size(); ++column) {
      const bool is_head = row == 0 || column == 0;
      const bool is_corner = is_head && table[row][column].empty();
      write_cell(out, is_head && !is_corner ? "th" : "td",
                 is_corner     ? ""
                 : row == 0    ? " scope=\"col\""
                 : column == 0 ? " scope=\"row\""
                               : "",
                 table[row][column]);
    }
    out << "</tr>";
  }
  out << "</table></div>";
}

}  // namespace

std::string heading_of(const Step& step) {
  std::string heading(text::trimmed(step.label));
  while (heading.ends_with(':')) {
    heading.pop_back();
  }
  return heading.empty() ? step.name : heading;
}

void write_notice_items(std::ostream& out, std::span<const std::string> notices) {
  for (const std::string& notice : notices) {
    out << "<li>";
    write_escaped(out, notice);
    out << "</li>";
  }
}

void write_reasons(std::ostream& out, std::span<const Reason> reasons) {
  for (const Reason& reason : reasons) {
    out << "<p>";
    write_escaped(out, reason.text);
    out << "</p>";
    if (!reason.table.empty()) {
      write_table(out, reason.table);
    }
  }
}

void write_through(std::ostream& out, std::span<const StepExplanation> before) {
  for (const StepExplanation& step : before) {
    out << "<p class=\"expression\"><code>";
    write_escaped(out, step.name + " = " + step.expression);
    out << "</code></p><p>";
    write_escaped(out, step.why);
    out << "</p>";
    write_reasons(out, step.reasons);
    out << "<ul class=\"notices\">";
    write_notice_items(out, step.notices);
    out << "</ul>";
  }
}

}  // namespace attn::render
