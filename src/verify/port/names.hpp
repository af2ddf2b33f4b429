#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attn::verify {

/// The meaning of a tensor's name in programs, libraries, papers and tutorials.
struct Meant {
  enum class Kind { any, weight, bias };

  Kind kind = Kind::any;
  std::string section;             ///< "head_1" of "heads.0.W_key.weight"; may be empty
  std::vector<std::string> steps;  ///< the steps with such a name, without their sections; the likeliest first
  std::vector<std::vector<std::string>>
      parts;                ///< for a fused tensor: the steps in it, side by side; one such list or more
  bool is_final = false;    ///< by its name a layer's result: after the output projection, if there is one
  bool is_columns = false;  ///< a weight stored as [d_in, d_out]: Flax's kernel, GPT-2's Conv1D
  bool is_certain = false;  ///< the whole name is known, except for the layers before it; not just one word of it
};

/// Reads a name; layers may precede it ("model.layers.0.self_attn.q_proj.weight").
Meant meant_by(std::string_view name);

/// The name in lower case with _ between words: "attnScores" becomes "attn_scores".
std::string plain_name(std::string_view name);

}  // namespace attn::verify
