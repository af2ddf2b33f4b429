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
  same,          ///< as a lesson prints it
  same_numbers,  ///< in another layout
  last_digit,    ///< but for a few last digits
  follows,       ///< from what the page prints before it, or from what is given
  mistake,       ///< a step as a known mistake makes it
  inherited,     ///< a later step that follows from a mistake
  differs,       ///< but for a few cells
  unknown,
};

/// Whether the numbers are right, last digits allowed.
bool holds(Verdict verdict);

/// One cell that is not as it should be.
struct Difference {
  Shape index;           ///< in the printed tensor; where the page has no such cell, in the step
  std::string printed;   ///< as the page has it; empty where it has no such cell
  std::string expected;  ///< the right number in the page's format; empty where there is no such cell
  double exact = 0;      ///< the right number
};

/// A cell of the page that is not as it should be.
struct Mark {
  std::int64_t cell = 0;  ///< its place in the printed tensor
  bool is_last_digit = false;
  bool is_added = false;  ///< there should be no such cell
  double exact = 0;       ///< the right number
};

/// What a page did to a step's rows or shape.
struct Change {
  enum class Kind { none, lost, added, reshaped };

  Kind kind = Kind::none;
  Shape at;                ///< the part, -1 for every item of an axis: {-1, 5} is [:, 5]
  std::int64_t count = 1;  ///< lost, added: so many parts, from `at` on along its last axis
};

inline constexpr std::size_t most_listed = 10;

/// What a page's program does that the step does not.
struct Mistaken {
  std::string name;      ///< "no-scaling"
  std::string sentence;  ///< "the scores are not divided"
  std::string instead;   ///< the line to write
};

/// What became of one printed thing.
struct Finding {
  const Printed* printed = nullptr;
  Verdict verdict = Verdict::unknown;
  const Explanation* explanation = nullptr;  ///< whose step it is, or, for Verdict::unknown, the nearest; may be null
  const Step* step = nullptr;                ///< null where there is no explanation
  std::string layout;    ///< for Verdict::same_numbers: "spacing", "grad_fn=<MulBackward0> is missing"
  std::string relation;  ///< what it follows from, or would but for the differences: "softmax(line 44 / 2**0.5)"
  std::vector<std::size_t> sources;  ///< the relation's, as places among the findings
  std::optional<Mistaken> mistaken;  ///< for Verdict::mistake and Verdict::inherited
  bool is_rooted = false;            ///< the relation ends in what is given or in lessons alone
  Change change;
  std::vector<Difference> differences;  ///< in order; at most `most_listed` of them
  std::vector<Mark> marks;              ///< all cells of the page that do not hold, in order
  std::int64_t differing_cells = 0;     ///< all of them, lost and added ones included
  std::int64_t last_digit_cells = 0;
  std::vector<std::string> notes;  ///< sentences: slips, kernels

  std::string chapter() const { return explanation ? explanation->chapter : ""; }
};

/// What became of a page.
struct Report {
  std::vector<Finding> findings;   ///< in page order
  std::vector<std::string> notes;  ///< about the whole page: whose numbers it has
  /// The lessons that findings are steps of, one explanation of each, the most frequent first.
  std::vector<const Explanation*> lessons;
  /// Programs besides the lessons' that findings are steps of: those with a mistake in them.
  std::vector<std::shared_ptr<const Explanation>> programs;
  bool blas_shows = false;  ///< other OpenBLAS kernels have other digits than the page

  std::int64_t count(Printed::Kind kind) const;
  std::int64_t count(Printed::Kind kind, Verdict verdict) const;
  std::int64_t holding(Printed::Kind kind) const;
  /// Whether anything has the verdict.
  bool has(Verdict verdict) const;
};

}  // namespace attn::verify
