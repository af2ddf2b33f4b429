#pragma once

#include <span>
#include <string>

#include "lesson/cell.hpp"

namespace attn::render {

/// What a number was made of, back to what is given: a tensor a line, with that part of it that the number needed, what
/// it is made of below it and further in. At most as many lines as a screen has.
std::string origin_text(const Cell& cell, std::span<const std::string> tokens);

}  // namespace attn::render
