#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "files/read.hpp"
#include "tensor/tensor.hpp"
#include "verify/judge/compare.hpp"

namespace attn::port {

/// Reads one tensor of a dump.
using ReadOne = std::function<dump::Dumped(const std::string& name)>;

/// The tensors of a large dump, read when their numbers are needed. A tensor that holds as it is stored is compared
/// part by part and not kept: neither its numbers nor the right ones.
class Unread {
 public:
  /// No tensor is unread.
  Unread() = default;
  /// The tensors are in memory without their numbers; they must outlive this object.
  Unread(std::span<dump::Dumped> tensors, ReadOne read) : tensors_(tensors), read_(std::move(read)) {}

  /// Returns true if it was made for a large dump: then the report shows few numbers.
  bool is_for_few_numbers() const { return !tensors_.empty(); }
  bool contains(const dump::Dumped& tensor) const;
  /// Reads the numbers unless they are in memory.
  void load(const dump::Dumped& tensor);
  void load_all();
  /// Returns the numbers, without keeping those of an unread tensor.
  std::vector<double> numbers(const dump::Dumped& tensor) const;
  /// Compares an unread tensor with the right one, if both have one shape. Returns the comparison if every cell holds;
  /// else reads the numbers, and returns null.
  const Comparison* holding(const dump::Dumped& theirs, const Tensor& right, const Tolerance& tolerance);
  /// Returns what holding() found earlier.
  const Comparison* known(const dump::Dumped& theirs, const Tensor& right) const;

 private:
  struct Held {
    Tensor right;  ///< keeps its id from being another tensor's
    Comparison comparison;
  };
  using Key = std::pair<const dump::Dumped*, const void*>;

  dump::Dumped* find(const dump::Dumped& tensor) const;

  std::span<dump::Dumped> tensors_;
  ReadOne read_;
  std::map<Key, Held> held_;
};

/// Compares cell by cell with a tensor that is computed part by part: passes on each comparison, the position of its
/// first cell and the right numbers, up to one for which `use` returns false.
void compare_in_parts(
    std::span<const double> theirs, const Tensor& right, const Tolerance& tolerance,
    const std::function<bool(const Comparison& some, std::int64_t first, std::span<const double> right)>& use);

/// The comparison with a tensor that is computed part by part; nothing unless every cell holds.
std::optional<Comparison> compared_in_parts(std::span<const double> theirs, const Tensor& right,
                                            const Tolerance& tolerance);

}  // namespace attn::port
