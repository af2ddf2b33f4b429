#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "emit/form.hpp"
#include "tensor/tensor.hpp"
#include "torch/shown.hpp"
#include "walk/walkthrough.hpp"

namespace attn::emit {

/// A chapter to write a program for.
struct Chapter {
  std::string name;     ///< "causal"
  std::string title;    ///< "causal: a causal mask: no token sees a later one"
  std::string article;  ///< the title of its article: "Attention"
  Walkthrough walk;
  std::vector<Step> shown;           ///< the steps that the program prints, in order
  std::vector<std::string> printed;  ///< the output of each shown step, for a notebook
};

/// The contents of a program.
struct Request {
  std::vector<Chapter> chapters;  ///< at least one
  torch::PrintOptions print;
  bool show_grad = true;                     ///< grad_fn and requires_grad
  std::vector<std::string> checkpoint = {};  ///< the .safetensors files from which the program reads its weights
};

/// A kind of program that reproduces a walkthrough.
struct Emitter : Form {
  void (*write)(std::ostream& out, const Request& request);
  bool shows_output = false;  ///< also writes the output of each step
};

/// All kinds of programs.
std::span<const Emitter> emitters();

/// Writes a PyTorch program whose output is identical to the walkthrough. Its statements follow from the steps' tensors
/// and the draws, in the order of the steps. Tensors that no shown step needs are left out.
void write_pytorch(std::ostream& out, const Request& request);

/// Writes the same program as a notebook, with the output of each cell.
void write_notebook(std::ostream& out, const Request& request);

/// Writes a program that needs only numpy: it computes each step in float32 and prints it. Inputs, weights and masks
/// are literals. numpy sums in another order than PyTorch, so last digits differ.
void write_numpy(std::ostream& out, const Request& request);

/// A Jupyter notebook (nbformat 4.4), cell by cell.
class Notebook {
 public:
  void add_text(const std::string& markdown);
  /// Adds an executed code cell with its output. Adds nothing if the code is empty.
  void add_code(const std::string& code, const std::string& printed);
  /// Adds an empty code cell, to be filled in.
  void add_blank();
  void write(std::ostream& out) const;

 private:
  nlohmann::ordered_json cells_ = nlohmann::ordered_json::array();
  int runs_ = 0;
};

/// A string literal: "keys\\n".
std::string string_literal(std::string_view text);

/// A valid variable name made from words.
std::string identifier(std::string_view words);

/// The numbers as nested lists, each with the fewest digits that restore it. `module` provides inf and nan: "np".
std::string list_literal(const Tensor& tensor, std::string_view module);

/// The statement, with the items of brackets on several lines if it is too long for one.
std::string wrapped_statement(const std::string& statement);

/// The definition of `weights`, the tensors of .safetensors files: `weights["h.0.ln_1.weight"]`. `result` makes one of
/// the numpy array `values`. Empty without files.
std::string weights_class(const std::vector<std::string>& files, std::string_view result);

}  // namespace attn::emit
