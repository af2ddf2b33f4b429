#pragma once

#include <optional>
#include <string_view>

namespace attn::chapters {

/// The reason for a step. An empty field matches everything; a name that ends with * matches all names with that
/// prefix; | separates alternatives.
struct Meaning {
  std::string_view step;
  std::string_view text;
  std::string_view tail = {};                     ///< follows the text
  std::optional<std::string_view> own_tail = {};  ///< replaces the tail if the user's own numbers are in the step
  std::string_view chapter = {};
  std::string_view section = {};
};

inline constexpr std::string_view query_weights =
    "The weights that turn an embedding into a query: what a token looks for.";
inline constexpr std::string_view key_weights =
    "The weights that turn an embedding into a key: what a token offers for comparison.";
inline constexpr std::string_view value_weights =
    "The weights that turn an embedding into a value: what a token passes on to those that attend to it.";

inline constexpr std::string_view heads_are_mixed =
    "A last linear layer mixes the heads' results, so that each output can use every head.";
inline constexpr std::string_view weights_of_a_head =
    "This head's attention weights: how each token distributes its attention over itself and the tokens before it.";
inline constexpr std::string_view scaling_of_heads =
    "Scaling keeps softmax from putting almost all weight on one token.";
inline constexpr std::string_view by_head_dim =
    " The divisor is the square root of head_dim, the number of products in each score.";

}  // namespace attn::chapters
