#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>

#include "lesson/printed.hpp"

namespace attn::render {

/// Writes the original walkthrough on the left and the changed one on the right, or one below the other if both do not
/// fit into `width` columns. Steps are paired by section and name; a step that only one side has stands alone. In a
/// changed tensor on the right, every number has room before it for a `*`, which marks the numbers that differ. Steps
/// without differences share one line. Lines of prose begin with "# "; the first is `sentence`.
void write_side_by_side(std::ostream& out, std::span<const Step> as_is, std::span<const Step> changed,
                        const std::string& sentence, const TextOptions& options, std::int64_t width);

}  // namespace attn::render
