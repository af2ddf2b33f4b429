#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tensor/tensor.hpp"

namespace attn {

/// One thing that a chapter shows: a tensor, a tensor's size, or words.
struct Step {
  enum class Kind { tensor, size, text };

  Kind kind;
  std::string section;  ///< empty where the chapter has no sections
  std::string name;     ///< the article's variable
  std::string label;    ///< what the article's print call writes before it: "keys\n"; may be empty
  bool in_article;      ///< printed by the article's program, or an extra
  std::optional<Tensor> tensor;  ///< for Kind::tensor and Kind::size
  std::string text;              ///< for Kind::text
  std::string end = "\n";        ///< what the article's print call writes after it
};

/// The steps of a chapter, in the order in which they are shown.
class Walkthrough {
 public:
  /// Steps from here on belong to this section.
  void section(std::string name);
  /// print(label, tensor). The tensor takes the name.
  void add(const std::string& name, const std::string& label, const Tensor& tensor, bool in_article);
  /// A tensor that the article prints.
  void show(const std::string& name, const std::string& label, const Tensor& tensor);
  /// A tensor that the article computes but does not print. It is labelled with `words`, or where there
  /// are none, with PyTorch's words for the operation.
  void extra(const std::string& name, const Tensor& tensor, const std::string& words = "");
  /// print(label, tensor.shape)
  void size(const std::string& name, const std::string& label, const Tensor& tensor);
  /// print(label, text)
  void text(const std::string& name, const std::string& label, const std::string& text, bool in_article = true);

  /// What the print call of the step shown last ends with, where it is not a new line.
  void end_line(const std::string& end) { steps_.back().end = end; }

  const std::vector<Step>& steps() const { return steps_; }

 private:
  std::string section_;
  std::vector<Step> steps_;
};

}  // namespace attn
