#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "verify/explain/explanation.hpp"
#include "verify/read/printed.hpp"

namespace attn::verify {

enum class Verdict { same, same_numbers, last_digit, differs, unknown };

/// Whether the numbers hold, last digits allowed.
bool holds(Verdict verdict);

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

inline constexpr std::size_t most_listed = 10;

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

/// What became of a page.
struct Report {
  const Explanation* explanation = nullptr;
  bool blas_shows = false;  ///< with other OpenBLAS kernels the page would be explained less well
  std::vector<Finding> findings;   ///< in page order
  std::vector<std::string> notes;  ///< about the whole page: whose numbers it has

  std::int64_t count(Printed::Kind kind) const;
  std::int64_t holding(Printed::Kind kind) const;
  /// Whether everything on the page does.
  bool holds() const;
};

}  // namespace attn::verify
