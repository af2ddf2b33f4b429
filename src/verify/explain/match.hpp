#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "verify/read/printed.hpp"
#include "walk/slip.hpp"
#include "walk/walkthrough.hpp"

namespace attn::verify {

/// The steps of one chapter.
struct ChapterSteps {
  std::string chapter;
  std::vector<Step> steps;
};

/// One way in which a page may have been made: an article's chapters under certain kernels.
struct Explanation {
  std::string article;
  std::uint64_t seed = 123;
  std::string cpu;             ///< "avx2", "default"
  std::string blas;            ///< "haswell", "sandybridge"
  std::string dropout_kernel;  ///< "default", "mkl"
  bool preferred = false;      ///< the article's own kernels: wins ties
  bool allowed = true;         ///< false: only looked at to tell what a differing number is instead
  std::vector<ChapterSteps> chapters;
  std::vector<std::string> tokens;  ///< the words of the inputs, to name rows with
  std::vector<Slip> slips;
};

enum class Verdict { same, same_numbers, last_digit, differs, unknown };

/// "same", "same numbers", "last digit", "differs", "unknown"
std::string verdict_name(Verdict verdict);

/// One cell that is not as the step has it.
struct Difference {
  Shape index;           ///< in the printed tensor; where the page has no such cell, in the step
  std::string printed;   ///< as the page has it; empty where it has no such cell
  std::string expected;  ///< the step's number in the page's format; empty where the step has no such cell
  double exact = 0;      ///< the step's number
};

/// What a page did to a step's rows or shape.
struct Change {
  enum class Kind { none, lost, added, swapped, reshaped };

  Kind kind = Kind::none;
  Shape at;    ///< the part, -1 for every item of an axis: {-1, 5} is [:, 5]
  Shape with;  ///< the part that it is swapped with
  std::int64_t count = 1;  ///< lost, added: so many parts, from `at` on along its last axis
};

/// What became of one printed thing.
struct Finding {
  const Printed* printed = nullptr;
  Verdict verdict = Verdict::unknown;
  std::string chapter;         ///< of the step that it is, or, for Verdict::unknown, of the nearest; may be empty
  const Step* step = nullptr;  ///< may be null for Verdict::unknown
  std::string layout;          ///< for Verdict::same_numbers: "spacing", "grad_fn=<MulBackward0> is missing"
  Change change;
  std::vector<Difference> differences;  ///< in order; at most `most_listed` of them
  std::int64_t differing_cells = 0;     ///< all of them, lost and added ones included
  std::int64_t last_digit_cells = 0;
  std::vector<std::string> notes;       ///< sentences: slips, kernels
};

struct Report {
  const Explanation* explanation = nullptr;
  bool blas_shows = false;  ///< with other OpenBLAS kernels the page would be explained less well
  std::vector<Finding> findings;   ///< in page order
  std::vector<std::string> notes;  ///< about the whole page: whose numbers it has
  std::int64_t count(Printed::Kind kind) const;
  /// Those whose numbers hold, last digits included.
  std::int64_t holding(Printed::Kind kind) const;
};

inline constexpr std::size_t most_listed = 10;

/// Explains a page by the best of the explanations. The report points into both arguments. Throws
/// std::invalid_argument where no explanation is allowed.
Report match(std::span<const Printed> printed, std::span<const Explanation> explanations);

}  // namespace attn::verify
