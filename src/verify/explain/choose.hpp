#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "verify/explain/known.hpp"

namespace attn::verify {

/// The steps that one printed tensor may equally well be, by its numbers.
struct Alternatives {
  std::string label;               ///< the printed one, plain
  std::string grad_fn;             ///< as printed
  bool is_pytorch = false;         ///< so printed
  std::vector<std::size_t> steps;  ///< empty where none is recognised
};

/// Those of a printed thing.
using AlternativesOf = std::function<Alternatives(std::size_t)>;

/// For each of `count` printed things the step that follows best from the others: of the lesson and in the order of
/// those before and after it, then with the label and the grad_fn that the page has, then one that the article prints.
std::vector<Choice> choose_in_order(std::size_t count, const AlternativesOf& alternatives, const Known& known);

/// What it costs to believe that a page shows `next` after `previous`: it mostly follows one program.
int order_distance(const KnownStep& previous, const KnownStep& next);

}  // namespace attn::verify
