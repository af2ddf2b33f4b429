#include "verify/program/listed.hpp"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>

#include "tensor/operations.hpp"
#include "text/lines.hpp"
#include "text/numbers.hpp"
#include "verify/program/value_parts.hpp"
#include "verify/read/pieces.hpp"
#include "verify/read/statements.hpp"

namespace attn::verify {

/// Reads one expression, from left to right.
class Reader {
 public:
  Reader(const Listed& listed, std::string_view text, std::size_t before, std::size_t scope)
      : listed_(listed), text_(text), before_(before), scope_(scope) {}

  Value read() {
    const Value result = binary();
    skip();
    return at_ == text_.size() ? result : Value{};
  }

 private:
  void skip() { at_ = std::min(text_.find_first_not_of(" \t", at_), text_.size()); }

  bool take(std::string_view sign) {
    skip();
    const bool is_there = text_.substr(at_).starts_with(sign);
    at_ += is_there ? sign.size() : 0;
    return is_there;
  }

  /// Operands between signs of this level and of those that bind closer; comparisons are not chained.
  Value binary(std::size_t level = 0) {
    using Signs = std::array<std::string_view, 6>;
    constexpr auto levels = std::to_array<Signs>(
        {{"==", "!=", "<=", ">=", "<", ">"}, {"|"}, {"^"}, {"&"}, {"+", "-"}, {"@", "//", "/", "%", "*"}});
    if (level == levels.size()) {
      return signed_value();
    }
    Value left = binary(level + 1);
    for (bool goes_on = true; goes_on;) {
      const auto sign =
          std::ranges::find_if(levels[level], [&](std::string_view one) { return !one.empty() && take(one); });
      goes_on = sign != levels[level].end() && level > 0;
      left = sign == levels[level].end() ? left : combined(*sign, left, binary(level + 1));
    }
    return left;
  }

  Value signed_value() {
    if (take("-")) {
      return negated(signed_value());
    }
    if (take("~")) {
      return combined("==", signed_value(), value_of(0));
    }
    Value base = postfix();
    return take("**") ? combined("**", base, signed_value()) : base;
  }

  /// While the program runs, of a tensor that is hidden or listed the shape may be all that is known.
  Value call_of(std::string_view function, const Passed& given) const {
    Value made = verify::call_of(function, given);
    const Value first = given.get("", 0);
    const bool is_listing =
        first.kind == Value::Kind::list && (function.ends_with("ensor") || function.ends_with("array"));
    const auto shape = !made.is_known() && listed_.is_running() && (is_listing || function == "masked_fill")
                           ? shape_of(first)
                           : std::nullopt;
    const auto are_whole = [](const auto& self, const Value& list) -> bool {
      return list.items.empty() ? whole_in(list).has_value() : self(self, list.items[0]);
    };
    return shape ? value_of(unknown_of(*shape, are_whole(are_whole, first))) : made;
  }

  Value postfix() {
    std::string path;
    Value value = atom(path);
    for (;;) {
      if (const std::size_t next = text_.find_first_not_of(' ', std::min(at_, text_.size()));
          next != npos && text_[next] == '.') {  // a method on the next line
        at_ = next;
      }
      if (at_ < text_.size() && text_[at_] == '[') {
        value = subscripted(value, subscripts(inside()));
        path.clear();
      } else if (at_ < text_.size() && text_[at_] == '(' && (!path.empty() || value.module)) {
        value = value.module ? applied(*value.module, arguments(inside())) : call(path, inside());
        path.clear();
      } else if (at_ < text_.size() && text_[at_] == '.') {
        ++at_;
        value = member(value, path);
      } else {
        return value;
      }
    }
  }

  /// A name, a number, or what stands in brackets. `path` is the name where nothing of that name is known.
  Value atom(std::string& path) {
    skip();
    if (at_ == text_.size()) {
      return {};
    }
    if (text_[at_] == '"' || text_[at_] == '\'') {
      const std::string_view quoted = text_.substr(at_, string_end(text_, at_) - at_);
      at_ += quoted.size();
      return is_quoted(quoted) && quoted.find('\\') == npos ? string_of(quoted.substr(1, quoted.size() - 2)) : Value{};
    }
    if (text_[at_] == '{') {
      return dictionary(inside());
    }
    if (text_[at_] == '(' || text_[at_] == '[') {
      const bool is_list = text_[at_] == '[';
      const std::string_view body = inside();
      if (!is_list && split_outside(body, ',').size() == 1 && !text::trimmed(body).ends_with(',') &&
          !body.starts_with('*')) {
        return listed_.value(body, before_, scope_);
      }
      return {.kind = is_list ? Value::Kind::list : Value::Kind::one, .items = items(body)};
    }
    const std::string_view rest = text_.substr(at_);
    if (text::is_digit(rest[0]) || rest[0] == '.') {
      std::size_t end = 0;
      while (end < rest.size() && (is_name_part(rest[end]) || rest[end] == '.' ||
                                   ((rest[end] == '-' || rest[end] == '+') && rest[end - 1] == 'e'))) {
        ++end;
      }
      at_ += end;
      const std::string_view digits = rest.substr(0, end - (rest[end - 1] == '.' ? 1 : 0));
      const auto number = text::number_of<double>(digits);
      return number ? value_of(*number) : Value{};
    }
    path = name();
    if (path == "True" || path == "False") {
      return value_of(path == "True" ? 1 : 0);
    }
    return listed_.variable(path, before_, scope_);
  }

  std::string name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name_part(text_[at_])) {
      ++at_;
    }
    if (at_ == begin) {
      at_ = text_.size() + 1;  // a string, a lambda: nothing that is known
    }
    return std::string(text_.substr(std::min(begin, text_.size()), at_ - begin));
  }

  /// Reads the next bracket, and continues after it.
  std::string_view inside() {
    const std::size_t open = at_;
    const std::size_t close = closing_bracket(text_, open);
    at_ = close == npos ? text_.size() + 1 : close + 1;
    return close == npos ? std::string_view() : text_.substr(open + 1, close - open - 1);
  }

  /// What stands between commas: values and layers.
  std::vector<Value> items(std::string_view inside) const {
    std::vector<Value> result;
    for (const std::string_view text : split_outside(inside, ',')) {
      add_item(result, text);
    }
    return result;
  }

  /// Of "*x.shape" each item.
  void add_item(std::vector<Value>& items, std::string_view text) const {
    if (!text.starts_with('*')) {
      items.push_back(item(text));
      return;
    }
    const Value all = item(text.substr(1));
    const std::vector<Value> turns = turns_of(all).value_or(std::vector{Value{}});
    items.insert(items.end(), turns.begin(), turns.end());
  }

  Value item(std::string_view text) const {
    Value value = listed_.value(text, before_, scope_);
    value = value.is_known() || !is_path(text) ? value : linear(text);
    value.text = text;
    return value;
  }

  /// "'cat': 0, 'sat': 1"; without values, a set.
  Value dictionary(std::string_view inside) const {
    Value made{.kind = Value::Kind::dictionary};
    for (const std::string_view entry : split_outside(inside, ',')) {
      const std::size_t colon = find_outside(entry, ":");
      if (colon == npos) {
        return {.kind = Value::Kind::set, .items = items(inside)};
      }
      put_entry(made, listed_.value(entry.substr(0, colon), before_, scope_),
                item(text::trimmed(entry.substr(colon + 1))));
    }
    return made;
  }

  /// The nn.Linear of that name; unknown without one.
  Value linear(std::string_view path) const {
    const Value weight = listed_.variable(std::string(path) + ".weight", before_, scope_);
    const Value bias = listed_.variable(std::string(path) + ".bias", before_, scope_);
    return weight.tensor ? module_of("Linear", {{weight, bias}, {}}) : Value{};
  }

  Passed arguments(std::string_view inside) const {
    const Arguments read = arguments_of(inside);
    Passed given;
    for (const std::string_view one : read.plain) {
      add_item(given.plain, one);
    }
    for (const auto& [key, value] : read.named) {
      const bool is_bool = key == "dtype" && (value == "bool" || value.ends_with(".bool") || value.ends_with(".bool_"));
      given.named.emplace_back(key, is_bool ? Value{.words = "bool"} : listed_.value(value, before_, scope_));
    }
    return given;
  }

  /// A method or attribute of a value, or a member of a module. `path` is the module's name.
  Value member(const Value& value, std::string& path) {
    const std::string member = name();
    if (!value.is_known()) {
      path = path.empty() ? "" : path + "." + member;
      const bool is_infinity = member == "inf" && path.size() <= 9;
      return is_infinity ? value_of(HUGE_VAL) : path.empty() ? Value{} : listed_.variable(path, before_, scope_);
    }
    path.clear();
    if (const std::size_t place = place_of(value, string_of(member)); place < value.keys.size()) {
      return value.items[place];  // torch.finfo(x.dtype).min
    }
    if (at_ < text_.size() && text_[at_] == '(') {
      Passed given = arguments(inside());
      given.plain.insert(given.plain.begin(), value);
      return call_of(member, given);
    }
    return call_of(member, {{value}, {}});
  }

  Value call(const std::string& path, std::string_view inside) {
    if (path == "our_put") {
      const auto parts = split_outside(inside, ',');
      const std::string_view place = parts.size() == 3 ? parts[2].substr(1, parts[2].size() - 2) : std::string_view();
      return place.empty() ? Value{}
                           : put_into(listed_.value(parts[0], before_, scope_),
                                      listed_.value(parts[1], before_, scope_), subscripts(place), place);
    }
    if (path == "our_named") {
      const Passed given = arguments(inside);
      const bool is_one = given.plain.size() > 1 && given.plain[0].tensor.has_value();
      const auto k = is_one ? given.plain[1].number : std::nullopt;
      return is_one ? renamed(*given.plain[0].tensor,
                              given.plain.back().string.value_or("") + (k ? "[" + std::to_string(whole(*k)) + "]" : ""))
                    : Value{};
    }
    if (path == "dict") {
      Value made{.kind = Value::Kind::dictionary};
      for (const auto& [key, value] : arguments_of(inside).named) {
        put_entry(made, string_of(key), item(value));
      }
      return made;
    }
    if (path == "torch.finfo") {  // of float32
      Value made{.kind = Value::Kind::dictionary};
      for (const auto& [key, number] :
           {std::pair("min", -FLT_MAX), std::pair("max", FLT_MAX), std::pair("eps", FLT_EPSILON)}) {
        put_entry(made, string_of(key), value_of(static_cast<double>(number)));
      }
      return made;
    }
    if (path == "float" && inside.find("inf") != npos) {
      return value_of(inside.find('-') != npos ? -HUGE_VAL : HUGE_VAL);
    }
    Passed given = arguments(inside);
    std::string_view function = std::string_view(path).substr(path.rfind('.') + 1);
    function = path == "np.repeat" ? "repeat_interleave" : function;
    if (path.starts_with("np.") && (function == "std" || function == "var") && !given.get("ddof", 99).number) {
      given.named.emplace_back("correction", value_of(0));
    }
    if (path == "np.meshgrid" && !given.get("indexing", 99).string) {
      given.named.emplace_back("indexing", string_of("xy"));
    }
    if (const Value layer = linear(path); layer.module && !given.plain.empty()) {
      const Tensor& weight = *layer.module->arguments.plain[0].tensor;
      const std::string drawn = weight.words();  // "(nn.Embedding(5, 6).weight after ...)" if nothing names the module
      const bool is_named = !path.starts_with("our_") || !drawn.starts_with('(');
      const bool is_linear = listed_.variable(path + ".in_features", before_, scope_).is_known();
      const Value rows =
          is_linear ? Value{}
                    : rows_of(is_named ? path : drawn.substr(1, drawn.find(".weight") - 1), weight, given.plain[0]);
      return rows.tensor ? rows : applied(*layer.module, given);
    }
    if (const Value named = listed_.variable(path, before_, scope_); named.module) {
      return applied(*named.module, given);
    }
    const std::size_t dot = path.rfind('.');
    const bool is_method =
        dot != npos && listed_.assigned(path.substr(0, dot), before_, scope_);  // of an unknown value
    return is_method ? Value{} : call_of(function, given);
  }

  /// A number, or a tensor that is one whole number: a drawn place.
  static std::optional<double> place_in(const Value& value) {
    const bool is_scalar = value.tensor && value.tensor->dim() == 0 && value.tensor->dtype() != DType::boolean;
    const double number = is_scalar ? value.tensor->value({}) : 0;
    return is_scalar && number == std::round(number) ? std::optional(number) : value.number;
  }

  std::vector<Subscript> subscripts(std::string_view inside) const {
    std::vector<Subscript> result;
    for (const std::string_view part : split_outside(inside, ',')) {
      const std::size_t colon = find_outside(part, ":");
      const auto number = [&](std::string_view text) { return place_in(listed_.value(text, before_, scope_)); };
      if (part == "...") {
        result.push_back({Subscript::Kind::rest});
      } else if (part == "None" || part.ends_with(".newaxis")) {
        result.push_back({Subscript::Kind::added});
      } else if (colon != npos) {
        const std::size_t second = std::min(part.find(':', colon + 1), part.size());
        const auto step = second == part.size() ? std::optional(1.0) : number(part.substr(second + 1));
        if (!step || *step < 1) {
          return {};
        }
        result.push_back({Subscript::Kind::slice, number(part.substr(0, colon)),
                          number(part.substr(colon + 1, second - colon - 1)), *step});
      } else {
        const Value item = listed_.value(part, before_, scope_);
        const Value picked = item.items.empty() ? item : listed_numbers(item);
        result.push_back({Subscript::Kind::item, item.number, {}, 1, picked.tensor, item.string});
      }
    }
    return result;
  }

  const Listed& listed_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t before_;
  std::size_t scope_;
};

Value Listed::value(std::string_view text, std::size_t before, std::size_t scope) const {
  constexpr int deepest = 250;
  if (depth_ > deepest) {
    return {};
  }
  ++depth_;
  Value result;
  try {
    result = Reader(*this, text::trimmed(text), before, scope).read();
  } catch (const ShapeError&) {  // the page's program would fail there too
  }
  --depth_;
  return result;
}

}  // namespace attn::verify
