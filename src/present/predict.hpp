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

/// What is asked.
struct Prediction {
  std::int64_t cells = 1;    ///< of each tensor
  std::uint64_t seed = 123;  ///< decides which; the lesson's generator is left alone
  std::vector<std::string> tokens;
  render::TextOptions text;
  /// Somebody types the answers: what is no number is asked again. Else answers are echoed, and it is wrong.
  bool interactive = false;
};

/// How near an answer is, where numbers are printed as `printed` is.
enum class Mark {
  right,   ///< it is printed the same
  close,   ///< one unit of the last digit off
  coarse,  ///< right, but with fewer digits after the point
  wrong,
  unknown,  ///< an empty answer
  hint,     ///< "?" asks for one
  no_number,
};

Mark mark(std::string_view answer, std::string_view printed);

struct Score {
  std::size_t right = 0;
  std::size_t close = 0;
  std::size_t wrong = 0;
  std::size_t hints = 0;  ///< that were asked for

  std::size_t asked() const { return right + close + wrong; }
};

/// Writes the steps with cells of computed tensors blanked, asks for each, marks the answers, derives what was wrong,
/// and ends with the score, at the end of the input too. A cell whose number stands elsewhere is not asked for, or is
/// blanked there too; where a step's operands are not shown, the question tells them.
Score predict(std::istream& in, std::ostream& out, std::span<const Step> steps, const Prediction& prediction);

}  // namespace attn::present
