#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace attn::files {

/// The vocabulary of a tokenizer.json, as the library tokenizers writes it: BPE, WordPiece, Unigram or WordLevel.
class Tokenizer {
 public:
  struct Token {
    std::string text;  ///< as the vocabulary spells it: "Ġjourney"
    std::int64_t id;
    bool is_added;  ///< a special token such as "<s>", whose spelling is taken as it is
  };

  /// Reads the file. Throws DumpError.
  explicit Tokenizer(const std::filesystem::path& path);

  /// Returns true if the tokenizer takes accents away and the word may have some.
  bool strips_from(std::string_view word) const;
  /// How the vocabulary would spell a whole word as one token. All words but a text's first have a mark for the blank
  /// before them, the first one only if the tokenizer puts a blank there.
  std::string spelling(std::string_view word, bool is_first) const;
  /// The token that is the whole word; empty if there is none.
  std::optional<Token> token(const std::string& word, bool is_first) const;

 private:
  std::map<std::string, std::int64_t, std::less<>> ids_;
  std::map<std::string, std::int64_t, std::less<>> added_;
  std::string mark_;       ///< for a blank before a word: "Ġ", "▁", or none
  std::string continued_;  ///< how tokens within a word begin: "##"; empty if they have no such mark
  std::string ending_;     ///< how tokens at a word's end end: "</w>"; empty likewise
  bool is_first_marked_ = false;
  bool is_byte_level_ = false;  ///< each byte is spelled as a printable character
  bool is_lowercase_ = false;
  bool strips_accents_ = false;
};

}  // namespace attn::files
