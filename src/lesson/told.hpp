#pragma once

#include "lesson/cell.hpp"
#include "tensor/derivation.hpp"
#include "tensor/tensor.hpp"
#include "torch/print.hpp"
#include "walk/walkthrough.hpp"

/// Describes how a number is computed, once for all outputs: text, hints, the presenter's operand view, and the page.
///
/// A description consists of patterns. account.hpp or the page's script fills in the braces for the line's term, else
/// for the element's own term (softmax), else for the first:
///   {a} {b} {bias}   an operand's cell; a link on a page
///   {=x}             the number of an operand or a column, or the constant c
///   {!x}             the same with all its digits; on a page, a link that shows them
///   {expression}     the tensor's expression
/// In text only: {>x}, the number aligned with others; {x?yes:no}, "yes" unless column x is 0, else "no"; {a run}, the
/// cells of all terms; {name}, the tensor's name; {token}, the term's token. On a page only: {~x}, a link that shows
/// few digits; {#x}, an integer; {^x}, one digit and a power of ten; {a name}, the operand's name; text between
/// `backquotes` is code.
namespace attn::render {

/// Numbers beside a derivation's terms, or one number for all of them, computed from other columns, the operands a, b
/// and bias, the constant c, or own, which is 1 at the element's own term.
struct Column {
  std::string_view name;
  std::string_view operation;  ///< see account.cpp, and lesson_words.js for pages
  std::string_view x;
  std::string_view y = {};
  bool is_float32 = false;  ///< shown rounded to float32; otherwise in double precision
};

/// Lines of text: one before the terms, one per term, one for the bias, and the closing lines.
struct Lines {
  std::string opening = {};
  std::string each = {};
  std::string bias = {};
  std::vector<std::string> closing = {};
};

/// The page's version: a table, if it has a heading, followed by paragraphs.
struct PageTelling {
  std::vector<std::string> head = {};
  std::vector<std::string> each = {};  ///< the cells after the term's name
  std::vector<std::string> bias = {};  ///< the cells of the bias's row
  std::vector<std::string> paragraphs = {};
  std::string said_each = {};  ///< spoken form of each term, joined with "plus"
  std::string said = {};
};

struct Telling {
  std::string note = {};  ///< shown beside a number that needed no computation, which has no lines
  Lines lines = {};
  std::vector<Lines> hints = {};  ///< for a reader who computes the number, in order
  PageTelling page = {};
  std::vector<Column> columns = {};
  std::string_view result = "result";  ///< the column that holds the number itself
  std::string_view factor = {};        ///< a column: a term's operands are not followed if it is 0 there
  bool is_exact = false;               ///< float32 rounds nothing
  bool has_own = false;                ///< one of the terms is the element's own
  bool has_constant = false;
};

/// The description of a tensor's element with this derivation.
Telling told(const Tensor& tensor, const Derivation& derivation);

/// Derives a number as lines of text. Depth 1 derives the number alone, 2 also its operands, each below the number that
/// uses it, and so on. Views and copies cost neither depth nor a line; operands multiplied by zero are not followed.
/// Depth 0 goes back to the given tensors. Throws CellError as find_cell does.
std::string derivation_text(std::span<const Step> steps, const CellRequest& request, std::int64_t depth,
                            std::span<const std::string> tokens, const torch::PrintOptions& print);
/// Derives an existing cell.
std::string derivation_text(const Cell& cell, std::int64_t depth, std::span<const std::string> tokens,
                            const torch::PrintOptions& print);

/// Hints for computing a number, each a list of lines: first the operands; then, for a sum of products or a softmax,
/// the terms to add. Empty for given numbers.
std::vector<std::vector<std::string>> hints(const Cell& cell, std::span<const std::string> tokens,
                                            const torch::PrintOptions& print);

}  // namespace attn::render
