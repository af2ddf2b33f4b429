#pragma once

#include <iosfwd>
#include <string_view>

namespace attn::render {

/// Returns true if this build contains the program for browsers, without which no page can compute.
bool has_live_program();

/// Writes what makes a lesson's page compute lessons: the form, the program for browsers, and the script. `settings` is
/// JSON: the chapters, the options of lessons, and the lesson that the page shows.
void write_live(std::ostream& out, std::string_view settings);

}  // namespace attn::render
