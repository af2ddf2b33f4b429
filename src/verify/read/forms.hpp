#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "verify/read/cursor.hpp"
#include "verify/read/printed.hpp"

namespace attn::verify {

/// Reads something printed. The cursor is after the opening bracket of "tensor(" and the like; `begin` is where that
/// word begins. Empty if it is not output; the cursor is then at the evidence against it.
using ReadPrinted = std::optional<Printed> (*)(std::string_view page, std::size_t begin, Cursor& cursor);

/// PyTorch's tensor(...)
std::optional<Printed> read_tensor(std::string_view page, std::size_t begin, Cursor& cursor);
/// numpy's array(...)
std::optional<Printed> read_array(std::string_view page, std::size_t begin, Cursor& cursor);
/// JAX's Array(...) and TensorFlow's tf.Tensor(...), which name a dtype
std::optional<Printed> read_typed_array(std::string_view page, std::size_t begin, Cursor& cursor);
/// TensorFlow's <tf.Tensor: shape=(6,), dtype=float32, numpy=array(...)>; the cursor is after the <
std::optional<Printed> read_tensorflow(std::string_view page, std::size_t begin, Cursor& cursor);
/// np.float32(0.5)
std::optional<Printed> read_numpy_scalar(std::string_view page, std::size_t begin, Cursor& cursor);
/// torch.Size([...])
std::optional<Printed> read_size(std::string_view page, std::size_t begin, Cursor& cursor);
/// Nx's #Nx.Tensor<...>
std::optional<Printed> read_nx_tensor(std::string_view page, std::size_t begin, Cursor& cursor);

}  // namespace attn::verify
