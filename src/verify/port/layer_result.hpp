#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "verify/port/items.hpp"

namespace attn::verify {

/// Which of a dump's tensors is the layer's result, the output projection's. Names leave this open: programs call the
/// contexts before the projection so as well.
class LayerResult {
 public:
  /// The arguments must outlive it.
  LayerResult(std::span<const Step> steps, const std::vector<Item>& items, Right& right);

  /// The output projection; none if the lesson has none.
  const std::optional<std::size_t>& step() const { return step_; }

  /// Returns true if a tensor without a step may be the result.
  bool is_open() const;
  /// Returns true if the tensor may be the result by its name, and no later one may be.
  bool is_expected_at(const Item& item) const;
  /// Returns true if the tensor has the numbers that the projection gets, and must be its result: another tensor has
  /// these numbers too, or the port has a projection, and programs call nothing else so.
  bool lacks_projection(const Item& item) const;
  /// Returns true if the tensor has the numbers that the projection gets, and may be its result: without the projection
  /// it is wrong, and before it right.
  bool is_undecided(const Item& item) const;
  /// Returns true if the other tensor has been matched and has the same shape and numbers.
  bool is_twin(const Item& item, const Item& other) const;

 private:
  bool has_name(const Item& item) const;
  bool may_be(const Item& item) const;
  bool is_double(const Item& item) const;
  bool is_last(const Item& item) const;
  bool has_projection() const;
  bool has_context_beside(const Item& item) const;

  std::optional<std::size_t> step_;
  std::span<const Step> steps_;
  const std::vector<Item>& items_;
  Right& right_;
};

}  // namespace attn::verify
