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

/// A file that a later failure takes away again: what it replaced is put back by the destructor, unless finish() was
/// called. Folders that are missing are made. Everything throws std::filesystem::filesystem_error.
class RevocableFileWriter {
 public:
  explicit RevocableFileWriter(const std::filesystem::path& place);

  /// Throws std::system_error.
  void write(std::string_view bytes) { write_all(descriptor_.number(), bytes); }
  /// Bytes that were written already. Throws std::system_error.
  void overwrite(std::uint64_t offset, std::string_view bytes);
  /// Throws with std::errc::file_exists where something is there that may not be replaced.
  void publish(bool may_replace);
  /// What of a replaced one cannot be taken away: empty where nothing.
  std::filesystem::path finish() { return publication_.finish(); }

 private:
  Descriptor descriptor_;
  Publication publication_;
};

/// A folder, likewise.
class FolderWriter {
 public:
  using Check = Publication::Check;

  explicit FolderWriter(const std::filesystem::path& place);

  using Sink = std::function<void(std::string_view bytes)>;

  /// A file of the folder, with the folders that it is in. `write` gives what is in it.
  void write(const std::filesystem::path& file, const std::function<void(const Sink& sink)>& write);
  /// Puts it in its place. Without a check nothing that is there is replaced: std::errc::file_exists.
  void publish(const Check& may_replace);
  /// What of a replaced one cannot be taken away: empty where nothing.
  std::filesystem::path finish() { return publication_.finish(); }

 private:
  Publication publication_;
  std::vector<std::filesystem::path> folders_;  ///< made in it
};

}  // namespace attn::system
