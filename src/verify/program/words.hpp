#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

/// Python's strings, lists of strings and dictionaries, of which programs make a vocabulary.
namespace attn::verify {

struct Evaluated {
  std::string value;   ///< as Python writes it: "['cat', 'sat']", "{'cat': 0}", "2"
  std::size_t length;  ///< of the expression
};

/// Evaluates the calls at the text's start: sentence.lower().split(), sorted(set(words)), len(words), vocab.values().
/// `value_of` returns a variable's value. Empty if the text starts with no such call, or a value or an order is
/// unknown.
std::optional<Evaluated> evaluate_words(std::string_view text,
                                        const std::function<std::string(std::string_view)>& value_of);

/// The dictionary with the key's value set.
std::string with_entry(std::string_view dictionary, std::string_view key, std::string_view value);

/// Returns true if both are string literals of the same text, whatever their quotes.
bool is_same_string(std::string_view a, std::string_view b);

}  // namespace attn::verify
