#include "render/page/cases.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "lesson/told.hpp"
#include "text/numbers.hpp"

namespace attn::render {
namespace {

using Json = nlohmann::ordered_json;

/// A tensor with more multiplications than this is not explained number by number.
constexpr std::int64_t most_terms = 500'000;

/// Consecutive terms' elements of one operand, by position.
struct Stretch {
  std::size_t operand;
  std::vector<std::int64_t> positions;
};

/// An element's terms: the name of each side in a case, and its stretches.
using Sides = std::vector<std::pair<const char*, std::vector<Stretch>>>;

Sides sides_of(const Derivation& derivation, const std::vector<Tensor>& operands) {
  Sides sides = {{"a", {}}, {"b", {}}, {"bias", {}}, {"at", {}}};
  const auto add = [&](std::size_t side, const Element& element) {
    std::vector<Stretch>& stretches = sides[side].second;
    if (stretches.empty() || stretches.back().operand != element.operand) {
      stretches.push_back({element.operand, {}});
    }
    stretches.back().positions.push_back(position_of(element.index, operands[element.operand].shape()));
  };
  for (const Derivation::Term& term : derivation.terms) {
    add(0, term.a);
    if (term.b) {
      add(1, *term.b);
    }
  }
  if (derivation.bias) {
    add(2, *derivation.bias);
  }
  sides[3].second.push_back({0, {static_cast<std::int64_t>(derivation.position)}});
  return sides;
}

/// Elements computed in the same way, and their operands.
struct Case {
  std::size_t telling;
  bool has_own;
  std::vector<std::int64_t> elements;
  std::vector<Sides> sides;
};

/// The change of position from one element to the next along an axis; 0 if no two elements determine it.
std::int64_t slope(const Case& one, const std::vector<const Stretch*>& stretches, const Shape& shape,
                   std::size_t axis) {
  const std::vector<std::int64_t>& elements = one.elements;
  const std::int64_t stride = row_major_strides(shape)[axis];
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const std::int64_t room = shape[axis] - 1 - elements[i] / stride % shape[axis];
    for (std::int64_t far = 1; far <= room; ++far) {
      const auto found = std::lower_bound(elements.begin(), elements.end(), elements[i] + far * stride);
      if (found != elements.end() && *found == elements[i] + far * stride) {
        const auto later = static_cast<std::size_t>(found - elements.begin());
        return (stretches[later]->positions[0] - stretches[i]->positions[0]) / far;
      }
    }
  }
  return 0;
}

/// [operand, number of terms, start, step along each axis of the result..., step from term to term] if that describes
/// all positions, else {"o": operand, "n": number of terms, "x": all positions}.
Json places_json(const Case& one, const std::vector<const Stretch*>& stretches, const Shape& shape) {
  std::vector<std::int64_t> slopes;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    slopes.push_back(slope(one, stretches, shape, axis));
  }
  const auto along = [&](std::size_t i) {
    const Shape index = index_at(one.elements[i], shape);
    return std::inner_product(index.begin(), index.end(), slopes.begin(), std::int64_t{0});
  };
  const std::vector<std::int64_t>& first = stretches[0]->positions;
  const std::int64_t start = first[0] - along(0);
  const std::int64_t step = first.size() > 1 ? first[1] - first[0] : 0;
  bool fits = true;
  std::vector<std::int64_t> all;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    std::int64_t expected = start + along(i);
    for (const std::int64_t position : stretches[i]->positions) {
      fits = fits && position == expected;
      all.push_back(position);
      expected += step;
    }
  }
  const std::size_t operand = stretches[0]->operand;
  if (!fits) {
    return {{"o", operand}, {"n", first.size()}, {"x", all}};
  }
  std::vector<std::int64_t> line = {static_cast<std::int64_t>(operand), static_cast<std::int64_t>(first.size()), start};
  line.insert(line.end(), slopes.begin(), slopes.end());
  line.push_back(step);
  return line;
}

Json case_json(const Case& one, const Shape& shape) {
  Json json = {{"r", one.telling}};
  const Sides& first = one.sides[0];
  for (std::size_t side = 0; side < first.size() - (one.has_own ? 0 : 1); ++side) {
    for (std::size_t i = 0; i < first[side].second.size(); ++i) {
      std::vector<const Stretch*> stretches;
      for (const Sides& sides : one.sides) {
        stretches.push_back(&sides[side].second[i]);
      }
      json[first[side].first].push_back(places_json(one, stretches, shape));
    }
  }
  return json;
}

/// The key that distinguishes cases: rule and constant, and for each stretch its side, operand and number of terms.
using CaseKey = std::tuple<Derivation::Rule, double, std::vector<std::size_t>>;

CaseKey case_key(const Derivation& derivation, const Sides& sides) {
  std::vector<std::size_t> stretches;
  for (std::size_t side = 0; side < sides.size(); ++side) {
    for (const Stretch& stretch : sides[side].second) {
      stretches.insert(stretches.end(), {side, stretch.operand, stretch.positions.size()});
    }
  }
  return {derivation.rule, derivation.constant, std::move(stretches)};
}

Json telling_json(const Telling& telling, const Derivation& derivation) {
  const PageTelling& page = telling.page;
  Json json = {{"shown", page.paragraphs}, {"said", page.said}};
  for (const Lines& hint : telling.hints) {
    json["hints"].push_back({hint.opening, hint.each, hint.bias});
  }
  if (derivation.rule == Derivation::Rule::copy) {
    json["copy"] = 1;
  }
  if (telling.has_constant) {
    json["c"] = text::float_text(static_cast<float>(derivation.constant));
  }
  if (!page.head.empty()) {
    json.update({{"head", page.head}, {"each", page.each}, {"bias", page.bias}, {"saidEach", page.said_each}});
  }
  for (const Column& column : telling.columns) {
    json["columns"].push_back({column.name, column.operation, column.x, column.y});
  }
  return json;
}

}  // namespace

std::size_t PageTellings::number_of(const Json& telling) {
  const auto [found, is_new] = numbers_.emplace(telling.dump(), tellings_.size());
  if (is_new) {
    tellings_.push_back(telling);
  }
  return found->second;
}

Json PageTellings::from(std::size_t first) const {
  return std::vector<Json>(tellings_.begin() + static_cast<std::ptrdiff_t>(first), tellings_.end());
}

Json cases_json(const Tensor& tensor, PageTellings& tellings) {
  const Shape& shape = tensor.shape();
  const auto& operands = tensor.operands();
  const std::int64_t count = element_count(shape);
  std::map<CaseKey, std::size_t> numbers;
  std::vector<Case> cases;
  std::vector<std::size_t> which;
  for (std::int64_t element = 0; element < count; ++element) {
    const Derivation derivation = tensor.operation().derive(operands, index_at(element, shape));
    if (static_cast<std::int64_t>(derivation.terms.size()) * count > most_terms) {
      return Json::object();
    }
    Sides sides = sides_of(derivation, operands);
    const auto [found, is_new] = numbers.emplace(case_key(derivation, sides), cases.size());
    if (is_new) {
      const Telling telling = told(tensor, derivation);
      cases.push_back({tellings.number_of(telling_json(telling, derivation)), telling.has_own, {}, {}});
    }
    cases[found->second].elements.push_back(element);
    cases[found->second].sides.push_back(std::move(sides));
    which.push_back(found->second);
  }
  Json json = Json::object();
  for (const Case& one : cases) {
    json["c"].push_back(case_json(one, shape));
  }
  if (cases.size() > 1) {
    json["z"] = which;
  }
  return json;
}

}  // namespace attn::render
