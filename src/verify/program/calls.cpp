#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "tensor/operations.hpp"
#include "tensor/what_if.hpp"
#include "verify/page/pieces.hpp"
#include "verify/program/value_parts.hpp"

/// The table of a library's functions.
namespace attn::verify {
namespace {

/// Functions of a number.
struct NumberFunction {
  std::string_view names;
  double (*of)(double);
};
constexpr auto number_functions = std::to_array<NumberFunction>({
    {"exp", [](double v) { return std::exp(v); }},
    {"sqrt", [](double v) { return std::sqrt(v); }},
    {"log", [](double v) { return std::log(v); }},
    {"tanh", [](double v) { return std::tanh(v); }},
    {"sigmoid", [](double v) { return 1 / (1 + std::exp(-v)); }},
    {"relu", [](double v) { return std::isnan(v) ? v : std::max(0.0, v); }},
    {"gelu", [](double v) { return v * 0.5 * std::erfc(-v / std::sqrt(2.0)); }},
    {"silu", [](double v) { return v / (1 + std::exp(-v)); }},
    {"erf", [](double v) { return std::erf(v); }},
    {"floor", [](double v) { return std::floor(v); }},
    {"ceil", [](double v) { return std::ceil(v); }},
    {"int long LongTensor IntTensor", [](double v) { return std::trunc(v); }},
    {"neg negative", [](double v) { return -v; }},
    {"abs", [](double v) { return std::abs(v); }},
    {"sin", [](double v) { return std::sin(v); }},
    {"cos", [](double v) { return std::cos(v); }},
});

/// Functions that a sign stands for as well.
struct Sign {
  std::string_view sign;
  std::string_view names;
};
constexpr auto signs = std::to_array<Sign>({
    {"@", "matmul mm bmm dot inner_product"},
    {"*", "mul multiply"},
    {"+", "add"},
    {"-", "sub subtract"},
    {"/", "div divide true_divide"},
    {"%", "remainder"},
    {"**", "pow power float_power"},
    {"==", "eq"},
    {"!=", "ne not_equal"},
    {"<", "lt less"},
    {">", "gt greater"},
    {"<=", "le less_equal"},
    {">=", "ge greater_equal"},
    {"&&", "logical_and"},
    {"||", "logical_or"},
    {"maximum", "maximum"},
    {"minimum", "minimum"},
});

/// The row of a function, if a table has one.
const auto* row_of(const auto& table, std::string_view function) {
  const auto row = std::ranges::find_if(table, [&](const auto& one) { return is_among(function, one.names); });
  return row == table.end() ? nullptr : &*row;
}

Value operation(std::string_view function, const Passed& /*given*/, const Tensor& of) {
  const Tensor x = as_numbers(of);
  return value_of(function == "exp" ? exp(x) : function == "sqrt" ? sqrt(x) : rsqrt(x));
}

Value rounded(std::string_view /*function*/, const Passed& given, const Tensor& x) {
  const double power = std::pow(10, given.get("decimals", 1).number.value_or(0));
  return each({x}, [power](std::span<const double> of) { return std::nearbyint(of[0] * power) / power; });
}

Value softmax_of(std::string_view /*function*/, const Passed& given, const Tensor& x) {
  const auto axis = axis_of(given, 1, x.dim(), x.dim() - 1);
  return !axis || x.dim() == 0 || x.dtype() != DType::float32 ? Value{}
         : *axis == x.dim() - 1                               ? value_of(softmax(x))
                                                              : value_of(softmax_over(x, *axis));
}

/// LayerNorm without its weight and bias: rows less their mean, over their standard deviation.
Value standardised(std::string_view /*function*/, const Passed& given, const Tensor& x) {
  const auto sizes = numbers_in({{given.get("normalized_shape", 1)}, {}}, 0);
  const double eps = given.get("eps", 2).number.value_or(1e-5);
  const bool is_of_rows = x.dim() > 0 && x.dtype() == DType::float32 && sizes == Shape{x.size(-1)};
  return is_of_rows ? value_of(multiply(subtract(x, layer_norm_mean(x)), layer_norm_factor(x, eps))) : Value{};
}

/// x.narrow(dim, start, length), x.select(dim, index), x.index_select(dim, indices)
Value part_of(std::string_view function, const Passed& given, const Tensor& x) {
  const auto axis = axis_of(given, 1, x.dim());
  const Value at = given.get("start", "index", 2);
  if (!axis || (!at.number && !at.tensor)) {
    return {};
  }
  std::vector<Subscript> all(static_cast<std::size_t>(*axis), {Subscript::Kind::slice});
  all.push_back({Subscript::Kind::item, at.number, {}, 1, at.tensor});
  if (function == "narrow") {
    all.back() = {Subscript::Kind::slice, at.number, at.number.value_or(0) + given.get("length", 3).number.value_or(0)};
  }
  return subscripted(value_of(x), all);
}

/// What functions of a tensor make.
struct TensorFunction {
  OfTensor* of;
  std::string_view names;
};
constexpr auto tensor_functions = std::to_array<TensorFunction>({
    {[](auto, const auto&, const Tensor& x) { return value_of(x); },
     "detach numpy clone copy data cpu contiguous item tensor array asarray Parameter as_tensor from_numpy"
     " requires_grad_ byte tolist FloatTensor Tensor DoubleTensor"},
    {[](auto, const auto&, const Tensor& x) { return inverted(value_of(x)); }, "bitwise_not logical_not"},
    {[](auto, const auto&, const Tensor& x) { return value_of(as_numbers(x)); }, "float double"},
    {[](auto, const auto&, const Tensor& x) { return compared("!=", value_of(x), value_of(0)); }, "bool"},
    {[](auto, const Passed& given, const Tensor& x) { return masked(x, given.get("mask", 1), given.get("value", 2)); },
     "masked_fill"},
    {[](auto, const Passed& given, const Tensor& x) {
       const Value axis = given.get("dim", "axis", 1);
       return axis.number ? with_axis(x, whole(*axis.number)) : Value{};
     },
     "unsqueeze expand_dims"},
    {operation, "exp sqrt rsqrt"},
    {rounded, "round"},
    {softmax_of, "softmax"},
    {standardised, "our_standardised"},
    {reduced, "sum mean max amax min amin our_max"},
    {highest, "topk"},
    {triangle, "tril triu"},
    {permuted, "T mT t transpose swapaxes permute"},
    {viewed, "view reshape"},
    {repeated, "expand"},
    {part_of, "narrow select index_select"},
    {chosen, "where"},
});

Value tensor_called(std::string_view function, const Passed& given, const Tensor& x) {
  if (const auto* const row = row_of(tensor_functions, function); row != nullptr) {
    return row->of(function, given, x);
  }
  const auto* const row = row_of(number_functions, function);
  const bool has_option = given.plain.size() > 1 && given.plain[1].words != "True" && given.plain[1].words != "False";
  return row == nullptr || has_option ? Value{}
                                      : each({x}, [of = row->of](std::span<const double> v) { return of(v[0]); });
}

Value number_called(std::string_view function, const Passed& given) {
  const Value& x = given.plain[0];
  const auto* const row = row_of(number_functions, function);
  return row != nullptr && given.plain.size() == 1               ? value_of(row->of(*x.number))
         : is_among(function, "tensor array as_tensor constant") ? listed_numbers(x)
         : is_among(function, "float item float32 float64")      ? x
                                                                 : Value{};
}

}  // namespace

std::optional<std::int64_t> axis_of(const Passed& given, std::size_t place, std::int64_t rank,
                                    std::optional<std::int64_t> usual) {
  const Value dim = given.get("dim", "axis", place);
  if (!dim.is_known()) {
    return usual;
  }
  const std::int64_t axis = dim.number ? whole(*dim.number) : rank;
  return axis >= -rank && axis < rank ? std::optional(axis < 0 ? axis + rank : axis) : std::nullopt;
}

std::optional<Shape> numbers_in(const Passed& given, std::size_t place) {
  std::vector<Value> all(given.plain.begin() + std::min(std::ssize(given.plain), static_cast<std::ptrdiff_t>(place)),
                         given.plain.end());
  for (const auto& [name, value] : given.named) {
    is_among(name, "size shape dims dim0 dim1 axis1 axis2 axes perm repeats") ? all.push_back(value) : void();
  }
  Shape numbers;
  for (const Value& value : !all.empty() && !all[0].items.empty() ? std::vector(all[0].items) : all) {
    if (!value.number) {
      return std::nullopt;
    }
    numbers.push_back(whole(*value.number));
  }
  return all.empty() ? std::nullopt : std::optional(numbers);
}

Value call_of(std::string_view name, const Passed& given) {
  const Value first = given.plain.empty() ? Value{} : given.plain[0];
  if (is_among(name, "ones zeros empty eye full arange ones_like zeros_like full_like empty_like")) {
    return filled(name, given);
  }
  if (is_among(name, "cat concat concatenate stack")) {
    return joined(name, given);
  }
  if (const auto* const row = row_of(signs, name); row != nullptr) {
    return combined(row->sign, first, given.get("other", "exponent", 1));
  }
  if (!first.items.empty() &&
      is_among(name, "tensor array Tensor FloatTensor LongTensor IntTensor DoubleTensor asarray as_tensor")) {
    return listed_numbers(first);
  }
  return first.tensor ? tensor_called(name, given, *first.tensor) : first.number ? number_called(name, given) : Value{};
}

}  // namespace attn::verify
