#pragma once

#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "walk/walkthrough.hpp"

namespace attn::render {

/// The folder cannot be written: what is wrong; what is accepted; how to go on.
struct SaveError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Writes every tensor of the steps to folder/NAME.npy, or folder/SECTION/NAME.npy, and `about` with a list of
/// the steps to folder/manifest.json. Makes the folder. Throws SaveError, and leaves no file of its own then.
void save(const std::filesystem::path& folder, std::span<const Step> steps, nlohmann::ordered_json about);

}  // namespace attn::render
