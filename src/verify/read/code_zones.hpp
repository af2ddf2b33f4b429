#pragma once

#include <cstddef>
#include <string_view>

#include "verify/read/zones.hpp"

namespace attn::verify {

/// Finds the comments in a program, line by line, and lists that stand between its statements: output that somebody
/// pasted there, or that a text keeps below the code.
class CodeZones {
 public:
  explicit CodeZones(Zones& zones) : zones_(zones) {}

  /// The next line of the program, without its end; it begins at an offset of the page.
  void add_line(std::size_t begin, std::string_view line);
  /// Whether a statement goes on in the next line.
  bool in_statement() const { return depth_ > 0 || !closing_.empty(); }

 private:
  void add_code(std::size_t begin, std::string_view line);
  std::size_t skip_string(std::string_view line, std::size_t at);
  void note_bracket(char c);

  Zones& zones_;
  std::size_t depth_ = 0;     ///< of open brackets
  std::string_view closing_;  ///< what ends the string or comment of several lines that is open: """ or */
  bool in_list_ = false;      ///< in a list that is output
  bool goes_on_ = false;      ///< the last line ends as no statement does
};

/// Whether a line can only be a program's.
bool is_code_line(std::string_view line);

}  // namespace attn::verify
