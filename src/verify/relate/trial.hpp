#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "verify/relate/chance.hpp"
#include "verify/relate/relation.hpp"

namespace attn::verify {

/// Holds relations against one printed tensor and keeps the best.
class Trial {
 public:
  /// `most_failing` cells of the tensor may fail: 0 looks for what holds, more for near misses.
  /// `patience` multiplications may be spent; what is spent is taken off.
  Trial(const Grid& target, std::span<const Source> sources, std::size_t most_failing, std::int64_t& patience)
      : target_(target), sources_(sources), most_failing_(most_failing), patience_(patience) {}

  const Grid& target() const { return target_; }
  const Source& source(std::size_t i) const { return sources_[i]; }
  std::size_t sources() const { return sources_.size(); }
  bool is_near_miss() const { return most_failing_ > 0; }

  /// Whether numbers of the target's shape hold; if so, and if chance is excluded and no better one is known, keeps
  /// them under `words()`.
  template <class Words>
  bool offer(Form form, const Grid& numbers, std::vector<std::size_t> sources, Words words) {
    return offer_with_chance(form, numbers, std::nullopt, std::move(sources), words);
  }

  /// The same where the probability of chance is known otherwise than from the target's range.
  template <class Words>
  bool offer_with_chance(Form form, const Grid& numbers, std::optional<double> chance, std::vector<std::size_t> sources,
                         Words words) {
    ++tried_;
    Overlap overlap = lay(target_, numbers, most_failing_);
    if (!overlap.is_decided || overlap.failing.empty() == is_near_miss()) {
      return false;
    }
    Relation relation{form, "", std::move(sources), false, chance.value_or(overlap.chance), std::move(overlap.failing),
                      {}};
    relation.chance += log_ways(target_.cells.size(), relation.failing.size());
    if (relation.chance + std::log10(static_cast<double>(tried_)) > least_chance || !is_better(relation)) {
      return false;
    }
    relation.words = words();
    relation.numbers = is_near_miss() ? numbers : Grid{};
    best_ = std::move(relation);
    return true;
  }

  /// a @ b, or a @ b.T, to be offered; empty where it does not hold, which counts as tried.
  std::optional<Grid> product_that_holds(const Grid& a, const Grid& b, bool b_transposed);

  /// Whether so much work may still be done; takes it off.
  bool may_spend(std::int64_t multiplications) {
    patience_ -= std::min(multiplications, patience_);
    return patience_ > 0;
  }

  const std::optional<Relation>& best() const { return best_; }
  /// Whether a relation of this form, or a more telling one, is known.
  bool has(Form form) const { return best_ && best_->form <= form; }

 private:
  bool is_better(const Relation& other) const;

  const Grid& target_;
  std::span<const Source> sources_;
  std::size_t most_failing_;
  std::int64_t& patience_;
  std::size_t tried_ = 0;
  std::optional<Relation> best_;
};

}  // namespace attn::verify
