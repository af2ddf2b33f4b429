#include "verify/read/prompt.hpp"

#include <algorithm>

#include "verify/read/pieces.hpp"

namespace attn::verify {
std::size_t prompt_length(std::string_view line) {
  const std::size_t indent = line.size() - without_indent(line).size();
  const std::string_view text = line.substr(indent);
  constexpr std::string_view python = ">>> ";
  if (text.starts_with(python)) {
    return indent + python.size();
  }
  for (const std::string_view prompt : {"In [", "iex("}) {
    constexpr std::size_t longest = 16;
    const std::size_t end = text.substr(0, longest).find(prompt == "In [" ? "]: " : ")> ");
    if (text.starts_with(prompt) && end != npos) {
      return indent + end + 3;
    }
  }
  return 0;
}

std::size_t continuation_length(std::string_view line) {
  const std::size_t indent = line.size() - without_indent(line).size();
  const std::string_view text = line.substr(indent);
  const bool python = text == "..." || text.starts_with("... ");
  const bool other = text.starts_with("...: ") || text.starts_with("...(");
  return python ? indent + 3 : other ? indent + 4 : 0;
}

}  // namespace attn::verify
