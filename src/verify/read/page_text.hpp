#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "verify/read/page.hpp"

namespace attn::verify {

/// Writes the text of a page: typographic characters become those that programs print. Remembers where each line of
/// the file went.
class PageText {
 public:
  /// What follows is the given line of the file.
  void go_to(Place place);
  /// What follows is a part of that kind.
  void begin_part(Part::Kind kind);
  /// A character, decoded: spaces of all kinds become ' ', dashes that serve as minus '-', "…" three dots.
  void put(char32_t code);
  /// Printable ASCII.
  void put_plain(std::string_view text) { text_ += text; }
  /// The file's line ends.
  void end_line();
  /// The file's line ends, unseen: in a tag or a comment.
  void skip_line();
  /// Something other than a line's end in the file starts a new line here.
  void break_line();
  /// The same, unless the line is empty yet.
  void begin_line();

  void reserve(std::size_t bytes) { text_.reserve(bytes); }
  /// The page, with all that was written; the writer is empty afterwards.
  Page finish(std::string name);

 private:
  void note_place() { places_.note(text_, text_.size(), place_); }

  std::string text_;
  Place place_;
  PlaceIndex places_;
  std::vector<Part> parts_;
};

}  // namespace attn::verify
