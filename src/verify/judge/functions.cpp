#include "verify/judge/functions.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <utility>

namespace attn::port {
namespace {

bool is_near(double theirs, double made) {
  return theirs == made || std::abs(theirs - made) <= 1e-5 * (1e-2 + std::abs(made));
}

struct Function {
  const char* name;
  const char* words;
  double (*of)(double);
};
constexpr double root_of_2 = 1.4142135623730951;
const Function functions[] = {
    {"relu", "every negative number is 0: a relu", [](double x) { return std::max(x, 0.0); }},
    {"leaky-relu", "a leaky relu: every negative number is multiplied by 0.01",
     [](double x) { return x < 0 ? 0.01 * x : x; }},
    {"tanh", "tanh is applied to the right numbers", [](double x) { return std::tanh(x); }},
    {"gelu", "GELU is applied to the right numbers", [](double x) { return x * std::erfc(-x / root_of_2) / 2; }},
    {"gelu", "GELU, by its tanh formula, is applied to the right numbers",
     [](double x) { return x / 2 * (1 + std::tanh(std::sqrt(2 / 3.141592653589793) * (x + 0.044715 * x * x * x))); }},
    {"silu", "SiLU is applied to the right numbers", [](double x) { return x / (1 + std::exp(-x)); }},
    {"sigmoid", "a sigmoid is applied to the right numbers", [](double x) { return 1 / (1 + std::exp(-x)); }},
    {"exp", "exp is applied to the right numbers", [](double x) { return std::exp(x); }},
    {"log", "log is applied to the right numbers", [](double x) { return std::log(x); }},
    {"square", "the right numbers are squared", [](double x) { return x * x; }},
    {"cube", "the right numbers are cubed", [](double x) { return x * x * x; }},
    {"root", "these are the square roots of the right numbers", [](double x) { return std::sqrt(x); }},
    {"absolute", "the signs are missing: these are absolute values", [](double x) { return std::abs(x); }},
};

/// Returns true if theirs are the right numbers with each line along an axis made into another.
bool is_along(const Beside& beside, std::size_t axis, const Shape& shape, void (*change)(std::vector<double>& line)) {
  const auto count = static_cast<std::size_t>(shape[axis]);
  const auto stride = static_cast<std::size_t>(row_major_strides(shape)[axis]);
  std::vector<double> line(count);
  for (std::size_t first = 0; first < beside.right.size(); ++first) {
    if (first / stride % count != 0) {
      continue;
    }
    for (std::size_t i = 0; i < count; ++i) {
      line[i] = beside.right[first + i * stride];
    }
    change(line);
    for (std::size_t i = 0; i < count; ++i) {
      if (!is_near(beside.theirs[first + i * stride], line[i])) {
        return false;
      }
    }
  }
  return true;
}

void divide(std::vector<double>& line, double divisor) {
  std::ranges::for_each(line, [divisor](double& value) { value /= divisor; });
}

double length_of(const std::vector<double>& line) {
  return std::sqrt(std::inner_product(line.begin(), line.end(), line.begin(), 0.0));
}

struct Reduction {
  const char* name;
  const char* words;  ///< after the axis's word
  void (*change)(std::vector<double>& line);
};
const Reduction reductions[] = {
    {"running-sum", " is added to those before it: the sum is not reset to 0",
     [](std::vector<double>& line) { std::partial_sum(line.begin(), line.end(), line.begin()); }},
    {"sum", " is the sum of all",
     [](std::vector<double>& line) { std::ranges::fill(line, std::accumulate(line.begin(), line.end(), 0.0)); }},
    {"mean", " is the mean of all",
     [](std::vector<double>& line) {
       std::ranges::fill(line, std::accumulate(line.begin(), line.end(), 0.0) / static_cast<double>(line.size()));
     }},
    {"divided-by-sum", " is divided by the sum of all",
     [](std::vector<double>& line) { divide(line, std::accumulate(line.begin(), line.end(), 0.0)); }},
    {"divided-by-length", " is divided by the root of the sum of squares",
     [](std::vector<double>& line) { divide(line, length_of(line)); }},
    {"rms-norm", " is divided by the root of the mean square: an RMS norm",
     [](std::vector<double>& line) { divide(line, length_of(line) / std::sqrt(static_cast<double>(line.size()))); }},
    {"layer-norm", " has the mean of all taken off and is divided by their deviation: a LayerNorm",
     [](std::vector<double>& line) {
       const auto size = static_cast<double>(line.size());
       const double mean = std::accumulate(line.begin(), line.end(), 0.0) / size;
       std::ranges::for_each(line, [mean](double& value) { value -= mean; });
       constexpr double epsilon = 1e-5;  // nn.LayerNorm's
       divide(line, std::sqrt(length_of(line) * length_of(line) / size + epsilon));
     }},
};

std::vector<Cause> reduced(const Beside& beside, const Shape& shape, const std::vector<std::string>& words) {
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    for (const Reduction& one : reductions) {
      if (shape[axis] > 1 && is_along(beside, axis, shape, one.change)) {
        return {{{std::string(one.name) + "-of-" + words[axis] + "s"}, "each " + words[axis] + one.words, ""}};
      }
    }
  }
  return {};
}

/// The pairs of columns that rotary positions turn: i and i + half, or 2i and 2i + 1.
constexpr bool are_halves[] = {true, false};

/// Returns true if each vector of a token is turned pair by pair, by its place times an angle for each pair, 1 /
/// 10000^(i / half).
bool is_rotated(const Beside& beside, const Shape& shape, std::size_t token_axis, bool is_by_halves) {
  const std::span<const double> right = beside.right;
  const auto width = static_cast<std::size_t>(shape.back());
  const auto stride = static_cast<std::size_t>(row_major_strides(shape)[token_axis]);
  const std::size_t half = width / 2;
  for (std::size_t row = 0; row < right.size(); row += width) {
    const auto token = static_cast<double>(row / stride % static_cast<std::size_t>(shape[token_axis]));
    for (std::size_t i = 0; i < half; ++i) {
      const double angle = token / std::pow(10000.0, static_cast<double>(i) / static_cast<double>(half));
      const std::size_t a = row + (is_by_halves ? i : 2 * i);
      const std::size_t b = row + (is_by_halves ? i + half : 2 * i + 1);
      if (!is_near(beside.theirs[a], right[a] * std::cos(angle) - right[b] * std::sin(angle)) ||
          !is_near(beside.theirs[b], right[a] * std::sin(angle) + right[b] * std::cos(angle))) {
        return false;
      }
    }
    if (width % 2 == 1 && !is_near(beside.theirs[row + width - 1], right[row + width - 1])) {
      return false;
    }
  }
  return true;
}

/// Rotary positions, in vectors [.., tokens, .., width]; of joined heads in each.
std::vector<Cause> rotary(const Beside& beside, std::int64_t heads) {
  Shape shape = beside.shape;
  const std::size_t token_axis = shape.size() < 2 ? 0 : shape.size() - 2;
  if (shape.size() < 2 || shape.back() < 2) {
    return {};
  }
  if (shape.size() == 3 && heads > 1 && shape[2] % heads == 0) {
    shape = {shape[0], shape[1], heads, shape[2] / heads};
  }
  for (const bool is_by_halves : are_halves) {
    if (is_rotated(beside, shape, token_axis, is_by_halves)) {
      return {{{"rotated"},
               std::string("each vector is rotated by its token's place: RoPE, in ") +
                   (is_by_halves ? "halves" : "pairs of neighbours"),
               ""}};
    }
  }
  return {};
}

/// Every row differs by the same vector.
std::vector<Cause> shifted(const Beside& beside) {
  const auto width = static_cast<std::size_t>(beside.shape.back());
  if (beside.right.size() < 3 * width) {
    return {};
  }
  double most = 0;
  for (std::size_t i = 0; i < width; ++i) {
    most = std::max(most, std::abs(beside.theirs[i] - beside.right[i]));
  }
  bool is_it = std::isfinite(most) && most > 1e-3;
  for (std::size_t i = 0; i < beside.right.size() && is_it; ++i) {
    const double off = beside.theirs[i] - beside.right[i];
    is_it = std::abs(off - (beside.theirs[i % width] - beside.right[i % width])) <= 1e-3 * most;
  }
  return is_it
             ? std::vector<Cause>{{{"vector-added"},
                                   "every row is off by the same vector: a bias that is another's, too much or missing",
                                   ""}}
             : std::vector<Cause>{};
}

}  // namespace

std::vector<std::string> axis_words(std::size_t dim) {
  const std::vector<std::string> words{"entry of the batch", "head", "token", "column"};
  return dim >= 4   ? words
         : dim == 3 ? std::vector<std::string>{words[0], words[2], words[3]}
         : dim == 2 ? std::vector<std::string>{"row", words[3]}
                    : std::vector<std::string>{words[3]};
}

std::optional<Gathered> gathered(const Laid& theirs, const Shape& shape, const std::vector<double>& right) {
  std::vector<std::set<std::int64_t>> places(shape.size());
  Gathered result;
  for (const std::int64_t cell : theirs.cells) {
    const Shape index = index_at(cell, shape);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      places[axis].insert(index[axis]);
    }
    result.theirs.push_back(theirs.values[static_cast<std::size_t>(cell)]);
    result.right.push_back(right[static_cast<std::size_t>(cell)]);
  }
  std::ranges::transform(places, std::back_inserter(result.shape),
                         [](const std::set<std::int64_t>& axis) { return std::ssize(axis); });
  return element_count(result.shape) == std::ssize(result.right) ? std::optional(std::move(result)) : std::nullopt;
}

std::vector<Cause> functions_of(const Beside& beside, std::int64_t heads) {
  for (const Function& function : functions) {
    if (std::ranges::equal(beside.theirs, beside.right, is_near, {}, function.of)) {
      return {{{function.name}, function.words, ""}};
    }
  }
  if (auto causes = reduced(beside, beside.shape, axis_words(beside.shape.size())); !causes.empty()) {
    return causes;
  }
  const Shape& shape = beside.shape;
  if (heads > 1 && shape.size() == 3 && shape[2] % heads == 0 && shape[2] > heads) {
    if (auto causes = reduced(beside, {shape[0], shape[1], heads, shape[2] / heads},
                              {"entry of the batch", "token", "head", "column"});
        !causes.empty()) {
      return causes;
    }
  }
  if (auto causes = rotary(beside, heads); !causes.empty()) {
    return causes;
  }
  return shifted(beside);
}

}  // namespace attn::port
