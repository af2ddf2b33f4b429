#pragma once

#include <map>
#include <string>

#include "cli/option.hpp"

namespace attn::cli {

/// Returns true for the options that a page which computes its lesson offers: those of lessons except files, and those
/// few others that change its numbers or their digits in a browser.
bool is_setting(const Option& option);

/// JSON for the page's script: the chapters, their settings, and the lesson that the page shows: its chapter, and the
/// settings that were given, as they were typed.
std::string live_settings(const std::string& chapter, const std::map<std::string, std::string>& given);

}  // namespace attn::cli
