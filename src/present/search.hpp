#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "lesson/printed.hpp"
#include "walk/walkthrough.hpp"

/// Finds steps by typed text, ignoring case.
namespace attn::present {

/// The first step whose name, or "section/name", equals the text, else starts with it, else contains it. A tensor
/// precedes its size.
std::optional<std::size_t> step_named(std::span<const Step> steps, const std::string& typed);

/// The next step after `at`, wrapping around to `at` itself, that contains the text in its name, section or numbers.
std::optional<std::size_t> step_with(std::span<const Step> steps, std::size_t at, const std::string& wanted,
                                     const render::TextOptions& options);

}  // namespace attn::present
