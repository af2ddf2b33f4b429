#include "torch/formatter.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "torch/digits.hpp"

namespace attn::torch {
namespace {

/// Sign, 39 digits of the largest float, point; the exponent of scientific notation is shorter.
constexpr std::size_t longest_without_fraction = 48;
constexpr std::size_t longest_integer = std::numeric_limits<std::int64_t>::digits10 + 3;

/// The range of the shown nonzero finite elements, as far as it decides the format.
struct FloatRange {
  float lowest = std::numeric_limits<float>::infinity();
  float highest = -std::numeric_limits<float>::infinity();
  float smallest_magnitude = std::numeric_limits<float>::infinity();
  bool all_integers = true;

  void include(float value) {
    if (value == 0.0F || !std::isfinite(value)) {
      return;
    }
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
    smallest_magnitude = std::min(smallest_magnitude, std::abs(value));
    all_integers = all_integers && value == std::ceil(value);
  }

  bool empty() const { return lowest > highest; }

  /// The requested notation, else PyTorch's rule, in double: magnitudes too far apart, too large, or (fractions) too
  /// small.
  bool is_scientific(SciMode mode) const {
    if (mode != SciMode::automatic) {
      return mode == SciMode::on;
    }
    const double largest = std::max(std::abs(lowest), std::abs(highest));
    const double smallest = smallest_magnitude;
    return largest / smallest > 1000.0 || largest > 1.0e8 || (!all_integers && smallest < 1.0e-4);
  }
};

}  // namespace

Formatter<bool>::Formatter(const View<bool>& view, const PrintOptions& /*options*/) {
  auto widen = [this](bool value) { width_ = std::max(width_, text(value).size()); };
  for_each_shown(view, widen);
}

Formatter<std::int64_t>::Formatter(const View<std::int64_t>& view, const PrintOptions& /*options*/)
    : buffer_(longest_integer, ' ') {
  std::int64_t lowest = std::numeric_limits<std::int64_t>::max();
  std::int64_t highest = std::numeric_limits<std::int64_t>::min();
  auto include = [&](std::int64_t value) {
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
  };
  for_each_shown(view, include);
  width_ = std::max(std::to_string(lowest).size(), std::to_string(highest).size());
}

std::string_view Formatter<std::int64_t>::text(std::int64_t value) {
  const char* const begin = buffer_.data();
  const char* const end = std::to_chars(buffer_.data(), buffer_.data() + buffer_.size(), value).ptr;
  return {begin, static_cast<std::size_t>(end - begin)};
}

Formatter<float>::Formatter(const View<float>& view, const PrintOptions& options)
    : precision_(options.precision), buffer_(static_cast<std::size_t>(options.precision) + longest_without_fraction) {
  FloatRange range;
  auto include = [&range](float value) { range.include(value); };
  for_each_shown(view, include);
  if (range.empty()) {
    return;
  }
  notation_ = range.is_scientific(options.sci_mode) ? Notation::scientific
              : range.all_integers                  ? Notation::integral
                                                    : Notation::fixed;
  // Within one notation, a larger magnitude never has a shorter text.
  width_ = text(range.lowest).size();
  width_ = std::max(width_, text(range.highest).size());
}

std::string_view Formatter<float>::text(float value) {
  if (std::isnan(value)) {
    return "nan";
  }
  char* const begin = buffer_.data();
  char* end = begin + buffer_.size();
  if (const char* const exact = write_exactly(end, value)) {
    return {exact, static_cast<std::size_t>(end - exact)};
  }
  end = write(begin, end, value);
  if (notation_ == Notation::integral && std::isfinite(value)) {
    *end++ = '.';
  }
  return {begin, static_cast<std::size_t>(end - begin)};
}

char* Formatter<float>::write_exactly(char* end, float value) const {
  switch (notation_) {
    case Notation::integral: return write_fixed(end, value, 0, Point::always);
    case Notation::fixed: return write_fixed(end, value, precision_, Point::none);
    case Notation::scientific: break;
  }
  return write_scientific(end, value, precision_);
}

char* Formatter<float>::write(char* begin, char* end, double value) const {
  using enum std::chars_format;
  switch (notation_) {
    case Notation::integral: return std::to_chars(begin, end, value, fixed, 0).ptr;
    case Notation::fixed: return std::to_chars(begin, end, value, fixed, precision_).ptr;
    case Notation::scientific: break;
  }
  return std::to_chars(begin, end, value, scientific, precision_).ptr;
}

}  // namespace attn::torch
