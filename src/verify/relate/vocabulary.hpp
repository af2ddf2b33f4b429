#pragma once

#include <cstdint>
#include <vector>

#include "verify/relate/operands.hpp"
#include "verify/relate/trial.hpp"

/// The relations that are tried, from the most telling to the least.
namespace attn::verify {

/// Numbers in sight on the page that operations may be given.
struct Givens {
  std::vector<std::int64_t> sizes;  ///< whose square roots may divide scores: 2 to 8, and the page's
  std::vector<double> dropouts;     ///< probabilities
};

/// Equal to a source.
void try_equal(Trial& trial);
/// A part, a transpose or another shape of a source; several sources side by side; copies of one.
void try_views(Trial& trial);
/// Masks and other tensors that are written without a number of the page.
void try_constants(Trial& trial);
/// One operation on a source: softmax, scaling, masking, dropout, sums, and the like.
void try_operations(Trial& trial, const Givens& givens);
/// A @ B and its like.
void try_products(Trial& trial, const Operands& operands);
/// Softmax of products, and products with a softmax: up to a whole layer of attention.
void try_layers(Trial& trial, const Operands& operands, const Givens& givens);
/// Projections of inputs by weights that the page does not print: queries, scores, weights, context vectors.
void try_fits(Trial& trial);
/// What holds of attention weights, and of a batch of copies, whatever they are made of.
void try_properties(Trial& trial);

}  // namespace attn::verify
