#include "verify/program/variables.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "text/ascii.hpp"
#include "text/lines.hpp"
#include "text/numbers.hpp"
#include "verify/read/pieces.hpp"
#include "verify/read/statements.hpp"

namespace attn::verify {
namespace {

/// "(a, b)" without its brackets; empty if they do not enclose the whole text.
std::optional<std::string_view> unbracketed(std::string_view text) {
  const bool opens = text.starts_with('(') || text.starts_with('[');
  return opens && closing_bracket(text, 0) == text.size() - 1 ? std::optional(text.substr(1, text.size() - 2))
                                                              : std::nullopt;
}

std::optional<double> applied(char sign, bool is_whole, double a, double b) {
  switch (sign) {
    case '+': return a + b;
    case '-': return a - b;
    case '*': return a * b;
    case '%': return b == 0 ? std::nullopt : std::optional(a - b * std::floor(a / b));
    default: return b == 0 ? std::nullopt : std::optional(is_whole ? std::floor(a / b) : a / b);
  }
}

}  // namespace

std::size_t last_operator(std::string_view text, std::string_view signs) {
  std::size_t found = npos;
  for (const char sign : signs) {
    std::size_t begin = 0;
    for (std::size_t at = find_outside(text, std::string_view(&sign, 1)); at != npos;
         at = find_outside(text.substr(begin), std::string_view(&sign, 1))) {
      at += begin;
      const std::string_view before = without_trailing(text.substr(0, at), " ");
      constexpr std::string_view operators = "+-*/%@(,";
      const bool is_binary = !before.empty() && operators.find(before.back()) == npos && text.substr(at, 2) != "**" &&
                             (at == 0 || text.substr(at - 1, 2) != "**");
      found = is_binary && (found == npos || at > found) ? at : found;
      begin = at + 1;
    }
  }
  return found;
}

std::string item_name(std::string_view result, std::string_view place) {
  return std::string(result) + ".our_" + std::string(place);
}

void Variables::enter(std::string_view object) {
  scopes_.emplace_back();
  held_.emplace_back();
  objects_.emplace_back(object);
}

void Variables::leave() {
  scopes_.pop_back();
  held_.pop_back();
  objects_.pop_back();
}

std::string Variables::full_name(std::string_view name) const {
  constexpr int most_objects = 4;
  std::string full = name.starts_with("self.") && !objects_.back().empty()
                         ? objects_.back() + std::string(name.substr(4))
                         : std::string(name);
  for (int turn = 0; turn < most_objects; ++turn) {
    const std::string before = full;
    for (std::size_t dot = full.find('.'); dot != npos && full == before; dot = full.find('.', dot + 1)) {
      const std::string_view head = std::string_view(full).substr(0, dot);
      for (const auto* held : {&held_.back(), &held_.front()}) {
        const auto found = held->find(head);
        if (full == before && found != held->end() && found->second != head) {
          full = found->second + full.substr(dot);
        }
      }
    }
    if (full == before) {
      break;
    }
  }
  return full;
}

void Variables::forget(std::string_view name) {
  at(name) = {};
  held_.back().erase(std::string(name));
}

void Variables::set_object(std::string_view name, std::string_view object) {
  const bool is_attribute = name.find('.') != npos;
  (is_attribute ? held_.front() : held_.back()).insert_or_assign(full_name(name), std::string(object));
}

Variables::Value& Variables::at(std::string_view name) {
  const bool is_attribute = name.find('.') != npos;
  return (is_attribute ? scopes_.front() : scopes_.back())[full_name(name)];
}

const Variables::Value* Variables::find(std::string_view name) const {
  const std::string full = full_name(name);
  for (std::size_t scope = scopes_.size(); scope-- > 0;) {
    if (const auto found = scopes_[scope].find(full); found != scopes_[scope].end()) {
      return &found->second;
    }
  }
  return nullptr;
}

std::optional<double> Variables::number(std::string_view text) const {
  constexpr std::size_t longest = 120;
  text = text::trimmed(text);
  if (text.empty() || text.size() > longest) {
    return std::nullopt;
  }
  if (const auto value = text::number_of<double>(text)) {
    return value;
  }
  if (text == "True" || text == "False") {
    return text == "True" ? 1 : 0;
  }
  if (const Value* value = is_path(text) ? find(text) : nullptr) {
    return value->number;
  }
  if (const auto inside = unbracketed(text)) {
    return number(*inside);
  }
  // 1. Sums before products before signs and powers: the last operator of the lowest precedence is the outermost.
  for (const std::string_view signs : {std::string_view("+-"), std::string_view("*/%")}) {
    const std::size_t at = last_operator(text, signs);
    if (at == npos) {
      continue;
    }
    const bool is_whole = text.substr(at).starts_with("//");
    const auto a = number(text.substr(0, at));
    const auto b = number(text.substr(at + (is_whole ? 2 : 1)));
    return a && b ? applied(text[at], is_whole, *a, *b) : std::nullopt;
  }
  if (text.starts_with('-')) {
    const auto value = number(text.substr(1));
    return value ? std::optional(-*value) : std::nullopt;
  }
  if (const std::size_t power = find_outside(text, "**"); power != npos) {
    const auto a = number(text.substr(0, power));
    const auto b = number(text.substr(power + 2));
    return a && b ? std::optional(std::pow(*a, *b)) : std::nullopt;
  }
  // 2. int(x), math.sqrt(x), len(x), x.size(0), x.shape[0]
  for (const std::string_view ending : {".dim()", ".ndim"}) {
    const auto of = text.ends_with(ending) ? shape(text.substr(0, text.size() - ending.size())) : std::nullopt;
    if (of) {
      return static_cast<double>(of->size());
    }
  }
  const std::size_t open = text.find_last_of("([");
  if (open == npos || closing_bracket(text, open) != text.size() - 1) {
    return std::nullopt;
  }
  const std::string_view before = text.substr(0, open);
  const std::string_view inside = text.substr(open + 1, text.size() - open - 2);
  if (before == "int" || before.ends_with("sqrt")) {
    const auto value = number(inside);
    return value ? std::optional(before == "int" ? std::trunc(*value) : std::sqrt(*value)) : std::nullopt;
  }
  std::optional<Shape> of;
  std::int64_t axis = 0;
  if (before == "len") {
    of = shape(inside);
  } else {
    for (const std::string_view ending : {".shape", ".size()", ".size"}) {
      if (before.ends_with(ending) && !of) {
        of = shape(before.substr(0, before.size() - ending.size()));
      }
    }
    const auto given = whole(inside);
    axis = given.value_or(0);
    of = given ? of : std::nullopt;
  }
  if (!of) {
    return std::nullopt;
  }
  const auto rank = static_cast<std::int64_t>(of->size());
  axis += axis < 0 ? rank : 0;
  return axis >= 0 && axis < rank ? std::optional(static_cast<double>((*of)[static_cast<std::size_t>(axis)]))
                                  : std::nullopt;
}

std::optional<std::int64_t> Variables::whole(std::string_view expression) const {
  constexpr double most = 9e15;
  const auto value = number(expression);
  return value && *value == std::floor(*value) && std::abs(*value) < most
             ? std::optional(static_cast<std::int64_t>(*value))
             : std::nullopt;
}

std::optional<Shape> Variables::shape(std::string_view text) const {
  constexpr std::size_t longest = 400;
  text = text::trimmed(text);
  if (text.empty() || text.size() > longest) {
    return std::nullopt;
  }
  if (is_path(text)) {
    const Value* value = find(text);
    return value != nullptr && value->shape ? value->shape : shape_of_operation(text);
  }
  if (text.starts_with('(') && unbracketed(text)) {
    return split_outside(*unbracketed(text), ',').size() == 1 ? shape(*unbracketed(text)) : std::nullopt;
  }
  return shape_of_operation(text);
}

std::optional<Shape> Variables::sizes(std::string_view text) const {
  text = text::trimmed(text);
  text.remove_prefix(text.starts_with('*') ? 1 : 0);
  if (const auto inside = unbracketed(text)) {
    return sizes(*inside);
  }
  for (const std::string_view ending : {".shape", ".size()"}) {
    if (text.ends_with(ending)) {
      return shape(text.substr(0, text.size() - ending.size()));
    }
  }
  Shape result;
  for (const std::string_view part : split_outside(text, ',')) {
    constexpr std::int64_t most = 1 << 20;
    const auto size = whole(part);
    if (!size || *size < 1 || *size > most) {
      return std::nullopt;
    }
    result.push_back(*size);
  }
  return result;
}

}  // namespace attn::verify
