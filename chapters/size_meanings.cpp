#include <array>

#include "meaning_tables.hpp"

namespace attn::chapters {
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
