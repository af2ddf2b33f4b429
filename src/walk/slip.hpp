#pragma once

#include <string_view>

namespace attn {

/// A known error on an article's page.
struct Slip {
  /// The printed tensors that have the error.
  enum class Where { always, no_grad_fn, missing_parenthesis, other_shape };

  std::string_view chapter;
  std::string_view step;   ///< the step's name
  std::string_view label;  ///< the text before the tensor must contain this; empty: any text
  Where where = Where::always;
  std::string_view text;  ///< one sentence
};

}  // namespace attn
