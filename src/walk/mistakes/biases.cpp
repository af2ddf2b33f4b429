#include <functional>
#include <set>
#include <string>

#include "tensor/operations.hpp"
#include "tensor/rounded_math.hpp"
#include "tensor/words.hpp"
#include "torch/torch.hpp"
#include "walk/mistakes.hpp"

namespace attn {
namespace {

constexpr const char* alibi_line = "attn_scores / keys.shape[-1]**0.5 + slopes * (positions.T - positions)";

bool adds_alibi(const Tensor& tensor) { return tensor.kind() == Kind::added && is_alibi(tensor.operands()[1]); }

Tensor bias_subtracted(const Tensor& was, const Tensor& is) {
  return adds_alibi(was) ? subtract(is.operands()[0], is.operands()[1]) : is;
}

/// The scores with biases that become these weights; null if there are none.
const Tensor* biased_scores_of(const Tensor& weights) {
  const Tensor* at = &weights;
  while (!adds_alibi(*at) && !at->operands().empty()) {
    at = &at->operands()[0];
  }
  return adds_alibi(*at) ? at : nullptr;
}

Tensor bias_added_after_softmax(const Tensor& was, const Tensor& is) {
  if (adds_alibi(was)) {
    return is.operands()[0];
  }
  const Tensor* const biased = was.kind() == Kind::softmax ? biased_scores_of(was) : nullptr;
  if (biased == nullptr) {
    return is;
  }
  is.set_name("unbiased_attn_weights");
  return add(is, biased->operands()[1]);
}

Tensor bias_added_before_scaling(const Tensor& was, const Tensor& is) {
  const bool is_after = adds_alibi(was) && is.operands()[0].operation().facts().root_of > 0;
  if (!is_after) {
    return is;
  }
  const Tensor& scaled = is.operands()[0];
  const Tensor biased = add(scaled.operands()[0], is.operands()[1]);
  biased.set_name("unscaled_biased_scores");
  return scaled.with_operands({biased});
}

/// The slope of the first head for all.
Tensor same_slopes(const Tensor& slopes) {
  const float first = numbers_of(slopes).front();
  const std::string size = "(" + std::to_string(slopes.size(0)) + ", 1, 1), " + python_repr(static_cast<double>(first));
  return leaf(slopes.shape(), DType::float32,
              LeafWords("torch.full(" + size + ")", "np.full(" + size + ", np.float32)"),
              [shape = slopes.shape(), first] {
                Block<float> block(shape);
                std::ranges::fill(block, first);
                return Contents(std::move(block));
              });
}

constexpr MistakeRow table_of_biases[] = {
    {"bias-sign", "the biases are subtracted: distant tokens get higher scores", alibi_line, always<bias_subtracted>},
    {"bias-after-softmax", "the biases are added to the weights after softmax, not to the scores before it", alibi_line,
     always<bias_added_after_softmax>},
    {"bias-before-scaling", "the biases are added before the scores are scaled, so they are scaled as well", alibi_line,
     always<bias_added_before_scaling>},
    {"same-slope", "all heads have the slope of the first", slopes_line,
     [](Steps steps) { return with_slopes(steps, same_slopes); }},
    {"slopes-by-count", "the slopes are 2 ** (-8 i / heads), though the number of heads is no power of two",
     slopes_line,
     [](Steps steps) { return with_slopes(steps, [](const Tensor& slopes) { return slopes_by_count(slopes, 1); }); }},
    {"window-off-by-one", "the window shows one token too many", window_line,
     [](Steps) { return with_wider_window(1); }},
};

}  // namespace

Tensor slopes_by_count(const Tensor& slopes, std::int64_t first) {
  const std::int64_t heads = slopes.size(0);
  const std::string list = "[2 ** (-8 * i / " + std::to_string(heads) + ") for i in range(" + std::to_string(first) +
                           ", " + std::to_string(first + heads) + ")]";
  const LeafWords words("torch.tensor(" + list + ").view(-1, 1, 1)",
                        "np.array(" + list + ", np.float32).reshape(-1, 1, 1)");
  return leaf(slopes.shape(), DType::float32, words, [shape = slopes.shape(), heads, first] {
    Block<float> block(shape);
    for (std::int64_t i = 0; i < heads; ++i) {
      const double part = static_cast<double>(first + i) / static_cast<double>(heads);
      block[static_cast<std::size_t>(i)] = static_cast<float>(rounded::pow(2, -8 * part));
    }
    return Contents(std::move(block));
  });
}

Rewriter::Rule with_slopes(Steps steps, const std::function<Tensor(const Tensor& slopes)>& instead) {
  std::set<const void*> slopes;
  for (const Step& step : steps) {
    if (step.tensor && is_alibi(*step.tensor)) {
      slopes.insert(step.tensor->operands()[0].id());
    }
  }
  return
      [slopes, instead](const Tensor& was, const Tensor& is) { return slopes.contains(was.id()) ? instead(is) : is; };
}

Rewriter::Rule with_wider_window(std::int64_t more) {
  return [more](const Tensor& was, const Tensor& is) {
    const std::int64_t window = was.operation().facts().window;
    return window > 0 && window + more > 0 ? torch::window_mask(was.size(0), window + more) : is;
  };
}

std::span<const MistakeRow> bias_rows() { return table_of_biases; }

}  // namespace attn
