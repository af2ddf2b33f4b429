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

/// A function of a Python program, or a method of a class.
struct Function {
  std::vector<std::string> names;  ///< the parameters' names
  std::map<std::string, std::string, std::less<>> defaults;
  std::size_t begin = 0;  ///< range of its statements
  std::size_t end = 0;
  std::string expression = {};  ///< the expression of a lambda, instead of statements
  bool is_method = false;       ///< its first parameter is the object
  std::string of = {};          ///< the class that defines it

  /// Each parameter with the argument that a call passes, empty if it passes none; of *args a list, of **kwargs a
  /// dictionary.
  std::vector<std::pair<std::string, std::string>> given(std::string_view arguments) const;
};

/// A class's attribute and the expression of its value; empty if objects are given it.
struct Assigned {
  std::string name;
  std::string value;
};

/// The functions that a program has defined so far.
class Functions {
 public:
  /// Defines "name(x, y=2)" of a def, whose body is the statements from `begin` to `end`.
  void define(std::string_view head, std::size_t begin, std::size_t end);
  /// "name = lambda x, y: x @ y"
  void define_lambda(std::string_view name, std::string_view lambda);
  /// Defines "Name(nn.Module)" of a class: its methods as "Name.method".
  void define_class(std::string_view head, std::span<const Statement> statements, std::size_t begin, std::size_t end);
  /// The function of that name; null if there is none.
  const Function* find(std::string_view name) const;
  /// The method that a class inherits; null if it has none.
  const Function* inherited(std::string_view of, std::string_view method) const;
  bool knows(std::string_view name) const { return functions_.contains(name) || classes_.contains(name); }
  bool is_class(std::string_view name) const { return classes_.contains(name); }
  /// What a class assigns outside its methods: "d_model: int = 8".
  const std::vector<Assigned>& attributes_of(std::string_view name) const;

 private:
  std::set<std::string, std::less<>> classes_;
  std::map<std::string, std::vector<Assigned>, std::less<>> attributes_;
  std::map<std::string, std::string, std::less<>> bases_;  ///< of each class the one of the program that it extends
  std::map<std::string, Function, std::less<>> functions_;
};

/// "[a, b]" with an item more.
std::string appended(std::string_view list, std::string_view item);

/// The end of the block below the statement, which is its header.
std::size_t end_of_block(std::span<const Statement> statements, std::size_t header);

}  // namespace attn::verify
