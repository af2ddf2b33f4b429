#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "verify/read/zones.hpp"

namespace attn::verify {

/// Finds a program's comments, line by line, and lists between its statements: output that was pasted there or that a
/// text shows below the code.
class CodeZones {
 public:
  explicit CodeZones(Zones& zones) : zones_(zones) {}

  /// Adds the program's next line, without its end, which begins at this offset of the page.
  void add_line(std::size_t begin, std::string_view line);
  /// Returns true if a statement continues on the next line.
  bool in_statement() const { return depth_ > 0 || !closing_.empty(); }

 private:
  void add_code(std::size_t begin, std::string_view line);
  std::size_t skip_string(std::string_view line, std::size_t at);
  void note_bracket(char c);

  Zones& zones_;
  std::size_t depth_ = 0;                       ///< number of open brackets
  std::string_view closing_;                    ///< the end marker of the open string or comment: """ or */
  bool in_list_ = false;                        ///< within a list that is output
  std::set<std::string, std::less<>> printed_;  ///< names that prints write before a sign
  bool goes_on_ = false;                        ///< the last line's end does not end a statement
};

/// Returns true if a line can only belong to a program.
bool is_code_line(std::string_view line);

}  // namespace attn::verify
