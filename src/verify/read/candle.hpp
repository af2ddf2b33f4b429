#pragma once

#include <optional>

#include "verify/read/cursor.hpp"
#include "verify/read/printed.hpp"

/// What Candle prints, in Rust.
namespace attn::verify {

/// Reads "Tensor[[6, 2], f32]", which stands behind a tensor's lists; nothing, and the cursor where it was, where
/// there is none.
std::optional<Shape> read_candle_type(Cursor& cursor);

/// Makes the tensor what that type says of it: [0.5] is a scalar where no sizes are said.
void set_candle_shape(Printed& printed, const Shape& declared);

}  // namespace attn::verify
