// The exponential of the avx2 and avx512 kernels against SLEEF itself, bit for bit; cosines and sines computed in
// float64 and rounded to float32, which are the same as SLEEF's, which PyTorch calls, and glibc's.

#include "tensor/math.hpp"

#include "made.hpp"

// sleef.h declares it only for compilations with -mfma; it needs no such processor.
extern "C" float Sleef_expf1_u10purecfma(float x);
extern "C" double Sleef_cosd1_u10purec(double x);
extern "C" double Sleef_cosd1_u35purec(double x);
extern "C" double Sleef_sind1_u10purec(double x);
extern "C" double Sleef_sind1_u35purec(double x);

namespace {

using attn::Cpu;
using attn::softmax_exp;

float from_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }

/// Equal in every bit; any NaN is as good as another.
bool same(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) || (std::isnan(a) && std::isnan(b));
}

/// Every 251st of all floats, as that is a prime all exponents and signs come; and what lies around
/// the ends of the range, where the result turns subnormal, zero or infinite.
std::vector<float> sample() {
  std::vector<float> floats;
  for (std::uint64_t bits = 0; bits <= std::numeric_limits<std::uint32_t>::max(); bits += 251) {
    floats.push_back(from_bits(static_cast<std::uint32_t>(bits)));
  }
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float edge : {0.0F, -0.0F, 1.0F, -1.0F, 88.72284F, 89.0F, 100.0F, 104.0F, -87.33655F, -103.97208F, -104.0F,
                           -150.0F, infinity, -infinity, std::numeric_limits<float>::quiet_NaN()}) {
    const auto bits = std::bit_cast<std::uint32_t>(edge);
    for (std::uint32_t offset = 0; offset < 200; ++offset) {
      floats.push_back(from_bits(bits + offset));
      floats.push_back(from_bits(bits - offset));
    }
  }
  return floats;
}

TEST_CASE("softmax_exp under avx2 and avx512 is SLEEF's expf in every bit") {
  const std::vector<float> inputs = sample();
  std::vector<float> outputs = inputs;
  softmax_exp(outputs, Cpu::avx2);

  std::size_t span_differs = 0;
  std::size_t scalar_differs = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const float expected = Sleef_expf1_u10purecfma(inputs[i]);
    span_differs += same(outputs[i], expected) ? 0U : 1U;
    scalar_differs += same(softmax_exp(inputs[i], Cpu::avx512), expected) ? 0U : 1U;
  }
  CHECK(inputs.size() > 17'000'000U);
  CHECK(span_differs == 0U);
  CHECK(scalar_differs == 0U);
}

TEST_CASE("softmax_exp accepts a span of any length") {
  for (std::size_t size = 0; size < 40; ++size) {
    std::vector<float> values(size);
    for (std::size_t i = 0; i < size; ++i) {
      values[i] = -0.37F * static_cast<float>(i);
    }
    const std::vector<float> inputs = values;
    softmax_exp(values, Cpu::avx2);
    for (std::size_t i = 0; i < size; ++i) {
      CHECK(values[i] == softmax_exp(inputs[i], Cpu::avx2));
    }
  }
}

TEST_CASE("softmax_exp under the standard kernels is the C library's expf") {
  std::vector<float> values{0.0F, -1.0F, -0.31F, -87.5F, -200.0F, 3.25F};
  const std::vector<float> inputs = values;
  softmax_exp(values, Cpu::standard);
  for (std::size_t i = 0; i < values.size(); ++i) {
    CHECK(values[i] == std::exp(inputs[i]));
    CHECK(softmax_exp(inputs[i], Cpu::standard) == std::exp(inputs[i]));
  }
}

TEST_CASE("cosines and sines are SLEEF's in every bit") {
  std::vector<float> inputs;  // to 2^20, where angles of more than a million positions lie
  const auto end = std::bit_cast<std::uint32_t>(std::ldexp(1.0F, 20));
  for (auto bits = std::bit_cast<std::uint32_t>(std::ldexp(1.0F, -40)); bits < end; bits += 251) {
    inputs.push_back(from_bits(bits));
  }
  const attn::Tensor x = attn::test::floats({std::ssize(inputs)}, inputs);
  const attn::Tensor cosines = attn::cos(x);
  const attn::Tensor sines = attn::sin(x);
  const float* cosine = cosines.array().floats();
  const float* sine = sines.array().floats();
  std::size_t different = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto angle = static_cast<double>(inputs[i]);
    different += cosine[i] != static_cast<float>(Sleef_cosd1_u10purec(angle)) ? 1U : 0U;
    different += cosine[i] != static_cast<float>(Sleef_cosd1_u35purec(angle)) ? 1U : 0U;
    different += sine[i] != static_cast<float>(Sleef_sind1_u10purec(angle)) ? 1U : 0U;
    different += sine[i] != static_cast<float>(Sleef_sind1_u35purec(angle)) ? 1U : 0U;
  }
  CHECK(inputs.size() > 2'000'000U);
  CHECK(different == 0);
}

}  // namespace
