#pragma once

#include <string>

#include "text/styled.hpp"

namespace attn::render {

using text::Rgb;

/// Returns a colour from dark violet over teal to yellow for t from 0 to 1. Lightness rises evenly, so the ramp is
/// legible without hues.
Rgb sequential_colour(double t);

/// Returns a colour from blue over white (t = 0.5) to brown. Lightness falls evenly and equally on both sides.
Rgb diverging_colour(double t);

/// The diverging ramp for a dark page: from blue over near black to brown, with lightness rising evenly on both sides.
Rgb dark_diverging_colour(double t);

/// One of xterm's 256 colours, and black or white, whichever is more legible on it.
struct Tone {
  int background;
  int text;
};

/// The ramps in xterm's colours: a few tones chosen by eye, because the nearest ones stray into greys and other hues.
Tone sequential_tone(double t);
Tone diverging_tone(double t);
Tone grey_tone(bool is_light);

/// "#0b57b0"
std::string hex(Rgb colour);

/// The contrast ratio of WCAG 2.2: (L1 + 0.05) / (L2 + 0.05) of the relative luminances.
double contrast(Rgb one, Rgb other);

/// Black or white, whichever is more legible on this colour; the contrast is never below 4.58.
Rgb text_colour(Rgb background);

}  // namespace attn::render
