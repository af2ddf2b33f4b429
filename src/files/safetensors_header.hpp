#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace attn::dump {

/// What a .safetensors file's header says of a tensor.
struct SafetensorsEntry {
  std::string name;
  std::string dtype;
  std::vector<std::uint64_t> shape;
  std::vector<std::uint64_t> offsets;  ///< begin and end, from the header's end
};

/// Of {"keys": {"dtype": "F32", "shape": [6, 2], "data_offsets": [0, 48]}, ...}, without "__metadata__". Whatever has
/// another form is refused where it begins, so that nothing is built of it. Throws Wrong.
std::vector<SafetensorsEntry> parse_safetensors_header(std::string_view json);

}  // namespace attn::dump
