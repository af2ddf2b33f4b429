#include "chapters/blog/blog.hpp"

#include <array>
#include <string_view>

#include "chapters/meaning.hpp"

namespace attn::chapters::blog {
namespace {

using enum Slip::Where;

constexpr std::array chapters = {
    Chapter{.name = "simplified",
            .article = &article,
            .run = simplified,
            .takes = {.query = true},
            .init = Init::linear,
            .sizes = "6 tokens, d_in 3",
            .special = "journey by loop, then all tokens"},
    Chapter{.name = "trainable",
            .article = &article,
            .run = trainable,
            .takes = {.query = true, .projections = true},
            .init = Init::linear,
            .sizes = "6 tokens, d_in 3, d_out 3",
            .special = "journey with torch.rand weights; then, reseeded, an nn.Linear module"},
    Chapter{.name = "causal",
            .article = &article,
            .run = causal,
            .takes = {.projections = true, .batch = true, .dropout = true},
            .init = Init::linear,
            .sizes = "batch 2, 6 tokens, d_in 3, d_out 3",
            .special = "dropout 0.2"},
    Chapter{.name = "dropout",
            .article = &article,
            .run = dropout,
            .takes = {.projections = true, .batch = true, .dropout = true},
            .init = Init::linear,
            .sizes = "batch 2, 6 tokens, d_in 3, d_out 3",
            .special = "0.5 on ones(6, 6); then 0.2 on the causal weights"},
    Chapter{.name = "multihead",
            .article = &article,
            .run = multihead,
            .takes = {.projections = true, .batch = true, .dropout = true, .heads = true, .shared_d_out = true},
            .init = Init::linear,
            .sizes = "batch 1, 6 tokens, d_in 3, d_out 3, 3 heads",
            .special = "no dropout; out_proj with bias"},
};

constexpr std::array slips = {
    Slip{"trainable", "W_query", "Key Trainable", always, "the article's listing prints W_query under W_key's name"},
    Slip{"trainable", "W_query", "Value Trainable", always,
         "the article's listing prints W_query under W_value's name"},
    Slip{"causal", "attn_weights", "attention weights", always,
         "the article's listing prints attn_scores under this label, its page shows the weights"},
    Slip{"causal", "dropout_attn_weights", "dropout attention weights", always,
         "the article shows this tensor, its listing does not print it"},
    Slip{"causal", "keys_transposed", "", no_grad_fn,
         "the article shows this tensor without grad_fn, its program does not print it"},
    Slip{"multihead", "output", "output:", always, "the article shows this label, its listing does not print it"},
};

constexpr std::array meanings = {
    Meaning{.step = "scaled_attn_scores", .text = scaling_of_heads, .tail = by_head_dim, .chapter = "multihead"},
};

}  // namespace

const Article article = {
    .name = "blog",
    .title = "Build a LLM from scratch: Attention Mechanism",
    .cpu = Cpu::avx2,
    .generator = "",
    .sentence = "Your journey starts with one step",
    .chapters = chapters,
    .slips = slips,
    .meanings = meanings,
};

}  // namespace attn::chapters::blog
