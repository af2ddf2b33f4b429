#pragma once

#include "walk/walkthrough.hpp"

namespace attn {

/// The random draws of a computed walkthrough: a step for each, its 32-bit words of MT19937 as int64 [words].
Walkthrough drawn_words(const Walkthrough& walk);

}  // namespace attn
