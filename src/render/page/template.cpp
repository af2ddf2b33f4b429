#include "render/page/nodes.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <ostream>
#include <utility>
#include <vector>

namespace attn::render {
namespace {

std::string_view entity(char c) {
  switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    default: return "&#39;";
  }
}

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

void write_escaped(std::ostream& out, std::string_view text) {
  while (!text.empty()) {
    const std::size_t plain = std::min(text.find_first_of("&<>\"'"), text.size());
    out << text.substr(0, plain);
    text.remove_prefix(plain);
    if (!text.empty()) {
      out << entity(text.front());
      text.remove_prefix(1);
    }
  }
}

Write escaped(std::string text) {
  return [text = std::move(text)](std::ostream& out) { write_escaped(out, text); };
}

Write verbatim(std::string_view html) {
  return [html](std::ostream& out) { out << html; };
}

void write_filled(std::ostream& out, std::string_view pattern, const Blanks& places) {
  while (true) {
    const std::size_t open = pattern.find("{{");
    const std::size_t close = pattern.find("}}", open);
    if (open == std::string_view::npos || close == std::string_view::npos) {
      out << pattern;
      return;
    }
    out << pattern.substr(0, open);
    places.at(pattern.substr(open + 2, close - open - 2))(out);
    pattern.remove_prefix(close + 2);
  }
}

Cut cut_out(const std::string& pattern, const std::string& name) {
  const std::string begin = "<!--" + name + "-->";
  const std::string end = "<!--/" + name + "-->";
  const std::size_t from = pattern.find(begin);
  const std::size_t to = pattern.find(end, from);
  const std::size_t inner = from + begin.size();
  return {pattern.substr(inner, to - inner),
          pattern.substr(0, from) + "{{" + name + "}}" + pattern.substr(to + end.size())};
}

std::string packed(const std::string& text) { return base64(compressed(text)); }

}  // namespace attn::render
