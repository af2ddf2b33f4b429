// What chapters use of PyTorch besides operations: parameters, modules, masks, and that planning draws nothing.

#include "torch/torch.hpp"

#include "tensor/words.hpp"
#include "unit.hpp"

namespace {

using namespace attn;
using torch::Torch;

Torch seeded(std::uint64_t seed, Torch::Mode mode = Torch::Mode::compute) {
  Torch result(Kernels{}, DropoutKernel::standard, mode);
  result.manual_seed(seed);
  return result;
}

template <class T = float>
std::vector<T> values_of(const Tensor& tensor) {
  const auto contents = tensor.array().contents();
  const auto& values = std::get<Block<T>>(*contents);
  return std::vector<T>(values.begin(), values.end());
}

using Words = std::tuple<std::size_t, std::uint64_t, std::uint64_t>;

/// Seeding, first word and number of words of each draw.
std::vector<Words> words_of(const Torch& torch) {
  std::vector<Words> words;
  for (const torch::Draw& draw : torch.draws().draws) {
    words.emplace_back(draw.seeding, draw.first, draw.count);
  }
  return words;
}

}  // namespace

TEST_CASE("planning determines shapes and draws nothing") {
  Torch plan = seeded(1, Torch::Mode::plan);
  const std::int64_t huge = std::numeric_limits<std::int32_t>::max();
  CHECK(plan.rand({huge, huge}).shape() == Shape{huge, huge});
  CHECK(plan.randn({huge, huge}).shape() == Shape{huge, huge});
  CHECK(plan.linear(huge, 4, true, "W")(plan.rand({2, huge})).shape() == Shape{2, 4});
  CHECK(plan.embedding(50'000, huge, torch::tensor(std::vector<std::int64_t>{1, 2})).shape() == Shape{2, huge});
  const auto [mask, output] = plan.dropout(plan.rand({huge, 2}), 0.5);
  CHECK(mask.shape() == Shape{huge, 2});
  CHECK(mask.dtype() == DType::boolean);
  CHECK(output.shape() == Shape{huge, 2});
}

TEST_CASE("dropout of all or nothing draws nothing") {
  for (const double p : {0.0, 1.0}) {
    CAPTURE(p);
    Torch torch = seeded(7);
    const auto [mask, output] = torch.dropout(torch::ones({2, 2}), p);
    CHECK(values_of<bool>(mask) == std::vector<bool>(4, p == 0));
    CHECK(values_of(output) == std::vector<float>(4, p == 0 ? 1.0F : 0.0F));
    CHECK(values_of(torch.rand({2})) == values_of(seeded(7).rand({2})));
  }
}

TEST_CASE("the scale of dropout is rounded once") {
  // torch.ones(()) / (1 - p)
  CHECK(values_of(torch::dropout_scale(0.2)) == std::vector<float>{1.25F});
  CHECK(values_of(torch::dropout_scale(0.3)) == std::vector<float>{0x1.6db6dcp+0F});
  CHECK(values_of(torch::dropout_scale(0.9)) == std::vector<float>{0x1.4p+3F});
  CHECK(values_of(torch::dropout_scale(1)) == std::vector<float>{0});
  CHECK(values_of(torch::dropout_scale(0.1)) == std::vector<float>{0x1.1c71c8p+0F});
  CHECK(values_of(torch::dropout_scale(0.7)) == std::vector<float>{0x1.aaaaaap+1F});
  CHECK(torch::dropout_scale(0.2).expression() == "torch.ones(()) / (1 - 0.2)");
}

TEST_CASE("python_repr is Python's repr of a float") {
  for (const auto& [value, text] :
       std::vector<std::pair<double, std::string>>{{0.0, "0.0"},
                                                   {0.1, "0.1"},
                                                   {1 - 0.2, "0.8"},
                                                   {1 - 0.9, "0.09999999999999998"},
                                                   {1e-5, "1e-05"},
                                                   {1e-4, "0.0001"},
                                                   {1.5e-7, "1.5e-07"},
                                                   {0.30000000000000004, "0.30000000000000004"},
                                                   {-0.0, "-0.0"},
                                                   {0.12345678901234566, "0.12345678901234566"}}) {
    CHECK(python_repr(value) == text);
  }
}

// How many words a call takes: torch.manual_seed(123), the call, and torch.rand(1) is element n of torch.rand(200000)
// after the same seed.
TEST_CASE("each draw's words are counted from the last seeding") {
  Torch torch(Kernels{}, DropoutKernel::standard, Torch::Mode::compute);
  torch.manual_seed(-1);
  torch.rand({2, 3});
  torch.linear(3, 2, true, "W_query");
  torch.randn({4, 4});
  torch.manual_seed(7);
  torch.randn({3});
  torch.randn({2});
  torch.dropout(torch::ones({6, 6}), 0.5);
  torch.dropout(torch::ones({6, 6}), 0);
  torch.embedding(50'000, 3, torch::tensor(std::vector<std::int64_t>{1, 0}));
  CHECK(words_of(torch) ==
        std::vector<Words>{
            {1, 0, 6}, {1, 6, 6}, {1, 12, 2}, {1, 14, 16}, {2, 0, 8}, {2, 8, 4}, {2, 12, 72}, {2, 84, 150'000}});
  CHECK(torch.draws().seeds.size() == 3);
  CHECK(torch.draws().seeds[1].text() == "-1");
  CHECK(torch.draws().draws[2].module == "W_query");
  CHECK(torch.draws().draws[7].ids.has_value());
}

TEST_CASE("MKL's kernel uses one word for a whole mask") {
  Torch torch(Kernels{}, DropoutKernel::mkl, Torch::Mode::compute);
  torch.manual_seed(7);
  torch.dropout(torch::ones({6, 6}), 0.5);
  CHECK(words_of(torch) == std::vector<Words>{{1, 0, 1}});
}
