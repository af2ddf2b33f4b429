#pragma once

#include <string_view>
#include <vector>

#include "files/read.hpp"

namespace attn::dump {

/// Whether it begins as a zip archive does.
bool looks_like_npz(std::string_view bytes);

/// All arrays of an .npz file, which is a zip archive of .npy files, in the archive's order; other files in it are left
/// out. Throws Wrong.
std::vector<Dumped> parse_npz(std::string_view bytes);

}  // namespace attn::dump
