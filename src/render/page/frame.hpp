#pragma once

#include <iosfwd>
#include <span>
#include <string>

#include "lesson/frame.hpp"

namespace attn::render {

/// Writes the introduction: the article element before a chapter's first step, and its heading. Its map links to the
/// `ids` of all the chapter's steps; the id of a step that the page does not show is empty.
void write_introduction(std::ostream& out, const Frame& frame, const std::string& id, std::span<const std::string> ids);
constexpr const char* introduction_heading = "Introduction";
/// Writes the ending: the article element after the last step.
void write_ending(std::ostream& out, const Frame& frame, const std::string& id);
constexpr const char* ending_heading = "Summary";

}  // namespace attn::render
