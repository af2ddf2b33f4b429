#pragma once

#include <iosfwd>
#include <span>

#include "lesson/printed.hpp"

namespace attn::render {

/// Every step as the article's print calls write it.
void write_text(std::ostream& out, std::span<const Step> steps, const TextOptions& options);

}  // namespace attn::render
