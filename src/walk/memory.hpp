#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "walk/walkthrough.hpp"

namespace attn {

/// The bytes that this process may still use: the smallest of the machine's free memory, the process's limits and its
/// control group's. If the address space is limited, `reserved` bytes of it are kept free, if there are that many.
std::int64_t available_memory(std::int64_t reserved = 0);

/// The smallest limit of this process's control group and its parents, of version 1 or 2: `groups` lists the groups as
/// /proc/self/cgroup does, `root` is where /sys/fs/cgroup would be.
std::int64_t control_group_limit(const std::filesystem::path& groups, const std::filesystem::path& root);

/// "74.5 GiB", "12.0 MiB", "300 bytes"
std::string memory_text(std::int64_t bytes);

/// From now on the process takes so many bytes more at most, and `besides` of address space that is never used: what
/// needs more throws std::bad_alloc, and no other program pays for it.
void cap_memory(std::int64_t bytes, std::int64_t besides);

/// " (21.3 GiB were free)": the last cap; empty where there is none.
std::string free_memory_words();

/// Whether all tensors behind the steps, and those drawn, need less memory than the program itself, and nobody limits
/// it: the system need not be asked how much is free.
bool is_tiny(std::span<const Step> steps, std::span<const Tensor> drawn);

/// What is asked of steps.
enum class Asked {
  all,    ///< all their numbers
  edges,  ///< those at the edges, as print shows them, or one of them
  rows,   ///< all, of the large ones some rows at a time
};

/// Throws TooLarge, with both sizes, where the tensors behind the steps, those that are drawn in any case, and copies
/// of the largest for printing and saving need more than `available` bytes. Asks no tensor for its numbers.
void check_fits(std::span<const Step> steps, std::span<const Tensor> drawn, std::int64_t available,
                Asked asked = Asked::all);

/// Throws TooLarge, with both sizes, where the disk that --save's target is on has no room for the steps' tensors.
void check_disk(const std::filesystem::path& target, std::span<const Step> steps);

}  // namespace attn
