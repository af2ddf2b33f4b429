#include <array>

#include "chapters/layer/layer.hpp"

namespace attn::chapters::layer {
namespace {

constexpr std::array of_all = {
    Meaning{.step = "inputs",
            .text = "What enters the layer: a row for each token, called hidden states, as the layers before have made "
                    "it. Before the first layer it is the embedding."},
    Meaning{.step = "sentence",
            .text = "The text to embed, in words that are single tokens of the model's vocabulary. Special tokens are "
                    "among them only where the sentence has them."},
    Meaning{.step = "vocabulary",
            .text =
                "The words as tokenizer.json spells them, with their ids. A mark such as Ġ or ▁ stands for the blank "
                "before a word: most vocabularies have a word twice, with and without it."},
    Meaning{.step = "ids",
            .text = "The ids of the tokens in reading order. A model works on numbers; an id selects a row of the "
                    "embedding."},
    Meaning{.step = "token_embeddings",
            .text = "A row of the embedding for each token, learned in training: at this point a token has the same "
                    "vector wherever it stands."},
    Meaning{.step = "position_ids", .text = "The position of each token, by which a row of the table is looked up."},
    Meaning{.step = "pos_embeddings", .text = "A learned row for each position, the same whatever token stands there."},
    Meaning{.step = "batch", .text = "The hidden states with an axis for the batch, as models take them."},
    Meaning{.step = "norm_weight", .text = "The norm's weight: a learned factor for each column."},
    Meaning{.step = "norm_bias", .text = "The norm's bias: a learned number that is added to each column."},
    Meaning{.step = "norm_mean", .text = "The mean of each token's numbers."},
    Meaning{.step = "norm_factor",
            .text =
                "1 divided by the standard deviation of each token's numbers. The small number under the root, eps, "
                "keeps a row of equal numbers from being divided by 0."},
    Meaning{.step = "centred", .text = "Each row with its mean subtracted: it now sums to 0, up to rounding."},
    Meaning{.step = "normalised",
            .text = "Each row divided by its standard deviation: whatever entered, its numbers now have mean 0 and a "
                    "variance of nearly 1."},
    Meaning{.step = "W_query", .text = "The weights of the queries of all heads, learned in training."},
    Meaning{.step = "W_key", .text = "The weights of the keys, learned in training."},
    Meaning{.step = "W_value", .text = "The weights of the values, learned in training."},
    Meaning{.step = "qkv_weight",
            .text = "The weights of queries, keys and values in one matrix, one below the other."},
    Meaning{.step = "W_query_bias|W_key_bias|W_value_bias|qkv_bias|out_proj_bias",
            .text = "A learned number that is added to each column, the same for all tokens."},
    Meaning{.step = "qkv", .text = "One product computes queries, keys and values of all heads, side by side."},
    Meaning{.step = "queries", .text = "The queries of all tokens and all heads: what each token looks for."},
    Meaning{.step = "keys", .text = "The keys of all tokens and all heads: what each token offers to be found by."},
    Meaning{.step = "values", .text = "The values of all tokens and all heads: what each token passes on."},
    Meaning{.step = "queries_heads", .text = "Each head has its own columns of the queries."},
    Meaning{.step = "keys_heads", .text = "Each head has its own columns of the keys."},
    Meaning{.step = "values_heads", .text = "Each head has its own columns of the values."},
    Meaning{.step = "keys_transposed",
            .text = "Keys as columns, so that one product compares each query with each key."},
    Meaning{.step = "attn_scores", .text = "Row i has the scores of token i as the query, for each head."},
    Meaning{
        .step = "scaled_attn_scores",
        .text = "Divided by the square root of the number of columns of a head, so that scores do not grow with it."},
    Meaning{.step = "mask", .text = "True where the key's token comes after the query's: it is hidden."},
    Meaning{.step = "masked_attn_scores", .text = "Hidden scores become -inf: softmax gives them a weight of 0."},
    Meaning{.step = "attn_weights", .text = "Softmax, row by row: how much each token takes from which, in each head."},
    Meaning{.step = "context_heads|context_vec",
            .text = "Each head's weighted sum of its values: what each token has found."},
    Meaning{.step = "context_vecs", .text = "What all heads have found, side by side."},
    Meaning{.step = "out_proj_weight", .text = "The weights of the output projection."},
    Meaning{.step = "output",
            .text = "The output projection mixes what the heads have found. It is what attention adds to each token."},
    Meaning{.step = "residual_sum",
            .text =
                "The output is added to what entered, the residual: attention corrects a token's vector and does not "
                "replace it."},
};

constexpr Meaning normed_before = {
    .step = "normed",
    .text =
        "The normalised rows with the norm's weight and bias. Queries, keys and values are made of it, not of what "
        "entered: its size does not depend on how deep the layer is."};

constexpr std::array of_gpt2 = {
    normed_before,
    Meaning{.step = "qkv_weight",
            .text = "The weights of queries, keys and values side by side, in one matrix [d_in, 3 * d]: GPT-2's "
                    "Conv1D stores a weight the other way round than nn.Linear."},
    Meaning{.step = "queries", .text = "The first third of the columns: the queries of all heads."},
    Meaning{.step = "keys", .text = "The second third: the keys of all heads."},
    Meaning{.step = "values", .text = "The last third: the values of all heads."},
};

constexpr std::array of_llama = {
    Meaning{.step = "squares", .text = "RMSNorm measures a row by its squares; no mean is subtracted."},
    Meaning{.step = "mean_square", .text = "The mean of each row's squares."},
    Meaning{.step = "mean_square_eps",
            .text = "A small number, eps, is added: it keeps a row of zeros from being divided by 0."},
    Meaning{.step = "norm_factor", .text = "1 divided by the root of the mean square."},
    Meaning{.step = "normalised", .text = "Each row now has a mean square of nearly 1."},
    Meaning{.step = "normed",
            .text = "The normalised rows with the norm's weight; RMSNorm has no bias. Queries, keys and values are "
                    "made of it, not of what entered: its size does not depend on how deep the layer is."},
    Meaning{.step = "positions", .text = "The place of each token in the sequence, as a column: row i is for token i."},
    Meaning{.step = "frequencies",
            .text = "How far one position turns each pair of columns, in radians: 1 / theta ** (2 i / d). The first "
                    "pair turns fastest; the slow ones tell distant positions apart."},
    Meaning{.step = "scaled_frequencies",
            .text = "For texts longer than those of the first training, the config slows the turns down."},
    Meaning{.step = "angles", .text = "Position times frequency: a row for each token, a column for each pair."},
    Meaning{.step = "cos",
            .text = "The cosines of the angles, computed in float64: in float32, PyTorch's versions differ in the "
                    "last bit."},
    Meaning{.step = "sin", .text = "The sines of the angles, computed in float64 as well."},
    Meaning{.step = "queries_heads_x_turned|keys_heads_x_turned",
            .text = "The first column of each pair (x, y) after the turn: x cos - y sin. Here x is in the first half "
                    "of the columns and y in the second."},
    Meaning{.step = "queries_heads_y_turned|keys_heads_y_turned",
            .text = "The second column of each pair (x, y) after the turn: x sin + y cos."},
    Meaning{.step = "queries_heads_*|keys_heads_*", .text = "A part of the rotation."},
    Meaning{.step = "rotated_queries",
            .text = "Each query turned by its token's position. Turned by the same angle, a query and a key keep "
                    "their product, so scores depend on how far apart two tokens are."},
    Meaning{.step = "rotated_keys", .text = "Each key turned in the same way. Values are not turned."},
    Meaning{.step = "keys_repeated",
            .text = "Each key head is repeated for the query heads of its group; without groups it stays as it is."},
    Meaning{.step = "values_repeated", .text = "Each value head is repeated like the key heads."},
    Meaning{.step = "mask",
            .text = "True where the key is hidden: it comes after the query or, with a sliding window, too far before "
                    "it."},
};

constexpr std::array of_bert = {
    Meaning{.step = "token_type_ids",
            .text = "0 for each token: all are of the first text. A pair of texts has 1 in the second."},
    Meaning{.step = "token_type_embeddings", .text = "The learned row for tokens of the first text."},
    Meaning{.step = "typed_embeddings", .text = "Token and token type in one vector."},
    Meaning{.step = "summed_embeddings", .text = "Token, token type and position in one vector: their sum."},
    Meaning{.step = "embeddings_norm_weight", .text = "The norm's weight: a learned factor for each column."},
    Meaning{.step = "embeddings_norm_bias", .text = "The norm's bias: a learned number that is added to each column."},
    Meaning{.step = "embeddings_norm_mean", .text = "The mean of each sum's numbers."},
    Meaning{.step = "embeddings_norm_factor",
            .text = "1 divided by the standard deviation of each sum's numbers, with eps under the root."},
    Meaning{.step = "embeddings_centred", .text = "Each row with its mean subtracted."},
    Meaning{.step = "embeddings_normalised", .text = "Each row divided by its standard deviation."},
    Meaning{.step = "embeddings_normed", .text = "The normalised rows with the norm's weight and bias."},
    Meaning{.step = "embeddings_project_weight|embeddings_project_bias",
            .text = "The projection of embeddings to the size of the hidden states, where theirs is smaller."},
    Meaning{.step = "attn_weights",
            .text = "Softmax, row by row. Nothing is masked: each token sees those after it too."},
    Meaning{.step = "normed",
            .text = "LayerNorm comes after the sum, with a learned weight and bias: what leaves has the same size in "
                    "each layer."},
};

constexpr std::array of_multihead_attention = {
    Meaning{.step = "scaled_queries_heads",
            .text = "Queries are scaled before they meet the keys: the same as scaling the scores, with fewer "
                    "multiplications."},
    Meaning{.step = "attn_weights", .text = "Softmax, row by row. Nothing is masked, as without attn_mask."},
    Meaning{.step = "output",
            .text = "The output projection mixes what the heads have found. Norm and residual are outside of this "
                    "module."},
};

constexpr std::array of_gpt_model = {
    normed_before,
    Meaning{.step = "norm_variance", .text = "The mean of the squared differences from the mean, for each token."},
    Meaning{.step = "norm_variance_eps",
            .text = "A small number, eps, is added: it keeps a row of equal numbers from being divided by 0."},
    Meaning{.step = "norm_root", .text = "The standard deviation of each token's numbers."},
    Meaning{.step = "norm_scaled", .text = "Each column times its learned scale."},
};

}  // namespace

std::span<const Meaning> shared_meanings() { return of_all; }
std::span<const Meaning> gpt2_meanings() { return of_gpt2; }
std::span<const Meaning> llama_meanings() { return of_llama; }
std::span<const Meaning> bert_meanings() { return of_bert; }
std::span<const Meaning> multihead_attention_meanings() { return of_multihead_attention; }
std::span<const Meaning> gpt_model_meanings() { return of_gpt_model; }

}  // namespace attn::chapters::layer
