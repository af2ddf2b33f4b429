#include "render/commonmark.hpp"

#include <algorithm>
#include <cctype>

namespace attn::render {
namespace {

bool is_alphanumeric(std::string_view text, std::size_t i) {
  return i < text.size() && std::isalnum(static_cast<unsigned char>(text[i])) != 0;
}

}  // namespace

std::string escaped_markdown(std::string_view text) {
  constexpr std::string_view always = "\\`*[]<>&|~#";
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_outer_underscore =
        text[i] == '_' && !(i > 0 && is_alphanumeric(text, i - 1) && is_alphanumeric(text, i + 1));
    const bool begins_list = i == 0 && (text[i] == '-' || text[i] == '+' || text[i] == '=');
    if (always.find(text[i]) != std::string_view::npos || is_outer_underscore || begins_list) {
      result += '\\';
    }
    result += text[i];
  }
  const std::size_t digits = std::min(result.find_first_not_of("0123456789"), result.size());
  const bool begins_numbered_list =
      digits > 0 && digits < result.size() && (result[digits] == '.' || result[digits] == ')');
  return begins_numbered_list ? result.substr(0, digits) + '\\' + result.substr(digits) : result;
}

std::size_t longest_backtick_run(std::string_view text) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

std::string code_span(const std::string& text) {
  const std::string ticks(longest_backtick_run(text) + 1, '`');
  const std::string space = text.starts_with('`') || text.ends_with('`') ? " " : "";
  return ticks + space + text + space + ticks;
}

std::string fence_around(std::size_t longest_run) {
  return std::string(std::max<std::size_t>(3, longest_run + 1), '`');
}

}  // namespace attn::render
