#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "port/match.hpp"
#include "port/operands.hpp"
#include "torch/draws.hpp"

namespace attn::port {

/// What explains a port's wrong numbers.
struct Cause {
  std::vector<std::string> names;
  std::string sentence;
  std::string instead;  ///< what to write; may be empty
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
  torch::Draws draws = {};  ///< the lesson's, which may begin earlier or later
  Variants variants = {};
};

/// What gives all numbers of a step that is wrong by itself: another step's numbers, another arithmetic, a mistake or two
/// at once. At most three, the most usual first; empty where nothing known does.
std::vector<Cause> causes_of(const Matched& matched, std::span<const Step> steps, const Operands& operands,
                             const Tolerance& tolerance, const Otherwise& otherwise);

}  // namespace attn::port
