#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Text as parts of a CommonMark document.
namespace attn::render {

/// Escapes the characters that could be markup, so that the text reads as itself. Underscores within a word need no
/// escape.
std::string escaped_markdown(std::string_view text);

std::string code_span(const std::string& text);

std::size_t longest_backtick_run(std::string_view text);

/// The fence around text whose longest run of backticks has this length.
std::string fence_around(std::size_t longest_run);

}  // namespace attn::render
