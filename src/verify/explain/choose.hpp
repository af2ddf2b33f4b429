#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "verify/explain/known.hpp"

namespace attn::verify {

/// The steps that fit one printed tensor equally well by their numbers.
struct Alternatives {
  std::string label;               ///< the printed label, plain
  std::string grad_fn;             ///< as printed
  bool is_pytorch = false;         ///< printed in PyTorch's style
  std::vector<std::size_t> steps;  ///< empty if no step is recognised
};

/// Returns the alternatives of a printed thing.
using AlternativesOf = std::function<Alternatives(std::size_t)>;

/// For each of `count` printed things, the step that best follows from the others: of the same lesson and in program
/// order; then with the page's label and grad_fn; then one that the article prints.
std::vector<Choice> choose_in_order(std::size_t count, const AlternativesOf& alternatives, const Known& known);

/// The cost of assuming that a page shows `next` after `previous`: a page mostly follows one program.
int order_distance(const KnownStep& previous, const KnownStep& next);

}  // namespace attn::verify
