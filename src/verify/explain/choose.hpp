#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "verify/explain/known.hpp"

namespace attn::verify {

/// The steps that one printed tensor may equally well be, by its numbers.
struct Alternatives {
  std::string label;               ///< the printed one, plain
  std::string grad_fn;             ///< as printed
  std::vector<std::size_t> steps;  ///< empty where none is recognised
};

/// For each printed tensor the step that follows best from the others: of the lesson and in the order of those before
/// and after it, then with the label and the grad_fn that the page has, then one that the article prints.
std::vector<Choice> choose_in_order(const std::vector<Alternatives>& page, const Known& known);

/// What it costs to believe that a page shows `next` after `previous`: it mostly follows one program.
int order_distance(const KnownStep& previous, const KnownStep& next);

}  // namespace attn::verify
