#include "torch/reseeded.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tensor/operations.hpp"
#include "torch/generator.hpp"

namespace attn::torch {
namespace {

constexpr std::size_t most_elements = 50'000;
constexpr std::uint64_t block = 16;  // of normals

/// What an element is made from.
struct Made {
  std::vector<std::uint64_t> words;  ///< counted from the draw's first; none if an earlier draw left it over
  bool is_sine = false;              ///< of a normal number: the second of a pair
};

/// The origin of an element of a drawn tensor with `size` elements. distributions.hpp computes the numbers.
Made made_of(const Draw& draw, DropoutKernel dropout_kernel, std::uint64_t size, std::uint64_t element) {
  const Kind kind = draw.leaf.kind();
  if (kind == Kind::uniform) {
    return {{element}};
  }
  if (kind == Kind::bernoulli) {
    return dropout_kernel == DropoutKernel::mkl ? Made{{0}} : Made{{2 * element, 2 * element + 1}};
  }
  if (size < block) {
    const std::uint64_t left_over = draw.left_over ? 1 : 0;
    if (element < left_over) {
      return {};
    }
    const std::uint64_t first = (element - left_over) / 2 * 4;
    return {{first, first + 1, first + 2, first + 3}, (element - left_over) % 2 == 1};
  }
  const bool is_again = size % block != 0 && element >= size - block;
  const std::uint64_t start = is_again ? size - block : element / block * block;
  const std::uint64_t first = (is_again ? size : start) + (element - start) % (block / 2);
  return {{first, first + block / 2}, element - start >= block / 2};
}

}  // namespace

std::optional<Reseeded::Id> Reseeded::add(const Tensor& tensor, const Shape& index, const Draws& draws) {
  if (draws_ != &draws) {
    draws_ = &draws;
    leaves_.clear();
    for (const Draw& draw : draws.draws) {
      leaves_[draw.leaf.id()] = &draw;
    }
  }
  return added(tensor, index);
}

Reseeded::Id Reseeded::put(Node node) {
  const auto [entry, is_new] = ids_.try_emplace(std::move(node), nodes_.size());
  if (is_new) {
    const Node& added = entry->first;
    std::size_t needed = 0;
    for (const auto* const ids : {&added.a, &added.b}) {
      for (const std::size_t id : *ids) {
        needed = std::max(needed, added.drawn ? id + 1 : needed_[id]);
      }
    }
    nodes_.push_back(&added);
    needed_.push_back(needed);
    values_.push_back(0);
    computed_for_.push_back(0);
  }
  return entry->second;
}

bool Reseeded::is_drawn(const Tensor& tensor) {
  if (const auto known = is_drawn_.find(tensor.id()); known != is_drawn_.end()) {
    return known->second;
  }
  const bool is = leaves_.contains(tensor.id()) ||
                  std::ranges::any_of(tensor.operands(), [&](const Tensor& operand) { return is_drawn(operand); });
  return is_drawn_[tensor.id()] = is;
}

std::optional<Reseeded::Id> Reseeded::added(const Tensor& tensor, const Shape& index) {
  if (!is_drawn(tensor)) {
    return constant(tensor.value(index));
  }
  const std::pair key(tensor.id(), position_of(index, tensor.shape()));
  if (const auto known = known_.find(key); known != known_.end()) {
    return known->second;
  }
  if (nodes_.size() > most_elements) {
    return std::nullopt;
  }
  const auto draw = leaves_.find(tensor.id());
  const std::optional<Id> id =
      draw == leaves_.end() ? derived(tensor, index) : drawn(*draw->second, static_cast<std::uint64_t>(key.second));
  return known_[key] = id;
}

std::optional<Reseeded::Id> Reseeded::derived(const Tensor& tensor, const Shape& index) {
  const Facts facts = tensor.operation().facts();
  if (facts.kind == Kind::dropout && facts.p > 0) {
    return dropped(tensor, index, facts.p);
  }
  const Derivation derivation = tensor.operation().derive(tensor.operands(), index);
  if (derivation.rule == Rule::masked) {
    return constant(derivation.constant);
  }
  Node node{.drawn = {}, .rule = derivation.rule, .a = {}};
  const auto add_to = [&](std::vector<Id>& ids, const Element& element) {
    const std::optional<Id> id = added(tensor.operands()[element.operand], element.index);
    ids.push_back(id.value_or(0));
    return id.has_value();
  };
  for (const Derivation::Term& term : derivation.terms) {
    if (!add_to(node.a, term.a) || (term.b && derivation.rule != Rule::copy && !add_to(node.b, *term.b))) {
      return std::nullopt;
    }
  }
  if (derivation.bias && !add_to(node.a, *derivation.bias)) {
    return std::nullopt;
  }
  if (node.b.size() < node.a.size() && derivation.rule != Rule::copy) {
    node.b.push_back(constant(derivation.bias ? 1 : derivation.constant));
  }
  switch (derivation.rule) {
    case Rule::copy: return node.a[0];
    case Rule::softmax: return softmax(std::move(node.a), derivation.position);
    case Rule::products:
    case Rule::product:
    case Rule::quotient:
    case Rule::difference:
    case Rule::sum:
    case Rule::exponential: return put(std::move(node));
    default: return std::nullopt;
  }
}

/// An element of nn.Dropout's result, whose derivation depends on the mask.
std::optional<Reseeded::Id> Reseeded::dropped(const Tensor& tensor, const Shape& index, double p) {
  const std::optional<Id> x = added(tensor.operands()[0], index);
  const std::optional<Id> mask = added(tensor.operands()[1], index);
  if (!x || !mask) {
    return std::nullopt;
  }
  const Id kept = put({.drawn = {}, .rule = Rule::product, .a = {*x}, .b = {*mask}});
  return put({.drawn = {}, .rule = Rule::quotient, .a = {kept}, .b = {constant(1 - p)}});
}

/// exp(score) / sum of all exp: elements that the weights of a row share.
Reseeded::Id Reseeded::softmax(std::vector<Id> scores, std::size_t position) {
  for (Id& score : scores) {
    score = put({.drawn = {}, .rule = Rule::exponential, .a = {score}});
  }
  const Id exponential = scores[position];
  const Id sum = put({.drawn = {}, .rule = Rule::sum, .a = std::move(scores)});
  return put({.drawn = {}, .rule = Rule::quotient, .a = {exponential}, .b = {sum}});
}

std::optional<Reseeded::Id> Reseeded::drawn(const Draw& draw, std::uint64_t element) {
  const Facts facts = draw.leaf.operation().facts();
  auto count = static_cast<std::uint64_t>(element_count(draw.leaf.shape()));
  if (draw.ids) {
    const auto width = static_cast<std::uint64_t>(draw.leaf.size(-1));
    const double row = draw.ids->value({static_cast<std::int64_t>(element / width)});
    element = static_cast<std::uint64_t>(row) * width + element % width;
    count = static_cast<std::uint64_t>(facts.rows) * width;
  }
  Node node{.drawn = draw.ids ? Kind::normal : facts.kind, .a = {}};
  const Made made = made_of(draw, draws_->dropout_kernel, count, element);
  for (const std::uint64_t word : made.words) {
    node.a.push_back(draw.first + word);
  }
  const bool is_left_over = node.a.empty();
  const bool is_stream = facts.kind == Kind::bernoulli && node.a.size() == 1;
  if (is_left_over || is_stream || node.a.back() >= most_words) {
    return std::nullopt;
  }
  if (facts.kind == Kind::uniform) {
    node.constant = facts.fan_in > 0 ? linear_weight_bound(facts.fan_in) : 0;
  } else if (facts.kind == Kind::bernoulli) {
    node.constant = facts.p;
  } else {
    node.constant = made.is_sine ? 1 : 0;
  }
  return put(std::move(node));
}

double Reseeded::value(Id id) {
  if (computed_for_[id] != seeds_) {
    const Node& node = *nodes_[id];
    computed_for_[id] = seeds_;
    work_ += node.a.size() + 1;
    values_[id] = node.drawn ? drawn(node) : computed(node);
  }
  return values_[id];
}

double Reseeded::computed(const Node& node) {
  double result = 0;
  switch (node.rule) {
    case Rule::products:
      for (std::size_t i = 0; i < node.a.size(); ++i) {
        result += value(node.a[i]) * value(node.b[i]);
      }
      return result;
    case Rule::sum:
      for (const Id a : node.a) {
        result += value(a);
      }
      return result;
    case Rule::product: return value(node.a[0]) * value(node.b[0]);
    case Rule::quotient: return value(node.a[0]) / value(node.b[0]);
    case Rule::difference: return value(node.a[0]) - value(node.b[0]);
    case Rule::exponential: return std::exp(value(node.a[0]));
    default: return node.constant;
  }
}

/// Draws as distributions.cpp does, in float64.
double Reseeded::drawn(const Node& node) const {
  const auto unit = [&](std::size_t i) { return static_cast<double>(words_[node.a[i]] & 0xFFFFFFU) * 0x1p-24; };
  const auto long_unit = [&](std::size_t i) {
    const std::uint64_t bits = std::uint64_t{words_[node.a[i]]} << 32U | words_[node.a[i + 1]];
    return static_cast<double>(bits & ((std::uint64_t{1} << 53U) - 1)) * 0x1p-53;
  };
  if (node.drawn == Kind::uniform) {
    return node.constant > 0 ? node.constant * (2 * unit(0) - 1) : unit(0);
  }
  if (node.drawn == Kind::bernoulli) {
    return long_unit(0) < node.constant ? 1 : 0;
  }
  const bool is_small = node.a.size() == 4;
  const double radius = std::sqrt(-2 * std::log(1 - (is_small ? long_unit(2) : unit(0))));
  const double angle = 2 * std::numbers::pi * (is_small ? long_unit(0) : unit(1));
  return radius * (node.constant > 0 ? std::sin(angle) : std::cos(angle));
}

}  // namespace attn::torch
