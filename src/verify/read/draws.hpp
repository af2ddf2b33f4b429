#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tensor/array.hpp"
#include "verify/read/page.hpp"

namespace attn::verify {

/// What a program does to numbers as soon as they are drawn.
struct DrawnChange {
  enum class Kind { times, divided, rounded, transposed, reshaped };

  Kind kind;
  double number = 0;  ///< the factor, the divisor, the decimals
  Shape shape = {};   ///< reshaped
};

/// A call in a listing that seeds a random generator or draws from it, with the sizes that it has when it runs.
struct DrawCall {
  enum class Kind {
    seed,
    uniform,    ///< in [low, high)
    normal,     ///< of mean `low` and standard deviation `high`
    integers,   ///< from `low` up to and without `high`
    linear,     ///< nn.Linear of `shape`: [d_out, d_in], and of a bias [d_out]
    embedding,  ///< nn.Embedding of `shape`
    unread,     ///< it draws, and from the listing nobody can tell what: what comes after it is in doubt
  };

  Kind kind = Kind::unread;
  std::string generator = {};  ///< "torch", "numpy", or the variable of a RandomState
  std::string call = {};       ///< as written: "torch.rand(3, 2)"; of a seed "torch.manual_seed(123)"
  std::string name = {};       ///< the variable that gets it and that nothing else is assigned to; else empty
  std::string value = {};      ///< what that is assigned, as written: "torch.rand(3, 2) * 0.1"
  std::string of = {};         ///< the module whose part it is: "nn.MultiheadAttention(8, 2)"
  std::int64_t seed = 0;
  Shape shape = {};
  double low = 0;
  double high = 1;
  bool has_bias = false;
  std::int64_t zero_row = -1;  ///< of an embedding: that of padding
  std::vector<DrawnChange> changes = {};
};

}  // namespace attn::verify
