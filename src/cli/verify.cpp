#include "cli/verify.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <ostream>
#include <utility>

#include "cli/names.hpp"
#include "inputs.hpp"
#include "render/json.hpp"
#include "tensor/blas_kernels.hpp"
#include "text/lines.hpp"
#include "verify/explain/match.hpp"
#include "verify/read/find_printed.hpp"
#include "verify/read/read_page.hpp"
#include "verify/report/report.hpp"
#include "walk/memory.hpp"

namespace attn::cli {
namespace {

/// Every chapter of the article, or the one asked for, under one choice of PyTorch's kernels.
verify::Explanation explanation(const VerifyOptions& options, const chapters::Article& article, Kernels kernels,
                                DropoutKernel dropout_kernel) {
  verify::Explanation result;
  result.article = article.name;
  result.seed = options.seed;
  result.cpu = name_of(cpu_names(), kernels.cpu);
  result.blas = blas_name(kernels.blas);
  result.dropout_kernel = name_of(dropout_kernel_names(), dropout_kernel);
  result.preferred =
      kernels.cpu == article.cpu && kernels.blas == runnable(Blas::haswell) && dropout_kernel == DropoutKernel::standard;
  result.allowed = options.cpu.value_or(kernels.cpu) == kernels.cpu &&
                   options.blas.value_or(kernels.blas) == kernels.blas &&
                   options.dropout_kernel.value_or(dropout_kernel) == dropout_kernel;
  result.slips.assign(article.slips.begin(), article.slips.end());

  Lesson lesson;
  lesson.seed = options.seed;
  lesson.kernels = kernels;
  lesson.dropout_kernel = dropout_kernel;
  result.tokens = chapters::token_words(article, lesson);
  for (const chapters::Chapter& chapter : article.chapters) {
    if (options.chapter.value_or(std::string(chapter.name)) == chapter.name) {
      torch::Torch torch(kernels, dropout_kernel, torch::Torch::Mode::compute);
      result.chapters.push_back({std::string(chapter.name), chapters::walk(chapter, lesson, torch).steps()});
    }
  }
  return result;
}

/// OpenBLAS's sets of kernels that this processor can run, with what is asked for.
std::vector<Blas> families(const VerifyOptions& options) {
  std::vector<Blas> result;
  for (const Blas blas : {Blas::haswell, Blas::skylakex, Blas::sandybridge, Blas::prescott}) {
    if (runnable(blas) == blas) {
      result.push_back(blas);
    }
  }
  if (options.blas && std::find(result.begin(), result.end(), *options.blas) == result.end()) {
    result.push_back(*options.blas);
  }
  return result;
}

std::vector<verify::Explanation> explanations(const VerifyOptions& options) {
  std::vector<verify::Explanation> result;
  for (const chapters::Article& article : chapters::all_articles()) {
    if (options.article != nullptr && options.article != &article) {
      continue;
    }
    for (const auto& [cpu_name, cpu] : cpu_names()) {
      for (const Blas blas : families(options)) {
        for (const auto& [kernel_name, dropout_kernel] : dropout_kernel_names()) {
          result.push_back(explanation(options, article, {cpu, blas}, dropout_kernel));
        }
      }
    }
  }
  return result;
}

/// What one page prints, and what became of it. The report points into the rest.
struct Verified {
  verify::Page page;
  std::vector<verify::Printed> printed;
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

}  // namespace

int verify(const Options& options, std::ostream& out) {
  const std::vector<verify::Explanation> candidates = explanations(options.verify);
  std::deque<Verified> pages;
  for (const std::string& file : options.verify.files) {
    Verified& verified = pages.emplace_back(Verified{verify::read_page(file), {}, {}});
    check_fits(file, verified.page);
    verified.printed = verify::find_printed(verified.page, most_printed);
    if (verified.printed.empty()) {
      throw verify::PageError("no printed tensor in '" + file +
                              "'; accepted are pages that print tensor(...) or torch.Size([...]); "
                              "try attn-walkthrough causal | attn-walkthrough verify -");
    }
    verified.report = verify::match(verified.printed, candidates);
  }

  int code = 0;
  for (const Verified& verified : pages) {
    code = std::max(code, verify::exit_code(verified.report));
    if (options.json) {
      continue;
    }
    out << (pages.size() > 1 ? text::one_line(verified.page.name()) + "\n" : "") << verify::report_text(verified.report);
  }
  if (options.json) {
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
  return code;
}

}  // namespace attn::cli
