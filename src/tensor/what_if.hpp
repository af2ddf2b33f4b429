#pragma once

#include <cstdint>

#include "tensor/tensor.hpp"

/// Operations that no article uses, but a program with one rule changed does.
namespace attn {

/// torch.softmax(x, dim=axis) for an axis that is not the last, with the bits of PyTorch on one thread: its last few
/// elements use another exponential, and their places depend on the number of threads.
Tensor softmax_over(const Tensor& x, std::int64_t axis);

/// x * mask: x where the bool mask is True, else 0. Both have the same shape.
Tensor kept(const Tensor& x, const Tensor& mask);

}  // namespace attn
