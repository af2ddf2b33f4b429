#include <array>

#include "meaning_tables.hpp"
#include "meaning_texts.hpp"

namespace attn::chapters {
namespace {

constexpr std::string_view made_untrained = " Training would adjust them; here they are untrained.";
constexpr std::string_view made_given = " These are given, not drawn.";
constexpr std::string_view whatever_the_token = ", whatever the token. Many models leave it out.";
constexpr std::string_view masked_softmax =
    "Softmax of the masked scores: each token shares its attention among itself and the tokens before it.";
constexpr std::string_view later_tokens = "True above the diagonal, where the key's token comes after the query's.";
constexpr std::string_view weighted_values = "The values, weighted and summed, with the weights that dropout left.";
constexpr std::string_view shared_columns =
    " of all tokens, for all heads: one projection, whose d_out columns the heads share among them.";
constexpr std::string_view naive_softmax =
    "Exponentials divided by their sum: softmax, straight from its formula. Float32 overflows from scores of about 89 "
    "on, "
    "which is why it is called naive.";

constexpr std::array inputs = {
    Meaning{.step = "sentence",
            .text = "The text to be embedded. Here a token is a whole word; language models cut text into smaller "
                    "pieces, too."},
    Meaning{.step = "vocabulary",
            .text = "Each word gets an id: its place in the sorted list of the sentence's words."},
    Meaning{.step = "ids",
            .text = "The sentence in the order in which it is read, with ids in place of words. A model works on "
                    "numbers, and an id says which row of the embedding to look up."},
    Meaning{.step = "inputs",
            .text = "The inputs once more: this section starts from the same seed, so its numbers do not depend on "
                    "what was drawn before.",
            .section = "self_attention"},
    Meaning{.step = "inputs",
            .text = "The input embeddings: each row is the vector that stands for one token. Attention makes of each "
                    "a context vector, which also carries what matters of the other tokens."},
    Meaning{.step = "batch",
            .text = "A model works on several sequences at once, stacked along a new first axis. Here every "
                    "entry of the batch is the same inputs."},
    Meaning{
        .step = "second_input",
        .text = "Cross-attention needs a second sequence",
        .tail = ", here of random numbers. In a translator it could be the encoder's output for the sentence that is "
                "being translated.",
        .own_tail = ". In a translator it could be the encoder's output for the sentence that is being translated."},
};

constexpr std::array simplified = {
    Meaning{.step = "query_2|x_2|query",
            .text = "One token is followed by hand: it takes the part of the query, the token that looks at all "
                    "others. Without trainable weights, its embedding itself is the query."},
    Meaning{.step = "attn_scores_2",
            .text = "An attention score is the dot product of the query with a token's embedding. It "
                    "tells how far the two vectors point the same way, and it grows with their lengths."},
    Meaning{.step = "attn_weights_2",
            .text = "Softmax turns scores into attention weights: shares of one whole, the larger the higher the "
                    "score."},
    Meaning{.step = "attn_weights_sum_2",
            .text = "A check: attention weights are shares of one whole, so they sum to 1."},
    Meaning{.step = "context_vec_2",
            .text = "The context vector is the sum of all embeddings, each multiplied by its attention weight. It "
                    "stands for the query's token, seen together with those that it attends to."},
    Meaning{.step = "keys_transposed",
            .text = "A matrix product pairs rows with columns. With the transpose on the right, each embedding meets "
                    "every other, so one product gives the dot products of all pairs."},
    Meaning{.step = "attn_scores",
            .text = "What was done for one token, repeated for all: each row holds the scores of one token as the "
                    "query.",
            .section = "by_loop"},
    Meaning{.step = "attn_scores",
            .text = "One matrix product gives the same scores as the loop, and it is what fast hardware is built for.",
            .section = "by_matmul"},
    Meaning{.step = "attn_scores",
            .text = "All pairs at once: a row holds the scores of one token as the query, a column those with one "
                    "token. One matrix product replaces a loop within a loop."},
    Meaning{.step = "attn_sums",
            .text = "Weights should sum to 1. The simplest way is to divide every row by its sum, so these sums come "
                    "first."},
    Meaning{.step = "row_sums",
            .text = "A check: each row was divided by its own sum, so it should sum to 1 now.",
            .section = "divided_by_sum"},
    Meaning{.step = "exp_attn_scores*",
            .text = "The exponential of no score is negative, and it keeps their order. So there are no negative "
                    "weights, even where scores are negative."},
    Meaning{.step = "exp_sums",
            .text = "The sum of a row's exponentials: what each of them is divided by, so that the row sums to 1."},
    Meaning{.step = "attn_weights",
            .text = "Each score as a share of its row's sum. That works as long as no score is negative; a sum near "
                    "0 would blow the shares up.",
            .section = "divided_by_sum"},
    Meaning{.step = "attn_weights", .text = naive_softmax, .section = "naive_softmax"},
    Meaning{.step = "attn_weights_2_naive", .text = naive_softmax},
    Meaning{.step = "attn_weights",
            .text = "The library's softmax subtracts each row's largest score before it takes exponentials. That "
                    "changes no weight, but no exponential can overflow.",
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
            .text = "The weights of the last linear layer, which mixes what the heads have found.",
            .tail = " It is drawn with the other weights, before anything is computed.",
            .own_tail = made_given},
    Meaning{.step = "out_proj_bias", .text = "What the last linear layer adds to each of its outputs."},
};

constexpr std::array one_query = {
    Meaning{.step = "x_2",
            .text = "One token is followed by hand. Unless another is asked for it is the second, where there is one, "
                    "hence the 2 in the names that follow."},
    Meaning{.step = "query_2",
            .text = "The token's query: its embedding, projected with W_query. It will be compared with every key."},
    Meaning{.step = "key_2",
            .text = "The same token's key. Queries are compared with keys, so this is how other tokens find it."},
    Meaning{.step = "value_2",
            .text = "The same token's value: what it adds to a context vector, in proportion to its weight."},
    Meaning{.step = "w_2*",
            .text = "The attention score of one pair: the dot product of the query with one key. The last digit "
                    "of the name counts the key's token, from 1."},
    Meaning{.step = "attn_score_22",
            .text = "One score on its own: the dot product of a query with a key. It comes up again among the scores "
                    "of all keys."},
    Meaning{.step = "omega_24",
            .text = "One score on its own: query_2 meets the key of the fifth token (4, counted from 0), or of the "
                    "last where there are fewer. It comes up again among the scores of all keys."},
    Meaning{.step = "attn_scores_2",
            .text = "The query's dot products with all keys, in one product. A high score says that a token's key "
                    "fits what this query looks for."},
    Meaning{.step = "attn_weights_2",
            .text = "Softmax turns the scores into attention weights: shares of one whole, the larger the higher "
                    "the score."},
    Meaning{.step = "context_vec_2",
            .text = "The same token's row of the module's result. The module has the same weights, so this is what "
                    "was worked out by hand.",
            .section = "self_attention"},
    Meaning{.step = "context_vec_2",
            .text = "The context vector: the values of all tokens, each multiplied by its attention weight, summed. "
                    "Scores compare queries with keys, but what is mixed are the values."},
};

constexpr std::array cross = {
    Meaning{.step = "queries",
            .text = "Queries come from the first sequence: its tokens do the looking.",
            .chapter = "cross"},
    Meaning{.step = "keys",
            .text = "Keys come from the second sequence: its tokens are looked at. This is what sets "
                    "cross-attention apart from self-attention.",
            .chapter = "cross"},
    Meaning{.step = "values",
            .text = "Values come from the second sequence as well: keys and values belong to the same tokens.",
            .chapter = "cross"},
    Meaning{.step = "attn_scores",
            .text = "A row for each token of the first sequence, a column for each of the second. The two need not "
                    "have the same length; only queries and keys need the same number of dimensions.",
            .chapter = "cross"},
    Meaning{.step = "attn_weights",
            .text = "Each row says how a token of the first sequence shares its attention among the tokens of the "
                    "second.",
            .chapter = "cross"},
    Meaning{.step = "context_vecs",
            .text = "A context vector for each token of the first sequence, mixed from values of the second alone.",
            .chapter = "cross"},
};

constexpr std::array dropout = {
    Meaning{.step = "example",
            .text = "A matrix of ones shows best what dropout does: every entry starts from the same value."},
    Meaning{.step = "dropout_mask",
            .text = "Dropout draws for every entry whether it is kept (True) or dropped (False). An entry is dropped "
                    "with probability p, whatever happens to its neighbours.",
            .section = "ones"},
    Meaning{.step = "scale",
            .text = "What kept entries are multiplied with: 1 / (1 - p), or 0 where p is 1 and none is kept. It makes "
                    "up for the dropped entries, on average."},
    Meaning{.step = "output",
            .text = "Dropped entries are 0, kept ones are scaled up. Each entry's average over many draws is still 1, "
                    "as long as p is below 1.",
            .section = "ones"},
    Meaning{.step = "dropout_mask",
            .text = "In training, dropout draws which attention weights are kept (True) and which are dropped "
                    "(False), with probability p. A model that cannot count on any single weight overfits less."},
    Meaning{.step = "dropout_attn_weights",
            .text = "Dropped weights become 0, and kept ones are multiplied by 1 / (1 - p), so that a weight keeps its "
                    "size on average, as long as p is below 1. Outside training, dropout does nothing."},
    Meaning{.step = "row_sums",
            .text = "Each row summed to 1 before dropout. With p above 0, a row may come out above or below in one "
                    "draw; it is the average over many draws that stays 1, as long as p is below 1.",
            .section = "causal"},
};

constexpr std::array causal = {
    Meaning{.step = "attn_weights",
            .text = "Plain attention weights to begin with: tokens still attend to later ones. In this section "
                    "the mask comes after softmax.",
            .section = "renormalised"},
    Meaning{.step = "mask_simple",
            .text = "Ones on and below the diagonal keep what a token may see, itself included. Zeros above it remove "
                    "the tokens that come later."},
    Meaning{.step = "masked_simple",
            .text = "Multiplied by the mask, the weights of later tokens become 0. A row that lost weight no longer "
                    "sums to 1."},
    Meaning{.step = "row_sums",
            .text = "What is left of each row after masking: the share that went to tokens which may be seen.",
            .section = "renormalised"},
    Meaning{.step = "masked_simple_norm",
            .text = "Divided by its sum, each row is a whole again. Nothing of the later tokens remains: their part "
                    "in softmax's denominator cancels."},
    Meaning{.step = "mask",
            .text = later_tokens,
            .tail = " A model that learns to predict the next token must not see it."},
    Meaning{.step = "unmasked_attn_weights",
            .text = "Softmax before any mask: the later tokens already have their share of each row, and the mask "
                    "can only take it away."},
    Meaning{.step = "masked_attn_scores",
            .text = "Masking before softmax: a score of -inf becomes a weight of 0, since exp(-inf) is 0. The other "
                    "weights of a row then sum to 1 without further help."},
    Meaning{.step = "attn_weights",
            .text = masked_softmax,
            .tail = " No second normalisation is needed.",
            .section = "minus_inf"},
    Meaning{.step = "attn_weights", .text = masked_softmax, .chapter = "causal"},
    Meaning{.step = "attn_weights",
            .text = "The causal attention weights, before dropout: each token shares its attention among itself and "
                    "the tokens before it.",
            .chapter = "dropout"},
    Meaning{.step = "both_agree",
            .text = "In exact arithmetic, masking before softmax and renormalising after it give the same weights, "
                    "because softmax's denominator cancels. The way with -inf takes fewer steps.",
            .chapter = "causal"},
    Meaning{.step = "context_vecs",
            .text = weighted_values,
            .tail = " Later tokens have no part in a context vector.",
            .chapter = "causal"},
    Meaning{.step = "context_vecs",
            .text = weighted_values,
            .tail = " With p above 0 they come out differently in every training step, since dropout draws anew.",
            .chapter = "dropout"},
};

/// Where heads share one projection.
constexpr std::array shared_heads = {
    Meaning{.step = "keys_transposed",
            .text = "The last two axes swapped: tokens become columns, within each head. Batch and heads stay where "
                    "they are, as separate products."},
    Meaning{.step = "attn_scores",
            .text = "A square of scores for each head: every head compares all tokens in its own way."},
    Meaning{.step = "attn_weights",
            .text = "Softmax, row by row, within each head: every head shares a token's attention in its own way "
                    "among that token and those before it."},
    Meaning{.step = "queries", .text = "The queries", .tail = shared_columns},
    Meaning{.step = "keys", .text = "The keys", .tail = shared_columns},
    Meaning{.step = "values", .text = "The values", .tail = shared_columns},
};

constexpr std::array multihead = {
    Meaning{.step = "W_query",
            .text = "This head's own weights for queries. Each head has weights of its own, so each can learn to look "
                    "for something else.",
            .chapter = "multihead",
            .section = "head_*"},
    Meaning{.step = "W_key",
            .text = "This head's own weights for keys, which go with its queries.",
            .chapter = "multihead",
            .section = "head_*"},
    Meaning{.step = "W_value",
            .text = "This head's own weights for values: heads may also differ in what tokens pass on.",
            .chapter = "multihead",
            .section = "head_*"},
    Meaning{.step = "keys_heads",
            .text = "Each head takes its own head_dim numbers of every key. The heads' axis then moves before the "
                    "tokens' axis, so that one product serves all heads."},
    Meaning{.step = "queries_heads",
            .text = "The queries, split in the same way: a head compares its part of a query with its part of the "
                    "keys."},
    Meaning{.step = "values_heads",
            .text = "The values, split in the same way: a head mixes its own part of the values."},
    Meaning{.step = "mask",
            .text = later_tokens,
            .tail = " The same mask serves all heads and all batch entries.",
            .chapter = "multihead"},
    Meaning{.step = "context_heads",
            .text = "Each head mixes its own part of the values: a matrix of context vectors for each head, head_dim "
                    "numbers for each token."},
    Meaning{.step = "context_vec",
            .text = "Each head mixes its part of the values. Then heads and tokens swap axes again, so that what the "
                    "heads found for one token lies together."},
    Meaning{.step = "context_vecs",
            .text = "The heads' context vectors side by side: each token gets what every head found for it.",
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
            .chapter = "multihead"},
    Meaning{.step = "output", .text = heads_are_mixed, .chapter = "multihead"},
    Meaning{.step = "both_agree",
            .text = "A check: ",
            .tail = "the first head starts from the same seed as the single head did, so its columns hold the same "
                    "numbers.",
            .own_tail = "whether the first head's columns hold the numbers of the single head.",
            .chapter = "multihead"},
};

constexpr std::array general = {
    Meaning{.step = "queries",
            .text = "Every token's query, by projection with W_query: what each token looks for, like a question put "
                    "to all drawers of a cabinet."},
    Meaning{.step = "keys",
            .text = "Every token's key, by projection with W_key: what each token can be found by, like the label on a "
                    "drawer. Queries are compared with these."},
    Meaning{
        .step = "values",
        .text =
            "Every token's value, by projection with W_value: what each token passes on, like what is in the "
            "drawer. The better a label answers the question, the more of the drawer goes into the context vector."},
    Meaning{.step = "keys_transposed",
            .text = "A matrix product pairs rows with columns. With the keys as columns, one product compares every "
                    "query with every key."},
    Meaning{.step = "attn_scores",
            .text = "The dot product of every query with every key: a row for each query, a column for each key. A "
                    "high score says that a key fits what a query looks for."},
    Meaning{.step = "scaled_attn_scores*",
            .text = "Dot products tend to grow with the number of dimensions, and softmax of large scores puts nearly "
                    "all weight on one token, where gradients vanish. Dividing by the square root of that number "
                    "keeps scores moderate."},
    Meaning{.step = "attn_weights",
            .text = "Softmax, row by row: each row says how one token shares its attention among all tokens."},
    Meaning{.step = "context_vecs",
            .text = "Each row is one token's context vector: the values of all tokens, weighted by that token's row "
                    "of attention weights and summed."},
};

}  // namespace

std::vector<std::span<const Meaning>> step_meanings(std::string_view chapter, std::string_view section) {
  std::vector<std::span<const Meaning>> groups = {inputs};
  groups.push_back(chapter == "simplified" ? std::span<const Meaning>(simplified)
                                           : std::span<const Meaning>(one_query));
  const bool is_head_of_its_own = section.starts_with("head_") || section == "single_head";
  if (chapter == "multihead" && !is_head_of_its_own) {
    groups.emplace_back(shared_heads);
  }
  groups.insert(groups.end(), {cross, multihead, dropout, causal, projections, general});
  return groups;
}

}  // namespace attn::chapters
