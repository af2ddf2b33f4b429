#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "torch/draws.hpp"
#include "verify/port/match.hpp"

namespace attn::verify {

/// What explains a port's wrong numbers.
struct Cause {
  std::vector<std::string> names;
  std::string sentence;
  std::string instead;         ///< what to write; may be empty
  std::int64_t explained = 0;  ///< so many cells: where these are not all, it is offered, not claimed
};

/// The same chapter otherwise, for what is drawn: its name, what is otherwise, and its steps.
struct Variant {
  std::string name;
  std::string sentence;
  std::vector<Step> steps;
};
using Variants = std::function<std::vector<Variant>()>;

/// How what is drawn may have been drawn otherwise.
struct Otherwise {
  torch::Draws draws = {};  ///< the lesson's, which may begin earlier or later, or with another seed
  Variants variants = {};
};

/// What gives the numbers of a tensor that is wrong by itself: another arithmetic, a mistake, or two at once, in what
/// lies between it and the tensors that are shown right. At most three, the most usual first; empty where nothing known
/// does.
std::vector<Cause> causes_of(const Matched& matched, std::span<const Step> steps, const PortOperands& operands,
                             std::span<const Tensor* const> shown, Right& right, const Otherwise& otherwise);

/// Returns true if the first cause explains all cells.
bool are_claimed(const std::vector<Cause>& causes, const Laid& theirs);

}  // namespace attn::verify
