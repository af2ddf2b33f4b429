#pragma once

#include <optional>

#include "verify/read/cursor.hpp"
#include "verify/read/printed.hpp"

/// Reads the output of Candle, in Rust.
namespace attn::verify {

/// Reads "Tensor[[6, 2], f32]", which follows a tensor's lists. Empty, with the cursor unmoved, if there is none.
std::optional<Shape> read_candle_type(Cursor& cursor);

/// Sets the tensor's shape to the type's: [0.5] is a scalar if the type has no sizes.
void set_candle_shape(Printed& printed, const Shape& declared);

}  // namespace attn::verify
