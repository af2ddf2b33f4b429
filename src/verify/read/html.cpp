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

struct NamedElement {
  std::string_view name;
  Element element;
};

constexpr std::array elements = std::to_array<NamedElement>({
    {"a", Element::inlined},        {"abbr", Element::inlined},     {"address", Element::block},
    {"article", Element::block},    {"aside", Element::block},      {"b", Element::inlined},
    {"bdi", Element::inlined},      {"bdo", Element::inlined},      {"big", Element::inlined},
    {"blockquote", Element::block}, {"body", Element::block},       {"br", Element::line},
    {"button", Element::dropped},   {"caption", Element::block},    {"center", Element::block},
    {"cite", Element::inlined},     {"code", Element::inlined},     {"col", Element::inlined},
    {"colgroup", Element::inlined}, {"dd", Element::block},         {"del", Element::inlined},
    {"details", Element::block},    {"dfn", Element::inlined},      {"div", Element::block},
    {"dl", Element::block},         {"dt", Element::block},         {"em", Element::inlined},
    {"figcaption", Element::block}, {"figure", Element::block},     {"font", Element::inlined},
    {"footer", Element::block},     {"form", Element::block},       {"h1", Element::block},
    {"h2", Element::block},         {"h3", Element::block},         {"h4", Element::block},
    {"h5", Element::block},         {"h6", Element::block},         {"head", Element::block},
    {"header", Element::block},     {"hr", Element::block},         {"html", Element::block},
    {"i", Element::inlined},        {"iframe", Element::block},     {"img", Element::inlined},
    {"input", Element::inlined},    {"ins", Element::inlined},      {"kbd", Element::inlined},
    {"label", Element::inlined},    {"li", Element::block},         {"link", Element::inlined},
    {"main", Element::block},       {"mark", Element::inlined},     {"meta", Element::inlined},
    {"nav", Element::block},        {"noscript", Element::block},   {"ol", Element::block},
    {"output", Element::inlined},   {"p", Element::block},          {"pre", Element::block},
    {"q", Element::inlined},        {"s", Element::inlined},        {"samp", Element::inlined},
    {"script", Element::dropped},   {"section", Element::block},    {"small", Element::inlined},
    {"span", Element::inlined},     {"strike", Element::inlined},   {"strong", Element::inlined},
    {"style", Element::dropped},    {"sub", Element::inlined},      {"summary", Element::block},
    {"sup", Element::inlined},      {"table", Element::block},      {"tbody", Element::block},
    {"td", Element::space},         {"template", Element::dropped}, {"textarea", Element::block},
    {"tfoot", Element::block},      {"th", Element::space},         {"thead", Element::block},
    {"time", Element::inlined},     {"title", Element::block},      {"tr", Element::block},
    {"tt", Element::inlined},       {"u", Element::inlined},        {"ul", Element::block},
    {"var", Element::inlined},      {"wbr", Element::inlined},
});
static_assert(std::ranges::is_sorted(elements, {}, &NamedElement::name));

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
  const auto* found = std::ranges::lower_bound(elements, key, {}, &NamedElement::name);
  return found != elements.end() && found->name == key ? found->element : Element::none;
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
  constexpr auto names = std::to_array<std::string_view>({"gutter", "lineno", "linenos", "ln", "lnt", "rouge-gutter"});
  constexpr std::string_view attribute = " class=";
  const std::size_t at = tag.find(attribute);
  std::string_view classes =
      at == npos ? std::string_view() : without_leading(tag.substr(at + attribute.size()), "\"'");
  classes = classes.substr(0, classes.find_first_of("\"'>"));
  while (!classes.empty()) {
    const std::string_view one = classes.substr(0, classes.find(' '));
    if (std::ranges::find(names, one) != names.end()) {
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
