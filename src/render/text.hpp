#pragma once

#include <iosfwd>
#include <span>

#include "lesson/printed.hpp"

namespace attn::render {

/// Writes every step as the article's print calls do.
void write_text(std::ostream& out, std::span<const Step> steps, const TextOptions& options);

}  // namespace attn::render
