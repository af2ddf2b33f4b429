#pragma once

#include <limits>

#include "picture/terminal.hpp"
#include "text/styled.hpp"

namespace attn::render {

using text::Rgb;

/// The ramps' colours for t from 0 to 1, one of 33. From dark violet over teal to yellow; lightness rises evenly.
Rgb sequential_colour(double t);
/// From blue over white (t = 0.5) to brown. Lightness falls evenly and equally on both sides.
Rgb diverging_colour(double t);
/// The diverging ramp for a dark page: from blue over near black to brown.
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

/// Black or white, whichever is more legible on a colour of a ramp; the contrast is never below 4.58.
Rgb text_colour(Rgb background);

/// Maps finite numbers to the ramp.
struct Scale {
  double low = std::numeric_limits<double>::infinity();    ///< smallest finite number; above `high` if there is none
  double high = -std::numeric_limits<double>::infinity();  ///< largest finite number

  bool empty() const { return low > high; }
  bool diverging() const { return low < 0 && high > 0; }

  /// A position from 0 to 1; 0.5 for the 0 of a diverging scale and for the only number of a constant tensor.
  double at(double value) const;
};

/// The look of one number: a background, or a glyph beside it if the terminal has no colours.
struct Look {
  text::Style style;
  std::string glyph;
};

/// Chooses the look of each number on a scale. Numbers that are not finite stay plain.
class Painter {
 public:
  /// Of booleans 0 is False and 1 is True.
  Painter(const Scale& scale, bool are_booleans, const Terminal& terminal)
      : scale_(scale), are_booleans_(are_booleans), terminal_(terminal) {}

  bool coloured() const { return terminal_.colour != Terminal::Colour::none; }
  /// The columns of a cell besides its number: a blank at either side, or two blanks and the glyph.
  std::int64_t padding() const { return coloured() ? 2 : 3; }

  Look look(double value) const;

  /// This many samples from the lowest to the highest number, each one column wide.
  text::StyledLine ramp(std::int64_t columns) const;
  /// The number of samples if there is room.
  std::int64_t ramp_columns() const;

 private:
  text::Style style(double value, double t) const;

  Scale scale_;
  bool are_booleans_;
  Terminal terminal_;
};

}  // namespace attn::render
