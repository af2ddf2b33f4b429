#pragma once

#include <map>
#include <set>

#include "emit/emitters.hpp"
#include "tensor/tensor.hpp"

namespace attn::emit {

/// The program's docstring: its chapters, their article, and further words.
std::string head_text(const Request& request, const std::string& words);

/// The program of one chapter, or a function for each of several, called in order.
std::string chapters_text(const std::vector<std::string>& bodies, const std::vector<Chapter>& chapters);

/// The variables of a program with unique names: the steps' names, followed by their section's if several tensors have
/// the same name.
class Names {
 public:
  /// Requests a variable for the tensor; later requests for it are ignored.
  void add(const Tensor& tensor, const std::string& name, const std::string& section);
  /// Assigns the names.
  void settle();

  bool has(const Tensor& tensor) const { return found_.contains(tensor.id()); }
  /// Throws std::out_of_range for a tensor without a variable.
  const std::string& of(const Tensor& tensor) const { return found_.at(tensor.id()); }

 private:
  struct Wanted {
    const void* id;
    std::string name;
    std::string section;
  };

  std::vector<Wanted> wanted_;
  std::map<const void*, std::string> found_;
};

/// Writes the statements of one chapter's program: the tensors that its shown steps need, in the order of all steps,
/// and the print calls. A subclass for each language writes tensors and print calls.
class Listing {
 public:
  explicit Listing(const Chapter& chapter) : chapter_(chapter) {}
  Listing(const Listing&) = delete;
  Listing& operator=(const Listing&) = delete;
  virtual ~Listing() = default;

  /// The text of the program, one part up to each print call and one after the last.
  std::vector<std::string> parts();

  /// The tensors that the program computes.
  const std::vector<Tensor>& needed() const { return needed_; }

 protected:
  /// The tensors that the expression for this one needs; by default its operands.
  virtual std::vector<Tensor> made_of(const Tensor& tensor) const { return tensor.operands(); }
  /// The name that the language prefers for a step's tensor.
  virtual std::string name_of(const Step& step) const { return step.name; }
  /// Called when all needed tensors are known, before they get names.
  virtual void prepare() {}
  /// Writes the statements that assign a tensor to its variable.
  virtual void make(const Tensor& tensor) = 0;
  /// Writes a step's print call.
  virtual void print(const Step& step) = 0;
  /// Writes what has to follow the last step.
  virtual void finish() {}
  /// The expression that computes the tensor from others.
  virtual std::string expression(const Tensor& tensor) = 0;

  /// The text for each operand in an expression; for a quotient by a root, also for the number under the root if the
  /// keys are a variable.
  std::vector<std::string> operand_words(const Tensor& tensor);
  /// The text for a tensor in an expression: its variable, which is assigned first if necessary, or its own expression.
  virtual std::string reference(const Tensor& tensor);
  /// Returns true if the program computes the tensor.
  bool is_needed(const Tensor& tensor) const { return uses_.contains(tensor.id()); }
  /// The number of expressions and print calls that use the tensor.
  int uses(const Tensor& tensor) const { return uses_.at(tensor.id()); }
  /// Writes a line, and a comment before it if a section begins.
  void line(const std::string& statement);

  Names& names() { return names_; }

 private:
  void find_needed(const Tensor& tensor);
  void find_names(const std::vector<bool>& is_shown);

  const Chapter& chapter_;
  Names names_;
  std::vector<Tensor> needed_;
  std::map<const void*, int> uses_;
  std::set<const void*> defined_;
  std::string section_;
  std::string written_section_;
  std::string text_;  ///< the text since the last print call
  bool is_begun_ = false;
};

}  // namespace attn::emit
