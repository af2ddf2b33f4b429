#include "verify/bound/observed.hpp"

#include <algorithm>
#include <memory>
#include <variant>

#include "tensor/operations.hpp"

namespace attn::verify {

std::vector<double> values_of(const Tensor& tensor) {
  std::vector<double> numbers;
  numbers.reserve(static_cast<std::size_t>(element_count(tensor.shape())));
  tensor.each_part([&](const Array& rows) {
    std::visit([&](const auto& values) { numbers.insert(numbers.end(), values.begin(), values.end()); },
               *rows.contents());
  });
  return numbers;
}

Interval interval_of(const Cell& cell) {
  const double half = radius(cell);
  return {cell.value - half, cell.value + half};
}

std::optional<Observed> observed_of(const Printed& printed) {
  if (is_size(printed) || printed.ragged || has_gap(printed) || !is_regular(printed) || printed.cells.empty()) {
    return std::nullopt;
  }
  Observed observed{printed.shape, {}};
  observed.cells.reserve(printed.cells.size());
  for (const Cell& cell : printed.cells) {
    observed.cells.push_back(interval_of(cell));
  }
  return observed;
}

Tensor leaf_of(const Observed& observed, const std::string& name) {
  const auto fill = [shared = std::make_shared<const Observed>(observed)]() -> Contents {
    Block<float> numbers(shared->shape);
    std::ranges::transform(shared->cells, numbers.data(),
                           [](const Interval& cell) { return static_cast<float>(cell.middle()); });
    return numbers;
  };
  const Tensor tensor = leaf(observed.shape, DType::float32, name, fill);
  tensor.set_name(name);
  return tensor;
}

Observed item_of(const Observed& x, std::int64_t i) {
  Shape shape(x.shape.begin() + 1, x.shape.end());
  const std::int64_t count = element_count(shape);
  return {std::move(shape), {x.cells.begin() + i * count, x.cells.begin() + (i + 1) * count}};
}

}  // namespace attn::verify
