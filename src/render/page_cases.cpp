#include "render/page_cases.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "text/numbers.hpp"

namespace attn::render {
namespace {

using Json = nlohmann::ordered_json;

/// More multiplications than this are not explained one by one.
constexpr std::int64_t most_terms = 500'000;

std::int64_t position_of(const Shape& index, const Shape& shape) {
  const Shape strides = row_major_strides(shape);
  return std::inner_product(index.begin(), index.end(), strides.begin(), std::int64_t{0});
}

/// For elements of the result, by position: the positions of their terms in one operand.
struct Places {
  std::size_t operand = 0;
  std::vector<std::vector<std::int64_t>> terms;
};

/// How the positions change from one element to a later one along an axis; 0 where no two elements tell.
std::int64_t slope(const std::vector<std::int64_t>& elements, const Places& places, const Shape& shape,
                   std::size_t axis) {
  const std::int64_t stride = row_major_strides(shape)[axis];
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const std::int64_t room = shape[axis] - 1 - elements[i] / stride % shape[axis];
    for (std::int64_t far = 1; far <= room; ++far) {
      const auto found = std::lower_bound(elements.begin(), elements.end(), elements[i] + far * stride);
      if (found != elements.end() && *found == elements[i] + far * stride) {
        return (places.terms[static_cast<std::size_t>(found - elements.begin())][0] - places.terms[i][0]) / far;
      }
    }
  }
  return 0;
}

/// [operand, start, steps along each axis of the result..., step from term to term] where that says it all, else
/// {"o": operand, "x": all positions}.
Json places_json(const std::vector<std::int64_t>& elements, const Places& places, const Shape& shape) {
  std::vector<std::int64_t> slopes;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    slopes.push_back(slope(elements, places, shape, axis));
  }
  const auto along = [&](std::size_t i) {
    const Shape index = index_at(elements[i], shape);
    return std::inner_product(index.begin(), index.end(), slopes.begin(), std::int64_t{0});
  };
  const std::vector<std::int64_t>& first = places.terms[0];
  const std::int64_t start = first[0] - along(0);
  const std::int64_t step = first.size() > 1 ? first[1] - first[0] : 0;
  bool fits = true;
  std::vector<std::int64_t> all;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    std::int64_t expected = start + along(i);
    for (const std::int64_t position : places.terms[i]) {
      fits = fits && position == expected;
      all.push_back(position);
      expected += step;
    }
  }
  if (!fits) {
    return {{"o", places.operand}, {"x", all}};
  }
  std::vector<std::int64_t> line = {static_cast<std::int64_t>(places.operand), start};
  line.insert(line.end(), slopes.begin(), slopes.end());
  line.push_back(step);
  return line;
}

/// Elements that came about in the same way.
struct Case {
  std::vector<std::int64_t> elements;
  Places a;
  Places b;
  Places bias;
  Places position;  ///< softmax: which term is the element's own
};

using CaseKey = std::tuple<int, double, std::size_t, std::int64_t, std::int64_t, std::int64_t>;

CaseKey case_key(const Derivation& derivation) {
  const bool has_terms = !derivation.terms.empty();
  const auto& b = has_terms ? derivation.terms[0].b : std::nullopt;
  return {static_cast<int>(derivation.rule),
          derivation.constant,
          derivation.terms.size(),
          has_terms ? static_cast<std::int64_t>(derivation.terms[0].a.operand) : -1,
          b ? static_cast<std::int64_t>(b->operand) : -1,
          derivation.bias ? static_cast<std::int64_t>(derivation.bias->operand) : -1};
}

void add_to(Case& one, const Derivation& derivation, const std::vector<Tensor>& operands, std::int64_t element) {
  const auto at = [&](Places& places, const Element& from) {
    places.operand = from.operand;
    places.terms.back().push_back(position_of(from.index, operands[from.operand].shape()));
  };
  one.elements.push_back(element);
  for (Places* places : {&one.a, &one.b, &one.bias, &one.position}) {
    places->terms.emplace_back();
  }
  for (const Derivation::Term& term : derivation.terms) {
    at(one.a, term.a);
    if (term.b) {
      at(one.b, *term.b);
    }
  }
  if (derivation.bias) {
    at(one.bias, *derivation.bias);
  }
  one.position.terms.back().push_back(static_cast<std::int64_t>(derivation.position));
}

Json case_json(const CaseKey& key, const Case& one, const Shape& shape) {
  const auto rule = static_cast<Derivation::Rule>(std::get<0>(key));
  Json json = {{"r", rule_name(rule)}};
  const auto put = [&](const char* name, const Places& places) {
    if (!places.terms[0].empty()) {
      json[name] = places_json(one.elements, places, shape);
    }
  };
  json["n"] = std::get<2>(key);
  put("a", one.a);
  put("b", one.b);
  put("bias", one.bias);
  if (rule == Derivation::Rule::softmax) {
    put("at", one.position);
  }
  if (std::get<1>(key) != 0) {
    json["c"] = text::float_text(static_cast<float>(std::get<1>(key)));
  }
  return json;
}

}  // namespace

nlohmann::ordered_json cases_json(const Tensor& tensor) {
  const Shape& shape = tensor.shape();
  const auto& operands = tensor.operands();
  const std::int64_t count = element_count(shape);
  std::map<CaseKey, std::size_t> numbers;
  std::vector<std::pair<CaseKey, Case>> cases;
  std::vector<std::size_t> which;
  for (std::int64_t element = 0; element < count; ++element) {
    const Derivation derivation = tensor.operation().derive(operands, index_at(element, shape));
    if (static_cast<std::int64_t>(derivation.terms.size()) * count > most_terms) {
      return Json::object();
    }
    const CaseKey key = case_key(derivation);
    const auto [found, is_new] = numbers.emplace(key, cases.size());
    if (is_new) {
      cases.emplace_back(key, Case{});
    }
    add_to(cases[found->second].second, derivation, operands, element);
    which.push_back(found->second);
  }
  Json json = Json::object();
  for (const auto& [key, one] : cases) {
    json["c"].push_back(case_json(key, one, shape));
  }
  if (cases.size() > 1) {
    json["z"] = which;
  }
  return json;
}

}  // namespace attn::render
