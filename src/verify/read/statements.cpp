#include "verify/read/statements.hpp"

#include <algorithm>

#include "text/ascii.hpp"
#include "text/lines.hpp"
#include "verify/read/pieces.hpp"
#include "verify/read/prompt.hpp"

namespace attn::verify {
namespace {

constexpr std::size_t longest_joined = 4'000;

/// Calls back for each position outside strings with its bracket depth (a closing bracket counts as outside); stops
/// when the callback returns false.
template <class Use>
void each_place(std::string_view text, Use use) {
  std::ptrdiff_t depth = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      i = string_end(text, i);
      continue;
    }
    depth -= c == ')' || c == ']' || c == '}' ? 1 : 0;
    if (!use(i, depth)) {
      return;
    }
    depth += c == '(' || c == '[' || c == '{' ? 1 : 0;
    ++i;
  }
}

/// A line's code without its comment; counts the brackets that it opens.
std::string_view without_comment(std::string_view line, std::ptrdiff_t& depth) {
  std::size_t end = line.size();
  each_place(line, [&](std::size_t i, std::ptrdiff_t here) {
    const char c = line[i];
    depth = here + (c == '(' || c == '[' || c == '{' ? 1 : 0);
    end = c == '#' ? i : end;
    return c != '#';
  });
  return without_trailing(line.substr(0, end), " \t\r");
}

/// The code in a line: the text after a prompt; empty for output.
std::string_view code_of(std::string_view line, std::size_t at, const Zones& zones) {
  for (const std::size_t prompt : {prompt_length(line), continuation_length(line)}) {
    if (prompt > 0 && zones.at(at + prompt) == Zone::code) {
      return line.substr(prompt);
    }
  }
  const std::size_t indent = line.size() - without_indent(line).size();
  return zones.at(at + indent) == Zone::code ? line : std::string_view();
}

}  // namespace

std::vector<Statement> find_statements(const Page& page, const Zones& zones) {
  const std::string_view text = page.text();
  std::vector<Statement> found;
  std::ptrdiff_t depth = 0;  // of open brackets
  bool goes_on = false;      // by a backslash
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view code = code_of(text.substr(at, end - at), at, zones);
    std::ptrdiff_t opened = 0;
    std::string_view line = without_comment(code, opened);
    const Place place = page.place(at);
    const bool begins = line.empty() || text::is_letter(line.front()) || line.front() == '@';
    const bool is_same = !found.empty() && !line.empty() && (depth > 0 || goes_on) &&
                         found.back().last.cell == place.cell && (!begins || goes_on) &&
                         found.back().text.size() < longest_joined;
    depth = (is_same ? depth : 0) + opened;
    goes_on = line.ends_with('\\');
    line.remove_suffix(goes_on ? 1 : 0);
    const std::string_view words = without_indent(line);
    if (is_same) {
      found.back().text.append(" ").append(words);
      found.back().last = place;
    } else if (!words.empty()) {
      found.push_back({line.size() - words.size(), place, place, std::string(words)});
    }
    at = end + 1;
  }
  return found;
}

std::size_t string_end(std::string_view text, std::size_t at) {
  const char quote = text[at];
  if (text.substr(at, 3) == std::string(3, quote)) {
    const std::size_t end = text.find(text.substr(at, 3), at + 3);
    return end == npos ? text.size() : end + 3;
  }
  for (++at; at < text.size() && text[at] != quote; ++at) {
    at += text[at] == '\\' ? 1U : 0U;
  }
  return std::min(at + 1, text.size());
}

std::string_view Arguments::value_of(std::string_view name) const {
  const auto found = std::ranges::find(named, name, &std::pair<std::string_view, std::string_view>::first);
  return found == named.end() ? std::string_view() : found->second;
}

std::string_view Arguments::at(std::size_t place, std::string_view name) const {
  const std::string_view value = value_of(name);
  return value.empty() && place < plain.size() ? plain[place] : value;
}

std::string_view leading_path(std::string_view text) {
  const auto end = std::ranges::find_if_not(text, [](char c) { return is_name_part(c) || c == '.'; });
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

std::optional<Bracketed> bracketed(std::string_view text, char open) {
  const std::string_view path = leading_path(text);
  const std::size_t at = path.size();
  return !path.empty() && text.substr(at).starts_with(open) && closing_bracket(text, at) == text.size() - 1
             ? std::optional(Bracketed{path, text.substr(at + 1, text.size() - at - 2)})
             : std::nullopt;
}

Arguments arguments_of(std::string_view inside) {
  Arguments result;
  for (const std::string_view argument : split_outside(inside, ',')) {
    const Assignment given = assignment_of(argument);
    if (given.value.empty()) {
      result.plain.push_back(argument);
    } else {
      result.named.emplace_back(given.targets.front(), given.value);
    }
  }
  return result;
}

std::vector<std::string_view> split_outside(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  each_place(text, [&](std::size_t i, std::ptrdiff_t depth) {
    if (depth == 0 && text[i] == separator) {
      parts.push_back(text::trimmed(text.substr(begin, i - begin)));
      begin = i + 1;
    }
    return true;
  });
  if (const std::string_view rest = text::trimmed(text.substr(begin)); !rest.empty()) {
    parts.push_back(rest);
  }
  return parts;
}

std::size_t find_outside(std::string_view text, std::string_view what) {
  std::size_t found = npos;
  each_place(text, [&](std::size_t i, std::ptrdiff_t depth) {
    found = depth == 0 && text.substr(i).starts_with(what) ? i : npos;
    return found == npos;
  });
  return found;
}

std::size_t closing_bracket(std::string_view text, std::size_t open) {
  std::size_t found = npos;
  each_place(text.substr(open), [&](std::size_t i, std::ptrdiff_t depth) {
    found = i > 0 && depth == 0 ? open + i : npos;
    return found == npos;
  });
  return found;
}

Assignment assignment_of(std::string_view statement) {
  std::size_t sign = npos;
  each_place(statement, [&](std::size_t i, std::ptrdiff_t depth) {
    constexpr std::string_view before = "=<>!+-*/%&|^@:";
    const bool is_sign = depth == 0 && statement[i] == '=' && i > 0 && before.find(statement[i - 1]) == npos &&
                         !statement.substr(i).starts_with("==");
    sign = is_sign ? i : sign;
    return sign == npos;
  });
  if (sign == npos) {
    return {};
  }
  std::string_view left = text::trimmed(statement.substr(0, sign));
  left = text::trimmed(left.substr(0, std::min(find_outside(left, ":"), left.size())));
  if (left.starts_with('(') && left.ends_with(')')) {
    left = left.substr(1, left.size() - 2);
  }
  Assignment result{split_outside(left, ','), text::trimmed(statement.substr(sign + 1))};
  return result.targets.empty() ? Assignment{} : result;
}

}  // namespace attn::verify
