#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "verify/bound/bounds.hpp"
#include "verify/propose/relation.hpp"
#include "verify/propose/search.hpp"

namespace attn::verify {

/// Finds what printed tensors follow from: what the page prints before them, and what is given.
class Relater {
 public:
  explicit Relater(Givens givens) : givens_(std::move(givens)) {}

  /// Something that what comes later may follow from. Of printed ones the last `window` count.
  void add(Source source);

  /// The relation by which the tensor follows; none where chance is not excluded for any, but a product of whole
  /// numbers, which is uncertain then. A property is no derivation: it is looked for with find_property.
  std::optional<Relation> find(const Observed& target);
  std::optional<Relation> find_property(const Observed& target);
  /// The same with weights that the page does not print: inputs @ W, for some W.
  std::optional<Relation> find_with_unknown_weights(const Observed& target);
  /// An operation that holds but for at most 15 % of the cells, or one cell, and whose sources are in no doubt.
  std::optional<Relation> find_near_miss(const Observed& target);
  /// The same of one operation alone: it tells more than what else the tensor may follow from.
  std::optional<Relation> find_nearer_miss(const Observed& target);
  /// The same where the sources may be in doubt themselves: then nobody knows which of them is wrong.
  std::optional<Relation> find_doubtful_miss(const Observed& target);

 private:
  /// What a near miss may be of.
  enum class Misses { of_sound, of_operations, of_all };

  /// Whole, or, where all entries of a batch are equal, one of them.
  template <class Look>
  std::optional<Relation> find_whole_or_entry(const Observed& target, Look look);
  std::optional<Relation> find_derivation(const Observed& target);
  std::optional<Relation> find_miss(const Observed& target, Misses misses);
  bool has_patience_for(const Observed& target);
  std::optional<Relation> find_fit(const Observed& target);

  Givens givens_;
  /// What bounding may still cost on a page: relations are for pages of a usual size.
  std::int64_t patience_ = 8'000'000;
  std::vector<Leaf> leaves_;
  std::vector<Leaf> draws_;
  Bounds bounds_;
};

}  // namespace attn::verify
