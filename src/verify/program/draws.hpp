#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tensor/array.hpp"
#include "tensor/kernels.hpp"
#include "verify/read/page.hpp"

namespace attn::verify {

/// A call in a listing that seeds a random generator or draws from it, with the sizes at run time.
struct DrawCall {
  enum class Kind {
    seed,
    uniform,    ///< in [low, high)
    normal,     ///< with mean `low` and standard deviation `high`
    integers,   ///< from `low` up to but not including `high`
    linear,     ///< nn.Linear with `shape` [d_out, d_in], and its bias [d_out]
    embedding,  ///< nn.Embedding of `shape`
    dropout,    ///< what nn.Dropout(`low`) multiplies a tensor of `shape` by
    unread,     ///< it draws something that the listing does not determine: all later draws are in doubt
  };

  Kind kind = Kind::unread;
  std::string generator = {};  ///< "torch", "numpy", or the variable of a RandomState
  std::string call = {};       ///< as written: "torch.rand(3, 2)"; for a seed "torch.manual_seed(123)"
  std::string name = {};       ///< the variable assigned to, if nothing else is assigned to it; else empty
  std::string value = {};      ///< the assigned expression as written: "torch.rand(3, 2) * 0.1"
  std::string of = {};         ///< the module that it belongs to: "nn.MultiheadAttention(8, 2)"
  std::int64_t seed = 0;
  bool is_default_rng = false;  ///< numpy.random.default_rng(seed)
  Shape shape = {};
  double low = 0;
  double high = 1;
  bool has_bias = false;
  std::int64_t zero_row = -1;  ///< the padding row of an embedding
  DropoutKernel kernel = DropoutKernel::standard;
};

}  // namespace attn::verify
