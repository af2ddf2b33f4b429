#include "arguments.hpp"
#include "require.hpp"
#include "targets.hpp"

namespace attn::fuzz {

void argv(std::string_view bytes) {
  const auto options = parsed(bytes);
  if (options) {
    require(options->command != cli::Command::message || !options->message.empty(), "help says something");
    require(options->command != cli::Command::walk || !options->chapters.empty(), "a walk has a chapter");
    require(options->command != cli::Command::verify || !options->verify.files.empty(), "verify has a page");
    require_clean(options->message, "help");
    for (const std::string& note : options->notes) {
      require_clean(note, "a note");
    }
  }
}

}  // namespace attn::fuzz
