#include "verify/report/checks.hpp"

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <string_view>

#include "render/page/template.hpp"
#include "text/lines.hpp"
#include "verify/report/lines.hpp"
#include "verify/report/words.hpp"

namespace attn::verify {
namespace {

Outcome outcome_of(const Finding& finding, const Demands& demands) {
  if (fails(finding, demands)) {
    return finding.verdict == Verdict::inherited ? Outcome::inherited : Outcome::wrong;
  }
  return finding.verdict == Verdict::unknown ? Outcome::skipped
         : holds(finding.verdict)            ? Outcome::right
                                             : Outcome::allowed;
}

Outcome outcome_of(const Row& row) {
  if (row.judged == nullptr) {
    return Outcome::wrong;
  }
  switch (row.judged->verdict) {
    case PortVerdict::right: return Outcome::right;
    case PortVerdict::inherited: return Outcome::inherited;
    case PortVerdict::wrong:
    case PortVerdict::shape: break;
  }
  return Outcome::wrong;
}

// ---- GitHub -------------------------------------------------------------------------------------

/// Percent-encodes the characters that end a command; in a property's value also those that end the value.
std::string encoded(std::string_view text, bool is_property) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '%': result += "%25"; break;
      case '\r': result += "%0D"; break;
      case '\n': result += "%0A"; break;
      case ':': result += is_property ? "%3A" : ":"; break;
      case ',': result += is_property ? "%2C" : ","; break;
      default: result += c;
    }
  }
  return result;
}

void write_command(std::ostream& out, std::string_view command, const Check& check, const std::string& message) {
  out << "::" << command << ' ';
  if (!check.file.empty()) {
    out << "file=" << encoded(check.file, true) << ',';
  }
  if (check.line > 0) {
    out << "line=" << check.line << ',';
  }
  out << "title=" << encoded(text::visible(check.name), true)
      << "::" << encoded(text::visible(text::trimmed(message)), false) << '\n';
}

std::string_view command_for(Outcome outcome) {
  switch (outcome) {
    case Outcome::wrong: return "error";
    case Outcome::inherited:
    case Outcome::skipped: return "warning";
    case Outcome::allowed:
    case Outcome::right: break;
  }
  return "notice";
}

// ---- JUnit --------------------------------------------------------------------------------------

/// Writes text for XML, also within quotes, without characters that XML forbids.
void write_xml(std::ostream& out, std::string_view text) {
  std::string shown = text::visible(text);
  for (const std::string_view none : {"\xef\xbf\xbe", "\xef\xbf\xbf"}) {
    for (std::size_t at = shown.find(none); at != std::string::npos; at = shown.find(none, at)) {
      shown.replace(at, none.size(), "?");
    }
  }
  render::write_escaped(out, shown);
}

void write_attribute(std::ostream& out, std::string_view name, std::string_view value) {
  out << ' ' << name << "=\"";
  write_xml(out, value);
  out << '"';
}

void write_counts(std::ostream& out, std::span<const CheckedFile> files) {
  std::size_t tests = 0;
  std::size_t failures = 0;
  std::size_t skipped = 0;
  for (const CheckedFile& file : files) {
    tests += file.checks.size();
    failures += file.failures();
    skipped += file.count(Outcome::skipped);
  }
  out << " tests=\"" << tests << "\" failures=\"" << failures << "\" errors=\"0\" skipped=\"" << skipped << '"';
}

void write_element(std::ostream& out, std::string_view name, std::string_view text) {
  out << "      <" << name << '>';
  write_xml(out, text);
  out << "</" << name << ">\n";
}

void write_case(std::ostream& out, const CheckedFile& file, const Check& check) {
  out << "    <testcase";
  write_attribute(out, "classname", file.name);
  write_attribute(out, "name", check.name);
  if (!check.file.empty()) {
    write_attribute(out, "file", check.file);
  }
  if (check.line > 0) {
    out << " line=\"" << check.line << '"';
  }
  if (check.outcome == Outcome::right && check.details.empty()) {
    out << "/>\n";
    return;
  }
  out << ">\n";
  switch (check.outcome) {
    case Outcome::wrong:
    case Outcome::inherited:
      out << "      <failure";
      write_attribute(out, "message", check.verdict);
      out << '>';
      write_xml(out, check.details);
      out << "</failure>\n";
      break;
    case Outcome::skipped:
      out << "      <skipped";
      write_attribute(out, "message", check.verdict);
      out << "/>\n";
      break;
    case Outcome::allowed:
    case Outcome::right: write_element(out, "system-out", check.verdict + "\n" + check.details); break;
  }
  out << "    </testcase>\n";
}

}  // namespace

std::size_t CheckedFile::count(Outcome outcome) const {
  return static_cast<std::size_t>(std::ranges::count(checks, outcome, &Check::outcome));
}

CheckedFile checked(const ReportedPage& reported, const Demands& demands) {
  const Report& report = reported.report;
  const std::string file = reported.page.name() == "-" ? "" : reported.page.name();
  CheckedFile result = {file.empty() ? "standard input" : file, {}, summary_of(report)};
  for (const Finding& finding : report.findings) {
    const Columns columns = columns_of(finding);
    const Place& place = finding.printed->place;
    const std::string origin = finding.verdict == Verdict::unknown ? "" : columns[2] + " ";
    result.checks.push_back({outcome_of(finding, demands), file, place.cell > 0 ? 0 : std::int64_t{place.line},
                             columns[0] + ": " + origin + columns[1], columns[3], details_of(finding)});
  }
  if (report.findings.empty()) {
    result.summary = "no printed tensor\n";
  }
  return result;
}

CheckedFile checked(const PortReport& report, const Demands&) {
  const std::string& file = report.file;
  CheckedFile result = {file, {}, summary_of(report)};
  std::error_code unknown;
  const bool is_folder = std::filesystem::is_directory(file, unknown);
  for (const Row& row : rows_of(report)) {
    const bool is_tensor = row.given < report.given.size();
    const std::string theirs = is_tensor ? report.given[row.given].name : "";
    const std::string path = is_folder && is_tensor ? (std::filesystem::path(file) / (theirs + ".npy")).string() : file;
    std::string details;
    for (const std::string& line : row.details) {
      details += line + "\n";
    }
    result.checks.push_back({outcome_of(row), path, 0, row.name + " " + row.shape, row.result, details});
  }
  return result;
}

void write_github(std::ostream& out, std::span<const CheckedFile> files) {
  for (const CheckedFile& file : files) {
    for (const Check& check : file.checks) {
      if (check.outcome != Outcome::right) {
        write_command(out, command_for(check.outcome), check, check.verdict + "\n" + check.details);
      }
    }
    Check whole;
    whole.file = file.name == "standard input" ? "" : file.name;
    whole.name = "attn-walkthrough";
    write_command(out, file.checks.empty() ? "warning" : "notice", whole, file.summary);
  }
}

void write_junit(std::ostream& out, std::span<const CheckedFile> files) {
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"attn-walkthrough\"";
  write_counts(out, files);
  out << ">\n";
  for (const CheckedFile& file : files) {
    out << "  <testsuite";
    write_attribute(out, "name", file.name);
    write_counts(out, {&file, 1});
    out << ">\n";
    for (const Check& check : file.checks) {
      write_case(out, file, check);
    }
    write_element(out, "system-out", file.summary);
    out << "  </testsuite>\n";
  }
  out << "</testsuites>\n";
}

}  // namespace attn::verify
