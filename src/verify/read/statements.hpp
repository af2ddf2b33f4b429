#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verify/read/page.hpp"
#include "verify/read/zones.hpp"

/// Splits Python programs into statements and their parts.
namespace attn::verify {

struct Statement {
  std::size_t indent = 0;
  Place first;  ///< of its first line
  Place last;
  std::string text;  ///< on one line, without comments
};

/// The statements in a page's code.
std::vector<Statement> find_statements(const Page& page, const Zones& zones);

/// The arguments of a call, or the parameters of a function with their defaults.
struct Arguments {
  std::vector<std::string_view> plain;
  std::vector<std::pair<std::string_view, std::string_view>> named;

  /// The value of a name; empty if it is not passed.
  std::string_view value_of(std::string_view name) const;
  /// The value of a name, or else what is passed at that place; empty if neither is.
  std::string_view at(std::size_t place, std::string_view name) const;
};

/// Parses the text between the brackets.
Arguments arguments_of(std::string_view inside);

/// The parts of a text between separators outside brackets and strings, trimmed; none for an empty text.
std::vector<std::string_view> split_outside(std::string_view text, char separator);

/// The position after the string that begins at a quote.
std::size_t string_end(std::string_view text, std::size_t at);

/// "torch.rand(3, 2)" or "x[:, 0]" in parts.
struct Bracketed {
  std::string_view path;
  std::string_view inside;
};
/// Empty unless the text is a path and this bracket with what it holds, and nothing else.
std::optional<Bracketed> bracketed(std::string_view text, char open);

/// The path at a text's start: "torch.nn.Linear".
std::string_view leading_path(std::string_view text);

/// The first match outside brackets and strings; npos if there is none.
std::size_t find_outside(std::string_view text, std::string_view what);

/// The bracket that closes the one at `open`; npos if there is none.
std::size_t closing_bracket(std::string_view text, std::size_t open);

/// The targets and the value of an assignment; empty if the statement is not one.
struct Assignment {
  std::vector<std::string_view> targets;
  std::string_view value;
};
Assignment assignment_of(std::string_view statement);

}  // namespace attn::verify
