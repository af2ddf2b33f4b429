#include "modern/modern.hpp"

#include <array>

namespace attn::chapters::modern {
namespace {

constexpr std::array grouped_sizes = {
    OwnSize{
        .name = "num-kv-heads", .doc = "heads of keys and values; must divide --num-heads", .example = 1, .fixture = 3},
};

constexpr std::array cache_sizes = {
    OwnSize{.name = "new-tokens", .doc = "tokens after those of the prompt", .example = 1, .fixture = 0},
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
    Chapter{.name = "cache",
            .article = &article,
            .run = cache,
            .takes = {.projections = true, .sizes = cache_sizes},
            .init = Init::linear,
            .sizes = "6 tokens, d_in 3, d_out 2, 2 of them new",
            .special = "a prompt whose keys and values are kept; then new tokens; then all at once"},
};

constexpr std::array meanings = {
    Meaning{.step = "W_key",
            .text =
                "The weights of the keys, with columns only for the key/value heads. Half as many heads need half as "
                "many weights and half as large a cache of keys.",
            .chapter = "grouped"},
    Meaning{.step = "W_value",
            .text = "The weights of the values, also with columns only for the key/value heads.",
            .chapter = "grouped"},
    Meaning{
        .step = "keys_repeated",
        .text =
            "Each key head is repeated for the query heads of its group, so that one product over all heads compares "
            "each query head with the keys of its group.",
        .chapter = "grouped"},
    Meaning{.step = "values_repeated",
            .text = "Each value head is repeated like the key heads: the query heads of a group mix the same values, "
                    "each with its own weights.",
            .chapter = "grouped"},

    Meaning{.step = "prompt",
            .text = "The tokens that are there at first. Their keys and values are computed once and kept."},
    Meaning{.step = "cached_keys",
            .text = "The keys of the prompt. Later tokens meet them again, and causal attention never changes them: a "
                    "key depends on its own token alone. So they are kept, not computed anew."},
    Meaning{.step = "cached_values",
            .text = "The values of the prompt, kept for the same reason: later tokens mix them again."},
    Meaning{.step = "new_tokens", .text = "The tokens that come next: only these are projected from here on."},
    Meaning{.step = "new_queries",
            .text = "A query for each new token. The prompt's queries have done their work; no cache keeps queries."},
    Meaning{.step = "new_keys", .text = "The new tokens' keys: they join the cache for the tokens after them."},
    Meaning{.step = "new_values", .text = "The new tokens' values: they join the cache for the tokens after them."},
    Meaning{.step = "keys",
            .text = "The cache, with the new keys behind those of the prompt: the keys of all tokens so far.",
            .chapter = "cache",
            .section = "new_tokens"},
    Meaning{.step = "values",
            .text = "The cache, with the new values behind those of the prompt: the values of all tokens so far.",
            .chapter = "cache",
            .section = "new_tokens"},
    Meaning{.step = "mask",
            .text =
                "The causal mask where queries are fewer than keys: the last rows of the square one. It counts from "
                "the last key: the last token sees all, the one before it all but one.",
            .chapter = "cache",
            .section = "new_tokens"},
    Meaning{.step = "new_context_vecs",
            .text = "A context vector for each new token: the values of all tokens that it may see, cached ones too, "
                    "weighted and summed.",
            .chapter = "cache"},
    Meaning{.step = "both_agree",
            .text = "A check: the cache saved work and changed nothing. The last context vectors of all tokens at once "
                    "equal those of the new tokens, up to rounding.",
            .chapter = "cache"},
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
