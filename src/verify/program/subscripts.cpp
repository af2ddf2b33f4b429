#include <algorithm>
#include <memory>
#include <vector>

#include "tensor/operations.hpp"
#include "verify/observed/bounds.hpp"
#include "verify/observed/observed.hpp"
#include "verify/program/value_parts.hpp"

/// Parts of tensors, and what is put into them.
namespace attn::verify {
namespace {

using OfAxis = Subscript::Kind;

/// x[:, begin:end:step]
Value sliced(const Tensor& x, std::int64_t axis, const Range& range) {
  const auto& [begin, end, step] = range;
  if (begin >= end) {
    return {};
  }
  if (step == 1) {
    return value_of(begin == 0 && end == x.size(axis) ? x : slice(x, axis, begin, end));
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

/// x[:, ids, mine]: whole numbers name places on axes that stand together.
Value gathered(const Tensor& x, std::vector<Subscript> all) {
  const auto picks = [](const Subscript& one) { return one.kind == OfAxis::item; };
  const auto first = std::ranges::find_if(all, picks);
  const auto end = std::find_if_not(first, all.end(), picks);
  const std::vector<Subscript> picking(first, end);
  std::fill(first, end, Subscript{OfAxis::slice});
  const Value part = std::find_if(end, all.end(), picks) == all.end() ? subscripted(value_of(x), all) : Value{};
  // 1. The shape of the numbers, and the places on each axis.
  std::vector<Tensor> numbers;
  std::optional<Shape> of = Shape{};
  for (const Subscript& one : picking) {
    numbers.push_back(one.places ? *one.places : *listed_numbers(value_of(one.first.value_or(NAN))).tensor);
    of = of && numbers.back().dtype() != DType::boolean ? broadcast(*of, numbers.back().shape()) : std::nullopt;
  }
  if (!part.tensor || !of || element_count(*of) > most_computed) {
    return {};
  }
  const std::ptrdiff_t begin = first - all.begin();
  Shape shape = part.tensor->shape();
  std::vector<std::vector<std::int64_t>> places;
  for (const Tensor& one : numbers) {
    const auto own = places_in(*expanded(one, *of).tensor, shape[static_cast<std::size_t>(begin)]);
    places.push_back(own.value_or(std::vector<std::int64_t>{}));
    shape.erase(shape.begin() + begin);
  }
  shape.insert(shape.begin() + begin, of->begin(), of->end());
  if (element_count(*of) > 0 && std::ranges::any_of(places, [](const auto& own) { return own.empty(); })) {
    return value_of(unknown_of(shape));
  }
  // 2. Each cell from its place.
  return moved(*part.tensor, shape, [places, begin, of = *of](const Shape& index) {
    const auto from = index.begin() + begin;
    const auto past = from + std::ssize(of);
    const auto k = static_cast<std::size_t>(position_of({from, past}, of));
    Shape made(index.begin(), from);
    std::ranges::for_each(places, [&](const auto& own) { made.push_back(own[k]); });
    made.insert(made.end(), past, index.end());
    return made;
  });
}

/// Returns true for : and ...
bool is_whole_axis(const Subscript& one) {
  return one.kind == OfAxis::rest || (one.kind == OfAxis::slice && !one.first && !one.last && one.step == 1);
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

}  // namespace

Range range_of(const Subscript& slice, std::int64_t size) {
  const auto place = [&](const std::optional<double>& number, std::int64_t usual) {
    const std::int64_t at = number ? whole(*number) : usual;
    return std::clamp<std::int64_t>(at < 0 ? at + size : at, 0, size);
  };
  return {place(slice.first, 0), place(slice.last, size), whole(slice.step)};
}

Value subscripted(const Value& x, std::span<const Subscript> subscripts) {
  if (!x.tensor) {
    return {};
  }
  std::vector<Subscript> all(subscripts.begin(), subscripts.end());
  const std::int64_t taken = std::ranges::count_if(all, [](const Subscript& one) { return one.kind <= OfAxis::slice; });
  if (const auto rest = std::ranges::find(all, OfAxis::rest, &Subscript::kind); rest != all.end()) {
    const auto left = static_cast<std::size_t>(std::max<std::int64_t>(0, x.tensor->dim() - taken));
    all.insert(all.erase(rest), left, {OfAxis::slice});
  }
  if (std::ranges::any_of(all, [](const Subscript& one) { return one.places.has_value(); })) {
    return gathered(*x.tensor, all);
  }
  Value result = value_of(*x.tensor);
  std::int64_t axis = 0;
  for (const Subscript& one : all) {
    if (!result.tensor || (one.kind != OfAxis::added && axis >= result.tensor->dim())) {
      return {};
    }
    if (one.kind == OfAxis::added) {
      result = with_axis(*result.tensor, axis++);
    } else if (one.kind == OfAxis::slice) {
      result = sliced(*result.tensor, axis, range_of(one, result.tensor->size(axis)));
      ++axis;
    } else {
      const double size = static_cast<double>(result.tensor->size(axis));
      const double at = one.first.value_or(NAN) + (one.first.value_or(0) < 0 ? size : 0);
      result = at >= 0 && at < size ? value_of(index(*result.tensor, whole(at), axis)) : Value{};
    }
  }
  return result;
}

Value put_into(const Value& x, const Value& y, std::span<const Subscript> subscripts) {
  const bool are_floats =
      x.tensor && x.tensor->dtype() == DType::float32 && (!y.tensor || y.tensor->dtype() == DType::float32);
  if (!are_floats || !y.is_known() || subscripts.empty()) {
    return {};
  }
  const Shape& shape = x.tensor->shape();
  if (const auto& mask = subscripts.back().places; mask && mask->dtype() == DType::boolean) {
    const auto before = subscripts.first(subscripts.size() - 1);
    const bool is_at_end = std::ranges::all_of(before, is_whole_axis) && mask->dim() <= x.tensor->dim() &&
                           std::equal(mask->shape().rbegin(), mask->shape().rend(), shape.rbegin());
    const bool is_all = is_at_end && std::ssize(before) + mask->dim() == x.tensor->dim();
    return is_all || (is_at_end && !before.empty() && before[0].kind == OfAxis::rest)
               ? masked(*x.tensor, value_of(*mask), y)
               : Value{};
  }
  const double count = static_cast<double>(element_count(shape));
  const Value places = call_of("arange", {{value_of(count)}, {}});
  const Value part = places.tensor ? subscripted(reshaped(*places.tensor, shape), subscripts) : Value{};
  const Value put = y.number ? listed_numbers(y) : y;
  const bool is_unknown = !part.tensor || part.tensor->operands().empty();
  if (is_unknown || !put.tensor || broadcast(part.tensor->shape(), put.tensor->shape()) != part.tensor->shape()) {
    return {};
  }
  const auto elements = [owners = std::make_shared<std::vector<std::int64_t>>(), shape, part = *part.tensor,
                         of = put.tensor->shape()](const Shape& index) {
    if (owners->empty()) {
      *owners = owners_of(shape, part);
    }
    const std::int64_t own = (*owners)[static_cast<std::size_t>(position_of(index, shape))];
    return own < 0 ? std::vector<Element>{{0, index}}
                   : std::vector<Element>{{1, index_in(index_at(own, part.shape()), of)}};
  };
  return value_of(mapped({*x.tensor, *put.tensor}, shape,
                         {elements, [](std::span<const double> of, const Shape&) { return of[0]; }}));
}

}  // namespace attn::verify
