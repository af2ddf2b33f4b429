#pragma once

#include <string_view>
#include <vector>

#include "files/read.hpp"

namespace attn::files {

/// Returns true if a file with this beginning may be JSON that attn-walkthrough wrote.
bool looks_like_json(std::string_view beginning);

/// Reads the wanted tensors of JSON that attn-walkthrough wrote, as SECTION/NAME, or with several chapters as
/// CHAPTER/SECTION/NAME. Throws Wrong.
std::vector<Dumped> parse_json(std::string_view text, const Wanted& wanted);

}  // namespace attn::files
