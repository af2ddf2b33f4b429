#include "chapters/book/book.hpp"

#include <array>
#include <string_view>

#include "chapters/meaning.hpp"

namespace attn::chapters::book {
namespace {

constexpr std::array chapters = {
    Chapter{.name = "simplified",
            .article = &article,
            .run = simplified,
            .takes = {.query = true},
            .init = Init::linear,
            .sizes = "6 tokens, d_in 3",
            .special = "weights three ways: divided by the sum, naive softmax, softmax; then all tokens"},
    Chapter{.name = "trainable",
            .article = &article,
            .run = trainable,
            .takes = {.query = true, .projections = true},
            .init = Init::linear,
            .sizes = "6 tokens, d_in 3, d_out 2",
            .special = "journey with torch.rand weights; as module v1; nn.Linear module v2, seed 789"},
    Chapter{.name = "causal",
            .article = &article,
            .run = causal,
            .takes = {.projections = true, .batch = true, .dropout = true},
            .init = Init::linear,
            .sizes = "6 tokens, d_in 3, d_out 2; batch 2",
            .special = "v2's weights, seed 789: masked and renormalised, then -inf; then a module"},
    Chapter{.name = "dropout",
            .article = &article,
            .run = dropout,
            .takes = {.projections = true, .dropout = true},
            .init = Init::linear,
            .sizes = "6 tokens, d_in 3, d_out 2",
            .special = "0.5 on ones(6, 6); then on the causal weights of v2, seed 789"},
    Chapter{.name = "multihead",
            .article = &article,
            .run = multihead,
            .takes = {.projections = true, .batch = true, .dropout = true, .heads = true, .shared_d_out = true},
            .init = Init::linear,
            .sizes = "batch 2, 6 tokens, d_in 3, d_out 2, 2 heads",
            .special = "stacked heads; split ones with out_proj; a product for two heads at once"},
};

constexpr std::string_view made_drawn = " A model learns them in training; these are random.";
constexpr std::string_view made_given = " A model learns them in training; these are given.";

constexpr std::array meanings = {
    // simplified
    Meaning{.step = "res",
            .text = "A dot product multiplies the numbers at the same position and sums the products. Here a loop does "
                    "so for the first token and the query.",
            .chapter = "simplified"},
    Meaning{.step = "dot_product",
            .text = "The same two vectors, multiplied and summed by torch.dot: the loop's result, up to rounding."},
    Meaning{
        .step = "attn_scores_sum_2",
        .text =
            "Weights should sum to 1. The simplest way is to divide every score by the sum of all; this is the sum."},
    Meaning{.step = "attn_weights_2_tmp",
            .text = "Each score as a share of their sum. This works only if no score is negative; a sum near 0 would "
                    "make the shares huge."},
    Meaning{.step = "exp_sum_2", .text = "The sum of the exponentials: dividing by it makes the weights sum to 1."},
    Meaning{.step = "attn_weights_2",
            .text = "The library's softmax subtracts the largest score before exponentiation. This changes no weight "
                    "and prevents overflow.",
            .chapter = "simplified"},
    Meaning{.step = "row_sums",
            .text = "A check: softmax divided each row by its own sum of exponentials, so every row should sum to 1.",
            .section = "all_tokens"},
    Meaning{.step = "context_vec_2",
            .text = "The context vector computed earlier, for comparison: up to rounding, it is the query's row of the "
                    "matrix above.",
            .section = "all_tokens"},

    Meaning{.step = "attn_weights_sum_2", .text = "A check: attention weights should sum to 1."},

    // trainable
    Meaning{
        .step = "W_query", .text = query_weights, .tail = made_drawn, .own_tail = made_given, .section = "one_query"},
    Meaning{.step = "W_key", .text = key_weights, .tail = made_drawn, .own_tail = made_given, .section = "one_query"},
    Meaning{
        .step = "W_value", .text = value_weights, .tail = made_drawn, .own_tail = made_given, .section = "one_query"},
    Meaning{.step = "inputs",
            .text = "The ",
            .tail = "inputs of this section, which seeds again: its numbers do not depend on earlier draws. Random "
                    "inputs are also drawn again.",
            .own_tail = "same inputs. This section seeds again: its draws do not depend on earlier ones.",
            .section = "self_attention_*|causal_attention"},
    Meaning{.step = "context_vecs",
            .text = "Each row is one token's context vector: a weighted sum of values.",
            .tail = " The weights come from the same seed as those by hand, so up to rounding the query's row equals "
                    "the result there.",
            .own_tail = "",
            .section = "self_attention_v1"},

    // dropout
    Meaning{.step = "dropout_mask",
            .text = "Which attention weights dropout keeps (True) and drops (False). The seed is set again first, so "
                    "it drops the same positions as in the matrix of ones.",
            .chapter = "dropout",
            .section = "causal"},

    // multihead
    Meaning{.step = "attn_weights", .text = weights_of_a_head, .chapter = "multihead", .section = "head_*"},
    Meaning{.step = "scaled_attn_scores", .text = scaling_of_heads, .tail = by_head_dim, .section = "split"},
    Meaning{.step = "context_vecs", .text = heads_are_mixed, .section = "split"},
    Meaning{.step = "a",
            .text = "A small example of four axes: a batch of one, two heads, three tokens, four numbers for each "
                    "token."},
    Meaning{.step = "a_transposed",
            .text = "The last two axes swapped: within each head, tokens become columns. Batch and heads stay where "
                    "they are."},
    Meaning{.step = "res",
            .text = "One product for all heads at once: the axes before the last two index separate matrices, and each "
                    "is multiplied by its own partner.",
            .section = "batched_matmul"},
    Meaning{.step = "first_head", .text = "The first head alone: a matrix of three tokens with four numbers each."},
    Meaning{.step = "first_head_transposed", .text = "The first head's tokens as columns."},
    Meaning{
        .step = "first_res",
        .text = "The first head's product on its own: up to rounding, the first matrix of the product for all heads."},
    Meaning{.step = "second_head", .text = "The second head alone: three tokens, four other numbers each."},
    Meaning{.step = "second_head_transposed", .text = "The second head's tokens as columns."},
    Meaning{.step = "second_res",
            .text = "The second head's product on its own: up to rounding, the second matrix of the product for all "
                    "heads. Heads do not mix."},
};

}  // namespace

const Article article = {
    .name = "book",
    .title = "Build a Large Language Model (From Scratch), chapter 3",
    .cpu = Cpu::avx2,
    .generator = "",
    .sentence = "Your journey starts with one step",
    .chapters = chapters,
    .slips = {},
    .meanings = meanings,
};

}  // namespace attn::chapters::book
