#pragma once

#include "chapters/article.hpp"
#include "tensor/kernels.hpp"
#include "torch/generator.hpp"
#include "verify/attention/rules.hpp"
#include "verify/observed/observed.hpp"
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

/// What explains wrong numbers of a page or a port.
struct Cause {
  std::string name;          ///< "no-scaling"; of two "no-mask,no-scaling"
  std::string sentence;      ///< "the scores are not divided"
  std::string instead = {};  ///< what to write; may be empty
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
  std::optional<Cause> mistaken;        ///< for Verdict::mistake and Verdict::inherited
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
void set_mistake(Finding& finding, const Cause& mistaken, bool is_first);

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

/// A step of one explanation.
struct KnownStep {
  const Explanation* explanation = nullptr;
  const Step* step = nullptr;
  std::size_t place = 0;  ///< in its chapter
  std::string label;      ///< plain
  bool is_size = false;
};

/// The steps of lessons that may explain a page, and which of them each printed thing is.
class Steps {
 public:
  /// A step, by its place among the known ones, or a printed thing; empty if none is recognised.
  using Choice = std::optional<std::size_t>;
  /// The cost of taking a printed thing for a step; empty if it cannot be that one.
  using Cost = std::function<std::optional<int>(std::size_t)>;

  /// Chooses the steps that follow from one another best: of the same lesson and in program order; then with the page's
  /// label and grad_fn; then one that the article prints. `labels` are those of the printed things, plain.
  Steps(std::span<const Printed> printed, const std::vector<std::string>& labels,
        std::span<const Explanation> explanations);

  const KnownStep& operator[](std::size_t step) const { return steps_[step]; }
  /// The numbers of a printed tensor; none of a size or of rows that differ in length.
  std::optional<Observed> shown(std::size_t i) const { return shown_of(printed_[i]); }
  /// The step that a printed thing is.
  const Choice& chosen(std::size_t i) const { return chosen_[i]; }
  void choose(std::size_t i, Choice step) { chosen_[i] = step; }
  /// Returns true if it has the chosen step's numbers; else few cells are wrong.
  bool holds(std::size_t i) const { return chosen_[i] && candidates_[i].hold; }
  /// Returns true if the page shows the step's lesson: something computed from its draws.
  bool is_shown(std::size_t step) const;

  /// The step that fits best, of the lessons of what is recognised before and after or, if nothing is, of any.
  Choice beside(std::size_t i, const Cost& cost, bool or_anywhere = false) const;
  /// The one with the same label, and with the same shape if one has it.
  Choice labelled(std::size_t i) const;
  /// The only step that the article prints between those of what is printed just before, if anything is, and
  /// after.
  Choice placed(std::size_t i) const;

 private:
  /// The steps that a printed tensor may be.
  struct Candidates {
    std::vector<std::size_t> steps;  ///< equally good
    bool hold = false;               ///< every cell of theirs holds; else few cells are wrong
    bool is_evidence = false;        ///< coincidence is excluded
  };

  void find(const Observed& observed, Candidates& found);
  void find_near(const Observed& observed, std::span<const std::size_t> alike, Candidates& found);
  double first_number(const Observed& observed, std::size_t step);
  bool may_be(std::size_t i, std::size_t step) const;
  int own_cost(std::size_t i, std::size_t step) const;
  std::vector<std::size_t> few(std::size_t i) const;
  void choose_in_order();
  void choose_beside(std::size_t i);
  Choice recognised(std::size_t i, int direction) const;

  std::span<const Printed> printed_;
  std::span<const Explanation> explanations_;
  const std::vector<std::string>& labels_;
  std::vector<KnownStep> steps_;
  std::unordered_map<const Explanation*, std::size_t> first_;  ///< the place of its first step; the others follow
  std::map<Shape, std::vector<std::size_t>> by_shape_;
  std::unordered_map<std::size_t, double> first_numbers_;
  std::vector<Candidates> candidates_;
  std::set<const Explanation*> shown_lessons_;
  std::vector<Choice> chosen_;
  Bounds bounds_;
  std::int64_t patience_ = 300'000;  ///< pairs of tensors that the search for near misses may compare
};

/// The distance of a plain label from a step's: 0 (equal), 1 (one contains the other) or 2.
int label_distance(const std::string& label, const KnownStep& step);

/// A tensor that others may follow from.
struct Source {
  Observed numbers;
  std::string words;                      ///< "line 44", "inputs"
  std::optional<std::size_t> place = {};  ///< on the page, if it prints it
  bool is_rooted = false;                 ///< known, or follows from known tensors alone
};

/// A statement that a tensor follows from others.
struct Relation {
  std::string words;                 ///< in PyTorch's words: "torch.softmax(line 44 / 2**0.5, dim=-1)"
  std::vector<std::size_t> sources;  ///< their places on the page
  bool is_rooted = false;            ///< all sources are rooted
};

/// Finds the tensors that a printed one follows from.
class Relations {
 public:
  /// Adds a tensor that later ones may follow from. Of printed tensors, only the last few are tried.
  void add(Source source);
  /// Returns the relation by which the tensor follows; none if each may be coincidence.
  std::optional<Relation> find(const Observed& target);

 private:
  friend class RelationSearch;

  struct Leaf {
    Tensor tensor;
    Source source;
  };

  std::vector<std::int64_t> sizes_ = {2, 3, 4, 5, 6, 7, 8};  ///< their square roots may divide scores
  std::vector<Leaf> leaves_;
  Bounds bounds_;
  std::int64_t patience_ = 8'000'000;  ///< what is left for computing bounds
};

/// The kernels that a page's program may have run with, the likeliest first; one each that is given is not varied.
std::vector<RunWith> kernels_to_try(std::optional<Cpu> cpu, std::optional<Blas> blas,
                                    std::optional<DropoutKernel> dropout_kernel);

/// A page's program beside what the page prints.
class PageProgram {
 public:
  /// No program.
  PageProgram() = default;
  /// Runs the page's program with each of the kernels until one agrees with all that the page prints, and keeps the one
  /// that agrees with most.
  PageProgram(const Page& page, std::span<const Printed> printed, std::span<const RunWith> kernels);

  /// The numbers of a printed tensor; none of a size or of rows that differ in length.
  const std::optional<Observed>& shown(std::size_t i) const { return shown_[i]; }
  const Ran& ran() const { return ran_; }
  /// The rules of attention that the program breaks.
  const std::vector<Fault>& faults() const { return faults_; }
  /// The print that shows a printed thing; null if none is known to.
  const ProgramPrint* at(std::size_t i) const {
    return i < shows_.size() && shows_[i].print ? &ran_.prints[*shows_[i].print] : nullptr;
  }
  /// Returns true if its label, its numbers or the number of prints in its cell exclude another print.
  bool is_certain(std::size_t i) const { return shows_[i].is_certain; }

 private:
  /// The print that shows a printed thing.
  struct Shows {
    std::optional<std::size_t> print = {};
    bool is_certain = false;
    bool agrees = false;
  };
  friend class Aligner;

  Ran ran_;
  std::vector<std::optional<Observed>> shown_;
  std::vector<Fault> faults_;
  std::vector<Shows> shows_;
};

/// What a page's program says of a printed tensor.
struct Said {
  enum class Kind {
    nothing,  ///< it prints nothing there, or does not determine the numbers
    right,    ///< it computes them
    near,     ///< it computes them, except for a few cells
    other,    ///< it computes other numbers
  };
  Kind kind = Kind::nothing;
  std::vector<Wrong> wrong = {};
  bool is_exact = false;                  ///< from literals and seeded draws alone, not from what the page prints
  bool is_unknown = false;                ///< the program does not determine it, as without a seed
  std::vector<std::size_t> sources = {};  ///< the printed tensors that it is computed from, as places on the page
};

/// Compares what a page prints with what its program computes there. A tensor that the program does not determine is
/// taken as it is printed; what is computed from it is known within bounds.
class ProgramSource {
 public:
  explicit ProgramSource(const PageProgram& program) : program_(program) {}

  /// What it says; if the page is at its end, though the tensor was taken as it is printed.
  Said says(std::size_t i, bool is_at_end = false);
  /// Takes note that the tensor is printed there, for those computed from it.
  void pass(std::size_t i, const Said& said);
  /// In the page's words: "W_key = torch.rand(3, 2), drawn after torch.manual_seed(123)", "queries @ keys.T".
  std::string words(std::size_t i) const;
  /// Returns true if the program certainly prints something there that is computed from a tensor.
  bool depends_on(std::size_t i, const Tensor& tensor) const;

 private:
  const Tensor* tensor_at(std::size_t i) const;

  const PageProgram& program_;
  Bounds bounds_;
  std::unordered_map<const void*, std::size_t> shown_;  ///< where the page prints a tensor of the program
};

/// Explains each tensor of a page: by a step of the explanations, by what the page's program computes there, or by
/// other tensors on the page and `known` ones. The report points into the first two arguments.
Report match(std::span<const Printed> printed, std::span<const Explanation> explanations,
             const PageProgram& program = {}, std::span<const Source> known = {});

/// Tries known mistakes in the lessons with the most tensors on a page and, if all explanations are of one chapter, in
/// the plain ones among those. A tensor that is not a step, but is one with a mistake, gets Verdict::mistake if
/// coincidence is excluded; later steps of the same program that nothing else explains get Verdict::inherited. A page
/// that also prints the right step under another label shows both on purpose.
void find_mistakes(Report& report, std::span<const Explanation> explanations);

}  // namespace attn::verify
