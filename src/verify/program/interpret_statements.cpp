#include <exception>

#include "tensor/operations.hpp"
#include "text/utf8.hpp"
#include "verify/program/interpreter.hpp"

namespace attn::verify {
namespace {

using Kind = Any::Kind;

/// Functions that draw nothing and change nothing that a tensor depends on.
constexpr std::string_view harmless_functions =
    "print display len range str format int float isinstance exit join item size view mean sum max min "
    "softmax exp sqrt matmul transpose append get items keys values Path exists split strip tensor list "
    "zip enumerate set_title imshow plot show figure subplots savefig write flush hasattr getattr is_available";

/// Methods whose result a program may throw away by mistake, as if they changed their tensor.
constexpr std::string_view giving_another = "masked_fill softmax tril triu";

/// Returns true if one of those words begins one of the statements, outside of functions.
bool holds_word(std::span<const Stmt> statements, std::string_view words) {
  return std::ranges::any_of(statements, [&](const Stmt& one) {
    return one.word != "def" &&
           (is_among(one.word, words) || holds_word(one.body, words) || holds_word(one.otherwise, words));
  });
}

}  // namespace

Ran run_program(const Page& page, const RunWith& with) {
  const Program program = parse(page.listing());
  return Interpreter(with).run(program);
}

Ran Interpreter::run(const Program& program) {
  static const Program library = parse(library_program());
  library_->names = {{"True", of_truth(true)},
                     {"False", of_truth(false)},
                     {"None", {Kind::none}},
                     {"...", of_path("...")},
                     {"__name__", of_string("__main__")}};
  ran_.has_program = !program.statements.empty();
  std::string reason;
  try {
    in_library_ = true;
    block(library.statements, *library_);
    for (const Stmt& one : program.statements) {
      in_library_ = false;
      is_without_grad_ = false;
      caller_ = nullptr;
      place_ = one.place;
      here_ = &one;
      try {
        statement(one, *globals_);
      } catch (const std::exception&) {  // the program, or its cell, ends here
        doubt({&one, 1}, *globals_);
      }
    }
  } catch (const std::exception&) {
    reason = "it raises an exception";
  } catch (const Stopped& stopped) {
    reason = stopped.reason;
  }
  if (!reason.empty()) {
    const std::string cell = place_.cell > 0 ? "cell " + std::to_string(place_.number) + ", " : "";
    ran_.notes.push_back("the program is not followed beyond " + cell + "line " + std::to_string(place_.line) + ": " +
                         reason);
  }
  budget_ = {};
  std::ranges::for_each(globals_->names, [this](const auto& one) { name_draws(one.second, one.first, 0); });
  return std::move(ran_);
}

Interpreter::Ends Interpreter::block(std::span<const Stmt> statements, Scope& scope) {
  for (const Stmt& one : statements) {
    if (const Ends ends = statement(one, scope); ends != Ends::no) {
      return ends;
    }
  }
  return Ends::no;
}

Interpreter::Ends Interpreter::statement(const Stmt& one, Scope& scope) {
  const Level level = budget_.deeper();
  here_ = in_library_ || one.words.empty() ? here_ : &one;
  const std::string& word = one.word;
  if (word.empty()) {
    stand_alone(one, scope);
  } else if (word == "=") {
    const Any value = of(one.exprs.back(), scope);
    std::for_each(one.exprs.begin(), one.exprs.end() - 1, [&](const Expr& target) { assign(target, value, scope); });
  } else if (word.ends_with('=')) {
    augment(one, scope);
  } else if (word == "return") {
    result_ = of(one.exprs[0], scope);
    return Ends::returned;
  } else if (word == "yield") {
    const Any all = variable("yield", scope);
    if (!all.holds_items() && !all.is(Kind::dictionary)) {  // a function's
      result_ = {};
      return Ends::returned;
    }
    add(all, one.exprs[0], scope);
  } else if (word == "import") {
    std::ranges::for_each(one.exprs, [&](const Expr& own) { scope.names[own.text] = of_path(own.parts[0].text); });
  } else if (word == "def") {
    define(one, scope);
  } else if (word == "class") {
    define_class(one, scope);
  } else if (word == "del") {
    doubt({&one, 1}, scope);
  } else if (word == "raise") {
    throw std::exception();
  } else if (is_among(word, "unread global nonlocal")) {
    throw Stopped{word == "unread" ? one.name : "it changes variables of another function"};
  } else if (word == "try") {
    Ends ends = block(one.body, scope);
    for (const Stmt& clause : one.otherwise) {
      ends = ends == Ends::no && clause.word != "except" ? block(clause.body, scope) : ends;
    }
    return ends;
  } else if (word == "with") {
    const bool is_without = one.words.find("no_grad") != npos || one.words.find("inference_mode") != npos;
    const bool was = std::exchange(is_without_grad_, is_without_grad_ || is_without);
    std::ranges::for_each(one.exprs, [&](const Expr& expr) { of(expr, scope); });
    const Ends ends = block(one.body, scope);
    is_without_grad_ = was;
    return ends;
  } else {
    return word == "if"                       ? chosen(one, scope)
           : word == "for" || word == "while" ? loop(one, scope)
           : word == "break"                  ? Ends::broken
           : word == "continue"               ? Ends::continued
                                              : Ends::no;
  }
  return Ends::no;
}

Interpreter::Ends Interpreter::loop(const Stmt& one, Scope& scope) {
  const bool is_for = one.word == "for";
  const auto all = is_for ? items(of(one.exprs[1], scope)) : std::nullopt;
  for (std::size_t turn = 0;; ++turn) {
    budget_.step();
    const auto goes_on = !is_for ? truth(of(one.exprs[0], scope))
                         : all   ? std::optional(turn < all->size())
                                 : std::nullopt;
    if (goes_on == false) {
      return one.otherwise.empty() ? Ends::no : block(one.otherwise[0].body, scope);
    }
    is_for ? assign(one.exprs[0], goes_on ? (*all)[turn] : Any{}, scope) : void();
    const Ends ends = goes_on ? block(one.body, scope) : Ends::unsure;
    if (ends == Ends::unsure) {
      doubt(one.body, scope);
      return holds_word(one.body, "return") ? Ends::unsure : Ends::no;
    }
    if (ends == Ends::returned || ends == Ends::broken) {
      return ends == Ends::broken ? Ends::no : ends;
    }
  }
}

Interpreter::Ends Interpreter::chosen(const Stmt& one, Scope& scope) {
  const Stmt* branch = &one;
  for (std::size_t next = 0;; ++next) {
    const auto is_so = branch->exprs.empty() ? std::optional(true) : truth(of(branch->exprs[0], scope));
    if (!is_so) {
      doubt({&one, 1}, scope);
      return holds_word({&one, 1}, "return break continue") ? Ends::unsure : Ends::no;
    }
    if (*is_so || next == one.otherwise.size()) {
      return *is_so ? block(branch->body, scope) : Ends::no;
    }
    branch = &one.otherwise[next];
  }
}

/// A function from its parameters and its body.
Any Interpreter::of_function(Thing function, Scope& scope) {
  function.around = &scope;
  function.is_library = in_library_;
  for (const Expr& one : function.parameters) {
    function.items.push_back(one.kind == Expr::Kind::keyword ? of(one.parts[0], scope) : Any{});
  }
  return {.kind = Kind::function, .thing = &made(std::move(function))};
}

void Interpreter::define(const Stmt& one, Scope& scope) {
  Any value = of_function({.text = one.name, .body = one.body, .parameters = one.exprs}, scope);
  Thing& function = *value.thing;
  for (const Expr& decorator : one.decorators) {
    const Any by = of(decorator, scope);
    function.is_static = function.is_static || decorator.text == "staticmethod";
    value = is_among(decorator.text, "classmethod property cached_property setter") ? Any{}
            : by.is(Kind::function)                                                 ? called(by, {{value}, {}})
                                                                                    : value;
  }
  scope.names[one.name] = value;
}

void Interpreter::define_class(const Stmt& one, Scope& scope) {
  Thing& klass = made({.text = one.name, .around = &scope});
  klass.bases.push_back(&klass);
  for (const Expr& expr : one.exprs) {
    const Any base = of(expr, scope);
    const Any* const own = base.is(Kind::path) ? in_library(base.thing->text) : &base;
    for (Thing* next : own != nullptr && own->is(Kind::klass) ? own->thing->bases : std::vector<Thing*>{}) {
      budget_.step(1 + klass.bases.size() / 8);
      std::ranges::find(klass.bases, next) == klass.bases.end() ? klass.bases.push_back(next) : void();
    }
  }
  Scope& inner = scopes_.emplace_back(Scope{{}, &scope});
  block(one.body, inner);
  klass.attributes = inner.names;
  for (auto& [name, attribute] : klass.attributes) {
    if (attribute.is(Kind::function) && attribute.thing->klass == nullptr) {
      attribute.thing->klass = &klass;
      attribute.thing->around = attribute.thing->around == &inner ? &scope : attribute.thing->around;
    }
  }
  for (const Stmt& field : one.body) {  // of a dataclass
    const bool is_field = is_among(field.word, "= :");
    is_field&& field.exprs[0].kind == Expr::Kind::name ? klass.order.push_back(field.exprs[0].text) : void();
  }
  scope.names[one.name] = {.kind = Kind::klass, .thing = &klass};
}

void Interpreter::assign(const Expr& target, const Any& value, Scope& scope) {
  switch (target.kind) {
    case Expr::Kind::name: name(value, target.text, scope); break;
    case Expr::Kind::attribute: set_attribute(of(target.parts[0], scope), target.text, value); break;
    case Expr::Kind::subscript: assign_item(target, value, scope); break;
    case Expr::Kind::star: assign(target.parts[0], {}, scope); break;
    case Expr::Kind::tuple:
    case Expr::Kind::list: {
      const auto all = items(value);
      const bool is_fitting = all && all->size() == target.parts.size();
      for (std::size_t i = 0; i < target.parts.size(); ++i) {
        assign(target.parts[i], is_fitting ? (*all)[i] : Any{}, scope);
      }
      break;
    }
    default: break;
  }
}

void Interpreter::name(const Any& value, const std::string& name, Scope& scope) {
  scope.names[name] = value;
  if (const Tensor* const tensor = value.tensor(); tensor != nullptr && !in_library_) {
    tell(value, here_ != nullptr && here_->word == "=" ? here_->exprs.back().words : std::string_view(name), name);
  }
}

/// Takes note of what the program computes; a variable's name is added to what has just been computed.
void Interpreter::tell(const Any& value, std::string_view words, const std::string& name) {
  constexpr std::size_t most = 20'000;
  const Tensor* const tensor = value.tensor();
  if (tensor == nullptr || here_ == nullptr || (in_library_ && draws_.contains(tensor->id()))) {
    return;
  }
  words = in_library_ && caller_ != nullptr ? caller_->words : words;
  const auto latest = std::span(ran_.computed).last(std::min<std::size_t>(ran_.computed.size(), 8));
  const auto known = std::ranges::find(latest, tensor->id(), [](const Computed& one) { return one.tensor.id(); });
  if (known != latest.end()) {
    known->name = known->name.empty() ? name : known->name;
  } else if (ran_.computed.size() < most) {
    ran_.computed.push_back({*tensor, here_->place, std::string(words), name});
  }
}

void Interpreter::set_attribute(const Any& base, const std::string& name, const Any& value) {
  if (base.is(Kind::tensor) && name == "data") {
    write(*base.thing, as_value(value));
  }
  if (!base.is(Kind::object) && !base.is(Kind::klass)) {
    return;
  }
  Thing& thing = *base.thing;
  thing.attributes.contains(name) || name == "training" ? void() : thing.order.push_back(name);
  thing.attributes[name] = value;
}

void Interpreter::assign_item(const Expr& target, const Any& value, Scope& scope) {
  const Any base = of(target.parts[0], scope);
  if (base.is(Kind::tensor)) {
    const auto all = subscripts(target, scope);
    const Value x = base.thing->value;
    const Value y = as_value(value);
    const bool fits = !x.is_whole || y.is_whole || (y.number && std::floor(*y.number) == *y.number);
    write(*base.thing, all && fits ? put_into(x, y, *all) : Value{});
    tell(base, target.words);
    return;
  }
  const Any key = of(target.parts[1], scope);
  if (base.is(Kind::dictionary)) {
    put(*base.thing, key, value);
  } else if (base.thing != nullptr) {
    const auto place = base.is(Kind::list) ? place_of(base, key) : std::nullopt;
    place ? void(base.thing->items[*place] = value) : forget(base);
  }
}

void Interpreter::augment(const Stmt& one, Scope& scope) {
  const Expr& target = one.exprs[0];
  const Any old = of(target, scope);
  const Any by = of(one.exprs[1], scope);
  if (old.is(Kind::list) && one.word == "+=") {
    method("extend", {{old, by}, {}});
    return;
  }
  const Any after = operated(one.word.substr(0, one.word.size() - 1), old, by);
  if (!old.is(Kind::tensor)) {
    assign(target, after, scope);
    return;
  }
  write(*old.thing, after.is(Kind::tensor) ? after.thing->value : Value{});
  tell(old, target.words);
  target.kind == Expr::Kind::subscript ? assign_item(target, old, scope) : void();
}

/// An expression alone in its line: a call for what it does, or what a cell ends with.
void Interpreter::stand_alone(const Stmt& one, Scope& scope) {
  const Expr& expr = one.exprs[0];
  const std::size_t printed = ran_.prints.size();
  const Any value = of(expr, scope);
  const bool is_shown = one.is_shown && &scope == globals_;
  if (is_shown && !value.is(Kind::none) && printed == ran_.prints.size() && expr.kind != Expr::Kind::string) {
    std::string label = std::exchange(label_, "");
    show(value, std::string(expr.words), label);
  } else if (expr.kind == Expr::Kind::call && !in_library_ && !is_shown && value.tensor() != nullptr) {
    note_discarded(one, value, scope);
  }
}

void Interpreter::note_discarded(const Stmt& one, const Any& value, Scope& scope) {
  constexpr std::size_t most = 200;
  const Expr& callee = one.exprs[0].parts[0];
  const bool is_method = callee.kind == Expr::Kind::attribute && is_among(callee.text, giving_another);
  const Any of = is_method && is_path(callee.parts[0].words) ? this->of(callee.parts[0], scope) : Any{};
  if (of.tensor() != nullptr && ran_.discarded.size() < most) {
    ran_.discarded.push_back({one.place, std::string(one.words), callee.text, std::string(callee.parts[0].words),
                              *of.tensor(), *value.tensor()});
  }
}

void Interpreter::doubt_draws() {
  std::ranges::for_each(generators_, [](auto& one) { one.second.generator = {}; });
}

/// After a step of an optimizer.
void Interpreter::doubt_parameters() {
  budget_.step(things_.size() / 64);
  for (Thing& one : things_) {
    one.is_parameter ? write(one, {}) : void();
  }
}

/// Of what it holds nothing is known any more.
void Interpreter::forget(const Any& value) {
  if (value.is(Kind::tensor)) {
    write(*value.thing, {});
  } else if (value.thing != nullptr) {
    value.thing->is_unsure = value.holds_items() || value.is(Kind::dictionary);
    value.is(Kind::object) ? value.thing->attributes.clear() : void();
  }
}

/// What statements may change is no longer known.
void Interpreter::doubt(std::span<const Stmt> statements, Scope& scope) {
  const Level level = budget_.deeper();
  for (const Stmt& one : statements) {
    budget_.step();
    here_ = one.words.empty() ? here_ : &one;
    one.word == "yield" ? forget(variable("yield", scope)) : void();
    if (is_among(one.word, "def class")) {
      scope.names[one.name] = {};
      continue;
    }
    one.word == "import" ? void(statement(one, scope)) : void();
    const bool is_augmented = one.word.ends_with('=') && one.word != "=";
    const bool has_target = is_augmented || is_among(one.word, "for del");
    std::ranges::for_each(one.exprs, [&](const Expr& expr) { doubt(expr, scope); });
    for (const Expr& target : std::span(one.exprs).first(one.word == "=" ? one.exprs.size() - 1 : has_target ? 1 : 0)) {
      const bool is_part = target.kind == Expr::Kind::subscript;
      is_augmented ? forget(of(target, scope)) : void();
      is_part ? forget(of(target.parts[0], scope)) : assign(target, {}, scope);
    }
    doubt(one.body, scope);
    doubt(one.otherwise, scope);
  }
}

void Interpreter::doubt(const Expr& expr, Scope& scope) {
  const Level level = budget_.deeper();
  if (expr.kind == Expr::Kind::call) {
    const Expr& callee = expr.parts[0];
    const bool is_method = callee.kind == Expr::Kind::attribute;
    const bool changes = callee.text.ends_with('_') ||
                         is_among(callee.text, "append extend insert pop update clear remove sort reverse");
    is_among(callee.text, harmless_functions) ? void() : doubt_draws();
    is_method&& callee.text == "step" ? doubt_parameters() : void();
    is_method&& changes ? forget(of(callee.parts[0], scope)) : void();
    const bool prints = !is_method && &scope == globals_ && is_among(callee.text, "print display");
    for (const Expr& part : std::span(expr.parts).subspan(prints ? 1 : expr.parts.size())) {
      const bool is_printed = part.kind != Expr::Kind::keyword && part.kind != Expr::Kind::string;
      is_printed ? ran_.prints.push_back({place_, "", std::string(part.words), {}, {}, false, false}) : void();
    }
  }
  expr.kind == Expr::Kind::walrus ? assign(expr.parts[0], {}, scope) : void();
  std::ranges::for_each(expr.parts, [&](const Expr& part) { doubt(part, scope); });
}

/// Draws have the names of the variables and attributes that hold them.
void Interpreter::name_draws(const Any& value, const std::string& path, std::size_t depth) {
  constexpr std::size_t deepest = 8;
  if (depth > deepest || value.thing == nullptr || budget_.steps < 2) {
    return;
  }
  budget_.step();
  const auto drawn = value.tensor() != nullptr ? draws_.find(data_of(*value.tensor()).id()) : draws_.end();
  if (drawn != draws_.end() && ran_.draws[drawn->second].name.empty()) {
    ran_.draws[drawn->second].name = path;
  }
  for (const std::string& name : value.thing->order) {
    const bool is_item = !name.empty() && text::is_digit(name[0]);  // of a ModuleList
    name_draws(value.thing->attributes[name], path + (is_item ? "[" + name + "]" : "." + name), depth + 1);
  }
  for (std::size_t i = 0; value.holds_items() && i < value.thing->items.size(); ++i) {
    name_draws(value.thing->items[i], path + "[" + std::to_string(i) + "]", depth + 1);
  }
}

}  // namespace attn::verify
