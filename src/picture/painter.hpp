#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "picture/ramp.hpp"
#include "picture/terminal.hpp"
#include "text/styled.hpp"

namespace attn::render {

/// Maps finite numbers to the ramp.
struct Scale {
  double low;   ///< smallest finite number; above `high` if there is none
  double high;  ///< largest finite number

  explicit Scale(std::span<const double> values);

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
  enum class Of {
    numbers,
    booleans,     ///< 0 for False, 1 for True
    differences,  ///< symmetric around 0, which stays plain
  };

  Painter(const Scale& scale, Of of, const Terminal& terminal) : scale_(scale), of_(of), terminal_(terminal) {}

  bool coloured() const { return terminal_.colour != Terminal::Colour::none; }
  /// The columns of a cell besides its number: a blank at either side, or two blanks and the glyph.
  std::int64_t padding() const { return coloured() ? 2 : 3; }

  Look look(double value) const;

  /// This many samples from the lowest to the highest number, each one column wide.
  text::StyledLine ramp(std::int64_t columns) const;
  /// The number of samples if there is room.
  std::int64_t ramp_columns() const;

 private:
  bool diverging() const { return of_ == Of::differences || scale_.diverging(); }
  double at(double value) const;
  Rgb colour(double value, double t) const;
  Tone tone(double value, double t) const;

  Scale scale_;
  Of of_;
  Terminal terminal_;
};

}  // namespace attn::render
