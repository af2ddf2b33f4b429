#pragma once

#include <filesystem>
#include <functional>
#include <list>
#include <optional>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "system/descriptor.hpp"
#include "system/unfinished.hpp"

namespace attn::system {

/// A file that is written beside its place and put there as a whole: without publish(), and where that fails, or a
/// signal ends the process, all is as it was. Everything throws std::filesystem::filesystem_error.
class FileWriter {
 public:
  /// The place behind symbolic links. What a replaced file allows to whom, the new one does too.
  FileWriter(std::filesystem::path place, bool may_replace);

  int descriptor() const { return descriptor_.number(); }
  /// Throws with std::errc::file_exists where something is there that may not be replaced.
  void publish();

 private:
  std::filesystem::path place_;
  bool may_replace_;
  Descriptor descriptor_;
  std::optional<Unfinished> unfinished_;
};

/// A folder, likewise. Everything throws std::filesystem::filesystem_error.
class FolderWriter {
 public:
  /// Complains, by throwing, where a folder that is in the way may not be replaced.
  using Check = std::function<void(const std::filesystem::path& folder)>;

  /// Makes the folders that it is to be in, where they are missing.
  explicit FolderWriter(const std::filesystem::path& place);
  FolderWriter(const FolderWriter&) = delete;
  FolderWriter& operator=(const FolderWriter&) = delete;
  ~FolderWriter();

  /// A file of the folder, with the folders that it is in.
  void write(const std::filesystem::path& file, std::string_view bytes);
  /// Puts it in its place. Without a check nothing that is there is replaced: std::errc::file_exists. What is replaced
  /// is put back by the destructor, unless finish() was called.
  void publish(const Check& may_replace);
  void finish();

 private:
  void make_parents(const std::filesystem::path& folder);
  bool replace(const Check& may_replace);
  void withdraw();

  std::filesystem::path place_;
  std::list<Unfinished> parents_;  ///< made here, the innermost first
  std::optional<Unfinished> unfinished_;
  std::vector<std::filesystem::path> folders_;  ///< made in it
  enum class State { written, published, replaced, finished } state_ = State::written;
  ino_t inode_ = 0;
};

}  // namespace attn::system
