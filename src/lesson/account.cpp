#include "lesson/account.hpp"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "lesson/derived.hpp"
#include "tensor/glibc_math.hpp"
#include "tensor/rounded_math.hpp"
#include "text/columns.hpp"
#include "text/numbers.hpp"

namespace attn::render {
namespace {

using Numbers = std::vector<double>;
using Known = std::map<std::string_view, Numbers>;

/// The rounding of numbers: every number to float32, none, or the columns that are shown as float32.
enum class Precision { float32, float64, shown };

/// Digits that tell a float32 apart from its neighbours.
constexpr int all_digits = std::numeric_limits<float>::max_digits10;

/// Computes columns on demand.
class Columns {
 public:
  Columns(const Tensor& tensor, const Derivation& derivation, const Telling& telling, Precision precision, Known& known)
      : tensor_(tensor), derivation_(derivation), columns_(telling.columns), precision_(precision), known_(known) {}

  const Numbers& numbers(std::string_view name) {
    if (const auto found = known_.find(name); found != known_.end()) {
      return found->second;
    }
    const auto column = std::ranges::find(columns_, name, &Column::name);
    return known_.emplace(name, column == columns_.end() ? given(name) : computed(*column)).first->second;
  }

 private:
  Numbers given(std::string_view name) const {
    Numbers numbers;
    const auto add = [&](double value) {
      numbers.push_back(precision_ == Precision::float32 ? static_cast<double>(static_cast<float>(value)) : value);
    };
    if (name == "c") {
      add(derivation_.constant);
    } else if (name == "bias" && derivation_.bias) {
      add(value_of(tensor_, *derivation_.bias));
    }
    for (std::size_t i = 0; i < derivation_.terms.size(); ++i) {
      const Derivation::Term& term = derivation_.terms[i];
      if (name == "a" || (name == "b" && term.b)) {
        add(value_of(tensor_, name == "a" ? term.a : *term.b));
      } else if (name == "own") {
        add(i == derivation_.position ? 1 : 0);
      }
    }
    return numbers;
  }

  Numbers computed(const Column& column) {
    const bool is_float32 = precision_ == Precision::float32 || (precision_ == Precision::shown && column.is_float32);
    // For two float32 operands, float32's sum, difference, product and quotient equal double's, rounded.
    const auto rounded = [&](double value) {
      return is_float32 ? static_cast<double>(static_cast<float>(value)) : value;
    };
    const Numbers x = numbers(column.x);
    const Numbers y = column.y.empty() ? Numbers() : numbers(column.y);
    const auto each = [&](auto operation) {
      Numbers results;
      for (std::size_t i = 0; i < std::max(x.size(), y.size()); ++i) {
        results.push_back(rounded(operation(at(x, i), column.y.empty() ? 0 : at(y, i))));
      }
      return results;
    };
    if (column.operation == "*") {
      return each(std::multiplies());
    }
    if (column.operation == "/") {
      return each(std::divides());
    }
    if (column.operation == "-") {
      return each(std::minus());
    }
    if (column.operation == "exp") {
      return each([&](double power, double) {
        return is_float32 ? static_cast<double>(glibc::exp(static_cast<float>(power))) : rounded::exp(power);
      });
    }
    if (column.operation == "cos" || column.operation == "sin") {
      return each(
          [&](double angle, double) { return column.operation == "cos" ? rounded::cos(angle) : rounded::sin(angle); });
    }
    if (column.operation == "sqrt" || column.operation == "rsqrt") {
      return each([&](double number, double) {
        const double root = rounded(std::sqrt(number));
        return column.operation == "sqrt" ? root : 1 / root;
      });
    }
    if (column.operation == "equal") {
      return each([](double a, double b) { return a == b ? 1.0 : 0.0; });
    }
    if (column.operation == "close") {
      return each([](double a, double b) { return is_close(a, b) ? 1.0 : 0.0; });
    }
    if (column.operation == "all") {
      return {std::ranges::count(x, 0) == 0 ? 1.0 : 0.0};
    }
    if (column.operation == "largest") {
      return {*std::ranges::max_element(x)};
    }
    Numbers sums = {0};
    for (const Numbers& numbers : {x, y}) {
      for (const double number : numbers) {
        sums.push_back(rounded(sums.back() + number));
      }
    }
    assert(column.operation == "running" || column.operation == "total");
    return column.operation == "total" ? Numbers{sums.back()} : Numbers(sums.begin() + 1, sums.end());
  }

 public:
  /// A term's number, or the only number if all terms share it.
  static double at(const Numbers& numbers, std::size_t i) { return numbers[numbers.size() == 1 ? 0 : i]; }

 private:
  const Tensor& tensor_;
  const Derivation& derivation_;
  const std::vector<Column>& columns_;
  Precision precision_;
  Known& known_;
};

double value_in(Precision precision, const Tensor& tensor, const Derivation& derivation) {
  const Telling telling = told(tensor, derivation);
  Known known;
  return Columns::at(Columns(tensor, derivation, telling, precision, known).numbers(telling.result),
                     derivation.position);
}

}  // namespace

double double_value(const Tensor& tensor, const Derivation& derivation) {
  return value_in(Precision::float64, tensor, derivation);
}

float float_value(const Tensor& tensor, const Derivation& derivation) {
  return static_cast<float>(value_in(Precision::float32, tensor, derivation));
}

Account::Account(const Tensor& tensor, const Shape& index, const CellWords& words, int precision)
    : tensor_(tensor),
      words_(words),
      precision_(precision),
      derivation_(derived(tensor, index)),
      telling_(told(tensor, derivation_)) {}

std::string Account::filled(std::string_view pattern, std::optional<std::size_t> term) const {
  std::string text;
  while (!pattern.empty()) {
    const std::size_t open = std::min(pattern.find('{'), pattern.size());
    text += pattern.substr(0, open);
    pattern.remove_prefix(open);
    if (!pattern.empty()) {
      const std::size_t close = pattern.find('}');
      text += piece(pattern.substr(1, close - 1), term.value_or(derivation_.position));
      pattern.remove_prefix(close + 1);
    }
  }
  return text;
}

std::string Account::piece(std::string_view key, std::size_t term) const {
  if (key == "name") {
    return words_.name(tensor_);
  }
  if (key == "expression") {
    return tensor_.expression();
  }
  if (key == "token") {
    const Element& a = derivation_.terms[term].a;
    const auto token = words_.token_along(operand(a), a.index, open_axis("a"));
    return token ? "  " + *token : "";
  }
  if (const std::size_t question = key.find('?'); question != std::string_view::npos) {
    const std::size_t colon = key.find(':', question);
    const bool holds = number(key.substr(0, question), term) != 0;
    return std::string(holds ? key.substr(question + 1, colon - question - 1) : key.substr(colon + 1));
  }
  if (key.ends_with(" run")) {
    const std::string_view name = key.substr(0, key.find(' '));
    const Element& first = *element(name, 0);
    return words_.run(operand(first), first.index, open_axis(name));
  }
  const std::string_view name = key.substr(key.find_first_not_of("=>!"));
  const Element* const element = this->element(name, term);
  switch (key[0]) {
    case '=': return element ? element_text(*element) : number_text(number(name, term));
    case '>':
      return text::right_aligned(number_text(number(name, term)), static_cast<std::int64_t>(number_text(-1).size()));
    case '!': return text::number_text(number(name, term), std::chars_format::general, all_digits);
    default: return words_.cell(operand(*element), element->index);
  }
}

const Element* Account::element(std::string_view name, std::size_t term) const {
  if (name == "bias") {
    return derivation_.bias ? &*derivation_.bias : nullptr;
  }
  if ((name != "a" && name != "b") || term >= derivation_.terms.size()) {
    return nullptr;
  }
  const Derivation::Term& one = derivation_.terms[term];
  return name == "a" ? &one.a : one.b ? &*one.b : nullptr;
}

std::optional<std::size_t> Account::open_axis(std::string_view name) const {
  const Element& first = *element(name, 0);
  const Element& last = *element(name, derivation_.terms.size() - 1);
  return first.operand == last.operand ? differing_axis(first.index, last.index) : std::nullopt;
}

double Account::number(std::string_view column, std::size_t term) const {
  return Columns::at(Columns(tensor_, derivation_, telling_, Precision::shown, numbers_).numbers(column), term);
}

std::string Account::number_text(double value) const { return arithmetic_text(value, precision_); }

std::string Account::element_text(const Element& element) const {
  const double value = value_of(tensor_, element);
  return operand(element).dtype() != DType::boolean ? number_text(value) : value != 0 ? "True" : "False";
}

bool Account::counts(std::size_t term) const {
  const bool is_own = telling_.has_own && term == derivation_.position;
  return telling_.factor.empty() || is_own || number(telling_.factor, term) != 0;
}

}  // namespace attn::render
