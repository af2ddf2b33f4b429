#include "cli/arguments.hpp"

#include <algorithm>
#include <optional>

#include "cli/usage_error.hpp"

namespace attn::cli {
namespace {

constexpr std::string_view dashes = "--";

struct Split {
  std::string name;
  std::optional<std::string> value;
};

/// "--seed=5", "-ofile" and "-o=file" in two.
Split split(const std::string& argument) {
  if (!argument.starts_with(dashes)) {
    const std::string value = argument.substr(2);
    return {argument.substr(0, 2), value.empty() ? std::nullopt : std::optional(value.substr(value[0] == '=' ? 1 : 0))};
  }
  const std::string name = option_part(argument);
  return {name, name == argument ? std::nullopt : std::optional(argument.substr(name.size() + 1))};
}

bool is_word(const std::string& argument) { return argument.size() < 2 || argument[0] != '-'; }

/// "-output" is no "-o utput".
bool lacks_a_dash(const std::string& argument, const Syntax& syntax) {
  return !argument.starts_with(dashes) && syntax.find("-" + option_part(argument)) != nullptr;
}

/// Whether somebody who wrote this meant an option.
bool is_meant_as_option(const std::string& argument, const Syntax& syntax) {
  return argument == dashes || syntax.find(option_part(argument)) != nullptr;
}

/// How to give a value that looks like an option, where that may be wanted.
std::string way_to_mean(const std::string& value, const std::string& option, const std::string& placeholder) {
  if (placeholder == "FILE" || placeholder == "DIR|FILE") {
    return "to write one of this name, type ./" + value + "; ";
  }
  return placeholder == "WORDS" ? "where these are the words, type " + option + "=" + value + "; " : "";
}

/// The value of an option, from the same argument or from the next.
std::string value_of(const KnownOption& option, const Split& given, std::span<const std::string> next,
                     const Syntax& syntax) {
  const auto fail = [&](const std::string& what, const std::string& meant) {
    const std::string placeholder = option.placeholder();
    throw UsageError(given.name + " needs a value" + what + "; accepted is " + given.name + " " + placeholder + "; " +
                     (meant.empty() ? "" : way_to_mean(meant, option.name, placeholder)) + "see " + syntax.help);
  };
  if (given.value && given.value->empty()) {
    fail(", and none is given after '='", "");
  }
  if (!given.value && next.empty()) {
    fail(", and none is given", "");
  }
  if (!given.value && is_meant_as_option(next[0], syntax)) {
    fail(", and " + next[0] + " is an option", next[0]);
  }
  return given.value ? *given.value : next[0];
}

}  // namespace

const KnownOption* Syntax::find(std::string_view name) const {
  const auto found = std::find_if(options.begin(), options.end(), [name](const KnownOption& option) {
    return option.name == name || (!option.letter.empty() && option.letter == name);
  });
  return found == options.end() ? nullptr : &*found;
}

std::string option_part(const std::string& argument) { return argument.substr(0, argument.find('=')); }

Arguments read_arguments(std::span<const std::string> arguments, const Syntax& syntax) {
  Arguments result;
  for (std::size_t& at = result.read; at < arguments.size(); ++at) {
    const std::string& argument = arguments[at];
    if (argument == dashes && !result.after_dashes) {
      result.after_dashes = true;
      continue;
    }
    if (result.after_dashes || is_word(argument)) {
      if (!syntax.takes_files) {
        break;
      }
      result.files.push_back(argument);
      continue;
    }
    const Split given = split(argument);
    const KnownOption* option = syntax.find(given.name);
    if (option == nullptr || lacks_a_dash(argument, syntax)) {
      break;
    }
    result.options.push_back(option->name);
    if (option->takes_value) {
      result.options.push_back(value_of(*option, given, arguments.subspan(at + 1), syntax));
      at += given.value ? std::size_t{0} : std::size_t{1};
    } else if (given.value) {
      throw UsageError("'" + argument + "': " + given.name + " takes no value; accepted is " + given.name +
                       " alone; leave the value out");
    }
  }
  return result;
}

}  // namespace attn::cli
