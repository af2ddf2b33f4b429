#include "text/roff.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "text/lines.hpp"
#include "text/utf8.hpp"

namespace attn::text {
namespace {

/// Escapes the characters that are special in a manual page.
std::string escaped(std::string_view text, bool is_typed) {
  std::string result;
  while (!text.empty()) {
    const Character character = first_character(text);
    const char c = text.front();
    text.remove_prefix(character.size);
    if (character.code >= 0x80) {
      char name[16];
      std::snprintf(name, sizeof name, "\\[u%04X]", static_cast<unsigned>(character.code));
      result += name;
      continue;
    }
    switch (c) {
      case '\\': result += "\\e"; break;
      case '-': result += is_typed ? "\\-" : "-"; break;
      case '\'': result += is_typed ? "\\(aq" : "'"; break;
      case '^': result += "\\(ha"; break;
      case '~': result += "\\(ti"; break;
      case '`': result += "\\(ga"; break;
      case '"': result += "\\(dq"; break;
      default: result += c;
    }
  }
  return result;
}

/// Returns true if a word of prose is an option.
bool is_typed(std::string_view word) { return word.find("--") != std::string_view::npos || word.starts_with('-'); }

/// Protects a line from being read as a request.
std::string protected_line(const std::string& line) {
  return line.starts_with('.') || line.starts_with('\'') ? "\\&" + line : line;
}

/// Makes text between backticks bold.
std::string with_code(std::string text) {
  constexpr std::string_view backtick = "\\(ga";
  bool is_open = false;
  for (std::size_t at = text.find(backtick); at != std::string::npos; at = text.find(backtick, at)) {
    text.replace(at, backtick.size(), is_open ? "\\fR" : "\\fB");
    is_open = !is_open;
  }
  return text;
}

/// Escapes prose; hyphens become minus signs only in options.
std::string prose(std::string_view text) {
  constexpr std::int64_t width = 62;  // escapes make lines longer
  std::string result;
  for (const std::string& line : wrapped(text, width)) {
    std::string written;
    std::string_view rest = trimmed(line);
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      const std::string_view word = rest.substr(0, end);
      written += (written.empty() ? "" : " ") + escaped(word, is_typed(word));
      rest = trimmed(rest.substr(end));
    }
    result += protected_line(written) + "\n";
  }
  return with_code(std::move(result));
}

std::string styled(std::string_view text, char font) {
  return std::string("\\f") + font + escaped(text, true) + "\\fR";
}

}  // namespace

std::string bold(std::string_view text) { return styled(text, 'B'); }

std::string italic(std::string_view text) { return styled(text, 'I'); }

Roff::Roff(std::string_view name, std::string_view date, std::string_view source) {
  std::string title(name);
  for (char& c : title) {
    c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  macro(".TH " + escaped(title, true) + " 1 " + std::string(date) + " \"" + std::string(source) +
        "\" \"User Commands\"");
  macro(".nh");  // no hyphenation, because readers copy words
  macro(".ad l");
}

void Roff::section(std::string_view title) {
  macro(".SH \"" + escaped(title, false) + "\"");
  is_after_heading_ = true;
}

void Roff::name(std::string_view name, std::string_view what) {
  macro(escaped(name, true) + " \\- " + escaped(what, false));
  is_after_heading_ = false;
}

void Roff::subsection(std::string_view title) {
  macro(".SS \"" + escaped(title, false) + "\"");
  is_after_heading_ = true;
}

void Roff::begin_paragraph() {
  if (!is_after_heading_) {
    macro(".PP");
  }
  is_after_heading_ = false;
}

void Roff::group(std::string_view title) {
  begin_paragraph();
  macro("\\fI" + escaped(title, false) + "\\fR");
}

void Roff::paragraph(std::string_view text) {
  begin_paragraph();
  page_ += prose(text);
}

void Roff::lines(std::span<const std::string> lines) {
  begin_paragraph();
  for (const std::string& line : lines) {
    macro((&line == &lines.front() ? "" : ".br\n") + line);
  }
}

void Roff::code(std::span<const std::string> lines) {
  begin_paragraph();
  macro(".nf");
  for (const std::string& line : lines) {
    macro(line.empty() ? "\\&" : protected_line(escaped(line, true)));
  }
  macro(".fi");
}

void Roff::item(const std::string& term, std::string_view text) {
  macro(".TP");
  macro(term);
  page_ += text.empty() ? "" : prose(text);
  is_after_heading_ = false;
}

}  // namespace attn::text
