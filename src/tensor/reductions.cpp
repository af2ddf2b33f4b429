#include "tensor/reductions.hpp"

#include <vector>

#include "tensor/math.hpp"

namespace attn {
namespace {

constexpr std::size_t lanes = 8;
constexpr std::size_t chunk = 16;  ///< vectors of lanes

/// a * b + c, rounded once or twice.
struct Arithmetic {
  bool is_fused;

  float operator()(float a, float b, float c) const { return is_fused ? fused(a, b, c) : a * b + c; }
};

/// The mean of some numbers and the sum of their squared differences from it, in each lane.
struct Welford {
  std::array<float, lanes> mean{};
  std::array<float, lanes> squares{};
  std::size_t count = 0;  ///< of numbers in a lane

  void add(const float* vector, Arithmetic times_plus) {
    ++count;
    const float share = 1.0F / static_cast<float>(count);
    for (std::size_t k = 0; k < lanes; ++k) {
      const float difference = vector[k] - mean[k];
      mean[k] = times_plus(difference, share, mean[k]);
      squares[k] = times_plus(difference, vector[k] - mean[k], squares[k]);
    }
  }

  void merge(const Welford& other, Arithmetic times_plus) {
    const auto before = static_cast<float>(count);
    count += other.count;
    const float share = count == 0 ? 0 : static_cast<float>(other.count) / static_cast<float>(count);
    for (std::size_t k = 0; k < lanes; ++k) {
      const float difference = other.mean[k] - mean[k];
      const float step = share * difference;
      mean[k] += step;
      squares[k] = times_plus(step, difference * before, squares[k] + other.squares[k]);
    }
  }
};

/// Chunks of vectors: runs of two, four and more are merged as soon as they are whole, then what is left.
Welford of_vectors(const float* values, std::size_t vectors, Arithmetic times_plus) {
  const std::size_t chunks = (vectors + chunk - 1) / chunk;
  const std::size_t depth = chunks <= 2 ? 1 : static_cast<std::size_t>(std::bit_width(chunks - 1));
  std::vector<Welford> runs(depth);
  for (std::size_t i = 0; i < chunks; ++i) {
    Welford one;
    for (std::size_t j = i * chunk; j < std::min(vectors, (i + 1) * chunk); ++j) {
      one.add(values + j * lanes, times_plus);
    }
    runs[0].merge(one, times_plus);
    for (std::size_t level = 1; level < depth && (i + 1) % (std::size_t{1} << level) == 0; ++level) {
      runs[level].merge(runs[level - 1], times_plus);
      runs[level - 1] = {};
    }
  }
  for (std::size_t level = 1; level < depth; ++level) {
    runs[0].merge(runs[level], times_plus);
  }
  return runs[0];
}

constexpr std::size_t levels = 4;

template <std::size_t width>
using Vector = std::array<float, width>;

template <std::size_t width>
void add(Vector<width>& to, const float* values) {
  for (std::size_t k = 0; k < width; ++k) {
    to[k] += values[k];
  }
}

/// Sums `count` consecutive vectors of `width` floats with PyTorch's cascade, which sums runs of 2^power vectors, then
/// runs of runs, over four levels, with `unrolled` vectors side by side.
template <std::size_t width, std::size_t unrolled>
Vector<width> cascade(const float* values, std::size_t count) {
  constexpr std::size_t step_width = width * unrolled;
  const std::size_t steps = count / unrolled;
  const auto log2 = steps <= 1 ? std::size_t{0} : static_cast<std::size_t>(std::bit_width(steps - 1));
  const std::size_t power = std::max<std::size_t>(4, log2 / levels);
  const std::size_t run = std::size_t{1} << power;

  std::array<Vector<step_width>, levels> sums{};
  std::size_t i = 0;
  while (i + run <= steps) {
    for (std::size_t j = 0; j < run; ++j, ++i) {
      add<step_width>(sums[0], values + i * step_width);
    }
    for (std::size_t level = 1; level < levels; ++level) {
      add<step_width>(sums[level], sums[level - 1].data());
      sums[level - 1] = {};
      if ((i & ((run - 1) << (level * power))) != 0) {
        break;
      }
    }
  }
  for (; i < steps; ++i) {
    add<step_width>(sums[0], values + i * step_width);
  }
  for (std::size_t level = 1; level < levels; ++level) {
    add<step_width>(sums[0], sums[level].data());
  }

  Vector<width> total{};
  std::copy_n(sums[0].begin(), width, total.begin());
  for (std::size_t j = steps * unrolled; j < count; ++j) {
    add<width>(total, values + j * width);
  }
  for (std::size_t k = 1; k < unrolled; ++k) {
    add<width>(total, sums[0].data() + k * width);
  }
  return total;
}

}  // namespace

// Eight lanes for eight elements or more, the tail first.
float row_sum(std::span<const float> row) {
  constexpr std::size_t unrolled = 4;
  if (row.size() < lanes) {
    return cascade<1, unrolled>(row.data(), row.size())[0];
  }
  const std::size_t vectors = row.size() / lanes;
  const Vector<lanes> partial = cascade<lanes, unrolled>(row.data(), vectors);
  float total = 0;
  for (const float value : row.subspan(vectors * lanes)) {
    total += value;
  }
  for (const float value : partial) {
    total += value;
  }
  return total;
}

/// at::native's vectorized_outer_sum over one of several adjacent columns: four vectors of columns are summed together,
/// and the remaining columns with four rows at a time. With fewer columns than a vector has, scalar_outer_sum sums four
/// columns together.
float column_sum(std::span<const float> column, std::size_t place, std::size_t columns) {
  const std::size_t together = columns < lanes ? 4 : 4 * lanes;
  return place < columns / together * together ? cascade<1, 1>(column.data(), column.size())[0]
                                               : cascade<1, 4>(column.data(), column.size())[0];
}

Moments layer_norm_moments(std::span<const float> row, Cpu cpu) {
  const Arithmetic times_plus{cpu != Cpu::standard};
  const std::size_t vectors = row.size() / lanes;
  const Welford whole = of_vectors(row.data(), vectors, times_plus);

  // 1. The numbers after the last whole vector.
  float mean = 0;
  float squares = 0;
  std::size_t count = 0;
  for (const float value : row.subspan(vectors * lanes)) {
    const float difference = value - mean;
    ++count;
    mean += difference / static_cast<float>(count);
    squares += difference * (value - mean);
  }

  // 2. The lanes, one after the other.
  for (std::size_t k = 0; k < lanes; ++k) {
    const auto before = static_cast<float>(count);
    count += vectors;
    const float share = count == 0 ? 0 : static_cast<float>(vectors) / static_cast<float>(count);
    const float difference = whole.mean[k] - mean;
    mean = times_plus(share, difference, mean);
    squares += times_plus(difference * difference * share, before, whole.squares[k]);
  }
  return {mean, squares / static_cast<float>(row.size())};
}

float row_variance(std::span<const float> row) {
  double mean = 0;
  double squares = 0;
  double count = 0;
  for (const float value : row) {
    const double difference = static_cast<double>(value) - mean;
    ++count;
    mean += difference / count;
    squares += difference * (static_cast<double>(value) - mean);
  }
  return static_cast<float>(squares / count);
}

}  // namespace attn
