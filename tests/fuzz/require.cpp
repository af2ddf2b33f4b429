#include "require.hpp"

#include <cstdlib>
#include <iostream>
#include <string>

#include "cli/run.hpp"
#include "text/utf8.hpp"

namespace attn::fuzz {

void require(bool holds, std::string_view what) {
  if (!holds) {
    std::cerr << "this does not hold: " << what << std::endl;
    std::abort();
  }
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const text::Character character = text::first_character(text);
    if (!character.valid) {
      return false;
    }
    text.remove_prefix(character.size);
  }
  return true;
}

void require_clean(std::string_view text, std::string_view what, std::string_view allowed) {
  while (!text.empty()) {
    const text::Character character = text::first_character(text);
    const bool clean = character.valid && !text::is_direction_mark(character.code) &&
                       (!text::is_control(character.code) || allowed.find(text.front()) != std::string_view::npos);
    require(clean, std::string(what) + " is clean text");
    text.remove_prefix(character.size);
  }
}

void require_error_line(const std::exception& error) {
  const std::string line = cli::error_line(error);
  require_clean(line, "an error");
  require(line.find('\n') == std::string::npos, "an error is one line");
  require(line.find("; ") != std::string::npos, "an error says how to go on: " + line);
}

}  // namespace attn::fuzz
