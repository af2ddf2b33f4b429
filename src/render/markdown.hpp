#pragma once

#include <iosfwd>
#include <span>
#include <string>

#include "render/explain.hpp"
#include "walk/walkthrough.hpp"

namespace attn::render {

/// A handout in CommonMark: a heading for each section and step, with why, shapes, the printed tensor and what to
/// notice.
void write_markdown(std::ostream& out, const std::string& title, std::span<const Step> steps, const Why& why,
                    std::span<const std::string> tokens, const TextOptions& options);

}  // namespace attn::render
