#pragma once

#include <cstdint>

#include "tensor/operations.hpp"

namespace attn::chapters {

/// Throws LessonError if the heads cannot share the projections' columns evenly.
void check_heads_divide(std::int64_t num_heads, std::int64_t d_out_kq, std::int64_t d_out_v);

/// Throws LessonError if the number of key/value heads does not divide the number of query heads.
void check_groups(std::int64_t num_heads, std::int64_t num_kv_heads);

/// Throws LessonError if there are too many heads to list one by one.
void check_heads_listable(std::int64_t num_heads);

/// [b, tokens, d_out] -> [b, num_heads, tokens, head_dim], a view.
Tensor split(const Tensor& x, std::int64_t num_heads);

/// [b, tokens, num_heads, head_dim] -> [b, tokens, num_heads * head_dim]: the heads side by side.
Tensor join(const Tensor& x);

}  // namespace attn::chapters
