#include "lesson/account.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "tensor/math.hpp"
#include "text/lines.hpp"
#include "text/numbers.hpp"

namespace attn::render {
namespace {

/// Digits that tell a float32 apart from its neighbours.
constexpr int all_digits = std::numeric_limits<float>::max_digits10;

/// Compares two float32 numbers as torch.allclose does.
bool is_close(double a, double b) {
  const float x = static_cast<float>(a);
  const float y = static_cast<float>(b);
  return x == y || std::abs(x - y) <= 1e-08F + std::abs(1e-05F * y);
}

/// What a column's operation makes of each pair of numbers, in double precision.
struct EachOperation {
  std::string_view name;
  double (*of)(double x, double y);
};

constexpr EachOperation each_operations[] = {
    {"*", [](double x, double y) { return x * y; }},
    {"/", [](double x, double y) { return x / y; }},
    {"-", [](double x, double y) { return x - y; }},
    {"exp", [](double x, double) { return rounded::exp(x); }},
    {"cos", [](double x, double) { return rounded::cos(x); }},
    {"sin", [](double x, double) { return rounded::sin(x); }},
    {"sqrt", [](double x, double) { return std::sqrt(x); }},
    {"rsqrt", [](double x, double) { return 1 / std::sqrt(x); }},
    {"equal", [](double x, double y) { return x == y ? 1.0 : 0.0; }},
    {"close", [](double x, double y) { return is_close(x, y) ? 1.0 : 0.0; }},
};

double value_of(const Tensor& tensor, const Element& element) {
  return tensor.operands()[element.operand].value(element.index);
}

/// The first axis along which the two indices differ.
std::optional<std::size_t> differing_axis(const Shape& first, const Shape& last) {
  const auto [in_first, in_last] = std::ranges::mismatch(first, last);
  return in_first == first.end() ? std::nullopt : std::optional(static_cast<std::size_t>(in_first - first.begin()));
}

}  // namespace

Derivation derived(const Tensor& tensor, const Shape& index) {
  const Operation& operation = tensor.operation();
  return operation.is_parameter() ? Derivation(Derivation::Rule::given) : operation.derive(tensor.operands(), index);
}

double double_value(const Tensor& tensor, const Derivation& derivation) {
  const Telling telling = told(tensor, derivation);
  return Columns(tensor, derivation, telling, true).at(telling.result, derivation.position);
}

// ---- Columns ---------------------------------------------------------------------------------------

double Columns::at(std::string_view name, std::size_t term) {
  const Numbers& all = numbers(name);
  return all[all.size() == 1 ? 0 : term];
}

const Columns::Numbers& Columns::numbers(std::string_view name) {
  if (const auto found = known_.find(name); found != known_.end()) {
    return found->second;
  }
  const auto column = std::ranges::find(telling_.columns, name, &Column::name);
  return known_.emplace(name, column == telling_.columns.end() ? given(name) : computed(*column)).first->second;
}

Columns::Numbers Columns::given(std::string_view name) const {
  Numbers numbers;
  if (name == "c") {
    numbers.push_back(derivation_.constant);
  } else if (name == "bias" && derivation_.bias) {
    numbers.push_back(value_of(tensor_, *derivation_.bias));
  }
  for (std::size_t i = 0; i < derivation_.terms.size(); ++i) {
    const Derivation::Term& term = derivation_.terms[i];
    if (name == "a" || (name == "b" && term.b)) {
      numbers.push_back(value_of(tensor_, name == "a" ? term.a : *term.b));
    } else if (name == "own") {
      numbers.push_back(i == derivation_.position ? 1 : 0);
    }
  }
  return numbers;
}

Columns::Numbers Columns::computed(const Column& column) {
  // For two float32 operands, float32's sum, difference, product and quotient equal double's, rounded.
  const auto rounded = [&](double value) {
    return column.is_float32 && !is_exact_ ? static_cast<double>(static_cast<float>(value)) : value;
  };
  const Numbers x = numbers(column.x);
  const Numbers y = column.y.empty() ? Numbers() : numbers(column.y);
  const auto* const operation = std::ranges::find(each_operations, column.operation, &EachOperation::name);
  if (operation != std::end(each_operations)) {
    Numbers results;
    for (std::size_t i = 0; i < std::max(x.size(), y.size()); ++i) {
      const double second = y.empty() ? 0 : y[y.size() == 1 ? 0 : i];
      results.push_back(rounded(operation->of(x[x.size() == 1 ? 0 : i], second)));
    }
    return results;
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

// ---- Text ------------------------------------------------------------------------------------------

Account::Account(const Tensor& tensor, const Shape& index, const CellWords& words, int precision)
    : tensor_(tensor),
      words_(words),
      precision_(precision),
      derivation_(derived(tensor, index)),
      telling_(told(tensor, derivation_)),
      columns_(tensor, derivation_, telling_, false) {}

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

double Account::number(std::string_view column, std::size_t term) const { return columns_.at(column, term); }

/// Two digits more than PyTorch prints at that precision, so that the last printed digit comes out right.
std::string Account::number_text(double value) const {
  const double size = std::abs(value);
  const bool is_fixed = size == 0 || !std::isfinite(value) || (size >= 1e-4 && size < 1e6);
  const auto format = is_fixed ? std::chars_format::fixed : std::chars_format::scientific;
  return text::number_text(size == 0 ? 0 : value, format, precision_ + 2);
}

std::string Account::element_text(const Element& element) const {
  const double value = value_of(tensor_, element);
  return operand(element).dtype() != DType::boolean ? number_text(value) : value != 0 ? "True" : "False";
}

bool Account::counts(std::size_t term) const {
  const bool is_own = telling_.has_own && term == derivation_.position;
  return telling_.factor.empty() || is_own || number(telling_.factor, term) != 0;
}

}  // namespace attn::render
