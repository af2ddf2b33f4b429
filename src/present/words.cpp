#include "present/words.hpp"

#include <array>

#include "text/columns.hpp"

namespace attn::present {

Lines key_lines(bool is_paced) {
  Lines lines = {{{"Keys", {.bold = true}}}};
  for (const char* line : {"Enter, space  next step",
                           "b             step before",
                           "g             go to a step, by number or name",
                           "/             search; n searches on",
                           "e             explain: shapes, why, what to notice",
                           "h             heat map",
                           "c             how a cell came about: type it, or choose with the arrows",
                           "Tab           choose a cell with the arrows; Home, End: its row",
                           "r             hide the rows; r, Enter, space reveal the next one",
                           "w             what if: a rule changed, the difference, as is",
                           "W             what if: another rule",
                           "s             another seed; changed cells are marked",
                           "arrows        scroll; PageUp, PageDown, Home, End too",
                           "Escape        leave the cell, show all rows",
                           "?             these keys",
                           "q             quit"}) {
    lines.push_back({{line}});
  }
  if (is_paced) {
    lines[1] = {{"Enter         next step"}};
    lines.insert(lines.begin() + 2, {{"space         pause, go on; any other key but Enter, b pauses"}});
  }
  lines.emplace_back();
  lines.push_back({{"Any key goes back to the step."}});
  return lines;
}

Lines rule_lines(std::span<const WhatIf* const> rules, std::size_t next) {
  Lines lines = {{{"What if", {.bold = true}}}};
  for (std::size_t i = 0; i < rules.size(); ++i) {
    lines.push_back({{(i == next ? "w " : "  ") + std::to_string(i + 1) + " " + std::string(rules[i]->name)}});
  }
  lines.emplace_back();
  lines.push_back({{"A number takes that rule, w the marked one. Any other key goes back."}});
  return lines;
}

std::string fitting_hint(const std::string& before, std::span<const std::string_view> hints, std::int64_t width) {
  for (const std::string_view hint : hints) {
    const std::string text = before + std::string(hint);
    if (text::display_columns(text) <= width) {
      return text;
    }
  }
  return std::string(hints.back());
}

std::span<const std::string_view> step_hints() {
  static constexpr std::array<std::string_view, 5> hints = {
      "Enter next  b back  g go  / find  e why  h heat  c cell  r rows  w what if  s seed  ? keys  q quit",
      "Enter next  b back  g go  / find  e why  h heat  c cell  s seed  ? keys  q quit",
      "Enter next  b back  e explain  h heat map  ? keys  q quit",
      "Enter next  b back  ? keys  q quit",
      "? keys  q quit"};
  return hints;
}

std::span<const std::string_view> frame_hints() {
  static constexpr std::array<std::string_view, 3> hints = {
      "Enter next  b back  g go  / find  s seed  ? keys  q quit", "Enter next  b back  ? keys  q quit", "? keys  q quit"};
  return hints;
}

std::span<const std::string_view> cover_hints() {
  static constexpr std::array<std::string_view, 2> hints = {"any other key goes back", "any key"};
  return hints;
}

std::span<const std::string_view> cell_hints() {
  static constexpr std::array<std::string_view, 4> hints = {
      "arrows another cell  digits type one  Escape leave  Enter next  ? keys  q quit",
      "arrows another cell  Escape leave  ? keys  q quit",
      "arrows move  Escape leave  ? keys",
      "? keys  q quit"};
  return hints;
}

std::span<const std::string_view> row_hints() {
  static constexpr std::array<std::string_view, 4> hints = {
      "Enter, r next row  Escape all rows  b back  ? keys  q quit",
      "Enter next row  Escape all  ? keys",
      "Enter next row  ? keys",
      "? keys  q quit"};
  return hints;
}

std::span<const std::string_view> pace_hints() {
  static constexpr std::array<std::string_view, 4> hints = {
      "  Enter next  b back  g go  e why  h heat  c cell  ? keys  q quit",
      "  Enter next  b back  ? keys  q quit",
      "  ? keys  q quit",
      ""};
  return hints;
}

}  // namespace attn::present
