#include "verify/read/page_text.hpp"

#include <cstddef>
#include <utility>

#include "text/utf8.hpp"

namespace attn::verify {
namespace {

bool in(char32_t code, char32_t first, char32_t last) { return code >= first && code <= last; }

bool is_space(char32_t code) {
  return code == 0xa0 || code == 0x1680 || in(code, 0x2000, 0x200a) || code == 0x202f || code == 0x205f ||
         code == 0x3000;
}

/// Returns true for soft hyphens, joiners, direction marks, byte order marks, and control characters without a use on a
/// page.
bool is_invisible(char32_t code) {
  return code < 0x20 || in(code, 0x7f, 0x9f) || code == 0xad || code == 0x61c || in(code, 0x200b, 0x200f) ||
         in(code, 0x202a, 0x202e) || in(code, 0x2060, 0x206f) || in(code, 0xfe00, 0xfe0f) || code == 0xfeff;
}

/// What programs print in place of a typographic character; empty if there is no such equivalent.
std::string_view twin(char32_t code) {
  switch (code) {
    case 0x2010:
    case 0x2011:
    case 0x2012:
    case 0x2013:
    case 0x2212:
    case 0xfe63:
    case 0xff0d: return "-";
    case 0x2018:
    case 0x2019: return "'";
    case 0x201c:
    case 0x201d: return "\"";
    case 0x2026:
    case 0x22ef: return "...";
    case 0x2502:
    case 0x2503: return "|";
    default: return is_space(code) ? " " : "";
  }
}

}  // namespace

void PageText::go_to(Place place) {
  place_ = place;
  note_place();
}

void PageText::begin_part(Part::Kind kind) {
  if (!parts_.empty() && parts_.back().begin >= text_.size()) {
    parts_.pop_back();
  }
  parts_.push_back({text_.size(), kind});
}

void PageText::put(char32_t code) {
  if (code == '\t') {
    put_plain("\t");
  } else if (code == '\n' || code == 0x2028 || code == 0x2029) {
    break_line();
  } else if (const std::string_view plain = twin(code); !plain.empty()) {
    put_plain(plain);
  } else if (!is_invisible(code)) {
    std::string bytes;
    text::append_utf8(bytes, code);
    put_plain(bytes);
  }
}

void PageText::end_line() {
  text_.push_back('\n');
  skip_line();
}

void PageText::skip_line() {
  ++place_.line;
  note_place();
}

void PageText::break_line() {
  text_.push_back('\n');
  note_place();
}

void PageText::begin_line() {
  if (!text_.empty() && text_.back() != '\n') {
    break_line();
  }
}

Page PageText::finish(std::string name) {
  Page page(std::move(name), std::move(text_), std::move(places_), std::move(parts_));
  *this = PageText();
  return page;
}

}  // namespace attn::verify
