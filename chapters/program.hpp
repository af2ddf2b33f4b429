#pragma once

#include "chapters/inputs.hpp"
#include "tensor/operations.hpp"
#include "torch/torch.hpp"
#include "walk/lesson.hpp"
#include "walk/walkthrough.hpp"

namespace attn::chapters {

/// One of W_query, W_key, W_value: nn.Linear, or an nn.Parameter [d_in, d_out] that the input is multiplied
/// with. Draws its numbers when made.
class Projection {
 public:
  Projection(torch::Torch& torch, Init init, std::int64_t d_in, std::int64_t d_out, bool bias, std::string name,
             bool requires_grad = true);

  /// A given matrix [d_in, d_out] that is not a parameter.
  Projection(const Tensor& matrix, std::string name);

  /// [..., d_in] -> [..., d_out]
  Tensor operator()(const Tensor& x) const { return module_ ? (*module_)(x) : matmul(x, *matrix_); }
  /// The article's variable.
  const std::string& name() const { return name_; }
  const Tensor& weight() const { return module_ ? module_->weight : *matrix_; }
  std::optional<Tensor> bias() const { return module_ ? module_->bias : std::nullopt; }
  bool is_module() const { return module_.has_value(); }
  std::int64_t d_out() const { return weight().size(module_ ? 0 : 1); }
  /// The program's expression for the weight: "W_query.weight" for a module.
  std::string words() const { return module_ ? name_ + ".weight" : name_; }

 private:
  std::string name_;
  std::optional<torch::Linear> module_;
  std::optional<Tensor> matrix_;
};

/// The three projections of a lesson.
struct Projections {
  Projection W_query;
  Projection W_key;
  Projection W_value;
};

/// The article's sizes and initialisation, used unless the lesson sets others.
struct ProjectionDefaults {
  Init init;
  std::int64_t d_out_kq;
  std::int64_t d_out_v;
  bool key_first = false;     ///< drawn in the order key, query, value
  bool requires_grad = true;  ///< for nn.Parameter; nn.Linear always requires it
  std::int64_t heads = 1;     ///< heads that share d_out; keys and values have columns for `kv_heads` of them
  std::int64_t kv_heads = 1;
};

struct Article;
struct Chapter;

/// The context in which a chapter runs an article's program: the lesson, PyTorch, and the walkthrough that collects its
/// tensors.
class Program {
 public:
  Program(const Chapter& chapter, const Lesson& lesson, torch::Torch& torch, Walkthrough& walk);

  const Article& article() const { return article_; }
  const Lesson& lesson() const { return lesson_; }

  // ---- What is printed; each returns the tensor --------------------------------------------------

  /// Starts a section: the following steps belong to it.
  void section(const std::string& name) { walk_.section(name); }
  /// print(label, tensor)
  Tensor show(const std::string& name, const std::string& label, const Tensor& tensor, bool in_article = true);
  /// Adds a variable that the article does not print.
  Tensor let(const std::string& name, const Tensor& tensor, const std::string& words = "");
  /// print(label, tensor.shape)
  Tensor size(const std::string& name, const std::string& label, const Tensor& tensor);
  /// Sets the end of the last print call, if it is not a new line.
  void end_line(const std::string& end) { walk_.end_line(end); }

  /// with torch.no_grad(): nothing that is shown or added from here on has a gradient.
  void no_grad() { has_grad_ = false; }

  // ---- Inputs ------------------------------------------------------------------------------------

  /// Sets the article's seed from here on. A lesson's own seed, any but the default one, takes precedence.
  void seed_with(torch::Seed seed) { article_seed_ = seed; }
  /// torch.manual_seed(seed), then the inputs [tokens, d_in]: the toy embeddings of "Your journey starts with one
  /// step", random inputs drawn right after seeding, the embedded sentence of the lesson with the seed set again, or
  /// the user's inputs.
  Tensor seeded_inputs();
  /// seeded_inputs(), after the lesson's sentence, if there is one, its vocabulary and ids.
  Tensor inputs();
  /// seeded_inputs() for a section that starts over.
  Tensor inputs_again() { return let("inputs", seeded_inputs(), "inputs"); }
  /// The embedded sentence [n, d_in] of the article or the lesson, with the steps that lead to it and torch.manual_seed
  /// after it; or the lesson's random inputs.
  Tensor embedded_sentence(bool in_article);
  /// The lesson's sentence, its words in the vocabulary of the layer's model, and their ids [n].
  Tensor token_ids();
  /// Seeds again after embedding: returns these inputs, or new random ones if the lesson asks for random inputs.
  Tensor seeded_again(const Tensor& inputs);
  /// torch.rand(shape), [tokens, d_in], or the user's second inputs. Throws LessonError if their d_in differs.
  Tensor second_inputs(const Shape& shape);
  /// The inputs stacked `copies` times, or as often as the lesson says: [tokens, d_in] -> [batch, tokens, d_in]; or the
  /// user's batch, whose first entry they are.
  Tensor batch(const Tensor& inputs, std::int64_t copies);
  /// The index of the token to follow by hand: the lesson's, or the second. Throws LessonError if the inputs
  /// have no such token.
  std::int64_t query(const Tensor& inputs) const;

  /// torch.tensor of nested lists: numbers that the article gives.
  Tensor tensor(std::span<const float> values, const Shape& shape) const {
    return torch::tensor({values.begin(), values.end()}, shape, torch_.kernels());
  }

  // ---- Weights -----------------------------------------------------------------------------------

  /// W_query, W_key and W_value, drawn.
  Projections drawn_projections(std::int64_t d_in, const ProjectionDefaults& defaults);
  /// Like drawn_projections(), not printed.
  Projections projections(std::int64_t d_in, const ProjectionDefaults& defaults);
  /// Given projections, not printed.
  Projections let(Projections projections);
  /// Prints the weight as the article does, and adds the bias, if any, which the article does not print.
  void show_weight(const std::string& label, const Projection& projection);

  /// One more projection without a bias, initialised as the lesson or the article says; not printed.
  Projection projection(const std::string& name, Init init, std::int64_t d_in, std::int64_t d_out);
  /// nn.Linear(d_in, d_out) with a bias, not printed.
  torch::Linear linear(const std::string& name, std::int64_t d_in, std::int64_t d_out);
  /// nn.Embedding(rows, dim), not printed.
  torch::Embedding embedding(const std::string& name, std::int64_t rows, std::int64_t dim);

  // ---- What else is drawn ------------------------------------------------------------------------

  void manual_seed() { torch_.manual_seed(seed()); }
  Tensor rand(const Shape& shape) { return torch_.rand(shape); }
  Tensor randn(const Shape& shape) { return torch_.randn(shape); }
  torch::Dropped dropout(const Tensor& x, double p) { return torch_.dropout(x, p); }

  // ---- What the lesson says, or else the article -------------------------------------------------

  double dropout_rate(double article) const { return lesson_.dropout.value_or(article); }
  std::int64_t num_heads(std::int64_t article) const { return lesson_.num_heads.value_or(article); }
  /// A size that the chapter declares as an option.
  std::int64_t own_size(std::string_view name, std::int64_t article) const {
    const auto given = lesson_.own_sizes.find(name);
    return given == lesson_.own_sizes.end() ? article : given->second;
  }
  std::int64_t num_tokens() const { return token_count(lesson_); }

 private:
  torch::Seed seed() const { return lesson_.seed.value_or(article_seed_); }
  Tensor ids(bool in_article);
  /// The first entry of a batch [batch, tokens, d_in] whose entries differ.
  Tensor first_of(const Tensor& batch);
  Tensor embedded(const Tensor& ids);
  void let_bias(const Projection& projection);

  const Article& article_;
  const std::int64_t d_in_;  ///< of drawn inputs
  const Lesson& lesson_;
  torch::Torch& torch_;
  Walkthrough& walk_;
  torch::Seed article_seed_ = default_seed;
  bool has_grad_ = true;
  std::optional<Tensor> batch_;  ///< [batch, tokens, d_in] with different entries; the inputs are the first
};

}  // namespace attn::chapters
