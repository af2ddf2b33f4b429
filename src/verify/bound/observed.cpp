#include "verify/bound/observed.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "tensor/operations.hpp"

namespace attn::verify {

std::vector<Interval> Observed::cells() const {
  std::vector<Interval> cells;
  cells.reserve(size());
  for (std::size_t i = 0; i < size(); ++i) {
    cells.push_back(cell(i));
  }
  return cells;
}

std::optional<Observed> observed_of(const Printed& printed) {
  if (is_size(printed) || printed.ragged || has_gap(printed) || !is_regular(printed) || printed.cells.empty()) {
    return std::nullopt;
  }
  Observed observed = in_a_row(printed);
  observed.shape = printed.shape;
  return observed;
}

Observed in_a_row(const Printed& printed) {
  std::vector<double> values;
  std::vector<double> radii;
  for (const Cell& cell : printed.cells) {
    values.push_back(cell.value);
    radii.push_back(radius(cell));
  }
  return {"", {static_cast<std::int64_t>(values.size())}, "", std::move(values), std::move(radii)};
}

Observed observed_of(files::Dumped dumped) {
  return {std::move(dumped.name), std::move(dumped.shape), std::move(dumped.dtype), std::move(dumped.values)};
}

Observed exactly(Shape shape, SharedNumbers values) { return {"", std::move(shape), "", std::move(values)}; }

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

Observed item_of(const Observed& x, std::int64_t i) {
  Shape shape(x.shape.begin() + 1, x.shape.end());
  const std::int64_t count = element_count(shape);
  const auto part = [&](const SharedNumbers& all) {
    return all.empty() ? SharedNumbers()
                       : SharedNumbers(std::vector<double>(all.begin() + i * count, all.begin() + (i + 1) * count));
  };
  return {"", std::move(shape), "", part(x.values), part(x.radii)};
}

}  // namespace attn::verify
