#include <array>

#include "chapters/layer/layer.hpp"
#include "chapters/meaning.hpp"
#include "chapters/meanings.hpp"

namespace attn::chapters {
namespace {

constexpr std::string_view made_untrained = " Training would adjust them; here they are untrained.";
constexpr std::string_view made_given = " These are given, not drawn.";
constexpr std::string_view whatever_the_token = ", the same for all tokens. Many models omit it.";
constexpr std::string_view masked_softmax =
    "Softmax of the masked scores: each token attends to itself and the tokens before it.";
constexpr std::string_view later_tokens = "True above the diagonal, where the key's token comes after the query's.";
constexpr std::string_view weighted_values =
    "The sum of the values, weighted with the attention weights after dropout.";
constexpr std::string_view shared_columns =
    " of all tokens and all heads, by one projection. Its d_out columns are divided among the heads.";
constexpr std::string_view naive_softmax =
    "Exponentials divided by their sum: softmax, straight from its formula. Float32 overflows at scores of about 89, "
    "hence the name naive.";

constexpr std::array inputs = {
    Meaning{
        .step = "sentence",
        .text =
            "The text to embed. Here a token is a whole word; language models also split words into smaller pieces."},
    Meaning{.step = "vocabulary",
            .text = "Each word gets an id: its place in the sorted list of the sentence's words."},
    Meaning{.step = "ids",
            .text = "The sentence in reading order, with ids in place of words. A model works on numbers; an id "
                    "selects a row of the embedding."},
    Meaning{.step = "inputs",
            .text = "The inputs once more: this section starts from the same seed, so its numbers do not depend on "
                    "earlier draws.",
            .section = "self_attention"},
    Meaning{.step = "inputs",
            .text = "The input embeddings: each row is the vector that stands for one token. Attention turns each into "
                    "a context vector, which also carries information from the other tokens."},
    Meaning{.step = "batch",
            .text = "A model works on several sequences at once, stacked along a new first axis. Here every "
                    "entry of the batch is the same inputs."},
    Meaning{
        .step = "second_input",
        .text = "Cross-attention needs a second sequence",
        .tail =
            ", here of random numbers. In a translator it could be the encoder's output for the sentence to translate.",
        .own_tail = ". In a translator it could be the encoder's output for the sentence to translate."},
};

constexpr std::array simplified = {
    Meaning{.step = "query_2|x_2|query",
            .text = "We follow one token by hand: it is the query, the token that looks at all others. Without "
                    "trainable weights, its embedding is the query."},
    Meaning{.step = "attn_scores_2",
            .text = "An attention score is the dot product of the query and a token's embedding. It is positive when "
                    "both point the same way; longer vectors give larger magnitudes."},
    Meaning{.step = "attn_weights_2",
            .text = "Softmax turns scores into attention weights that sum to 1; a higher score gets a larger weight."},
    Meaning{.step = "attn_weights_sum_2", .text = "A check: attention weights sum to 1."},
    Meaning{.step = "context_vec_2",
            .text = "The context vector is the sum of all embeddings, each multiplied by its attention weight. It "
                    "represents the query's token together with the tokens it attends to."},
    Meaning{.step = "keys_transposed",
            .text = "A matrix product pairs rows with columns. With the transpose on the right, one product gives the "
                    "dot products of all pairs of embeddings."},
    Meaning{
        .step = "attn_scores",
        .text = "The same computation, repeated for all tokens: each row holds the scores of one token as the query.",
        .section = "by_loop"},
    Meaning{.step = "attn_scores",
            .text = "One matrix product gives the same scores as the loop, and hardware is built to compute it fast.",
            .section = "by_matmul"},
    Meaning{.step = "attn_scores",
            .text = "All pairs at once: row i has token i as the query, column j compares it with token j. One matrix "
                    "product replaces two nested loops."},
    Meaning{.step = "attn_sums",
            .text = "Weights should sum to 1. The simplest way is to divide every row by its sum; these are the sums."},
    Meaning{.step = "row_sums",
            .text = "A check: each row was divided by its own sum, so it should now sum to 1.",
            .section = "divided_by_sum"},
    Meaning{.step = "exp_attn_scores*",
            .text = "Exponentials are never negative, and they keep the order of the scores. So no weight is negative, "
                    "even if a score is."},
    Meaning{.step = "exp_sums", .text = "The sum of a row's exponentials: dividing by it makes the row sum to 1."},
    Meaning{.step = "attn_weights",
            .text = "Each score as a share of its row's sum. This works only if no score is negative; a sum near 0 "
                    "would make the shares huge.",
            .section = "divided_by_sum"},
    Meaning{.step = "attn_weights", .text = naive_softmax, .section = "naive_softmax"},
    Meaning{.step = "attn_weights_2_naive", .text = naive_softmax},
    Meaning{.step = "attn_weights",
            .text = "The library's softmax subtracts each row's largest score before exponentiation. This changes no "
                    "weight and prevents overflow.",
            .section = "softmax"},
    Meaning{.step = "context_vecs|all_context_vecs",
            .text = "Each row is one token's context vector: the embeddings of all tokens, weighted by that token's "
                    "row of attention weights and summed."},
};

constexpr std::array projections = {
    Meaning{.step = "W_query", .text = query_weights, .tail = made_untrained, .own_tail = made_given},
    Meaning{.step = "W_key", .text = key_weights, .tail = made_untrained, .own_tail = made_given},
    Meaning{.step = "W_value", .text = value_weights, .tail = made_untrained, .own_tail = made_given},
    Meaning{.step = "W_query_bias", .text = "A bias is added to every query", .tail = whatever_the_token},
    Meaning{.step = "W_key_bias", .text = "A bias is added to every key", .tail = whatever_the_token},
    Meaning{.step = "W_value_bias", .text = "A bias is added to every value", .tail = whatever_the_token},
    Meaning{.step = "out_proj_weight",
            .text = "The weights of the last linear layer, which mixes the heads' results.",
            .tail = " It is drawn with the other weights, before anything is computed.",
            .own_tail = made_given},
    Meaning{.step = "out_proj_bias", .text = "The last linear layer adds this to its outputs."},
};

constexpr std::array one_query = {
    Meaning{.step = "x_2",
            .text = "We follow one token by hand. By default it is the second, hence the 2 in the names that follow."},
    Meaning{
        .step = "query_2",
        .text = "The token's query: its embedding, projected with W_query. The next steps compare it with every key."},
    Meaning{.step = "key_2",
            .text = "The same token's key. Queries are compared with keys, so other tokens find this token by it."},
    Meaning{.step = "value_2",
            .text = "The same token's value: what it adds to a context vector, in proportion to its weight."},
    Meaning{.step = "w_2*",
            .text = "The attention score of one pair: the dot product of the query and one key. The last digit of the "
                    "name is the key's token, counted from 1."},
    Meaning{.step = "attn_score_22",
            .text = "One score on its own: the dot product of a query and a key. It appears again among the scores of "
                    "all keys."},
    Meaning{.step = "omega_24",
            .text = "One score on its own: query_2 times the key of the fifth token (index 4), or of the last if there "
                    "are fewer. It appears again among the scores of all keys."},
    Meaning{.step = "attn_scores_2",
            .text = "The query's dot products with all keys, in one product. A high score means that a token's key "
                    "matches this query."},
    Meaning{
        .step = "attn_weights_2",
        .text = "Softmax turns the scores into attention weights that sum to 1; a higher score gets a larger weight."},
    Meaning{.step = "context_vec_2",
            .text = "The same token's row of the module's result. The module has the same weights, so it equals the "
                    "result by hand.",
            .section = "self_attention"},
    Meaning{.step = "context_vec_2",
            .text = "The context vector: the values of all tokens, each multiplied by its attention weight, summed. "
                    "Scores compare queries with keys; the context vector mixes values."},
};

constexpr std::array cross = {
    Meaning{.step = "queries", .text = "Queries come from the first sequence: its tokens look.", .chapter = "cross"},
    Meaning{.step = "keys",
            .text = "Keys come from the second sequence: its tokens are looked at. This is what sets "
                    "cross-attention apart from self-attention.",
            .chapter = "cross"},
    Meaning{.step = "values",
            .text = "Values also come from the second sequence: keys and values belong to the same tokens.",
            .chapter = "cross"},
    Meaning{.step = "attn_scores",
            .text = "A row for each token of the first sequence, a column for each of the second. The two need not "
                    "have the same length; only queries and keys need the same number of dimensions.",
            .chapter = "cross"},
    Meaning{
        .step = "attn_weights",
        .text =
            "Each row shows how a token of the first sequence distributes its attention over the tokens of the second.",
        .chapter = "cross"},
    Meaning{.step = "context_vecs",
            .text = "A context vector for each token of the first sequence, mixed only from values of the second.",
            .chapter = "cross"},
};

constexpr std::array dropout = {
    Meaning{.step = "example",
            .text = "A matrix of ones shows dropout clearly: every entry starts from the same value."},
    Meaning{.step = "dropout_mask",
            .text = "For every entry, dropout draws whether to keep (True) or drop it (False). It drops each with "
                    "probability p, independently of the others.",
            .section = "ones"},
    Meaning{.step = "scale",
            .text = "Kept entries are multiplied by this factor: 1 / (1 - p), or 0 if p is 1 and none is kept. On "
                    "average it makes up for the dropped entries."},
    Meaning{.step = "output",
            .text = "Dropped entries are 0, kept ones are scaled up. Each entry's average over many draws is still 1 "
                    "if p is below 1.",
            .section = "ones"},
    Meaning{.step = "dropout_mask",
            .text = "In training, dropout keeps some attention weights (True) and drops others (False), with "
                    "probability p. A model that cannot rely on any single weight overfits less."},
    Meaning{.step = "dropout_attn_weights",
            .text = "Dropped weights become 0. Kept ones are multiplied by 1 / (1 - p), so that the average weight is "
                    "unchanged if p is below 1. Outside training, dropout does nothing."},
    Meaning{.step = "row_sums",
            .text = "Each row summed to 1 before dropout. If p is above 0, the sum in one draw may be larger or "
                    "smaller; if p is below 1, its average over many draws is 1.",
            .section = "causal"},
};

constexpr std::array causal = {
    Meaning{
        .step = "attn_weights",
        .text =
            "Plain attention weights: tokens still attend to later ones. In this section the mask comes after softmax.",
        .section = "renormalised"},
    Meaning{.step = "mask_simple",
            .text = "Ones on and below the diagonal keep the tokens that a token may see, itself included. Zeros above "
                    "it remove later tokens."},
    Meaning{.step = "masked_simple",
            .text = "Multiplied by the mask, the weights of later tokens become 0. A row that lost weight no longer "
                    "sums to 1."},
    Meaning{.step = "row_sums",
            .text = "The sum left in each row after masking: the weight of the tokens that may be seen.",
            .section = "renormalised"},
    Meaning{.step = "masked_simple_norm",
            .text = "Divided by its sum, each row sums to 1 again. Later tokens have no influence left: their part in "
                    "softmax's denominator cancels."},
    Meaning{.step = "mask",
            .text = later_tokens,
            .tail = " A model that learns to predict the next token must not see it."},
    Meaning{
        .step = "unmasked_attn_weights",
        .text =
            "Softmax before any mask: later tokens already have weight in each row, and the mask can only remove it."},
    Meaning{.step = "masked_attn_scores",
            .text = "Masking before softmax: a score of -inf becomes a weight of 0, since exp(-inf) is 0. The other "
                    "weights of a row then sum to 1."},
    Meaning{.step = "attn_weights",
            .text = masked_softmax,
            .tail = " No second normalisation is needed.",
            .section = "minus_inf"},
    Meaning{.step = "attn_weights", .text = masked_softmax, .chapter = "causal"},
    Meaning{
        .step = "attn_weights",
        .text = "The causal attention weights, before dropout: each token attends to itself and the tokens before it.",
        .chapter = "dropout"},
    Meaning{.step = "both_agree",
            .text = "In exact arithmetic, masking before softmax and renormalising after it give the same weights, "
                    "because softmax's denominator cancels. Masking with -inf takes fewer steps.",
            .chapter = "causal"},
    Meaning{.step = "context_vecs",
            .text = weighted_values,
            .tail = " Later tokens do not contribute to a context vector.",
            .chapter = "causal"},
    Meaning{.step = "context_vecs",
            .text = weighted_values,
            .tail = " With p above 0 they differ in every training step, because dropout draws a new mask.",
            .chapter = "dropout"},
};

/// For heads that share one projection.
constexpr std::array shared_heads = {
    Meaning{.step = "keys_transposed",
            .text = "The last two axes swapped: within each head, tokens become columns. Batch and head axes stay, as "
                    "separate products."},
    Meaning{.step = "attn_scores",
            .text = "A square matrix of scores for each head: every head compares all tokens in its own way."},
    Meaning{.step = "attn_weights",
            .text = "Softmax, row by row, within each head: every head distributes a token's attention in its own way "
                    "over that token and those before it."},
    Meaning{.step = "queries", .text = "The queries", .tail = shared_columns},
    Meaning{.step = "keys", .text = "The keys", .tail = shared_columns},
    Meaning{.step = "values", .text = "The values", .tail = shared_columns},
};

constexpr std::array multihead = {
    Meaning{.step = "W_query",
            .text = "This head's own weights for queries. Each head has its own weights, so each can learn to look for "
                    "something different.",
            .chapter = "multihead",
            .section = "head_*"},
    Meaning{.step = "W_key",
            .text = "This head's own weights for keys, which its queries are compared with.",
            .chapter = "multihead",
            .section = "head_*"},
    Meaning{.step = "W_value",
            .text = "This head's own weights for values: heads may also differ in what tokens pass on.",
            .chapter = "multihead",
            .section = "head_*"},
    Meaning{.step = "keys_heads",
            .text = "Each head takes its own head_dim numbers of every key. The head axis then moves before the token "
                    "axis, so that one product computes all heads."},
    Meaning{.step = "queries_heads",
            .text = "The queries, split the same way: a head compares its part of a query with its part of the keys."},
    Meaning{.step = "values_heads", .text = "The values, split the same way: a head mixes its own part of the values."},
    Meaning{.step = "mask",
            .text = later_tokens,
            .tail = " The same mask serves all heads and all batch entries.",
            .chapter = "multihead|grouped"},
    Meaning{.step = "context_heads",
            .text = "Each head mixes its own part of the values: a matrix of context vectors for each head, head_dim "
                    "numbers for each token."},
    Meaning{.step = "context_vec",
            .text = "Each head mixes its part of the values. Then heads and tokens swap axes again, so that one "
                    "token's results of all heads lie together."},
    Meaning{.step = "context_vecs",
            .text = "The heads' context vectors side by side: each token gets the results of every head.",
            .section = "stacked"},
    Meaning{.step = "context_vecs",
            .text = "This head's context vectors: the values of all tokens, weighted and summed.",
            .chapter = "multihead",
            .section = "single_head"},
    Meaning{.step = "context_vecs",
            .text = "This head's context vectors: its values, weighted and summed.",
            .chapter = "multihead",
            .section = "head_*"},
    Meaning{.step = "context_vecs|joined_heads",
            .text = "The heads are joined: their head_dim numbers, one head after the other, make d_out numbers for "
                    "each token. The view needs them in row-major order, hence contiguous().",
            .chapter = "multihead|grouped"},
    Meaning{.step = "output", .text = heads_are_mixed, .chapter = "multihead|grouped"},
    Meaning{.step = "both_agree",
            .text = "A check: ",
            .tail = "the first head starts from the same seed as the single head did, so its columns hold the same "
                    "numbers.",
            .own_tail = "whether the first head's columns hold the numbers of the single head.",
            .chapter = "multihead"},
};

constexpr std::array general = {
    Meaning{.step = "queries",
            .text = "Every token's query, by projection with W_query: what each token looks for, like a question to "
                    "all drawers of a cabinet."},
    Meaning{.step = "keys",
            .text = "Every token's key, by projection with W_key: what each token can be found by, like the label on a "
                    "drawer. Queries are compared with these."},
    Meaning{
        .step = "values",
        .text =
            "Every token's value, by projection with W_value: what each token passes on, like the contents of the "
            "drawer. The better a label matches the question, the more of the contents go into the context vector."},
    Meaning{.step = "keys_transposed",
            .text = "A matrix product pairs rows with columns. With the keys as columns, one product compares every "
                    "query with every key."},
    Meaning{.step = "attn_scores",
            .text = "The dot product of every query and every key: a row for each query, a column for each key. A high "
                    "score means that a key matches a query."},
    Meaning{.step = "scaled_attn_scores*",
            .text = "Dot products tend to grow with the number of dimensions. Softmax of large scores puts almost all "
                    "weight on one token, and its gradients are then near 0. Dividing by the square root of the "
                    "dimension keeps scores moderate."},
    Meaning{.step = "attn_weights",
            .text = "Softmax, row by row: each row shows how one token distributes its attention over all tokens."},
    Meaning{.step = "context_vecs",
            .text = "Each row is one token's context vector: the values of all tokens, weighted by that token's row "
                    "of attention weights and summed."},
};

}  // namespace

std::vector<std::span<const Meaning>> step_meanings(std::string_view chapter, std::string_view section) {
  std::vector<std::span<const Meaning>> groups;
  if (chapter == "layer") {
    groups.push_back(layer::shared_meanings());
  }
  groups.push_back(inputs);
  groups.push_back(chapter == "simplified" ? std::span<const Meaning>(simplified)
                                           : std::span<const Meaning>(one_query));
  const bool is_head_of_its_own = section.starts_with("head_") || section == "single_head";
  if (chapter == "multihead" && !is_head_of_its_own) {
    groups.emplace_back(shared_heads);
  }
  groups.insert(groups.end(), {cross, multihead, dropout, causal, projections, general});
  return groups;
}

namespace {

constexpr std::array sizes = {
    Meaning{.step = "keys",
            .text = "To separate the heads, view treats the numbers of each key as num_heads groups of head_dim. No "
                    "number moves.",
            .chapter = "multihead"},
    Meaning{.step = "keys_heads",
            .text = "The head axis now comes before the token axis: a matrix of keys for each head."},
    Meaning{.step = "keys_transposed", .text = "Ready for the product: within each head, tokens are now columns."},
    Meaning{.step = "attn_scores",
            .text = "For each head, a row for each query and a column for each key.",
            .chapter = "multihead"},
    Meaning{.step = "attn_scores", .text = "A row for each query and a column for each key."},
    Meaning{
        .step = "attn_weights",
        .text =
            "Masking changes numbers, not the shape: for each head, a row for each query and a column for each key."},
    Meaning{.step = "context_vec",
            .text = "Tokens come before heads again, so that a token's heads lie side by side, ready to join."},
    Meaning{.step = "output",
            .text = "One output vector for each token: attention changes what the vectors hold, not how many there "
                    "are."},
    Meaning{.step = "batch",
            .text = "The batch size, the tokens in each entry, and the dimensions of each token's embedding."},
    Meaning{.step = "inputs", .text = "A row for each token, a column for each dimension of the embedding."},
    Meaning{.step = "second_input",
            .text = "The second sequence may have another length, but its embeddings need the same number of "
                    "dimensions, because the projections expect it."},
    Meaning{
        .step = "query_2",
        .text = "Queries and keys need the same number of dimensions, because each score is a dot product of the two."},
    Meaning{.step = "key_2", .text = "A key has as many dimensions as a query: a score is the dot product of the two."},
    Meaning{.step = "value_2",
            .text = "Values may have their own size: they are not part of a dot product, they are only mixed."},
    Meaning{.step = "keys", .text = "A key for each token, of the same length as a query."},
    Meaning{.step = "values", .text = "A value for each token; its length is that of the context vectors."},
    Meaning{.step = "context_vec_2", .text = "A context vector is as long as a value, because it is a mix of values."},
    Meaning{.step = "context_vecs",
            .text = "A context vector for each token of each batch entry, d_out numbers long: the last linear layer "
                    "mixes columns and keeps their number.",
            .chapter = "multihead",
            .section = "split"},
    Meaning{.step = "context_vecs",
            .text = "A context vector for each token, with the columns of all heads.",
            .chapter = "multihead"},
    Meaning{.step = "context_vecs",
            .text = "As many context vectors as queries, each as long as a value. The second sequence's length no "
                    "longer appears in the shape.",
            .chapter = "cross"},
    Meaning{.step = "context_vecs", .text = "A context vector for each token of each batch entry."},
};

}  // namespace

std::span<const Meaning> size_meanings() { return sizes; }

}  // namespace attn::chapters
