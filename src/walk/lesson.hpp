#pragma once

#include <map>

#include "tensor/array.hpp"
#include "tensor/kernels.hpp"
#include "tensor/operations.hpp"
#include "torch/generator.hpp"

namespace attn {

/// A tensor that the user gives.
struct GivenTensor {
  /// How a weight is stored, if its name implies it.
  enum class Layout { as_is, rows, columns };

  std::string name;  ///< "inputs", or a weight's step with or without the section: "W_query", "head_1/W_query"
  Shape shape;
  /// Reads the numbers, row-major, on first use, so that a wrong shape is refused before.
  std::function<std::shared_ptr<const std::vector<float>>()> values;
  std::string source;             ///< the name on the command line: "mine.npz"; or the option that makes it
  Layout layout = Layout::as_is;  ///< rows: nn.Linear's [d_out, d_in]; columns: [d_in, d_out]
  LeafWords words = {""};         ///< how a program reads it; empty: a program lists its numbers
};

/// A word of a sentence as one token of a checkpoint's vocabulary.
struct GivenToken {
  std::string word;  ///< "journey"
  std::string text;  ///< as the vocabulary spells it: "Ġjourney"
  std::int64_t id = 0;
};

/// One layer of a model's checkpoint.
struct GivenLayer {
  std::int64_t number = 0;
  std::string source;                                  ///< the checkpoint on the command line: "model.safetensors"
  std::vector<std::string> files;                      ///< that have the layer's tensors
  std::map<std::string, Tensor, std::less<>> weights;  ///< by their names in the layer, "attn.c_attn.weight", or where
                                                       ///< the model embeds tokens, "wte.weight"
  std::string config;                                  ///< the path of its config.json; empty without one
  std::map<std::string, double, std::less<>> numbers;  ///< what the config says, as files::Settings
  std::map<std::string, std::string, std::less<>> words;
  std::vector<GivenToken> tokens;  ///< of the lesson's sentence; empty if it has the hidden states
  std::string tokenizer;           ///< the path of the tokens' tokenizer.json
};

/// The weights that the user gives.
struct GivenWeights {
  std::vector<GivenTensor> tensors;
  bool is_whole_file = false;  ///< all tensors of a file: those that are not weights of the chapter are ignored
  std::string source;
};

/// How weight matrices are made: nn.Parameter(torch.rand), nn.Parameter(torch.randn) or nn.Linear.
enum class Init { rand, randn, linear };

/// What each token attends to with hand-made weights: the previous token, tokens of the same word, itself and all
/// before it, or the first token.
enum class AttendTo { previous, same, earlier, first };

/// The seed of nearly all articles.
inline constexpr torch::Seed default_seed = 123;

/// The settings of a chapter. An empty setting keeps the article's value.
struct Lesson {
  std::optional<torch::Seed> seed;  ///< if an article seeds twice, for both parts
  Kernels kernels;
  DropoutKernel dropout_kernel = DropoutKernel::standard;

  /// If either is set, the inputs are torch.rand(tokens, d_in) instead of the article's.
  std::optional<std::int64_t> tokens;
  std::optional<std::int64_t> d_in;
  std::optional<std::int64_t> batch;

  std::optional<std::int64_t> d_out_kq;
  std::optional<std::int64_t> d_out_v;
  std::optional<Init> init;
  bool qkv_bias = false;
  std::optional<std::int64_t> num_heads;
  std::map<std::string, std::int64_t, std::less<>> own_sizes;  ///< sizes that only some chapters have, by option name
  std::optional<double> dropout;

  /// The token to follow by hand: a word of the inputs, or an index from 0.
  std::optional<std::string> query;

  /// Words to embed instead of the article's inputs; d_in is then the embedding's dimension, and tokens is refused.
  std::optional<std::string> sentence;

  /// The user's inputs [tokens, d_in]. They exclude tokens, d_in and sentence.
  std::optional<GivenTensor> inputs;
  /// The user's second sequence for cross-attention.
  std::optional<GivenTensor> second_inputs;
  /// The user's weights, which replace drawn ones without changing other draws.
  std::optional<GivenWeights> weights;

  /// The layer of a checkpoint to walk through; then the inputs [tokens, d] or [batch, tokens, d] are its hidden
  /// states, or the model embeds the sentence.
  std::optional<GivenLayer> layer;

  /// One-hot inputs and hand-made weights. It excludes everything else that sets inputs, weights or their sizes.
  std::optional<AttendTo> attend_to;

  /// Gives empty settings sizes at which all axes differ and every rule has an effect, instead of the article's.
  bool fixture = false;
};

/// A lesson that cannot run with these settings: what is wrong; what is accepted; what to do.
struct LessonError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

}  // namespace attn
