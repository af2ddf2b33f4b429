#include "cli/verify.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <iterator>
#include <new>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "chapters/chapter.hpp"
#include "chapters/inputs.hpp"
#include "cli/option_rows.hpp"
#include "cli/outputs.hpp"
#include "cli/port.hpp"
#include "cli/reports.hpp"
#include "files/file.hpp"
#include "tensor/blas_kernels.hpp"
#include "tensor/evaluation.hpp"
#include "text/lines.hpp"
#include "verify/explain/finding.hpp"
#include "verify/explain/match.hpp"
#include "verify/lessons/lessons.hpp"
#include "verify/lessons/seeds.hpp"
#include "verify/page/page.hpp"
#include "verify/page/printed.hpp"
#include "verify/report/report.hpp"
#include "walk/memory.hpp"

namespace attn::cli {

namespace {

/// A page, its tensors, and the report on them. The report points into the other members.
struct Verified {
  verify::Page page;
  std::vector<verify::Printed> printed;
  verify::PageProgram program;
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

bool has_results(const Verified& page) { return !page.printed.empty() || !page.report.faults.empty(); }

/// Throws PageError if no page has a tensor. One page without tensors does not hide the reports of the others.
void check_any_printed(const std::deque<Verified>& pages, const std::vector<std::string>& files) {
  if (std::ranges::none_of(pages, has_results)) {
    const std::string command = command_for_article(files.front());
    if (const std::string_view unread = pages.empty() ? "" : verify::unread_form(pages.front().page); !unread.empty()) {
      throw verify::PageError("'" + pages.front().page.name() +
                              "' has no tensor that can be read: " + std::string(unread));
    }
    throw verify::PageError("no printed tensor in '" + (files.front() == "-" ? "standard input" : files.front()) + "'" +
                            (files.size() > 1 ? " and the other files" : "") +
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

/// The articles' inputs, from which other programs compute too.
std::vector<verify::Source> known_inputs() {
  std::vector<double> numbers;
  for (const std::vector<float>& row : chapters::toy_embeddings()) {
    numbers.insert(numbers.end(), row.begin(), row.end());
  }
  return {{{.shape = {6, 3}, .values = std::move(numbers)}, "inputs", {}, true}};
}

/// The tensors that are not known to be right.
std::vector<const verify::Printed*> unexplained(const verify::Report& report) {
  std::vector<const verify::Printed*> result;
  for (const verify::Finding& finding : report.findings) {
    const bool is_open = finding.verdict == verify::Verdict::follows && !finding.is_rooted;
    if ((is_open || !verify::holds(finding.verdict)) && !verify::is_size(*finding.printed)) {
      result.push_back(finding.printed);
    }
  }
  return result;
}

/// Reads a page, finds its tensors and explains them. If its program gives no seed but its numbers reveal one, explains
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
    const std::vector<verify::RunWith> kernels =
        verify::kernels_to_try(options.cpu, options.blas, options.dropout_kernel);
    verified.program = verify::PageProgram(verified.page, verified.printed, kernels);
    const verify::Lessons lessons(options);
    verified.lessons = verified.printed.empty() ? std::vector<verify::Explanation>{} : lessons.plain();
    std::vector<verify::Source> known = known_inputs();
    const auto match_page = [&] {
      verified.report = verify::match(verified.printed, verified.lessons, verified.program, known);
    };
    match_page();
    const std::vector<std::int64_t>& seeds = verified.program.ran().seeds;
    if (std::vector<verify::Explanation> more = lessons.revealed(unexplained(verified.report), seeds); !more.empty()) {
      std::ranges::move(more, std::back_inserter(verified.lessons));
      match_page();
    }
    if (!options.lesson.seed) {
      std::ranges::move(verify::find_draws(unexplained(verified.report)), std::back_inserter(known));
    }
    if (known.size() > 1) {
      match_page();
    }
  } catch (const std::bad_alloc&) {
    refuse_large(file, size, "checking it needs more memory than is available" + free_memory_words());
  }
}

/// Reads and explains the pages of a folder; those without a result are passed over.
void explain_folder(std::deque<Verified>& pages, const std::string& path, const VerifyOptions& options,
                    std::int64_t available, PassedOver& passed) {
  const Folder folder = folder_at(path);
  passed.folders.insert(folder.skipped.begin(), folder.skipped.end());
  for (const std::string& file : folder.pages) {
    try {
      explain(pages.emplace_back(), file, options, available);
    } catch (const verify::PageError&) {
      passed.unreadable.push_back(file);
      pages.pop_back();
      continue;
    }
    if (!has_results(pages.back())) {
      passed.without_tensors.push_back(file);
      pages.pop_back();
    }
  }
}

/// Explains the given pages and folders. GitHub's workflows name every page of a repository: an empty one is no error.
std::deque<Verified> explained(const VerifyOptions& options, std::int64_t available, PassedOver& passed) {
  const bool is_lenient = options.format == ReportFormat::github;
  std::deque<Verified> pages;
  for (const std::string& file : options.files) {
    if (is_folder_of_pages(file, options)) {
      const std::size_t before = pages.size();
      explain_folder(pages, file, options, available, passed);
      if (pages.size() > before || !is_lenient) {
        continue;
      }
    }
    if (is_lenient && is_nothing_to_read(file)) {
      pages.emplace_back().page = verify::parse_page(file, "\n");
    } else {
      explain(pages.emplace_back(), file, options, available);
    }
  }
  if (!is_lenient) {
    check_any_printed(pages, options.files);
  }
  return pages;
}

/// The chapters with steps on the pages.
std::vector<const chapters::Chapter*> chapters_on(const std::deque<Verified>& pages) {
  std::set<std::pair<std::string, std::string>> names;
  for (const Verified& page : pages) {
    for (const verify::Finding& finding : page.report.findings) {
      if (finding.step != nullptr && finding.verdict != verify::Verdict::unknown) {
        names.emplace(finding.explanation->article, finding.explanation->chapter);
      }
    }
  }
  std::vector<const chapters::Chapter*> found;
  for (const chapters::Chapter& chapter : chapters::all_chapters()) {
    if (names.contains({std::string(chapter.article->name), std::string(chapter.name)})) {
      found.push_back(&chapter);
    }
  }
  return found;
}

}  // namespace

int verify(const Options& options) {
  if (is_about_dumps(options)) {
    return verify_dumps(options);
  }
  const Outputs outputs(options);
  use_blas(default_blas());  // reserves its memory before the pages are read
  const std::int64_t available = available_memory();
  cap_memory(available, room_for_products(evaluation().threads));
  PassedOver passed;
  const std::deque<Verified> pages = explained(options.verify, available, passed);
  check_used(options, chapters_on(pages));
  std::vector<verify::ReportedPage> reported;
  for (const Verified& page : pages) {
    reported.push_back({page.page, page.report});
  }
  outputs.write({}, [&](std::ostream& out) { write_reports(out, reported, options.verify); });
  if (const std::string words = passed.words(); !words.empty()) {
    tell(words);
  }
  const verify::Demands demands = {options.verify.strict, options.verify.allow_mistakes};
  const auto fails = [&](const verify::ReportedPage& page) { return sheet_of(page, demands).failures() > 0; };
  return std::ranges::any_of(reported, fails) ? 1 : 0;
}

namespace {

namespace fs = std::filesystem;

bool is_page(const fs::path& path) {
  constexpr auto endings =
      std::to_array<std::string_view>({".md", ".txt", ".ipynb", ".html", ".htm", ".py", ".log", ".rst", ".qmd"});
  return std::ranges::any_of(endings, [&](std::string_view ending) { return files::has_extension(path, ending); });
}

bool is_skipped(const std::string& name) { return name.starts_with(".") || name == "build" || name == "node_modules"; }

/// "3 files", with their names if they are few.
std::string named(const std::vector<std::string>& files, const std::string& what) {
  constexpr std::size_t few = 3;
  return std::to_string(files.size()) + (files.size() == 1 ? " file " : " files ") + what +
         (files.size() <= few ? ": " + text::one_line(text::joined(files)) : "");
}

void add(Folder& folder, const fs::recursive_directory_iterator& entry) {
  const fs::path& path = entry->path();
  std::error_code unknown;
  if (!entry->is_regular_file(unknown)) {
    return;
  }
  if (files::has_extension(path, ".npy")) {
    folder.has_tensors = true;
    folder.looks_like_dump = folder.looks_like_dump || entry.depth() == 0;
  } else if (entry.depth() == 0 && path.filename() == "manifest.json") {
    folder.looks_like_dump = true;
  } else if (is_page(path) && !path.filename().string().starts_with(".")) {
    folder.pages.push_back(path.lexically_normal().string());
  }
}

}  // namespace

Folder folder_at(const std::string& path) {
  constexpr int most_entries = 100'000;
  Folder folder;
  int entries = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(path, fs::directory_options::skip_permission_denied, error), end;
       !error && entry != end; entry.increment(error)) {
    if (++entries > most_entries) {
      throw verify::PageError("'" + path + "' has more than " + std::to_string(most_entries) +
                              " files; a folder is searched for pages; name one of its folders, or its pages");
    }
    std::error_code unknown;
    const std::string name = entry->path().filename().string();
    if (is_skipped(name) && entry->is_directory(unknown)) {
      entry.disable_recursion_pending();
      folder.skipped.insert(name);
    }
    add(folder, entry);
  }
  std::ranges::sort(folder.pages);
  return folder;
}

bool is_folder_of_pages(const std::string& path, const VerifyOptions& verify) {
  std::error_code unknown;
  if (path == "-" || !fs::is_directory(path, unknown)) {
    return false;
  }
  const Folder folder = folder_at(path);
  if (verify.chapter || verify.lesson.layer) {
    return !folder.has_tensors && !folder.pages.empty();
  }
  return !folder.has_tensors || (!folder.looks_like_dump && !folder.pages.empty());
}

bool is_nothing_to_read(const std::string& path) {
  std::error_code unknown;
  return path != "-" &&
         (fs::is_directory(path, unknown) || (fs::is_regular_file(path, unknown) && fs::file_size(path, unknown) == 0));
}

std::string PassedOver::words() const {
  std::vector<std::string> parts;
  if (!without_tensors.empty()) {
    parts.push_back(named(without_tensors, "without a printed tensor"));
  }
  if (!unreadable.empty()) {
    parts.push_back(named(unreadable, "that cannot be read"));
  }
  if (!folders.empty()) {
    parts.push_back("folders " + text::one_line(text::joined(std::vector(folders.begin(), folders.end()))));
  }
  return parts.empty() ? "" : "passed over: " + text::joined(parts, "; ");
}

}  // namespace attn::cli
