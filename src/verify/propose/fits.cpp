#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tensor/operations.hpp"
#include "verify/bound/chance.hpp"
#include "verify/bound/linear_fit.hpp"
#include "verify/bound/patterns.hpp"
#include "verify/propose/operands.hpp"
#include "verify/propose/rows.hpp"

namespace attn::verify {
namespace {

constexpr std::int64_t most_tokens = 12;
constexpr std::int64_t most_dimensions = 5;
constexpr std::size_t most_numbers = 400;
constexpr double least_of_column = -1;  ///< log10: a fit that hardly bounds a column says nothing of its cells

using Cells = std::vector<Interval>;

/// The columns of a matrix.
std::vector<Cells> columns_of(const Shape& shape, const Cells& cells) {
  std::vector<Cells> columns(at(shape[1]));
  for (std::size_t i = 0; i < cells.size(); ++i) {
    columns[i % columns.size()].push_back(cells[i]);
  }
  return columns;
}

/// x @ W, for some W: fitted column by column.
std::optional<double> chance_of_projection(const Observed& target, const std::vector<Cells>& x) {
  double chance = 0;
  for (const Cells& column : columns_of(target.shape, target.cells())) {
    const auto one = chance_of_linear_fit(x, column);
    if (!one || *one > least_of_column) {
      return std::nullopt;
    }
    chance += *one;
  }
  return chance;
}

/// Returns true if a causal mask hides cells of the target (scores or weights).
bool is_masked(const Observed& target, bool are_weights) {
  const Interval corner = target.cell(at(target.shape[0] - 1));
  return target.shape[0] > 1 && (are_weights ? corner.middle() == 0 : std::isinf(corner.low));
}

/// x @ M @ x.T, for some M: fitted to scores, or to the logarithms of weights, each row up to a constant. Cells that a
/// causal mask hides are left out.
std::optional<double> chance_of_scores(const Observed& target, const Observed& x, bool are_weights) {
  Cells cells;
  std::vector<std::pair<std::int64_t, std::int64_t>> places;
  const std::int64_t n = target.shape[0];
  const bool is_causal = is_masked(target, are_weights);
  for (std::int64_t i = 0; i < n * n; ++i) {
    const Interval cell = target.cell(at(i));
    const bool is_hidden = are_weights ? cell.middle() == 0 : std::isinf(cell.low) && cell.low < 0;
    if (is_hidden != (is_causal && is_in(Region::above, i / n, i % n))) {
      return std::nullopt;
    }
    if (is_hidden) {
      continue;
    }
    if (std::isinf(cell.low) || (are_weights && cell.low <= 0)) {
      return std::nullopt;
    }
    cells.push_back(are_weights ? Interval{std::log(cell.low), std::log(cell.high)} : cell);
    places.emplace_back(i / n, i % n);
  }
  std::vector<Cells> columns;
  const std::int64_t d = x.shape[1];
  for (std::int64_t a = 0; a < d; ++a) {
    for (std::int64_t b = 0; b < d; ++b) {
      Cells& products = columns.emplace_back();
      for (const auto& [row, other] : places) {
        products.push_back(times(x.cell(at(row * d + a)), x.cell(at(other * d + b))));
      }
    }
  }
  for (std::int64_t row = 0; are_weights && row < n; ++row) {
    Cells& ones = columns.emplace_back();
    for (const auto& place : places) {
      ones.push_back(place.first == row ? Interval{1, 1} : Interval{});
    }
  }
  return cells.empty() ? std::nullopt : chance_of_linear_fit(columns, cells);
}

/// The rows of a matrix, of a vector's one column, or of all entries of a batch.
Observed rows_of(Observed x) {
  if (x.rank() == 1) {
    x.shape.push_back(1);
  } else if (x.rank() == 3) {
    x.shape = {x.shape[0] * x.shape[1], x.shape[2]};
  }
  return x;
}

bool may_be_inputs(const Leaf& leaf) {
  const Tensor& x = leaf.tensor;
  const std::int64_t columns = x.dim() < 2 ? 0 : x.size(-1);
  return leaf.source.may_be_inputs && (x.dim() == 2 || x.dim() == 3) && x.size(-2) <= most_tokens &&
         columns <= most_dimensions && columns < element_count(x.shape()) / columns && !is_binary(leaf.source.numbers);
}

/// Returns true if both have as many rows in as many entries.
bool have_same_rows(const Shape& a, const Shape& b) {
  return a.size() == std::max<std::size_t>(b.size(), 2) && std::equal(a.begin(), a.end() - 1, b.begin());
}

/// Counts distinct rows: a repeated row tells nothing about weights.
std::int64_t distinct_rows(const Observed& x) {
  std::set<std::vector<double>> rows;
  const std::size_t columns = at(x.shape[1]);
  for (std::size_t i = 0; i < x.size(); i += columns) {
    rows.emplace(x.values.data() + i, x.values.data() + i + columns);
  }
  return static_cast<std::int64_t>(rows.size());
}

/// Returns true if a leaf prints a given tensor exactly; the given numbers are more precise.
bool is_given_exactly(const Search& search, const Source& printed) {
  return std::ranges::any_of(search.leaves(), [&](const Leaf& given) {
    return printed.position > 0 && given.source.position == 0 && given.source.numbers.shape == printed.numbers.shape &&
           std::ranges::equal(given.source.numbers.cells(), printed.numbers.cells(), meet);
  });
}

/// Returns true if the logarithms of the target's rows may be scores: rows of weights, masked before softmax or not.
bool are_rows_of_weights(const Observed& target) {
  const Cells cells = target.cells();
  const std::size_t columns = at(target.shape.back());
  for (std::size_t begin = 0; begin < cells.size(); begin += columns) {
    Interval sum;
    for (const Interval& cell : std::span(cells).subspan(begin, columns)) {
      if (cell.middle() < 0) {
        return false;
      }
      sum = {sum.low + cell.low, sum.high + cell.high};
    }
    if (!meet(sum, {1 - slack(1), 1 + slack(1)})) {
      return false;
    }
  }
  return true;
}

/// An unprinted tensor, called W or M.
Tensor unknown(const char* name, const Shape& shape) {
  return leaf_of(exactly(shape, std::vector<double>(at(element_count(shape)))), name);
}

class Fits {
 public:
  explicit Fits(Search& search) : search_(search), target_(rows_of(search.target())) {}

  /// Queries, scores or weights of inputs. Only the first tensors of a page may be inputs.
  void of_inputs() {
    bool is_printed_tried = false;
    for (std::size_t i = 0; i < search_.leaves().size() && !is_printed_tried && !search_.best(); ++i) {
      const Leaf& x = search_.leaves()[i];
      if (!may_be_inputs(x) || !have_same_rows(x.tensor.shape(), search_.shape()) ||
          is_given_exactly(search_, x.source)) {
        continue;
      }
      is_printed_tried = x.source.position > 0;
      const Observed inputs = rows_of(x.source.numbers);
      const std::int64_t d = inputs.shape[1];
      if (distinct_rows(inputs) <= d) {
        continue;
      }
      if (x.tensor.dim() == 2 && is_square(target_.shape)) {
        const Tensor scores = matmul(matmul(x.tensor, unknown("M", {d, d})), t(x.tensor));
        const auto seen = [&](bool are_weights) {
          return is_masked(target_, are_weights) ? masked_fill(scores, causal_mask(target_.shape), -HUGE_VALF) : scores;
        };
        keep(seen(false), "M", {i}, chance_of_scores(target_, x.source.numbers, false));
        if (are_rows_of_weights(target_)) {
          keep(softmax(seen(true)), "M", {i}, chance_of_scores(target_, x.source.numbers, true));
        }
      }
      if (const auto product = product_of(x.tensor, unknown("W", weights_shape(d)), false)) {
        keep(*product, "W", {i}, chance_of_projection(target_, columns_of(inputs.shape, inputs.cells())));
      }
    }
  }

  /// Context vectors of printed weights and unprinted values.
  void of_weights() {
    for (std::size_t w = 0; w < search_.leaves().size() && !search_.best(); ++w) {
      const Leaf& weights = search_.leaves()[w];
      if (weights.tensor.dim() != 2 || !is_square(weights.tensor.shape()) ||
          weights.tensor.size(0) != target_.shape[0] || weights.source.position == 0 ||
          !may_be_weights(weights.source.numbers) || is_binary(weights.source.numbers)) {
        continue;
      }
      for (std::size_t x = 0; x < search_.leaves().size(); ++x) {
        const Leaf& inputs = search_.leaves()[x];
        if (!may_be_inputs(inputs) || inputs.tensor.dim() != 2 || search_.target().rank() > 2 ||
            inputs.tensor.size(0) != weights.tensor.size(1) || x == w || is_given_exactly(search_, inputs.source)) {
          continue;
        }
        const Tensor weighed = matmul(weights.tensor, inputs.tensor);
        const Tensor values = *product_of(inputs.tensor, unknown("W", weights_shape(inputs.tensor.size(1))), false);
        keep(*product_of(weights.tensor, values, false), "W", {w, x},
             chance_of_projection(target_, columns_of(weighed.shape(), search_.bounded(weighed))));
      }
    }
  }

 private:
  /// A weight from d columns to the target's.
  Shape weights_shape(std::int64_t d) const {
    return search_.shape().size() == 1 ? Shape{d} : Shape{d, target_.shape[1]};
  }

  void keep(const Tensor& tensor, const std::string& unknown, std::vector<std::size_t> leaves,
            const std::optional<double>& chance) {
    if (chance) {
      search_.keep(Form::fit, tensor.expression() + " for some " + unknown, std::move(leaves), *chance);
    }
  }

  Search& search_;
  Observed target_;  ///< of a vector, one column
};

}  // namespace

void propose_fits(Search& search) {
  const Observed& target = search.target();
  if (target.rank() < 1 || target.rank() > 3 || target.size() > most_numbers || is_constant(target) ||
      std::ranges::all_of(target.cells(), is_whole)) {
    return;
  }
  Fits fits(search);
  fits.of_inputs();
  fits.of_weights();
}

}  // namespace attn::verify
