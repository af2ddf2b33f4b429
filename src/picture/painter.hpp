#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "picture/ramp.hpp"
#include "picture/terminal.hpp"
#include "text/styled.hpp"

namespace attn::render {

/// Where finite numbers stand on the ramp.
struct Scale {
  double low;   ///< the smallest finite number; above `high` where there is none
  double high;  ///< the largest

  explicit Scale(std::span<const double> values);

  bool empty() const { return low > high; }
  bool diverging() const { return low < 0 && high > 0; }

  /// From 0 to 1; 0.5 for the 0 of a diverging scale and for the only number of a constant tensor.
  double at(double value) const;
};

/// How one number looks: a background, or where the terminal has no colours, a glyph beside it.
struct Look {
  text::Style style;
  std::string glyph;
};

/// Gives the numbers of a scale their looks. What is not finite stays plain.
class Painter {
 public:
  enum class Of {
    numbers,
    booleans,     ///< 0 for False, 1 for True
    differences,  ///< symmetric around 0, which stays plain
  };

  Painter(const Scale& scale, Of of, const Terminal& terminal) : scale_(scale), of_(of), terminal_(terminal) {}

  bool coloured() const { return terminal_.colour != Terminal::Colour::none; }
  /// The columns of a cell besides the number: a blank at either side, or two blanks and the glyph.
  std::int64_t padding() const { return coloured() ? 2 : 3; }

  Look look(double value) const;

  /// So many samples from the lowest to the highest number, each a run of one column.
  text::StyledLine ramp(std::int64_t columns) const;
  /// How many there are where there is room.
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
