#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "tensor/operations.hpp"
#include "tensor/what_if.hpp"
#include "tensor/words.hpp"
#include "text/numbers.hpp"
#include "verify/program/value_parts.hpp"

namespace attn::verify {
namespace {

Value joined(const std::string& function, const Passed& given) {
  std::vector<Tensor> parts;
  for (const Value& part : given.plain.empty() ? std::vector<Value>{} : given.plain[0].items) {
    if (!part.tensor) {
      return {};
    }
    parts.push_back(*part.tensor);
  }
  if (parts.empty()) {
    return {};
  }
  const bool is_stack = function == "stack" || (function == "vstack" && parts[0].dim() == 1);
  const std::int64_t rank = parts[0].dim() + (is_stack ? 1 : 0);
  const bool is_given = given.get("dim", "axis", 1).is_known();
  const auto axis = function == "hstack" ? std::optional(rank - 1)
                    : is_given           ? axis_of(given, 1, rank)
                                         : std::optional<std::int64_t>(0);
  return axis ? value_of(is_stack ? stack(parts, *axis) : cat(parts, *axis)) : Value{};
}

Value swapped(const Passed& given, const Tensor& x) {
  const auto a = axis_of(given, 1, x.dim());
  const auto b = axis_of(given, 2, x.dim());
  if (given.plain.size() == 1) {
    return x.dim() == 2 ? value_of(t(x)) : x.dim() < 2 ? value_of(x) : Value{};
  }
  if (given.plain.size() > 3 || !given.plain[1].items.empty()) {
    return moved_by("permute", given, x);
  }
  if (!a || !b || *a == *b) {
    return {};
  }
  return value_of(x.dim() == 2 ? t(x) : transpose(x, std::min(*a, *b), std::max(*a, *b)));
}

Value viewed(const Passed& given, const Tensor& x) {
  std::vector<Value> sizes(given.plain.begin() + 1, given.plain.end());
  if (sizes.size() == 1 && !sizes[0].items.empty()) {
    sizes = std::vector<Value>(sizes[0].items);
  }
  Shape shape;
  std::int64_t known = 1;
  for (const Value& size : sizes) {
    if (!size.number) {
      return {};
    }
    shape.push_back(whole(*size.number));
    known *= shape.back() == -1 ? 1 : shape.back();
  }
  for (std::int64_t& size : shape) {
    size = size == -1 && known > 0 ? element_count(x.shape()) / known : size;
  }
  return !shape.empty() && element_count(shape) == element_count(x.shape()) ? value_of(view(contiguous(x), shape))
                                                                            : Value{};
}

/// The nearest number of so many bits behind the first one; the smallest exponent is that of subnormals.
double rounded_to_bits(double value, int bits, int least) {
  if (value == 0 || !std::isfinite(value)) {
    return value;
  }
  const double unit = std::ldexp(1.0, std::max(std::ilogb(value), least) - bits);
  return std::nearbyint(value / unit) * unit;
}

/// Of a function that decreases to its minimum at `turn`, then increases.
Interval turning(double (*function)(double), double turn, const Interval& x) {
  const double low = function(x.low);
  const double high = function(x.high);
  return {x.low < turn && x.high > turn ? function(turn) : std::min(low, high), std::max(low, high)};
}

double gelu(double v) { return v * 0.5 * std::erfc(-v / std::sqrt(2.0)); }
double silu(double v) { return v / (1 + std::exp(-v)); }

/// A function of a number; without `bound` it increases.
struct NumberFunction {
  std::string_view name;
  double (*of)(double);
  Interval (*bound)(const Interval&) = nullptr;
};
constexpr auto functions = std::to_array<NumberFunction>({
    {"exp", [](double v) { return std::exp(v); }},
    {"log", [](double v) { return std::log(v); }},
    {"tanh", [](double v) { return std::tanh(v); }},
    {"sigmoid", [](double v) { return 1 / (1 + std::exp(-v)); }},
    {"relu", [](double v) { return std::max(0.0, v); }},
    {"elu", [](double v) { return v > 0 ? v : std::expm1(v); }},
    {"erf", [](double v) { return std::erf(v); }},
    {"log2", [](double v) { return std::log2(v); }},
    {"exp2", [](double v) { return std::exp2(v); }},
    {"log1p", [](double v) { return std::log1p(v); }},
    {"expm1", [](double v) { return std::expm1(v); }},
    {"softplus", [](double v) { return std::log1p(std::exp(v)); }},
    {"floor", [](double v) { return std::floor(v); }},
    {"ceil", [](double v) { return std::ceil(v); }},
    {"half", [](double v) { return rounded_to_bits(v, 10, -14); }},
    {"bfloat16", [](double v) { return rounded_to_bits(v, 7, -126); }},
    {"gelu", gelu, [](const Interval& x) { return turning(gelu, -0.7517915246935645, x); }},
    {"silu", silu, [](const Interval& x) { return turning(silu, -1.2784645427610738, x); }},
    {"abs", [](double v) { return std::abs(v); },
     [](const Interval& x) { return turning([](double v) { return std::abs(v); }, 0, x); }},
    {"sin", [](double v) { return std::sin(v); }, sine},
    {"cos", [](double v) { return std::cos(v); }, cosine},
});

Value function_of(const std::string& name, const Passed& given, const Tensor& x) {
  if (x.dtype() == DType::float32 && (name == "exp" || name == "sqrt" || name == "rsqrt")) {
    return value_of(name == "exp" ? exp(x) : name == "sqrt" ? sqrt(x) : rsqrt(x));
  }
  if (name == "round") {
    const double power = std::pow(10, given.get("decimals", 1).number.value_or(0));
    const auto rounded = [power](double v) { return std::nearbyint(v * power) / power; };
    const std::string more = ".round(decimals=" + text::shortest_text(std::log10(power)) + ")";
    return each(
        x, [more](const std::string& of) { return grouped(of) + more; },
        [rounded](const Interval& of) {
          return Interval{rounded(of.low), rounded(of.high)};
        });
  }
  const auto function = std::ranges::find(functions, name, &NumberFunction::name);
  if (function == functions.end()) {
    return {};
  }
  const bool is_of_nn = name == "elu" || name == "gelu" || name == "silu";
  const std::string begin = (is_of_nn ? "F." : "torch.") + name + "(";
  const bool is_cast = name == "half" || name == "bfloat16";
  return each(
      x, [=](const std::string& of) { return is_cast ? grouped(of) + "." + name + "()" : begin + of + ")"; },
      [function](const Interval& of) {
        return function->bound ? function->bound(of) : Interval{function->of(of.low), function->of(of.high)};
      });
}

/// torch.clamp(x, min=0, max=1)
Value clamped(const Passed& given, const Tensor& x) {
  const Value least = given.get("min", "a_min", 1);
  const Value most = given.get("max", "a_max", 2);
  const std::string words = std::string(", ") + (least.number ? "min=" + least.words : "") +
                            (least.number && most.number ? ", " : "") + (most.number ? "max=" + most.words : "");
  return least.number || most.number
             ? each(
                   x, [words](const std::string& of) { return "torch.clamp(" + of + words + ")"; },
                   [low = least.number.value_or(-HUGE_VAL), high = most.number.value_or(HUGE_VAL)](const Interval& of) {
                     return Interval{std::clamp(of.low, low, high), std::clamp(of.high, low, high)};
                   })
             : Value{};
}

Value number_of(const std::string& function, const Passed& given) {
  const Value& x = given.plain[0];
  if (function == "sqrt" && *x.number >= 0) {
    return {{}, std::sqrt(*x.number), grouped(x.words) + "**0.5", {}, false};
  }
  if (const auto row = std::ranges::find(functions, function, &NumberFunction::name); row != functions.end()) {
    return {{}, row->of(*x.number), "math." + function + "(" + x.words + ")", {}, false};
  }
  if (function == "pow" || function == "power") {
    return combined("**", x, given.get("exponent", 1));
  }
  constexpr auto same = std::to_array<std::string_view>({"tensor", "array", "float", "item", "float32", "float64"});
  return function == "int"                                 ? value_of(std::trunc(*x.number))
         : std::ranges::find(same, function) != same.end() ? x
                                                           : Value{};
}

Value tensor_called(const std::string& function, const Passed& given, const Tensor& x) {
  constexpr auto same = std::to_array<std::string_view>(
      {"detach", "numpy",  "float",     "double",     "clone",          "copy",   "data",   "cpu",        "contiguous",
       "to",     "astype", "item",      "values",     "type",           "tensor", "array",  "asarray",    "Parameter",
       "int",    "long",   "as_tensor", "from_numpy", "requires_grad_", "byte",   "tolist", "FloatTensor"});
  const auto is = [&](auto... names) { return ((function == names) || ...); };
  if (x.dtype() == DType::boolean && is("float", "double", "astype", "int", "long", "to", "type")) {
    return as_numbers(x);
  }
  if (std::ranges::find(same, function) != same.end()) {
    return value_of(x);
  }
  if (is("softmax", "Softmax")) {
    const auto axis = given.get("dim", "axis", 1).is_known() ? axis_of(given, 1, x.dim()) : std::optional(x.dim() - 1);
    return !axis || x.dim() == 0 || x.dtype() != DType::float32 ? Value{}
           : *axis == x.dim() - 1                               ? value_of(softmax(x))
                                                                : value_of(softmax_over(x, *axis));
  }
  if (x.dtype() == DType::boolean && is("sum", "mean")) {
    Passed numbers = given;
    numbers.plain[0] = as_numbers(x);
    return reduction_of(function, numbers, *numbers.plain[0].tensor);
  }
  if (const Value reduced = reduction_of(function, given, x); reduced.is_known()) {
    return reduced;
  }
  if (is("tril", "triu")) {
    return triangle(function, given, x);
  }
  if (is("masked_fill")) {
    return masked(x, given.get("mask", 1), given.get("value", 2));
  }
  if (is("bool")) {
    return x.dtype() == DType::boolean ? value_of(x) : compared("!=", value_of(x), value_of(0));
  }
  if (is("logical_not", "logical_and", "logical_or", "eq", "ne", "lt", "gt")) {
    return compared(is("logical_not", "eq") ? "=="
                    : is("ne")              ? "!="
                    : is("lt")              ? "<"
                    : is("gt")              ? ">"
                    : is("logical_and")     ? "&"
                                            : "|",
                    value_of(x), is("logical_not") ? value_of(0) : given.get("other", 1));
  }
  if (is("maximum", "minimum")) {
    const Value other = given.get("other", 1);
    return other.number == 0.0 && is("maximum") ? function_of("relu", {}, x)
           : other.tensor                       ? combined(is("maximum") ? "maximum" : "minimum", value_of(x), other)
                                                : Value{};
  }
  if (is("matmul", "mm", "bmm", "dot", "mul", "add", "sub", "div", "multiply", "subtract")) {
    const Value other = given.get("other", 1);
    return combined(is("mul", "multiply")   ? "*"
                    : is("add")             ? "+"
                    : is("sub", "subtract") ? "-"
                    : is("div")             ? "/"
                                            : "@",
                    value_of(x), other);
  }
  if (is("T", "mT", "t", "transpose", "swapaxes")) {
    return swapped(given, x);
  }
  if (is("view", "reshape")) {
    return viewed(given, x);
  }
  if (const Value moved = moved_by(function, given, x); moved.is_known()) {
    return moved;
  }
  if (is("topk", "sort", "argsort", "argmax", "argmin")) {
    return ordered(function, given, x);
  }
  if (is("unsqueeze", "expand_dims")) {
    const Value axis = given.get("dim", "axis", 1);
    return axis.number ? unsqueezed(x, whole(*axis.number)) : Value{};
  }
  if (is("shape", "size")) {
    Value sizes;
    for (const std::int64_t size : x.shape()) {
      sizes.items.push_back(value_of(static_cast<double>(size)));
    }
    const Value axis = given.get("dim", 1);
    return axis.number ? subscripted(sizes, std::array{Subscript{Subscript::Kind::item, axis.number}}) : sizes;
  }
  if (is("layer_norm")) {
    return normalised(given, x);
  }
  if (is("chunk", "split")) {
    return parted(function, given, x);
  }
  if (const Value made = composed(function, given, value_of(x)); made.is_known()) {
    return made;
  }
  if (is("pow", "power", "square", "float_power")) {
    return combined("**", value_of(x), is("square") ? value_of(2) : given.get("exponent", 1));
  }
  if (is("clamp", "clip")) {
    return clamped(given, x);
  }
  if (is("len", "ndim", "dim")) {
    return value_of(static_cast<double>(function == "len" && x.dim() > 0 ? x.size(0) : x.dim()));
  }
  if (is("where")) {
    return chosen(given);
  }
  if (is("ones_like", "zeros_like", "empty_like")) {
    Passed sizes;
    for (const std::int64_t size : x.shape()) {
      sizes.plain.push_back(value_of(static_cast<double>(size)));
    }
    return filled(function.substr(0, function.find('_')), sizes);
  }
  return function_of(function, given, x);
}

/// Parts of a softmax that is written out: exp(x), its sum, the maximum of x that is subtracted.
void note_part(const std::string& function, const Passed& given, Value& made) {
  using Part = Value::Part;
  const Value& x = given.plain[0];
  if (!made.tensor) {
    return;
  }
  const bool is_of_rows = x.tensor->dim() < 2 || (given.get("dim", "axis", 1).is_known() &&
                                                  axis_of(given, 1, x.tensor->dim()) == x.tensor->dim() - 1 &&
                                                  made.tensor->dim() == x.tensor->dim());
  if (function == "exp") {
    made.part = Part::exponential;
    made.of = x.part == Part::shifted ? x.of : x.tensor;
  } else if (function == "sum" && x.part == Part::exponential && is_of_rows) {
    made.part = Part::total;
    made.of = x.of;
  } else if ((function == "max" || function == "amax") && x.part == Part::none &&
             (made.tensor->dim() == 0 || is_of_rows)) {
    made.part = Part::largest;
    made.of = x.tensor;
  }
}

}  // namespace

Value call_of(std::string_view name, const Passed& given) {
  const std::string function(name);
  constexpr auto fills =
      std::to_array<std::string_view>({"ones", "zeros", "empty", "eye", "full", "arange", "linspace"});
  if (std::ranges::find(fills, name) != fills.end()) {
    return filled(function, given);
  }
  if (name == "einsum") {
    return contracted(given);
  }
  if (name == "our_hidden" && given.plain.size() > 1) {
    return hidden_by(given);
  }
  if (const Value module = module_of(name, given); module.module && (given.plain.empty() || !given.plain[0].tensor)) {
    return module;
  }
  if (given.plain.empty()) {
    return {};
  }
  constexpr auto joins = std::to_array<std::string_view>({"cat", "concat", "concatenate", "stack", "vstack", "hstack"});
  if (std::ranges::find(joins, name) != joins.end()) {
    return joined(function, given);
  }
  const Value& first = given.plain[0];
  if (first.tensor) {
    if (first.is_pair && name == "values") {
      Value values = value_of(*first.tensor);
      values.part = first.part;
      values.of = first.of;
      return values;
    }
    Value made = tensor_called(function, given, *first.tensor);
    note_part(function, given, made);
    if (first.is_pair && name == "indices") {
      return first.places ? value_of(*first.places) : Value{};
    }
    return made;
  }
  if (name == "maximum" && first.number == 0.0 && given.plain.size() == 2 && given.plain[1].tensor) {
    return function_of("relu", {}, *given.plain[1].tensor);
  }
  constexpr auto lists = std::to_array<std::string_view>(
      {"tensor", "array", "Tensor", "FloatTensor", "LongTensor", "IntTensor", "DoubleTensor", "asarray", "as_tensor"});
  if (!first.items.empty() && std::ranges::find(lists, name) != lists.end()) {
    return listed_numbers(first);
  }
  if (name == "len" && !first.items.empty()) {
    return value_of(static_cast<double>(first.items.size()));
  }
  return first.number ? number_of(function, given) : Value{};
}

}  // namespace attn::verify
