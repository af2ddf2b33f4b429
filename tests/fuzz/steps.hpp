#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "walk/walkthrough.hpp"

namespace attn::fuzz {

/// The words of the blog's inputs.
const std::vector<std::string>& tokens();

/// The steps of one of the blog's chapters.
std::vector<Step> steps_of(std::string_view chapter, Cpu cpu = Cpu::avx2);

}  // namespace attn::fuzz
