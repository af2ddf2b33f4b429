#include <numeric>

#include "tensor/operations.hpp"
#include "verify/observed/observed.hpp"
#include "verify/program/interpreter.hpp"

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

/// Signs, and functions that they stand for.
struct Sign {
  std::string_view sign;
  std::string_view names;
};
constexpr auto sign_functions = std::to_array<Sign>({
    {"@", "@ matmul mm bmm dot inner_product"},
    {"*", "* mul multiply"},
    {"+", "+ add"},
    {"-", "- sub subtract"},
    {"/", "/ div divide true_divide"},
    {"//", "//"},
    {"%", "% remainder"},
    {"**", "** pow power float_power"},
    {"==", "== eq"},
    {"!=", "!= ne not_equal"},
    {"<", "< lt less"},
    {">", "> gt greater"},
    {"<=", "<= le less_equal"},
    {">=", ">= ge greater_equal"},
    {"&", "&"},
    {"|", "|"},
    {"^", "^"},
    {"&&", "logical_and"},
    {"||", "logical_or"},
    {"maximum", "maximum"},
    {"minimum", "minimum"},
});

// ---- Arguments --------------------------------------------------------------------------------------

/// The axis that the argument says, or else the usual one.
std::int64_t axis_of(const Passed& given, std::size_t place, std::int64_t rank,
                     std::optional<std::int64_t> usual = {}) {
  const Value dim = given.get("dim axis", place);
  const std::int64_t axis = dim.is_known() ? whole(known(dim.number)) : known(usual);
  require(axis >= -rank && axis < rank);
  return axis < 0 ? axis + rank : axis;
}

/// The whole numbers that arguments say from a place on, or a list of them: (3, 2), ((3, 2)), size=(3, 2).
Shape numbers_in(const Passed& given, std::size_t place) {
  std::vector<Value> all(given.plain.begin() + std::min(std::ssize(given.plain), static_cast<std::ptrdiff_t>(place)),
                         given.plain.end());
  for (const auto& [name, value] : given.named) {
    is_among(name, "size shape dims dim0 dim1 axis1 axis2 axes perm repeats") ? all.push_back(value) : void();
  }
  Shape numbers;
  for (const Value& value : !all.empty() && !all[0].items.empty() ? std::vector(all[0].items) : all) {
    numbers.push_back(whole(known(value.number)));
  }
  return numbers;
}

/// A number, or that of a tensor of one, or of a constant with the shape of another.
Value number_in(const Value& x, const Value& other) {
  const Shape shape = other.tensor ? other.tensor->shape() : Shape{};
  const bool is_leaf = x.tensor && x.tensor->operands().empty() && (x.tensor->dim() == 0 || x.tensor->shape() == shape);
  const auto cells = is_leaf ? cells_of(*x.tensor) : std::nullopt;
  const bool is_one = cells && !cells->empty() && std::ranges::count(*cells, cells->front()) == std::ssize(*cells);
  return is_one ? Value(cells->front()) : x;
}

// ---- Constants and masks ----------------------------------------------------------------------------

Tensor range_of_numbers(const Passed& given) {
  const bool has_begin = given.plain.size() > (given.get("end stop", 99).is_known() ? 0 : 1);
  const Value start = given.get("start", has_begin ? 0 : 99);
  const double begin = has_begin || start.is_known() ? known(start.number) : 0;
  const double end = known(given.get("end stop", has_begin ? 1 : 0).number);
  const double step = given.get("step", 2).number.value_or(1);
  const double count = std::ceil((end - begin) / step);
  require(count >= 1 && count <= most_listed);
  return constant({whole(count)}, [=](std::size_t i) { return begin + step * static_cast<double>(i); });
}

/// torch.ones, torch.full_like, torch.eye
Tensor filled(std::string_view function, const Passed& given) {
  const bool is_full = function.starts_with("full");
  const bool is_alike = function.ends_with("_like");
  Passed of_sizes = given;
  is_full || function == "eye" ? of_sizes.plain.resize(std::min<std::size_t>(1, given.plain.size())) : void();
  const Shape shape = is_alike ? known(given.get("input", 0).tensor).shape() : numbers_in(of_sizes, 0);
  require((is_alike || !shape.empty()) &&
          std::ranges::all_of(shape, [](auto n) { return n >= 0 && n <= most_listed; }) &&
          element_count(shape) <= most_listed);
  if (function == "eye") {
    require(given.plain.size() == 1);
    const auto n = static_cast<std::size_t>(shape[0]);
    return constant({shape[0], shape[0]}, [n](std::size_t i) { return i / n == i % n ? 1 : 0; });
  }
  if (function.starts_with("empty")) {
    return unknown_of(shape);
  }
  const double number = is_full ? known(given.get("fill_value", 1).number) : function.starts_with("ones") ? 1 : 0;
  return constant(shape, [number](std::size_t) { return number; });
}

Value made(std::string_view function, const Passed& given) {
  const Tensor all = function == "arange" ? range_of_numbers(given) : filled(function, given);
  return given.get("dtype", 99).words == "bool" ? truths_of(all) : all;
}

Value triangle(std::string_view function, const Passed& given, const Tensor& x) {
  const double k = given.get("diagonal k", 1).number.value_or(0);
  require(x.dim() > 1);
  return moved(x, x.shape(), [k, is_low = function == "tril"](const Shape& index) {
    const auto over = static_cast<double>(index[index.size() - 1] - index[index.size() - 2]);
    return (is_low ? over <= k : over >= k) ? std::optional(index) : std::nullopt;
  });
}

/// torch.where(mask, a, b)
Value chosen(std::string_view /*function*/, const Passed& given, const Tensor& mask) {
  const Value x = given.get("input x", 1);
  const Value y = given.get("other y", 2);
  const Value a = number_in(x, y);
  const Value b = number_in(y, x);
  try {
    return a.number ? masked(known(y.tensor), mask, a) : masked(known(x.tensor), compared("==", mask, scalar(0)), b);
  } catch (const Unknown&) {
    const Tensor first = x.number ? scalar(*x.number) : known(x.tensor);
    const Tensor second = y.number ? scalar(*y.number) : known(y.tensor);
    return each({mask, first, second}, [](std::span<const double> of) {
      return std::isnan(of[0]) ? of[0] : of[0] != 0 ? of[1] : of[2];
    });
  }
}

// ---- Elements in other places -----------------------------------------------------------------------

Value permuted(std::string_view function, const Passed& given, const Tensor& x) {
  const auto rank = static_cast<std::size_t>(x.dim());
  Shape order(rank);
  std::iota(order.begin(), order.end(), std::int64_t{0});
  Shape now = order;
  Shape axes = numbers_in(given, 1);
  for (std::int64_t& axis : axes) {
    axis += axis < 0 ? x.dim() : 0;
    require(axis >= 0 && axis < x.dim());
  }
  if (function == "mT" && rank > 1) {
    std::swap(order[rank - 1], order[rank - 2]);
  } else if (axes.empty()) {
    std::ranges::reverse(order);
  } else if (axes.size() == 2 && function != "permute") {
    std::swap(order[static_cast<std::size_t>(axes[0])], order[static_cast<std::size_t>(axes[1])]);
  } else {
    require(axes.size() == rank && std::ranges::is_permutation(axes, order));
    order = axes;
  }
  Tensor result = x;
  for (std::size_t i = 0; i < rank; ++i) {  // by transposes, which tell where an axis comes from
    const std::int64_t from = std::ranges::find(now, order[i]) - now.begin();
    if (from != static_cast<std::int64_t>(i)) {
      result = rank == 2 ? t(result) : transpose(result, static_cast<std::int64_t>(i), from);
      std::swap(now[i], now[static_cast<std::size_t>(from)]);
    }
  }
  return result;
}

Value viewed(std::string_view /*function*/, const Passed& given, const Tensor& x) {
  Shape shape = numbers_in(given, 1);
  const std::int64_t count = element_count(x.shape());
  std::int64_t known = 1;
  for (const std::int64_t size : shape) {
    known *= size == -1 || known > count ? 1 : size;
  }
  std::ranges::replace(shape, -1, known > 0 ? count / known : 0);
  require(!shape.empty() && std::ranges::min(shape) >= 0 && element_count(shape) == count);
  return reshaped(x, shape);
}

/// x.expand(2, -1)
Value repeated(std::string_view /*function*/, const Passed& given, const Tensor& x) {
  Shape shape = numbers_in(given, 1);
  const std::ptrdiff_t added = std::ssize(shape) - x.dim();
  for (std::ptrdiff_t i = std::max<std::ptrdiff_t>(0, added); i < std::ssize(shape); ++i) {
    std::int64_t& size = shape[static_cast<std::size_t>(i)];
    size = size == -1 ? x.size(i - added) : size;
  }
  require(!shape.empty() && std::ranges::all_of(shape, [](auto n) { return n > 0 && n <= most_listed; }) &&
          broadcast(shape, x.shape()) == shape);
  return expanded(x, shape);
}

/// torch.stack, torch.cat
Value together(std::string_view function, const Passed& given) {
  std::vector<Tensor> parts;
  for (const Value& part : given.get("tensors", 0).items) {
    parts.push_back(known(part.tensor));
  }
  require(!parts.empty());
  const bool is_stack = function == "stack";
  return joined(parts, axis_of(given, 1, parts[0].dim() + (is_stack ? 1 : 0), 0), is_stack);
}

/// x.narrow(dim, start, length), x.select(dim, index), x.index_select(dim, indices)
Value part_of(std::string_view function, const Passed& given, const Tensor& x) {
  const Value at = given.get("start index", 2);
  std::vector<Subscript> all(static_cast<std::size_t>(axis_of(given, 1, x.dim())), {Subscript::Kind::slice});
  all.push_back({Subscript::Kind::item, at.number, {}, 1, at.tensor});
  if (function == "narrow") {
    const double begin = known(at.number);
    all.back() = {Subscript::Kind::slice, begin, begin + known(given.get("length", 3).number)};
  }
  return subscripted(x, all);
}

// ---- Numbers along an axis --------------------------------------------------------------------------

using OfRow = std::function<double(std::span<const double> row, std::size_t place)>;

/// Each row's numbers along an axis become as many others: `of_row` makes each of them by its place.
Tensor along(const Tensor& x, std::int64_t axis, std::int64_t count, OfRow of_row) {
  const auto at = static_cast<std::size_t>(axis);
  Shape shape = x.shape();
  shape[at] = count;
  const auto elements = [at, size = x.size(axis)](const Shape& index) {
    std::vector<Element> row(static_cast<std::size_t>(size), {0, index});
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i].index[at] = static_cast<std::int64_t>(i);
    }
    return row;
  };
  const auto number = [at, of_row = std::move(of_row)](std::span<const double> row, const Shape& index) {
    const bool is_known = std::ranges::none_of(row, [](double one) { return std::isnan(one); });
    return is_known && !row.empty() ? of_row(row, static_cast<std::size_t>(index[at])) : NAN;
  };
  return mapped({x}, shape, {elements, number});
}

/// Each row's greatest or least number, or its first place.
Tensor extreme(bool is_most, bool is_place, const Tensor& x, std::int64_t axis, bool is_kept) {
  const auto of_row = [=](std::span<const double> row, std::size_t) {
    const auto one = is_most ? std::ranges::max_element(row) : std::ranges::min_element(row);
    return is_place ? static_cast<double>(one - row.begin()) : *one;
  };
  const bool is_last_maximum = is_most && !is_place && axis == x.dim() - 1 && x.size(axis) > 0;
  const Tensor made = is_last_maximum ? amax(x) : along(x, axis, 1, of_row);
  return is_kept ? made : index(made, 0, axis);
}

Tensor reduced_along(std::string_view function, const Tensor& x, std::int64_t axis, bool is_kept) {
  if (function == "sum" || function == "mean") {
    const Tensor total = sum(x, is_kept, axis - x.dim());
    const auto count = static_cast<double>(x.size(axis));
    return function == "sum" ? total : divide(total, count, std::to_string(x.size(axis)));
  }
  return extreme(function == "max", false, x, axis, is_kept);
}

/// The values and their places, as torch.topk gives them.
Value pair_of(const Tensor& values, const Tensor& places) {
  Value made;
  made.items = {values, {places, true}};
  return made;
}

/// Sums and the like, of some axes or of all.
Value reduced(std::string_view function, const Passed& given, const Tensor& of) {
  const bool has_places = function == "our_max" || (is_among(function, "max min") && !given.plain[0].is_numpy);
  const bool is_kept = given.get("keepdim keepdims", 2).number.value_or(0) != 0;
  const std::string_view own = function == "our_max"       ? "max"
                               : function.starts_with('a') ? function.substr(1)
                                                           : function;
  if (const Value other = given.get("other", 1); other.tensor && (own == "max" || own == "min")) {
    return combined(own == "max" ? "maximum" : "minimum", of, other);
  }
  Tensor x = as_numbers(of);
  const Value dim = given.get("dim axis", 1);
  if (!dim.is_known()) {
    const std::int64_t count = element_count(x.shape());
    return own == "sum"    ? total(x)
           : own == "mean" ? divide(total(x), static_cast<double>(count), std::to_string(count))
                           : reduced_along(own, reshaped(x, {count}), 0, false);
  }
  Shape axes;
  for (const Value& one : dim.items.empty() ? std::vector{dim} : dim.items) {
    axes.push_back(axis_of({{x, one}, {}}, 1, x.dim()));
  }
  std::ranges::sort(axes, std::greater());
  require(std::ranges::adjacent_find(axes) == axes.end());
  const Tensor all = x;
  for (const std::int64_t axis : axes) {
    x = reduced_along(own, x, axis, is_kept);
  }
  return has_places ? pair_of(x, extreme(own == "max", true, all, axes[0], is_kept)) : x;
}

/// The number of a row that has so many before it in order, or its place; which of equal ones comes first depends on
/// PyTorch's kernel.
double ranked(std::span<const double> row, std::size_t rank, bool is_descending, bool is_place) {
  std::vector<std::size_t> places(row.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::ranges::stable_sort(
      places, [&](std::size_t a, std::size_t b) { return is_descending ? row[a] > row[b] : row[a] < row[b]; });
  const double own = row[places[rank]];
  return !is_place ? own : std::ranges::count(row, own) == 1 ? static_cast<double>(places[rank]) : NAN;
}

/// torch.topk: the greatest or the least numbers in order, and their places.
Value highest(std::string_view /*function*/, const Passed& given, const Tensor& x) {
  const std::int64_t axis = axis_of(given, 2, x.dim(), -1);
  const std::int64_t count = whole(known(given.get("k", 1).number));
  require(x.dtype() == DType::float32 && count >= 1 && count <= x.size(axis) &&
          element_count(x.shape()) * count <= most_listed);
  const bool is_descending = given.get("largest", 3).number.value_or(1) != 0;
  const auto own = [&](bool is_place) {
    return along(x, axis, count, [=](std::span<const double> row, std::size_t rank) {
      return ranked(row, rank, is_descending, is_place);
    });
  };
  return pair_of(own(false), own(true));
}

Value softmax_of(std::string_view /*function*/, const Passed& given, const Tensor& x) {
  const std::int64_t axis = axis_of(given, 1, x.dim(), -1);
  require(x.dtype() == DType::float32);
  return axis == x.dim() - 1 ? softmax(x) : softmax_over(x, axis);
}

/// LayerNorm without its weight and bias: rows less their mean, over their standard deviation.
Value standardised(std::string_view /*function*/, const Passed& given, const Tensor& x) {
  const double eps = given.get("eps", 2).number.value_or(1e-5);
  require(x.dim() > 0 && x.dtype() == DType::float32 &&
          numbers_in({{given.get("normalized_shape", 1)}, {}}, 0) == Shape{x.size(-1)});
  return multiply(subtract(x, layer_norm_mean(x)), layer_norm_factor(x, eps));
}

// ---- The table --------------------------------------------------------------------------------------

/// What functions of a tensor make, which is the first of their arguments. The same function may have several names:
/// max and amax.
struct TensorFunction {
  Value (*of)(std::string_view function, const Passed& given, const Tensor& x);
  std::string_view names;
};
constexpr auto tensor_functions = std::to_array<TensorFunction>({
    {[](auto, const Passed&, const Tensor& x) -> Value { return x; },
     "detach numpy clone copy data cpu contiguous item tensor array asarray Parameter as_tensor from_numpy"
     " requires_grad_ byte tolist FloatTensor Tensor DoubleTensor"},
    {[](auto, const Passed&, const Tensor& x) -> Value { return compared("==", x, scalar(0)); },
     "bitwise_not logical_not"},
    {[](auto, const Passed&, const Tensor& x) -> Value { return as_numbers(x); }, "float double"},
    {[](auto, const Passed&, const Tensor& x) -> Value { return truths_of(x); }, "bool"},
    {[](auto, const Passed& given, const Tensor& x) -> Value {
       return masked(x, known(given.get("mask", 1).tensor), given.get("value", 2));
     },
     "masked_fill"},
    {[](auto, const Passed& given, const Tensor& x) -> Value {
       return with_axis(x, whole(known(given.get("dim axis", 1).number)));
     },
     "unsqueeze expand_dims"},
    {[](auto, const Passed&, const Tensor& x) -> Value { return exp(as_numbers(x)); }, "exp"},
    {[](auto, const Passed&, const Tensor& x) -> Value { return sqrt(as_numbers(x)); }, "sqrt"},
    {[](auto, const Passed&, const Tensor& x) -> Value { return rsqrt(as_numbers(x)); }, "rsqrt"},
    {[](auto, const Passed& given, const Tensor& x) -> Value {
       const double power = std::pow(10, given.get("decimals", 1).number.value_or(0));
       return each({x}, [power](std::span<const double> of) { return std::nearbyint(of[0] * power) / power; });
     },
     "round"},
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

/// The row of a function, if a table has one.
const auto* row_of(const auto& table, std::string_view function) {
  const auto row = std::ranges::find_if(table, [&](const auto& one) { return is_among(function, one.names); });
  return row == table.end() ? nullptr : &*row;
}

Value called(std::string_view name, const Passed& given) {
  const Value first = given.plain.empty() ? Value{} : given.plain[0];
  if (is_among(name, "ones zeros empty eye full arange ones_like zeros_like full_like empty_like")) {
    return made(name, given);
  }
  if (is_among(name, "cat concat concatenate stack")) {
    return together(name, given);
  }
  if (const auto* const row = row_of(sign_functions, name); row != nullptr) {
    require(given.plain.size() + given.named.size() == 2);  // not torch.div's rounding_mode
    return combined(row->sign, first, given.get("other exponent", 1));
  }
  if (is_among(name, "tensor array Tensor FloatTensor LongTensor IntTensor DoubleTensor asarray as_tensor constant") &&
      !first.tensor) {
    return listed_numbers(first);
  }
  const auto* const own = first.tensor ? row_of(tensor_functions, name) : nullptr;
  if (own != nullptr) {
    return own->of(name, given, *first.tensor);
  }
  if (first.number && is_among(name, "float item float32 float64")) {
    return first;
  }
  const auto* const row = row_of(number_functions, name);
  const bool has_option = given.plain.size() > 1 && given.plain[1].words != "True" && given.plain[1].words != "False";
  require(row != nullptr && !has_option);
  return first.number ? Value(row->of(*first.number))
                      : each({known(first.tensor)}, [of = row->of](std::span<const double> v) { return of(v[0]); });
}

}  // namespace

Tensor masked(const Tensor& x, const Tensor& mask, const Value& given) {
  const double number = known(number_in(given, {}).number);
  require(cells_of(mask) && x.dtype() == DType::float32 && broadcast(x.shape(), mask.shape()) == x.shape());
  Shape shape = mask.shape();
  shape.erase(shape.begin(), std::ranges::find_if(shape, [](std::int64_t size) { return size != 1; }));
  const bool are_last_axes = std::equal(shape.rbegin(), shape.rend(), x.shape().rbegin());
  Tensor places = !are_last_axes ? expanded(mask, x.shape()) : shape == mask.shape() ? mask : reshaped(mask, shape);
  places = places.dtype() == DType::boolean ? places : truths_of(places);
  return masked_fill(x, places, static_cast<float>(number));
}

Value call_of(std::string_view function, const Passed& arguments) try {
  return called(function, arguments);
} catch (const Unknown&) {
  return {};
}

}  // namespace attn::verify
