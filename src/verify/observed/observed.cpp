#include "verify/observed/observed.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>
#include <variant>

#include "tensor/operations.hpp"
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

}  // namespace attn::verify
