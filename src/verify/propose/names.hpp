#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "files/read.hpp"

namespace attn::port {

/// Sets the head of each tensor whose name certainly says it: "heads.1.q" and "q_head2" beside "heads.0.q", or "Q_2" of
/// as many as there are heads.
void number_heads(std::span<dump::Dumped> dumped, std::int64_t heads);

/// What a tensor's name says, in the habits of programs, libraries, papers and tutorials.
struct Meant {
  enum class Kind { any, weight, bias };

  Kind kind = Kind::any;
  std::string section;             ///< "head_1" of "heads.0.W_key.weight"; may be empty
  std::vector<std::string> steps;  ///< the steps that are called so, the likeliest first, without their sections
  std::vector<std::vector<std::string>>
      parts;  ///< of a fused tensor: steps that stand in it side by side; one such list, or more
  bool is_final =
      false;  ///< the result of a layer, as far as the name goes: what its projection gives, where it has one
  bool is_columns = false;  ///< a weight that is stored as [d_in, d_out]: Flax's kernel, GPT-2's Conv1D
  bool is_certain = false;  ///< the whole name is known but for the layers before it, and not one word of it alone
};

/// What the name says, whatever layers stand before it ("model.layers.0.self_attn.q_proj.weight").
Meant meant_by(std::string_view name);

/// Lower case, words with _ between: "attnScores" is "attn_scores".
std::string plain_name(std::string_view name);

}  // namespace attn::port
