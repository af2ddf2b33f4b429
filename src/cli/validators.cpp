#include "cli/validators.hpp"

#include <charconv>
#include <optional>

namespace attn::cli {
namespace {

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
    if (parsed<std::int64_t>(text) || parsed<std::uint64_t>(text)) {
      return std::string();
    }
    return "'" + text +
           "' is no seed of 64 bits; accepted are whole numbers from -9223372036854775808 to "
           "18446744073709551615; try 123";
  };
}

std::uint64_t seed_value(const std::string& text) {
  const auto negative = parsed<std::int64_t>(text);
  return negative ? static_cast<std::uint64_t>(*negative) : parsed<std::uint64_t>(text).value();
}

}  // namespace attn::cli
