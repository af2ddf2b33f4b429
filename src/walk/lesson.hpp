#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>

#include "tensor/kernels.hpp"
#include "torch/seed.hpp"
#include "walk/given.hpp"

namespace attn {

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
