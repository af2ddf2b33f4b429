#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lesson/account.hpp"
#include "lesson/derivation.hpp"

namespace attn::render {
namespace {

constexpr std::size_t most_lines = 20;

/// The part of a tensor from `first` to `last`, both inclusive.
struct Part {
  Shape first;
  Shape last;

  void include(const Shape& index) {
    for (std::size_t axis = 0; axis < index.size(); ++axis) {
      first[axis] = std::min(first[axis], index[axis]);
      last[axis] = std::max(last[axis], index[axis]);
    }
  }
};

class Origin {
 public:
  Origin(const Cell& cell, std::span<const std::string> tokens) : words_(*cell.step, tokens) {
    const Tensor& root = *cell.step->tensor;
    add_order(root);
    parts_.emplace(root.id(), Part{cell.index, cell.index});
    for (auto tensor = operands_first_.rbegin(); tensor != operands_first_.rend(); ++tensor) {
      follow(*tensor);
    }
    write(root, 0);
    if (left_out_ > 0) {
      text_ += "  ... and " + std::to_string(left_out_) + " more\n";
    }
  }

  const std::string& text() const { return text_; }

 private:
  void add_order(const Tensor& tensor) {
    if (!ordered_.insert(tensor.id()).second) {
      return;
    }
    if (!is_given(tensor)) {
      for (const Tensor& operand : tensor.operands()) {
        add_order(operand);
      }
    }
    operands_first_.push_back(tensor);
  }

  static bool is_given(const Tensor& tensor) { return tensor.operands().empty() || tensor.operation().is_parameter(); }

  /// Adds the operands' parts that this tensor's part depends on. Operations are regular, so the corners of a part, and
  /// all places along short axes, determine them.
  void follow(const Tensor& tensor) {
    const auto part = parts_.find(tensor.id());
    if (part == parts_.end() || is_given(tensor)) {
      return;
    }
    follow_axis(tensor, Part(part->second), part->second.first, 0);
  }

  void follow_axis(const Tensor& tensor, const Part& part, Shape index, std::size_t axis) {
    constexpr std::int64_t few = 3;
    if (axis == index.size()) {
      return follow_cell(tensor, index);
    }
    for (std::int64_t i = part.first[axis]; i <= part.last[axis]; ++i) {
      index[axis] = i;
      follow_axis(tensor, part, index, axis + 1);
      if (i - part.first[axis] >= few && i < part.last[axis]) {
        i = part.last[axis] - 1;
      }
    }
  }

  void follow_cell(const Tensor& tensor, const Shape& index) {
    const Derivation derivation = derived(tensor, index);
    const auto include = [&](const Element& element) {
      const Tensor& operand = tensor.operands()[element.operand];
      parts_.try_emplace(operand.id(), Part{element.index, element.index}).first->second.include(element.index);
    };
    for (const Derivation::Term& term : derivation.terms) {
      include(term.a);
      if (term.b) {
        include(*term.b);
      }
    }
    if (derivation.bias) {
      include(*derivation.bias);
    }
  }

  /// A tensor without a name appears in the expression of the tensor computed from it.
  void write(const Tensor& tensor, std::size_t level) {
    if (!parts_.contains(tensor.id())) {
      return;
    }
    const bool is_named = !tensor.name().empty() || level == 0;
    const bool is_told = is_named && !told_.insert(tensor.id()).second;
    if (is_named && lines_ < most_lines) {
      text_ += std::string(2 * level + 2, ' ') + words_.name(tensor) + part_text(tensor) +
               (is_told ? ", above" : made_text(tensor)) + "\n";
      ++lines_;
    } else if (is_named && !is_told) {
      ++left_out_;
    }
    if (!is_told && !is_given(tensor)) {
      for (const Tensor& operand : tensor.operands()) {
        write(operand, level + (is_named ? 1 : 0));
      }
    }
  }

  static std::string made_text(const Tensor& tensor) {
    const char* const what = tensor.operation().is_trainable() ? ", a trainable parameter: "
                             : is_given(tensor)                ? ", given: "
                                                               : " = ";
    return what + tensor.expression();
  }

  /// "[0, 2, 0:3]", in Python's slice notation.
  std::string part_text(const Tensor& tensor) const {
    const Part& part = parts_.at(tensor.id());
    std::string text;
    for (std::size_t axis = 0; axis < part.first.size(); ++axis) {
      const std::int64_t first = part.first[axis];
      const std::int64_t end = part.last[axis] + 1;
      const bool is_whole = first == 0 && end == tensor.shape()[axis] && end > 1;
      text += (text.empty() ? "" : ", ") + (is_whole           ? ":"
                                            : end - first == 1 ? std::to_string(first)
                                                               : std::to_string(first) + ":" + std::to_string(end));
    }
    return text.empty() ? "" : "[" + text + "]";
  }

  CellWords words_;
  std::vector<Tensor> operands_first_;
  std::unordered_set<const void*> ordered_;
  std::unordered_map<const void*, Part> parts_;
  std::unordered_set<const void*> told_;
  std::string text_;
  std::size_t lines_ = 0;
  std::size_t left_out_ = 0;
};

}  // namespace

std::string origin_text(const Cell& cell, std::span<const std::string> tokens) { return Origin(cell, tokens).text(); }

}  // namespace attn::render
