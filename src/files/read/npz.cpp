#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <utility>

#include <zlib.h>

#include "files/elements.hpp"
#include "files/read/formats.hpp"
#include "files/wrong.hpp"

namespace attn::files {
namespace {

/// A file in a zip archive, as the archive's directory declares it.
struct ZipEntry {
  std::string name;
  std::uint64_t begin;  ///< of its own header
  std::uint64_t packed_size;
  std::uint64_t size;
  std::uint32_t checksum;
  bool is_packed;    ///< by deflate; otherwise stored
  bool is_readable;  ///< neither encrypted nor packed with a rare method
};

constexpr std::size_t piece_size = std::size_t{1} << 16U;
constexpr std::uint32_t in_zip64 = 0xffff'ffff;  // a size or position that stands in a field of 64 bits elsewhere

const std::string savez_again = "write it again with numpy.savez(path, keys=keys)";

[[noreturn]] void throw_damaged(const std::string& what) {
  throw Wrong(what, savez_again, "it must be a complete .npz file");
}

/// Bytes of an archive's own tables, in which no field lies beyond the end.
class Fields {
 public:
  explicit Fields(std::string_view bytes) : bytes_(bytes) {}
  Fields(std::string_view bytes, std::string_view magic) : bytes_(bytes) {
    if (!bytes.starts_with(magic)) {
      throw_damaged("cut short or damaged: a part of its archive is not where its directory says");
    }
  }

  std::string_view part(std::size_t at, std::size_t size) const {
    if (at > bytes_.size() || size > bytes_.size() - at) {
      throw_damaged("cut short or damaged: its archive's directory is not whole");
    }
    return bytes_.substr(at, size);
  }
  std::uint64_t number(std::size_t at, std::size_t size) const { return little_endian(part(at, size)); }

 private:
  std::string_view bytes_;
};

/// Where the directory is.
struct Extent {
  std::uint64_t count;
  std::uint64_t size;
  std::uint64_t begin;
};

Extent directory_extent(const Bytes& bytes) {
  constexpr std::size_t end_size = 22;
  constexpr std::size_t longest_comment = 0xffff;
  constexpr std::size_t locator_size = 20;
  const std::size_t tail_size = std::min(bytes.size(), locator_size + end_size + longest_comment);
  const std::string tail = bytes.piece(bytes.size() - tail_size, tail_size);
  const std::size_t found = tail.rfind("PK\x05\x06");
  if (found == std::string::npos) {
    throw_damaged("cut short or damaged: its archive has no directory");
  }
  const Fields end(std::string_view(tail).substr(found));
  end.part(end_size, end.number(20, 2));  // the comment
  Extent extent = {end.number(10, 2), end.number(12, 4), end.number(16, 4)};
  if (extent.count == 0xffff || extent.size == in_zip64 || extent.begin == in_zip64) {
    const std::size_t before = std::min(found, locator_size);
    const Fields locator(std::string_view(tail).substr(found - before, before), "PK\x06\x07");
    const std::uint64_t at = std::min<std::uint64_t>(locator.number(8, 8), bytes.size());
    const std::string text = bytes.piece(static_cast<std::size_t>(at), 56);
    const Fields wide(text, "PK\x06\x06");
    extent = {wide.number(32, 8), wide.number(40, 8), wide.number(48, 8)};
  }
  if (extent.begin > bytes.size() || extent.size > bytes.size() - extent.begin) {
    throw_damaged("cut short or damaged: its archive's directory lies beyond its end");
  }
  return extent;
}

/// Replaces what an entry's extra fields have in 64 bits.
void widen(ZipEntry& entry, const Fields& extra, std::size_t size) {
  for (std::size_t at = 0; at < size; at += 4 + extra.number(at + 2, 2)) {
    if (extra.number(at, 2) != 1) {
      continue;
    }
    std::size_t next = at + 4;
    for (std::uint64_t* field : {&entry.size, &entry.packed_size, &entry.begin}) {
      if (*field == in_zip64) {
        *field = extra.number(next, 8);
        next += 8;
      }
    }
  }
}

/// Where an entry's own bytes begin, after its own header.
std::size_t begin_of(const Bytes& bytes, const ZipEntry& entry) {
  constexpr std::size_t header_size = 30;
  const std::uint64_t at = std::min<std::uint64_t>(entry.begin, bytes.size());
  const std::string text = bytes.piece(static_cast<std::size_t>(at), header_size);
  const Fields header(text, "PK\x03\x04");
  const std::uint64_t begin = at + header_size + header.number(26, 2) + header.number(28, 2);
  if (begin > bytes.size() || entry.packed_size > bytes.size() - begin) {
    throw_damaged("cut short or damaged: its bytes lie beyond the archive's end");
  }
  return static_cast<std::size_t>(begin);
}

/// The directory of a zip archive. Throws Wrong.
std::vector<ZipEntry> zip_directory(const Bytes& bytes) {
  constexpr std::size_t header_size = 46;
  const Extent extent = directory_extent(bytes);
  check_memory(static_cast<std::int64_t>(extent.size));
  const std::string directory =
      bytes.piece(static_cast<std::size_t>(extent.begin), static_cast<std::size_t>(extent.size));
  std::vector<ZipEntry> entries;
  for (std::string_view rest = directory; !rest.empty();) {
    const Fields header(rest, "PK\x01\x02");
    const std::uint64_t flags = header.number(8, 2);
    const std::uint64_t method = header.number(10, 2);
    const std::size_t name_size = header.number(28, 2);
    const std::size_t extra_size = header.number(30, 2);
    const std::size_t comment_size = header.number(32, 2);
    ZipEntry entry = {std::string(header.part(header_size, name_size)),
                      header.number(42, 4),
                      header.number(20, 4),
                      header.number(24, 4),
                      static_cast<std::uint32_t>(header.number(16, 4)),
                      method == Z_DEFLATED,
                      (flags & 1U) == 0 && (method == 0 || method == Z_DEFLATED)};
    widen(entry, Fields(header.part(header_size + name_size, extra_size)), extra_size);
    entries.push_back(std::move(entry));
    rest.remove_prefix(header.part(0, header_size + name_size + extra_size + comment_size).size());
  }
  if (entries.size() != extent.count) {
    throw_damaged("cut short or damaged: its archive's directory is not whole");
  }
  return entries;
}

/// Passes on the first `count` bytes of an entry, in pieces; never more than the entry declares. The checksum is
/// verified if all bytes are read. Throws Wrong.
void unpack(const Bytes& bytes, const ZipEntry& entry, std::uint64_t count,
            const std::function<void(std::string_view piece)>& take) {
  std::size_t next = begin_of(bytes, entry);
  const std::size_t end = next + static_cast<std::size_t>(entry.packed_size);
  std::uint64_t done = 0;
  uLong checksum = crc32(0, nullptr, 0);
  const auto pass_on = [&](std::string_view piece) {
    checksum = crc32_z(checksum, reinterpret_cast<const Bytef*>(piece.data()), piece.size());
    done += piece.size();
    take(piece);
  };
  if (!entry.is_packed) {
    bytes.each_piece(next, static_cast<std::size_t>(std::min(count, entry.packed_size)), pass_on);
  } else {
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) {
      throw std::bad_alloc();
    }
    const std::unique_ptr<z_stream, int (*)(z_stream*)> closed(&stream, inflateEnd);
    std::string packed;
    std::string piece(piece_size, '\0');
    for (int result = Z_OK; done < count && result != Z_STREAM_END;) {
      if (stream.avail_in == 0) {
        packed = bytes.piece(next, std::min(piece_size, end - next));
        next += packed.size();
        stream.next_in = reinterpret_cast<Bytef*>(packed.data());
        stream.avail_in = static_cast<uInt>(packed.size());
      }
      const std::uint64_t room = std::min<std::uint64_t>(piece_size, count - done);
      stream.next_out = reinterpret_cast<Bytef*>(piece.data());
      stream.avail_out = static_cast<uInt>(room);
      result = inflate(&stream, Z_NO_FLUSH);
      if (result != Z_OK && result != Z_STREAM_END) {
        throw_damaged("cut short or damaged: it cannot be unpacked");
      }
      pass_on({piece.data(), static_cast<std::size_t>(room - stream.avail_out)});
    }
  }
  if (done == entry.size && checksum != entry.checksum) {
    throw_damaged("damaged: its checksum does not match its bytes");
  }
}

constexpr std::string_view npy_suffix = ".npy";

bool is_npy(const ZipEntry& entry) { return entry.name.ends_with(npy_suffix); }

/// Throws Wrong if the packed bytes cannot expand to the declared size: deflate packs at most 1032 bytes into one.
void check_packing(const ZipEntry& entry, std::size_t archive_size) {
  constexpr std::uint64_t most_packed = 1032;
  const std::uint64_t packed = std::min<std::uint64_t>(entry.packed_size, archive_size);
  if (!entry.is_readable) {
    throw Wrong("it is encrypted, or compressed in an unusual way", savez_again, "entries must be stored or deflated");
  }
  if (packed < entry.packed_size || entry.size / most_packed > packed) {
    throw Wrong("its " + std::to_string(entry.size) + " bytes are declared to be compressed into " +
                    std::to_string(entry.packed_size) + " of the " + std::to_string(archive_size) + " that are there",
                savez_again);
  }
}

/// Checks the archive's directory before anything is unpacked. Throws Wrong if names or sizes cannot be true, or if
/// there is no array.
void check_directory(const std::vector<ZipEntry>& entries, std::size_t archive_size) {
  std::set<std::string> names;
  std::uint64_t packed = 0;
  bool is_of_torch = false;
  bool is_empty = true;
  for (const ZipEntry& entry : entries) {
    is_of_torch = is_of_torch || entry.name.ends_with("/data.pkl");
    const bool is_folder = entry.name.ends_with('/');
    check_name(std::string_view(entry.name).substr(0, entry.name.size() - (is_folder ? 1 : 0)));
    if (!names.insert(entry.name).second) {
      throw Wrong("two tensors in it have the name '" + entry.name.substr(0, 100) + "'", savez_again);
    }
    if (!is_npy(entry)) {
      continue;
    }
    try {
      check_packing(entry, archive_size);
    } catch (const Wrong& wrong) {
      throw wrong.in(entry.name);
    }
    packed += entry.packed_size;  // each is at most the file's size, and an entry takes 46 bytes of it: no overflow
    is_empty = is_empty && entry.size == 0;
    if (packed > archive_size) {
      throw Wrong("entries in it share their bytes", savez_again);
    }
  }
  if (is_empty) {
    throw Wrong(is_of_torch ? "it was written by torch.save" : "there is no .npy file in it",
                is_of_torch ? "write it with numpy.savez, or safetensors.torch.save_file" : savez_again);
  }
}

std::string name_of(const ZipEntry& entry) { return entry.name.substr(0, entry.name.size() - npy_suffix.size()); }

/// Unpacks only the header of an entry. Throws Wrong if it describes a different number of bytes than the
/// entry has.
NpyHeader header_of(const Bytes& bytes, const ZipEntry& entry) {
  std::string begin;
  unpack(bytes, entry, std::min<std::uint64_t>(entry.size, largest_npy_header),
         [&](std::string_view piece) { begin += piece; });
  NpyHeader header = parse_npy_header(begin);
  const auto declared = static_cast<std::uint64_t>(byte_count(header.shape, header.element));
  if (declared != entry.size - header.size) {
    throw Wrong("its shape " + shape_text(header.shape) + " needs " + std::to_string(declared) + " bytes, but it has " +
                    std::to_string(entry.size - header.size),
                savez_again);
  }
  return header;
}

/// Reads an entry's tensor, decoding its numbers as they are unpacked.
Dumped unpacked(const Bytes& bytes, const ZipEntry& entry) {
  NpyHeader header = header_of(bytes, entry);
  std::size_t to_skip = header.size;
  std::string rest;  // the part of a number at a piece's end
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(element_count(header.shape)));
  unpack(bytes, entry, entry.size, [&](std::string_view piece) {
    const std::size_t skipped = std::min(to_skip, piece.size());
    to_skip -= skipped;
    piece.remove_prefix(skipped);
    if (rest.empty() && piece.size() % static_cast<std::size_t>(header.element.size) == 0) {
      return append_numbers(piece, header.element, values);
    }
    rest += piece;
    const std::size_t whole = rest.size() - rest.size() % static_cast<std::size_t>(header.element.size);
    append_numbers(std::string_view(rest).substr(0, whole), header.element, values);
    rest.erase(0, whole);
  });
  if (std::ssize(values) != element_count(header.shape)) {
    throw Wrong("cut short or damaged: it unpacks to " + std::to_string(values.size()) + " numbers of its shape " +
                    shape_text(header.shape),
                savez_again);
  }
  if (header.fortran_order) {
    values = row_major(values, header.shape);
  }
  return {name_of(entry), std::move(header.shape), dtype_name(header.element), std::move(values)};
}

}  // namespace

std::vector<Dumped> parse_npz(const Bytes& bytes, const std::string& /*name*/, const Wanted& wanted) {
  const std::vector<ZipEntry> entries = zip_directory(bytes);
  check_directory(entries, bytes.size());
  std::vector<const ZipEntry*> read;
  std::int64_t needed = 0;
  const auto within = [](const ZipEntry& entry, const auto& action) {
    try {
      action();
    } catch (const Wrong& wrong) {
      throw wrong.in(entry.name);
    }
  };
  for (const ZipEntry& entry : entries) {
    if (!is_npy(entry)) {
      continue;
    }
    within(entry, [&] {
      check_name(name_of(entry));
      const NpyHeader header = header_of(bytes, entry);
      if (wanted({name_of(entry), header.shape, dtype_name(header.element)})) {
        read.push_back(&entry);
        // At most 1032 numbers of one byte for each of the file's bytes, so there is no overflow.
        needed += element_count(header.shape) * (header.fortran_order ? 2 : 1) * std::int64_t{sizeof(double)};
      }
    });
  }
  check_memory(needed);
  std::vector<Dumped> tensors;
  for (const ZipEntry* entry : read) {
    within(*entry, [&] { tensors.push_back(unpacked(bytes, *entry)); });
  }
  return tensors;
}

}  // namespace attn::files
