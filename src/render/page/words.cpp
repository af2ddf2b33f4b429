#include "render/page/nodes.hpp"

#include <algorithm>
#include <cstddef>
#include <ostream>

#include "text/lines.hpp"

namespace attn::render {

namespace {

/// The first row names the columns and the first column the rows.
void write_table(std::ostream& out, const std::vector<std::vector<std::string>>& table) {
  out << "<div class=\"scroll\" role=\"group\" aria-label=\"In numbers\"><table class=\"reason\">";
  for (std::size_t row = 0; row < table.size(); ++row) {
    out << "<tr>";
    for (std::size_t column = 0; column < table[row].size(); ++column) {
      const bool is_head = row == 0 || column == 0;
      const bool is_corner = is_head && table[row][column].empty();
      const char* const element = is_head && !is_corner ? "th" : "td";
      const char* const scope = row == 0 ? " scope=\"col\"" : column == 0 ? " scope=\"row\"" : "";
      out << '<' << element << (is_corner ? "" : scope) << '>';
      write_escaped(out, table[row][column]);
      out << "</" << element << '>';
    }
    out << "</tr>";
  }
  out << "</table></div>";
}

/// "masked_attn_scores" as "masked attention scores"; names that are not words stay: "W_query", "x_2".
std::string in_words(std::string_view name) {
  static const std::map<std::string_view, std::string_view> words = {
      {"attn", "attention"},  {"exp", "exponentials of"}, {"heads", "by head"}, {"out", "output"},
      {"proj", "projection"}, {"vec", "vector"},          {"vecs", "vectors"},
  };
  if (name.find('_') < 2) {
    return std::string(name);
  }
  std::string text;
  while (!name.empty()) {
    const std::string_view part = name.substr(0, name.find('_'));
    const auto word = words.find(part);
    text += text.empty() ? "" : " ";
    text += word == words.end() ? part : word->second;
    name.remove_prefix(std::min(part.size() + 1, name.size()));
  }
  return text;
}

}  // namespace

std::string heading_of(const Step& step) {
  std::string heading(text::trimmed(step.label));
  while (heading.ends_with(':')) {
    heading.pop_back();
  }
  const bool is_code = heading.empty() || heading.find_first_of("_()[]@=/.") != std::string::npos;
  return is_code ? in_words(step.name) : heading;
}

void write_notice_items(std::ostream& out, std::span<const std::string> notices) {
  for (const std::string& notice : notices) {
    out << "<li>";
    write_escaped(out, notice);
    out << "</li>";
  }
}

void write_glossary(std::ostream& out, std::string_view glossary) {
  constexpr std::string_view bullet = "- ";
  const char* end = "";
  for (const std::string& line : text::lines_of(std::string(glossary))) {
    if (line.starts_with(bullet)) {
      const std::size_t colon = line.find(": ");
      out << end << "<div><dt>";
      write_escaped(out, line.substr(bullet.size(), colon - bullet.size()));
      out << "</dt><dd>";
      write_escaped(out, line.substr(colon + 2));
      end = "</dd></div>\n";
    } else if (line.starts_with("  ")) {
      write_escaped(out, line.substr(1));
    }
  }
  out << end;
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
