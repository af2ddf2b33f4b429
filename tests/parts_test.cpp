// Tensors computed in parts have the bits that they have computed whole, for any number of threads.

#include "tensor/tensor.hpp"

#include "tensor/blas.hpp"
#include "tensor/operations.hpp"
#include "torch/generator.hpp"
#include "torch/print.hpp"
#include "torch/shown.hpp"
#include "torch/torch.hpp"
#include "unit.hpp"

namespace {

using namespace attn;

constexpr Blas sets[] = {Blas::haswell, Blas::skylakex};

/// Another way of computing, until the end of a test.
class Otherwise {
 public:
  explicit Otherwise(Evaluation other) : before_(evaluation()) { evaluation() = other; }
  Otherwise(const Otherwise&) = delete;
  Otherwise& operator=(const Otherwise&) = delete;
  ~Otherwise() { evaluation() = before_; }

 private:
  Evaluation before_;
};

constexpr Evaluation whole = {.threads = 1, .large = std::numeric_limits<std::int64_t>::max()};

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}

  std::int64_t from(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(engine_);
  }
  Range range(std::int64_t size) {
    const std::int64_t begin = from(0, size - 1);
    return {begin, from(begin + 1, from(0, 2) == 0 ? size : std::min(size, begin + 3))};
  }
  Box box(const Shape& shape) {
    Box box;
    for (const std::int64_t size : shape) {
      box.push_back(range(size));
    }
    return box;
  }

 private:
  std::mt19937 engine_;
};

std::string bytes_of(const Array& array) {
  const auto contents = array.contents();
  return std::visit(
      [](const auto& block) {
        return std::string(reinterpret_cast<const char*>(block.data()), block.size() * sizeof(*block.data()));
      },
      *contents);
}

bool are_same(const Array& a, const Array& b) { return a.shape == b.shape && bytes_of(a) == bytes_of(b); }

struct Sizes {
  std::int64_t batch;
  std::int64_t heads;
  std::int64_t tokens;
  std::int64_t head_width;
  double dropout;
  bool bias;
  Blas blas;
};

/// Attention in the forms that chapters have, and what rules make of it; every tensor, operands first.
std::vector<Tensor> program(const Sizes& sizes, DropoutKernel dropout_kernel) {
  const auto [batch, heads, tokens, width, p, bias, blas] = sizes;
  torch::Torch torch({Cpu::avx2, blas}, dropout_kernel, torch::Torch::Mode::compute);
  torch.manual_seed(torch::Seed(7));
  const std::int64_t d = heads * width;
  const Tensor x = torch.randn({batch, tokens, d});
  const Shape split = {batch, tokens, heads, width};
  const auto project = [&](const char* name) {
    return transpose(view(torch.linear(d, d, sizes.bias, name)(x), split), 1, 2);
  };
  const Tensor queries = project("q");
  const Tensor keys = project("k");
  const Tensor values = project("v");
  const torch::Linear out_proj = torch.linear(d, d, bias, "out");
  const Tensor scores = matmul(queries, transpose(keys, 2, 3));
  const Tensor masked = masked_fill(scores, torch::causal_mask(tokens), -std::numeric_limits<float>::infinity());
  const Tensor weights = softmax(scale(masked, keys));
  const auto [mask, dropped] = torch.dropout(weights, p);
  const Tensor context = contiguous(transpose(matmul(dropped, values), 1, 2));
  std::vector<Tensor> ends = {out_proj(view(context, {batch, tokens, d})), kept(scores, mask)};

  // One head after the other, and sums.
  std::vector<Tensor> of_heads;
  for (std::int64_t head = 0; head < heads; ++head) {
    const Tensor simple = multiply(index(index(weights, 0), head), torch::lower_triangle(tokens));
    of_heads.push_back(matmul(divide(simple, sum(simple, true)), index(index(values, 0), head)));
  }
  ends.insert(
      ends.end(),
      {cat(of_heads), repeat_interleave(values, 2, 1),
       matmul(weights, repeat_interleave(slice(values, 1, 0, 1), heads, 1)), stack(of_heads, 0), stack(of_heads, 1),
       stack(index(index(weights, 0), 0), 2), add(exp(scores), slice(dropped, -1, 0, 1)), sum(exp(scores)),
       sum(scores, false, -2), softmax_over(scores, 2), slice(slice(weights, 2, 1, tokens), 1, 0, 1),
       view(weights, {batch * heads, tokens, tokens}), view(weights, {batch, heads * tokens * tokens})});

  std::vector<Tensor> all;
  std::set<const void*> seen;
  const auto add_all = [&](const auto& again, const Tensor& tensor) -> void {
    if (!seen.insert(tensor.id()).second) {
      return;
    }
    for (const Tensor& operand : tensor.operands()) {
      again(again, operand);
    }
    all.push_back(tensor);
  };
  for (const Tensor& end : ends) {
    add_all(add_all, end);
  }
  return all;
}

/// Asks tensors in any order for parts, single elements, what print shows, and all.
void check_parts(const std::vector<Tensor>& expected, const std::vector<Tensor>& tensors, Random& random) {
  for (int ask = 0; ask < 60; ++ask) {
    const auto i = static_cast<std::size_t>(random.from(0, static_cast<std::int64_t>(tensors.size()) - 1));
    const Tensor& tensor = tensors[i];
    CAPTURE(tensor.expression());
    const Box box = random.box(tensor.shape());
    const Array& whole_array = expected[i].array();
    switch (random.from(0, 6)) {
      case 0: CHECK(tensor.value(box_begin(box)) == whole_array.value(box_begin(box))); break;
      case 1: {
        const auto axes = torch::shown_items(tensor.shape(), {.threshold = 10});
        CHECK(are_same(Array(torch::shown_elements(tensor, axes)), Array(torch::shown_elements(expected[i], axes))));
        break;
      }
      case 2: CHECK(are_same(tensor.array(), whole_array)); break;
      case 3: {
        std::string bytes;
        tensor.each_part([&](const Array& rows) { bytes += bytes_of(rows); });
        CHECK((bytes == bytes_of(whole_array)));
        break;
      }
      default: CHECK(are_same(tensor.part(box), cut(whole_array, box)));
    }
  }
}

}  // namespace

TEST_CASE("a graph computed in parts has the bits of the whole") {
  Random random(20261123);
  for (std::size_t row = 0; row < 40; ++row) {
    const Sizes sizes = {.batch = random.from(1, 2),
                         .heads = random.from(1, 4),
                         .tokens = random.from(0, 2) == 0 ? random.from(2, 40) : random.from(100, 400),
                         .head_width = random.from(1, 24),
                         .dropout = std::vector{0.0, 0.3, 0.5, 1.0}[static_cast<std::size_t>(random.from(0, 3))],
                         .bias = random.from(0, 1) == 1,
                         .blas = sets[random.from(0, std::ssize(sets) - 1)]};
    const DropoutKernel dropout_kernel = random.from(0, 2) == 0 ? DropoutKernel::mkl : DropoutKernel::standard;
    const Evaluation parts = {
        .threads = static_cast<int>(random.from(1, 3)), .large = random.from(0, 3000), .panel = random.from(1, 20'000)};
    if (row % 8 != 0 && !test::is_in_sample(row)) {
      continue;
    }
    CAPTURE(row);
    std::vector<Tensor> expected;
    {
      const Otherwise otherwise(whole);
      expected = program(sizes, dropout_kernel);
      for (const Tensor& tensor : expected) {
        tensor.array();
      }
    }
    const Otherwise otherwise(parts);
    const std::vector<Tensor> tensors = program(sizes, dropout_kernel);
    REQUIRE(tensors.size() == expected.size());
    check_parts(expected, tensors, random);
  }
}

TEST_CASE("rows of a product have the same bits alone and among all") {
  Random random(5);
  std::int64_t cuts = 0;
  for (std::size_t row = 0; row < 60; ++row) {
    const ProductSizes sizes = {random.from(1, 900), random.from(1, 700), random.from(1, 500)};
    const Blas blas = runnable(sets[random.from(0, std::ssize(sets) - 1)]);
    const bool is_transposed = random.from(0, 1) == 1;
    const Range wanted = random.range(sizes.rows);
    if (row % 4 != 0 && !test::is_in_sample(row)) {
      continue;
    }
    const Range rows = product_rows(wanted, sizes, blas);
    CAPTURE(sizes.rows);
    CAPTURE(sizes.inner);
    CAPTURE(sizes.columns);
    CHECK((rows.begin <= wanted.begin && wanted.end <= rows.end && rows.begin >= 0 && rows.end <= sizes.rows));
    cuts += rows.size() < sizes.rows ? 1 : 0;
    torch::Torch torch({Cpu::avx2, blas}, DropoutKernel::standard, torch::Torch::Mode::compute);
    const Array a = torch.randn({sizes.rows, sizes.inner}).array();
    const Array b = is_transposed ? t(torch.randn({sizes.columns, sizes.inner})).array()
                                  : torch.randn({sizes.inner, sizes.columns}).array();
    const Array all = product(a, b, blas);
    CHECK(are_same(product(cut(a, {rows, {0, sizes.inner}}), b, blas), cut(all, {rows, {0, sizes.columns}})));
  }
  CHECK(cuts > 3);
}

TEST_CASE("beyond a hundred thousand rows BLAS starts a new block, and so do parts") {
  const ProductSizes sizes = {107'003, 16, 64};
  for (const Blas wanted : sets) {
    const Blas blas = runnable(wanted);
    torch::Torch torch({Cpu::avx2, blas}, DropoutKernel::standard, torch::Torch::Mode::compute);
    const Array a = torch.rand({sizes.rows, sizes.inner}).array();
    const Array b = torch.rand({sizes.inner, sizes.columns}).array();
    const Array all = product(a, b, blas);
    for (const std::int64_t row : {3, 60'000, 104'400, 106'999}) {
      const Range rows = product_rows({row, row + 3}, sizes, blas);
      CHECK(rows.size() < 20'000);
      CHECK(are_same(product(cut(a, {rows, {0, sizes.inner}}), b, blas), cut(all, {rows, {0, sizes.columns}})));
    }
  }
}

TEST_CASE("rows that BLAS computes differently alone are not split") {
  const ProductSizes sizes = {4096, 64, 4096};
  CHECK(product_rows({5, 6}, sizes, Blas::haswell) == Range{0, 24});
  CHECK(product_rows({24, 25}, sizes, Blas::haswell) == Range{24, 48});
  CHECK(product_rows({4095, 4096}, sizes, Blas::haswell) == Range{4056, 4096});
  CHECK(product_rows({4060, 4061}, sizes, Blas::haswell) == Range{4056, 4096});
  CHECK(product_rows({5, 6}, {4096, 64, 1}, Blas::haswell) == Range{0, 4096});
  CHECK(product_rows({5, 6}, {100, 10, 10}, Blas::haswell) == Range{0, 100});
}

TEST_CASE("a part in another shape") {
  const auto boxes = [](Box part, const Shape& to, const Shape& from) {
    const Box box = reshaped_box(part, to, from);
    return std::pair(part, box);
  };
  CHECK(boxes({{0, 1}, {3, 5}, {0, 2}, {1, 2}}, {1, 9, 4, 8}, {1, 9, 32}) ==
        std::pair(Box{{0, 1}, {3, 5}, {0, 2}, {0, 8}}, Box{{0, 1}, {3, 5}, {0, 16}}));
  CHECK(boxes({{0, 1}, {3, 5}, {9, 10}}, {1, 9, 32}, {1, 9, 4, 8}) ==
        std::pair(Box{{0, 1}, {3, 5}, {8, 16}}, Box{{0, 1}, {3, 5}, {1, 2}, {0, 8}}));
  CHECK(boxes({{5, 7}}, {24}, {4, 6}) == std::pair(Box{{0, 12}}, Box{{0, 2}, {0, 6}}));
  CHECK(boxes({{0, 1}, {2, 3}, {0, 1}}, {1, 6, 1}, {6}) == std::pair(Box{{0, 1}, {2, 3}, {0, 1}}, Box{{2, 3}}));
  CHECK(boxes({{1, 2}, {0, 3}}, {4, 3}, {6, 2}) == std::pair(Box{{0, 2}, {0, 3}}, Box{{0, 3}, {0, 2}}));
}

TEST_CASE("only shared operands of parts are kept and counted") {
  const Otherwise otherwise({.threads = 2, .large = 1000});
  const Kernels kernels = {};
  const Tensor x = leaf(
      {1000, 16}, DType::float32, "x",
      [] {
        return Contents(Block<float>({1000, 16}));
      },
      kernels);
  const Tensor scores = matmul(x, t(x));
  const Tensor weights = softmax(masked_fill(scores, torch::causal_mask(1000), 0));
  const Tensor context = matmul(weights, x);
  CHECK(x.is_at_hand());
  context.prepare();
  context.part({{999, 1000}, {3, 4}});
  for (const Tensor& tensor : {scores, weights, context}) {
    CHECK_FALSE(tensor.is_at_hand());
  }
  const auto bytes = [](const Tensor& tensor, bool in_parts) {
    std::unordered_set<const void*> seen;
    return tensor.bytes(seen, in_parts);
  };
  CHECK(bytes(context, true) == 1000 * 16 * 4);
  CHECK(bytes(context, false) == 2 * 1000 * 16 * 4);
  CHECK(bytes(weights, false) == (1000 * 16 + 1000 * 1000) * 4);
  context.array();
  CHECK(context.is_at_hand());
  CHECK_FALSE(weights.is_at_hand());
}

TEST_CASE("all threads work, and the first error stops them") {
  const Otherwise otherwise({.threads = 3});
  std::vector<int> calls(1000);
  for_each_at_once(calls.size(), [&](std::size_t i) { for_each_at_once(2, [&](std::size_t) { ++calls[i]; }); });
  CHECK(std::ranges::all_of(calls, [](int count) { return count == 2; }));
  CHECK_THROWS_AS(for_each_at_once(1000,
                                   [](std::size_t i) {
                                     if (i == 7) {
                                       throw TooLarge("seven");
                                     }
                                   }),
                  TooLarge);
}

TEST_CASE("waypoints continue the generator's sequence") {
  const torch::Generator start(5);
  torch::Waypoints waypoints(start);
  for (const std::uint64_t draws : {3'000'000ULL, 0ULL, 1ULL, 524'288ULL, 524'287ULL, 1'600'001ULL}) {
    torch::Generator expected = start;
    expected.discard(draws);
    CHECK(waypoints.after(draws) == expected);
  }
}
