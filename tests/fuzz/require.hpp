#pragma once

#include <exception>
#include <string_view>

/// What must hold of all that the targets see.
namespace attn::fuzz {

/// Ends the process, which is what a fuzzer looks for, where it does not hold.
void require(bool holds, std::string_view what);

bool is_utf8(std::string_view text);

/// No control character but the allowed ones, no mark that turns the direction of writing, nothing but UTF-8.
void require_clean(std::string_view text, std::string_view what, std::string_view allowed = "\n");

/// An error as people get it: one clean line that says what is wrong; what is accepted; how to go on.
void require_error_line(const std::exception& error);

}  // namespace attn::fuzz
