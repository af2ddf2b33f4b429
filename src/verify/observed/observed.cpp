#include "verify/observed/observed.hpp"

#include <iterator>
#include <unordered_set>
#include <variant>

#include "tensor/operations.hpp"
#include "text/lines.hpp"
#include "text/numbers.hpp"

namespace attn::verify {

std::vector<Interval> Observed::cells() const {
  std::vector<Interval> cells;
  for (std::size_t i = 0; i < size(); ++i) {
    cells.push_back(cell(i));
  }
  return cells;
}

std::optional<Observed> shown_of(const Printed& printed) {
  if (is_size(printed) || !is_regular(printed) || printed.cells.empty()) {
    return std::nullopt;
  }
  std::vector<double> values;
  std::vector<double> radii;
  std::vector<bool> are_scientific;
  for (const Cell& cell : printed.cells) {
    values.push_back(cell.value);
    radii.push_back(is_damaged(cell) ? cell.value : radius(cell));
    are_scientific.push_back(cell.unit > 0 && cell.text.find_first_of("eE") != std::string_view::npos);
  }
  Observed observed = {"", printed.shape, printed.is_bool ? "bool" : "", std::move(values), std::move(radii)};
  observed.are_scientific = std::move(are_scientific);
  if (has_gap(printed)) {
    observed.shown_before_gap = printed.shown_before_gap;
    observed.shown_before_gap.resize(printed.shape.size(), -1);
  }
  return observed;
}

bool may_show(const Observed& observed, const Shape& shape) {
  bool fits = observed.rank() == shape.size();
  for (std::size_t axis = 0; fits && axis < shape.size(); ++axis) {
    const bool is_cut = observed.has_gap() && observed.shown_before_gap[axis] >= 0;
    fits = is_cut ? observed.shape[axis] < shape[axis] : observed.shape[axis] == shape[axis];
  }
  return fits;
}

std::int64_t shown_position(const Observed& observed, const Shape& shape, std::int64_t cell) {
  if (!observed.has_gap()) {
    return cell;
  }
  Shape index = index_at(cell, observed.shape);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const std::int64_t before = observed.shown_before_gap[axis];
    index[axis] += before >= 0 && index[axis] >= before ? shape[axis] - observed.shape[axis] : 0;
  }
  return position_of(index, shape);
}

std::vector<double> shown_values(const Observed& observed, const Tensor& tensor) {
  if (!observed.has_gap()) {
    return values_of(tensor);
  }
  std::vector<double> values;
  for (std::int64_t i = 0; i < element_count(observed.shape); ++i) {
    values.push_back(tensor.value(index_at(shown_position(observed, tensor.shape(), i), tensor.shape())));
  }
  return values;
}

std::string written_like(double shown, double unit, bool is_scientific, double value) {
  const double magnitude = is_scientific && shown != 0 ? std::floor(std::log10(std::abs(shown))) : 0;
  const double decimals = unit > 0 ? std::clamp(magnitude - std::round(std::log10(unit)), 0.0, 17.0) : 0;
  const auto notation = is_scientific ? std::chars_format::scientific : std::chars_format::fixed;
  return text::number_text(value, notation, static_cast<int>(decimals));
}

std::vector<double> values_of(const Tensor& tensor) {
  std::vector<double> numbers;
  numbers.reserve(static_cast<std::size_t>(element_count(tensor.shape())));
  tensor.each_part([&](const Array& rows) {
    std::visit([&](const auto& values) { numbers.insert(numbers.end(), values.begin(), values.end()); },
               *rows.contents());
  });
  return numbers;
}

Tensor leaf_of(const Observed& observed, const std::string& name) {
  const auto fill = [shape = observed.shape, values = observed.values]() -> Contents {
    Block<float> numbers(shape);
    std::ranges::transform(values, numbers.data(), [](double value) { return static_cast<float>(value); });
    return numbers;
  };
  const Tensor tensor = leaf(observed.shape, DType::float32, name, fill);
  tensor.set_name(name);
  return tensor;
}

Tensor mask_at(const Shape& shape, const std::vector<bool>& places, const std::string& words) {
  return leaf(shape, DType::boolean, words, [shape, places]() -> Contents {
    Block<bool> mask(shape);
    std::ranges::copy(places, mask.data());
    return mask;
  });
}

namespace {

/// The distance from one float to the next.
double spacing(double value) {
  const auto size = static_cast<float>(std::abs(value));
  return static_cast<double>(std::nextafter(size, HUGE_VALF)) - static_cast<double>(size);
}

/// Digit by digit, as far as floats have them: just below 1.0000e+00 and its like, units are a tenth.
Nearness to_exact(const Observed& observed, std::size_t cell, double right) {
  const double shown = observed.values[cell];
  const double unit = observed.unit(cell);
  const double apart = std::abs(shown - right);
  if (!(unit > 0) || !std::isfinite(right) || !std::isfinite(shown)) {
    const bool are_one =
        shown == right || (std::isnan(shown) && std::isnan(right)) || (std::isfinite(right) && apart <= slack(right));
    return are_one && !std::isnan(unit) ? Nearness::same : Nearness::other;
  }
  const bool is_scientific = observed.is_scientific(cell);
  double units = apart / std::max(unit, spacing(right));
  if (unit >= spacing(right) && units < 15 && (units > 0.49 || is_scientific)) {
    const double rounded = text::number_of<double>(written_like(shown, unit, is_scientific, right)).value_or(right);
    const double digits = std::log10(std::abs(shown));
    const bool starts_decade = is_scientific && std::abs(digits - std::round(digits)) < 1e-9;
    units = std::abs(shown - rounded) / (starts_decade && std::abs(rounded) < std::abs(shown) ? unit / 10 : unit);
  }
  return units < 0.5 ? Nearness::same : units < 1.5 ? Nearness::close : Nearness::other;
}

/// Returns true for neighbours among the numbers with as many digits, which meet between them.
bool are_neighbours(const Interval& a, const Interval& b) {
  constexpr double just = 1 - 1e-6;
  const double coarse = std::max(a.radius(), b.radius());
  const double apart = std::abs(a.middle() - b.middle());
  return std::min(a.radius(), b.radius()) >= coarse / 2 && apart >= coarse * just && apart > slack(a.size());
}

/// What a tensor is made of, down to what is observed.
struct Origin {
  Origin(const Tensor& tensor, const Bounds& bounds);

  /// Returns true if a leaf has nan: its numbers, or some of them, are not known.
  bool has_unknown() const {
    const auto is_known = [](const Tensor& one) {
      return one.every_part([](const Array& rows) {
        return std::visit([](const auto& all) { return std::ranges::all_of(all, [](auto x) { return x == x; }); },
                          *rows.contents());
      });
    };
    return is_observed || !std::ranges::all_of(leaves, is_known);
  }

  std::vector<Tensor> leaves = {};
  bool is_observed = false;  ///< in some part
  bool is_computed = false;  ///< not only moved to other places
  bool is_decided = false;   ///< with truths or whole numbers that are computed: they are never nan
  double terms = 0;          ///< of all sums, about
};

Origin::Origin(const Tensor& tensor, const Bounds& bounds) {
  constexpr auto moves = std::to_array(
      {Kind::index, Kind::slice, Kind::stack, Kind::cat, Kind::repeat, Kind::transpose, Kind::view, Kind::contiguous});
  std::vector<Tensor> all = {tensor};
  std::unordered_set<const void*> seen = {tensor.id()};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Tensor one = all[i];
    if (bounds.is_observed(one) || one.operands().empty()) {
      is_observed = is_observed || bounds.is_observed(one);
      leaves.push_back(one);
      continue;
    }
    const Tensor& first = one.operands()[0];
    terms += static_cast<double>(element_count(one.shape()) * (first.dim() > 0 ? first.size(-1) : 1));
    is_computed = is_computed || std::ranges::find(moves, one.kind()) == moves.end();
    is_decided = is_decided || one.dtype() != DType::float32;
    std::ranges::copy_if(one.operands(), std::back_inserter(all),
                         [&](const Tensor& operand) { return seen.insert(operand.id()).second; });
  }
}

/// Marks as close what float32 may give in another order. Bounds alone do not tell: they grow with each operation, far
/// more than what is lost.
void forgive_noise(Agreement& agreement, const Observed& observed, const Tensor& tensor) {
  Bounds worst;
  std::optional<double> lost;
  for (Wrong& one : agreement.wrong) {
    const double off = std::abs(observed.values[at(one.cell)] - one.right) - observed.unit(at(one.cell)) / 2;
    if (one.is_close || !(observed.unit(at(one.cell)) > 0) || !std::isfinite(one.right)) {
      continue;
    }
    const double most = 2 * worst.cell(tensor, shown_position(observed, tensor.shape(), one.cell)).radius();
    if (!lost && off > most) {
      return;  // it is another tensor
    }
    lost = lost ? *lost : 16 * lost_in(observed, tensor, agreement);
    const double scale = tensor.kind() == Kind::softmax ? one.right : 1;  // small weights lose less
    one.is_close = off <= std::min(most, *lost * scale);
  }
}

/// The largest minus the smallest number, leaving out zeros and infinities; 0 if there are none.
double range_of(std::span<const Interval> cells) {
  Interval all = {HUGE_VAL, -HUGE_VAL};
  for (const Interval& cell : cells) {
    const bool counts = std::isfinite(cell.low) && cell.size() > 0;
    all = counts ? Interval{std::min(all.low, cell.middle()), std::max(all.high, cell.middle())} : all;
  }
  return std::max(0.0, all.high - all.low);
}

/// log10 of the probability that one cell holds if the numbers range over `range`. Whole ones are no finer than 1.
double chance_of_cell(const Interval& shown, const Interval& right, double range) {
  const double least = is_whole(shown) ? 1 : 0;
  const double width = std::max(least, right.high - right.low + shown.high - shown.low + 2 * slack(shown.low));
  const bool may_fail = range + least > 0 && std::isfinite(width);
  return may_fail ? std::log10(std::clamp(width / (range + least), 1e-12, 1.0)) : 0;
}

/// log10 of the probability of zeros at these places, as dropout draws them. Nobody draws zeros that are nearly all on
/// one side of the diagonal of the last two axes.
double chance_of_places(const Observed& mask) {
  const std::int64_t columns = mask.rank() < 2 ? 1 : mask.shape.back();
  const std::int64_t rows = mask.rank() < 2 ? 1 : mask.shape[mask.rank() - 2];
  std::array<double, 3> all = {};  // below, on and above the diagonal
  std::array<double, 3> zero = {};
  for (std::int64_t i = 0; i < std::ssize(mask.values); ++i) {
    const auto side = at(std::clamp<std::int64_t>(i % columns - i / columns % rows, -1, 1) + 1);
    ++all[side];
    zero[side] += mask.values[at(i)] == 0 ? 1 : 0;
  }
  const auto is_empty = [&](std::size_t side) { return all[side] > 0 && zero[side] >= 0.8 * all[side]; };
  const double zeros = zero[0] + zero[1] + zero[2];
  const double others = static_cast<double>(mask.size()) - zeros;
  const bool is_drawn = mask.rank() > 1 && zeros > 0 && others > 0 && !is_empty(0) && !is_empty(2);
  return is_drawn ? zeros * std::log10(zeros / (zeros + others)) + others * std::log10(others / (zeros + others)) : 0;
}

/// log10 of the probability that as many cells hold by chance, whichever of them they are.
double chance_of_holding(const Observed& shown, const Agreement& with) {
  const bool is_mask = is_binary(shown);
  double chance = is_mask ? chance_of_places(shown) : 0;
  const std::vector<Interval> cells = shown.cells();
  const double range = range_of(cells);
  const bool zeros_are_masked = !std::ranges::all_of(cells, is_whole);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool says_nothing = zeros_are_masked && cells[i].size() == 0 && with.right[i].size() < 1e-6;
    if (wrong < with.wrong.size() && at(with.wrong[wrong].cell) == i) {
      chance += std::log10(static_cast<double>(cells.size() - wrong) / static_cast<double>(wrong + 1));
      ++wrong;
    } else if (!says_nothing && !is_mask) {
      chance += chance_of_cell(cells[i], with.right[i], range);
    }
  }
  return chance;
}

}  // namespace

Nearness nearness(const Observed& observed, std::size_t cell, const Interval& right, bool is_copied) {
  if (!(right.low < right.high)) {
    return to_exact(observed, cell, right.low);
  }
  const Interval shown = observed.cell(cell);
  if (meet(shown, right) && (!is_copied || !are_neighbours(shown, right))) {
    return Nearness::same;
  }
  const double unit = observed.unit(cell);
  return unit > 0 && meet({shown.low - unit, shown.high + unit}, right) ? Nearness::close : Nearness::other;
}

double lost_in(const Observed& observed, const Tensor& tensor, const Agreement& with) {
  constexpr std::int64_t most_terms = 4'000'000;
  Bounds unrounded(0);
  double lost = 0;
  for (std::size_t i = 0; i < observed.size() && unrounded.cost() < most_terms; ++i) {
    const std::int64_t place = shown_position(observed, tensor.shape(), static_cast<std::int64_t>(i));
    const double change = std::abs(unrounded.cell(tensor, place).middle() - with.right[i].low);
    lost = std::isfinite(change) ? std::max(lost, change) : lost;
  }
  return lost;
}

void forget_noise(Agreement& with, const Observed& shown, const Tensor& tensor) {
  constexpr double few = 4;
  constexpr double float32 = 1.2e-7;
  constexpr std::size_t most_cells = 4096;
  if (!with.is_exact || with.close() == 0 || shown.size() > most_cells) {
    return;
  }
  const double most = few * lost_in(shown, tensor, with);
  std::erase_if(with.wrong, [&](const Wrong& one) {
    const double off = std::abs(shown.values[at(one.cell)] - one.right) - shown.unit(at(one.cell)) / 2;
    const bool has_more_digits = shown.unit(at(one.cell)) < float32 * std::abs(one.right);
    return one.is_close && (off <= most || has_more_digits);
  });
}

double chance_of(const Observed& shown) {
  Agreement with;
  with.right = shown.cells();
  return chance_of_holding(shown, with);
}

bool is_excluded(double chance, std::size_t tried) {
  return chance + std::log10(static_cast<double>(std::max<std::size_t>(1, tried))) < -6;
}

std::size_t few_of(const Observed& observed) {
  const auto telling =
      std::ranges::count_if(observed.values, [](double value) { return std::isfinite(value) && value != 0; });
  return std::max<std::size_t>(1, static_cast<std::size_t>(telling) * 15 / 100);
}

bool is_binary(const Observed& observed) {
  double other = 0;
  return std::ranges::all_of(observed.values, [&](double value) {
    other = other == 0 ? value : other;
    return value == 0 || value == other;
  });
}

Agreement agree(const Observed& observed, const Tensor& tensor, Bounds& bounds, const AgreeOptions& options) {
  constexpr double most_terms = 4e6;  // that are worth finding out what float32 loses in them
  Agreement result;
  const bool is_bool = tensor.dtype() == DType::boolean;
  const bool is_of_kind = observed.dtype.empty() ? !is_bool : observed.dtype != "bool" || is_bool;
  result.is_comparable = is_of_kind && may_show(observed, tensor.shape());
  if (!result.is_comparable) {
    return result;
  }
  const Origin origin(tensor, bounds);
  result.is_exact = !origin.is_observed;
  const std::vector<double> exact = result.is_exact ? shown_values(observed, tensor) : std::vector<double>();
  const bool is_decided = result.is_exact && origin.is_decided;
  const bool are_numbers = std::ranges::none_of(exact, [](double number) { return std::isnan(number); });
  const bool has_unknown = (!result.is_exact || is_decided || !are_numbers) && origin.has_unknown();
  std::int64_t differing = 0;
  for (std::int64_t i = 0; i < std::ssize(observed.values); ++i) {
    const Interval right = result.is_exact ? Interval{exact[at(i)], exact[at(i)]}
                                           : bounds.cell(tensor, shown_position(observed, tensor.shape(), i));
    const bool is_number = right.low == right.high || std::isfinite(right.high - right.low);
    if (has_unknown && (is_decided || !is_number)) {
      ++result.unknown;
      result.right.push_back(no_number);
      continue;
    }
    result.right.push_back(right);
    const Nearness near = nearness(observed, at(i), right, !origin.is_computed);
    if (near != Nearness::same) {
      result.wrong.push_back({i, right.middle(), near == Nearness::close});
      differing += near == Nearness::other ? 1 : 0;
    }
    if (differing > options.most_differing) {
      result.is_comparable = false;
      return result;
    }
  }
  if (differing > 0 && result.is_exact && origin.is_computed && origin.terms <= most_terms) {
    forgive_noise(result, observed, tensor);
  }
  result.chance = chance_of_holding(observed, result);
  return result;
}

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
