// The functions that take a run's time, alone: items a second. `build/release/tests/bench_functions`, with Google
// Benchmark's options (--benchmark_filter=print).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>

#include "tensor/operations.hpp"
#include "tensor/products.hpp"
#include "torch/generator.hpp"
#include "torch/print.hpp"

namespace {

using namespace attn;

/// Numbers from -4 to 4 that are neither sorted nor short.
Block<float> numbers(const Shape& shape) {
  Block<float> block(shape);
  torch::Generator generator(123);
  for (float& value : block) {
    value = static_cast<float>(generator.random()) * 0x1p-29F - 4;
  }
  return block;
}

void draw_words(benchmark::State& state) {
  torch::Generator generator(123);
  std::vector<std::uint32_t> words(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    generator.fill(words);
    benchmark::DoNotOptimize(words.data());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

/// All numbers of a tensor, as PyTorch prints them: fixed-point, or as weights of many tokens, whose magnitudes differ,
/// scientific.
void print_numbers(benchmark::State& state, torch::SciMode mode) {
  const Contents contents = numbers({1000, 1000});
  const torch::PrintOptions options = {.threshold = 1'000'000, .sci_mode = mode};
  std::size_t size = 0;
  for (auto _ : state) {
    torch::write_tensor([&size](std::string_view piece) { size += piece.size(); }, contents, {}, options);
  }
  benchmark::DoNotOptimize(size);
  state.SetItemsProcessed(state.iterations() * 1'000'000);
}

void softmax_rows(benchmark::State& state, Cpu cpu) {
  const auto block = std::make_shared<Block<float>>(numbers({512, state.range(0)}));
  const Tensor x = leaf(
      block->shape(), DType::float32, "x", [block] { return *block; }, Kernels{cpu, Blas::haswell});
  x.prepare();
  for (auto _ : state) {
    const Tensor weights = softmax(x);
    benchmark::DoNotOptimize(weights.array().floats());
  }
  state.SetItemsProcessed(state.iterations() * 512 * state.range(0));
}

/// Items are multiplications with an addition each.
void multiply(benchmark::State& state, const Shape& left, const Shape& right, bool is_transposed) {
  const Array a{Contents(numbers(left))};
  const Array b{Contents(numbers(right))};
  const Array seen = is_transposed ? Array(b, {right[1], right[0]}, {1, right[1]}, 0) : b;
  for (auto _ : state) {
    const Array out = product(a, seen, Blas::haswell);
    benchmark::DoNotOptimize(out.floats());
  }
  state.SetItemsProcessed(state.iterations() * element_count(left) * seen.shape[1]);
}

}  // namespace

BENCHMARK(draw_words)->Arg(1 << 20);
BENCHMARK_CAPTURE(print_numbers, fixed, torch::SciMode::off);
BENCHMARK_CAPTURE(print_numbers, scientific, torch::SciMode::on);
BENCHMARK_CAPTURE(softmax_rows, avx2, Cpu::avx2)->Arg(6)->Arg(1024);
BENCHMARK_CAPTURE(softmax_rows, standard, Cpu::standard)->Arg(1024);
BENCHMARK_CAPTURE(multiply, small, Shape{6, 3}, Shape{3, 2}, false);
BENCHMARK_CAPTURE(multiply, projection, Shape{1024, 768}, Shape{768, 768}, true);
BENCHMARK_CAPTURE(multiply, scores_of_a_head, Shape{1024, 64}, Shape{1024, 64}, true);
BENCHMARK_CAPTURE(multiply, context_of_a_head, Shape{1024, 1024}, Shape{1024, 64}, false);
BENCHMARK_CAPTURE(multiply, matrix_times_vector, Shape{1024, 768}, Shape{768, 1}, false);

BENCHMARK_MAIN();
