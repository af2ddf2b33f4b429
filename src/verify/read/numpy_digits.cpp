#include "verify/read/numpy_digits.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "text/ascii.hpp"
#include "verify/read/pieces.hpp"

namespace attn::verify {
namespace {

constexpr double coarsest = 0.05;  ///< between one decimal and two
constexpr double finest = 1.5e-8;

/// A number's unit, relative to the power of ten of its first digit if it is written with an exponent.
double decimals_unit(const Cell& cell) {
  const bool scientific = cell.text.find_first_of("eE") != npos;
  return scientific && cell.value != 0 ? cell.unit / std::pow(10, std::floor(std::log10(std::abs(cell.value))))
                                       : cell.unit;
}

bool is_rounded(const Cell& cell) { return cell.unit > 0 && std::isfinite(cell.value); }

/// The unit shared by all numbers of an array; 0 if all are exact.
double unit_of(const Printed& printed) {
  const auto cell = std::ranges::find_if(printed.cells, is_rounded);
  return printed.is_numpys && cell != printed.cells.end() ? decimals_unit(*cell) : 0;
}

/// Returns true if a line sets numpy's number of decimals.
bool sets_precision(std::string_view listing) {
  constexpr std::string_view word = "printoptions";
  for (std::size_t at = listing.find(word); at != npos; at = listing.find(word, at + word.size())) {
    const std::string_view after = listing.substr(at + word.size());
    const std::string_view line = after.substr(0, after.find('\n'));
    const bool suppresses_only = line.find("suppress") != npos && std::ranges::none_of(line, text::is_digit);
    if (!suppresses_only) {
      return true;
    }
  }
  return false;
}

/// Returns true if the listing mentions rounding.
bool rounds(std::string_view listing) {
  for (const std::string_view word : {"round(", "array2string", "float16", "half(", "decimals"}) {
    if (listing.find(word) != npos) {
      return true;
    }
  }
  return sets_precision(listing);
}

}  // namespace

void refine_numpy_units(std::span<Printed> printed, const Page& page, const Zones& zones) {
  bool has_all_digits = false;
  bool has_fewer = false;
  for (const Printed& one : printed) {
    const double unit = unit_of(one);
    has_all_digits = has_all_digits || (unit > 0 && unit <= finest);
    has_fewer = has_fewer || unit > finest;
  }
  if (!has_all_digits || !has_fewer) {
    return;
  }
  const Page& listing = page.listing();
  const bool has_listing = &listing != &page || zones.have(Zone::code);
  if (rounds(listing.text())) {
    return;
  }
  for (Printed& one : printed) {
    if (const double unit = unit_of(one); unit <= finest || (!has_listing && unit < coarsest)) {
      continue;
    }
    for (Cell& cell : one.cells) {
      if (is_rounded(cell)) {
        const double magnitude = cell.value == 0 ? 0 : std::floor(std::log10(std::abs(cell.value)));
        cell.unit = std::min(cell.unit, 1e-6 * std::pow(10, std::max(0.0, magnitude)));
      }
    }
  }
}

}  // namespace attn::verify
