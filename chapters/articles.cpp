#include <array>

#include "chapter.hpp"

namespace attn::chapters {

std::span<const ChapterEntry> all_chapters() {
  static constexpr std::array chapters = {
      ChapterEntry{"simplified", "attention without weights: one query by hand, then all tokens", Article::blog,
                   simplified, true, false, false, false, false},
      ChapterEntry{"trainable", "queries, keys and values from trainable weights; then as a module", Article::blog,
                   trainable, true, true, false, false, false},
      ChapterEntry{"causal", "a batch with a causal mask and dropout", Article::blog, causal, false, true, true,
                   true, false},
      ChapterEntry{"dropout", "what dropout keeps, drops and rescales", Article::blog, dropout, false, true, true,
                   true, false},
      ChapterEntry{"multihead", "several heads side by side, and the output projection", Article::blog, multihead,
                   false, true, true, true, true},
      ChapterEntry{"cross", "queries from one sequence, keys and values from another", Article::ahead_of_ai, cross,
                   false, true, false, false, false},
  };
  return chapters;
}

std::string_view article_name(Article article) {
  switch (article) {
    case Article::primer: return "primer";
    case Article::livebook: return "livebook";
    case Article::ahead_of_ai: return "ahead-of-ai";
    case Article::blog: break;
  }
  return "blog";
}

Cpu article_cpu(Article article) {
  return article == Article::ahead_of_ai ? Cpu::standard : Cpu::avx2;
}

}  // namespace attn::chapters
