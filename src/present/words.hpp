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
std::span<const KeyHint> step_hints();
std::span<const KeyHint> frame_hints();
std::span<const KeyHint> cell_hints();
std::span<const KeyHint> row_hints();
/// Hints while keys or rules cover the step.
std::span<const KeyHint> cover_hints();
/// Hints after the pace.
std::span<const KeyHint> pace_hints();

}  // namespace attn::present
