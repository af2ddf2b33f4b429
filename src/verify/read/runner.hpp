#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "verify/read/drawing_calls.hpp"
#include "verify/read/functions.hpp"
#include "verify/read/run.hpp"
#include "verify/read/trace.hpp"
#include "verify/read/variables.hpp"

namespace attn::verify {

/// Runs a program's blocks (run.cpp), statements (runner_statements.cpp) and expressions (runner_expressions.cpp).
class Runner {
 public:
  /// The program's statements behind those that define what the libraries do.
  Runner(std::vector<Statement> statements, std::span<const Literal> literals);

  Run run();

 private:
  enum class Branch { none, taken, passed, unknown };

  // ---- Blocks
  void run(std::size_t begin, std::size_t end);
  /// A header with what stands behind its colon, and the statements below it up to `end`.
  void run_block(std::size_t i, std::string_view word, std::string_view head, std::string_view rest, std::size_t end,
                 Branch& branch);
  /// The variables of a loop get an item.
  void take_item(std::string_view variables, const std::string& item);
  std::optional<bool> truth_of(std::string_view condition) const;
  /// What is not run, nobody knows how often it is: what it assigns, prints and returns, and what is drawn from then
  /// on.
  void doubt(std::size_t begin, std::size_t end);
  void add_unread();
  /// What a loop runs over; none where it cannot be told.
  std::optional<std::vector<std::string>> items_of(std::string_view text);

  // ---- Statements
  void run_line(std::size_t i, std::string_view line);
  void run_statement(std::size_t i, std::string_view text);
  void assign(std::size_t i, std::string_view target, std::string_view value);
  /// What is told of the value, `text` as written and `value` with its calls replaced.
  void note_value(std::size_t i, std::string_view target, std::string_view text);
  /// The number or the shape that the expression has, where none is known of the target.
  void note_shape(std::string_view target, std::string_view made);
  void note_assigned(std::string_view target);
  void name_call(DrawCall& call, std::string_view target, std::string_view value);
  /// What the items of a list draw is called by the list's name and their places.
  void name_items(const std::string& name, std::string_view made);
  /// x += 1, x[0] = 1, x.fill_(1), init.zeros_(layer.weight): what was known of it no longer is.
  void change_in_place(std::string_view text);
  void forget(std::string_view path);
  void print(std::string_view inside);
  /// Whether what prints it prints no tensor and no size: a number, a dictionary.
  bool is_no_tensor(std::string_view value) const;
  std::optional<Shape> literal_of(std::size_t i, std::string_view target) const;
  /// np.random.RandomState(0), which the target holds.
  std::optional<DrawCall> seed_of(std::string_view value, std::string_view target) const;

  // ---- Expressions
  /// Runs the calls of an expression, from left to right; returns it with what they return.
  std::string scan(std::string_view text);
  /// "a if b else c": the one that the condition chooses.
  std::optional<std::string> conditional(std::string_view text);
  /// The item of a list, a dictionary or an nn.Sequential that a path holds; none where it has no path or string.
  std::optional<std::string> item_of(std::string_view path, std::string_view inside) const;
  /// "heads[0].key" from "heads" on, where a method or an attribute of an item is meant; `at` is then behind it.
  std::string take_items(std::string_view path, std::string_view text, std::size_t& at) const;
  /// The string that an expression is, with its quotes; empty where it is none.
  std::string string_of(std::string_view text) const;
  /// The items of a comprehension, "[our_item_1, our_item_2]"; none where it is none or nobody knows how many.
  std::optional<std::string> comprehension(std::string_view inside);
  /// What stands for a call that was run: of a draw, or of a function of the program's.
  std::optional<std::string> call(std::string_view path, std::string_view inside, std::string_view target);
  std::string run_function(const Function& function, std::string_view path, std::string_view inside,
                           const std::string& object);
  /// The object that a path begins with and the method that it names; empty where there is none.
  std::pair<std::string, std::string> method_of(std::string_view path) const;
  /// "self.W_query" of the object whose method runs: "sa_v1.W_query".
  std::string full_name(std::string_view target) const;

  std::vector<Statement> statements_;
  std::size_t of_library_ = 0;  ///< so many of them are the libraries'
  std::span<const Literal> literals_;
  Imports imports_;
  Variables variables_;
  Functions functions_;
  Trace trace_;
  std::map<std::string, int> assigned_;                      ///< how often each variable is
  std::vector<std::string> generators_;                      ///< that were seeded
  std::map<std::string, std::string, std::less<>> objects_;  ///< the class of each
  std::string self_;                                         ///< the object whose method runs
  std::string returned_;                                     ///< what stands for what the function returns
  std::vector<DrawCall> calls_;
  std::map<std::size_t, std::string> full_names_;  ///< of calls: "our_object_1.key"
  std::string called_;                             ///< how the library's function that runs is called
  std::size_t run_ = 0;
  std::size_t level_ = 0;  ///< blocks within blocks
  std::size_t depth_ = 0;  ///< calls within calls
  bool is_shown_ = false;  ///< where a notebook shows what the statement gives
  bool is_returned_ = false;
  bool is_return_doubtful_ = false;
  bool is_evaluating_ = false;  ///< behind model.eval(): nothing is dropped
};

/// The path that a text begins with: "torch.nn.Linear".
std::string_view leading_path(std::string_view text);
/// The items of "[a, b]" or "(a, b)"; none of another text.
std::optional<std::vector<std::string_view>> listed_items(std::string_view text);
/// What PyTorch's modules and functions do, as a program in Python whose functions have their full names.
std::string_view library_program();
/// Whether a text that is not run would draw.
bool may_draw(std::string_view text);

inline constexpr std::size_t most_draws = 256;
inline constexpr std::int64_t most_turns = 64;  ///< of a loop

}  // namespace attn::verify
