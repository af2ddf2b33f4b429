#include "files/save_npz.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include <minizip/zip.h>

namespace attn::render {
namespace {

/// Bytes not yet passed on: the library returns to a member's beginning to write its size.
class Pending {
 public:
  explicit Pending(const Target& target) : target_(target) {}

  ZPOS64_T position() const { return position_; }
  bool seek(ZPOS64_T position) {
    const bool is_there = position <= handed_on_ + bytes_.size() && (position >= handed_on_ || target_.overwrite);
    position_ = is_there ? position : position_;
    return is_there;
  }

  void write(std::string_view bytes) {
    constexpr std::size_t much = std::size_t{1} << 20U;
    if (position_ < handed_on_) {
      const auto before = static_cast<std::size_t>(std::min<ZPOS64_T>(bytes.size(), handed_on_ - position_));
      target_.overwrite(position_, bytes.substr(0, before));
      position_ += before;
      bytes.remove_prefix(before);
    }
    const auto at = static_cast<std::size_t>(position_ - handed_on_);
    const std::size_t replaced = std::min(bytes.size(), bytes_.size() - std::min(at, bytes_.size()));
    if (!bytes.empty()) {
      bytes_.replace(at, replaced, bytes);
      position_ += bytes.size();
    }
    if (target_.overwrite && bytes_.size() >= much && position_ == handed_on_ + bytes_.size()) {
      hand_on();
    }
  }

  void reserve(std::size_t size) { bytes_.reserve(target_.overwrite ? 0 : size); }

  void hand_on() {
    target_.append(bytes_);
    handed_on_ += bytes_.size();
    if (target_.overwrite) {
      bytes_.clear();
    } else {
      std::string().swap(bytes_);  // releases the memory, so that a larger buffer does not exist beside it
    }
  }

  /// An exception that may not pass through the library.
  std::exception_ptr failure;

 private:
  const Target& target_;
  std::string bytes_;
  ZPOS64_T handed_on_ = 0;
  ZPOS64_T position_ = 0;
};

Pending& pending_of(voidpf pointer) { return *static_cast<Pending*>(pointer); }

voidpf ZCALLBACK open_pending(voidpf pending, const void* /*name*/, int /*mode*/) { return pending; }

uLong ZCALLBACK read_nothing(voidpf /*opaque*/, voidpf /*pending*/, void* /*buffer*/, uLong /*size*/) { return 0; }

uLong ZCALLBACK write_pending(voidpf /*opaque*/, voidpf pointer, const void* buffer, uLong size) try {
  pending_of(pointer).write({static_cast<const char*>(buffer), size});
  return size;
} catch (...) {
  pending_of(pointer).failure = std::current_exception();
  return 0;
}

ZPOS64_T ZCALLBACK tell_pending(voidpf /*opaque*/, voidpf pointer) { return pending_of(pointer).position(); }

long ZCALLBACK seek_pending(voidpf /*opaque*/, voidpf pointer, ZPOS64_T offset, int origin) {
  return origin == ZLIB_FILEFUNC_SEEK_SET && pending_of(pointer).seek(offset) ? 0 : -1;
}

int ZCALLBACK close_pending(voidpf /*opaque*/, voidpf /*pending*/) { return 0; }
int ZCALLBACK pending_error(voidpf /*opaque*/, voidpf /*pending*/) { return 0; }

class ZipWriter {
 public:
  explicit ZipWriter(const Target& target) : pending_(target) {
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

  void add(const std::string& name, const Tensor& tensor) {
    constexpr std::uint64_t least_of_zip64 = 0xffff'ffff;
    constexpr std::size_t around = 128;  // bytes of the archive before a member, besides its name
    zip_fileinfo info{};
    info.dosDate = 1U << 21U | 1U << 16U;  // 1 January 1980, as in numpy
    const std::string header = npy_header(tensor);
    const std::size_t size =
        header.size() + static_cast<std::size_t>(element_count(tensor.shape()) * element_size(tensor.dtype()));
    pending_.reserve(around + name.size() + size);
    check(zipOpenNewFileInZip64(file_, name.c_str(), &info, nullptr, 0, nullptr, 0, nullptr, 0, 0,
                                size >= least_of_zip64 ? 1 : 0) == ZIP_OK);
    write(header);
    stream_bytes(tensor, [this](std::string_view numbers) { write(numbers); });
    check(zipCloseFileInZip(file_) == ZIP_OK);
    pending_.hand_on();
  }

  void finish() {
    const int result = zipClose(std::exchange(file_, nullptr), nullptr);
    check(result == ZIP_OK);
    pending_.hand_on();
  }

 private:
  /// Only the target's errors and missing memory can occur.
  void check(bool is_done) const {
    if (pending_.failure) {
      std::rethrow_exception(pending_.failure);
    }
    if (!is_done) {
      throw std::bad_alloc();
    }
  }

  void write(std::string_view bytes) {
    constexpr std::size_t most = 1U << 30U;  // the library counts in unsigned
    for (; !bytes.empty(); bytes.remove_prefix(std::min(most, bytes.size()))) {
      check(zipWriteInFileInZip(file_, bytes.data(), static_cast<unsigned>(std::min(most, bytes.size()))) == ZIP_OK);
    }
  }

  Pending pending_;
  zipFile file_ = nullptr;
};

}  // namespace

void write_npz(const Target& target, std::span<const ShownChapter> chapters) {
  ZipWriter zip(target);
  for (const SavedTensor& saved : saved_tensors(chapters)) {
    zip.add(saved.name + ".npy", *saved.step->tensor);
  }
  zip.finish();
}

}  // namespace attn::render
