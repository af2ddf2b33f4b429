#include "files/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <limits>
#include <numeric>

#include "files/wrong.hpp"
#include "text/lines.hpp"
#include "text/utf8.hpp"
#include "walk/walkthrough.hpp"

namespace attn::files {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void throw_unreadable() {
  throw Wrong("it cannot be read (" + system::last_error().message() + ")", "see that it is there and readable");
}

}  // namespace

Bytes::Bytes(const fs::path& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    throw Wrong("it is not a regular file", "write it to a file first, and name that");
  }
  file_ = system::Descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file_.number() < 0 || fstat(file_.number(), &status) != 0) {
    throw_unreadable();
  }
  if (status.st_size == 0) {
    throw Wrong("it is empty", "write it again");
  }
  size_ = static_cast<std::size_t>(status.st_size);
}

void Bytes::read(std::size_t position, char* to, std::size_t count) const {
  if (file_.number() < 0) {
    std::copy_n(view_.data() + position, count, to);
    return;
  }
  while (count > 0) {
    const ssize_t got = pread(file_.number(), to, count, static_cast<off_t>(position));
    if (got < 0 && errno != EINTR) {
      throw_unreadable();
    }
    if (got == 0) {
      throw Wrong("it became shorter while it was read", "wait until it is written, and verify it again");
    }
    const auto done = static_cast<std::size_t>(std::max<ssize_t>(got, 0));
    position += done;
    to += done;
    count -= done;
  }
}

std::string Bytes::piece(std::size_t position, std::size_t count) const {
  std::string bytes(std::min(count, size_ - position), '\0');
  read(position, bytes.data(), bytes.size());
  return bytes;
}

void Bytes::each_piece(std::size_t position, std::size_t count,
                       const std::function<void(std::string_view piece)>& use) const {
  constexpr std::size_t most = std::size_t{1} << 20U;
  std::string room(std::min(count, most), '\0');
  while (count > 0) {
    const std::size_t size = std::min(count, most);
    read(position, room.data(), size);
    use({room.data(), size});
    position += size;
    count -= size;
  }
}

bool has_extension(const fs::path& path, std::string_view extension) {
  return std::ranges::equal(path.extension().native(), extension, [](char a, char b) { return text::lower(a) == b; });
}

void check_memory(std::int64_t bytes) {
  constexpr std::int64_t always_there = std::int64_t{1} << 20U;
  if (bytes <= always_there) {
    return;
  }
  const std::int64_t available = available_memory();
  if (bytes > available) {
    throw Wrong("it needs " + memory_text(bytes) + " of memory, but only " + memory_text(available) + " is available",
                "dump fewer tensors at once, or smaller ones", "tensors must fit into memory");
  }
}

void check_name(std::string_view name) {
  if (name.empty() || name.find_first_of("\n\t") != std::string_view::npos || text::visible(name) != name) {
    throw Wrong("a name in it is empty, has control characters, or is not UTF-8", "rename that tensor",
                "names must look like attn_scores or head_1/keys");
  }
}

namespace {

/// Decodes IEEE 754's binary16: 1 bit of sign, 5 of exponent, 10 of fraction.
double half(std::uint64_t bits) {
  const auto as_float = std::bit_cast<float>(static_cast<std::uint32_t>(bits & 0x7fffU) << 13U);
  double size = static_cast<double>(as_float) * 0x1p112;
  if ((bits & 0x7c00U) == 0x7c00U) {
    size = (bits & 0x3ffU) == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  }
  return (bits >> 15U) != 0 ? -size : size;
}

double number(std::uint64_t bits, const Encoding& encoding) {
  const auto unused = static_cast<unsigned>(64 - 8 * encoding.size);
  switch (encoding.kind) {
    case Encoding::Kind::boolean: return bits != 0 ? 1 : 0;
    case Encoding::Kind::signed_integer:
      return static_cast<double>(static_cast<std::int64_t>(bits << unused) >> unused);
    case Encoding::Kind::unsigned_integer: return static_cast<double>(bits);
    case Encoding::Kind::brain_floating: bits <<= 16U; break;
    case Encoding::Kind::floating:
      if (encoding.size != 4) {
        return encoding.size == 2 ? half(bits) : std::bit_cast<double>(bits);
      }
  }
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
}

using Kind = Encoding::Kind;
constexpr Encoding encodings[] = {
    {"bool", "b1", "BOOL", Kind::boolean, 1},           {"int8", "i1", "I8", Kind::signed_integer, 1},
    {"int16", "i2", "I16", Kind::signed_integer, 2},    {"int32", "i4", "I32", Kind::signed_integer, 4},
    {"int64", "i8", "I64", Kind::signed_integer, 8},    {"uint8", "u1", "U8", Kind::unsigned_integer, 1},
    {"uint16", "u2", "U16", Kind::unsigned_integer, 2}, {"uint32", "u4", "U32", Kind::unsigned_integer, 4},
    {"uint64", "u8", "U64", Kind::unsigned_integer, 8}, {"float16", "f2", "F16", Kind::floating, 2},
    {"float32", "f4", "F32", Kind::floating, 4},        {"float64", "f8", "F64", Kind::floating, 8},
    {"bfloat16", "", "BF16", Kind::brain_floating, 2},
};

}  // namespace

const Encoding& encoding_of(std::string_view Encoding::*spelling, std::string_view word) {
  const Encoding* const found = word.empty() ? std::end(encodings) : std::ranges::find(encodings, word, spelling);
  if (found == std::end(encodings)) {
    throw Wrong("it holds numbers of dtype '" + std::string(word.substr(0, 20)) + "'", "convert them to float32 first",
                accepted_dtypes);
  }
  return *found;
}

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    number = number << 8U | static_cast<unsigned char>(bytes[i]);
  }
  return number;
}

std::string little_endian_bytes(std::uint64_t number, std::size_t size) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) {
    byte = static_cast<char>(number & 0xffU);
    number >>= 8U;
  }
  return bytes;
}

std::int64_t byte_count(const Shape& shape, const Encoding& encoding) {
  constexpr std::size_t most_axes = 64;
  std::int64_t bytes = encoding.size;
  bool is_sound = shape.size() <= most_axes;
  for (const std::int64_t size : shape) {  // skips zeros, so that the strides fit as well
    is_sound = is_sound && !__builtin_mul_overflow(bytes, std::max<std::int64_t>(size, 1), &bytes);
  }
  if (!is_sound) {
    throw Wrong("it declares the shape " + shape_text(shape) + ", which no file can hold",
                "write it with its real shape", "a tensor may have up to 64 axes, and no more elements than the file");
  }
  return std::ranges::count(shape, 0) > 0 ? 0 : bytes;
}

void append_numbers(std::string_view bytes, const Encoding& encoding, std::vector<double>& values) {
  static_assert(std::endian::native == std::endian::little);
  const auto size = static_cast<std::size_t>(encoding.size);
  for (std::size_t at = 0; at + size <= bytes.size(); at += size) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + at, size);
    values.push_back(number(bits, encoding));
  }
}

std::vector<double> numbers_of(const Bytes& bytes, std::size_t begin, std::size_t size, const Encoding& encoding) {
  const std::size_t count = size / static_cast<std::size_t>(encoding.size);
  check_memory(static_cast<std::int64_t>(count * sizeof(double)));
  std::vector<double> values;
  values.reserve(count);
  bytes.each_piece(begin, size, [&](std::string_view piece) { append_numbers(piece, encoding, values); });
  return values;
}

std::vector<double> row_major(const std::vector<double>& values, const Shape& shape) {
  check_memory(static_cast<std::int64_t>(values.size() * sizeof(double)));
  std::vector<double> result(values.size());
  Shape strides(shape.size(), 1);
  for (std::size_t axis = 1; axis < shape.size(); ++axis) {
    strides[axis] = strides[axis - 1] * shape[axis - 1];
  }
  for (std::size_t i = 0; i < result.size(); ++i) {
    const Shape index = index_at(static_cast<std::int64_t>(i), shape);
    const std::int64_t from = std::inner_product(index.begin(), index.end(), strides.begin(), std::int64_t{0});
    result[i] = values[static_cast<std::size_t>(from)];
  }
  return result;
}

}  // namespace attn::files
