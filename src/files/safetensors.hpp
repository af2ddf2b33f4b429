#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "files/file.hpp"
#include "files/read.hpp"

namespace attn::dump {

/// Of the nine first bytes of a file of that size: its header's length, and the brace that the header begins with.
bool looks_like_safetensors(std::string_view bytes, std::int64_t size);

/// All tensors of a .safetensors file, in the order of its header, by the format's rules: numbers little-endian and
/// row-major, one after the other from the header's end to the file's, without holes. Throws Wrong.
std::vector<Dumped> parse_safetensors(const Bytes& bytes, const Wanted& wanted);

}  // namespace attn::dump
