#pragma once

#include <functional>
#include <map>
#include <set>
#include <vector>

#include "chapters/article.hpp"
#include "chapters/program.hpp"

/// The attention of one layer of a checkpoint. Each model is an article with one chapter, `layer`.
namespace attn::chapters::layer {

/// A kind of checkpoint: an article with one chapter. It must not be copied: the two point to each other.
struct Model {
  std::string_view name;     ///< of the article
  std::string_view title;    ///< "GPT-2"
  void (*run)(Program&);     ///< the layer's program
  std::string_view special;  ///< special features of the layer
  std::span<const Meaning> meanings;
  std::string_view mark;  ///< a tensor that each layer of such a checkpoint has, and no other: "attn.c_attn.weight"
  std::string_view types = {};    ///< each `model_type` in a config.json of such a checkpoint; empty: it has no config
  std::string_view part = {};     ///< how the names of the attention's tensors begin in a layer: "attn."
  std::string_view ignored = {};  ///< those among them that compute nothing
  std::string_view assumed = {};  ///< the settings that are assumed without a config
  std::string_view embeddings = {};  ///< the tensors that make hidden states of token ids: "wte.weight wpe.weight"

  Article article = {.name = name, .title = title, .cpu = Cpu::avx2, .chapters = {&chapter, 1}, .meanings = meanings};
  Chapter chapter = {
      "layer", &article, run, "those of the checkpoint", special, {.batch = true, .heads = true, .shared_d_out = true}};
};

/// Returns true if a list, separated by spaces, has the word.
bool has_word(std::string_view list, std::string_view word);

/// All kinds of checkpoints.
std::span<const Model> models();

/// The layers of a checkpoint.
struct Layers {
  const Model* model;
  std::map<std::int64_t, std::string> prefixes;  ///< of the names of each layer's tensors: "model.layers.0."
};
/// Finds the layers by the names of a checkpoint's tensors. Throws LessonError if it is of no model here.
Layers layers_of(const std::vector<std::string>& names);

/// Throws LessonError if the layer's config is of another model.
void check_config(const Model& model, const GivenLayer& layer);

/// The layer's tensors and settings, for the program of a model. In a lesson without a layer, as for a list of steps,
/// it is a small one whose weights are 0.
class Layer {
 public:
  explicit Layer(Program& p);

  /// The model's own lines from the ids of tokens [n] to the hidden states [n, d] that enter the first layer.
  using Embed = std::function<Tensor(const Tensor& ids)>;
  /// What enters the layer, [batch, tokens, d]: the lesson's inputs, or its embedded sentence.
  Tensor hidden_states(const Embed& embed = {});
  /// nn.Embedding `key`: [n] -> [n, d]. Throws LessonError if it has no row for an id; `hint` says what to do then.
  Tensor embedding(const std::string& key, const Tensor& ids, const std::string& hint);
  /// The embedding `key` of tokens, shown.
  Tensor token_embeddings(const std::string& key, const Tensor& ids);
  /// The embedding `key` of their positions, counted from `first`, shown.
  Tensor pos_embeddings(const std::string& key, const Tensor& ids, std::int64_t first = 0);
  /// nn.Linear `key`, [..., d_in] -> [..., d_out], with a bias if the layer has one. Its weight is the step `name`;
  /// `joint` is between the module's name and that of its weight.
  Tensor linear(const std::string& name, const std::string& key, const Tensor& x, std::int64_t d_out,
                const std::string& joint = ".");
  /// GPT-2's Conv1D `key`: nn.Linear with its weight stored as [d_in, d_out].
  Tensor conv1d(const std::string& name, const std::string& key, const Tensor& x, std::int64_t d_out);
  /// nn.LayerNorm `key` in its steps, whose names begin with `before`. Its result is not shown yet.
  Tensor layer_norm(const std::string& key, const Tensor& x, double epsilon, const std::string& before = "");
  /// The book's LayerNorm `key` in its steps: PyTorch's mean and variance, a weight `scale` and a bias `shift`.
  Tensor layer_norm_by_hand(const std::string& key, const Tensor& x, double epsilon);
  /// RMSNorm `key` in its steps, as Llama's program has them. Its result is not shown yet.
  Tensor rms_norm(const std::string& key, const Tensor& x, double epsilon);
  /// Returns true if the checkpoint has the tensor.
  bool has(const std::string& key) const { return given_ == nullptr || given_->weights.contains(key); }
  /// Throws LessonError if the layer's attention has a tensor that was not asked for.
  void check_all_used() const;

  /// Throws LessonError if the checkpoint has no config: `what` cannot be known from shapes.
  void needs_config(const std::string& what) const;
  /// The number of heads: of the lesson or, under this key, of the config. Throws LessonError if neither has it.
  std::int64_t num_heads(std::string_view key) const;
  /// The same; throws LessonError too if it does not divide `columns`.
  std::int64_t num_heads(std::string_view key, std::int64_t columns) const;
  /// Throws LessonError if so many heads cannot share `count` of what there is evenly.
  void check_divides(std::int64_t heads, std::int64_t count, const std::string& what) const;
  /// A number or word of the config; `usual` without one. Settings of "rope_scaling" may also be in "rope_parameters".
  double number(std::string_view key, double usual) const;
  std::string word(std::string_view key, const std::string& usual) const;
  /// A size of the config; throws LessonError if it is no whole number from 1 on.
  std::int64_t whole(std::string_view key, std::int64_t usual) const;
  /// Throws LessonError if the config has another number under the key.
  void expect(std::string_view key, double expected) const;
  void expect(std::string_view key, const std::string& expected) const;
  /// The layer's number, and the path of its config.
  std::int64_t index() const { return given_ == nullptr ? 0 : given_->number; }
  std::string config() const { return given_ == nullptr ? "" : given_->config; }

 private:
  void refuse_other(std::string_view key, const std::string& is, const std::string& expected) const;
  /// A weight of this shape, shown as the step `name`. Throws LessonError if the layer has none, or another shape.
  Tensor weight(const std::string& name, const std::string& key, const Shape& shape);
  /// "layer 0 of 'model.safetensors'"
  std::string place() const;

  Program& p_;
  const GivenLayer* given_;  ///< null if the lesson has none
  const Model& model_;
  std::set<std::string> asked_;
};

/// The context vectors of all heads side by side: [b, heads, n, head_dim] -> [b, n, heads * head_dim].
Tensor joined_heads(Program& p, const Tensor& contexts);

/// softmax(queries @ keys.transpose(2, 3) / head_dim**0.5) @ values, with the heads joined: [b, heads, n, head_dim]
/// each
/// -> [b, n, heads * head_dim]. The mask is True where a score is hidden.
Tensor attend(Program& p, const Tensor& queries, const Tensor& keys, const Tensor& values,
              const std::optional<Tensor>& mask);

/// How far one position turns each of d / 2 pairs of columns, as the layer's config says: rope_theta, and rope_scaling
/// of type linear or llama3. As the models compute it in float32, except for the power. Throws LessonError for an odd d
/// and for other scalings.
Tensor rope_frequencies(Program& p, const Layer& layer, std::int64_t d);

}  // namespace attn::chapters::layer
