#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "present/page.hpp"
#include "walk/what_if.hpp"

/// What the presenter says of its keys.
namespace attn::present {

/// What the keys do.
Lines key_lines(bool is_paced);

/// The rules that can be changed, with their numbers; the one that `w` takes is marked.
Lines rule_lines(std::span<const WhatIf* const> rules, std::size_t next);

/// The longest hint that fits into `width` columns after `before`, which is left out where none does.
std::string fitting_hint(const std::string& before, std::span<const std::string_view> hints, std::int64_t width);

/// Hints, the longest first: on a step, before and after the steps, while a cell is chosen, and while rows are hidden.
std::span<const std::string_view> step_hints();
std::span<const std::string_view> frame_hints();
std::span<const std::string_view> cell_hints();
std::span<const std::string_view> row_hints();
/// While keys or rules stand in the steps' place.
std::span<const std::string_view> cover_hints();
/// After what is said of the pace.
std::span<const std::string_view> pace_hints();

}  // namespace attn::present
