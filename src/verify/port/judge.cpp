#include "verify/port/judge.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <tuple>
#include <unordered_set>

#include "tensor/operations.hpp"
#include "torch/torch.hpp"
#include "verify/lessons/lessons.hpp"
#include "walk/mistakes.hpp"

namespace attn::verify {
namespace {

std::int64_t root_of(const Tensor& tensor) { return tensor.operation().facts().root_of; }

bool is_scale(const Tensor& tensor) { return tensor.kind() == Kind::scaled && root_of(tensor) > 0; }

bool is_masked(const Tensor& tensor) { return tensor.kind() == Kind::masked; }

/// Returns true for scaled queries: scores are a product, perhaps masked, or a sum.
bool is_of_queries(const Tensor& scaled) {
  const Tensor& under = scaled.operands()[0];
  return (is_masked(under) ? under.operands()[0] : under).operation().is_view();
}

/// Returns true where scores are divided. A gradient is the same whatever was scaled.
bool is_of_scores(const Tensor& tensor) {
  return is_scale(tensor) && !is_of_queries(tensor) && !tensor.is_without_grad();
}

/// Returns true for what is masked, or multiplied with keys, once it is scaled.
bool is_made_of_scaled(const Tensor& tensor) {
  return (is_masked(tensor) || tensor.kind() == Kind::matmul) && is_scale(tensor.operands()[0]) &&
         is_of_queries(tensor.operands()[0]) != is_masked(tensor);
}

/// x divided by the root, as the article's scaling is.
Tensor scaled_like(const Tensor& x, const Tensor& scaling) {
  return scale(x, leaf({root_of(scaling)}, DType::float32, "keys",
                       [n = root_of(scaling)] { return Contents(Block<float>(Shape{n})); }));
}

Step ported(const std::string& section, const std::string& name, const Tensor& tensor) {
  tensor.set_name(name);
  return {Step::Kind::tensor, section, name, "", false, tensor, "", "\n", true};
}

/// Gives a tensor that a way has, and the article has not, a name: it becomes a step.
using Keep = std::function<Tensor(const std::string& name, const Tensor& tensor)>;

/// A rewriting rule that may keep tensors.
using WayRule = std::function<Tensor(const Tensor& was, const Tensor& is, const Keep& keep)>;

/// Scores are scaled, then masked.
WayRule scaled_first(std::span<const Step> steps) {
  std::map<const void*, Tensor> scaling_of;  // by the mask that comes before
  for (const Step& step : steps) {
    if (is_of_scores(*step.tensor) && is_masked(step.tensor->operands()[0])) {
      scaling_of.emplace(step.tensor->operands()[0].id(), *step.tensor);
    }
  }
  return [scaling_of](const Tensor& was, const Tensor& is, const Keep& keep) {
    if (const auto found = scaling_of.find(was.id()); found != scaling_of.end()) {
      const Tensor scaled = keep("scaled_attn_scores", scaled_like(is.operands()[0], found->second));
      return is.with_operands({scaled, is.operands()[1]});
    }
    return is_scale(was) && scaling_of.contains(was.operands()[0].id()) ? is.operands()[0] : is;
  };
}

/// Scores are scaled last, where the article scales queries, or scores before it masks them.
WayRule scaled_last(std::span<const Step> steps) {
  std::map<const void*, Tensor> scaling_of;  // by what is made of it
  std::set<const void*> scaled;
  for (const Step& step : steps) {
    if (is_made_of_scaled(*step.tensor)) {
      scaling_of.emplace(step.tensor->id(), step.tensor->operands()[0]);
      scaled.insert(step.tensor->operands()[0].id());
    }
  }
  return [scaling_of, scaled](const Tensor& was, const Tensor& is, const Keep& keep) {
    if (const auto found = scaling_of.find(was.id()); found != scaling_of.end()) {
      const Tensor unscaled = keep(is_masked(was) ? "masked_attn_scores" : "attn_scores", is);
      return keep("scaled_attn_scores", scaled_like(unscaled, found->second));
    }
    return scaled.contains(was.id()) ? is.operands()[0] : is;
  };
}

/// Queries are scaled before they meet keys; or both are, each by the root of the root.
WayRule scaled_operands(std::span<const Step> steps, bool are_both) {
  std::map<const void*, Tensor> scaling_of;  // by the product of queries and keys
  std::set<const void*> scaled;
  for (const Step& step : steps) {
    if (is_of_scores(*step.tensor)) {
      const Tensor& under = step.tensor->operands()[0];
      scaling_of.emplace((is_masked(under) ? under.operands()[0] : under).id(), *step.tensor);
      scaled.insert(step.tensor->id());
    }
  }
  return [scaling_of, scaled, are_both](const Tensor& was, const Tensor& is, const Keep& keep) {
    const auto found = scaling_of.find(was.id());
    if (found == scaling_of.end() || was.kind() != Kind::matmul) {
      return scaled.contains(was.id()) ? is.operands()[0] : is;
    }
    const double root = std::sqrt(std::sqrt(static_cast<double>(root_of(found->second))));
    const std::string heads = was.dim() == 4 ? "_heads" : "";
    const auto scaled_by = [&](const Tensor& tensor) {
      return are_both ? divide(tensor, root, "") : scaled_like(tensor, found->second);
    };
    Tensor keys = is.operands()[1];
    const Tensor queries = keep("scaled_queries" + heads, scaled_by(is.operands()[0]));
    if (are_both && keys.kind() == Kind::transpose) {
      keys = keys.with_operands({keep("scaled_keys" + heads, scaled_by(keys.operands()[0]))});
    }
    return is.with_operands({queries, keys});
  };
}

/// Biases count positions from the first token, the same for all queries: softmax does not see what a row has in
/// common.
WayRule counted_from_first(std::span<const Step> steps) {
  std::set<const void*> distances;
  for (const Step& step : steps) {
    is_alibi(*step.tensor) ? void(distances.insert(step.tensor->operands()[1].id())) : void();
  }
  return [distances](const Tensor& was, const Tensor& is, const Keep&) {
    if (!distances.contains(was.id())) {
      return is;
    }
    const Shape shape = was.operands()[1].shape();
    return add(is.operands()[0], leaf(shape, DType::float32, "0", [shape] { return Contents(Block<float>(shape)); }));
  };
}

/// The steps under a rule, in the order of computation, each once; none if the rule changes none.
std::vector<Step> rewritten(std::span<const Step> steps, const WayRule& rule) {
  std::vector<Step> result;
  std::set<const void*> seen;
  std::string section;
  bool is_any_changed = false;
  const auto add = [&](const Step& step) { seen.insert(step.tensor->id()).second ? result.push_back(step) : void(); };
  const Keep keep = [&](const std::string& name, const Tensor& tensor) {
    add(ported(section, name, tensor));
    return tensor;
  };
  Rewriter rewriter([&](const Tensor& was, const Tensor& is) { return rule(was, is, keep); });
  for (const Step& was : steps) {
    section = was.section;
    Step is = was;
    is.tensor = rewriter(*was.tensor);
    is_any_changed = is_any_changed || is.tensor->id() != was.tensor->id();
    add(is);
  }
  return is_any_changed ? result : std::vector<Step>();
}

/// Ports have besides weights averaged over heads.
void add_means(std::vector<Step>& steps) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Tensor& weights = *steps[i].tensor;
    if (weights.kind() == Kind::softmax && weights.dim() == 4) {
      const Tensor by_heads = contiguous(transpose(weights, 1, 3));  // [b, keys, queries, heads]
      const Tensor mean = divide(sum(by_heads), static_cast<double>(weights.size(1)), "");
      const Step step = ported(steps[i].section, "attn_weights_mean", contiguous(transpose(mean, 1, 2)));
      steps.insert(steps.begin() + static_cast<std::ptrdiff_t>(++i), step);
    }
  }
}

/// Among how many heads the steps' d_out is divided; 1 where there are none.
std::int64_t heads_of(std::span<const Step> steps) {
  const auto found = std::ranges::find_if(steps, [](const Step& step) {
    return step.tensor && step.tensor->dim() == 4 && step.tensor->kind() == Kind::softmax;
  });
  return found == steps.end() ? 1 : found->tensor->size(1);
}

/// The article's way, then the others that these steps can be written in. Asks no tensor for its numbers.
std::vector<Way> ways_of(std::span<const Step> steps) {
  std::vector<Step> tensors;
  std::ranges::copy_if(steps, std::back_inserter(tensors),
                       [](const Step& step) { return step.kind == Step::Kind::tensor; });
  const std::pair<const char*, WayRule> others[] = {
      {"scores are scaled, then masked", scaled_first(tensors)},
      {"scores are scaled last", scaled_last(tensors)},
      {"queries are scaled before they meet keys", scaled_operands(tensors, false)},
      {"queries and keys are both scaled, each by the root of the root", scaled_operands(tensors, true)},
      {"biases count positions from the first token", counted_from_first(tensors)}};
  std::vector<Way> ways{{"", tensors}};
  for (const auto& [words, rule] : others) {
    std::vector<Step> changed = rewritten(tensors, rule);
    changed.empty() ? void() : ways.push_back({words, std::move(changed)});
  }
  std::ranges::for_each(ways, [](Way& way) { add_means(way.steps); });
  return ways;
}

/// How much of the dump a match explains: whether all of it is right; tensors that are right or follow from others;
/// then right ones.
auto explained(const Matching& matching) {
  const std::int64_t right = std::ranges::count_if(matching.matched, &Matched::is_right);
  return std::tuple(matching.unmatched.empty() && right == std::ssize(matching.matched),
                    right + std::ranges::count_if(matching.matched, &Matched::is_inherited), right);
}

/// Compares a recognised tensor with the lesson's numbers.
Judged compared(const Matched& matched, Right& right) {
  const Tensor& step = *matched.step->tensor;
  const PortVerdict verdict = !matched.laid          ? PortVerdict::shape
                              : matched.is_right     ? PortVerdict::right
                              : matched.is_inherited ? PortVerdict::inherited
                                                     : PortVerdict::wrong;
  const Comparison comparison = matched.laid ? right.compare(*matched.laid, step) : Comparison();
  return {matched, verdict, comparison, SharedNumbers([step] { return values_of(step); })};
}

/// How many numbers a tensor takes with each seed; 0 if nothing of it is drawn.
std::int64_t work_of(const Tensor& tensor, const torch::Draws& draws) {
  bool is_drawn = false;
  std::int64_t numbers = 0;
  std::unordered_set<const void*> seen;
  for_each_source(tensor, seen, [&](const Tensor& source) {
    const bool is_product = source.kind() == Kind::matmul || source.kind() == Kind::linear;
    numbers += element_count(source.shape()) * (is_product ? source.operands()[0].size(-1) : 1);
    is_drawn = is_drawn || std::ranges::any_of(draws.draws, [&](const torch::Draw& draw) {
                 return draw.count > 0 && draw.leaf.id() == source.id();
               });
  });
  for (const torch::Draw& draw : draws.draws) {
    numbers += static_cast<std::int64_t>(draw.count);
  }
  return is_drawn ? numbers : 0;
}

/// Returns true if few seeds give such numbers: many bits, or some fractions.
bool tells_seed(const Observed& theirs, const Tensor& step) {
  constexpr std::size_t enough = 1'000;
  const auto count = static_cast<std::ptrdiff_t>(std::min(theirs.size(), enough));
  const std::set<double> different(theirs.values.begin(), theirs.values.begin() + count);
  return step.dtype() == DType::boolean ? theirs.size() >= 40 && different.size() >= 2 : different.size() >= 4;
}

/// The usual seed after which the program draws the port's numbers, if none of its drawn tensors is right; else none.
std::optional<std::int64_t> seed_of(std::span<const Matched> matched, const torch::Draws& draws, const Right& right) {
  constexpr std::int64_t most_drawn = 1'000'000'000;
  const Matched* least = nullptr;  // takes the fewest numbers
  std::int64_t work = 0;
  for (const Matched& one : matched) {
    const std::int64_t its = tells_seed(*one.theirs, *one.step->tensor) ? work_of(*one.step->tensor, draws) : 0;
    if (its > 0 && one.is_right) {
      return std::nullopt;
    }
    if (its > 0 && (least == nullptr || its < work)) {
      least = &one;
      work = its;
    }
  }
  std::int64_t numbers = 0;
  for (const std::int64_t seed : usual_seeds()) {
    numbers += work;
    if (least == nullptr || numbers > most_drawn) {
      return std::nullopt;
    }
    Right with_seed(right.tolerance(), right.heads());
    if (with_seed.holding(*least->theirs, torch::redrawn(*least->step->tensor, draws, seed))) {
      return seed;
    }
  }
  return std::nullopt;
}

/// The dump matched in the right way that explains most of it: the first in which all is right, if there is one.
Judgement best_of(std::span<const Observed> dumped, std::span<const Step> steps, const Names& names, Right& right) {
  Judgement best;
  for (Way& way : ways_of(steps)) {
    Judgement one{std::move(way)};
    one.matching = match(dumped, one.way, names, right, one.parts);
    if (best.way.steps.empty() || explained(one.matching) > explained(best.matching)) {
      best = std::move(one);
    }
    if (std::get<0>(explained(best.matching))) {
      break;
    }
  }
  return best;
}

/// Another order in which all arrays of a dump may be stored.
struct Storage {
  const char* words;
  bool are_numbers_moved;  ///< with the axes; else the shape alone is the other way round
};
constexpr Storage storages[] = {{"arrays have their axes in reverse order, as in Julia, MATLAB and Fortran", true},
                                {"shapes are written in reverse order, as ggml's ne", false}};

bool is_weight_step(const Matched& matched) {
  return is_weight(*matched.step->tensor) || matched.step->tensor->dim() < 2;
}

/// Returns true if a right tensor shows the order of axes. Weights do not: they may be transposed anyway.
bool tells_order(const Matched& matched) {
  const Shape& shape = matched.theirs->shape;
  return matched.is_right && !is_weight_step(matched) && !std::equal(shape.begin(), shape.end(), shape.rbegin());
}

/// The dump with all axes reversed, except for weights that are right as they are.
std::vector<Observed> stored_as(const Storage& storage, std::span<const Observed> dumped, const Matching& plain) {
  std::vector<Observed> result(dumped.begin(), dumped.end());
  for (std::size_t i = 0; i < result.size(); ++i) {
    Observed& theirs = result[i];
    if (std::ranges::any_of(plain.matched, [&](const Matched& matched) {
          return matched.given == i && matched.is_right && is_weight_step(matched);
        })) {
      continue;
    }
    std::vector<Axis> axes;
    const Shape strides = row_major_strides(theirs.shape);
    for (std::size_t axis = theirs.shape.size(); storage.are_numbers_moved && axis-- > 0;) {
      axes.push_back({"", theirs.shape[axis], strides[axis]});
    }
    if (!axes.empty()) {
      std::vector<double> values;
      std::ranges::transform(cells_of(axes, 0), std::back_inserter(values),
                             [&](std::int64_t cell) { return theirs.values[at(cell)]; });
      theirs.values = std::move(values);
    }
    std::ranges::reverse(theirs.shape);
  }
  return result;
}

}  // namespace

Judgement judge(std::span<const Observed> dumped, std::span<const Step> steps, const Names& names,
                const Tolerance& tolerance, const torch::Draws& draws) {
  Right right(tolerance, heads_of(steps));
  Judgement best = best_of(dumped, steps, names, right);
  const bool is_stored_so = std::ranges::any_of(
      best.matching.matched, [](const Matched& matched) { return tells_order(matched) && matched.laid->is_plain; });
  for (const Storage& storage : storages) {
    if (is_stored_so || !best.stored.empty() || std::get<0>(explained(best.matching))) {
      break;
    }
    std::vector<Observed> stored = stored_as(storage, dumped, best.matching);
    Judgement other = best_of(stored, steps, names, right);
    if (explained(other.matching) > explained(best.matching) &&
        std::ranges::any_of(other.matching.matched, tells_order)) {
      other.way.words = storage.words + (other.way.words.empty() ? "" : ", and " + other.way.words);
      other.stored = std::move(stored);
      best = std::move(other);
    }
  }
  const std::vector<Matched>& all = best.matching.matched;
  best.seed = seed_of(all, draws, right);
  std::vector<const Tensor*> shown;
  for (const Matched& matched : all) {
    // How a layer's fused tensor is cut a port has not shown by the whole.
    const bool is_own =
        matched.step->tensor->kind() != Kind::slice || std::ranges::count(all, matched.given, &Matched::given) == 1;
    if (matched.is_right && is_own && matched.laid->cells.empty()) {
      shown.push_back(&*matched.step->tensor);
    }
  }
  for (std::size_t i = 0; !best.seed && i < all.size(); ++i) {
    Judged& judged = best.tensors.emplace_back(compared(all[i], right));
    if (judged.verdict == PortVerdict::wrong) {
      judged.causes = causes_of(all[i], best.way.steps, best.matching.operands, shown, right);
    }
  }
  return best;
}

}  // namespace attn::verify
