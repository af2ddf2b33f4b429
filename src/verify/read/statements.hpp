#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verify/read/page.hpp"
#include "verify/read/zones.hpp"

/// The statements of a program in Python, and what they are made of.
namespace attn::verify {

struct Statement {
  std::size_t indent = 0;
  Place first;  ///< of its first line
  Place last;
  std::string text;  ///< on one line, without comments
};

/// Those in the code of a page.
std::vector<Statement> find_statements(const Page& page, const Zones& zones);

/// The arguments of a call, or the parameters of a function with their defaults.
struct Arguments {
  std::vector<std::string_view> plain;
  std::vector<std::pair<std::string_view, std::string_view>> named;

  /// The value of a name; empty where it is not given.
  std::string_view value_of(std::string_view name) const;
};

/// Of what stands between the brackets.
Arguments arguments_of(std::string_view inside);

/// The parts of a text between separators that stand in no bracket and no string, trimmed; none of an empty text.
std::vector<std::string_view> split_outside(std::string_view text, char separator);

/// The first place of a text in no bracket and no string; npos where there is none.
std::size_t find_outside(std::string_view text, std::string_view what);

/// The bracket that closes the one at `open`; npos where none does.
std::size_t closing_bracket(std::string_view text, std::size_t open);

/// The targets and the value of an assignment; no value where the statement is none.
struct Assignment {
  std::vector<std::string_view> targets;
  std::string_view value;
};
Assignment assignment_of(std::string_view statement);

}  // namespace attn::verify
