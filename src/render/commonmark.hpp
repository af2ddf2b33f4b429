#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Text as parts of a document in CommonMark.
namespace attn::render {

/// Text that reads as itself: characters that could mark something up are escaped. An underscore within a word is none.
std::string escaped_markdown(std::string_view text);

std::string code_span(const std::string& text);

std::size_t longest_backtick_run(std::string_view text);

/// What encloses text that has so many backticks in a row at most.
std::string fence_around(std::size_t longest_run);

}  // namespace attn::render
