#pragma once

#include <functional>
#include <string>

namespace attn::present {

/// Returns true if terminfo knows a terminal of this name and how to place its cursor.
bool can_place_cursor(const std::string& name);

/// Advice for a user whose terminal, of this name, cannot be used: a usable name, or what to install.
std::string advice(const std::string& name, const std::function<bool(const std::string&)>& can_be_used);

/// A capability of the current terminal, without the padding ("$<100/>") that old terminals needed; empty if the
/// terminal lacks it.
std::string capability(const char* name);

}  // namespace attn::present
