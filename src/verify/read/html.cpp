#include "verify/read/html.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>

#include "text/ascii.hpp"
#include "text/lines.hpp"
#include "verify/read/pieces.hpp"

namespace attn::verify {
namespace {

struct NamedElements {
  Element element;
  std::string_view names;
};

constexpr auto elements = std::to_array<NamedElements>({
    {Element::inlined,
     "a abbr b bdi bdo big cite code col colgroup del dfn em font i img input ins kbd"
     " label link mark meta output q s samp small span strike strong sub sup time tt u var"
     " wbr"},
    {Element::space, "td th"},
    {Element::block,
     "address article aside blockquote body caption center dd details div dl dt figcaption"
     " figure footer form h1 h2 h3 h4 h5 h6 head header hr html iframe li main nav noscript"
     " ol p pre section summary table tbody textarea tfoot thead title tr ul"},
    {Element::line, "br"},
    {Element::dropped, "button script style template"},
});

struct NamedCharacter {
  std::string_view name;
  char32_t code;
};

constexpr std::array characters = std::to_array<NamedCharacter>({
    {"NewLine", '\n'}, {"Tab", '\t'},      {"amp", '&'},       {"apos", '\''},     {"colon", ':'},
    {"comma", ','},    {"dash", 0x2010},   {"emsp", 0x2003},   {"ensp", 0x2002},   {"equals", '='},
    {"grave", '`'},    {"gt", '>'},        {"hairsp", 0x200a}, {"hellip", 0x2026}, {"hyphen", 0x2010},
    {"lbrack", '['},   {"ldquo", 0x201c},  {"lowbar", '_'},    {"lpar", '('},      {"lsqb", '['},
    {"lsquo", 0x2018}, {"lt", '<'},        {"mdash", 0x2014},  {"middot", 0xb7},   {"minus", 0x2212},
    {"mldr", 0x2026},  {"nbsp", 0xa0},     {"ndash", 0x2013},  {"num", '#'},       {"numsp", 0x2007},
    {"period", '.'},   {"plus", '+'},      {"puncsp", 0x2008}, {"quot", '"'},      {"rbrack", ']'},
    {"rdquo", 0x201d}, {"rpar", ')'},      {"rsqb", ']'},      {"rsquo", 0x2019},  {"shy", 0xad},
    {"sol", '/'},      {"thinsp", 0x2009}, {"times", 0xd7},    {"vert", '|'},      {"zwj", 0x200d},
    {"zwnj", 0x200c},
});
static_assert(std::ranges::is_sorted(characters, {}, &NamedCharacter::name));

constexpr std::size_t longest_name = 10;       // of an element or a character
constexpr std::size_t longest_reference = 32;  // with leading zeros

bool is_tag_name_part(char c) { return text::is_letter(c) || text::is_digit(c) || c == '-'; }

/// The code point of "#8722" or "#x2212"; 0 if it is not a character.
char32_t numbered_character(std::string_view name) {
  const bool hexadecimal = name.size() > 1 && (name[1] == 'x' || name[1] == 'X');
  name.remove_prefix(hexadecimal ? 2 : 1);
  std::uint32_t code = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), code, hexadecimal ? 16 : 10);
  const bool whole = error == std::errc() && end == name.data() + name.size();
  return whole && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? static_cast<char32_t>(code) : U'\0';
}

}  // namespace

Element find_element(std::string_view name) {
  if (name.find('-') != npos) {
    return Element::inlined;
  }
  if (name.size() > longest_name) {
    return Element::none;
  }
  const std::string key = text::lower(name);
  const auto* found =
      std::ranges::find_if(elements, [&](const NamedElements& some) { return is_among(key, some.names); });
  return found != elements.end() ? found->element : Element::none;
}

Reference find_reference(std::string_view text) {
  const std::size_t end = text.substr(0, longest_reference).find(';');
  if (end == npos || end < 3 || text.front() != '&') {
    return {};
  }
  const std::string_view name = text.substr(1, end - 1);
  if (name.front() == '#') {
    const char32_t code = numbered_character(name);
    return code == 0 ? Reference{} : Reference{code, end + 1};
  }
  const auto* found = std::ranges::lower_bound(characters, name, {}, &NamedCharacter::name);
  return found != characters.end() && found->name == name ? Reference{found->code, end + 1} : Reference{};
}

Tag find_tag(std::string_view text) {
  const bool closing = text.size() > 1 && text[1] == '/';
  const std::size_t begin = closing ? 2 : 1;
  if (text.size() <= begin || text.front() != '<' || !text::is_letter(text[begin])) {
    return {};
  }
  std::size_t end = begin;
  while (end < text.size() && is_tag_name_part(text[end])) {
    ++end;
  }
  const bool ends = end < text.size() && std::string_view(" \t\r\n/>").find(text[end]) != npos;
  return ends ? Tag{text.substr(begin, end - begin), closing} : Tag{};
}

bool holds_line_numbers(std::string_view tag) {
  const std::string name = text::lower(find_tag(tag).name);
  if (name != "span" && name != "td") {
    return false;
  }
  constexpr std::string_view attribute = " class=";
  const std::size_t at = tag.find(attribute);
  std::string_view classes =
      at == npos ? std::string_view() : without_leading(tag.substr(at + attribute.size()), "\"'");
  classes = classes.substr(0, classes.find_first_of("\"'>"));
  while (!classes.empty()) {
    const std::string_view one = classes.substr(0, classes.find(' '));
    if (is_among(one, "gutter lineno linenos ln lnt rouge-gutter")) {
      return true;
    }
    classes.remove_prefix(std::min(one.size() + 1, classes.size()));
  }
  return false;
}

bool looks_like_html(std::string_view text) {
  constexpr std::size_t head = 4096;
  const std::string begin = text::lower(text.substr(0, head));
  const std::size_t first = begin.find_first_not_of(" \t\r\n");
  if (first == std::string::npos || begin[first] != '<') {
    return false;
  }
  return begin.find("<!doctype html") != std::string::npos || begin.find("<html") != std::string::npos ||
         begin.find("<body") != std::string::npos || begin.find("<head") != std::string::npos;
}

}  // namespace attn::verify
