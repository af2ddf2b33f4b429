#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tensor/tensor.hpp"

namespace attn::render {

/// For the page's script: the ways in which a tensor's elements came about, "c", and where there are several, which
/// element came about in which, "z". Empty where there are too many terms to tell.
nlohmann::ordered_json cases_json(const Tensor& tensor);

}  // namespace attn::render
