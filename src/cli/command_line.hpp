#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/option.hpp"

namespace attn::cli {

/// The position of the cursor in a line to complete.
struct Cursor {
  enum class Place { nowhere, name, value, word };

  Place place = Place::nowhere;
  const Option* option = nullptr;  ///< whose value it is in
  std::string begun = {};          ///< what there is of the name, the value or the word
};

/// A command line, split into its parts. Values are not interpreted yet.
struct CommandLine {
  const Subcommand* command = nullptr;  ///< null: none is named
  Given given;
  std::vector<std::string> words;        ///< what is neither option nor value, after the command
  std::vector<std::string> unknown;      ///< options that the command does not take
  std::vector<std::string> early_words;  ///< the same before the command, or where none is
  std::vector<std::string> early_unknown;
  bool is_after_dashes = false;  ///< "--" stands before the last words
  Cursor cursor;

  const Subcommand& told_of() const { return command != nullptr ? *command : program(); }
};

/// Reads the arguments, without the program's name. Throws UsageError for a missing or an unexpected value. The only
/// function that uses CLI11.
CommandLine read_line(std::span<const std::string> arguments);

/// The same of a line that is being written; the last argument is the one at the cursor.
CommandLine read_line_to_cursor(std::span<const std::string> arguments);

}  // namespace attn::cli
