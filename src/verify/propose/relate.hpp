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

/// Finds what printed tensors follow from: what the page prints before them, and what is given.
class Relater {
 public:
  explicit Relater(Givens givens) : givens_(std::move(givens)) {}

  /// Something that what comes later may follow from. Of printed ones the last `window` count.
  void add(Source source);

  /// The tensor of that name that is given or drawn, or the one that is printed at a place, if it is among those that
  /// count.
  std::optional<Tensor> named(std::string_view name) const;
  std::optional<Tensor> printed(std::size_t position) const;

  /// The relation by which the tensor follows; none where chance is not excluded for any, but a product of whole
  /// numbers, which is uncertain then. A property is no derivation: it is looked for with find_property.
  std::optional<Relation> find(const Observed& target);
  /// Whether it is a tensor of the page's program; `known` is log10 of what is known besides. What is long is `called`
  /// as it is written.
  std::optional<Relation> find_listed(const Observed& target, const Tensor& listed, double known,
                                      std::string_view called);
  /// The same but for a few cells, where its sources are in no doubt.
  std::optional<Relation> find_listed_miss(const Observed& target, const Tensor& listed);
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
  std::optional<Relation> find_listed(const Observed& target, const Tensor& listed, double known,
                                      std::size_t most_failing, std::string_view called);
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
