#pragma once

#include <string>
#include <vector>

#include "walk/given.hpp"

namespace attn::cli {

/// The tensor [tokens, d_in] that an option's text names: FILE, or FILE:NAME where the file has several. Where it has
/// several and no NAME is given, it is the one called `name`. `notes` gets what was converted. Throws UsageError.
GivenTensor read_inputs(const std::string& option, const std::string& text, const std::string& name,
                        std::vector<std::string>& notes);

/// What --weights names: all weights of a FILE, or NAME=FILE,NAME=FILE, each FILE as above. Throws UsageError.
GivenWeights read_weights(const std::string& text, std::vector<std::string>& notes);

}  // namespace attn::cli
