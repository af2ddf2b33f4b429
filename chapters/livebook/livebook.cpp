#include "chapters/livebook/livebook.hpp"

#include <array>
#include <string_view>

#include "chapters/meaning.hpp"

namespace attn::chapters::livebook {
namespace {

constexpr std::array chapters = {
    Chapter{.name = "simplified",
            .article = &article,
            .run = simplified,
            .takes = {.query = true},
            .init = Init::linear,
            .sizes = "6 tokens, d_in 3",
            .special = "weights three ways: divided by the sum, naive softmax, softmax"},
    Chapter{.name = "trainable",
            .article = &article,
            .run = trainable,
            .takes = {.query = true, .projections = true},
            .init = Init::rand,
            .sizes = "6 tokens, d_in 3, d_out 2",
            .special = "the page's own 3x2 weights, unless sizes or --init are given"},
    Chapter{.name = "causal",
            .article = &article,
            .run = causal,
            .takes = {.projections = true},
            .init = Init::rand,
            .sizes = "6 tokens, d_in 3, d_out 2",
            .special = "masked and renormalised; then -inf; the page's own 3x2 weights"},
    Chapter{.name = "dropout",
            .article = &article,
            .run = dropout,
            .takes = {.projections = true, .dropout = true},
            .init = Init::rand,
            .sizes = "6 tokens, d_in 3, d_out 2",
            .special = "0.5 on ones(6, 6); then on the causal weights"},
    Chapter{.name = "multihead",
            .article = &article,
            .run = multihead,
            .takes = {.projections = true, .batch = true, .heads = true, .shared_d_out = true},
            .init = Init::rand,
            .sizes = "batch 2, 6 tokens, d_in 3, 2 heads",
            .special = "stacked heads; then split ones of d_out 4 and 2, without out_proj bias"},
};

constexpr std::array meanings = {
    Meaning{.step = "scaled_attn_scores",
            .text = scaling_of_heads,
            .tail = " This page divides by the square root of d_out; the usual choice is head_dim, the number of "
                    "products in each score.",
            .chapter = "multihead",
            .section = "split_*"},
    Meaning{.step = "attn_weights", .text = weights_of_a_head, .chapter = "multihead", .section = "head_*"},
};

}  // namespace

const Article article = {
    .name = "livebook",
    .title = "Chapter 3: Coding Attention Mechanisms",
    .cpu = Cpu::avx2,
    .generator = "Nx",
    .sentence = "Your journey starts with one step",
    .chapters = chapters,
    .slips = {},
    .meanings = meanings,
};

}  // namespace attn::chapters::livebook
