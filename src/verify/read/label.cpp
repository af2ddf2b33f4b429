#include "verify/read/label.hpp"

#include <algorithm>

#include "verify/read/pieces.hpp"

namespace attn::verify {
namespace {

constexpr std::size_t longest_label = 60;

/// Removes IPython's prompts.
std::string_view without_prompt(std::string_view line) {
  if (line.starts_with("Out[") || line.starts_with("In [") || line.starts_with("In[")) {
    const std::size_t end = line.substr(0, longest_label).find("]:");
    return end == npos ? line : without_leading(line.substr(end + 2), " \t");
  }
  return line;
}

std::string_view trimmed(std::string_view line) {
  const std::string_view words = without_prompt(without_leading(line, " \t\n>|#*`/"));
  const std::string_view label = without_trailing(words, " \t\n`([{,=*|#/");
  if (label == "True" || label == "False") {
    return {};  // is itself output
  }
  const bool arrow = label.ends_with("=>") || label.ends_with("->");
  return arrow ? without_trailing(label.substr(0, label.size() - 2), " \t=#/-") : label;
}

/// The last words of a long sentence.
std::string_view last_words(std::string_view text) {
  if (text.size() <= longest_label) {
    return text;
  }
  const std::size_t space = text.find(' ', text.size() - longest_label);
  return space == npos ? std::string_view() : text.substr(space + 1);
}

bool is_separator(std::string_view line) {
  const std::string_view content = without_leading(line, " \t>|#");
  return content.starts_with("```") || content.starts_with("~~~");
}

}  // namespace

std::string_view find_label(std::string_view page, std::size_t from, std::size_t begin) {
  const std::string_view before = page.substr(from, begin - from);
  const std::size_t line_end = before.rfind('\n');
  const std::string_view line = before.substr(line_end == npos ? 0 : line_end + 1);
  if (const std::string_view words = trimmed(line); !words.empty() || line_end == npos) {
    return last_words(words);
  }
  const std::string_view above = without_trailing(before.substr(0, line_end), " \t\n");
  const std::size_t above_begin = above.rfind('\n');
  if (above.empty() || (above_begin == npos && from != 0)) {
    return {};
  }
  const std::string_view above_line = above.substr(above_begin == npos ? 0 : above_begin + 1);
  const std::string_view words = trimmed(above_line);
  return words.size() > longest_label || is_separator(above_line) ? std::string_view() : words;
}

}  // namespace attn::verify
