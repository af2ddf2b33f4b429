#include "files/npy.hpp"

#include <optional>
#include <string>
#include <utility>

#include "files/npy_literal.hpp"
#include "files/wrong.hpp"

namespace attn::files {
namespace {

const std::string save_again = "write it again with numpy.save(path, array)";

[[noreturn]] void throw_cut_short(std::uint64_t declared, std::size_t there) {
  throw Wrong("cut short: " + std::to_string(declared) + " bytes are declared, but it has " + std::to_string(there),
              "write or copy it again");
}

std::size_t little_endian(std::string_view bytes) {
  std::size_t number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    number = number << 8U | static_cast<unsigned char>(bytes[i]);
  }
  return number;
}

/// What a dtype without usable numbers contains.
std::string other_type(char letter) {
  switch (letter) {
    case 'O': return "Python objects";
    case 'c': return "complex numbers";
    case 'S':
    case 'a':
    case 'U': return "strings";
    case 'V': return "bytes that numpy has no name for, perhaps bfloat16";
    case 'M':
    case 'm': return "dates";
    default: return "numbers of another kind";
  }
}

/// "<f4", ">i8", "|b1"
Element element_of(const std::string& descr) {
  using Kind = Element::Kind;
  const bool has_order = !descr.empty() && std::string_view("<>|=").find(descr[0]) != std::string_view::npos;
  const std::string type = descr.substr(has_order ? 1 : 0);
  const bool big_endian = has_order && descr[0] == '>';
  constexpr std::pair<std::string_view, Element> known[] = {
      {"b1", {Kind::boolean, 1}},          {"i1", {Kind::signed_integer, 1}},   {"i2", {Kind::signed_integer, 2}},
      {"i4", {Kind::signed_integer, 4}},   {"i8", {Kind::signed_integer, 8}},   {"u1", {Kind::unsigned_integer, 1}},
      {"u2", {Kind::unsigned_integer, 2}}, {"u4", {Kind::unsigned_integer, 4}}, {"u8", {Kind::unsigned_integer, 8}},
      {"f2", {Kind::floating, 2}},         {"f4", {Kind::floating, 4}},         {"f8", {Kind::floating, 8}},
  };
  for (const auto& [name, element] : known) {
    if (type == name) {
      return {element.kind, element.size, big_endian};
    }
  }
  throw Wrong("it holds " + other_type(type.empty() ? ' ' : type[0]) + " (dtype '" + descr.substr(0, 20) + "')",
              "convert it first: array.astype('float32')", accepted_dtypes);
}

}  // namespace

NpyHeader parse_npy_header(std::string_view bytes) {
  if (!bytes.starts_with(npy_magic.substr(0, bytes.size()))) {
    throw Wrong("it does not begin like an .npy file", save_again);
  }
  constexpr std::size_t version_end = 8;
  if (bytes.size() < version_end) {
    throw_cut_short(version_end, bytes.size());
  }
  const int major = static_cast<unsigned char>(bytes[6]);
  const int minor = static_cast<unsigned char>(bytes[7]);
  if (major < 1 || major > 3 || minor != 0) {
    throw Wrong("its version is " + std::to_string(major) + "." + std::to_string(minor), save_again,
                "only versions 1.0, 2.0 and 3.0 of .npy can be read");
  }
  const std::size_t begin = version_end + (major == 1 ? 2 : 4);
  if (bytes.size() < begin) {
    throw_cut_short(begin, bytes.size());
  }
  const std::size_t size = begin + little_endian(bytes.substr(version_end, begin - version_end));
  if (size > largest_npy_header) {
    throw Wrong("its header has " + std::to_string(size) + " bytes", save_again, "a header may have up to 10000 bytes");
  }
  if (size > bytes.size()) {
    throw_cut_short(size, bytes.size());
  }
  NpyLiteral literal = parse_npy_literal(bytes.substr(begin, size - begin));
  return {element_of(literal.descr), literal.fortran_order, std::move(literal.shape), size};
}

NpyHeader npy_header_of(const Bytes& bytes) { return parse_npy_header(bytes.piece(0, largest_npy_header)); }

Dumped parse_npy(const Bytes& bytes) {
  NpyHeader header = npy_header_of(bytes);
  const auto declared = static_cast<std::uint64_t>(byte_count(header.shape, header.element));
  const std::size_t size = bytes.size() - header.size;
  if (size < declared) {
    throw_cut_short(header.size + declared, bytes.size());
  }
  if (size > declared) {
    throw Wrong("it has " + std::to_string(size - declared) + " bytes more than the " + std::to_string(declared) +
                    " of its shape " + shape_text(header.shape),
                "write each array to a file of its own");
  }
  std::vector<double> values = numbers_of(bytes, header.size, size, header.element);
  if (header.fortran_order) {
    values = row_major(values, header.shape);
  }
  return {"", std::move(header.shape), dtype_name(header.element), std::move(values)};
}

}  // namespace attn::files
