#include "chapters/modern/modern.hpp"

#include <array>

namespace attn::chapters::modern {
namespace {

constexpr std::array grouped_sizes = {
    OwnSize{
        .name = "num-kv-heads", .doc = "heads of keys and values; must divide --num-heads", .example = 1, .fixture = 3},
};

constexpr std::array cache_sizes = {
    OwnSize{.name = "new-tokens", .doc = "tokens after those of the prompt", .example = 1, .fixture = 0},
};

constexpr std::array online_sizes = {
    OwnSize{.name = "block-size", .doc = "keys in a block; the last block may have fewer", .example = 3, .fixture = 0},
};

constexpr std::array rotary_sizes = {
    OwnSize{.name = "pair-distance",
            .doc = "columns between the two of a rotated pair: 1, or half of the keys'",
            .example = 2,
            .fixture = 0},
};

constexpr std::array positions_sizes = {
    OwnSize{.name = "context-length",
            .doc = "rows of the learned position embedding; at least the tokens",
            .example = 9,
            .fixture = 0},
};

constexpr std::array bias_sizes = {
    OwnSize{.name = "window", .doc = "tokens that a sliding window shows to each token", .example = 2, .fixture = 0},
};

constexpr std::array padding_sizes = {
    OwnSize{
        .name = "valid-length", .doc = "tokens of the last sequence; the rest is padding", .example = 3, .fixture = 0},
};

constexpr std::array chapters = {
    Chapter{.name = "average",
            .article = &article,
            .run = average,
            .takes = {},
            .init = Init::linear,
            .sizes = "6 tokens, d_in 3",
            .special = "by a loop, by a matrix of averages, by softmax of masked zeros"},
    Chapter{.name = "grouped",
            .article = &article,
            .run = grouped,
            .takes = {.projections = true,
                      .batch = true,
                      .heads = true,
                      .shared_d_out = true,
                      .sizes = grouped_sizes,
                      .fixture_heads = 6},
            .init = Init::linear,
            .sizes = "6 tokens, d_in 3, d_out 8, 4 heads, 2 key/value heads",
            .special = "each key/value head repeated for the query heads of its group"},
    Chapter{.name = "cache",
            .article = &article,
            .run = cache,
            .takes = {.projections = true, .sizes = cache_sizes},
            .init = Init::linear,
            .sizes = "6 tokens, d_in 3, d_out 2, 2 of them new",
            .special = "a prompt whose keys and values are kept; then new tokens; then all at once"},
    Chapter{.name = "padding",
            .article = &article,
            .run = padding,
            .takes = {.projections = true, .batch = true, .sizes = padding_sizes},
            .init = Init::linear,
            .sizes = "batch 2, 6 tokens, d_in 3, d_out 2, valid length 4",
            .special = "the last sequence of the batch is shorter; its padding is masked"},
    Chapter{.name = "online",
            .article = &article,
            .run = online,
            .takes = {.projections = true, .sizes = online_sizes},
            .init = Init::randn,
            .sizes = "6 tokens, d_in 3, d_out 2, blocks of 2 keys",
            .special = "softmax at once; then a block of keys at a time; then a check that they agree"},
    Chapter{.name = "rotary",
            .article = &article,
            .run = rotary,
            .takes = {.projections = true, .only_drawn = true, .sizes = rotary_sizes},
            .init = Init::randn,
            .sizes = "6 tokens, d_in 3, d_out 4, adjacent pairs",
            .special = "queries and keys rotated by position; then one token at every position"},
    Chapter{.name = "positions",
            .article = &article,
            .run = positions,
            .takes = {.projections = true, .only_drawn = true, .sizes = positions_sizes, .d_in = 4},
            .init = Init::linear,
            .sizes = "6 tokens, d_in 4, d_out 4, context length 10",
            .special = "no positions; then sines and cosines added to the inputs; then learned embeddings"},
    Chapter{.name = "bias",
            .article = &article,
            .run = bias,
            .takes = {.projections = true,
                      .batch = true,
                      .heads = true,
                      .shared_d_out = true,
                      .only_drawn = true,
                      .sizes = bias_sizes},
            .init = Init::linear,
            .sizes = "6 tokens, d_in 3, d_out 4, 2 heads, window 3",
            .special = "a penalty for distance, with a slope for each head; then a sliding window"},
    Chapter{.name = "sinks",
            .article = &article,
            .run = sinks,
            .takes = {.projections = true, .batch = true, .heads = true, .shared_d_out = true, .only_drawn = true},
            .init = Init::linear,
            .sizes = "6 tokens, d_in 3, d_out 4, 2 heads",
            .special = "a score that no token has takes a part of each row's weight"},
    Chapter{.name = "backward",
            .article = &article,
            .run = backward,
            .takes = {.projections = true, .only_drawn = true},
            .init = Init::randn,
            .sizes = "6 tokens, d_in 3, d_out 2",
            .special = "a causal head and a loss; then the gradient of each of its tensors"},
};

constexpr std::array meanings = {
    Meaning{.step = "inputs", .text = "A row for each token: its embedding.", .chapter = "average"},
    Meaning{.step = "sum_*", .text = "The sum of the tokens so far, column by column.", .chapter = "average"},
    Meaning{.step = "mean_*",
            .text = "The mean of the tokens so far. It is the simplest summary of what came before: every token counts "
                    "the same.",
            .chapter = "average"},
    Meaning{.step = "context_vecs",
            .text = "The means, a row for each token. A loop is easy to read, but slow: one step after the other.",
            .chapter = "average",
            .section = "by_loop"},
    Meaning{.step = "mask_simple",
            .text = "Row i has ones for token i and for those before it: a product with it would sum these tokens.",
            .chapter = "average"},
    Meaning{.step = "row_sums", .text = "How many tokens each row counts.", .chapter = "average"},
    Meaning{.step = "attn_weights",
            .text = "Each row is divided by its number of ones: weights that sum to 1, all of them equal.",
            .chapter = "average",
            .section = "by_matrix"},
    Meaning{.step = "context_vecs",
            .text = "One product of weights and tokens computes all means at once.",
            .chapter = "average",
            .section = "by_matrix"},
    Meaning{.step = "attn_scores",
            .text = "Scores that are all 0: no token is more relevant than another. Attention puts products of queries "
                    "and keys here.",
            .chapter = "average"},
    Meaning{.step = "attn_weights",
            .text = "Softmax makes equal scores equal weights, and masked scores 0: the same matrix of averages. With "
                    "other scores, the mean becomes a weighted mean: this is attention.",
            .chapter = "average",
            .section = "by_softmax"},
    Meaning{.step = "context_vecs",
            .text = "The same product again, with the weights that softmax made.",
            .chapter = "average",
            .section = "by_softmax"},
    Meaning{.step = "both_agree",
            .text = "A check: the loop and the product compute the same means, up to rounding.",
            .chapter = "average",
            .section = "by_matrix"},
    Meaning{.step = "both_agree",
            .text = "A check: both matrices of weights give the same means, up to rounding.",
            .chapter = "average",
            .section = "by_softmax"},

    Meaning{.step = "batch",
            .text = "Sequences of one batch have the same number of rows, so a shorter one is padded. Here the last "
                    "sequence is the shorter one: its last rows stand for padding, whatever their numbers are.",
            .chapter = "padding"},
    Meaning{.step = "mask",
            .text = "A matrix for each sequence: True in the columns of keys beyond its valid length. The longer "
                    "sequences have no padding, so nothing is masked there.",
            .chapter = "padding"},
    Meaning{.step = "masked_attn_scores",
            .text = "No query may see padding: its scores become -inf. The rows of padding itself stay, or softmax "
                    "would have nothing left there and give nan.",
            .chapter = "padding"},
    Meaning{.step = "attn_weights",
            .text = "Softmax, row by row: padding gets a weight of 0, and the other weights of a row sum to 1.",
            .chapter = "padding"},
    Meaning{.step = "context_vecs",
            .text = "Each row mixes only values of real tokens. The rows of padding are computed too, but nobody uses "
                    "them: the loss leaves them out.",
            .chapter = "padding"},
    Meaning{.step = "W_key",
            .text =
                "The weights of the keys, with columns only for the key/value heads. Half as many heads need half as "
                "many weights and half as large a cache of keys.",
            .chapter = "grouped"},
    Meaning{.step = "W_value",
            .text = "The weights of the values, also with columns only for the key/value heads.",
            .chapter = "grouped"},
    Meaning{
        .step = "keys_repeated",
        .text =
            "Each key head is repeated for the query heads of its group, so that one product over all heads compares "
            "each query head with the keys of its group.",
        .chapter = "grouped"},
    Meaning{.step = "values_repeated",
            .text = "Each value head is repeated like the key heads: the query heads of a group mix the same values, "
                    "each with its own weights.",
            .chapter = "grouped"},

    Meaning{.step = "prompt",
            .text = "The tokens that are there at first. Their keys and values are computed once and kept."},
    Meaning{.step = "cached_keys",
            .text = "The keys of the prompt. Later tokens meet them again, and causal attention never changes them: a "
                    "key depends on its own token alone. So they are kept, not computed anew."},
    Meaning{.step = "cached_values",
            .text = "The values of the prompt, kept for the same reason: later tokens mix them again."},
    Meaning{.step = "new_tokens", .text = "The tokens that come next: only these are projected from here on."},
    Meaning{.step = "new_queries",
            .text = "A query for each new token. The prompt's queries have done their work; no cache keeps queries."},
    Meaning{.step = "new_keys", .text = "The new tokens' keys: they join the cache for the tokens after them."},
    Meaning{.step = "new_values", .text = "The new tokens' values: they join the cache for the tokens after them."},
    Meaning{.step = "keys",
            .text = "The cache, with the new keys behind those of the prompt: the keys of all tokens so far.",
            .chapter = "cache",
            .section = "new_tokens"},
    Meaning{.step = "values",
            .text = "The cache, with the new values behind those of the prompt: the values of all tokens so far.",
            .chapter = "cache",
            .section = "new_tokens"},
    Meaning{.step = "mask",
            .text =
                "The causal mask where queries are fewer than keys: the last rows of the square one. It counts from "
                "the last key: the last token sees all, the one before it all but one.",
            .chapter = "cache",
            .section = "new_tokens"},
    Meaning{.step = "new_context_vecs",
            .text = "A context vector for each new token: the values of all tokens that it may see, cached ones too, "
                    "weighted and summed.",
            .chapter = "cache"},
    Meaning{.step = "block_keys",
            .text = "A block of keys. A fused kernel loads one block at a time into fast memory, and never holds a "
                    "whole row of scores."},
    Meaning{.step = "block_values", .text = "The values of the same tokens: the block's exponentials weight them."},
    Meaning{.step = "attn_scores",
            .text = "The scores of all queries with the keys of this block alone: a few columns of the scores above.",
            .chapter = "online",
            .section = "block_*"},
    Meaning{.step = "scaled_attn_scores",
            .text = "Divided by the square root of the keys' dimension, which a block does not change.",
            .chapter = "online",
            .section = "block_*"},
    Meaning{.step = "block_max", .text = "The largest score of each row in this block."},
    Meaning{.step = "row_max_*",
            .text = "The largest score of each row so far. It grows where a block has a larger one."},
    Meaning{.step = "max_change", .text = "How far the maximum has grown: 0 where it stays, else negative."},
    Meaning{.step = "rescale",
            .text = "Earlier exponentials were taken relative to the old maximum m. Multiplied by exp(m - new m), they "
                    "are relative to the new one: exp(x - m) * exp(m - new m) = exp(x - new m)."},
    Meaning{.step = "shifted_scores",
            .text = "The scores relative to the maximum so far. None is above 0, so no exponential overflows."},
    Meaning{.step = "exps_*", .text = "The numerators of softmax for this block, relative to the maximum so far."},
    Meaning{.step = "rescaled_sum", .text = "The sum of earlier blocks, relative to the new maximum."},
    Meaning{.step = "block_sum",
            .text = "What this block adds to the denominator of softmax: a sum over its few columns."},
    Meaning{
        .step = "row_sum_*",
        .text = "The denominator of softmax, as far as the blocks so far give it. After the last block it is whole."},
    Meaning{.step = "rescaled_values", .text = "The weighted values of earlier blocks, relative to the new maximum."},
    Meaning{.step = "block_weighted", .text = "What this block adds: its values, weighted with its exponentials."},
    Meaning{.step = "weighted_values_*",
            .text = "The sum of values, weighted with exponentials and not yet divided by their sum."},
    Meaning{.step = "context_vecs",
            .text = "One division at the end gives the context vectors: softmax's denominator is the same for a whole "
                    "row, so it can come last.",
            .chapter = "online",
            .section = "combined"},
    Meaning{.step = "both_agree",
            .text = "A check: the blocks give the same context vectors, up to rounding. The last bits may differ: the "
                    "blocks round in other places, add in another order and divide after the product.",
            .chapter = "online"},
    Meaning{.step = "queries",
            .text = "Queries without positions: the same token has the same query wherever it stands.",
            .chapter = "rotary"},
    Meaning{.step = "keys", .text = "Keys, also without positions.", .chapter = "rotary"},
    Meaning{.step = "values",
            .text = "Values are never rotated: positions decide how much weight a value gets, not what it holds.",
            .chapter = "rotary"},
    Meaning{.step = "positions|query_positions",
            .text = "The place of each token in the sequence, as a column: row i is for token i."},
    Meaning{.step = "frequencies",
            .text =
                "How far one position turns each pair, in radians: 10000 ** (-2 i / d) for pair i of d columns. The "
                "first pair turns fastest; the slow ones tell distant positions apart."},
    Meaning{.step = "angles|query_angles",
            .text = "Position times frequency: a row for each token, a column for each pair."},
    Meaning{.step = "sin",
            .text = "The sines of the angles, computed in float64 and then rounded: in float32, PyTorch's versions "
                    "differ in the last bit.",
            .chapter = "positions"},
    Meaning{.step = "cos|query_cos",
            .text = "The cosines of the angles, computed in float64: in float32, PyTorch's versions differ in the last "
                    "bit."},
    Meaning{.step = "sin|query_sin", .text = "The sines of the angles, computed in float64 as well."},
    Meaning{.step = "queries_x_turned|keys_x_turned|same_queries_x_turned|same_keys_x_turned|values_x_turned",
            .text = "The first column of each pair (x, y) after the turn about the origin: x cos - y sin."},
    Meaning{.step = "queries_y_turned|keys_y_turned|same_queries_y_turned|same_keys_y_turned|values_y_turned",
            .text = "The second column of each pair (x, y) after the turn about the origin: x sin + y cos."},
    Meaning{.step = "queries_x_*|keys_x_*|same_queries_x_*|same_keys_x_*|values_x_*",
            .text = "A part of the rotation, of the first column of each pair."},
    Meaning{.step = "queries_y_*|keys_y_*|same_queries_y_*|same_keys_y_*|values_y_*",
            .text = "A part of the rotation, of the second column of each pair."},
    Meaning{.step = "rotated_queries",
            .text = "Each pair of columns (x, y) of a query is a point in a plane, and its position turns it about the "
                    "origin. Its length stays, up to rounding; position 0 turns nothing."},
    Meaning{.step = "rotated_keys",
            .text = "The keys, turned by the angles of their own positions. A dot product of two vectors that are "
                    "turned alike stays as it was: only the difference of the angles counts."},
    Meaning{.step = "rotated_values", .text = "The values, turned by the angles of their positions."},
    Meaning{.step = "keys_transposed",
            .text = "The rotated keys with tokens as columns, ready for the product.",
            .chapter = "rotary"},
    Meaning{.step = "attn_scores",
            .text = "Each score now also depends on the distance between the query's token and the key's.",
            .chapter = "rotary"},
    Meaning{.step = "same_queries",
            .text = "To see positions alone: the first token's query, as if it stood at every position."},
    Meaning{.step = "same_keys", .text = "The first token's key at every position, whatever token stands there."},
    Meaning{.step = "rotated_same_queries", .text = "Each row is turned by the angles of its own position."},
    Meaning{.step = "rotated_same_keys",
            .text = "The same for the keys: each row is turned by the angles of its own position."},
    Meaning{.step = "distance_scores",
            .text = "All queries are the same vector and all keys are: what differs is the distance alone. It is the "
                    "same along a diagonal, and so is the score, up to rounding."},
    Meaning{.step = "inputs",
            .text = "The embeddings of the words. Nothing in them says where a word stands.",
            .chapter = "positions"},
    Meaning{.step = "attn_weights",
            .text = "Each weight depends on the two words alone, wherever they stand.",
            .chapter = "positions",
            .section = "no_positions"},
    Meaning{.step = "context_vecs",
            .text = "The same words in another order would give the same context vectors, in that order.",
            .chapter = "positions",
            .section = "no_positions"},
    Meaning{.step = "encodings",
            .text =
                "A row for each position: the sine and the cosine of each of its angles, by turns. Fast columns tell "
                "neighbours apart, slow ones distant tokens."},
    Meaning{.step = "sines_and_cosines", .text = "The sines of all frequencies, then their cosines."},
    Meaning{.step = "encodings_transposed",
            .text = "With positions as columns, one product compares every encoding with every other."},
    Meaning{.step = "encoding_products",
            .text = "The dot product of each two encodings is a sum of cosines of their distance times a frequency: a "
                    "model can learn from it how far apart two tokens are."},
    Meaning{.step = "inputs_with_positions",
            .text = "Word and position in one vector: the sum of both. The same word has another vector at another "
                    "position."},
    Meaning{.step = "pos_embedding_weight",
            .text = "A table with a row for each position that the model may ever see, its context length. Training "
                    "adjusts the rows of positions that occur; beyond the last there is none."},
    Meaning{.step = "position_ids", .text = "The position of each token, by which a row of the table is looked up."},
    Meaning{.step = "pos_embeddings",
            .text =
                "The rows of the first positions. They are drawn at random: before training, neighbours are no more "
                "alike than distant positions."},
    Meaning{.step = "attn_weights",
            .text = "Each weight now also depends on where both tokens stand.",
            .chapter = "positions"},
    Meaning{.step = "queries_without_positions|keys_without_positions|values_without_positions",
            .text = "The projection of the inputs, before positions are added."},
    Meaning{.step = "scaled_attn_scores",
            .text = "Scores are scaled first: biases are added to them unscaled.",
            .chapter = "bias"},
    Meaning{.step = "distances",
            .text = "0 for a token itself, -1 for the one before it. Later tokens have positive numbers, but the mask "
                    "hides them."},
    Meaning{.step = "slopes",
            .text = "How much a score loses with each token of distance. Nothing is learned here: the slopes are fixed "
                    "powers of 2, another for each head."},
    Meaning{.step = "alibi_bias",
            .text = "Slope times distance, a matrix for each head. A head with a steep slope looks nearby; one with a "
                    "flat slope hardly minds the distance."},
    Meaning{.step = "biased_attn_scores",
            .text = "The biases are added to the scores of every sequence. They replace position embeddings: the model "
                    "has no other way to tell positions apart."},
    Meaning{.step = "unscaled_biased_scores", .text = "The scores with biases, not scaled yet."},
    Meaning{.step = "unbiased_attn_weights", .text = "Softmax of scores without biases."},
    Meaning{.step = "attn_weights",
            .text = "Softmax of the biased scores: with scores alike, a nearer token gets more weight.",
            .chapter = "bias",
            .section = "alibi"},
    Meaning{.step = "mask",
            .text =
                "A sliding window: True for later tokens, as in a causal mask, and for those that are too far back. "
                "Each token sees itself and the ones just before it.",
            .chapter = "bias",
            .section = "window"},
    Meaning{.step = "masked_attn_scores",
            .text = "The scores without biases. Outside the window they become -inf, however high they are. With "
                    "several layers a token still hears from further back: each layer adds to its reach.",
            .chapter = "bias",
            .section = "window"},
    Meaning{.step = "attn_weights",
            .text =
                "Each row spreads its weight over the tokens in its window alone. A cache needs no keys from before "
                "it.",
            .chapter = "bias",
            .section = "window"},
    Meaning{.step = "sinks",
            .text = "A score for each head that belongs to no token. A model learns it; here it is drawn."},
    Meaning{.step = "sink_column",
            .text = "The sink's score as a column of its own: every token of a head meets the same sink."},
    Meaning{.step = "sink_scores",
            .text = "The same column for each sequence of the batch, ready to stand beside the scores."},
    Meaning{.step = "scores_with_sink",
            .text = "One more column than there are tokens. The mask does not hide it, and it was not scaled."},
    Meaning{.step = "weights_with_sink",
            .text = "Softmax over the tokens and the sink together: a row sums to 1 with the sink's part. The lower "
                    "the scores of the tokens, the more of the weight goes to the sink."},
    Meaning{.step = "attn_weights",
            .text = "The sink's column is dropped, because it has no value to add. What is left of a row sums to less "
                    "than 1: a head can attend to nothing at all, which softmax alone does not allow.",
            .chapter = "sinks"},
    Meaning{.step = "context_vecs",
            .text = "The more weight the sink took, the nearer a context vector is to 0. The first token, which sees "
                    "itself alone, would otherwise be its own value.",
            .chapter = "sinks"},
    Meaning{.step = "target",
            .text = "What the context vectors should be. In a model, the error comes from the layers "
                    "above.",
            .chapter = "backward"},
    Meaning{.step = "errors", .text = "How far each number is from its target, with its sign."},
    Meaning{.step = "squares", .text = "Squared errors: none is negative, and large ones count more."},
    Meaning{.step = "sum_of_squares", .text = "All of them together: the number that training makes smaller."},
    Meaning{.step = "loss",
            .text =
                "Half the sum of the squared errors: a single number for how wrong the head is. grad_fn says how it "
                "was computed; backward goes the same way from its end."},
    Meaning{.step = "grad_context_vecs",
            .text = "How the loss changes with each number of the context vectors: the derivative of half a square is "
                    "the error itself. From here on each step goes one step of the forward pass back."},
    Meaning{.step = "attn_weights_transposed",
            .text = "The weights by key: row j says which tokens attend to token j, and how much."},
    Meaning{.step = "grad_values",
            .text = "A value went into the context vectors of all tokens that attend to it, so it gets all their "
                    "gradients back, each times the weight: the weights, transposed, times the gradient."},
    Meaning{.step = "values_transposed", .text = "The values as columns, ready for the product."},
    Meaning{
        .step = "grad_attn_weights",
        .text =
            "How the loss changes with each weight: the dot product of the context vector's gradient and the value. "
            "Where it is negative, more weight would help. Later tokens get a number too; the next steps drop it."},
    Meaning{.step = "weighted_grads",
            .text = "Each weight's gradient times the weight: the parts of the row's weighted mean."},
    Meaning{.step = "mean_grads", .text = "Their sum by row: the mean gradient of the row, weighted with the weights."},
    Meaning{.step = "centred_grads", .text = "How much each gradient is above the mean of its row."},
    Meaning{.step = "grad_by_hand",
            .text = "Softmax's gradient by hand: a higher score raises its own weight and lowers the others of its "
                    "row, so only the difference from the row's mean counts, times the weight."},
    Meaning{.step = "grad_scaled_attn_scores",
            .text =
                "The same by the function that autograd calls: the product with softmax's Jacobian, diag(w) - w w.T, "
                "without ever writing that matrix down. It adds in another order, so last bits may differ."},
    Meaning{.step = "grad_masked_attn_scores",
            .text = "Scores were divided by a number on the way there; on the way back their gradients are divided by "
                    "the same number."},
    Meaning{.step = "grad_attn_scores",
            .text = "No gradient passes a masked score. Here softmax gave it a weight of 0 already, so this only makes "
                    "0 of what was 0 or -0."},
    Meaning{.step = "grad_queries",
            .text =
                "Each score is a query times a key, so a query gets the keys back, each times the gradient of their "
                "score."},
    Meaning{.step = "grad_attn_scores_transposed",
            .text = "The gradients of the scores by key: row j is for token j as the key."},
    Meaning{
        .step = "grad_keys",
        .text = "And a key gets the queries back, of all tokens that see it, each times the gradient of their score."},
    Meaning{.step = "inputs_transposed", .text = "The inputs as columns: a row for each of their dimensions."},
    Meaning{.step = "grad_queries_transposed|grad_keys_transposed|grad_values_transposed",
            .text = "A row for each of its dimensions, as nn.Linear's weight has one."},
    Meaning{.step = "grad_W_query",
            .text =
                "All tokens share the weight, so their gradients add up: the inputs, transposed, times the gradient "
                "of the queries. loss.backward() stores the same bits in the weight's grad."},
    Meaning{.step = "grad_W_key", .text = "The same for the keys. A step of training subtracts a little of it."},
    Meaning{
        .step = "grad_W_value",
        .text = "The same for the values. Here the gradient came from the context vectors alone, not through softmax."},
    Meaning{.step = "grad_W_query_bias|grad_W_key_bias|grad_W_value_bias",
            .text = "A bias is added for each token, so it gets the sum of their gradients."},
    Meaning{.step = "both_agree",
            .text = "A check: the cache saved work and changed nothing. The last context vectors of all tokens at once "
                    "equal those of the new tokens, up to rounding.",
            .chapter = "cache"},
};

}  // namespace

const Article article = {
    .name = "modern",
    .title = "Attention in today's models",
    .cpu = Cpu::avx2,
    .generator = "",
    .sentence = "Your journey starts with one step",
    .chapters = chapters,
    .slips = {},
    .meanings = meanings,
};

}  // namespace attn::chapters::modern
