#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <span>

#include "tensor/operations.hpp"
#include "tensor/tensor.hpp"
#include "torch/torch.hpp"

namespace attn {

/// One item that a chapter shows: a tensor, a tensor's size, or text.
struct Step {
  enum class Kind { tensor, size, text };

  Kind kind;
  std::string section;             ///< empty if the chapter has no sections
  std::string name;                ///< the article's variable
  std::string label;               ///< printed before it by the article: "keys\n"; may be empty
  bool in_article;                 ///< printed by the article's program, or an extra
  std::optional<Tensor> tensor;    ///< for Kind::tensor and Kind::size
  std::string text;                ///< for Kind::text
  std::string end = "\n";          ///< printed after it by the article
  bool is_unnamed = false;         ///< true if the article's program has no variable for the tensor
  std::vector<Step> through = {};  ///< the left-out extras that lead to it
};

/// The name with its section, if it has one: "head_1/attn_scores".
std::string full_name(const Step& step);

/// Returns true if this is the step's name, with or without its section.
bool is_called(const Step& step, const std::string& name);

/// The names of the wanted steps, without sections, without duplicates, in order.
std::vector<std::string> names_of(std::span<const Step> steps, bool (*is_wanted)(const Step& step));

/// The steps of a chapter, in the order in which they are shown. A tensor that a step depends on and that was not shown
/// before becomes an extra step just before it, so every intermediate tensor is there. Views are left out, except for
/// the transposed keys.
class Walkthrough {
 public:
  /// Steps from here on belong to this section.
  void section(std::string name);
  /// print(label, tensor). Names the tensor.
  void show(const std::string& name, const std::string& label, const Tensor& tensor, bool in_article = true);
  /// Adds a variable that the article does not print. Its label is `words` or, if they are empty, PyTorch's expression
  /// for the operation.
  void let(const std::string& name, const Tensor& tensor, const std::string& words = "");
  /// print(label, tensor.shape)
  void size(const std::string& name, const std::string& label, const Tensor& tensor);
  /// print(label, text)
  void text(const std::string& name, const std::string& label, const std::string& text, bool in_article = true);

  /// Sets the end of the last step's print call, if it is not a new line.
  void end_line(const std::string& end) { steps_.back().end = end; }

  const std::vector<Step>& steps() const& { return steps_; }
  std::vector<Step> steps() && { return std::move(steps_); }

  /// The program's random draws, whether a step shows them or not.
  void set_draws(torch::Draws draws) { draws_ = std::move(draws); }
  const torch::Draws& draws() const { return draws_; }

  /// The same steps with their tensors rewritten. A step whose tensor became another step's tensor is removed.
  Walkthrough rewritten(const Rewriter::Rule& rule) const;

 private:
  void add(Step step, bool is_labelled_by_expression);
  /// Adds the tensors that this one depends on and that no step shows yet.
  void add_extras(const Tensor& tensor, const std::string& section);
  /// Names a tensor. What its expression speaks of gets its section's name too where another tensor has its own by now.
  void call(const Tensor& tensor, const std::string& name, const std::string& section);
  void add_extra(const Tensor& tensor, const std::string& name, const std::string& section);

  torch::Draws draws_;
  std::string section_;
  std::vector<Step> steps_;
  std::vector<bool> are_labelled_by_expression_;
  std::set<const void*> shown_;                     ///< the tensors of steps
  std::map<const void*, std::string> sections_;     ///< of the steps' tensors
  std::map<std::string, const void*> last_called_;  ///< the tensor that took a name last
  std::set<const void*> visited_;                   ///< tensors whose operands are already searched
};

/// A step of both walkthroughs; one pointer is null if only the other has it.
struct StepPair {
  const Step* as_is;
  const Step* changed;
};

/// The steps of both walkthroughs in one order. Steps are paired by section, name, kind, and number of such steps
/// before. The arguments must outlive the pairs.
std::vector<StepPair> pairs_of(std::span<const Step> as_is, std::span<const Step> changed);

/// The random draws of a computed walkthrough: a step for each, its 32-bit words of MT19937 as int64 [words].
Walkthrough drawn_words(const Walkthrough& walk);

/// The bytes that this process may still use: the smallest of the machine's free memory, the limit of the address space
/// and the container's.
std::int64_t available_memory();

/// "74.5 GiB", "12.0 MiB", "300 bytes"
std::string memory_text(std::int64_t bytes);

/// Limits the memory that the process may still allocate to `bytes`, plus `besides` bytes of address space that is
/// never used. Beyond the limit, allocation throws std::bad_alloc.
void cap_memory(std::int64_t bytes, std::int64_t besides);

/// The numbers of the steps that a run needs.
enum class Needed {
  all,    ///< all numbers at once
  edges,  ///< the numbers at the edges, as print shows them
  rows,   ///< all numbers, for large tensors a few rows at a time
};

/// Throws TooLarge, with both sizes, if the tensors need more than `available` bytes: those that the steps depend on,
/// the drawn ones, and copies of the largest for printing and saving. Computes no numbers.
void check_fits(std::span<const Step> steps, std::span<const Tensor> drawn, std::int64_t available,
                Needed which = Needed::all);

/// Throws TooLarge, with both sizes, if the disk of --save's target has too little space for the steps' tensors.
void check_disk(const std::filesystem::path& target, std::span<const Step> steps);

// ---- Rotary position embedding: a token's position turns pairs of its columns (Su et al., "RoFormer", 2021) ----

/// The columns of a pair, of d.
enum class Pairs {
  adjacent,  ///< 2i and 2i + 1, as in the paper
  halves,    ///< i and i + d / 2, as in Llama's code
};

/// The pairs of x [n, d], each turned: (x cos - y sin, x sin + y cos); cos and sin [n, d / 2]. Names what leads to it
/// after x.
Tensor rotated(const Tensor& x, const Tensor& cos, const Tensor& sin, Pairs pairs);

/// What rotated() was given.
struct Rotation {
  Tensor x;
  Tensor cos;
  Tensor sin;
  Pairs pairs;
};

/// The rotation that made the tensor; empty if there is none.
std::optional<Rotation> rotation_of(const Tensor& tensor);

// ---- Norms ----

/// A norm: each row of x, less its mean or not, divided by its root mean square; times a weight, plus a bias if any.
struct Norm {
  Tensor x;
  Tensor normalised;
  Tensor weight;
  std::optional<Tensor> bias;
  bool is_centred;  ///< LayerNorm; else RMSNorm
  double epsilon;
};

/// The norm whose result the tensor is; empty if it is none.
std::optional<Norm> norm_of(const Tensor& tensor);

}  // namespace attn
