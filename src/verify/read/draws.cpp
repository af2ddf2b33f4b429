#include "verify/read/draws.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "text/ascii.hpp"
#include "text/lines.hpp"
#include "verify/read/drawing_calls.hpp"
#include "verify/read/functions.hpp"
#include "verify/read/listing.hpp"
#include "verify/read/pieces.hpp"
#include "verify/read/statements.hpp"
#include "verify/read/variables.hpp"
#include "verify/read/zones.hpp"

namespace attn::verify {
namespace {

constexpr std::size_t most_calls = 256;
constexpr std::size_t most_statements = 20'000;
constexpr std::int64_t most_turns = 64;  ///< of a loop
constexpr std::size_t deepest = 16;      ///< calls within calls

bool belongs_to_path(char c) { return is_name_part(c) || c == '.'; }

std::string_view leading_path(std::string_view text) {
  const auto end = std::ranges::find_if_not(text, belongs_to_path);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

/// Whether a text that is not run would draw.
bool may_draw(std::string_view text) {
  constexpr auto words =
      std::to_array<std::string_view>({"rand", "Linear(", "Embedding(", "normal", "uniform", "ropout("});
  return std::ranges::any_of(words, [&](std::string_view word) { return text.find(word) != npos; });
}

/// Runs a program as far as its random draws need it.
class DrawReader {
 public:
  DrawReader(std::vector<Statement> statements, std::span<const Literal> literals)
      : statements_(std::move(statements)), literals_(literals) {}

  std::vector<DrawCall> read() {
    run(0, statements_.size());
    for (DrawCall& call : calls_) {
      if (assigned_[call.name] > 1) {
        call.name.clear();
      }
    }
    return std::move(calls_);
  }

 private:
  void run(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end;) {
      if (calls_.size() >= most_calls || ++run_ > most_statements) {
        return;
      }
      const std::string_view text = statements_[i].text;
      const std::string_view word = text.substr(0, text.find_first_of(" (:"));
      constexpr auto headers = std::to_array<std::string_view>(
          {"def", "class", "for", "while", "if", "elif", "else", "with", "try", "except", "finally"});
      const std::size_t colon = std::ranges::find(headers, word) != headers.end() ? find_outside(text, ":") : npos;
      if (colon == npos) {
        run_line(i, text);
        ++i;
        continue;
      }
      const std::size_t after = end_of_block(statements_, i);
      run_block(i, word, text::trimmed(text.substr(word.size(), colon - word.size())), text.substr(colon + 1), after);
      i = after;
    }
  }

  /// A header with what stands behind its colon, and the statements below it up to `end`.
  void run_block(std::size_t i, std::string_view word, std::string_view head, std::string_view rest, std::size_t end) {
    const auto body = [&] {
      run_line(i, rest);
      run(i + 1, end);
    };
    if (word == "def") {
      functions_.define(head, i + 1, end);
    } else if (word == "class") {
      functions_.define_class(head, statements_, i + 1, end);
    } else if (word == "for") {
      const std::size_t in = head.find(" in ");
      const auto turns = in == npos ? std::nullopt : turns_of(head.substr(in + 4));
      if (turns) {
        for (std::int64_t turn = 0; turn < *turns; ++turn) {
          variables_.set_number(text::trimmed(head.substr(0, in)), static_cast<double>(turn));
          body();
        }
      } else {
        doubt(i, end);
      }
    } else if (word == "with" || word == "try" || word == "finally" || head.find("__name__") != npos) {
      body();
    } else {
      doubt(i, end);
    }
  }

  /// What is not run and draws leaves all generators in doubt.
  void doubt(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (may_draw(statements_[i].text)) {
        add_unread();
        return;
      }
    }
  }

  void add_unread() {
    for (const std::string& generator : generators_) {
      calls_.push_back({.generator = generator});
    }
  }

  std::optional<std::int64_t> turns_of(std::string_view range) const {
    range = text::trimmed(range);
    if (!range.starts_with("range(") || !range.ends_with(')')) {
      return std::nullopt;
    }
    const auto bounds = split_outside(range.substr(6, range.size() - 7), ',');
    const std::optional<std::int64_t> last = variables_.whole(bounds.empty() || bounds.size() > 2 ? "" : bounds.back());
    const std::optional<std::int64_t> first = bounds.size() == 2 ? variables_.whole(bounds.front()) : 0;
    return first && last && *last - *first <= most_turns ? std::optional(*last - *first) : std::nullopt;
  }

  void run_line(std::size_t i, std::string_view line) {
    for (const std::string_view statement : split_outside(line, ';')) {
      run_statement(i, statement);
    }
  }

  void run_statement(std::size_t i, std::string_view text) {
    if (imports_.add(text)) {
      return;
    }
    const Assignment assignment = assignment_of(text);
    if (assignment.value.empty()) {
      scan(text);
      forget_overwritten(text);
      return;
    }
    const std::size_t first = calls_.size();
    const std::vector<std::string_view> parts = split_outside(assignment.value, ',');
    for (const std::string_view target : assignment.targets) {
      note_assigned(target);
    }
    if (parts.size() == assignment.targets.size()) {
      for (std::size_t k = 0; k < parts.size(); ++k) {
        assign(i, assignment.targets[k], parts[k]);
      }
      return;
    }
    scan(assignment.value);
    if (const auto sizes = variables_.sizes(assignment.value); sizes && sizes->size() == assignment.targets.size()) {
      for (std::size_t k = 0; k < sizes->size(); ++k) {
        variables_.set_number(assignment.targets[k], static_cast<double>((*sizes)[k]));
      }
    } else if (calls_.size() - first == assignment.targets.size() && assignment.value.find_first_of("[(") == 0) {
      for (std::size_t k = 0; k < assignment.targets.size(); ++k) {  // a, b, c = [rand(3) for _ in range(3)]
        name_call(calls_[first + k], assignment.targets[k], calls_[first + k].call);
      }
    }
  }

  /// nn.init.xavier_uniform_(layer.weight): what was drawn for the layer is no longer its weight.
  void forget_overwritten(std::string_view text) {
    const std::size_t open = text.find('(');
    if (open == npos || text.substr(0, open).find("init.") == npos) {
      return;
    }
    const std::string_view argument = text.substr(open + 1, text.find_first_of(",)", open) - open - 1);
    const std::string name = full_name(text::trimmed(argument.substr(0, argument.rfind('.'))));
    for (DrawCall& call : calls_) {
      if (call.name == name) {
        call.name.clear();
      }
    }
  }

  void note_assigned(std::string_view target) {
    const std::string name = full_name(target);
    ++assigned_[name];
    variables_.forget(target);
    std::erase(generators_, name);
  }

  /// "self.W_query" of the object that is being made: "sa_v1.W_query".
  std::string full_name(std::string_view target) const {
    return target.starts_with("self.") && !self_.empty() ? self_ + std::string(target.substr(4)) : std::string(target);
  }

  void name_call(DrawCall& call, std::string_view target, std::string_view value) {
    call.name = full_name(target);
    call.value = one_spaced(value);
    if (call.kind != DrawCall::Kind::linear && call.kind != DrawCall::Kind::embedding) {
      variables_.set_shape(target, shape_after(call));
    }
  }

  static Shape shape_after(const DrawCall& call) {
    Shape shape = call.shape;
    for (const DrawnChange& change : call.changes) {
      if (change.kind == DrawnChange::Kind::transposed) {
        std::ranges::reverse(shape);
      } else if (change.kind == DrawnChange::Kind::reshaped) {
        shape = change.shape;
      }
    }
    return shape;
  }

  void assign(std::size_t i, std::string_view target, std::string_view value) {
    if (const auto seeded = seed_of(value, target)) {
      generators_.push_back(seeded->generator);
      calls_.push_back(*seeded);
      return;
    }
    const std::size_t at = calls_.size();
    const std::string before = std::exchange(target_, full_name(target));
    auto changes = changes_of_draw(value, imports_, generators_, variables_);
    scan(value);
    target_ = before;
    if (changes && calls_.size() == at + 1) {
      calls_[at].changes = std::move(*changes);
      name_call(calls_[at], target, value);
      return;
    }
    if (const auto number = variables_.number(value)) {
      variables_.set_number(target, *number);
    } else if (const auto shape = variables_.shape(value)) {
      variables_.set_shape(target, *shape);
    } else if (const auto literal = literal_of(i, target)) {
      variables_.set_shape(target, *literal);
    } else if (value.starts_with('[') && closing_bracket(value, 0) == value.size() - 1) {
      const auto items = split_outside(value.substr(1, value.size() - 2), ',');
      variables_.set_shape(target, {static_cast<std::int64_t>(items.size())});
    }
  }

  std::optional<Shape> literal_of(std::size_t i, std::string_view target) const {
    const Statement& statement = statements_[i];
    for (const Literal& literal : literals_) {
      if (literal.name == target && literal.place.cell == statement.first.cell &&
          literal.place.line >= statement.first.line && literal.place.line <= statement.last.line) {
        return literal.shape;
      }
    }
    return std::nullopt;
  }

  /// np.random.RandomState(0), which the target holds.
  std::optional<DrawCall> seed_of(std::string_view value, std::string_view target) const {
    const std::string_view path = leading_path(value);
    const std::size_t open = path.size();
    if (!imports_.is(path, "numpy.random.RandomState") || value.substr(open, 1) != "(" || !value.ends_with(')')) {
      return std::nullopt;
    }
    const auto seed = variables_.whole(value.substr(open + 1, value.size() - open - 2));
    return seed ? std::optional(DrawCall{.kind = DrawCall::Kind::seed,
                                         .generator = std::string(target),
                                         .call = std::string(path) + "(" + std::to_string(*seed) + ")",
                                         .seed = *seed})
                : std::nullopt;
  }

  /// Runs the calls of an expression, from left to right.
  void scan(std::string_view text) {
    for (std::size_t at = 0; at < text.size() && calls_.size() < most_calls;) {
      const char c = text[at];
      if (c == '"' || c == '\'') {
        const std::size_t end = text.find(c, at + 1);
        at = end == npos ? text.size() : end + 1;
        continue;
      }
      if (c == '[' || c == '(') {
        at = scan_bracket(text, at);
        continue;
      }
      if (!is_name_part(c) && c != '.') {
        ++at;
        continue;
      }
      const std::string_view path = leading_path(text.substr(at));
      at += path.size();
      const std::size_t close = at < text.size() && text[at] == '(' ? closing_bracket(text, at) : npos;
      if (close != npos && call(path, text.substr(at + 1, close - at - 1))) {
        at = close + 1;
      }
    }
  }

  /// What stands in brackets, as often as a comprehension says; returns the place to go on from.
  std::size_t scan_bracket(std::string_view text, std::size_t open) {
    const std::size_t close = closing_bracket(text, open);
    if (close == npos) {
      return open + 1;
    }
    const std::string_view inside = text.substr(open + 1, close - open - 1);
    const std::size_t loop = find_outside(inside, " for ");
    const std::size_t in = loop == npos ? npos : find_outside(inside.substr(loop), " in ");
    if (in == npos || !may_draw(inside)) {
      return open + 1;
    }
    if (const auto turns = turns_of(inside.substr(loop + in + 4))) {
      for (std::int64_t turn = 0; turn < *turns; ++turn) {
        scan(inside.substr(0, loop));
      }
    } else {
      add_unread();
    }
    return close + 1;
  }

  /// Whether it is a call that was run: a draw, or a function of the program's.
  bool call(std::string_view path, std::string_view inside) {
    if (const auto drawn = drawing_call(path, inside, imports_, generators_, variables_)) {
      if (drawn->kind == DrawCall::Kind::seed &&
          std::ranges::find(generators_, drawn->generator) == generators_.end()) {
        generators_.push_back(drawn->generator);
      }
      calls_.push_back(*drawn);
      return true;
    }
    const Function* function = depth_ < deepest ? functions_.find(path) : nullptr;
    if (function != nullptr) {
      run_function(Function(*function), inside);  // a copy: it may define others
    }
    return function != nullptr;
  }

  void run_function(const Function& function, std::string_view inside) {
    const std::vector<std::pair<std::string, std::string>> values = function.given(inside);
    std::vector<std::pair<std::optional<double>, std::optional<Shape>>> known;
    for (const auto& [name, value] : values) {
      known.emplace_back(variables_.number(value), variables_.shape(value));
    }
    ++depth_;
    variables_.enter();
    for (std::size_t k = 0; k < values.size(); ++k) {
      const std::string& name = values[k].first;
      variables_.forget(name);
      if (known[k].first) {
        variables_.set_number(name, *known[k].first);
      } else if (known[k].second) {
        variables_.set_shape(name, *known[k].second);
      }
    }
    const std::string before = std::exchange(self_, function.is_constructor ? target_ : self_);
    run(function.begin, function.end);
    self_ = before;
    variables_.leave();
    --depth_;
  }

  std::vector<Statement> statements_;
  std::span<const Literal> literals_;
  Imports imports_;
  Variables variables_;
  Functions functions_;
  std::map<std::string, int> assigned_;  ///< how often each variable is
  std::vector<std::string> generators_;  ///< that were seeded
  std::string target_;                   ///< what the value that is being scanned is assigned to
  std::string self_;                     ///< the object that is being made
  std::vector<DrawCall> calls_;
  std::size_t run_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace

std::vector<DrawCall> find_draw_calls(const Page& listing, const Zones& zones, std::span<const Literal> literals) {
  constexpr std::size_t largest = 1U << 22U;  // lessons are smaller
  const std::string_view text = listing.text();
  const bool is_seeded = text.find("seed(") != npos || text.find("RandomState(") != npos;
  return is_seeded && text.size() <= largest ? DrawReader(find_statements(listing, zones), literals).read()
                                             : std::vector<DrawCall>{};
}

}  // namespace attn::verify
