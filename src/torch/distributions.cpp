#include "torch/generator.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <limits>
#include <map>
#include <numbers>
#include <optional>
#include <string>

#include "tensor/math.hpp"

namespace attn::torch {
namespace {

/// The size of a block in `normal_`, and the number of elements from which it works in blocks
/// (aten/native/cpu/DistributionTemplates.h, normal_fill).
constexpr std::size_t kBlock = 16;
using NormalBlock = std::span<float, kBlock>;

// --- Uniform numbers (ATen/core/TransformationHelper.h, uniform_real) ---

/// In [0, 1), 24 bits from one draw.
float unit_float(std::uint32_t draw) {
  constexpr std::uint32_t kMask = (1U << 24U) - 1U;
  return static_cast<float>(static_cast<std::int32_t>(draw & kMask)) * 0x1p-24F;
}

/// In [0, 1), 53 bits from two draws.
double unit_double(std::uint64_t draws) {
  constexpr std::uint64_t kMask = (std::uint64_t{1} << 53U) - 1U;
  return static_cast<double>(static_cast<std::int64_t>(draws & kMask)) * 0x1p-53;
}

/// The number of draws fetched at a time: a round of the generator or slightly more.
constexpr std::size_t kTogether = 1024;

/// Computes each element from a draw of its own.
template <class Make>
void draw_each(Generator& generator, std::span<float> out, Make make) {
  std::array<std::uint32_t, kTogether> draws;
  for (std::size_t start = 0; start < out.size(); start += kTogether) {
    const std::span<float> part = out.subspan(start, std::min(kTogether, out.size() - start));
    generator.fill(std::span(draws).first(part.size()));
    std::transform(draws.begin(), draws.begin() + static_cast<std::ptrdiff_t>(part.size()), part.begin(), make);
  }
}

// --- Logarithm, sine and cosine of the avx2 and avx512 kernels (aten/native/cpu/avx_mathfun.h) ---

/// ln x for x in (0, 1]: logf of the Cephes library, with the fused operations that PyTorch's compiler chose.
float cephes_log(float x) {
  // 1. x = (1 + f) 2^exponent, with 1 + f in [sqrt(1/2), sqrt(2)).
  int exponent = 0;
  float mantissa = std::frexp(x, &exponent);
  if (mantissa < 0.707106781186547524F) {
    exponent -= 1;
    mantissa += mantissa;
  }
  const float f = mantissa - 1.0F;
  const auto e = static_cast<float>(exponent);

  // 2. ln(1 + f) = f - f^2/2 + f^3 y.
  const float f2 = f * f;
  float y = 7.0376836292e-2F;
  y = fused(y, f, -1.1514610310e-1F);
  y = fused(y, f, 1.1676998740e-1F);
  y = fused(y, f, -1.2420140846e-1F);
  y = fused(y, f, 1.4249322787e-1F);
  y = fused(y, f, -1.6668057665e-1F);
  y = fused(y, f, 2.0000714765e-1F);
  y = fused(y, f, -2.4999993993e-1F);
  y = fused(y, f, 3.3333331174e-1F);
  y = y * f;

  // 3. Add exponent ln 2, in two parts.
  y = fused(y, f2, e * -2.12194440e-4F);
  y = fused(-f2, 0.5F, y);
  return fused(e, 0.693359375F, f + y);
}

using glibc::SinCos;

/// sin x and cos x for x in [0, 2 pi]: sincosf of the Cephes library, fused in the same way.
SinCos cephes_sincos(float x) {
  // 1. x = j pi/4 + r, j even, pi/4 in three parts.
  auto j = static_cast<int>(x * 1.27323954473516F);
  j += j % 2;
  const auto octants = static_cast<float>(j);
  float r = fused(octants, -0.78515625F, x);
  r = fused(octants, -2.4187564849853515625e-4F, r);
  r = fused(octants, -3.77489497744594108e-8F, r);

  // 2. Evaluate both polynomials of r.
  const float r2 = r * r;
  float c = 2.443315711809948e-5F;
  c = fused(c, r2, -1.388731625493765e-3F);
  c = fused(c, r2, 4.166664568298827e-2F);
  c = fused(c * r2, r2, -(r2 * 0.5F)) + 1.0F;
  float s = -1.9515295891e-4F;
  s = fused(s, r2, 8.3321608736e-3F);
  s = fused(s, r2, -1.6666654611e-1F);
  s = fused(s * r2, r, r);

  // 3. Return to the quadrant of x: 0, 1, 2, 3 (4 is 0 again).
  switch (j / 2 % 4) {
    case 0: return {s, c};
    case 1: return {c, -s};
    case 2: return {-s, -c};
    default: return {-c, s};
  }
}

// --- Normal numbers ---

/// Box-Muller for a pair: u1 in (0, 1], u2 in [0, 1). Adding the mean, 0, turns -0 into 0.
SinCos normal_pair(float u1, float u2, Cpu cpu) {
  if (cpu == Cpu::standard) {
    const float radius = std::sqrt(-2.0F * glibc::log(u1));
    const auto [sin, cos] = glibc::sincos(static_cast<float>(2.0 * std::numbers::pi * static_cast<double>(u2)));
    return {radius * sin + 0.0F, radius * cos + 0.0F};
  }
  const float radius = std::sqrt(-2.0F * cephes_log(u1));
  const auto [sin, cos] = cephes_sincos(2.0F * std::numbers::pi_v<float> * u2);
  return {radius * sin + 0.0F, radius * cos + 0.0F};
}

/// Turns 16 uniforms into 16 normals in place: element j pairs with element j + 8.
void to_normals(NormalBlock block, Cpu cpu) {
  for (std::size_t j = 0; j < kBlock / 2; ++j) {
    const auto [sin, cos] = normal_pair(1.0F - block[j], block[j + kBlock / 2], cpu);
    block[j] = cos;
    block[j + kBlock / 2] = sin;
  }
}

void draw_units(Generator& generator, std::span<float> out) { draw_each(generator, out, unit_float); }

/// Computes elements one by one in double (ATen/core/DistributionsHelper.h, normal_distribution; its log1p(-u2) is the
/// logarithm of 1 - u2, which is exact).
void normal_small(Generator& generator, std::span<float> out) {
  for (float& value : out) {
    if (const std::optional<double> cached = generator.take_cached_normal()) {
      value = static_cast<float>(*cached + 0.0);
      continue;
    }
    const double u1 = unit_double(generator.random64());
    const double u2 = unit_double(generator.random64());
    const double radius = std::sqrt(-2.0 * rounded::log(1.0 - u2));
    const double angle = 2.0 * std::numbers::pi * u1;
    generator.cache_normal(radius * rounded::sin(angle));
    value = static_cast<float>(radius * rounded::cos(angle) + 0.0);
  }
}

/// Draws all uniforms first, then transforms block by block; if the last block is short, the last 16 elements are drawn
/// and transformed again.
void normal_large(Generator& generator, std::span<float> out, Cpu cpu) {
  draw_units(generator, out);
  for (std::size_t start = 0; start + kBlock <= out.size(); start += kBlock) {
    to_normals(out.subspan(start).first<kBlock>(), cpu);
  }
  if (out.size() % kBlock != 0) {
    const NormalBlock last = out.last<kBlock>();
    draw_units(generator, last);
    to_normals(last, cpu);
  }
}

/// The blocks of a large `normal_` that contain the wanted elements, by the index of their first element.
using Blocks = std::map<std::uint64_t, std::array<float, kBlock>>;

/// The first element of the block that element `index` of `count` comes from.
std::uint64_t block_of(std::uint64_t index, std::uint64_t count) {
  const bool redrawn = count % kBlock != 0 && index >= count - kBlock;
  return redrawn ? count - kBlock : index / kBlock * kBlock;
}

/// Draws the blocks in `blocks` as `normal_large` would for `count` elements, and skips the rest. The map's order is
/// the order of the draws.
void draw_blocks(Generator& generator, std::uint64_t count, Blocks& blocks, Cpu cpu) {
  const bool redraws = count % kBlock != 0;
  const std::uint64_t draws = redraws ? count + kBlock : count;
  std::uint64_t drawn = 0;
  for (auto& [start, block] : blocks) {
    const bool redrawn = redraws && start == count - kBlock;
    const std::uint64_t first_draw = redrawn ? count : start;
    generator.discard(first_draw - drawn);
    draw_units(generator, block);
    to_normals(block, cpu);
    drawn = first_draw + kBlock;
  }
  generator.discard(draws - drawn);
}

// --- Bernoulli ---

/// Intel MKL's multiplicative congruential generator MCG31m1 (notes for MKL vector statistics); its first output is the
/// seed itself.
class Mcg31m1 {
 public:
  explicit Mcg31m1(std::uint32_t seed) : state_(seed % kModulus == 0 ? 1 : seed % kModulus) {}

  /// In (0, 1).
  double next() {
    const double result = static_cast<double>(state_) / static_cast<double>(kModulus);
    state_ = kMultiplier * state_ % kModulus;
    return result;
  }

  void discard(std::uint64_t numbers) {
    for (std::uint64_t factor = kMultiplier; numbers > 0; numbers /= 2, factor = factor * factor % kModulus) {
      state_ = numbers % 2 == 1 ? state_ * factor % kModulus : state_;
    }
  }

 private:
  static constexpr std::uint64_t kModulus = (std::uint64_t{1} << 31U) - 1U;
  static constexpr std::uint64_t kMultiplier = 1132489760;
  std::uint64_t state_;
};

/// Computes the elements from `first` on. With the MKL kernel the generator is at the draw's first word, else at the
/// word of element `first`.
void bernoulli_at(Generator& generator, std::uint64_t first, std::span<bool> out, double p, DropoutKernel kernel) {
  assert(p >= 0.0 && p <= 1.0);
  if (kernel == DropoutKernel::standard) {
    std::array<std::uint32_t, kTogether> draws;
    for (std::size_t start = 0; start < out.size(); start += kTogether / 2) {
      const std::span<bool> part = out.subspan(start, std::min(kTogether / 2, out.size() - start));
      generator.fill(std::span(draws).first(2 * part.size()));
      for (std::size_t i = 0; i < part.size(); ++i) {
        part[i] = unit_double(std::uint64_t{draws[2 * i]} << 32U | draws[2 * i + 1]) < p;
      }
    }
  } else {
    Mcg31m1 stream(generator.random());
    stream.discard(first);
    std::ranges::generate(out, [&] { return stream.next() < p; });
  }
}

}  // namespace

void uniform(Generator& generator, std::span<float> out, double from, double to, Cpu cpu) {
  const auto low = static_cast<float>(from);
  const float width = static_cast<float>(to) - low;
  if (cpu == Cpu::standard) {
    draw_each(generator, out, [=](std::uint32_t draw) { return unit_float(draw) * width + low; });
  } else {
    draw_each(generator, out, [=](std::uint32_t draw) { return fused(unit_float(draw), width, low); });
  }
}

void normal(Generator& generator, std::span<float> out, Cpu cpu) {
  if (out.size() < kBlock) {
    normal_small(generator, out);
  } else {
    normal_large(generator, out, cpu);
  }
}

void normal_rows(Generator& generator, std::int64_t num_embeddings, std::int64_t dim,
                 std::span<const std::int64_t> rows, std::span<float> out, Cpu cpu) {
  assert(std::ranges::all_of(rows, [&](std::int64_t row) { return row >= 0 && row < num_embeddings; }));
  assert(out.size() == rows.size() * static_cast<std::size_t>(dim));
  const auto width = static_cast<std::uint64_t>(dim);
  const std::uint64_t count = static_cast<std::uint64_t>(num_embeddings) * width;
  if (count < kBlock) {
    std::array<float, kBlock> all{};
    normal_small(generator, std::span(all).first(count));
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = all[static_cast<std::uint64_t>(rows[i / width]) * width + i % width];
    }
    return;
  }
  // 1. Find the blocks that hold the rows.
  Blocks blocks;
  for (const std::int64_t row : rows) {
    const std::uint64_t begin = static_cast<std::uint64_t>(row) * width;
    for (std::uint64_t index = begin; index < begin + width; ++index) {
      blocks.try_emplace(blocks.end(), block_of(index, count));
    }
  }
  // 2. Draw them.
  draw_blocks(generator, count, blocks, cpu);
  // 3. Copy the rows out.
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::uint64_t index = static_cast<std::uint64_t>(rows[i / width]) * width + i % width;
    const std::uint64_t start = block_of(index, count);
    out[i] = blocks.at(start)[index - start];
  }
}

void bernoulli(Generator& generator, std::span<bool> out, double p, DropoutKernel kernel) {
  if (!out.empty()) {
    bernoulli_at(generator, 0, out, p, kernel);
  }
}

void bernoulli_from(Waypoints& start, std::uint64_t first, std::span<bool> out, double p, DropoutKernel kernel) {
  Generator generator = start.after(kernel == DropoutKernel::standard ? 2 * first : 0);
  bernoulli_at(generator, first, out, p, kernel);
}

double linear_weight_bound(std::int64_t in_features) {
  // kaiming_uniform_(a = sqrt(5)) of torch/nn/init.py, where a * a is 5.000000000000001.
  assert(in_features > 0);
  const double a = std::sqrt(5.0);
  const double gain = std::sqrt(2.0 / (1.0 + a * a));
  const double deviation = gain / std::sqrt(static_cast<double>(in_features));
  return std::sqrt(3.0) * deviation;
}

double linear_bias_bound(std::int64_t in_features) {
  assert(in_features > 0);
  return 1.0 / std::sqrt(static_cast<double>(in_features));
}

}  // namespace attn::torch
