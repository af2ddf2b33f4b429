#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// The display width of text on a terminal, in columns.
namespace attn::text {

/// The width of a text. Combining marks have width 0, East Asian wide characters and emoji 2 (Unicode 14's
/// EastAsianWidth.txt, by utf8proc). Controls and invalid bytes have width 1, that of their replacement.
std::int64_t display_columns(std::string_view text);

/// The size in bytes of the first character with its combining marks; 0 for an empty text.
std::size_t cluster_size(std::string_view text);

/// The longest prefix, in whole characters, of at most `columns` columns.
std::string_view beginning(std::string_view text, std::int64_t columns);

/// The text, with "..." instead of its middle if it is wider than `most` columns (at least 3).
std::string shortened(std::string_view text, std::int64_t most);

/// The text padded with spaces to `columns`; unchanged if it is wider.
std::string right_aligned(std::string_view text, std::int64_t columns);
std::string left_aligned(std::string_view text, std::int64_t columns);

}  // namespace attn::text
