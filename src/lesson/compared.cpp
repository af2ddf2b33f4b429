#include "lesson/compared.hpp"

#include <algorithm>
#include <cstddef>

#include "lesson/likeness.hpp"

namespace attn::render {

std::vector<Compared> compared_steps(std::span<const Step> as_is, std::span<const Step> changed,
                                     const TextOptions& options) {
  std::vector<Compared> all;
  for (const StepPair& pair : pairs_of(as_is, changed)) {
    const Step& step = pair.as_is != nullptr ? *pair.as_is : *pair.changed;
    const std::string_view alike = likeness(pair, options);
    if (alike.empty()) {
      all.push_back({step.section, alike, {}, pair});
      continue;
    }
    if (all.empty() || all.back().likeness != alike || all.back().section != step.section) {
      all.push_back({step.section, alike, {}, {nullptr, nullptr}});
    }
    std::vector<std::string>& names = all.back().names;
    const std::string name = step.name + (step.kind == Step::Kind::size ? ".shape" : "");
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  }
  return all;
}

std::string marked_text(const Step& as_is, const Step& changed, const TextOptions& options) {
  const torch::PrintedTensor before = printed_step(as_is, options);
  const torch::PrintedTensor after = printed_step(changed, options);
  if (changed.kind != Step::Kind::tensor || as_is.tensor->shape() != changed.tensor->shape() ||
      as_is.tensor->dtype() != changed.tensor->dtype()) {
    return after.text;
  }
  const std::vector<bool> differ = differences(*as_is.tensor->array().contents(), *changed.tensor->array().contents());
  std::string text;
  text.reserve(after.text.size() + after.cells.size());
  std::size_t done = 0;
  for (std::size_t k = 0; k < after.cells.size(); ++k) {
    const torch::PrintedCell& cell = after.cells[k];
    const bool is_marked = differ[static_cast<std::size_t>(cell.position)] &&
                           torch::cell_text(after, cell) != torch::cell_text(before, before.cells[k]);
    text.append(after.text, done, cell.offset - done) += is_marked ? '*' : ' ';
    done = cell.offset;
  }
  return text.append(after.text, done);
}

}  // namespace attn::render
