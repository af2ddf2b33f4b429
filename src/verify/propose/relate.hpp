#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "verify/bound/bounds.hpp"
#include "verify/propose/relation.hpp"
#include "verify/propose/search.hpp"

namespace attn::verify {

/// Finds the tensors that a printed one follows from: those printed before it, and given ones.
class Relater {
 public:
  explicit Relater(Givens givens) : givens_(std::move(givens)) {}

  /// Adds a tensor that later ones may follow from. Of printed tensors, only the last `window` are tried.
  void add(Source source);

  /// Returns the given or drawn tensor of that name, or the tensor printed at a place, if it is still tried.
  std::optional<Tensor> named(std::string_view name) const;
  std::optional<Tensor> printed(std::size_t position) const;

  /// Returns the relation by which the tensor follows; none if each one may be coincidence. Properties are found by
  /// find_property.
  std::optional<Relation> find(const Observed& target);
  /// Whether it is a tensor of the page's program; `known` is log10 of what is known besides. What is long is `called`
  /// as it is written.
  std::optional<Relation> find_listed(const Observed& target, const Tensor& listed, double known,
                                      std::string_view called);
  /// The same if a few cells differ and the sources are certain.
  std::optional<Relation> find_listed_miss(const Observed& target, const Tensor& listed, std::string_view called);
  /// Returns true if the program's tensor certainly has other numbers.
  bool is_refuted(const Observed& target, const Tensor& listed);
  std::optional<Relation> find_property(const Observed& target);
  /// The same with weights that the page does not print: inputs @ W, for some W.
  std::optional<Relation> find_with_unknown_weights(const Observed& target);
  /// Returns an operation that holds except for one cell or at most 15 % of them, and whose sources are certain.
  std::optional<Relation> find_near_miss(const Observed& target);
  /// The same for one operation only.
  std::optional<Relation> find_nearer_miss(const Observed& target);
  /// The same with uncertain sources: either side may be the wrong one.
  std::optional<Relation> find_doubtful_miss(const Observed& target);

 private:
  /// The sources of a near miss.
  enum class Misses { of_sound, of_operations, of_all };

  std::optional<Relation> find_miss(const Observed& target, Misses misses);
  std::optional<Relation> find_listed(const Observed& target, const Tensor& listed, double known,
                                      std::size_t most_failing, std::string_view called);
  bool has_patience_for(const Observed& target);

  /// What a search for one tensor may cost: a part of what is left, so that none takes all.
  std::int64_t share() const { return patience_ / 4; }

  Givens givens_;
  /// The remaining budget for computing bounds on this page; enough for pages of a usual size.
  std::int64_t patience_ = 8'000'000;
  std::int64_t patience_with_listing_ = 8'000'000;  ///< the same for what the listing computes
  std::vector<Leaf> leaves_;
  std::vector<Leaf> draws_;
  Bounds bounds_;
};

}  // namespace attn::verify
