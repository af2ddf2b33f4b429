#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace attn::cli {

/// Checks an option's text: an empty text where the argument is fine, else what is wrong; what is
/// accepted; how to go on.
using Validator = std::function<std::string(const std::string&)>;

/// A whole number in [least, most]; `example` is offered to those who gave none.
Validator whole_number(std::int64_t least, std::int64_t most, std::int64_t example);

/// A number in [0, 1].
Validator probability();

/// A finite number that is not negative.
Validator tolerance();

/// A time that a step is shown: a positive number up to 3600.
Validator seconds();

/// "THEIRS=STEP", several of them with commas between.
Validator name_pairs();
std::map<std::string, std::string> name_pairs_of(const std::string& text);

/// A seed as torch.manual_seed takes it: from -2^63 to 2^64 - 1.
Validator seed();

/// The number of a text that probability(), tolerance() or seconds() accepts.
double number_value(const std::string& text);

/// How many steps back, or "full".
Validator depth();

/// A folder's name: no empty text, and none that looks like an option.
Validator folder_name();

/// A file's name, the same, or "-" for standard output.
Validator file_name();

}  // namespace attn::cli
