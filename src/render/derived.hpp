#pragma once

#include <string>
#include <vector>

#include "tensor/derivation.hpp"
#include "tensor/tensor.hpp"

/// The arithmetic of derivations.
namespace attn::render {

/// How an element came from its tensor's operands; a parameter's is given, whatever it was drawn by.
Derivation derived(const Tensor& tensor, const Shape& index);

/// The number of an operand's element.
double value_of(const Tensor& tensor, const Element& element);

/// The number that a derivation from the operands' elements gives, from left to right, in double arithmetic and in
/// float32's.
double double_value(const Tensor& tensor, const Derivation& derivation);
float float_value(const Tensor& tensor, const Derivation& derivation);

/// What a softmax divides: exp(score - largest) of each term, and their sum.
struct Exponentials {
  float largest;
  std::vector<float> differences;  ///< of the scores from the largest
  std::vector<double> values;
  double total = 0;
};

/// The exponentials of a derivation by softmax.
Exponentials exponentials_of(const Tensor& tensor, const Derivation& derivation);

/// A number in the arithmetic: two digits more than PyTorch prints with that precision, so that its last one is right.
std::string arithmetic_text(double value, int precision);

/// As torch.allclose compares two float32 numbers.
bool is_close(double a, double b);

}  // namespace attn::render
