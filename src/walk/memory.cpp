#include "walk/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <fstream>
#include <limits>
#include <system_error>
#include <unordered_set>

#include "tensor/evaluation.hpp"
#include "text/numbers.hpp"

namespace attn {
namespace {

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

/// The machine's free memory as the kernel estimates it, with caches that it can drop.
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

/// The bytes of address space, memory and data that this process uses.
struct Used {
  std::int64_t address_space = 0;
  std::int64_t memory = 0;
  std::int64_t data = 0;
};

Used used() {
  std::ifstream statm("/proc/self/statm");
  Used pages;
  std::int64_t other = 0;
  statm >> pages.address_space >> pages.memory >> other >> other >> other >> pages.data;
  const std::int64_t page = sysconf(_SC_PAGESIZE);
  return {pages.address_space * page, pages.memory * page, pages.data * page};
}

/// The limit of the address space (ulimit -v).
std::int64_t address_limit() {
  rlimit limit{};
  const bool is_limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur < static_cast<rlim_t>(unlimited);
  return is_limited ? static_cast<std::int64_t>(limit.rlim_cur) : unlimited;
}

/// The limit of a container.
std::int64_t container_limit() {
  std::ifstream file("/sys/fs/cgroup/memory.max");
  std::int64_t limit = 0;
  return file >> limit && limit > 0 ? limit : unlimited;
}

std::int64_t last_cap = 0;

std::int64_t all_bytes(const Tensor& tensor) { return element_count(tensor.shape()) * element_size(tensor.dtype()); }

}  // namespace

std::int64_t available_memory() {
  const auto [address_space, memory, data] = used();
  const std::int64_t limited = std::min(address_limit() - address_space, container_limit() - memory);
  return std::min(machine_memory(), std::max<std::int64_t>(0, limited));
}

std::string memory_text(std::int64_t bytes) {
  constexpr double mebibyte = 1024.0 * 1024.0;
  const double size = static_cast<double>(bytes) / mebibyte;
  if (size < 0.1) {
    return std::to_string(bytes) + " bytes";
  }
  const bool is_large = size >= 102.4;
  return text::number_text(is_large ? size / 1024 : size, std::chars_format::fixed, 1) + (is_large ? " GiB" : " MiB");
}

void cap_memory(std::int64_t bytes, std::int64_t besides) {
  last_cap = bytes;
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) == 0) {
    limit.rlim_cur = std::min(limit.rlim_max, static_cast<rlim_t>(used().data + bytes + besides));
    setrlimit(RLIMIT_DATA, &limit);
  }
}

std::string free_memory_words() { return last_cap > 0 ? " (" + memory_text(last_cap) + " were free)" : std::string(); }

void check_fits(std::span<const Step> steps, std::span<const Tensor> drawn, std::int64_t available, Needed which) {
  std::unordered_set<const void*> seen;
  std::int64_t needed = 0;
  std::int64_t largest = 0;
  const auto add = [&](std::int64_t bytes) {
    if (__builtin_add_overflow(needed, bytes, &needed)) {
      throw TooLarge("the tensors together need more than 2^63 bytes");
    }
  };
  for (const Step& step : steps) {
    if (step.tensor) {
      const bool is_large = element_count(step.tensor->shape()) > evaluation().large;
      const bool in_parts = which == Needed::edges || (which == Needed::rows && is_large);
      add(step.tensor->bytes(seen, in_parts));
      largest = std::max(largest, in_parts ? step.tensor->bytes_of_part() : all_bytes(*step.tensor));
    }
  }
  for (const Tensor& tensor : drawn) {
    add(tensor.bytes(seen, true));
  }
  add(largest);
  add(largest);
  add(bytes_of_threads());
  if (needed > available) {
    throw TooLarge("the tensors need " + memory_text(needed) + " of memory, but only " + memory_text(available) +
                   " is available");
  }
}

void check_disk(const std::filesystem::path& target, std::span<const Step> steps) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::exists(target, error) && !fs::is_regular_file(target, error) && !fs::is_directory(target, error)) {
    return;  // a pipe or a device has no size limit
  }
  fs::path folder = fs::absolute(target, error).parent_path();
  while (folder.has_relative_path() && !fs::exists(folder, error)) {
    folder = folder.parent_path();
  }
  const fs::space_info space = fs::space(folder, error);
  if (error || space.capacity == 0) {
    return;  // not on a disk
  }
  const auto available =
      static_cast<std::int64_t>(std::min<std::uintmax_t>(space.available, std::numeric_limits<std::int64_t>::max()));
  std::int64_t needed = 0;
  for (const Step& step : steps) {
    const std::int64_t count = step.tensor ? element_count(step.tensor->shape()) : 0;
    std::int64_t bytes = 0;
    if (step.tensor && (__builtin_mul_overflow(count, element_size(step.tensor->dtype()), &bytes) ||
                        __builtin_add_overflow(needed, bytes, &needed))) {
      throw TooLarge("--save needs more than 2^63 bytes");
    }
  }
  if (needed > available) {
    throw TooLarge("--save needs " + memory_text(needed) + " of disk space, but only " + memory_text(available) +
                   " is free in '" + folder.string() + "'");
  }
}

}  // namespace attn
