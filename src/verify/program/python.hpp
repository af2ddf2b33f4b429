#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "verify/page/page.hpp"

namespace attn::verify {

/// Thrown where a program needs more than it may; without a reason where a line is no Python.
struct Stopped {
  std::string reason = {};
};

/// One level of what calls itself: expressions, statements, calls.
class Level {
 public:
  Level(std::size_t& depth, std::size_t most) : depth_(depth) {
    depth_ < most ? ++depth_ : throw Stopped{"too deeply nested"};
  }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;
  ~Level() { --depth_; }

 private:
  std::size_t& depth_;
};

/// An expression of a Python program, as a tree.
struct Expr {
  enum class Kind {
    name,         ///< text
    number,       ///< text
    string,       ///< text, unescaped
    format,       ///< an f-string: strings and fields
    field,        ///< {parts[0]:text}
    attribute,    ///< parts[0].text
    call,         ///< parts[0](parts[1], ...)
    subscript,    ///< parts[0][parts[1], ...]
    slice,        ///< parts: first, last, step; `none` where one is missing
    unary,        ///< text parts[0]
    binary,       ///< parts[0] text parts[1]; "and" and "in" too
    conditional,  ///< parts[0] if parts[1] else parts[2]
    walrus,       ///< parts[0] := parts[1]
    tuple,        ///< this and the next four: parts, or a body of loops that yield them
    list,
    set,
    dictionary,     ///< slices of a key and a value, and stars
    comprehension,  ///< an argument
    lambda,         ///< parameters, and the body
    star,           ///< *parts[0] or **parts[0], as text says
    keyword,        ///< text=parts[0]
    none,
  };
  /// A statement with the block below it.
  struct Stmt {
    /// "for", "return"; "" for an expression, "=", "+=", ":" for a name without a value, "import" for "from" too
    /// (its expressions are keywords: a name and its path), "unread" for what cannot be followed.
    std::string word = {};
    std::string name = {};  ///< of a function or a class; the reason of what is unread
    Place place = {};
    bool is_shown = false;         ///< the page shows its value: at a prompt, last in a cell, or before an output
    std::string_view words = {};   ///< as the program writes it, without the block
    std::vector<Expr> exprs = {};  ///< targets and value, none if it is not read; a header's expressions
    std::vector<Stmt> body = {};
    std::vector<Stmt> otherwise = {};  ///< "elif", "else", "except", "finally"
    std::vector<Expr> decorators = {};
  };
  Kind kind = Kind::none;
  std::string text = {};
  std::vector<Expr> parts = {};
  std::vector<Stmt> body = {};  ///< statements without words
  std::string_view words = {};  ///< as the program writes it
  std::size_t depth = 0;        ///< of the tree below it
};

using Stmt = Expr::Stmt;

/// A program as a tree, and its lines, to which the tree's words refer.
struct Program {
  std::deque<std::string> lines = {};
  std::vector<Stmt> statements = {};
};

/// Reads the program of a page. Lines that are no Python are left out.
Program parse(const Page& page);
/// Reads a program that is no page's.
Program parse(std::string_view text);

/// What pages' programs use of Python and its libraries, as a program.
std::string_view library_program();

}  // namespace attn::verify
