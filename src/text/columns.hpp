#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// How much room text takes on a terminal, in columns.
namespace attn::text {

/// Combining marks take none, East Asian wide characters and emoji two (Unicode 14's EastAsianWidth.txt, by
/// utf8proc). Controls and bytes that are no UTF-8 take one, for the sign shown in their place.
std::int64_t display_columns(std::string_view text);

/// The bytes of the character that a text begins with, and of the marks that combine with it; 0 of an empty text.
std::size_t cluster_size(std::string_view text);

/// The longest beginning, in whole characters, that takes at most so many columns.
std::string_view beginning(std::string_view text, std::int64_t columns);

/// The text, with "..." instead of its middle where it takes more columns than `most`, which are 3 at least.
std::string shortened(std::string_view text, std::int64_t most);

/// The text with spaces before it or after it, so that it takes `columns`; as it is where it takes more.
std::string right_aligned(std::string_view text, std::int64_t columns);
std::string left_aligned(std::string_view text, std::int64_t columns);

}  // namespace attn::text
