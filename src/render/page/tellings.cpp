#include "render/page/tellings.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include <nlohmann/json.hpp>

#include "lesson/told.hpp"
#include "text/numbers.hpp"

namespace attn::render {
namespace {

using Json = nlohmann::ordered_json;

/// A tensor with more terms than this is not explained number by number: a page would load slowly.
constexpr std::int64_t most_page_terms = 100'000;

Json telling_json(const Telling& telling, const Derivation& derivation) {
  const PageTelling& page = telling.page;
  Json json = {{"shown", page.paragraphs}, {"said", page.said}};
  for (const Lines& hint : telling.hints) {
    json["hints"].push_back({hint.opening, hint.each, hint.bias});
  }
  if (derivation.rule == Derivation::Rule::copy) {
    json["copy"] = 1;
  }
  if (telling.has_own) {
    json["own"] = 1;
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

/// The descriptions of one tensor's elements: those that are computed alike have the same.
class TensorTellings {
 public:
  TensorTellings(const Tensor& tensor, PageTellings& all) : tensor_(tensor), all_(all) {}

  std::size_t number_of(const Derivation& derivation) {
    const auto& terms = derivation.terms;
    const Key key = {derivation.rule, derivation.constant, terms.size(), !terms.empty() && terms[0].b.has_value()};
    auto found = numbers_.find(key);
    if (found == numbers_.end()) {
      found = numbers_.emplace(key, all_.number_of(telling_json(told(tensor_, derivation), derivation))).first;
    }
    return found->second;
  }

 private:
  using Key = std::tuple<Derivation::Rule, double, std::size_t, bool>;

  const Tensor& tensor_;
  PageTellings& all_;
  std::map<Key, std::size_t> numbers_;
};

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

Json derivations_json(const Tensor& tensor, PageTellings& tellings) {
  const auto& operands = tensor.operands();
  std::vector<std::int64_t> begins = {0};
  for (const Tensor& operand : operands) {
    begins.push_back(begins.back() + element_count(operand.shape()));
  }
  const auto place = [&](const Element& element) {
    return begins[element.operand] + position_of(element.index, operands[element.operand].shape());
  };
  const std::int64_t count = element_count(tensor.shape());
  TensorTellings numbers(tensor, tellings);
  Json all = Json::array();
  for (std::int64_t position = 0; position < count; ++position) {
    const Derivation derivation = tensor.operation().derive(operands, index_at(position, tensor.shape()));
    if (static_cast<std::int64_t>(derivation.terms.size()) * count > most_page_terms) {
      return Json::array();
    }
    const std::size_t telling = numbers.number_of(derivation);
    std::vector<std::int64_t> a;
    std::vector<std::int64_t> b;
    std::vector<std::int64_t> bias;
    for (const Derivation::Term& term : derivation.terms) {
      a.push_back(place(term.a));
      if (term.b) {
        b.push_back(place(*term.b));
      }
    }
    if (derivation.bias) {
      bias.push_back(place(*derivation.bias));
    }
    Json one = {telling, a, b, bias};
    while (one.back().is_array() && one.back().empty()) {
      one.erase(one.size() - 1);
    }
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace attn::render
