#include <algorithm>

#include "chapters/chapter.hpp"
#include "chapters/own.hpp"

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
constexpr std::string_view heads_are_mixed =
    "A last linear layer mixes the heads' results, so that each output can use every head.";
constexpr std::string_view shared_columns =
    " of all tokens and all heads, by one projection. Its d_out columns are divided among the heads.";
constexpr std::string_view naive_softmax =
    "Exponentials divided by their sum: softmax, straight from its formula. Float32 overflows at scores of about 89, "
    "hence the name naive.";

constexpr Meaning layer[] = {
    {"inputs",
     "What enters the layer: a row for each token, called hidden states, as the layers before have made it. Before the "
     "first layer it is the embedding."},
    {"sentence",
     "The text to embed, in words that are single tokens of the model's vocabulary. Special tokens are among them only "
     "where the sentence has them."},
    {"vocabulary",
     "The words as tokenizer.json spells them, with their ids. A mark such as Ġ or ▁ stands for the blank before a "
     "word: most vocabularies have a word twice, with and without it."},
    {"ids", "The ids of the tokens in reading order. A model works on numbers; an id selects a row of the embedding."},
    {"token_embeddings",
     "A row of the embedding for each token, learned in training: at this point a token has the same vector wherever "
     "it stands."},
    {"pos_embeddings", "A learned row for each position, the same whatever token stands there."},
    {"batch", "The hidden states with an axis for the batch, as models take them."},
    {"norm_weight|embeddings_norm_weight", "The norm's weight: a learned factor for each column."},
    {"norm_bias|embeddings_norm_bias", "The norm's bias: a learned number that is added to each column."},
    {"norm_mean", "The mean of each token's numbers."},
    {"norm_factor",
     "1 divided by the standard deviation of each token's numbers. The small number under the root, eps, keeps a row "
     "of equal numbers from being divided by 0."},
    {"centred", "Each row with its mean subtracted: it now sums to 0, up to rounding."},
    {"normalised",
     "Each row divided by its standard deviation: whatever entered, its numbers now have mean 0 and a variance of "
     "nearly 1."},
    {"W_query", "The weights of the queries of all heads, learned in training."},
    {"W_key", "The weights of the keys, learned in training."},
    {"W_value", "The weights of the values, learned in training."},
    {"qkv_weight", "The weights of queries, keys and values in one matrix, one below the other."},
    {"W_query_bias|W_key_bias|W_value_bias|qkv_bias|out_proj_bias",
     "A learned number that is added to each column, the same for all tokens."},
    {"qkv", "One product computes queries, keys and values of all heads, side by side."},
    {"queries", "The queries of all tokens and all heads: what each token looks for."},
    {"keys", "The keys of all tokens and all heads: what each token offers to be found by."},
    {"values", "The values of all tokens and all heads: what each token passes on."},
    {"queries_heads", "Each head has its own columns of the queries."},
    {"keys_heads", "Each head has its own columns of the keys."},
    {"values_heads", "Each head has its own columns of the values."},
    {"keys_transposed", "Keys as columns, so that one product compares each query with each key."},
    {"attn_scores", "Row i has the scores of token i as the query, for each head."},
    {"scaled_attn_scores",
     "Divided by the square root of the number of columns of a head, so that scores do not grow with it."},
    {"mask", "True where the key's token comes after the query's: it is hidden."},
    {"masked_attn_scores", "Hidden scores become -inf: softmax gives them a weight of 0."},
    {"attn_weights", "Softmax, row by row: how much each token takes from which, in each head."},
    {"context_heads|context_vec", "Each head's weighted sum of its values: what each token has found."},
    {"context_vecs", "What all heads have found, side by side."},
    {"out_proj_weight", "The weights of the output projection."},
    {"output", "The output projection mixes what the heads have found. It is what attention adds to each token."},
    {"residual_sum",
     "The output is added to what entered, the residual: attention corrects a token's vector and does not replace it."},
};

constexpr Meaning inputs[] = {
    {"sentence",
     "The text to embed. Here a token is a whole word; language models also split words into smaller pieces."},
    {"vocabulary", "Each word gets an id: its place in the sorted list of the sentence's words."},
    {"ids",
     "The sentence in reading order, with ids in place of words. A model works on numbers; an id selects a row of the "
     "embedding."},
    {"self_attention/inputs",
     "The inputs once more: this section starts from the same seed, so its numbers do not depend on earlier draws."},
    {"inputs",
     "The input embeddings: each row is the vector that stands for one token. Attention turns each into a context "
     "vector, which also carries information from the other tokens."},
    {"batch",
     "A model works on several sequences at once, stacked along a new first axis. Here every entry of the batch is the "
     "same inputs."},
    {"second_input", "Cross-attention needs a second sequence",
     ", here of random numbers. In a translator it could be the encoder's output for the sentence to translate.",
     ". In a translator it could be the encoder's output for the sentence to translate."},
};

constexpr Meaning simplified[] = {
    {"query_2|x_2|query",
     "We follow one token by hand: it is the query, the token that looks at all others. Without trainable weights, its "
     "embedding is the query."},
    {"attn_scores_2",
     "An attention score is the dot product of the query and a token's embedding. It is positive when both point the "
     "same way; longer vectors give larger magnitudes."},
    {"attn_weights_2",
     "Softmax turns scores into attention weights that sum to 1; a higher score gets a larger weight."},
    {"attn_weights_sum_2", "A check: attention weights sum to 1."},
    {"context_vec_2",
     "The context vector is the sum of all embeddings, each multiplied by its attention weight. It represents the "
     "query's token together with the tokens it attends to."},
    {"keys_transposed",
     "A matrix product pairs rows with columns. With the transpose on the right, one product gives the dot products of "
     "all pairs of embeddings."},
    {"by_loop/attn_scores",
     "The same computation, repeated for all tokens: each row holds the scores of one token as the query."},
    {"by_matmul/attn_scores",
     "One matrix product gives the same scores as the loop, and hardware is built to compute it fast."},
    {"attn_scores",
     "All pairs at once: row i has token i as the query, column j compares it with token j. One matrix product "
     "replaces two nested loops."},
    {"attn_sums", "Weights should sum to 1. The simplest way is to divide every row by its sum; these are the sums."},
    {"divided_by_sum/row_sums", "A check: each row was divided by its own sum, so it should now sum to 1."},
    {"exp_attn_scores*",
     "Exponentials are never negative, and they keep the order of the scores. So no weight is negative, even if a "
     "score is."},
    {"exp_sums", "The sum of a row's exponentials: dividing by it makes the row sum to 1."},
    {"divided_by_sum/attn_weights",
     "Each score as a share of its row's sum. This works only if no score is negative; a sum near 0 would make the "
     "shares huge."},
    {"naive_softmax/attn_weights", naive_softmax},
    {"attn_weights_2_naive", naive_softmax},
    {"softmax/attn_weights",
     "The library's softmax subtracts each row's largest score before exponentiation. This changes no weight and "
     "prevents overflow."},
    {"context_vecs|all_context_vecs",
     "Each row is one token's context vector: the embeddings of all tokens, weighted by that token's row of attention "
     "weights and summed."},
};

constexpr Meaning projections[] = {
    {"W_query", query_weights, made_untrained, made_given},
    {"W_key", key_weights, made_untrained, made_given},
    {"W_value", value_weights, made_untrained, made_given},
    {"W_query_bias", "A bias is added to every query", whatever_the_token},
    {"W_key_bias", "A bias is added to every key", whatever_the_token},
    {"W_value_bias", "A bias is added to every value", whatever_the_token},
    {"out_proj_weight", "The weights of the last linear layer, which mixes the heads' results.",
     " It is drawn with the other weights, before anything is computed.", made_given},
    {"out_proj_bias", "The last linear layer adds this to its outputs."},
};

constexpr Meaning one_query[] = {
    {"x_2", "We follow one token by hand. By default it is the second, hence the 2 in the names that follow."},
    {"query_2", "The token's query: its embedding, projected with W_query. The next steps compare it with every key."},
    {"key_2", "The same token's key. Queries are compared with keys, so other tokens find this token by it."},
    {"value_2", "The same token's value: what it adds to a context vector, in proportion to its weight."},
    {"w_2*",
     "The attention score of one pair: the dot product of the query and one key. The last digit of the name is the "
     "key's token, counted from 1."},
    {"attn_score_22",
     "One score on its own: the dot product of a query and a key. It appears again among the scores of all keys."},
    {"omega_24",
     "One score on its own: query_2 times the key of the fifth token (index 4), or of the last if there are fewer. It "
     "appears again among the scores of all keys."},
    {"attn_scores_2",
     "The query's dot products with all keys, in one product. A high score means that a token's key matches this "
     "query."},
    {"attn_weights_2",
     "Softmax turns the scores into attention weights that sum to 1; a higher score gets a larger weight."},
    {"self_attention/context_vec_2",
     "The same token's row of the module's result. The module has the same weights, so it equals the result by hand."},
    {"context_vec_2",
     "The context vector: the values of all tokens, each multiplied by its attention weight, summed. Scores compare "
     "queries with keys; the context vector mixes values."},
};

constexpr Meaning cross[] = {
    {"cross:queries", "Queries come from the first sequence: its tokens look."},
    {"cross:keys",
     "Keys come from the second sequence: its tokens are looked at. This is what sets cross-attention apart from "
     "self-attention."},
    {"cross:values", "Values also come from the second sequence: keys and values belong to the same tokens."},
    {"cross:attn_scores",
     "A row for each token of the first sequence, a column for each of the second. The two need not have the same "
     "length; only queries and keys need the same number of dimensions."},
    {"cross:attn_weights",
     "Each row shows how a token of the first sequence distributes its attention over the tokens of the second."},
    {"cross:context_vecs",
     "A context vector for each token of the first sequence, mixed only from values of the second."},
};

constexpr Meaning dropout[] = {
    {"example", "A matrix of ones shows dropout clearly: every entry starts from the same value."},
    {"ones/dropout_mask",
     "For every entry, dropout draws whether to keep (True) or drop it (False). It drops each with probability p, "
     "independently of the others."},
    {"scale",
     "Kept entries are multiplied by this factor: 1 / (1 - p), or 0 if p is 1 and none is kept. On average it makes up "
     "for the dropped entries."},
    {"ones/output",
     "Dropped entries are 0, kept ones are scaled up. Each entry's average over many draws is still 1 if p is below "
     "1."},
    {"dropout_mask",
     "In training, dropout keeps some attention weights (True) and drops others (False), with probability p. A model "
     "that cannot rely on any single weight overfits less."},
    {"dropout_attn_weights",
     "Dropped weights become 0. Kept ones are multiplied by 1 / (1 - p), so that the average weight is unchanged if p "
     "is below 1. Outside training, dropout does nothing."},
    {"causal/row_sums",
     "Each row summed to 1 before dropout. If p is above 0, the sum in one draw may be larger or smaller; if p is "
     "below 1, its average over many draws is 1."},
};

constexpr Meaning causal[] = {
    {"renormalised/attn_weights",
     "Plain attention weights: tokens still attend to later ones. In this section the mask comes after softmax."},
    {"mask_simple",
     "Ones on and below the diagonal keep the tokens that a token may see, itself included. Zeros above it remove "
     "later tokens."},
    {"masked_simple",
     "Multiplied by the mask, the weights of later tokens become 0. A row that lost weight no longer sums to 1."},
    {"renormalised/row_sums", "The sum left in each row after masking: the weight of the tokens that may be seen."},
    {"masked_simple_norm",
     "Divided by its sum, each row sums to 1 again. Later tokens have no influence left: their part in softmax's "
     "denominator cancels."},
    {"mask", later_tokens, " A model that learns to predict the next token must not see it."},
    {"unmasked_attn_weights",
     "Softmax before any mask: later tokens already have weight in each row, and the mask can only remove it."},
    {"masked_attn_scores",
     "Masking before softmax: a score of -inf becomes a weight of 0, since exp(-inf) is 0. The other weights of a row "
     "then sum to 1."},
    {"minus_inf/attn_weights", masked_softmax, " No second normalisation is needed."},
    {"causal:attn_weights", masked_softmax},
    {"dropout:attn_weights",
     "The causal attention weights, before dropout: each token attends to itself and the tokens before it."},
    {"causal:both_agree",
     "In exact arithmetic, masking before softmax and renormalising after it give the same weights, because softmax's "
     "denominator cancels. Masking with -inf takes fewer steps."},
    {"causal:context_vecs", weighted_values, " Later tokens do not contribute to a context vector."},
    {"dropout:context_vecs", weighted_values,
     " With p above 0 they differ in every training step, because dropout draws a new mask."},
};

/// For heads that share one projection.
constexpr Meaning shared_heads[] = {
    {"keys_transposed",
     "The last two axes swapped: within each head, tokens become columns. Batch and head axes stay, as separate "
     "products."},
    {"attn_scores", "A square matrix of scores for each head: every head compares all tokens in its own way."},
    {"attn_weights",
     "Softmax, row by row, within each head: every head distributes a token's attention in its own way over that token "
     "and those before it."},
    {"scaled_attn_scores", scaling_of_heads,
     " The divisor is the square root of head_dim, the number of products in each score."},
    {"queries", "The queries", shared_columns},
    {"keys", "The keys", shared_columns},
    {"values", "The values", shared_columns},
};

constexpr Meaning multihead[] = {
    {"multihead:split/context_vecs", heads_are_mixed},
    {"multihead:head_*/W_query",
     "This head's own weights for queries. Each head has its own weights, so each can learn to look for something "
     "different."},
    {"multihead:head_*/W_key", "This head's own weights for keys, which its queries are compared with."},
    {"multihead:head_*/W_value", "This head's own weights for values: heads may also differ in what tokens pass on."},
    {"keys_heads",
     "Each head takes its own head_dim numbers of every key. The head axis then moves before the token axis, so that "
     "one product computes all heads."},
    {"queries_heads",
     "The queries, split the same way: a head compares its part of a query with its part of the keys."},
    {"values_heads", "The values, split the same way: a head mixes its own part of the values."},
    {"multihead|grouped:mask", later_tokens, " The same mask serves all heads and all batch entries."},
    {"context_heads",
     "Each head mixes its own part of the values: a matrix of context vectors for each head, head_dim numbers for each "
     "token."},
    {"context_vec",
     "Each head mixes its part of the values. Then heads and tokens swap axes again, so that one token's results of "
     "all heads lie together."},
    {"stacked/context_vecs", "The heads' context vectors side by side: each token gets the results of every head."},
    {"multihead:single_head/context_vecs",
     "This head's context vectors: the values of all tokens, weighted and summed."},
    {"multihead:head_*/context_vecs", "This head's context vectors: its values, weighted and summed."},
    {"multihead|grouped:context_vecs|joined_heads",
     "The heads are joined: their head_dim numbers, one head after the other, make d_out numbers for each token. The "
     "view needs them in row-major order, hence contiguous()."},
    {"multihead|grouped:output", heads_are_mixed},
    {"multihead:both_agree", "A check: ",
     "the first head starts from the same seed as the single head did, so its columns hold the same numbers.",
     "whether the first head's columns hold the numbers of the single head."},
};

constexpr Meaning general[] = {
    {"positions|query_positions", "The place of each token in the sequence, as a column: row i is for token i."},
    {"angles|query_angles", "Position times frequency: a row for each token, a column for each pair."},
    {"cos|query_cos",
     "The cosines of the angles, computed in float64: in float32, PyTorch's versions differ in the last bit."},
    {"sin|query_sin", "The sines of the angles, computed in float64 as well."},
    {"position_ids", "The position of each token, by which a row of the table is looked up."},
    {"queries",
     "Every token's query, by projection with W_query: what each token looks for, like a question to all drawers of a "
     "cabinet."},
    {"keys",
     "Every token's key, by projection with W_key: what each token can be found by, like the label on a drawer. "
     "Queries are compared with these."},
    {"values",
     "Every token's value, by projection with W_value: what each token passes on, like the contents of the drawer. The "
     "better a label matches the question, the more of the contents go into the context vector."},
    {"keys_transposed",
     "A matrix product pairs rows with columns. With the keys as columns, one product compares every query with every "
     "key."},
    {"attn_scores",
     "The dot product of every query and every key: a row for each query, a column for each key. A high score means "
     "that a key matches a query."},
    {"scaled_attn_scores*",
     "Dot products tend to grow with the number of dimensions. Softmax of large scores puts almost all weight on one "
     "token, and its gradients are then near 0. Dividing by the square root of the dimension keeps scores moderate."},
    {"attn_weights", "Softmax, row by row: each row shows how one token distributes its attention over all tokens."},
    {"context_vecs",
     "Each row is one token's context vector: the values of all tokens, weighted by that token's row of attention "
     "weights and summed."},
};

constexpr Meaning sizes[] = {
    {"multihead:keys",
     "To separate the heads, view treats the numbers of each key as num_heads groups of head_dim. No number moves."},
    {"keys_heads", "The head axis now comes before the token axis: a matrix of keys for each head."},
    {"keys_transposed", "Ready for the product: within each head, tokens are now columns."},
    {"multihead:attn_scores", "For each head, a row for each query and a column for each key."},
    {"attn_scores", "A row for each query and a column for each key."},
    {"attn_weights",
     "Masking changes numbers, not the shape: for each head, a row for each query and a column for each key."},
    {"context_vec", "Tokens come before heads again, so that a token's heads lie side by side, ready to join."},
    {"output", "One output vector for each token: attention changes what the vectors hold, not how many there are."},
    {"batch", "The batch size, the tokens in each entry, and the dimensions of each token's embedding."},
    {"inputs", "A row for each token, a column for each dimension of the embedding."},
    {"second_input",
     "The second sequence may have another length, but its embeddings need the same number of dimensions, because the "
     "projections expect it."},
    {"query_2", "Queries and keys need the same number of dimensions, because each score is a dot product of the two."},
    {"key_2", "A key has as many dimensions as a query: a score is the dot product of the two."},
    {"value_2", "Values may have their own size: they are not part of a dot product, they are only mixed."},
    {"keys", "A key for each token, of the same length as a query."},
    {"values", "A value for each token; its length is that of the context vectors."},
    {"context_vec_2", "A context vector is as long as a value, because it is a mix of values."},
    {"multihead:split/context_vecs",
     "A context vector for each token of each batch entry, d_out numbers long: the last linear layer mixes columns and "
     "keeps their number."},
    {"multihead:context_vecs", "A context vector for each token, with the columns of all heads."},
    {"cross:context_vecs",
     "As many context vectors as queries, each as long as a value. The second sequence's length no longer appears in "
     "the shape."},
    {"context_vecs", "A context vector for each token of each batch entry."},
};

/// The meanings of tensors and texts that articles share, for a section of a chapter.
std::vector<std::span<const Meaning>> shared_meanings(std::string_view chapter, std::string_view section) {
  std::vector<std::span<const Meaning>> groups;
  if (chapter == "layer") {
    groups.emplace_back(layer);
  }
  groups.push_back(inputs);
  groups.push_back(chapter == "simplified" ? std::span<const Meaning>(simplified) : one_query);
  const bool is_head_of_its_own = section.starts_with("head_") || section == "single_head";
  if (chapter == "multihead" && !is_head_of_its_own) {
    groups.emplace_back(shared_heads);
  }
  groups.insert(groups.end(), {cross, multihead, dropout, causal, projections, general});
  return groups;
}

/// Returns true if one of the alternatives is the name.
bool is_one_of(std::string_view patterns, std::string_view name) {
  if (const std::size_t bar = patterns.find('|'); bar != std::string_view::npos) {
    return is_one_of(patterns.substr(0, bar), name) || is_one_of(patterns.substr(bar + 1), name);
  }
  return patterns.ends_with('*') ? name.starts_with(patterns.substr(0, patterns.size() - 1)) : patterns == name;
}

bool is_at(std::string_view place, const Chapter& chapter, const Step& step) {
  const auto take_to = [&place](char mark) {
    const std::size_t end = place.find(mark);
    const std::string_view taken = end == std::string_view::npos ? "*" : place.substr(0, end);
    place.remove_prefix(end == std::string_view::npos ? 0 : end + 1);
    return taken;
  };
  const std::string_view chapters = take_to(':');
  const std::string_view sections = take_to('/');
  return is_one_of(chapters, chapter.name) && is_one_of(sections, step.section) && is_one_of(place, step.name);
}

std::string first_fit(std::span<const Meaning> meanings, const Chapter& chapter, const Step& step) {
  const auto found =
      std::ranges::find_if(meanings, [&](const Meaning& meaning) { return is_at(meaning.place, chapter, step); });
  if (found == meanings.end()) {
    return {};
  }
  const bool is_own = found->own_tail && step.tensor && has_own(*step.tensor);
  return std::string(found->text) + std::string(is_own ? *found->own_tail : found->tail);
}

}  // namespace

std::string meaning(const Chapter& chapter, const Step& step, const Lesson& lesson) {
  if (is_made_by_hand(chapter, lesson)) {
    if (std::string text = hand_made_meaning(step, settled(chapter, lesson)); !text.empty()) {
      return text;
    }
  }
  if (step.kind == Step::Kind::size) {
    return first_fit(sizes, chapter, step);
  }
  if (std::string text = first_fit(chapter.article->meanings, chapter, step); !text.empty()) {
    return text;
  }
  for (const std::span<const Meaning> group : shared_meanings(chapter.name, step.section)) {
    if (std::string text = first_fit(group, chapter, step); !text.empty()) {
      return text;
    }
  }
  return {};
}

}  // namespace attn::chapters
