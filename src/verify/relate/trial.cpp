#include "verify/relate/trial.hpp"

#include <algorithm>
#include <tuple>

#include "verify/relate/arithmetic.hpp"

namespace attn::verify {

bool Trial::is_better(const Relation& other) const {
  if (!best_) {
    return true;
  }
  const auto nearest = [&](const Relation& relation) {
    std::size_t position = 0;
    for (const std::size_t source : relation.sources) {
      position = std::max(position, sources_[source].position);
    }
    return -static_cast<std::int64_t>(position);
  };
  const auto rank = [&](const Relation& relation) {
    return std::tuple(relation.failing.size(), relation.form, relation.sources.size(), nearest(relation));
  };
  return rank(other) < rank(*best_);
}

std::optional<Grid> Trial::product_that_holds(const Grid& a, const Grid& b, bool b_transposed) {
  auto numbers = product_near(a, b, b_transposed, target_, most_failing_);
  tried_ += numbers ? 0U : 1U;
  return numbers;
}

}  // namespace attn::verify
