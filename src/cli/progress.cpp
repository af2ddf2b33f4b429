#include "cli/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <string>

#include "walk/memory.hpp"

namespace attn::cli {
namespace {

constexpr std::chrono::milliseconds patience(500);
constexpr std::chrono::milliseconds between(200);

}  // namespace

Progress::Progress(std::int64_t bytes)
    : bytes_(bytes), is_seen_(isatty(STDERR_FILENO) != 0), next_(start_ + patience) {}

Progress::~Progress() {
  if (width_ > 0) {
    std::cerr << '\r' << std::string(width_, ' ') << '\r' << std::flush;
  }
}

void Progress::add(std::size_t bytes) {
  done_ = std::min(bytes_, done_ + static_cast<std::int64_t>(bytes));
  const Clock::time_point now = is_seen_ ? Clock::now() : start_;
  if (now >= next_) {
    next_ = now + between;
    tell(std::chrono::duration<double>(now - start_).count());
  }
}

void Progress::tell(double seconds) {
  const double left =
      seconds * static_cast<double>(bytes_ - done_) / static_cast<double>(std::max<std::int64_t>(1, done_));
  std::string line = "saved " + memory_text(done_) + " of " + memory_text(bytes_) + ", " +
                     std::to_string(static_cast<std::int64_t>(left) + 1) + " s left";
  const std::size_t size = line.size();
  line.append(width_ - std::min(width_, size), ' ');
  width_ = size;
  std::cerr << '\r' << line << std::flush;
}

}  // namespace attn::cli
