#include "verify/program/values.hpp"

#include <string>
#include <utility>

#include "tensor/operations.hpp"
#include "verify/observed/bounds.hpp"
#include "verify/observed/observed.hpp"
#include "verify/page/pieces.hpp"
#include "verify/program/value_parts.hpp"

namespace attn::verify {
namespace {

double operated(std::string_view sign, double a, double b) {
  switch (sign[0]) {
    case '+': return a + b;
    case '-': return a - b;
    case '*': return sign.size() > 1 ? std::pow(a, b) : a * b;
    case '%': return a - b * std::floor(a / b);
    case '/': return sign.size() > 1 ? std::floor(a / b) : a / b;
    case 'm': return std::isnan(a) || std::isnan(b) ? NAN : sign == "maximum" ? std::max(a, b) : std::min(a, b);
    default: return holds(sign, a, b) ? 1 : 0;
  }
}

bool is_comparison(std::string_view sign) {
  return std::string_view("=!<>|&^").find(sign[0]) != std::string_view::npos;
}

/// A tensor, or one of a number.
std::optional<Tensor> tensor_in(const Value& x) {
  return x.number ? constant({}, [n = *x.number](std::size_t) { return n; }) : x.tensor;
}

/// a @ b for vectors, matrices and batches of them, of which one may lack axes.
Value product(const Tensor& a, const Tensor& b) {
  const bool are_floats = a.dtype() == DType::float32 && b.dtype() == DType::float32;
  const bool have_axes = b.dim() > 0 && (a.dim() > 1 || (a.dim() == 1 && b.dim() < 3)) &&
                         element_count(a.shape()) > 0 && element_count(b.shape()) > 0;
  if (!are_floats || !have_axes || a.size(-1) != b.size(std::max<std::int64_t>(-2, -b.dim()))) {
    return {};
  }
  if (b.dim() == 1 && a.dim() > 2) {
    const Value made = product(a, *with_axis(b, 1).tensor);
    return reshaped(*made.tensor, Shape(a.shape().begin(), a.shape().end() - 1));
  }
  if (b.dim() == 1) {
    return value_of(a.dim() == 1 ? dot(a, b) : matvec(a, b));
  }
  if (b.dim() == 2) {
    return value_of(matmul(a, b));
  }
  const auto outer = [](const Tensor& x) { return Shape(x.shape().begin(), x.shape().end() - 2); };
  const auto batches = broadcast(outer(a), outer(b));
  const auto with_batches = [&](const Tensor& x) {
    Shape shape = *batches;
    shape.insert(shape.end(), x.shape().end() - 2, x.shape().end());
    return shape == x.shape() ? value_of(x) : expanded(x, shape);
  };
  const Value left = batches ? with_batches(a) : Value{};
  const Value right = batches ? with_batches(b) : Value{};
  return left.tensor && right.tensor ? value_of(matmul(*left.tensor, *right.tensor)) : Value{};
}

}  // namespace

bool holds(std::string_view sign, double a, double b) {
  switch (sign[0]) {
    case '=': return a == b;
    case '!': return a != b;
    case '<': return sign.size() > 1 ? a <= b : a < b;
    case '>': return sign.size() > 1 ? a >= b : a > b;
    case '&': return a != 0 && b != 0;
    case '|': return a != 0 || b != 0;
    default: return (a != 0) != (b != 0);
  }
}

Value value_of(const Tensor& tensor) { return {.tensor = tensor}; }

Value value_of(double number) { return {.number = number}; }

Tensor constant(const Shape& shape, std::function<double(std::size_t)> number, std::optional<Kernels> kernels) {
  const auto fill = [shape, number = std::move(number)]() -> Contents {
    Block<float> numbers(shape);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = static_cast<float>(number(i));
    }
    return numbers;
  };
  return leaf(shape, DType::float32, "", fill, kernels);
}

Tensor unknown_of(const Shape& shape) {
  return constant(shape, [](std::size_t) { return NAN; });
}

// ---- Elements ---------------------------------------------------------------------------------------

Shape index_in(const Shape& index, const Shape& shape) {
  Shape result(index.end() - std::ssize(shape), index.end());
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    result[axis] = shape[axis] == 1 ? 0 : result[axis];
  }
  return result;
}

std::optional<std::vector<double>> cells_of(const Tensor& x) {
  std::vector<double> cells = values_of(x);
  const bool are_known = std::ranges::none_of(cells, [](double cell) { return std::isnan(cell); });
  return are_known ? std::optional(std::move(cells)) : std::nullopt;
}

Value each(const std::vector<Tensor>& operands, OfNumbers function) {
  std::optional<Shape> shape = Shape{};
  for (const Tensor& operand : operands) {
    shape = shape ? broadcast(*shape, operand.shape()) : shape;
  }
  if (!shape || element_count(*shape) > most_listed) {
    return {};
  }
  const auto elements = [operands](const Shape& index) {
    std::vector<Element> of;
    for (const Tensor& operand : operands) {
      of.push_back({of.size(), index_in(index, operand.shape())});
    }
    return of;
  };
  const auto number = [function = std::move(function)](std::span<const double> of, const Shape&) {
    return function(of);
  };
  return value_of(mapped(operands, *shape, {elements, number}));
}

Tensor as_numbers(const Tensor& x) {
  return x.dtype() == DType::float32 ? x : *each({x}, [](std::span<const double> of) { return of[0]; }).tensor;
}

Value moved(const Tensor& x, const Shape& shape, std::function<std::optional<Shape>(const Shape&)> from) {
  const bool is_mask = x.dtype() == DType::boolean;
  if (element_count(shape) > (is_mask ? most_computed : most_listed)) {
    return {};
  }
  if (is_mask) {
    return compared("!=", moved(as_numbers(x), shape, std::move(from)), value_of(0));
  }
  const auto elements = [from = std::move(from)](const Shape& index) {
    auto place = from(index);
    return place ? std::vector<Element>{{0, std::move(*place)}} : std::vector<Element>{};
  };
  return value_of(
      mapped({x}, shape, {elements, [](std::span<const double> of, const Shape&) { return of.empty() ? 0 : of[0]; }}));
}

Value expanded(const Tensor& x, const Shape& shape) {
  return moved(x, shape, [of = x.shape()](const Shape& index) { return index_in(index, of); });
}

Value reshaped(const Tensor& x, const Shape& shape) {
  if (element_count(shape) == 0) {
    return value_of(unknown_of(shape));  // which has no numbers
  }
  return value_of(!shape.empty() ? view(contiguous(x), shape) : x.dim() > 0 ? index(view(contiguous(x), {1}), 0) : x);
}

Value with_axis(const Tensor& x, std::int64_t axis) {
  axis += axis < 0 ? x.dim() + 1 : 0;
  if (axis < 0 || axis > x.dim()) {
    return {};
  }
  Shape shape = x.shape();
  shape.insert(shape.begin() + axis, 1);
  return reshaped(x, shape);
}

// ---- Operators --------------------------------------------------------------------------------------

Value compared(std::string_view sign, const Value& a, const Value& b) {
  const auto x = tensor_in(a);
  const auto y = tensor_in(b);
  const auto shape = x && y ? broadcast(x->shape(), y->shape()) : std::nullopt;
  if (!shape || element_count(*shape) > most_computed) {
    return {};
  }
  const Value made = each({*x, *y}, [own = std::string(sign)](std::span<const double> of) {
    return std::isnan(of[0]) || std::isnan(of[1]) ? NAN : holds(own, of[0], of[1]) ? 1 : 0;
  });
  const auto cells = cells_of(*made.tensor);
  return value_of(cells ? mask_at(*shape, {cells->begin(), cells->end()}, "?") : unknown_of(*shape));
}

Value inverted(const Value& mask) { return compared("==", mask, value_of(0)); }

Value combined(std::string_view sign, const Value& a, const Value& b) {
  if (a.number && b.number) {
    return value_of(operated(sign, *a.number, *b.number));
  }
  const bool are_masks =
      a.tensor && b.tensor && a.tensor->dtype() == DType::boolean && b.tensor->dtype() == DType::boolean;
  if (is_among(sign, "& | ^") && !are_masks) {
    return {};  // the bits of whole numbers
  }
  auto x = tensor_in(a);
  auto y = tensor_in(b);
  if (!x || !y || sign == "@" || is_comparison(sign)) {
    return is_comparison(sign) ? compared(sign, a, b) : a.tensor && b.tensor ? product(*x, *y) : Value{};
  }
  if (are_masks) {
    return sign == "+" ? compared("|", a, b) : sign == "*" ? compared("&", a, b) : Value{};
  }
  x = as_numbers(*x);
  y = as_numbers(*y);
  const auto shape = broadcast(x->shape(), y->shape());
  if (!shape || element_count(*shape) > most_listed) {
    return {};
  }
  if (sign == "/") {
    return value_of(b.number ? divide(*x, *b.number, "") : divide(*x, *y));
  }
  if (sign.size() == 1 && sign != "%") {
    return value_of(sign == "+" ? add(*x, *y) : sign == "-" ? subtract(*x, *y) : multiply(*x, *y));
  }
  return each({*x, *y}, [own = std::string(sign)](std::span<const double> of) { return operated(own, of[0], of[1]); });
}

}  // namespace attn::verify
