#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tensor/array.hpp"

namespace attn {

/// Numbers that a reader gives.
struct GivenTensor {
  std::string name;  ///< "inputs"; of a weight its step's, with or without the section: "W_query", "head_1/W_query"
  Shape shape;
  std::shared_ptr<const std::vector<float>> values;  ///< row-major
  std::string source;                                ///< as the command line names it: "mine.npz"
};

/// Weights that a reader gives.
struct GivenWeights {
  std::vector<GivenTensor> tensors;
  bool is_whole_file = false;  ///< all that a file has: those that the chapter has not are left alone
  std::string source;
};

}  // namespace attn
