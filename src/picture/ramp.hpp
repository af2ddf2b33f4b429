#pragma once

#include <string>

#include "text/styled.hpp"

namespace attn::render {

using text::Rgb;

/// A colour in OKLab, where equal distances look equal (B. Ottosson, https://bottosson.github.io/posts/oklab).
struct OkLab {
  double lightness;  ///< 0 black, 1 white
  double a;          ///< green to red
  double b;          ///< blue to yellow
};

OkLab to_oklab(Rgb colour);
/// The nearest sRGB colour, each channel clipped.
Rgb from_oklab(const OkLab& colour);

/// From dark violet over teal to yellow, for t from 0 to 1: lightness rises evenly, so that the ramp can be read
/// without seeing hues.
Rgb sequential_colour(double t);

/// From blue over white (t = 0.5) to brown: lightness falls evenly, and alike on both sides.
Rgb diverging_colour(double t);

/// The same for a dark page: from blue over near black to brown, getting lighter evenly.
Rgb dark_diverging_colour(double t);

/// The ramps in xterm's 256 colours: few tones, chosen by eye, since the nearest ones stray into greys and other hues.
int sequential_xterm(double t);
int diverging_xterm(double t);

/// "#0b57b0"
std::string hex(Rgb colour);

/// (L1 + 0.05) / (L2 + 0.05) of the relative luminances: WCAG 2.2, "contrast ratio".
double contrast(Rgb one, Rgb other);

/// Black or white, whichever is easier to read on this colour; the contrast is never below 4.58.
Rgb text_colour(Rgb background);

/// Of xterm's 256 colours, the nearest one of the colour cube (16 to 231) or the greys (232 to 255). The first 16
/// are whatever the user's theme makes of them.
int nearest_xterm(Rgb colour);
Rgb xterm_colour(int index);

}  // namespace attn::render
