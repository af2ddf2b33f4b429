#include "verify/explain/known.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "lesson/printed.hpp"
#include "verify/explain/plain.hpp"

namespace attn::verify {
namespace {

std::string content_key(const Numbers& numbers) {
  std::string key = dtype_name(numbers.dtype) + shape_text(numbers.shape);
  key.append(reinterpret_cast<const char*>(numbers.values.data()), numbers.values.size() * sizeof(double));
  return key;
}

}  // namespace

std::size_t Known::add_numbers(Numbers numbers) {
  const auto [entry, is_new] = by_content_.try_emplace(content_key(numbers), numbers_.size());
  if (is_new) {
    by_shape_[numbers.shape].push_back(numbers_.size());
    numbers_.push_back(std::move(numbers));
    by_numbers_.emplace_back();
  }
  return entry->second;
}

/// Lessons use the same labels again and again.
std::string_view Known::plain(const std::string& label) {
  const auto [entry, is_new] = plain_labels_.try_emplace(label);
  if (is_new) {
    entry->second = plain_label(label);
  }
  return entry->second;
}

void Known::add(const Explanation& explanation, const Wanted& wanted) {
  const auto [entry, is_new] = first_.try_emplace(&explanation, steps_.size());
  const std::vector<Step>& steps = explanation.steps.get();
  for (std::size_t i = 0; i < steps.size() && is_new; ++i) {
    steps_.push_back({&explanation, &steps[i], i, {}, plain(steps[i].label), steps[i].kind == Step::Kind::size});
    call(steps_.back().label, steps_.size() - 1);
    call(steps[i].name, steps_.size() - 1);
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    KnownStep& known = steps_[entry->second + i];
    if (steps[i].kind == Step::Kind::tensor && !known.numbers && wanted(steps[i].tensor->shape())) {
      known.numbers = add_numbers(numbers_of(*steps[i].tensor));
      by_numbers_[*known.numbers].push_back(entry->second + i);
    }
  }
}

void Known::call(std::string_view name, std::size_t step) {
  std::vector<std::size_t>& steps = by_name_[name];
  if (steps.empty() || steps.back() != step) {
    steps.push_back(step);
  }
}

std::span<const std::size_t> Known::called(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? std::span<const std::size_t>() : found->second;
}

const Numbers& Known::numbers_of_step(std::size_t i) {
  KnownStep& known = steps_[i];
  if (!known.numbers) {
    known.numbers = add_numbers(numbers_of(*known.step->tensor));
    by_numbers_[*known.numbers].push_back(i);
  }
  return numbers_[*known.numbers];
}

std::vector<std::size_t> Known::alike(const Printed& printed) const {
  std::vector<std::size_t> result;
  const auto add_alike = [&](const std::vector<std::size_t>& ids) {
    std::ranges::copy_if(ids, std::back_inserter(result),
                         [&](std::size_t id) { return same_kind(printed, numbers_[id]); });
  };
  if (!is_regular(printed)) {
    return result;
  }
  if (!has_gap(printed)) {
    if (const auto found = by_shape_.find(printed.shape); found != by_shape_.end()) {
      add_alike(found->second);
    }
    return result;
  }
  for (const auto& [shape, ids] : by_shape_) {
    if (same_shape(printed, shape)) {
      add_alike(ids);
    }
  }
  return result;
}

const std::string& Known::layout(std::size_t i) {
  const auto found = layouts_.find(i);
  return found != layouts_.end()
             ? found->second
             : layouts_.emplace(i, plain_layout(render::tensor_text(*steps_[i].step->tensor, {}))).first->second;
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

}  // namespace attn::verify
