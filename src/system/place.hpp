#pragma once

#include <filesystem>

#include "system/descriptor.hpp"

namespace attn::system {

/// Where a path leads that somebody wants written.
struct Place {
  enum class Kind {
    nothing,  ///< is there yet
    file,
    folder,
    stream,  ///< a device, a pipe, an open file of the process: written to as it is
  };

  Kind kind = Kind::nothing;
  std::filesystem::path path;  ///< behind symbolic links, also to nothing
  int open_descriptor = -1;    ///< of /dev/stdout and /dev/fd/N
};

/// Throws std::filesystem::filesystem_error.
Place place_of(std::filesystem::path path);

/// Opens a stream for writing. Throws std::filesystem::filesystem_error.
Descriptor opened(const Place& stream);

/// Whether one of them is the other, or in it, as far as both are there. Throws std::filesystem::filesystem_error where
/// the system does not tell.
bool overlap(const Place& one, const Place& other);

/// Whether both are the same device, pipe or open file.
bool same_stream(const Place& one, const Place& other);

/// Renames where nothing has the new name: false where something has. Throws std::filesystem::filesystem_error.
bool rename_to_new(const std::filesystem::path& from, const std::filesystem::path& to);

/// Each gets the other's name. False where one of them is not there. Throws std::filesystem::filesystem_error.
bool exchange(const std::filesystem::path& one, const std::filesystem::path& other);

}  // namespace attn::system
