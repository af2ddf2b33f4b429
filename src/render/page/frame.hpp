#pragma once

#include <iosfwd>
#include <span>
#include <string>

#include "lesson/frame.hpp"

namespace attn::render {

/// The article before a chapter's first step, and what it is called. Its map links to the `ids` of all the chapter's
/// steps; a step that the page does not show has an empty one.
void write_introduction(std::ostream& out, const Frame& frame, const std::string& id, std::span<const std::string> ids);
constexpr const char* introduction_heading = "Introduction";
/// The article after its last step.
void write_ending(std::ostream& out, const Frame& frame, const std::string& id);
constexpr const char* ending_heading = "Summary";

}  // namespace attn::render
