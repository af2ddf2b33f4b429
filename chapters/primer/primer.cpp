#include "chapters/primer/primer.hpp"

#include <array>

namespace attn::chapters::primer {
namespace {

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
            .sizes = "6 tokens, d_in 3, d_out 2",
            .special = "torch.randn, drawn key, query, value; then an nn.Linear module"},
};

}  // namespace

const Article article = {
    .name = "primer",
    .title = "Attention",
    .cpu = Cpu::avx2,
    .generator = "",
    .sentence = "Your journey starts with one step",
    .chapters = chapters,
    .slips = {},
    .meanings = {},
};

}  // namespace attn::chapters::primer
