#include "verify/bound/bounds.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "tensor/operations.hpp"
#include "verify/bound/mapped.hpp"

namespace attn::verify {
namespace {

using Rule = Derivation::Rule;

std::size_t position_of(const Shape& index, const Shape& shape) {
  std::int64_t position = 0;
  for (std::size_t axis = 0; axis < index.size(); ++axis) {
    position = position * shape[axis] + index[axis];
  }
  return static_cast<std::size_t>(position);
}

/// The sum of terms, and the sum of their magnitudes.
struct Total {
  Interval exact;
  double size = 0;

  void add(const Interval& term) {
    exact.low += term.low;
    exact.high += term.high;
    size += term.size();
  }

  /// Adds products of exact numbers.
  void add_products(const double* a, std::int64_t a_step, const double* b, std::int64_t b_step, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      const double product = a[i * a_step] * b[i * b_step];
      exact.low += product;
      size += std::abs(product);
    }
    exact.high = exact.low;
  }

  /// Adds products of finite intervals, each a low with its high after it.
  void add_interval_products(const double* a, std::int64_t a_step, const double* b, std::int64_t b_step,
                             std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      const double* const x = a + i * a_step;
      const double* const y = b + i * b_step;
      const double corners[] = {x[0] * y[0], x[0] * y[1], x[1] * y[0], x[1] * y[1]};
      const double low = std::min(std::min(corners[0], corners[1]), std::min(corners[2], corners[3]));
      const double high = std::max(std::max(corners[0], corners[1]), std::max(corners[2], corners[3]));
      exact.low += low;
      exact.high += high;
      size += std::max(std::abs(low), std::abs(high));
    }
  }
};

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
}

Interval Bounds::cell(const Tensor& tensor, std::int64_t position) {
  return cell(tensor, index_at(position, tensor.shape()));
}

Interval Bounds::cell(const Tensor& tensor, const Shape& index) {
  const auto seen = observed_.find(tensor.id());
  return seen != observed_.end() ? seen->second.observed[position_of(index, tensor.shape())] : derived(tensor, index);
}

Bounds::Cells& Bounds::cells_of(const Tensor& tensor) {
  if (const auto seen = observed_.find(tensor.id()); seen != observed_.end()) {
    return seen->second;
  }
  const auto known = kept_.find(tensor.id());
  if (known != kept_.end()) {
    return known->second;
  }
  const auto count = static_cast<std::size_t>(element_count(tensor.shape()));
  return kept_
      .emplace(tensor.id(),
               Cells{tensor, {}, std::make_unique_for_overwrite<double[]>(2 * count), std::vector<bool>(count)})
      .first->second;
}

Interval Bounds::kept(Cells& cells, std::size_t position) {
  if (!cells.observed.empty()) {
    return cells.observed[position];
  }
  double* const kept = &cells.kept[2 * position];
  if (!cells.are_kept[position]) {
    const Interval cell = derived(cells.tensor, index_at(static_cast<std::int64_t>(position), cells.tensor.shape()));
    cells.are_kept[position] = is_number(cell);
    cells.are_finite = cells.are_finite && std::isfinite(cell.low) && std::isfinite(cell.high);
    cells.are_exact = cells.are_exact && cell.low == cell.high;
    kept[0] = cell.low;
    kept[1] = cell.high;
  }
  return {kept[0], kept[1]};
}

/// Bounds these cells; none if the tensor is observed, or one is not a finite number.
std::optional<Bounds::Run> Bounds::kept_run(Cells& cells, std::int64_t first, std::int64_t step, std::int64_t count) {
  if (!cells.observed.empty()) {
    return std::nullopt;
  }
  if (cells.ready_first != first || cells.ready_step != step || cells.ready_count != count) {
    for (std::int64_t i = 0; i < count && cells.are_finite; ++i) {
      const auto position = static_cast<std::size_t>(first + i * step);
      if (!cells.are_kept[position]) {
        kept(cells, position);
      }
    }
    cells.ready_first = first;
    cells.ready_step = step;
    cells.ready_count = count;
  }
  return cells.are_finite
             ? std::optional(Run{&cells.kept[static_cast<std::size_t>(2 * first)], 2 * step, cells.are_exact})
             : std::nullopt;
}

Interval Bounds::of(const Tensor& tensor, const Element& element) {
  const Tensor& operand = tensor.operands()[element.operand];
  const bool is_copied = operand.operands().empty() || operand.operation().is_view();
  return is_copied ? cell(operand, element.index)
                   : kept(cells_of(operand), position_of(element.index, operand.shape()));
}

std::int64_t Bounds::Steps::place(const Shape& index, std::int64_t term) const {
  return std::inner_product(index.begin(), index.end(), per_axis.begin(), first + term * per_term);
}

/// The places of the terms in a large tensor's sums, found from the derivations of a few of its cells; null if it is
/// not such a sum, or is used too seldom to be worth it.
const Bounds::Sums* Bounds::sums_of(const Tensor& tensor) {
  constexpr int seldom = 8;
  constexpr std::int64_t fewest_cells = 256;
  if (tensor.operands().empty() || tensor.operation().is_view() || element_count(tensor.shape()) < fewest_cells) {
    return nullptr;
  }
  const auto found = sums_.find(tensor.id());
  Sums& sums = found != sums_.end() ? found->second : sums_.emplace(tensor.id(), Sums{tensor}).first->second;
  if (++sums.asked != seldom) {
    return sums.terms > 0 ? &sums : nullptr;
  }
  const Shape& shape = tensor.shape();
  const auto derive = [&](const Shape& index) { return tensor.operation().derive(tensor.operands(), index); };
  const Derivation first = derive(Shape(shape.size(), 0));
  if ((first.rule != Rule::products && first.rule != Rule::sum) || first.terms.size() < 2) {
    return nullptr;
  }
  Shape end = shape;
  std::ranges::for_each(end, [](std::int64_t& size) { --size; });
  const Derivation last = derive(end);
  bool is_regular = last.terms.size() == first.terms.size();
  const auto add = [&](const auto& element) {
    const auto place = [&](const Derivation& derivation, std::size_t term) {
      const Element one = element(derivation, term);
      return static_cast<std::int64_t>(position_of(one.index, tensor.operands()[one.operand].shape()));
    };
    Steps steps{element(first, 0).operand, place(first, 0), place(first, 1) - place(first, 0), {}};
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      Shape next(shape.size(), 0);
      next[axis] = std::min<std::int64_t>(1, end[axis]);
      steps.per_axis.push_back(place(derive(next), 0) - steps.first);
    }
    for (std::size_t term = 0; is_regular && term < last.terms.size(); ++term) {
      is_regular = steps.place(end, static_cast<std::int64_t>(term)) == place(last, term);
    }
    sums.factors.push_back(std::move(steps));
  };
  add([](const Derivation& one, std::size_t term) { return one.terms[term].a; });
  if (first.terms[0].b) {
    add([](const Derivation& one, std::size_t term) { return *one.terms[term].b; });
  }
  if (first.bias) {
    sums.has_bias = true;
    add([](const Derivation& one, std::size_t) { return *one.bias; });
  }
  sums.terms = is_regular ? std::ssize(first.terms) : 0;
  return is_regular ? &sums : nullptr;
}

/// Computes the bound of sum() without a derivation.
Interval Bounds::regular_sum(const Tensor& tensor, const Sums& sums, const Shape& index) {
  struct Operand {
    Cells* cells;
    std::int64_t place;
    std::int64_t step;
  };
  std::vector<Operand> operands;
  for (const Steps& steps : sums.factors) {
    operands.push_back({&cells_of(tensor.operands()[steps.operand]), steps.place(index, 0), steps.per_term});
  }
  const auto number = [&](std::size_t i, std::int64_t term) {
    return kept(*operands[i].cells, static_cast<std::size_t>(operands[i].place + term * operands[i].step));
  };
  const bool are_products = operands.size() > (sums.has_bias ? 2 : 1);
  const auto run = [&](std::size_t i) {
    return are_products ? kept_run(*operands[i].cells, operands[i].place, operands[i].step, sums.terms) : std::nullopt;
  };
  const std::optional<Run> a = run(0);
  const std::optional<Run> b = a ? run(1) : std::nullopt;
  Total total;
  if (a && b && a->are_exact && b->are_exact) {
    total.add_products(a->first, a->step, b->first, b->step, sums.terms);
  } else if (a && b) {
    total.add_interval_products(a->first, a->step, b->first, b->step, sums.terms);
  }
  for (std::int64_t term = 0; term < sums.terms && !(a && b); ++term) {
    total.add(are_products ? times(number(0, term), number(1, term)) : number(0, term));
  }
  if (sums.has_bias) {
    total.add(number(operands.size() - 1, 0));
  }
  cost_ += sums.terms;
  return rounded(total.exact, static_cast<double>(sums.terms) + 1, total.size);
}

Interval Bounds::derived(const Tensor& tensor, const Shape& index) {
  if (const Sums* sums = sums_of(tensor)) {
    return regular_sum(tensor, *sums, index);
  }
  const Derivation derivation = tensor.operation().derive(tensor.operands(), index);
  cost_ += static_cast<std::int64_t>(derivation.terms.size());
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

/// A weight is least when its own score is low and all others are high. A score of -inf has weight 0.
Interval Bounds::softmax(const Tensor& tensor, const Derivation& derivation) {
  std::vector<Interval> scores;
  scores.reserve(derivation.terms.size());
  double most = -std::numeric_limits<double>::infinity();
  double size = 0;
  for (const Derivation::Term& term : derivation.terms) {
    scores.push_back(of(tensor, term.a));
    most = std::max(most, scores.back().high);
  }
  constexpr double vanishes = 104;  // this far below the largest, float32's exponential is 0 despite rounding
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
  // The difference from the largest, the exponential, the sum and the division are each rounded.
  return rounded(weight, static_cast<double>(scores.size()) + 4 + 2 * size, weight.size());
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
