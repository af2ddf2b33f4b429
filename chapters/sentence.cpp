#include "chapters/sentence.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "text/utf8.hpp"
#include "walk/lesson.hpp"

namespace attn::chapters {
namespace {

constexpr std::size_t most_words = 1000;

using Range = std::pair<char32_t, char32_t>;

template <std::size_t n>
bool is_in(const std::array<Range, n>& ranges, char32_t code) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [code](const Range& range) { return range.first <= code && code <= range.second; });
}

/// The characters at which str.split splits, without control characters.
bool is_space(char32_t code) {
  static constexpr std::array<Range, 8> spaces = {{{0x20, 0x20},
                                                   {0xa0, 0xa0},
                                                   {0x1680, 0x1680},
                                                   {0x2000, 0x200a},
                                                   {0x2028, 0x2029},
                                                   {0x202f, 0x202f},
                                                   {0x205f, 0x205f},
                                                   {0x3000, 0x3000}}};
  return is_in(spaces, code);
}

bool is_removed(char32_t code) { return code < 0x80 && std::string_view(",.!?;:").find(static_cast<char>(code)) < 6; }

/// The characters of a word that Python's repr escapes: format characters, private use, and unassigned code points.
bool is_escaped(char32_t code) {
  static constexpr std::array<Range, 24> escaped = {
      {{0xad, 0xad},       {0x600, 0x605},     {0x61c, 0x61c},     {0x6dd, 0x6dd},      {0x70f, 0x70f},
       {0x890, 0x891},     {0x8e2, 0x8e2},     {0x180e, 0x180e},   {0x200b, 0x200f},    {0x202a, 0x202e},
       {0x2060, 0x206f},   {0xe000, 0xf8ff},   {0xfdd0, 0xfdef},   {0xfeff, 0xfeff},    {0xfff0, 0xfffb},
       {0x110bd, 0x110bd}, {0x110cd, 0x110cd}, {0x13430, 0x13438}, {0x1bca0, 0x1bca3},  {0x1d173, 0x1d17a},
       {0xe0000, 0xe00ff}, {0xe01f0, 0xeffff}, {0xf0000, 0xfffff}, {0x100000, 0x10ffff}}};
  return is_in(escaped, code) || (code & 0xfffeU) == 0xfffeU;
}

std::string python_escape(char32_t code) {
  std::array<char, 11> text{};
  const char* format = code < 0x100 ? "\\x%02x" : code < 0x10000 ? "\\u%04x" : "\\U%08x";
  std::snprintf(text.data(), text.size(), format, static_cast<unsigned>(code));
  return text.data();
}

/// Python's repr of a string without control characters.
std::string python_repr(std::string_view word) {
  const bool in_double = word.find('\'') != std::string_view::npos && word.find('"') == std::string_view::npos;
  const char quote = in_double ? '"' : '\'';
  std::string text(1, quote);
  while (!word.empty()) {
    const text::Character character = text::first_character(word);
    if (is_escaped(character.code)) {
      text += python_escape(character.code);
    } else {
      text += character.code == '\\' || character.code == static_cast<unsigned char>(quote) ? "\\" : "";
      text += word.substr(0, character.size);
    }
    word.remove_prefix(character.size);
  }
  return text + quote;
}

[[noreturn]] void refuse(const std::string& what) {
  throw LessonError("--sentence " + what + "; give 1 to " + std::to_string(most_words) +
                    " words of UTF-8, with spaces between them; try --sentence \"Life is short, eat dessert first\"");
}

}  // namespace

std::vector<std::string> sentence_words(std::string_view sentence, Punctuation punctuation) {
  std::vector<std::string> words;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) {
      words.push_back(std::exchange(word, ""));
    }
  };
  std::string_view rest = sentence;
  while (!rest.empty()) {
    const text::Character character = text::first_character(rest);
    if (!character.valid) {
      refuse("is not UTF-8 from byte " + std::to_string(sentence.size() - rest.size()) + " on");
    }
    if (text::is_control(character.code)) {
      refuse("has the control character " + python_escape(character.code));
    }
    if (text::is_direction_mark(character.code)) {
      refuse("has " + python_escape(character.code) + ", which changes the text direction");
    }
    if (is_space(character.code)) {
      end_word();
    } else if (punctuation == Punctuation::kept || !is_removed(character.code)) {
      word += rest.substr(0, character.size);
    }
    rest.remove_prefix(character.size);
  }
  end_word();
  if (words.empty()) {
    refuse("has no words");
  }
  if (words.size() > most_words) {
    refuse("has " + std::to_string(words.size()) + " words");
  }
  return words;
}

Vocabulary vocabulary_of(std::vector<std::string> words) {
  std::sort(words.begin(), words.end());  // the byte order of UTF-8 is that of code points
  Vocabulary vocabulary;
  for (std::size_t i = 0; i < words.size(); ++i) {
    vocabulary[words[i]] = static_cast<std::int64_t>(i);
  }
  return vocabulary;
}

std::string python_dict(const Vocabulary& vocabulary) {
  std::string text = "{";
  for (const auto& [word, id] : vocabulary) {
    text += (text.size() == 1 ? "" : ", ") + python_repr(word) + ": " + std::to_string(id);
  }
  return text + "}";
}

}  // namespace attn::chapters
