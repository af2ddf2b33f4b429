#include "cli/verify.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <new>
#include <ostream>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "chapter.hpp"
#include "cli/outputs.hpp"
#include "cli/port.hpp"
#include "cli/reports.hpp"
#include "tensor/blas_kernels.hpp"
#include "tensor/evaluation.hpp"
#include "verify/explain/find_draws.hpp"
#include "verify/explain/match.hpp"
#include "verify/lessons/given.hpp"
#include "verify/lessons/lessons.hpp"
#include "verify/program/listing.hpp"
#include "verify/read/find_printed.hpp"
#include "verify/read/read_page.hpp"
#include "verify/report/report.hpp"
#include "walk/memory.hpp"

namespace attn::cli {
namespace {

/// A page, its tensors, and the report on them. The report points into the other members.
struct Verified {
  verify::Page page;
  std::vector<verify::Printed> printed;
  std::vector<verify::Explanation> lessons;
  verify::Report report;
};

[[noreturn]] void refuse_large(const std::string& file, std::int64_t size, const std::string& what) {
  throw verify::PageError("'" + file + "' has " + memory_text(size) + ", and " + what +
                          "; a page must fit into memory; give only the part that prints tensors");
}

/// "attn-walkthrough all --article primer" for the file name primer.txt; empty if the name is not an article's.
std::string command_for_article(const std::string& file) {
  const std::string name = std::filesystem::path(file).stem().string();
  const auto& articles = chapters::all_articles();
  const bool is_article =
      std::ranges::any_of(articles, [&name](const chapters::Article& one) { return one.name == name; });
  return is_article ? "attn-walkthrough all --article " + name : "";
}

/// Throws PageError if no page has a tensor. One page without tensors does not hide the reports of the others.
void check_any_printed(const std::deque<Verified>& pages) {
  if (std::ranges::all_of(pages, [](const Verified& verified) { return verified.printed.empty(); })) {
    const std::string command = command_for_article(pages.front().page.name());
    throw verify::PageError("no printed tensor in '" + pages.front().page.name() + "'" +
                            (pages.size() > 1 ? " and the other files" : "") +
                            "; a page must print tensor(...) or torch.Size([...]); try " +
                            (command.empty() ? "attn-walkthrough causal | attn-walkthrough verify -" : command));
  }
}

/// Throws PageError.
verify::Page read(const std::string& file, const verify::CheckSize& check_size) try {
  return verify::read_page(file, check_size);
} catch (const verify::PageError& error) {
  std::error_code unknown;
  const std::string command = command_for_article(file);
  if (command.empty() || std::filesystem::exists(file, unknown)) {
    throw;
  }
  throw verify::PageError(std::string(error.what()) + "; for this article's tensors, try " + command);
}

/// Explains the page's tensors; replaces an earlier explanation.
void match_page(Verified& verified, const verify::LessonsToTry& lessons, const verify::Listing& listing,
                const verify::Given& given) {
  verified.report = {};
  verified.lessons = lessons(listing.settings);
  verified.report = verify::match(verified.printed, verified.lessons, given);
}

/// Reads a page, finds its tensors and explains them. If the page names no seed but its numbers reveal one, explains
/// them again with that seed. `verified` must not move afterwards.
void explain(Verified& verified, const std::string& file, const VerifyOptions& options, std::int64_t available) {
  std::int64_t size = 0;
  try {
    verified.page = read(file, [&](std::size_t bytes) {
      size = static_cast<std::int64_t>(bytes);
      if (size > available) {
        refuse_large(file, size, memory_text(available) + " of memory are available");
      }
    });
    verified.printed = verify::find_printed(verified.page);
    verify::Listing listing = verify::find_listing(verified.page);
    const verify::LessonsToTry lessons = verify::lessons_to_try(options, verified.printed);
    std::vector<verify::Replayed> replayed;
    verify::Given given;
    const auto match_with = [&](std::span<const verify::DrawCall> calls) {
      replayed = verify::replay(calls);
      given = given_of(verified.printed, listing, replayed);
      match_page(verified, lessons, listing, given);
      return verified.report.holding(verify::Printed::Kind::tensor);
    };
    const std::int64_t holding = match_with(listing.draws);
    // PyTorch's builds draw dropout's masks in two ways; the page shows which if one explains more.
    if (std::vector<verify::DrawCall> calls = verify::with_other_dropout(listing.draws);
        !calls.empty() && holding < verified.report.count(verify::Printed::Kind::tensor)) {
      if (match_with(calls) > holding) {
        listing.draws = std::move(calls);
      } else {
        match_with(listing.draws);
      }
    }
    const std::vector<verify::Drawn> draws =
        options.is_seed_given ? std::vector<verify::Drawn>{} : verify::find_draws(verified.report);
    if (!draws.empty()) {
      add_draws(draws, listing.settings, given);
      match_page(verified, lessons, listing, given);
    }
    tell_draws(replayed, verified.report);
  } catch (const std::bad_alloc&) {
    refuse_large(file, size, "checking it needs more memory than is available" + free_memory_words());
  }
}

}  // namespace

int verify(const Options& options) {
  if (is_about_dumps(options)) {
    return verify_dumps(options);
  }
  const Outputs outputs(options);
  use_blas(default_blas(), 0);  // reserves its memory before the pages are read
  const std::int64_t available = available_memory();
  cap_memory(available, room_for_products(Blas::native, evaluation().threads));
  std::deque<Verified> pages;
  for (const std::string& file : options.verify.files) {
    explain(pages.emplace_back(), file, options.verify, available);
  }
  check_any_printed(pages);
  std::vector<verify::ReportedPage> reported;
  for (const Verified& page : pages) {
    reported.push_back({page.page, page.report});
  }
  outputs.write({}, [&](std::ostream& out) { write_reports(out, reported, options.verify); });
  int code = 0;
  for (const Verified& page : pages) {
    code = std::max(code, verify::exit_code(page.report, {options.verify.strict, options.verify.allow_mistakes}));
  }
  return code;
}

}  // namespace attn::cli
