#pragma once

#include <deque>
#include <string_view>

#include "tensor/kernels.hpp"
#include "tensor/tensor.hpp"
#include "torch/torch.hpp"
#include "verify/page/page.hpp"

namespace attn::verify {

/// What a page's program shows: an argument of print, or an expression that stands alone at a prompt or last in a
/// notebook's cell.
struct ProgramPrint {
  Place place;                        ///< of the statement of the program's outermost level that runs it
  std::string label;                  ///< the string printed before it: "attention scores:"
  std::string words;                  ///< as the program writes it: "attn_scores[0]"
  std::optional<Tensor> tensor = {};  ///< its cells are nan where the program does not determine them
  std::optional<Shape> size = {};     ///< of a torch.Size
  bool is_other = false;              ///< certainly neither a tensor nor a size: a number, a string, a dictionary
  bool is_certain = true;             ///< false where the program may print it or not, or print more
};

/// A tensor that the program draws.
struct ProgramDraw {
  Tensor tensor;
  std::string name;     ///< the variable or attribute that it is assigned to: "W_key", "sa.W_key.weight"; may be empty
  std::string call;     ///< "torch.rand(3, 2)", "nn.Linear(3, 2, bias=False).weight"
  std::string seeded;   ///< "torch.manual_seed(123)"; empty if the program does not seed: its numbers are then unknown
  std::size_t nth = 1;  ///< it is the nth such call after the seed
};

/// The result of a statement or an expression, in the order in which the program computes them.
struct Computed {
  Tensor tensor;
  Place place;        ///< of the innermost statement, so that a reader finds the line to change
  std::string words;  ///< of the expression as the program writes it
  std::string name;   ///< the variable that is assigned; may be empty
};

/// A call whose result the program throws away, though it changes nothing: "scores.masked_fill(mask, -torch.inf)".
struct Discarded {
  Place place;
  std::string words;     ///< the statement
  std::string function;  ///< "masked_fill"
  std::string target;    ///< the variable that was meant to change: "scores"
  Tensor of;             ///< the tensor that was meant to change
  Tensor result;         ///< what was thrown away
};

/// What a page's program does, as far as its text determines it.
struct Ran {
  std::vector<ProgramPrint> prints;
  std::vector<ProgramDraw> draws;
  std::vector<Computed> computed;
  std::vector<Discarded> discarded;
  std::vector<std::int64_t> seeds;  ///< in order, each once
  std::vector<std::string> notes;   ///< "the program is not followed beyond line 12: too many steps"
  bool has_program = false;
  bool draws_dropout = false;  ///< another dropout kernel would give other numbers
};

/// The kernels that draw and compute.
struct RunWith {
  Kernels kernels = {};
  DropoutKernel dropout_kernel = DropoutKernel::standard;
};

/// Runs the program of a page once: its draws are drawn, its other tensors are lazy. It costs at most a bounded number
/// of steps, bytes, and depth.
Ran run_program(const Page& page, const RunWith& with);

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
