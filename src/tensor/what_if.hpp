#pragma once

#include <cstdint>

#include "tensor/tensor.hpp"

/// Operations that no article needs, but a program with one rule changed does.
namespace attn {

/// torch.softmax(x, dim=axis) for an axis that is not the last, with the bits of PyTorch on one thread: its last few
/// elements have another exponential, and where they are depends on the threads.
Tensor softmax_over(const Tensor& x, std::int64_t axis);

/// x * mask: x where the bool mask is True, else 0. Both have the same shape.
Tensor kept(const Tensor& x, const Tensor& mask);

}  // namespace attn
