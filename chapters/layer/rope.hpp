#pragma once

#include "layer/layer.hpp"

namespace attn::chapters::layer {

/// How far one position turns each of d / 2 pairs of columns, as the layer's config says: rope_theta, and rope_scaling
/// of type linear or llama3. As the models compute it in float32, except for the power. Throws LessonError for an odd d
/// and for other scalings.
Tensor rope_frequencies(Program& p, const Layer& layer, std::int64_t d);

}  // namespace attn::chapters::layer
