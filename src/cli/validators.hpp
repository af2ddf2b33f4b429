#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace attn::cli {

/// Checks an option's text: an empty text where the argument is fine, else what is wrong; what is
/// accepted; how to go on.
using Validator = std::function<std::string(const std::string&)>;

/// A whole number in [least, most]; `example` is offered to those who gave none.
Validator whole_number(std::int64_t least, std::int64_t most, std::int64_t example);

/// A number in [0, 1].
Validator probability();

/// A seed as torch.manual_seed takes it: from -2^63 to 2^64 - 1.
Validator seed();

/// The number of a text that probability() accepts.
double probability_value(const std::string& text);

/// How many steps back, or "full".
Validator depth();

/// A folder's name: no empty text, and none that looks like an option.
Validator folder_name();

/// A file's name, the same, or "-" for standard output.
Validator file_name();

}  // namespace attn::cli
