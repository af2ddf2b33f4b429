#include "files/read/tokenizer.hpp"

#include <nlohmann/json.hpp>

#include "files/read/formats.hpp"
#include "files/wrong.hpp"
#include "text/lines.hpp"
#include "text/utf8.hpp"

namespace attn::files {
namespace {

using nlohmann::json;
using Ids = std::map<std::string, std::int64_t, std::less<>>;

constexpr const char* accepted_tokenizers =
    "give the tokenizer.json of the model, which has \"model\" with its \"vocab\"";
constexpr const char* save_tokenizer_again = "save it with AutoTokenizer.from_pretrained(...).save_pretrained(folder)";

/// The parts of a normalizer or pre-tokenizer: those of a sequence, or itself.
std::vector<json> parts_of(const json& file, const char* key) {
  const auto found = file.find(key);
  if (found == file.end() || !found->is_object()) {
    return {};
  }
  for (const char* list : {"normalizers", "pretokenizers"}) {
    if (found->contains(list) && (*found)[list].is_array()) {
      return {(*found)[list].begin(), (*found)[list].end()};
    }
  }
  return {*found};
}

std::string text_in(const json& object, const char* key, const std::string& usual = "") {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_string() ? found->get<std::string>() : usual;
}

bool is_set(const json& object, const char* key, bool usual) {
  const auto found = object.find(key);
  return found != object.end() && found->is_boolean() ? found->get<bool>() : usual;
}

[[noreturn]] void throw_entry(const std::string& what) { throw Wrong(what, save_tokenizer_again, accepted_tokenizers); }

std::int64_t id_of(const json& id) {
  if (!id.is_number_unsigned() || id.get<std::uint64_t>() > 0x7fffffffU) {
    throw_entry("an id in its vocabulary is not a whole number from 0 on");
  }
  return id.get<std::int64_t>();
}

/// {"word": id}, or for Unigram [["word", score]], where ids count the entries.
Ids vocabulary_in(const json& file) {
  const auto model = file.find("model");
  if (model == file.end() || !model->is_object() || !model->contains("vocab")) {
    throw_entry("it has no \"model\" with a \"vocab\"");
  }
  const json& vocabulary = (*model)["vocab"];
  Ids ids;
  if (vocabulary.is_object()) {
    for (const auto& [text, id] : vocabulary.items()) {
      ids.emplace(text, id_of(id));
    }
  } else if (vocabulary.is_array()) {
    std::int64_t id = 0;
    for (const json& entry : vocabulary) {
      if (!entry.is_array() || entry.empty() || !entry[0].is_string()) {
        throw_entry("entry " + std::to_string(id) + " of its \"vocab\" is not [\"token\", score]");
      }
      ids.emplace(entry[0].get<std::string>(), id++);
    }
  } else {
    throw_entry("its \"vocab\" is neither an object nor a list");
  }
  return ids;
}

Ids added_tokens_in(const json& file) {
  Ids ids;
  const auto added = file.find("added_tokens");
  for (const json& token : added != file.end() && added->is_array() ? *added : json::array()) {
    if (const std::string text = text_in(token, "content"); !text.empty() && token.contains("id")) {
      ids.emplace(text, id_of(token["id"]));
    }
  }
  return ids;
}

/// The code point that spells a byte: itself where it is printable in Latin-1, else the next one from 256 on. As
/// bytes_to_unicode of GPT-2's encoder.py.
char32_t spelled(unsigned char byte) {
  const auto is_itself = [](char32_t code) {
    return (code >= '!' && code <= '~') || (code >= 0xa1 && code <= 0xac) || (code >= 0xae && code <= 0xff);
  };
  if (is_itself(byte)) {
    return byte;
  }
  char32_t next = 256;
  for (char32_t code = 0; code < byte; ++code) {
    next += is_itself(code) ? 0U : 1U;
  }
  return next;
}

/// Each byte as its character.
std::string byte_spelling(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    text::append_utf8(text, spelled(static_cast<unsigned char>(byte)));
  }
  return text;
}

/// Returns false for a letter that decomposes into another one and an accent, as far as that is known here: of ASCII
/// and of Chinese characters none does.
bool may_have_accent(char32_t code) { return code >= 0x80 && !(code >= 0x3400 && code <= 0x9fff); }

}  // namespace

Tokenizer::Tokenizer(const std::filesystem::path& path) {
  naming(path, [&] {
    const json file = json_object(path, {"merges"});
    ids_ = vocabulary_in(file);
    added_ = added_tokens_in(file);
    continued_ = text_in(file["model"], "continuing_subword_prefix");
    ending_ = text_in(file["model"], "end_of_word_suffix");
    bool has_words = false;
    for (const json& part : parts_of(file, "normalizer")) {
      const std::string type = text_in(part, "type");
      is_lowercase_ =
          is_lowercase_ || type == "Lowercase" || (type == "BertNormalizer" && is_set(part, "lowercase", true));
      strips_accents_ = strips_accents_ || type == "StripAccents" ||
                        (type == "BertNormalizer" && is_set(part, "strip_accents", is_lowercase_));
      if (type == "Replace" && part.contains("pattern") && text_in(part["pattern"], "String") == " ") {
        mark_ = text_in(part, "content");
      }
      is_first_marked_ = is_first_marked_ || type == "Prepend";
    }
    for (const json& part : parts_of(file, "pre_tokenizer")) {
      const std::string type = text_in(part, "type");
      if (type == "ByteLevel") {
        is_byte_level_ = true;
        mark_ = byte_spelling(" ");
        is_first_marked_ = is_set(part, "add_prefix_space", true);
      } else if (type == "Metaspace") {
        mark_ = text_in(part, "replacement", "▁");
        is_first_marked_ = part.contains("prepend_scheme") ? text_in(part, "prepend_scheme") != "never"
                                                           : is_set(part, "add_prefix_space", true);
      }
      has_words = has_words || type == "BertPreTokenizer" || type == "Whitespace" || type == "WhitespaceSplit";
    }
    if (mark_.empty() && !has_words) {
      throw Wrong("how it splits a text into words is not known here", "give the hidden states instead, with --inputs",
                  "known pre-tokenizers are ByteLevel, Metaspace, BertPreTokenizer, Whitespace and WhitespaceSplit");
    }
  });
}

bool Tokenizer::strips_from(std::string_view word) const {
  while (strips_accents_ && !word.empty()) {
    const text::Character character = text::first_character(word);
    if (may_have_accent(character.code)) {
      return true;
    }
    word.remove_prefix(character.size);
  }
  return false;
}

std::string Tokenizer::spelling(std::string_view word, bool is_first) const {
  std::string text = is_byte_level_ ? byte_spelling(word) : std::string(word);
  text = is_lowercase_ ? text::lower(text) : text;
  return (is_first && !is_first_marked_ ? "" : mark_) + text + ending_;
}

std::optional<Tokenizer::Token> Tokenizer::token(const std::string& word, bool is_first) const {
  if (const auto added = added_.find(word); added != added_.end()) {
    return Token{word, added->second, true};
  }
  const auto found = ids_.find(spelling(word, is_first));
  const bool is_within_word = !continued_.empty() && word.starts_with(continued_);
  return found == ids_.end() || is_within_word ? std::nullopt
                                               : std::optional(Token{found->first, found->second, false});
}

}  // namespace attn::files
