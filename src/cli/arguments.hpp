#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attn::cli {

/// An option as it is on the command line.
struct KnownOption {
  std::string name;                          ///< "--output"
  std::string letter;                        ///< "-o"; empty where it has none
  bool takes_value = false;
  std::function<std::string()> placeholder;  ///< "FILE", or the words that it takes: made when asked for
  std::string help = {};                     ///< what it does
  std::string group = {};                    ///< the heading that it stands under
};

/// What may stand after a command's name, or before it.
struct Syntax {
  std::string help;  ///< "attn-walkthrough causal --help"
  std::vector<KnownOption> options;
  bool takes_files = false;
  std::string argument = {};       ///< what these are: "FILE"
  std::string argument_help = {};

  /// The option of this name or letter; null where there is none.
  const KnownOption* find(std::string_view name) const;
};

/// What the arguments say.
struct Arguments {
  std::vector<std::string> options;  ///< names, each followed by its value where it takes one
  std::vector<std::string> files;
  std::size_t read = 0;       ///< all before this are understood: where it is not past the last, nothing takes that one
  bool after_dashes = false;  ///< whether "--" stands before it
};

/// The text before a "=": "--sead=5" is about --sead.
std::string option_part(const std::string& argument);

/// Reads options and files from the left, up to the first argument that is neither. What follows "--" is no option.
/// Throws UsageError for a value that is missing, and for one where none belongs.
Arguments read_arguments(std::span<const std::string> arguments, const Syntax& syntax);

}  // namespace attn::cli
