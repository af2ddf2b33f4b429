#include "cli/verify.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <ostream>
#include <vector>

#include "cli/given.hpp"
#include "cli/lessons.hpp"
#include "cli/outputs.hpp"
#include "render/json.hpp"
#include "text/lines.hpp"
#include "verify/explain/find_draws.hpp"
#include "verify/explain/match.hpp"
#include "verify/read/find_printed.hpp"
#include "verify/read/listing.hpp"
#include "verify/read/read_page.hpp"
#include "verify/report/report.hpp"
#include "walk/memory.hpp"

namespace attn::cli {
namespace {

/// What one page prints, and what became of it. The report points into the rest.
struct Verified {
  verify::Page page;
  std::vector<verify::Printed> printed;
  std::vector<verify::Explanation> lessons;
  verify::Report report;
};

/// What is said of each of them needs more memory than its few bytes on the page.
constexpr std::size_t most_printed = 100'000;

/// Throws PageError where explaining the page may take more memory than there is.
void check_fits(const std::string& file, const verify::Page& page) {
  constexpr std::int64_t most_per_byte = 20;
  const auto size = static_cast<std::int64_t>(page.text().size());
  const std::int64_t available = available_memory();
  if (size > available / most_per_byte) {
    throw verify::PageError("'" + file + "' has " + memory_text(size) + ", which may need " +
                            memory_text(size * most_per_byte) + " of memory, and " + memory_text(available) +
                            " are available; accepted are pages of up to " + memory_text(available / most_per_byte) +
                            " here; give the part that prints tensors");
  }
}

/// Throws PageError where no page prints a tensor: what else there is to report hides no other page's report.
void check_any_printed(const std::deque<Verified>& pages) {
  if (std::ranges::all_of(pages, [](const Verified& verified) { return verified.printed.empty(); })) {
    throw verify::PageError("no printed tensor in '" + pages.front().page.name() + "'" +
                            (pages.size() > 1 ? " and the other files" : "") +
                            "; accepted are pages that print tensor(...) or torch.Size([...]); "
                            "try attn-walkthrough causal | attn-walkthrough verify -");
  }
}

/// Finds and explains what a page prints; where it tells no seed but its numbers do, once more with that seed. The page
/// must stay where it is.
void explain(Verified& verified, const VerifyOptions& options) {
  verified.printed = verify::find_printed(verified.page, most_printed);
  verify::Listing listing = verify::find_listing(verified.page);
  verify::Given given = given_of(verified.printed, listing);
  verified.lessons = lessons_to_try(options, verified.printed, listing.settings);
  verified.report = verify::match(verified.printed, verified.lessons, given);
  const std::vector<verify::Drawn> draws =
      options.is_seed_given ? std::vector<verify::Drawn>{} : verify::find_draws(verified.report);
  if (!draws.empty()) {
    add_draws(draws, listing.settings, given);
    verified.lessons = lessons_to_try(options, verified.printed, listing.settings);
    verified.report = verify::match(verified.printed, verified.lessons, given);
  }
}

void write_text(const std::deque<Verified>& pages, std::ostream& out) {
  for (const Verified& page : pages) {
    out << (pages.size() > 1 ? text::one_line(page.page.name()) + "\n" : "")
        << (page.printed.empty() ? "no printed tensor\n" : verify::report_text(page.report));
  }
}

void write_json(const std::deque<Verified>& pages, std::ostream& out) {
  const auto write_page = [&](std::size_t i, const std::string& line_break) {
    verify::write_report_json(out, pages[i].page.name(), pages[i].report, line_break);
  };
  if (pages.size() == 1) {
    write_page(0, "\n");
  } else {
    render::write_list(out, pages.size(), "\n", write_page);
  }
  out << '\n';
}

void write_html(const std::deque<Verified>& pages, std::ostream& out) {
  std::vector<verify::ReportedPage> reported;
  for (const Verified& page : pages) {
    reported.push_back({page.page, page.report});
  }
  verify::write_report_html(out, reported, ATTN_VERSION);
}

}  // namespace

int verify(const Options& options) {
  const Outputs outputs(options);
  std::deque<Verified> pages;
  for (const std::string& file : options.verify.files) {
    Verified& verified = pages.emplace_back(Verified{verify::read_page(file), {}, {}, {}});
    check_fits(file, verified.page);
    explain(verified, options.verify);
  }
  check_any_printed(pages);
  outputs.write({}, [&](std::ostream& out) {
    switch (options.verify.format) {
      case ReportFormat::text: return write_text(pages, out);
      case ReportFormat::json: return write_json(pages, out);
      case ReportFormat::html: return write_html(pages, out);
    }
  });
  int code = 0;
  for (const Verified& page : pages) {
    code = std::max(code, verify::exit_code(page.report, options.verify.strict));
  }
  return code;
}

}  // namespace attn::cli
