#include "verify/port/meanings.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "tensor/operations.hpp"

namespace attn::verify {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double least_hiding = 1e3;  ///< what is below its negative hides a score

/// A mask as it is, True for False, what is added to scores, or what weights are multiplied with.
std::vector<Meaning> mask_meanings(const Tensor& tensor, const SharedNumbers& theirs) {
  std::vector<Meaning> meanings{{theirs, ""}};
  const auto add = [&](const std::string& words, const auto& meaning) {
    std::vector<double> values = theirs;
    std::ranges::transform(theirs, values.begin(), [&](double value) { return meaning(value) ? 1.0 : 0.0; });
    meanings.push_back({std::move(values), words});
  };
  const bool shows = tensor.kind() == Kind::bernoulli || tensor.dtype() != DType::boolean;  // where it is True
  if (std::ranges::all_of(theirs, is_truth)) {
    add(shows ? "True for what is dropped" : "True for what is seen", [](double value) { return value == 0; });
    return meanings;
  }
  const auto hides = [](double value) { return value < -least_hiding; };
  if (std::ranges::all_of(theirs, [&](double value) { return value == 0 || hides(value); })) {
    meanings.clear();
    add("0 for what is seen", [&](double value) { return hides(value) != shows; });
  }
  const double largest = *std::ranges::max_element(theirs);
  if (largest > 1 && std::ranges::all_of(theirs, [largest](double value) { return value == 0 || value == largest; })) {
    add("with dropout's factor", [](double value) { return value != 0; });
  }
  return meanings;
}

/// Hidden scores with whatever large negative number hides them: one whose weight is exactly 0. `cells` says where they
/// belong.
std::optional<Meaning> hidden_meaning(const Target& target, const std::vector<double>& theirs,
                                      const std::vector<std::int64_t>& cells) {
  constexpr double vanishing = 110;   // exp(-110) is 0 in float32
  constexpr double no_scores = -1e8;  // below which nothing is a score
  const Tensor& tensor = target.tensor;
  const auto width = static_cast<std::size_t>(tensor.size(-1));
  const bool is_scaled_later = tensor.kind() == Kind::masked && tensor.operands()[0].kind() != Kind::scaled;
  const double divisor =
      is_scaled_later ? std::max(1.0, std::sqrt(static_cast<double>(std::max<std::size_t>(width, 64)))) : 1.0;
  std::vector<double> most(target.right.size() / width, -infinity);  // of each row
  const auto row = [&](std::size_t i) { return (cells.empty() ? i : static_cast<std::size_t>(cells[i])) / width; };
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    most[row(i)] = std::max(most[row(i)], theirs[i]);
  }
  std::vector<double> values;
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    const double largest = most[row(i)];
    const bool is_far_below =
        theirs[i] < -least_hiding && (largest - theirs[i]) / divisor > vanishing && largest > -least_hiding;
    if (std::isfinite(theirs[i]) && (is_far_below || theirs[i] < no_scores)) {
      if (values.empty()) {
        values = theirs;
      }
      values[i] = -infinity;
    }
  }
  return values.empty() ? std::nullopt : std::optional(Meaning{std::move(values), "a large negative number for -inf"});
}

}  // namespace

std::vector<Meaning> meanings_of(const Target& target, const SharedNumbers& theirs,
                                 const std::vector<std::int64_t>& cells) {
  const Tensor& tensor = target.tensor;
  const bool is_mask =
      theirs.size() > 1 && (tensor.dtype() == DType::boolean ||
                            (tensor.operation().facts().is_by_tokens && std::ranges::all_of(target.right, is_truth)));
  if (is_mask) {
    return mask_meanings(tensor, theirs);
  }
  std::vector<Meaning> meanings;
  meanings.push_back({theirs, ""});
  const bool is_hidden = tensor.dim() >= 2 &&
                         std::ranges::any_of(theirs, [](double value) { return value < -least_hiding; }) &&
                         std::ranges::any_of(target.right, [](double value) { return value == -infinity; });
  if (is_hidden) {
    if (auto hidden = hidden_meaning(target, theirs, cells)) {
      meanings.insert(meanings.begin(), *std::move(hidden));
    }
  }
  return meanings;
}

}  // namespace attn::verify
