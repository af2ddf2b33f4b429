#pragma once

#include <optional>
#include <string_view>

#include "cli/options.hpp"

namespace attn::fuzz {

/// What the command line asks for that has an argument a line; nothing where it is refused.
std::optional<cli::Options> parsed(std::string_view lines);

}  // namespace attn::fuzz
