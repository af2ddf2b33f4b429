#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "verify/read/page.hpp"

namespace attn::verify {

/// Writes the text of a page, replacing typographic characters with those that programs print. Records the place of
/// each line of the file.
class PageText {
 public:
  /// Sets the line of the file for the following text.
  void go_to(Place place);
  /// Begins a part of that kind.
  void begin_part(Part::Kind kind);
  /// Appends a decoded character: spaces of all kinds become ' ', dashes used as minus become '-', "…" becomes three
  /// dots.
  void put(char32_t code);
  /// Appends printable ASCII.
  void put_plain(std::string_view text) { text_ += text; }
  /// Records the end of a line of the file.
  void end_line();
  /// Records an invisible line end of the file: in a tag or a comment.
  void skip_line();
  /// Starts a new line for a reason other than a line end of the file.
  void break_line();
  /// Starts a new line unless the current one is empty.
  void begin_line();

  void reserve(std::size_t bytes) { text_.reserve(bytes); }
  /// Returns the page with everything written so far; the writer is empty afterwards.
  Page finish(std::string name);

 private:
  void note_place() { places_.note(text_.size(), place_); }

  std::string text_;
  Place place_;
  PlaceIndex places_;
  std::vector<Part> parts_;
};

}  // namespace attn::verify
