#include <algorithm>
#include <array>

#include "ahead_of_ai/ahead_of_ai.hpp"
#include "blog/blog.hpp"
#include "chapter.hpp"
#include "livebook/livebook.hpp"
#include "primer/primer.hpp"

namespace attn::chapters {

Walkthrough walk(const ChapterEntry& chapter, const Lesson& lesson, torch::Torch& torch) {
  Walkthrough walk;
  Program program(lesson, torch, walk);
  chapter.run(program);
  return walk;
}

std::vector<const WhatIf*> what_ifs(const ChapterEntry& chapter) {
  Lesson lesson;
  lesson.article = chapter.article;
  torch::Torch torch({}, lesson.dropout_kernel, torch::Torch::Mode::plan);
  const Walkthrough planned = walk(chapter, lesson, torch);
  std::vector<const WhatIf*> result;
  for (const WhatIf& what_if : all_what_ifs()) {
    if (applies(what_if, planned)) {
      result.push_back(&what_if);
    }
  }
  return result;
}

std::span<const ChapterEntry> all_chapters() {
  static constexpr Takes query = {.query = true};
  static constexpr Takes weights = {.projections = true};
  static constexpr Takes query_and_weights = {.query = true, .projections = true};
  static constexpr Takes module = {.projections = true, .batch = true, .dropout = true};
  static constexpr Takes dropped_weights = {.projections = true, .dropout = true};
  static constexpr Takes split_heads = {.projections = true, .batch = true, .heads = true};
  static constexpr Takes stacked_heads = {.projections = true, .heads = true};
  static constexpr Takes heads = {.projections = true, .batch = true, .dropout = true, .heads = true};
  static constexpr std::array chapters = {
      ChapterEntry{"simplified", Article::blog, blog::simplified, query, Init::linear, "6 tokens, d_in 3",
                   "journey by loop, then all tokens"},
      ChapterEntry{"simplified", Article::primer, primer::simplified, query, Init::linear, "6 tokens, d_in 3",
                   "journey by loop, then all tokens"},
      ChapterEntry{"simplified", Article::livebook, livebook::simplified, query, Init::linear, "6 tokens, d_in 3",
                   "weights three ways: divided by the sum, naive softmax, softmax"},
      ChapterEntry{"trainable", Article::blog, blog::trainable, query_and_weights, Init::linear,
                   "6 tokens, d_in 3, d_out 3",
                   "journey with torch.rand weights; then seeded again, an nn.Linear module"},
      ChapterEntry{"trainable", Article::primer, primer::trainable, query_and_weights, Init::linear,
                   "6 tokens, d_in 3, d_out 2", "torch.randn, drawn key, query, value; then an nn.Linear module"},
      ChapterEntry{"trainable", Article::livebook, livebook::trainable, query_and_weights, Init::rand,
                   "6 tokens, d_in 3, d_out 2", "the page's own 3x2 weights, unless sizes or --init are given"},
      ChapterEntry{"trainable", Article::ahead_of_ai, ahead_of_ai::trainable, query_and_weights, Init::rand,
                   "6 tokens, d_in 3, d_out_kq 2, d_out_v 4", "an embedded sentence; one query; then a module"},
      ChapterEntry{"causal", Article::blog, blog::causal, module, Init::linear, "batch 2, 6 tokens, d_in 3, d_out 3",
                   "dropout 0.2"},
      ChapterEntry{"causal", Article::livebook, livebook::causal, weights, Init::rand, "6 tokens, d_in 3, d_out 2",
                   "masked and renormalised; then -inf; the page's own 3x2 weights"},
      ChapterEntry{"causal", Article::ahead_of_ai, ahead_of_ai::causal, weights, Init::rand,
                   "6 tokens, d_in 3, d_out_kq 2, d_out_v 4", "masked and renormalised; then -inf"},
      ChapterEntry{"dropout", Article::blog, blog::dropout, module, Init::linear,
                   "batch 2, 6 tokens, d_in 3, d_out 3", "0.5 on ones(6, 6); then 0.2 on the causal weights"},
      ChapterEntry{"dropout", Article::livebook, livebook::dropout, dropped_weights, Init::rand,
                   "6 tokens, d_in 3, d_out 2", "0.5 on ones(6, 6); then on the causal weights"},
      ChapterEntry{"multihead", Article::blog, blog::multihead, heads, Init::linear,
                   "batch 1, 6 tokens, d_in 3, d_out 3, 3 heads", "no dropout; out_proj with bias"},
      ChapterEntry{"multihead", Article::livebook, livebook::multihead, split_heads, Init::rand,
                   "batch 2, 6 tokens, d_in 3, 2 heads",
                   "stacked heads; then split ones of d_out 4 and 2, without out_proj bias"},
      ChapterEntry{"multihead", Article::ahead_of_ai, ahead_of_ai::multihead, stacked_heads, Init::rand,
                   "6 tokens, d_in 3, d_out_kq 2, d_out_v 1, 4 heads", "one head; then four stacked heads"},
      ChapterEntry{"cross", Article::ahead_of_ai, ahead_of_ai::cross, weights, Init::rand,
                   "6 and 8 tokens, d_in 3, d_out_kq 2, d_out_v 4", "an embedded sentence attends to torch.rand(8, 3)"},
  };
  return chapters;
}

std::string_view chapter_summary(std::string_view name) {
  struct Summary {
    std::string_view chapter;
    std::string_view text;
  };
  static constexpr std::array<Summary, 6> summaries = {{
      {"simplified", "attention without weights: one query by hand, then all tokens"},
      {"trainable", "queries, keys and values from trainable weights; then as a module"},
      {"causal", "a causal mask: no token sees a later one"},
      {"dropout", "what dropout keeps, drops and rescales"},
      {"multihead", "several heads side by side, and how they are combined"},
      {"cross", "queries from one sequence, keys and values from another"},
  }};
  const auto* found =
      std::find_if(summaries.begin(), summaries.end(), [&](const Summary& s) { return s.chapter == name; });
  return found == summaries.end() ? std::string_view() : found->text;
}

std::span<const ArticleEntry> all_articles() {
  static constexpr std::array<ArticleEntry, 4> articles = {{
      {Article::blog, "blog", "Build a LLM from scratch: Attention Mechanism", Cpu::avx2, ""},
      {Article::primer, "primer", "Attention", Cpu::avx2, ""},
      {Article::livebook, "livebook", "Chapter 3: Coding Attention Mechanisms", Cpu::avx2, "Nx"},
      {Article::ahead_of_ai, "ahead-of-ai",
       "Understanding and Coding Self-Attention, Multi-Head Attention, Cross-Attention, and Causal-Attention in LLMs",
       Cpu::standard, ""},
  }};
  return articles;
}

const ArticleEntry& article_entry(Article article) { return all_articles()[static_cast<std::size_t>(article)]; }

}  // namespace attn::chapters
