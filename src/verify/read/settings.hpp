#pragma once

#include <string_view>

#include "verify/read/listing.hpp"

namespace attn::verify {

/// Finds a text's statements about seeds, sizes and weights: "manual_seed(123)", "seed 123", "d_in, d_out = 3, 2",
/// "nn.Linear(3, 2". Takes time linear in the text.
Settings find_settings(std::string_view text);

}  // namespace attn::verify
