#pragma once

#include <string>
#include <vector>

/// The tensors of .safetensors files in a program: `weights["h.0.ln_1.weight"]`.
namespace attn::emit {

/// The definition of `weights` for a PyTorch or a numpy program; empty without files.
std::string pytorch_weights(const std::vector<std::string>& files);
std::string numpy_weights(const std::vector<std::string>& files);

}  // namespace attn::emit
