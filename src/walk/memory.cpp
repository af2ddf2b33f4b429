#include "walk/walkthrough.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <unordered_set>

#include "tensor/tensor.hpp"
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

/// The bytes that this process uses: of address space, of memory, and of data.
std::array<std::int64_t, 3> used() {
  std::ifstream statm("/proc/self/statm");
  std::array<std::int64_t, 6> pages{};
  for (std::int64_t& count : pages) {
    statm >> count;
  }
  const std::int64_t page = sysconf(_SC_PAGESIZE);
  return {pages[0] * page, pages[1] * page, pages[5] * page};
}

double bytes_of(const Tensor& tensor) {
  return static_cast<double>(element_count(tensor.shape())) * static_cast<double>(element_size(tensor.dtype()));
}

/// Throws TooLarge if the bytes are more than there are: "the tensors need 4.0 GiB of memory, but only 1.0 GiB is ...".
void check(const std::string& who, double needed, std::int64_t available, const std::string& of,
           const std::string& is) {
  if (needed > static_cast<double>(available)) {
    const double most = std::min(needed, 0x1.fffffffffffffp62);
    throw TooLarge(who + memory_text(static_cast<std::int64_t>(most)) + of + ", but only " + memory_text(available) +
                   is);
  }
}

}  // namespace

std::int64_t available_memory() {
  const auto [address_space, memory, data] = used();
  rlimit limit{};
  const bool is_limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur < static_cast<rlim_t>(unlimited);
  const std::int64_t addresses = is_limited ? static_cast<std::int64_t>(limit.rlim_cur) : unlimited;
  std::ifstream file("/sys/fs/cgroup/memory.max");  // of a container: a number or "max"
  std::int64_t container = 0;
  container = file >> container && container > 0 ? container : unlimited;
  const std::int64_t limited = std::min(addresses - address_space, container - memory);
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
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) == 0) {
    limit.rlim_cur = std::min(limit.rlim_max, static_cast<rlim_t>(used()[2] + bytes + besides));
    setrlimit(RLIMIT_DATA, &limit);
  }
}

void check_fits(std::span<const Step> steps, std::span<const Tensor> drawn, std::int64_t available, Needed which) {
  std::unordered_set<const void*> seen;
  double needed = static_cast<double>(bytes_of_threads());
  double largest = 0;
  for (const Step& step : steps) {
    if (step.tensor) {
      const bool is_large = element_count(step.tensor->shape()) > evaluation().large;
      const bool in_parts = which == Needed::edges || (which == Needed::rows && is_large);
      needed += static_cast<double>(step.tensor->bytes(seen, in_parts));
      largest =
          std::max(largest, in_parts ? static_cast<double>(step.tensor->bytes_of_part()) : bytes_of(*step.tensor));
    }
  }
  for (const Tensor& tensor : drawn) {
    needed += static_cast<double>(tensor.bytes(seen, true));
  }
  check("the tensors need ", needed + 2 * largest, available, " of memory", " is available");
}

void check_disk(const std::filesystem::path& target, std::span<const Step> steps) {
  namespace fs = std::filesystem;
  std::error_code error;
  const bool is_sized =
      !fs::exists(target, error) || fs::is_regular_file(target, error) || fs::is_directory(target, error);
  fs::path folder = fs::absolute(target, error).parent_path();
  while (folder.has_relative_path() && !fs::exists(folder, error)) {
    folder = folder.parent_path();
  }
  const fs::space_info space = fs::space(folder, error);
  if (!is_sized || error || space.capacity == 0) {
    return;  // a pipe or a device, or not on a disk
  }
  double needed = 0;
  for (const Step& step : steps) {
    needed += step.tensor ? bytes_of(*step.tensor) : 0;
  }
  check("--save needs ", needed, static_cast<std::int64_t>(std::min<std::uintmax_t>(space.available, unlimited)),
        " of disk space", " is free in '" + folder.string() + "'");
}

}  // namespace attn
