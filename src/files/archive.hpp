#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <minizip/unzip.h>

#include "files/file.hpp"

namespace attn::dump {

/// The files in a zip archive, one after the other, in the order of its directory.
class Archive {
 public:
  /// The bytes must outlive this object. Throws Wrong if they are not an archive.
  explicit Archive(const Bytes& bytes);
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;
  ~Archive();

  /// The bytes, and where the library is that reads them.
  struct Stream {
    const Bytes& bytes;
    std::size_t position = 0;
    bool is_at_end = false;  ///< more was asked for than there is, or can be read
  };

  struct Entry {
    std::string name;
    std::uint64_t packed_size;
    std::uint64_t size;  ///< as declared
    bool is_readable;    ///< neither encrypted nor packed in a rare way
  };

  /// The first entry, or the next one; false after the last. Throws Wrong.
  bool next(Entry& entry);

  /// Hands on the first bytes of the entry that next() told of, piece by piece, at most so many: never more than it
  /// declares. The sum of all of them is checked where all are asked for. Throws Wrong.
  void unpack(std::uint64_t count, const std::function<void(std::string_view piece)>& take);

 private:
  Stream stream_;
  unzFile file_;
  bool is_before_first_ = true;
};

}  // namespace attn::dump
