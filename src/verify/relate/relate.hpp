#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "verify/relate/relation.hpp"
#include "verify/relate/vocabulary.hpp"

namespace attn::verify {

/// Finds what printed tensors follow from: what the page prints before them, and what is given.
class Relater {
 public:
  explicit Relater(Givens givens) : givens_(std::move(givens)) {}

  /// Something that what comes later may follow from. Of printed ones the last `window` count.
  void add(Source source);

  /// The relation by which the tensor follows; none where chance is not excluded for any. A property is no derivation:
  /// it is looked for with find_property.
  std::optional<Relation> find(const Grid& target);
  std::optional<Relation> find_property(const Grid& target);
  /// The same with weights that the page does not print: inputs @ W, for some W.
  std::optional<Relation> find_with_unknown_weights(const Grid& target);
  /// An operation that holds but for at most 15 % of the cells, or one cell, and whose sources are in no doubt.
  std::optional<Relation> find_near_miss(const Grid& target);

 private:
  std::optional<Relation> try_all(const Grid& target, std::size_t most_failing);
  std::optional<Relation> find(const Grid& target, bool is_fit);
  std::optional<Relation> find_fit(const Grid& target);

  Givens givens_;
  /// How many multiplications may still be spent on a page: relations are for pages of a usual size.
  std::int64_t patience_ = 400'000'000;
  std::vector<Source> sources_;
};

}  // namespace attn::verify
