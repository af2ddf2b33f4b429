#include "render/page/template.hpp"

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <utility>

namespace attn::render {
namespace {

std::string_view entity(char c) {
  switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    default: return "&#39;";
  }
}

}  // namespace

void write_escaped(std::ostream& out, std::string_view text) {
  while (!text.empty()) {
    const std::size_t plain = std::min(text.find_first_of("&<>\"'"), text.size());
    out << text.substr(0, plain);
    text.remove_prefix(plain);
    if (!text.empty()) {
      out << entity(text.front());
      text.remove_prefix(1);
    }
  }
}

Write escaped(std::string text) {
  return [text = std::move(text)](std::ostream& out) { write_escaped(out, text); };
}

Write verbatim(std::string_view html) {
  return [html](std::ostream& out) { out << html; };
}

void write_filled(std::ostream& out, std::string_view pattern, const Blanks& places) {
  while (true) {
    const std::size_t open = pattern.find("{{");
    const std::size_t close = pattern.find("}}", open);
    if (open == std::string_view::npos || close == std::string_view::npos) {
      out << pattern;
      return;
    }
    out << pattern.substr(0, open);
    places.at(pattern.substr(open + 2, close - open - 2))(out);
    pattern.remove_prefix(close + 2);
  }
}

Cut cut_out(const std::string& pattern, const std::string& name) {
  const std::string begin = "<!--" + name + "-->";
  const std::string end = "<!--/" + name + "-->";
  const std::size_t from = pattern.find(begin);
  const std::size_t to = pattern.find(end, from);
  const std::size_t inner = from + begin.size();
  return {pattern.substr(inner, to - inner),
          pattern.substr(0, from) + "{{" + name + "}}" + pattern.substr(to + end.size())};
}

}  // namespace attn::render
