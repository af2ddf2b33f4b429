#include "lesson/explain.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lesson/numbers.hpp"
#include "tensor/operations.hpp"
#include "text/lines.hpp"
#include "text/numbers.hpp"
#include "torch/torch.hpp"

namespace attn::render {
namespace {

/// The largest number of elements in a tensor whose variance is told.
constexpr std::int64_t most_compared = 1'000'000;

/// The seed of the examples in every lesson.
constexpr torch::Seed example_seed = 123;

/// "0.250": the value with `digits` decimals.
std::string fixed_text(double value, int digits) { return text::number_text(value, std::chars_format::fixed, digits); }

std::string significant(double value) { return text::number_text(value, std::chars_format::general, 3); }

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The variance as torch.var computes it: squared distances from the mean, divided by n - 1.
double variance(const std::vector<double>& values) {
  const double middle = mean(values);
  double sum = 0;
  for (const double value : values) {
    sum += (value - middle) * (value - middle);
  }
  return sum / static_cast<double>(values.size() - 1);
}

std::vector<double> finite(const Tensor& tensor) {
  const Numbers numbers(tensor);
  std::vector<double> values;
  for (const float value : numbers.all()) {
    if (std::isfinite(value)) {
      values.push_back(static_cast<double>(value));
    }
  }
  return values;
}

std::vector<double> softmax(std::span<const double> scores) {
  const double most = *std::max_element(scores.begin(), scores.end());
  std::vector<double> weights;
  for (const double score : scores) {
    weights.push_back(std::exp(score - most));
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::transform(weights.begin(), weights.end(), weights.begin(), [sum](double weight) { return weight / sum; });
  return weights;
}

// ---- Scaling ---------------------------------------------------------------------------------------

constexpr std::int64_t groups = 125;
constexpr std::int64_t group = 8;

/// Dot products of torch.randn(125, d) and torch.randn(125, 8, d), after torch.manual_seed(123): [125 * 8].
std::vector<double> random_scores(std::int64_t d) {
  torch::Torch torch({}, {}, torch::Torch::Mode::compute);
  torch.manual_seed(example_seed);
  const Numbers queries(torch.randn({groups, d}));
  const Numbers keys(torch.randn({groups, group, d}));
  std::vector<double> scores;
  for (std::int64_t i = 0; i < groups * group; ++i) {
    const auto query = queries.row(i / group);
    scores.push_back(std::inner_product(query.begin(), query.end(), keys.row(i).begin(), 0.0));
  }
  return scores;
}

/// The average over groups of the largest weight, with all scores divided by `divisor`.
double mean_largest_weight(std::vector<double> scores, double divisor) {
  for (double& score : scores) {
    score /= divisor;
  }
  std::vector<double> largest;
  for (std::int64_t i = 0; i < groups; ++i) {
    const std::vector<double> weights =
        softmax(std::span<const double>(scores).subspan(static_cast<std::size_t>(i * group), group));
    largest.push_back(*std::max_element(weights.begin(), weights.end()));
  }
  return mean(largest);
}

/// The same in every lesson, so computed once.
const Reason& growing_variance() {
  static const Reason reason = [] {
    Reason made = {
        "If each of the d products in a dot product has variance 1, their sum has variance d, and softmax puts almost "
        "all weight on one token. Divided by sqrt(d), the variance is 1 for every d. 1000 dot products of normal "
        "numbers, in groups of 8:",
        {{"d", "variance", "/ sqrt(d)", "largest of 8 weights", "/ sqrt(d)"}}};
    for (const std::int64_t d : {4, 16, 64, 256}) {
      const std::vector<double> scores = random_scores(d);
      const double root = std::sqrt(static_cast<double>(d));
      std::vector<double> scaled = scores;
      std::transform(scaled.begin(), scaled.end(), scaled.begin(), [root](double score) { return score / root; });
      made.table.push_back({std::to_string(d), fixed_text(variance(scores), 1), fixed_text(variance(scaled), 2),
                            fixed_text(mean_largest_weight(scores, 1), 2),
                            fixed_text(mean_largest_weight(scores, root), 2)});
    }
    return made;
  }();
  return reason;
}

/// Shows why scores are divided by the square root of the keys' dimension: the variance of dot products in this tensor
/// (scaled scores, [..., n]) and of random vectors of 4 to 256 dimensions.
std::vector<Reason> scaling_reasons(const Tensor& scaled, std::span<const std::string>) {
  std::vector<Reason> reasons = {growing_variance()};
  if (element_count(scaled.shape()) > most_compared) {
    return reasons;
  }
  const std::vector<double> before = finite(scaled.operands()[0]);
  const std::vector<double> after = finite(scaled);
  if (before.size() > 1 && after.size() == before.size() && variance(after) > 0) {
    const bool are_all = std::ssize(before) == element_count(scaled.shape());
    reasons.push_back({"The " + std::to_string(before.size()) + (are_all ? "" : " finite") +
                           " scores here have variance " + significant(variance(before)) + "; divided by sqrt(" +
                           std::to_string(scaled.operation().facts().root_of) + "), they have variance " +
                           significant(variance(after)) + ".",
                       {}});
  }
  return reasons;
}

// ---- Masking ---------------------------------------------------------------------------------------

/// Returns true if, at four digits, a score of 0 gives weight to a later token and a weight of 0 removes some.
bool shows_the_difference(std::span<const double> zero_before, std::span<const double> zero_after, std::size_t row) {
  constexpr double seen = 1e-4;
  const double kept = std::accumulate(zero_after.begin(), zero_after.end(), 0.0);
  return *std::max_element(zero_before.begin() + static_cast<std::ptrdiff_t>(row) + 1, zero_before.end()) >= seen &&
         kept <= 1 - seen;
}

std::string token_name(std::size_t i, std::size_t count, std::span<const std::string> tokens) {
  return tokens.size() == count ? tokens[i] : std::to_string(i);
}

/// Shows why scores are masked with -inf before softmax: one row of these weights (softmax of masked scores, [..., n,
/// n]) beside the rows that 0 before and 0 after softmax would give.
std::vector<Reason> mask_reasons(const Tensor& weights, std::span<const std::string> tokens) {
  constexpr std::size_t most_columns = 8;
  const auto n = static_cast<std::size_t>(weights.size(-1));
  const std::size_t row = std::min<std::size_t>(1, n - 2);
  const Tensor& scores = weights.operands()[0];
  const bool is_scaled = scores.kind() == Kind::scaled;
  const double divisor = is_scaled ? scores.operation().facts().value : 1;
  const Tensor& masked = is_scaled ? scores.operands()[0] : scores;
  const Numbers unmasked(masked.operands()[0]);
  const Numbers given(weights);
  if (given.rows < static_cast<std::int64_t>(n)) {
    return {};
  }
  std::vector<double> zero_before;
  std::vector<double> plain;
  for (std::size_t i = 0; i < n; ++i) {
    plain.push_back(static_cast<double>(unmasked.row(static_cast<std::int64_t>(row))[i]) / divisor);
    zero_before.push_back(i > row ? 0 : plain.back());
  }
  zero_before = softmax(zero_before);
  std::vector<double> zero_after = softmax(plain);
  std::fill(zero_after.begin() + static_cast<std::ptrdiff_t>(row) + 1, zero_after.end(), 0);
  const auto minus_inf = given.row(static_cast<std::int64_t>(row));
  const std::array<std::pair<const char*, std::vector<double>>, 3> ways = {{
      {"-inf before softmax", {minus_inf.begin(), minus_inf.end()}},
      {"0 before softmax", zero_before},
      {"0 after softmax", zero_after},
  }};
  const std::string name = token_name(row, n, tokens);
  Reason reason = {"Three ways to hide later tokens from " + (tokens.size() == n ? '"' + name + '"' : "token " + name) +
                       ". A score of 0 hides nothing: exp(0) = 1, so later tokens get weight. Setting the weight to 0 "
                       "after softmax is too late: the row no longer sums to 1.",
                   {}};
  const auto add_row = [&](std::vector<std::string> cells, const std::string& sum) {
    if (n > most_columns) {
      cells.resize(1 + most_columns);
      cells.emplace_back("...");
    }
    cells.push_back(sum);
    reason.table.push_back(std::move(cells));
  };
  std::vector<std::string> names = {""};
  for (std::size_t i = 0; i < n; ++i) {
    names.push_back(token_name(i, n, tokens));
  }
  add_row(std::move(names), "sum");
  for (const auto& [way, values] : ways) {
    std::vector<std::string> cells = {way};
    std::ranges::transform(values, std::back_inserter(cells), [](double value) { return fixed_text(value, 4); });
    add_row(std::move(cells), fixed_text(std::accumulate(values.begin(), values.end(), 0.0), 4));
  }
  return shows_the_difference(zero_before, zero_after, row) ? std::vector{reason} : std::vector<Reason>{};
}

// ---- Dropout ---------------------------------------------------------------------------------------

/// Shows why dropout multiplies by 1 / (1 - p): the mean of an entry over 1 to 1000 masks.
std::vector<Reason> dropout_reasons(const Tensor& dropped, std::span<const std::string>) {
  constexpr std::int64_t side = 6;
  const double p = dropped.operation().facts().p;
  torch::Torch torch({}, {}, torch::Torch::Mode::compute);
  torch.manual_seed(example_seed);
  const Tensor ones = torch::ones({side, side});
  std::vector<double> sums(side * side, 0);
  Reason reason = {
      "A single mask is random; over many masks, the mean of each entry of torch.ones(6, 6) approaches 1. Without the "
      "factor 1 / (1 - p) it would approach " +
          text::factor_text(1 - p) + ".",
      {{"masks", "smallest mean", "largest mean", "mean of all", "without the factor"}}};
  std::int64_t drawn = 0;
  for (const std::int64_t masks : {1, 10, 100, 1000}) {
    for (; drawn < masks; ++drawn) {
      const Numbers output(torch.dropout(ones, p).output);
      std::transform(sums.begin(), sums.end(), output.all().begin(), sums.begin(),
                     [](double sum, float value) { return sum + static_cast<double>(value); });
    }
    const auto [least, most] = std::minmax_element(sums.begin(), sums.end());
    const auto count = static_cast<double>(masks);
    const double mean = std::accumulate(sums.begin(), sums.end(), 0.0) / static_cast<double>(sums.size()) / count;
    reason.table.push_back({std::to_string(masks), fixed_text(*least / count, 3), fixed_text(*most / count, 3),
                            fixed_text(mean, 3), fixed_text(mean * (1 - p), 3)});
  }
  return {reason};
}

// ---- The steps that they fit -----------------------------------------------------------------------

bool is_scaled(const Tensor& tensor) { return tensor.operation().facts().root_of > 1; }

bool is_masked_softmax(const Tensor& tensor) {
  if (tensor.kind() != Kind::softmax || tensor.operation().facts().axis != -1) {
    return false;
  }
  const Tensor& from = tensor.operands()[0];
  const Tensor& scores = from.kind() == Kind::scaled ? from.operands()[0] : from;
  return scores.kind() == Kind::masked && std::isinf(scores.operation().facts().value) &&
         scores.operands()[1].operation().facts().is_by_tokens && tensor.size(-1) >= 2;
}

bool is_dropped(const Tensor& tensor) {
  const double p = tensor.operation().facts().p;
  return tensor.kind() == Kind::dropout && p > 0 && p < 1;
}

}  // namespace

constexpr Reasons::Row Reasons::rows[] = {
    {is_scaled, scaling_reasons},
    {is_masked_softmax, mask_reasons},
    {is_dropped, dropout_reasons},
};

Reasons::Reasons(std::span<const Step> steps) {
  for (const Row& row : rows) {
    const auto first = std::ranges::find_if(
        steps, [&](const Step& step) { return step.kind == Step::Kind::tensor && row.fits(*step.tensor); });
    if (first != steps.end()) {
      by_step_.emplace(full_name(*first), &row);
    }
  }
}

std::vector<Reason> Reasons::of(const Step& step, std::span<const std::string> tokens) const {
  const auto found = step.kind == Step::Kind::tensor ? by_step_.find(full_name(step)) : by_step_.end();
  const bool fits = found != by_step_.end() && found->second->fits(*step.tensor);
  return fits ? found->second->show(*step.tensor, tokens) : std::vector<Reason>{};
}

std::vector<std::string> table_lines(const Reason& reason) {
  std::vector<std::int64_t> widths;
  for (const auto& row : reason.table) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], text::display_columns(row[i]));
    }
  }
  std::vector<std::string> lines;
  for (const auto& row : reason.table) {
    std::string line = row.empty() ? "" : text::left_aligned(row[0], widths[0]);
    for (std::size_t i = 1; i < row.size(); ++i) {
      line += "  " + text::right_aligned(row[i], widths[i]);
    }
    lines.push_back(line.substr(0, line.find_last_not_of(' ') + 1));
  }
  return lines;
}

}  // namespace attn::render
