#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tensor/array.hpp"

namespace attn {

/// A tensor that the user gives.
struct GivenTensor {
  /// How a weight is stored, if its name implies it.
  enum class Layout { as_is, rows, columns };

  std::string name;  ///< "inputs", or a weight's step with or without the section: "W_query", "head_1/W_query"
  Shape shape;
  /// Reads the numbers, row-major, on first use, so that a wrong shape is refused before.
  std::function<std::shared_ptr<const std::vector<float>>()> values;
  std::string source;             ///< the name on the command line: "mine.npz"
  Layout layout = Layout::as_is;  ///< rows: nn.Linear's [d_out, d_in]; columns: [d_in, d_out]
};

/// The weights that the user gives.
struct GivenWeights {
  std::vector<GivenTensor> tensors;
  bool is_whole_file = false;  ///< all tensors of a file: those that are not weights of the chapter are ignored
  std::string source;
};

}  // namespace attn
