#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "verify/bound/bounds.hpp"
#include "verify/propose/relation.hpp"

namespace attn::verify {

/// A source as a tensor: a leaf that was observed.
struct Leaf {
  Tensor tensor;
  Source source;
};

/// Holds proposed tensors against one that is printed and keeps the best.
class Search {
 public:
  /// `most_failing` cells of the target may fail: 0 looks for what holds, more for near misses. `patience` is what
  /// bounding may cost; what is spent is taken off. The leaves are observed in the bounds.
  Search(const Observed& target, const Givens& givens, std::span<const Leaf> leaves, std::size_t most_failing,
         Bounds& bounds, std::int64_t& patience)
      : target_(target),
        givens_(givens),
        leaves_(leaves),
        most_failing_(most_failing),
        bounds_(bounds),
        patience_(patience) {}

  const Observed& target() const { return target_; }
  const Shape& shape() const { return target_.shape; }
  const Givens& givens() const { return givens_; }
  std::span<const Leaf> leaves() const { return leaves_; }
  bool is_near_miss() const { return most_failing_ > 0; }

  /// Whether a tensor holds on the target, cell by cell, up to the first that is too much. It is kept where chance is
  /// excluded and no better one is known. A tensor of another shape does not hold.
  /// `known` is log10 of what is known besides: that the page's program writes it.
  bool offer(Form form, const Tensor& candidate, double known = 0);
  /// What holds in another way, with log10 of the probability that it does by chance.
  void keep(Form form, const std::string& words, const std::vector<std::size_t>& leaves, double chance);

  /// The bounds of all cells of a tensor.
  std::vector<Interval> bounded(const Tensor& tensor);

  const std::optional<Relation>& best() const { return best_; }
  /// Whether a relation of this form, or a more telling one, is known.
  bool has(Form form) const { return best_ && best_->form <= form; }
  bool has_patience() const { return patience_ > 0; }
  /// Whether a tensor held in every cell, be it by chance.
  bool is_possible() const { return is_possible_; }

 private:
  /// The leaves that a tensor is made of, by their places among all, in the order of its words.
  std::vector<std::size_t> leaves_of(const Tensor& tensor) const;
  /// Whether other numbers in a leaf's place would give others: rows that are all alike have the same mean, however
  /// they are weighed.
  bool depends_on(const Tensor& candidate, const Tensor& leaf);
  int fitting(const std::vector<std::size_t>& leaves) const;
  bool is_wide(const std::vector<Interval>& cells) const;
  /// All cells of a tensor without rounding, where each leaf's numbers are shifted by that share of them, up or down;
  /// empty if a leaf is known only as it is printed.
  std::vector<double> exact_cells(const Tensor& tensor, double shift = 0);
  bool is_copy(const Tensor& candidate, const std::vector<std::size_t>& leaves);
  double chance_of(Form form, const Tensor& candidate, const std::vector<Interval>& cells,
                   const std::vector<std::int64_t>& failing);
  void keep(Relation relation, const std::vector<std::size_t>& leaves);

  const Observed& target_;
  const Givens& givens_;
  std::span<const Leaf> leaves_;
  std::size_t most_failing_;
  Bounds& bounds_;
  std::int64_t& patience_;
  std::size_t tried_ = 0;
  bool is_possible_ = false;
  std::optional<Relation> best_;
};

}  // namespace attn::verify
