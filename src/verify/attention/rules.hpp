#pragma once

#include "tensor/tensor.hpp"
#include "verify/program/ran.hpp"

namespace attn::verify {

/// A rule of attention that a page's program breaks.
struct Fault {
  std::string name;              ///< "discarded", "softmax-axis", "no-scaling"
  std::string sentence;          ///< "the result of masked_fill is thrown away: nothing is changed"
  std::string instead;           ///< what to write: "scores = scores.masked_fill(mask, -torch.inf)"
  Place place;                   ///< of the program's statement
  std::string words;             ///< the statement or expression there
  bool is_note = false;          ///< told, but no mistake: scores that are not scaled, what is not judged
  std::optional<Tensor> tensor;  ///< the first tensor that it makes wrong; what is computed from it inherits the fault
};

/// The rules of attention, asked of what a program computed. What the page says that it does on purpose is no fault.
std::vector<Fault> faults_of(const Ran& ran, const Page& page);

}  // namespace attn::verify
