#include "present/walks.hpp"

#include <algorithm>
#include <utility>

namespace attn::present {

Walks::Walks(const Presentation& presentation)
    : presentation_(presentation), walk_(presentation.walk()), steps_(presentation.select(walk_.steps())) {}

const std::vector<const WhatIf*>& Walks::what_ifs() {
  if (!what_ifs_) {
    what_ifs_ = presentation_.what_ifs();
  }
  return *what_ifs_;
}

void Walks::change(const WhatIf& rule) {
  Walkthrough changed = presentation_.change(walk_, rule);
  sentence_ = what_the_change_did(rule, walk_.steps(), changed.steps());
  changed_ = std::move(changed).steps();
  pairs_ = pairs_of(steps_, changed_);
  all_pairs_ = pairs_of(walk_.steps(), changed_);
  rule_ = &rule;
  view_ = View::changed;
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

}  // namespace attn::present
