#include "rules.hpp"

#include <cmath>
#include <limits>

#include "tensor/operations.hpp"
#include "tensor/what_if.hpp"

namespace attn::chapters {

Tensor scaled(const Lesson& lesson, Walkthrough& walk, const Tensor& scores, const Tensor& keys,
              const std::string& name) {
  if (lesson.what_if == WhatIf::no_scaling) {
    return scores;
  }
  const double divisor = std::sqrt(static_cast<double>(keys.size(-1)));
  const Tensor result = divide(scores, divisor, keys.name() + ".shape[-1]**0.5");
  walk.extra(name, result);
  return result;
}

Tensor masked(const Lesson& lesson, Walkthrough& walk, const Tensor& scores, const Tensor& mask,
              const std::string& label, bool in_article) {
  if (lesson.what_if == WhatIf::no_mask || lesson.what_if == WhatIf::mask_after_softmax) {
    return scores;
  }
  const Tensor result = masked_fill(scores, mask, -std::numeric_limits<float>::infinity());
  walk.add("masked_attn_scores", label, result, in_article);
  return result;
}

Tensor masked_simple(const Lesson& lesson, Walkthrough& walk, const Tensor& weights, const Tensor& triangle,
                     const std::string& label) {
  if (lesson.what_if == WhatIf::no_mask) {
    return weights;
  }
  const Tensor result = multiply(weights, triangle);
  walk.show("masked_simple", label, result);
  return result;
}

Tensor softmax(const Lesson& lesson, const Tensor& scores) {
  const bool is_last_axis = lesson.what_if != WhatIf::softmax_dim_0 || scores.dim() == 1;
  return is_last_axis ? attn::softmax(scores) : softmax_over(scores, 0);
}

Tensor masked_softmax(const Lesson& lesson, Walkthrough& walk, const Tensor& scores,
                      const Tensor& mask) {
  const Tensor weights = softmax(lesson, scores);
  if (lesson.what_if != WhatIf::mask_after_softmax) {
    return weights;
  }
  walk.extra("unmasked_attn_weights", weights);
  return masked_fill(weights, mask, 0);
}

torch::Dropped dropout(const Lesson& lesson, torch::Torch& torch, const Tensor& x, double p) {
  torch::Dropped dropped = torch.dropout(x, p);
  if (lesson.what_if == WhatIf::no_rescale) {
    dropped.output = kept(x, dropped.mask);
  }
  return dropped;
}

Tensor dropout_scale(const Lesson& lesson, double p) {
  return lesson.what_if == WhatIf::no_rescale ? torch::ones({}) : torch::dropout_scale(p);
}

}  // namespace attn::chapters
