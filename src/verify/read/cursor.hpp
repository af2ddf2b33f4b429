#pragma once

#include <cstddef>
#include <string_view>

namespace attn::verify {

/// The beginning of a printed tensor's line; the following lines may begin in the same way.
struct Margin {
  std::size_t markers = 0;   ///< number of > | # of a quotation, a table or a comment
  bool pipes = false;        ///< | is among them and may also end lines
  std::string_view comment;  ///< // or * that begins a comment
};

/// The margin of a line before the printed text.
Margin find_margin(std::string_view line);

/// Moves through a page and skips what stands within a printed tensor without belonging to it: spaces, line ends,
/// margins, and code fences where a page breaks.
class Cursor {
 public:
  Cursor(std::string_view page, std::size_t at, Margin margin) : page_(page), at_(at), margin_(margin) {}

  bool at_end() const { return at_ >= page_.size(); }
  std::size_t at() const { return at_; }
  char peek() const { return at_end() ? '\0' : page_[at_]; }
  std::string_view rest() const { return page_.substr(at_); }
  void advance(std::size_t bytes) { at_ += bytes; }
  /// Returns to an offset visited before.
  void go_back(std::size_t at) { at_ = at; }
  /// Moves to the next thing that may belong to the tensor. Returns true if it is on another line.
  bool skip();
  /// Moves to the next thing on this line.
  void skip_spaces();

 private:
  void begin_line(std::size_t& marker_lines);
  void skip_comment_mark();
  void skip_line();

  std::string_view page_;
  std::size_t at_;
  Margin margin_;
};

}  // namespace attn::verify
