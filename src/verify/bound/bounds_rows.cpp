// Rows of bounds: the same arithmetic as in bounds.cpp, without a derivation for each cell.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <variant>
#include <vector>

#include "tensor/evaluation.hpp"
#include "tensor/operations.hpp"
#include "verify/bound/bounds.hpp"
#include "verify/bound/softmax.hpp"

namespace attn::verify {
namespace {

using Form = Regular::Form;

/// The index of a row's first cell.
Shape index_of_row(const Tensor& tensor, std::int64_t row) {
  return index_at(row * (tensor.dim() == 0 ? 1 : tensor.size(-1)), tensor.shape());
}

/// Of a large tensor, as many as fit into a core's cache with what they are made of.
std::int64_t numbers_at_once() { return evaluation().panel / 4; }

std::int64_t height_of(const Tensor& tensor) { return tensor.dim() < 2 ? 1 : tensor.size(-2); }

/// Some rows of a leaf, which are all in one matrix.
void copy_numbers(const Tensor& leaf, std::int64_t first, std::int64_t end, double* numbers) {
  Box box = box_at(index_of_row(leaf, first));
  if (!box.empty()) {
    box.back() = {0, leaf.size(-1)};
  }
  if (box.size() > 1) {
    box[box.size() - 2].end += end - first - 1;
  }
  std::visit([&](const auto& values) { std::copy(values.begin(), values.end(), numbers); }, *leaf.part(box).contents());
}

/// Bounds that stay where others are bounded.
class Copied {
 public:
  Copied(std::int64_t count, double value) : low_(static_cast<std::size_t>(count), value), high_(low_) {}
  Copied(const Run& run, std::int64_t count) : are_finite_(run.are_finite), are_exact_(run.are_exact) {
    for (std::int64_t i = 0; i < count; ++i) {
      low_.push_back(run.at(i).low);
      high_.push_back(run.at(i).high);
    }
  }
  Run run() const { return {low_.data(), high_.data(), 1, are_finite_, are_exact_}; }

 private:
  std::vector<double> low_;
  std::vector<double> high_;
  bool are_finite_ = true;
  bool are_exact_ = true;
};

/// Rows of so many terms each, on all threads if that is worth it.
void for_each_worth(std::int64_t rows, std::int64_t terms, const std::function<void(std::size_t row)>& work) {
  constexpr std::int64_t worth_threads = std::int64_t{1} << 20;
  if (rows * terms > worth_threads) {
    for_each_at_once(static_cast<std::size_t>(rows), work);
    return;
  }
  for (std::int64_t row = 0; row < rows; ++row) {
    work(static_cast<std::size_t>(row));
  }
}

}  // namespace

/// Returns true if the tensor's rows are bounded at once; finds out if it is worth it or has been asked for often.
bool Bounds::is_by_row(Cells& cells, bool is_worth) {
  constexpr int seldom = 8;
  constexpr std::int64_t fewest_cells = 256;
  const bool is_worth_now =
      is_worth || (element_count(cells.tensor.shape()) >= fewest_cells && ++cells.asked >= seldom);
  if (cells.regular || !is_worth_now || !cells.observed.empty() || by_ == By::cell) {
    return cells.is_by_row;
  }
  cells.regular = regular_of(cells.tensor);
  cells.is_by_row = cells.tensor.operands().empty() || cells.regular->form != Form::none;
  if (cells.is_by_row) {
    cells.low.reset();
    cells.high.reset();
    cells.are_finite = cells.are_exact = true;
  }
  return cells.is_by_row;
}

/// Makes room for all cells, or for some rows of a large tensor. What was kept of a row before is lost.
void Bounds::make_room(Cells& cells, bool for_all) {
  if (cells.low && (cells.is_whole || !for_all)) {
    return;
  }
  const std::int64_t count = element_count(cells.tensor.shape());
  cells.is_whole = for_all || count <= evaluation().large;
  const auto room = static_cast<std::size_t>(
      cells.is_whole ? count
                     : std::min(count, std::max(numbers_at_once() / cells.width(), std::int64_t{1}) * cells.width()));
  cells.low = std::make_unique_for_overwrite<double[]>(room);
  cells.high = std::make_unique_for_overwrite<double[]>(cells.tensor.operands().empty() ? 0 : room);
  cells.are_kept.assign(static_cast<std::size_t>(cells.is_whole ? cells.is_by_row ? cells.rows() : count : 0), false);
  cells.first_row = cells.end_row = 0;
}

/// How many rows of one matrix to bound from this one on: those that will be asked for, or more where rows have been
/// asked for one after the other.
std::int64_t Bounds::rows_ahead(const Cells& cells, std::int64_t row, std::int64_t asked) const {
  const std::int64_t most = std::max<std::int64_t>(1, numbers_at_once() / cells.width());
  const std::int64_t place = row % height_of(cells.tensor);
  std::int64_t before = cells.is_whole || row != cells.end_row ? 0 : cells.end_row - cells.first_row;
  while (cells.is_whole && before < std::min(place, most) &&
         cells.are_kept[static_cast<std::size_t>(row - before - 1)]) {
    ++before;
  }
  const std::int64_t wanted = cells.tensor.operands().empty() ? most : std::max(asked, 2 * before);
  return std::clamp<std::int64_t>(wanted, 1, std::min(height_of(cells.tensor) - place, most));
}

/// Bounds a row unless it is kept.
Run Bounds::row(Cells& cells, std::int64_t row, std::int64_t asked) {
  make_room(cells, false);
  const bool is_kept =
      cells.is_whole ? cells.are_kept[static_cast<std::size_t>(row)] : cells.first_row <= row && row < cells.end_row;
  const std::int64_t width = cells.width();
  const bool is_leaf = cells.tensor.operands().empty();
  if (!is_kept) {
    const std::int64_t end = row + rows_ahead(cells, row, asked);
    double* const low = &cells.low[static_cast<std::size_t>(cells.is_whole ? row * width : 0)];
    double* const high = is_leaf ? low : &cells.high[static_cast<std::size_t>(cells.is_whole ? row * width : 0)];
    fill(cells, row, end, low, high);
    bool are_finite = true;
    bool are_exact = true;
    for (std::int64_t i = 0; i < (end - row) * width; ++i) {
      are_finite = are_finite && std::isfinite(low[i]) && std::isfinite(high[i]);
      are_exact = are_exact && low[i] == high[i];
    }
    if (cells.is_whole) {
      std::fill_n(cells.are_kept.begin() + row, end - row, true);
      held_ += (end - row) * width;
    }
    cells.are_finite = are_finite && (cells.are_finite || !cells.is_whole);
    cells.are_exact = are_exact && (cells.are_exact || !cells.is_whole);
    cells.first_row = row;
    cells.end_row = end;
  }
  const auto place = static_cast<std::size_t>((cells.is_whole ? row : row - cells.first_row) * width);
  return {&cells.low[place], is_leaf ? &cells.low[place] : &cells.high[place], 1, cells.are_finite, cells.are_exact};
}

/// Bounds these cells; `rows` rows from their first one on will be asked for. The result is valid until cells of this
/// or another tensor are bounded.
Run Bounds::run(Cells& cells, std::int64_t first, std::int64_t step, std::int64_t count, std::int64_t rows) {
  const auto place = static_cast<std::size_t>(first);
  if (!cells.observed.empty()) {
    const Interval* const intervals = &cells.observed[place];
    return {&intervals->low, &intervals->high, 2 * step, cells.are_finite, cells.are_exact};
  }
  if (!is_by_row(cells, true)) {
    for (std::int64_t i = 0; i < count; ++i) {
      kept(cells, first + i * step);
    }
    return {&cells.low[place], &cells.high[place], step, cells.are_finite, cells.are_exact};
  }
  const std::int64_t width = cells.width();
  const std::int64_t last = (first + (count - 1) * step) / width;
  make_room(cells, first / width != last);
  if (std::abs(step) <= width) {  // a cell in each row between
    for (std::int64_t between = std::min(first / width, last); between < std::max(first / width, last); ++between) {
      row(cells, between, rows);
    }
  } else {
    for (std::int64_t i = 0; i < count; ++i) {
      row(cells, (first + i * step) / width, rows);
    }
  }
  const Run of_row = row(cells, last, rows);
  const std::int64_t back = first - last * width;
  return {of_row.low + back, of_row.high + back, step, of_row.are_finite, of_row.are_exact};
}

/// Bounds rows of one matrix.
void Bounds::fill(Cells& cells, std::int64_t first, std::int64_t end, double* low, double* high) {
  if (cells.tensor.operands().empty()) {
    copy_numbers(cells.tensor, first, end, low);
    return;
  }
  in_rows_ += cells.regular->terms * cells.width() * (end - first);
  if (cells.regular->form == Form::sums) {
    fill_sums(cells, first, end, low, high);
    return;
  }
  if (cells.regular->form == Form::softmax) {
    fill_softmax(cells, first, end, low, high);
    return;
  }
  for (std::int64_t row = first; row < end; ++row) {
    double* const its_low = low + (row - first) * cells.width();
    double* const its_high = high + (row - first) * cells.width();
    switch (cells.regular->form) {
      case Form::copies: fill_copies(cells, row, its_low, its_high); break;
      case Form::shares: fill_shares(cells, row, end - row, its_low, its_high); break;
      case Form::softmax_gradient: fill_gradients(cells, row, end - row, its_low, its_high); break;
      default: fill_choices(cells, row, end - row, its_low, its_high);
    }
  }
}

/// The factors b of a row's sums.
const Bounds::Panel& Bounds::panel_of(Cells& cells, const Strides& factor, std::int64_t row) {
  Cells& operand = cells_of(cells.tensor.operands()[factor.operand]);
  const std::int64_t place = factor.at(index_of_row(cells.tensor, row));
  if (const auto known = cells.panels.find(place); known != cells.panels.end()) {
    return known->second;
  }
  const std::int64_t terms = cells.regular->terms;
  const std::int64_t width = cells.width();
  const std::int64_t per_cell = factor.per_axis.empty() ? 0 : factor.per_axis.back();
  is_by_row(operand, true);
  const bool is_large = element_count(operand.tensor.shape()) > evaluation().large;
  const bool is_own = !operand.observed.empty() || (per_cell == 1 && !is_large);
  if (!is_own) {
    cells.panels.clear();  // one copy at a time
  }
  Panel& panel = cells.panels[place];
  if (is_own) {
    for (std::int64_t term = 0; term < terms; ++term) {
      panel.first = run(operand, place + term * factor.per_term, per_cell, width);
    }
    const std::int64_t back = (terms - 1) * factor.per_term * (operand.observed.empty() ? 1 : 2);
    panel.first.low -= back;
    panel.first.high -= back;
    panel.per_term = back / std::max<std::int64_t>(1, terms - 1);
    return panel;
  }
  panel.low.resize(static_cast<std::size_t>(terms * width));
  panel.high.resize(panel.low.size());
  panel.first = {panel.low.data(), panel.high.data(), 1, true, true};
  panel.per_term = width;
  const bool is_by_term = factor.per_term == 1;
  for (std::int64_t i = 0; i < (is_by_term ? width : terms); ++i) {
    const Run some = is_by_term ? run(operand, place + i * per_cell, factor.per_term, terms)
                                : run(operand, place + i * factor.per_term, per_cell, width);
    for (std::int64_t j = 0; j < (is_by_term ? terms : width); ++j) {
      const auto to = static_cast<std::size_t>(is_by_term ? j * width + i : i * width + j);
      panel.low[to] = some.low[j * some.step];
      panel.high[to] = some.high[j * some.step];
    }
    panel.first.are_finite = panel.first.are_finite && some.are_finite;
    panel.first.are_exact = panel.first.are_exact && some.are_exact;
  }
  return panel;
}

/// The factor that all cells of a row share, the factors b[k, j] and the bias; of a sum without products, a is 1.
void Bounds::fill_sums(Cells& cells, std::int64_t first, std::int64_t end, double* low, double* high) {
  const Regular& regular = *cells.regular;
  const bool is_product = regular.factors.size() > (regular.has_bias ? 2U : 1U);
  const std::size_t a = is_product && regular.factors[0].per_axis.back() != 0 ? 1 : 0;
  const Strides& b = regular.factors[is_product ? 1 - a : 0];
  const auto place_of = [&](std::int64_t row) { return b.at(index_of_row(cells.tensor, row)); };
  for (std::int64_t row = first; row < end;) {
    std::vector<Copied> shared;
    std::vector<Copied> bias;
    const std::int64_t begin = row;
    for (const std::int64_t place = place_of(begin); row < end && place_of(row) == place; ++row) {
      const Shape index = index_of_row(cells.tensor, row);
      const auto copied = [&](const Strides& factor, std::int64_t step, std::int64_t count) {
        Cells& operand = cells_of(cells.tensor.operands()[factor.operand]);
        return Copied(run(operand, factor.at(index), step, count, end - row), count);
      };
      const Strides& last = regular.factors.back();
      shared.push_back(is_product ? copied(regular.factors[a], regular.factors[a].per_term, regular.terms)
                                  : Copied(regular.terms, 1));
      bias.push_back(regular.has_bias ? copied(last, last.per_axis.back(), cells.width()) : Copied(cells.width(), 0));
    }
    const Panel& panel = panel_of(cells, b, begin);
    for_each_worth(row - begin, regular.terms * cells.width(), [&](std::size_t i) {
      const auto width = static_cast<std::size_t>(cells.width());
      std::vector<double> size(width);
      const std::size_t place = (static_cast<std::size_t>(begin - first) + i) * width;
      const Totals totals = {{low + place, width}, {high + place, width}, size};
      std::ranges::fill(totals.low, 0);
      std::ranges::fill(totals.high, 0);
      add_products(shared[i].run(), panel.first, panel.per_term, regular.terms, totals);
      for (std::size_t j = 0; j < width; ++j) {
        const Interval own = bias[i].run().at(static_cast<std::int64_t>(j));
        const Interval exact = {totals.low[j] + own.low, totals.high[j] + own.high};
        const Interval bound = rounded(exact, static_cast<double>(regular.terms) + 1, size[j] + own.size());
        totals.low[j] = bound.low;
        totals.high[j] = bound.high;
      }
    });
  }
}

void Bounds::fill_copies(Cells& cells, std::int64_t row, double* low, double* high) {
  const Strides& factor = cells.regular->factors[0];
  const Run own = run(cells_of(cells.tensor.operands()[factor.operand]), factor.at(index_of_row(cells.tensor, row)),
                      factor.per_axis.back(), cells.width());
  for (std::int64_t j = 0; j < cells.width(); ++j) {
    low[j] = own.low[j * own.step];
    high[j] = own.high[j * own.step];
  }
}

void Bounds::fill_shares(Cells& cells, std::int64_t row, std::int64_t rows, double* low, double* high) {
  const double divisor =
      cells.tensor.operation().derive(cells.tensor.operands(), index_of_row(cells.tensor, row)).constant;
  const Run own = run(cells_of(cells.tensor.operands()[0]), row * cells.width(), 1, cells.width(), rows);
  for (std::int64_t j = 0; j < cells.width(); ++j) {
    const Interval quotient = over(own.at(j), {divisor, divisor});
    const Interval bound = rounded(quotient, 1, quotient.size());
    low[j] = bound.low;
    high[j] = bound.high;
  }
}

void Bounds::fill_choices(Cells& cells, std::int64_t row, std::int64_t rows, double* low, double* high) {
  const Strides& places = cells.regular->factors[0];
  const Shape index = index_of_row(cells.tensor, row);
  const Run mask =
      run(cells_of(cells.tensor.operands()[places.operand]), places.at(index), places.per_axis.back(), cells.width());
  std::vector<bool> is_true;
  for (std::int64_t j = 0; j < cells.width(); ++j) {
    is_true.push_back(mask.at(j).low != 0);
  }
  const bool replaces = cells.tensor.kind() == Kind::masked;
  // What is chosen where the mask is True: the same in all cells.
  std::optional<double> constant;
  const auto chosen = [&](std::int64_t j) {
    if (!constant) {
      Shape at = index;
      at.back() = j;
      constant = cells.tensor.operation().derive(cells.tensor.operands(), at).constant;
    }
    return *constant;
  };
  const Run own = run(cells_of(cells.tensor.operands()[0]), row * cells.width(), 1, cells.width(), rows);
  for (std::int64_t j = 0; j < cells.width(); ++j) {
    Interval bound = replaces ? own.at(j) : Interval{};
    if (is_true[static_cast<std::size_t>(j)]) {
      const double factor = chosen(j);
      const Interval product = replaces ? Interval{} : times(own.at(j), {factor, factor});
      bound = replaces ? Interval{factor, factor} : rounded(product, factor == 1 ? 0 : 1, product.size());
    }
    low[j] = bound.low;
    high[j] = bound.high;
  }
}

void Bounds::fill_softmax(Cells& cells, std::int64_t first, std::int64_t end, double* low, double* high) {
  const std::int64_t width = cells.width();
  Cells& scores = cells_of(cells.tensor.operands()[0]);
  std::vector<std::vector<Interval>> rows;
  for (std::int64_t row = first; row < end; ++row) {
    const Run own = run(scores, row * width, 1, width, end - row);
    rows.emplace_back();
    for (std::int64_t j = 0; j < width; ++j) {
      rows.back().push_back(own.at(j));
    }
  }
  constexpr std::int64_t terms_of_exponentials = 50;
  for_each_worth(end - first, width * terms_of_exponentials, [&](std::size_t i) {
    const double steps = replace_by_weights(rows[i]);
    for (std::size_t j = 0; j < rows[i].size(); ++j) {
      const Interval bound = rounded(rows[i][j], steps, rows[i][j].size());
      low[i * rows[i].size() + j] = bound.low;
      high[i * rows[i].size() + j] = bound.high;
    }
  });
}

void Bounds::fill_gradients(Cells& cells, std::int64_t row, std::int64_t rows, double* low, double* high) {
  const std::int64_t width = cells.width();
  const std::vector<Tensor>& operands = cells.tensor.operands();
  const Copied gradients(run(cells_of(operands[0]), row * width, 1, width, rows), width);
  const Copied weights(run(cells_of(operands[1]), row * width, 1, width, rows), width);
  Total total;
  for (std::int64_t j = 0; j < width; ++j) {
    total.add(times(gradients.run().at(j), weights.run().at(j)));
  }
  for (std::int64_t j = 0; j < width; ++j) {
    const Interval bound = gradient_of_score(gradients.run().at(j), weights.run().at(j), total, width);
    low[j] = bound.low;
    high[j] = bound.high;
  }
}

}  // namespace attn::verify
