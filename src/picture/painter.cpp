#include "picture/painter.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

namespace attn::render {
namespace {

// ---- Colours ---------------------------------------------------------------------------------------

using Ramp = std::array<std::uint32_t, 33>;

// Straight lines in OKLab (B. Ottosson) between five colours of viridis, and between blue (hue 255), white or near
// black, and brown (hue 55). Viridis (N. Smith and S. van der Walt, matplotlib) is safe for colour-blind readers.
constexpr Ramp sequential_ramp = {
    0x440154, 0x45105a, 0x461c61, 0x462668, 0x462f6e, 0x443775, 0x433f7c, 0x404882, 0x3c5089, 0x3a588b, 0x38618c,
    0x36698c, 0x34728d, 0x307a8d, 0x2c838d, 0x268b8c, 0x23938b, 0x2c9a87, 0x34a283, 0x3ca97f, 0x44b07a, 0x4bb774,
    0x53be6d, 0x5ac666, 0x6bcb60, 0x82cf5c, 0x96d358, 0xa8d653, 0xbada4d, 0xcbdd47, 0xdce13e, 0xede434, 0xfde725};
constexpr Ramp diverging_ramp = {
    0x255ea2, 0x3367a8, 0x4070ad, 0x4d7ab3, 0x5a83b8, 0x668cbe, 0x7396c3, 0x7f9fc8, 0x8ca9cd, 0x99b2d3, 0xa6bbd8,
    0xb3c5dd, 0xc0cee2, 0xcdd8e7, 0xdae2eb, 0xe7ebf0, 0xf5f5f5, 0xefeae6, 0xe9dfd8, 0xe3d4ca, 0xddc9bc, 0xd6beae,
    0xd0b3a0, 0xcaa892, 0xc39d84, 0xbd9376, 0xb68869, 0xb07d5b, 0xa9734d, 0xa2683f, 0x9b5e30, 0x945320, 0x8d4908};
constexpr Ramp dark_diverging_ramp = {
    0x7fbaff, 0x79b0f6, 0x74a6e7, 0x6e9cd7, 0x6892c8, 0x6389b9, 0x5d7fab, 0x57769c, 0x526c8e, 0x4c6380, 0x475a72,
    0x415165, 0x3c4858, 0x363f4b, 0x31373e, 0x2c2f32, 0x262626, 0x312d2b, 0x3c352f, 0x483c34, 0x534338, 0x5f4b3d,
    0x6b5241, 0x785a46, 0x84624a, 0x916a4f, 0x9e7253, 0xab7a57, 0xb9825c, 0xc68a60, 0xd49365, 0xe29b69, 0xf0a36d};

constexpr Tone black_on(int background) { return {background, 16}; }
constexpr Tone white_on(int background) { return {background, 231}; }

/// Violet over teal to yellow; blue over white to brown.
constexpr std::array sequential_tones{white_on(54), white_on(24),  black_on(30), black_on(36),
                                      black_on(77), black_on(185), black_on(226)};
constexpr std::array diverging_tones{white_on(25),  black_on(68),  black_on(110), black_on(153), black_on(255),
                                     black_on(223), black_on(180), black_on(173), white_on(130)};

/// The item nearest to t, from 0 to 1.
template <class Item, std::size_t size>
const Item& nearest(const std::array<Item, size>& items, double t) {
  return items[static_cast<std::size_t>(std::lround(std::clamp(t, 0.0, 1.0) * (size - 1)))];
}

Rgb colour_at(const Ramp& ramp, double t) {
  const std::uint32_t colour = nearest(ramp, t);
  const auto channel = [colour](int shift) { return static_cast<std::uint8_t>(colour >> shift); };
  return {channel(16), channel(8), channel(0)};
}

// ---- Glyphs ----------------------------------------------------------------------------------------

constexpr std::array<std::string_view, 8> blocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<std::string_view, 10> characters{" ", ".", ":", "-", "=", "+", "*", "#", "%", "@"};

template <std::size_t size>
std::string level(const std::array<std::string_view, size>& glyphs, double t) {
  const auto index = static_cast<std::size_t>(std::clamp(t, 0.0, 1.0) * static_cast<double>(size));
  return std::string(glyphs[std::min(index, size - 1)]);
}

}  // namespace

Rgb sequential_colour(double t) { return colour_at(sequential_ramp, t); }

Rgb diverging_colour(double t) { return colour_at(diverging_ramp, t); }

Rgb dark_diverging_colour(double t) { return colour_at(dark_diverging_ramp, t); }

Tone sequential_tone(double t) { return nearest(sequential_tones, t); }

Tone diverging_tone(double t) { return nearest(diverging_tones, t); }

Tone grey_tone(bool is_light) { return is_light ? black_on(252) : white_on(240); }

std::string hex(Rgb colour) {
  constexpr std::string_view figures = "0123456789abcdef";
  std::string text = "#";
  for (const int channel : {colour.red, colour.green, colour.blue}) {
    text += figures[static_cast<std::size_t>(channel / 16)];
    text += figures[static_cast<std::size_t>(channel % 16)];
  }
  return text;
}

/// Squares stand for sRGB's transfer function: on the ramps' colours, this chooses as the contrast of WCAG 2.2 does.
Rgb text_colour(Rgb background) {
  const auto square = [](int channel) { return channel * channel; };
  const int light = 4 * square(background.red) + 14 * square(background.green) + square(background.blue);
  return light > 4 * square(255) ? Rgb{0, 0, 0} : Rgb{255, 255, 255};
}

double Scale::at(double value) const {
  if (diverging()) {
    return 0.5 + 0.5 * (value / std::max(-low, high));
  }
  return low < high ? (value - low) / (high - low) : 0.5;
}

Look Painter::look(double value) const {
  if (!std::isfinite(value)) {
    return {{}, " "};
  }
  const double t = scale_.at(value);
  if (coloured()) {
    return {style(value, t), ""};
  }
  if (are_booleans_) {
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

text::Style Painter::style(double value, double t) const {
  if (terminal_.colour == Terminal::Colour::ansi256) {
    const Tone tone = are_booleans_        ? grey_tone(value != 0)
                      : scale_.diverging() ? diverging_tone(t)
                                           : sequential_tone(t);
    return {tone.text, tone.background};
  }
  const Rgb colour = are_booleans_        ? value != 0 ? Rgb{208, 208, 208} : Rgb{88, 88, 88}
                            : scale_.diverging() ? diverging_colour(t)
                                          : sequential_colour(t);
  return {text_colour(colour), colour};
}

}  // namespace attn::render
