// Tensors of given numbers, and walkthroughs of chapters, for unit tests.
#pragma once

#include "chapters/chapter.hpp"
#include "tensor/operations.hpp"
#include "torch/torch.hpp"
#include "unit.hpp"

namespace attn::test {

template <class Number>
Tensor made(const Shape& shape, const std::vector<Number>& values, DType dtype, std::optional<Kernels> kernels) {
  REQUIRE(static_cast<std::int64_t>(values.size()) == element_count(shape));
  const auto fill = [shape, values] {
    Block<Number> block(shape);
    std::copy(values.begin(), values.end(), block.begin());
    return Contents(std::move(block));
  };
  return leaf(shape, dtype, "x", fill, kernels);
}

inline Tensor floats(const Shape& shape, const std::vector<float>& values, std::optional<Kernels> kernels = {}) {
  return made(shape, values, DType::float32, kernels);
}

inline Tensor bools(const Shape& shape, const std::vector<bool>& values) {
  return made(shape, values, DType::boolean, {});
}

inline std::vector<float> values_of(const Array& array) {
  const auto contents = array.contents();
  const auto& values = std::get<Block<float>>(*contents);
  return {values.begin(), values.end()};
}

inline std::vector<float> values_of(const Tensor& tensor) { return values_of(tensor.array()); }

inline const chapters::Chapter& chapter_of(const std::string& name, const std::string& article) {
  const auto& all = chapters::all_chapters();
  const auto found = std::ranges::find_if(
      all, [&](const chapters::Chapter& one) { return one.name == name && one.article->name == article; });
  REQUIRE(found != all.end());
  return *found;
}

/// The chapter by its article's kernels.
inline Walkthrough walked(const chapters::Chapter& chapter, Lesson lesson = {},
                          torch::Torch::Mode mode = torch::Torch::Mode::compute) {
  lesson.kernels.cpu = chapter.article->cpu;
  torch::Torch torch(lesson.kernels, lesson.dropout_kernel, mode);
  return chapters::walk(chapter, lesson, torch);
}

inline const Tensor* find(const Walkthrough& walk, const std::string& name, const std::string& section = "") {
  for (const Step& step : walk.steps()) {
    if (step.kind == Step::Kind::tensor && step.name == name && (section.empty() || step.section == section)) {
      return &*step.tensor;
    }
  }
  return nullptr;
}

}  // namespace attn::test
