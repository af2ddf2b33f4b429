#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <minizip/unzip.h>

namespace attn::dump {

/// The files in a zip archive's bytes, one after the other, as its directory lists them.
class Archive {
 public:
  /// Throws Wrong where that is no archive. The bytes stay where they are.
  explicit Archive(std::string_view bytes);
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;
  ~Archive();

  /// The bytes, and where the library is that reads them.
  struct Stream {
    std::string_view bytes;
    std::size_t position = 0;
    bool is_at_end = false;  ///< more was asked for than there is
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
