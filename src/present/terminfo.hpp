#pragma once

#include <functional>
#include <string>

namespace attn::present {

/// Whether terminfo knows a terminal of this name, and how to place its cursor.
bool can_place_cursor(const std::string& name);

/// What somebody can do whose terminal, of this name, cannot be used: another name that can be, or what to install.
std::string advice(const std::string& name, const std::function<bool(const std::string&)>& can_be_used);

/// A capability of the terminal in use, without the pauses ("$<100/>") that terminals of old needed; empty where it
/// has none.
std::string capability(const char* name);

}  // namespace attn::present
