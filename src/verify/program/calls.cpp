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
#include "verify/read/pieces.hpp"

namespace attn::verify {
namespace {

Value joined(std::string_view function, const Passed& given) {
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
  const bool is_stack =
      function == "stack" || function == "pad_sequence" || (function == "vstack" && parts[0].dim() == 1);
  const std::int64_t rank = parts[0].dim() + (is_stack ? 1 : 0);
  const auto axis = function == "hstack" ? rank - 1 : axis_of(given, 1, rank, 0);
  return axis ? value_of(is_stack ? stack(parts, *axis) : cat(parts, *axis)) : Value{};
}

Value swapped(std::string_view function, const Passed& given, const Tensor& x) {
  const auto a = axis_of(given, 1, x.dim());
  const auto b = axis_of(given, 2, x.dim());
  if (function == "mT" && x.dim() > 2) {
    return value_of(transpose(x, x.dim() - 2, x.dim() - 1));
  }
  if (given.plain.size() == 1) {
    return x.dim() == 2 ? value_of(t(x)) : x.dim() < 2 ? value_of(x) : Value{};
  }
  if (given.plain.size() > 3 || !given.plain[1].items.empty()) {
    return permuted(function, given, x);
  }
  if (!a || !b || *a == *b) {
    return {};
  }
  return value_of(x.dim() == 2 ? t(x) : transpose(x, std::min(*a, *b), std::max(*a, *b)));
}

Value viewed(std::string_view /*function*/, const Passed& given, const Tensor& x) {
  Shape shape = numbers_of(given);
  std::int64_t known = 1;
  for (const std::int64_t size : shape) {
    known *= size == -1 ? 1 : size;
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

Value function_of(std::string_view name, const Passed& given, const Tensor& x) {
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
  const std::string begin = std::string(is_of_nn ? "F." : "torch.").append(name) + "(";
  const std::string end = std::string(".").append(name) + "()";
  const bool is_cast = name == "half" || name == "bfloat16";
  return each(
      x, [=](const std::string& of) { return is_cast ? grouped(of) + end : begin + of + ")"; },
      [function](const Interval& of) {
        return function->bound ? function->bound(of) : Interval{function->of(of.low), function->of(of.high)};
      });
}

/// torch.clamp(x, min=0, max=1)
Value clamped(std::string_view /*function*/, const Passed& given, const Tensor& x) {
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

Value number_of(std::string_view function, const Passed& given) {
  const Value& x = given.plain[0];
  if (function == "sqrt" && *x.number >= 0) {
    return {.number = std::sqrt(*x.number), .words = as_base(x.words) + "**0.5"};
  }
  if (const auto row = std::ranges::find(functions, function, &NumberFunction::name); row != functions.end()) {
    return {.number = row->of(*x.number), .words = std::string("math.").append(function) + "(" + x.words + ")"};
  }
  if (function == "pow" || function == "power") {
    return combined("**", x, given.get("exponent", 1));
  }
  return function == "int"                                               ? value_of(std::trunc(*x.number))
         : is_among(function, "tensor array float item float32 float64") ? x
                                                                         : Value{};
}

/// Functions that a sign stands for as well.
struct Sign {
  std::string_view sign;
  std::string_view functions;
};
constexpr auto signs = std::to_array<Sign>({
    {"@", "matmul mm bmm dot"},
    {"*", "mul multiply"},
    {"+", "add"},
    {"-", "sub subtract"},
    {"/", "div"},
    {"**", "pow power float_power"},
    {"==", "eq"},
    {"!=", "ne"},
    {"<", "lt"},
    {">", "gt"},
    {"&", "logical_and"},
    {"|", "logical_or"},
});

Value softmax_of(std::string_view /*function*/, const Passed& given, const Tensor& x) {
  const auto axis = axis_of(given, 1, x.dim(), x.dim() - 1);
  return !axis || x.dim() == 0 || x.dtype() != DType::float32 ? Value{}
         : *axis == x.dim() - 1                               ? value_of(softmax(x))
                                                              : value_of(softmax_over(x, *axis));
}

Value greater_or_less(std::string_view function, const Passed& given, const Tensor& x) {
  const Value other = given.get("other", 1);
  return other.number == 0.0 && function == "maximum" ? function_of("relu", {}, x)
         : other.tensor                               ? combined(function, value_of(x), other)
                                                      : Value{};
}

Value with_axis(std::string_view /*function*/, const Passed& given, const Tensor& x) {
  const Value axis = given.get("dim", "axis", 1);
  return axis.number ? unsqueezed(x, whole(*axis.number)) : Value{};
}

Value sizes_of(std::string_view /*function*/, const Passed& given, const Tensor& x) {
  Value sizes;
  for (const std::int64_t size : x.shape()) {
    sizes.items.push_back(value_of(static_cast<double>(size)));
  }
  const Value axis = given.get("dim", 1);
  return axis.number ? subscripted(sizes, std::array{Subscript{Subscript::Kind::item, axis.number}}) : sizes;
}

/// The arguments of a stack, where shorter sequences end with zeros: torch.nn.utils.rnn.pad_sequence.
Passed padded(const Passed& given) {
  std::vector<Value> parts = given.plain[0].items;
  std::int64_t longest = 0;
  for (const Value& part : parts) {
    longest = std::max(longest, part.tensor && part.tensor->dim() > 0 ? part.tensor->size(0) : 0);
  }
  const Value fill = given.get("padding_value", 2);
  for (Value& part : parts) {
    Shape rest = part.tensor ? part.tensor->shape() : Shape{};
    if (!rest.empty() && rest[0] < longest) {
      rest[0] = longest - rest[0];
      const Value padding =
          filled("full", {{sizes_of("shape", {}, unknown_of(rest, true)), fill.number ? fill : value_of(0)}, {}});
      part = joined("cat", {{{.items = {part, padding}}}, {}});
    }
  }
  const bool is_batch_first = given.get("batch_first", 1).number.value_or(0) != 0;
  return {{{.items = parts}, value_of(is_batch_first ? 0 : 1)}, {}};
}

Value rank_or_length(std::string_view function, const Passed& /*given*/, const Tensor& x) {
  return value_of(static_cast<double>(function == "len" && x.dim() > 0 ? x.size(0) : x.dim()));
}

Value filled_alike(std::string_view function, const Passed& /*given*/, const Tensor& x) {
  return filled(function.substr(0, function.find('_')), {sizes_of("shape", {}, x).items, {}});
}

/// What functions of a tensor make.
struct TensorFunction {
  OfTensor* call;
  std::string_view names;
};
constexpr auto tensor_functions = std::to_array<TensorFunction>({
    {[](auto, const auto&, const Tensor& x) { return value_of(x); },
     "detach numpy clone copy data cpu contiguous item values tensor array asarray Parameter as_tensor from_numpy"
     " requires_grad_ byte tolist FloatTensor"},
    {[](auto, const auto&, const Tensor& x) { return as_numbers(x); }, "float double astype int long to type type_as"},
    {[](auto, const auto&, const Tensor& x) {
       return x.dtype() == DType::boolean ? value_of(x) : compared("!=", value_of(x), value_of(0));
     },
     "bool"},
    {[](auto, const auto&, const Tensor& x) { return compared("==", value_of(x), value_of(0)); }, "logical_not"},
    {[](auto, const auto&, const Tensor& x) { return combined("**", value_of(x), value_of(2)); }, "square"},
    {[](auto, const Passed& given, const Tensor& x) { return masked(x, given.get("mask", 1), given.get("value", 2)); },
     "masked_fill"},
    {softmax_of, "softmax Softmax"},
    {reduced_to, "sum mean max amax min amin var std norm"},
    {triangle, "tril triu"},
    {greater_or_less, "maximum minimum"},
    {swapped, "T mT t transpose swapaxes"},
    {viewed, "view reshape"},
    {permuted, "permute"},
    {repeated, "repeat expand"},
    {interleaved, "repeat_interleave"},
    {diagonal, "diag diagonal"},
    {flipped, "flip"},
    {flattened, "flatten ravel"},
    {unflattened, "unflatten"},
    {squeezed, "squeeze"},
    {unbound, "unbind"},
    {batched, "our_batched our_unbatched"},
    {unfolded, "unfold"},
    {added_product, "baddbmm addmm"},
    {ordered, "topk sort argsort argmax argmin"},
    {with_axis, "unsqueeze expand_dims"},
    {sizes_of, "shape size"},
    {normalised, "layer_norm"},
    {parted, "chunk split"},
    {log_softmax_of, "log_softmax"},
    {linear_of, "linear"},
    {outer_of, "outer"},
    {inner_of, "inner"},
    {one_hot_of, "one_hot"},
    {cross_entropy_of, "cross_entropy"},
    {cosine_similarity_of, "cosine_similarity"},
    {normalized, "normalize"},
    {clamped, "clamp clip"},
    {rank_or_length, "len ndim dim"},
    {chosen, "where"},
    {filled_alike, "ones_like zeros_like empty_like"},
});

Value tensor_called(std::string_view function, const Passed& given, const Tensor& x) {
  for (const auto& [sign, names] : signs) {
    if (is_among(function, names)) {
      return combined(sign, value_of(x), given.get("other", "exponent", 1));
    }
  }
  for (const auto& [call, names] : tensor_functions) {
    if (is_among(function, names)) {
      return call(function, given, x);
    }
  }
  return function_of(function, given, x);
}

/// Parts of a softmax that is written out: exp(x), its sum, the maximum of x that is subtracted.
void note_part(std::string_view function, const Passed& given, Value& made) {
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
  if (is_among(name, "ones zeros empty eye full arange linspace")) {
    return filled(name, given);
  }
  if (name == "einsum") {
    return contracted(given);
  }
  if (is_among(name, "view_as_complex polar complex")) {
    return made_complex(name, given);
  }
  if (name == "meshgrid") {
    return grids(given);
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
  if (is_among(name, "cat concat concatenate stack vstack hstack")) {
    return joined(name, given);
  }
  const Value& first = given.plain[0];
  if (name == "pad_sequence") {
    return joined(name, padded(given));
  }
  if (first.kind == Value::Kind::complex) {
    return called_on_complex(name, given);
  }
  const bool is_pair = first.kind == Value::Kind::pair;
  if (first.tensor) {
    if (is_pair && name == "values") {
      Value values = value_of(*first.tensor);
      values.part = first.part;
      values.of = first.of;
      return values;
    }
    Value made = tensor_called(name, given, *first.tensor);
    note_part(name, given, made);
    if (is_pair && name == "indices") {
      return first.places ? value_of(*first.places) : Value{};
    }
    return made;
  }
  if (name == "maximum" && first.number == 0.0 && given.plain.size() == 2 && given.plain[1].tensor) {
    return function_of("relu", {}, *given.plain[1].tensor);
  }
  if (!first.items.empty() &&
      is_among(name, "tensor array Tensor FloatTensor LongTensor IntTensor DoubleTensor asarray as_tensor")) {
    return listed_numbers(first);
  }
  return first.number ? number_of(name, given) : called_on_words(name, given);
}

}  // namespace attn::verify
