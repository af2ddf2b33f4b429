#pragma once

#include <string>
#include <vector>

#include "cli/options.hpp"
#include "files/read/read.hpp"
#include "walk/lesson.hpp"

namespace attn::cli {

/// Runs the action; turns a DumpError into a UsageError that names the option.
template <class Action>
auto reading(const std::string& option, const Action& action) {
  try {
    return action();
  } catch (const files::DumpError& error) {
    throw UsageError(option + ": " + error.what());
  }
}

/// Finds the tensor [tokens, d_in] that an option names: FILE, or FILE:NAME. If the file has several tensors and NAME
/// is not given, it is the one called `name`. Adds conversions to `notes`. Throws UsageError.
GivenTensor read_inputs(const std::string& option, const std::string& text, const std::string& name,
                        std::vector<std::string>& notes);

/// Reads the value of --weights: all weights in a FILE, or NAME=FILE,NAME=FILE. Throws UsageError.
GivenWeights read_weights(const std::string& text, std::vector<std::string>& notes);

}  // namespace attn::cli
