#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensor/tensor.hpp"
#include "verify/page/pieces.hpp"

namespace attn::verify {

inline constexpr std::int64_t most_listed = 1 << 22;   ///< cells of a tensor
inline constexpr std::int64_t most_computed = 20'000;  ///< of one whose numbers are computed all at once

/// Thrown where a function does not fit its arguments, or nothing can be told of its result.
struct Unknown {};

inline void require(bool is_so) { is_so ? void() : throw Unknown{}; }

template <typename T>
T known(std::optional<T> one) {
  return one ? *std::move(one) : throw Unknown{};
}

/// What a library's function takes and gives: a tensor, a number, or several of them; nothing where it cannot be told.
struct Value {
  Value() = default;
  Value(Tensor x, bool whole = false, bool numpy = false, std::uint32_t deep = 0)
      : tensor(std::move(x)), is_whole(whole), is_numpy(numpy), depth(deep) {}
  Value(double x) : number(x) {}

  std::optional<Tensor> tensor = {};
  std::optional<double> number = {};
  std::vector<Value> items = {};  ///< what torch.stack takes, and torch.topk gives
  std::string words = {};         ///< of an argument that is neither: "bool", "True"
  bool is_whole = false;          ///< a tensor of whole numbers, which drops the fraction of what is put into it
  bool is_numpy = false;          ///< numpy's array, some of whose functions differ
  std::uint32_t depth = 0;        ///< of the operations that it depends on

  bool is_known() const { return tensor || number || !items.empty(); }
};

/// Arguments: those without a name, and those with one.
template <typename One>
struct Arguments {
  std::vector<One> plain = {};
  std::vector<std::pair<std::string, One>> named = {};

  /// By one of its names, or its place where it has none; unknown where it is not given.
  One get(std::string_view names, std::size_t place) const {
    const auto found = std::ranges::find_if(named, [&](const auto& one) { return is_among(one.first, names); });
    return found != named.end() ? found->second : place < plain.size() ? plain[place] : One{};
  }
};
using Passed = Arguments<Value>;

/// What a library's function or a sign makes of arguments: torch.softmax, np.tril, "+". The first of them may stand
/// before the dot.
Value call_of(std::string_view function, const Passed& arguments);

/// x[i, :, 2:4, None]; an item that is no number is a tensor of them.
struct Subscript {
  enum class Kind { item, slice, added, rest } kind;
  std::optional<double> first = {};
  std::optional<double> last = {};
  double step = 1;
  std::optional<Tensor> places = {};  ///< x[ids], x[mask]: rows that numbers name, or cells
};
Value subscripted(const Value& x, std::span<const Subscript> subscripts);
/// x after x[subscripts] = y.
Value put_into(const Value& x, const Value& y, std::span<const Subscript> subscripts);

/// The places of an axis that a slice takes: from begin on, before end.
struct Range {
  std::int64_t begin;
  std::int64_t end;
  std::int64_t step;
};
Range range_of(const Subscript& slice, std::int64_t size);

inline std::int64_t whole(double number) {
  constexpr double most = 1e15;  // beyond any size or place
  return std::llround(std::clamp(std::isnan(number) ? 0 : number, -most, most));
}

/// a + b and its like; of a comparison 1 if it holds, else 0, and & | ^ take numbers as truth values.
double arithmetic(std::string_view sign, double a, double b);

// ---- Parts of functions, which throw Unknown ---------------------------------------------------------

/// A tensor whose numbers follow from their places, row-major.
Tensor constant(const Shape& shape, std::function<double(std::size_t)> number, std::optional<Kernels> kernels = {});
/// A tensor of which the shape alone is known: all its numbers are nan.
Tensor unknown_of(const Shape& shape);
Tensor scalar(double number);
/// All numbers, row-major; none if one of them is unknown.
std::optional<std::vector<double>> cells_of(const Tensor& x);
/// True as 1, False as 0; another tensor as it is.
Tensor as_numbers(const Tensor& x);
/// The bool tensor of the places where a comparison holds; unknown where the numbers are.
Tensor compared(std::string_view sign, const Tensor& a, const Tensor& b);
/// The bool tensor of the places that are not 0.
Tensor truths_of(const Tensor& x);
/// a + b and its like, with the axes that one of them lacks.
Value combined(std::string_view sign, const Value& a, const Value& b);

/// Each element is the one of x at `from`, or 0 where there is none.
Tensor moved(const Tensor& x, const Shape& shape, std::function<std::optional<Shape>(const Shape&)> from);
/// With the axes that it lacks.
Tensor expanded(const Tensor& x, const Shape& shape);
/// The same numbers in another shape.
Tensor reshaped(const Tensor& x, const Shape& shape);
Tensor with_axis(const Tensor& x, std::int64_t axis);

using OfNumbers = std::function<double(std::span<const double>)>;
/// A function of the numbers at the same place of tensors, with the axes that some lack.
Tensor each(const std::vector<Tensor>& operands, OfNumbers function);

/// torch.tensor([0.5, 1.0]) and torch.tensor(0.5)
Tensor listed_numbers(const Value& list);
/// torch.stack and torch.cat, of masks as well.
Tensor joined(std::vector<Tensor> parts, std::int64_t axis, bool is_stack);
/// x.masked_fill(mask, number)
Tensor masked(const Tensor& x, const Tensor& mask, const Value& number);

}  // namespace attn::verify
