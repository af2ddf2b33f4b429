#pragma once

#include <cstddef>
#include <limits>
#include <stdexcept>

namespace attn::verify {

/// What a block of so many bytes takes, with what the allocator keeps of it.
constexpr std::size_t allocated(std::size_t bytes) { return bytes == 0 ? 0 : (bytes + 8 + 15) / 16 * 16 + 16; }

/// Reading or explaining a page takes more memory than it may.
struct OverBudget : std::runtime_error {
  OverBudget() : std::runtime_error("the page needs more memory than it may take") {}
};

/// The memory that a page may still take. It is asked before the memory is taken.
class Budget {
 public:
  /// Without a bound.
  Budget() = default;
  explicit Budget(std::size_t bytes) : left_(bytes) {}

  /// Throws OverBudget where so much is not left.
  void take(std::size_t bytes) {
    if (bytes > left_) {
      throw OverBudget();
    }
    left_ -= bytes;
  }

 private:
  std::size_t left_ = std::numeric_limits<std::size_t>::max();
};

}  // namespace attn::verify
