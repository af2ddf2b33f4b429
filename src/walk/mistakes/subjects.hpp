#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "walk/mistake_rules.hpp"
#include "walk/mistakes.hpp"

/// Further mistakes that ports are known to make; one file per subject.
namespace attn {

using Steps = std::span<const Step>;

/// A row of the tables: a mistake whose rule is made for the steps at hand.
struct MistakeRow {
  std::string_view name;
  std::string_view sentence;
  std::string_view instead;
  Rewriter::Rule (*rule)(Steps steps);
  bool is_rare = false;
};

/// A rule that is the same for all steps.
template <Tensor (*instead)(const Tensor& was, const Tensor& is)>
Rewriter::Rule always(Steps) {
  return instead;
}

/// That, for the operations of one kind.
template <Kind kind, Tensor (*instead)(const Tensor& was, const Tensor& is)>
Rewriter::Rule each(Steps) {
  return for_each(kind, instead);
}

std::vector<Mistake> made(std::span<const MistakeRow> rows, Steps steps);

/// Mistakes in masks, with variants of some of the `usual` ones.
std::vector<Mistake> mask_mistakes(std::span<const Mistake> usual);
std::span<const MistakeRow> score_mistakes();
/// The mistakes that four printed digits can distinguish.
std::span<const MistakeRow> softmax_mistakes_on_pages();
std::vector<Mistake> softmax_mistakes();
std::vector<Mistake> dropout_mistakes(std::span<const Step> steps);
std::vector<Mistake> projection_mistakes(std::span<const Step> steps);
/// The mistakes in rotating queries and keys that --what-if has.
std::span<const MistakeRow> rotation_mistakes_in();
/// Further mistakes in rotating.
std::span<const MistakeRow> rotation_mistakes();
/// The mistakes in linear biases and windows that --what-if has.
std::span<const MistakeRow> bias_mistakes_in();
/// Further mistakes in biases and windows.
std::span<const MistakeRow> bias_mistakes();
/// The mistakes in attention sinks that --what-if has.
std::span<const MistakeRow> sink_mistakes_in();
/// Further mistakes in sinks.
std::span<const MistakeRow> sink_mistakes();
/// The mistakes in positions added to inputs that --what-if has.
std::span<const MistakeRow> position_mistakes_in();
/// Further mistakes in positions, added or rotated by, and in their frequencies.
std::vector<Mistake> position_mistakes(std::span<const Step> steps);
/// The mistakes in gradients that --what-if has.
std::span<const MistakeRow> gradient_mistakes_in();
/// Further mistakes in gradients.
std::span<const MistakeRow> gradient_mistakes();
std::vector<Mistake> slice_mistakes();
/// Mistakes in a layer's norm, residual and fused projection.
std::vector<Mistake> layer_mistakes(std::span<const Step> steps);
/// Functions applied to scores, weights, or results of projections.
std::vector<Mistake> function_mistakes();
std::vector<Mistake> precision_mistakes();

}  // namespace attn
