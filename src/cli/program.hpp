#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/options.hpp"

namespace attn::cli {

/// A chapter, or another command.
struct CommandName {
  std::string name;     ///< "causal"
  std::string summary;  ///< one line
  std::string group;    ///< "Chapters" or "Commands"
};

/// The whole command line: what it accepts, and what is said of that.
class Program {
 public:
  Program();
  ~Program();

  /// Reads the arguments, without the program's name. Once. Throws UsageError.
  Options parse(std::span<const std::string> arguments);

  /// Reads what can be understood of a line that is not written to its end. Once.
  Options parse_beginning(std::span<const std::string> arguments);

  std::string description() const;
  /// The examples.
  std::string footer() const;
  /// What may stand before a command.
  Syntax syntax() const;
  std::vector<CommandName> commands() const;
  bool has_command(const std::string& name) const;
  /// What may stand after a command; with `all`, what may stand anywhere too.
  Syntax syntax_of(const std::string& name, bool all) const;
  std::string footer_of(const std::string& name) const;

 private:
  struct Parts;

  std::unique_ptr<Parts> parts_;
};

}  // namespace attn::cli
