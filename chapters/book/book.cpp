#include "book/book.hpp"

#include <array>
#include <string_view>

#include "meaning_texts.hpp"

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

constexpr std::string_view made_drawn = " A model learns them in training; these are as they were drawn.";
constexpr std::string_view made_given = " A model learns them in training; these are given.";

constexpr std::array meanings = {
    // simplified
    Meaning{.step = "res",
            .text = "What a dot product is: numbers at the same place are multiplied, and the products are summed. "
                    "Here a loop does it for the first token and the query.",
            .chapter = "simplified"},
    Meaning{.step = "dot_product",
            .text = "The same two vectors, multiplied and summed by torch.dot: what the loop found, up to rounding."},
    Meaning{.step = "attn_scores_sum_2",
            .text = "Weights should sum to 1. The simplest way is to divide every score by the sum of all, so this sum "
                    "comes first."},
    Meaning{.step = "attn_weights_2_tmp",
            .text = "Each score as a share of their sum. That works as long as no score is negative; a sum near 0 "
                    "would blow the shares up."},
    Meaning{.step = "exp_sum_2",
            .text = "The sum of the exponentials: what each of them is divided by, so that the weights sum to 1."},
    Meaning{.step = "attn_weights_2",
            .text = "The library's softmax subtracts the largest score before it takes exponentials. That changes no "
                    "weight, but no exponential can overflow.",
            .chapter = "simplified"},
    Meaning{.step = "row_sums",
            .text = "A check: softmax has divided each row by its own sum of exponentials, so every row should sum to "
                    "1.",
            .section = "all_tokens"},
    Meaning{.step = "context_vec_2",
            .text = "The context vector from before, to compare: up to rounding, it is the query's row of the matrix "
                    "above.",
            .section = "all_tokens"},

    Meaning{.step = "attn_weights_sum_2",
            .text = "A check: attention weights are shares of one whole, so they should sum to 1."},

    // trainable
    Meaning{
        .step = "W_query", .text = query_weights, .tail = made_drawn, .own_tail = made_given, .section = "one_query"},
    Meaning{.step = "W_key", .text = key_weights, .tail = made_drawn, .own_tail = made_given, .section = "one_query"},
    Meaning{
        .step = "W_value", .text = value_weights, .tail = made_drawn, .own_tail = made_given, .section = "one_query"},
    Meaning{
        .step = "inputs",
        .text = "The ",
        .tail =
            "inputs of this section, which is seeded anew: its numbers do not depend on what was drawn before. Random "
            "inputs are drawn again as well.",
        .own_tail = "same inputs. This section is seeded anew: what it draws does not depend on what was drawn before.",
        .section = "self_attention_*|causal_attention"},
    Meaning{
        .step = "context_vecs",
        .text = "Each row is one token's context vector: values, weighted and summed.",
        .tail =
            " The weights were drawn from the same seed as those by hand, so up to rounding the query's row is what "
            "was worked out there.",
        .own_tail = "",
        .section = "self_attention_v1"},

    // dropout
    Meaning{.step = "dropout_mask",
            .text = "Which attention weights are kept (True) and which are dropped (False). It is drawn after seeding "
                    "again, so the same places are dropped as among the ones.",
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
            .text = "One product for all heads at once: whatever comes before the last two axes is a list of separate "
                    "matrices, each multiplied with its own.",
            .section = "batched_matmul"},
    Meaning{.step = "first_head", .text = "The first head alone: a matrix of three tokens with four numbers each."},
    Meaning{.step = "first_head_transposed", .text = "The first head's tokens as columns."},
    Meaning{.step = "first_res",
            .text = "The first head's product, worked out alone: up to rounding, the first matrix of the product for "
                    "all heads."},
    Meaning{.step = "second_head", .text = "The second head alone: three tokens, four other numbers each."},
    Meaning{.step = "second_head_transposed", .text = "The second head's tokens as columns."},
    Meaning{.step = "second_res",
            .text = "The second head's product, worked out alone: up to rounding, the second matrix of the product for "
                    "all heads. No head has a part in another's."},
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
