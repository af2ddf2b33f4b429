#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/array.hpp"

namespace attn::verify {

/// What is known about a program's variables while it runs: numbers, and the shapes of tensors.
class Variables {
 public:
  /// Enters a function, or a method of an object.
  void enter(std::string_view object = {});
  void leave();

  void set_number(std::string_view name, double value) { at(name) = {value, {}}; }
  void set_shape(std::string_view name, Shape shape) { at(name) = {{}, std::move(shape)}; }
  void forget(std::string_view name);
  /// The variable holds the object of that name: config.n_embd is our_object_1.n_embd.
  void set_object(std::string_view name, std::string_view object);

  /// The value of "d_in // 2 + 1", "inputs.shape[-1]", "len(words)"; empty if it is unknown.
  std::optional<double> number(std::string_view expression) const;
  /// The value if it is a whole number.
  std::optional<std::int64_t> whole(std::string_view expression) const;
  /// The shape of "inputs", "torch.tensor(words)", "inputs[1]"; empty if it is unknown.
  std::optional<Shape> shape(std::string_view expression) const;
  /// The sizes in a text of arguments or a tuple: "3, 2", "(3, d_out)", "x.shape".
  std::optional<Shape> sizes(std::string_view text) const;

 private:
  struct Value {
    std::optional<double> number;
    std::optional<Shape> shape;
  };

  const Value* find(std::string_view name) const;
  /// The variable's value; for an attribute, "self.d_k", the object's, whatever the scope.
  Value& at(std::string_view name);
  std::string full_name(std::string_view name) const;
  /// The shape of the result of an operator, a method or a function.
  std::optional<Shape> shape_of_operation(std::string_view text) const;
  std::optional<Shape> shape_of_call(std::string_view path, std::string_view inside) const;
  std::optional<Shape> shape_of_method(const Shape& x, std::string_view method, std::string_view inside) const;
  std::optional<Shape> shape_of_items(Shape x, std::string_view inside) const;

  std::vector<std::map<std::string, Value>> scopes_{1};
  std::vector<std::string> objects_{1};  ///< objects whose methods run
  /// In each scope the objects that variables hold, those of attributes in the first.
  std::vector<std::map<std::string, std::string, std::less<>>> held_{1};
};

/// The name under which an item of a function's result is known: "our_result_3.our_0".
std::string item_name(std::string_view result, std::string_view place);

/// The last position of one of the operators with an operand on either side, outside brackets.
std::size_t last_operator(std::string_view text, std::string_view signs);

}  // namespace attn::verify
