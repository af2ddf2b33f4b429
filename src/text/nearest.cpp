#include "text/lines.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace attn::text {
namespace {

/// The Levenshtein distance: insertions, deletions and substitutions.
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

/// The shortest candidate that contains the word: "attn_weights" for "weights".
std::string with_part(std::string_view part, std::span<const std::string> candidates) {
  constexpr std::size_t least = 3;
  std::string best;
  for (const std::string& candidate : part.size() < least ? std::span<const std::string>() : candidates) {
    if (lower(candidate).find(part) != std::string::npos && (best.empty() || candidate.size() < best.size())) {
      best = candidate;
    }
  }
  return best;
}

}  // namespace

std::string nearest(std::string_view typed, std::span<const std::string> candidates) {
  const std::string_view word = typed.substr(0, 100);
  std::string best;
  // Up to a third of the letters may be wrong, two in a short word, but never all.
  const std::size_t letters = word.size() - std::min(word.find_first_not_of('-'), word.size());
  std::size_t best_distance = std::min(std::max<std::size_t>(2, letters / 3) + 1, letters);
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(lower(word), lower(candidate));
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best.empty() ? with_part(lower(word.substr(word.size() - letters)), candidates) : best;
}

}  // namespace attn::text
