#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "system/descriptor.hpp"
#include "system/publication.hpp"
#include "system/unfinished.hpp"

namespace attn::system {

/// A file that is written beside its place and moved there as a whole. Without publish(), if it fails, or if a signal
/// ends the process, everything is as before. All functions throw std::filesystem::filesystem_error.
class FileWriter {
 public:
  /// Resolves symbolic links in the place. Keeps a replaced file's permissions.
  FileWriter(std::filesystem::path place, bool may_replace);

  int descriptor() const { return descriptor_.number(); }
  /// Throws std::errc::file_exists if something exists that may not be replaced.
  void publish();

 private:
  std::filesystem::path place_;
  bool may_replace_;
  Descriptor descriptor_;
  std::optional<Unfinished> unfinished_;
};

/// A file that a later failure withdraws: the destructor restores what it replaced unless finish() was called. Creates
/// missing folders. All functions throw std::filesystem::filesystem_error.
class RevocableFileWriter {
 public:
  explicit RevocableFileWriter(const std::filesystem::path& place);

  /// Throws std::system_error.
  void write(std::string_view bytes) { write_all(descriptor_.number(), bytes); }
  /// Overwrites bytes already written. Throws std::system_error.
  void overwrite(std::uint64_t offset, std::string_view bytes);
  /// Throws std::errc::file_exists if something exists that may not be replaced.
  void publish(bool may_replace);
  /// Returns what cannot be removed of a replaced file; empty if there is nothing.
  std::filesystem::path finish() { return publication_.finish(); }

 private:
  Descriptor descriptor_;
  Publication publication_;
};

/// A folder with the same guarantees.
class FolderWriter {
 public:
  using Check = Publication::Check;

  explicit FolderWriter(const std::filesystem::path& place);

  using Sink = std::function<void(std::string_view bytes)>;

  /// Writes a file of the folder, and creates its parent folders. `write` produces the contents.
  void write(const std::filesystem::path& file, const std::function<void(const Sink& sink)>& write);
  /// Moves the folder to its place. Without a check nothing is replaced: std::errc::file_exists.
  void publish(const Check& may_replace);
  /// Returns what cannot be removed of a replaced folder; empty if there is nothing.
  std::filesystem::path finish() { return publication_.finish(); }

 private:
  Publication publication_;
  std::vector<std::filesystem::path> folders_;  ///< created in it
};

}  // namespace attn::system
