#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "verify/explain/known_steps.hpp"

namespace attn::verify {

/// The steps that one printed tensor may equally well be, by its numbers.
struct Choices {
  std::string label;               ///< the printed one, plain
  std::vector<std::size_t> steps;  ///< empty where no step is recognised
};

/// For each printed tensor the step that follows best from the others: in the program's order, then with the label
/// that the page has, then one that the article prints.
std::vector<std::optional<std::size_t>> choose_in_order(const std::vector<Choices>& page, const KnownSteps& known);

}  // namespace attn::verify
