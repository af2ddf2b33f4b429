#include "render/page/words.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <ostream>
#include <string_view>
#include <tuple>
#include <vector>

#include <nlohmann/json.hpp>

#include "lesson/told.hpp"
#include "render/page/template.hpp"
#include "text/lines.hpp"
#include "text/numbers.hpp"

namespace attn::render {

namespace {

void write_cell(std::ostream& out, const char* element, const char* scope, const std::string& text) {
  out << '<' << element << scope << '>';
  write_escaped(out, text);
  out << "</" << element << '>';
}

/// The first row names the columns and the first column the rows.
void write_table(std::ostream& out, const std::vector<std::vector<std::string>>& table) {
  out << "<div class=\"scroll\" role=\"group\" aria-label=\"In numbers\"><table class=\"reason\">";
  for (std::size_t row = 0; row < table.size(); ++row) {
    out << "<tr>";
    for (std::size_t column = 0; column < table[row].size(); ++column) {
      const bool is_head = row == 0 || column == 0;
      const bool is_corner = is_head && table[row][column].empty();
      write_cell(out, is_head && !is_corner ? "th" : "td",
                 is_corner     ? ""
                 : row == 0    ? " scope=\"col\""
                 : column == 0 ? " scope=\"row\""
                               : "",
                 table[row][column]);
    }
    out << "</tr>";
  }
  out << "</table></div>";
}

/// "masked_attn_scores" as "masked attention scores"; names that are not words stay: "W_query", "x_2".
std::string in_words(std::string_view name) {
  static const std::map<std::string_view, std::string_view> words = {
      {"attn", "attention"},  {"exp", "exponentials of"}, {"heads", "by head"}, {"out", "output"},
      {"proj", "projection"}, {"vec", "vector"},          {"vecs", "vectors"},
  };
  if (name.find('_') < 2) {
    return std::string(name);
  }
  std::string text;
  while (!name.empty()) {
    const std::string_view part = name.substr(0, name.find('_'));
    const auto word = words.find(part);
    text += text.empty() ? "" : " ";
    text += word == words.end() ? part : word->second;
    name.remove_prefix(std::min(part.size() + 1, name.size()));
  }
  return text;
}

}  // namespace

std::string heading_of(const Step& step) {
  std::string heading(text::trimmed(step.label));
  while (heading.ends_with(':')) {
    heading.pop_back();
  }
  const bool is_code = heading.empty() || heading.find_first_of("_()[]@=/.") != std::string::npos;
  return is_code ? in_words(step.name) : heading;
}

void write_notice_items(std::ostream& out, std::span<const std::string> notices) {
  for (const std::string& notice : notices) {
    out << "<li>";
    write_escaped(out, notice);
    out << "</li>";
  }
}

void write_glossary(std::ostream& out, std::string_view glossary) {
  constexpr std::string_view bullet = "- ";
  const char* end = "";
  for (const std::string& line : text::lines_of(std::string(glossary))) {
    if (line.starts_with(bullet)) {
      const std::size_t colon = line.find(": ");
      out << end << "<div><dt>";
      write_escaped(out, line.substr(bullet.size(), colon - bullet.size()));
      out << "</dt><dd>";
      write_escaped(out, line.substr(colon + 2));
      end = "</dd></div>\n";
    } else if (line.starts_with("  ")) {
      write_escaped(out, line.substr(1));
    }
  }
  out << end;
}

void write_reasons(std::ostream& out, std::span<const Reason> reasons) {
  for (const Reason& reason : reasons) {
    out << "<p>";
    write_escaped(out, reason.text);
    out << "</p>";
    if (!reason.table.empty()) {
      write_table(out, reason.table);
    }
  }
}

void write_through(std::ostream& out, std::span<const StepExplanation> before) {
  for (const StepExplanation& step : before) {
    out << "<p class=\"expression\"><code>";
    write_escaped(out, step.name + " = " + step.expression);
    out << "</code></p><p>";
    write_escaped(out, step.why);
    out << "</p>";
    write_reasons(out, step.reasons);
    out << "<ul class=\"notices\">";
    write_notice_items(out, step.notices);
    out << "</ul>";
  }
}

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
