#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "verify/read/page.hpp"

namespace attn::verify {

/// Writes the text of a page: typographic characters become those that programs print, and a terminal's cursor
/// moves as it would. Remembers where each line of the file went.
class PageText {
 public:
  /// What follows is the given line of the file.
  void go_to(Place place);
  /// What follows is a part of that kind.
  void begin_part(Part::Kind kind);
  /// A character, decoded: spaces of all kinds become ' ', dashes that serve as minus '-', "…" three dots.
  void put(char32_t code);
  /// Printable ASCII.
  void put_plain(std::string_view text);
  /// The file's line ends.
  void end_line();
  /// The file's line ends, unseen: in a tag or a comment.
  void skip_line();
  /// Something other than a line's end in the file starts a new line here.
  void break_line();
  /// The same, unless the line is empty yet.
  void begin_line();

  void carriage_return();
  void backspace();
  void erase_to_line_end() { behind_cursor_.clear(); }
  void erase_line();

  void reserve(std::size_t bytes) { text_.reserve(bytes); }
  /// The page, with all that was written; the writer is empty afterwards.
  Page finish(std::string name);

 private:
  void overwrite(std::string_view text);
  void start_line();
  void note_place() { places_.note(text_, size(), place_); }
  /// All bytes that are written, before and behind the cursor.
  std::size_t size() const { return text_.size() + behind_cursor_.size(); }

  std::string text_;  ///< up to the cursor
  std::string
      behind_cursor_;  ///< the line's bytes from its end back to the cursor: after carriage_return and backspace
  std::size_t line_begin_ = 0;
  Place place_;
  PlaceIndex places_;
  std::vector<Part> parts_;
};

}  // namespace attn::verify
