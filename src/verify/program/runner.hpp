#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "verify/program/drawing_calls.hpp"
#include "verify/program/draws.hpp"
#include "verify/program/functions.hpp"
#include "verify/program/trace.hpp"

namespace attn::verify {

/// The effects of a Python program, as far as its text determines them.
struct Run {
  std::vector<DrawCall> draws;   ///< from PyTorch's and numpy's generators; "our_draw_3" is the one at place 3
  std::vector<Written> written;  ///< assignments and prints
};

/// Runs a program's blocks (run.cpp), statements (runner_statements.cpp) and expressions (runner_expressions.cpp).
class Runner {
 public:
  /// Takes the program's statements, preceded by those that define the libraries' functions.
  explicit Runner(std::vector<Statement> statements);

  /// Runs it through loops of known length, functions and methods; the effects under an undetermined condition are
  /// unknown. Takes time linear in the program and in a bounded number of executed statements.
  Run run();

 private:
  enum class Branch { none, taken, passed, unknown };

  // ---- Blocks
  void run(std::size_t begin, std::size_t end);
  /// Runs a header with the text after its colon and the statements below it up to `end`.
  void run_block(std::size_t i, std::string_view word, std::string_view head, std::string_view rest, std::size_t end,
                 Branch& branch);
  /// Assigns an item to a loop's variables.
  void take_item(std::string_view variables, const std::string& item);
  std::optional<bool> truth_of(std::string_view condition) const;
  /// Handles a block that is not run: what it assigns, prints and returns, and all later draws, are unknown.
  void doubt(std::size_t begin, std::size_t end);
  void add_unread();
  /// The items that a loop runs over; empty if they are undetermined.
  std::optional<std::vector<std::string>> items_of(std::string_view text);

  // ---- Statements
  void run_line(std::string_view line);
  void run_statement(std::string_view text);
  void assign(std::string_view target, std::string_view value);
  /// Assigns one of several targets its part; one with brackets is unknown then.
  void give(std::string_view target, const std::string& value);
  /// Returns true if what an expression made is that draw alone, as a parameter or not.
  bool is_draw(std::string_view made, std::size_t call) const;
  void note_assigned(std::string_view target);
  void name_call(DrawCall& call, std::string_view target, std::string_view value);
  /// Names the draws in a list's items after the list and their places.
  void name_items(const std::string& name, std::string_view made);
  /// What torch.nn.init.normal_(x, std=0.02) and its like assign: x, and the expression that draws or fills it. Empty
  /// for other statements.
  std::optional<std::pair<std::string, std::string>> initialised(std::string_view text) const;
  /// Handles x += 1, x[0] = 1, x.fill_(1), init.zeros_(layer.weight): what was known about it no longer holds.
  void change_in_place(std::string_view text);
  void forget(std::string_view path);
  void print(std::string_view inside);
  /// Returns true if its print shows neither a tensor nor a size: a number, a dictionary.
  bool is_no_tensor(std::string_view value) const;
  /// The seeding call np.random.RandomState(0), which the target holds.
  std::optional<DrawCall> seed_of(std::string_view value, std::string_view target) const;

  // ---- Expressions
  /// The value of an expression here.
  Value value(std::string_view text) const;
  std::optional<double> number(std::string_view text) const { return value(text).number; }
  std::optional<std::int64_t> whole(std::string_view text) const { return whole_in(value(text)); }
  /// The shape of a draw, "our_draw_3", or of a layer's parameters, "our_draw_3.weight".
  std::optional<Tensor> drawn(std::string_view name) const;
  std::optional<DrawCall> drawing_call_of(std::string_view path, std::string_view inside) const;
  /// Runs the calls of an expression from left to right; returns the expression with their results.
  std::string scan(std::string_view text);
  /// For "a if b else c", the branch that the condition chooses.
  std::optional<std::string> conditional(std::string_view text);
  /// Resolves "heads[0].key" from "heads" on, where a method or an attribute of an item follows; `at` is then after it.
  std::string take_items(std::string_view path, std::string_view text, std::size_t& at) const;
  /// Runs "super().__init__(d)" from behind "super" on, if a class of the program has the method; `at` is then after
  /// it.
  std::optional<std::string> inherited_call(std::string_view text, std::size_t& at);
  /// The name of an item, "self.layers['key']" or "heads[0]"; empty if it has none.
  std::string item_of(const std::string& whole, std::string_view bracket) const;
  /// The name that a name stands for in the end: "our_object_1" of h where h = heads and heads = our_object_1.
  std::string followed(std::string name) const;
  /// The arguments of a call: with those that "*args" and "**kwargs" stand for, and None, True and False as such.
  std::string passed(std::string_view inside);
  /// Arguments with names for the functions "lambda x: ..." among them.
  std::string with_functions(std::string_view inside);
  /// A lambda's body with new names for the variables around it: it may run where they have other values.
  std::string captured(std::string_view body, std::string_view parameters);
  /// A string or a number as itself, anything else as a new name for it.
  std::string settled(std::string_view made);
  /// The items of a list's or a dictionary's comprehension, "[our_item_1, our_item_2]", "{'cat': 0}"; empty if it is
  /// none.
  std::optional<std::string> comprehension(std::string_view inside, char bracket);
  /// The items of map(function, items).
  std::string mapped(std::string_view inside);
  /// The replacement for a call that was run: of a draw, or of a function of the program.
  std::optional<std::string> call(std::string_view path, std::string_view inside, std::string_view target);
  /// What dropout makes of its argument: while training, the product with a drawn mask. Empty if it is no dropout.
  std::optional<std::string> dropout(std::string_view path, std::string_view inside);
  /// What an nn.Sequential with dropout makes of its argument, while training; empty for anything else.
  std::optional<std::string> through_sequence(std::string_view path, std::string_view inside);
  /// The object that an nn.ModuleDict makes: its entries are attributes.
  std::string module_dictionary(std::string_view inside, std::string_view target);
  /// A copy of the object of that name, and of the objects that it has; what is no object is not changed but by name.
  std::string copied(const std::string& name);
  /// Assigns an object what its class assigns outside its methods, or what a dataclass is given instead.
  void give_attributes(const std::string& of, const std::string& object, std::string_view inside);
  /// The draw's name; empty if there are too many draws.
  std::string add_draw(DrawCall call);
  std::string run_function(const Function& function, std::string_view path, std::string_view inside,
                           const std::string& object);
  /// The object at a path's start and the method that it names; empty if there is none.
  std::pair<std::string, std::string> method_of(std::string_view path) const;
  /// "self.W_query" with the object whose method runs: "sa_v1.W_query".
  std::string full_name(std::string_view target) const;

  std::vector<Statement> statements_;
  std::size_t of_library_ = 0;  ///< number of statements that belong to the libraries
  Imports imports_;
  Functions functions_;
  Listed listed_{[this](std::string_view name) { return drawn(name); }};
  Trace trace_{listed_};
  std::map<std::string, int> assigned_;                      ///< number of assignments to each variable
  std::multiset<std::string> assigned_locally_;              ///< those of functions' own variables
  std::set<std::size_t> local_calls_;                        ///< calls that such variables hold
  std::vector<std::string> generators_;                      ///< seeded generators
  std::map<std::string, std::string, std::less<>> objects_;  ///< class of each object
  std::string self_;                                         ///< object whose method runs
  std::string class_;                                        ///< class that defines the method
  std::string returned_;                                     ///< replacement for the function's result
  std::vector<DrawCall> calls_;
  std::map<std::size_t, std::string> full_names_;  ///< by call: "our_object_1.key"
  std::string called_;                             ///< name of the library function that runs
  std::string announced_;                          ///< words printed alone, the label of what is printed next
  std::size_t run_ = 0;
  std::size_t level_ = 0;  ///< nesting depth of blocks
  std::size_t depth_ = 0;  ///< nesting depth of calls
  bool is_shown_ = false;  ///< a notebook shows the statement's value
  bool is_returned_ = false;
  bool is_return_doubtful_ = false;
  bool is_evaluating_ = false;  ///< after model.eval(): dropout is off
};

/// Returns true for a name that the program does not have: a draw's, an item's, an object's.
constexpr bool is_ours(std::string_view name) { return name.starts_with("our_"); }
/// The items of "[a, b]" or "(a, b)"; empty for other texts.
std::optional<std::vector<std::string_view>> listed_items(std::string_view text);
/// The effects of PyTorch's modules and functions, as a Python program whose functions have their full names.
std::string_view library_program();
/// Returns true if a text that is not run would draw.
bool may_draw(std::string_view text);

inline constexpr std::size_t most_draws = 256;
inline constexpr std::size_t most_statements = 8'000;  ///< and items and copies that they make
inline constexpr std::int64_t most_turns = 64;         ///< of a loop

}  // namespace attn::verify
