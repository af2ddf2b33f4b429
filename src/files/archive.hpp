#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <minizip/unzip.h>

#include "files/file.hpp"

namespace attn::files {

/// The files of a zip archive, one after the other, in its directory's order.
class Archive {
 public:
  /// Opens an archive; the bytes must outlive this object. Throws Wrong if they are not an archive.
  explicit Archive(const Bytes& bytes);
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;
  ~Archive();

  /// The bytes, and the library's reading position.
  struct Stream {
    const Bytes& bytes;
    std::size_t position = 0;
    bool is_at_end = false;  ///< a read went past the end, or failed
  };

  struct Entry {
    std::string name;
    std::uint64_t packed_size;
    std::uint64_t size;  ///< as declared in the directory
    bool is_readable;    ///< neither encrypted nor packed with a rare method
  };

  /// Reads the first or next entry; false after the last. Throws Wrong.
  bool next(Entry& entry);

  /// Passes on the first `count` bytes of the current entry, in pieces; never more than the entry declares. The
  /// checksum is verified if all bytes are read. Throws Wrong.
  void unpack(std::uint64_t count, const std::function<void(std::string_view piece)>& take);

 private:
  Stream stream_;
  unzFile file_;
  bool is_before_first_ = true;
};

}  // namespace attn::files
