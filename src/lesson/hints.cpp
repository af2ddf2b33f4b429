#include "lesson/hints.hpp"

#include <algorithm>
#include <cstddef>

#include "lesson/account.hpp"
#include "lesson/cell_words.hpp"

namespace attn::render {
namespace {

std::vector<std::string> hint_of(const Account& account, const Lines& lines) {
  const std::size_t count = account.derivation().terms.size();
  const std::size_t shown = std::min(count, most_terms);  // enough to show the method
  std::vector<std::string> hint = {account.filled(lines.opening)};
  for (std::size_t i = 0; i < shown; ++i) {
    hint.push_back(account.filled(lines.each, i));
  }
  if (shown < count) {
    hint.push_back("... " + std::to_string(count - shown) + " more ...");
  }
  if (account.derivation().bias) {
    hint.push_back(account.filled(lines.bias, count));
  }
  return hint;
}

}  // namespace

std::vector<std::vector<std::string>> hints(const Cell& cell, std::span<const std::string> tokens,
                                            const torch::PrintOptions& print) {
  const CellWords words(*cell.step, tokens);
  const Account account(*cell.step->tensor, cell.index, words, print.precision);
  std::vector<std::vector<std::string>> hints;
  for (const Lines& lines : account.telling().hints) {
    hints.push_back(hint_of(account, lines));
  }
  return hints;
}

}  // namespace attn::render
