#include "verify/read/code_zones.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string>

#include "text/ascii.hpp"
#include "verify/read/pieces.hpp"
#include "verify/read/prompt.hpp"

namespace attn::verify {
namespace {

bool begins_comment(std::string_view text) {
  if (text.starts_with('#')) {
    return !text.starts_with("#[") && !text.starts_with("#include") && !text.starts_with("#Nx");
  }
  return text.starts_with("//");
}

/// A comment may show a program at a prompt.
Zone comment_zone(std::string_view line) {
  line = line.substr(std::min(line.find_first_not_of("#/!* \t"), line.size()));
  return prompt_length(line) > 0 || continuation_length(line) > 0 ? Zone::code : Zone::comment;
}

/// The end marker of a string or comment that may span lines; empty if the text does not begin with one.
std::string_view closing_of(std::string_view text) {
  struct Long {
    std::string_view opening;
    std::string_view closing;
  };
  constexpr auto all = std::to_array<Long>({{"\"\"\"", "\"\"\""}, {"'''", "'''"}, {"/*", "*/"}});
  const auto* found = std::ranges::find_if(all, [&](const Long& one) { return text.starts_with(one.opening); });
  return found == all.end() ? std::string_view() : found->closing;
}

/// Returns true if the text starts like "torch.matmul("; not for torch.Size( and np.float32(, which are printed.
bool is_library_call(std::string_view text) {
  constexpr auto libraries =
      std::to_array<std::string_view>({"torch.", "np.", "numpy.", "jnp.", "jax.", "mx.", "tf.", "nn.", "F."});
  for (const std::string_view library : libraries) {
    if (!text.starts_with(library)) {
      continue;
    }
    constexpr std::size_t longest = 64;
    text = text.substr(library.size(), longest);
    if (text.starts_with("float") || text.starts_with("int") || text.starts_with("return_types.")) {
      return false;
    }
    const auto end = std::ranges::find_if_not(text, [](char c) { return is_name_part(c) || c == '.'; });
    return !text.empty() && text::lower(text.front()) == text.front() && text::is_letter(text.front()) &&
           end != text.end() && *end == '(';
  }
  return false;
}

/// Returns true if the line starts with a statement's keyword followed by a name.
bool begins_statement(std::string_view line) {
  constexpr auto words = std::to_array<std::string_view>({"import ", "def ", "let ", "let mut ", "fn ", "pub fn ",
                                                          "using ", "const ", "defmodule ", "#include <", "function "});
  for (const std::string_view word : words) {
    if (line.starts_with(word)) {
      const std::string_view after = line.substr(word.size());
      const std::string_view name = leading_name(after);
      constexpr std::string_view goes_on = "(=.:;,>{";
      const std::string_view rest = without_indent(after.substr(name.size()));
      return !name.empty() &&
             (rest.empty() || goes_on.find(rest.front()) != npos || rest.starts_with("as ") || rest.starts_with("do"));
    }
  }
  return line.starts_with("from ") && line.find(" import ") != npos;
}

/// Returns true if the line starts with a word after which a list is not output.
bool begins_with_keyword(std::string_view line) {
  return is_among(leading_name(line),
                  "assert case class const def del do elif else except fn for if in lambda let match return try val var"
                  " when while with yield");
}

/// Returns true for "[[0.15 0.2": numbers without commas, which no program has.
bool is_spaced(std::string_view list) {
  const bool has_numbers_only = list.find_first_not_of("0123456789.+-e[ ") == npos;
  const std::size_t space = list.find(' ', std::min(list.find_first_of("0123456789"), list.size()));
  return has_numbers_only && space != npos && list.find_first_of("0123456789", space) != npos;
}

/// The name of "Q = tensor([[1.", as print("Q =", Q) prints it; empty for other lines.
std::string_view name_of_output(std::string_view line) {
  const std::size_t sign = line.find('=');
  const std::string_view name = without_trailing(line.substr(0, std::min(sign, line.size())), " ");
  const bool is_output = sign != npos && !name.empty() && leading_name(name) == name &&
                         without_indent(line.substr(sign + 1)).starts_with("tensor([");
  return is_output ? name : std::string_view();
}

/// Adds the names that a line prints before a sign: print("Q =", Q), print(f"{K=}").
void add_printed_names(std::string_view line, std::set<std::string, std::less<>>& names) {
  const std::size_t print = line.find("print(");
  for (std::size_t at = line.find_first_of("\"'{", std::min(print, line.size())); at != npos;
       at = line.find_first_of("\"'{", at + 1)) {
    const std::string_view name = leading_name(line.substr(at + 1));
    if (!name.empty() && without_indent(line.substr(at + 1 + name.size())).starts_with('=')) {
      names.insert(std::string(name));
    }
  }
}

/// Returns true for a line of what torch.max and its like print: "values=tensor([1., 2.]),".
bool is_of_printed_pair(std::string_view line) {
  constexpr auto beginnings =
      std::to_array<std::string_view>({"torch.return_types.", "values=tensor(", "indices=tensor("});
  return std::ranges::any_of(beginnings, [&](std::string_view one) { return line.starts_with(one); });
}

/// Returns true if a list begins on a line between statements: "[[0.43, 0.15],"; or after words that no program has
/// there, "The scores: [0.43, 0.15]" or numpy's "I -> [0.43 0.15]".
bool begins_printed_list(std::string_view line) {
  line = without_indent(line);
  const std::size_t bracket = line.find('[');
  if (bracket == 0 || bracket == npos) {
    return bracket == 0;
  }
  const std::string_view words = without_trailing(line.substr(0, bracket), " \t");
  const std::string_view list = line.substr(bracket, line.find(']', bracket) - bracket);
  const bool introduces =
      words.ends_with(':') || words.ends_with("->") || words.ends_with("=>") || words.ends_with("\u2192");
  const bool has_commas = list.find(',') != npos;
  constexpr std::string_view code = "=;{}\"'`";
  const std::string_view label = without_trailing(words, "=>-:");
  return (introduces || (is_spaced(list) && !words.ends_with('='))) && (!has_commas || label.find(' ') != npos) &&
         label.find_first_of(code) == npos && !begins_with_keyword(line);
}

bool is_output_call(std::string_view line) {
  constexpr auto calls = std::to_array<std::string_view>(
      {"print(", "println(", "println!(", "console.log(", "IO.inspect(", "display(", "dbg!("});
  return std::ranges::any_of(calls, [&](std::string_view call) { return line.starts_with(call); });
}

}  // namespace

void CodeZones::note_bracket(char c) {
  if (c == '(' || c == '[' || c == '{') {
    ++depth_;
  } else if ((c == ')' || c == ']' || c == '}') && depth_ > 0) {
    --depth_;
  }
}

/// The position after the string that begins there, or after its quote if the string does not end on the line.
std::size_t CodeZones::skip_string(std::string_view line, std::size_t at) {
  std::size_t end = at + 1;
  while (end < line.size() && line[end] != line[at]) {
    end += line[end] == '\\' ? 2U : 1U;
  }
  return end < line.size() ? end + 1 : at + 1;
}

void CodeZones::add_line(std::size_t begin, std::string_view line) {
  if (!closing_.empty()) {
    zones_.add(begin, comment_zone(line));
    const std::size_t end = line.find(closing_);
    if (end == npos) {
      return;
    }
    const std::size_t after = end + closing_.size();
    closing_ = {};
    begin += after;
    line.remove_prefix(after);
  } else if (!line.empty() && (text::is_letter(line.front()) || line.front() == '@')) {
    depth_ = 0;  // recovers from miscounted brackets
  }
  add_printed_names(line, printed_);
  if (depth_ == 0) {
    in_list_ =
        (!goes_on_ && begins_printed_list(line)) || is_of_printed_pair(line) || printed_.contains(name_of_output(line));
  }
  const std::string_view words = without_trailing(line, " \t\r");
  constexpr std::string_view unfinished = "=\\,(+-*/|&<";
  goes_on_ = words.empty() ? goes_on_ : unfinished.find(words.back()) != npos;
  zones_.add(begin, in_list_ ? Zone::output : Zone::code);
  add_code(begin, line);
}

void CodeZones::add_code(std::size_t begin, std::string_view line) {
  std::size_t unpaired = 0;  // quotes up to here do not end on the line
  for (std::size_t i = 0; i < line.size();) {
    const char c = line[i];
    const std::string_view rest = line.substr(i);
    const bool after_blank = i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t';
    if (const std::string_view closing = closing_of(rest); !closing.empty()) {
      const std::size_t end = rest.find(closing, 2 + static_cast<std::size_t>(closing.size() == 3));
      zones_.add(begin + i, Zone::comment);
      if (end == npos) {
        closing_ = closing;
        return;
      }
      i += end + closing.size();
      zones_.add(begin + i, Zone::code);
    } else if (after_blank && begins_comment(rest)) {
      zones_.add(begin + i, comment_zone(rest));
      return;
    } else if ((c == '"' || c == '\'') && i >= unpaired) {
      const std::size_t end = skip_string(line, i);
      unpaired = end == i + 1 ? line.size() : unpaired;
      i = end;
    } else {
      note_bracket(c);
      ++i;
    }
  }
}

bool is_code_line(std::string_view line) {
  constexpr std::string_view numbers = "0123456789 \t";  // of the listing's line numbers
  line = line.substr(std::min(line.find_first_not_of(numbers), line.size()));
  const bool has_word = !line.empty() && (text::is_letter(line.front()) || line.front() == '#');
  if (has_word && (begins_statement(line) || is_output_call(line))) {
    return true;
  }
  for (std::size_t i = line.find('.'); i != npos; i = line.find('.', i + 1)) {
    std::size_t begin = i;
    while (begin > 0 && is_name_part(line[begin - 1])) {
      --begin;
    }
    if (!text::is_digit(line[begin]) && is_library_call(line.substr(begin))) {
      return true;
    }
  }
  return false;
}

}  // namespace attn::verify
