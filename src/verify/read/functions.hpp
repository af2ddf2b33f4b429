#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verify/read/statements.hpp"

namespace attn::verify {

/// A function of a program in Python, or the constructor of a class.
struct Function {
  std::vector<std::string> names;  ///< of its parameters
  std::map<std::string, std::string, std::less<>> defaults;
  std::size_t begin = 0;  ///< of its statements
  std::size_t end = 0;
  bool is_constructor = false;

  /// Each parameter with the expression that a call gives it; empty where it gives none.
  std::vector<std::pair<std::string, std::string>> given(std::string_view arguments) const;
};

/// The functions that a program has defined so far.
class Functions {
 public:
  /// "name(x, y=2)" of a def, whose body is the statements from `begin` to `end`.
  void define(std::string_view head, std::size_t begin, std::size_t end);
  /// "Name(nn.Module)" of a class.
  void define_class(std::string_view head, std::span<const Statement> statements, std::size_t begin, std::size_t end);
  /// Null where there is none of that name.
  const Function* find(std::string_view name) const;

 private:
  std::map<std::string, Function, std::less<>> functions_;
};

/// Where the block ends that the statement's header begins.
std::size_t end_of_block(std::span<const Statement> statements, std::size_t header);

}  // namespace attn::verify
