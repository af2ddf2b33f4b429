#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "tensor/operations.hpp"
#include "tensor/words.hpp"
#include "verify/bound/mapped.hpp"
#include "verify/bound/patterns.hpp"
#include "verify/program/value_parts.hpp"

/// Operations of a listing that give elements other places.
namespace attn::verify {
namespace {

using Words = std::function<std::string(const std::string&)>;

std::vector<bool> places_of(const Tensor& mask) {
  std::vector<bool> places;
  for (std::int64_t i = 0; i < element_count(mask.shape()); ++i) {
    places.push_back(mask.value(index_at(i, mask.shape())) != 0);
  }
  return places;
}

/// Each element is one of x's.
Value moved(const Tensor& x, const Shape& shape, Words words, std::function<Shape(const Shape&)> from) {
  if (element_count(shape) > (x.dtype() == DType::boolean ? most_computed : most_listed)) {
    return {};
  }
  if (x.dtype() == DType::boolean) {
    std::vector<bool> places;
    for (std::int64_t i = 0; i < element_count(shape); ++i) {
      places.push_back(x.value(from(index_at(i, shape))) != 0);
    }
    return value_of(mask_at(shape, places, words(x.words())));
  }
  return value_of(mapped({x}, shape,
                         {[words = std::move(words)](const auto& of) { return words(of[0]); },
                          [from = std::move(from)](const Shape& index) {
                            return std::vector<Element>{{0, from(index)}};
                          },
                          [](std::span<const Interval> of) { return of[0]; }}));
}

}  // namespace

Shape numbers_of(const Passed& given) {
  std::vector<Value> values(given.plain.begin() + 1, given.plain.end());
  if (values.size() == 1 && !values[0].items.empty()) {
    values = std::vector<Value>(values[0].items);
  }
  Shape numbers;
  for (const Value& value : values) {
    if (!value.number) {
      return {};
    }
    numbers.push_back(whole(*value.number));
  }
  return numbers;
}

Value permuted(std::string_view /*function*/, const Passed& given, const Tensor& x) {
  Shape axes = numbers_of(given);
  for (std::int64_t& axis : axes) {
    axis += axis < 0 ? x.dim() : 0;
  }
  Shape sorted = axes;
  std::ranges::sort(sorted);
  Shape all(static_cast<std::size_t>(x.dim()));
  std::iota(all.begin(), all.end(), std::int64_t{0});
  if (sorted != all) {
    return {};
  }
  Shape shape;
  std::ranges::for_each(axes, [&](std::int64_t axis) { shape.push_back(x.size(axis)); });
  return moved(
      x, shape, [end = ".permute(" + sizes_text(axes) + ")"](const std::string& of) { return grouped(of) + end; },
      [axes](const Shape& index) {
        Shape from(index.size());
        for (std::size_t i = 0; i < axes.size(); ++i) {
          from[static_cast<std::size_t>(axes[i])] = index[i];
        }
        return from;
      });
}

/// x.repeat_interleave(2, dim=1): each item again and again.
Value interleaved(std::string_view function, const Passed& given, const Tensor& x) {
  const auto times = given.get("repeats", 1).number;
  const bool is_of_all = !given.get("dim", "axis", 2).is_known();
  if (is_of_all && x.dim() > 1) {
    const Value flat = reshaped(x, {element_count(x.shape())});
    return interleaved(function, {{flat, given.get("repeats", 1)}, {}}, *flat.tensor);
  }
  const auto axis = axis_of(given, 2, x.dim(), 0);
  if (!times || *times < 1 || !axis) {
    return {};
  }
  return x.dtype() == DType::float32 ? value_of(repeat_interleave(x, whole(*times), *axis)) : Value{};
}

/// x.repeat(2, 1), x.expand(2, -1): the whole again and again.
Value repeated(std::string_view function, const Passed& given, const Tensor& x) {
  if (function == "repeat" && given.get("axis", 99).is_known()) {
    return interleaved(function, given, x);  // numpy's
  }
  const Shape sizes = numbers_of(given);
  if (sizes.empty() || std::ssize(sizes) < x.dim()) {
    return {};
  }
  Shape of(sizes.size() - x.shape().size(), 1);
  of.insert(of.end(), x.shape().begin(), x.shape().end());
  Shape shape;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const bool is_fitting = function == "repeat" || sizes[i] == -1 || sizes[i] == of[i] || of[i] == 1;
    if (!is_fitting || sizes[i] == 0) {
      return {};
    }
    shape.push_back(function == "repeat" ? of[i] * sizes[i] : sizes[i] == -1 ? of[i] : sizes[i]);
  }
  return moved(
      x, shape,
      [end = std::string(".").append(function) + "(" + sizes_text(sizes) + ")"](const std::string& words) {
        return grouped(words) + end;
      },
      [of, rank = x.shape().size()](const Shape& index) {
        Shape from;
        for (std::size_t i = index.size() - rank; i < index.size(); ++i) {
          from.push_back(index[i] % of[i]);
        }
        return from;
      });
}

Value reshaped(const Tensor& x, const Shape& shape) {
  const bool is_mask = x.dtype() == DType::boolean;
  return value_of(is_mask ? mask_at(shape, places_of(x), grouped(x.words()) + ".view(" + sizes_text(shape) + ")")
                          : view(contiguous(x), shape));
}

Value renamed(const Tensor& x, const std::string& words) {
  return moved(
      x, x.shape(), [words](const std::string&) { return words; }, [](const Shape& index) { return index; });
}

Value stepped(const Tensor& x, std::int64_t axis, std::int64_t begin, std::int64_t end, std::int64_t step) {
  Shape shape = x.shape();
  const auto at = static_cast<std::size_t>(axis);
  shape[at] = (end - begin + step - 1) / step;
  std::string words = "[";
  for (std::int64_t i = 0; i < axis; ++i) {
    words += ":, ";
  }
  words += (begin == 0 ? "" : std::to_string(begin)) + ":" + (end == x.size(axis) ? "" : std::to_string(end)) + ":" +
           std::to_string(step) + "]";
  return moved(
      x, shape, [words](const std::string& of) { return grouped(of) + words; },
      [=](const Shape& index) {
        Shape from = index;
        from[at] = begin + step * index[at];
        return from;
      });
}

Value picked(const Tensor& x, const Tensor& places) {
  if (places.dtype() == DType::boolean || x.dim() == 0 || element_count(places.shape()) > most_computed) {
    return {};
  }
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < element_count(places.shape()); ++i) {
    const double row = places.value(index_at(i, places.shape()));
    if (!(row >= 0) || row >= static_cast<double>(x.size(0)) || row != std::floor(row)) {
      return {};
    }
    rows.push_back(whole(row));
  }
  Shape shape = places.shape();
  shape.insert(shape.end(), x.shape().begin() + 1, x.shape().end());
  const std::string words = "[" + (places.words()) + "]";
  return moved(
      x, shape, [words](const std::string& of) { return grouped(of) + words; },
      [rows, of = places.shape()](const Shape& index) {
        const auto rank = static_cast<std::ptrdiff_t>(of.size());
        const Shape at(index.begin(), index.begin() + rank);
        std::int64_t place = 0;
        for (std::size_t i = 0; i < at.size(); ++i) {
          place = place * of[i] + at[i];
        }
        Shape from{rows[static_cast<std::size_t>(place)]};
        from.insert(from.end(), index.begin() + rank, index.end());
        return from;
      });
}

Value rows_of(std::string_view module, const Tensor& weight, const Value& ids) {
  if (!ids.tensor || weight.dim() != 2) {
    return {};
  }
  const Value rows = picked(weight, *ids.tensor);
  const std::string of = ids.tensor->words();
  return rows.tensor ? renamed(*rows.tensor, std::string(module) + "(" + of + ")") : Value{};
}

Value put_into(const Value& x, const Value& y, std::span<const Subscript> subscripts, std::string_view written) {
  using Kind = Subscript::Kind;
  const bool is_float =
      x.tensor && x.tensor->dtype() == DType::float32 && (!y.tensor || y.tensor->dtype() == DType::float32);
  if (!is_float || (!y.tensor && !y.number) || std::ssize(subscripts) > x.tensor->dim()) {
    return {};
  }
  if (!subscripts.empty() && subscripts[0].places) {
    return subscripts.size() == 1 && y.number ? masked(*x.tensor, value_of(*subscripts[0].places), y) : Value{};
  }
  // 1. Of each axis the places, and the axes that the part keeps.
  std::vector<Range> ranges;
  std::vector<std::size_t> kept;
  Shape part;
  for (std::size_t axis = 0; axis < x.tensor->shape().size(); ++axis) {
    const std::int64_t size = x.tensor->shape()[axis];
    const Subscript one = axis < subscripts.size() ? subscripts[axis] : Subscript{Kind::slice, {}, {}};
    if ((one.kind != Kind::item && one.kind != Kind::slice) || (one.kind == Kind::item && !one.first)) {
      return {};
    }
    const auto& [begin, end, step] = ranges.emplace_back(range_of(one, size));
    if (one.kind == Kind::slice) {
      kept.push_back(axis);
      part.push_back((end - begin + step - 1) / step);
    }
  }
  if (y.tensor && broadcast(part, y.tensor->shape()) != part) {
    return {};
  }
  // 2. Each cell of one or of the other.
  const auto elements = [=, is_number = !y.tensor, of = y.tensor ? y.tensor->shape() : Shape{}](const Shape& index) {
    Shape at;
    for (std::size_t axis = 0; axis < index.size(); ++axis) {
      const auto& [begin, end, step] = ranges[axis];
      if (index[axis] < begin || index[axis] >= end || (index[axis] - begin) % step != 0) {
        return std::vector<Element>{{0, index}};
      }
    }
    for (const std::size_t axis : kept) {
      at.push_back((index[axis] - ranges[axis].begin) / ranges[axis].step);
    }
    return is_number ? std::vector<Element>{} : std::vector<Element>{{1, index_in(at, of)}};
  };
  std::vector<Tensor> operands = {*x.tensor};
  y.tensor ? operands.push_back(*y.tensor) : void();
  return value_of(mapped(std::move(operands), x.tensor->shape(),
                         {[words = "[" + std::string(written) + "] = ", number = y.words](const auto& of) {
                            return of[0] + " with " + words + (of.size() > 1 ? of[1] : number);
                          },
                          elements,
                          [number = y.number.value_or(0)](std::span<const Interval> of) {
                            return of.empty() ? Interval{number, number} : of[0];
                          }}));
}

Value diagonal(std::string_view /*function*/, const Passed& given, const Tensor& x) {
  const std::int64_t size = x.dim() == 2 && given.plain.size() == 1 ? std::min(x.size(0), x.size(1)) : 0;
  return size == 0 ? Value{}
                   : moved(
                         x, {size}, [](const std::string& of) { return "torch.diag(" + of + ")"; },
                         [](const Shape& index) {
                           return Shape{index[0], index[0]};
                         });
}

Value flipped(std::string_view /*function*/, const Passed& given, const Tensor& x) {
  const Value dims = given.get("dims", 1);
  Shape axes;
  for (const Value& axis : dims.items.empty() ? std::vector<Value>{dims} : dims.items) {
    const auto at = axis_of({{value_of(x), axis}, {}}, 1, x.dim());
    at ? axes.push_back(*at) : void();
  }
  const std::string words = "torch.flip(" + x.words() + ", [" + sizes_text(axes) + "])";
  return axes.empty() ? Value{}
                      : moved(
                            x, x.shape(), [words](const std::string&) { return words; },
                            [axes, shape = x.shape()](const Shape& index) {
                              Shape from = index;
                              for (const std::int64_t axis : axes) {
                                const auto at = static_cast<std::size_t>(axis);
                                from[at] = shape[at] - 1 - index[at];
                              }
                              return from;
                            });
}

Value flattened(std::string_view /*function*/, const Passed& given, const Tensor& x) {
  const Value from = given.get("start_dim", 1);
  const std::int64_t first = from.number ? whole(*from.number) + (*from.number < 0 ? x.dim() : 0) : 0;
  if (first < 0 || first > x.dim()) {
    return {};
  }
  Shape shape(x.shape().begin(), x.shape().begin() + first);
  shape.push_back(element_count(x.shape()) / std::max<std::int64_t>(1, element_count(shape)));
  return reshaped(x, shape);
}

Value unflattened(std::string_view /*function*/, const Passed& given, const Tensor& x) {
  const auto axis = axis_of(given, 1, x.dim());
  auto sizes = sizes_in(given.get("sizes", "unflattened_size", 2));
  if (!axis || !sizes || element_count(*sizes) != x.size(*axis)) {
    return {};
  }
  Shape shape = x.shape();
  shape.erase(shape.begin() + *axis);
  shape.insert(shape.begin() + *axis, sizes->begin(), sizes->end());
  return reshaped(x, shape);
}

Value squeezed(std::string_view /*function*/, const Passed& given, const Tensor& x) {
  const auto axis = axis_of(given, 1, x.dim());
  Shape shape;
  for (std::int64_t i = 0; i < x.dim(); ++i) {
    const bool is_gone = x.size(i) == 1 && (!axis || *axis == i);
    is_gone ? void() : shape.push_back(x.size(i));
  }
  return shape == x.shape() ? value_of(x) : reshaped(x, shape);
}

Value unbound(std::string_view /*function*/, const Passed& given, const Tensor& x) {
  const auto axis = axis_of(given, 1, x.dim(), 0);
  constexpr std::int64_t most = 64;
  Value parts;
  for (std::int64_t i = 0; axis && x.dim() > 0 && x.size(*axis) <= most && i < x.size(*axis); ++i) {
    parts.items.push_back(value_of(index(x, i, *axis)));
  }
  return parts;
}

Value unfolded(std::string_view /*function*/, const Passed& given, const Tensor& x) {
  const auto axis = axis_of(given, 1, x.dim());
  const double size = given.get("size", 2).number.value_or(0);
  const double step = given.get("step", 3).number.value_or(0);
  if (!axis || size < 1 || step < 1 || size > static_cast<double>(x.size(*axis))) {
    return {};
  }
  Shape shape = x.shape();
  const auto at = static_cast<std::size_t>(*axis);
  shape[at] = (x.size(*axis) - whole(size)) / whole(step) + 1;
  shape.push_back(whole(size));
  const std::string words = ".unfold(" + sizes_text({*axis, whole(size), whole(step)}) + ")";
  return moved(
      x, shape, [words](const std::string& of) { return grouped(of) + words; },
      [at, step = whole(step)](const Shape& index) {
        Shape from(index.begin(), index.end() - 1);
        from[at] = index[at] * step + index.back();
        return from;
      });
}

Value grids(const Passed& given) {
  const std::vector<Value>& axes = given.plain.size() == 1 ? given.plain[0].items : given.plain;
  Shape shape;
  for (const Value& axis : axes) {
    if (!axis.tensor || axis.tensor->dim() != 1) {
      return {};
    }
    shape.push_back(axis.tensor->size(0));
  }
  const bool is_xy = shape.size() > 1 && given.get("indexing", 99).string == "xy";
  is_xy ? std::swap(shape[0], shape[1]) : void();
  Value result;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const std::size_t at = is_xy && k < 2 ? 1 - k : k;
    const std::string end = "[" + std::to_string(k) + "]";
    result.items.push_back(moved(
        *axes[k].tensor, shape, [end](const std::string& of) { return "torch.meshgrid(" + of + ")" + end; },
        [at](const Shape& index) { return Shape{index[at]}; }));
  }
  return result;
}

Value batched(std::string_view function, const Passed& given, const Tensor& x) {  // of [tokens, d], or of tokens first
  const bool is_back = function == "our_unbatched";
  const Tensor& like = is_back && given.plain.size() > 1 && given.plain[1].tensor ? *given.plain[1].tensor : x;
  if (like.dim() == 3) {
    return given.plain.back().number.value_or(0) != 0 ? value_of(x) : value_of(transpose(x, 0, 1));
  }
  return !is_back ? unsqueezed(x, 0) : x.dim() == 3 ? value_of(index(x, 0, 0)) : Value{};
}

}  // namespace attn::verify
