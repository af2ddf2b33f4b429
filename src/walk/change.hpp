#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "tensor/array.hpp"
#include "tensor/tensor.hpp"
#include "walk/walkthrough.hpp"

/// The effect of a rule, in numbers and in words.
namespace attn {

/// A float tensor before and after the change.
struct Change {
  std::string name;
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

using Row = std::span<const float>;

bool is_finite(Row row);

/// A measure of a row, given the column of its own token: the last row's is the last, or where rows are more than
/// columns the row's place.
using Measure = double (*)(Row row, std::size_t place);

/// A measure of every finite row, before and after the change.
struct Measured {
  std::vector<double> before;
  std::vector<double> after;
  std::size_t left_out = 0;
};

Measured measured(std::span<const Change> some, Measure measure);

/// The number with at most `digits` decimals; large numbers have only the digits that float32 holds.
std::string decimals(double value, int digits);

/// "grows from 0.44 to 0.52", with enough digits to show the change, at most seven.
std::string from_to(double before, double after);

/// "grows from 0.44 to 0.52 on average"
std::string mean_from_to(const Measured& rows);

}  // namespace attn
