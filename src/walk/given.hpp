#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tensor/array.hpp"

namespace attn {

/// Numbers that a reader gives.
struct GivenTensor {
  /// How a weight is stored, where its name tells.
  enum class Layout { as_is, rows, columns };

  std::string name;  ///< "inputs"; of a weight its step's, with or without the section: "W_query", "head_1/W_query"
  Shape shape;
  /// Reads the numbers, row-major, when they are first asked for: a shape can be refused before.
  std::function<std::shared_ptr<const std::vector<float>>()> values;
  std::string source;             ///< as the command line names it: "mine.npz"
  Layout layout = Layout::as_is;  ///< rows: nn.Linear's [d_out, d_in]; columns: [d_in, d_out]
};

/// Weights that a reader gives.
struct GivenWeights {
  std::vector<GivenTensor> tensors;
  bool is_whole_file = false;  ///< all that a file has: those that the chapter has not are left alone
  std::string source;
};

}  // namespace attn
