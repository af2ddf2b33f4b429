#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "tensor/operations.hpp"
#include "torch/torch.hpp"
#include "walk/mistake_rules.hpp"
#include "walk/mistakes/subjects.hpp"
#include "walk/rotation.hpp"

namespace attn {
namespace {

constexpr const char* pairs_line = "x[..., ::2], x[..., 1::2]";
constexpr const char* angles_line = "torch.arange(n) * frequencies";

std::vector<Rotation> rotations_in(std::span<const Step> steps) {
  std::vector<Rotation> rotations;
  for (const Step& step : steps) {
    if (const auto rotation = step.tensor ? rotation_of(*step.tensor) : std::nullopt) {
      rotations.push_back(*rotation);
    }
  }
  return rotations;
}

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

/// Takes the pairs apart and joins them as columns 2i and 2i + 1 if they were halves, or the other way round.
Rewriter::Rule paired_as(std::span<const Step> steps, Pairs pairs) {
  std::set<const void*> turned;
  for (const Rotation& rotation : rotations_in(steps)) {
    if (rotation.pairs != pairs) {
      turned.insert(rotation.x.id());
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
Rewriter::Rule queries_counted_from(std::span<const Step> steps, std::int64_t first) {
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

/// Counts the positions of queries and keys from 1.
Rewriter::Rule all_counted_from_one(std::span<const Step> steps) {
  std::map<const void*, Tensor> instead;
  for (const Rotation& rotation : rotations_in(steps)) {
    const Tensor& positions = rotation.cos.operands()[0].operands()[0];
    instead.emplace(positions.id(), torch::positions(1, positions.size(0), rotation.x));
  }
  return [instead](const Tensor& was, const Tensor& is) {
    const auto found = instead.find(was.id());
    return found == instead.end() ? is : found->second;
  };
}

/// Turns pairs the other way: (x cos + y sin, y cos - x sin).
Rewriter::Rule turned_back(std::span<const Step> steps) {
  std::set<const void*> sines;
  for (const Rotation& rotation : rotations_in(steps)) {
    sines.insert(rotation.sin.id());
  }
  return [sines](const Tensor& was, const Tensor& is) {
    const bool is_signed = (was.kind() == Kind::subtracted || was.kind() == Kind::added) &&
                           was.operands()[0].kind() == Kind::multiplied && was.operands()[1].kind() == Kind::multiplied;
    if (!is_signed) {
      return is;
    }
    const std::vector<Tensor>& parts = is.operands();
    if (was.kind() == Kind::subtracted) {
      return sines.contains(was.operands()[1].operands()[1].id()) ? add(parts[0], parts[1]) : is;
    }
    return sines.contains(was.operands()[0].operands()[1].id()) ? subtract(parts[1], parts[0]) : is;
  };
}

/// Leaves queries, keys or both as they are.
Rewriter::Rule not_rotated(std::span<const Step> steps, bool are_queries, bool are_keys) {
  std::set<const void*> left_out;
  for (const Step& step : steps) {
    if (step.tensor && rotation_of_queries(*step.tensor)) {
      are_queries ? void(left_out.insert(step.tensor->operands()[0].id())) : void();
      are_keys ? void(left_out.insert(keys_in(*step.tensor).id())) : void();
    }
  }
  return [left_out](const Tensor& was, const Tensor& is) {
    const auto rotation = left_out.contains(was.id()) ? rotation_of(is) : std::nullopt;
    return rotation ? rotation->x : is;
  };
}

constexpr MistakeRow usual_rotation_rows[] = {
    {"halves-for-pairs", "columns i and i + d / 2 are rotated together, not columns 2i and 2i + 1", pairs_line,
     [](Steps steps) { return paired_as(steps, Pairs::halves); }},
    {"rotary-values", "the values are rotated as well as the keys", values_line, always<with_rotated_values>},
    {"position-off-by-one", "the positions of queries are too large by one", angles_line,
     [](Steps steps) { return queries_counted_from(steps, 1); }},
};

constexpr MistakeRow further_rotation_rows[] = {
    {"pairs-for-halves", "columns 2i and 2i + 1 are rotated together, not columns i and i + d / 2",
     "x[..., :d // 2], x[..., d // 2:]", [](Steps steps) { return paired_as(steps, Pairs::adjacent); }},
    {"positions-from-one", "positions count from 1, not from 0", angles_line, all_counted_from_one},
    {"rotated-back", "pairs are rotated the other way, by the negative angle", "x * cos - y * sin, x * sin + y * cos",
     turned_back},
    {"queries-not-rotated", "the queries are not rotated", "rotate(queries)",
     [](Steps steps) { return not_rotated(steps, true, false); }},
    {"keys-not-rotated", "the keys are not rotated", "rotate(keys)",
     [](Steps steps) { return not_rotated(steps, false, true); }},
    {"no-rotation", "queries and keys are not rotated", "rotate(queries), rotate(keys)",
     [](Steps steps) { return not_rotated(steps, true, true); }},
};

}  // namespace

std::span<const MistakeRow> rotation_mistakes_in() { return usual_rotation_rows; }
std::span<const MistakeRow> rotation_mistakes() { return further_rotation_rows; }

}  // namespace attn
