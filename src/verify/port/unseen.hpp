#pragma once

#include <span>
#include <string>
#include <vector>

#include "walk/walkthrough.hpp"

namespace attn::verify {

/// Lists what no port of these steps could show, because a size is 1 or entries are equal: "head_dim is 1: scaling
/// cannot be seen".
std::vector<std::string> unseen_in(std::span<const Step> steps);

}  // namespace attn::verify
