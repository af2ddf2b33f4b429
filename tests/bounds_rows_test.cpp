// Bounds of whole rows are those of single cells, to the last bit: random attention layers, given or observed, with
// rows of large tensors kept and dropped.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "sample.hpp"
#include "tensor/evaluation.hpp"
#include "tensor/operations.hpp"
#include "tensor/what_if.hpp"
#include "verify/bound/bounds.hpp"

namespace {

using namespace attn;
using namespace attn::verify;

class Layer {
 public:
  explicit Layer(unsigned seed) : engine_(seed) { make(); }

  const std::vector<Tensor>& tensors() const { return tensors_; }
  /// Tells the bounds what is observed.
  void show(Bounds& bounds) const {
    for (const auto& [tensor, cells] : observed_) {
      bounds.observe(tensor, cells);
    }
  }
  std::vector<std::int64_t> order(std::int64_t count) {
    std::vector<std::int64_t> cells(static_cast<std::size_t>(count));
    std::iota(cells.begin(), cells.end(), std::int64_t{0});
    if (is_so()) {
      std::ranges::shuffle(cells, engine_);
    }
    return cells;
  }

 private:
  std::int64_t from(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(engine_);
  }
  bool is_so() { return from(0, 1) == 1; }

  Tensor numbers(const Shape& shape) {
    std::vector<float> values(static_cast<std::size_t>(element_count(shape)));
    std::ranges::generate(values, [&] { return std::uniform_real_distribution(-2.0F, 2.0F)(engine_); });
    const Tensor made = leaf(shape, DType::float32, "x", [shape, values]() -> Contents {
      Block<float> block(shape);
      std::ranges::copy(values, block.begin());
      return block;
    });
    if (from(0, 3) == 0) {
      std::vector<Interval> cells;
      for (const float value : values) {
        cells.push_back({static_cast<double>(value) - 5e-5, static_cast<double>(value) + 5e-5});
      }
      observed_.emplace_back(made, cells);
    }
    return made;
  }
  Tensor mask(const Shape& shape, std::int64_t one_in) {
    Block<bool> block(shape);
    std::generate(block.begin(), block.end(), [&] { return from(1, one_in) == 1; });
    return leaf(shape, DType::boolean, "mask", [block] { return Contents(block); });
  }
  Tensor kept(const Tensor& tensor) {
    tensors_.push_back(tensor);
    return tensor;
  }

  void make() {
    const std::int64_t entries = from(1, 2);
    const std::int64_t tokens = from(2, 12);
    const std::int64_t heads = from(1, 3);
    const std::int64_t width = from(1, 9);
    const std::int64_t d = heads * width;
    const Tensor x = numbers({entries, tokens, from(1, 9)});
    const auto projected = [&] {
      const Tensor weight = numbers({d, x.size(-1)});
      return kept(is_so() ? linear(x, weight, numbers({d}), "W") : matmul(x, t(weight)));
    };
    const auto split = [&](const Tensor& all) {
      return kept(transpose(view(all, {entries, tokens, heads, width}), 1, 2));
    };
    Tensor queries = split(projected());
    const Tensor keys = split(projected());
    queries = is_so() ? kept(divide(queries, 1.7, "")) : queries;
    Tensor scores = kept(matmul(queries, transpose(keys, 2, 3)));
    const Tensor hidden = mask({tokens, tokens}, is_so() ? 2 : 20);
    const float fill = is_so() ? -std::numeric_limits<float>::infinity() : -1e9F;
    for (const bool is_scaling : is_so() ? std::vector{true, false} : std::vector{false, true}) {
      scores = kept(is_scaling ? scale(scores, keys) : masked_fill(scores, hidden, fill));
    }
    Tensor weights = kept(softmax(scores));
    weights = is_so() ? kept(dropout(weights, mask(weights.shape(), 2), is_so() ? 0.5 : 0)) : weights;
    const Tensor contexts = kept(matmul(weights, split(projected())));
    const Tensor all = kept(contiguous(transpose(contexts, 1, 2)));
    const Tensor joined = kept(view(all, {entries, tokens, d}));
    kept(linear(joined, numbers({d, d}), numbers({d}), "out_proj"));
    kept(sum(joined, true, from(-3, -1)));
    kept(add(joined, joined));
    kept(attn::kept(weights, mask(weights.shape(), 3)));
    kept(softmax_gradient(numbers(scores.shape()), softmax(scores)));
  }

  std::mt19937 engine_;
  std::vector<Tensor> tensors_;
  std::vector<std::pair<Tensor, std::vector<Interval>>> observed_;
};

bool is_same(const Interval& a, const Interval& b) {
  const auto are_same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  return are_same(a.low, b.low) && are_same(a.high, b.high);
}

}  // namespace

TEST_SUITE("bounds of rows") {
  TEST_CASE("a cell has the same bounds alone as in its row") {
    const Evaluation before = evaluation();
    for (std::size_t seed = 0; seed < 1200; ++seed) {
      if (!attn::test::is_in_sample(seed)) {
        continue;
      }
      evaluation().large = seed % 3 == 0 ? 40 : before.large;
      evaluation().panel = seed % 3 == 0 ? 100 : before.panel;
      CAPTURE(seed);
      Layer layer(static_cast<unsigned>(seed));
      Bounds alone(0x1p-24, Bounds::By::cell);
      Bounds in_rows;
      layer.show(alone);
      layer.show(in_rows);
      std::vector<Tensor> tensors = layer.tensors();
      seed % 2 == 0 ? std::ranges::reverse(tensors) : tensors.begin();
      for (const Tensor& tensor : tensors) {
        CAPTURE(tensor.expression());
        std::int64_t different = 0;
        for (const std::int64_t cell : layer.order(element_count(tensor.shape()))) {
          different += is_same(alone.cell(tensor, cell), in_rows.cell(tensor, cell)) ? 0 : 1;
        }
        CHECK(different == 0);
        seed % 5 == 0 ? in_rows.forget_larger(100) : void();
      }
    }
    evaluation() = before;
  }
}
