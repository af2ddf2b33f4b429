#include "modern/modern.hpp"

#include <array>

namespace attn::chapters::modern {
namespace {

constexpr std::array grouped_sizes = {
    OwnSize{
        .name = "num-kv-heads", .doc = "heads of keys and values; must divide --num-heads", .example = 1, .fixture = 3},
};

constexpr std::array chapters = {
    Chapter{.name = "grouped",
            .article = &article,
            .run = grouped,
            .takes = {.projections = true,
                      .batch = true,
                      .heads = true,
                      .shared_d_out = true,
                      .sizes = grouped_sizes,
                      .fixture_heads = 6},
            .init = Init::linear,
            .sizes = "6 tokens, d_in 3, d_out 8, 4 heads, 2 key/value heads",
            .special = "each key/value head repeated for the query heads of its group"},
};

constexpr std::array meanings = {
    Meaning{.step = "W_key",
            .text =
                "The weights of the keys. They have columns for the key/value heads alone: with half as many heads, "
                "half the weights, and half of what a cache of keys has to hold.",
            .chapter = "grouped"},
    Meaning{.step = "W_value",
            .text = "The weights of the values. They have columns for the key/value heads alone, as those of the keys.",
            .chapter = "grouped"},
    Meaning{.step = "keys_repeated",
            .text =
                "Each key head stands there once for each query head of its group, so that one product of all heads "
                "meets each query head with the keys of its group.",
            .chapter = "grouped"},
    Meaning{.step = "values_repeated",
            .text = "Each value head, repeated as the key heads are: the query heads of a group mix the same values, "
                    "each with weights of its own.",
            .chapter = "grouped"},
};

}  // namespace

const Article article = {
    .name = "modern",
    .title = "Attention in today's models",
    .cpu = Cpu::avx2,
    .generator = "",
    .sentence = "Your journey starts with one step",
    .chapters = chapters,
    .slips = {},
    .meanings = meanings,
};

}  // namespace attn::chapters::modern
