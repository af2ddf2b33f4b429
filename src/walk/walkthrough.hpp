#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tensor/rewrite.hpp"
#include "tensor/tensor.hpp"
#include "torch/draws.hpp"

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

}  // namespace attn
