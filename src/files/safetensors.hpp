#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "files/elements.hpp"
#include "files/file.hpp"
#include "files/read.hpp"

namespace attn::files {

/// Checks a file's first nine bytes and its size: the header's length, and the brace that begins the header.
bool looks_like_safetensors(std::string_view bytes, std::int64_t size);

/// A tensor in a file: its numbers are `size` bytes from `begin` on.
struct Placed {
  std::string name;
  Element element;
  Shape shape;
  std::uint64_t begin;
  std::uint64_t size;
};

/// The tensors of a .safetensors file, in its header's order, by the format's rules: numbers are little-endian and
/// row-major, one tensor after the other from the header's end to the file's end, without gaps. Reads no numbers.
/// Throws Wrong.
std::vector<Placed> safetensors_contents(const Bytes& bytes);

/// Reads the wanted tensors of a .safetensors file. Throws Wrong.
std::vector<Dumped> parse_safetensors(const Bytes& bytes, const Wanted& wanted);

}  // namespace attn::files
