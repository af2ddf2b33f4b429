#include "verify/bound/linear_fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace attn::verify {
namespace {

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += a[i] * b[i];
  }
  return sum;
}

/// Removes the vector's components along the basis and normalises it; returns the length that was left, or 0 if next to
/// nothing was, or less than `least`.
double orthogonalise(Vector& vector, const std::vector<Vector>& basis, double least = 0) {
  const double whole = std::sqrt(dot(vector, vector));
  for (int round = 0; round < 2; ++round) {  // twice, to remove rounding errors
    for (const Vector& other : basis) {
      const double along = dot(vector, other);
      for (std::size_t i = 0; i < vector.size(); ++i) {
        vector[i] -= along * other[i];
      }
    }
  }
  const double left = std::sqrt(dot(vector, vector));
  if (left < std::max(least, 1e-7 * std::max(whole, 1e-30))) {
    return 0;
  }
  for (double& value : vector) {
    value /= left;
  }
  return left;
}

/// What rounding alone may leave of a column that depends on others.
double rounding_length(const std::vector<Interval>& column) {
  constexpr double of_all = 4;  // the others are rounded too
  double squares = 0;
  for (const Interval& cell : column) {
    squares += cell.radius() * cell.radius();
  }
  return of_all * std::sqrt(squares);
}

Vector middles(const std::vector<Interval>& cells) {
  Vector result;
  for (const Interval& cell : cells) {
    result.push_back(cell.middle());
  }
  return result;
}

double spread(const Vector& values) {
  double mean = 0;
  double squares = 0;
  for (const double value : values) {
    mean += value / static_cast<double>(values.size());
  }
  for (const double value : values) {
    squares += (value - mean) * (value - mean) / static_cast<double>(values.size());
  }
  return std::sqrt(squares);
}

/// The amount by which the columns' rounding may move each cell, given the best fit's coefficients.
Vector rounding_of(const std::vector<std::vector<Interval>>& columns, const std::vector<Vector>& basis,
                   const Vector& values) {
  Vector result(values.size());
  bool exact = true;
  for (const auto& column : columns) {
    exact = exact && std::ranges::all_of(column, [](const Interval& cell) { return cell.radius() == 0; });
  }
  if (exact) {
    return result;
  }
  // The coefficients are at most the fitted part divided by the own part of the shortest column.
  Vector fitted(values.size());
  for (const Vector& direction : basis) {
    const double along = dot(values, direction);
    for (std::size_t i = 0; i < fitted.size(); ++i) {
      fitted[i] += along * direction[i];
    }
  }
  for (std::size_t c = columns.size(); c-- > 0;) {
    std::vector<Vector> others;
    for (std::size_t other = 0; other < columns.size(); ++other) {
      if (other != c) {
        Vector direction = middles(columns[other]);
        if (orthogonalise(direction, others) > 0) {
          others.push_back(std::move(direction));
        }
      }
    }
    Vector own = middles(columns[c]);
    const double length = orthogonalise(own, others);
    const double coefficient = length > 0 ? std::abs(dot(fitted, own)) / length : 0;
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i] += coefficient * columns[c][i].radius();
    }
  }
  return result;
}

}  // namespace

std::optional<double> chance_of_linear_fit(const std::vector<std::vector<Interval>>& columns,
                                           const std::vector<Interval>& cells) {
  const Vector values = middles(cells);
  std::vector<Vector> basis;
  std::vector<std::vector<Interval>> independent;
  for (const auto& column : columns) {
    Vector direction = middles(column);
    if (orthogonalise(direction, basis, rounding_length(column)) > 0) {
      basis.push_back(std::move(direction));
      independent.push_back(column);
    }
  }
  const Vector rounding = rounding_of(independent, basis, values);
  const double range = 2 * spread(values);
  const std::size_t free = basis.size();
  double chance = 0;
  for (std::size_t i = 0; i < cells.size() && basis.size() < cells.size(); ++i) {
    Vector direction(cells.size());
    direction[i] = 1;
    if (orthogonalise(direction, basis) < 1e-4) {
      continue;
    }
    double bound = 0;
    for (std::size_t j = 0; j < cells.size(); ++j) {
      bound += std::abs(direction[j]) * (cells[j].radius() + rounding[j] + slack(values[j]));
    }
    if (!(std::abs(dot(values, direction)) <= bound)) {
      return std::nullopt;
    }
    chance += range > 0 ? std::log10(std::min(1.0, 2 * bound / range)) : 0;
    basis.push_back(std::move(direction));
  }
  return basis.size() > free ? std::optional(chance) : std::nullopt;
}

}  // namespace attn::verify
