#include <algorithm>
#include <memory>
#include <new>

#include <zlib.h>

#include "files/read/formats.hpp"
#include "files/wrong.hpp"

namespace attn::files {
namespace {

/// An .npy file in a zip archive, as the archive's directory declares it.
struct ZipEntry {
  std::string name;  ///< without .npy
  std::size_t begin;
  std::size_t packed_size;
  std::size_t size;
  std::uint32_t checksum;
  bool is_packed;  ///< by deflate; otherwise stored
};

const std::string savez_again = "write it again with numpy.savez(path, keys=keys)";

[[noreturn]] void throw_damaged(const std::string& what) {
  throw Wrong(what, savez_again, "it must be a complete .npz file");
}

/// One of an archive's own tables, which begins with a magic word.
std::string_view table(std::string_view bytes, std::string_view magic, std::size_t size) {
  if (!bytes.starts_with(magic) || bytes.size() < size) {
    throw_damaged("cut short or damaged: its archive's directory is not whole");
  }
  return bytes.substr(0, size);
}

std::size_t number(std::string_view table, std::size_t at, std::size_t size) {
  return static_cast<std::size_t>(little_endian(table.substr(at, size)));
}

/// Sets where an entry's own bytes begin, after its own header. Throws Wrong if that cannot be true: deflate packs at
/// most 1032 bytes into one.
void place(ZipEntry& entry, const Bytes& bytes) {
  constexpr std::size_t header_size = 30;
  constexpr std::size_t most_packed = 1032;
  const std::string text = bytes.piece(std::min(entry.begin, bytes.size()), header_size);
  const std::string_view header = table(text, "PK\x03\x04", header_size);
  entry.begin += header_size + number(header, 26, 2) + number(header, 28, 2);
  if (entry.begin > bytes.size() || entry.packed_size > bytes.size() - entry.begin) {
    throw_damaged("cut short or damaged: its bytes lie beyond the archive's end");
  }
  if (entry.is_packed ? entry.size / most_packed > entry.packed_size : entry.size != entry.packed_size) {
    throw_damaged("damaged: its " + std::to_string(entry.size) + " bytes are declared to be compressed into " +
                  std::to_string(entry.packed_size));
  }
}

/// The .npy files in a zip archive. Throws Wrong.
std::vector<ZipEntry> zip_entries(const Bytes& bytes) {
  constexpr std::size_t end_size = 22;
  constexpr std::size_t longest_comment = 0xffff;
  constexpr std::size_t header_size = 46;
  constexpr std::size_t in_zip64 = 0xffff'ffff;  // a size or position that stands in a field of 64 bits elsewhere
  constexpr std::string_view npy_suffix = ".npy";
  const std::size_t tail_size = std::min(bytes.size(), end_size + longest_comment);
  const std::string tail = bytes.piece(bytes.size() - tail_size, tail_size);
  const std::size_t found = tail.rfind("PK\x05\x06");
  if (found == std::string::npos) {
    throw_damaged("cut short or damaged: its archive has no directory");
  }
  const std::string_view end = table(std::string_view(tail).substr(found), "PK", end_size);
  const std::string directory = bytes.piece(std::min(number(end, 16, 4), bytes.size()), number(end, 12, 4));
  std::vector<ZipEntry> entries;
  std::set<std::string> names;
  bool is_of_torch = false;
  std::string_view rest = directory;
  for (std::size_t count = number(end, 10, 2); count > 0; --count) {
    const std::string_view header = table(rest, "PK\x01\x02", header_size);
    const std::size_t method = number(header, 10, 2);
    const std::size_t name_size = number(header, 28, 2);
    const std::size_t after_name = number(header, 30, 2) + number(header, 32, 2);  // the extra fields and the comment
    const std::size_t size = header_size + name_size + after_name;
    const std::string_view file = table(rest, "PK", size).substr(header_size, name_size);
    rest.remove_prefix(size);
    is_of_torch = is_of_torch || file.ends_with("/data.pkl");
    if (!file.ends_with(npy_suffix)) {
      continue;
    }
    ZipEntry entry = {std::string(file.substr(0, file.size() - npy_suffix.size())),
                      number(header, 42, 4),
                      number(header, 20, 4),
                      number(header, 24, 4),
                      static_cast<std::uint32_t>(number(header, 16, 4)),
                      method == Z_DEFLATED};
    check_name(entry.name);
    if (!names.insert(entry.name).second) {
      throw Wrong("two tensors in it have the name '" + entry.name.substr(0, 100) + "'", savez_again);
    }
    const bool is_encrypted = number(header, 8, 2) % 2 == 1;
    within(entry.name + ".npy", [&] {
      if (is_encrypted || (method != 0 && method != Z_DEFLATED) || std::max(entry.size, entry.begin) == in_zip64) {
        throw Wrong("it is encrypted, compressed in an unusual way, or beyond 4 GiB",
                    "write a .safetensors file, or a folder of .npy files",
                    "entries must be stored or deflated, in up to 4 GiB");
      }
      place(entry, bytes);
    });
    entries.push_back(std::move(entry));
  }
  if (entries.empty()) {
    throw Wrong(is_of_torch ? "it was written by torch.save" : "there is no .npy file in it",
                is_of_torch ? "write it with numpy.savez, or safetensors.torch.save_file" : savez_again);
  }
  return entries;
}

/// The first `count` bytes of an entry. The checksum is verified if these are all. Throws Wrong.
std::string unpacked(const Bytes& bytes, const ZipEntry& entry, std::size_t count) {
  check_memory(static_cast<std::int64_t>(count));
  const std::size_t enough = count < entry.size ? 2 * count : entry.packed_size;  // deflate hardly makes bytes longer
  std::string packed = bytes.piece(entry.begin, std::min(entry.is_packed ? enough : count, entry.packed_size));
  std::string result;
  if (!entry.is_packed) {
    result = std::move(packed);
  } else {
    result.resize(count);
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) {
      throw std::bad_alloc();
    }
    const std::unique_ptr<z_stream, int (*)(z_stream*)> closed(&stream, inflateEnd);
    stream.next_in = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_in = static_cast<uInt>(packed.size());
    stream.next_out = reinterpret_cast<Bytef*>(result.data());
    stream.avail_out = static_cast<uInt>(count);
    const int state = inflate(&stream, Z_SYNC_FLUSH);
    if (stream.avail_out > 0 || (state != Z_OK && state != Z_STREAM_END)) {
      throw_damaged("cut short or damaged: it cannot be unpacked");
    }
  }
  const uLong checksum = crc32_z(0, reinterpret_cast<const Bytef*>(result.data()), result.size());
  if (count == entry.size && checksum != entry.checksum) {
    throw_damaged("damaged: its checksum does not match its bytes");
  }
  return result;
}

}  // namespace

std::vector<Dumped> parse_npz(const Bytes& bytes, const std::string& /*name*/, const Wanted& wanted) {
  const std::vector<ZipEntry> entries = zip_entries(bytes);
  std::vector<const ZipEntry*> read;
  std::int64_t needed = 0;
  for (const ZipEntry& entry : entries) {
    const NpyHeader header = within(entry.name + ".npy", [&] {
      return npy_header(unpacked(bytes, entry, std::min(entry.size, largest_npy_header)), entry.size);
    });
    if (wanted({entry.name, header.shape, std::string(header.encoding->name)})) {
      read.push_back(&entry);
      needed += element_count(header.shape) * std::int64_t{sizeof(double)};  // of at most 65,535 times 4 GiB
    }
  }
  check_memory(needed);
  std::vector<Dumped> tensors;
  for (const ZipEntry* entry : read) {
    within(entry->name + ".npy", [&] {
      const std::string file = unpacked(bytes, *entry, entry->size);
      tensors.push_back(std::move(parse_npy(Bytes(std::string_view(file)), entry->name, want_all).at(0)));
    });
  }
  return tensors;
}

}  // namespace attn::files
