#include "files/save_npz.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <utility>

#include <minizip/zip.h>

namespace attn::render {
namespace {

/// What is not handed on yet: the library goes back to a member's begin, to write how long it became.
struct Pending {
  std::string bytes;
  ZPOS64_T handed_on = 0;
  std::size_t position = 0;  ///< in bytes
};

Pending& pending_of(voidpf pointer) { return *static_cast<Pending*>(pointer); }

voidpf ZCALLBACK open_pending(voidpf pending, const void* /*name*/, int /*mode*/) { return pending; }

uLong ZCALLBACK read_nothing(voidpf /*opaque*/, voidpf /*pending*/, void* /*buffer*/, uLong /*size*/) { return 0; }

uLong ZCALLBACK write_pending(voidpf /*opaque*/, voidpf pointer, const void* buffer, uLong size) try {
  Pending& pending = pending_of(pointer);
  const std::size_t replaced = std::min<std::size_t>(size, pending.bytes.size() - pending.position);
  pending.bytes.replace(pending.position, replaced, static_cast<const char*>(buffer), size);
  pending.position += size;
  return size;
} catch (const std::bad_alloc&) {  // which may not pass through the library
  return 0;
}

ZPOS64_T ZCALLBACK tell_pending(voidpf /*opaque*/, voidpf pointer) {
  return pending_of(pointer).handed_on + pending_of(pointer).position;
}

long ZCALLBACK seek_pending(voidpf /*opaque*/, voidpf pointer, ZPOS64_T offset, int origin) {
  Pending& pending = pending_of(pointer);
  const ZPOS64_T end = pending.handed_on + pending.bytes.size();
  if (origin != ZLIB_FILEFUNC_SEEK_SET || offset < pending.handed_on || offset > end) {
    return -1;
  }
  pending.position = static_cast<std::size_t>(offset - pending.handed_on);
  return 0;
}

int ZCALLBACK close_pending(voidpf /*opaque*/, voidpf /*pending*/) { return 0; }
int ZCALLBACK pending_error(voidpf /*opaque*/, voidpf /*pending*/) { return 0; }

/// Nothing but memory can be missing.
void check(bool is_done) {
  if (!is_done) {
    throw std::bad_alloc();
  }
}

class ZipWriter {
 public:
  explicit ZipWriter(const Sink& sink) : sink_(sink) {
    zlib_filefunc64_def functions{};
    functions.zopen64_file = open_pending;
    functions.zread_file = read_nothing;
    functions.zwrite_file = write_pending;
    functions.ztell64_file = tell_pending;
    functions.zseek64_file = seek_pending;
    functions.zclose_file = close_pending;
    functions.zerror_file = pending_error;
    functions.opaque = &pending_;
    file_ = zipOpen2_64("", APPEND_STATUS_CREATE, nullptr, &functions);
    check(file_ != nullptr);
  }
  ZipWriter(const ZipWriter&) = delete;
  ZipWriter& operator=(const ZipWriter&) = delete;
  ~ZipWriter() {
    if (file_ != nullptr) {
      zipClose(file_, nullptr);
    }
  }

  void add(const std::string& name, const std::string& header, std::string_view numbers) {
    constexpr std::uint64_t least_of_zip64 = 0xffff'ffff;
    constexpr std::size_t around = 128;  // the bytes that the archive has before a member, besides its name
    zip_fileinfo info{};
    info.dosDate = 1U << 21U | 1U << 16U;  // 1 January 1980, as numpy writes
    const std::size_t size = header.size() + numbers.size();
    pending_.bytes.reserve(around + name.size() + size);
    check(zipOpenNewFileInZip64(file_, name.c_str(), &info, nullptr, 0, nullptr, 0, nullptr, 0, 0,
                                size >= least_of_zip64 ? 1 : 0) == ZIP_OK);
    write(header);
    write(numbers);
    check(zipCloseFileInZip(file_) == ZIP_OK);
    hand_on();
  }

  void finish() {
    const int result = zipClose(std::exchange(file_, nullptr), nullptr);
    check(result == ZIP_OK);
    hand_on();
  }

 private:
  void write(std::string_view bytes) {
    constexpr std::size_t most = 1U << 30U;  // the library counts with unsigned
    for (; !bytes.empty(); bytes.remove_prefix(std::min(most, bytes.size()))) {
      check(zipWriteInFileInZip(file_, bytes.data(), static_cast<unsigned>(std::min(most, bytes.size()))) == ZIP_OK);
    }
  }

  void hand_on() {
    sink_(pending_.bytes);
    pending_.handed_on += pending_.bytes.size();
    std::string().swap(pending_.bytes);  // so that a longer one does not stand beside it
    pending_.position = 0;
  }

  const Sink& sink_;
  Pending pending_;
  zipFile file_ = nullptr;
};

}  // namespace

void write_npz(const Sink& sink, std::span<const ShownChapter> chapters) {
  ZipWriter zip(sink);
  for (const SavedTensor& tensor : saved_tensors(chapters)) {
    with_bytes(*tensor.step->tensor, [&](std::string_view numbers) {
      zip.add(tensor.name + ".npy", npy_header(*tensor.step->tensor), numbers);
    });
  }
  zip.finish();
}

}  // namespace attn::render
