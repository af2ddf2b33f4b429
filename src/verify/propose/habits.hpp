#pragma once

#include <string>
#include <string_view>
#include <vector>

/// What programs, libraries, papers and tutorials call the tensors of attention.
namespace attn::port {

/// One thing that programs have names for. Lists are of words with spaces between.
struct Habit {
  std::string_view words;        ///< of plain_name (names.hpp)
  std::string_view steps;        ///< the likeliest first
  std::string_view module = "";  ///< whose .weight and .bias a tensor of this name may be
  std::string_view parts = "";   ///< of a fused one: the modules side by side
  bool is_final = false;
};

/// The row for a word, or for words written as one: "causalmask"; null where there is none.
const Habit* habit_of(const std::string& word);

/// The words between spaces.
std::vector<std::string> words_in(std::string_view text);

}  // namespace attn::port
