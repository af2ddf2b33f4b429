#include "verify/program/values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "tensor/operations.hpp"
#include "tensor/words.hpp"
#include "text/numbers.hpp"
#include "verify/bound/mapped.hpp"
#include "verify/bound/patterns.hpp"
#include "verify/program/value_parts.hpp"

namespace attn::verify {
namespace {

double apply(std::string_view sign, double a, double b) {
  switch (sign[0]) {
    case '+': return a + b;
    case '-': return a - b;
    case '*': return sign.size() > 1 ? std::pow(a, b) : a * b;
    case '%': return a - b * std::floor(a / b);
    default: return sign.size() > 1 ? std::floor(a / b) : a / b;
  }
}

Interval applied(std::string_view sign, const Interval& a, const Interval& b) {
  switch (sign[0]) {
    case '+': return {a.low + b.low, a.high + b.high};
    case '-': return {a.low - b.high, a.high - b.low};
    case '/': return over(a, b);
    default: break;
  }
  if (sign == "*") {
    return times(a, b);
  }
  if (sign == "maximum") {
    return {std::max(a.low, b.low), std::max(a.high, b.high)};
  }
  if (sign == "minimum") {
    return {std::min(a.low, b.low), std::min(a.high, b.high)};
  }
  const bool is_even = b.low == b.high && std::fmod(b.low, 2) == 0;
  const Interval powers =
      hull(std::pow(a.low, b.low), std::pow(a.low, b.high), std::pow(a.high, b.low), std::pow(a.high, b.high));
  return is_even && a.low < 0 && a.high > 0 ? Interval{0, powers.high} : powers;
}

Value elementwise(std::string_view sign, const Tensor& a, const Tensor& b) {
  const auto shape = broadcast(a.shape(), b.shape());
  if (!shape || element_count(*shape) > most_listed || a.dtype() != DType::float32 || b.dtype() != DType::float32) {
    return {};
  }
  if (sign.size() == 1) {
    return value_of(sign == "+"   ? add(a, b)
                    : sign == "-" ? subtract(a, b)
                    : sign == "*" ? multiply(a, b)
                                  : divide(a, b));
  }
  return value_of(
      mapped({a, b}, *shape,
             {[sign](const auto& words) { return infix(sign, words[0], words[1]); },
              [shapes = std::array{a.shape(), b.shape()}](const Shape& index) {
                return std::vector<Element>{{0, index_in(index, shapes[0])}, {1, index_in(index, shapes[1])}};
              },
              [sign](std::span<const Interval> of) { return applied(sign, of[0], of[1]); }}));
}

/// With a number on one side.
Value with_number(std::string_view sign, const Tensor& x, const Value& number, bool is_left) {
  const double n = *number.number;
  if (sign == "/" && !is_left) {
    return value_of(divide(x, n, grouped(number.words)));
  }
  return each(
      x,
      [=, words = number.words](const std::string& of) {
        return is_left ? infix(sign, words, of) : infix(sign, of, words);
      },
      [=](const Interval& of) {
        return is_left ? applied(sign, {n, n}, of) : applied(sign, of, {n, n});
      });
}

/// [0] * 2
Value repeated_list(const Value& list, double times) {
  constexpr double most = 4'096;
  if (times * static_cast<double>(list.items.size()) > most || times != std::round(times)) {
    return {};
  }
  Value result{.kind = Value::Kind::list};
  for (std::int64_t i = 0; i < whole(times); ++i) {
    result.items.insert(result.items.end(), list.items.begin(), list.items.end());
  }
  return result;
}

/// a @ b, where one of them has an axis that the other lacks, or one item of it.
Value product_of_batches(const Tensor& a, const Tensor& b) {
  const auto batches_of = [](const Tensor& x) { return Shape(x.shape().begin(), x.shape().end() - 2); };
  const auto batches = broadcast(batches_of(a), batches_of(b));
  if (!batches) {
    return {};
  }
  const auto expanded = [&](const Tensor& x) {
    Passed sizes{{value_of(x)}, {}};
    for (const std::int64_t size : *batches) {
      sizes.plain.push_back(value_of(static_cast<double>(size)));
    }
    sizes.plain.insert(sizes.plain.end(), 2, value_of(-1));
    return batches_of(x) == *batches ? std::optional(x) : repeated("expand", sizes, x).tensor;
  };
  const auto left = expanded(a);
  const auto right = expanded(b);
  const auto product = left && right ? product_of(*left, *right, false) : std::nullopt;
  return product ? value_of(*product) : Value{};
}

/// Of a pair, a list, a dictionary or an nn.Sequential.
Value item_of(const Value& x, const Subscript& subscript) {
  if (x.kind == Value::Kind::dictionary) {
    const Value key = subscript.key ? string_of(*subscript.key) : Value{.number = subscript.first};
    const std::size_t place = place_of(x, key);
    return place == x.items.size() ? Value{} : x.items[place];
  }
  const bool is_pair = x.kind == Value::Kind::pair;
  const std::vector<Value>& items = x.module ? x.module->arguments.plain : x.items;
  const auto count = static_cast<double>(!is_pair ? items.size() : x.places ? 2 : 1);
  const double i = subscript.first.value_or(count) + (subscript.first.value_or(0) < 0 ? count : 0);
  return i < 0 || i >= count || x.kind == Value::Kind::set ? Value{}
         : is_pair                                         ? value_of(i == 0 ? *x.tensor : *x.places)
                                                           : items[static_cast<std::size_t>(i)];
}

}  // namespace

Shape index_in(const Shape& index, const Shape& shape) {
  Shape result(index.end() - std::ssize(shape), index.end());
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    result[axis] = shape[axis] == 1 ? 0 : result[axis];
  }
  return result;
}

std::string infix(std::string_view sign, const std::string& a, const std::string& b) {
  return sign.starts_with('m') ? "torch." + std::string(sign) + "(" + a + ", " + b + ")"
                               : (sign == "**" ? as_base(a) : grouped(a)) + " " + std::string(sign) + " " + grouped(b);
}

std::string as_base(const std::string& words) {
  const bool binds_less = words.starts_with('-') || words.find("**") != std::string::npos;
  return binds_less ? "(" + words + ")" : grouped(words);
}

Value each(const Tensor& x, std::function<std::string(const std::string&)> words, Curve function) {
  if (x.dtype() != DType::float32) {
    return {};
  }
  return value_of(mapped({x}, x.shape(),
                         {[words = std::move(words)](const auto& of) { return words(of[0]); },
                          [](const Shape& index) {
                            return std::vector<Element>{{0, index}};
                          },
                          [function = std::move(function)](std::span<const Interval> of) { return function(of[0]); }}));
}

Value unsqueezed(const Tensor& x, std::int64_t axis) {
  Shape shape = x.shape();
  axis += axis < 0 ? x.dim() + 1 : 0;
  if (axis < 0 || axis > x.dim()) {
    return {};
  }
  shape.insert(shape.begin() + axis, 1);
  return reshaped(x, shape);
}

Value value_of(const Tensor& tensor) { return {.tensor = tensor}; }

Value value_of(double number) {
  return {.number = number,
          .words = std::isinf(number) ? (number < 0 ? "-torch.inf" : "torch.inf") : text::shortest_text(number)};
}

Tensor unknown_of(const Shape& shape, bool are_whole) {
  return leaf(shape, DType::float32, "unknown", [shape, are_whole]() -> Contents {
    Block<float> numbers(shape);
    std::ranges::fill(numbers, are_whole ? 0 : std::numeric_limits<float>::quiet_NaN());
    return numbers;
  });
}

std::optional<std::int64_t> whole_in(const Value& value) {
  constexpr double most = 9e15;
  return value.number && *value.number == std::floor(*value.number) && std::abs(*value.number) < most
             ? std::optional(static_cast<std::int64_t>(*value.number))
             : std::nullopt;
}

std::optional<Shape> shape_of(const Value& value) {
  if (value.tensor) {
    return value.tensor->shape();
  }
  if (value.kind == Value::Kind::complex) {
    return shape_of(value.items[0]);
  }
  if (!value.holds_items()) {
    return std::nullopt;
  }
  Shape shape = (value.items.empty() ? std::nullopt : shape_of(value.items[0])).value_or(Shape{});
  shape.insert(shape.begin(), std::ssize(value.items));
  return shape;
}

std::optional<Shape> sizes_in(const Value& value) {
  Shape shape;
  for (const Value& one : value.items.empty() ? std::vector<Value>{value} : value.items) {
    constexpr std::int64_t most = 1 << 20;
    const auto size = whole_in(one);
    if (!size || *size < 1 || *size > most) {
      return std::nullopt;
    }
    shape.push_back(*size);
  }
  return shape;
}

Value combined(std::string_view sign, const Value& a, const Value& b) {
  const bool is_list = a.kind == Value::Kind::list;
  if (a.kind == Value::Kind::complex || b.kind == Value::Kind::complex) {
    return sign == "*" ? complex_product(a, b) : Value{};
  }
  if (sign == "+" && is_list && b.kind == a.kind) {
    Value list = a;
    list.items.insert(list.items.end(), b.items.begin(), b.items.end());
    return list;
  }
  if (sign == "*" && is_list && b.number) {
    return repeated_list(a, *b.number);
  }
  if (sign == "@" && a.tensor && b.tensor && a.tensor->dim() > 2 && b.tensor->dim() == 1) {
    const auto product = product_of(*a.tensor, *unsqueezed(*b.tensor, 1).tensor, false);
    const Shape shape(a.tensor->shape().begin(), a.tensor->shape().end() - 1);
    return product ? renamed(*reshaped(*product, shape).tensor, infix("@", a.tensor->words(), b.tensor->words()))
                   : Value{};
  }
  if (sign == "@") {
    const auto product = a.tensor && b.tensor ? product_of(*a.tensor, *b.tensor, false) : std::nullopt;
    if (product) {
      return value_of(*product);
    }
    if (a.tensor && b.tensor && std::min(a.tensor->dim(), b.tensor->dim()) > 1) {
      return product_of_batches(*a.tensor, *b.tensor);
    }
    const bool are_vectors = a.tensor && b.tensor && a.tensor->dim() == 1 && a.tensor->shape() == b.tensor->shape();
    return are_vectors ? value_of(dot(*a.tensor, *b.tensor)) : Value{};
  }
  if (a.number && b.number) {
    if (std::string_view("=!<>|&^").find(sign[0]) != std::string_view::npos) {
      return value_of(holds(sign, *a.number, *b.number) ? 1 : 0);
    }
    Value result = value_of(apply(sign, *a.number, *b.number));
    if (sign == "**") {
      result.words = as_base(a.words) + "**" + grouped(b.words);
    } else if (result.number && *result.number != std::round(*result.number)) {
      result.words = infix(sign, a.words, b.words);
    }
    return result;
  }
  if (std::string_view("=!<>|&^").find(sign[0]) != std::string_view::npos) {
    return compared(sign, a, b);
  }
  if ((a.tensor && a.tensor->dtype() == DType::boolean) || (b.tensor && b.tensor->dtype() == DType::boolean)) {
    const auto number = [](const Value& x) { return x.tensor ? as_numbers(*x.tensor) : x; };
    return combined(sign, number(a), number(b));
  }
  if (sign == "//" || sign == "%" || (a.number && sign[0] == 'm')) {
    return {};
  }
  const bool is_of_one = a.of && b.of && a.of->id() == b.of->id();
  if (sign == "/" && is_of_one && a.part == Value::Part::exponential && b.part == Value::Part::total) {
    return value_of(softmax(*a.of));
  }
  // The signs that are kept outlive the text that was read.
  constexpr auto signs = std::to_array<std::string_view>({"+", "-", "*", "/", "**", "maximum", "minimum"});
  const std::string_view kept = *std::ranges::find(signs, sign);
  const bool is_float =
      (!a.tensor || a.tensor->dtype() == DType::float32) && (!b.tensor || b.tensor->dtype() == DType::float32);
  if (!is_float) {
    return {};
  }
  if (sign == "-" && b.part == Value::Part::largest && b.of && a.tensor && b.of->id() == a.tensor->id()) {
    Value shifted = elementwise(kept, *a.tensor, *b.tensor);
    shifted.part = Value::Part::shifted;
    shifted.of = a.tensor;
    return shifted;
  }
  return a.tensor && b.tensor   ? elementwise(kept, *a.tensor, *b.tensor)
         : a.tensor && b.number ? with_number(kept, *a.tensor, b, false)
         : a.number && b.tensor ? with_number(kept, *b.tensor, a, true)
                                : Value{};
}

std::optional<Shape> product_shape(const Shape& a, const Shape& b, bool b_transposed) {
  if (a.empty() || b.empty() || a.size() + b.size() < 3 || (b_transposed && b.size() < 2) ||
      (b.size() > 2 && b.size() != a.size()) || (b.size() == 1 && a.size() != 2)) {
    return std::nullopt;
  }
  const std::size_t inner = b_transposed ? b.size() - 1 : b.size() - std::min<std::size_t>(2, b.size());
  if (a.back() != b[inner] || (b.size() > 2 && !std::equal(b.begin(), b.end() - 2, a.begin()))) {
    return std::nullopt;
  }
  Shape shape(a.begin(), a.end() - 1);
  if (b.size() > 1) {
    shape.push_back(b[b.size() - (b_transposed ? 2 : 1)]);
  }
  return shape;
}

std::optional<Tensor> product_of(const Tensor& a, const Tensor& b, bool b_transposed) {
  if (!product_shape(a.shape(), b.shape(), b_transposed)) {
    return std::nullopt;
  }
  if (b.dim() == 1) {
    return matvec(a, b);
  }
  return matmul(a, !b_transposed ? b : b.dim() == 2 ? t(b) : transpose(b, b.dim() - 2, b.dim() - 1));
}

Value negated(const Value& x) {
  if (x.number) {
    Value result = value_of(-*x.number);
    result.words = std::string("-").append(grouped(x.words));
    return result;
  }
  return x.tensor && x.tensor->dtype() == DType::float32
             ? each(
                   *x.tensor, [](const std::string& of) { return std::string("(-").append(grouped(of)).append(")"); },
                   [](const Interval& of) {
                     return Interval{-of.high, -of.low};
                   })
             : Value{};
}

Value Passed::get(std::string_view name, std::size_t place) const {
  const auto found = std::ranges::find(named, name, &std::pair<std::string, Value>::first);
  return found != named.end() ? found->second : place < plain.size() ? plain[place] : Value{};
}

Value Passed::get(std::string_view name, std::string_view other, std::size_t place) const {
  const Value first = get(name, place);
  return first.is_known() ? first : get(other, place);
}

Range range_of(const Subscript& subscript, std::int64_t size) {
  const auto place = [&](const std::optional<double>& number, std::int64_t usual) {
    const std::int64_t at = number ? whole(*number) : usual;
    return std::clamp<std::int64_t>(at < 0 ? at + size : at, 0, size);
  };
  const std::int64_t begin = place(subscript.first, 0);
  const bool is_item = subscript.kind == Subscript::Kind::item;
  return {begin, is_item ? begin + 1 : place(subscript.last, size), whole(subscript.step)};
}

Value subscripted(const Value& x, std::span<const Subscript> subscripts) {
  using Kind = Subscript::Kind;
  if (subscripts.empty()) {
    return {};
  }
  if (x.kind == Value::Kind::complex) {
    return part_of_complex(x, subscripts);
  }
  if (x.holds_items() && x.kind <= Value::Kind::list && subscripts.size() == 1 && subscripts[0].kind == Kind::slice) {
    const auto& [begin, end, step] = range_of(subscripts[0], std::ssize(x.items));
    Value part{.kind = x.kind};
    for (std::int64_t i = begin; i < end; i += step) {
      part.items.push_back(x.items[static_cast<std::size_t>(i)]);
    }
    return part;
  }
  if (x.module || x.holds_items() || x.kind == Value::Kind::pair) {
    return subscripts.size() == 1 && subscripts[0].kind == Kind::item ? item_of(x, subscripts[0]) : Value{};
  }
  if (!x.tensor) {
    return {};
  }
  if (subscripts[0].places) {
    return subscripts.size() == 1 ? picked(*x.tensor, *subscripts[0].places) : Value{};
  }
  Value result = x;
  std::int64_t axis = 0;
  const auto taken = std::ranges::count_if(
      subscripts, [](const Subscript& one) { return one.kind == Kind::item || one.kind == Kind::slice; });
  std::int64_t left = x.tensor->dim() - taken;
  for (const Subscript& one : subscripts) {
    if (!result.tensor || (one.kind == Kind::item && !one.first)) {
      return {};
    }
    const Tensor& tensor = *result.tensor;
    const Range range = axis < tensor.dim() ? range_of(one, tensor.size(axis)) : Range{};
    const auto& [begin, end, step] = range;
    if (one.kind == Kind::rest) {
      axis += std::max<std::int64_t>(0, left);
    } else if (one.kind == Kind::added) {
      result = unsqueezed(tensor, axis++);
    } else if (axis >= tensor.dim()) {
      return {};
    } else if (one.kind == Kind::item) {
      if (begin >= tensor.size(axis)) {
        return {};
      }
      result = value_of(index(tensor, begin, axis));
    } else {
      if (begin >= end) {
        return {};
      }
      result = step != 1                                ? stepped(tensor, axis, begin, end, step)
               : begin == 0 && end == tensor.size(axis) ? result
                                                        : value_of(slice(tensor, axis, begin, end));
      ++axis;
    }
  }
  return result;
}

}  // namespace attn::verify
