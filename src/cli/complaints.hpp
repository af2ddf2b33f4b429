#pragma once

#include <functional>
#include <span>
#include <string>

#include "cli/arguments.hpp"

namespace attn::cli {

struct KnownCommand {
  std::string name;                ///< "causal"
  std::function<Syntax()> syntax;  ///< of what stands after it: made when asked for
};

/// Complains about the first of a command's arguments that it has no use for.
[[noreturn]] void throw_unexpected(std::span<const KnownCommand> commands, const KnownCommand& chosen,
                                   const Syntax& program, std::span<const std::string> arguments,
                                   const Arguments& read);

/// Complains about what stands where a command should; `read` is what the program itself has a use for.
[[noreturn]] void throw_no_command(std::span<const KnownCommand> commands, const Syntax& program,
                                   std::span<const std::string> arguments, const Arguments& read);

}  // namespace attn::cli
