#include "walk/mistake_rules.hpp"

#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <variant>

namespace attn {

bool hides(const Tensor& tensor) {
  return tensor.kind() == Kind::masked && std::isinf(tensor.operation().facts().value);
}

bool is_product(const Tensor& tensor) { return tensor.kind() == Kind::matmul || tensor.kind() == Kind::linear; }

std::size_t width_of(const Tensor& tensor) { return static_cast<std::size_t>(tensor.size(-1)); }

std::size_t rows_of(const Tensor& tensor) { return tensor.dim() < 2 ? 1 : static_cast<std::size_t>(tensor.size(-2)); }

bool has_axis(const Tensor& tensor, std::size_t axis) {
  return tensor.dim() >= (axis == 0 ? 3 : 4) && tensor.shape()[axis] > 1;
}

bool splits_heads(const Tensor& tensor) {
  return tensor.kind() == Kind::transpose && tensor.dim() == 4 &&
         tensor.operation().facts().axes == std::array<std::size_t, 2>{1, 2} &&
         tensor.operands()[0].kind() == Kind::view;
}

bool joins_heads(const Tensor& tensor) {
  return tensor.kind() == Kind::view && tensor.dim() == 3 && tensor.operands()[0].kind() == Kind::contiguous &&
         tensor.operands()[0].dim() == 4;
}

bool meets_keys(const Tensor& was) {
  const Tensor* const right = was.kind() == Kind::matmul ? &was.operands()[1] : nullptr;
  return right != nullptr && right->kind() == Kind::transpose &&
         right->operation().facts().axes[1] + 1 == static_cast<std::size_t>(right->dim());
}

bool projects_inputs(const Tensor& was) {
  return (was.kind() == Kind::linear && was.operands()[0].kind() != Kind::view) ||
         (was.kind() == Kind::matmul && was.operands()[1].kind() == Kind::parameter);
}

bool weighs_values(const Tensor& tensor) {
  const auto is_weights = [](Kind kind) {
    return kind == Kind::softmax || kind == Kind::dropout || kind == Kind::divided;
  };
  return tensor.kind() == Kind::matmul && (is_weights(tensor.operands()[0].kind()) || drops_sink(tensor.operands()[0]));
}

bool has_sink(const Tensor& scores) {
  const bool is_cat = scores.kind() == Kind::cat && scores.operands().size() == 2 && scores.dim() == 4;
  return is_cat && scores.operands()[1].size(-1) == 1 && scores.operands()[0].size(-1) + 1 == scores.size(-1);
}

bool drops_sink(const Tensor& tensor) {
  const bool is_of_softmax = tensor.kind() == Kind::slice && tensor.operands()[0].kind() == Kind::softmax;
  return is_of_softmax && has_sink(tensor.operands()[0].operands()[0]);
}

const Tensor* softmax_of_weights(const Tensor& tensor) {
  if (drops_sink(tensor)) {
    return &tensor.operands()[0];
  }
  return tensor.kind() == Kind::softmax && !has_sink(tensor.operands()[0]) ? &tensor : nullptr;
}

bool is_alibi(const Tensor& tensor) { return tensor.kind() == Kind::multiplied && are_distances(tensor.operands()[1]); }

bool are_distances(const Tensor& tensor) {
  return tensor.kind() == Kind::subtracted && tensor.operands()[0].kind() == Kind::transpose;
}

bool are_angles(const Tensor& tensor) {
  const auto is_given = [](const Tensor& factor) { return factor.operands().empty(); };
  return tensor.kind() == Kind::multiplied && tensor.operands()[1].dim() == 1 &&
         std::ranges::all_of(tensor.operands(), is_given);
}

bool interleaves_sines(const Tensor& tensor) {
  return tensor.kind() == Kind::view && tensor.operands()[0].kind() == Kind::stack &&
         tensor.operands()[0].operands()[0].kind() == Kind::sine;
}

const Tensor* angles_of(const Tensor& encodings) {
  const Tensor& pairs = encodings.kind() == Kind::slice ? encodings.operands()[0] : encodings;
  return interleaves_sines(pairs) ? &pairs.operands()[0].operands()[0].operands()[0] : nullptr;
}

bool adds_positions(const Tensor& tensor) {
  return tensor.kind() == Kind::added &&
         (angles_of(tensor.operands()[1]) != nullptr || tensor.operands()[1].kind() == Kind::looked_up);
}

Rewriter::Rule divided_by(double divisor) {
  return scaled_by([divisor](std::int64_t) { return divisor; });
}

Rewriter::Rule filled_with(float value) {
  return [value](const Tensor& was, const Tensor& is) {
    return hides(was) ? masked_fill(is.operands()[0], is.operands()[1], value) : is;
  };
}

Rewriter::Rule masked_beyond(std::int64_t beyond) {
  return [beyond](const Tensor& was, const Tensor& is) {
    const std::int64_t window = hides(was) ? was.operands()[1].operation().facts().window : 0;
    const auto is_hidden = [beyond, window](std::int64_t right, std::int64_t) {
      return right > beyond || (window > 0 && right <= -window);
    };
    return masked_at(is_hidden)(was, is);
  };
}

Rewriter::Rule made_with(std::span<const Step> steps, std::array<std::size_t, 3> source) {
  struct Projection {
    std::optional<Tensor> weight;
    std::optional<Tensor> bias;
  };
  std::map<std::string, std::array<Projection, 3>> by_section;
  std::map<const void*, std::pair<std::string, std::size_t>> whose;
  for (const Step& step : steps) {
    for (std::size_t i = 0; i < projections.size() && step.tensor; ++i) {
      if (step.name == projections[i]) {
        by_section[step.section][i].weight = step.tensor;
        whose[step.tensor->id()] = {step.section, i};
      } else if (step.name == std::string(projections[i]) + "_bias") {
        by_section[step.section][i].bias = step.tensor;
      }
    }
  }
  return [by_section, whose, source](const Tensor& was, const Tensor& is) {
    const auto found = is_product(was) ? whose.find(was.operands()[1].id()) : whose.end();
    if (found == whose.end() || source[found->second.second] == found->second.second) {
      return is;
    }
    const Projection& other = by_section.at(found->second.first)[source[found->second.second]];
    if (!other.weight || other.weight->shape() != was.operands()[1].shape()) {
      return is;
    }
    return was.kind() == Kind::matmul ? matmul(is.operands()[0], *other.weight)
                                      : linear(is.operands()[0], *other.weight, other.bias, other.weight->name());
  };
}

namespace {

/// Returns true for scores where each entry of the batch has its own mask.
bool hides_by_entry(const Tensor& tensor) { return hides(tensor) && tensor.operands()[1].dim() == 3; }

}  // namespace

Tensor masked_by_first_entry(const Tensor& was, const Tensor& is) {
  return hides_by_entry(was) ? masked_fill(is.operands()[0], index(is.operands()[1], 0), -infinity) : is;
}

Tensor masked_by_queries(const Tensor& was, const Tensor& is) {
  return hides_by_entry(was) ? masked_fill(is.operands()[0], transpose(is.operands()[1], 1, 2), -1e4) : is;
}

Tensor masked_both_ways(const Tensor& was, const Tensor& is) {
  if (!hides_by_entry(was)) {
    return is;
  }
  const Tensor mask = leaf(was.operands()[1].shape(), DType::boolean, "(mask | mask.transpose(1, 2))",
                           [columns = is.operands()[1], n = was.size(-1)] {
                             const Block<bool> before = std::get<Block<bool>>(*columns.array().contents());
                             Block<bool> both = before;
                             for (std::int64_t i = 0; i < static_cast<std::int64_t>(both.size()); ++i) {
                               const std::int64_t mirrored = i / (n * n) * n * n + i % n * n + i / n % n;
                               both[static_cast<std::size_t>(i)] |= before[static_cast<std::size_t>(mirrored)];
                             }
                             return Contents(both);
                           });
  return masked_fill(is.operands()[0], mask, -infinity);
}

Tensor inverted(const Tensor& mask) {
  return leaf(mask.shape(), DType::boolean, "mask", [mask] {
    Block<bool> block = std::get<Block<bool>>(*mask.array().contents());
    std::ranges::transform(block, block.begin(), [](bool one) { return !one; });
    return Contents(std::move(block));
  });
}

Tensor with_first_operand(const Tensor& tensor, const Tensor& operand) {
  std::vector<Tensor> operands = tensor.operands();
  operands[0] = operand;
  return tensor.with_operands(std::move(operands));
}

Numbers numbers_of(const Tensor& tensor) {
  return std::visit([](const auto& block) { return Numbers(block.begin(), block.end()); }, *tensor.array().contents());
}

float largest_of(std::span<const float> row) { return *std::ranges::max_element(row); }

void divide_by_sum(std::span<float> row) {
  const float divisor = std::accumulate(row.begin(), row.end(), 0.0F);
  std::ranges::for_each(row, [divisor](float& one) { one /= divisor; });
}

}  // namespace attn
