#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "tensor/tensor.hpp"
#include "verify/bound/interval.hpp"
#include "verify/bound/products.hpp"
#include "verify/bound/regular.hpp"

namespace attn::verify {

/// Bounds for a tensor's cells, given those of observed tensors: every number that the arithmetic may give, in any
/// order of summation, lies in the interval. The operations' derivations define the arithmetic. Cells are bounded on
/// demand, and bounds that others need are kept. Of a tensor whose cells are all computed alike whole rows are bounded
/// at once, and of a large one only the last rows are kept.
class Bounds {
 public:
  /// Whether rows are bounded at once where they can be, or, as a reference, each cell alone. The bounds are the same.
  enum class By { row, cell };

  /// `roundoff` is the largest relative rounding of the arithmetic; by default float32's.
  explicit Bounds(double roundoff = 0x1p-24, By by = By::row) : roundoff_(roundoff), by_(by) {}

  /// Sets the tensor's cells, row-major. Its own derivation is then ignored.
  void observe(const Tensor& tensor, std::vector<Interval> cells);

  /// The bound of a cell by index, or by row-major position. Dropped and masked cells are exact.
  Interval cell(const Tensor& tensor, const Shape& index);
  Interval cell(const Tensor& tensor, std::int64_t position);

  /// The number of derivation terms bounded so far, as a measure of cost.
  std::int64_t cost() const { return one_by_one_ + in_rows_; }
  /// Those of them that were not bounded a row at a time, which takes far longer.
  std::int64_t one_by_one() const { return one_by_one_; }

  /// The number of cells that are kept.
  std::int64_t held() const { return held_; }
  /// Discards everything that was not observed.
  void forget() {
    kept_.clear();
    held_ = 0;
    largest_ = 0;
  }
  /// Discards what was not observed of tensors with more elements than this.
  void forget_larger(std::int64_t count);
  /// Discards the observation of a tensor.
  void forget(const Tensor& tensor) { observed_.erase(tensor.id()); }

 private:
  /// The factors b[k, j] of a row of sums, each cell beside the next.
  struct Panel {
    Run first = {};
    std::int64_t per_term = 0;
    std::vector<double> low = {}, high = {};  ///< empty if the operand's own are used
  };
  struct Cells {
    Tensor tensor;                        ///< keeps its id from being reused by another tensor
    std::vector<Interval> observed = {};  ///< all cells, or empty
    int asked = 0;
    std::optional<Regular> regular = {};                      ///< once it has been asked for often
    bool is_by_row = false;                                   ///< rows are bounded at once
    std::int64_t first_row = 0, end_row = 0;                  ///< of a large tensor, the rows that are kept
    bool is_whole = false;                                    ///< there is room for all rows
    std::unique_ptr<double[]> low = nullptr, high = nullptr;  ///< memory is used only where a cell is bounded
    std::vector<bool> are_kept = {};                          ///< each cell, or each row
    bool are_finite = true;                                   ///< all that are kept
    bool are_exact = true;                                    ///< the low is the high
    std::map<std::int64_t, Panel> panels = {};  ///< of sums, by the place of their first element in the operand

    std::int64_t width() const { return tensor.dim() == 0 ? 1 : tensor.size(-1); }
    std::int64_t rows() const { return element_count(tensor.shape()) / width(); }
  };
  using Table = std::unordered_map<const void*, Cells>;

  Interval derived(const Tensor& tensor, const Shape& index);
  Interval of(const Tensor& tensor, const Element& element);
  Cells& cells_of(const Tensor& tensor);
  Interval kept(Cells& cells, std::int64_t position);
  Interval rounded(const Interval& exact, double steps, double size) const;
  Interval sum(const Tensor& tensor, const Derivation& derivation);
  Interval mean(const Tensor& tensor, const Derivation& derivation);
  Interval variance(const Tensor& tensor, const Derivation& derivation);
  Interval quotient(const Tensor& tensor, const Derivation& derivation);
  Interval softmax(const Tensor& tensor, const Derivation& derivation);
  Interval softmax_gradient(const Tensor& tensor, const Derivation& derivation);
  Interval gradient_of_score(const Interval& gradient, const Interval& weight, const Total& total,
                             std::int64_t terms) const;
  Interval mapped(const Tensor& tensor, const Derivation& derivation);
  Interval comparison(const Tensor& tensor, const Derivation& derivation);

  // Rows: bounds_rows.cpp
  bool is_by_row(Cells& cells, bool is_worth);
  void make_room(Cells& cells, bool for_all);
  std::int64_t rows_ahead(const Cells& cells, std::int64_t row, std::int64_t asked) const;
  Run row(Cells& cells, std::int64_t row, std::int64_t asked = 1);
  Run run(Cells& cells, std::int64_t first, std::int64_t step, std::int64_t count, std::int64_t rows = 1);
  void fill(Cells& cells, std::int64_t first, std::int64_t end, double* low, double* high);
  void fill_sums(Cells& cells, std::int64_t first, std::int64_t end, double* low, double* high);
  void fill_copies(Cells& cells, std::int64_t row, double* low, double* high);
  void fill_shares(Cells& cells, std::int64_t row, std::int64_t rows, double* low, double* high);
  void fill_choices(Cells& cells, std::int64_t row, std::int64_t rows, double* low, double* high);
  void fill_softmax(Cells& cells, std::int64_t first, std::int64_t end, double* low, double* high);
  void fill_gradients(Cells& cells, std::int64_t row, std::int64_t rows, double* low, double* high);
  const Panel& panel_of(Cells& cells, const Strides& factor, std::int64_t row);

  double roundoff_;
  By by_;
  Table observed_;
  Table kept_;
  std::int64_t held_ = 0;     ///< cells that are kept of tensors that are kept whole
  std::int64_t largest_ = 0;  ///< no kept tensor has more elements
  std::int64_t one_by_one_ = 0;
  std::int64_t in_rows_ = 0;
};

}  // namespace attn::verify
