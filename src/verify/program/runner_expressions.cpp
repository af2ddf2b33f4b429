#include <algorithm>
#include <utility>

#include "text/lines.hpp"
#include "text/numbers.hpp"
#include "verify/program/listing.hpp"
#include "verify/program/runner.hpp"
#include "verify/read/pieces.hpp"
#include "verify/read/statements.hpp"

namespace attn::verify {
namespace {

constexpr std::size_t deepest = 16;  ///< nesting depth of calls
constexpr std::string_view module_of_dropout = "nn.Dropout(";

/// The probability of a module "nn.Dropout(0.2)"; empty if the text is none.
std::optional<double> dropped_by(std::string_view module) {
  return module.starts_with(module_of_dropout) && module.ends_with(')')
             ? text::number_of<double>(
                   module.substr(module_of_dropout.size(), module.size() - module_of_dropout.size() - 1))
             : std::nullopt;
}

}  // namespace

// ---- Expressions

Value Runner::value(std::string_view text) const {
  std::string whole(text);
  const std::string_view self = "self.";
  for (std::size_t at = whole.find(self); at != npos && !self_.empty(); at = whole.find(self, at + 1)) {
    if (at == 0 || (!is_name_part(whole[at - 1]) && whole[at - 1] != '.')) {
      whole.replace(at, self.size() - 1, self_);
    }
  }
  return listed_.value(whole, listed_.written().size(), trace_.scope());
}

std::optional<Tensor> Runner::drawn(std::string_view name) const {
  constexpr std::string_view beginning = "our_draw_";
  const std::string_view rest = name.starts_with(beginning) ? name.substr(beginning.size()) : std::string_view();
  const std::size_t dot = std::min(rest.find('.'), rest.size());
  const auto place = text::number_of<std::size_t>(rest.substr(0, dot));
  if (!place || *place >= calls_.size()) {
    return std::nullopt;
  }
  using Kind = DrawCall::Kind;
  const DrawCall& call = calls_[*place];
  const bool is_layer = call.kind == Kind::linear || call.kind == Kind::embedding;
  const bool is_it = is_layer ? rest.substr(dot) == ".weight" || (rest.substr(dot) == ".bias" && call.has_bias)
                              : dot == rest.size() && call.kind != Kind::seed && call.kind != Kind::unread;
  return is_it ? std::optional(unknown_of(rest.ends_with(".bias") ? Shape{call.shape[0]} : call.shape,
                                          call.kind == Kind::integers))
               : std::nullopt;
}

std::optional<DrawCall> Runner::drawing_call_of(std::string_view path, std::string_view inside) const {
  return drawing_call(path, inside, imports_, generators_, [this](std::string_view text) { return value(text); });
}

std::optional<std::string> Runner::conditional(std::string_view text) {
  const std::size_t yes = find_outside(text, " if ");
  const std::size_t no = yes == npos ? npos : find_outside(text, " else ");
  if (no == npos || no < yes || find_outside(text, ",") != npos) {
    return std::nullopt;
  }
  const std::string_view value = assignment_of(text).value;  // of a named argument
  const std::size_t begin = value.empty() ? 0 : static_cast<std::size_t>(value.data() - text.data());
  const auto truth = truth_of(text::trimmed(text.substr(yes + 4, no - yes - 4)));
  if (!truth) {
    may_draw(text) ? add_unread() : void();
    return "our_unknown";
  }
  const std::string_view chosen = *truth ? text.substr(begin, yes - begin) : text.substr(no + 6);
  return std::string(text.substr(0, begin)) + "(" + scan(text::trimmed(chosen)) + ")";
}

std::string Runner::take_items(std::string_view path, std::string_view text, std::size_t& at) const {
  std::string whole(path);
  std::size_t behind = at;
  for (std::size_t close = at; behind < text.size() && text[behind] == '['; behind = close + 1) {
    close = closing_bracket(text, behind);
    const std::string_view bracket = close == npos ? std::string_view() : text.substr(behind, close + 1 - behind);
    const std::string item = bracket.empty() ? "" : item_of(whole, bracket);
    const std::string_view rest = close == npos ? "" : leading_path(text.substr(close + 1));
    const std::size_t next = close + 1 + rest.size();
    const bool is_meant = !rest.empty() || text.substr(std::min(next, text.size())).starts_with('(');
    if (!is_path(item) || !is_meant) {
      break;
    }
    whole = item + std::string(rest);
    at = next;
    close = next - 1;
  }
  return whole;
}

std::string Runner::item_of(const std::string& whole, std::string_view bracket) const {
  const auto object = objects_.find(followed(full_name(whole)));
  if (object != objects_.end() && object->second == "torch.nn.ModuleDict") {
    return object->first + "." + value(bracket.substr(1, bracket.size() - 2)).string.value_or("");
  }
  return value(whole + std::string(bracket)).text;
}

std::string Runner::scan(std::string_view text) {
  if (const auto chosen = conditional(text)) {
    return *chosen;
  }
  std::string made;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      const std::size_t end = string_end(text, at);
      made += text.substr(at, end - at);
      at = end;
    } else if (c == '[' || c == '(' || c == '{') {
      const std::size_t close = closing_bracket(text, at);
      const std::string_view inside = close == npos ? std::string_view() : text.substr(at + 1, close - at - 1);
      const auto items = comprehension(inside, c);
      const auto chosen = items ? std::nullopt : conditional(inside);
      made += items ? *items : chosen ? c + *chosen + text[close] : std::string(1, c);
      at = items || chosen ? close + 1 : at + 1;
    } else if (!is_name_part(c) && c != '.') {
      made += c;
      ++at;
    } else {
      const std::string_view written = leading_path(text.substr(at));
      at += written.size();
      if (const auto inherited = written == "super" ? inherited_call(text, at) : std::nullopt) {
        made += *inherited;
        continue;
      }
      const std::string path = take_items(written, text, at);
      std::string value = full_name(path);
      std::string function = path;
      while (at < text.size()) {
        if (text[at] == '.' && objects_.contains(function)) {  // Model().to(device)
          const std::string_view rest = leading_path(text.substr(at));
          at += rest.size();
          value = function += rest;
          continue;
        }
        // Attention(3, 2)(x) calls what the first call made
        const std::size_t close = text[at] == '(' ? closing_bracket(text, at) : npos;
        auto called = close == npos ? std::nullopt : call(function, text.substr(at + 1, close - at - 1), "");
        if (!called) {
          break;
        }
        at = close + 1;
        value = function = std::move(*called);
        if (!objects_.contains(function) && !dropped_by(function)) {
          break;
        }
      }
      made += value;
    }
  }
  return made;
}

std::optional<std::string> Runner::inherited_call(std::string_view text, std::size_t& at) {
  const std::size_t close = at < text.size() && text[at] == '(' ? closing_bracket(text, at) : npos;
  const std::string_view path = close == npos ? std::string_view() : leading_path(text.substr(close + 1));
  const std::size_t open = close + 1 + path.size();
  const std::size_t end =
      path.size() > 1 && open < text.size() && text[open] == '(' ? closing_bracket(text, open) : npos;
  const Function* method = end == npos ? nullptr : functions_.inherited(class_, path.substr(1));
  if (method == nullptr || depth_ >= deepest) {
    return std::nullopt;
  }
  const std::string_view inside = text.substr(open + 1, end - open - 1);
  at = end + 1;
  return run_function(Function(*method), path.substr(1), inside, self_);
}

std::string Runner::followed(std::string name) const {
  constexpr int most_names = 16;
  std::size_t before = listed_.written().size();
  std::size_t scope = trace_.scope();
  for (int turn = 0; turn < most_names; ++turn) {
    const auto at = listed_.assigned(name, before, scope);
    if (!at || !is_path(listed_.written()[*at].value)) {
      break;
    }
    name = listed_.written()[*at].value;
    before = *at;
    scope = listed_.written()[*at].in;
  }
  return name;
}

std::string Runner::passed(std::string_view inside) {
  std::string made;
  const auto add = [&](std::string_view name, const std::string& value) {
    const std::string known = is_path(value) ? followed(value) : "";
    const bool is_itself = is_among(known, "None True False");
    made.append(made.empty() ? "" : ", ").append(name).append(name.empty() ? "" : "=");
    made.append(is_itself ? known : value);
  };
  for (const std::string_view part : split_outside(inside, ',')) {
    const std::size_t stars = std::min(part.find_first_not_of('*'), part.size());
    if (stars == 0) {
      const Assignment given = assignment_of(part);
      add(given.value.empty() ? "" : given.targets.front(), std::string(given.value.empty() ? part : given.value));
      continue;
    }
    const std::string holder =
        is_path(part.substr(stars)) ? std::string(part.substr(stars)) : trace_.item(part.substr(stars));
    const Value all = value(holder);
    const bool is_dictionary = stars == 2 && all.kind == Value::Kind::dictionary;
    if (!all.is_known()) {
      add("", "our_unknown");
    }
    for (std::size_t k = 0; k < all.items.size(); ++k) {
      const std::string key = is_dictionary ? all.keys[k].string.value_or("") : "";
      const std::string& text = all.items[k].text;
      const std::string item = holder + "[" + (is_dictionary ? "'" + key + "'" : std::to_string(k)) + "]";
      add(key, is_ours(text) || is_among(text, "None True False") || is_quoted(text) ? text : item);
    }
  }
  return made;
}

std::string Runner::with_functions(std::string_view inside) {
  constexpr std::string_view lambda = "lambda";
  std::string made;
  std::string function;
  const auto add = [&](std::string_view argument) { made.append(made.empty() ? "" : ", ").append(argument); };
  for (const std::string_view part : split_outside(inside, ',')) {
    const Assignment given = assignment_of(part);
    const bool is_named = !given.value.empty() && given.value.starts_with(lambda);
    if (function.empty() && !is_named && !part.starts_with(lambda)) {
      add(part);
      continue;
    }
    function.append(function.empty() ? "" : ", ").append(part);  // "lambda q, k: q @ k" has a comma of its own
    const std::size_t begin = function.find(lambda);
    const std::size_t colon = find_outside(std::string_view(function).substr(begin), ":");
    if (colon != npos) {
      const std::string name = trace_.new_name("function");
      const std::string_view parameters = std::string_view(function).substr(begin, colon + 1);
      const std::string body = captured(std::string_view(function).substr(begin + colon + 1), parameters);
      functions_.define_lambda(name, std::string(parameters) + body);
      add(function.substr(0, begin) + name);
      function.clear();
    }
  }
  return made;
}

std::string Runner::captured(std::string_view body, std::string_view parameters) {
  std::string made;
  std::map<std::string, std::string, std::less<>> names;
  const std::vector<std::string_view> own = arguments_of(parameters.substr(6, parameters.size() - 7)).plain;
  for (std::size_t at = 0; at < body.size();) {
    if (body[at] == '"' || body[at] == '\'') {
      const std::size_t end = string_end(body, at);
      made += body.substr(at, end - at);
      at = end;
      continue;
    }
    const std::string_view path = is_name_part(body[at]) ? leading_path(body.substr(at)) : std::string_view();
    const std::string_view name = leading_name(path);
    const std::string_view rest = without_indent(body.substr(at + path.size()));
    const bool is_keyword = path == name && rest.starts_with('=') && !rest.starts_with("==");
    const bool is_own = std::ranges::find(own, name) != own.end();
    if (path.empty() || is_keyword || is_own || (at > 0 && body[at - 1] == '.')) {
      made += body.substr(at, std::max<std::size_t>(path.size(), 1));
    } else if (name == "self") {
      made += full_name(path);
    } else if (trace_.scope() > 0 && listed_.assigned(name, listed_.written().size(), trace_.scope())) {
      std::string& item = names[std::string(name)];
      item = item.empty() ? trace_.item(name) : item;
      made.append(item).append(path.substr(name.size()));
    } else {
      made += path;
    }
    at += std::max<std::size_t>(path.size(), 1);
  }
  return made;
}

std::string Runner::settled(std::string_view made) {
  const Value known = value(made);
  const auto size = whole_in(known);
  return known.string ? written(string_of(*known.string)) : size ? std::to_string(*size) : trace_.item(made);
}

std::optional<std::string> Runner::comprehension(std::string_view inside, char bracket) {
  const std::size_t loop = find_outside(inside, " for ");
  const std::size_t in = loop == npos ? npos : find_outside(inside.substr(loop), " in ");
  if (in == npos) {
    return std::nullopt;
  }
  const auto items = items_of(inside.substr(loop + in + 4));
  if (!items) {
    may_draw(inside) ? add_unread() : void();
    return "our_unknown";
  }
  const std::string_view each = inside.substr(0, loop);
  const std::size_t colon = bracket == '{' ? find_outside(each, ":") : npos;
  std::string made(1, bracket == '{' ? '{' : '[');
  for (const std::string& item : *items) {
    if (++run_ > most_statements) {
      add_unread();
      return "our_unknown";
    }
    take_item(inside.substr(loop + 5, in - 5), item);
    const std::string key = colon == npos ? "" : settled(scan(each.substr(0, colon))) + ": ";
    const std::string value = scan(each.substr(colon == npos ? 0 : colon + 1));
    made += (made.size() > 1 ? ", " : "") + key + (objects_.contains(value) ? value : settled(value));
  }
  return made + (bracket == '{' ? "}" : "]");
}

std::string Runner::mapped(std::string_view inside) {
  const std::size_t colon = inside.starts_with("lambda") ? find_outside(inside, ":") : 0;
  const std::size_t comma = colon == npos ? npos : find_outside(inside.substr(colon), ",");
  if (comma == npos) {
    return "our_unknown";
  }
  const bool is_lambda = colon > 0;
  const std::string name = is_lambda ? std::string(inside.substr(6, colon - 6)) : " our_mapped";
  const std::string each = is_lambda ? std::string(inside.substr(colon + 1, comma - 1))
                                     : std::string(inside.substr(0, comma)) + "(our_mapped)";
  return comprehension(each + " for" + name + " in " + std::string(inside.substr(colon + comma + 1)), '[')
      .value_or("our_unknown");
}

std::optional<std::string> Runner::call(std::string_view path, std::string_view inside, std::string_view target) {
  if (auto dropped = dropout(path, inside)) {
    return dropped;
  }
  if (auto through = through_sequence(path, inside)) {
    return through;
  }
  if (const std::size_t dot = path.rfind('.'); dot != npos &&
                                               is_among(path.substr(dot + 1), "to cuda cpu float requires_grad_") &&
                                               objects_.contains(followed(full_name(path.substr(0, dot))))) {
    return followed(full_name(path.substr(0, dot)));
  }
  if (path.ends_with(".eval") || path.ends_with(".train")) {
    is_evaluating_ = path.ends_with(".eval") || number(inside) == 0.0;
    return std::string(path.substr(0, path.rfind('.')));
  }
  if (const std::size_t dot = path.rfind('.'); path.ends_with(".register_buffer")) {
    const auto parts = split_outside(inside, ',');
    const auto name = value(parts.empty() ? "" : parts[0]).string;
    if (parts.size() > 1 && name) {
      trace_.assign(full_name(std::string(path.substr(0, dot + 1)) + *name), scan(parts[1]));
    }
    return "";
  }
  if (path == "our_called") {
    return "our_named(" + scan(inside) + ", '" + called_ + "')";
  }
  if (auto drawn = drawing_call_of(path, inside)) {
    if (drawn->kind == DrawCall::Kind::seed && std::ranges::find(generators_, drawn->generator) == generators_.end()) {
      generators_.push_back(drawn->generator);
    }
    return add_draw(*std::move(drawn));
  }
  if (depth_ >= deepest) {
    return std::nullopt;
  }
  if (path == "map") {
    return mapped(inside);
  }
  if (imports_.is(path, "numpy.split")) {  // into equal parts
    return "torch.chunk(" + scan(inside) + ")";
  }
  const std::string meant = followed(full_name(path));  // c = copy.deepcopy, self.fn = fn
  const std::string known =
      functions_.knows(path)
          ? std::string(path)
          : imports_.full(functions_.knows(meant) || imports_.is(meant, "copy.deepcopy") ? meant : path);
  if (known == "torch.nn.ModuleList") {
    auto items = comprehension(inside, '[');
    return items ? items : scan(inside);
  }
  if (known == "torch.nn.ModuleDict") {
    return module_dictionary(inside, target);
  }
  if (known == "copy.deepcopy" || known == "copy.copy") {
    return copied(followed(scan(inside)));
  }
  if (functions_.is_class(known)) {
    const std::string object = target.empty() ? trace_.new_name("object") : std::string(target);
    objects_[object] = known;
    const Function* constructor = functions_.find(known + ".__init__");
    give_attributes(known, object, constructor == nullptr ? inside : "");  // of a dataclass
    if (constructor != nullptr) {
      run_function(Function(*constructor), path, inside, object);
    }
    return object;
  }
  const auto [object, method] = method_of(path);
  if (method == "append" && trace_.last(object).starts_with('[')) {
    trace_.assign(object, appended(trace_.last(object), trace_.item(scan(inside))));
    return "";
  }
  const Function* function = functions_.find(object.empty() ? known : objects_.find(object)->second + "." + method);
  if (function == nullptr && meant != full_name(path) && imports_.full(meant).starts_with("torch.")) {
    return meant + "(" + scan(inside) + ")";  // activation=F.relu
  }
  if (function == nullptr) {
    return std::nullopt;
  }
  Function run = *function;
  run.is_method = run.is_method && !object.empty();  // Attention.scores(q, k)
  return run_function(run, path, inside, object);
}

std::string Runner::module_dictionary(std::string_view inside, std::string_view target) {
  const std::string object = target.empty() ? trace_.new_name("object") : std::string(target);
  objects_[object] = "torch.nn.ModuleDict";
  const auto call = bracketed(text::trimmed(inside), '(');  // dict(key=nn.Linear(6, 3))
  if (call && call->path == "dict") {
    for (const auto& [key, made] : arguments_of(call->inside).named) {
      assign(object + "." + std::string(key), made);
    }
    return object;
  }
  const std::string_view entries = without_trailing(without_leading(inside, " {"), " }");
  for (const std::string_view entry : split_outside(entries, ',')) {
    const std::size_t colon = find_outside(entry, ":");
    const auto key = colon == npos ? std::nullopt : value(entry.substr(0, colon)).string;
    key ? assign(object + "." + *key, text::trimmed(entry.substr(colon + 1))) : void();
  }
  return object;
}

std::string Runner::copied(const std::string& name) {
  const auto object = objects_.find(name);
  if (object == objects_.end() || ++run_ > most_statements || depth_ >= deepest) {
    return name;
  }
  ++depth_;
  const std::string copy = trace_.new_name("object");
  objects_[copy] = std::string(object->second);
  for (const std::string& attribute : listed_.names_of(name + ".")) {
    const std::string old = name + "." + attribute;
    const std::string held = followed(old);
    trace_.assign(copy + "." + attribute, objects_.contains(held) ? copied(held) : old);
  }
  --depth_;
  return copy;
}

void Runner::give_attributes(const std::string& of, const std::string& object, std::string_view inside) {
  const Arguments arguments = arguments_of(inside);
  const std::vector<Assigned> attributes = functions_.attributes_of(of);
  ++depth_;
  for (std::size_t k = 0; k < attributes.size() && depth_ < deepest; ++k) {
    const auto& [name, usual] = attributes[k];
    const std::string_view given = arguments.at(k, name);
    if (const std::string made = scan(given.empty() ? usual : given); !made.empty()) {
      trace_.assign(object + "." + name, made);
    }
  }
  --depth_;
}

std::optional<std::string> Runner::through_sequence(std::string_view path, std::string_view inside) {
  const std::string made = is_path(path) ? std::string(trace_.last(followed(full_name(path)))) : std::string();
  const auto module = bracketed(made, '(');
  const std::string modules = module && module->path.ends_with("nn.Sequential") ? passed(module->inside) : "";
  const std::vector<std::string_view> steps = split_outside(modules, ',');
  const auto is_run = [&](std::string_view step) {
    return (!is_evaluating_ && dropped_by(step).value_or(0) > 0) || objects_.contains(followed(std::string(step)));
  };
  if (std::ranges::none_of(steps, is_run)) {
    return std::nullopt;
  }
  std::string x = trace_.item(scan(inside));
  for (const std::string_view step : steps) {
    x = trace_.item(scan(std::string(step) + "(" + x + ")"));
  }
  return x;
}

std::string Runner::add_draw(DrawCall call) {
  if (calls_.size() == most_draws) {
    return "";
  }
  calls_.push_back(std::move(call));
  std::string name = "our_draw_" + std::to_string(calls_.size() - 1);
  if (calls_.back().kind == DrawCall::Kind::linear) {
    trace_.assign(name + ".in_features", std::to_string(calls_.back().shape[1]));
  }
  return name;
}

std::optional<std::string> Runner::dropout(std::string_view path, std::string_view inside) {
  const Arguments arguments = arguments_of(inside);
  const auto share = [&](std::size_t place) {
    const std::string_view text = arguments.at(place, "p");
    return text.empty() ? std::optional(0.5) : number(text);
  };
  if (imports_.is(path, "torch.nn.Dropout")) {
    const auto p = share(0);
    return p ? std::optional(std::string(module_of_dropout) + text::shortest_text(*p) + ")") : std::nullopt;
  }
  const bool is_function = imports_.is(path, "torch.nn.functional.dropout") || imports_.is(path, "torch.dropout");
  const auto p = is_function ? share(1) : dropped_by(is_path(path) ? trace_.last(followed(full_name(path))) : path);
  if (!p) {
    return std::nullopt;
  }
  const std::string_view x = arguments.at(0, "input");
  const std::string_view training = is_function ? arguments.at(2, "training") : std::string_view();
  const bool is_training = is_function && !training.ends_with("training")
                               ? training.empty() || truth_of(training).value_or(true)
                               : !is_evaluating_;
  std::string made = scan(x);
  if (!is_training || *p == 0) {
    return "(" + made + ")";
  }
  const auto shape = shape_of(value(made));
  DrawCall call{.generator = "torch", .call = std::string(module_of_dropout) + text::shortest_text(*p) + ") mask"};
  if (shape && *p > 0 && *p < 1) {
    call.kind = DrawCall::Kind::dropout;
    call.shape = *shape;
    call.low = *p;
  }
  const std::string mask = add_draw(std::move(call));
  return mask.empty() ? mask : "((" + made + ") * " + mask + ")";
}

std::pair<std::string, std::string> Runner::method_of(std::string_view path) const {
  const std::string full = full_name(path);
  const std::size_t dot = full.rfind('.');
  for (const auto& [name, method] : {std::pair(full, std::string("forward")), std::pair(full, std::string("__call__")),
                                     std::pair(full.substr(0, dot), dot == npos ? "" : full.substr(dot + 1))}) {
    const std::string object = followed(name);  // h of a loop may hide another h
    if (objects_.contains(object) && functions_.find(objects_.find(object)->second + "." + method) != nullptr) {
      return {object, method};
    }
  }
  const bool is_list = dot != npos && full.substr(dot + 1) == "append" && !full.substr(0, dot).empty();
  return is_list && trace_.last(full.substr(0, dot)).starts_with('[')
             ? std::pair(full.substr(0, dot), std::string("append"))
             : std::pair<std::string, std::string>();
}

std::string Runner::full_name(std::string_view target) const {
  return target.starts_with("self.") && !self_.empty() ? self_ + std::string(target.substr(4)) : std::string(target);
}

std::string Runner::run_function(const Function& function, std::string_view path, std::string_view inside,
                                 const std::string& object) {
  const std::vector<std::pair<std::string, std::string>> values = function.given(passed(scan(with_functions(inside))));
  const bool is_library = function.expression.empty() && function.begin < of_library_;
  const bool is_called = is_library && called_.empty() && inside.find_first_of("'\"") == npos;
  const std::string caller = called_;
  called_ = is_called ? one_spaced(path) + "(" + one_spaced(inside) + ")" : is_library ? called_ : std::string();
  ++depth_;
  const std::size_t scope = trace_.enter();
  for (std::size_t k = function.is_method ? 1 : 0; k < values.size(); ++k) {
    trace_.assign(values[k].first, values[k].second, scope);
  }
  const std::string before = std::exchange(self_, function.is_method ? object : "");
  const std::string outer_class = std::exchange(class_, function.of);
  const std::string outer = std::exchange(returned_, trace_.new_name("result"));
  const bool was_doubtful = std::exchange(is_return_doubtful_, false);
  const std::size_t level = std::exchange(level_, 1);
  if (function.expression.empty()) {
    run(function.begin, function.end);
  } else {
    trace_.assign(returned_, scan(function.expression));
  }
  is_return_doubtful_ ? trace_.forget(returned_) : void();
  level_ = level;
  is_returned_ = false;
  is_return_doubtful_ = was_doubtful;
  self_ = before;
  class_ = outer_class;
  trace_.leave(scope);
  --depth_;
  called_ = caller;
  return std::exchange(returned_, outer);
}

}  // namespace attn::verify
