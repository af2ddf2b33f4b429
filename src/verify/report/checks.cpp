#include <ostream>
#include <string_view>

#include "text/lines.hpp"
#include "verify/report/report.hpp"

namespace attn::verify {
namespace {

std::string told(const Row& row) { return row.verdict + '\n' + details_text(row); }

/// Percent-encodes the characters that end a command; in a property's value also those that end the value.
std::string encoded(std::string_view text, bool is_property) {
  const std::string line = text::replaced(text::replaced(text::replaced(text, "%", "%25"), "\r", "%0D"), "\n", "%0A");
  return is_property ? text::replaced(text::replaced(line, ":", "%3A"), ",", "%2C") : line;
}

void write_command(std::ostream& out, const Row& row, const std::string& message) {
  constexpr const char* kinds[] = {"notice", "notice", "warning", "warning", "error"};  // of the outcomes
  out << "::" << kinds[static_cast<std::size_t>(row.outcome)] << ' ';
  if (!row.file.empty()) {
    out << "file=" << encoded(row.file, true) << ',';
  }
  if (row.line > 0) {
    out << "line=" << row.line << ',';
  }
  out << "title=" << encoded(text::visible(row.title), true)
      << "::" << encoded(text::visible(text::trimmed(message)), false) << '\n';
}

void write_attribute(std::ostream& out, std::string_view name, std::string_view value) {
  if (!value.empty()) {
    out << ' ' << name << "=\"";
    write_visible(out, value);
    out << '"';
  }
}

void write_element(std::ostream& out, std::string_view name, std::string_view message, std::string_view text) {
  out << "      <" << name;
  write_attribute(out, "message", message);
  out << '>';
  write_visible(out, text);
  out << "</" << name << ">\n";
}

void write_case(std::ostream& out, const Sheet& sheet, const Row& row) {
  out << "    <testcase";
  write_attribute(out, "classname", sheet.name);
  write_attribute(out, "name", row.title);
  write_attribute(out, "file", row.file);
  write_attribute(out, "line", row.line > 0 ? std::to_string(row.line) : "");
  out << ">\n";
  if (row.outcome == Outcome::wrong || row.outcome == Outcome::inherited) {
    write_element(out, "failure", row.verdict, details_text(row));
  } else if (row.outcome == Outcome::skipped) {
    write_element(out, "skipped", row.verdict, "");
  } else if (row.outcome == Outcome::allowed || !row.details.empty()) {
    write_element(out, "system-out", "", told(row));
  }
  out << "    </testcase>\n";
}

}  // namespace

std::string details_text(const Row& row, const std::string& indent) {
  std::string text;
  for (const std::string& line : row.details) {
    text += indent + line + '\n';
  }
  return text;
}

void write_github(std::ostream& out, std::span<const Sheet> sheets) {
  for (const Sheet& sheet : sheets) {
    for (const Row& row : sheet.rows) {
      if (row.outcome != Outcome::right) {
        write_command(out, row, told(row));
      }
    }
    const std::string file = sheet.name == "standard input" ? "" : sheet.name;
    write_command(out, {.outcome = Outcome::allowed, .file = file, .title = "attn-walkthrough"}, sheet.summary);
  }
}

void write_junit(std::ostream& out, std::span<const Sheet> sheets) {
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"attn-walkthrough\">\n";
  for (const Sheet& sheet : sheets) {
    out << "  <testsuite";
    write_attribute(out, "name", sheet.name);
    out << " tests=\"" << sheet.rows.size() << "\" failures=\"" << sheet.failures() << "\" errors=\"0\" skipped=\""
        << sheet.count(Outcome::skipped) << "\">\n";
    for (const Row& row : sheet.rows) {
      write_case(out, sheet, row);
    }
    write_element(out, "system-out", "", sheet.summary);
    out << "  </testsuite>\n";
  }
  out << "</testsuites>\n";
}

}  // namespace attn::verify
