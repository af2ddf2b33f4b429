#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "require.hpp"
#include "steps.hpp"
#include "targets.hpp"
#include "verify/explain/match.hpp"
#include "verify/page/page.hpp"
#include "verify/page/printed.hpp"
#include "verify/report/report.hpp"

namespace attn::fuzz {
namespace {

/// One of the blog's chapters by one set of kernels.
verify::Explanation explanation(const std::string& chapter, Cpu cpu, const std::string& name) {
  verify::Explanation result;
  result.article = "blog";
  result.chapter = chapter;
  result.cpu = name;
  result.blas = "haswell";
  result.dropout_kernel = "default";
  result.preferred = cpu == Cpu::avx2;
  result.tokens = tokens();
  result.slips = {{"causal", "keys", "", chapters::Slip::Where::other_shape, "The page lost a row."}};
  result.steps = steps_of(chapter, cpu);
  return result;
}

const std::vector<verify::Explanation>& explanations() {
  static const std::vector both = {explanation("causal", Cpu::avx2, "avx2"),
                                   explanation("multihead", Cpu::avx2, "avx2")};
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

void check(const verify::ReportedPage& reported, std::size_t page_size) {
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
      check({page, report}, bytes.size());
      check_html(page, report);
    }
  } catch (const verify::PageError& error) {
    require_error_line(error);
  }
}

}  // namespace attn::fuzz
