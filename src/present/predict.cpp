#include "present/presenter.hpp"

#include <algorithm>
#include <cmath>
#include <istream>
#include <ostream>
#include <stdexcept>
#include <utility>

#include "lesson/printed.hpp"
#include "lesson/questions.hpp"
#include "lesson/told.hpp"
#include "picture/terminal.hpp"
#include "text/lines.hpp"
#include "text/numbers.hpp"

namespace attn::present {
namespace {

// ---- Numbers as people type them -----------------------------------------------------------------

/// Reads the next line; false at the end of the input. Throws std::runtime_error if the line is too long to be an
/// answer.
bool read_line(std::istream& in, std::string& line) {
  constexpr std::size_t longest = 4096;
  char c = 0;
  bool has_any = false;
  while (in.get(c)) {
    has_any = true;
    if (c == '\n') {
      break;
    }
    line += c;
    if (line.size() > longest) {
      throw std::runtime_error("--predict: a line of the answers is longer than " + std::to_string(longest) +
                               " bytes; give one number a line, such as 0.1587");
    }
  }
  return has_any;
}

/// Parses a number, which may start with "+".
std::optional<double> number_of(std::string_view text) {
  if (text.starts_with('+') && text.size() > 1 && text[1] != '-') {
    text.remove_prefix(1);
  }
  return text::number_of<double>(text);
}

/// The notation of a printed number: 0.1587, 3., 1.5870e-01.
struct Notation {
  int digits = 0;  ///< after the decimal point
  bool scientific = false;
};

Notation notation_of(std::string_view printed) {
  const std::size_t exponent = printed.find('e');
  const std::size_t point = printed.find('.');
  const std::size_t end = std::min(exponent, printed.size());
  const std::size_t digits = point == std::string_view::npos ? 0 : end - point - 1;
  return {static_cast<int>(digits), exponent != std::string_view::npos};
}

/// The number as it is printed.
double rounded(double number, const Notation& notation) {
  const auto format = notation.scientific ? std::chars_format::scientific : std::chars_format::fixed;
  return number_of(text::number_text(number, format, notation.digits)).value_or(number);
}

/// One unit of the last printed digit.
double unit(double printed, const Notation& notation) {
  const double exponent = notation.scientific && printed != 0 ? std::floor(std::log10(std::abs(printed))) : 0;
  return std::pow(10.0, exponent - notation.digits);
}

// ---- Asking --------------------------------------------------------------------------------------

class Quiz {
 public:
  Quiz(std::istream& in, std::ostream& out, std::span<const Step> steps, const Prediction& prediction)
      : in_(in),
        out_(out),
        steps_(steps),
        prediction_(prediction),
        questions_(prediction.text, prediction.cells, prediction.seed) {}

  Score run() {
    if (prediction_.interactive) {
      out_ << "Type the number for each question mark; ? gives a hint, Enter alone shows the answer.\n\n";
    }
    for (const Step& step : steps_) {
      if (over_) {
        break;
      }
      if (const auto question = step.in_article ? questions_.of(step) : std::nullopt) {
        pose(step, *question);
      } else {
        show(step);
      }
    }
    say_score();
    return score_;
  }

 private:
  void show(const Step& step) {
    const torch::PrintedTensor printed = render::printed_step(step, prediction_.text);
    out_ << printed.text << step.end;
    questions_.note_shown(step, printed);
  }

  /// Shows a step with blanks, and asks for the blanked numbers.
  void pose(const Step& step, const render::Question& question) {
    out_ << question.text << "\n";
    for (const torch::PrintedCell& cell : question.asked) {
      if (!over_) {
        judge({&step, index_at(cell.position, step.tensor->shape())}, torch::cell_text(question.printed, cell),
              question.tells_operands);
      }
    }
    questions_.note_shown(step, question.printed);
    out_ << "\n";
  }

  void judge(const render::Cell& cell, const std::string& printed, bool tells_operands) {
    if (tells_operands) {
      give_hint(cell, 0);
    }
    const Mark result = read_mark(cell, printed, tells_operands ? 1 : 0);
    if (over_) {
      return;
    }
    switch (result) {
      case Mark::right:
        ++score_.right;
        out_ << "right\n";
        return;
      case Mark::close:
        ++score_.close;
        out_ << "close: it is " << printed << "\n";
        return;
      case Mark::coarse:
        ++score_.close;
        out_ << "close: right, but rounded too early; it is " << printed << "\n";
        return;
      case Mark::hint:
      case Mark::wrong: out_ << "no, it is " << printed << "\n"; break;
      case Mark::unknown: out_ << "it is " << printed << "\n"; break;
      case Mark::no_number: out_ << "not a number; it is " << printed << "\n"; break;
    }
    ++score_.wrong;
    derive(cell);
  }

  /// Rejects an answer, says why, and asks for it again.
  bool is_refused(Mark mark, const std::string& printed) {
    if (!prediction_.interactive) {
      return false;
    }
    if (mark == Mark::no_number) {
      out_ << "type a number such as 0.1587, ? for a hint, or Enter alone for the answer\n";
    } else if (mark == Mark::coarse) {
      const int digits = notation_of(printed).digits;
      out_ << "correct so far: round to " << digits << (digits == 1 ? " place" : " places") << " and try again\n";
    }
    return mark == Mark::no_number || mark == Mark::coarse;
  }

  void give_hint(const render::Cell& cell, std::size_t which) {
    const std::vector<std::vector<std::string>> all = render::hints(cell, prediction_.tokens, prediction_.text.print);
    if (which >= all.size()) {
      out_ << "no more hints\n";
      return;
    }
    for (const std::string& line : all[which]) {
      out_ << "  " << line << "\n";
    }
  }

  /// Marks the answer; `hint` is the next hint to give.
  Mark read_mark(const render::Cell& cell, const std::string& printed, std::size_t hint) {
    for (;;) {
      out_ << cell.step->name << render::index_text(cell.index) << " = " << std::flush;
      std::string answer;
      if (!read_line(in_, answer)) {
        over_ = true;
        out_ << "\n";
        return Mark::unknown;
      }
      if (!prediction_.interactive) {
        out_ << render::printable(text::trimmed(answer), {}) << "\n";
      }
      const Mark result = mark(answer, printed);
      if (result == Mark::hint) {
        ++score_.hints;
        give_hint(cell, hint++);
      } else if (!is_refused(result, printed)) {
        return result;
      }
    }
  }

  void derive(const render::Cell& cell) {
    for (const std::string& line :
         text::lines_of(render::derivation_text(cell, 1, prediction_.tokens, prediction_.text.print))) {
      out_ << "  " << line << "\n";
    }
  }

  void say_score() {
    if (score_.asked() == 0) {
      out_ << (over_ ? "no answers, no score\n" : "nothing to predict: these steps have no computed numbers\n");
      return;
    }
    out_ << "score: " << score_.right << " of " << score_.asked() << " right";
    if (score_.close > 0) {
      out_ << ", " << score_.close << " close";
    }
    if (score_.hints > 0) {
      out_ << ", with " << score_.hints << (score_.hints == 1 ? " hint" : " hints");
    }
    out_ << "\n";
  }

  std::istream& in_;
  std::ostream& out_;
  std::span<const Step> steps_;
  const Prediction& prediction_;
  render::Questions questions_;
  Score score_;
  bool over_ = false;  ///< the input has ended
};

}  // namespace

Mark mark(std::string_view answer, std::string_view printed) {
  const std::string_view typed = text::trimmed(answer);
  const std::optional<double> truth = number_of(printed);
  const std::optional<double> number = number_of(typed);
  if (typed.empty()) {
    return Mark::unknown;
  }
  if (typed == "?") {
    return Mark::hint;
  }
  if (!number) {
    return Mark::no_number;
  }
  if (!truth || !std::isfinite(*truth) || !std::isfinite(*number)) {
    const bool same = truth && (*number == *truth || (std::isnan(*number) && std::isnan(*truth)));
    return same ? Mark::right : Mark::wrong;
  }
  const Notation notation = notation_of(printed);
  const double units = std::abs(rounded(*number, notation) - *truth) / unit(*truth, notation);
  if (units < 1.5) {
    return units < 0.5 ? Mark::right : Mark::close;
  }
  const Notation coarser = notation_of(typed);
  const bool is_coarse =
      coarser.digits > 0 && coarser.digits < notation.digits && !coarser.scientific && !notation.scientific;
  return is_coarse && rounded(*truth, coarser) == *number ? Mark::coarse : Mark::wrong;
}

Score predict(std::istream& in, std::ostream& out, std::span<const Step> steps, const Prediction& prediction) {
  return Quiz(in, out, steps, prediction).run();
}

}  // namespace attn::present
