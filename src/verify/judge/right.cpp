#include "verify/judge/right.hpp"

#include <cstddef>
#include <utility>
#include <variant>

namespace attn::port {

std::vector<double> values_of(const Tensor& tensor) {
  return std::visit([](const auto& values) { return std::vector<double>(values.begin(), values.end()); },
                    *tensor.array().contents());
}

Right::Known& Right::known(const Tensor& tensor) {
  const auto found = known_.find(tensor.id());
  return found != known_.end() ? found->second
                               : known_.emplace(tensor.id(), Known{tensor, values_of(tensor), {}}).first->second;
}

const std::vector<double>& Right::values(const Tensor& tensor) { return known(tensor).values; }

Comparison Right::compare(const Laid& theirs, const Tensor& right) {
  Known& ours = known(right);
  Comparison plain = port::compare(theirs.values, ours.values, tolerance_, {}, theirs.cells);
  if (plain.holds() || !tolerance_.grows || right.operands().empty()) {
    return plain;
  }
  if (!ours.bounds) {
    ours.bounds = bounds_.of(right);
  }
  return port::compare(theirs.values, ours.values, tolerance_, *ours.bounds, theirs.cells);
}

std::optional<Laid> Right::holding(const dump::Dumped& theirs, const Tensor& right) {
  std::optional<Laid> result;
  lay_out(theirs, {right, values(right), heads_}, [&](Laid&& laid) {
    if (!holds(laid, right)) {
      return false;
    }
    result = std::move(laid);
    return true;
  });
  return result;
}

std::optional<Laid> Right::nearest(const dump::Dumped& theirs, const Tensor& right) {
  std::optional<Laid> result;
  std::size_t fewest = 0;
  lay_out(theirs, {right, values(right), heads_}, [&](Laid&& laid) {
    const std::size_t wrong = compare(laid, right).mismatched.size();
    if (!result || wrong < fewest) {
      fewest = wrong;
      result = std::move(laid);
    }
    return false;
  });
  return result;
}

}  // namespace attn::port
