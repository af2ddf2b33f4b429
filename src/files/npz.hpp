#pragma once

#include <string_view>
#include <vector>

#include "files/file.hpp"
#include "files/read.hpp"

namespace attn::dump {

/// Whether it begins as a zip archive does.
bool looks_like_npz(std::string_view bytes);

/// The wanted arrays of an .npz file, which is a zip archive of .npy files, in the archive's order; other files in it
/// are left out. All headers are read, and what the arrays need is counted, before an array is unpacked. Throws Wrong.
std::vector<Dumped> parse_npz(const Bytes& bytes, const Wanted& wanted);

}  // namespace attn::dump
