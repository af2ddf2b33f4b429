#include "cli/validators.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <optional>

#include "text/lines.hpp"
#include "text/nearest.hpp"
#include "text/numbers.hpp"
#include "torch/seed.hpp"

namespace attn::cli {
namespace {

constexpr const char* full = "full";

bool is_name(const std::string& text) { return !text.empty() && text[0] != '-'; }

std::string way_to_name(const std::string& text, const std::string& example) {
  return text.empty() || text == "-" ? "try " + example : "type ./" + text + " for one of this name";
}

}  // namespace

Validator whole_number(std::int64_t least, std::int64_t most, std::int64_t example) {
  return [least, most, example](const std::string& text) {
    const auto value = text::number_of<std::int64_t>(text);
    if (value && *value >= least && *value <= most) {
      return std::string();
    }
    return "'" + text + "' is out of range or no whole number; accepted are whole numbers from " +
           std::to_string(least) + " to " + std::to_string(most) + "; try " + std::to_string(example);
  };
}

Validator probability() {
  return [](const std::string& text) {
    const auto value = text::number_of<double>(text);
    if (value && *value >= 0 && *value <= 1) {
      return std::string();
    }
    return "'" + text + "' is no probability; accepted are numbers from 0 to 1; try 0.2";
  };
}

Validator tolerance() {
  return [](const std::string& text) {
    const auto value = text::number_of<double>(text);
    if (value && *value >= 0 && std::isfinite(*value)) {
      return std::string();
    }
    return "'" + text + "' is no tolerance; accepted are numbers from 0 on; try 1e-5";
  };
}

Validator seconds() {
  return [](const std::string& text) {
    constexpr double most = 3600;
    const auto value = text::number_of<double>(text);
    if (value && *value > 0 && *value <= most) {
      return std::string();
    }
    return "'" + text + "' is no time to show a step; accepted are seconds above 0, up to 3600, such as 2.5; try 5";
  };
}

Validator name_pairs() {
  return [](const std::string& text) {
    for (const std::string& pair : text::split(text)) {
      const std::size_t equals = pair.rfind('=');
      if (equals == std::string::npos || equals == 0 || equals + 1 == pair.size()) {
        return "'" + pair + "' is no pair of names; accepted are THEIRS=STEP, with commas between; try scores=attn_scores";
      }
    }
    return std::string();
  };
}

std::map<std::string, std::string> name_pairs_of(const std::string& text) {
  std::map<std::string, std::string> names;
  for (const std::string& pair : text::split(text)) {
    const std::size_t equals = pair.rfind('=');
    names[pair.substr(0, equals)] = pair.substr(equals + 1);
  }
  return names;
}

double number_value(const std::string& text) { return text::number_of<double>(text).value(); }

Validator seed() {
  return [](const std::string& text) {
    if (torch::parsed_seed(text)) {
      return std::string();
    }
    return "'" + text +
           "' is no seed of 64 bits; accepted are whole numbers from -9223372036854775808 to "
           "18446744073709551615; try 123";
  };
}

Validator depth() {
  constexpr std::int64_t most = 1000;
  return [](const std::string& text) {
    if (text == full || whole_number(1, most, 2)(text).empty()) {
      return std::string();
    }
    const std::array<std::string, 1> words = {full};
    return "'" + text + "' is no depth; accepted are whole numbers from 1 to " + std::to_string(most) + ", and " + full +
           "; try --depth " + (text::nearest(text, words).empty() ? "2" : full);
  };
}

Validator folder_name() {
  return [](const std::string& text) {
    return is_name(text) ? std::string()
                         : "'" + text + "' is no folder's name; accepted are paths; " + way_to_name(text, "steps");
  };
}

Validator file_name() {
  return [](const std::string& text) {
    if (is_name(text) || text == "-") {
      return std::string();
    }
    return "'" + text + "' is no file's name; accepted are paths, and - for standard output; " +
           way_to_name(text, "steps.txt");
  };
}

}  // namespace attn::cli
