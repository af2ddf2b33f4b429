#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chapters/article.hpp"
#include "torch/seed.hpp"
#include "verify/attention/rules.hpp"
#include "verify/observed/agree.hpp"
#include "verify/page/printed.hpp"
#include "walk/walkthrough.hpp"

namespace attn::verify {

/// One possible origin of a page's tensors: a chapter of an article with one lesson.
struct Explanation {
  std::string article;
  std::string chapter;
  std::size_t chapter_order = 0;  ///< the chapter's place in the article
  torch::Seed seed = 123;
  std::string settings;             ///< "d_out 2, 3 heads": differences from the article; the seed is separate
  std::string cpu;                  ///< "avx2", "avx512", "default"
  std::string blas;                 ///< "haswell", "sandybridge"
  std::string dropout_kernel;       ///< "default", "mkl"
  bool is_pytorch = true;           ///< the article's program; otherwise another language's
  bool preferred = false;           ///< the article's own kernels: wins ties
  bool is_plain = true;             ///< with the seed and sizes that the article has, or that were asked for
  std::vector<std::string> tokens;  ///< words for the inputs, used to name rows
  std::vector<chapters::Slip> slips;
  std::vector<Step> steps;  ///< their numbers are computed when they are asked for
};

/// Returns true if both have the same lesson; within one article the chapters may differ.
inline bool is_same_lesson(const Explanation& a, const Explanation& b) {
  return a.article == b.article && a.seed.text() == b.seed.text() && a.settings == b.settings && a.cpu == b.cpu &&
         a.blas == b.blas && a.dropout_kernel == b.dropout_kernel;
}

/// "MKL dropout kernel"
inline std::string dropout_words(const Explanation& explanation) {
  return (explanation.dropout_kernel == "mkl" ? "MKL" : explanation.dropout_kernel) + " dropout kernel";
}

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

/// What a right number is checked by, the strongest first.
enum class By {
  none,
  lesson,    ///< a step of a lesson: PyTorch prints these numbers
  relation,  ///< it follows from other numbers on the page
  program,   ///< the page's program computes it, and its attention keeps the rules
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
  By by = By::none;
  const Explanation* explanation = nullptr;  ///< its step's or, for Verdict::unknown, the nearest one's; may be null
  const Step* step = nullptr;                ///< null if there is no explanation
  std::string layout;    ///< for Verdict::same_numbers: "spacing", "grad_fn=<MulBackward0> is missing"
  std::string relation;  ///< what it follows from, or would except for the differences: "softmax(line 44 / 2**0.5)"
  std::vector<std::size_t> sources;     ///< the relation's sources, as places among the findings
  std::optional<Mistaken> mistaken;     ///< for Verdict::mistake and Verdict::inherited
  bool is_rooted = false;               ///< the relation goes back only to what is given or to lessons
  std::vector<Difference> differences;  ///< in order; at most `most_listed` of them
  std::vector<Wrong> marks;             ///< all failing cells of the page, in order
  std::int64_t differing_cells = 0;     ///< number of all differences, including lost cells
  std::int64_t last_digit_cells = 0;
  std::vector<std::string> notes;  ///< sentences: slips, kernels

  /// Returns true if its numbers go back to lessons or to what is given.
  bool is_known() const { return by == By::lesson || is_rooted; }
  std::string chapter() const { return explanation ? explanation->chapter : ""; }
};

/// The results for a page.
struct Report {
  std::vector<Finding> findings;   ///< in page order
  std::vector<std::string> notes;  ///< about the whole page: the origin of its numbers
  std::vector<Fault> faults;       ///< the rules of attention that its program breaks
  /// The lessons with steps among the findings, one explanation each, most frequent first.
  std::vector<const Explanation*> lessons;

  /// The number of tensors or of sizes: of all, of those with a verdict, or of those that are right by something.
  std::int64_t count(Printed::Kind kind, std::optional<Verdict> verdict = {}, std::optional<By> by = {}) const;
};

/// A finding that nothing is known of yet; with a step, what it is or nearly is.
Finding finding_of(const Printed& printed, const Explanation* explanation = nullptr, const Step* step = nullptr);

/// Sets the cells that are wrong, and lists those that differ or, if there are none, those that differ in the last
/// digit.
void set_wrong(Finding& finding, std::vector<Wrong> wrong);
/// Sets them and the verdict: right by this, except for last digits, or different.
void settle(Finding& finding, std::vector<Wrong> wrong, Verdict right, By by);

/// Sets the mistake that the finding is the first to have, or inherits.
void set_mistake(Finding& finding, const Mistaken& mistaken, bool is_first);

/// Normalises a label, ignoring case, colons and line breaks, so that labels with the same meaning are equal.
std::string plain_label(std::string_view label);

/// The projection that a label or a name mentions: 'q', 'k' or 'v'; 0 if none or several.
char projection_of(std::string_view words);

/// The name of a printed tensor in expressions: "line 44", "cell 12" or, if a notebook's cell prints more than one,
/// "cell 12 line 3".
std::string called(std::span<const Printed> printed, std::size_t i);

/// The number in the cell's format: its number of decimals, an exponent, "2.", an integer, True.
std::string in_format_of(const Cell& cell, double value);

/// How a page writes a tensor's numbers otherwise than PyTorch: "spacing", "grad_fn=<MulBackward0> is missing"; empty
/// if only blank lines, trailing spaces, or the 3 or 4 of SqueezeBackward differ.
std::string layout_difference(const Printed& printed, const Tensor& tensor);

}  // namespace attn::verify
