#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "dump/read.hpp"
#include "port/compare.hpp"
#include "walk/walkthrough.hpp"

namespace attn::port {

/// A step that a port has, its numbers laid out as the step's.
struct Matched {
  const dump::Dumped* theirs = nullptr;
  const Step* step = nullptr;
  bool by_name = true;         ///< else by shape and numbers alone
  std::string arrangement;     ///< "transposed", "of shape [6, 6], heads joined"; empty where it is laid out as the step is
  bool has_shape = true;       ///< false where its numbers cannot be laid out so: there are none then
  std::vector<double> values;  ///< row-major, in the step's shape
};

/// Whose tensor is which step: the port's names, and the steps' for them, "attn_scores" or "head_1/attn_scores".
using Names = std::map<std::string, std::string>;

/// A name that is in no dump, or no step's: what is wrong; what is accepted; how to go on.
struct NameError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// What became of a dump's tensors.
struct Matching {
  std::vector<Matched> steps;                 ///< in the order in which they are computed, each step once
  std::vector<const dump::Dumped*> unmatched;  ///< in the dump's order
};

/// Finds the steps that a dump's tensors are: by the names that are given, by their own, and else by shape and numbers.
/// The steps must have their numbers, and like the dump outlive the result. Throws NameError.
Matching match(std::span<const dump::Dumped> dumped, std::span<const Step> steps, const Names& names,
               const Tolerance& tolerance);

/// A step's numbers, row-major.
std::vector<double> values_of(const Tensor& tensor);

}  // namespace attn::port
