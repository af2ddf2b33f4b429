#pragma once

#include <filesystem>
#include <string>

#include "system/signals.hpp"

namespace attn::system {

/// Something on the disk that is taken away with this object, and before a signal ends the process.
class Unfinished {
 public:
  enum class Kind {
    file,
    folder,  ///< where nothing is left in it
  };

  /// What must be held since before the thing is there.
  static HeldSignals hold_signals();
  Unfinished(const std::filesystem::path& path, Kind kind);
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  ~Unfinished();

  const std::filesystem::path& path() const { return path_; }
  /// It is finished, or is no more: nothing is taken away.
  void keep();
  /// It may be a folder that was protected: what is in it can be taken away now.
  void let_contents_go();

 private:
  static void take_away_all(int signal);

  std::filesystem::path path_;
  Kind kind_;
  bool kept_ = false;
  Unfinished* earlier_ = nullptr;
};

/// A name beside the path that nothing has, for what is not finished.
std::filesystem::path unfinished_name(const std::filesystem::path& path);

}  // namespace attn::system
