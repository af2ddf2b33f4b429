#include "verify/page/page.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>

#include <nlohmann/json.hpp>

#include "text/lines.hpp"
#include "text/utf8.hpp"

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

namespace {

using nlohmann::json;

bool in(char32_t code, char32_t first, char32_t last) { return code >= first && code <= last; }

/// Returns true for soft hyphens, joiners, direction marks, byte order marks, and control characters.
bool is_invisible(char32_t code) {
  return text::is_control(code) || text::is_direction_mark(code) || code == 0xad || in(code, 0x200b, 0x200d) ||
         in(code, 0x2060, 0x206f) || in(code, 0xfe00, 0xfe0f) || code == 0xfeff;
}

/// Typographic characters, also those of code page 1252, which are control characters otherwise, and how programs print
/// them.
constexpr std::pair<std::u32string_view, std::string_view> twins[] = {
    {U"\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d\x96", "-"},
    {U"\u2018\u2019\x91\x92", "'"},
    {U"\u201c\u201d\x93\x94", "\""},
    {U"\u2026\u22ef\x85", "..."},
    {U"\u2502\u2503", "|"},
    {U"\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " "}};

std::string shown_name(const std::string& name) { return name == "-" ? "standard input" : name; }

[[noreturn]] void fail(const std::string& name, const std::string& what, const std::string& way_on) {
  throw PageError("'" + shown_name(name) + "' " + what +
                  "; accepted are plain text, Markdown, HTML, Jupyter notebooks (.ipynb) and terminal logs; " + way_on);
}

/// Returns true if the file's name ends with a point and one of the words, in any case.
bool has_extension(std::string_view name, std::string_view words) {
  const std::size_t point = name.rfind('.');
  return point != npos && point > 0 && is_among(text::lower(name.substr(point + 1)), words);
}

/// Returns true if the content of a file without a telling name is HTML.
bool looks_like_html(std::string_view text) {
  constexpr std::size_t head = 4096;
  const std::string begin = text::lower(text.substr(0, head));
  return without_leading(begin, " \t\r\n").starts_with('<') &&
         text::contains_any(begin, "<!doctype html|<html|<body|<head");
}

Part::Kind kind_of(std::string_view name, std::string_view text) {
  return has_extension(name, "html htm xhtml") || looks_like_html(text)        ? Part::Kind::prose
         : has_extension(name, "md markdown mdx qmd rmd rst")                  ? Part::Kind::markdown
         : has_extension(name, "c cc cpp cu ex exs h hpp js py r rs swift ts") ? Part::Kind::script
                                                                               : Part::Kind::text;
}

[[noreturn]] void fail_as_notebook(const std::string& name, const std::string& what) {
  throw PageError("'" + shown_name(name) + "' is no Jupyter notebook that can be read (" + what +
                  "); accepted is .ipynb as Jupyter saves it; save it again, or export it as HTML or text");
}

json parsed(const std::string& name, std::string_view text) try {
  return json::parse(text);
} catch (const json::parse_error& error) {
  fail_as_notebook(name, "its JSON breaks off or is damaged at byte " + std::to_string(error.byte));
} catch (const json::exception&) {
  fail_as_notebook(name, "its JSON is damaged");
}

/// The value of a key; null if there is none.
const json& at(const json& object, const char* key) {
  static const json none;
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found == object.end() ? none : *found;
}

/// A text, which may be a list of lines: JSON's iterators pass over a single text too.
std::string text_of(const json& value) {
  std::string text;
  for (const json& line : value) {
    text += line.is_string() ? std::string_view(line.get_ref<const std::string&>()) : "";
  }
  return text;
}

void write(PageText& out, const std::string& text, Part::Kind kind) {
  write_markup(out, text, kind);
  if (!text.empty() && text.back() != '\n') {
    out.end_line();
  }
}

/// Reads a Jupyter notebook's Markdown cells and outputs, streams and results as plain text; as the listing, the
/// source of its cells.
Page read_notebook(const std::string& name, std::string_view text) {
  const json notebook = parsed(name, text);
  const json& cells = at(notebook, "cells");
  if (!cells.is_array()) {
    fail_as_notebook(name, "it has no cells");
  }
  PageText out;
  PageText listing;
  Place place;
  std::uint32_t code_cells = 0;
  for (const json& cell : cells) {
    const std::string type = text_of(at(cell, "cell_type"));
    const std::string source = text_of(at(cell, "source"));
    const json& count = at(cell, "execution_count");
    ++place.cell;
    place.is_markdown = type == "markdown" || type == "raw";
    code_cells += place.is_markdown ? 0 : 1;
    place.number = place.is_markdown            ? place.cell
                   : count.is_number_unsigned() ? count.get<std::uint32_t>()
                                                : code_cells;
    listing.go_to(place);
    write(listing, source, place.is_markdown ? Part::Kind::markdown : Part::Kind::script);
    out.go_to(place);
    if (place.is_markdown) {
      write(out, source, Part::Kind::markdown);
    }
    for (const json& output : at(cell, "outputs")) {
      write(out, text_of(at(output, "text")) + text_of(at(at(output, "data"), "text/plain")), Part::Kind::output);
    }
  }
  Page page = out.finish(name);
  page.set_listing(listing.finish(name));
  return page;
}

/// Converts UTF-16, as PowerShell's > writes it, to UTF-8; characters of two units are left out.
std::string from_utf16(std::string_view bytes, bool big_endian) {
  const auto byte = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(bytes[i])); };
  std::string text;
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    const char32_t unit = byte(big_endian ? i + 1 : i) | byte(big_endian ? i : i + 1) << 8U;
    unit < 0xd800 || unit >= 0xe000 ? text::append_utf8(text, unit) : void();
  }
  return text;
}

}  // namespace

Place Page::place(std::size_t offset) const {
  const auto after = std::ranges::upper_bound(lines_, offset, {}, &Line::begin);
  return after == lines_.begin() ? Place{} : (after - 1)->place;
}

void PageText::go_to(const Place& place) {
  place_ = place;
  page_.lines_.push_back({page_.text_.size(), place_});
}

void PageText::put(char32_t code) {
  const auto is_of = [code](const auto& twin) { return twin.first.find(code) != twin.first.npos; };
  const auto* const twin = std::ranges::find_if(twins, is_of);
  if (twin != std::end(twins)) {
    put_plain(twin->second);
  } else if (code == '\t' || code == '\n' || !is_invisible(code)) {
    text::append_utf8(page_.text_, code);
  }
}

Page PageText::finish(std::string name) {
  page_.name_ = std::move(name);
  return std::exchange(page_, {});
}

Page parse_page(const std::string& name, std::string_view bytes) {
  if (bytes.empty()) {
    fail(name, "is empty", "give a file that has something printed in it");
  }
  std::string decoded;
  if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff")) {
    decoded = from_utf16(bytes.substr(2), bytes.front() == '\xfe');
    bytes = decoded;
  }
  bytes.remove_prefix(bytes.starts_with("\xef\xbb\xbf") ? 3 : 0);
  if (bytes.find('\0') != npos) {
    fail(name, "is not text", "save the page as one of these");
  }
  const bool looks_like_notebook =
      without_leading(bytes, " \t\r\n").starts_with('{') && bytes.find("\"nbformat\"") != npos;
  if (has_extension(name, "ipynb") || looks_like_notebook) {
    return read_notebook(name, bytes);
  }
  PageText out;
  out.go_to({});
  write_markup(out, bytes, kind_of(name, bytes));
  return out.finish(name);
}

Page read_page(const std::string& name, const CheckSize& check_size) {
  const auto check = [&](std::size_t size) {
    if (size > std::size_t{1} << 30U) {
      fail(name, "has more than 1 GiB", "give the part that prints tensors");
    }
    check_size ? check_size(size) : void();
  };
  const std::filesystem::path path = name == "-" ? "/dev/stdin" : name;
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown)) {
    fail(name, "is a folder", "name a file in it");
  }
  if (std::filesystem::is_regular_file(path, unknown)) {
    check(static_cast<std::size_t>(std::filesystem::file_size(path, unknown)));
  }
  errno = 0;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      name == "-" ? stdin : std::fopen(name.c_str(), "rb"),
      [](std::FILE* opened) { return opened == stdin ? 0 : std::fclose(opened); });
  std::string bytes;
  std::array<char, 1U << 16U> buffer;
  for (std::size_t count = 1; file && count > 0;) {
    count = std::fread(buffer.data(), 1, buffer.size(), file.get());
    check(bytes.size() + count);
    bytes.append(buffer.data(), count);
  }
  if (!file || std::ferror(file.get()) != 0) {
    fail(name, std::string("cannot be read (") + std::strerror(errno) + ")",
         "check the path, or give - to read standard input");
  }
  return parse_page(name, bytes);
}

}  // namespace attn::verify
