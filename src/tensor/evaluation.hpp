#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace attn {

/// Settings for evaluating tensors. They never change a number.
struct Evaluation {
  int threads = 1;
  /// A tensor is computed in parts, if the requested operation allows it, when it has more elements than this and more
  /// than twice as many as any given or drawn tensor that it depends on and that is held whole.
  std::int64_t large = std::int64_t{1} << 22;
  /// The approximate number of elements computed at a time, chosen to fit a core's cache.
  std::int64_t panel = std::int64_t{1} << 18;
};

/// This process's settings.
Evaluation& evaluation();

/// The memory, in bytes, that threads besides the first work in: a panel, its operands, and BLAS's copies of both.
std::int64_t bytes_of_threads();

/// Calls `work` for each of [0, count) on as many threads as evaluation() says; a nested call uses one thread. Throws
/// what the first failing call throws.
void for_each_at_once(std::size_t count, const std::function<void(std::size_t i)>& work);

}  // namespace attn
