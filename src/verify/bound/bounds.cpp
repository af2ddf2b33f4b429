#include "verify/bound/bounds.hpp"

#include <optional>
#include <utility>

#include "tensor/operations.hpp"

namespace attn::verify {
namespace {

using Rule = Derivation::Rule;

/// What float32 may round a number of size 1 by.
constexpr double unit_roundoff = 0x1p-24;
/// Whole numbers up to here are exact in float32.
constexpr double most_whole = 0x1p24;

/// A result that float32 arithmetic rounded `steps` times, each time by a number of this size at most.
Interval rounded(const Interval& exact, double steps, double size) {
  if (is_whole(exact) && size <= most_whole) {
    return exact;
  }
  const double error = std::isfinite(size) ? steps * unit_roundoff * size : 0;
  return {exact.low - error, exact.high + error};
}

std::size_t position_of(const Shape& index, const Shape& shape) {
  std::int64_t position = 0;
  for (std::size_t axis = 0; axis < index.size(); ++axis) {
    position = position * shape[axis] + index[axis];
  }
  return static_cast<std::size_t>(position);
}

}  // namespace

void Bounds::observe(const Tensor& tensor, std::vector<Interval> cells) {
  observed_.insert_or_assign(tensor.id(), Cells{tensor, std::move(cells)});
}

Interval Bounds::cell(const Tensor& tensor, std::int64_t position) {
  return cell(tensor, index_at(position, tensor.shape()));
}

Interval Bounds::cell(const Tensor& tensor, const Shape& index) {
  const auto seen = observed_.find(tensor.id());
  return seen != observed_.end() ? seen->second.cells[position_of(index, tensor.shape())] : derived(tensor, index);
}

Interval Bounds::kept(const Tensor& tensor, const Shape& index) {
  const std::size_t position = position_of(index, tensor.shape());
  if (const auto seen = observed_.find(tensor.id()); seen != observed_.end()) {
    return seen->second.cells[position];
  }
  if (tensor.operands().empty() || tensor.operation().is_view()) {
    return derived(tensor, index);
  }
  const auto known = kept_.find(tensor.id());
  std::vector<Interval>& cells =
      known != kept_.end()
          ? known->second.cells
          : kept_
                .emplace(tensor.id(),
                         Cells{tensor, std::vector<Interval>(static_cast<std::size_t>(element_count(tensor.shape())),
                                                             no_number)})
                .first->second.cells;
  if (!is_number(cells[position])) {
    const Interval bounded = derived(tensor, index);
    kept_.find(tensor.id())->second.cells[position] = bounded;
    return bounded;
  }
  return cells[position];
}

Interval Bounds::derived(const Tensor& tensor, const Shape& index) {
  const Derivation derivation = tensor.operation().derive(tensor.operands(), index);
  cost_ += static_cast<std::int64_t>(derivation.terms.size());
  const auto a = [&] { return of(tensor, derivation.terms[0].a); };
  switch (derivation.rule) {
    case Rule::given: {
      const double value = tensor.array().value(index);
      return {value, value};
    }
    case Rule::copy: return a();
    case Rule::products:
    case Rule::sum: return sum(tensor, derivation);
    case Rule::product: {
      const Interval product = times(a(), of(tensor, *derivation.terms[0].b));
      return rounded(product, 1, product.size());
    }
    case Rule::quotient: return quotient(tensor, derivation);
    case Rule::exponential: {
      const Interval x = a();
      const Interval power = {std::exp(x.low), std::exp(x.high)};
      return rounded(power, 2, power.size());
    }
    case Rule::softmax: return softmax(tensor, derivation);
    case Rule::masked: return {derivation.constant, derivation.constant};
    case Rule::kept: {
      const Interval product = times(a(), {derivation.constant, derivation.constant});
      return rounded(product, derivation.constant == 1 ? 0 : 1, product.size());
    }
    case Rule::dropped: return {};
    case Rule::comparison: return comparison(tensor, derivation);
  }
  return no_number;
}

/// A sum of n terms is rounded n times, and each product once, by a number no larger than the sum of all sizes.
Interval Bounds::sum(const Tensor& tensor, const Derivation& derivation) {
  Interval total;
  double size = 0;
  const auto add = [&](const Interval& term) {
    total.low += term.low;
    total.high += term.high;
    size += term.size();
  };
  for (const Derivation::Term& term : derivation.terms) {
    const Interval a = of(tensor, term.a);
    add(term.b ? times(a, of(tensor, *term.b)) : a);
  }
  if (derivation.bias) {
    add(of(tensor, *derivation.bias));
  }
  return rounded(total, static_cast<double>(derivation.terms.size()) + 1, size);
}

/// Tight where the divisor is a sum with the dividend in it: a / (a + the others).
Interval Bounds::quotient(const Tensor& tensor, const Derivation& derivation) {
  const Element& dividend = derivation.terms[0].a;
  const Interval a = of(tensor, dividend);
  const auto divided_by = [&](const Interval& b) {
    const Interval quotient = over(a, b);
    return rounded(quotient, 1, quotient.size());
  };
  if (!derivation.terms[0].b) {
    return divided_by({derivation.constant, derivation.constant});
  }
  const Element& divisor = *derivation.terms[0].b;
  const Tensor& total = tensor.operands()[divisor.operand];
  const bool is_share = total.kind() == Kind::sum &&
                        total.operands()[0].id() == tensor.operands()[dividend.operand].id() &&
                        !observed_.contains(total.id());
  const Derivation terms = is_share ? total.operation().derive(total.operands(), divisor.index) : Derivation(Rule::sum);
  Interval others;
  bool is_in = false;
  for (const Derivation::Term& term : terms.terms) {
    const bool is_dividend = term.a.index == dividend.index;
    const Interval other = is_dividend ? Interval{} : of(total, term.a);
    is_in = is_in || is_dividend;
    others = {others.low + other.low, others.high + other.high};
  }
  if (!is_in || !(a.low + others.low > 0)) {
    return divided_by(of(tensor, divisor));
  }
  // Each of the two alone moves the share one way, so that it is least and greatest at the ends of both.
  const auto share = [](double part, double rest) { return part / (part + rest); };
  const Interval corners =
      hull(share(a.low, others.low), share(a.low, others.high), share(a.high, others.low), share(a.high, others.high));
  return rounded(corners, static_cast<double>(terms.terms.size()) + 1, corners.size());
}

/// A weight is least where its own score is low and all others are high. A score of -inf weighs nothing.
Interval Bounds::softmax(const Tensor& tensor, const Derivation& derivation) {
  std::vector<Interval> scores;
  scores.reserve(derivation.terms.size());
  double most = -std::numeric_limits<double>::infinity();
  double size = 0;
  for (const Derivation::Term& term : derivation.terms) {
    scores.push_back(of(tensor, term.a));
    most = std::max(most, scores.back().high);
  }
  constexpr double vanishes = 104;  // so far below the largest, float32's exponential is 0 whatever was rounded
  for (const Interval& score : scores) {
    size = score.high > most - vanishes && std::isfinite(score.low) ? std::max(size, score.size()) : size;
  }
  const auto power = [&](double score) { return std::exp(score - most); };
  Interval others;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (i != derivation.position) {
      others = {others.low + power(scores[i].low), others.high + power(scores[i].high)};
    }
  }
  const double low = power(scores[derivation.position].low);
  const double high = power(scores[derivation.position].high);
  const Interval weight = {low > 0 ? low / (low + others.high) : low, high > 0 ? high / (high + others.low) : high};
  // The difference from the largest, the exponential, the sum and the division are rounded.
  return rounded(weight, static_cast<double>(scores.size()) + 4 + 2 * size, weight.size());
}

/// torch.isclose of all: certain where all pairs certainly are, or one certainly is not.
Interval Bounds::comparison(const Tensor& tensor, const Derivation& derivation) {
  constexpr double absolute = 1e-8;
  constexpr double relative = 1e-5;
  Interval result = {1, 1};
  for (const Derivation::Term& term : derivation.terms) {
    const Interval a = of(tensor, term.a);
    const Interval b = of(tensor, *term.b);
    const double room = absolute + relative * b.size();
    const double apart = std::max({0.0, a.low - b.high, b.low - a.high});
    const double most_apart = std::max(a.high - b.low, b.high - a.low);
    result.low = most_apart <= room ? result.low : 0;
    result.high = apart <= room ? result.high : 0;
  }
  return result;
}

}  // namespace attn::verify
