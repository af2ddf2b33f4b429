#include "render/page/packed.hpp"

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>
#include <vector>

namespace attn::render {
namespace {

std::vector<std::uint8_t> compressed(const std::string& text) {
  uLongf size = compressBound(static_cast<uLong>(text.size()));
  std::vector<std::uint8_t> bytes(size);
  if (compress2(bytes.data(), &size, reinterpret_cast<const Bytef*>(text.data()), static_cast<uLong>(text.size()),
                Z_BEST_COMPRESSION) != Z_OK) {
    throw std::bad_alloc();  // the buffer fits every result
  }
  bytes.resize(size);
  return bytes;
}

/// RFC 4648, section 4.
std::string base64(const std::vector<std::uint8_t>& bytes) {
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t k) { return i + k < bytes.size() ? std::uint32_t{bytes[i + k]} : 0U; };
    const std::uint32_t group = byte(0) << 16U | byte(1) << 8U | byte(2);
    for (unsigned k = 0; k < 4; ++k) {
      text += i + k > bytes.size() ? '=' : alphabet[group >> (18U - 6U * k) & 63U];
    }
  }
  return text;
}

}  // namespace

std::string packed(const std::string& text) { return base64(compressed(text)); }

}  // namespace attn::render
