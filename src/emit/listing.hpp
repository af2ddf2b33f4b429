#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "emit/names.hpp"
#include "emit/request.hpp"

namespace attn::emit {

/// The statements of one chapter's program: what its shown steps need, in the order of all steps, and their print
/// calls. A language says how each tensor is made and printed.
class Listing {
 public:
  explicit Listing(const Chapter& chapter) : chapter_(chapter) {}
  Listing(const Listing&) = delete;
  Listing& operator=(const Listing&) = delete;
  virtual ~Listing() = default;

  /// The lines, each with its end, up to each print call and after the last one.
  std::vector<std::string> parts();

  /// The tensors that the program makes.
  const std::vector<Tensor>& needed() const { return needed_; }

 protected:
  /// The tensors of which the language makes this one: its operands, unless said otherwise.
  virtual std::vector<Tensor> made_of(const Tensor& tensor) const { return tensor.operands(); }
  /// The name that the language would give to a step's tensor.
  virtual std::string name_of(const Step& step) const { return step.name; }
  /// Called when all that is needed is known, before names are given.
  virtual void prepare() {}
  /// Writes the statements that make a tensor with a variable.
  virtual void make(const Tensor& tensor) = 0;
  /// Writes a step's print call.
  virtual void print(const Step& step) = 0;
  /// The expression that makes the tensor of others.
  virtual std::string expression(const Tensor& tensor) = 0;

  /// How an expression speaks of each operand; of a quotient by a root, also of the number under the root, where the
  /// keys that have it are a variable.
  std::vector<std::string> operand_words(const Tensor& tensor);
  /// How an expression speaks of the tensor: by its variable, which is made first if it has to be, or else by its own
  /// expression.
  virtual std::string reference(const Tensor& tensor);
  /// Whether the program makes the tensor.
  bool is_needed(const Tensor& tensor) const { return uses_.contains(tensor.id()); }
  /// How many expressions and print calls speak of it.
  int uses(const Tensor& tensor) const { return uses_.at(tensor.id()); }
  /// Writes a line, after a comment where another section begins.
  void line(const std::string& statement);

  const Chapter& chapter() const { return chapter_; }
  Names& names() { return names_; }
  const Names& names() const { return names_; }

 private:
  void find_needed(const Tensor& tensor);
  void define(const Tensor& tensor);
  void find_names(const std::vector<bool>& is_shown);

  const Chapter& chapter_;
  Names names_;
  std::vector<Tensor> needed_;
  std::map<const void*, int> uses_;
  std::set<const void*> defined_;
  std::string section_;
  std::string written_section_;
  std::string text_;  ///< since the last print call
  bool is_begun_ = false;
};

/// The program's docstring: its chapters, their article, and what else is to be said.
std::string head_text(const Request& request, const std::string& words);

/// The parts one after the other.
std::string joined_parts(const std::vector<std::string>& parts);

/// The program of one chapter, or a function for each of several, called in order.
std::string chapters_text(const std::vector<std::string>& bodies, const std::vector<Chapter>& chapters);

}  // namespace attn::emit
