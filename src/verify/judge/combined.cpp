#include "verify/judge/combined.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "text/numbers.hpp"
#include "verify/propose/axes.hpp"

namespace attn::verify {
namespace {

bool is_near(double theirs, double made, double size) {
  return theirs == made || (std::isfinite(size) && std::abs(theirs - made) <= 1e-5 * (1e-2 + size));
}

/// What the other numbers are times in what is added to the right ones; none if nothing is.
std::optional<double> multiple_of(const Laid& theirs, const std::vector<double>& right,
                                  const std::vector<double>& other) {
  const std::size_t largest = static_cast<std::size_t>(
      std::ranges::max_element(other, {}, [](double value) { return std::abs(value); }) - other.begin());
  const double times = (theirs.values[largest] - right[largest]) / other[largest];
  bool is_it = std::isfinite(times) && times != 0;
  for (std::size_t i = 0; i < right.size() && is_it; ++i) {
    is_it = is_near(theirs.values[i], right[i] + times * other[i], std::abs(right[i]) + std::abs(times * other[i]));
  }
  return is_it ? std::optional(times) : std::nullopt;
}

bool are_products(const Laid& theirs, const std::vector<double>& right, const std::vector<double>& other) {
  for (std::size_t i = 0; i < right.size(); ++i) {
    if (!is_near(theirs.values[i], right[i] * other[i], std::abs(right[i] * other[i]))) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::optional<Cause> combined_with(const Laid& theirs, const Tensor& step, const std::vector<double>& right,
                                   std::span<const Step> steps, Right& judge) {
  constexpr std::size_t fewest = 6;  // numbers that are no chance
  // Scores, scaled scores and weights are made of each other.
  if (!theirs.cells.empty() || right.size() < fewest || step.dtype() != DType::float32 || is_token_by_token(step)) {
    return std::nullopt;
  }
  for (const Step& other : steps) {
    const Tensor& tensor = *other.tensor;
    if (tensor.id() == step.id() || tensor.shape() != step.shape() || tensor.dtype() != step.dtype()) {
      continue;
    }
    const std::vector<double>& numbers = judge.values(tensor);
    if (const auto times = multiple_of(theirs, right, numbers)) {
      const std::string factor = text::shortest_text(static_cast<float>(std::round(std::abs(*times) * 1e4) / 1e4));
      return Cause{{"step-added"},
                   (factor == "1" ? "" : factor + " times ") + full_name(other) +
                       (*times > 0 ? " is added to the right numbers" : " is subtracted from the right numbers"),
                   ""};
    }
    if (are_products(theirs, right, numbers)) {
      return Cause{{"step-multiplied"}, "the right numbers are multiplied by " + full_name(other), ""};
    }
  }
  return std::nullopt;
}

}  // namespace attn::verify
