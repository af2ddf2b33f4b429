#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "files/file.hpp"
#include "files/read.hpp"

namespace attn::files {

enum class Format { npy, npz, safetensors, csv, json, raw, matlab };

inline constexpr std::size_t bytes_that_tell = 64;
std::optional<Format> format_of_bytes(const Beginning& beginning);
std::optional<Format> format_of_name(const std::filesystem::path& path);

/// Reads the wanted tensors of a file. Its first bytes determine the format, else its name. Throws Wrong.
std::vector<Dumped> parse_file(const std::filesystem::path& path, const Bytes& bytes, const Wanted& wanted);

}  // namespace attn::files
