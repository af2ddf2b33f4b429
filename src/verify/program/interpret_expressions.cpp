#include "tensor/operations.hpp"
#include "text/numbers.hpp"
#include "verify/observed/observed.hpp"
#include "verify/program/interpreter.hpp"

namespace attn::verify {
namespace {

using Kind = Any::Kind;

constexpr std::uint32_t longest_chain = 1'000;  ///< of operations; what depends on more is not known

Value unknown_like(Value x) {
  x.tensor = x.tensor ? std::optional(unknown_of(x.tensor->shape())) : std::nullopt;
  x.depth = 0;
  return x;
}

/// What a tensor is after it is written; of the same shape, or unknown.
void replace(Value& old, Value now) {
  const bool is_fitting = old.tensor && now.tensor && now.tensor->shape() == old.tensor->shape() &&
                          (!old.is_whole || now.is_whole) && now.depth <= longest_chain;
  now.is_numpy = old.is_numpy;
  now.is_whole = old.is_whole;
  old = is_fitting ? std::move(now) : unknown_like(old);
}

}  // namespace

double number_in(const Any& value) {
  const Tensor* const tensor = value.tensor();
  return tensor != nullptr && element_count(tensor->shape()) == 1 ? tensor->value(Shape(tensor->shape().size(), 0))
                                                                  : NAN;
}

Any Interpreter::of_tensor(Value value) {
  budget_.step();
  value = value.depth > longest_chain ? unknown_like(value) : std::move(value);
  if (value.tensor) {
    const auto count = static_cast<std::size_t>(element_count(value.tensor->shape()));
    constexpr std::size_t cells_of_a_step = 512;
    budget_.step(1 + count / cells_of_a_step);
    budget_.take(value.tensor->dtype() == DType::boolean ? 2 * count : 0);
    is_without_grad_ ? value.tensor->set_without_grad() : void();
  }
  return {.kind = Kind::tensor, .thing = &made({.value = std::move(value)})};
}

Any Interpreter::unknown_tensor(const std::optional<Shape>& shape) {
  return of_tensor(shape ? Value(unknown_of(*shape)) : Value{});
}

Value Interpreter::as_value(const Any& any) {
  const Level level = budget_.deeper();
  switch (any.kind) {
    case Kind::number: {
      Value value = any.number;
      value.words = any.is_truth ? (any.number != 0 ? "True" : "False") : "";
      value.is_whole = any.is_whole;
      return value;
    }
    case Kind::tensor: return any.thing->value;
    case Kind::list:
    case Kind::tuple: {
      Value made;
      for (const Any& item : any.thing->is_unsure ? std::vector<Any>{} : any.thing->items) {
        made.items.push_back(as_value(item));
        made.depth = std::max(made.depth, made.items.back().depth);
      }
      return made;
    }
    default: {
      Value value;
      value.words = any.is(Kind::path) ? last_of(any.thing->text) : "";
      return value;
    }
  }
}

Any Interpreter::as_any(Value value, bool is_numpy) {
  if (value.tensor) {
    value.is_numpy = is_numpy;
    return of_tensor(std::move(value));
  }
  if (value.number) {
    return of_number(*value.number, value.is_whole);
  }
  std::vector<Any> all;
  for (Value& item : value.items) {
    item.depth = std::max(item.depth, value.depth);
    item.is_whole = item.is_whole || (value.is_whole && item.tensor);
    all.push_back(as_any(std::move(item), is_numpy));
  }
  const Any made = all.empty() ? Any{} : of_items(Kind::tuple, std::move(all));
  if (value.items.size() == 2) {  // such as torch.topk's
    made.thing->attributes = {{"values", made.thing->items[0]}, {"indices", made.thing->items[1]}};
  }
  return made;
}

void Interpreter::link(const Any& view, const Any& of, const std::vector<Subscript>& subscripts) {
  if (view.is(Kind::tensor) && of.is(Kind::tensor) && view.thing != of.thing) {
    of.thing->views.push_back(view.thing);
    view.thing->viewed = of.thing;
    view.thing->subscripts = subscripts;
  }
}

void Interpreter::write(Thing& tensor, Value value) {
  if (value.number && tensor.value.tensor) {
    const bool is_whole = value.is_whole;
    value = call_of("full_like", {{*tensor.value.tensor, value}, {}});
    value.is_whole = is_whole;
  }
  replace(tensor.value, std::move(value));
  spread(tensor, nullptr);
}

/// What shares its numbers with a tensor that is written changes as well; `from` has been.
void Interpreter::spread(Thing& tensor, const Thing* from) {
  const Level level = budget_.deeper();
  const auto change = [&](Thing& other, const std::vector<Subscript>& subscripts, bool is_base) {
    replace(other.value, is_base              ? put_into(other.value, tensor.value, subscripts)
                         : subscripts.empty() ? Value{}
                                              : subscripted(tensor.value, subscripts));
    spread(other, &tensor);
  };
  for (Thing* const view : std::vector<Thing*>(tensor.views)) {
    view != from ? change(*view, view->subscripts, false) : void();
  }
  tensor.viewed != nullptr&& tensor.viewed != from ? change(*tensor.viewed, tensor.subscripts, true) : void();
}

Any Interpreter::of(const Expr& expr, Scope& scope) {
  const Level level = budget_.deeper();
  const Any value = evaluated(expr, scope);
  expr.kind != Expr::Kind::name ? tell(value, expr.words) : void();
  return value;
}

Any Interpreter::evaluated(const Expr& expr, Scope& scope) {
  using Is = Expr::Kind;
  switch (expr.kind) {
    case Is::name: return variable(expr.text, scope);
    case Is::number: {
      std::string digits = expr.text;
      std::erase(digits, '_');
      const auto number = text::number_of<double>(digits);
      return number ? of_number(*number, digits.find_first_of(".eE") == npos) : Any{};
    }
    case Is::string: return of_string(expr.text);
    case Is::format: return format(expr, scope);
    case Is::attribute: return attribute(of(expr.parts[0], scope), expr.text);
    case Is::call: return call(expr, scope);
    case Is::subscript: return subscript(of(expr.parts[0], scope), expr, scope);
    case Is::unary: return unary(expr, scope);
    case Is::binary: return binary(expr, scope);
    case Is::conditional: {
      const auto is_so = truth(of(expr.parts[1], scope));
      is_so ? void() : (doubt(expr.parts[0], scope), doubt(expr.parts[2], scope));
      return is_so ? of(expr.parts[*is_so ? 0 : 2], scope) : Any{};
    }
    case Is::walrus: assign(expr.parts[0], of(expr.parts[1], scope), scope); return of(expr.parts[0], scope);
    case Is::tuple:
    case Is::list:
    case Is::set:
    case Is::dictionary:
    case Is::comprehension: return display(expr, scope);
    case Is::lambda: return of_function({.body = expr.body, .parameters = expr.parts}, scope);
    default: return {};
  }
}

Any Interpreter::variable(const std::string& name, Scope& scope) {
  for (const Scope* here = &scope; here != nullptr; here = here->around) {
    budget_.step();
    if (const auto one = here->names.find(name); one != here->names.end()) {
      return one->second;
    }
  }
  const auto own = library_->names.find(name);
  const bool is_there = own != library_->names.end() && !name.starts_with("our_");
  return !is_there ? Any{} : own->second.is(Kind::function) ? of_path(name) : own->second;
}

Any Interpreter::unary(const Expr& expr, Scope& scope) {
  const Any one = of(expr.parts[0], scope);
  if (expr.text == "not") {
    const auto is_so = truth(one);
    return is_so ? of_truth(!*is_so) : Any{};
  }
  if (one.is(Kind::number)) {
    return expr.text == "+" ? one : of_number(-one.number - (expr.text == "~" ? 1 : 0), one.is_whole);
  }
  return !one.is(Kind::tensor) || expr.text == "+"
             ? one
             : table(expr.text == "-" ? "neg" : "bitwise_not", {{one}, {}}, one.thing->value.is_numpy);
}

Any Interpreter::binary(const Expr& expr, Scope& scope) {
  const Any a = of(expr.parts[0], scope);
  if (expr.text == "and" || expr.text == "or") {
    const auto is_so = truth(a);
    is_so ? void() : doubt(expr.parts[1], scope);
    return !is_so ? Any{} : *is_so == (expr.text == "or") ? a : of(expr.parts[1], scope);
  }
  const Any b = of(expr.parts[1], scope);
  return is_among(expr.text, "== != <= >= < > in is") ? compared(expr.text, a, b) : operated(expr.text, a, b);
}

Any Interpreter::operated(const std::string& sign, const Any& a, const Any& b) {
  const auto is_text = [](const Any& one) { return one.is(Kind::string) || one.is(Kind::text); };
  if (sign == "+" && is_text(a) && is_text(b)) {
    return joined({a, b});
  }
  if (sign == "%" && a.is(Kind::string)) {
    return called(*in_library("our_formatted"), {{a, b.is(Kind::tuple) ? b : of_items(Kind::tuple, {b})}, {}});
  }
  if (sign == "+" && a.kind == b.kind && a.holds_items()) {
    return called(*in_library("our_added"), {{a, b}, {}});
  }
  for (const auto& [what, times] : {std::pair(a, b), std::pair(b, a)}) {
    if (sign == "*" && times.is(Kind::number) && (what.holds_items() || what.is(Kind::string))) {
      return called(*in_library("our_repeated"), {{what, times}, {}});
    }
  }
  if (a.is(Kind::tensor) || b.is(Kind::tensor)) {
    const auto is_numpy = [](const Any& one) { return one.is(Kind::tensor) && one.thing->value.is_numpy; };
    return table(sign, {{a, b}, {}}, is_numpy(a) || is_numpy(b));
  }
  const bool is_of_truths = a.is_truth && b.is_truth && is_among(sign, "& | ^");
  const bool is_of_bits = is_among(sign, "<< >> & | ^") && !is_of_truths;
  if (!a.is(Kind::number) || !b.is(Kind::number) || is_of_bits || sign == "@") {
    return {};
  }
  const bool are_whole = a.is_whole && b.is_whole;
  Any made =
      of_number(arithmetic(sign, a.number, b.number), are_whole && sign != "/" && (sign != "**" || b.number >= 0));
  made.is_truth = is_of_truths;
  return !are_whole || std::abs(made.number) < 9e15 ? made : Any{};
}

Any Interpreter::compared(const std::string& sign, const Any& a, const Any& b) {
  std::optional<bool> is_so;
  if (sign == "is") {
    const bool is_known = a.is_known() && b.is_known();
    is_so = is_known ? std::optional(a.kind == b.kind && a.thing == b.thing && a.number == b.number) : std::nullopt;
  } else if (sign == "in" && b.is(Kind::string)) {
    is_so = a.is(Kind::string) ? std::optional(b.thing->text.find(a.thing->text) != npos) : std::nullopt;
  } else if (sign == "in") {
    const auto all = items(b);
    is_so = all ? std::optional(false) : std::nullopt;
    for (std::size_t i = 0; is_so == false && i < all->size(); ++i) {
      is_so = same((*all)[i], a);
    }
  } else if (a.is(Kind::number) && b.is(Kind::number)) {
    return of_truth(arithmetic(sign, a.number, b.number) != 0);
  } else if (a.is(Kind::tensor) || b.is(Kind::tensor)) {
    return a.is(Kind::none) || b.is(Kind::none) ? of_truth(sign == "!=") : operated(sign, a, b);
  } else if (sign == "==" || sign == "!=") {
    is_so = same(a, b);
  } else {
    const bool are_strings = a.is(Kind::string) && b.is(Kind::string);
    return are_strings ? of_truth(arithmetic(sign, a.thing->text.compare(b.thing->text), 0) != 0) : Any{};
  }
  return is_so ? of_truth(*is_so == (sign != "!=")) : Any{};
}

std::optional<bool> Interpreter::same(const Any& a, const Any& b) {
  const Level level = budget_.deeper();
  if (!a.is_known() || !b.is_known() || a.is(Kind::tensor) || b.is(Kind::tensor)) {
    return std::nullopt;
  }
  if (a.kind != b.kind || a.is(Kind::number) || a.thing == b.thing) {
    return a.kind == b.kind && a.number == b.number;
  }
  if (!a.is(Kind::list) && !a.is(Kind::tuple)) {
    return a.is(Kind::string) || a.is(Kind::path) ? std::optional(a.thing->text == b.thing->text) : std::nullopt;
  }
  const auto x = items(a);
  const auto y = items(b);
  std::optional<bool> is_so = x && y ? std::optional(x->size() == y->size()) : std::nullopt;
  for (std::size_t i = 0; is_so == true && i < x->size(); ++i) {
    is_so = same((*x)[i], (*y)[i]);
  }
  return is_so;
}

/// [a, *b], {a: b}, or a comprehension.
Any Interpreter::display(const Expr& expr, Scope& scope) {
  const Any made = of_items(expr.kind == Expr::Kind::tuple        ? Kind::tuple
                            : expr.kind == Expr::Kind::set        ? Kind::set
                            : expr.kind == Expr::Kind::dictionary ? Kind::dictionary
                                                                  : Kind::list,
                            {});
  Scope& inner = expr.body.empty() ? scope : scopes_.emplace_back(Scope{{{"yield", made}}, &scope});
  std::ranges::for_each(expr.parts, [&](const Expr& part) { add(made, part, scope); });
  block(expr.body, inner);
  return made.thing->is_unsure ? Any{} : made;
}

/// Adds an item, an entry, or what a star stands for.
void Interpreter::add(const Any& to, const Expr& item, Scope& scope) {
  const bool is_star = item.kind == Expr::Kind::star;
  const bool is_entry = item.kind == Expr::Kind::slice;
  const Any value = of(is_star || is_entry ? item.parts[0] : item, scope);
  if (!is_star) {
    is_entry ? put(*to.thing, value, of(item.parts[1], scope)) : to.thing->items.push_back(value);
    return;
  }
  const auto all = items(value);
  const bool is_known = all && (to.is(Kind::dictionary) == value.is(Kind::dictionary) || item.text == "*");
  to.thing->is_unsure = to.thing->is_unsure || !is_known;
  for (std::size_t i = 0; is_known && i < all->size(); ++i) {
    item.text == "*" ? to.thing->items.push_back((*all)[i]) : put(*to.thing, (*all)[i], value.thing->items[i]);
  }
}

std::optional<std::size_t> Interpreter::place_of(const Any& base, const Any& key) {
  const Thing& own = *base.thing;
  for (std::size_t i = 0; base.is(Kind::dictionary) && i < own.keys.size(); ++i) {
    if (const auto is_so = same(own.keys[i], key); is_so != false) {
      return is_so ? std::optional(i) : std::nullopt;
    }
  }
  const std::size_t size = base.is(Kind::string) ? own.text.size() : own.items.size();
  const double at = key.number + (key.number < 0 ? static_cast<double>(size) : 0);
  const bool is_there = !base.is(Kind::set) && key.is(Kind::number) && at >= 0 && at < static_cast<double>(size);
  return own.is_unsure               ? std::nullopt
         : base.is(Kind::dictionary) ? std::optional(size)
         : is_there                  ? std::optional(static_cast<std::size_t>(at))
                                     : std::nullopt;
}

void Interpreter::put(Thing& dictionary, const Any& key, const Any& item) {
  const auto place = place_of({.kind = Kind::dictionary, .thing = &dictionary}, key);
  if (!place) {
    dictionary.is_unsure = true;
    return;
  }
  if (*place == dictionary.keys.size()) {
    dictionary.keys.push_back(key);
    dictionary.items.emplace_back();
  }
  dictionary.items[*place] = item;
}

std::optional<std::vector<Subscript>> Interpreter::subscripts(const Expr& expr, Scope& scope) {
  std::vector<Subscript> made;
  bool is_known = true;
  const auto number = [&](const Any& value) -> std::optional<double> {
    const double own = value.is(Kind::tensor) ? number_in(value) : value.is(Kind::number) ? value.number : NAN;
    is_known = is_known && (value.is(Kind::none) || !std::isnan(own));
    return value.is(Kind::none) ? std::nullopt : std::optional(own);
  };
  const auto bound = [&](const Expr& one) {
    return one.kind == Expr::Kind::none ? std::nullopt : number(of(one, scope));
  };
  const bool is_tuple = expr.parts[1].kind == Expr::Kind::tuple;
  for (const Expr& one : is_tuple ? std::span(expr.parts[1].parts) : std::span(expr.parts).subspan(1)) {
    if (one.kind == Expr::Kind::slice) {
      const auto begin = bound(one.parts[0]);
      const auto end = bound(one.parts[1]);
      made.push_back({Subscript::Kind::slice, begin, end, bound(one.parts[2]).value_or(1)});
      is_known = is_known && made.back().step >= 1;
      continue;
    }
    const Any item = of(one, scope);
    Value places = as_value(item);
    const auto& tensor = places.tensor;
    if (item.is(Kind::none)) {
      made.push_back({Subscript::Kind::added});
    } else if (item.is(Kind::path) && item.thing->text == "...") {
      made.push_back({Subscript::Kind::rest});
    } else if (tensor ? tensor->dim() == 0 && tensor->dtype() != DType::boolean : places.number && !item.is_truth) {
      made.push_back({Subscript::Kind::item, number(item)});
    } else {
      places = item.is(Kind::list) ? call_of("tensor", {{places}, {}}) : places;
      is_known = is_known && tensor;
      made.push_back({Subscript::Kind::item, {}, {}, 1, tensor});
    }
  }
  return is_known ? std::optional(made) : std::nullopt;
}

Any Interpreter::part(const Any& base, const std::vector<Subscript>& subscripts) {
  constexpr std::size_t most_axes = 64;  // torch's own limit
  const Value& x = base.thing->value;
  const bool is_fitting = x.tensor && subscripts.size() + x.tensor->shape().size() <= most_axes;
  Value made = is_fitting ? subscripted(x, subscripts) : Value{};
  if (!made.tensor) {
    return unknown_tensor();
  }
  const Any result = as_any(std::move(made), x.is_numpy);
  const bool picks = std::ranges::any_of(subscripts, [](const Subscript& one) { return one.places.has_value(); });
  picks ? void() : link(result, base, subscripts);
  return result;
}

Any Interpreter::subscript(const Any& base, const Expr& expr, Scope& scope) {
  if (base.is(Kind::tensor)) {
    const auto all = subscripts(expr, scope);
    return all ? part(base, *all) : unknown_tensor();
  }
  if (base.thing == nullptr || expr.parts.size() != 2) {
    return {};
  }
  if (expr.parts[1].kind == Expr::Kind::slice) {
    return slice_of(base, expr, scope);
  }
  const Any key = of(expr.parts[1], scope);
  if (base.is(Kind::object)) {
    const Any own = attribute(base, "__getitem__");
    return own.is_known() ? called(own, {{key}, {}}) : Any{};
  }
  const auto place = place_of(base, key);
  if (base.is(Kind::string)) {
    budget_.step(base.thing->text.size() / 64);
    return place && is_ascii(base.thing->text) ? of_string(base.thing->text.substr(*place, 1)) : Any{};
  }
  return place && *place < base.thing->items.size() ? base.thing->items[*place] : Any{};
}

/// A part of a list, a tuple or a string.
Any Interpreter::slice_of(const Any& base, const Expr& expr, Scope& scope) {
  const auto slice = subscripts(expr, scope);
  const bool is_fitting = base.is(Kind::string) || base.is(Kind::list) || base.is(Kind::tuple);
  const auto all = slice && is_fitting ? items(base) : std::nullopt;
  const Range range = all ? range_of((*slice)[0], std::ssize(*all)) : Range{0, 0, 1};
  std::vector<Any> taken;
  for (std::int64_t i = range.begin; i < range.end; i += range.step) {
    taken.push_back((*all)[static_cast<std::size_t>(i)]);
  }
  const Any made = !all ? Any{} : base.is(Kind::string) ? joined(taken) : of_items(base.kind, std::move(taken));
  all ? void(made.thing->is_sizes = base.thing->is_sizes) : void();
  return made;
}

std::optional<bool> Interpreter::truth(const Any& value) {
  const double number = value.is(Kind::tensor) ? number_in(value) : value.number;
  const bool has_items = value.holds_items() || value.is(Kind::dictionary);
  const bool is_unsure = std::isnan(number) || (has_items && value.thing->is_unsure);
  if (!value.is_known() || value.is(Kind::path) || value.is(Kind::text) || is_unsure) {
    return std::nullopt;
  }
  return has_items                ? !value.thing->items.empty()
         : value.is(Kind::string) ? !value.thing->text.empty()
                                  : number != 0 || value.kind >= Kind::function;
}

std::optional<std::vector<Any>> Interpreter::items(const Any& value) {
  if (value.holds_items() || value.is(Kind::dictionary)) {
    budget_.step(1 + value.thing->items.size() / 8);
    return value.thing->is_unsure       ? std::nullopt
           : value.is(Kind::dictionary) ? std::optional(value.thing->keys)
                                        : std::optional(value.thing->items);
  }
  if (value.is(Kind::object)) {
    const Any own = attribute(value, "__iter__");
    const Any all = own.is_known() ? called(own, {}) : Any{};
    return all.holds_items() ? items(all) : std::nullopt;
  }
  std::vector<Any> made;
  if (value.is(Kind::string)) {
    const std::string text = is_ascii(value.thing->text) ? value.thing->text : "";
    std::ranges::for_each(text, [&](char c) { made.push_back(of_string({c})); });
    return text == value.thing->text ? std::optional(std::move(made)) : std::nullopt;
  }
  constexpr std::int64_t most = 4'096;
  const Tensor* const tensor = value.tensor();
  if (tensor == nullptr || tensor->dim() == 0 || tensor->size(0) > most) {
    return std::nullopt;
  }
  for (std::int64_t i = 0; i < tensor->size(0); ++i) {
    made.push_back(part(value, {{Subscript::Kind::item, static_cast<double>(i)}}));
  }
  return made;
}

}  // namespace attn::verify
