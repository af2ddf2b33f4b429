#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/lines.hpp"
#include "verify/program/value_parts.hpp"
#include "verify/read/pieces.hpp"

namespace attn::verify {
namespace {

using Kind = Value::Kind;

Value list_of(std::vector<Value> items) { return {.kind = Kind::list, .items = std::move(items)}; }

bool are_strings(const std::vector<Value>& items) {
  return std::ranges::all_of(items, [](const Value& item) { return item.string.has_value(); });
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

Value sorted(std::vector<Value> items) {
  if (are_strings(items)) {
    std::ranges::sort(items, {}, &Value::string);
  } else if (std::ranges::all_of(items, [](const Value& item) { return item.number.has_value(); })) {
    std::ranges::stable_sort(items, {}, &Value::number);
  } else {
    return {};
  }
  return list_of(std::move(items));
}

std::string replaced(std::string_view text, std::string_view what, std::string_view with) {
  std::string made;
  for (std::size_t at = text.find(what); at != npos && !what.empty(); at = text.find(what)) {
    made += std::string(text.substr(0, at)) + std::string(with);
    text.remove_prefix(at + what.size());
  }
  return made + std::string(text);
}

Value split(std::string_view text, std::string_view separator) {
  std::vector<Value> parts;
  while (true) {
    if (separator.empty()) {
      text = text::trimmed(text);
    }
    const std::size_t end =
        std::min(separator.empty() ? text.find_first_of(" \t\n") : text.find(separator), text.size());
    if (!separator.empty() || end > 0) {
      parts.push_back(string_of(text.substr(0, end)));
    }
    if (end == text.size()) {
      return list_of(std::move(parts));
    }
    text.remove_prefix(end + std::max<std::size_t>(separator.size(), 1));
  }
}

/// A method of a string, its other arguments being strings.
Value method_of_string(std::string_view method, const std::vector<Value>& given) {
  const std::string& text = *given[0].string;
  const std::size_t count = given.size() - 1;
  const std::string first = count > 0 ? *given[1].string : "";
  if (method == "split" && (count == 0 || (count == 1 && !first.empty()))) {
    return split(text, first);
  }
  if ((method == "lower" || method == "upper") && count == 0 && is_ascii(text)) {
    std::string changed = text;
    std::ranges::transform(changed, changed.begin(), [&](char c) {
      const bool is_other = method == "lower" ? c >= 'A' && c <= 'Z' : c >= 'a' && c <= 'z';
      return is_other ? static_cast<char>(c ^ 0x20) : c;
    });
    return string_of(changed);
  }
  if (method == "strip" && count < 2) {
    const std::string_view unwanted = count == 0 ? std::string_view(" \t\n") : first;
    return string_of(without_trailing(without_leading(text, unwanted), unwanted));
  }
  return method == "replace" && count == 2 ? string_of(replaced(text, first, *given[2].string)) : Value{};
}

}  // namespace

Value string_of(std::string_view text) { return {.string = std::string(text)}; }

std::string written(const Value& value) {
  if (!value.text.empty()) {
    return value.text;
  }
  if (value.string || value.number) {
    return value.string ? "'" + *value.string + "'" : value.words;
  }
  if (value.items.empty() || value.kind == Kind::set || value.kind == Kind::complex || value.kind == Kind::dictionary) {
    return {};
  }
  std::string items;
  for (const Value& item : value.items) {
    const std::string one = written(item);
    if (one.empty()) {
      return {};
    }
    items += (items.empty() ? "" : ", ") + one;
  }
  return value.kind == Kind::list ? "[" + items + "]" : "(" + items + ")";
}

std::optional<std::vector<Value>> turns_of(const Value& value) {
  if (value.kind == Kind::set || value.kind == Kind::complex || (!value.string && !value.holds_items()) ||
      !is_ascii(value.string.value_or(""))) {
    return std::nullopt;
  }
  std::vector<Value> characters;
  for (const char c : value.string.value_or("")) {
    characters.push_back(string_of({&c, 1}));
  }
  return value.string ? characters : value.kind == Kind::dictionary ? value.keys : value.items;
}

std::size_t place_of(const Value& dictionary, const Value& key) {
  const auto is_it = [&](const Value& one) {
    return key.string ? one.string == key.string : key.number && one.number == key.number;
  };
  return static_cast<std::size_t>(std::ranges::find_if(dictionary.keys, is_it) - dictionary.keys.begin());
}

void put_entry(Value& dictionary, Value key, Value item) {
  const std::size_t place = place_of(dictionary, key);
  if (place == dictionary.keys.size()) {
    dictionary.keys.push_back(std::move(key));
    dictionary.items.push_back(std::move(item));
  } else {
    dictionary.items[place] = std::move(item);
  }
}

Value called_on_words(std::string_view function, const Passed& given) {
  const Value& first = given.plain[0];
  const bool is_set = first.kind == Kind::set;
  const auto turns = is_set ? std::optional(first.items) : turns_of(first);
  if (!turns || !given.named.empty()) {
    return {};
  }
  if (given.plain.size() == 1) {
    if (function == "len") {
      return value_of(static_cast<double>(turns->size()));
    }
    if (function == "sorted") {
      return sorted(*turns);
    }
    if (function == "list" || function == "tuple") {
      return {.kind = is_set ? Kind::set : Kind::list, .items = *turns};
    }
    if (function == "set" && are_strings(*turns)) {
      Value set = sorted(*turns);
      const auto is_same = [](const Value& a, const Value& b) { return a.string == b.string; };
      set.items.erase(std::unique(set.items.begin(), set.items.end(), is_same), set.items.end());
      set.kind = Kind::set;
      return set;
    }
    if (first.kind == Kind::dictionary && (function == "keys" || function == "values")) {
      return list_of(function == "keys" ? first.keys : first.items);
    }
    if (first.kind == Kind::dictionary && function == "items") {
      Value entries = list_of({});
      for (std::size_t i = 0; i < first.items.size(); ++i) {
        entries.items.push_back({.items = {first.keys[i], first.items[i]}});
      }
      return entries;
    }
  }
  if (first.kind == Kind::dictionary && function == "get" && given.plain.size() == 3) {
    const std::size_t place = place_of(first, given.plain[1]);
    return place < first.items.size() ? first.items[place] : given.plain[2];
  }
  return first.string && are_strings(given.plain) ? method_of_string(function, given.plain) : Value{};
}

}  // namespace attn::verify
