#pragma once

#include "verify/propose/operands.hpp"

/// The tensors that a target might be, built of the leaves with ordinary operations, from the most telling to the
/// least.
namespace attn::verify {

/// A leaf itself.
void propose_leaves(Search& search);
/// A part, a transpose or another shape of a leaf; several leaves side by side; copies of one.
void propose_views(Search& search);
/// Masks and other tensors that are written without a number of the page.
void propose_constants(Search& search);
/// Each row the mean of those up to it, and the weights of that.
void propose_running_means(Search& search);
/// One operation on a leaf: softmax, scaling, masking, dropout, sums, and the like; the sum of two.
void propose_operations(Search& search);
/// A @ B and its like, scaled or not; with softmax between two of them, up to a whole layer of attention.
void propose_products(Search& search, const Operands& operands);
void propose_layers(Search& search, const Operands& operands);
/// Projections of inputs by weights that the page does not print: queries, scores, weights, context vectors.
void propose_fits(Search& search);
/// What holds of attention weights, and of a batch of copies, whatever they are made of.
void propose_properties(Search& search, const Tensor& itself);

}  // namespace attn::verify
