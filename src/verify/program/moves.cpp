#include <algorithm>
#include <numeric>
#include <string_view>
#include <vector>

#include "tensor/operations.hpp"
#include "verify/program/value_parts.hpp"

/// Functions that give elements other places.
namespace attn::verify {

Value permuted(std::string_view function, const Passed& given, const Tensor& x) {
  const auto rank = static_cast<std::size_t>(x.dim());
  Shape order(rank);
  std::iota(order.begin(), order.end(), std::int64_t{0});
  Shape now = order;
  Shape axes = numbers_in(given, 1).value_or(Shape{});
  for (std::int64_t& axis : axes) {
    axis += axis < 0 ? x.dim() : 0;
    if (axis < 0 || axis >= x.dim()) {
      return {};
    }
  }
  if (function == "mT" && rank > 1) {
    std::swap(order[rank - 1], order[rank - 2]);
  } else if (axes.empty()) {
    std::ranges::reverse(order);
  } else if (axes.size() == 2 && function != "permute") {
    std::swap(order[static_cast<std::size_t>(axes[0])], order[static_cast<std::size_t>(axes[1])]);
  } else if (axes.size() == rank && std::ranges::is_permutation(axes, order)) {
    order = axes;
  } else {
    return {};
  }
  Tensor result = x;
  for (std::size_t i = 0; i < rank; ++i) {  // by transposes, which tell where an axis comes from
    const std::int64_t from = std::ranges::find(now, order[i]) - now.begin();
    if (from != static_cast<std::int64_t>(i)) {
      result = rank == 2 ? t(result) : transpose(result, static_cast<std::int64_t>(i), from);
      std::swap(now[i], now[static_cast<std::size_t>(from)]);
    }
  }
  return value_of(result);
}

Value viewed(std::string_view /*function*/, const Passed& given, const Tensor& x) {
  Shape shape = numbers_in(given, 1).value_or(Shape{});
  const std::int64_t count = element_count(x.shape());
  std::int64_t known = 1;
  for (const std::int64_t size : shape) {
    known *= size == -1 || known > count ? 1 : size;
  }
  std::ranges::replace(shape, -1, known > 0 ? count / known : 0);
  const bool is_fitting = !shape.empty() && std::ranges::min(shape) >= 0 && element_count(shape) == count;
  return is_fitting ? reshaped(x, shape) : Value{};
}

/// x.expand(2, -1)
Value repeated(std::string_view /*function*/, const Passed& given, const Tensor& x) {
  Shape shape = numbers_in(given, 1).value_or(Shape{});
  const std::ptrdiff_t added = std::ssize(shape) - x.dim();
  for (std::ptrdiff_t i = std::max<std::ptrdiff_t>(0, added); i < std::ssize(shape); ++i) {
    std::int64_t& size = shape[static_cast<std::size_t>(i)];
    size = size == -1 ? x.size(i - added) : size;
  }
  const bool is_fitting =
      !shape.empty() && std::ranges::all_of(shape, [](auto n) { return n > 0 && n <= most_listed; });
  return is_fitting && broadcast(shape, x.shape()) == shape ? expanded(x, shape) : Value{};
}

Value joined(std::string_view function, const Passed& given) {
  std::vector<Tensor> parts;
  bool are_masks = true;
  for (const Value& part : given.plain.empty() ? given.get("tensors", 0).items : given.plain[0].items) {
    if (!part.tensor) {
      return {};
    }
    are_masks = are_masks && part.tensor->dtype() == DType::boolean;
    parts.push_back(as_numbers(*part.tensor));
  }
  if (parts.empty()) {
    return {};
  }
  const bool is_stack = function == "stack";
  const std::int64_t rank = parts[0].dim() + (is_stack ? 1 : 0);
  const auto axis = axis_of(given, 1, rank, 0);
  if (!axis) {
    return {};
  }
  const Value all = value_of(is_stack ? stack(parts, *axis) : cat(parts, *axis));
  return are_masks ? compared("!=", all, value_of(0)) : all;
}

}  // namespace attn::verify
