#include "files/npz.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include "files/archive.hpp"
#include "files/elements.hpp"
#include "files/file.hpp"
#include "files/npy.hpp"
#include "files/wrong.hpp"

namespace attn::dump {
namespace {

const std::string savez_again = "write it again with numpy.savez(path, keys=keys)";
constexpr std::string_view npy_suffix = ".npy";

bool is_npy(const Archive::Entry& entry) { return entry.name.ends_with(npy_suffix); }

/// Throws Wrong where so few bytes cannot become so many: deflate packs at most 1032 into one.
void check_packing(const Archive::Entry& entry, std::size_t archive_size) {
  constexpr std::uint64_t most_packed = 1032;
  const std::uint64_t packed = std::min<std::uint64_t>(entry.packed_size, archive_size);
  if (!entry.is_readable) {
    throw Wrong("encrypted, or packed in a way of its own", savez_again, "accepted are stored and deflated entries");
  }
  if (packed < entry.packed_size || entry.size / most_packed > packed) {
    throw Wrong("its " + std::to_string(entry.size) + " bytes are declared to be packed into " +
                    std::to_string(entry.packed_size) + " of the " + std::to_string(archive_size) + " that are there",
                savez_again);
  }
}

/// Looks through the archive's directory before anything is unpacked; the bytes that all arrays unpack to. Throws Wrong
/// where names or sizes cannot be true.
std::uint64_t check_directory(std::string_view bytes) {
  Archive archive(bytes);
  std::set<std::string> names;
  std::uint64_t packed = 0;
  std::uint64_t unpacked = 0;
  bool is_of_torch = false;
  for (Archive::Entry entry; archive.next(entry);) {
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
      check_packing(entry, bytes.size());
    } catch (const Wrong& wrong) {
      throw wrong.in(entry.name);
    }
    packed += entry.packed_size;  // each is at most the file's size, and an entry takes 46 bytes of it: no overflow
    unpacked += entry.size;
    if (packed > bytes.size()) {
      throw Wrong("entries in it share their bytes", savez_again);
    }
  }
  if (unpacked == 0) {
    throw Wrong(is_of_torch ? "it was written by torch.save" : "there is no .npy file in it",
                is_of_torch ? "write it with numpy.savez, or safetensors.torch.save_file" : savez_again);
  }
  return unpacked;
}

/// The whole entry. Its header is unpacked first: where that is not for as many bytes as the entry has, no more is.
Dumped unpacked_npy(Archive& archive, const Archive::Entry& entry) {
  const auto size = static_cast<std::size_t>(entry.size);
  const NpyHeader header = parse_npy_header(archive.unpack(std::min(size, largest_npy_header)));
  const auto declared = static_cast<std::uint64_t>(byte_count(header.shape, header.element));
  if (declared != entry.size - header.size) {
    throw Wrong("its shape " + shape_text(header.shape) + " needs " + std::to_string(declared) + " bytes, and " +
                    std::to_string(entry.size - header.size) + " are there",
                savez_again);
  }
  const auto count = declared / static_cast<std::uint64_t>(header.element.size);
  check_memory(static_cast<std::int64_t>(entry.size + count * sizeof(double)));
  return parse_npy(archive.unpack(size));
}

}  // namespace

bool looks_like_npz(std::string_view bytes) {
  return bytes.starts_with("PK\x03\x04") || bytes.starts_with("PK\x05\x06");
}

std::vector<Dumped> parse_npz(std::string_view bytes) {
  check_memory(static_cast<std::int64_t>(check_directory(bytes)));
  Archive archive(bytes);
  std::vector<Dumped> tensors;
  for (Archive::Entry entry; archive.next(entry);) {
    if (is_npy(entry)) {
      const std::string name = entry.name.substr(0, entry.name.size() - npy_suffix.size());
      try {
        check_name(name);
        tensors.push_back(unpacked_npy(archive, entry));
      } catch (const Wrong& wrong) {
        throw wrong.in(entry.name);
      }
      tensors.back().name = name;
    }
  }
  return tensors;
}

}  // namespace attn::dump
