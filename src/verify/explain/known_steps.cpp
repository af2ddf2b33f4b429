#include "verify/explain/known_steps.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "render/text.hpp"

namespace attn::verify {
namespace {

template <class T>
void append_bytes(std::string& out, const std::vector<T>& items) {
  out.append(reinterpret_cast<const char*>(items.data()), items.size() * sizeof(T));
}

std::string content_key(const Numbers& numbers) {
  std::string key = dtype_name(numbers.dtype) + shape_text(numbers.shape);
  append_bytes(key, numbers.values);
  return key;
}

template <class Map, class Key>
const std::vector<std::size_t>& found_or_none(const Map& map, const Key& key) {
  static const std::vector<std::size_t> none;
  const auto found = map.find(key);
  return found == map.end() ? none : found->second;
}

}  // namespace

// ---- Pool ---------------------------------------------------------------------------------------

std::size_t Pool::add(Numbers numbers) {
  const auto [entry, is_new] = by_content_.try_emplace(content_key(numbers), all_.size());
  if (is_new) {
    by_shape_[numbers.shape].push_back(all_.size());
    all_.push_back(std::move(numbers));
  }
  return entry->second;
}

std::vector<std::size_t> Pool::alike(const Printed& printed) const {
  std::vector<std::size_t> result;
  const auto add_alike = [&](const std::vector<std::size_t>& ids) {
    for (const std::size_t id : ids) {
      if (same_kind(printed, all_[id])) {
        result.push_back(id);
      }
    }
  };
  if (!is_regular(printed)) {
    return result;
  }
  if (!has_gap(printed)) {
    add_alike(found_or_none(by_shape_, printed.shape));
    return result;
  }
  for (const auto& [shape, ids] : by_shape_) {
    if (same_shape(printed, shape)) {
      add_alike(ids);
    }
  }
  return result;
}

// ---- KnownSteps ---------------------------------------------------------------------------------

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
  static const std::vector<std::size_t> none;
  return numbers < by_numbers_.size() ? by_numbers_[numbers] : none;
}

const std::vector<std::size_t>& KnownSteps::of_size(const Shape& shape) const {
  return found_or_none(by_size_, shape);
}

const std::string& KnownSteps::layout(std::size_t i) {
  if (!layouts_[i]) {
    layouts_[i] = plain_layout(render::tensor_text(*steps_[i].step->tensor, {}));
  }
  return *layouts_[i];
}

// ---- Distances ----------------------------------------------------------------------------------

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
