#include "verify/observed/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "text/lines.hpp"
#include "verify/observed/observed.hpp"

namespace attn::verify {
namespace {

Interval exactly(double number) { return {number, number}; }

class Mapped final : public Operation {
 public:
  Mapped(Shape shape, Mapping mapping) : shape_(std::move(shape)), mapping_(std::move(mapping)) {}

  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    Block<float> result(shape_);
    std::vector<double> values;
    for (std::size_t i = 0; i < result.size(); ++i) {
      const Shape index = index_at(static_cast<std::int64_t>(i), shape_);
      values.clear();
      for (const Element& element : mapping_.elements(index)) {
        values.push_back(operands[element.operand].value(element.index));
      }
      result[i] = static_cast<float>(mapping_.number(values, index));
    }
    return Array(std::move(result));
  }
  Derivation derive(const std::vector<Tensor>&, const Shape& index) const override {
    Derivation derivation(Derivation::Rule::given);
    for (Element& element : mapping_.elements(index)) {
      derivation.add(std::move(element));
    }
    return derivation;
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return "?(" + text::joined(operands, ", ") + ")";
  }
  Facts facts() const override { return {.kind = Kind::given}; }
  std::string autograd_name(const std::vector<Tensor>&) const override { return ""; }

  double number(std::span<const double> elements, const Shape& index) const { return mapping_.number(elements, index); }

 private:
  Shape shape_;
  Mapping mapping_;
};

}  // namespace

Tensor mapped(std::vector<Tensor> operands, const Shape& shape, Mapping mapping) {
  return Tensor(std::make_shared<Mapped>(shape, std::move(mapping)), std::move(operands), shape);
}

/// A result rounded `steps` times by the arithmetic, each time relative to at most this magnitude. Whole numbers are
/// exact as far as the arithmetic has digits for them.
Interval Bounds::rounded(const Interval& exact, double steps, double size) const {
  if (is_whole(exact) && size * roundoff_ <= 1) {
    return exact;
  }
  const double error = std::isfinite(size) ? steps * roundoff_ * size : 0;
  return {exact.low - error, exact.high + error};
}

Interval Bounds::cell(const Tensor& tensor, std::int64_t position) {
  if (const auto seen = observed_.find(tensor.id()); seen != observed_.end()) {
    return seen->second.second[at(position)];
  }
  if (tensor.operands().empty() || tensor.operation().is_view()) {
    return derived(tensor, index_at(position, tensor.shape()));
  }
  const auto known = kept_.find(tensor.id());
  if (known != kept_.end() && known->second.second.contains(position)) {
    return known->second.second.at(position);
  }
  const Interval bound = derived(tensor, index_at(position, tensor.shape()));
  kept_.try_emplace(tensor.id(), tensor, std::unordered_map<std::int64_t, Interval>{})
      .first->second.second.emplace(position, bound);
  return bound;
}

Interval Bounds::cell(const Tensor& tensor, const Element& element) {
  const Tensor& operand = tensor.operands()[element.operand];
  return cell(operand, position_of(element.index, operand.shape()));
}

Interval Bounds::derived(const Tensor& tensor, const Shape& index) {
  using Rule = Derivation::Rule;
  const Derivation derivation = tensor.operation().derive(tensor.operands(), index);
  cost_ += static_cast<std::int64_t>(derivation.terms.size());
  const double c = derivation.constant;
  const auto a = [&] { return cell(tensor, derivation.terms[0].a); };
  const auto b = [&] { return derivation.terms[0].b ? cell(tensor, *derivation.terms[0].b) : exactly(c); };
  const auto near = [&](const Interval& exact, double steps = 1) { return rounded(exact, steps, exact.size()); };
  switch (derivation.rule) {
    case Rule::given: {
      const double value = tensor.operands().empty() ? tensor.value(index) : 0;
      return tensor.operands().empty() ? Interval{value, value} : mapped(tensor, derivation, index);
    }
    case Rule::copy: return a();
    case Rule::products:
    case Rule::sum: return sum(tensor, derivation);
    case Rule::product: return near(times(a(), b()));
    case Rule::quotient: return near(over(a(), b()));
    case Rule::difference: {
      const Interval less = b();
      return near({a().low - less.high, a().high - less.low});
    }
    case Rule::maximum: {
      Interval largest = a();
      for (const Derivation::Term& term : derivation.terms) {
        const Interval one = cell(tensor, term.a);
        largest = {std::max(largest.low, one.low), std::max(largest.high, one.high)};
      }
      return largest;
    }
    case Rule::exponential: return near({std::exp(a().low), std::exp(a().high)}, 2);
    case Rule::root: return near({std::sqrt(a().low), std::sqrt(a().high)});
    case Rule::inverse_root: return near({1 / std::sqrt(a().high), 1 / std::sqrt(a().low)}, 2);
    case Rule::raised: return near({a().low + c, a().high + c});
    case Rule::mean: return near(over(sum(tensor, derivation), exactly(static_cast<double>(derivation.terms.size()))));
    case Rule::variance: return variance(tensor, derivation);
    case Rule::inverse_deviation: {
      const Interval spread = variance(tensor, derivation);
      return near({1 / std::sqrt(spread.high + c), 1 / std::sqrt(spread.low + c)}, 3);
    }
    case Rule::softmax: return softmax(tensor, derivation);
    case Rule::masked: return exactly(c);
    case Rule::kept: return c == 1 ? a() : near(times(a(), exactly(c)));
    case Rule::dropped: return {};
    default: return no_number;
  }
}

/// What all elements at their ends give, which bounds what rises or falls with all of them; and by how much each of
/// them alone changes the result, which bounds smooth functions as far as the elements are narrow. Functions round a
/// few times, relative to their arguments and results.
Interval Bounds::mapped(const Tensor& tensor, const Derivation& derivation, const Shape& index) {
  constexpr std::size_t most_varied = 512;
  const auto& mapping = dynamic_cast<const Mapped&>(tensor.operation());
  std::vector<double> numbers, least, most;
  double size = 0;
  for (const Derivation::Term& term : derivation.terms) {
    const Interval one = cell(tensor, term.a);
    numbers.push_back(one.middle());
    least.push_back(one.low);
    most.push_back(one.high);
    size = numbers.size() > 1 ? std::max(size, one.size()) : 0;
  }
  const double middle = mapping.number(numbers, index);
  Interval result = {middle, middle};
  if (least != most && numbers.size() > most_varied) {
    return {-HUGE_VAL, HUGE_VAL};
  }
  for (std::size_t i = 0; i < numbers.size() && least != most; ++i) {
    const double own = std::exchange(numbers[i], least[i]);
    const double low = mapping.number(numbers, index);
    numbers[i] = most[i];
    const double high = mapping.number(numbers, index);
    numbers[i] = own;
    result.low += std::min({low, high, middle}) - middle;
    result.high += std::max({low, high, middle}) - middle;
  }
  result = hull(mapping.number(least, index), mapping.number(most, index), result.low, result.high);
  return rounded(result, static_cast<double>(numbers.size()) + 3, std::max(size, result.size()));
}

/// A sum of n terms is rounded n times and each product once, relative to at most the sum of all magnitudes.
Interval Bounds::sum(const Tensor& tensor, const Derivation& derivation) {
  Interval total = derivation.bias ? cell(tensor, *derivation.bias) : Interval{};
  double size = total.size();
  for (const Derivation::Term& term : derivation.terms) {
    const Interval a = cell(tensor, term.a);
    const Interval one = term.b ? times(a, cell(tensor, *term.b)) : a;
    total = {total.low + one.low, total.high + one.high};
    size += one.size();
  }
  return rounded(total, static_cast<double>(derivation.terms.size()) + 1, size);
}

/// The mean of the squared distances from the mean, each at most the sum of both bounds.
Interval Bounds::variance(const Tensor& tensor, const Derivation& derivation) {
  const auto count = static_cast<double>(derivation.terms.size());
  const Interval mean = over(sum(tensor, derivation), exactly(count));
  Interval total;
  double largest = 0;
  for (const Derivation::Term& term : derivation.terms) {
    const Interval one = cell(tensor, term.a);
    const Interval off = {one.low - mean.high, one.high - mean.low};
    const double least = std::max({0.0, off.low, -off.high});
    total = {total.low + least * least, total.high + off.size() * off.size()};
    largest = std::max(largest, one.size() * one.size());
  }
  const Interval result = rounded(over(total, exactly(count)), count + 4, largest);
  return {std::max(0.0, result.low), result.high};
}

/// A weight is least when its own score is low and all others are high. A score of -inf has weight 0.
Interval Bounds::softmax(const Tensor& tensor, const Derivation& derivation) {
  constexpr double vanishes = 104;  // this far below the largest, float32's exponential is 0 despite rounding
  std::vector<Interval> scores;
  double most = -HUGE_VAL;
  for (const Derivation::Term& term : derivation.terms) {
    scores.push_back(cell(tensor, term.a));
    most = std::max(most, scores.back().high);
  }
  Interval own;
  Interval others;
  double size = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const auto [low, high] = scores[i];
    size = high > most - vanishes && std::isfinite(low) ? std::max(size, scores[i].size()) : size;
    Interval& to = i == derivation.position ? own : others;
    to = {to.low + std::exp(low - most), to.high + std::exp(high - most)};
  }
  const Interval weight = {own.low > 0 ? own.low / (own.low + others.high) : own.low,
                           own.high > 0 ? own.high / (own.high + others.low) : own.high};
  // The difference from the largest, the exponential, the sum and the division are each rounded.
  return rounded(weight, static_cast<double>(scores.size()) + 4 + 2 * size, weight.size());
}

}  // namespace attn::verify
