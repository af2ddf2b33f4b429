#include "verify/bound/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "tensor/operations.hpp"
#include "verify/bound/mapped.hpp"
#include "verify/bound/softmax.hpp"

namespace attn::verify {
namespace {

using Rule = Derivation::Rule;

}  // namespace

/// A result rounded `steps` times by the arithmetic, each time relative to at most this magnitude. Whole numbers are
/// exact as far as the arithmetic has digits for them.
Interval Bounds::rounded(const Interval& exact, double steps, double size) const {
  if (is_whole(exact) && size * roundoff_ <= 1) {
    return exact;
  }
  const double error = std::isfinite(size) ? steps * roundoff_ * size : 0;
  return {exact.low - error, exact.high + error};
}

void Bounds::observe(const Tensor& tensor, std::vector<Interval> cells) {
  observed_.insert_or_assign(tensor.id(), Cells{tensor, std::move(cells)});
  Cells& kept = observed_.at(tensor.id());
  for (const Interval& cell : kept.observed) {
    kept.are_finite = kept.are_finite && std::isfinite(cell.low) && std::isfinite(cell.high);
    kept.are_exact = kept.are_exact && cell.low == cell.high;
  }
}

void Bounds::forget_larger(std::int64_t count) {
  if (largest_ <= count) {
    return;
  }
  largest_ = count;
  std::erase_if(kept_, [&](const auto& one) { return element_count(one.second.tensor.shape()) > count; });
}

Interval Bounds::cell(const Tensor& tensor, const Shape& index) {
  return cell(tensor, position_of(index, tensor.shape()));
}

Interval Bounds::cell(const Tensor& tensor, std::int64_t position) {
  constexpr std::int64_t fewest_cells = 256;
  if (const auto seen = observed_.find(tensor.id()); seen != observed_.end()) {
    return seen->second.observed[static_cast<std::size_t>(position)];
  }
  if (!tensor.operands().empty() && element_count(tensor.shape()) >= fewest_cells) {
    Cells& cells = cells_of(tensor);
    if (is_by_row(cells, false)) {
      return kept(cells, position);
    }
  }
  return derived(tensor, index_at(position, tensor.shape()));
}

Bounds::Cells& Bounds::cells_of(const Tensor& tensor) {
  if (const auto seen = observed_.find(tensor.id()); seen != observed_.end()) {
    return seen->second;
  }
  if (const auto known = kept_.find(tensor.id()); known != kept_.end()) {
    return known->second;
  }
  largest_ = std::max(largest_, element_count(tensor.shape()));
  return kept_.emplace(tensor.id(), Cells{tensor}).first->second;
}

Interval Bounds::kept(Cells& cells, std::int64_t position) {
  const auto place = static_cast<std::size_t>(position);
  if (!cells.observed.empty()) {
    return cells.observed[place];
  }
  if (is_by_row(cells, false)) {
    return row(cells, position / cells.width()).at(position % cells.width());
  }
  make_room(cells, true);
  if (!cells.are_kept[place]) {
    const Interval cell = derived(cells.tensor, index_at(position, cells.tensor.shape()));
    cells.are_kept[place] = true;
    ++held_;
    cells.are_finite = cells.are_finite && std::isfinite(cell.low) && std::isfinite(cell.high);
    cells.are_exact = cells.are_exact && cell.low == cell.high;
    cells.low[place] = cell.low;
    cells.high[place] = cell.high;
  }
  return {cells.low[place], cells.high[place]};
}

Interval Bounds::of(const Tensor& tensor, const Element& element) {
  const Tensor& operand = tensor.operands()[element.operand];
  const bool is_copied = operand.operands().empty() || operand.operation().is_view();
  return is_copied ? cell(operand, element.index)
                   : kept(cells_of(operand), position_of(element.index, operand.shape()));
}

Interval Bounds::derived(const Tensor& tensor, const Shape& index) {
  const Derivation derivation = tensor.operation().derive(tensor.operands(), index);
  one_by_one_ += static_cast<std::int64_t>(derivation.terms.size());
  const auto a = [&] { return of(tensor, derivation.terms[0].a); };
  switch (derivation.rule) {
    case Rule::given: {
      if (!tensor.operands().empty()) {
        return mapped(tensor, derivation);
      }
      const double value = tensor.value(index);
      return {value, value};
    }
    case Rule::copy: return a();
    case Rule::products:
    case Rule::sum: return sum(tensor, derivation);
    case Rule::product: {
      const std::optional<Element>& b = derivation.terms[0].b;
      const Interval factor = b ? of(tensor, *b) : Interval{derivation.constant, derivation.constant};
      const Interval product = times(a(), factor);
      return rounded(product, 1, product.size());
    }
    case Rule::difference: {
      const Interval b = of(tensor, *derivation.terms[0].b);
      const Interval x = a();
      const Interval difference = {x.low - b.high, x.high - b.low};
      return rounded(difference, 1, difference.size());
    }
    case Rule::maximum: {
      Interval largest = a();
      for (const Derivation::Term& term : derivation.terms) {
        const Interval one = of(tensor, term.a);
        largest = {std::max(largest.low, one.low), std::max(largest.high, one.high)};
      }
      return largest;
    }
    case Rule::quotient: return quotient(tensor, derivation);
    case Rule::exponential: {
      const Interval x = a();
      const Interval power = {std::exp(x.low), std::exp(x.high)};
      return rounded(power, 2, power.size());
    }
    case Rule::cosine:
    case Rule::sine: {
      const Interval waves = derivation.rule == Rule::cosine ? cosine(a()) : sine(a());
      return rounded(waves, 1, waves.size());
    }
    case Rule::root:
    case Rule::inverse_root: {
      const bool is_inverse = derivation.rule == Rule::inverse_root;
      const Interval root = is_inverse ? inverse_root(a()) : square_root(a());
      return rounded(root, is_inverse ? 2 : 1, root.size());
    }
    case Rule::raised: {
      const Interval x = a();
      const Interval raised = {x.low + derivation.constant, x.high + derivation.constant};
      return rounded(raised, 1, raised.size());
    }
    case Rule::mean: return mean(tensor, derivation);
    case Rule::variance: return variance(tensor, derivation);
    case Rule::inverse_deviation: {
      const Interval x = variance(tensor, derivation);
      const Interval factor = inverse_root({x.low + derivation.constant, x.high + derivation.constant});
      return rounded(factor, 3, factor.size());
    }
    case Rule::softmax: return softmax(tensor, derivation);
    case Rule::softmax_gradient: return softmax_gradient(tensor, derivation);
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

/// Functions round a few times, relative to their arguments and results.
Interval Bounds::mapped(const Tensor& tensor, const Derivation& derivation) {
  std::vector<Interval> elements;
  double size = 0;
  for (const Derivation::Term& term : derivation.terms) {
    elements.push_back(of(tensor, term.a));
    size = elements.size() > 1 ? std::max(size, elements.back().size()) : 0;
  }
  const Interval result = bound_of_mapped(tensor, elements);
  return rounded(result, static_cast<double>(elements.size()) + 3, std::max(size, result.size()));
}

/// A sum of n terms is rounded n times and each product once, relative to at most the sum of all magnitudes.
Interval Bounds::sum(const Tensor& tensor, const Derivation& derivation) {
  Total total;
  for (const Derivation::Term& term : derivation.terms) {
    const Interval a = of(tensor, term.a);
    total.add(term.b ? times(a, of(tensor, *term.b)) : a);
  }
  if (derivation.bias) {
    total.add(of(tensor, *derivation.bias));
  }
  return rounded(total.exact, static_cast<double>(derivation.terms.size()) + 1, total.size);
}

Interval Bounds::mean(const Tensor& tensor, const Derivation& derivation) {
  const Interval total = sum(tensor, derivation);
  const auto count = static_cast<double>(derivation.terms.size());
  const Interval mean = {total.low / count, total.high / count};
  return rounded(mean, 1, mean.size());
}

Interval Bounds::variance(const Tensor& tensor, const Derivation& derivation) {
  std::vector<Interval> cells;
  double largest = 0;
  for (const Derivation::Term& term : derivation.terms) {
    cells.push_back(of(tensor, term.a));
    largest = std::max(largest, cells.back().size() * cells.back().size());
  }
  const Interval result = rounded(variance_of(cells), static_cast<double>(cells.size()) + 4, largest);
  return {std::max(0.0, result.low), result.high};
}

Interval Bounds::softmax_gradient(const Tensor& tensor, const Derivation& derivation) {
  Total total;
  for (const Derivation::Term& term : derivation.terms) {
    total.add(times(of(tensor, term.a), of(tensor, *term.b)));
  }
  const Derivation::Term& own = derivation.terms[derivation.position];
  return gradient_of_score(of(tensor, own.a), of(tensor, *own.b), total, std::ssize(derivation.terms));
}

/// (a - total) * b for a total that contains a * b: a - total is a * (1 - b) minus the others' products, in which each
/// gradient occurs once.
Interval Bounds::gradient_of_score(const Interval& gradient, const Interval& weight, const Total& total,
                                   std::int64_t terms) const {
  const Interval own = times(gradient, weight);
  const Interval others = {total.exact.low - own.low, total.exact.high - own.high};
  const Interval centred = times(gradient, {1 - weight.high, 1 - weight.low});
  const double size = gradient.size() + total.size;
  const double error = std::isfinite(size) ? static_cast<double>(terms + 2) * roundoff_ * size : 0;
  const Interval product = times({centred.low - others.high - error, centred.high - others.low + error}, weight);
  return rounded(product, 1, product.size());
}

/// Tight if the divisor is a sum that contains the dividend: a / (a + the others).
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
  // The share is monotonic in each of the two, so its extremes are at their ends.
  const auto share = [](double part, double rest) { return part / (part + rest); };
  const Interval corners =
      hull(share(a.low, others.low), share(a.low, others.high), share(a.high, others.low), share(a.high, others.high));
  return rounded(corners, static_cast<double>(terms.terms.size()) + 1, corners.size());
}

Interval Bounds::softmax(const Tensor& tensor, const Derivation& derivation) {
  std::vector<Interval> row;
  row.reserve(derivation.terms.size());
  for (const Derivation::Term& term : derivation.terms) {
    row.push_back(of(tensor, term.a));
  }
  const double steps = replace_by_weights(row);
  const Interval& weight = row[derivation.position];
  return rounded(weight, steps, weight.size());
}

/// torch.isclose over all pairs: certain if every pair is certainly close, or one certainly is not.
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
