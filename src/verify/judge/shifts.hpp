#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "torch/draws.hpp"
#include "walk/walkthrough.hpp"

namespace attn::port {

/// How many 32-bit words later than the program a draw begins; earlier where negative.
struct Shift {
  std::int64_t words;
  std::string like;  ///< the step that takes as many words; may be empty
};

/// The call that drew the tensor, or the data that it is the parameter of; null where there is none.
const torch::Draw* draw_of(const Tensor& tensor, const torch::Draws& draws);

/// By one word, by two, and by as many as another draw takes: drawn too much, or left out.
std::vector<Shift> shifts_of(const torch::Draw& draw, const torch::Draws& draws, std::span<const Step> steps);

/// "drawn as if 9 random numbers more of 32 bits had been drawn before: as many as W_query takes"
std::string sentence_of(const Shift& shift);

}  // namespace attn::port
