#pragma once

#include <string>
#include <string_view>
#include <vector>

/// The names that programs, libraries, papers and tutorials give to the tensors of attention.
namespace attn::verify {

/// A row of the table: names, and the steps that they mean. Lists separate words by spaces.
struct Habit {
  std::string_view words;        ///< names, as plain_name writes them (names.hpp)
  std::string_view steps;        ///< the likeliest first
  std::string_view module = "";  ///< a tensor of this name may be this module's .weight or .bias
  std::string_view parts = "";   ///< for a fused tensor: its modules, side by side
  bool is_final = false;
};

/// Returns the row for a word, or for words written as one ("causalmask"); null without one.
const Habit* habit_of(const std::string& word);

/// The words between spaces.
std::vector<std::string> words_in(std::string_view text);

}  // namespace attn::verify
