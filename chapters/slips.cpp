#include <array>

#include "chapter.hpp"

namespace attn::chapters {

std::span<const Slip> known_slips(Article article) {
  using enum Slip::Where;
  static constexpr std::array blog_slips = {
      Slip{"trainable", "W_query", "Key Trainable", always, "the page's listing prints W_query under W_key's name"},
      Slip{"trainable", "W_query", "Value Trainable", always, "the page's listing prints W_query under W_value's name"},
      Slip{"causal", "attn_weights", "attention weights", always,
           "the page's listing prints attn_scores under this label, the page shows the weights"},
      Slip{"causal", "dropout_attn_weights", "dropout attention weights", always,
           "the page shows this tensor, its listing does not print it"},
      Slip{"causal", "keys_transposed", "", no_grad_fn,
           "the page shows this tensor without grad_fn, its program does not print it"},
      Slip{"multihead", "output", "output:", always, "the page shows this label, its listing does not print it"},
  };
  static constexpr std::array ahead_of_ai_slips = {
      Slip{"cross", "context_vecs", "", always, "the page's listing says torch.randn, its numbers are torch.rand's"},
      Slip{"causal", "mask_simple", "", other_shape, "the page's conversion lost a column, the mask is 6x6"},
      Slip{"multihead", "context_vecs", "", missing_parenthesis, "the page lost the closing parenthesis"},
  };
  switch (article) {
    case Article::blog: return blog_slips;
    case Article::ahead_of_ai: return ahead_of_ai_slips;
    case Article::primer:
    case Article::livebook: break;
  }
  return {};
}

}  // namespace attn::chapters
