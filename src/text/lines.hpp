#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attn::text {

/// The text with other words in each of these places.
std::string replaced(std::string_view text, std::string_view what, std::string_view with);
/// Returns true if the text contains one of the phrases, which are separated by '|'.
bool contains_any(std::string_view text, std::string_view phrases);

/// The text without ASCII white space at either end.
std::string_view trimmed(std::string_view text);

/// The text with A to Z in lower case.
std::string lower(std::string_view text);

/// The lines without their ends. A final "\n" does not start another line.
std::vector<std::string> lines_of(std::string_view text);

/// Lines of at most `width` columns, broken after spaces; longer words are broken between any two characters.
std::vector<std::string> wrapped(std::string_view line, std::int64_t width);

/// Wrapped lines with prefix `first`, or `next` from the second line on, which is not narrower. No line ends with a
/// space.
std::vector<std::string> wrapped(std::string_view line, std::int64_t width, std::string_view first,
                                 std::string_view next);

/// "a, b, c"
std::string joined(std::span<const std::string> parts, std::string_view between = ", ");

/// The parts between commas; "a,,b" has an empty part.
std::vector<std::string> split(std::string_view list);

/// Escapes as \xNN: control characters except line breaks and tabs, marks that change the text direction, codes that
/// are no characters, invalid UTF-8.
std::string visible(std::string_view text);

/// The text on one line of at most a few hundred characters: escapes control characters, marks that change the text
/// direction and invalid UTF-8 as \xNN, and replaces the middle of a long text by "...".
std::string one_line(std::string_view text);
/// The same between single quotes, as errors name a word or a file.
std::string quoted(std::string_view text);

/// The candidate most similar to the typed word; else the shortest that contains it; else empty.
std::string nearest(std::string_view typed, std::span<const std::string> candidates);

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
