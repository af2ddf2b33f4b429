#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensor/tensor.hpp"

namespace attn::verify {

/// What a library's function takes and gives: a tensor, a number, or several of them; nothing where it cannot be told.
struct Value {
  std::optional<Tensor> tensor = {};
  std::optional<double> number = {};
  std::vector<Value> items = {};  ///< what torch.stack takes, and torch.topk gives
  std::string words = {};         ///< of an argument that is neither: "bool", "True"
  bool is_whole = false;          ///< a tensor of whole numbers, which drops the fraction of what is put into it
  bool is_numpy = false;          ///< numpy's array, some of whose functions differ
  std::uint32_t depth = 0;        ///< of the operations that it depends on

  bool is_known() const { return tensor || number || !items.empty(); }
};

Value value_of(const Tensor& tensor);
Value value_of(double number);

/// A tensor of which the shape alone is known: all its numbers are nan.
Tensor unknown_of(const Shape& shape);

/// a + b and its like, with the axes that one of them lacks. Nothing where they do not go together.
Value combined(std::string_view sign, const Value& a, const Value& b);

/// Arguments: those without a name, and those with one.
template <typename One>
struct Arguments {
  std::vector<One> plain = {};
  std::vector<std::pair<std::string, One>> named = {};

  /// By its name, or its place where it has none; unknown where it is not given.
  One get(std::string_view name, std::size_t place) const {
    const auto found = std::ranges::find(named, name, &std::pair<std::string, One>::first);
    return found != named.end() ? found->second : place < plain.size() ? plain[place] : One{};
  }
  One get(std::string_view name, std::string_view other, std::size_t place) const {
    const One first = get(name, place);
    return first.is_known() ? first : get(other, place);
  }
};
using Passed = Arguments<Value>;

/// What a library's function makes of arguments: torch.softmax, np.tril. The first of them may stand before the dot.
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

}  // namespace attn::verify
