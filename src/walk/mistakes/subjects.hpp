#pragma once

#include <span>
#include <vector>

#include "walk/mistakes.hpp"

/// The mistakes that ports are known to have besides the usual ones, a file a subject.
namespace attn {

/// With the ways in which ports make some of the `usual` ones.
std::vector<Mistake> mask_mistakes(std::span<const Mistake> usual);
std::vector<Mistake> score_mistakes();
/// Those that four printed digits tell apart.
std::vector<Mistake> softmax_mistakes_on_pages();
std::vector<Mistake> softmax_mistakes();
std::vector<Mistake> dropout_mistakes();
std::vector<Mistake> projection_mistakes(std::span<const Step> steps);
std::vector<Mistake> slice_mistakes();
std::vector<Mistake> precision_mistakes();

}  // namespace attn
