#include "chapters/layer/layer.hpp"

#include <numbers>

#include "tensor/math.hpp"
#include "tensor/operations.hpp"
#include "tensor/words.hpp"

namespace attn::chapters::layer {
namespace {

/// 1 / theta ** (2 i / d) for each pair i.
Block<float> unscaled(double theta, std::int64_t d) {
  Block<float> frequencies({d / 2});
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    const float exponent = static_cast<float>(2 * i) / static_cast<float>(d);
    frequencies[i] = 1 / static_cast<float>(rounded::pow(theta, static_cast<double>(exponent)));
  }
  return frequencies;
}

Tensor frequencies_of(double theta, std::int64_t d) {
  const std::string base = python_repr(theta);
  const std::string size = std::to_string(d);
  const LeafWords words("1 / (" + base + " ** (torch.arange(0, " + size + ", 2) / " + size + ").double()).float()",
                        "1 / (" + base + " ** (np.arange(0, " + size + ", 2, np.float32) / np.float32(" + size +
                            ")).astype(np.float64)).astype(np.float32)");
  return leaf({d / 2}, DType::float32, words, [theta, d] { return Contents(unscaled(theta, d)); });
}

/// What rope_scaling of type llama3 makes of frequencies: those whose waves are long for the original context turn
/// `factor` times slower, with a smooth passage to those that stay. A number divided by a tensor is, in PyTorch, the
/// number times its reciprocal.
struct Llama3 {
  float factor;
  float low;   ///< low_freq_factor
  float high;  ///< high_freq_factor
  float context;

  float operator()(float frequency) const {
    const float wavelength = 1 / frequency * static_cast<float>(2 * std::numbers::pi);
    const float slow = wavelength > context / low ? frequency / factor : frequency;
    if (wavelength < context / high || wavelength > context / low) {
      return slow;
    }
    const float smooth = (1 / wavelength * context - low) / (high - low);
    return (1 - smooth) * slow / factor + smooth * slow;
  }
};

Tensor scaled_as_llama3(const Layer& layer, double theta, std::int64_t d) {
  const auto setting = [&](const char* name) {
    const double value = layer.number("rope_scaling." + std::string(name), 0);
    if (!(value > 0)) {
      throw LessonError("'" + layer.config() + "' has a rope_scaling of type llama3 without a " + name +
                        " above 0; it needs factor, low_freq_factor, high_freq_factor and " +
                        "original_max_position_embeddings; see that the config is whole");
    }
    return static_cast<float>(value);
  };
  const Llama3 scaled = {setting("factor"), setting("low_freq_factor"), setting("high_freq_factor"),
                         setting("original_max_position_embeddings")};
  const auto words = "frequencies, scaled by " + python_repr(static_cast<double>(scaled.factor)) + " as llama3";
  return leaf({d / 2}, DType::float32, words, [scaled, theta, d] {
    Block<float> frequencies = unscaled(theta, d);
    for (float& frequency : frequencies) {
      frequency = scaled(frequency);
    }
    return Contents(std::move(frequencies));
  });
}

}  // namespace

Tensor rope_frequencies(Program& p, const Layer& layer, std::int64_t d) {
  if (d % 2 != 0) {
    throw LessonError(
        "heads of " + std::to_string(d) + (d == 1 ? " column" : " columns") +
        ": rotary embedding turns columns in pairs; use an even number; see that num_attention_heads and " +
        "head_dim are those of the checkpoint");
  }
  layer.expect("partial_rotary_factor", 1);
  const double theta = layer.number("rope_theta", layer.number("rope_parameters.rope_theta", 10'000));
  const Tensor frequencies = p.let("frequencies", frequencies_of(theta, d));
  const std::string type = layer.word("rope_scaling.rope_type", layer.word("rope_scaling.type", "default"));
  if (type == "default") {
    return frequencies;
  }
  if (type == "linear") {
    const double factor = layer.number("rope_scaling.factor", 1);
    return p.let("scaled_frequencies", divide(frequencies, factor, python_repr(factor)));
  }
  if (type == "llama3") {
    return p.let("scaled_frequencies", scaled_as_llama3(layer, theta, d));
  }
  throw LessonError("'" + layer.config() + "' has a rope_scaling of type " + type +
                    ", which is not computed here; known are default, linear and llama3; choose another checkpoint");
}

}  // namespace attn::chapters::layer
