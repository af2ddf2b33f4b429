#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tensor/tensor.hpp"

namespace attn::verify {

/// Elements of an operand, at constant distances from term to term and from cell to cell.
struct Strides {
  std::size_t operand = 0;
  std::int64_t first = 0;  ///< row-major, of the first cell's first term
  std::int64_t per_term = 0;
  Shape per_axis = {};

  std::int64_t at(const Shape& index, std::int64_t term = 0) const;
};

/// How all cells of a tensor are computed, if all are computed alike.
struct Regular {
  enum class Form {
    none,              ///< not alike, or of a rule that is not listed here
    sums,              ///< of products, if there are two factors
    copies,            ///< of elements at other places
    shares,            ///< divided by a constant
    choices,           ///< of an element, kept, copied or replaced as the mask says
    softmax,           ///< along the last axis
    softmax_gradient,  ///< along the last axis
  };
  Form form = Form::none;
  std::int64_t terms = 1;
  std::vector<Strides> factors = {};  ///< of sums: one or two, and the bias if there is one; of copies: one; of
                                      ///< choices: the mask's
  bool has_bias = false;
};

/// Finds out from the derivations of some cells, which include the first and the last.
Regular regular_of(const Tensor& tensor);

}  // namespace attn::verify
