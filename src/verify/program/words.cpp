#include "verify/program/words.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "text/ascii.hpp"
#include "text/lines.hpp"
#include "text/numbers.hpp"
#include "verify/read/pieces.hpp"
#include "verify/read/statements.hpp"

namespace attn::verify {
namespace {

using Items = std::vector<std::string>;

/// A value: a string or a number is its only item, a dictionary has keys and values in turns.
struct Value {
  enum class Kind { string, number, list, set, dictionary };
  Kind kind;
  Items items;
};
using Kind = Value::Kind;

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

bool is_string(std::string_view text) { return is_quoted(text) && text.find('\\') == npos; }

std::string_view unquoted(std::string_view text) { return text.substr(1, text.size() - 2); }

std::optional<Value> literal(std::string_view text) {
  text = text::trimmed(text);
  if (is_string(text)) {
    return Value{Kind::string, {std::string(unquoted(text))}};
  }
  if (text.size() < 2 || (text.front() != '[' && text.front() != '{') || closing_bracket(text, 0) != text.size() - 1) {
    return std::nullopt;
  }
  Value value = {text.front() == '[' ? Kind::list : Kind::dictionary, {}};
  for (const std::string_view item : split_outside(unquoted(text), ',')) {
    const std::size_t colon = text.front() == '{' ? find_outside(item, ":") : 0;
    if (item.empty() || colon == npos) {
      return std::nullopt;
    }
    if (colon > 0) {
      const std::string_view key = text::trimmed(item.substr(0, colon));
      value.items.push_back(is_string(key) ? quoted(unquoted(key)) : std::string(key));
      value.items.emplace_back(text::trimmed(item.substr(colon + 1)));
    } else {
      value.items.push_back(is_string(item) ? quoted(unquoted(item)) : std::string(item));
    }
  }
  return value;
}

/// What a loop runs over.
Items items_of(const Value& value) {
  Items items;
  if (value.kind == Kind::string) {
    for (const char c : value.items[0]) {
      items.push_back(quoted({&c, 1}));
    }
    return items;
  }
  for (std::size_t i = 0; i < value.items.size(); i += value.kind == Kind::dictionary ? 2 : 1) {
    items.push_back(value.items[i]);
  }
  return items;
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::optional<Value> sorted(Items items) {
  if (std::ranges::all_of(items, is_string)) {
    std::ranges::sort(items);
    return Value{Kind::list, std::move(items)};
  }
  const auto number = [](const std::string& item) { return text::number_of<double>(item); };
  if (!std::ranges::all_of(items, [&](const std::string& item) { return number(item).has_value(); })) {
    return std::nullopt;
  }
  std::ranges::stable_sort(items, {}, number);
  return Value{Kind::list, std::move(items)};
}

std::optional<Value> called(std::string_view function, const Value& argument) {
  Items items = items_of(argument);
  const bool is_ordered = argument.kind != Kind::set;
  if (argument.kind == Kind::number || (argument.kind == Kind::string && !is_ascii(argument.items[0]))) {
    return std::nullopt;
  }
  if (function == "len") {
    return Value{Kind::number, {std::to_string(items.size())}};
  }
  if (function == "sorted") {
    return sorted(std::move(items));
  }
  if (function == "set") {
    if (!std::ranges::all_of(items, is_string)) {
      return std::nullopt;
    }
    std::ranges::sort(items);
    items.erase(std::unique(items.begin(), items.end()), items.end());
    return Value{Kind::set, std::move(items)};
  }
  if (function == "list" || function == "tuple") {
    return Value{is_ordered ? Kind::list : Kind::set, std::move(items)};
  }
  return std::nullopt;
}

std::string replaced(std::string_view text, std::string_view what, std::string_view with) {
  std::string made;
  for (std::size_t at = text.find(what); at != npos && !what.empty(); at = text.find(what)) {
    made += std::string(text.substr(0, at)) + std::string(with);
    text.remove_prefix(at + what.size());
  }
  return made + std::string(text);
}

Items split(std::string_view text, std::string_view separator) {
  Items items;
  while (true) {
    if (separator.empty()) {
      text = text::trimmed(text);
    }
    const std::size_t end =
        std::min(separator.empty() ? text.find_first_of(" \t\n") : text.find(separator), text.size());
    if (!separator.empty() || end > 0) {
      items.push_back(quoted(text.substr(0, end)));
    }
    if (end == text.size()) {
      return items;
    }
    text.remove_prefix(end + std::max<std::size_t>(separator.size(), 1));
  }
}

/// A method of a string, its arguments being strings.
std::optional<Value> method_of_string(std::string_view text, std::string_view method, const Items& arguments) {
  std::string changed(text);
  if (method == "split" && arguments.size() < 2 && !(arguments.size() == 1 && arguments[0].empty())) {
    return Value{Kind::list, split(text, arguments.empty() ? "" : arguments[0])};
  }
  if ((method == "lower" || method == "upper") && arguments.empty() && is_ascii(text)) {
    std::ranges::transform(changed, changed.begin(), [&](char c) {
      const bool is_other = method == "lower" ? c >= 'A' && c <= 'Z' : c >= 'a' && c <= 'z';
      return is_other ? static_cast<char>(c ^ 0x20) : c;
    });
    return Value{Kind::string, {changed}};
  }
  if (method == "strip" && arguments.size() < 2) {
    const std::string_view unwanted = arguments.empty() ? std::string_view(" \t\n") : arguments[0];
    return Value{Kind::string, {std::string(without_trailing(without_leading(text, unwanted), unwanted))}};
  }
  if (method == "replace" && arguments.size() == 2) {
    return Value{Kind::string, {replaced(text, arguments[0], arguments[1])}};
  }
  return std::nullopt;
}

std::optional<Value> method_of(const Value& value, std::string_view method, std::string_view inside) {
  if (value.kind == Kind::dictionary && text::trimmed(inside).empty()) {
    Value made = {Kind::list, {}};
    for (std::size_t i = 0; i + 1 < value.items.size(); i += 2) {
      made.items.push_back(method == "values"  ? value.items[i + 1]
                           : method == "items" ? "(" + value.items[i] + ", " + value.items[i + 1] + ")"
                                               : value.items[i]);
    }
    return method == "values" || method == "items" || method == "keys" ? std::optional(made) : std::nullopt;
  }
  Items arguments;
  for (const std::string_view argument : split_outside(inside, ',')) {
    if (!is_string(argument)) {
      return std::nullopt;
    }
    arguments.emplace_back(unquoted(argument));
  }
  return value.kind == Kind::string ? method_of_string(value.items[0], method, arguments) : std::nullopt;
}

/// {'cat': 3}.get(word, 0)
std::optional<Value> entry_of(const Value& dictionary, std::string_view inside,
                              const std::function<std::string(std::string_view)>& value_of) {
  Items arguments;
  for (const std::string_view argument : split_outside(inside, ',')) {
    const bool is_variable = is_path(argument) && !text::number_of<double>(argument);
    const std::string text = is_variable ? value_of(argument) : std::string(argument);
    arguments.push_back(is_string(text) ? quoted(unquoted(text)) : text);
  }
  if (arguments.size() != 2 || std::ranges::find(arguments, "") != arguments.end()) {
    return std::nullopt;
  }
  std::string found = arguments[1];
  for (std::size_t i = 0; i + 1 < dictionary.items.size(); i += 2) {
    found = dictionary.items[i] == arguments[0] ? dictionary.items[i + 1] : found;
  }
  return text::number_of<double>(found) ? Value{Kind::number, {found}} : literal(found);
}

std::optional<std::string> written(const Value& value) {
  if (value.kind == Kind::set) {
    return std::nullopt;
  }
  if (value.kind == Kind::string || value.kind == Kind::number) {
    return value.kind == Kind::number ? value.items[0] : quoted(std::string_view(value.items[0]));
  }
  std::string text = value.kind == Kind::list ? "[" : "{";
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    text += (i == 0 ? "" : value.kind == Kind::dictionary && i % 2 == 1 ? ": " : ", ") + value.items[i];
  }
  return text + (value.kind == Kind::list ? "]" : "}");
}

/// Parses an expression from left to right.
class Expression {
 public:
  Expression(std::string_view text, const std::function<std::string(std::string_view)>& value_of)
      : text_(text), value_of_(value_of) {}

  /// The value of the longest expression; empty if nothing is called.
  std::optional<Value> run() {
    auto value = primary();
    bool is_called = at_ > 0 && text_[at_ - 1] == ')';
    while (value && text_.substr(at_, 1) == ".") {
      const std::string_view name = leading_name(text_.substr(at_ + 1));
      const auto inside = inside_at(at_ + 1 + name.size());
      const bool is_entry = name == "get" && value->kind == Kind::dictionary;
      const auto next = !inside    ? std::nullopt
                        : is_entry ? entry_of(*value, *inside, value_of_)
                                   : method_of(*value, name, *inside);
      if (!next) {
        return std::nullopt;
      }
      at_ += name.size() + inside->size() + 3;
      value = next;
      is_called = true;
    }
    return is_called ? value : std::nullopt;
  }
  std::size_t length() const { return at_; }

 private:
  std::optional<std::string_view> inside_at(std::size_t open) const {
    const std::size_t close = text_.substr(open, 1) == "(" ? closing_bracket(text_, open) : npos;
    return close == npos ? std::nullopt : std::optional(text_.substr(open + 1, close - open - 1));
  }

  std::optional<Value> primary() {
    if (text_.starts_with('"') || text_.starts_with('\'')) {
      at_ = std::min(text_.find(text_.front(), 1), text_.size() - 1) + 1;
      return literal(text_.substr(0, at_));
    }
    std::size_t end = 0;
    while (end < text_.size() && (is_name_part(text_[end]) || text_[end] == '.')) {
      ++end;
    }
    const std::string_view path = text_.substr(0, end);
    const auto inside = inside_at(end);
    const std::size_t dot = path.rfind('.');
    if (!inside) {
      at_ = end;
      return std::nullopt;
    }
    if (dot != npos) {
      at_ = dot;
      return literal(value_of_(path.substr(0, dot)));
    }
    Expression argument(text::trimmed(*inside), value_of_);
    auto value = argument.run();
    if (value && argument.length() != text::trimmed(*inside).size()) {
      return std::nullopt;
    }
    if (!value) {
      value = literal(*inside);
    }
    if (!value && is_path(text::trimmed(*inside))) {
      value = literal(value_of_(text::trimmed(*inside)));
    }
    at_ = end + inside->size() + 2;
    return value ? called(path, *value) : std::nullopt;
  }

  std::string_view text_;
  const std::function<std::string(std::string_view)>& value_of_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<Evaluated> evaluate_words(std::string_view text,
                                        const std::function<std::string(std::string_view)>& value_of) {
  Expression expression(text, value_of);
  const auto value = expression.run();
  const auto result = value ? written(*value) : std::nullopt;
  return result ? std::optional(Evaluated{*result, expression.length()}) : std::nullopt;
}

std::string with_entry(std::string_view dictionary, std::string_view key, std::string_view value) {
  auto entries = literal(dictionary);
  if (!entries) {
    return "our_unknown";
  }
  Items& items = entries->items;
  const std::string name = is_string(key) ? quoted(unquoted(key)) : std::string(key);
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    if (items[i] == name) {
      items[i + 1] = value;
      return *written(*entries);
    }
  }
  items.insert(items.end(), {name, std::string(value)});
  return *written(*entries);
}

bool is_same_string(std::string_view a, std::string_view b) {
  return is_quoted(a) && is_quoted(b) && unquoted(a) == unquoted(b);
}

}  // namespace attn::verify
