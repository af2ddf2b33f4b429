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

#include "verify/bound/interval.hpp"
#include "verify/program/values.hpp"

/// What values are made with, and parts of the table of functions.
namespace attn::verify {

inline constexpr std::int64_t most_listed = 1 << 22;   ///< cells of a tensor
inline constexpr std::int64_t most_computed = 20'000;  ///< of one whose numbers are computed all at once

inline std::int64_t whole(double number) {
  constexpr double most = 1e15;  // beyond any size or place
  return std::llround(std::clamp(std::isnan(number) ? 0 : number, -most, most));
}

/// Where the element stands in one that is repeated to another's shape.
Shape index_in(const Shape& index, const Shape& shape);
std::string infix(std::string_view sign, const std::string& a, const std::string& b);

/// What is raised to a power: parenthesised if it contains an operator that binds less, such as a sign or a power.
std::string as_base(const std::string& words);

using Curve = std::function<Interval(const Interval&)>;
/// A function of each element.
Value each(const Tensor& x, std::function<std::string(const std::string&)> words, Curve function);
/// Returns true if a comparison of two numbers holds, or one of two truth values (|), both (&), or not both (^).
bool holds(std::string_view sign, double a, double b);
/// The bool tensor of the places where a comparison holds, or one of two masks (|), both (&), or not both (^).
Value compared(std::string_view sign, const Value& a, const Value& b);
/// True as 1, False as 0; another tensor as it is.
Value as_numbers(const Tensor& x);
/// scores that a mask hides with -inf; a mask that is not of True and False is added.
Value hidden_by(const Passed& given);

/// Python's functions and methods of strings, lists and dictionaries, of which programs make a vocabulary: split,
/// sorted, len, keys. Unknown where the function is none.
Value called_on_words(std::string_view function, const Passed& given);

/// The place of a dictionary's key, a string or a number; the number of its entries if it has none such.
std::size_t place_of(const Value& dictionary, const Value& key);
/// Sets the value of a key.
void put_entry(Value& dictionary, Value key, Value item);

/// A function of a tensor, which is the first of its arguments; unknown where it does not fit them. The same function
/// may have several names: max and amax.
using OfTensor = Value(std::string_view function, const Passed& given, const Tensor& x);

/// torch.view_as_complex(x), torch.polar(size, angle), torch.complex(real, imag)
Value made_complex(std::string_view function, const Passed& given);
/// What other functions make of a complex tensor, and x * y and x[...] where x is one; torch.view_as_real(x).
Value called_on_complex(std::string_view function, const Passed& given);
Value complex_product(const Value& a, const Value& b);
Value part_of_complex(const Value& x, std::span<const Subscript> subscripts);

/// What functions make that others write out: linear, normalize.
OfTensor log_softmax_of;
OfTensor linear_of;
OfTensor outer_of;
OfTensor inner_of;
OfTensor one_hot_of;
OfTensor cross_entropy_of;
OfTensor cosine_similarity_of;
OfTensor normalized;

/// The places of an axis of that size which an item or a slice takes: from begin on, before end.
struct Range {
  std::int64_t begin;
  std::int64_t end;
  std::int64_t step;
};
Range range_of(const Subscript& subscript, std::int64_t size);

/// The same numbers in another shape.
Value reshaped(const Tensor& x, const Shape& shape);
/// What other words tell.
Value renamed(const Tensor& x, const std::string& words);
/// x[ids]: of the first axis what whole numbers name.
Value picked(const Tensor& x, const Tensor& places);
/// x[:, begin:end:step]
Value stepped(const Tensor& x, std::int64_t axis, std::int64_t begin, std::int64_t end, std::int64_t step);
/// Elements that change their places.
OfTensor permuted;
OfTensor repeated;
OfTensor interleaved;
OfTensor diagonal;
OfTensor flipped;
OfTensor flattened;
OfTensor unflattened;
OfTensor squeezed;
OfTensor unbound;
OfTensor batched;
OfTensor unfolded;
/// torch.meshgrid(x, y, indexing="ij")
Value grids(const Passed& given);
/// With an axis of one item.
Value unsqueezed(const Tensor& x, std::int64_t axis);

/// The axis that the argument says, or else the usual one; none where there is none.
std::optional<std::int64_t> axis_of(const Passed& given, std::size_t place, std::int64_t rank,
                                    std::optional<std::int64_t> usual = {});
/// The whole numbers that the arguments after the first say, or a list of them; empty if one is no number.
Shape numbers_of(const Passed& given);

/// Sums and the like, of one axis or of all.
OfTensor reduced_to;
Interval mean_of(std::span<const Interval> of);

/// torch.topk, torch.sort, torch.argsort, torch.argmax and torch.argmin.
OfTensor ordered;

/// torch.einsum("bqd,bkd->bqk", q, k), of two tensors.
Value contracted(const Passed& given);
/// torch.baddbmm(x, a, b, beta=1, alpha=1)
OfTensor added_product;
/// torch.chunk and torch.split: the parts.
OfTensor parted;
/// Rows less their mean, over their standard deviation.
OfTensor normalised;

/// torch.tensor([0.5, 1.0]): a few numbers that have no name.
Value listed_numbers(const Value& list);
/// torch.ones, torch.eye, torch.arange.
Value filled(std::string_view function, const Passed& given);
/// torch.tril, torch.triu.
OfTensor triangle;
/// x.masked_fill(mask, number)
Value masked(const Tensor& x, const Value& mask, const Value& number);
/// np.where(mask, x, number)
OfTensor chosen;

}  // namespace attn::verify
