#pragma once

#include <filesystem>

#include "system/descriptor.hpp"

namespace attn::system {

/// The destination of a path to be written.
struct Place {
  enum class Kind {
    nothing,  ///< does not exist yet
    file,
    folder,
    stream,  ///< a device, a pipe or an open file of the process, written directly
  };

  Kind kind = Kind::nothing;
  std::filesystem::path path;  ///< with symbolic links resolved, also those to nothing
  int open_descriptor = -1;    ///< for /dev/stdout and /dev/fd/N
};

/// Resolves a path. Throws std::filesystem::filesystem_error.
Place place_of(std::filesystem::path path);

/// Opens a stream for writing. Throws std::filesystem::filesystem_error.
Descriptor opened(const Place& stream);

/// Returns true if one is the other or lies in it, as far as both exist. Throws std::filesystem::filesystem_error if
/// the system does not tell.
bool overlap(const Place& one, const Place& other);

/// Returns true if both are the same device, pipe or open file.
bool same_stream(const Place& one, const Place& other);

/// Renames a path unless the new name exists; returns false if it does. Throws std::filesystem::filesystem_error.
bool rename_to_new(const std::filesystem::path& from, const std::filesystem::path& to);

/// Swaps two names. Returns false if one of them does not exist. Throws std::filesystem::filesystem_error.
bool exchange(const std::filesystem::path& one, const std::filesystem::path& other);

}  // namespace attn::system
