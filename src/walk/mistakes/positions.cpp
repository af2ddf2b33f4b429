#include <algorithm>
#include <set>

#include "tensor/math.hpp"
#include "tensor/operations.hpp"
#include "tensor/words.hpp"
#include "torch/torch.hpp"
#include "walk/mistakes.hpp"

namespace attn {
namespace {

constexpr const char* adding_line = "inputs + encodings";

// ---- Rotations --------------------------------------------------------------------------------------

/// The keys of queries @ keys.T, before each head is repeated for its group.
const Tensor& keys_in(const Tensor& scores) {
  const Tensor& keys = scores.operands()[1].operands()[0];
  return keys.kind() == Kind::repeat ? keys.operands()[0] : keys;
}

/// The rotated queries of a product of rotated queries and keys.
std::optional<Rotation> rotation_of_queries(const Tensor& scores) {
  const bool is_score = scores.kind() == Kind::matmul && scores.operands()[1].kind() == Kind::transpose;
  return is_score ? rotation_of(scores.operands()[0]) : std::nullopt;
}

/// The rotated keys whose scores become these weights.
std::optional<Rotation> rotation_of_keys(const Tensor& weights) {
  const Tensor* at = &weights;
  while (at->kind() != Kind::matmul && !at->operands().empty()) {
    at = &at->operands()[0];
  }
  return rotation_of_queries(*at) ? rotation_of(keys_in(*at)) : std::nullopt;
}

Tensor with_rotated_values(const Tensor& was, const Tensor& is) {
  const auto keys = weighs_values(was) ? rotation_of_keys(is.operands()[0]) : std::nullopt;
  if (!keys) {
    return is;
  }
  const Tensor& plain = is.operands()[1];
  if (plain.size(-1) != keys->x.size(-1) || plain.size(-2) != keys->x.size(-2)) {
    return is;
  }
  const Tensor values = rotated(plain, keys->cos, keys->sin, keys->pairs);
  values.set_name("rotated_values");
  return matmul(is.operands()[0], values);
}

/// Counts the positions of queries from `first`; from 0, as those of keys, would be right.
Rewriter::Rule queries_counted_from(Steps steps, std::int64_t first) {
  std::set<const void*> queries;
  std::map<const void*, Tensor> instead;
  for (const Step& step : steps) {
    const auto rotation = step.tensor ? rotation_of_queries(*step.tensor) : std::nullopt;
    if (!rotation) {
      continue;
    }
    queries.insert(rotation->x.id());
    if (!instead.contains(rotation->cos.id())) {
      const std::vector<Tensor>& factors = rotation->cos.operands()[0].operands();
      const Tensor positions = torch::positions(first, factors[0].size(0), rotation->x);
      positions.set_name("query_positions");
      const Tensor angles = multiply(positions, factors[1]);
      angles.set_name("query_angles");
      instead.emplace(rotation->cos.id(), cos(angles)).first->second.set_name("query_cos");
      instead.emplace(rotation->sin.id(), sin(angles)).first->second.set_name("query_sin");
    }
  }
  return [queries, instead](const Tensor& was, const Tensor& is) {
    const bool is_turned = was.kind() == Kind::multiplied && was.operands()[0].kind() == Kind::slice &&
                           queries.contains(was.operands()[0].operands()[0].id());
    const auto found = is_turned ? instead.find(was.operands()[1].id()) : instead.end();
    return found == instead.end() ? is : multiply(is.operands()[0], found->second);
  };
}

// ---- Encodings --------------------------------------------------------------------------------------

/// Returns true for sines and cosines, stacked and read as columns that take turns.
bool interleaves_sines(const Tensor& tensor) {
  return tensor.kind() == Kind::view && tensor.operands()[0].kind() == Kind::stack &&
         tensor.operands()[0].operands()[0].kind() == Kind::sine;
}

Tensor without_positions(const Tensor& was, const Tensor& is) { return adds_positions(was) ? is.operands()[0] : is; }

Tensor sines_first(const Tensor& was, const Tensor& is) {
  if (!interleaves_sines(was) || !is_made_alike(was.operands()[0], is.operands()[0])) {
    return is;
  }
  const Tensor columns = cat(is.operands()[0].operands());
  was.name().empty() ? columns.set_name("sines_and_cosines") : void();
  return columns;
}

/// Counts positions from 1; those of learned embeddings as far as there is a row for the last.
Rewriter::Rule counted_from_one(Steps steps) {
  std::set<const void*> counted;
  for (const Step& step : steps) {
    if (!step.tensor || !adds_positions(*step.tensor)) {
      continue;
    }
    const Tensor& positions = step.tensor->operands()[1];
    const Tensor* const angles = angles_of(positions);
    if (angles != nullptr) {
      counted.insert(angles->operands()[0].id());
    } else if (positions.operands()[0].size(0) > positions.size(0)) {
      counted.insert(positions.operands()[1].id());
    }
  }
  return [counted](const Tensor& was, const Tensor& is) {
    if (!counted.contains(was.id())) {
      return is;
    }
    return was.dtype() == DType::int64 ? torch::token_range(1, was.size(0), was)
                                       : torch::positions(1, was.size(0), was);
  };
}

/// Adds positions to queries, keys and values instead of the inputs, where all are as long as these.
Rewriter::Rule added_after_projections(Steps steps) {
  std::set<const void*> encoded;
  std::set<const void*> shorter;
  const auto is_made_of = [](const Tensor& tensor) {
    return is_product(tensor) && adds_positions(tensor.operands()[0]) && tensor.operands()[1].dim() == 2;
  };
  for (const Step& step : steps) {
    if (step.tensor && is_made_of(*step.tensor)) {
      const Tensor& inputs = step.tensor->operands()[0];
      (inputs.shape() == step.tensor->shape() ? encoded : shorter).insert(inputs.id());
    }
  }
  std::erase_if(encoded, [&shorter](const void* id) { return shorter.contains(id); });
  return [encoded, is_made_of](const Tensor& was, const Tensor& is) {
    if (encoded.contains(was.id())) {
      return is.operands()[0];
    }
    if (!is_made_of(was) || !encoded.contains(was.operands()[0].id())) {
      return is;
    }
    is.set_name(was.name() + "_without_positions");
    return add(is, was.operands()[0].operands()[1]);
  };
}

// ---- Biases ----------------------------------------------------------------------------------------

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

/// Shows one token more than the window has.
Tensor windowed_wider(const Tensor& was, const Tensor& is) {
  const std::int64_t window = was.operation().facts().window;
  return window > 0 ? torch::window_mask(was.size(0), window + 1) : is;
}

constexpr MistakeRow table[] = {
    {"halves-for-pairs", "columns i and i + d / 2 are rotated together, not columns 2i and 2i + 1",
     "x[..., ::2], x[..., 1::2]", [](Steps steps) { return paired_as(steps, Pairs::halves); }},
    {"rotary-values", "the values are rotated as well as the keys", values_line, always<with_rotated_values>},
    {"position-off-by-one", "the positions of queries are too large by one", "torch.arange(n) * frequencies",
     [](Steps steps) { return queries_counted_from(steps, 1); }},
    {"no-positions", "no positions are added to the inputs", adding_line, always<without_positions>},
    {"sines-first", "the sines come first and then the cosines; columns should take turns",
     "encodings[:, 0::2] = sin(angles); encodings[:, 1::2] = cos(angles)", always<sines_first>},
    {"half-exponent", "the exponents of the frequencies are i / d, not 2 i / d", frequencies_line,
     [](Steps steps) { return with_frequencies(steps, torch::frequency_base, 1); }},
    {"positions-from-one", "positions count from 1, not from 0", "torch.arange(n)", counted_from_one},
    {"positions-after-projection", "positions are added to queries, keys and values, not to the inputs", adding_line,
     added_after_projections},
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
    {"window-off-by-one", "the window shows one token too many", window_line, always<windowed_wider>},
};

}  // namespace

bool is_alibi(const Tensor& tensor) { return tensor.kind() == Kind::multiplied && are_distances(tensor.operands()[1]); }

bool are_distances(const Tensor& tensor) {
  return tensor.kind() == Kind::subtracted && tensor.operands()[0].kind() == Kind::transpose;
}

bool are_angles(const Tensor& tensor) {
  const auto is_given = [](const Tensor& factor) { return factor.operands().empty(); };
  return tensor.kind() == Kind::multiplied && tensor.operands()[1].dim() == 1 &&
         std::ranges::all_of(tensor.operands(), is_given);
}

const Tensor* angles_of(const Tensor& encodings) {
  const Tensor& pairs = encodings.kind() == Kind::slice ? encodings.operands()[0] : encodings;
  return interleaves_sines(pairs) ? &pairs.operands()[0].operands()[0].operands()[0] : nullptr;
}

bool adds_positions(const Tensor& tensor) {
  return tensor.kind() == Kind::added &&
         (angles_of(tensor.operands()[1]) != nullptr || tensor.operands()[1].kind() == Kind::looked_up);
}

Rewriter::Rule paired_as(Steps steps, Pairs pairs) {
  std::set<const void*> turned;
  for (const Step& step : steps) {
    const auto rotation = step.tensor ? rotation_of(*step.tensor) : std::nullopt;
    if (rotation && rotation->pairs != pairs) {
      turned.insert(rotation->x.id());
    }
  }
  return [turned, pairs](const Tensor& was, const Tensor& is) {
    if (was.kind() == Kind::slice && turned.contains(was.operands()[0].id())) {
      const Tensor& x = is.operands()[0];
      const std::int64_t half = was.size(-1);
      const bool is_first = was.operation().facts().at == 0;
      return pairs == Pairs::adjacent ? every(x, is_first ? 0 : 1, 2)
                                      : slice(x, -1, is_first ? 0 : half, is_first ? half : 2 * half);
    }
    const auto rotation = rotation_of(was);
    if (!rotation || !turned.contains(rotation->x.id())) {
      return is;
    }
    if (pairs == Pairs::adjacent) {
      return view(stack(is.operands(), was.dim()), was.shape());
    }
    return is_made_alike(was.operands()[0], is.operands()[0]) ? cat(is.operands()[0].operands()) : is;
  };
}

std::map<const Tensor*, std::int64_t> all_angles(Steps steps) {
  std::map<const Tensor*, std::int64_t> columns;
  for (const Step& step : steps) {
    if (!step.tensor) {
      continue;
    }
    if (const Tensor* const angles = angles_of(*step.tensor)) {
      columns[angles] = step.tensor->size(-1);
    } else if (const auto rotation = rotation_of(*step.tensor)) {
      columns[&rotation->cos.operands()[0]] = rotation->x.size(-1);
    }
  }
  return columns;
}

Rewriter::Rule with_frequencies(Steps steps, std::int64_t base, std::int64_t factor) {
  std::map<const void*, std::int64_t> columns;
  for (const auto& [angles, count] : all_angles(steps)) {
    columns[angles->operands()[1].id()] = count;
  }
  return [columns, base, factor](const Tensor& was, const Tensor& is) {
    const auto found = columns.find(was.id());
    if (found == columns.end()) {
      return is;
    }
    const Tensor others = torch::frequencies(base, found->second, factor);
    return numbers_of(others) == numbers_of(was) ? is : others;  // else the right base would be a mistake
  };
}

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

std::span<const MistakeRow> position_rows() { return table; }

}  // namespace attn
