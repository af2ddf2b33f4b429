#pragma once

#include <string_view>

namespace attn {

/// Something that an article's page is known to get wrong.
struct Slip {
  /// Which printed tensors have it.
  enum class Where { always, no_grad_fn, missing_parenthesis, other_shape };

  std::string_view chapter;
  std::string_view step;   ///< the step's name
  std::string_view label;  ///< only where the words before the tensor contain this; empty: everywhere
  Where where = Where::always;
  std::string_view text;  ///< one sentence
};

}  // namespace attn
