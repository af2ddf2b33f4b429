#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>

#include "lesson/printed.hpp"

namespace attn::render {

/// A walkthrough as it is, left, and with one rule changed, right; or one below the other where both do not fit into
/// `width` columns. Steps belong together by section and name; those that only one side has stand alone. Every
/// number of a changed tensor on the right has a place before it, with a `*` where it differs. Steps in which nothing
/// differs are told in one line. Lines of prose begin with "# "; the first is `sentence`.
void write_side_by_side(std::ostream& out, std::span<const Step> as_is, std::span<const Step> changed,
                        const std::string& sentence, const TextOptions& options, std::int64_t width);

}  // namespace attn::render
