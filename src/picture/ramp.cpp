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

// ---- OKLab: B. Ottosson, https://bottosson.github.io/posts/oklab ------------------------------------

/// A colour in a space where equal distances look equal.
struct OkLab {
  double lightness;  ///< 0 black, 1 white
  double a;          ///< green to red
  double b;          ///< blue to yellow
};

/// The nearest sRGB colour, each channel clipped.
Rgb from_oklab(const OkLab& colour) {
  const double l = std::pow(colour.lightness + 0.3963377774 * colour.a + 0.2158037573 * colour.b, 3);
  const double m = std::pow(colour.lightness - 0.1055613458 * colour.a - 0.0638541728 * colour.b, 3);
  const double s = std::pow(colour.lightness - 0.0894841775 * colour.a - 1.2914855480 * colour.b, 3);
  return {encoded(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
          encoded(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
          encoded(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

// ---- Ramps -----------------------------------------------------------------------------------------

/// A colour on a ramp, and its position.
struct Stop {
  double t;
  OkLab colour;
};

/// Five colours of viridis (N. Smith and S. van der Walt, matplotlib), which is safe for colour-blind readers. Each
/// one's position is its lightness relative to the first and the last.
constexpr std::array<Stop, 5> viridis = {{{0, {0.2850182388, 0.1017117717, -0.0912292354}},
                                          {0.2582685403, {0.4484178408, -0.0068391720, -0.0976736453}},
                                          {0.4922803796, {0.5964708764, -0.0935283658, -0.0170478659}},
                                          {0.7333377362, {0.7489814225, -0.1404704047, 0.1009986635}},
                                          {1, {0.9176915089, -0.0389968283, 0.1817267625}}}};
/// Blue (hue 255°, chroma 0.125) and brown (hue 55°, chroma 0.115) of equal lightness.
constexpr std::array<Stop, 3> blue_white_brown = {
    {{0, {0.48, -0.0323523806, -0.1207407283}}, {0.5, {0.97, 0, 0}}, {1, {0.48, 0.0659612902, 0.0942024851}}}};
/// Lighter colours of the same hues.
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

constexpr Tone black_on(int background) { return {background, 16}; }
constexpr Tone white_on(int background) { return {background, 231}; }

/// Violet over teal to yellow; blue over white to brown.
constexpr std::array sequential_tones{white_on(54), white_on(24),  black_on(30), black_on(36),
                                      black_on(77), black_on(185), black_on(226)};
constexpr std::array diverging_tones{white_on(25),  black_on(68),  black_on(110), black_on(153), black_on(255),
                                     black_on(223), black_on(180), black_on(173), white_on(130)};

template <std::size_t size>
Tone tone_at(const std::array<Tone, size>& tones, double t) {
  return tones[static_cast<std::size_t>(std::lround(std::clamp(t, 0.0, 1.0) * (size - 1)))];
}

}  // namespace

Rgb sequential_colour(double t) { return colour_at(viridis, t); }

Rgb diverging_colour(double t) { return colour_at(blue_white_brown, t); }

Rgb dark_diverging_colour(double t) { return colour_at(blue_black_brown, t); }

Tone sequential_tone(double t) { return tone_at(sequential_tones, t); }

Tone diverging_tone(double t) { return tone_at(diverging_tones, t); }

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

double contrast(Rgb one, Rgb other) {
  const auto [darker, lighter] = std::minmax({luminance(one), luminance(other)});
  return (lighter + 0.05) / (darker + 0.05);
}

Rgb text_colour(Rgb background) { return contrast(background, white) >= contrast(background, black) ? white : black; }

}  // namespace attn::render
