#include "lesson/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace attn::render {

Numbers::Numbers(const Tensor& tensor)
    : contents(tensor.array().contents()),
      shape(tensor.shape()),
      width(shape.empty() ? 1 : shape.back()),
      rows(width == 0 ? 0 : element_count(shape) / width) {}

std::span<const float> Numbers::all() const {
  const auto& values = std::get<Block<float>>(*contents);
  return {values.data(), values.size()};
}

std::span<const float> Numbers::row(std::int64_t i) const {
  return all().subspan(static_cast<std::size_t>(i * width), static_cast<std::size_t>(width));
}

double row_total(std::span<const float> row) { return std::accumulate(row.begin(), row.end(), 0.0); }

double largest_difference(std::span<const float> a, std::span<const float> b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    most = std::isnan(difference) ? INFINITY : std::max(most, difference);
  }
  return most;
}

bool near(double a, double b, double tolerance) {
  return a == b || std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));
}

bool has_weight_rows(const Numbers& numbers) {
  for (std::int64_t i = 0; i < numbers.rows; ++i) {
    const auto row = numbers.row(i);
    const bool holds = std::all_of(row.begin(), row.end(), [](float value) { return value >= 0; });
    if (!holds || !near(row_total(row), 1)) {
      return false;
    }
  }
  return numbers.rows > 0;
}

bool has_squares(const Shape& shape) {
  const std::size_t axes = shape.size();
  return axes >= 2 && shape[axes - 1] == shape[axes - 2] && shape[axes - 1] >= 2;
}

bool is_above_diagonal(const Numbers& numbers, float value) {
  if (!has_squares(numbers.shape)) {
    return false;
  }
  for (std::int64_t i = 0; i < numbers.rows; ++i) {
    const auto above = numbers.row(i).subspan(static_cast<std::size_t>(i % numbers.width) + 1);
    if (!std::all_of(above.begin(), above.end(), [value](float x) { return x == value; })) {
      return false;
    }
  }
  return true;
}

std::string place_text(std::int64_t position, std::span<const std::int64_t> shape) {
  return shape_text(index_at(position, Shape(shape.begin(), shape.end())));
}

std::optional<std::int64_t> only_largest(std::span<const float> values) {
  std::optional<std::size_t> best;
  bool is_only = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) {
      return std::nullopt;
    }
    if (!best || values[i] > values[*best]) {
      best = i;
      is_only = true;
    } else if (values[i] == values[*best]) {
      is_only = false;
    }
  }
  return is_only ? std::optional(static_cast<std::int64_t>(*best)) : std::nullopt;
}

}  // namespace attn::render
