#pragma once

#include <span>
#include <string>
#include <vector>

#include "walk/walkthrough.hpp"

namespace attn::port {

/// What no port of these steps could show, for a size is 1 or entries are alike: "head_dim is 1: scaling cannot be
/// seen".
std::vector<std::string> unseen_in(std::span<const Step> steps);

}  // namespace attn::port
