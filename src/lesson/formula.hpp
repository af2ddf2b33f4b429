#pragma once

#include <span>
#include <string>
#include <vector>

#include "walk/walkthrough.hpp"

namespace attn::render {

/// A chapter's computation in one line, with the names of its own tensors.
struct Formula {
  std::string text;                ///< "context_vecs = softmax(queries @ keys.T / sqrt(d_k)) @ values"
  std::vector<std::string> terms;  ///< definitions of its symbols: "d_k: the dimension of the keys, 2"
};

/// The result of a chapter: the last tensor computed from attention weights, for all tokens if there is one; null if
/// there is none.
const Step* result_of(std::span<const Step> steps);

/// The formula of the result, down to tensors that do not depend on attention weights or scores. Empty if there is no
/// result.
Formula formula_of(std::span<const Step> steps);

}  // namespace attn::render
