#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "verify/read/cursor.hpp"
#include "verify/read/printed.hpp"

namespace attn::verify {

/// The heading of an array as Julia shows it: "6×2 Matrix{Float32}:", "6-element Vector{Float32}:".
struct JuliaHeading {
  std::size_t begin = 0;  ///< in the text
  Shape shape;
  bool is_bool = false;
};

/// The heading that a text ends with; its last character is the colon.
std::optional<JuliaHeading> find_julia_heading(std::string_view text);

/// Reads the rows below such a heading, which begins at `begin`; the cursor stands behind its colon. Of more than two
/// axes there is a matrix for each index of the others, below "[:, :, 1] =". Nothing where there are no numbers.
std::optional<Printed> read_julia_array(std::string_view page, std::size_t begin, const JuliaHeading& heading,
                                        Cursor& cursor);

}  // namespace attn::verify
