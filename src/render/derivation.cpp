#include "render/derivation.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "render/cell_words.hpp"
#include "render/derived.hpp"
#include "render/origin.hpp"
#include "torch/print.hpp"
#include "text/numbers.hpp"

namespace attn::render {
namespace {

using Rule = Derivation::Rule;
using Term = Derivation::Term;

/// Sums of more terms than this are shown by their first and last ones.
constexpr std::size_t most_terms = 24;
constexpr std::size_t first_terms = 12;
constexpr std::size_t last_terms = 4;
/// The output ends after the derivation with which it has this many lines.
constexpr std::size_t most_lines = 2000;
/// Digits with which a float32 or a double is told apart from its neighbours.
constexpr int float_digits = std::numeric_limits<float>::max_digits10;
constexpr int double_digits = std::numeric_limits<double>::digits10;

std::string significant(double value, int digits) {
  return text::number_text(value, std::chars_format::general, digits);
}

std::string right_aligned(const std::string& text, std::size_t width) {
  return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

/// One number to be derived, and how many operands lie between it and the cell asked for.
struct Task {
  Tensor tensor;
  Shape index;
  std::int64_t level;
};

class Writer {
 public:
  Writer(const Cell& cell, std::span<const std::string> tokens, const torch::PrintOptions& print)
      : cell_(cell), words_(*cell.step, tokens), print_(print) {}

  std::string write(std::int64_t depth) {
    depth_ = depth;
    follow({*cell_.step->tensor, cell_.index, 0});
    indent_ = 0;
    for (const Tensor& tensor : given_) {
      line(words_.name(tensor) + " is " + given_words(tensor), 0);
    }
    if (is_cut_) {
      text_ += "... cut after " + std::to_string(lines_) + " lines; ask for one of these cells, or a smaller --depth\n";
    }
    return text_;
  }

 private:
  /// Derives a number, then, each below it, what it is made of; each number once.
  void follow(const Task& task) {
    if (task.level >= depth_ || !seen_.insert({task.tensor.id(), task.index}).second) {
      return;
    }
    if (lines_ >= most_lines) {
      is_cut_ = true;
      return;
    }
    next_.clear();
    derive(task);
    for (const Task& operand : std::exchange(next_, {})) {
      follow(operand);
    }
  }

  void follow_later(const Task& task, const Element& element, std::int64_t levels = 1) {
    next_.push_back({operand(task, element), element.index, task.level + levels});
  }

  void line(const std::string& text, std::size_t more = 1) {
    text_ += std::string(indent_ + 2 * more, ' ') + text + "\n";
    ++lines_;
  }

  static const Tensor& operand(const Task& task, const Element& element) {
    return task.tensor.operands()[element.operand];
  }

  std::string cell(const Task& task, const Element& element) const {
    return words_.cell(operand(task, element), element.index);
  }

  std::string run(const Task& task, const Element& element, std::optional<std::size_t> open) const {
    return words_.run(operand(task, element), element.index, open);
  }

  /// "  journey" where a sum runs over tokens.
  std::string running_token(const Task& task, const Element& element, std::optional<std::size_t> axis) const {
    const auto token = words_.token_along(operand(task, element), element.index, axis);
    return token ? "  " + *token : "";
  }

  std::string number(double value) const { return arithmetic_text(value, print_.precision); }

  /// The element as print(tensor) shows it; of a summarised tensor, as if it were among larger and smaller ones.
  std::string printed(const Tensor& tensor, const Shape& index) {
    if (element_count(tensor.shape()) > print_.threshold) {
      return text::number_text(tensor.array().value(index), std::chars_format::fixed, print_.precision);
    }
    auto& print = printers_[tensor.id()];
    if (!print) {
      print = torch::element_printer(tensor.array().contents(), print_);
    }
    std::int64_t position = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis) {
      position = position * tensor.shape()[axis] + index[axis];
    }
    return print(position);
  }

  /// The axis along which the elements of a sum's terms lie.
  static std::optional<std::size_t> open_axis(const Element& first, const Element& last) {
    for (std::size_t axis = 0; axis < first.index.size(); ++axis) {
      if (first.index[axis] != last.index[axis]) {
        return axis;
      }
    }
    return {};
  }

  void derive(const Task& task) {
    const Tensor& tensor = task.tensor;
    indent_ = 2 * static_cast<std::size_t>(std::min<std::int64_t>(task.level, 8));
    const Derivation derivation = derived(tensor, task.index);
    const bool is_asked_for = task.level == 0 && text_.empty();
    if (derivation.rule == Rule::given) {
      return is_asked_for ? head(task, "   " + given_words(tensor)) : add_given(tensor);
    }
    if (derivation.rule == Rule::copy) {
      const Element& source = derivation.terms[0].a;
      follow_later(task, source, 0);
      if (!is_asked_for) {
        return;
      }
      const std::optional<Element>& mask = derivation.terms[0].b;
      return head(task, "   the same number as " + cell(task, source) +
                            (mask ? ", as " + cell(task, *mask) + " is False" : "") + ": " + words_.name(tensor) +
                            " = " + tensor.expression());
    }
    head(task);
    if (explained_.insert(tensor.id()).second) {
      line(words_.name(tensor) + " = " + tensor.expression() + "   " + shapes(tensor));
    }
    body(task, derivation);
    if (task.level == 0) {
      values(task, derivation);
    }
  }

  static std::string given_words(const Tensor& tensor) {
    return (tensor.operation().is_trainable() ? "a trainable parameter: " : "given: ") + tensor.expression();
  }

  void add_given(const Tensor& tensor) {
    if (std::ranges::none_of(given_, [&](const Tensor& other) { return other.id() == tensor.id(); })) {
      given_.push_back(tensor);
    }
  }

  void head(const Task& task, const std::string& note = "") {
    const std::string where = words_.places(task.tensor, task.index);
    const std::string& section = cell_.step->section;
    const bool is_root = task.tensor.id() == cell_.step->tensor->id() && task.level == 0;
    line(words_.cell(task.tensor, task.index) + " = " + printed(task.tensor, task.index) +
             (where.empty() ? "" : "   (" + where + ")") +
             (is_root && !section.empty() ? "   in section " + section : "") + note,
         0);
  }

  std::string shapes(const Tensor& tensor) const {
    std::string text;
    for (const Tensor& operand : tensor.operands()) {
      text += (text.empty() ? "" : ", ") + shape_text(operand.shape());
    }
    return text + " -> " + shape_text(tensor.shape());
  }

  void body(const Task& task, const Derivation& derivation) {
    switch (derivation.rule) {
      case Rule::products: return products(task, derivation);
      case Rule::sum: return sum(task, derivation);
      case Rule::softmax: return softmax(task, derivation);
      case Rule::comparison: return comparison(task, derivation);
      case Rule::masked: return masked(task, derivation);
      case Rule::kept: return kept(task, derivation);
      case Rule::dropped: return dropped(task, derivation);
      case Rule::exponential:
      case Rule::product:
      case Rule::quotient: return one_step(task, derivation);
      case Rule::given:
      case Rule::copy: break;
    }
  }

  /// Calls show(i) for the terms that are shown, and says how many are not.
  template <class Show>
  void each_term(std::size_t count, Show show) {
    for (std::size_t i = 0; i < count; ++i) {
      if (count > most_terms && i == first_terms) {
        i = count - last_terms;
        line("... " + std::to_string(i - first_terms) + " more ...", 2);
      }
      show(i);
    }
  }

  void products(const Task& task, const Derivation& derivation) {
    const std::vector<Term>& terms = derivation.terms;
    if (terms.empty()) {
      return line("a sum of no products");
    }
    const auto a_axis = open_axis(terms.front().a, terms.back().a);
    const auto b_axis = open_axis(*terms.front().b, *terms.back().b);
    line(run(task, terms[0].a, a_axis) + " meets " + run(task, *terms[0].b, b_axis) + ":");
    std::vector<float> sums;
    float running = 0;
    for (const Term& term : terms) {
      running += static_cast<float>(value_of(task.tensor, term.a)) * static_cast<float>(value_of(task.tensor, *term.b));
      sums.push_back(running);
    }
    const std::size_t width = number(-1).size();
    each_term(terms.size(), [&](std::size_t i) {
      const Term& term = terms[i];
      const float a = static_cast<float>(value_of(task.tensor, term.a));
      const float b = static_cast<float>(value_of(task.tensor, *term.b));
      line(cell(task, term.a) + " * " + cell(task, *term.b) + " = " +
               right_aligned(number(static_cast<double>(a)), width) + " * " +
               right_aligned(number(static_cast<double>(b)), width) + " = " +
               right_aligned(number(static_cast<double>(a * b)), width) + "   sum " +
               right_aligned(number(static_cast<double>(sums[i])), width) + running_token(task, term.a, a_axis),
           2);
      if (a * b != 0) {
        follow_later(task, term.a);
        follow_later(task, *term.b);
      }
    });
    if (derivation.bias) {
      const double bias = value_of(task.tensor, *derivation.bias);
      line("plus the bias " + cell(task, *derivation.bias) + " = " + number(bias) + "   sum " +
               number(static_cast<double>(running + static_cast<float>(bias))),
           2);
      follow_later(task, *derivation.bias);
    }
  }

  void sum(const Task& task, const Derivation& derivation) {
    const std::vector<Term>& terms = derivation.terms;
    if (terms.empty()) {
      return line("a sum of no numbers");
    }
    const auto axis = open_axis(terms.front().a, terms.back().a);
    line("the sum of " + run(task, terms[0].a, axis) + ":");
    std::vector<float> sums;
    float running = 0;
    for (const Term& term : terms) {
      sums.push_back(running += static_cast<float>(value_of(task.tensor, term.a)));
    }
    const std::size_t width = number(-1).size();
    each_term(terms.size(), [&](std::size_t i) {
      line(cell(task, terms[i].a) + " = " + right_aligned(number(value_of(task.tensor, terms[i].a)), width) +
               "   sum " + right_aligned(number(static_cast<double>(sums[i])), width) +
               running_token(task, terms[i].a, axis),
           2);
      follow_later(task, terms[i].a);
    });
  }

  void softmax(const Task& task, const Derivation& derivation) {
    const std::vector<Term>& terms = derivation.terms;
    const Exponentials exponentials = exponentials_of(task.tensor, derivation);
    const auto axis = open_axis(terms.front().a, terms.back().a);
    line("the maximum of " + run(task, terms[0].a, axis) + " is " + number(static_cast<double>(exponentials.largest)) +
         "; subtracted first, so that no exponential overflows:");
    const std::size_t width = number(-1).size();
    each_term(terms.size(), [&](std::size_t i) {
      line("exp(" + cell(task, terms[i].a) + " - max) = exp(" +
               right_aligned(number(static_cast<double>(exponentials.differences[i])), width) + ") = " +
               number(exponentials.values[i]) + running_token(task, terms[i].a, axis) +
               (i == derivation.position ? "  <- this one" : ""),
           2);
      if (exponentials.values[i] != 0 || i == derivation.position) {
        follow_later(task, terms[i].a);
      }
    });
    line("the sum of all " + std::to_string(terms.size()) + " exponentials = " + number(exponentials.total), 2);
    const double own = exponentials.values[derivation.position];
    line(number(own) + " / " + number(exponentials.total) + " = " + number(own / exponentials.total), 2);
  }

  void comparison(const Task& task, const Derivation& derivation) {
    line("True where every pair is close, |a - b| <= 1e-08 + 1e-05 * |b|:");
    each_term(derivation.terms.size(), [&](std::size_t i) {
      const Term& term = derivation.terms[i];
      const double a = value_of(task.tensor, term.a);
      const double b = value_of(task.tensor, *term.b);
      line(cell(task, term.a) + " = " + significant(a, float_digits) + ", " + cell(task, *term.b) + " = " +
               significant(b, float_digits) + (is_close(a, b) ? "  close" : "  not close"),
           2);
      follow_later(task, term.a);
      follow_later(task, *term.b);
    });
  }

  void masked(const Task& task, const Derivation& derivation) {
    const Element& mask = derivation.terms[0].a;
    const bool is_minus_infinity = derivation.constant < 0 && std::isinf(derivation.constant);
    line(cell(task, mask) + " is True, so the number is replaced by " + number(derivation.constant) +
         (is_minus_infinity ? ", which softmax turns into a weight of 0" : ""));
    follow_later(task, mask);
  }

  void kept(const Task& task, const Derivation& derivation) {
    const Term& term = derivation.terms[0];
    const double a = value_of(task.tensor, term.a);
    line(cell(task, *term.b) + " is True, so the number is kept, and scaled by 1 / (1 - p) = " +
         number(derivation.constant) + ":");
    line(cell(task, term.a) + " * " + number(derivation.constant) + " = " + number(a) + " * " +
             number(derivation.constant) + " = " + number(a * derivation.constant),
         2);
    follow_later(task, term.a);
    follow_later(task, *term.b);
  }

  void dropped(const Task& task, const Derivation& derivation) {
    const Term& term = derivation.terms[0];
    line(cell(task, *term.b) + " is False, so " + cell(task, term.a) + " = " + number(value_of(task.tensor, term.a)) +
         " is dropped: 0");
    follow_later(task, term.a);
    follow_later(task, *term.b);
  }

  void one_step(const Task& task, const Derivation& derivation) {
    const Term& term = derivation.terms[0];
    const double a = value_of(task.tensor, term.a);
    const std::string result = " = " + number(double_value(task.tensor, derivation));
    follow_later(task, term.a);
    if (derivation.rule == Rule::exponential) {
      return line("exp(" + cell(task, term.a) + ") = exp(" + number(a) + ")" + result, 2);
    }
    const std::string sign = derivation.rule == Rule::product ? " * " : " / ";
    const double b = term.b ? value_of(task.tensor, *term.b) : derivation.constant;
    line(cell(task, term.a) + sign + (term.b ? cell(task, *term.b) : number(b)) + " = " + number(a) + sign +
             number(b) + result,
         2);
    if (term.b) {
      follow_later(task, *term.b);
    }
  }

  void values(const Task& task, const Derivation& derivation) {
    if (task.tensor.dtype() != DType::float32 || derivation.rule == Rule::masked || derivation.rule == Rule::dropped) {
      return;
    }
    const double stored = task.tensor.array().value(task.index);
    const double exact = double_value(task.tensor, derivation);
    line("float32 " + significant(stored, float_digits) + ", the number in the tensor; float64 " +
         significant(exact, double_digits) + ", the same arithmetic in double precision");
    const float naive = float_value(task.tensor, derivation);
    if (static_cast<double>(naive) != stored && !(std::isnan(naive) && std::isnan(stored))) {
      line("plainly from left to right, float32 gives " + significant(static_cast<double>(naive), float_digits) + ": " +
           (derivation.rule == Rule::products || derivation.rule == Rule::sum
                ? "the tensor's kernel adds in another order or rounds less often, so the last digits differ"
                : "the tensor's kernel rounds in other places, so the last digits differ"));
    }
  }

  const Cell& cell_;
  CellWords words_;
  torch::PrintOptions print_;
  std::int64_t depth_ = 1;
  std::vector<Task> next_;     ///< what the number that is derived is made of
  std::vector<Tensor> given_;  ///< what numbers go back to
  bool is_cut_ = false;
  std::set<std::pair<const void*, Shape>> seen_;
  std::set<const void*> explained_;
  std::map<const void*, std::function<std::string(std::int64_t)>> printers_;
  std::string text_;
  std::size_t lines_ = 0;
  std::size_t indent_ = 0;
};

}  // namespace

std::string derivation_text(std::span<const Step> steps, const CellRequest& request, std::int64_t depth,
                            std::span<const std::string> tokens, const torch::PrintOptions& print) {
  return derivation_text(find_cell(steps, request, tokens), depth, tokens, print);
}

std::string derivation_text(const Cell& cell, std::int64_t depth, std::span<const std::string> tokens,
                            const torch::PrintOptions& print) {
  if (depth > 0) {
    return Writer(cell, tokens, print).write(depth);
  }
  return Writer(cell, tokens, print).write(1) + "made of, back to what is given:\n" + origin_text(cell, tokens) +
         "--depth 2, 3 and so on derive these numbers too, as many steps back\n";
}

}  // namespace attn::render
