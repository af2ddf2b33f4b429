#include "files/elements.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <limits>

#include "files/wrong.hpp"

namespace attn::files {
namespace {

/// Decodes IEEE 754's binary16: 1 bit of sign, 5 of exponent, 10 of fraction.
double half(std::uint64_t bits) {
  const int exponent = static_cast<int>(bits >> 10U & 0x1fU);
  const double fraction = static_cast<double>(bits & 0x3ffU);
  double size = 0;
  if (exponent == 0x1f) {
    size = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    size = std::ldexp(fraction, -24);
  } else {
    size = std::ldexp(fraction + 1024, exponent - 25);
  }
  return (bits >> 15U) != 0 ? -size : size;
}

double floating(std::uint64_t bits, int size) {
  switch (size) {
    case 2: return half(bits);
    case 4: return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    default: return std::bit_cast<double>(bits);
  }
}

/// Decodes a two's complement integer of `size` bytes.
double signed_integer(std::uint64_t bits, int size) {
  const auto unused = static_cast<unsigned>(64 - 8 * size);
  return static_cast<double>(static_cast<std::int64_t>(bits << unused) >> unused);
}

double number(std::uint64_t bits, const Element& element) {
  switch (element.kind) {
    case Element::Kind::boolean: return bits != 0 ? 1 : 0;
    case Element::Kind::signed_integer: return signed_integer(bits, element.size);
    case Element::Kind::unsigned_integer: return static_cast<double>(bits);
    case Element::Kind::floating: return floating(bits, element.size);
    case Element::Kind::brain_floating: break;
  }
  return floating(bits << 16U, 4);
}

using Kind = Element::Kind;
constexpr Encoding encodings[] = {
    {"bool", "b1", "BOOL", {Kind::boolean, 1}},           {"int8", "i1", "I8", {Kind::signed_integer, 1}},
    {"int16", "i2", "I16", {Kind::signed_integer, 2}},    {"int32", "i4", "I32", {Kind::signed_integer, 4}},
    {"int64", "i8", "I64", {Kind::signed_integer, 8}},    {"uint8", "u1", "U8", {Kind::unsigned_integer, 1}},
    {"uint16", "u2", "U16", {Kind::unsigned_integer, 2}}, {"uint32", "u4", "U32", {Kind::unsigned_integer, 4}},
    {"uint64", "u8", "U64", {Kind::unsigned_integer, 8}}, {"float16", "f2", "F16", {Kind::floating, 2}},
    {"float32", "f4", "F32", {Kind::floating, 4}},        {"float64", "f8", "F64", {Kind::floating, 8}},
    {"bfloat16", "", "BF16", {Kind::brain_floating, 2}},
};

}  // namespace

const Encoding* find_encoding(std::string_view Encoding::*spelling, std::string_view word) {
  const Encoding* const found = word.empty() ? std::end(encodings) : std::ranges::find(encodings, word, spelling);
  return found == std::end(encodings) ? nullptr : found;
}

std::string dtype_name(const Element& element) {
  const auto is_it = [&](const Encoding& one) {
    return one.element.kind == element.kind && one.element.size == element.size;
  };
  return std::string(std::ranges::find_if(encodings, is_it)->name);
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

std::int64_t byte_count(const Shape& shape, const Element& element) {
  constexpr std::size_t most_axes = 64;
  const std::string accepted = "a tensor may have up to 64 axes, and no more elements than the file";
  if (shape.size() > most_axes) {
    throw Wrong("it declares " + std::to_string(shape.size()) + " axes", "write it with its real shape", accepted);
  }
  std::int64_t bytes = element.size;
  bool has_none = false;
  for (const std::int64_t size : shape) {  // skips zeros, so that the strides fit as well
    has_none = has_none || size == 0;
    if (__builtin_mul_overflow(bytes, std::max<std::int64_t>(size, 1), &bytes)) {
      throw Wrong("it declares the shape " + shape_text(shape) + ", which no file can hold",
                  "write it with its real shape", accepted);
    }
  }
  return has_none ? 0 : bytes;
}

void append_numbers(std::string_view bytes, const Element& element, std::vector<double>& values) {
  static_assert(std::endian::native == std::endian::little);
  const auto size = static_cast<std::size_t>(element.size);
  for (std::size_t at = 0; at + size <= bytes.size(); at += size) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + at, size);
    values.push_back(number(element.big_endian ? __builtin_bswap64(bits) >> (64 - 8 * size) : bits, element));
  }
}

std::vector<double> numbers_of(const Bytes& bytes, std::size_t begin, std::size_t size, const Element& element) {
  const std::size_t count = size / static_cast<std::size_t>(element.size);
  check_memory(static_cast<std::int64_t>(count * sizeof(double)));
  std::vector<double> values;
  values.reserve(count);
  bytes.each_piece(begin, size, [&](std::string_view piece) { append_numbers(piece, element, values); });
  return values;
}

std::vector<double> row_major(const std::vector<double>& values, const Shape& shape) {
  check_memory(static_cast<std::int64_t>(values.size() * sizeof(double)));
  std::vector<double> result(values.size());
  Shape strides(shape.size(), 1);
  for (std::size_t axis = 1; axis < shape.size(); ++axis) {
    strides[axis] = strides[axis - 1] * shape[axis - 1];
  }
  Shape index(shape.size(), 0);
  std::int64_t from = 0;
  for (double& value : result) {
    value = values[static_cast<std::size_t>(from)];
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      from += strides[axis];
      if (++index[axis] < shape[axis]) {
        break;
      }
      from -= strides[axis] * shape[axis];
      index[axis] = 0;
    }
  }
  return result;
}

}  // namespace attn::files
