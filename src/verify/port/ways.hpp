#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "walk/walkthrough.hpp"

namespace attn::verify {

/// A program that is as right as the article's, and has the same result.
struct Way {
  std::string words;        ///< "scores are scaled before they are masked"; empty: the article's own
  std::vector<Step> steps;  ///< tensors alone, in the order of computation, with those that only ports have
};

/// The article's way, then the others that these steps can be written in. Asks no tensor for its numbers.
std::vector<Way> ways_of(std::span<const Step> steps);

/// Among how many heads the steps' d_out is divided; 1 where there are none.
std::int64_t heads_of(std::span<const Step> steps);

}  // namespace attn::verify
