#include "verify/program/runner.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "text/lines.hpp"
#include "verify/program/listing.hpp"
#include "verify/program/trace.hpp"
#include "verify/read/pieces.hpp"

namespace attn::verify {
bool may_draw(std::string_view text) {
  constexpr auto words = std::to_array<std::string_view>(
      {"rand", "Linear(", "Embedding(", "MultiheadAttention(", "normal", "uniform", "ropout("});
  return std::ranges::any_of(words, [&](std::string_view word) { return text.find(word) != npos; });
}

std::optional<std::vector<std::string_view>> listed_items(std::string_view text) {
  text = text::trimmed(text);
  const bool is_list = text.starts_with('[') || text.starts_with('(');
  return is_list && closing_bracket(text, 0) == text.size() - 1
             ? std::optional(split_outside(text.substr(1, text.size() - 2), ','))
             : std::nullopt;
}

Runner::Runner(std::vector<Statement> statements) {
  std::string_view library = library_program();
  while (!library.empty()) {
    const std::size_t end = std::min(library.find('\n'), library.size());
    const std::string_view line = library.substr(0, end);
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    statements_.push_back({indent, {}, {}, std::string(line.substr(indent))});
    library.remove_prefix(std::min(end + 1, library.size()));
  }
  of_library_ = statements_.size();
  std::ranges::move(statements, std::back_inserter(statements_));
}

Run Runner::run() {
  run(0, statements_.size());
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    std::string& name = calls_[i].name;
    const std::size_t others = assigned_locally_.count(name);
    if (local_calls_.contains(i) ? others > 1 || assigned_[name] > 0 : assigned_[name] > 1) {
      name.clear();
    }
  }
  return {std::move(calls_), trace_.take()};
}

void Runner::run(std::size_t begin, std::size_t end) {
  ++level_;
  Branch branch = Branch::none;
  for (std::size_t i = begin; i < end && !is_returned_ && ++run_ <= most_statements;) {
    if (level_ == 1) {
      trace_.set_place(statements_[i].first);
    }
    const std::string_view text = statements_[i].text;
    const std::string_view word = text.substr(0, text.find_first_of(" (:"));
    const bool is_header = is_among(word, "def class for while if elif else with try except finally");
    const std::size_t colon = is_header ? find_outside(text, ":") : npos;
    if (colon == npos) {
      const bool is_last = i + 1 == statements_.size() || statements_[i + 1].first.cell != statements_[i].first.cell;
      is_shown_ = level_ == 1 && is_last && statements_[i].first.cell > 0;
      run_line(text);
      ++i;
      continue;
    }
    const std::size_t after = end_of_block(statements_, i);
    run_block(i, word, text::trimmed(text.substr(word.size(), colon - word.size())), text.substr(colon + 1), after,
              branch);
    i = after;
  }
  --level_;
}

void Runner::run_block(std::size_t i, std::string_view word, std::string_view head, std::string_view rest,
                       std::size_t end, Branch& branch) {
  const auto body = [&] {
    ++level_;
    run_line(rest);
    --level_;
    run(i + 1, end);
  };
  if (word == "def") {
    functions_.define(head, i + 1, end);
  } else if (word == "class") {
    functions_.define_class(head, statements_, i + 1, end);
    const std::string name(text::trimmed(head.substr(0, head.find('('))));
    give_attributes(name, name, "");
  } else if (word == "for") {
    const std::size_t in = head.find(" in ");
    const auto items = in == npos ? std::nullopt : items_of(head.substr(in + 4));
    if (!items) {
      doubt(i, end);
      return;
    }
    for (const std::string& item : *items) {
      if (!is_returned_) {
        take_item(head.substr(0, in), item);
        body();
      }
    }
  } else if (word == "if" || word == "elif" || word == "else") {
    const bool goes_on = word == "if" || branch == Branch::passed;
    const auto truth = word == "else" ? std::optional(true) : truth_of(head);
    if (word != "if" && branch == Branch::taken) {
      return;
    }
    if (!goes_on || !truth) {
      branch = Branch::unknown;
      doubt(i, end);
    } else if (*truth) {
      branch = Branch::taken;
      body();
    } else {
      branch = Branch::passed;
    }
  } else if (word == "while" && truth_of(head)) {
    for (std::int64_t turn = 0; turn < most_turns && !is_returned_ && truth_of(head).value_or(false); ++turn) {
      body();
    }
    truth_of(head) == false || is_returned_ ? void() : doubt(i, end);
  } else if (word == "with" || word == "try" || word == "finally") {
    body();
  } else {
    doubt(i, end);
  }
}

void Runner::take_item(std::string_view variables, const std::string& item) {
  const std::vector<std::string_view> targets = split_outside(variables, ',');
  const auto parts = targets.size() > 1 ? listed_items(item) : std::nullopt;
  for (std::size_t k = 0; k < targets.size(); ++k) {
    const std::string part = targets.size() == 1                        ? item
                             : parts && parts->size() == targets.size() ? std::string((*parts)[k])
                                                                        : item + "[" + std::to_string(k) + "]";
    trace_.assign(targets[k], part);
  }
}

std::optional<bool> Runner::truth_of(std::string_view condition) const {
  if (condition.find("__name__") != npos) {
    return true;
  }
  for (const auto& [word, decides] : {std::pair(" or ", true), std::pair(" and ", false)}) {
    const std::size_t at = find_outside(condition, word);
    if (at != npos) {
      const auto left = truth_of(condition.substr(0, at));
      const auto right = truth_of(condition.substr(at + std::string_view(word).size()));
      return left == decides || right == decides ? std::optional(decides)
             : left && right                     ? std::optional(!decides)
                                                 : std::nullopt;
    }
  }
  for (const auto& [word, is_member] : {std::pair(" not in ", false), std::pair(" in ", true)}) {
    const std::size_t at = find_outside(condition, word);
    const auto member = at == npos ? std::nullopt : value(condition.substr(0, at)).string;
    if (member) {
      const auto turns = turns_of(value(condition.substr(at + std::string_view(word).size())));
      const bool is_there = turns && std::ranges::find(*turns, member, &Value::string) != turns->end();
      return turns ? std::optional(is_there == is_member) : std::nullopt;
    }
  }
  for (const auto& [ending, is_none] : {std::pair(" is not None", false), std::pair(" is None", true)}) {
    if (condition.ends_with(ending)) {
      const std::string asked = full_name(condition.substr(0, condition.size() - std::string_view(ending).size()));
      const Value known = is_path(asked) ? Value{} : value(asked);  // cache["key"]
      const std::string_view last = known.is_known() && known.text.empty() ? "something"
                                    : known.text.empty()                   ? trace_.last(asked)
                                                                           : known.text;
      return last.empty() ? std::nullopt : std::optional((last == "None") == is_none);
    }
  }
  for (const auto& [sign, is_equal] : {std::pair("==", true), std::pair("!=", false)}) {
    const std::size_t at = find_outside(condition, sign);
    const auto left = at == npos ? std::nullopt : value(condition.substr(0, at)).string;
    const auto right = left ? value(condition.substr(at + 2)).string : std::nullopt;
    if (right) {
      return (left == right) == is_equal;
    }
  }
  const bool is_not = condition.starts_with("not ");
  const std::string_view rest = text::trimmed(condition.substr(is_not ? 4 : 0));
  const auto known = trace_.last(full_name(rest)) == "None" ? std::optional(0.0) : number(rest);
  return known ? std::optional((*known != 0) != is_not) : std::nullopt;
}

void Runner::doubt(std::size_t begin, std::size_t end) {
  bool draws = false;
  for (std::size_t i = begin; i < end; ++i) {
    const std::size_t colon = i == begin ? find_outside(statements_[i].text, ":") : npos;
    const std::string_view text = std::string_view(statements_[i].text).substr(colon == npos ? 0 : colon + 1);
    draws = draws || may_draw(statements_[i].text);
    for (const std::string_view target : assignment_of(text).targets) {
      forget(target.substr(0, target.find('[')));
    }
    change_in_place(text);
    text.find("print(") != npos ? trace_.print_something() : void();
    const std::string_view word = leading_name(text::trimmed(text));
    is_return_doubtful_ = is_return_doubtful_ || word == "return" || word == "yield";
  }
  draws ? add_unread() : void();
}

void Runner::add_unread() {
  for (const std::string& generator : generators_) {
    calls_.push_back({.generator = generator});
  }
}

std::optional<std::vector<std::string>> Runner::items_of(std::string_view text) {
  text = text::trimmed(text);
  const auto call = bracketed(text, '(');
  const std::string_view path = call ? call->path : std::string_view();
  const auto arguments = split_outside(call ? call->inside : std::string_view(), ',');
  std::vector<std::string> items;
  if (call && (path == "range" || imports_.is(path, "numpy.arange") || imports_.is(path, "torch.arange"))) {
    const auto first = arguments.size() > 1 ? whole(arguments[0]) : 0;
    const auto last = whole(arguments.empty() ? "" : arguments[arguments.size() > 1 ? 1 : 0]);
    const auto step = arguments.size() > 2 ? whole(arguments[2]) : 1;
    if (!first || !last || !step || *step == 0 || std::abs(*last - *first) / std::abs(*step) > most_turns) {
      return std::nullopt;
    }
    for (std::int64_t i = *first; *step > 0 ? i < *last : i > *last; i += *step) {
      items.push_back(std::to_string(i));
    }
    return items;
  }
  if (call && (path == "enumerate" || path == "zip") && !arguments.empty()) {
    std::vector<std::vector<std::string>> all;
    for (const std::string_view argument : arguments) {
      const auto some = items_of(argument);
      if (!some) {
        return std::nullopt;
      }
      all.push_back(*some);
    }
    const std::size_t turns = std::ranges::min(all, {}, &std::vector<std::string>::size).size();
    for (std::size_t i = 0; i < turns; ++i) {
      std::string item = path == "zip" ? "(" : "(" + std::to_string(i) + ", ";
      for (const std::vector<std::string>& some : all) {
        item += (&some == &all.front() ? "" : ", ") + some[i];
      }
      items.push_back(item + ")");
    }
    return items;
  }
  const std::string made = is_path(text) ? full_name(text) : scan(text);
  const Value known = value(made);
  const auto turns = turns_of(known);
  const Shape shape = turns ? Shape{std::ssize(*turns)} : shape_of(known).value_or(Shape{});
  if (shape.empty() || shape.front() > most_turns || known.kind == Value::Kind::set) {
    return std::nullopt;
  }
  std::string name = is_path(made) ? made : "";
  for (std::int64_t i = 0; i < shape.front(); ++i) {
    std::string item = turns ? written((*turns)[static_cast<std::size_t>(i)]) : "";
    if (item.empty()) {
      name = name.empty() ? trace_.item(made) : name;
      item = name + "[" + std::to_string(i) + "]";
    }
    items.push_back(std::move(item));
  }
  return items;
}

std::optional<DrawCall> Runner::seed_of(std::string_view value, std::string_view target) const {
  const auto call = bracketed(value, '(');
  const bool is_default_rng = call && imports_.is(call->path, "numpy.random.default_rng");
  if (!is_default_rng && !(call && imports_.is(call->path, "numpy.random.RandomState"))) {
    return std::nullopt;
  }
  const auto seed = whole(arguments_of(call->inside).at(0, "seed"));
  return seed && *seed >= 0
             ? std::optional(DrawCall{.kind = DrawCall::Kind::seed,
                                      .generator = std::string(target),
                                      .call = std::string(call->path) + "(" + std::to_string(*seed) + ")",
                                      .seed = *seed,
                                      .is_default_rng = is_default_rng})
             : std::nullopt;
}

}  // namespace attn::verify
