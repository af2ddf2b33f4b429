#pragma once

#include <filesystem>
#include <string>

#include "system/signals.hpp"

namespace attn::system {

/// Something on the disk that is removed by the destructor, and before a signal ends the process.
class Unfinished {
 public:
  enum class Kind {
    file,
    folder,  ///< removed if it is empty
  };

  /// Blocks signals; call it before creating the file.
  static HeldSignals hold_signals();
  Unfinished(const std::filesystem::path& path, Kind kind);
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  ~Unfinished();

  const std::filesystem::path& path() const { return path_; }
  /// Marks it as finished or gone: nothing is removed.
  void keep();
  /// Makes a possibly protected folder's contents removable.
  void let_contents_go();

 private:
  static void take_away_all(int signal);

  std::filesystem::path path_;
  Kind kind_;
  bool kept_ = false;
  Unfinished* earlier_ = nullptr;
};

/// An unused name beside the path for something unfinished.
std::filesystem::path unfinished_name(const std::filesystem::path& path);

}  // namespace attn::system
