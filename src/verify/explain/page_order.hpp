#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "verify/explain/known_steps.hpp"

namespace attn::verify {

/// The steps that one printed tensor may equally well be, by its numbers.
struct Alternatives {
  std::string label;               ///< the printed one, plain
  std::vector<std::size_t> steps;  ///< empty where none is recognised
};

/// For each printed tensor the step that follows best from the others: in the program's order, then with the label
/// that the page has, then one that the article prints.
std::vector<Choice> choose_in_order(const std::vector<Alternatives>& page, const KnownSteps& known);

}  // namespace attn::verify
