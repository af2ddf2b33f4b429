// What chapters use of PyTorch besides operations: parameters, modules, masks, and that planning draws nothing.

#include "torch/torch.hpp"
#include "tensor/words.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

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

}  // namespace

TEST_CASE("random numbers are drawn at the call, in the program's order") {
  Torch one = seeded(123);
  const Tensor first = one.rand({2, 3});
  const Tensor second = one.rand({2, 3});
  // torch.manual_seed(123); torch.rand(2, 3)
  const std::vector<float> expected = {0x1.2f37f8p-2F, 0x1.087adap-1F, 0x1.01b5f8p-2F,
                                       0x1.608a84p-1F, 0x1.2efdcp-4F,  0x1.bba8c4p-1F};
  CHECK(values_of(second) != expected);
  CHECK(values_of(first) == expected);
  one.manual_seed(123);
  CHECK(values_of(one.rand({6})) == expected);
}

TEST_CASE("expressions for draws") {
  Torch torch = seeded(1);
  CHECK(torch.rand({8, 3}).expression() == "torch.rand(8, 3)");
  CHECK(torch.randn({8, 3}).expression() == "torch.randn(8, 3)");
  const torch::Linear with_bias = torch.linear(3, 2, true, "W_key");
  CHECK(with_bias.weight.expression() == "nn.Linear(3, 2).weight");
  REQUIRE(with_bias.bias.has_value());
  CHECK(with_bias.bias->expression() == "nn.Linear(3, 2).bias");
  CHECK(torch.linear(3, 2, false, "W_key").weight.expression() == "nn.Linear(3, 2, bias=False).weight");
}

TEST_CASE("nn.Linear has a weight [d_out, d_in] and, if any, a bias [d_out]") {
  Torch torch = seeded(1);
  const torch::Linear module = torch.linear(3, 2, true, "W_key");
  CHECK(module.weight.shape() == Shape{2, 3});
  CHECK(module.weight.requires_grad());
  CHECK(module.weight.operation().is_parameter());
  REQUIRE(module.bias.has_value());
  CHECK(module.bias->shape() == Shape{2});
  CHECK(module.bias->requires_grad());
  CHECK_FALSE(torch.linear(3, 2, false, "W_key").bias.has_value());
  const Tensor x = torch::ones({4, 3});
  x.set_name("x");
  CHECK(module(x).shape() == Shape{4, 2});
  CHECK(module(x).expression() == "W_key(x)");
  CHECK(module(x).grad_fn() == "AddmmBackward0");
}

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

TEST_CASE("the mask is true where dropout keeps an entry") {
  Torch torch = seeded(123);
  const auto [mask, output] = torch.dropout(torch::ones({6, 6}), 0.5);
  // torch.manual_seed(123); nn.Dropout(0.5)(torch.ones(6, 6))
  const std::string expected = "110110000101111101011001010101011110";
  std::string kept;
  for (const bool keep : values_of<bool>(mask)) {
    kept += keep ? '1' : '0';
  }
  CHECK(kept == expected);
  const std::vector<float> values = values_of(output);
  for (std::size_t i = 0; i < values.size(); ++i) {
    CHECK(values[i] == (expected[i] == '1' ? 2.0F : 0.0F));
  }
}

TEST_CASE("tensors from given numbers") {
  const std::vector<std::vector<float>> rows = {{1, 2, 3}, {4, 5, 6}};
  const Tensor x = torch::tensor(rows);
  CHECK(x.shape() == Shape{2, 3});
  CHECK(values_of(x) == std::vector<float>{1, 2, 3, 4, 5, 6});
  const Tensor ids = torch::tensor(std::vector<std::int64_t>{0, 4, 5});
  CHECK(ids.dtype() == DType::int64);
  CHECK(ids.expression() == "torch.tensor([0, 4, 5])");
  CHECK(values_of<std::int64_t>(ids) == std::vector<std::int64_t>{0, 4, 5});
  CHECK(torch::ones({2, 2}).expression() == "torch.ones(2, 2)");
  CHECK(torch::ones({}).expression() == "torch.ones(())");
  CHECK(values_of(torch::ones({})) == std::vector<float>{1});
}

TEST_CASE("the causal mask hides later tokens") {
  const Tensor mask = torch::causal_mask(3);
  CHECK(mask.dtype() == DType::boolean);
  CHECK(values_of<bool>(mask) == std::vector<bool>{false, true, true, false, false, true, false, false, false});
  CHECK(mask.expression() == "torch.triu(torch.ones(3, 3), diagonal=1).bool()");
  CHECK(values_of<bool>(torch::causal_mask(1)) == std::vector<bool>{false});
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
                                                   {1.0, "1.0"},
                                                   {0.5, "0.5"},
                                                   {0.1, "0.1"},
                                                   {1 - 0.2, "0.8"},
                                                   {1 - 0.9, "0.09999999999999998"},
                                                   {1e-5, "1e-05"},
                                                   {1e-4, "0.0001"},
                                                   {0.001, "0.001"},
                                                   {0.00025, "0.00025"},
                                                   {1.5e-7, "1.5e-07"},
                                                   {0.30000000000000004, "0.30000000000000004"},
                                                   {1 - 1e-5, "0.99999"},
                                                   {0.0002, "0.0002"},
                                                   {0.0003, "0.0003"},
                                                   {-0.0, "-0.0"},
                                                   {0.01, "0.01"},
                                                   {0.12345678901234566, "0.12345678901234566"}}) {
    CHECK(python_repr(value) == text);
  }
}
