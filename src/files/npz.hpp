#pragma once

#include <string_view>
#include <vector>

#include "files/file.hpp"
#include "files/read.hpp"

namespace attn::files {

/// Returns true if the bytes begin as a zip archive does.
bool looks_like_npz(std::string_view bytes);

/// Reads the wanted arrays of an .npz file, a zip archive of .npy files, in the archive's order; other files in it are
/// ignored. All headers are read, and the arrays' total size is computed, before any array is unpacked. Throws Wrong.
std::vector<Dumped> parse_npz(const Bytes& bytes, const Wanted& wanted);

}  // namespace attn::files
