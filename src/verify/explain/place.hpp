#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "verify/explain/known.hpp"
#include "verify/read/printed.hpp"

namespace attn::verify {

/// Where a printed thing stands among what is recognised.
class Places {
 public:
  /// `chosen` has the step of each printed thing that is recognised.
  Places(std::span<const Printed> printed, std::span<const Choice> chosen, const Known& known)
      : printed_(printed), chosen_(chosen), known_(known) {}

  /// The step of the same label, and of the same shape where one has it, in the chapter of the recognised things before
  /// or after, or where there are none, in any; none where there is no label.
  Choice labelled(std::size_t i) const;
  /// The step that stands there in the program: where between the recognised things before and after, of one chapter,
  /// the page prints as many things as the program.
  Choice placed(std::size_t i) const;

 private:
  bool fits(std::size_t i, std::size_t step) const;
  void look(std::size_t i, std::size_t first, std::size_t count, Choice& found) const;

  std::span<const Printed> printed_;
  std::span<const Choice> chosen_;
  const Known& known_;
};

}  // namespace attn::verify
