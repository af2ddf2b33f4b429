#include "chapters/modern/modern.hpp"

namespace attn::chapters::modern {
namespace {

constexpr OwnSize grouped_sizes[] = {{"num-kv-heads", "heads of keys and values; must divide --num-heads", 1, 3}};
constexpr OwnSize cache_sizes[] = {{"new-tokens", "tokens after those of the prompt", 1, 0}};
constexpr OwnSize online_sizes[] = {{"block-size", "keys in a block; the last block may have fewer", 3, 0}};
constexpr OwnSize rotary_sizes[] = {
    {"pair-distance", "columns between the two of a rotated pair: 1, or half of the keys'", 2, 0}};
constexpr OwnSize positions_sizes[] = {
    {"context-length", "rows of the learned position embedding; at least the tokens", 9, 0}};
constexpr OwnSize bias_sizes[] = {{"window", "tokens that a sliding window shows to each token", 2, 0}};
constexpr OwnSize padding_sizes[] = {{"valid-length", "tokens of the last sequence; the rest is padding", 3, 0}};

constexpr Chapter chapters[] = {
    {"average", &article, average, "6 tokens, d_in 3",
     "by a loop, by a matrix of averages, by softmax of masked zeros"},
    {"grouped",
     &article,
     grouped,
     "6 tokens, d_in 3, d_out 8, 4 heads, 2 key/value heads",
     "each key/value head repeated for the query heads of its group",
     {.projections = true,
      .batch = true,
      .heads = true,
      .shared_d_out = true,
      .sizes = grouped_sizes,
      .fixture_heads = 6}},
    {"cache",
     &article,
     cache,
     "6 tokens, d_in 3, d_out 2, 2 of them new",
     "a prompt whose keys and values are kept; then new tokens; then all at once",
     {.projections = true, .sizes = cache_sizes}},
    {"padding",
     &article,
     padding,
     "batch 2, 6 tokens, d_in 3, d_out 2, valid length 4",
     "the last sequence of the batch is shorter; its padding is masked",
     {.projections = true, .batch = true, .sizes = padding_sizes}},
    {"online",
     &article,
     online,
     "6 tokens, d_in 3, d_out 2, blocks of 2 keys",
     "softmax at once; then a block of keys at a time; then a check that they agree",
     {.projections = true, .sizes = online_sizes},
     Init::randn},
    {"rotary",
     &article,
     rotary,
     "6 tokens, d_in 3, d_out 4, adjacent pairs",
     "queries and keys rotated by position; then one token at every position",
     {.projections = true, .only_drawn = true, .sizes = rotary_sizes},
     Init::randn},
    {"positions",
     &article,
     positions,
     "6 tokens, d_in 4, d_out 4, context length 10",
     "no positions; then sines and cosines added to the inputs; then learned embeddings",
     {.projections = true, .only_drawn = true, .sizes = positions_sizes, .d_in = 4}},
    {"bias",
     &article,
     bias,
     "6 tokens, d_in 3, d_out 4, 2 heads, window 3",
     "a penalty for distance, with a slope for each head; then a sliding window",
     {.projections = true,
      .batch = true,
      .heads = true,
      .shared_d_out = true,
      .only_drawn = true,
      .sizes = bias_sizes}},
    {"sinks",
     &article,
     sinks,
     "6 tokens, d_in 3, d_out 4, 2 heads",
     "a score that no token has takes a part of each row's weight",
     {.projections = true, .batch = true, .heads = true, .shared_d_out = true, .only_drawn = true}},
    {"backward",
     &article,
     backward,
     "6 tokens, d_in 3, d_out 2",
     "a causal head and a loss; then the gradient of each of its tensors",
     {.projections = true, .only_drawn = true},
     Init::randn},
};

constexpr Meaning meanings[] = {
    {"average:inputs", "A row for each token: its embedding."},
    {"average:sum_*", "The sum of the tokens so far, column by column."},
    {"average:mean_*",
     "The mean of the tokens so far. It is the simplest summary of what came before: every token counts the same."},
    {"average:by_loop/context_vecs",
     "The means, a row for each token. A loop is easy to read, but slow: one step after the other."},
    {"average:mask_simple",
     "Row i has ones for token i and for those before it: a product with it would sum these tokens."},
    {"average:row_sums", "How many tokens each row counts."},
    {"average:by_matrix/attn_weights",
     "Each row is divided by its number of ones: weights that sum to 1, all of them equal."},
    {"average:by_matrix/context_vecs", "One product of weights and tokens computes all means at once."},
    {"average:attn_scores",
     "Scores that are all 0: no token is more relevant than another. Attention puts products of queries and keys "
     "here."},
    {"average:by_softmax/attn_weights",
     "Softmax makes equal scores equal weights, and masked scores 0: the same matrix of averages. With other scores, "
     "the mean becomes a weighted mean: this is attention."},
    {"average:by_softmax/context_vecs", "The same product again, with the weights that softmax made."},
    {"average:by_matrix/both_agree", "A check: the loop and the product compute the same means, up to rounding."},
    {"average:by_softmax/both_agree", "A check: both matrices of weights give the same means, up to rounding."},

    {"padding:batch",
     "Sequences of one batch have the same number of rows, so a shorter one is padded. Here the last sequence is the "
     "shorter one: its last rows stand for padding, whatever their numbers are."},
    {"padding:mask",
     "A matrix for each sequence: True in the columns of keys beyond its valid length. The longer sequences have no "
     "padding, so nothing is masked there."},
    {"padding:masked_attn_scores",
     "No query may see padding: its scores become -inf. The rows of padding itself stay, or softmax would have nothing "
     "left there and give nan."},
    {"padding:attn_weights",
     "Softmax, row by row: padding gets a weight of 0, and the other weights of a row sum to 1."},
    {"padding:context_vecs",
     "Each row mixes only values of real tokens. The rows of padding are computed too, but nobody uses them: the loss "
     "leaves them out."},
    {"grouped:W_key",
     "The weights of the keys, with columns only for the key/value heads. Half as many heads need half as many weights "
     "and half as large a cache of keys."},
    {"grouped:W_value", "The weights of the values, also with columns only for the key/value heads."},
    {"grouped:keys_repeated",
     "Each key head is repeated for the query heads of its group, so that one product over all heads compares each "
     "query head with the keys of its group."},
    {"grouped:values_repeated",
     "Each value head is repeated like the key heads: the query heads of a group mix the same values, each with its "
     "own weights."},

    {"prompt", "The tokens that are there at first. Their keys and values are computed once and kept."},
    {"cached_keys",
     "The keys of the prompt. Later tokens meet them again, and causal attention never changes them: a key depends on "
     "its own token alone. So they are kept, not computed anew."},
    {"cached_values", "The values of the prompt, kept for the same reason: later tokens mix them again."},
    {"new_tokens", "The tokens that come next: only these are projected from here on."},
    {"new_queries", "A query for each new token. The prompt's queries have done their work; no cache keeps queries."},
    {"new_keys", "The new tokens' keys: they join the cache for the tokens after them."},
    {"new_values", "The new tokens' values: they join the cache for the tokens after them."},
    {"cache:new_tokens/keys",
     "The cache, with the new keys behind those of the prompt: the keys of all tokens so far."},
    {"cache:new_tokens/values",
     "The cache, with the new values behind those of the prompt: the values of all tokens so far."},
    {"cache:new_tokens/mask",
     "The causal mask where queries are fewer than keys: the last rows of the square one. It counts from the last key: "
     "the last token sees all, the one before it all but one."},
    {"cache:new_context_vecs",
     "A context vector for each new token: the values of all tokens that it may see, cached ones too, weighted and "
     "summed."},
    {"block_keys",
     "A block of keys. A fused kernel loads one block at a time into fast memory, and never holds a whole row of "
     "scores."},
    {"block_values", "The values of the same tokens: the block's exponentials weight them."},
    {"online:block_*/attn_scores",
     "The scores of all queries with the keys of this block alone: a few columns of the scores above."},
    {"online:block_*/scaled_attn_scores",
     "Divided by the square root of the keys' dimension, which a block does not change."},
    {"block_max", "The largest score of each row in this block."},
    {"row_max_*", "The largest score of each row so far. It grows where a block has a larger one."},
    {"max_change", "How far the maximum has grown: 0 where it stays, else negative."},
    {"rescale",
     "Earlier exponentials were taken relative to the old maximum m. Multiplied by exp(m - new m), they are relative "
     "to the new one: exp(x - m) * exp(m - new m) = exp(x - new m)."},
    {"shifted_scores", "The scores relative to the maximum so far. None is above 0, so no exponential overflows."},
    {"exps_*", "The numerators of softmax for this block, relative to the maximum so far."},
    {"rescaled_sum", "The sum of earlier blocks, relative to the new maximum."},
    {"block_sum", "What this block adds to the denominator of softmax: a sum over its few columns."},
    {"row_sum_*", "The denominator of softmax, as far as the blocks so far give it. After the last block it is whole."},
    {"rescaled_values", "The weighted values of earlier blocks, relative to the new maximum."},
    {"block_weighted", "What this block adds: its values, weighted with its exponentials."},
    {"weighted_values_*", "The sum of values, weighted with exponentials and not yet divided by their sum."},
    {"online:combined/context_vecs",
     "One division at the end gives the context vectors: softmax's denominator is the same for a whole row, so it can "
     "come last."},
    {"online:both_agree",
     "A check: the blocks give the same context vectors, up to rounding. The last bits may differ: the blocks round in "
     "other places, add in another order and divide after the product."},
    {"rotary:queries", "Queries without positions: the same token has the same query wherever it stands."},
    {"rotary:keys", "Keys, also without positions."},
    {"rotary:values", "Values are never rotated: positions decide how much weight a value gets, not what it holds."},
    {"frequencies",
     "How far one position turns each pair, in radians: 10000 ** (-2 i / d) for pair i of d columns. The first pair "
     "turns fastest; the slow ones tell distant positions apart."},
    {"positions:sin",
     "The sines of the angles, computed in float64 and then rounded: in float32, PyTorch's versions differ in the last "
     "bit."},
    {"queries_x_turned|keys_x_turned|same_queries_x_turned|same_keys_x_turned|values_x_turned",
     "The first column of each pair (x, y) after the turn about the origin: x cos - y sin."},
    {"queries_y_turned|keys_y_turned|same_queries_y_turned|same_keys_y_turned|values_y_turned",
     "The second column of each pair (x, y) after the turn about the origin: x sin + y cos."},
    {"queries_x_*|keys_x_*|same_queries_x_*|same_keys_x_*|values_x_*",
     "A part of the rotation, of the first column of each pair."},
    {"queries_y_*|keys_y_*|same_queries_y_*|same_keys_y_*|values_y_*",
     "A part of the rotation, of the second column of each pair."},
    {"rotated_queries",
     "Each pair of columns (x, y) of a query is a point in a plane, and its position turns it about the origin. Its "
     "length stays, up to rounding; position 0 turns nothing."},
    {"rotated_keys",
     "The keys, turned by the angles of their own positions. A dot product of two vectors that are turned alike stays "
     "as it was: only the difference of the angles counts."},
    {"rotated_values", "The values, turned by the angles of their positions."},
    {"rotary:keys_transposed", "The rotated keys with tokens as columns, ready for the product."},
    {"rotary:attn_scores", "Each score now also depends on the distance between the query's token and the key's."},
    {"same_queries", "To see positions alone: the first token's query, as if it stood at every position."},
    {"same_keys", "The first token's key at every position, whatever token stands there."},
    {"rotated_same_queries", "Each row is turned by the angles of its own position."},
    {"rotated_same_keys", "The same for the keys: each row is turned by the angles of its own position."},
    {"distance_scores",
     "All queries are the same vector and all keys are: what differs is the distance alone. It is the same along a "
     "diagonal, and so is the score, up to rounding."},
    {"positions:inputs", "The embeddings of the words. Nothing in them says where a word stands."},
    {"positions:no_positions/attn_weights", "Each weight depends on the two words alone, wherever they stand."},
    {"positions:no_positions/context_vecs",
     "The same words in another order would give the same context vectors, in that order."},
    {"encodings",
     "A row for each position: the sine and the cosine of each of its angles, by turns. Fast columns tell neighbours "
     "apart, slow ones distant tokens."},
    {"sines_and_cosines", "The sines of all frequencies, then their cosines."},
    {"encodings_transposed", "With positions as columns, one product compares every encoding with every other."},
    {"encoding_products",
     "The dot product of each two encodings is a sum of cosines of their distance times a frequency: a model can learn "
     "from it how far apart two tokens are."},
    {"inputs_with_positions",
     "Word and position in one vector: the sum of both. The same word has another vector at another position."},
    {"pos_embedding_weight",
     "A table with a row for each position that the model may ever see, its context length. Training adjusts the rows "
     "of positions that occur; beyond the last there is none."},
    {"pos_embeddings",
     "The rows of the first positions. They are drawn at random: before training, neighbours are no more alike than "
     "distant positions."},
    {"positions:attn_weights", "Each weight now also depends on where both tokens stand."},
    {"queries_without_positions|keys_without_positions|values_without_positions",
     "The projection of the inputs, before positions are added."},
    {"bias:scaled_attn_scores", "Scores are scaled first: biases are added to them unscaled."},
    {"distances",
     "0 for a token itself, -1 for the one before it. Later tokens have positive numbers, but the mask hides them."},
    {"slopes",
     "How much a score loses with each token of distance. Nothing is learned here: the slopes are fixed powers of 2, "
     "another for each head."},
    {"alibi_bias",
     "Slope times distance, a matrix for each head. A head with a steep slope looks nearby; one with a flat slope "
     "hardly minds the distance."},
    {"biased_attn_scores",
     "The biases are added to the scores of every sequence. They replace position embeddings: the model has no other "
     "way to tell positions apart."},
    {"unscaled_biased_scores", "The scores with biases, not scaled yet."},
    {"unbiased_attn_weights", "Softmax of scores without biases."},
    {"bias:alibi/attn_weights", "Softmax of the biased scores: with scores alike, a nearer token gets more weight."},
    {"bias:window/mask",
     "A sliding window: True for later tokens, as in a causal mask, and for those that are too far back. Each token "
     "sees itself and the ones just before it."},
    {"bias:window/masked_attn_scores",
     "The scores without biases. Outside the window they become -inf, however high they are. With several layers a "
     "token still hears from further back: each layer adds to its reach."},
    {"bias:window/attn_weights",
     "Each row spreads its weight over the tokens in its window alone. A cache needs no keys from before it."},
    {"sinks", "A score for each head that belongs to no token. A model learns it; here it is drawn."},
    {"sink_column", "The sink's score as a column of its own: every token of a head meets the same sink."},
    {"sink_scores", "The same column for each sequence of the batch, ready to stand beside the scores."},
    {"scores_with_sink", "One more column than there are tokens. The mask does not hide it, and it was not scaled."},
    {"weights_with_sink",
     "Softmax over the tokens and the sink together: a row sums to 1 with the sink's part. The lower the scores of the "
     "tokens, the more of the weight goes to the sink."},
    {"sinks:attn_weights",
     "The sink's column is dropped, because it has no value to add. What is left of a row sums to less than 1: a head "
     "can attend to nothing at all, which softmax alone does not allow."},
    {"sinks:context_vecs",
     "The more weight the sink took, the nearer a context vector is to 0. The first token, which sees itself alone, "
     "would otherwise be its own value."},
    {"backward:target", "What the context vectors should be. In a model, the error comes from the layers above."},
    {"errors", "How far each number is from its target, with its sign."},
    {"squares", "Squared errors: none is negative, and large ones count more."},
    {"sum_of_squares", "All of them together: the number that training makes smaller."},
    {"loss",
     "Half the sum of the squared errors: a single number for how wrong the head is. grad_fn says how it was computed; "
     "backward goes the same way from its end."},
    {"grad_context_vecs",
     "How the loss changes with each number of the context vectors: the derivative of half a square is the error "
     "itself. From here on each step goes one step of the forward pass back."},
    {"attn_weights_transposed", "The weights by key: row j says which tokens attend to token j, and how much."},
    {"grad_values",
     "A value went into the context vectors of all tokens that attend to it, so it gets all their gradients back, each "
     "times the weight: the weights, transposed, times the gradient."},
    {"values_transposed", "The values as columns, ready for the product."},
    {"grad_attn_weights",
     "How the loss changes with each weight: the dot product of the context vector's gradient and the value. Where it "
     "is negative, more weight would help. Later tokens get a number too; the next steps drop it."},
    {"weighted_grads", "Each weight's gradient times the weight: the parts of the row's weighted mean."},
    {"mean_grads", "Their sum by row: the mean gradient of the row, weighted with the weights."},
    {"centred_grads", "How much each gradient is above the mean of its row."},
    {"grad_by_hand",
     "Softmax's gradient by hand: a higher score raises its own weight and lowers the others of its row, so only the "
     "difference from the row's mean counts, times the weight."},
    {"grad_scaled_attn_scores",
     "The same by the function that autograd calls: the product with softmax's Jacobian, diag(w) - w w.T, without ever "
     "writing that matrix down. It adds in another order, so last bits may differ."},
    {"grad_masked_attn_scores",
     "Scores were divided by a number on the way there; on the way back their gradients are divided by the same "
     "number."},
    {"grad_attn_scores",
     "No gradient passes a masked score. Here softmax gave it a weight of 0 already, so this only makes 0 of what was "
     "0 or -0."},
    {"grad_queries",
     "Each score is a query times a key, so a query gets the keys back, each times the gradient of their score."},
    {"grad_attn_scores_transposed", "The gradients of the scores by key: row j is for token j as the key."},
    {"grad_keys",
     "And a key gets the queries back, of all tokens that see it, each times the gradient of their score."},
    {"inputs_transposed", "The inputs as columns: a row for each of their dimensions."},
    {"grad_queries_transposed|grad_keys_transposed|grad_values_transposed",
     "A row for each of its dimensions, as nn.Linear's weight has one."},
    {"grad_W_query",
     "All tokens share the weight, so their gradients add up: the inputs, transposed, times the gradient of the "
     "queries. loss.backward() stores the same bits in the weight's grad."},
    {"grad_W_key", "The same for the keys. A step of training subtracts a little of it."},
    {"grad_W_value",
     "The same for the values. Here the gradient came from the context vectors alone, not through softmax."},
    {"grad_W_query_bias|grad_W_key_bias|grad_W_value_bias",
     "A bias is added for each token, so it gets the sum of their gradients."},
    {"cache:both_agree",
     "A check: the cache saved work and changed nothing. The last context vectors of all tokens at once equal those of "
     "the new tokens, up to rounding."},
};

}  // namespace

const Article article = {
    .name = "modern",
    .title = "Attention in today's models",
    .cpu = Cpu::avx2,
    .sentence = "Your journey starts with one step",
    .chapters = chapters,
    .meanings = meanings,
};

}  // namespace attn::chapters::modern
