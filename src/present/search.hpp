#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "lesson/printed.hpp"
#include "walk/walkthrough.hpp"

/// Finding steps by what somebody typed, whatever the case of its letters.
namespace attn::present {

/// The first step whose name, or "section/name", is what was typed, else begins with it, else has it; a tensor before
/// its size.
std::optional<std::size_t> step_named(std::span<const Step> steps, const std::string& typed);

/// The next step after `at`, around the end up to `at` itself, that has the text in its name, section or numbers.
std::optional<std::size_t> step_with(std::span<const Step> steps, std::size_t at, const std::string& wanted,
                                     const render::TextOptions& options);

}  // namespace attn::present
