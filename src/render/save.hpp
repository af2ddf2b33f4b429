#pragma once

#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "walk/walkthrough.hpp"

namespace attn::render {

/// The folder cannot be written: what is wrong; what is accepted; how to go on.
struct SaveError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Every tensor of the steps as folder/NAME.npy, or folder/SECTION/NAME.npy, and `about` with a list of the steps as
/// folder/manifest.json. The constructor writes them under other names, publish() puts them in their places; without
/// it nothing is left behind.
class Saving {
 public:
  /// Makes the folder. Throws SaveError.
  Saving(const std::filesystem::path& folder, std::span<const Step> steps, nlohmann::ordered_json about);
  Saving(const Saving&) = delete;
  Saving& operator=(const Saving&) = delete;
  ~Saving();

  /// Throws SaveError.
  void publish();

 private:
  void discard();
  void make_folder(const std::filesystem::path& path);
  void write(const std::filesystem::path& file, std::string_view bytes);

  std::vector<std::filesystem::path> folders_;  ///< made here
  std::vector<std::pair<std::filesystem::path, std::filesystem::path>> files_;  ///< written, and their places
};

}  // namespace attn::render
