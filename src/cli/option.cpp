#include "cli/option.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string_view>

#include "text/lines.hpp"
#include "text/nearest.hpp"
#include "text/numbers.hpp"
#include "text/utf8.hpp"
#include "torch/seed.hpp"

namespace attn::cli {

namespace {

constexpr const char* full = "full";

bool is_whole(const std::string& text, std::int64_t least, std::int64_t most) {
  const auto value = text::number_of<std::int64_t>(text);
  return value && *value >= least && *value <= most;
}

std::string wrong_number(const Value& value, const std::string& text) {
  if (is_whole(text, value.least, value.most)) {
    return "";
  }
  return text::quoted(text) + " is not a whole number from " + std::to_string(value.least) + " to " +
         std::to_string(value.most) + "; try " + std::to_string(value.example);
}

std::string wrong_depth(const Value& value, const std::string& text) {
  if (text == full || is_whole(text, value.least, value.most)) {
    return "";
  }
  const std::array<std::string, 1> words = {full};
  return text::quoted(text) + " is not a depth; use a whole number from " + std::to_string(value.least) + " to " +
         std::to_string(value.most) + ", or " + full + "; try --depth " +
         (text::nearest(text, words).empty() ? std::to_string(value.example) : full);
}

/// An error if the text is not a number from 0 to `most`.
std::string wrong_real(const std::string& text, double most, const std::string& words) {
  const auto value = text::number_of<double>(text);
  return value && *value >= 0 && *value <= most ? "" : text::quoted(text) + words;
}

std::string wrong_choice(const Value& value, const std::string& text, const Options& so_far) {
  const std::vector<std::string> words = value.choices(so_far);
  if (std::find(words.begin(), words.end(), text) != words.end()) {
    return "";
  }
  if (!value.why_few.empty()) {
    return text::quoted(text) + " is not a valid value: " + std::string(value.why_few) + "; use " + text::joined(words);
  }
  const std::string near = text::nearest(text, words);
  return text::quoted(text) + " is not a valid value; " +
         (near.empty() ? "use one of " + text::joined(words) : "did you mean " + near + "?");
}

/// An error if the path is empty or looks like an option.
std::string wrong_path(const std::string& text, const std::string& what, const std::string& accepted,
                       const std::string& example) {
  if (!text.empty() && text[0] != '-') {
    return "";
  }
  return text::quoted(text) + " is not the name of a " + what + "; give " + accepted + "; " +
         (text.empty() || text == "-" ? "try " + example : "type ./" + text + " for this name");
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
  switch (value.kind) {
    case ValueKind::number: return wrong_number(value, text);
    case ValueKind::depth: return wrong_depth(value, text);
    case ValueKind::choice: return wrong_choice(value, text, so_far);
    case ValueKind::names: return wrong_names(text);
    case ValueKind::seed:
      return torch::parsed_seed(text) ? ""
                                      : text::quoted(text) +
                                            " is not a 64-bit seed; use a whole number from -9223372036854775808 to "
                                            "18446744073709551615; try 123";
    case ValueKind::probability: return wrong_real(text, 1, " is not a probability; use a number from 0 to 1; try 0.2");
    case ValueKind::tolerance:
      return wrong_real(text, std::numeric_limits<double>::max(),
                        " is not a tolerance; use a number of at least 0; try 1e-5");
    case ValueKind::output:
      return text == "-" ? "" : wrong_path(text, "file", "a path, or - for standard output", "steps.txt");
    case ValueKind::save: {
      const std::string wrong = wrong_path(text, "folder", "a path", "steps");
      return wrong.empty() ? wrong_ending_to_save(text) : wrong;
    }
    case ValueKind::flag:
    case ValueKind::tensor:
    case ValueKind::weights:
    case ValueKind::text:
    case ValueKind::sentence: return "";
  }
  return "";
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
  if (!text.empty() && std::ranges::all_of(text, is_plain)) {
    return text;
  }
  std::string word;
  for (const char c : text) {
    word += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return "'" + word + "'";
}

}  // namespace attn::cli
