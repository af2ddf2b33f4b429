#include "verify/read/markup.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "text/ascii.hpp"
#include "text/utf8.hpp"
#include "verify/read/html.hpp"
#include "verify/read/pieces.hpp"

namespace attn::verify {
namespace {

constexpr char escape = '\x1b';

/// Bytes that represent themselves.
constexpr std::array<bool, 256> plain_bytes = [] {
  std::array<bool, 256> plain{};
  for (std::size_t byte = 0x20; byte < 0x7f; ++byte) {
    plain[byte] = byte != '&' && byte != '<';
  }
  plain['\t'] = true;
  return plain;
}();

bool is_plain(char c) { return plain_bytes[static_cast<unsigned char>(c)]; }

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return text::lower(x) == text::lower(y); });
}

/// One pass over a text. A failed search is not repeated, so the pass takes linear time.
class MarkupReader {
 public:
  MarkupReader(PageText& out, std::string_view text, Markup markup, Part::Kind kind)
      : out_(out),
        text_(text),
        kind_(kind),
        html_(markup == Markup::html),
        has_line_feeds_(!html_ && text.find('\n') != npos) {}

  void read() {
    out_.begin_part(kind_);
    while (at_ < text_.size()) {
      const std::size_t begin = at_;
      while (at_ < text_.size() && is_plain(text_[at_])) {
        ++at_;
      }
      if (at_ > begin) {
        out_.put_plain(text_.substr(begin, at_ - begin));
      } else {
        special();
      }
    }
  }

 private:
  std::string_view rest() const { return text_.substr(at_); }

  void special() {
    switch (text_[at_]) {
      case '\n':
        ++at_;
        out_.end_line();
        return;
      case '\v':
      case '\f':
        ++at_;
        out_.break_line();
        return;
      case '\r': carriage_return(); return;
      case escape: escape_sequence(); return;
      case '&': reference(); return;
      case '<': tag(); return;
      default: break;
    }
    const text::Character character = text::first_character(rest());
    at_ += character.size;
    out_.put(character.code);
  }

  /// Keeps what a progress bar overwrites, on a line of its own.
  void carriage_return() {
    if (has_line_feeds_) {
      at_ = std::min(text_.find_first_not_of('\r', at_), text_.size());
    } else {
      ++at_;
    }
    if (at_ < text_.size() && text_[at_] == '\n') {
      return;
    }
    if (has_line_feeds_) {
      out_.break_line();
    } else {
      out_.end_line();
    }
  }

  /// Removes colours and other escape sequences.
  void escape_sequence() {
    ++at_;
    const char kind = at_ < text_.size() ? text_[at_] : '\0';
    if (kind == '[') {
      ++at_;
      skip_while([](char c) { return c >= 0x20 && c < 0x40; });
      skip_one([](char c) { return c >= 0x40 && c < 0x7f; });
    } else if (kind == ']') {
      skip_while([](char c) { return c != '\a' && c != escape && c != '\n'; });
      skip_one([](char c) { return c == '\a'; });
    } else {
      skip_while([](char c) { return c >= 0x20 && c < 0x30; });
      skip_one([](char c) { return c > 0x20 && c < 0x7f; });
    }
  }

  template <class Condition>
  void skip_while(Condition condition) {
    while (at_ < text_.size() && condition(text_[at_])) {
      ++at_;
    }
  }

  template <class Condition>
  void skip_one(Condition condition) {
    if (at_ < text_.size() && condition(text_[at_])) {
      ++at_;
    }
  }

  void reference() {
    const Reference found = find_reference(rest());
    if (found.size == 0) {
      ++at_;
      out_.put_plain("&");
    } else {
      at_ += found.size;
      out_.put(found.code);
    }
  }

  void tag() {
    if (rest().starts_with("<!--") && skip_comment()) {
      return;
    }
    if (html_ && (rest().starts_with("<!") || rest().starts_with("<?")) && skip_to(tag_end(false))) {
      return;
    }
    const Tag found = find_tag(rest());
    const Element element = found.name.empty() ? Element::none : find_element(found.name);
    const bool custom = element != Element::none && found.name.find('-') != npos;
    const std::size_t begin = at_;
    if (element == Element::none || (custom && !html_) || !skip_to(html_ ? tag_end(true) : tag_end_on_line())) {
      out_.put_plain("<");
      ++at_;
      return;
    }
    const std::string_view whole = text_.substr(begin, at_ - begin);
    act(element, found, whole);
  }

  void act(Element element, const Tag& tag, std::string_view whole) {
    switch (element) {
      case Element::line: out_.break_line(); break;
      case Element::block: out_.begin_line(); break;
      case Element::space: out_.put_plain(" "); break;
      default: break;
    }
    if (same_name(tag.name, "pre") && (kind_ == Part::Kind::prose || kind_ == Part::Kind::markdown)) {
      out_.begin_part(tag.closing ? kind_ : Part::Kind::block);
    }
    const bool dropped = element == Element::dropped || holds_line_numbers(whole);
    if (html_ && dropped && !tag.closing && !whole.ends_with("/>")) {
      skip_content(tag.name);
    }
  }

  /// Moves to an offset, counting the lines; does nothing if it is npos.
  bool skip_to(std::size_t end) {
    if (end == npos) {
      return false;
    }
    for (; at_ < end; ++at_) {
      const bool mac = text_[at_] == '\r' && !has_line_feeds_ && (at_ + 1 == text_.size() || text_[at_ + 1] != '\n');
      if (text_[at_] == '\n' || mac) {
        out_.skip_line();
      }
    }
    return true;
  }

  bool skip_comment() {
    const std::size_t end = comments_end_ ? text_.find("-->", at_ + 4) : npos;
    comments_end_ = end != npos;
    return skip_to(end == npos ? npos : end + 3);
  }

  /// The position after the tag's >. A > within quotes does not count, as long as all quotes are closed.
  std::size_t tag_end(bool quotes) {
    std::size_t i = at_ + 1;
    while (tags_end_ && i < text_.size() && text_[i] != '>') {
      if (quotes && quotes_close_ && (text_[i] == '"' || text_[i] == '\'') && text_[i - 1] == '=') {
        const std::size_t close = text_.find(text_[i], i + 1);
        quotes_close_ = close != npos;
        i = quotes_close_ ? close : i;
      }
      ++i;
    }
    tags_end_ = tags_end_ && i < text_.size();
    return tags_end_ ? i + 1 : npos;
  }

  /// The same for a tag outside HTML, where < is rarely one.
  std::size_t tag_end_on_line() const {
    const std::size_t end = text_.find_first_of("<>\n", at_ + 1);
    return end == npos || text_[end] != '>' ? npos : end + 1;
  }

  /// Moves past the element's closing tag; stays if there is none.
  void skip_content(std::string_view name) {
    if (!contents_end_) {
      return;
    }
    std::size_t close = text_.find("</", at_);
    while (close != npos && !same_name(find_tag(text_.substr(close)).name, name)) {
      close = text_.find("</", close + 2);
    }
    if (close == npos) {
      contents_end_ = false;
    } else {
      skip_to(close);
    }
  }

  PageText& out_;
  std::string_view text_;
  std::size_t at_ = 0;
  Part::Kind kind_;
  bool html_;
  bool has_line_feeds_;       ///< then a lone carriage return does not end a line of the file
  bool comments_end_ = true;  ///< a --> may follow
  bool tags_end_ = true;
  bool quotes_close_ = true;
  bool contents_end_ = true;
};

}  // namespace

void write_markup(PageText& out, std::string_view text, Markup markup, Part::Kind kind) {
  MarkupReader(out, text, markup, kind).read();
}

}  // namespace attn::verify
