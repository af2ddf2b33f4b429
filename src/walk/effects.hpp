#pragma once

/// Pairs the steps of a walkthrough with those of the changed one.
/// What a rule does to the numbers, in words.

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "tensor/array.hpp"
#include "tensor/tensor.hpp"
#include "walk/walkthrough.hpp"

namespace attn {

/// A step of both walkthroughs; one pointer is null if only the other has it.
struct StepPair {
  const Step* as_is;
  const Step* changed;
};

/// The steps of both walkthroughs in one order. Steps are paired by section, name, kind, and number of such steps
/// before. The arguments must outlive the pairs.
std::vector<StepPair> pairs_of(std::span<const Step> as_is, std::span<const Step> changed);

/// A float tensor before and after the change.
struct Change {
  Shape shape;
  std::shared_ptr<const Contents> as_is;
  std::shared_ptr<const Contents> changed;
  const Tensor* was;   ///< the original tensor
  const Tensor* made;  ///< the changed tensor
  std::span<const float> before = floats(*as_is);
  std::span<const float> after = floats(*changed);

  static std::span<const float> floats(const Contents& contents) {
    const auto& values = std::get<Block<float>>(contents);
    return {values.data(), values.size()};
  }
};

/// The float tensors of both walkthroughs whose numbers differ. The steps must outlive them.
std::vector<Change> changes(std::span<const Step> as_is, std::span<const Step> changed);

/// The changes of those original tensors for which `is_such` is true.
std::vector<Change> filtered(std::span<const Change> all, bool (*is_such)(const Tensor& was));

/// A measure of a row, given what the row was before the change, and the column of its own token: the last row's is the
/// last, or where rows are more than columns the row's place.
using Measure = double (*)(std::span<const float> row, std::span<const float> was, std::size_t place);

/// "grows from 0.44 to 0.52", with enough digits to show the change, at most seven.
std::string from_to(double before, double after);

/// The change of a measure's mean over all finite rows: "grows from 0.44 to 0.52 on average".
std::string mean_from_to(std::span<const Change> some, Measure measure);

/// Whether no number is inf or nan, before or after.
bool are_finite(std::span<const Change> some);

/// "scores change by up to 1.23"
std::string changed_by_up_to(const std::string& what, std::span<const Change> some);

}  // namespace attn
