#include "steps.hpp"

#include <algorithm>

#include "chapter.hpp"
#include "inputs.hpp"
#include "torch/torch.hpp"

namespace attn::fuzz {
namespace {

const chapters::Article& blog() { return chapters::all_articles().front(); }

}  // namespace

const std::vector<std::string>& tokens() {
  static const std::vector<std::string> words = chapters::token_words(blog(), {});
  return words;
}

std::vector<Step> steps_of(std::string_view chapter, Cpu cpu) {
  const auto found = std::ranges::find(blog().chapters, chapter, &chapters::Chapter::name);
  Lesson lesson;
  lesson.kernels.cpu = cpu;
  torch::Torch torch(lesson.kernels, lesson.dropout_kernel, torch::Torch::Mode::compute);
  return chapters::walk(*found, lesson, torch).steps();
}

}  // namespace attn::fuzz
