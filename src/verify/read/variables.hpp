#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/array.hpp"

namespace attn::verify {

/// What can be told of a program's variables while it runs: numbers, and the shapes of tensors.
class Variables {
 public:
  /// Inside of a function.
  void enter() { scopes_.emplace_back(); }
  void leave() { scopes_.pop_back(); }

  void set_number(std::string_view name, double value) { scopes_.back()[std::string(name)] = {value, {}}; }
  void set_shape(std::string_view name, Shape shape) { scopes_.back()[std::string(name)] = {{}, std::move(shape)}; }
  void forget(std::string_view name) { scopes_.back()[std::string(name)] = {}; }

  /// "d_in // 2 + 1", "inputs.shape[-1]", "len(words)"; empty where it cannot be told.
  std::optional<double> number(std::string_view expression) const;
  /// The same of a whole number.
  std::optional<std::int64_t> whole(std::string_view expression) const;
  /// "inputs", "torch.tensor(words)", "inputs[1]"
  std::optional<Shape> shape(std::string_view expression) const;
  /// The sizes that a text of arguments or a tuple says: "3, 2", "(3, d_out)", "x.shape".
  std::optional<Shape> sizes(std::string_view text) const;

 private:
  struct Value {
    std::optional<double> number;
    std::optional<Shape> shape;
  };

  const Value* find(std::string_view name) const;

  std::vector<std::map<std::string, Value>> scopes_{1};
};

}  // namespace attn::verify
