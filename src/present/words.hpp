#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "present/page.hpp"
#include "walk/what_if.hpp"

/// The presenter's texts about its keys.
namespace attn::present {

/// The list of keys.
Lines key_lines(bool is_paced);

/// The rules that can be changed, with their numbers; the one that `w` takes is marked.
Lines rule_lines(std::span<const WhatIf* const> rules, std::size_t next);

/// A key's effect in a few words.
struct KeyHint {
  std::string_view text;
  int rank;  ///< 0 is always shown; 5 is dropped first if there is no room
};

/// The text, then as many hints as fit into `width` columns, by rank; if not even the first rank fits, the last hint
/// alone.
std::string hint_line(const std::string& before, std::span<const KeyHint> hints, std::int64_t width);

/// Hints on a step, before and after the steps, while a cell is chosen, and while rows are hidden.
inline constexpr KeyHint step_hints[] = {{"Enter next", 1}, {"b back", 1}, {"g go", 4},          {"/ find", 4},
                                         {"e why", 2},      {"h heat", 2}, {"c cell", 3},        {"r rows", 5},
                                         {"w what if", 5},  {"s seed", 4}, {"? keys  q quit", 0}};
inline constexpr KeyHint frame_hints[] = {{"Enter next", 1}, {"b back", 1}, {"g go", 2},
                                          {"/ find", 2},     {"s seed", 2}, {"? keys  q quit", 0}};
inline constexpr KeyHint cell_hints[] = {
    {"arrows another cell", 2}, {"digits type one", 3}, {"Escape leave", 1}, {"Enter next", 3}, {"? keys  q quit", 0}};
inline constexpr KeyHint row_hints[] = {
    {"Enter, r next row", 1}, {"Escape all rows", 2}, {"b back", 3}, {"? keys  q quit", 0}};
/// Hints while keys or rules cover the step.
inline constexpr KeyHint cover_hints[] = {{"q quits  any other key goes back", 0}};
/// Hints after the pace.
inline constexpr KeyHint pace_hints[] = {{"Enter next", 2}, {"b back", 2}, {"g go", 4},          {"e why", 3},
                                         {"h heat", 3},     {"c cell", 4}, {"? keys  q quit", 1}};

}  // namespace attn::present
