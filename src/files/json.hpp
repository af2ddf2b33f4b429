#pragma once

#include <string_view>
#include <vector>

#include "files/read.hpp"

namespace attn::dump {

/// Whether a file that begins so may be JSON that attn-walkthrough wrote.
bool looks_like_json(std::string_view beginning);

/// The wanted tensors of JSON that attn-walkthrough wrote, as SECTION/NAME; of several chapters as
/// CHAPTER/SECTION/NAME. Throws Wrong.
std::vector<Dumped> parse_json(std::string_view text, const Wanted& wanted);

}  // namespace attn::dump
