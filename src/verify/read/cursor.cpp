#include "verify/read/cursor.hpp"

#include <algorithm>

#include "verify/read/pieces.hpp"

namespace attn::verify {
namespace {

constexpr std::size_t widest_margin = 64;
constexpr std::size_t most_marker_lines = 8;  ///< the most that are skipped at once

bool is_marker(char c) { return c == '>' || c == '|' || c == '#'; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// The start of the comment that a text is; empty if it is none.
std::string_view comment_of(std::string_view text) {
  for (const std::string_view comment : {"//", "*"}) {
    if (text.starts_with(comment)) {
      return comment;
    }
  }
  return {};
}

/// The margin of a comment after a statement.
Margin margin_after_code(std::string_view before) {
  before = before.substr(before.size() - std::min(before.size(), 4 * widest_margin));
  for (std::size_t at = before.find(' '); at != std::string_view::npos; at = before.find(' ', at + 1)) {
    const std::string_view rest = before.substr(at + 1);
    if (rest.starts_with("# ") || rest == "#") {
      return {1, false, {}};
    }
    if (rest.starts_with("// ")) {
      return {0, false, "//"};
    }
  }
  return {};
}

}  // namespace

Margin find_margin(std::string_view line) {
  Margin margin;
  const std::string_view before = line.substr(0, widest_margin);
  std::size_t end = 0;
  for (; end < before.size() && (is_blank(before[end]) || is_marker(before[end])); ++end) {
    margin.markers += static_cast<std::size_t>(is_marker(before[end]));
    margin.pipes = margin.pipes || before[end] == '|';
  }
  const bool prompt = before.substr(0, end).find(">>>") != npos;
  if (prompt) {
    return {};
  }
  margin.comment = comment_of(before.substr(end));
  return margin.markers == 0 && margin.comment.empty() ? margin_after_code(line) : margin;
}

bool Cursor::skip() {
  bool new_line = false;
  std::size_t marker_lines = 0;
  while (!at_end()) {
    const char c = page_[at_];
    if (is_blank(c) || (c == '|' && margin_.pipes)) {
      ++at_;
    } else if (c == '\n') {
      ++at_;
      new_line = true;
      begin_line(marker_lines);
    } else {
      break;
    }
  }
  return new_line;
}

void Cursor::skip_spaces() {
  while (!at_end() && is_blank(page_[at_])) {
    ++at_;
  }
}

void Cursor::begin_line(std::size_t& marker_lines) {
  if (marker_lines == most_marker_lines) {
    return;
  }
  std::size_t markers = 0;
  while (!at_end() && (is_blank(page_[at_]) || (markers < margin_.markers && is_marker(page_[at_])))) {
    markers += static_cast<std::size_t>(is_marker(page_[at_]));
    ++at_;
  }
  skip_comment_mark();
  if (rest().starts_with("```") || rest().starts_with("~~~")) {
    skip_line();
    ++marker_lines;
  }
}

/// Also skips the further characters of /// and //!
void Cursor::skip_comment_mark() {
  if (margin_.comment.empty() || !rest().starts_with(margin_.comment)) {
    return;
  }
  at_ += margin_.comment.size();
  const char last = margin_.comment.back();
  while (!at_end() && (page_[at_] == last || page_[at_] == '!')) {
    ++at_;
  }
}

void Cursor::skip_line() { at_ = std::min(page_.find('\n', at_), page_.size()); }

}  // namespace attn::verify
