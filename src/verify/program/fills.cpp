#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "tensor/operations.hpp"
#include "text/numbers.hpp"
#include "verify/bound/mapped.hpp"
#include "verify/bound/patterns.hpp"
#include "verify/program/value_parts.hpp"

namespace attn::verify {
namespace {

constexpr std::size_t most_arguments = 99;  ///< the place of one that is only given by its name

std::optional<Shape> sizes_of(const Passed& given) {
  const Value& first = given.plain.empty() ? Value{} : given.plain[0];
  const std::vector<Value>& sizes = first.items.empty() ? given.plain : first.items;
  Shape shape;
  for (const Value& size : sizes) {
    if (!size.number || *size.number < 0 || *size.number > most_listed) {
      return std::nullopt;
    }
    shape.push_back(whole(*size.number));
  }
  return !shape.empty() && element_count(shape) <= most_listed ? std::optional(shape) : std::nullopt;
}

Value constant(const Shape& shape, const std::string& words, std::function<double(const Shape&)> number) {
  const Tensor tensor = leaf(shape, DType::float32, words, [shape, number = std::move(number)]() -> Contents {
    Block<float> numbers(shape);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = static_cast<float>(number(index_at(static_cast<std::int64_t>(i), shape)));
    }
    return numbers;
  });
  tensor.set_name(words);
  return value_of(tensor);
}

/// A mask of this shape, repeated from a smaller one.
std::optional<Tensor> mask_of(const Value& mask, const Shape& shape) {
  if (!mask.tensor || (mask.tensor->dtype() != DType::boolean && mask.tensor->dtype() != DType::float32)) {
    return std::nullopt;
  }
  const Tensor& x = *mask.tensor;
  if (broadcast(shape, x.shape()) != shape || element_count(shape) > most_computed) {
    return std::nullopt;
  }
  std::vector<bool> places;
  bool is_causal = is_square(shape);
  for (std::int64_t i = 0; i < element_count(shape); ++i) {
    const Shape index = index_at(i, shape);
    places.push_back(x.value(index_in(index, x.shape())) != 0);
    is_causal = is_causal && places.back() == is_in(Region::above, index[index.size() - 2], index.back());
  }
  return is_causal ? causal_mask(shape) : mask_at(shape, places, x.words());
}

}  // namespace

Value listed_numbers(const Value& list) {
  constexpr std::size_t most = 512;
  constexpr std::size_t most_told = 8;
  std::string words;
  std::vector<double> numbers;
  std::vector<Tensor> rows;
  for (const Value& item : list.items) {
    const Value row = item.items.empty() ? Value{} : listed_numbers(item);
    row.tensor ? rows.push_back(*row.tensor) : item.tensor ? rows.push_back(*item.tensor) : void();
    if (item.number) {
      words += numbers.size() < most_told    ? (words.empty() ? "" : ", ") + item.words
               : numbers.size() == most_told ? ", ..."
                                             : "";
      numbers.push_back(*item.number);
    }
  }
  const bool are_alike = std::ranges::all_of(rows, [&](const Tensor& row) { return row.shape() == rows[0].shape(); });
  if (!rows.empty()) {
    return rows.size() == list.items.size() && are_alike && rows[0].dtype() == DType::float32 ? value_of(stack(rows, 0))
                                                                                              : Value{};
  }
  if (numbers.size() != list.items.size() || numbers.size() > most) {
    return {};
  }
  return constant({std::ssize(numbers)}, "torch.tensor([" + words + "])",
                  [numbers](const Shape& at) { return numbers[static_cast<std::size_t>(at[0])]; });
}

Value filled(std::string_view function, const Passed& given) {
  if (given.get("dtype", most_arguments).words == "bool") {
    Passed others = given;
    std::erase_if(others.named, [](const auto& one) { return one.first == "dtype"; });
    const Value numbers = filled(function, others);
    return numbers.tensor ? compared("!=", numbers, value_of(0)) : Value{};
  }
  if (function == "arange") {
    const bool has_begin = given.plain.size() > 1;
    const auto begin = has_begin ? given.plain[0].number : 0;
    const auto end = given.get("end", has_begin ? 1 : 0).number;
    const double step = given.get("step", 2).number.value_or(1);
    if (!begin || !end || !(step > 0) || !(*end > *begin) || (*end - *begin) / step > most_listed) {
      return {};
    }
    const std::string words = "torch.arange(" + (has_begin ? text::shortest_text(*begin) + ", " : "") +
                              text::shortest_text(*end) + (step == 1 ? "" : ", " + text::shortest_text(step)) + ")";
    return constant({static_cast<std::int64_t>(std::ceil((*end - *begin) / step))}, words,
                    [=](const Shape& at) { return *begin + step * static_cast<double>(at[0]); });
  }
  if (function == "linspace") {
    const auto begin = given.get("start", 0).number;
    const auto end = given.get("end", "stop", 1).number;
    const double steps = given.get("steps", "num", 2).number.value_or(0);
    if (!begin || !end || !(steps > 1) || steps > most_listed || steps != std::floor(steps)) {
      return {};
    }
    const std::string words = "torch.linspace(" + text::shortest_text(*begin) + ", " + text::shortest_text(*end) +
                              ", " + text::shortest_text(steps) + ")";
    return constant({static_cast<std::int64_t>(steps)}, words, [=](const Shape& at) {
      return *begin + (*end - *begin) * static_cast<double>(at[0]) / (steps - 1);
    });
  }
  if (function == "eye") {
    const auto sizes = sizes_of({{given.get("n", 0)}, {}});
    if (!sizes || given.plain.size() > 1) {
      return {};
    }
    const std::int64_t n = (*sizes)[0];
    return constant({n, n}, "torch.eye(" + std::to_string(n) + ")",
                    [](const Shape& at) { return at[0] == at[1] ? 1.0 : 0.0; });
  }
  const bool is_full = function == "full";
  Passed sizes_given = given;
  const Value number = is_full ? given.get("fill_value", 1) : value_of(function == "ones" ? 1 : 0);
  if (is_full && sizes_given.plain.size() > 1) {
    sizes_given.plain.resize(1);
  }
  const auto sizes = sizes_of(sizes_given);
  if (!sizes || !number.number) {
    return {};
  }
  const std::string words = is_full ? "torch.full(" + tuple_text(*sizes) + ", " + number.words + ")"
                                    : std::string("torch.").append(function) + "(" + sizes_text(*sizes) + ")";
  return constant(*sizes, words, [n = *number.number](const Shape&) { return n; });
}

Value triangle(std::string_view function, const Passed& given, const Tensor& x) {
  if (x.dtype() == DType::boolean && x.dim() > 1) {
    const Value numbers = triangle(function, given, *as_numbers(x).tensor);
    return numbers.tensor ? compared("!=", numbers, value_of(0)) : Value{};
  }
  const double k = given.get("diagonal", "k", 1).number.value_or(0);
  if (x.dim() < 2 || x.dtype() != DType::float32) {
    return {};
  }
  const bool is_low = function == "tril";
  const std::string words = std::string("torch.").append(function) + "(";
  const std::string more = k == 0 ? ")" : ", diagonal=" + text::shortest_text(k) + ")";
  return value_of(mapped({x}, x.shape(),
                         {[=](const auto& of) { return words + of[0] + more; },
                          [=](const Shape& index) {
                            const auto over = static_cast<double>(index[index.size() - 1] - index[index.size() - 2]);
                            const bool is_in = is_low ? over <= k : over >= k;
                            return is_in ? std::vector<Element>{{0, index}} : std::vector<Element>{};
                          },
                          [](std::span<const Interval> of) { return of.empty() ? Interval{} : of[0]; }}));
}

Value masked(const Tensor& x, const Value& mask, const Value& number) {
  const auto places = mask_of(mask, x.shape());
  return places && number.number && x.dtype() == DType::float32
             ? value_of(masked_fill(x, *places, static_cast<float>(*number.number)))
             : Value{};
}

Value chosen(std::string_view function, const Passed& given, const Tensor& x) {
  const Value mask = given.get("", 0);
  const Value a = given.get("", 1);
  const Value b = given.get("", 2);
  const bool are_zeros = b.tensor && b.tensor->operands().empty() && b.tensor->expression().starts_with("torch.zeros(");
  if (a.tensor && are_zeros) {
    return chosen(function, {{mask, a, value_of(0)}, {}}, x);
  }
  if (a.number && b.tensor) {
    return masked(*b.tensor, mask, a);
  }
  return a.tensor && b.number && mask.tensor ? masked(*a.tensor, compared("==", mask, value_of(0)), b) : Value{};
}

}  // namespace attn::verify
