#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lesson/explain.hpp"
#include "lesson/frame.hpp"
#include "lesson/printed.hpp"
#include "present/screen.hpp"
#include "walk/walkthrough.hpp"
#include "walk/what_if.hpp"

namespace attn::present {

/// What to present.
struct Presentation {
  /// Computes the chapter's walkthrough.
  std::function<Walkthrough()> walk;
  /// Selects the steps of a walkthrough that are shown.
  std::function<std::vector<Step>(const std::vector<Step>& steps)> select;
  /// The rules that change something in the chapter, and the walkthrough with one of them changed. If this throws, the
  /// message is shown.
  std::function<std::vector<const WhatIf*>()> what_ifs;
  std::function<Walkthrough(const Walkthrough& as_is, const WhatIf& rule)> change;
  std::string seed;                 ///< for the title
  std::vector<std::string> tokens;  ///< words for the rows of `inputs`; may be empty
  render::Why why;
  render::TextOptions text;
  /// The chapter's introduction and ending, and whether they are shown.
  std::function<render::Framing(std::span<const Step> steps)> framing;
  bool is_framed = false;
  bool explains = false;  ///< initially
  bool draws_heatmaps = false;
};

/// Shows one step at a time, chapter after chapter, and obeys the keys until the user quits. Throws NoTerminal, and
/// whatever the walks throw.
void present(std::span<const Presentation> chapters, render::Colours colours);

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
