#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tensor/derivation.hpp"
#include "tensor/tensor.hpp"

/// Describes how a number is computed, once for all outputs: text, hints, the presenter's operand view, and the page.
///
/// A description consists of patterns. account.hpp or the page's script fills in the braces, for the line's term, else
/// the element's own term (softmax), else the first:
///   {a} {b} {bias}   an operand's cell, a link on a page
///   {=x}             the number of an operand, of a column, or the constant c
///   {!x}             with all its digits; on a page, a link that shows them
///   {expression}     the tensor's
/// In text alone: {>x}, the number in line with others; {x?yes:no}, words, as column x is not 0, or is; {a run}, all
/// terms' cells; {name}, the tensor's; {token}, which one the term stands for. On a page alone: {~x}, a link that shows
/// few digits; {#x}, a whole number; {^x}, one digit and a power of ten; {a name}, the operand's; and what stands
/// between `backquotes` is code.
namespace attn::render {

/// Numbers beside a derivation's terms, or one for all of them, made of other columns, of the operands a, b and bias,
/// of the constant c, or of own, which is 1 at the element's own term.
struct Column {
  std::string_view name;
  std::string_view operation;  ///< see account.cpp, and lesson_words.js for pages
  std::string_view x;
  std::string_view y = {};
  bool is_float32 = false;  ///< shown as float32 rounds it; what is not is shown in double precision
};

/// Lines of text: one before the terms, one for each term, one for the bias, and the closing lines.
struct Lines {
  std::string opening = {};
  std::string each = {};
  std::string bias = {};
  std::vector<std::string> closing = {};
};

/// The presenter's operand view: one operand's numbers above the other's.
struct Meeting {
  bool is_list = false;    ///< numbers in rows, under the tokens that they stand for; else each has a row of its own
  bool covers = false;     ///< the first operand's number is what was replaced
  std::string label = {};  ///< of one row more
  std::string row = {};    ///< the column that stands in it, or the constant
};

/// The page's version: a table, if it has a heading, then paragraphs.
struct PageTelling {
  std::vector<std::string> head = {};
  std::vector<std::string> each = {};  ///< the cells behind the term's name
  std::vector<std::string> bias = {};  ///< the cells of its row
  std::vector<std::string> paragraphs = {};
  std::string said_each = {};  ///< read out, with "plus" between them
  std::string said = {};
};

struct Telling {
  std::string note = {};  ///< beside a number that nothing was computed to get; then there are no lines
  Lines lines = {};
  std::vector<Lines> hints = {};  ///< to somebody who computes it, one after the other
  Meeting meeting = {};
  PageTelling page = {};
  std::vector<Column> columns = {};
  std::string_view result = "result";  ///< the column with the number itself
  std::string_view factor = {};        ///< a column: where it is 0, what it was made of is followed no further
  std::string_view rounding =
      {};                ///< why float32 from left to right may give another number; empty: nothing is rounded
  bool has_own = false;  ///< one of the terms is the element's own
  bool has_constant = false;
};

/// The description of a tensor's element with this derivation.
Telling told(const Tensor& tensor, const Derivation& derivation);

}  // namespace attn::render
