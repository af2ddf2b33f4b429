#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verify/read/statements.hpp"

namespace attn::verify {

/// A function of a program in Python, or a method of a class.
struct Function {
  std::vector<std::string> names;  ///< of its parameters
  std::map<std::string, std::string, std::less<>> defaults;
  std::size_t begin = 0;  ///< of its statements
  std::size_t end = 0;
  std::string expression = {};  ///< of a lambda, instead of statements
  bool is_method = false;       ///< its first parameter is the object

  /// Each parameter with the expression that a call gives it; empty where it gives none.
  std::vector<std::pair<std::string, std::string>> given(std::string_view arguments) const;
};

/// The functions that a program has defined so far.
class Functions {
 public:
  /// "name(x, y=2)" of a def, whose body is the statements from `begin` to `end`.
  void define(std::string_view head, std::size_t begin, std::size_t end);
  /// "name = lambda x, y: x @ y"
  void define_lambda(std::string_view name, std::string_view lambda);
  /// "Name(nn.Module)" of a class: its methods as "Name.method".
  void define_class(std::string_view head, std::span<const Statement> statements, std::size_t begin, std::size_t end);
  /// Null where there is none of that name.
  const Function* find(std::string_view name) const;
  bool knows(std::string_view name) const { return functions_.contains(name) || classes_.contains(name); }
  bool is_class(std::string_view name) const { return classes_.contains(name); }

 private:
  std::set<std::string, std::less<>> classes_;
  std::map<std::string, Function, std::less<>> functions_;
};

/// Where the block ends that the statement's header begins.
std::size_t end_of_block(std::span<const Statement> statements, std::size_t header);

}  // namespace attn::verify
