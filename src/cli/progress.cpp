#include "cli/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <string>

#include "walk/memory.hpp"

namespace attn::cli {
namespace {

constexpr std::chrono::milliseconds patience(500);
constexpr std::chrono::milliseconds between(200);

}  // namespace

Progress::Progress(std::int64_t bytes)
    : bytes_(bytes), is_seen_(isatty(STDERR_FILENO) != 0), next_(start_ + patience) {}

void Progress::add(std::size_t bytes) {
  done_ = std::min(bytes_, done_ + static_cast<std::int64_t>(bytes));
  const Clock::time_point now = is_seen_ ? Clock::now() : start_;
  if (now >= next_) {
    next_ = now + between;
    show(std::chrono::duration<double>(now - start_).count());
  }
}

void Progress::show(double seconds) {
  const double left =
      seconds * static_cast<double>(bytes_ - done_) / static_cast<double>(std::max<std::int64_t>(1, done_));
  line_.show("saved " + memory_text(done_) + " of " + memory_text(bytes_) + ", " +
             std::to_string(static_cast<std::int64_t>(left) + 1) + " s left");
}

}  // namespace attn::cli
