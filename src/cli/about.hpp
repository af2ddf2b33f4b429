#pragma once

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cli/option.hpp"

namespace attn::cli {

/// Returns a function that builds a manifest's head: chapter, article, all options, the tool's version. Options that
/// are left to the article are null. Chapter and options must outlive the function.
std::function<nlohmann::ordered_json()> about(const chapters::Chapter& chapter, const Options& options);

/// Returns true for the options that a page which computes its lesson offers: those of lessons except files, and those
/// few others that change its numbers or their digits in a browser.
bool is_setting(const Option& option);

/// JSON for the page's script: the chapters, their settings, and the lesson that the page shows: its chapter, and the
/// settings that were given, as they were typed.
std::string live_settings(const std::string& chapter, const std::vector<GivenOption>& given);

}  // namespace attn::cli
