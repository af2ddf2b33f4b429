#pragma once

#include "cli/option.hpp"

namespace attn::cli {

/// A guide to one use of the program: a file in src/cli/guides.
struct Guide {
  std::string_view name;  ///< "verify"
  std::string_view text;  ///< Markdown: a heading, then headings, paragraphs, lists with "- " and fenced code
};

std::span<const Guide> guides();

/// Returns null if there is no such guide.
const Guide* find_guide(std::string_view name);

/// The guide's text for a terminal, with code indented instead of fenced.
std::string shown(const Guide& guide);

/// The script that completes commands and options in bash, zsh or fish.
std::string completion_script(const std::string& shell);

/// The text of --help for the command, whose choices may depend on the options read so far.
std::string help(const Subcommand& command, const Options& so_far);

/// The text of -h: the common options of the command, or of a chapter for the program. It is the text of --help if that
/// is about as short.
std::string short_help(const Subcommand& command, const Options& so_far);

/// The first commands to try.
std::string first_words();

}  // namespace attn::cli
