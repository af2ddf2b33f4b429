#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "verify/program/values.hpp"

/// What values are made with, and parts of the table of functions.
namespace attn::verify {

inline constexpr std::int64_t most_listed = 1 << 22;   ///< cells of a tensor
inline constexpr std::int64_t most_computed = 20'000;  ///< of one whose numbers are computed all at once

inline std::int64_t whole(double number) {
  constexpr double most = 1e15;  // beyond any size or place
  return std::llround(std::clamp(std::isnan(number) ? 0 : number, -most, most));
}

/// A tensor whose numbers follow from their places, row-major.
Tensor constant(const Shape& shape, std::function<double(std::size_t)> number, std::optional<Kernels> kernels = {});
/// Returns true if a comparison of two numbers holds, or one of two truth values (|), both (&), or not both (^).
bool holds(std::string_view sign, double a, double b);
/// All numbers, row-major; none if one of them is unknown.
std::optional<std::vector<double>> cells_of(const Tensor& x);
/// True as 1, False as 0; another tensor as it is.
Tensor as_numbers(const Tensor& x);
/// The bool tensor of the places where a comparison holds; unknown where the numbers are.
Value compared(std::string_view sign, const Value& a, const Value& b);
/// The bool tensor of the places where another is False.
Value inverted(const Value& mask);

/// The places of an axis that a slice takes: from begin on, before end.
struct Range {
  std::int64_t begin;
  std::int64_t end;
  std::int64_t step;
};
Range range_of(const Subscript& slice, std::int64_t size);

/// Where the element stands in one that is repeated to another's shape.
Shape index_in(const Shape& index, const Shape& shape);
/// Each element is the one of x at `from`, or 0 where there is none.
Value moved(const Tensor& x, const Shape& shape, std::function<std::optional<Shape>(const Shape&)> from);
/// With the axes that it lacks.
Value expanded(const Tensor& x, const Shape& shape);
/// The same numbers in another shape.
Value reshaped(const Tensor& x, const Shape& shape);
Value with_axis(const Tensor& x, std::int64_t axis);

using OfNumbers = std::function<double(std::span<const double>)>;
/// A function of the numbers at the same place of tensors, with the axes that some lack.
Value each(const std::vector<Tensor>& operands, OfNumbers function);

/// The axis that the argument says, or else the usual one; none where there is none.
std::optional<std::int64_t> axis_of(const Passed& given, std::size_t place, std::int64_t rank,
                                    std::optional<std::int64_t> usual = {});
/// The whole numbers that arguments say from a place on, or a list of them: (3, 2), ((3, 2)), size=(3, 2).
std::optional<Shape> numbers_in(const Passed& given, std::size_t place);

/// A function of a tensor, which is the first of its arguments; unknown where it does not fit them. The same function
/// may have several names: max and amax.
using OfTensor = Value(std::string_view function, const Passed& given, const Tensor& x);

/// Elements that change their places.
OfTensor permuted;
OfTensor viewed;
OfTensor repeated;
/// torch.stack and torch.cat, of masks as well.
Value joined(std::string_view function, const Passed& given);

/// Sums and the like, of one axis or of all.
OfTensor reduced;
/// torch.topk: the greatest or the least numbers in order, and their places.
OfTensor highest;

/// torch.tensor([0.5, 1.0]) and torch.tensor(0.5)
Value listed_numbers(const Value& list);
/// torch.ones, torch.eye, torch.arange.
Value filled(std::string_view function, const Passed& given);
/// torch.tril, torch.triu.
OfTensor triangle;
/// x.masked_fill(mask, number)
Value masked(const Tensor& x, const Value& mask, const Value& number);
/// torch.where(mask, a, b)
OfTensor chosen;

}  // namespace attn::verify
