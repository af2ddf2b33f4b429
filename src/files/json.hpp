#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "files/read.hpp"

namespace attn::files {

/// Returns true if a file with this beginning may be JSON that attn-walkthrough wrote.
bool looks_like_json(std::string_view beginning);

/// Reads the wanted tensors of JSON: of what attn-walkthrough wrote, as SECTION/NAME, or with several chapters as
/// CHAPTER/SECTION/NAME; of other objects each nested list of numbers by its keys, "layer/keys"; a list alone, by the
/// name given. NaN and Infinity may stand as Python writes them; null, which JavaScript writes for what is not finite,
/// is -inf. Throws Wrong.
std::vector<Dumped> parse_json(std::string_view text, const std::string& name, const Wanted& wanted);

}  // namespace attn::files
