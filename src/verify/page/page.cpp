#include "verify/page/page.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "text/lines.hpp"
#include "text/utf8.hpp"
#include "verify/page/pieces.hpp"

namespace attn::verify {
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
