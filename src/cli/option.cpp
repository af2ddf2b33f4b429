#include "cli/option.hpp"

#include <limits>

#include "text/lines.hpp"
#include "text/numbers.hpp"
#include "text/utf8.hpp"

namespace attn::cli {

namespace {

bool is_whole(const std::string& text, const Value& value) {
  const auto number = text::number_of<std::int64_t>(text);
  return number && *number >= value.least && *number <= value.most;
}

bool is_real(const std::string& text, double most) {
  const auto number = text::number_of<double>(text);
  return number && *number >= 0 && *number <= most;
}

std::string wrong_choice(const Value& value, const std::string& text, const Options& so_far) {
  const std::vector<std::string> words = value.choices(so_far);
  if (std::ranges::find(words, text) != words.end()) {
    return "";
  }
  const std::string near = text::nearest(text, words);
  return text::quoted(text) + " is not a valid value; " +
         (near.empty() ? "use one of " + text::joined(words) : "did you mean " + near + "?");
}

std::string wrong_names(const std::string& text) {
  for (const std::string& pair : text::split(text)) {
    const std::size_t equals = pair.rfind('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == pair.size()) {
      return text::quoted(pair) +
             " is not a pair of names; give THEIRS=STEP, with commas between; try scores=attn_scores";
    }
  }
  return "";
}

}  // namespace

std::string what_is_wrong(const Value& value, const std::string& text, const Options& so_far) {
  const auto unless = [&text](bool is_valid, const std::string& accepted) {
    return is_valid ? "" : text::quoted(text) + " is not " + accepted;
  };
  const bool is_path = !text.empty() && text[0] != '-';
  const std::string range = "a whole number from " + std::to_string(value.least) + " to " + std::to_string(value.most);
  switch (value.kind) {
    case ValueKind::number: return unless(is_whole(text, value), range + "; try " + std::to_string(value.example));
    case ValueKind::depth: return unless(text == "full" || is_whole(text, value), range + ", or full; try full");
    case ValueKind::seed:
      return unless(torch::parsed_seed(text).has_value(),
                    "a 64-bit seed; use a whole number from -9223372036854775808 to 18446744073709551615; try 123");
    case ValueKind::probability: return unless(is_real(text, 1), "a probability; use a number from 0 to 1; try 0.2");
    case ValueKind::tolerance:
      return unless(is_real(text, std::numeric_limits<double>::max()),
                    "a tolerance; use a number of at least 0; try 1e-5");
    case ValueKind::output:
      return unless(is_path || text == "-", "the name of a file; give a path, or - for standard output");
    case ValueKind::save:
      return is_path ? wrong_ending_to_save(text) : unless(false, "the name of a folder; give a path; try steps");
    case ValueKind::choice: return wrong_choice(value, text, so_far);
    case ValueKind::names: return wrong_names(text);
    default: return "";
  }
}

std::string placeholder(const Value& value, const Options& so_far) {
  return value.kind == ValueKind::choice ? text::joined(value.choices(so_far), "|") : std::string(value.placeholder);
}

std::int64_t whole_value(const std::string& text) { return text::number_of<std::int64_t>(text).value(); }

double number_value(const std::string& text) { return text::number_of<double>(text).value(); }

std::map<std::string, std::string> names_value(const std::string& text) {
  std::map<std::string, std::string> names;
  for (const std::string& pair : text::split(text)) {
    constexpr std::string_view raw = ".bin";
    const std::size_t equals = pair.rfind('=');
    std::string theirs = pair.substr(0, equals);
    std::string step = pair.substr(equals + 1);
    if (step.ends_with(raw)) {  // "keys=k.bin"
      std::swap(theirs, step);
    }
    names[theirs.ends_with(raw) ? theirs.substr(0, theirs.rfind('.')) : theirs] = step;
  }
  return names;
}

std::string shell_word(const std::string& text) {
  const auto is_plain = [](char c) {
    return text::is_letter(c) || text::is_digit(c) || std::string_view("_-./:=,+@%").find(c) != std::string_view::npos;
  };
  return !text.empty() && std::ranges::all_of(text, is_plain) ? text : "'" + text::replaced(text, "'", "'\\''") + "'";
}

const std::vector<Option>& all_options() {
  static const std::vector<Option> rows = [] {
    std::vector<Option> all;
    add_actions(all);
    add_settings(all);
    return all;
  }();
  return rows;
}

void add(std::vector<Option>& table, std::string_view heading, unsigned takers, std::vector<Option> rows) {
  for (Option& row : rows) {
    row.group = heading;
    row.takers = row.takers == 0 ? takers : row.takers;
    table.push_back(std::move(row));
  }
}

bool takes(const Subcommand& command, const Option& option) {
  const auto takes_it = [&option](const chapters::Chapter* entry) { return option.taken(entry->takes); };
  return (option.takers & command.taker) != 0 &&
         (command.entries.empty() || !option.taken || std::ranges::any_of(command.entries, takes_it));
}

std::vector<const Option*> options_of(const Subcommand& command) {
  std::vector<const Option*> options;
  for (const Option& option : all_options()) {
    if (takes(command, option)) {
      options.push_back(&option);
    }
  }
  return options;
}

const Option* find_option(const Subcommand& command, std::string_view name) {
  const auto found = std::ranges::find_if(all_options(), [&](const Option& option) {
    return (option.name == name || (!option.letter.empty() && option.letter == name)) && takes(command, option);
  });
  return found == all_options().end() ? nullptr : &*found;
}

}  // namespace attn::cli
