#include "cli/guides.hpp"

#include <algorithm>
#include <vector>

#include "text/lines.hpp"

namespace attn::cli {
const Guide* find_guide(std::string_view name) {
  const auto found = std::ranges::find(guides(), name, &Guide::name);
  return found == guides().end() ? nullptr : &*found;
}

std::string_view title(const Guide& guide) { return guide.text.substr(2, guide.text.find('\n') - 2); }

std::string shown(const Guide& guide) {
  std::string text = std::string(title(guide)) + "\n";
  bool is_code = false;
  for (const std::string& line : text::lines_of(std::string(guide.text.substr(guide.text.find('\n') + 1)))) {
    if (line.starts_with("```")) {
      is_code = !is_code;
    } else {
      text += (is_code && !line.empty() ? "    " : "") + line + "\n";
    }
  }
  return text;
}

}  // namespace attn::cli
