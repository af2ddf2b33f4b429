#include "walk/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <limits>
#include <string>
#include <unordered_set>

namespace attn {
namespace {

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

/// The machine's free memory as the kernel estimates it, caches that it can drop included.
std::int64_t machine_memory() {
  std::ifstream meminfo("/proc/meminfo");
  std::string key;
  std::int64_t kibibytes = 0;
  std::string unit;
  while (meminfo >> key >> kibibytes >> unit) {
    if (key == "MemAvailable:") {
      return kibibytes * 1024;
    }
  }
  return static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

std::int64_t address_space_limit() {
  rlimit limit{};
  const bool limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return limited ? static_cast<std::int64_t>(std::min<rlim_t>(limit.rlim_cur, static_cast<rlim_t>(unlimited)))
                 : unlimited;
}

std::int64_t control_group_limit() {
  std::ifstream file("/sys/fs/cgroup/memory.max");
  std::int64_t limit = 0;
  return file >> limit ? limit : unlimited;
}

/// "74.5 GiB"
std::string gibibytes(std::int64_t bytes) {
  std::array<char, 64> digits{};
  const double size = static_cast<double>(bytes) / (1024.0 * 1024.0 * 1024.0);
  const auto end = std::to_chars(digits.begin(), digits.end(), size, std::chars_format::fixed, 1).ptr;
  return std::string(digits.begin(), end) + " GiB";
}

}  // namespace

std::int64_t available_memory() {
  return std::min({machine_memory(), address_space_limit(), control_group_limit()});
}

void check_fits(std::span<const Step> steps, std::span<const Tensor> drawn, std::int64_t available) {
  std::unordered_set<const void*> seen;
  std::int64_t needed = 0;
  std::int64_t largest = 0;
  const auto add = [&](std::int64_t bytes) {
    if (__builtin_add_overflow(needed, bytes, &needed)) {
      throw TooLarge("the tensors together have more than 2^63 bytes");
    }
  };
  for (const Step& step : steps) {
    if (step.tensor) {
      add(step.tensor->bytes(seen));
      largest = std::max(largest, element_count(step.tensor->shape()) * element_size(step.tensor->dtype()));
    }
  }
  for (const Tensor& tensor : drawn) {
    add(tensor.bytes(seen));
  }
  add(largest);
  add(largest);
  if (needed > available) {
    throw TooLarge("the tensors need " + gibibytes(needed) + " of memory, and " + gibibytes(available) +
                   " are available");
  }
}

}  // namespace attn
