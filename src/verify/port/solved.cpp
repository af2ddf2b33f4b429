#include "verify/port/solved.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>

#include "tensor/operations.hpp"
#include "text/numbers.hpp"
#include "verify/observed/observed.hpp"
#include "walk/mistake_rules.hpp"

namespace attn::verify {
namespace {

/// The cells of one matrix that one mask hides and the other shows, in words: "column 0 (3 cells, such as [1, 0])".
std::string differing(const std::vector<bool>& hidden, const std::vector<bool>& right, const Shape& shape) {
  const std::int64_t columns = shape.back();
  const std::int64_t size = columns * shape[shape.size() - 2];
  std::set<std::pair<std::int64_t, std::int64_t>> cells;
  std::set<std::int64_t> in_columns;
  for (std::size_t i = 0; i < hidden.size(); ++i) {
    if (hidden[i] && !right[i % right.size()]) {
      const std::int64_t place = static_cast<std::int64_t>(i) % size;
      cells.emplace(place / columns, place % columns);
      in_columns.insert(place % columns);
    }
  }
  if (cells.empty()) {
    return "";
  }
  const std::string such = std::to_string(cells.size()) + (cells.size() == 1 ? " cell, [" : " cells, such as [") +
                           std::to_string(cells.begin()->first) + ", " + std::to_string(cells.begin()->second) + "]";
  const bool is_column = in_columns.size() == 1 && cells.size() > 1;
  return is_column ? "column " + std::to_string(*in_columns.begin()) + " (" + such + ")" : such;
}

/// Finds the divisor of scores from two weights of a row; 0 if none tell it.
double divisor_of(const Laid& theirs, const std::vector<double>& scores, std::size_t width) {
  double distance = 0;
  double divisor = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const bool has_it = theirs.cells.empty() || std::ranges::binary_search(theirs.cells, static_cast<std::int64_t>(i));
    const std::size_t first = i / width * width;
    const double apart = scores[i] - scores[first];
    const double ratio = std::log(theirs.values[i] / theirs.values[first]);
    if (has_it && std::isfinite(ratio) && ratio != 0 && std::abs(apart) > distance) {
      distance = std::abs(apart);
      divisor = apart / ratio;
    }
  }
  return divisor;
}

/// The mistake of another mask of the scores' shape.
Mistake masked_by(const Tensor& mask, const std::string& sentence, bool is_of_weights) {
  return {"another-mask", sentence, mask_line, [mask, is_of_weights](const Tensor& was, const Tensor& is) {
            if (was.kind() == Kind::softmax && is_of_weights) {
              return softmax(masked_fill(is.operands()[0], mask, -infinity));
            }
            return !hides(was) ? is : is_of_weights ? is.operands()[0] : masked_fill(is.operands()[0], mask, -infinity);
          }};
}

}  // namespace

std::string mask_words(const std::vector<bool>& hidden, const std::vector<bool>& right, const Shape& shape) {
  const auto inverted = [](std::vector<bool> mask) {
    mask.flip();
    return mask;
  };
  const auto most_shown = [columns = shape.back()](const std::vector<bool>& mask) {
    std::ptrdiff_t most = 0;
    for (auto row = mask.begin(); row != mask.end(); row += columns) {
      most = std::max(most, std::count(row, row + columns, false));
    }
    return most;
  };
  const std::string more = differing(hidden, right, shape);
  const std::ptrdiff_t most = most_shown(hidden);
  if (!more.starts_with("column") && most < most_shown(right)) {
    return "each row shows at most " + std::to_string(most) + (most == 1 ? " token" : " tokens");
  }
  const std::string less = differing(inverted(hidden), inverted(right), shape);
  return "the mask" + (more.empty() ? "" : " hides " + more + ", which should be visible") +
         (more.empty() || less.empty() ? "" : ", and") +
         (less.empty() ? "" : " shows " + less + ", which should be hidden");
}

std::vector<Mistake> solved_mistakes(const Laid& theirs, const Tensor& step, const PortOperands& operands) {
  std::vector<Mistake> mistakes;
  const bool are_weights = step.kind() == Kind::softmax && step.size(-1) >= 2;
  if (are_weights) {
    const Mistake undivided = scaled_by_number(1);
    const auto scores = operands.remade(step.operands()[0], step, undivided.rule);
    const double divisor = scores && scores->shape() == step.shape()
                               ? divisor_of(theirs, values_of(*scores), static_cast<std::size_t>(step.size(-1)))
                               : 0;
    const double shortened = text::number_of<double>(text::factor_text(divisor)).value_or(divisor);
    divisor == 0 ? void() : mistakes.push_back(scaled_by_number(shortened));
  }
  const bool are_scores = hides(step) || (step.kind() == Kind::scaled && hides(step.operands()[0]));
  if ((are_weights || are_scores) && theirs.cells.empty() && step.dim() >= 2) {
    const auto hidden_in = [are_weights](const std::vector<double>& numbers) {
      std::vector<bool> hidden(numbers.size());
      std::transform(numbers.begin(), numbers.end(), hidden.begin(), [are_weights](double value) {
        return are_weights ? value == 0 || std::isnan(value) : value < -1e3;
      });
      return hidden;
    };
    const std::vector<bool> hidden = hidden_in(theirs.values);
    const std::vector<bool> right = hidden_in(values_of(*operands.remade(step)));
    const auto hidden_cells = std::ranges::count(hidden, true);
    if (hidden != right && hidden_cells > 0 && hidden_cells < std::ssize(hidden)) {
      mistakes.push_back(
          masked_by(mask_at(step.shape(), hidden, "mask"), mask_words(hidden, right, step.shape()), are_weights));
    }
  }
  return mistakes;
}

}  // namespace attn::verify
