#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lesson/printed.hpp"
#include "walk/walkthrough.hpp"

namespace attn::present {

/// What to ask.
struct Prediction {
  std::int64_t cells = 1;    ///< cells per tensor
  std::uint64_t seed = 123;  ///< chooses the cells; the lesson's generator is not used
  std::vector<std::string> tokens;
  render::TextOptions text;
  /// A person types the answers: anything but a number is asked for again. Otherwise answers are echoed, and anything
  /// but a number is wrong.
  bool interactive = false;
};

/// Compares an answer with a number that is printed as `printed` is.
enum class Mark {
  right,   ///< prints the same
  close,   ///< one unit of the last digit off
  coarse,  ///< right, but with fewer decimals
  wrong,
  unknown,  ///< an empty answer
  hint,     ///< "?" asks for a hint
  no_number,
};

Mark mark(std::string_view answer, std::string_view printed);

struct Score {
  std::size_t right = 0;
  std::size_t close = 0;
  std::size_t wrong = 0;
  std::size_t hints = 0;  ///< hints asked for

  std::size_t asked() const { return right + close + wrong; }
};

/// Writes the steps with cells of computed tensors blanked, asks for each, marks the answers, derives the numbers that
/// were answered wrong, and ends with the score, also at the end of the input. A cell whose number appears elsewhere is
/// not asked for, or is blanked there too. If a step's operands are not shown, the question states them.
Score predict(std::istream& in, std::ostream& out, std::span<const Step> steps, const Prediction& prediction);

}  // namespace attn::present
