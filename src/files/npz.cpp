#include "files/npz.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "files/archive.hpp"
#include "files/elements.hpp"
#include "files/file.hpp"
#include "files/npy.hpp"
#include "files/wrong.hpp"

namespace attn::files {
namespace {

const std::string savez_again = "write it again with numpy.savez(path, keys=keys)";
constexpr std::string_view npy_suffix = ".npy";

bool is_npy(const Archive::Entry& entry) { return entry.name.ends_with(npy_suffix); }

/// Throws Wrong if the packed bytes cannot expand to the declared size: deflate packs at most 1032 bytes into one.
void check_packing(const Archive::Entry& entry, std::size_t archive_size) {
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
void check_directory(const Bytes& bytes) {
  Archive archive(bytes);
  std::set<std::string> names;
  std::uint64_t packed = 0;
  bool is_of_torch = false;
  bool is_empty = true;
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
    is_empty = is_empty && entry.size == 0;
    if (packed > bytes.size()) {
      throw Wrong("entries in it share their bytes", savez_again);
    }
  }
  if (is_empty) {
    throw Wrong(is_of_torch ? "it was written by torch.save" : "there is no .npy file in it",
                is_of_torch ? "write it with numpy.savez, or safetensors.torch.save_file" : savez_again);
  }
}

std::string name_of(const Archive::Entry& entry) { return entry.name.substr(0, entry.name.size() - npy_suffix.size()); }

/// Unpacks only the header of the current entry. Throws Wrong if it describes a different number of bytes than the
/// entry has.
NpyHeader header_of(Archive& archive, const Archive::Entry& entry) {
  std::string begin;
  archive.unpack(std::min<std::uint64_t>(entry.size, largest_npy_header),
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

/// Calls a function for each array of the archive.
void for_each_array(const Bytes& bytes,
                    const std::function<void(Archive& archive, const Archive::Entry& entry)>& action) {
  Archive archive(bytes);
  for (Archive::Entry entry; archive.next(entry);) {
    if (is_npy(entry)) {
      try {
        check_name(name_of(entry));
        action(archive, entry);
      } catch (const Wrong& wrong) {
        throw wrong.in(entry.name);
      }
    }
  }
}

/// Reads the tensor of the current entry, decoding its numbers as they are unpacked.
Dumped unpacked(Archive& archive, const Archive::Entry& entry) {
  NpyHeader header = header_of(archive, entry);
  std::size_t to_skip = header.size;
  std::string rest;  // the part of a number at a piece's end
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(element_count(header.shape)));
  archive.unpack(entry.size, [&](std::string_view piece) {
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

bool looks_like_npz(std::string_view bytes) {
  return bytes.starts_with("PK\x03\x04") || bytes.starts_with("PK\x05\x06");
}

std::vector<Dumped> parse_npz(const Bytes& bytes, const Wanted& wanted) {
  check_directory(bytes);
  std::set<std::string> names;
  std::int64_t needed = 0;
  for_each_array(bytes, [&](Archive& archive, const Archive::Entry& entry) {
    NpyHeader header = header_of(archive, entry);
    // At most 1032 numbers of one byte for each of the file's bytes, so there is no overflow.
    const std::int64_t numbers = element_count(header.shape) * (header.fortran_order ? 2 : 1);
    if (wanted({name_of(entry), std::move(header.shape), dtype_name(header.element)})) {
      names.insert(entry.name);
      needed += numbers * std::int64_t{sizeof(double)};
    }
  });
  check_memory(needed);
  std::vector<Dumped> tensors;
  for_each_array(bytes, [&](Archive& archive, const Archive::Entry& entry) {
    if (names.contains(entry.name)) {
      tensors.push_back(unpacked(archive, entry));
    }
  });
  return tensors;
}

}  // namespace attn::files
