// Cosines and sines computed in float64 and rounded to float32: SLEEF's, which PyTorch calls, and glibc's are the same.

#include "tensor/operations.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

// As sleef.h declares them.
extern "C" double Sleef_cosd1_u10purec(double x);
extern "C" double Sleef_cosd1_u35purec(double x);
extern "C" double Sleef_sind1_u10purec(double x);
extern "C" double Sleef_sind1_u35purec(double x);

namespace {

/// Every 251st float from 2^-40 to 2^20, where angles of more than a million positions lie.
std::vector<float> angles() {
  std::vector<float> floats;
  const auto end = std::bit_cast<std::uint32_t>(std::ldexp(1.0F, 20));
  for (auto bits = std::bit_cast<std::uint32_t>(std::ldexp(1.0F, -40)); bits < end; bits += 251) {
    floats.push_back(std::bit_cast<float>(bits));
  }
  return floats;
}

TEST_CASE("cosines and sines are SLEEF's in every bit") {
  using attn::Block;
  using attn::Contents;
  using attn::DType;
  const std::vector<float> inputs = angles();
  const std::int64_t count = std::ssize(inputs);
  const attn::Tensor x = attn::leaf({count}, DType::float32, "x", [&] {
    Block<float> block({count});
    std::copy(inputs.begin(), inputs.end(), block.begin());
    return Contents(std::move(block));
  });
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
