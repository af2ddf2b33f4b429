#include "lesson/explain.hpp"

#include <algorithm>
#include <ostream>
#include <regex>
#include <unordered_set>

#include "tensor/words.hpp"
#include "text/lines.hpp"

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

/// Writes the words in lines of at most `width` columns; a shape is never split.
void write_wrapped(std::ostream& out, std::string_view first, std::string_view next, const std::string& words,
                   std::int64_t width) {
  constexpr std::string_view no_break = "\u00a0";
  static const std::regex in_shape("([0-9],) (?=[0-9])");
  const std::string kept = std::regex_replace(words, in_shape, "$1" + std::string(no_break));
  const std::string begun = std::string(first.substr(next.size())) + kept;  // the first line may begin with more
  for (const std::string& line : text::wrapped(begun, width, first.substr(0, next.size()), next)) {
    out << text::replaced(line, no_break, " ") << '\n';
  }
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

bool counts_tokens(const Tensor& tensor, std::size_t axis) {
  if (tensor.operation().facts().is_by_tokens || (axis == 0 && (tensor.name() == "inputs" || tensor.name() == "ids"))) {
    return true;
  }
  const auto source = tensor.operation().axis_source(tensor.operands(), axis);
  return source && counts_tokens(source->tensor, source->axis);
}

std::vector<bool> token_axes(const Tensor& tensor, std::size_t count) {
  std::vector<bool> axes;
  for (std::size_t axis = 0; axis < tensor.shape().size(); ++axis) {
    axes.push_back(tensor.shape()[axis] == static_cast<std::int64_t>(count) && counts_tokens(tensor, axis));
  }
  return axes;
}

bool counts_heads(const Tensor& tensor, std::size_t axis) {
  if (tensor.kind() == Kind::view) {
    const Shape& from = tensor.operands()[0].shape();
    const Shape& to = tensor.shape();
    const bool splits_last =
        !from.empty() && to.size() == from.size() + 1 && std::equal(from.begin(), from.end() - 1, to.begin());
    if (splits_last && axis + 1 == from.size()) {
      return true;
    }
    if (to.size() < from.size() && axis + 1 == to.size()) {
      return false;  // joined again
    }
  }
  const auto source = tensor.operation().axis_source(tensor.operands(), axis);
  return source && counts_heads(source->tensor, source->axis);
}

std::string head_name(std::int64_t item) { return "head " + std::to_string(item + 1); }

bool swaps_last(const Tensor& tensor) {
  const auto [first, second] = tensor.operation().facts().axes;
  return tensor.kind() == Kind::transpose && std::max(first, second) + 1 == tensor.shape().size() &&
         std::min(first, second) + 2 == tensor.shape().size();
}

bool is_made_with(const Tensor& tensor, const std::set<Kind>& kinds) {
  std::unordered_set<const void*> seen;
  bool is_made = false;
  for_each_source(tensor, seen, [&](const Tensor& one) { is_made = is_made || kinds.contains(one.kind()); });
  return is_made;
}

std::optional<std::int64_t> token_of(const Tensor& vector) {
  if (vector.dim() != 1) {
    return std::nullopt;
  }
  const auto& operands = vector.operands();
  switch (vector.kind()) {
    case Kind::index:
      return counts_tokens(operands[0], 0) ? std::optional(vector.operation().facts().at) : std::nullopt;
    case Kind::dots:
    case Kind::matvec: return token_of(operands[1]);
    case Kind::matmul:
    case Kind::linear:
    case Kind::weighted_sum:
    case Kind::scaled:
    case Kind::divided:
    case Kind::masked:
    case Kind::softmax:
    case Kind::exp:
    case Kind::cosine:
    case Kind::sine:
    case Kind::root:
    case Kind::inverse_root:
    case Kind::raised:
    case Kind::scaled_and_shifted:
    case Kind::subtracted:
    case Kind::dropout: return token_of(operands[0]);
    default: return std::nullopt;
  }
}

}  // namespace attn::render
