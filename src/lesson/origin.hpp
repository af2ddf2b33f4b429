#pragma once

#include <span>
#include <string>

#include "lesson/cell.hpp"

namespace attn::render {

/// The tensors that a number depends on, back to the given ones: one per line, with the part that the number needs, its
/// operands indented below. At most a screenful of lines.
std::string origin_text(const Cell& cell, std::span<const std::string> tokens);

}  // namespace attn::render
