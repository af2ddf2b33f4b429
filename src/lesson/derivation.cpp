#include "lesson/told.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "lesson/account.hpp"
#include "text/numbers.hpp"
#include "torch/print.hpp"

namespace attn::render {
namespace {

using Rule = Derivation::Rule;

/// The output stops after the derivation that reaches this many lines.
constexpr std::size_t most_lines = 2000;
/// Digits that tell a float32 or a double apart from its neighbours.
constexpr int float_digits = std::numeric_limits<float>::max_digits10;
constexpr int double_digits = std::numeric_limits<double>::digits10;

std::string significant(double value, int digits) {
  return text::number_text(value, std::chars_format::general, digits);
}

/// A number to derive, and the number of operands between it and the requested cell.
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
    for (const std::string& words : given_) {
      line(words, 0);
    }
    if (is_cut_) {
      text_ +=
          "... cut after " + std::to_string(lines_) + " lines; derive one of these cells, or use a smaller --depth\n";
    }
    return text_;
  }

 private:
  /// Derives a number and, below it, each number it is computed from; no number is derived twice.
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

  /// The element as print(tensor) shows it; for a summarised tensor, in fixed-point notation with print's precision.
  std::string printed(const Tensor& tensor, const Shape& index) {
    if (element_count(tensor.shape()) > print_.threshold) {
      return text::number_text(tensor.value(index), std::chars_format::fixed, print_.precision);
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

  void derive(const Task& task) {
    const Tensor& tensor = task.tensor;
    indent_ = 2 * static_cast<std::size_t>(std::min<std::int64_t>(task.level, 8));
    const Account account(tensor, task.index, words_, print_.precision);
    const Rule rule = account.derivation().rule;
    const bool is_asked_for = task.level == 0 && text_.empty();
    if (rule == Rule::copy) {
      follow_later(task, account.derivation().terms[0].a, 0);
    }
    if (const std::string& note = account.telling().note; !note.empty()) {
      if (is_asked_for) {
        head(task, "   " + account.filled(note));
      } else if (rule == Rule::given && explained_.insert(tensor.id()).second) {
        given_.push_back(words_.name(tensor) + " is " + account.filled(note));
      }
      return;
    }
    head(task);
    if (explained_.insert(tensor.id()).second) {
      line(words_.name(tensor) + " = " + tensor.expression() + "   " + shapes(tensor));
    }
    body(task, account);
    if (task.level == 0) {
      values(task, account);
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

  void body(const Task& task, const Account& account) {
    const Lines& lines = account.telling().lines;
    if (!lines.opening.empty()) {
      line(account.filled(lines.opening));
    }
    const std::vector<Derivation::Term>& terms = account.derivation().terms;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (terms.size() > most_terms && i == first_terms) {
        i = terms.size() - last_terms;
        line("... " + std::to_string(i - first_terms) + " more ...", 2);
      }
      if (!lines.each.empty()) {
        line(account.filled(lines.each, i), 2);
      }
      if (account.counts(i)) {
        follow_later(task, terms[i].a);
        if (terms[i].b) {
          follow_later(task, *terms[i].b);
        }
      }
    }
    if (const auto& bias = account.derivation().bias; bias && !lines.bias.empty()) {
      line(account.filled(lines.bias, terms.size()), 2);
      follow_later(task, *bias);
    }
    for (const std::string& closing : lines.closing) {
      line(account.filled(closing), 2);
    }
  }

  void values(const Task& task, const Account& account) {
    if (task.tensor.dtype() != DType::float32 || account.telling().is_exact) {
      return;
    }
    const double stored = task.tensor.value(task.index);
    const double exact = double_value(task.tensor, account.derivation());
    line("float32 " + significant(stored, float_digits) + ", the number in the tensor; float64 " +
         significant(exact, double_digits) + ", the same arithmetic in double precision");
  }

  const Cell& cell_;
  CellWords words_;
  torch::PrintOptions print_;
  std::int64_t depth_ = 1;
  std::vector<Task> next_;          ///< operands of the number being derived
  std::vector<std::string> given_;  ///< lines about the given tensors
  bool is_cut_ = false;
  std::set<std::pair<const void*, Shape>> seen_;
  std::set<const void*> explained_;
  std::map<const void*, std::function<std::string(std::int64_t)>> printers_;
  std::string text_;
  std::size_t lines_ = 0;
  std::size_t indent_ = 0;
};

std::vector<std::string> hint_of(const Account& account, const Lines& lines) {
  const std::size_t count = account.derivation().terms.size();
  const std::size_t shown = std::min(count, most_terms);  // enough to show the method
  std::vector<std::string> hint = {account.filled(lines.opening)};
  for (std::size_t i = 0; i < shown; ++i) {
    hint.push_back(account.filled(lines.each, i));
  }
  if (shown < count) {
    hint.push_back("... " + std::to_string(count - shown) + " more ...");
  }
  if (account.derivation().bias) {
    hint.push_back(account.filled(lines.bias, count));
  }
  return hint;
}

}  // namespace

std::string derivation_text(std::span<const Step> steps, const CellRequest& request, std::int64_t depth,
                            std::span<const std::string> tokens, const torch::PrintOptions& print) {
  return derivation_text(find_cell(steps, request, tokens), depth, tokens, print);
}

std::string derivation_text(const Cell& cell, std::int64_t depth, std::span<const std::string> tokens,
                            const torch::PrintOptions& print) {
  return Writer(cell, tokens, print).write(depth > 0 ? depth : std::numeric_limits<std::int64_t>::max());
}

std::vector<std::vector<std::string>> hints(const Cell& cell, std::span<const std::string> tokens,
                                            const torch::PrintOptions& print) {
  const CellWords words(*cell.step, tokens);
  const Account account(*cell.step->tensor, cell.index, words, print.precision);
  std::vector<std::vector<std::string>> hints;
  for (const Lines& lines : account.telling().hints) {
    hints.push_back(hint_of(account, lines));
  }
  return hints;
}

}  // namespace attn::render
