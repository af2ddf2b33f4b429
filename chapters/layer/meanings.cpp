#include <array>

#include "layer/layer.hpp"

namespace attn::chapters::layer {
namespace {

constexpr std::array table = {
    Meaning{.step = "inputs",
            .text = "What enters the layer: a row for each token, called hidden states, as the layers before have made "
                    "it. Before the first layer it is the embedding."},
    Meaning{.step = "batch", .text = "The hidden states with an axis for the batch, as models take them."},
    Meaning{.step = "norm_weight", .text = "The norm's weight: a factor for each column, learned."},
    Meaning{.step = "norm_bias", .text = "The norm's bias: a number that is added to each column, learned."},
    Meaning{.step = "norm_mean", .text = "The mean of each token's numbers."},
    Meaning{.step = "norm_factor",
            .text =
                "1 divided by the standard deviation of each token's numbers. The small number under the root, eps, "
                "keeps a row of equal numbers from being divided by 0."},
    Meaning{.step = "centred", .text = "Each row with its mean subtracted, so that it sums to 0."},
    Meaning{.step = "normalised",
            .text = "Each row divided by its standard deviation: whatever entered, its numbers now have mean 0 and "
                    "variance 1."},
    Meaning{.step = "normed",
            .text = "The normalised rows with the norm's weight and bias. Queries, keys and values are made of it, not "
                    "of what entered: its size no longer depends on how deep the layer is."},
    Meaning{.step = "c_attn_weight",
            .text = "The weights of queries, keys and values side by side, in one matrix [d_in, 3 * d]: GPT-2's Conv1D "
                    "stores a weight the other way round than nn.Linear."},
    Meaning{.step = "c_attn_bias", .text = "The biases of queries, keys and values, side by side."},
    Meaning{.step = "qkv", .text = "One product computes queries, keys and values of all heads, side by side."},
    Meaning{.step = "queries", .text = "The queries of all heads: the first third of the columns."},
    Meaning{.step = "keys", .text = "The keys of all heads: the second third."},
    Meaning{.step = "values", .text = "The values of all heads: the last third."},
    Meaning{.step = "output",
            .text = "The output projection mixes what the heads have found. It is what attention adds to each token."},
    Meaning{.step = "residual_sum",
            .text = "The layer adds its output to what entered, the residual: attention corrects a token's vector and "
                    "does not replace it."},
};

}  // namespace

std::span<const Meaning> meanings() { return table; }

}  // namespace attn::chapters::layer
