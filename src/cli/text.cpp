#include "cli/text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <numeric>
#include <vector>

namespace attn::cli {
namespace {

/// Levenshtein's distance: insertions, deletions and substitutions.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

/// The bytes of the printable UTF-8 character that the text begins with; 0 where it begins with something else.
std::size_t printable_length(std::string_view text) {
  const auto byte = [&text](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = byte(0);
  if (first < 0x80) {
    return first >= 0x20 && first != 0x7f ? 1 : 0;
  }
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) {
      return 0;
    }
  }
  const bool overlong = first < 0xc2 || (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  const bool beyond = first > 0xf4 || (first == 0xf4 && byte(1) > 0x8f) || (first == 0xed && byte(1) > 0x9f);
  const bool control = first == 0xc2 && byte(1) < 0xa0;
  return overlong || beyond || control ? 0 : length;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

}  // namespace

std::string nearest(std::string_view typed, std::span<const std::string> candidates) {
  const std::string_view word = typed.substr(0, 100);
  std::string best;
  // A third of the letters may be wrong, two of a short word, but never all.
  const std::size_t letters = word.size() - std::min(word.find_first_not_of('-'), word.size());
  std::size_t best_distance = std::min(std::max<std::size_t>(2, letters / 3) + 1, letters);
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(lower(word), lower(candidate));
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> words(1);
  for (const char c : list) {
    if (c == ',') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

std::string joined(std::span<const std::string> words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : ", ") + word;
  }
  return text;
}

std::string one_line(std::string_view text) {
  constexpr std::size_t longest = 800;
  if (text.size() > longest) {
    const std::string_view end = text.substr(text.size() - longest / 2);
    return one_line(text.substr(0, longest / 2)) + "..." + one_line(end);
  }
  std::string line;
  while (!text.empty()) {
    const std::size_t length = printable_length(text);
    if (length > 0) {
      line += text.substr(0, length);
    } else {
      std::array<char, 5> escaped{};
      std::snprintf(escaped.data(), escaped.size(), "\\x%02x", static_cast<unsigned char>(text[0]));
      line += escaped.data();
    }
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  return line;
}

}  // namespace attn::cli
