#include <algorithm>
#include <array>

#include "ahead_of_ai/ahead_of_ai.hpp"
#include "blog/blog.hpp"
#include "book/book.hpp"
#include "chapter.hpp"
#include "livebook/livebook.hpp"
#include "modern/modern.hpp"
#include "own.hpp"
#include "primer/primer.hpp"
#include "settled.hpp"

namespace attn::chapters {
namespace {

/// A chapter's topic, the same for every article.
struct Summary {
  std::string_view chapter;
  std::string_view text;
  std::string_view question;
  std::string_view what_if;  ///< the rule that the chapter is about
};

/// In reading order.
constexpr std::array summaries = {
    Summary{"simplified", "attention without weights: one query by hand, then all tokens",
            "How can a token's vector pick up its context, before any training?", "softmax-dim-0"},
    Summary{"trainable", "queries, keys and values from trainable weights; then a module",
            "How can a model learn which tokens are relevant to each other?", "no-scaling"},
    Summary{"causal", "a causal mask: no token sees a later one",
            "How can a model learn to predict the next token if it can see it?", "no-mask"},
    Summary{"dropout", "which weights dropout keeps, drops and rescales",
            "How do you keep a model from relying on a few attention weights?", "no-rescale"},
    Summary{"multihead", "several heads side by side, and how they are combined",
            "How can a token attend to several things at once?", "same-weights"},
    Summary{"cross", "queries from one sequence, keys and values from another",
            "How can one sequence attend to another?", "same-weights"},
    Summary{"grouped", "grouped-query attention: query heads that share keys and values",
            "How can many heads do with fewer keys and values?", "tiled-heads"},
    Summary{"cache", "decoding with cached keys and values, a few tokens at a time",
            "Why does a model not compute earlier tokens again for each new one?", "mask-from-first-key"},
};

const Summary* summary_of(std::string_view name) {
  return std::find_if(summaries.begin(), summaries.end(), [name](const Summary& s) { return s.chapter == name; });
}

}  // namespace

const std::vector<std::reference_wrapper<const Article>>& all_articles() {
  static const std::vector<std::reference_wrapper<const Article>> articles = {
      blog::article, primer::article, livebook::article, ahead_of_ai::article, book::article, modern::article,
  };
  return articles;
}

const std::vector<std::reference_wrapper<const Chapter>>& all_chapters() {
  static const std::vector<std::reference_wrapper<const Chapter>> chapters = [] {
    std::vector<std::reference_wrapper<const Chapter>> result;
    for (const Article& article : all_articles()) {
      result.insert(result.end(), article.chapters.begin(), article.chapters.end());
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const Chapter& a, const Chapter& b) { return summary_of(a.name) < summary_of(b.name); });
    return result;
  }();
  return chapters;
}

std::string_view chapter_summary(std::string_view name) {
  const Summary* const found = summary_of(name);
  return found == summaries.end() ? std::string_view() : found->text;
}

std::string_view chapter_question(std::string_view name) {
  const Summary* const found = summary_of(name);
  return found == summaries.end() ? std::string_view() : found->question;
}

const WhatIf* telling_what_if(std::string_view name, std::span<const Step> steps) {
  const Summary* const summary = summary_of(name);
  const WhatIf* telling = nullptr;
  for (const WhatIf& what_if : all_what_ifs()) {
    const bool is_own = summary != summaries.end() && summary->what_if == what_if.name;
    if ((telling == nullptr || is_own) && applies(what_if, steps) && what_if.is_idle(steps).empty()) {
      telling = &what_if;
    }
  }
  return telling;
}

Walkthrough walk(const Chapter& chapter, const Lesson& lesson, torch::Torch& torch) {
  const Lesson whole = settled(chapter, lesson);
  Walkthrough walk = run(chapter, whole, torch);
  if (whole.weights) {
    return with_own_weights(walk, *whole.weights, torch.kernels());
  }
  return walk;
}

std::vector<const WhatIf*> what_ifs(const Chapter& chapter) {
  const Lesson lesson;
  torch::Torch torch({}, lesson.dropout_kernel, torch::Torch::Mode::plan);
  const Walkthrough planned = walk(chapter, lesson, torch);
  std::vector<const WhatIf*> result;
  for (const WhatIf& what_if : all_what_ifs()) {
    if (applies(what_if, planned.steps())) {
      result.push_back(&what_if);
    }
  }
  return result;
}

}  // namespace attn::chapters
