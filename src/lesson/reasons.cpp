#include "lesson/reasons.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "lesson/lineage.hpp"
#include "lesson/numbers.hpp"
#include "tensor/operations.hpp"
#include "tensor/rewrite.hpp"
#include "text/columns.hpp"
#include "text/numbers.hpp"
#include "torch/torch.hpp"

namespace attn::render {
namespace {

std::string difference_text(double difference) { return difference == 0 ? "0" : text::number_text(difference); }

/// Returns true if rounding can explain this difference between two ways to compute the same numbers.
bool is_rounding(double difference, const Numbers& numbers) {
  float most = 0;
  for (const float value : numbers.all()) {
    most = std::max(most, std::abs(value));
  }
  return difference <= 1e-5 * std::max(1.0, static_cast<double>(most));
}

/// A leaf with the shape of `like` and these numbers.
Tensor with_numbers(const Tensor& like, std::vector<float> values) {
  return torch::tensor(std::move(values), like.shape(), like.kernels());
}

/// Reverses the items along the axis before the last within each matrix.
std::vector<float> backwards(const Tensor& tensor) {
  const Numbers numbers(tensor);
  const std::int64_t height = tensor.size(-2);
  std::vector<float> values;
  for (std::int64_t row = 0; row < numbers.rows; ++row) {
    const std::int64_t first = row / height * height;
    const auto from = numbers.row(first + height - 1 - row % height);
    values.insert(values.end(), from.begin(), from.end());
  }
  return values;
}

// ---- Dropout, heads and order ----------------------------------------------------------------------

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

/// Shows why heads can share one projection: each head computes the same as a projection with only its own columns of
/// the weight.
std::vector<Reason> head_reasons(const Tensor& heads, std::span<const std::string>) {
  constexpr std::int64_t most_heads = 8;
  const Tensor& view = heads.kind() == Kind::transpose ? heads.operands()[0] : heads;
  const Tensor& projected = view.operands()[0];
  const Tensor& x = projected.operands()[0];
  const Tensor& weight = projected.operands()[1];
  const std::int64_t num_heads = view.size(2);
  const std::int64_t head_dim = view.size(3);
  if (num_heads < 2 || num_heads > most_heads || element_count(projected.shape()) > most_compared ||
      element_count(weight.shape()) > most_compared) {
    return {};
  }
  const Numbers all(projected);
  const Numbers rows(weight);
  const bool has_bias = projected.operands().size() > 2;
  const std::string name = projected.name().empty() ? "the projection" : projected.name();
  Reason reason = {
      "Split or stacked, heads give the same numbers: each head's columns of " + name +
          " equal a projection with only its own rows of the weight.",
      {{"", "columns", "rows of " + (weight.name().empty() ? "the weight" : weight.name()), "largest difference"}}};
  for (std::int64_t head = 0; head < num_heads; ++head) {
    const std::int64_t first = head * head_dim;
    std::vector<float> part;
    for (std::int64_t row = first; row < first + head_dim; ++row) {
      part.insert(part.end(), rows.row(row).begin(), rows.row(row).end());
    }
    std::optional<Tensor> bias;
    if (has_bias) {
      const auto values = Numbers(projected.operands()[2])
                              .all()
                              .subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(head_dim));
      bias = torch::tensor({values.begin(), values.end()}, {head_dim}, x.kernels());
    }
    const Tensor alone =
        linear(x, torch::tensor(std::move(part), {head_dim, weight.size(1)}, x.kernels()), bias, "head");
    const Numbers own(alone);
    double most = 0;
    for (std::int64_t row = 0; row < own.rows; ++row) {
      most = std::max(most, largest_difference(own.row(row), all.row(row).subspan(static_cast<std::size_t>(first),
                                                                                  static_cast<std::size_t>(head_dim))));
    }
    if (!is_rounding(most, all)) {
      return {};
    }
    const std::string range =
        std::to_string(first) + (head_dim > 1 ? " to " + std::to_string(first + head_dim - 1) : "");
    reason.table.push_back({head_name(head), range, range, difference_text(most)});
  }
  return {reason};
}

/// Shows why the order of tokens does not matter without a mask: the context vectors ([..., n, d]) of the reversed
/// inputs.
std::vector<Reason> order_reasons(const Tensor& context, std::span<const std::string>) {
  const Shape& weights = context.operands()[0].shape();
  if (element_count(context.shape()) > most_compared || element_count(weights) > most_compared) {
    return {};
  }
  bool is_turned = false;
  Rewriter turn([&](const Tensor& was, const Tensor& is) {
    if (was.name() != "inputs" || !was.operands().empty() || was.dim() != 2 ||
        element_count(was.shape()) > most_compared) {
      return is;
    }
    is_turned = true;
    return with_numbers(was, backwards(was));
  });
  const Tensor turned = turn(context);
  if (!is_turned) {
    return {};
  }
  const std::vector<float> back = backwards(turned);
  const Numbers numbers(context);
  const double most = largest_difference(numbers.all(), back);
  if (!is_rounding(most, numbers)) {
    return {};
  }
  const Tensor& values = context.operands()[1];
  const bool are_all_turned = turn(values).id() != values.id();
  const std::string reversed = are_all_turned
                                   ? "with the tokens reversed, each gets the same context vector, in another row "
                                   : "with the first sequence (inputs) reversed and the second as it is, each token of "
                                     "the first gets the same context vector, in another row ";
  return {{"Attention ignores order: " + reversed + "(recomputed; the largest difference is " + difference_text(most) +
               "). To use order, a model adds position information to the embeddings.",
           {}}};
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

bool is_split(const Tensor& tensor) {
  const Tensor& view = tensor.kind() == Kind::transpose ? tensor.operands()[0] : tensor;
  return view.kind() == Kind::view && view.operands()[0].kind() == Kind::linear && tensor.shape().size() == 4 &&
         counts_heads(view, 2);
}

bool is_unmasked_context(const Tensor& tensor) {
  return tensor.kind() == Kind::matmul && tensor.dim() >= 2 && tensor.size(-2) >= 2 &&
         counts_tokens(tensor, tensor.shape().size() - 2) && is_made_with(tensor.operands()[0], {Kind::softmax}) &&
         !is_made_with(tensor, {Kind::masked, Kind::dropout, Kind::multiplied});
}

}  // namespace

constexpr Reasons::Row Reasons::rows[] = {
    {is_scaled, scaling_reasons}, {is_masked_softmax, mask_reasons},    {is_dropped, dropout_reasons},
    {is_split, head_reasons},     {is_unmasked_context, order_reasons},
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

std::string fixed_text(double value, int digits) { return text::number_text(value, std::chars_format::fixed, digits); }

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
