#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/option.hpp"

namespace attn::cli {

/// A command line, split into its parts. Values are not interpreted yet.
struct CommandLine {
  const Subcommand* command = nullptr;  ///< null: no command
  Given given;
  std::vector<std::string> words;        ///< arguments after the command that are neither options nor values
  std::vector<std::string> unknown;      ///< options that the command does not take
  std::vector<std::string> early_words;  ///< such arguments before the command, or without one
  std::vector<std::string> early_unknown;
  bool is_after_dashes = false;  ///< "--" precedes the last words

  const Subcommand& told_of() const { return command != nullptr ? *command : program(); }
};

/// Splits the arguments, without the program's name. Throws UsageError for a missing or an unexpected value.
CommandLine read_line(std::span<const std::string> arguments);

}  // namespace attn::cli
