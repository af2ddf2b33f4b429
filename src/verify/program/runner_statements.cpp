#include <algorithm>
#include <array>
#include <utility>

#include "tensor/words.hpp"
#include "text/lines.hpp"
#include "text/numbers.hpp"
#include "verify/program/listing.hpp"
#include "verify/program/runner.hpp"
#include "verify/read/label.hpp"
#include "verify/read/pieces.hpp"
#include "verify/read/statements.hpp"

namespace attn::verify {
namespace {

bool is_string(std::string_view text) {
  const std::size_t quote = text.find_first_of("\"'");
  return quote <= 2 && quote != npos && (text.back() == '"' || text.back() == '\'');
}

/// Returns true for x.topk(3) and its like, which print as two tensors.
bool is_pair(std::string_view value) {
  const auto call = bracketed(value, '(');
  const std::string_view path = call ? call->path : std::string_view();
  const std::string_view name = path.substr(path.rfind('.') + 1);
  if (path.size() == name.size() || path.starts_with("np.")) {
    return false;
  }
  const Arguments arguments = arguments_of(call->inside);
  const bool is_method = !path.starts_with("torch.");
  const bool is_along =
      !arguments.value_of("dim").empty() || (arguments.plain.size() == (is_method ? 1U : 2U) &&
                                             arguments.plain.back().find_first_not_of("-0123456789 ") == npos);
  return name == "topk" || name == "sort" || ((name == "max" || name == "min") && is_along);
}

/// Returns true for strings, and for lists of strings.
bool are_words(const Value& value) { return value.string || (!value.items.empty() && are_words(value.items.front())); }

/// The label that a page shows where a program prints these words: "Weights" for "\\nWeights:\\n".
std::string shown_label(std::string_view words) {
  std::string lines(words);
  for (std::size_t at = lines.find("\\n"); at != npos; at = lines.find("\\n", at)) {
    lines.replace(at, 2, "\n");
  }
  return std::string(find_label(lines, 0, lines.size()));
}

/// Returns true for what only output has between statements: "tensor([[...", "<torch._C.Generator".
bool is_output(std::string_view text) {
  constexpr auto beginnings = std::to_array<std::string_view>(
      {"tensor(", "[[", "<", "torch.Size(", "values=tensor(", "grad_fn=<", "dtype=torch.", "requires_grad=True)"});
  return std::ranges::any_of(beginnings, [&](std::string_view one) { return text.starts_with(one); });
}

/// What print shows: words, or an expression, and whether a tensor without axes is shown as a number alone. Of "q:
/// {}".format(q), "q: %s" % q and "q: " + str(q) the words, then q.
struct PrintedArgument {
  std::string_view text;
  bool is_number = false;
  bool is_label = false;
};
std::vector<PrintedArgument> printed_arguments(std::string_view inside) {
  std::vector<PrintedArgument> result;
  const auto add_all = [&](std::string_view arguments, bool is_number) {
    for (const std::string_view one : split_outside(arguments, ',')) {
      result.push_back({one, is_number});
    }
  };
  for (const std::string_view argument : arguments_of(inside).plain) {
    const bool is_quoted = argument.starts_with('"') || argument.starts_with('\'');
    const std::size_t end = is_quoted ? string_end(argument, 0) : 0;
    const std::string_view rest = text::trimmed(argument.substr(end));
    const auto words = bracketed(
        rest.starts_with('+') ? text::trimmed(rest.substr(1)) : rest.substr(rest.starts_with('.') ? 1 : 0), '(');
    const bool is_format = words && rest.starts_with('.') && words->path == "format";
    const bool is_sum = words && rest.starts_with('+') && words->path == "str";
    if (!is_quoted || rest.empty() || !(is_format || is_sum || rest.starts_with('%'))) {
      result.push_back({argument});
      continue;
    }
    const std::string_view words_before = argument.substr(1, end - 2);
    result.push_back({words_before.substr(0, words_before.find_first_of("{%")), false, true});
    if (is_format || is_sum) {
      add_all(words->inside, is_format);
    } else {
      const std::string_view shown = text::trimmed(rest.substr(1));
      const auto items = listed_items(shown);
      items&& shown.starts_with('(') ? add_all(shown.substr(1, shown.size() - 2), false) : add_all(shown, false);
    }
  }
  return result;
}

}  // namespace

void Runner::run_line(std::string_view line) {
  const std::vector<std::string_view> statements = split_outside(line, ';');
  for (std::size_t k = 0; k < statements.size() && !is_returned_; ++k) {
    run_statement(statements[k]);
  }
}

void Runner::run_statement(std::string_view text) {
  if (imports_.add(text) || (is_output(text) && imports_.full("tensor") == "tensor")) {
    return;
  }
  const std::string_view word = leading_name(text);
  const Assignment assignment = word == "return" ? Assignment{} : assignment_of(text);
  if (assignment.value.empty()) {
    const std::string_view rest = text.substr(word.size());
    if ((word == "print" || word == "display") && rest.starts_with('(') && text.ends_with(')')) {
      print(rest.substr(1, rest.size() - 2));
    } else if (word == "return" && depth_ > 0) {
      const std::string value = scan(text::trimmed(rest));
      const auto items = split_outside(value, ',');
      trace_.assign(returned_, items.size() > 1 ? "[" + value + "]" : value);
      is_returned_ = true;
    } else if (word == "yield") {
      is_return_doubtful_ = true;
    } else if (const auto filled = initialised(text)) {
      const std::size_t first = calls_.size();
      forget(filled->first);
      assign(filled->first, filled->second);
      if (calls_.size() > first) {
        calls_[first].value = calls_[first].call = one_spaced(text);
      }
    } else {
      const bool is_shown = is_shown_;  // before functions run
      change_in_place(text);
      const std::string value = scan(text);
      if (level_ == 1 && !is_among(word, "assert del pass global break continue")) {
        const std::vector<std::string_view> parts = split_outside(text, ',');  // x.mean(), x.std()
        const std::vector<std::string_view> made = split_outside(value, ',');
        for (std::size_t k = 0; k < parts.size(); ++k) {
          const std::string_view each = parts.size() == 1 ? value : k < made.size() ? made[k] : "";
          trace_.print(each, "", is_shown, one_spaced(parts[k]));
        }
      }
    }
    return;
  }
  const Assignment again = assignment_of(assignment.value);  // q = k = x
  if (assignment.targets.size() == 1 && again.targets.size() == 1 && is_path(again.targets[0])) {
    run_statement(assignment.value);
    run_statement(std::string(assignment.targets[0]) + " = " + std::string(again.targets[0]));
    return;
  }
  change_in_place(text);
  if (assignment.value.starts_with("lambda")) {
    functions_.define_lambda(assignment.targets[0], assignment.value);
    return;
  }
  const std::size_t first = calls_.size();
  const std::vector<std::string_view> parts = split_outside(assignment.value, ',');
  for (const std::string_view target : assignment.targets) {
    note_assigned(target);
  }
  if (assignment.targets.size() == 1) {
    const std::string_view target = assignment.targets[0];
    if (parts.size() == 1) {
      assign(target, parts[0]);
    } else {
      trace_.assign(full_name(target), "[" + scan(assignment.value) + "]");
    }
    return;
  }
  if (parts.size() == assignment.targets.size()) {
    const bool is_exchange = std::ranges::any_of(parts, [&](std::string_view part) {
      return std::ranges::find(assignment.targets, part) != assignment.targets.end();
    });
    std::vector<std::string> items;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      is_exchange ? items.push_back(trace_.item(scan(parts[k]))) : assign(assignment.targets[k], parts[k]);
    }
    for (std::size_t k = 0; k < items.size(); ++k) {
      give(assignment.targets[k], items[k]);
    }
    return;
  }
  const std::string made = scan(assignment.value);
  const std::string value = parts.size() > 1 ? "(" + made + ")" : made;  // *x.shape, heads
  const auto items = listed_items(value);
  const bool is_each = items && items->size() == assignment.targets.size();
  const std::string item = is_each ? std::string() : is_ours(value) ? value : trace_.item(value);
  for (std::size_t k = 0; k < assignment.targets.size(); ++k) {
    give(assignment.targets[k], is_each ? std::string((*items)[k]) : item + "[" + std::to_string(k) + "]");
  }
  bool are_draws = is_each && calls_.size() - first == assignment.targets.size();
  for (std::size_t k = 0; k < assignment.targets.size(); ++k) {
    are_draws = are_draws && is_draw((*items)[k], first + k);
  }
  if (are_draws) {  // a, b, c = [rand(3) for _ in range(3)]
    for (std::size_t k = 0; k < assignment.targets.size(); ++k) {
      name_call(calls_[first + k], assignment.targets[k], calls_[first + k].call);
    }
  }
}

void Runner::give(std::string_view target, const std::string& value) {
  const std::size_t open = target.find('[');
  open == npos ? trace_.assign(full_name(target), value) : forget(target.substr(0, open));
}

bool Runner::is_draw(std::string_view made, std::size_t call) const {
  const std::string draw = "our_draw_" + std::to_string(call);
  const std::string_view last = is_path(made) && made != draw ? trace_.last(made) : made;
  const auto module = bracketed(last, '(');
  if (!module || !module->path.ends_with("nn.Parameter")) {
    return last == draw;
  }
  const auto arguments = arguments_of(module->inside).plain;
  return !arguments.empty() && arguments[0] == draw;
}

void Runner::assign(std::string_view target, std::string_view value) {
  if (const auto seeded = seed_of(value, target)) {
    generators_.push_back(seeded->generator);
    calls_.push_back(*seeded);
    return;
  }
  const std::size_t at = calls_.size();
  const std::string name = full_name(target);
  const bool is_item = target.find('[') != npos;
  const auto whole_call = bracketed(value, '(');
  const auto called = whole_call ? call(whole_call->path, whole_call->inside, is_item ? "" : name) : std::nullopt;
  std::string made = called ? *called : scan(value);
  if (is_item) {  // x[:, 0] = y is x = our_put(x, y, ":, 0")
    const std::string whole = full_name(target.substr(0, target.find('[')));
    if (const auto item = bracketed(target, '[')) {
      ++assigned_[whole];
      const std::string_view before = trace_.last(whole);
      if (const std::string key = before.starts_with('{') ? settled(scan(item->inside)) : "";
          !key.empty() && !is_ours(key)) {
        trace_.assign(whole, appended(before, key + ": " + settled(made)));
        return;
      }
      trace_.assign(whole, "our_put(" + whole + ", " + made + ", \"" + std::string(item->inside) + "\")");
    } else {
      forget(whole);
    }
    return;
  }
  if (calls_.size() == at + 1 && is_draw(made, at)) {
    name_call(calls_[at], target, value);
    trace_.assign(name, "our_draw_" + std::to_string(at));
    return;
  }
  if (const std::string_view last = trace_.last(made); last == "None" || last == "True" || last == "False") {
    made = last;
  }
  trace_.assign(name, made);
  name_items(name, made);
}

void Runner::name_items(const std::string& name, std::string_view made) {
  if (is_ours(name)) {
    return;
  }
  if (const std::size_t open = leading_path(made).size(); made.substr(0, open).ends_with("Sequential")) {
    made.remove_prefix(open);
  }
  const auto items = listed_items(made);
  for (std::size_t k = 0; items && k < items->size(); ++k) {
    const std::string_view other = trace_.last((*items)[k]);
    const std::string item(other.starts_with("our_draw_") ? other : (*items)[k]);
    const std::string called = name + "[" + std::to_string(k) + "]";
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      const auto full = full_names_.find(i);
      if (item == "our_draw_" + std::to_string(i) && calls_[i].name.empty()) {
        calls_[i].name = called;
        calls_[i].value = calls_[i].call;
      } else if (full != full_names_.end() && full->second.starts_with(item + ".")) {
        full->second.replace(0, item.size(), called);
        calls_[i].name = full->second;
      }
    }
  }
}

void Runner::note_assigned(std::string_view target) {
  const std::string name = full_name(target);
  const bool is_local = depth_ > 0 && name.find('.') == std::string::npos;
  is_local ? assigned_locally_.insert(name) : assigned_locally_.end();
  assigned_[name] += is_local ? 0 : 1;
  is_ours(name) ? ++assigned_[std::string(target)] : 0;
  std::erase(generators_, name);
}

void Runner::name_call(DrawCall& call, std::string_view target, std::string_view value) {
  const std::string name = full_name(target);
  call.name = !is_ours(name) ? name : target.starts_with("self.") ? std::string(target) : std::string();
  call.value = one_spaced(value);
  if (depth_ > 0 && name.find('.') == std::string::npos) {
    local_calls_.insert(static_cast<std::size_t>(&call - calls_.data()));
  }
  if (is_ours(name) && target.starts_with("self.")) {
    full_names_[static_cast<std::size_t>(&call - calls_.data())] = name;
  }
  if (!called_.empty()) {
    call.of = called_;
    call.call = called_ + std::string(target.substr(std::min(target.find('.'), target.size())));
  }
}

void Runner::forget(std::string_view path) {
  constexpr std::string_view data = ".data";
  path.remove_suffix(path.ends_with(data) ? data.size() : 0);
  const std::string name = full_name(path);
  if (name.empty()) {
    return;
  }
  trace_.forget(name);
  for (DrawCall& call : calls_) {
    if (call.name == name || (name.ends_with(".weight") && call.name == name.substr(0, name.size() - 7))) {
      call.name.clear();
    }
  }
}

std::optional<std::pair<std::string, std::string>> Runner::initialised(std::string_view text) const {
  const auto call = bracketed(text, '(');
  const std::string path = call ? imports_.full(call->path) : "";
  const std::size_t dot = std::min(path.rfind('.'), path.size());
  const bool is_of_library = path.starts_with("torch.nn.init.");
  const std::string_view function = std::string_view(path).substr(std::min(dot + 1, path.size()));
  if (!is_of_library && !is_among(function, "uniform_ normal_ zero_ fill_")) {
    return std::nullopt;
  }
  const Arguments given = arguments_of(call->inside);
  std::string x(is_of_library ? given.at(0, "tensor") : std::string_view(path).substr(0, dot));
  x.resize(x.size() - (x.ends_with(".data") ? 5 : 0));
  const auto shape = shape_of(value(x));
  if (!shape || !is_path(x)) {
    return std::nullopt;
  }
  const auto argument = [&](std::size_t place, std::string_view name, std::string_view usual) {
    const std::string_view one = given.at(place + (is_of_library ? 1 : 0), name);
    return std::string(one.empty() ? usual : one);
  };
  const std::string size = "(" + sizes_text(*shape) + ",)";
  const auto between = [&](const std::string& low, const std::string& high) {
    return std::pair(x, "our_uniform(" + low + ", " + high + ", " + size + ")");
  };
  const auto around = [&](const std::string& mean, const std::string& deviation) {
    return std::pair(x, "torch.normal(" + mean + ", " + deviation + ", " + size + ")");
  };
  if (is_among(function, "zeros_ zero_ ones_")) {
    return std::pair(x, (function == "ones_" ? "torch.ones" : "torch.zeros") + size);
  }
  if (is_among(function, "constant_ fill_")) {
    return std::pair(x, "torch.full(" + size + ", " + argument(0, function == "fill_" ? "value" : "val", "0") + ")");
  }
  if (function == "uniform_") {
    return between(argument(0, is_of_library ? "a" : "from", "0"), argument(1, is_of_library ? "b" : "to", "1"));
  }
  if (function == "normal_") {
    return around(argument(0, "mean", "0"), argument(1, "std", "1"));
  }
  if (is_among(function, "xavier_uniform_ xavier_normal_") && shape->size() == 2) {
    const std::string end =
        " / " + std::to_string((*shape)[0] + (*shape)[1]) + ") ** 0.5 * " + argument(0, "gain", "1");
    return function == "xavier_normal_" ? around("0", "(2" + end) : between("-((6" + end + ")", "(6" + end);
  }
  return std::nullopt;
}

void Runner::change_in_place(std::string_view text) {
  const std::size_t method = text.find("_(");
  const std::size_t sign = find_outside(text, "=");
  if (method != npos) {
    const std::string_view before = text.substr(0, method);
    const auto begin = std::ranges::find_if_not(before.rbegin(), before.rend(), [](char c) {
                         return is_name_part(c) || c == '.';
                       }).base();
    const std::string_view path = before.substr(static_cast<std::size_t>(begin - before.begin()));
    const bool is_function = path.find("init.") != npos;
    const std::string_view argument = text.substr(method + 2, text.find_first_of(",)", method) - method - 2);
    const std::size_t dot = path.rfind('.');
    if (is_function) {
      forget(text::trimmed(argument));
    } else if (dot != npos && !path.ends_with("requires_grad")) {
      const std::string_view function = path.substr(dot + 1);
      const std::string name = scan(before.substr(0, before.rfind('.')));  // "layers[0].weight"
      const bool is_all = before.find_first_of(" (") == npos && closing_bracket(text, method + 1) == text.size() - 1;
      if (is_all && is_path(name) && !drawing_call_of(std::string(path) + "_", "")) {
        ++assigned_[name];  // x.masked_fill_(mask, 0) is x = x.masked_fill(mask, 0), x.copy_(y) is x = y
        const std::string made = scan(text.substr(method + 1));
        trace_.assign(name, function == "copy" ? made : name + "." + std::string(function) + made);
      } else {
        forget(path.substr(0, dot));
      }
    }
  } else if (sign != npos && sign > 0 && std::string_view("+-*/@").find(text[sign - 1]) != npos) {
    std::size_t end = sign - 1;
    end -= end > 0 && text[end - 1] == text[end] ? 1U : 0U;  // **=, //=
    const std::string_view target = text::trimmed(text.substr(0, end));
    assigned_[full_name(target)] += is_path(target) ? 1 : 0;
    if (is_path(target) || bracketed(target, '[')) {  // x += y is x = x + (y)
      assign(target, std::string(target)
                         .append(" ")
                         .append(text.substr(end, sign - end))
                         .append(" (")
                         .append(text.substr(sign + 1))
                         .append(")"));
    } else {
      forget(target.substr(0, target.find('[')));
    }
  } else if (text.find(".step()") != npos) {  // an optimizer changes all weights
    for (std::size_t k = 0; k < calls_.size(); ++k) {
      const std::string name = "our_draw_" + std::to_string(k);
      for (const std::string& one : {name, name + ".weight", name + ".bias"}) {
        trace_.forget(one);
      }
      forget(std::string(calls_[k].name));
    }
  }
}

void Runner::print(std::string_view inside) {
  const std::string above = inside.empty() ? announced_ : std::exchange(announced_, "");
  std::string label;
  bool is_first = true;
  const auto add = [&](std::string_view argument) {
    const std::string value = scan(argument);
    const std::string shown = shown_label(label.empty() && is_first ? above : label);
    if (is_pair(value)) {
      trace_.print(value + ".values", shown, true, one_spaced(argument) + ".values");
      trace_.print(value + ".indices", "", true, one_spaced(argument) + ".indices");
    } else if (!is_no_tensor(value)) {
      trace_.print(value, shown, true, one_spaced(argument));
    } else {
      return;
    }
    is_first = false;
    label.clear();
  };
  for (const auto& [argument, is_number, is_label] : printed_arguments(inside)) {
    if (is_label) {
      label = argument;
      continue;
    }
    if (!is_string(argument)) {
      if (is_number && shape_of(value(argument)) == Shape{}) {
        continue;
      }
      const auto string = value(argument).string;
      string ? void(label = *string) : add(argument);
      continue;
    }
    const std::size_t quote = argument.find_first_of("\"'");
    const std::string_view words = argument.substr(quote + 1, argument.size() - quote - 2);
    if (quote == 0 || words.find('{') == npos) {
      label = words;
      continue;
    }
    std::size_t from = 0;  // f"the scores {scores}"
    for (std::size_t open = words.find('{'); open != npos; open = words.find('{', from)) {
      const std::size_t close = std::min(closing_bracket(words, open), words.size());
      label += words.substr(from, open - from);
      const std::string_view field = words.substr(open + 1, close - open - 1);  // {x}, {x=}, {word:<8}
      const std::string_view shown = without_trailing(field.substr(0, find_outside(field, ":")), "= ");
      const Value known = value(shown);
      if (known.number || known.string) {
        label += known.number ? text::shortest_text(*known.number) : *known.string;
      } else if (shape_of(known) == Shape{}) {  // of a tensor without axes, the number alone
        scan(shown);
      } else {
        add(shown);
      }
      from = std::min(close + 1, words.size());
    }
    label += words.substr(from);
  }
  announced_ = is_first && !label.empty() ? label : announced_;
}

bool Runner::is_no_tensor(std::string_view value) const {
  constexpr auto endings = std::to_array<std::string_view>(
      {".dtype", ".item()", ".numel()", ".dim()", ".ndim", ".device", ".grad_fn", ".requires_grad", ".__name__"});
  const std::size_t dot = std::min(value.rfind('.'), value.size());
  const auto method = bracketed(value.substr(std::min(dot + 1, value.size())), '(');
  if (value.starts_with("np.") && bracketed(value.substr(0, dot), '(') && method && method->inside.empty() &&
      is_among(method->path, "all any max mean min std sum")) {
    return true;  // numpy prints a number as a number
  }
  const auto call = bracketed(value, '(');
  const bool is_call =
      call && is_among(call->path, "len type torch.allclose torch.equal np.allclose list sum str round float int");
  const Value known = this->value(value);
  return is_call || known.number || are_words(known) || known.kind == Value::Kind::dictionary ||
         std::ranges::any_of(endings, [&](std::string_view ending) { return value.ends_with(ending); });
}

}  // namespace attn::verify
