#pragma once

#include <functional>
#include <vector>

#include "system/descriptor.hpp"

namespace attn::system {

/// The destination of a path to be written.
struct Place {
  enum class Kind {
    nothing,  ///< does not exist yet
    file,
    folder,
    stream,  ///< a device, a pipe or standard output, written directly
  };

  Kind kind = Kind::nothing;
  std::filesystem::path path;  ///< with symbolic links resolved
};

/// Resolves a path. Throws std::filesystem::filesystem_error.
Place place_of(const std::filesystem::path& asked);

/// Opens a stream for writing. Throws std::filesystem::filesystem_error.
Descriptor opened(const Place& stream);

/// Returns true if one is the other or lies in it, as far as both exist. Throws std::filesystem::filesystem_error if
/// the system does not tell.
bool overlap(const Place& one, const Place& other);

/// Returns true if both are the same device, pipe or open file.
bool same_stream(const Place& one, const Place& other);

/// A file or folder that is built beside its place and moved there as a whole. The destructor removes it unless it was
/// published, and so does a signal that ends the process. All functions throw std::filesystem::filesystem_error.
class Beside {
 public:
  enum class Kind { file, folder };
  /// Throws if what exists at the place must stay.
  using Check = std::function<void(const std::filesystem::path& found)>;

  /// Creates it, and the missing parents of its place.
  Beside(std::filesystem::path place, Kind kind);
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;
  ~Beside();

  /// The file, or the folder's new file of this name, open for writing.
  Descriptor open(const std::filesystem::path& name = {}) const;
  /// Moves it to its place. Without a check nothing is replaced: std::errc::file_exists. Its place always holds either
  /// the old or the new one; if the system cannot swap the names of folders (NFS), the place is empty for a moment,
  /// with the old folder beside it.
  void publish(const Check& may_replace);
  /// Removes what was published in a place that had nothing.
  void take_back();

 private:
  void make_parents(const std::filesystem::path& folder);
  void withdraw();
  void move_file(bool replaces) const;
  void move_folder(const Check& may_replace);

  std::filesystem::path place_;
  std::filesystem::path unfinished_;
  Kind kind_;
  bool is_published_ = false;
  std::vector<std::filesystem::path> parents_;  ///< created here, innermost first
};

/// Removes what is unfinished, and lets nothing more be created. For a process that ends.
void remove_unfinished();

[[noreturn]] void throw_exists(const std::filesystem::path& path);

}  // namespace attn::system
