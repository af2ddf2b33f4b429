#include "verify/read/sizes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "text/numbers.hpp"
#include "verify/read/pieces.hpp"

namespace attn::verify {

std::optional<Shape> sizes_in(std::string_view list) {
  Shape sizes;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const auto size = text::number_of<std::int64_t>(list.substr(0, comma));
    if (!size || *size < 0) {
      return std::nullopt;
    }
    sizes.push_back(*size);
    list = without_leading(list.substr(std::min(comma + 1, list.size())), " ");
  }
  return sizes;
}

std::optional<Shape> take_sizes(std::string_view& text, std::string_view opening, std::string_view closing) {
  const std::size_t end = text.find(closing);
  if (!text.starts_with(opening) || end == npos) {
    return std::nullopt;
  }
  std::optional<Shape> sizes = sizes_in(text.substr(opening.size(), end - opening.size()));
  text.remove_prefix(sizes ? end + closing.size() : 0);
  return sizes;
}

}  // namespace attn::verify
