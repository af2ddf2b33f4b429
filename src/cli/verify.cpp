#include "cli/verify.hpp"

#include <array>
#include <deque>
#include <new>
#include <system_error>
#include <utility>

#include "chapters/inputs.hpp"
#include "cli/compute.hpp"
#include "files/file.hpp"
#include "tensor/blas.hpp"
#include "tensor/tensor.hpp"
#include "verify/explain/finding.hpp"
#include "verify/lessons/lessons.hpp"
#include "verify/page/page.hpp"
#include "walk/walkthrough.hpp"

namespace attn::cli {

namespace {

namespace fs = std::filesystem;

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

bool has_results(const Verified& page) { return !page.printed.empty() || !page.report.faults.empty(); }

/// Throws PageError if no page has a tensor. One page without tensors does not hide the reports of the others.
void check_any_printed(const std::deque<Verified>& pages, const std::vector<std::string>& files) {
  if (std::ranges::any_of(pages, has_results)) {
    return;
  }
  if (const std::string_view unread = pages.empty() ? "" : verify::unread_form(pages.front().page); !unread.empty()) {
    throw verify::PageError("'" + pages.front().page.name() +
                            "' has no tensor that can be read: " + std::string(unread));
  }
  throw verify::PageError("no printed tensor in '" + (files.front() == "-" ? "standard input" : files.front()) + "'" +
                          (files.size() > 1 ? " and the other files" : "") +
                          "; a page must print tensor(...) or torch.Size([...]); try attn-walkthrough causal | "
                          "attn-walkthrough verify -");
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
    verified.page = verify::read_page(file, [&](std::size_t bytes) {
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
    refuse_large(file, size, "checking it needs more memory than is available");
  }
}

/// The contents of a folder and the folders below, without hidden ones, `build` and `node_modules`.
struct Folder {
  std::vector<std::string> pages;  ///< paths of files with a page's ending, in order
  bool has_tensors = false;        ///< .npy files
  bool looks_like_dump = false;    ///< some of them on top, or a manifest that --save writes
};

bool is_page(const fs::path& path) {
  constexpr auto endings =
      std::to_array<std::string_view>({".md", ".txt", ".ipynb", ".html", ".htm", ".py", ".log", ".rst", ".qmd"});
  return !path.filename().string().starts_with(".") &&
         std::ranges::any_of(endings, [&](std::string_view ending) { return files::has_extension(path, ending); });
}

bool is_skipped(const std::string& name) { return name.starts_with(".") || name == "build" || name == "node_modules"; }

void add(Folder& folder, const fs::path& path, bool is_on_top) {
  if (files::has_extension(path, ".npy")) {
    folder.has_tensors = true;
    folder.looks_like_dump = folder.looks_like_dump || is_on_top;
  } else if (is_on_top && path.filename() == "manifest.json") {
    folder.looks_like_dump = true;
  } else if (is_page(path)) {
    folder.pages.push_back(path.lexically_normal().string());
  }
}

/// Looks into a folder. Throws verify::PageError if it has very many files.
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
    if (entry->is_regular_file(unknown)) {
      add(folder, entry->path(), entry.depth() == 0);
    } else if (is_skipped(entry->path().filename().string())) {
      entry.disable_recursion_pending();
    }
  }
  std::ranges::sort(folder.pages);
  return folder;
}

/// Reads and explains the pages of a folder; the names of those without a result go to `passed`.
void explain_folder(std::deque<Verified>& pages, const std::string& path, const VerifyOptions& options,
                    std::int64_t available, std::vector<std::string>& passed) {
  for (const std::string& file : folder_at(path).pages) {
    Verified& page = pages.emplace_back();
    try {
      explain(page, file, options, available);
    } catch (const verify::PageError&) {
      page.printed.clear();
    }
    if (!has_results(page)) {
      passed.push_back(file);
      pages.pop_back();
    }
  }
}

/// Explains the given pages and folders. GitHub's workflows name every page of a repository: an empty one is no error.
std::deque<Verified> explained(const VerifyOptions& options, std::int64_t available, std::vector<std::string>& passed) {
  const bool is_lenient = options.format == ReportFormat::github;
  std::deque<Verified> pages;
  for (const std::string& file : options.files) {
    std::error_code unknown;
    const std::size_t before = pages.size();
    const bool is_folder = file != "-" && fs::is_directory(file, unknown);
    const bool is_empty = file != "-" && fs::is_regular_file(file, unknown) && fs::file_size(file, unknown) == 0;
    if (is_folder && is_folder_of_pages(file, options)) {
      explain_folder(pages, file, options, available, passed);
    }
    if (is_lenient && pages.size() == before && (is_folder || is_empty)) {
      pages.emplace_back().page = verify::parse_page(file, "\n");
    } else if (!is_folder) {
      explain(pages.emplace_back(), file, options, available);
    }
  }
  if (!is_lenient) {
    check_any_printed(pages, options.files);
  }
  return pages;
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
  std::vector<std::string> passed;
  const std::deque<Verified> pages = explained(options.verify, available, passed);
  std::vector<verify::ReportedPage> reported;
  for (const Verified& page : pages) {
    reported.push_back({page.page, page.report});
  }
  outputs.write({}, [&](std::ostream& out) { write_reports(out, reported, options.verify); });
  if (!passed.empty()) {
    tell("passed over, without a printed tensor or unreadable: " + text::joined(passed));
  }
  const verify::Demands demands = {options.verify.strict, options.verify.allow_mistakes};
  const auto fails = [&](const verify::ReportedPage& page) { return sheet_of(page, demands).failures() > 0; };
  return std::ranges::any_of(reported, fails) ? 1 : 0;
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

}  // namespace attn::cli
