#include "files/archive.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "files/wrong.hpp"

namespace attn::files {
namespace {

Archive::Stream& stream_of(voidpf pointer) { return *static_cast<Archive::Stream*>(pointer); }

voidpf ZCALLBACK open_stream(voidpf stream, const void* /*name*/, int /*mode*/) { return stream; }

uLong ZCALLBACK read_stream(voidpf /*opaque*/, voidpf pointer, void* buffer, uLong size) {
  Archive::Stream& stream = stream_of(pointer);
  const std::size_t count = std::min<std::size_t>(size, stream.bytes.size() - stream.position);
  try {
    stream.bytes.read(stream.position, static_cast<char*>(buffer), count);
  } catch (const Wrong&) {  // exceptions must not pass through the C library
    stream.is_at_end = true;
    return 0;
  }
  stream.position += count;
  stream.is_at_end = count < size;
  return count;
}

ZPOS64_T ZCALLBACK tell_stream(voidpf /*opaque*/, voidpf pointer) { return stream_of(pointer).position; }

long ZCALLBACK seek_stream(voidpf /*opaque*/, voidpf pointer, ZPOS64_T offset, int origin) {
  Archive::Stream& stream = stream_of(pointer);
  const std::size_t base = origin == ZLIB_FILEFUNC_SEEK_SET   ? 0
                           : origin == ZLIB_FILEFUNC_SEEK_CUR ? stream.position
                                                              : stream.bytes.size();
  if (offset > stream.bytes.size() - base) {
    return -1;
  }
  stream.position = base + offset;
  return 0;
}

int ZCALLBACK close_stream(voidpf /*opaque*/, voidpf /*stream*/) { return 0; }
/// The library treats an incomplete read as the end of the file and continues with zeros; here it is an error.
int ZCALLBACK stream_error(voidpf /*opaque*/, voidpf pointer) { return stream_of(pointer).is_at_end ? 1 : 0; }

[[noreturn]] void throw_damaged(const std::string& what) {
  throw Wrong(what, "write it again with numpy.savez(path, keys=keys)", "it must be a complete .npz file");
}

/// Throws Wrong unless the library succeeded.
void check(int result) {
  if (result != UNZ_OK) {
    throw_damaged("cut short or damaged: its zip archive cannot be read (" + std::to_string(result) + ")");
  }
}

}  // namespace

Archive::Archive(const Bytes& bytes) : stream_{bytes, 0, false} {
  zlib_filefunc64_def functions{};
  functions.zopen64_file = open_stream;
  functions.zread_file = read_stream;
  functions.ztell64_file = tell_stream;
  functions.zseek64_file = seek_stream;
  functions.zclose_file = close_stream;
  functions.zerror_file = stream_error;
  functions.opaque = &stream_;
  file_ = unzOpen2_64("", &functions);
  if (file_ == nullptr) {
    throw_damaged("cut short or damaged: its archive has no directory");
  }
}

Archive::~Archive() { unzClose(file_); }

bool Archive::next(Entry& entry) {
  const int moved = is_before_first_ ? unzGoToFirstFile(file_) : unzGoToNextFile(file_);
  is_before_first_ = false;
  if (moved == UNZ_END_OF_LIST_OF_FILE) {
    return false;
  }
  check(moved);
  unz_file_info64 info{};
  check(unzGetCurrentFileInfo64(file_, &info, nullptr, 0, nullptr, 0, nullptr, 0));
  std::string name(info.size_filename, '\0');
  check(unzGetCurrentFileInfo64(file_, &info, name.data(), info.size_filename, nullptr, 0, nullptr, 0));
  const bool is_encrypted = (info.flag & 1U) != 0;
  const bool is_common = info.compression_method == 0 || info.compression_method == Z_DEFLATED;
  entry = {std::move(name), info.compressed_size, info.uncompressed_size, !is_encrypted && is_common};
  return true;
}

void Archive::unpack(std::uint64_t count, const std::function<void(std::string_view piece)>& take) {
  check(unzOpenCurrentFile(file_));
  std::array<char, 1U << 16U> piece;
  while (count > 0) {
    const int got =
        unzReadCurrentFile(file_, piece.data(), static_cast<unsigned>(std::min<std::uint64_t>(piece.size(), count)));
    if (got <= 0) {
      check(got);
      break;
    }
    take({piece.data(), static_cast<std::size_t>(got)});
    count -= static_cast<std::uint64_t>(got);
  }
  const int closed = unzCloseCurrentFile(file_);
  if (closed == UNZ_CRCERROR) {
    throw_damaged("damaged: its checksum does not match its bytes");
  }
  check(closed);
}

}  // namespace attn::files
