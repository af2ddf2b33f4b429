#pragma once

#include <string>

#include "text/styled.hpp"

namespace attn::render {

using text::Rgb;

/// From dark violet over teal to yellow, for t from 0 to 1: lightness rises evenly, so that the ramp can be read
/// without seeing hues.
Rgb sequential_colour(double t);

/// From blue over white (t = 0.5) to brown: lightness falls evenly, and alike on both sides.
Rgb diverging_colour(double t);

/// The same for a dark page: from blue over near black to brown, getting lighter evenly.
Rgb dark_diverging_colour(double t);

/// One of xterm's 256 colours, and black or white, whichever is easier to read on it.
struct Tone {
  int background;
  int text;
};

/// The ramps in these: few tones, chosen by eye, since the nearest ones stray into greys and other hues.
Tone sequential_tone(double t);
Tone diverging_tone(double t);
Tone grey_tone(bool is_light);

/// "#0b57b0"
std::string hex(Rgb colour);

/// (L1 + 0.05) / (L2 + 0.05) of the relative luminances: WCAG 2.2, "contrast ratio".
double contrast(Rgb one, Rgb other);

/// Black or white, whichever is easier to read on this colour; the contrast is never below 4.58.
Rgb text_colour(Rgb background);

}  // namespace attn::render
