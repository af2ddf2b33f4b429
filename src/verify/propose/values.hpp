#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensor/tensor.hpp"

namespace attn::verify {

/// What an expression of a listing stands for: a tensor, a number, or several of them; nothing where it cannot be told.
struct Value {
  std::optional<Tensor> tensor = {};
  std::optional<double> number = {};
  std::string words = {};         ///< of a number: "2**0.5"
  std::vector<Value> items = {};  ///< of a list, or a tuple
  bool is_pair = false;           ///< a tensor with its places: what torch.max gives

  bool is_known() const { return tensor || number || !items.empty(); }
};

Value value_of(const Tensor& tensor);
Value value_of(double number);

/// a + b and its like, with the axes that one of them lacks. Nothing where they do not go together.
Value combined(std::string_view sign, const Value& a, const Value& b);
Value negated(const Value& x);

/// Arguments: those without a name, and those with one.
struct Passed {
  std::vector<Value> plain;
  std::vector<std::pair<std::string, Value>> named;

  /// By its name, or its place where it has none; unknown where it is not given.
  Value get(std::string_view name, std::size_t place) const;
  Value get(std::string_view name, std::string_view other, std::size_t place) const;
};

/// emb(ids): the rows of an nn.Embedding that whole numbers name.
Value rows_of(std::string_view module, const Tensor& weight, const Value& ids);

/// What a library's function makes of arguments: torch.softmax, np.tril. The first of them may stand before the dot.
Value call_of(std::string_view function, const Passed& arguments);

/// x[i, :, 2:4, None]; an item that is no number is a slice.
struct Subscript {
  enum class Kind { item, slice, added, rest } kind;
  std::optional<double> first = {};
  std::optional<double> last = {};
};
Value subscripted(const Value& x, std::span<const Subscript> subscripts);

}  // namespace attn::verify
