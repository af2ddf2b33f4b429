#include "picture/ramp.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace attn::render {
namespace {

constexpr Rgb black{0, 0, 0};
constexpr Rgb white{255, 255, 255};

// ---- sRGB: IEC 61966-2-1's transfer function ------------------------------------------------------

double linear(std::uint8_t channel) {
  const double value = channel / 255.0;
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

std::uint8_t encoded(double channel) {
  const double value = channel <= 0.0031308 ? 12.92 * channel : 1.055 * std::pow(channel, 1 / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::lround(255 * std::clamp(value, 0.0, 1.0)));
}

/// WCAG 2.2, "relative luminance".
double luminance(Rgb colour) {
  return 0.2126 * linear(colour.red) + 0.7152 * linear(colour.green) + 0.0722 * linear(colour.blue);
}

// ---- Ramps -----------------------------------------------------------------------------------------

/// A colour that a ramp goes through.
struct Stop {
  double t;
  OkLab colour;
};

/// Five colours of viridis (N. Smith and S. van der Walt, matplotlib), which is safe for colour-blind eyes, each where
/// its lightness stands between the first one's and the last one's.
constexpr std::array<Stop, 5> viridis = {{{0, {0.2850182388, 0.1017117717, -0.0912292354}},
                                          {0.2582685403, {0.4484178408, -0.0068391720, -0.0976736453}},
                                          {0.4922803796, {0.5964708764, -0.0935283658, -0.0170478659}},
                                          {0.7333377362, {0.7489814225, -0.1404704047, 0.1009986635}},
                                          {1, {0.9176915089, -0.0389968283, 0.1817267625}}}};
/// Blue of hue 255° and chroma 0.125, and brown of hue 55° and chroma 0.115, of one lightness.
constexpr std::array<Stop, 3> blue_white_brown = {
    {{0, {0.48, -0.0323523806, -0.1207407283}}, {0.5, {0.97, 0, 0}}, {1, {0.48, 0.0659612902, 0.0942024851}}}};
/// The same hues, but lighter.
constexpr std::array<Stop, 3> blue_black_brown = {
    {{0, {0.78, -0.0324619254, -0.1202800561}}, {0.5, {0.27, 0, 0}}, {1, {0.78, 0.0646601427, 0.0943319990}}}};

Rgb colour_at(std::span<const Stop> stops, double t) {
  t = std::clamp(t, 0.0, 1.0);
  std::size_t next = 1;
  while (stops[next].t < t) {
    ++next;
  }
  const auto& [from_t, from] = stops[next - 1];
  const auto& [to_t, to] = stops[next];
  const double share = (t - from_t) / (to_t - from_t);
  return from_oklab(
      {std::lerp(from.lightness, to.lightness, share), std::lerp(from.a, to.a, share), std::lerp(from.b, to.b, share)});
}

// ---- xterm -----------------------------------------------------------------------------------------

constexpr int first_of_cube = 16;
constexpr int first_grey = 232;
constexpr int xterm_colours = 256;

/// Violet over teal to yellow; blue over white to brown.
constexpr std::array sequential_tones{54, 24, 30, 36, 77, 185, 226};
constexpr std::array diverging_tones{25, 68, 110, 153, 255, 223, 180, 173, 130};

using Palette = std::array<OkLab, xterm_colours - first_of_cube>;

Palette xterm_palette() {
  Palette palette{};
  for (std::size_t i = 0; i < palette.size(); ++i) {
    palette[i] = to_oklab(xterm_colour(first_of_cube + static_cast<int>(i)));
  }
  return palette;
}

double distance(const OkLab& one, const OkLab& other) {
  return std::hypot(one.lightness - other.lightness, one.a - other.a, one.b - other.b);
}

}  // namespace

OkLab to_oklab(Rgb colour) {
  const double r = linear(colour.red);
  const double g = linear(colour.green);
  const double b = linear(colour.blue);
  const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

Rgb from_oklab(const OkLab& colour) {
  const double l = std::pow(colour.lightness + 0.3963377774 * colour.a + 0.2158037573 * colour.b, 3);
  const double m = std::pow(colour.lightness - 0.1055613458 * colour.a - 0.0638541728 * colour.b, 3);
  const double s = std::pow(colour.lightness - 0.0894841775 * colour.a - 1.2914855480 * colour.b, 3);
  return {encoded(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
          encoded(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
          encoded(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

Rgb sequential_colour(double t) { return colour_at(viridis, t); }

Rgb diverging_colour(double t) { return colour_at(blue_white_brown, t); }

Rgb dark_diverging_colour(double t) { return colour_at(blue_black_brown, t); }

int sequential_xterm(double t) {
  constexpr std::size_t last = sequential_tones.size() - 1;
  return sequential_tones[static_cast<std::size_t>(std::lround(std::clamp(t, 0.0, 1.0) * last))];
}

int diverging_xterm(double t) {
  constexpr std::size_t last = diverging_tones.size() - 1;
  return diverging_tones[static_cast<std::size_t>(std::lround(std::clamp(t, 0.0, 1.0) * last))];
}

std::string hex(Rgb colour) {
  constexpr std::string_view figures = "0123456789abcdef";
  std::string text = "#";
  for (const int channel : {colour.red, colour.green, colour.blue}) {
    text += figures[static_cast<std::size_t>(channel / 16)];
    text += figures[static_cast<std::size_t>(channel % 16)];
  }
  return text;
}

double contrast(Rgb one, Rgb other) {
  const auto [darker, lighter] = std::minmax({luminance(one), luminance(other)});
  return (lighter + 0.05) / (darker + 0.05);
}

Rgb text_colour(Rgb background) { return contrast(background, white) >= contrast(background, black) ? white : black; }

int nearest_xterm(Rgb colour) {
  static const Palette palette = xterm_palette();
  const OkLab wanted = to_oklab(colour);
  const auto nearest = std::min_element(palette.begin(), palette.end(), [&](const OkLab& one, const OkLab& other) {
    return distance(one, wanted) < distance(other, wanted);
  });
  return first_of_cube + static_cast<int>(nearest - palette.begin());
}

Rgb xterm_colour(int index) {
  if (index >= first_grey) {
    const auto grey = static_cast<std::uint8_t>(8 + 10 * (index - first_grey));
    return {grey, grey, grey};
  }
  constexpr std::array<std::uint8_t, 6> levels{0, 95, 135, 175, 215, 255};
  const auto cube = static_cast<std::size_t>(index - first_of_cube);
  return {levels[cube / 36], levels[cube / 6 % 6], levels[cube % 6]};
}

}  // namespace attn::render
