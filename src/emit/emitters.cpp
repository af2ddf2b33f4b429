#include "emit/emitters.hpp"

#include <array>

#include "emit/numpy.hpp"
#include "emit/pytorch.hpp"

namespace attn::emit {
namespace {

constexpr std::array table = {Emitter{"numpy", write_numpy}, Emitter{"pytorch", write_pytorch},
                              Emitter{"notebook", write_notebook, true}};

}  // namespace

std::span<const Emitter> emitters() { return table; }

}  // namespace attn::emit
