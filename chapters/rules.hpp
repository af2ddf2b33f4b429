#pragma once

#include <string>

#include "torch/torch.hpp"
#include "walk/lesson.hpp"
#include "walk/walkthrough.hpp"

/// The lines of the articles' programs that Lesson::what_if changes. Each shows the step that it makes; where the rule
/// leaves the line out, there is no such step, and the operand comes back.
namespace attn::chapters {

/// scores / keys.shape[-1]**0.5, with `keys` by the name that it has: an extra of the given name.
Tensor scaled(const Lesson& lesson, Walkthrough& walk, const Tensor& scores, const Tensor& keys,
              const std::string& name = "scaled_attn_scores");

/// scores.masked_fill(mask, -torch.inf): the step masked_attn_scores.
Tensor masked(const Lesson& lesson, Walkthrough& walk, const Tensor& scores, const Tensor& mask,
              const std::string& label, bool in_article = true);

/// weights * triangle: the step masked_simple.
Tensor masked_simple(const Lesson& lesson, Walkthrough& walk, const Tensor& weights, const Tensor& triangle,
                     const std::string& label);

/// torch.softmax(scores, dim=-1); shows nothing.
Tensor softmax(const Lesson& lesson, const Tensor& scores);

/// The softmax of scores that have been masked; masked only here with WhatIf::mask_after_softmax, whose unmasked
/// weights are an extra.
Tensor masked_softmax(const Lesson& lesson, Walkthrough& walk, const Tensor& scores,
                      const Tensor& mask);

/// nn.Dropout(p)(x); shows nothing.
torch::Dropped dropout(const Lesson& lesson, torch::Torch& torch, const Tensor& x, double p);

/// What `dropout` multiplies kept elements with, as a scalar.
Tensor dropout_scale(const Lesson& lesson, double p);

}  // namespace attn::chapters
