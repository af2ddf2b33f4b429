#include "picture/painter.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>

namespace attn::render {
namespace {

/// A background, and a text colour that is legible on it.
text::Style on(Rgb background) { return {text_colour(background), background}; }

text::Style on(const Tone& tone) { return {tone.text, tone.background}; }

constexpr std::array<std::string_view, 8> blocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<std::string_view, 10> characters{" ", ".", ":", "-", "=", "+", "*", "#", "%", "@"};

template <std::size_t size>
std::string level(const std::array<std::string_view, size>& glyphs, double t) {
  const auto index = static_cast<std::size_t>(std::clamp(t, 0.0, 1.0) * static_cast<double>(size));
  return std::string(glyphs[std::min(index, size - 1)]);
}

}  // namespace

Scale::Scale(std::span<const double> values)
    : low(std::numeric_limits<double>::infinity()), high(-std::numeric_limits<double>::infinity()) {
  for (const double value : values) {
    if (std::isfinite(value)) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
}

double Scale::at(double value) const {
  if (diverging()) {
    return 0.5 + 0.5 * (value / std::max(-low, high));
  }
  return low < high ? (value - low) / (high - low) : 0.5;
}

Look Painter::look(double value) const {
  if (!std::isfinite(value) || (of_ == Of::differences && value == 0)) {
    return {{}, " "};
  }
  const double t = at(value);
  if (coloured()) {
    return {terminal_.colour == Terminal::Colour::ansi256 ? on(tone(value, t)) : on(colour(value, t)), ""};
  }
  if (of_ == Of::booleans) {
    return {{}, terminal_.unicode ? value != 0 ? "█" : "░" : value != 0 ? "#" : "."};
  }
  return {{}, terminal_.unicode ? level(blocks, t) : level(characters, t)};
}

text::StyledLine Painter::ramp(std::int64_t columns) const {
  text::StyledLine line;
  for (std::int64_t i = 0; i < columns; ++i) {
    const double share = columns > 1 ? static_cast<double>(i) / static_cast<double>(columns - 1) : 0;
    const Look sample = look(std::lerp(scale_.low, scale_.high, share));
    line.push_back({coloured() ? " " : sample.glyph, sample.style});
  }
  return line;
}

std::int64_t Painter::ramp_columns() const {
  return coloured() ? 32 : static_cast<std::int64_t>(terminal_.unicode ? blocks.size() : characters.size());
}

double Painter::at(double value) const {
  if (of_ != Of::differences) {
    return scale_.at(value);
  }
  const double most = std::max(std::abs(scale_.low), std::abs(scale_.high));
  return most > 0 ? 0.5 + 0.5 * (value / most) : 0.5;
}

Rgb Painter::colour(double value, double t) const {
  if (of_ == Of::booleans) {
    return value != 0 ? Rgb{208, 208, 208} : Rgb{88, 88, 88};
  }
  return diverging() ? diverging_colour(t) : sequential_colour(t);
}

Tone Painter::tone(double value, double t) const {
  if (of_ == Of::booleans) {
    return grey_tone(value != 0);
  }
  return diverging() ? diverging_tone(t) : sequential_tone(t);
}

}  // namespace attn::render
