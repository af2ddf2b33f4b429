#include "verify/program/interpreter.hpp"

#include <iterator>
#include <memory>

#include "tensor/operations.hpp"
#include "verify/observed/observed.hpp"

namespace attn::verify {
namespace {

bool is_comparison(std::string_view sign) { return std::string_view("=!<>|&^").find(sign[0]) != npos; }

/// Where the element stands in one that is repeated to another's shape.
Shape index_in(const Shape& index, const Shape& shape) {
  Shape result(index.end() - std::ssize(shape), index.end());
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    result[axis] = shape[axis] == 1 ? 0 : result[axis];
  }
  return result;
}

Shape common_shape(const std::vector<Tensor>& operands) {
  Shape shape;
  for (const Tensor& operand : operands) {
    shape = known(broadcast(shape, operand.shape()));
  }
  require(element_count(shape) <= most_listed);
  return shape;
}

/// a @ b for vectors, matrices and batches of them, of which one may lack axes.
Tensor product(const Tensor& a, const Tensor& b) {
  const bool are_floats = a.dtype() == DType::float32 && b.dtype() == DType::float32;
  const bool have_axes = b.dim() > 0 && (a.dim() > 1 || (a.dim() == 1 && b.dim() < 3)) &&
                         element_count(a.shape()) > 0 && element_count(b.shape()) > 0;
  require(are_floats && have_axes && a.size(-1) == b.size(std::max<std::int64_t>(-2, -b.dim())));
  if (b.dim() == 1 && a.dim() > 2) {
    return reshaped(product(a, with_axis(b, 1)), Shape(a.shape().begin(), a.shape().end() - 1));
  }
  if (b.dim() < 3) {
    return b.dim() == 2 ? matmul(a, b) : a.dim() == 1 ? dot(a, b) : matvec(a, b);
  }
  const auto outer = [](const Tensor& x) { return Shape(x.shape().begin(), x.shape().end() - 2); };
  const Shape batches = known(broadcast(outer(a), outer(b)));
  const auto with_batches = [&](const Tensor& x) {
    Shape shape = batches;
    shape.insert(shape.end(), x.shape().end() - 2, x.shape().end());
    return shape == x.shape() ? x : expanded(x, shape);
  };
  return matmul(with_batches(a), with_batches(b));
}

}  // namespace

double arithmetic(std::string_view sign, double a, double b) {
  const bool is_long = sign.size() > 1;
  switch (sign[0]) {
    case '+': return a + b;
    case '-': return a - b;
    case '*': return is_long ? std::pow(a, b) : a * b;
    case '/': return is_long ? std::floor(a / b) : a / b;
    case '%': return a - b * std::floor(a / b);
    case '=': return a == b ? 1 : 0;
    case '!': return a != b ? 1 : 0;
    case '<': return a < b || (is_long && a == b) ? 1 : 0;
    case '>': return a > b || (is_long && a == b) ? 1 : 0;
    case '&': return a != 0 && b != 0 ? 1 : 0;
    case '|': return a != 0 || b != 0 ? 1 : 0;
    case '^': return (a != 0) != (b != 0) ? 1 : 0;
    default: return std::isnan(a) || std::isnan(b) ? NAN : sign == "maximum" ? std::max(a, b) : std::min(a, b);
  }
}

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

Tensor scalar(double number) {
  return constant({}, [number](std::size_t) { return number; });
}

Tensor listed_numbers(const Value& list) {
  if (list.number) {
    return scalar(*list.number);
  }
  require(!list.items.empty() && list.items.size() <= most_listed);
  const auto is_number = [](const Value& item) { return item.number.has_value(); };
  if (!std::ranges::all_of(list.items, is_number)) {
    std::vector<Tensor> rows;
    for (const Value& item : list.items) {
      rows.push_back(item.items.empty() ? known(item.tensor) : listed_numbers(item));
      require(rows.back().shape() == rows[0].shape());
    }
    return joined(std::move(rows), 0, true);
  }
  std::vector<double> numbers;
  std::ranges::transform(list.items, std::back_inserter(numbers), [](const Value& item) { return *item.number; });
  const auto is_truth = [](const Value& item) { return item.words == "True" || item.words == "False"; };
  return std::ranges::all_of(list.items, is_truth)
             ? mask_at({std::ssize(numbers)}, {numbers.begin(), numbers.end()}, "?")
             : constant({std::ssize(numbers)}, [numbers](std::size_t i) { return numbers[i]; });
}

Tensor joined(std::vector<Tensor> parts, std::int64_t axis, bool is_stack) {
  const bool are_masks = std::ranges::all_of(parts, [](const Tensor& x) { return x.dtype() == DType::boolean; });
  std::ranges::transform(parts, parts.begin(), as_numbers);
  const Tensor all = is_stack ? stack(parts, axis) : cat(parts, axis);
  return are_masks ? truths_of(all) : all;
}

// ---- Elements ---------------------------------------------------------------------------------------

std::optional<std::vector<double>> cells_of(const Tensor& x) {
  std::vector<double> cells = values_of(x);
  const bool are_known = std::ranges::none_of(cells, [](double cell) { return std::isnan(cell); });
  return are_known ? std::optional(std::move(cells)) : std::nullopt;
}

Tensor each(const std::vector<Tensor>& operands, OfNumbers function) {
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
  return mapped(operands, common_shape(operands), {elements, number});
}

Tensor as_numbers(const Tensor& x) {
  return x.dtype() == DType::float32 ? x : each({x}, [](std::span<const double> of) { return of[0]; });
}

Tensor moved(const Tensor& x, const Shape& shape, std::function<std::optional<Shape>(const Shape&)> from) {
  require(element_count(shape) <= most_listed);
  if (x.dtype() == DType::boolean) {
    return truths_of(moved(as_numbers(x), shape, std::move(from)));
  }
  const auto elements = [from = std::move(from)](const Shape& index) {
    auto place = from(index);
    return place ? std::vector<Element>{{0, std::move(*place)}} : std::vector<Element>{};
  };
  return mapped({x}, shape,
                {elements, [](std::span<const double> of, const Shape&) { return of.empty() ? 0 : of[0]; }});
}

Tensor expanded(const Tensor& x, const Shape& shape) {
  return moved(x, shape, [of = x.shape()](const Shape& index) { return index_in(index, of); });
}

Tensor reshaped(const Tensor& x, const Shape& shape) {
  if (element_count(shape) == 0) {
    return unknown_of(shape);  // which has no numbers
  }
  return !shape.empty() ? view(contiguous(x), shape) : x.dim() > 0 ? index(view(contiguous(x), {1}), 0) : x;
}

Tensor with_axis(const Tensor& x, std::int64_t axis) {
  axis += axis < 0 ? x.dim() + 1 : 0;
  require(axis >= 0 && axis <= x.dim());
  Shape shape = x.shape();
  shape.insert(shape.begin() + axis, 1);
  return reshaped(x, shape);
}

// ---- Operators --------------------------------------------------------------------------------------

Tensor compared(std::string_view sign, const Tensor& a, const Tensor& b) {
  require(element_count(common_shape({a, b})) <= most_computed);
  const Tensor made = each({a, b}, [own = std::string(sign)](std::span<const double> of) {
    return std::isnan(of[0]) || std::isnan(of[1]) ? NAN : arithmetic(own, of[0], of[1]);
  });
  const auto cells = cells_of(made);
  return cells ? mask_at(made.shape(), {cells->begin(), cells->end()}, "?") : unknown_of(made.shape());
}

Tensor truths_of(const Tensor& x) { return compared("!=", x, scalar(0)); }

Value combined(std::string_view sign, const Value& a, const Value& b) {
  const bool is_numpy = a.is_numpy || b.is_numpy;
  const auto tensor_in = [&](const Value& x) {
    return x.number || (is_numpy && !x.items.empty()) ? listed_numbers(x) : known(x.tensor);
  };
  const auto are = [&](DType type) { return tensor_in(a).dtype() == type && tensor_in(b).dtype() == type; };
  require(!is_among(sign, "<< >>") && (!is_among(sign, "& | ^") || are(DType::boolean)));  // the bits of whole numbers
  if (a.number && b.number) {
    return arithmetic(sign, *a.number, *b.number);
  }
  if (sign == "@") {
    return product(known(a.tensor), known(b.tensor));
  }
  const Tensor x = as_numbers(tensor_in(a));
  const Tensor y = as_numbers(tensor_in(b));
  if (are(DType::boolean) || is_comparison(sign)) {
    require(is_comparison(sign) || is_among(sign, "+ *"));
    return compared(sign == "+" ? "|" : sign == "*" ? "&" : sign, x, y);
  }
  common_shape({x, y});
  if (sign == "/") {
    return b.number ? divide(x, *b.number, "") : divide(x, y);
  }
  if (sign.size() == 1 && sign != "%") {
    return sign == "+" ? add(x, y) : sign == "-" ? subtract(x, y) : multiply(x, y);
  }
  return each({x, y}, [own = std::string(sign)](std::span<const double> of) { return arithmetic(own, of[0], of[1]); });
}

// ---- Parts of tensors, and what is put into them -----------------------------------------------------

namespace {

using OfAxis = Subscript::Kind;

/// x[:, begin:end:step]
Tensor sliced(const Tensor& x, std::int64_t axis, const Range& range) {
  const auto& [begin, end, step] = range;
  require(begin < end);
  if (step == 1) {
    return begin == 0 && end == x.size(axis) ? x : slice(x, axis, begin, end);
  }
  Shape shape = x.shape();
  const auto at = static_cast<std::size_t>(axis);
  shape[at] = (end - begin + step - 1) / step;
  return moved(x, shape, [at, range](const Shape& index) {
    Shape from = index;
    from[at] = range.begin + range.step * index[at];
    return from;
  });
}

/// Whole numbers as places of an axis, -1 the last; nothing if one is unknown or none.
std::optional<std::vector<std::int64_t>> places_in(const Tensor& numbers, std::int64_t size) {
  std::vector<std::int64_t> places;
  for (const double number : values_of(numbers)) {
    const double place = number < 0 ? number + static_cast<double>(size) : number;
    if (!(place >= 0) || place >= static_cast<double>(size) || place != std::floor(place)) {
      return std::nullopt;
    }
    places.push_back(whole(place));
  }
  return places;
}

Tensor part_of(const Tensor& x, std::vector<Subscript> all);

/// x[:, ids, mine]: whole numbers name places on axes that stand together.
Tensor gathered(const Tensor& x, std::vector<Subscript> all) {
  const auto picks = [](const Subscript& one) { return one.kind == OfAxis::item; };
  const auto first = std::ranges::find_if(all, picks);
  const auto end = std::find_if_not(first, all.end(), picks);
  const std::vector<Subscript> picking(first, end);
  const std::ptrdiff_t begin = first - all.begin();
  require(std::find_if(end, all.end(), picks) == all.end());
  std::fill(first, end, Subscript{OfAxis::slice});
  const Tensor part = part_of(x, all);
  // 1. The shape of the numbers, and the places on each axis.
  std::vector<Tensor> numbers;
  Shape of;
  for (const Subscript& one : picking) {
    numbers.push_back(one.places ? *one.places : scalar(known(one.first)));
    require(numbers.back().dtype() != DType::boolean);
    of = known(broadcast(of, numbers.back().shape()));
  }
  require(element_count(of) <= most_computed);
  Shape shape = part.shape();
  std::vector<std::vector<std::int64_t>> places;
  bool are_known = true;
  for (const Tensor& one : numbers) {
    const auto own = places_in(expanded(one, of), shape[static_cast<std::size_t>(begin)]);
    are_known = are_known && own;
    places.push_back(own.value_or(std::vector<std::int64_t>{}));
    shape.erase(shape.begin() + begin);
  }
  shape.insert(shape.begin() + begin, of.begin(), of.end());
  if (!are_known) {
    return unknown_of(shape);
  }
  // 2. Each cell from its place.
  return moved(part, shape, [places, begin, of](const Shape& index) {
    const auto from = index.begin() + begin;
    const auto past = from + std::ssize(of);
    const auto k = static_cast<std::size_t>(position_of({from, past}, of));
    Shape made(index.begin(), from);
    std::ranges::for_each(places, [&](const auto& own) { made.push_back(own[k]); });
    made.insert(made.end(), past, index.end());
    return made;
  });
}

Tensor part_of(const Tensor& x, std::vector<Subscript> all) {
  const std::int64_t taken = std::ranges::count_if(all, [](const Subscript& one) { return one.kind <= OfAxis::slice; });
  if (const auto rest = std::ranges::find(all, OfAxis::rest, &Subscript::kind); rest != all.end()) {
    const auto left = static_cast<std::size_t>(std::max<std::int64_t>(0, x.dim() - taken));
    const std::vector<Subscript> axes(left, {OfAxis::slice});
    all.insert(all.erase(rest), axes.begin(), axes.end());
  }
  if (std::ranges::any_of(all, [](const Subscript& one) { return one.places.has_value(); })) {
    return gathered(x, std::move(all));
  }
  Tensor result = x;
  std::int64_t axis = 0;
  for (const Subscript& one : all) {
    require(one.kind == OfAxis::added || axis < result.dim());
    if (one.kind == OfAxis::added) {
      result = with_axis(result, axis++);
    } else if (one.kind == OfAxis::slice) {
      result = sliced(result, axis, range_of(one, result.size(axis)));
      ++axis;
    } else {
      const auto size = static_cast<double>(result.size(axis));
      const double at = known(one.first) + (*one.first < 0 ? size : 0);
      require(at >= 0 && at < size);
      result = index(result, whole(at), axis);
    }
  }
  return result;
}

/// Returns true for : and ...
bool is_whole_axis(const Subscript& one) {
  return one.kind == OfAxis::rest || (one.kind == OfAxis::slice && !one.first && !one.last && one.step == 1);
}

/// x[..., mask] = y
Tensor put_at(const Tensor& x, const Tensor& mask, const Value& y, std::span<const Subscript> before) {
  const auto are_axes = static_cast<std::int64_t>(before.size()) + mask.dim() == x.dim();
  require(std::ranges::all_of(before, is_whole_axis) && mask.dim() <= x.dim() &&
          std::equal(mask.shape().rbegin(), mask.shape().rend(), x.shape().rbegin()) &&
          (are_axes || (!before.empty() && before[0].kind == OfAxis::rest)));
  return masked(x, mask, y);
}

/// Of each cell of a tensor with this shape the cell of a part that stands there, or -1.
std::vector<std::int64_t> owners_of(const Shape& shape, const Tensor& part) {
  std::vector<std::int64_t> owners(static_cast<std::size_t>(element_count(shape)), -1);
  std::int64_t own = 0;
  for (const double position : values_of(part)) {
    owners[static_cast<std::size_t>(position)] = own++;
  }
  return owners;
}

Tensor after_write(const Tensor& x, const Value& y, std::span<const Subscript> subscripts) {
  require(!subscripts.empty() && x.dtype() == DType::float32);
  if (const auto& mask = subscripts.back().places; mask && mask->dtype() == DType::boolean) {
    return put_at(x, *mask, y, subscripts.first(subscripts.size() - 1));
  }
  const Tensor put = y.number ? scalar(*y.number) : known(y.tensor);
  const Shape& shape = x.shape();
  const Tensor places = constant({element_count(shape)}, [](std::size_t i) { return static_cast<double>(i); });
  const Tensor part = part_of(reshaped(places, shape), {subscripts.begin(), subscripts.end()});
  require(put.dtype() == DType::float32 && !part.operands().empty() && element_count(shape) <= most_listed &&
          broadcast(part.shape(), put.shape()) == part.shape());
  const auto elements = [owners = std::make_shared<std::vector<std::int64_t>>(), shape, part,
                         of = put.shape()](const Shape& index) {
    if (owners->empty()) {
      *owners = owners_of(shape, part);
    }
    const std::int64_t own = (*owners)[static_cast<std::size_t>(position_of(index, shape))];
    return own < 0 ? std::vector<Element>{{0, index}}
                   : std::vector<Element>{{1, index_in(index_at(own, part.shape()), of)}};
  };
  return mapped({x, put}, shape, {elements, [](std::span<const double> of, const Shape&) { return of[0]; }});
}

}  // namespace

Range range_of(const Subscript& slice, std::int64_t size) {
  const auto place = [&](const std::optional<double>& number, std::int64_t usual) {
    const std::int64_t at = number ? whole(*number) : usual;
    return std::clamp<std::int64_t>(at < 0 ? at + size : at, 0, size);
  };
  return {place(slice.first, 0), place(slice.last, size), whole(slice.step)};
}

Value subscripted(const Value& x, std::span<const Subscript> subscripts) try {
  return {part_of(known(x.tensor), {subscripts.begin(), subscripts.end()}), x.is_whole, x.is_numpy, x.depth + 1};
} catch (const Unknown&) {
  return {};
}

Value put_into(const Value& x, const Value& y, std::span<const Subscript> subscripts) try {
  return {after_write(known(x.tensor), y, subscripts), x.is_whole, x.is_numpy, std::max(x.depth, y.depth) + 1};
} catch (const Unknown&) {
  return {};
}

}  // namespace attn::verify
