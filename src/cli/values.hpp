#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace attn::cli {

/// Numbers and names from text that what_is_wrong() accepts.
std::int64_t whole_value(const std::string& text);
double number_value(const std::string& text);
std::map<std::string, std::string> names_value(const std::string& text);

/// The text as a word of a command line, in quotes if a shell would split or change it.
std::string shell_word(const std::string& text);

}  // namespace attn::cli
