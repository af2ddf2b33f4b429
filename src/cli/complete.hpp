#pragma once

#include <span>
#include <string>

namespace attn::cli {

/// Completion candidates for an incomplete command line, given as the words after the program's name. The cursor is in
/// the last word, which may be empty. Each candidate is a line of three fields, separated by tabs:
///
///     word     TEXT    ABOUT    a whole word
///     part     TEXT    ABOUT    the beginning of a word
///     files    BEGUN            BEGUN, then a file name
///     folders  BEGUN            BEGUN, then a folder name
///
/// A line that cannot be parsed has no candidates.
std::string completions(std::span<const std::string> words);

}  // namespace attn::cli
