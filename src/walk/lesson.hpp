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

/// Stands for the article's own seeds. Nearly all of them are this one.
inline constexpr torch::Seed default_seed = 123;

/// The settings of a chapter. Empty ones keep the article's values.
struct Lesson {
  torch::Seed seed = default_seed;
  Kernels kernels;
  DropoutKernel dropout_kernel = DropoutKernel::standard;

  /// Random inputs torch.rand(tokens, d_in) instead of the article's, where either is given.
  std::optional<std::int64_t> tokens;
  std::optional<std::int64_t> d_in;
  std::optional<std::int64_t> batch;

  std::optional<std::int64_t> d_out_kq;
  std::optional<std::int64_t> d_out_v;
  std::optional<Init> init;
  bool qkv_bias = false;
  std::optional<std::int64_t> num_heads;
  std::map<std::string, std::int64_t, std::less<>> own_sizes;  ///< of single chapters, by their options' names
  std::optional<double> dropout;

  /// The token that by-hand parts follow: a word of the inputs, or an index from 0.
  std::optional<std::string> query;

  /// Words to embed instead of the article's inputs; d_in is then the embedding's dimension, and tokens is refused.
  std::optional<std::string> sentence;

  /// A reader's own [tokens, d_in], instead of the article's or random ones; tokens, d_in and sentence are refused
  /// then.
  std::optional<GivenTensor> inputs;
  /// The same for the second sequence of cross-attention.
  std::optional<GivenTensor> second_inputs;
  /// A reader's own weights in place of drawn ones. No other draw moves.
  std::optional<GivenWeights> weights;

  /// Empty settings get sizes in which axes differ and every rule has an effect, instead of the article's.
  bool fixture = false;
};

/// A lesson that cannot run with these settings: what is wrong; what is accepted; what to do.
struct LessonError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

}  // namespace attn
