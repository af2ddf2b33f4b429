#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "text/lines.hpp"
#include "text/utf8.hpp"
#include "verify/page/page.hpp"
#include "verify/page/pieces.hpp"

namespace attn::verify {
namespace {

constexpr std::string_view inlined =
    "a abbr b bdi bdo big br cite code col colgroup del dfn em font i img input ins kbd label link mark meta output q s"
    " samp small span strike strong sub sup time tt u var wbr";
constexpr std::string_view table_cells = "td th";
constexpr std::string_view blocks =
    "address article aside blockquote body caption center dd details div dl dt figcaption figure footer form h1 h2 h3"
    " h4 h5 h6 head header hr html iframe li main nav noscript ol p pre section summary table tbody textarea tfoot"
    " thead title tr ul";
constexpr std::string_view dropped = "button script style template";

constexpr std::pair<std::string_view, char32_t> characters[] = {
    {"nbsp", 0xa0}, {"lt", '<'},       {"gt", '>'},       {"amp", '&'},      {"quot", '"'},
    {"apos", '\''}, {"minus", 0x2212}, {"ndash", 0x2013}, {"mdash", 0x2014}, {"hellip", 0x2026}};

/// The code point of "nbsp", "#8722" or "#x2212"; 0 if it is not a character.
char32_t character_of(std::string_view name) {
  if (!name.starts_with('#')) {
    const auto* const found = std::ranges::find(characters, name, &std::pair<std::string_view, char32_t>::first);
    return found != std::end(characters) ? found->second : U'\0';
  }
  const bool hexadecimal = name.size() > 1 && text::lower(name[1]) == 'x';
  name.remove_prefix(hexadecimal ? 2 : 1);
  std::uint32_t code = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), code, hexadecimal ? 16 : 10);
  const bool whole = error == std::errc() && end == name.data() + name.size();
  return whole && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? static_cast<char32_t>(code) : U'\0';
}

bool represents_itself(char c) { return c == '\t' || (c >= 0x20 && c < 0x7f && c != '&' && c != '<'); }

/// The name of the tag at a text's start, in lower case; empty if there is none.
std::string tag_name(std::string_view text) {
  constexpr std::size_t longest = 32;
  text = text.substr(text.starts_with("</") ? 2 : 1, longest);
  const auto end = std::ranges::find_if_not(text, [](char c) { return is_name_part(c) || c == '-'; });
  const bool ends = end != text.end() && std::string_view(" \t\r\n/>").find(*end) != npos;
  return ends && text::is_letter(text.front()) ? text::lower(std::string(text.begin(), end)) : "";
}

class MarkupReader {
 public:
  MarkupReader(PageText& out, std::string_view text, Part::Kind kind)
      : out_(out), text_(text), kind_(kind), html_(kind == Part::Kind::prose) {}

  void read() {
    out_.begin_part(kind_);
    while (at_ < text_.size()) {
      const std::string_view left = rest();
      const auto* const end = std::ranges::find_if_not(left, represents_itself);
      const std::string_view plain = left.substr(0, static_cast<std::size_t>(end - left.begin()));
      out_.put_plain(plain);
      at_ += plain.size();
      at_ < text_.size() ? special() : void();
    }
  }

 private:
  std::string_view rest() const { return text_.substr(at_); }

  void special() {
    switch (text_[at_]) {
      case '\x1b': skip_escape_sequence(); return;
      case '&': reference(); return;
      case '<': tag(); return;
      default: break;
    }
    const text::Character character = text::first_character(rest());
    at_ += character.size;
    const bool is_overwriting = character.code == '\r' && !rest().starts_with('\r') && !rest().starts_with('\n');
    if (character.code == '\n') {
      out_.end_line();
    } else if (character.code == '\v' || character.code == '\f' || is_overwriting) {
      out_.put_plain("\n");  // text that a progress bar overwrites is kept
    } else {
      out_.put(character.code);
    }
  }

  void skip_escape_sequence() {
    const std::size_t end =
        text_.substr(++at_).starts_with('[') ? text_.find_first_not_of("0123456789:;<=>? !", at_ + 1) : npos;
    at_ = end == npos ? at_ : end + 1;
  }

  void reference() {
    constexpr std::size_t longest = 32;  // with leading zeros
    const std::size_t end = rest().substr(0, longest).find(';');
    const char32_t code = end == npos ? U'\0' : character_of(rest().substr(1, end - 1));
    at_ += code == 0 ? 1 : end + 1;
    out_.put(code == 0 ? U'&' : code);
  }

  void tag() {
    const std::string name = tag_name(rest());
    const std::string_view known[] = {inlined, table_cells, blocks, dropped};
    const bool is_known = (html_ && name.find('-') != npos) ||
                          std::ranges::any_of(known, [&](std::string_view names) { return is_among(name, names); });
    if (rest().starts_with("<!--")) {
      skip_past("-->");
    } else if (html_ && (rest().starts_with("<!") || rest().starts_with("<?"))) {
      skip_past(">");
    } else if (is_known && (html_ || ends_on_line())) {
      const std::size_t begin = at_;
      skip_past(">");
      act(name, text_.substr(begin, at_ - begin));
    } else {
      out_.put_plain("<");
      ++at_;
    }
  }

  void act(const std::string& name, std::string_view tag) {
    const bool closes = tag.starts_with("</");
    if (name == "br") {
      out_.put_plain("\n");
    } else if (is_among(name, blocks)) {
      out_.begin_line();
    } else if (is_among(name, table_cells)) {
      out_.put_plain(" ");
    }
    if (name == "pre" && (kind_ == Part::Kind::prose || kind_ == Part::Kind::markdown)) {
      out_.begin_part(closes ? kind_ : Part::Kind::block);
    }
    if (html_ && is_among(name, dropped) && !closes && !tag.ends_with("/>")) {
      skip_past("</" + std::string(tag.substr(1, name.size())));
      skip_past(">");
    }
  }

  /// Moves past a mark, counting the lines; to the end of the text if there is none.
  void skip_past(std::string_view mark) {
    const std::size_t found = text_.find(mark, at_);
    for (const std::size_t end = found == npos ? text_.size() : found + mark.size(); at_ < end; ++at_) {
      if (text_[at_] == '\n') {
        out_.skip_line();
      }
    }
  }

  /// Returns true if a tag ends on its line, as it does outside HTML, where < is rarely one.
  bool ends_on_line() const {
    const std::size_t end = text_.find_first_of("<>\n", at_ + 1);
    return end != npos && text_[end] == '>';
  }

  PageText& out_;
  std::string_view text_;
  std::size_t at_ = 0;
  Part::Kind kind_;
  bool html_;
};

}  // namespace

void write_markup(PageText& out, std::string_view text, Part::Kind kind) { MarkupReader(out, text, kind).read(); }

}  // namespace attn::verify
