#include "verify/explain/known_steps.hpp"

#include <algorithm>
#include <utility>

#include "render/text.hpp"
#include "verify/explain/plain.hpp"

namespace attn::verify {
namespace {

const std::vector<std::size_t> none;

}  // namespace

KnownSteps::KnownSteps(const Explanation& explanation, Pool& pool) : explanation_(&explanation) {
  for (std::size_t chapter = 0; chapter < explanation.chapters.size(); ++chapter) {
    for (const Step& step : explanation.chapters[chapter].steps) {
      if (step.kind == Step::Kind::text) {
        continue;
      }
      KnownStep known{&step, chapter, 0, plain_label(step.label), step.kind == Step::Kind::size};
      by_size_[step.tensor->shape()].push_back(steps_.size());
      if (!known.is_size) {
        known.numbers = pool.add(numbers_of(*step.tensor));
        by_numbers_.resize(std::max(by_numbers_.size(), known.numbers + 1));
        by_numbers_[known.numbers].push_back(steps_.size());
      }
      steps_.push_back(std::move(known));
    }
  }
  layouts_.resize(steps_.size());
}

const std::vector<std::size_t>& KnownSteps::having(std::size_t numbers) const {
  return numbers < by_numbers_.size() ? by_numbers_[numbers] : none;
}

const std::vector<std::size_t>& KnownSteps::of_size(const Shape& shape) const {
  const auto found = by_size_.find(shape);
  return found == by_size_.end() ? none : found->second;
}

const std::string& KnownSteps::layout(std::size_t i) {
  if (!layouts_[i]) {
    layouts_[i] = plain_layout(render::tensor_text(*steps_[i].step->tensor, {}));
  }
  return *layouts_[i];
}

int label_distance(const std::string& plain_printed, const KnownStep& step) {
  if (plain_printed == step.label || plain_printed == step.step->name) {
    return 0;
  }
  if (plain_printed.empty() || step.label.empty()) {
    return 2;
  }
  const bool related = plain_printed.find(step.label) != std::string::npos ||
                       step.label.find(plain_printed) != std::string::npos ||
                       plain_printed.find(step.step->name) != std::string::npos;
  return related ? 1 : 2;
}

int order_distance(const KnownSteps& known, std::size_t previous, std::size_t next) {
  const std::size_t chapter = known[previous].chapter;
  const std::size_t next_chapter = known[next].chapter;
  if (chapter == next_chapter) {
    return next > previous ? 0 : 3;
  }
  return next_chapter > chapter ? 4 : 5;
}

}  // namespace attn::verify
