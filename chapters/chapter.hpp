#pragma once

#include <span>
#include <string_view>

#include "torch/torch.hpp"
#include "walk/lesson.hpp"
#include "walk/walkthrough.hpp"

namespace attn::chapters {

/// A chapter runs the article's program top to bottom and shows its tensors to the walkthrough.
/// Throws LessonError where the lesson's sizes do not fit each other.
using Chapter = void (*)(const Lesson&, torch::Torch&, Walkthrough&);

void simplified(const Lesson& lesson, torch::Torch& torch, Walkthrough& walk);
void trainable(const Lesson& lesson, torch::Torch& torch, Walkthrough& walk);
void causal(const Lesson& lesson, torch::Torch& torch, Walkthrough& walk);
void dropout(const Lesson& lesson, torch::Torch& torch, Walkthrough& walk);
void multihead(const Lesson& lesson, torch::Torch& torch, Walkthrough& walk);
void cross(const Lesson& lesson, torch::Torch& torch, Walkthrough& walk);

struct ChapterEntry {
  std::string_view name;
  std::string_view summary;
  Article article;  ///< whose program it follows
  Chapter run;
  bool has_query;        ///< parts by hand that follow one query
  bool has_projections;  ///< W_query, W_key, W_value
  bool has_batch;
  bool has_dropout;
  bool has_heads;
};

/// All chapters, in the order in which they are read.
std::span<const ChapterEntry> all_chapters();

/// The name on the command line: "blog", "ahead-of-ai".
std::string_view article_name(Article article);

/// PyTorch's kernels that the article was made with.
Cpu article_cpu(Article article);

}  // namespace attn::chapters
