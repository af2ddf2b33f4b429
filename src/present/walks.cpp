#include "present/walks.hpp"

#include <algorithm>
#include <utility>

namespace attn::present {

Walks::Walks(const Presentation& presentation)
    : presentation_(presentation),
      seed_(presentation.seed),
      walk_(presentation.walk(seed_)),
      steps_(presentation.select(walk_.steps())) {}

const Step* Walks::before(std::size_t at) const { return before_.size() == steps_.size() ? &before_[at] : nullptr; }

void Walks::take_seed(torch::Seed seed) {
  Walkthrough walk = presentation_.walk(seed);
  std::vector<Step> steps = presentation_.select(walk.steps());
  std::optional<Change> change;
  if (rule_ != nullptr) {
    change = changed_walk(walk, seed, *rule_);
  }
  before_ = std::exchange(steps_, std::move(steps));
  walk_ = std::move(walk);
  seed_ = seed;
  if (change) {
    take_change(*std::move(change));
  }
}

const std::vector<const WhatIf*>& Walks::what_ifs() {
  if (!what_ifs_) {
    what_ifs_ = presentation_.what_ifs();
  }
  return *what_ifs_;
}

void Walks::change(const WhatIf& rule) {
  take_change(changed_walk(walk_, seed_, rule));
  rule_ = &rule;
  view_ = View::changed;
}

Walks::Change Walks::changed_walk(const Walkthrough& as_is, torch::Seed seed, const WhatIf& rule) const {
  Walkthrough changed = presentation_.change(as_is, seed, rule);
  std::string sentence = what_the_change_did(rule, as_is.steps(), changed.steps());
  return {std::move(changed).steps(), std::move(sentence)};
}

void Walks::take_change(Change change) {
  changed_ = std::move(change.steps);
  sentence_ = std::move(change.sentence);
  pairs_ = pairs_of(steps_, changed_);
  all_pairs_ = pairs_of(walk_.steps(), changed_);
}

void Walks::next_view() {
  switch (view_) {
    case View::as_is: view_ = View::changed; break;
    case View::changed: view_ = View::difference; break;
    case View::difference: view_ = View::as_is; break;
  }
}

const Step* Walks::changed(std::size_t at) const {
  return std::ranges::find(pairs_, &steps_.at(at), &StepPair::as_is)->changed;
}

std::vector<const Step*> Walks::only_changed(std::size_t at) const {
  std::vector<const Step*> found;
  const Step* const step = changed(at);
  for (auto pair = all_pairs_.begin(); step != nullptr && pair->changed != step; ++pair) {
    if (pair->as_is != nullptr) {
      found.clear();
    } else {
      found.push_back(pair->changed);
    }
  }
  return found;
}

const std::vector<Step>& Walks::steps_in_view() const {
  if (view_ != View::as_is) {
    return changed_;
  }
  return steps_;
}

}  // namespace attn::present
