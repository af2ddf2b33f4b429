#include "verify/bound/regular.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "tensor/operations.hpp"

namespace attn::verify {
namespace {

using Rule = Derivation::Rule;

/// The derivations of some cells.
struct Probed {
  Shape index;
  Derivation derivation;
};

/// Of the first cell, its neighbour along each axis, the last cell, and some in between.
std::vector<Probed> probed(const Tensor& tensor) {
  constexpr std::int64_t between = 3;
  const Shape& shape = tensor.shape();
  std::vector<Shape> indices = {Shape(shape.size(), 0)};
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    indices.push_back(indices[0]);
    indices.back()[axis] = std::min<std::int64_t>(1, shape[axis] - 1);
  }
  const std::int64_t count = element_count(shape);
  for (std::int64_t i = 1; i <= between; ++i) {
    indices.push_back(index_at(count * i / (between + 1), shape));
  }
  indices.push_back(index_at(count - 1, shape));
  std::vector<Probed> result;
  for (Shape& index : indices) {
    Derivation derivation = tensor.operation().derive(tensor.operands(), index);
    result.push_back({std::move(index), std::move(derivation)});
  }
  return result;
}

using ElementOf = std::function<std::optional<Element>(const Derivation&, std::size_t term)>;

/// The places of these elements; none if they are not at constant distances.
std::optional<Strides> strides_of(const Tensor& tensor, const std::vector<Probed>& cells, const ElementOf& element) {
  const auto place = [&](const Probed& cell, std::size_t term) -> std::optional<std::pair<std::size_t, std::int64_t>> {
    const std::optional<Element> one = element(cell.derivation, term);
    return one ? std::optional(
                     std::pair(one->operand, position_of(one->index, tensor.operands()[one->operand].shape())))
               : std::nullopt;
  };
  const auto first = place(cells[0], 0);
  if (!first) {
    return std::nullopt;
  }
  Strides places{first->first, first->second};
  const std::size_t terms = cells[0].derivation.terms.size();
  const auto second = terms > 1 ? place(cells[0], 1) : first;
  places.per_term = second ? second->second - first->second : 0;
  for (std::size_t axis = 0; axis < tensor.shape().size(); ++axis) {
    const auto next = place(cells[1 + axis], 0);
    places.per_axis.push_back(next ? next->second - first->second : 0);
  }
  const bool are_at_places = std::ranges::all_of(cells, [&](const Probed& cell) {
    bool are_all = cell.derivation.terms.size() == terms;
    for (std::size_t term = 0; are_all && term < terms; ++term) {
      const auto found = place(cell, term);
      are_all = found && found->first == places.operand &&
                found->second == places.at(cell.index, static_cast<std::int64_t>(term));
    }
    return are_all;
  });
  return are_at_places ? std::optional(std::move(places)) : std::nullopt;
}

std::optional<Element> first_factor(const Derivation& one, std::size_t term) { return one.terms[term].a; }
std::optional<Element> second_factor(const Derivation& one, std::size_t term) { return one.terms[term].b; }
std::optional<Element> bias(const Derivation& one, std::size_t) { return one.bias; }

/// The element of the mask, which one of a choice's two rules names second and the other first.
std::optional<Element> mask_element(const Derivation& one, std::size_t) {
  return one.rule == Rule::masked ? one.terms[0].a : one.terms[0].b;
}

Regular sums(const Tensor& tensor, const std::vector<Probed>& cells) {
  const Derivation& first = cells[0].derivation;
  if (first.terms.empty()) {
    return {};
  }
  Regular result;
  result.terms = std::ssize(first.terms);
  result.has_bias = first.bias.has_value();
  std::vector<ElementOf> elements = {first_factor};
  if (first.terms[0].b) {
    elements.push_back(second_factor);
  }
  if (result.has_bias) {
    elements.push_back(bias);
  }
  for (const ElementOf& element : elements) {
    if (std::optional<Strides> places = strides_of(tensor, cells, element)) {
      result.factors.push_back(*std::move(places));
    }
  }
  const auto is_shared = [](const Strides& factor) { return factor.per_axis.back() == 0; };
  const bool is_product = first.terms[0].b.has_value();
  const bool is_regular = result.factors.size() == elements.size() &&
                          (!is_product || is_shared(result.factors[0]) || is_shared(result.factors[1]));
  result.form = is_regular ? Regular::Form::sums : Regular::Form::none;
  return result;
}

Regular with_places(const Tensor& tensor, const std::vector<Probed>& cells, Regular::Form form,
                    const ElementOf& element) {
  std::optional<Strides> places = strides_of(tensor, cells, element);
  return places ? Regular{form, 1, {*std::move(places)}} : Regular();
}

}  // namespace

std::int64_t Strides::at(const Shape& index, std::int64_t term) const {
  return std::inner_product(index.begin(), index.end(), per_axis.begin(), first + term * per_term);
}

Regular regular_of(const Tensor& tensor) {
  if (tensor.operands().empty() || tensor.dim() == 0 || element_count(tensor.shape()) == 0) {
    return {};
  }
  const std::vector<Probed> cells = probed(tensor);
  const auto have = [&](std::initializer_list<Rule> rules) {
    return std::ranges::all_of(
        cells, [&](const Probed& cell) { return std::ranges::find(rules, cell.derivation.rule) != rules.end(); });
  };
  const auto every = [&](const auto& holds) { return std::ranges::all_of(cells, holds); };
  const Tensor& x = tensor.operands()[0];
  const bool is_cell_by_cell =
      x.shape() == tensor.shape() && every([](const Probed& cell) {
        const Derivation& one = cell.derivation;
        return one.rule == Rule::masked ||
               (!one.terms.empty() && one.terms[0].a.operand == 0 && one.terms[0].a.index == cell.index);
      });
  const auto has_mask = [](const Probed& cell) { return mask_element(cell.derivation, 0).has_value(); };
  if (have({Rule::products}) || have({Rule::sum})) {
    return sums(tensor, cells);
  }
  if (have({Rule::copy}) && !every(has_mask)) {
    return with_places(tensor, cells, Regular::Form::copies, first_factor);
  }
  if (have({Rule::quotient}) && is_cell_by_cell &&
      every([](const Probed& cell) { return !cell.derivation.terms[0].b; })) {
    return {Regular::Form::shares};
  }
  if ((have({Rule::copy, Rule::masked}) || have({Rule::kept, Rule::dropped})) && is_cell_by_cell && every(has_mask)) {
    return with_places(tensor, cells, Regular::Form::choices, mask_element);
  }
  const auto is_along_row = [&](const Probed& cell) {
    const Derivation& one = cell.derivation;
    return std::ssize(one.terms) == tensor.size(-1) && static_cast<std::int64_t>(one.position) == cell.index.back();
  };
  const auto are_rows = [&](const ElementOf& element) {
    const auto places = strides_of(tensor, cells, element);
    return places && places->per_term == 1 && places->per_axis.back() == 0;
  };
  if (x.shape() == tensor.shape() && every(is_along_row) && are_rows(first_factor)) {
    if (have({Rule::softmax})) {
      return {Regular::Form::softmax};
    }
    if (have({Rule::softmax_gradient}) && are_rows(second_factor)) {
      return {Regular::Form::softmax_gradient};
    }
  }
  return {};
}

}  // namespace attn::verify
