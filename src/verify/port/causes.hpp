#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "verify/port/match.hpp"

namespace attn::verify {

/// What explains a port's wrong numbers.
struct Cause {
  std::vector<std::string> names;
  std::string sentence;
  std::string instead = {};  ///< what to write; may be empty
};

/// A port's numbers beside the step's result for the port's own operands.
struct Beside {
  Beside(const Laid& laid, const Tensor& step, const SharedNumbers& all_right);

  Shape shape;  ///< of a whole tensor, or of one head or batch entry of it; empty if they are no such block
  std::vector<double> theirs;
  std::vector<double> right;

  bool are_nan() const;
  /// Returns true if not all of the port's numbers are alike: those could be anybody's.
  bool says_something() const;
};

/// Half precision, or nan everywhere.
std::optional<Cause> arithmetic_of(const Beside& beside, const Laid& laid, const Tensor& step,
                                   const SharedNumbers& right);
/// One number in place of each -inf.
std::optional<Cause> fill_of(const Beside& beside);
/// Slices mixed up, or a function of each number.
std::optional<Cause> looks_of(const Beside& beside, std::int64_t heads);
/// Whatever made them so: times a number or plus a number, one for all or one for each row, column or entry of an axis;
/// or in other places.
std::optional<Cause> patterns_of(const Beside& beside, bool are_weights);

/// What gives the numbers of a tensor that is wrong by itself: another arithmetic, a mistake, or two at once, in what
/// lies between it and the tensors that are shown right. At most three, the most usual first; empty where nothing known
/// does.
std::vector<Cause> causes_of(const Matched& matched, std::span<const Step> steps, const PortOperands& operands,
                             std::span<const Tensor* const> shown, Right& right);

}  // namespace attn::verify
