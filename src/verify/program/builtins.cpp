#include <numeric>

#include "text/lines.hpp"
#include "text/numbers.hpp"
#include "verify/program/interpreter.hpp"

/// Python's own functions and strings, as far as they are no Python.
namespace attn::verify {
namespace {

using Kind = Any::Kind;

constexpr std::size_t most_items = 100'000;
constexpr std::size_t longest_text = 1U << 20U;

std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  for (;;) {
    text = separator.empty() ? text::trimmed(text) : text;
    const std::size_t end =
        std::min(separator.empty() ? text.find_first_of(" \t\n") : text.find(separator), text.size());
    !separator.empty() || end > 0 ? void(parts.emplace_back(text.substr(0, end))) : void();
    if (end == text.size()) {
      return parts;
    }
    text.remove_prefix(end + std::max<std::size_t>(separator.size(), 1));
  }
}

/// A number as str() writes it, or with a format such as ".2f".
std::string number_text_of(const Any& value, std::string_view spec) {
  const std::size_t dot = spec.find('.');
  if (value.is_truth && spec.empty()) {
    return value.number != 0 ? "True" : "False";
  }
  if (spec.ends_with('f') && dot != npos) {
    const int digits = text::number_of<int>(spec.substr(dot + 1, spec.size() - dot - 2)).value_or(0);
    return text::number_text(value.number, std::chars_format::fixed, std::clamp(digits, 0, 20));
  }
  const std::string text = text::shortest_text(value.number);
  return value.is_whole || text.find_first_of(".en") != npos ? text : text + ".0";
}

}  // namespace

std::string_view types_of(const Any& value) {
  const bool is_tensor = value.is(Kind::tensor);
  return value.is_truth                             ? "bool int"
         : value.is(Kind::number)                   ? (value.is_whole ? "int" : "float")
         : value.is(Kind::string)                   ? "str"
         : value.is(Kind::list)                     ? "list"
         : value.is(Kind::tuple)                    ? "tuple"
         : value.is(Kind::dictionary)               ? "dict"
         : is_tensor && value.thing->value.is_numpy ? "numpy.ndarray"
         : is_tensor && value.thing->is_parameter   ? "torch.Tensor torch.nn.Parameter"
         : is_tensor                                ? "torch.Tensor"
                                                    : "";
}

// ---- Strings with values in them --------------------------------------------------------------------

/// One string, or a text with the things in it.
Any Interpreter::joined(const std::vector<Any>& pieces) {
  std::vector<Any> all;
  std::string text;
  const auto add = [&](const Any& piece) {
    const bool is_exact = piece.is(Kind::string) || piece.is(Kind::number) || piece.is(Kind::none);
    text += piece.is(Kind::string)   ? piece.thing->text
            : piece.is(Kind::number) ? number_text_of(piece, "")
            : piece.is(Kind::none)   ? "None"
                                     : "";
    budget_.take(text.size() / 64);
    if (text.size() > longest_text) {
      throw Stopped{"too much memory"};
    }
    if (!is_exact) {
      all.push_back(of_string(std::exchange(text, "")));
      all.push_back(piece);
    }
  };
  for (const Any& piece : pieces) {
    std::ranges::for_each(piece.is(Kind::text) ? piece.thing->items : std::vector{piece}, add);
  }
  if (all.empty()) {
    return of_string(std::move(text));
  }
  all.push_back(of_string(std::move(text)));
  return of_items(Kind::text, std::move(all));
}

Any Interpreter::format(const Expr& expr, Scope& scope) {
  std::vector<Any> pieces;
  for (const Expr& part : expr.parts) {
    const Any value = part.kind == Expr::Kind::string ? of_string(part.text) : of(part.parts[0], scope);
    pieces.push_back(value.is(Kind::number) ? of_string(number_text_of(value, without_leading(part.text, ":")))
                                            : value);
  }
  return joined(pieces);
}

// ---- Printing ---------------------------------------------------------------------------------------

/// What the page's call prints; a function of the library such as map may not run it.
Any Interpreter::print(const Given& given) {
  if (in_library_ || caller_ == nullptr) {
    return {};
  }
  const std::vector<Expr>& parts = caller_->parts;
  std::string label = std::exchange(label_, "");
  for (std::size_t i = 0; i < given.plain.size(); ++i) {
    const bool has_words = i + 1 < parts.size() && parts[i + 1].kind != Expr::Kind::star;
    show(given.plain[i], has_words ? std::string(parts[i + 1].words) : "", label);
  }
  const bool is_only_text = std::ranges::all_of(given.plain, [](const Any& one) { return one.is(Kind::string); });
  label_ = is_only_text ? label : "";
  return {Kind::none};
}

/// A string becomes the label of what is shown next.
void Interpreter::show(const Any& value, const std::string& words, std::string& label) {
  constexpr std::size_t most = 4'000;
  const Level level = budget_.deeper();
  if (ran_.prints.size() >= most) {
    return;
  }
  if (value.is(Kind::string)) {
    const std::string own(text::trimmed(value.thing->text));
    label = own.empty() ? label : own;
    return;
  }
  const auto is_plain = [](const Any& one) { return one.is(Kind::number) || one.is(Kind::string); };
  const bool is_size = value.is(Kind::tuple) && value.thing->is_sizes;
  const bool holds_items = value.holds_items() || value.is(Kind::dictionary);
  const bool is_of_things =
      holds_items && !is_size && !value.thing->is_unsure && !std::ranges::all_of(value.thing->items, is_plain);
  if (value.is(Kind::text) || is_of_things) {
    for (const Any& one : std::vector<Any>(value.thing->items)) {
      is_of_things&& is_plain(one) ? void() : show(one, words, label);
    }
    return;
  }
  ProgramPrint made{place_, std::exchange(label, ""), words};
  made.tensor = value.is(Kind::tensor) ? value.thing->value.tensor : std::nullopt;
  made.size = is_size ? std::optional(Shape()) : std::nullopt;
  for (const Any& one : is_size ? value.thing->items : std::vector<Any>{}) {
    made.size->push_back(whole(one.number));
  }
  made.is_other = value.is_known() && !value.is(Kind::tensor) && !is_size && !(holds_items && value.thing->is_unsure);
  ran_.prints.push_back(std::move(made));
}

// ---- Functions --------------------------------------------------------------------------------------

Any Interpreter::range(const Given& given) {
  const bool are_numbers = std::ranges::all_of(given.plain, [](const Any& one) { return one.is(Kind::number); });
  if (given.plain.empty() || !are_numbers) {
    return {};
  }
  const double first = given.plain.size() > 1 ? given.plain[0].number : 0;
  const double last = given.plain[given.plain.size() > 1 ? 1 : 0].number;
  const double step = given.plain.size() > 2 ? given.plain[2].number : 1;
  const double count = step == 0 ? 0 : std::ceil((last - first) / step);
  if (!(count < most_items)) {
    throw Stopped{"too many steps"};
  }
  std::vector<Any> all;
  budget_.step(1 + static_cast<std::size_t>(std::max(0.0, count)) / 4);
  for (double i = 0; i < count; ++i) {
    all.push_back(of_number(first + i * step, true));
  }
  return of_items(Kind::list, std::move(all));
}

/// our_sorted(keys, items)
Any Interpreter::sorted(const Given& given) {
  const auto keys = items(given.get("keys", 0));
  const auto all = items(given.get("items", 1));
  const Kind kind = !keys || keys->empty() ? Kind::number : (*keys)[0].kind;
  const bool are_alike = keys && all && keys->size() == all->size() &&
                         std::ranges::all_of(*keys, [&](const Any& key) { return key.is(kind); });
  if (!are_alike || (kind != Kind::number && kind != Kind::string)) {
    return {};
  }
  std::vector<std::size_t> places(all->size());
  budget_.step(1 + places.size() * 4);
  std::iota(places.begin(), places.end(), 0U);
  std::ranges::stable_sort(places, [&](std::size_t a, std::size_t b) {
    const Any& x = (*keys)[a];
    const Any& y = (*keys)[b];
    return kind == Kind::number ? x.number < y.number : x.thing->text < y.thing->text;
  });
  std::vector<Any> made;
  std::ranges::for_each(places, [&](std::size_t place) { made.push_back((*all)[place]); });
  return of_items(Kind::list, std::move(made));
}

Any Interpreter::is_instance(const Any& value, const Any& klass) {
  if (!value.is_known() || klass.thing == nullptr) {
    return {};
  }
  const Any* const own = klass.is(Kind::klass) ? &klass : in_library(klass.thing->text);
  const bool has_class = value.is(Kind::object) && value.thing->klass != nullptr;
  const auto bases = has_class ? value.thing->klass->bases : std::vector<Thing*>{};
  return of_truth(own != nullptr && own->is(Kind::klass) ? std::ranges::find(bases, own->thing) != bases.end()
                                                         : is_among(klass.thing->text, types_of(value)));
}

/// setattr, our_got, our_copied and vars
Any Interpreter::attribute_asked(const std::string& name, const Given& given) {
  const Any object = given.get("object", 0);
  const Any own = given.get("name", 1);
  if (name == "vars" && (object.is(Kind::object) || in_library_)) {
    const Any all = of_items(Kind::dictionary, {});
    for (const std::string& key : object.is(Kind::object) ? object.thing->order : std::vector<std::string>{}) {
      put(*all.thing, of_string(key), object.thing->attributes[key]);
    }
    return all;
  }
  if (name == "our_copied") {
    const bool has_parts = object.is(Kind::object);
    budget_.step(has_parts ? object.thing->attributes.size() : 0);
    return has_parts ? Any{.kind = Kind::object, .thing = &made(*object.thing)} : object;
  }
  if (name == "setattr" && own.is(Kind::string)) {
    set_attribute(object, own.thing->text, given.get("value", 2));
    return {Kind::none};
  }
  return own.is(Kind::string) ? attribute(object, own.thing->text) : Any{};
}

/// int(x), float(x), round(x)
Any Interpreter::number_made(const std::string& name, const Given& given) {
  Any x = given.get("x", 0);
  const Any digits = given.get("ndigits", 1);
  if (x.is(Kind::tensor)) {
    x = method("item", {{x}, {}});
  } else if (x.is(Kind::string)) {  // float('-inf')
    const std::string& text = x.thing->text;
    x = is_among(text, "inf -inf") ? of_number(text == "inf" ? HUGE_VAL : -HUGE_VAL) : Any{};
  }
  const double power = std::pow(10, digits.number);
  return !x.is(Kind::number) ? Any{}
         : name == "int"     ? of_number(std::trunc(x.number), true)
         : name == "round"   ? of_number(std::nearbyint(x.number * power) / power, !digits.is_known())
                             : of_number(x.number);
}

/// len, tuple
Any Interpreter::collected(const std::string& name, const Given& given) {
  const Any first = given.get("object", 0);
  if (name == "len" && first.is(Kind::string)) {
    const std::string& text = first.thing->text;
    budget_.step(1 + text.size() / 64);
    const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };  // a character
    return of_number(static_cast<double>(std::ranges::count_if(text, begins)), true);
  }
  if (name == "len" && (first.is(Kind::object) || first.is(Kind::tensor))) {
    const Tensor* const x = first.tensor();
    return first.is(Kind::object)         ? called(attribute(first, "__len__"), {})
           : x != nullptr && x->dim() > 0 ? of_number(static_cast<double>(x->size(0)), true)
                                          : Any{};
  }
  const auto all = given.plain.empty() ? std::optional(std::vector<Any>{}) : items(first);
  return !all ? Any{} : name == "len" ? of_number(static_cast<double>(all->size()), true) : of_items(Kind::tuple, *all);
}

Any Interpreter::builtin(const std::string& name, const Given& given) {
  const Any first = given.get("object", 0);
  const auto is_so = name == "bool" ? truth(first) : std::nullopt;
  const auto pieces = name == "our_joined" ? items(first) : std::nullopt;
  name == "our_parameter" && first.is(Kind::tensor) ? void(first.thing->is_parameter = true) : void();
  name == "our_trained" ? doubt_parameters() : void();
  return is_among(name, "print display")                     ? print(given)
         : is_among(name, "len tuple")                       ? collected(name, given)
         : is_among(name, "setattr our_got our_copied vars") ? attribute_asked(name, given)
         : is_among(name, "int float round")                 ? number_made(name, given)
         : is_among(name, "str repr")                        ? joined({first})
         : name == "range"                                   ? range(given)
         : name == "our_sorted"                              ? sorted(given)
         : name == "our_is"                                  ? is_instance(first, given.get("klass", 1))
         : name == "our_types"                               ? of_string(std::string(types_of(first)))
         : name == "our_drawn"                               ? drawn(given)
         : name == "our_parameter"                           ? first
         : is_so                                             ? of_truth(*is_so)
         : pieces                                            ? joined(*pieces)
                                                             : Any{};
}

Any Interpreter::string_method(const std::string& name, const Given& given) {
  const std::string& text = given.plain[0].thing->text;
  const Any separator = given.get("sep", 1);
  const bool is_at = name == "split" && separator.is(Kind::string);
  budget_.step(1 + text.size() / 64);
  if (!is_at && (!is_ascii(text) || separator.is_known())) {
    return {};
  }
  if (name == "split") {
    const Any parts = of_items(Kind::list, {});
    std::ranges::transform(split(text, is_at ? separator.thing->text : ""), std::back_inserter(parts.thing->items),
                           [&](const std::string& part) { return of_string(part); });
    return parts;
  }
  return name == "lower"   ? of_string(text::lower(text))
         : name == "strip" ? of_string(std::string(text::trimmed(text)))
                           : Any{};
}

// ---- Things -----------------------------------------------------------------------------------------

Thing& Interpreter::made(Thing thing) {
  budget_.take(sizeof(Thing) + thing.text.size() + (thing.items.size() + thing.keys.size()) * sizeof(Any));
  return things_.emplace_back(std::move(thing));
}

Any Interpreter::of_number(double number, bool is_whole) {
  return {.kind = Kind::number, .is_whole = is_whole, .number = number};
}
Any Interpreter::of_truth(bool is_so) {
  return {.kind = Kind::number, .is_whole = true, .is_truth = true, .number = is_so ? 1.0 : 0.0};
}
Any Interpreter::of_string(std::string text) {
  return {.kind = Kind::string, .thing = &made({.text = std::move(text)})};
}
Any Interpreter::of_items(Kind kind, std::vector<Any> items) {
  return {.kind = kind, .thing = &made({.items = std::move(items)})};
}
Any Interpreter::of_path(const std::string& path, Thing* self) {
  Thing*& thing = paths_[path];
  thing = thing == nullptr ? &made({.text = path}) : thing;
  return {.kind = Kind::path, .thing = thing, .self = self};
}

}  // namespace attn::verify
