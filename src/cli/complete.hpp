#pragma once

#include <span>
#include <string>

namespace attn::cli {

/// What may stand where the cursor is, for a line of which these words are written after the program's name; the last
/// is the one at the cursor, and may be empty. One line each, of three fields with tabs between:
///
///     word     TEXT    ABOUT    a whole word, begun as the last one is
///     part     TEXT    ABOUT    the same, but the word goes on
///     files    BEGUN            a file's name after what is begun
///     folders  BEGUN            a folder's
///
/// A line that cannot be parsed has none.
std::string completions(std::span<const std::string> words);

}  // namespace attn::cli
