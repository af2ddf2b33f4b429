#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "present/presenter.hpp"
#include "present/scrolled.hpp"
#include "present/stage.hpp"
#include "walk/what_if.hpp"

/// The presenter's texts.
namespace attn::present {

/// The introduction: question, formula and map. The ending: summary and next steps.
Lines introduction_lines(std::span<const Step> steps, const Presentation& presentation, std::int64_t width);
Lines ending_lines(std::span<const Step> steps, const Presentation& presentation, std::int64_t width);

/// The effect of the changed rule on the step at `at` and on all steps.
Lines consequence_lines(const Walks& walks, std::size_t at, const render::TextOptions& options, std::int64_t width);

Lines explanation_lines(const Step& step, const Presentation& presentation, std::int64_t width);

/// A derivation's lines, none longer than `width`, the first ones as a heading.
Lines derivation_lines(const std::string& derivation, std::int64_t width);

/// The list of keys.
Lines key_lines();

/// The rules that can be changed, with their numbers.
Lines rule_lines(std::span<const WhatIf* const> rules);

}  // namespace attn::present
