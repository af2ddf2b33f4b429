#pragma once

#include <span>
#include <string>
#include <vector>

#include "walk/walkthrough.hpp"

namespace attn::render {

/// A chapter in one line, in the names of its own tensors.
struct Formula {
  std::string text;                ///< "context_vecs = softmax(queries @ keys.T / sqrt(d_k)) @ values"
  std::vector<std::string> terms;  ///< what its words stand for: "d_k: the dimension of the keys, 2"
};

/// The tensor in which a chapter ends: the last one that is made from attention weights, of all tokens where there is
/// such; null where there is none.
const Step* result_of(std::span<const Step> steps);

/// How the result is made from what does not depend on attention weights or scores. Empty where there is none.
Formula formula_of(std::span<const Step> steps);

}  // namespace attn::render
