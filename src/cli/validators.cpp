#include "cli/validators.hpp"

#include <array>
#include <charconv>
#include <optional>

#include "cli/text.hpp"
#include "torch/seed.hpp"

namespace attn::cli {
namespace {

constexpr const char* full = "full";

/// The whole text as a number; nothing where it is none or out of range.
template <class T>
std::optional<T> parsed(const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? std::optional<T>(value) : std::nullopt;
}

}  // namespace

Validator whole_number(std::int64_t least, std::int64_t most, std::int64_t example) {
  return [least, most, example](const std::string& text) {
    const auto value = parsed<std::int64_t>(text);
    if (value && *value >= least && *value <= most) {
      return std::string();
    }
    return "'" + text + "' is out of range or no whole number; accepted are whole numbers from " +
           std::to_string(least) + " to " + std::to_string(most) + "; try " + std::to_string(example);
  };
}

Validator probability() {
  return [](const std::string& text) {
    const auto value = parsed<double>(text);
    if (value && *value >= 0 && *value <= 1) {
      return std::string();
    }
    return "'" + text + "' is no probability; accepted are numbers from 0 to 1; try 0.2";
  };
}

double probability_value(const std::string& text) { return parsed<double>(text).value(); }

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
           "; try --depth " + (nearest(text, words).empty() ? "2" : full);
  };
}

Validator folder_name() {
  return [](const std::string& text) {
    const bool is_name = !text.empty() && text[0] != '-';
    return is_name ? std::string()
                   : "'" + text + "' is no folder's name; accepted are paths; write ./-x for a folder -x";
  };
}

}  // namespace attn::cli
