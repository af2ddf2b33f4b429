#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "verify/explain/explanation.hpp"
#include "verify/read/printed.hpp"

namespace attn::verify {

enum class Verdict {
  same,          ///< printed as in a lesson
  same_numbers,  ///< in another layout
  last_digit,    ///< except for a few last digits
  follows,       ///< follows from what the page prints before it, or from what is given
  mistake,       ///< a step with a known mistake
  inherited,     ///< a later step that follows from a mistake
  differs,       ///< except for a few cells
  unknown,
};

/// Returns true if the numbers are right; last digits may differ.
bool holds(Verdict verdict);

/// A wrong cell.
struct Difference {
  Shape index;           ///< in the printed tensor; if the page has no such cell, in the step
  std::string printed;   ///< as on the page; empty if it has no such cell
  std::string expected;  ///< the right number in the page's format; empty if there should be no such cell
  double exact = 0;      ///< the right number
};

/// The mark on a wrong cell of the page.
struct Mark {
  std::int64_t cell = 0;  ///< its place in the printed tensor
  bool is_last_digit = false;
  bool is_added = false;  ///< the cell should not exist
  double exact = 0;       ///< the right number
};

/// A change that a page made to a step's rows or shape.
struct Change {
  enum class Kind { none, lost, added, reshaped };

  Kind kind = Kind::none;
  Shape at;                ///< the changed part; -1 for every item of an axis: {-1, 5} is [:, 5]
  std::int64_t count = 1;  ///< lost, added: number of parts, from `at` on along its last axis
};

inline constexpr std::size_t most_listed = 10;

/// A mistake of the page's program, compared with the step.
struct Mistaken {
  std::string name;      ///< "no-scaling"
  std::string sentence;  ///< "the scores are not divided"
  std::string instead;   ///< the line to write instead
};

/// The result for one printed thing.
struct Finding {
  const Printed* printed = nullptr;
  Verdict verdict = Verdict::unknown;
  const Explanation* explanation = nullptr;  ///< its step's or, for Verdict::unknown, the nearest one's; may be null
  const Step* step = nullptr;                ///< null if there is no explanation
  std::string layout;    ///< for Verdict::same_numbers: "spacing", "grad_fn=<MulBackward0> is missing"
  std::string relation;  ///< what it follows from, or would except for the differences: "softmax(line 44 / 2**0.5)"
  std::vector<std::size_t> sources;  ///< the relation's sources, as places among the findings
  std::optional<Mistaken> mistaken;  ///< for Verdict::mistake and Verdict::inherited
  bool is_rooted = false;            ///< the relation goes back only to what is given or to lessons
  /// The relation says something true of the numbers, but not what they are: "every row sums to 1", "inputs @ W for
  /// some W". A number may still be wrong.
  bool is_in_part = false;
  Change change;
  std::vector<Difference> differences;  ///< in order; at most `most_listed` of them
  std::vector<Mark> marks;              ///< all failing cells of the page, in order
  std::int64_t differing_cells = 0;     ///< number of all differences, including lost and added cells
  std::int64_t last_digit_cells = 0;
  std::vector<std::string> notes;  ///< sentences: slips, kernels

  std::string chapter() const { return explanation ? explanation->chapter : ""; }
};

/// The results for a page.
struct Report {
  std::vector<Finding> findings;   ///< in page order
  std::vector<std::string> notes;  ///< about the whole page: the origin of its numbers
  /// The lessons with steps among the findings, one explanation each, most frequent first.
  std::vector<const Explanation*> lessons;
  /// Other programs with steps among the findings: those with a mistake.
  std::vector<std::shared_ptr<const Explanation>> programs;
  bool blas_shows = false;  ///< other OpenBLAS kernels give digits other than the page's

  std::int64_t count(Printed::Kind kind) const;
  std::int64_t count(Printed::Kind kind, Verdict verdict) const;
  std::int64_t holding(Printed::Kind kind) const;
  /// The number of tensors that hold, but were checked only in part.
  std::int64_t in_part() const;
};

}  // namespace attn::verify
