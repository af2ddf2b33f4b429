#pragma once

#include <string>

namespace attn::present {

/// Whether terminfo knows a terminal of this name, and how to place its cursor.
bool can_place_cursor(const std::string& name);

/// A capability of the terminal in use, without the pauses ("$<100/>") that terminals of old needed; empty where it
/// has none.
std::string capability(const char* name);

}  // namespace attn::present
