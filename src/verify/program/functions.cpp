#include "verify/program/functions.hpp"

#include <algorithm>

#include "text/lines.hpp"
#include "verify/read/pieces.hpp"

namespace attn::verify {

std::string appended(std::string_view list, std::string_view item) {
  std::string made(list.substr(0, list.size() - 1));
  return made.append(made.size() > 1 ? ", " : "").append(item) + list.back();
}

std::vector<std::pair<std::string, std::string>> Function::given(std::string_view arguments) const {
  const Arguments call = arguments_of(arguments);
  std::vector<std::pair<std::string, std::string>> values;
  std::size_t place = 0;  // of the next argument without a name
  for (const std::string_view name : names) {
    if (name == "*" || name == "/") {
      place = name == "*" ? npos : place;
    } else if (name.starts_with("**")) {
      std::string rest;
      for (const auto& [key, value] : call.named) {
        const bool is_own = std::ranges::find(names, key) != names.end();
        rest.append(is_own ? "" : std::string(rest.empty() ? "'" : ", '").append(key).append("': ").append(value));
      }
      values.emplace_back(name.substr(2), "{" + rest + "}");
    } else if (name.starts_with('*')) {
      std::string rest = "[]";
      for (; place < call.plain.size(); ++place) {
        rest = appended(rest, call.plain[place]);
      }
      values.emplace_back(name.substr(1), rest);
      place = npos;
    } else {
      const bool is_self = is_method && values.empty();
      const std::string_view value = is_self ? call.value_of(name) : call.at(place, name);
      const auto usual = defaults.find(name);
      values.emplace_back(name, value.empty() && usual != defaults.end() ? usual->second : value);
      place += is_self || place == npos ? 0 : 1;
    }
  }
  return values;
}

void Functions::define(std::string_view head, std::size_t begin, std::size_t end) {
  const std::size_t open = head.find('(');
  const std::size_t close = open == npos ? npos : closing_bracket(head, open);
  if (close == npos) {
    return;
  }
  Function function{{}, {}, begin, end};
  for (const std::string_view parameter : split_outside(head.substr(open + 1, close - open - 1), ',')) {
    const Assignment usual = assignment_of(parameter);
    const std::string_view left = usual.value.empty() ? parameter : usual.targets.front();
    const std::string name(text::trimmed(left.substr(0, left.find(':'))));
    function.names.push_back(name);
    if (!usual.value.empty()) {
      function.defaults[name] = usual.value;
    }
  }
  functions_[std::string(text::trimmed(head.substr(0, open)))] = std::move(function);
}

void Functions::define_lambda(std::string_view name, std::string_view lambda) {
  const std::size_t colon = find_outside(lambda, ":");
  const std::size_t begin = lambda.find(' ');
  if (colon != npos && begin < colon) {
    const std::string head = std::string(name) + "(" + std::string(lambda.substr(begin, colon - begin)) + ")";
    define(head, 0, 0);
    functions_[std::string(name)].expression = text::trimmed(lambda.substr(colon + 1));
  }
}

void Functions::define_class(std::string_view head, std::span<const Statement> statements, std::size_t begin,
                             std::size_t end) {
  const std::string name(text::trimmed(head.substr(0, head.find('('))));
  std::erase_if(functions_, [&](const auto& one) { return one.first == name || one.first.starts_with(name + "."); });
  classes_.insert(name);
  attributes_[name].clear();
  const auto call = bracketed(head, '(');
  const std::string base(call ? text::trimmed(call->inside.substr(0, call->inside.find(','))) : "");
  bases_.erase(name);
  if (base != name && is_class(base)) {
    bases_[name] = base;
    attributes_[name] = attributes_[base];
    const std::string beginning = base + ".";
    const std::map<std::string, Function, std::less<>> all = functions_;
    for (auto one = all.lower_bound(beginning); one != all.end() && one->first.starts_with(beginning); ++one) {
      functions_[name + one->first.substr(base.size())] = one->second;
    }
  }
  for (std::size_t i = begin; i < end; ++i) {
    constexpr std::string_view definition = "def ";
    const std::string_view text = statements[i].text;
    const std::size_t colon = text.starts_with(definition) ? find_outside(text, ":") : npos;
    if (statements[i].indent != statements[begin].indent) {
      continue;
    }
    if (colon == npos) {
      const Assignment assignment = assignment_of(text);
      const std::string_view target = assignment.value.empty() ? text : assignment.targets.front();
      const std::string_view attribute = text::trimmed(target.substr(0, target.find(':')));
      const bool is_attribute =
          is_path(attribute) && attribute.find('.') == npos && (!assignment.value.empty() || target.find(':') != npos);
      is_attribute ? attributes_[name].push_back({std::string(attribute), std::string(assignment.value)}) : void();
      continue;
    }
    const std::string method = name + "." + std::string(text.substr(definition.size(), colon - definition.size()));
    define(method, i + 1, end_of_block(statements, i));
    if (const auto made = functions_.find(method.substr(0, method.find('('))); made != functions_.end()) {
      made->second.of = name;
      made->second.is_method = i == begin || statements[i - 1].text != "@staticmethod";
    }
  }
}

const Function* Functions::inherited(std::string_view of, std::string_view method) const {
  const auto base = bases_.find(of);
  return base == bases_.end() ? nullptr : find(base->second + "." + std::string(method));
}

const std::vector<Assigned>& Functions::attributes_of(std::string_view name) const {
  static const std::vector<Assigned> none;
  const auto found = attributes_.find(name);
  return found == attributes_.end() ? none : found->second;
}

const Function* Functions::find(std::string_view name) const {
  const auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : &found->second;
}

std::size_t end_of_block(std::span<const Statement> statements, std::size_t header) {
  std::size_t end = header + 1;
  while (end < statements.size() && statements[end].indent > statements[header].indent &&
         statements[end].first.cell == statements[header].first.cell) {
    ++end;
  }
  return end;
}

}  // namespace attn::verify
