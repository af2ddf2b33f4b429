#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "verify/explain/known.hpp"
#include "verify/read/printed.hpp"

namespace attn::verify {

/// The place of a printed thing among the recognised ones.
class Places {
 public:
  /// `chosen` has the step of each recognised thing.
  Places(std::span<const Printed> printed, std::span<const Choice> chosen, const Known& known)
      : printed_(printed), chosen_(chosen), known_(known) {}

  /// The step with the same label, and with the same shape if one has it, in the chapter of the recognised things
  /// before or after; if there are none, in any chapter. Empty if there is no label.
  Choice labelled(std::size_t i) const;
  /// The step at this place in the program, if the page prints as many things as the program between the recognised
  /// things before and after, which must belong to one chapter.
  Choice placed(std::size_t i) const;

 private:
  bool fits(std::size_t i, std::size_t step) const;
  void look(std::size_t i, std::size_t first, std::size_t count, Choice& found) const;

  std::span<const Printed> printed_;
  std::span<const Choice> chosen_;
  const Known& known_;
};

}  // namespace attn::verify
