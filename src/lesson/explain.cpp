#include "lesson/explain.hpp"

#include <algorithm>
#include <ostream>
#include <string_view>

#include "lesson/lineage.hpp"
#include "lesson/notices.hpp"
#include "tensor/words.hpp"
#include "text/columns.hpp"

namespace attn::render {
namespace {

/// Returns true if keys.T is clearer than the tensor's own name: a transposition of a named tensor.
bool is_plain_transposition(const Tensor& tensor) {
  return tensor.kind() == Kind::transpose && !tensor.operands()[0].name().empty();
}

std::string operand_words(const Tensor& operand) {
  const bool by_name = !operand.name().empty() && !is_plain_transposition(operand);
  return by_name ? operand.name() : grouped(operand.expression());
}

/// The operands to show: the first two and the last if there are many, as in a cat.
std::vector<Tensor> shown_operands(const Tensor& tensor) {
  const auto& all = tensor.operands();
  return all.size() > 5 ? std::vector<Tensor>{all[0], all[1], all.back()} : all;
}

/// The operands' expressions, each followed by a mark that its shape replaces.
std::vector<std::string> marked_words(const std::vector<Tensor>& operands, bool shortened) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const bool is_unnamed_leaf = operands[i].name().empty() && operands[i].operands().empty();
    if (shortened && i == operands.size() - 1) {
      words.emplace_back("...");
    }
    words.push_back(operand_words(operands[i]));
    if (!is_unnamed_leaf) {
      words.back() += static_cast<char>(i + 1);
    }
  }
  return words;
}

/// Replaces the marks with shapes. A blank separates a shape from a method.
std::string with_shapes(const std::string& marked, const std::vector<Tensor>& operands) {
  std::string text;
  for (const char c : marked) {
    const auto operand = static_cast<std::size_t>(static_cast<unsigned char>(c)) - 1;
    if (operand < operands.size()) {
      text += " " + shape_text(operands[operand].shape());
    } else {
      text += (c == '.' && text.ends_with(']') ? " ." : std::string(1, c));
    }
  }
  return text;
}

bool is_method(Kind how) {
  return how == Kind::transpose || how == Kind::view || how == Kind::contiguous || how == Kind::sum ||
         how == Kind::masked;
}

/// The text after the first operand: ".transpose(1, 2)".
std::string method_words(const Tensor& tensor) {
  const auto& operands = tensor.operands();
  std::vector<std::string> words = marked_words(operands, false);
  words[0] = "x";
  return with_shapes(tensor.operation().words(words).substr(1), operands);
}

std::string arrow(const Tensor& tensor) { return " -> " + shape_text(tensor.shape()); }

/// The end of the word that starts at `start`. A shape is never split.
std::size_t word_end(std::string_view text, std::size_t start) {
  std::size_t end = text.find(' ', start);
  while (end < text.size() && text[end - 1] == ',') {
    const std::size_t open = text.find_last_of("[]", end);
    const bool is_in_shape = open != std::string_view::npos && text[open] == '[' &&
                             text.find_first_not_of("0123456789, ", open + 1) == text.find(']', end);
    if (!is_in_shape) {
      break;
    }
    end = text.find(' ', end + 1);
  }
  return std::min(end, text.size());
}

/// Wraps text at word ends into lines of at most `width` columns; `first` begins the first line, `next` the others.
void write_wrapped(std::ostream& out, const std::string& first, const std::string& next, const std::string& words,
                   std::int64_t width) {
  std::string line = first;
  bool has_word = false;
  for (std::size_t start = 0; start < words.size();) {
    const std::size_t end = word_end(words, start);
    const std::string word = words.substr(start, end - start);
    if (has_word && text::display_columns(line) + 1 + text::display_columns(word) > width) {
      out << line << '\n';
      line = next;
      has_word = false;
    }
    line += (has_word ? " " : "") + word;
    has_word = true;
    start = end + 1;
  }
  out << line << '\n';
}

/// The tensor that an unnamed x[i] indexes, since the expression is written x[i][j].
const Tensor& indexed(const Tensor& x) {
  return x.kind() == Kind::index && x.name().empty() ? indexed(x.operands()[0]) : x;
}

}  // namespace

void write_explanation(std::ostream& out, const StepExplanation& explanation, std::int64_t width) {
  for (const StepExplanation& before : explanation.through) {
    write_explanation(out, before, width);
  }
  const auto write = [&](const std::string& first, const std::string& next, const std::string& text) {
    if (!text.empty()) {
      write_wrapped(out, first, next, text, width);
    }
  };
  if (!explanation.name.empty()) {
    write("# " + explanation.name + " = ", "#     ", explanation.expression);
  }
  write("# shapes: ", "#     ", explanation.shapes);
  write("# ", "# ", explanation.why);
  for (const Reason& reason : explanation.reasons) {
    write("# ", "# ", reason.text);
    for (const std::string& line : table_lines(reason)) {
      out << "#   " << line << '\n';
    }
  }
  for (const std::string& notice : explanation.notices) {
    write("# - ", "#   ", notice);
  }
}

std::string shape_rail(const Tensor& tensor) {
  const auto& operands = tensor.operands();
  const Kind how = tensor.kind();
  if (operands.empty()) {
    return tensor.expression() + arrow(tensor);
  }
  const bool is_chained = is_method(how) && operands[0].name().empty() && !operands[0].operands().empty();
  if (is_chained) {
    return shape_rail(operands[0]) + " " + method_words(tensor) + arrow(tensor);
  }
  if (how == Kind::index) {
    return tensor.expression() + ": " + shape_text(indexed(operands[0]).shape()) + arrow(tensor);
  }
  if (how == Kind::slice || how == Kind::weighted_sum) {
    return tensor.expression() + ": " + shape_text(operands[0].shape()) +
           (operands.size() > 1 ? ", " + shape_text(operands[1].shape()) : "") + arrow(tensor);
  }
  const std::vector<Tensor> shown = shown_operands(tensor);
  const auto marked = marked_words(shown, shown.size() < operands.size());
  return with_shapes(tensor.operation().words(marked), shown) + arrow(tensor);
}

StepExplanation explain(const Step& step, const Why& why, std::span<const std::string> tokens) {
  StepExplanation explanation;
  explanation.name = step.kind == Step::Kind::tensor ? step.name : "";
  StepWords words = why ? why(step) : StepWords();
  explanation.why = std::move(words.text);
  explanation.reasons = std::move(words.reasons);
  for (const Step& before : step.through) {
    explanation.through.push_back(explain(before, why, tokens));
  }
  if (step.tensor) {
    explanation.expression = step.tensor->expression();
    explanation.shapes = shape_rail(*step.tensor);
    explanation.notices = notices(step, tokens);
  }
  return explanation;
}

void write_explained_text(std::ostream& out, std::span<const Step> steps, const Why& why,
                          std::span<const std::string> tokens, const TextOptions& options) {
  std::vector<const Step*> pending;
  for (const Step& step : steps) {
    write_text(out, {&step, 1}, options);
    pending.push_back(&step);
    if (!step.end.ends_with('\n')) {
      continue;
    }
    for (const Step* shown : pending) {
      write_explanation(out, explain(*shown, why, tokens), options.print.linewidth);
    }
    pending.clear();
  }
}

}  // namespace attn::render
