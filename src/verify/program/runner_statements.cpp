#include <algorithm>
#include <array>
#include <utility>

#include "text/lines.hpp"
#include "text/numbers.hpp"
#include "verify/program/listing.hpp"
#include "verify/program/runner.hpp"
#include "verify/program/words.hpp"
#include "verify/read/label.hpp"
#include "verify/read/pieces.hpp"
#include "verify/read/statements.hpp"

namespace attn::verify {
namespace {

bool is_string(std::string_view text) {
  const std::size_t quote = text.find_first_of("\"'");
  return quote <= 2 && quote != npos && (text.back() == '"' || text.back() == '\'');
}

bool is_ours(std::string_view name) { return name.starts_with("our_"); }

/// Returns true if the text is exactly one call, "attention(q, k)".
bool is_one_call(std::string_view text) {
  const std::size_t open = leading_path(text).size();
  return open > 0 && text.substr(open, 1) == "(" && closing_bracket(text, open) == text.size() - 1;
}

/// Returns true for x.topk(3) and its like, which print as two tensors.
bool is_pair(std::string_view value) {
  const std::string_view path = leading_path(value);
  const std::string_view name = path.substr(path.rfind('.') + 1);
  if (!is_one_call(value) || path.size() == name.size() || path.starts_with("np.")) {
    return false;
  }
  const Arguments arguments = arguments_of(value.substr(path.size() + 1, value.size() - path.size() - 2));
  const bool is_method = !path.starts_with("torch.");
  const bool is_along =
      !arguments.value_of("dim").empty() || (arguments.plain.size() == (is_method ? 1U : 2U) &&
                                             arguments.plain.back().find_first_not_of("-0123456789 ") == npos);
  return name == "topk" || name == "sort" || ((name == "max" || name == "min") && is_along);
}

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

}  // namespace

void Runner::run_line(std::string_view line) {
  const std::vector<std::string_view> statements = split_outside(line, ';');
  for (std::size_t k = 0; k < statements.size() && !is_returned_; ++k) {
    run_statement(statements[k]);
  }
}

void Runner::run_statement(std::string_view text) {
  constexpr auto silent = std::to_array<std::string_view>({"assert", "del", "pass", "global", "break", "continue"});
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
    } else {
      change_in_place(text);
      const std::string value = scan(text);
      if (level_ == 1 && std::ranges::find(silent, word) == silent.end()) {
        const std::vector<std::string_view> parts = split_outside(text, ',');  // x.mean(), x.std()
        for (const std::string_view part : parts) {
          trace_.print(parts.size() == 1 ? value : scan(part), "", is_shown_, one_spaced(part));
        }
      }
    }
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
      const std::string_view target = assignment.targets[k];
      target.find('[') == npos ? trace_.assign(full_name(target), items[k])
                               : forget(target.substr(0, target.find('[')));
    }
    return;
  }
  const std::string value = scan(assignment.value);
  const auto items = listed_items(value);
  const bool is_each = items && items->size() == assignment.targets.size();
  const std::string item = is_each ? std::string() : is_ours(value) ? value : trace_.item(value);
  for (std::size_t k = 0; k < assignment.targets.size(); ++k) {
    const std::string_view target = assignment.targets[k];
    if (target.find('[') != npos) {
      forget(target.substr(0, target.find('[')));
      continue;
    }
    const std::string part = is_each ? std::string((*items)[k]) : item + "[" + std::to_string(k) + "]";
    trace_.assign(full_name(target), part);
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

bool Runner::is_draw(std::string_view made, std::size_t call) const {
  const std::string draw = "our_draw_" + std::to_string(call);
  const std::string_view last = is_path(made) && made != draw ? trace_.last(made) : made;
  const std::string_view path = leading_path(last);
  if (!path.ends_with("nn.Parameter") || !is_one_call(last)) {
    return last == draw;
  }
  const auto arguments = arguments_of(last.substr(path.size() + 1, last.size() - path.size() - 2)).plain;
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
  std::string made;
  if (is_one_call(value)) {
    const std::string_view path = leading_path(value);
    const std::string_view inside = value.substr(path.size() + 1, value.size() - path.size() - 2);
    const auto called = call(path, inside, is_item ? "" : name);
    made = called ? *called : scan(value);
  } else {
    made = scan(value);
  }
  if (is_item) {  // x[:, 0] = y is x = our_put(x, y, ":, 0")
    const std::size_t open = target.find('[');
    const std::string whole = full_name(target.substr(0, open));
    if (target.ends_with(']') && closing_bracket(target, open) == target.size() - 1) {
      ++assigned_[whole];
      const std::string_view inside = target.substr(open + 1, target.size() - open - 2);
      const std::string_view before = trace_.last(whole);
      if (const std::string key = before.starts_with('{') ? settled(scan(inside)) : ""; !key.empty() && !is_ours(key)) {
        trace_.assign(whole, with_entry(before, key, settled(made)));
        return;
      }
      trace_.assign(whole, "our_put(" + whole + ", " + made + ", \"" + std::string(inside) + "\")");
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
  if (const std::string_view last = trace_.last(made);
      last == "None" || last == "True" || last == "False" || are_words(last)) {
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
    const std::string name = full_name(target);
    const std::string_view sign_text = text.substr(end, sign - end);
    if (target.find_first_of("[(") == npos) {
      const std::string made = name + " " + std::string(sign_text) + " (" + scan(text.substr(sign + 1)) + ")";
      ++assigned_[name];
      trace_.assign(name, made);
    } else if (const std::size_t open = target.find('['); is_path(target.substr(0, open)) && target.ends_with(']') &&
                                                          closing_bracket(target, open) == target.size() - 1) {
      const std::string whole = full_name(target.substr(0, open));
      const std::string value = whole + std::string(target.substr(open)) + " " + std::string(sign_text) + " (" +
                                scan(text.substr(sign + 1)) + ")";
      ++assigned_[whole];
      trace_.assign(whole, "our_put(" + whole + ", " + value + ", \"" +
                               std::string(target.substr(open + 1, target.size() - open - 2)) + "\")");
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
  for (const std::string_view argument : arguments_of(inside).plain) {
    const std::string other = string_of(argument);
    const std::string text(is_string(argument) || other.empty() ? argument : other);
    if (!is_string(text)) {
      add(text);
      continue;
    }
    const std::size_t quote = text.find_first_of("\"'");
    const std::string_view words = std::string_view(text).substr(quote + 1, text.size() - quote - 2);
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
      const std::string string = string_of(shown);
      if (known.number || !string.empty()) {
        label += known.number ? text::shortest_text(*known.number) : string.substr(1, string.size() - 2);
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

bool Runner::are_words(std::string_view value) const {
  constexpr int deepest = 4;
  std::string first(value);
  for (int depth = 0; depth < deepest; ++depth) {
    first = is_path(first) ? value_of(first) : first;
    const auto items = first.starts_with('[') ? listed_items(first) : std::nullopt;
    first = items && !items->empty() ? std::string(items->front()) : first;
  }
  return first.starts_with('"') || first.starts_with('\'');
}

bool Runner::is_no_tensor(std::string_view value) const {
  constexpr auto functions = std::to_array<std::string_view>(
      {"len", "type", "torch.allclose", "torch.equal", "np.allclose", "list", "sum", "str", "round", "float", "int"});
  constexpr auto endings = std::to_array<std::string_view>({".dtype", ".item()", ".numel()", ".dim()", ".ndim"});
  constexpr auto reductions =
      std::to_array<std::string_view>({".all()", ".any()", ".max()", ".mean()", ".min()", ".std()", ".sum()"});
  if (value.starts_with("np.") && is_one_call(value.substr(0, value.rfind('.'))) &&
      std::ranges::any_of(reductions, [&](std::string_view one) { return value.ends_with(one); })) {
    return true;  // numpy prints a number as a number
  }
  const std::string_view path = leading_path(value);
  const bool is_call = is_one_call(value) && std::ranges::find(functions, path) != functions.end();
  const std::string_view last = trace_.last(path.size() == value.size() ? value : std::string_view());
  const std::string_view shown = last.empty() ? value : last;
  return is_call || number(value) || shown.starts_with('{') || are_words(shown) ||
         std::ranges::any_of(endings, [&](std::string_view ending) { return value.ends_with(ending); });
}

}  // namespace attn::verify
