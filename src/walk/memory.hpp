#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "walk/walkthrough.hpp"

namespace attn {

/// The bytes that this process may still use: the smallest of the machine's free memory, the limit of the address space
/// and the container's.
std::int64_t available_memory();

/// "74.5 GiB", "12.0 MiB", "300 bytes"
std::string memory_text(std::int64_t bytes);

/// Limits the memory that the process may still allocate to `bytes`, plus `besides` bytes of address space that is
/// never used. Beyond the limit, allocation throws std::bad_alloc.
void cap_memory(std::int64_t bytes, std::int64_t besides);

/// " (21.3 GiB were free)": the last limit; empty if none was set.
std::string free_memory_words();

/// The numbers of the steps that a run needs.
enum class Needed {
  all,    ///< all numbers at once
  edges,  ///< the numbers at the edges, as print shows them
  rows,   ///< all numbers, for large tensors a few rows at a time
};

/// Throws TooLarge, with both sizes, if the tensors need more than `available` bytes: those that the steps depend on,
/// the drawn ones, and copies of the largest for printing and saving. Computes no numbers.
void check_fits(std::span<const Step> steps, std::span<const Tensor> drawn, std::int64_t available,
                Needed which = Needed::all);

/// Throws TooLarge, with both sizes, if the disk of --save's target has too little space for the steps' tensors.
void check_disk(const std::filesystem::path& target, std::span<const Step> steps);

}  // namespace attn
