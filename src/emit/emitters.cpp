#include "emit/emitters.hpp"

#include <array>

namespace attn::emit {
namespace {

constexpr unsigned programs = can::comparisons | can::several;

constexpr std::array table = {Emitter{{"numpy", "", programs}, write_numpy},
                              Emitter{{"pytorch", ".py", programs}, write_pytorch},
                              Emitter{{"notebook", ".ipynb", programs | can::questions}, write_notebook, true}};

}  // namespace

std::span<const Emitter> emitters() { return table; }

}  // namespace attn::emit
