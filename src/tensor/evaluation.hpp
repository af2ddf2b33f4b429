#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace attn {

/// How tensors are computed. No bit of any number depends on it.
struct Evaluation {
  int threads = 1;
  /// A tensor of more elements, and of more than twice as many as any that it is made from and that was given or drawn
  /// whole, is computed in parts, where what is asked of it allows that.
  std::int64_t large = std::int64_t{1} << 22;
  /// About so many elements are computed at a time: what stays in a core's cache.
  std::int64_t panel = std::int64_t{1} << 18;
};

/// That of this process.
Evaluation& evaluation();

/// What threads besides the first work in, in bytes: a panel, what it is made from, and what BLAS copies of both.
std::int64_t bytes_of_threads();

/// Calls `work` with each of [0, count), on as many threads as evaluation() says; on one within another such call.
/// Throws what the first call that fails throws.
void for_each_at_once(std::size_t count, const std::function<void(std::size_t i)>& work);

}  // namespace attn
