#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "tensor/derivation.hpp"
#include "tensor/tensor.hpp"

/// What derivations are told with.
namespace attn::render {

/// How an element came from its tensor's operands; a parameter's is given, whatever it was drawn by.
Derivation derived(const Tensor& tensor, const Shape& index);

/// The number of an operand's element.
double value_of(const Tensor& tensor, const Element& element);

/// The first axis along which the two differ.
std::optional<std::size_t> differing_axis(const Shape& first, const Shape& last);

/// A number in the arithmetic: two digits more than PyTorch prints with that precision, so that its last one is right.
std::string arithmetic_text(double value, int precision);

/// As torch.allclose compares two float32 numbers.
bool is_close(double a, double b);

}  // namespace attn::render
