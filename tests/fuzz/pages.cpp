#include <algorithm>
#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "targets.hpp"
#include "verify/explain/finding.hpp"
#include "verify/page/page.hpp"
#include "verify/program/ran.hpp"
#include "verify/report/report.hpp"

namespace attn::fuzz {
namespace {

bool is_in(std::string_view part, std::string_view whole) {
  return part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size();
}

void check(const verify::Printed& printed, const verify::Page& page) {
  require(!printed.text.empty() && is_in(printed.text, page.text()), "what is printed stands on the page");
  for (const verify::Cell& cell : printed.cells) {
    require(!cell.text.empty() && is_in(cell.text, printed.text), "a cell stands in what is printed");
    require(cell.unit >= 0, "a digit counts something");
  }
  require(printed.shown_before_gap.empty() || printed.shown_before_gap.size() == printed.shape.size(),
          "each axis has a gap or none");
  require(is_utf8(printed.label) && is_utf8(printed.grad_fn), "words are UTF-8");
}

void read_as(const std::string& name, std::string_view bytes) {
  try {
    const verify::Page page = verify::parse_page(name, bytes);
    require(is_utf8(page.text()), "a page's text is UTF-8");
    require(page.text().size() <= 4 * bytes.size() + 1, "a page's text is hardly longer than its file");
    const auto lines = static_cast<std::size_t>(std::ranges::count(bytes, '\n') + std::ranges::count(bytes, '\r')) + 1;
    std::string_view behind = page.text();
    for (const verify::Printed& printed : verify::find_printed(page)) {
      check(printed, page);
      require(is_in(printed.text, behind), "things stand one behind the other");
      behind.remove_prefix(static_cast<std::size_t>(printed.text.data() - behind.data()) + printed.text.size());
      require(printed.place.line >= 1 && (printed.place.cell > 0 || printed.place.line <= lines),
              "the file has that line");
    }
  } catch (const verify::PageError& error) {
    require_error_line(error);
  }
}

}  // namespace

void read_page(std::string_view bytes) {
  for (const char* name : {"page.log", "page.md", "page.py", "page.html", "page.ipynb"}) {
    read_as(name, bytes);
  }
}

void listing(std::string_view bytes) {
  for (const std::string name : {"page", "page.py", "page.md"}) {
    try {
      const verify::Ran ran = verify::run_program(verify::parse_page(name, bytes), {});
      require(ran.notes.size() <= 1, "a program is followed up to one place");
      for (const std::string& note : ran.notes) {
        require_clean(note, "a note");
      }
      for (const verify::ProgramDraw& draw : ran.draws) {
        require(draw.nth >= 1, "a draw has a number");
      }
    } catch (const verify::PageError& error) {
      require_error_line(error);
    }
  }
}

namespace {

/// One of the blog's chapters.
verify::Explanation explanation(const std::string& chapter) {
  verify::Explanation result;
  result.article = "blog";
  result.chapter = chapter;
  result.cpu = "avx2";
  result.blas = "haswell";
  result.dropout_kernel = "default";
  result.preferred = true;
  result.tokens = tokens();
  result.slips = {{"causal", "keys", "", chapters::Slip::Where::other_shape, "The page lost a row."}};
  result.steps = steps_of(chapter);
  return result;
}

const std::vector<verify::Explanation>& explanations() {
  static const std::vector both = {explanation("causal"), explanation("multihead")};
  return both;
}

void check_json(const verify::ReportedPage& reported) {
  const verify::Report& report = reported.report;
  std::ostringstream out;
  render::JsonWriter writer(out);
  verify::write_json(writer, reported);
  require_clean(out.view(), "a report's JSON");
  const auto json = nlohmann::json::parse(out.view());
  require(json.at("findings").size() == report.findings.size(), "JSON has every finding");
  require(json.at("holds") == (verify::sheet_of(reported).failures() == 0), "JSON and the exit code say the same");
}

void check_html(const verify::Page& page, const verify::Report& report) {
  std::ostringstream out;
  const std::vector<verify::ReportedPage> pages = {{page, report}};
  verify::write_html(out, pages, "1.0");
  require_clean(out.view(), "a report's page", "\n\t");
  require(out.view().ends_with("</html>\n"), "a report's page has an end");
}

void check_report(const verify::ReportedPage& reported, std::size_t page_size) {
  std::ostringstream out;
  verify::write_text(out, reported);
  const std::string_view text = out.view();
  require_clean(text, "a report");
  require(text.size() <= 10'000 + 1'000 * page_size, "a report does not explode");
  check_json(reported);
}

}  // namespace

void verify(std::string_view bytes) {
  try {
    const verify::Page page = verify::parse_page("page", bytes);
    const std::vector<verify::Printed> printed = verify::find_printed(page);
    if (!printed.empty()) {
      const auto kernels = verify::kernels_to_try({}, {}, {});
      const verify::PageProgram program(page, printed, kernels);
      const verify::Report report = verify::match(printed, explanations(), program);
      check_report({page, report}, bytes.size());
      check_html(page, report);
    }
  } catch (const verify::PageError& error) {
    require_error_line(error);
  }
}

}  // namespace attn::fuzz
