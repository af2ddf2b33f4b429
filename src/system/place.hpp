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

}  // namespace attn::system
