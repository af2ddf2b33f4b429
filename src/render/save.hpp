#pragma once

#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "render/document.hpp"

namespace attn::render {

/// The folder cannot be written: what is wrong; what is accepted; how to go on.
struct SaveError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Every tensor of a chapter's steps as folder/NAME.npy, or folder/SECTION/NAME.npy, and what they are as
/// folder/manifest.json. Of several chapters each has a folder of its own in it, and the manifest is a list.
///
/// The constructor writes them under other names, publish() puts them in their places, and takes away what the manifest
/// that was there lists; without it, and where it fails, all stays as it was. A folder with files that no manifest of
/// ours lists is refused.
class Saving {
 public:
  /// Makes the folder. Throws SaveError.
  Saving(const std::filesystem::path& folder, std::span<const ShownChapter> chapters);
  Saving(const Saving&) = delete;
  Saving& operator=(const Saving&) = delete;
  ~Saving();

  /// Throws SaveError.
  void publish();

 private:
  /// A file, and where it goes or comes from.
  struct Move {
    std::filesystem::path from;
    std::filesystem::path to;
  };

  void write_all(std::span<const ShownChapter> chapters);
  nlohmann::ordered_json write_chapter(const ShownChapter& chapter, const std::filesystem::path& subfolder);
  void write(const std::filesystem::path& file, std::string_view bytes);
  void make_folder(const std::filesystem::path& path);
  void move(const Move& move);
  void put_back();
  void discard();

  std::filesystem::path folder_;
  std::vector<std::filesystem::path> earlier_;  ///< what was saved here before
  std::vector<std::filesystem::path> folders_;  ///< made here
  std::vector<Move> written_;                   ///< under other names, and their places
  std::vector<Move> moved_;                     ///< by publish(), in order
};

}  // namespace attn::render
