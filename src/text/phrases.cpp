#include "text/phrases.hpp"

#include <algorithm>
#include <cstddef>

namespace attn::text {

std::string replaced(std::string_view text, std::string_view what, std::string_view with) {
  std::string result(text);
  for (std::size_t at = result.find(what); at != std::string::npos; at = result.find(what, at + with.size())) {
    result.replace(at, what.size(), with);
  }
  return result;
}

bool contains_any(std::string_view text, std::string_view phrases) {
  bool found = false;
  while (!phrases.empty() && !found) {
    const std::size_t end = std::min(phrases.find('|'), phrases.size());
    found = text.find(phrases.substr(0, end)) != std::string_view::npos;
    phrases.remove_prefix(std::min(end + 1, phrases.size()));
  }
  return found;
}

}  // namespace attn::text
