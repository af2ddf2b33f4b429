#include "chapters/ahead_of_ai/ahead_of_ai.hpp"

#include <array>

namespace attn::chapters::ahead_of_ai {
namespace {

using enum Slip::Where;

constexpr std::array chapters = {
    Chapter{.name = "trainable",
            .article = &article,
            .run = trainable,
            .takes = {.query = true, .projections = true},
            .init = Init::rand,
            .sizes = "6 tokens, d_in 3, d_out_kq 2, d_out_v 4",
            .special = "an embedded sentence; one query; then a module"},
    Chapter{.name = "causal",
            .article = &article,
            .run = causal,
            .takes = {.projections = true},
            .init = Init::rand,
            .sizes = "6 tokens, d_in 3, d_out_kq 2, d_out_v 4",
            .special = "masked and renormalised; then -inf"},
    Chapter{.name = "multihead",
            .article = &article,
            .run = multihead,
            .takes = {.projections = true, .heads = true},
            .init = Init::rand,
            .sizes = "6 tokens, d_in 3, d_out_kq 2, d_out_v 1, 4 heads",
            .special = "one head; then four stacked heads"},
    Chapter{.name = "cross",
            .article = &article,
            .run = cross,
            .takes = {.projections = true, .second_inputs = true},
            .init = Init::rand,
            .sizes = "6 and 8 tokens, d_in 3, d_out_kq 2, d_out_v 4",
            .special = "an embedded sentence attends to torch.rand(8, 3)"},
};

constexpr std::array slips = {
    Slip{"cross", "context_vecs", "", always, "the article's listing says torch.randn, its numbers are torch.rand's"},
    Slip{"causal", "mask_simple", "", other_shape, "the page's conversion lost a column, the mask is 6x6"},
    Slip{"multihead", "context_vecs", "", missing_parenthesis, "the page lost the closing parenthesis"},
};

}  // namespace

const Article article = {
    .name = "ahead-of-ai",
    .title =
        "Understanding and Coding Self-Attention, Multi-Head Attention, Cross-Attention, and "
        "Causal-Attention in LLMs",
    .cpu = Cpu::standard,
    .generator = "",
    .sentence = "Life is short, eat dessert first",
    .chapters = chapters,
    .slips = slips,
    .meanings = {},
};

}  // namespace attn::chapters::ahead_of_ai
