#pragma once

#include <string>
#include <string_view>

#include "verify/read/printed.hpp"

namespace attn::verify {

/// Normalises a label, ignoring case, colons and line breaks, so that labels with the same meaning are equal.
std::string plain_label(std::string_view label);

/// A tensor's text without what pages lose: blank lines, trailing spaces, and the 3 or 4 of SqueezeBackward.
std::string plain_layout(std::string_view text);

/// The difference between two plain layouts of the same numbers: "spacing".
std::string layout_difference(const Printed& printed, const std::string& page, const std::string& step);

}  // namespace attn::verify
