#pragma once

#include "text/lines.hpp"
#include "text/nearest.hpp"

namespace attn::cli {

using text::joined;
using text::nearest;
using text::one_line;
using text::split;

}  // namespace attn::cli
