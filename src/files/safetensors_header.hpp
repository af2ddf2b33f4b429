#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace attn::files {

/// An entry of a .safetensors header: one tensor.
struct SafetensorsEntry {
  std::string name;
  std::string dtype;
  std::vector<std::uint64_t> shape;
  std::vector<std::uint64_t> offsets;  ///< begin and end, counted from the header's end
};

/// Parses {"keys": {"dtype": "F32", "shape": [6, 2], "data_offsets": [0, 48]}, ...}, without "__metadata__". Anything
/// else is rejected as soon as it begins, before it takes memory. Throws Wrong.
std::vector<SafetensorsEntry> parse_safetensors_header(std::string_view json);

}  // namespace attn::files
