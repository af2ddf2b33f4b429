#include "present/words.hpp"

#include <utility>

#include "text/columns.hpp"

namespace attn::present {
namespace {

constexpr int least_needed = 5;

}  // namespace

Lines key_lines(bool is_paced) {
  Lines lines = {{{"Keys", {.bold = true}}}};
  for (const char* line :
       {"Enter, space  the lines below, then the next step", "b             step before",
        "g             go to a step, by number or name", "/             search; n searches on",
        "e             explain: shapes, why, what to notice", "h             heat map",
        "p             projector: only the picture and its formula; + and - resize it",
        "c             derive a cell: type it, or choose it with the arrows",
        "Tab           choose a cell with the arrows; Home, End: its row",
        "r             hide the rows; r, Enter, space reveal the next one",
        "w             what if: one rule changed, the difference, the original", "W             what if: another rule",
        "s             change the seed; changed cells are marked",
        "arrows        scroll; PageUp, PageDown, Home, End too", "Escape        leave the cell, show all rows",
        "?             these keys", "q             quit"}) {
    lines.push_back({{line}});
  }
  if (is_paced) {
    lines[1] = {{"Enter         the lines below, then the next step"}};
    lines.insert(lines.begin() + 2, {{"space         pause, resume; any other key except Enter, b pauses"}});
  }
  lines.emplace_back();
  lines.push_back({{"q quits; any other key goes back to the step."}});
  return lines;
}

Lines rule_lines(std::span<const WhatIf* const> rules, std::size_t next) {
  Lines lines = {{{"What if", {.bold = true}}}};
  for (std::size_t i = 0; i < rules.size(); ++i) {
    lines.push_back({{(i == next ? "w " : "  ") + std::to_string(i + 1) + " " + std::string(rules[i]->name)}});
  }
  lines.emplace_back();
  lines.push_back({{"A number chooses that rule, w the marked one. q quits; any other key goes back."}});
  return lines;
}

std::string hint_line(const std::string& before, std::span<const KeyHint> hints, std::int64_t width) {
  std::string line;
  for (int least = 0; least <= least_needed; ++least) {
    std::string longer = before;
    for (const KeyHint& hint : hints) {
      if (hint.rank <= least) {
        longer += (longer.empty() || longer.ends_with(' ') ? "" : "  ") + std::string(hint.text);
      }
    }
    if (text::display_columns(longer) > width) {
      break;
    }
    line = std::move(longer);
  }
  return line.empty() && !hints.empty() ? std::string(hints.back().text) : line;
}

}  // namespace attn::present
