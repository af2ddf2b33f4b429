#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensor/tensor.hpp"

namespace attn::verify {

struct Module;

/// What an expression of a listing stands for: a tensor, a number, a string, or several of them; nothing where it
/// cannot be told.
struct Value {
  enum class Kind {
    one,  ///< or a tuple
    list,
    set,  ///< whose order is unknown
    dictionary,
    pair,     ///< a tensor with its places: what torch.max gives
    complex,  ///< a complex tensor: its real part and its imaginary part
  };

  std::optional<Tensor> tensor = {};
  std::optional<double> number = {};
  std::string words = {};                  ///< of a number: "2**0.5"
  std::optional<std::string> string = {};  ///< without its quotes
  Kind kind = Kind::one;
  std::vector<Value> items = {};              ///< of a list or a tuple; a dictionary's values
  std::vector<Value> keys = {};               ///< of a dictionary
  std::string text = {};                      ///< of an item: how the program writes it, "q" in [q, k]
  std::optional<Tensor> places = {};          ///< of a pair
  std::shared_ptr<const Module> module = {};  ///< nn.LayerNorm(6), which is to be called

  /// Of a softmax that is written out, what of `of` the tensor is.
  enum class Part { none, largest, shifted, exponential, total };
  Part part = Part::none;
  std::optional<Tensor> of = {};

  bool holds_items() const { return !items.empty() || (kind != Kind::one && kind != Kind::pair); }
  bool is_known() const { return tensor || number || string || module || holds_items(); }
};

Value value_of(const Tensor& tensor);
Value value_of(double number);
Value string_of(std::string_view text);
/// How a program may write a value that has no name: a string, a number, an item as it stands in its list; else empty.
std::string written(const Value& value);
/// What a loop runs over: a list's items, a dictionary's keys, a string's characters. Empty for a set and for what is
/// none of these.
std::optional<std::vector<Value>> turns_of(const Value& value);

/// A tensor of which the shape alone is known: all its numbers are nan, or 0 for whole numbers, which may name rows.
Tensor unknown_of(const Shape& shape, bool are_whole);

/// The whole number that a value is, a tensor's or a list's shape, and the sizes that it is: 3, (3, 2).
std::optional<std::int64_t> whole_in(const Value& value);
std::optional<Shape> shape_of(const Value& value);
std::optional<Shape> sizes_in(const Value& value);

/// a + b and its like, with the axes that one of them lacks. Nothing where they do not go together.
Value combined(std::string_view sign, const Value& a, const Value& b);
Value negated(const Value& x);

/// a @ b, or a @ b.T, for matrices, vectors and batches; none if the shapes do not fit.
std::optional<Tensor> product_of(const Tensor& a, const Tensor& b, bool b_transposed);
/// The shape of that product, without computing it.
std::optional<Shape> product_shape(const Shape& a, const Shape& b, bool b_transposed);

/// Arguments: those without a name, and those with one.
struct Passed {
  std::vector<Value> plain;
  std::vector<std::pair<std::string, Value>> named;

  /// By its name, or its place where it has none; unknown where it is not given.
  Value get(std::string_view name, std::size_t place) const;
  Value get(std::string_view name, std::string_view other, std::size_t place) const;
};

/// A module of PyTorch's that is made with arguments and called with others.
struct Module {
  std::string name;  ///< "LayerNorm"
  Passed arguments;
};
/// Unknown where there is none of that name.
Value module_of(std::string_view name, const Passed& arguments);
/// What it makes of arguments.
Value applied(const Module& module, const Passed& given);

/// emb(ids): the rows of an nn.Embedding that whole numbers name, of any shape.
Value rows_of(std::string_view module, const Tensor& weight, const Value& ids);

/// The real and the imaginary part of a complex tensor as the last axis.
Value as_pairs(const Value& x);

/// What a library's function makes of arguments: torch.softmax, np.tril. The first of them may stand before the dot.
Value call_of(std::string_view function, const Passed& arguments);

/// x[i, :, 2:4, None]; an item that is no number is a slice.
struct Subscript {
  enum class Kind { item, slice, added, rest } kind;
  std::optional<double> first = {};
  std::optional<double> last = {};
  double step = 1;
  std::optional<Tensor> places = {};    ///< x[ids], x[mask]: rows that numbers name, or cells
  std::optional<std::string> key = {};  ///< of a dictionary
};
Value subscripted(const Value& x, std::span<const Subscript> subscripts);
/// x after x[subscripts] = y; `written` is how they are.
Value put_into(const Value& x, const Value& y, std::span<const Subscript> subscripts, std::string_view written);

}  // namespace attn::verify
