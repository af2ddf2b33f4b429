#pragma once

#include <cstddef>
#include <string_view>

namespace attn::verify {

/// What the line of a printed tensor begins with; the lines after it may begin so too.
struct Margin {
  std::size_t markers = 0;   ///< > | # of a quotation, a table or a comment
  bool pipes = false;        ///< | is among them, and may end lines as well
  std::string_view comment;  ///< // or * , which begins a comment
};

/// The margin of a line up to what is printed on it.
Margin find_margin(std::string_view line);

/// Steps through a page past everything that does not belong to a printed tensor though it stands in it: spaces,
/// line ends, margins, code fences where a page breaks.
class Cursor {
 public:
  Cursor(std::string_view page, std::size_t at, Margin margin) : page_(page), at_(at), margin_(margin) {}

  bool at_end() const { return at_ >= page_.size(); }
  std::size_t at() const { return at_; }
  char peek() const { return at_end() ? '\0' : page_[at_]; }
  std::string_view rest() const { return page_.substr(at_); }
  void advance(std::size_t bytes) { at_ += bytes; }
  /// Back to an offset where the cursor was before.
  void go_back(std::size_t at) { at_ = at; }
  /// Goes to the next thing that may belong to the tensor. Returns whether that is on another line.
  bool skip();
  /// Goes to the next thing on this line.
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
