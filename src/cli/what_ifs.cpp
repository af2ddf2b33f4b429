#include "cli/what_ifs.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_set>

#include "render/page/nodes.hpp"

namespace attn::cli {
namespace {

/// The most numbers, of all changes together, that a page may hold; with more it loads too slowly.
constexpr std::int64_t most_numbers = 40'000;

/// Counts the numbers of tensors that are not in `seen`, and adds the tensors to it.
std::int64_t new_numbers(const std::vector<Step>& steps, std::unordered_set<const void*>& seen) {
  std::int64_t numbers = 0;
  for (const Step& step : steps) {
    if (step.kind == Step::Kind::tensor && seen.insert(step.tensor->id()).second) {
      numbers += element_count(step.tensor->shape());
    }
  }
  return numbers;
}

/// Returns true if a page shows every tensor in full.
bool are_shown_whole(const std::vector<Step>& steps, const Options& options) {
  const std::int64_t most = std::min(options.text.print.threshold, render::most_page_elements);
  return std::all_of(steps.begin(), steps.end(), [most](const Step& step) {
    return step.kind != Step::Kind::tensor || element_count(step.tensor->shape()) <= most;
  });
}

}  // namespace

std::vector<Otherwise> what_ifs_of(const Walkthrough& as_is, const Options& options) {
  std::vector<Otherwise> asked;
  if (options.what_if != nullptr) {
    asked.push_back({options.what_if, changed(as_is, *options.what_if)});
  }
  if (!options.format->shows_what_ifs || !are_shown_whole(as_is.steps(), options)) {
    return asked;
  }
  std::unordered_set<const void*> seen;
  new_numbers(as_is.steps(), seen);
  std::int64_t numbers = 0;
  std::vector<Otherwise> result;
  for (const WhatIf& what_if : all_what_ifs()) {
    if (&what_if == options.what_if || applies(what_if, as_is.steps())) {
      result.push_back({&what_if, changed(as_is, what_if)});
      numbers += new_numbers(result.back().walk.steps(), seen);
    }
  }
  return numbers > most_numbers ? asked : result;
}

std::vector<render::ShownWhatIf> shown_what_ifs(const Walkthrough& as_is, const Options& options) {
  std::vector<render::ShownWhatIf> result;
  for (const auto& [what_if, walk] : what_ifs_of(as_is, options)) {
    result.push_back({.name = std::string(what_if->name),
                      .rule = sentence_of(*what_if),
                      .did = what_the_change_did(*what_if, as_is.steps(), walk.steps()),
                      .steps = selected_if_there(walk.steps(), options),
                      .is_asked_for = what_if == options.what_if});
  }
  return result;
}

}  // namespace attn::cli
