#pragma once

#include <span>
#include <vector>

#include "walk/mistakes.hpp"

/// Further mistakes that ports are known to make; one file per subject.
namespace attn {

/// Mistakes in masks, with variants of some of the `usual` ones.
std::vector<Mistake> mask_mistakes(std::span<const Mistake> usual);
std::vector<Mistake> score_mistakes();
/// The mistakes that four printed digits can distinguish.
std::vector<Mistake> softmax_mistakes_on_pages();
std::vector<Mistake> softmax_mistakes();
std::vector<Mistake> dropout_mistakes(std::span<const Step> steps);
std::vector<Mistake> projection_mistakes(std::span<const Step> steps);
/// The mistakes in rotating queries and keys that --what-if has.
std::vector<Mistake> rotation_mistakes_in(std::span<const Step> steps);
/// Further mistakes in rotating.
std::vector<Mistake> rotation_mistakes(std::span<const Step> steps);
/// The mistakes in linear biases and windows that --what-if has.
std::vector<Mistake> bias_mistakes_in(std::span<const Step> steps);
/// Further mistakes in biases and windows.
std::vector<Mistake> bias_mistakes(std::span<const Step> steps);
/// The mistakes in attention sinks that --what-if has.
std::vector<Mistake> sink_mistakes_in();
/// Further mistakes in sinks.
std::vector<Mistake> sink_mistakes();
/// The mistakes in positions added to inputs that --what-if has.
std::vector<Mistake> position_mistakes_in(std::span<const Step> steps);
/// Further mistakes in positions, added or rotated by, and in their frequencies.
std::vector<Mistake> position_mistakes(std::span<const Step> steps);
/// The mistakes in gradients that --what-if has.
std::vector<Mistake> gradient_mistakes_in();
/// Further mistakes in gradients.
std::vector<Mistake> gradient_mistakes();
std::vector<Mistake> slice_mistakes();
/// Mistakes in a layer's norm, residual and fused projection.
std::vector<Mistake> layer_mistakes(std::span<const Step> steps);
/// Functions applied to scores, weights, or results of projections.
std::vector<Mistake> function_mistakes();
std::vector<Mistake> precision_mistakes();

}  // namespace attn
