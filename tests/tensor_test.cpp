// Arrays and their views, what tensors know of how they were made, and operations against golden/operations.json.

#include "tensor/tensor.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tensor/blas_kernels.hpp"
#include "tensor/operations.hpp"
#include "tensor/rewrite.hpp"
#include "tensor/what_if.hpp"
#include "torch/torch.hpp"

namespace {

using namespace attn;
using nlohmann::json;

Block<float> filled(const Shape& shape, const std::vector<float>& values) {
  Block<float> array(shape);
  REQUIRE(array.size() == values.size());
  std::copy(values.begin(), values.end(), array.begin());
  return array;
}

Tensor floats(const Shape& shape, const std::vector<float>& values, std::optional<Kernels> kernels = {}) {
  return leaf(
      shape, DType::float32, "x", [shape, values] { return Contents(filled(shape, values)); }, kernels);
}

/// 0, 1, 2, ...
Tensor counting(const Shape& shape) {
  std::vector<float> values(static_cast<std::size_t>(element_count(shape)));
  std::iota(values.begin(), values.end(), 0.0F);
  return floats(shape, values);
}

Tensor named(const std::string& name, const Shape& shape) {
  Tensor x = counting(shape);
  x.set_name(name);
  return x;
}

/// A parameter: what it is made into has a gradient.
Tensor trained(const std::string& name, const Shape& shape) {
  Tensor x = parameter(counting(shape));
  x.set_name(name);
  return x;
}

Tensor mask_of(const Shape& shape, const std::vector<bool>& kept) {
  return leaf(shape, DType::boolean, "mask", [shape, kept] {
    Block<bool> array(shape);
    std::copy(kept.begin(), kept.end(), array.begin());
    return Contents(std::move(array));
  });
}

Tensor mask_of(const Shape& shape) {
  return mask_of(shape, std::vector<bool>(static_cast<std::size_t>(element_count(shape))));
}

std::vector<float> values_of(const Array& array) {
  const auto contents = array.contents();
  const auto& values = std::get<Block<float>>(*contents);
  return {values.begin(), values.end()};
}

std::vector<float> values_of(const Tensor& tensor) { return values_of(tensor.array()); }

/// The operation fails, and its message has both texts.
void check_shape_error(const std::function<void()>& operation, const std::string& one, const std::string& other) {
  std::string message;
  try {
    operation();
  } catch (const ShapeError& error) {
    message = error.what();
  }
  CAPTURE(message);
  CHECK(message.find(one) != std::string::npos);
  CHECK(message.find(other) != std::string::npos);
}

// --- Golden values ---

const json& golden() {
  static const json data = [] {
    std::ifstream file(ATTN_GOLDEN_DIR "/operations.json");
    std::ifstream avx512(ATTN_GOLDEN_DIR "/operations-avx512.json");
    json all = json::parse(file);
    all.update(json::parse(avx512));
    return all;
  }();
  return data;
}

/// PyTorch's sets of CPU kernels, as a golden set's name ends with them.
constexpr std::array cpus = {std::pair(Cpu::avx2, ", cpu avx2"), std::pair(Cpu::avx512, ", cpu avx512"),
                             std::pair(Cpu::standard, ", cpu default")};

std::uint32_t next(std::uint32_t x) { return 1664525U * x + 1013904223U; }

std::vector<float> numbers(std::uint32_t seed, std::int64_t count) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i) {
    seed = next(seed);
    values.push_back(static_cast<float>(static_cast<double>(seed >> 8U) / 2097152.0 - 4.0));
  }
  return values;
}

/// In which the order of softmax's sums matters.
std::vector<float> far_apart(std::uint32_t seed, std::int64_t count) {
  std::vector<float> values = numbers(seed, count);
  for (float& value : values) {
    value *= 4;
  }
  return values;
}

std::vector<float> integers(std::uint32_t seed, std::int64_t count) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i) {
    seed = next(seed);
    values.push_back(static_cast<float>(static_cast<int>(seed >> 28U) - 8));
  }
  return values;
}

std::vector<float> results(const json& test, const char* name = "result") {
  std::istringstream words(test[name].get<std::string>());
  std::vector<float> values;
  for (std::string word; words >> word;) {
    values.push_back(std::strtof(word.c_str(), nullptr));
  }
  return values;
}

bool same_bits(float a, float b) {
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

void check_bits(const Tensor& actual, const json& test, const char* name = "result") {
  const std::vector<float> values = values_of(actual);
  const std::vector<float> expected = results(test, name);
  REQUIRE(!expected.empty());
  REQUIRE(values.size() == expected.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!same_bits(values[i], expected[i]) && wrong++ == 0) {
      CAPTURE(i);
      CHECK(values[i] == expected[i]);
    }
  }
  CHECK(wrong == 0);
}

/// -0 and 0 are one exact result.
void check_values(const Tensor& actual, const json& test) {
  const std::vector<float> expected = results(test);
  REQUIRE(!expected.empty());
  CHECK(values_of(actual) == expected);
}

/// Of the given shape after the transposition of its last two axes, if any.
Tensor operand(const std::vector<float>& values, Shape shape, bool transposed) {
  if (!transposed || shape.size() < 2) {
    return floats(shape, values);
  }
  std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  const auto axes = static_cast<std::int64_t>(shape.size());
  return transpose(floats(shape, values), axes - 2, axes - 1);
}

}  // namespace

// --- Arrays ---

TEST_CASE("sizes of data types and shapes") {
  CHECK(dtype_name(DType::float32) == "float32");
  CHECK(dtype_name(DType::boolean) == "bool");
  CHECK(dtype_name(DType::int64) == "int64");
  CHECK(element_size(DType::float32) == 4);
  CHECK(element_size(DType::boolean) == 1);
  CHECK(element_size(DType::int64) == 8);
  CHECK(element_count({}) == 1);
  CHECK(element_count({2, 6, 3}) == 36);
  CHECK(element_count({std::int64_t{1} << 31, std::int64_t{1} << 31}) == std::int64_t{1} << 62);
  CHECK_THROWS_AS(element_count({std::int64_t{1} << 32, std::int64_t{1} << 31}), TooLarge);
  CHECK(shape_text({}) == "[]");
  CHECK(shape_text({4}) == "[4]");
  CHECK(shape_text({2, 6, 3}) == "[2, 6, 3]");
  CHECK(row_major_strides({}) == Shape{});
  CHECK(row_major_strides({2, 6, 3}) == Shape{18, 3, 1});
}

TEST_CASE("an array of contents is row-major and contiguous") {
  const Array array(filled({2, 3}, {0, 1, 2, 3, 4, 5}));
  CHECK(array.shape == Shape{2, 3});
  CHECK(array.strides == Shape{3, 1});
  CHECK(array.offset == 0);
  CHECK(array.count() == 6);
  CHECK(array.is_contiguous());
  CHECK(array.contents() == array.storage);
  CHECK(array.contiguous().storage == array.storage);
  CHECK(array.floats()[5] == 5);
}

TEST_CASE("axes of size 1 do not keep an array from being contiguous") {
  const Array array(filled({2, 3}, {0, 1, 2, 3, 4, 5}));
  CHECK(Array(array, {2, 1, 3}, {3, 77, 1}, 0).is_contiguous());
  CHECK(Array(array, {1, 3}, {-5, 1}, 0).is_contiguous());
  CHECK(Array(array, {1, 1}, {9, 9}, 0).is_contiguous());
  CHECK_FALSE(Array(array, {3, 2}, {1, 3}, 0).is_contiguous());
  CHECK_FALSE(Array(array, {2, 1}, {3, 1}, 0).is_contiguous());
  CHECK(Array(array, {}, {}, 4).is_contiguous());
}

TEST_CASE("contents of views are read through their strides and offset") {
  const Tensor x = counting({2, 3, 4});
  const Tensor row = index(x, 1);
  CHECK(row.array().storage == x.array().storage);
  CHECK(values_of(row) == std::vector<float>{12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23});
  const Tensor turned = t(row);
  CHECK(turned.array().storage == x.array().storage);
  CHECK(turned.array().strides == Shape{1, 4});
  CHECK(values_of(turned) == std::vector<float>{12, 16, 20, 13, 17, 21, 14, 18, 22, 15, 19, 23});
  CHECK(values_of(index(turned, 2)) == std::vector<float>{14, 18, 22});
  CHECK(values_of(index(index(turned, 2), 1)) == std::vector<float>{18});
  CHECK(values_of(transpose(x, 0, 2)) ==
        std::vector<float>{0, 12, 4, 16, 8, 20, 1, 13, 5, 17, 9, 21, 2, 14, 6, 18, 10, 22, 3, 15, 7, 19, 11, 23});
  CHECK(values_of(transpose(transpose(x, 0, 2), 0, 2)) == values_of(x));
}

TEST_CASE("views of other data types keep their type and numbers") {
  const Tensor mask = mask_of({2, 2}, {false, true, false, false});
  const Tensor turned = t(mask);
  CHECK(turned.dtype() == DType::boolean);
  const auto contents = turned.array().contents();
  const auto& values = std::get<Block<bool>>(*contents);
  CHECK(std::vector<bool>(values.begin(), values.end()) == std::vector<bool>{false, false, true, false});
  CHECK_THROWS_AS(turned.array().floats(), std::bad_variant_access);
}

TEST_CASE("contiguous copies what is not row-major") {
  const Tensor x = counting({2, 3});
  CHECK(contiguous(x).array().storage == x.array().storage);
  const Tensor turned = t(x);
  const Tensor copy = contiguous(turned);
  CHECK(copy.array().storage != x.array().storage);
  CHECK(copy.array().strides == Shape{2, 1});
  CHECK(values_of(copy) == std::vector<float>{0, 3, 1, 4, 2, 5});
}

TEST_CASE("reshape shares numbers where it can") {
  const Tensor x = counting({2, 3, 4});
  const auto shares = [](const Array& array, const Shape& shape) {
    const Array result = reshape(array, shape);
    CHECK(result.shape == shape);
    CHECK(values_of(result) == values_of(array));
    return result.storage == array.storage;
  };
  CHECK(shares(x.array(), {6, 4}));
  CHECK(shares(x.array(), {2, 12}));
  CHECK(shares(x.array(), {1, 24, 1}));
  CHECK(shares(x.array(), {2, 3, 2, 2}));
  CHECK(shares(index(x, 1).array(), {2, 6}));
  const Tensor turned = transpose(x, 1, 2);
  CHECK(shares(turned.array(), {2, 2, 2, 3}));
  CHECK(shares(turned.array(), {2, 1, 4, 1, 3}));
  CHECK_FALSE(shares(turned.array(), {8, 3}));
  CHECK_FALSE(shares(turned.array(), {2, 12}));
  CHECK_FALSE(shares(turned.array(), {24}));
  CHECK(shares(Array(filled({}, {7})), {1, 1}));
  CHECK(shares(Array(filled({1, 1}, {7})), {}));
}

TEST_CASE("view strides are PyTorch's") {
  // torch.arange(24.).view(2, 3, 4).transpose(1, 2).view(...).stride()
  const Array turned = transpose(counting({2, 3, 4}), 1, 2).array();
  CHECK(view_strides(turned, {2, 2, 2, 3}) == Shape{12, 2, 1, 4});
  CHECK(view_strides(turned, {2, 4, 1, 3}) == Shape{12, 1, 12, 4});
  CHECK(view_strides(turned, {1, 2, 4, 3}) == Shape{24, 12, 1, 4});
  CHECK(view_strides(turned, {8, 3}).empty());
}

// --- What tensors know ---

TEST_CASE("every operation gives the shape of its result") {
  const Tensor x = counting({2, 6, 3});
  CHECK(index(x, 0).shape() == Shape{6, 3});
  CHECK(stack(x, 4).shape() == Shape{4, 2, 6, 3});
  CHECK(transpose(x, 0, 2).shape() == Shape{3, 6, 2});
  CHECK(t(counting({6, 3})).shape() == Shape{3, 6});
  CHECK(view(x, {12, 3}).shape() == Shape{12, 3});
  CHECK(contiguous(x).shape() == Shape{2, 6, 3});
  CHECK(matmul(x, counting({3, 5})).shape() == Shape{2, 6, 5});
  CHECK(matmul(counting({3}), counting({3, 5})).shape() == Shape{5});
  CHECK(matmul(x, transpose(x, 1, 2)).shape() == Shape{2, 6, 6});
  CHECK(dots(counting({6, 3}), counting({3})).shape() == Shape{6});
  CHECK(pairwise_dots(counting({6, 3}), counting({5, 3})).shape() == Shape{6, 5});
  CHECK(dot_by_loop(counting({3}), counting({3})).shape() == Shape{});
  CHECK(divide(x, counting({})).shape() == Shape{2, 6, 3});
  CHECK(linear(x, counting({4, 3}), {}, "W").shape() == Shape{2, 6, 4});
  CHECK(divide(x, 2, "2").shape() == Shape{2, 6, 3});
  CHECK(masked_fill(x, mask_of({6, 3}), 0).shape() == Shape{2, 6, 3});
  CHECK(softmax(x).shape() == Shape{2, 6, 3});
  CHECK(sum(x).shape() == Shape{2, 6});
  CHECK(sum(counting({3})).shape() == Shape{});
  CHECK(sum(x, false, -2).shape() == Shape{2, 3});
  CHECK(sum(x, true, -3).shape() == Shape{1, 6, 3});
  CHECK(index(x, 5, 1).shape() == Shape{2, 3});
  CHECK(slice(x, 1, 2, 6).shape() == Shape{2, 4, 3});
  CHECK(cat({x, slice(x, 1, 0, 2)}, 1).shape() == Shape{2, 8, 3});
  CHECK(stack({x, x, x, x}, 2).shape() == Shape{2, 6, 4, 3});
  CHECK(repeat_interleave(x, 2, 1).shape() == Shape{2, 12, 3});
  CHECK(add(x, counting({3})).shape() == Shape{2, 6, 3});
  CHECK(weighted_sum(counting({6}), counting({6, 3})).shape() == Shape{3});
  CHECK(dropout(x, mask_of({2, 6, 3}), 0.5).shape() == Shape{2, 6, 3});
}

TEST_CASE("sums over an axis that is not the last add in PyTorch's order") {
  const auto inverse = [](const Shape& shape) {
    std::vector<float> values(static_cast<std::size_t>(element_count(shape)));
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = 1 / (static_cast<float>(i) + 1);
    }
    return floats(shape, values);
  };
  const auto numbers = [](const Tensor& tensor) {
    const auto contents = tensor.array().contents();
    const auto& block = std::get<Block<float>>(*contents);
    return std::vector<float>(block.begin(), block.end());
  };
  // torch 1.13: (1 / (torch.arange(n) + 1)).view(shape).sum(dim)
  CHECK(numbers(sum(inverse({3, 4}), false, -2)) ==
        std::vector<float>{0x1.4fa4fcp+0F, 0x1.88888ap-1F, 0x1.225ae0p-1F, 0x1.d55556p-2F});
  CHECK(numbers(sum(inverse({300, 3}), false, -2)) ==
        std::vector<float>{0x1.78f89cp+1F, 0x1.2ba13ap+1F, 0x1.0c0f72p+1F});
  CHECK(numbers(sum(inverse({2, 70, 3}), true, -2)) == std::vector<float>{0x1.3acd1ep+1F, 0x1.db3b34p+0F,
                                                                          0x1.9c66f0p+0F, 0x1.d9ff90p-3F,
                                                                          0x1.d85f78p-3F, 0x1.d6c256p-3F});
  const std::vector<float> wide = numbers(sum(inverse({50, 35}), false, -2));
  CHECK((wide[0] == 0x1.206dfep+0F && wide[31] == 0x1.0ffa94p-3F && wide[32] == 0x1.0cf1ap-3F &&
         wide[34] == 0x1.07448cp-3F));
}

TEST_CASE("sizes by axis, from either end") {
  const Tensor x = counting({2, 6, 3});
  CHECK(x.dim() == 3);
  CHECK(x.size(0) == 2);
  CHECK(x.size(-1) == 3);
  CHECK(x.size(-3) == 2);
  CHECK_THROWS_AS(x.size(3), std::out_of_range);
  CHECK_THROWS_AS(x.size(-4), std::out_of_range);
}

TEST_CASE("errors name shapes that do not fit") {
  const auto n = [](const Shape& shape) { return counting(shape); };
  check_shape_error([&] { matmul(n({6, 3}), n({4, 5})); }, "[6, 3]", "[4, 5]");
  check_shape_error([&] { matmul(n({3}), n({3})); }, "[3]", "[3]");
  check_shape_error([&] { matmul(n({6, 3}), n({2, 3, 5})); }, "[6, 3]", "[2, 3, 5]");
  check_shape_error([&] { matmul(n({2, 6, 3}), n({4, 3, 5})); }, "[2, 6, 3]", "[4, 3, 5]");
  check_shape_error([&] { matmul(n({}), n({3, 5})); }, "[]", "[3, 5]");
  check_shape_error([&] { linear(n({6, 3}), n({4, 5}), {}, "W"); }, "[6, 3]", "[4, 5]");
  check_shape_error([&] { linear(n({6, 3}), n({3}), {}, "W"); }, "[6, 3]", "[3]");
  check_shape_error([&] { dots(n({6, 3}), n({4})); }, "[6, 3]", "[4]");
  check_shape_error([&] { dots(n({6}), n({6})); }, "[6]", "[6]");
  check_shape_error([&] { pairwise_dots(n({6, 3}), n({6, 4})); }, "[6, 3]", "[6, 4]");
  check_shape_error([&] { pairwise_dots(n({6, 3}), n({3})); }, "[6, 3]", "[3]");
  check_shape_error([&] { dot_by_loop(n({3}), n({4})); }, "[3]", "[4]");
  check_shape_error([&] { dot_by_loop(n({2, 3}), n({2, 3})); }, "[2, 3]", "[2, 3]");
  check_shape_error([&] { divide(n({6}), n({5})); }, "[6]", "[5]");
  check_shape_error([&] { divide(n({6, 5}), n({5, 1})); }, "[6, 5]", "[5, 1]");
  check_shape_error([&] { weighted_sum(n({5}), n({6, 3})); }, "[5]", "[6, 3]");
  check_shape_error([&] { weighted_sum(n({6, 1}), n({6, 3})); }, "[6, 1]", "[6, 3]");
  check_shape_error([&] { masked_fill(n({2, 6, 6}), mask_of({5, 6}), 0); }, "[5, 6]", "[2, 6, 6]");
  check_shape_error([&] { masked_fill(n({6}), mask_of({2, 6}), 0); }, "[2, 6]", "[6]");
  check_shape_error([&] { masked_fill(n({6, 5}), n({6, 5}), 0); }, "[6, 5]", "[6, 5]");
  check_shape_error([&] { dropout(n({6, 5}), mask_of({5, 6}), 0.5); }, "[6, 5]", "[5, 6]");
  check_shape_error([&] { view(n({6, 5}), {7, 4}); }, "[6, 5]", "[7, 4]");
  check_shape_error([&] { view(t(n({6, 5})), {30}).array(); }, "[30]", "[5, 6]");
  check_shape_error([&] { index(n({6, 5}), 6); }, "6", "[6, 5]");
  check_shape_error([&] { index(n({6, 5}), -1); }, "-1", "[6, 5]");
  check_shape_error([&] { index(n({}), 0); }, "0", "[]");
  check_shape_error([&] { transpose(n({6, 5}), 1, 2); }, "(1, 2)", "[6, 5]");
  check_shape_error([&] { transpose(n({6, 5}), -1, 0); }, "(-1, 0)", "[6, 5]");
  check_shape_error([&] { t(n({6})); }, "(0, 1)", "[6]");
  check_shape_error([&] { softmax(n({})); }, "softmax", "axis");
  check_shape_error([&] { sum(n({})); }, "sum", "axis");
}

TEST_CASE("a bias has one element for each row of the weight") {
  check_shape_error([] { linear(counting({6, 3}), counting({4, 3}), counting({5}), "W"); }, "[4, 3]", "[5]");
}

TEST_CASE("expressions are PyTorch's, with operands by name") {
  const Tensor queries = named("queries", {2, 3});
  const Tensor keys = named("keys", {2, 3});
  CHECK(t(keys).expression() == "keys.T");
  CHECK(matmul(queries, t(keys)).expression() == "queries @ keys.T");
  CHECK(divide(matmul(queries, t(keys)), std::sqrt(3.0), "keys.shape[-1]**0.5").expression() ==
        "(queries @ keys.T) / keys.shape[-1]**0.5");
  CHECK(t(matmul(queries, t(keys))).expression() == "(queries @ keys.T).T");
  CHECK(matmul(queries, matmul(t(keys), keys)).expression() == "queries @ (keys.T @ keys)");
  CHECK(index(queries, 1).expression() == "queries[1]");
  CHECK(transpose(queries, 0, 1).expression() == "queries.transpose(0, 1)");
  CHECK(transpose(view(queries, {1, 2, 3}), 1, 2).expression() == "queries.view(1, 2, 3).transpose(1, 2)");
  CHECK(view(contiguous(t(keys)), {6}).expression() == "keys.T.contiguous().view(6)");
  CHECK(stack(keys, 1).expression() == "torch.stack((keys,), dim=0)");
  CHECK(stack(keys, 2).expression() == "torch.stack((keys, keys), dim=0)");
  CHECK(stack(keys, 3).expression() == "torch.stack((keys, keys, keys), dim=0)");
  CHECK(stack(keys, 4).expression() == "torch.stack((keys, ..., keys), dim=0)");
  CHECK(linear(queries, keys, {}, "W_query").expression() == "W_query(queries)");
  CHECK(softmax(queries).expression() == "torch.softmax(queries, dim=-1)");
  CHECK(sum(queries).expression() == "queries.sum(dim=-1)");
  CHECK(sum(queries, true, -2).expression() == "queries.sum(dim=-2, keepdim=True)");
  CHECK(index(queries, 1, 1).expression() == "queries[:, 1]");
  CHECK(slice(queries, 1, 1, 3).expression() == "queries[:, 1:3]");
  CHECK(slice(queries, -1, 0, 2).expression() == "queries[..., :2]");
  CHECK(cat({queries, keys}, 1).expression() == "torch.cat([queries, keys], dim=1)");
  CHECK(repeat_interleave(queries, 2, 1).expression() == "queries.repeat_interleave(2, dim=1)");
  CHECK(stack({queries, keys}, 1).expression() == "torch.stack([queries, keys], dim=1)");
  CHECK(add(queries, divide(keys, 2, "2")).expression() == "queries + (keys / 2)");
  CHECK(t(named("line 44", {2, 3})).expression() == "line 44.T");
  CHECK(sum(divide(queries, 2, "2")).expression() == "(queries / 2).sum(dim=-1)");
  CHECK(dropout(queries, mask_of({2, 3}), 0.5).expression() == "nn.Dropout(0.5)(queries)");
  const Tensor mask = mask_of({2, 3});
  mask.set_name("mask");
  const float inf = std::numeric_limits<float>::infinity();
  CHECK(masked_fill(queries, mask, -inf).expression() == "queries.masked_fill(mask, -torch.inf)");
  CHECK(masked_fill(queries, mask, inf).expression() == "queries.masked_fill(mask, torch.inf)");
  CHECK(parameter(keys).expression() == "nn.Parameter(keys)");
  CHECK(parameter(keys, "nn.Linear(3, 2).weight").expression() == "nn.Linear(3, 2).weight");
  CHECK(frozen_parameter(keys).expression() == "nn.Parameter(keys, requires_grad=False)");
  CHECK(dot_by_loop(index(keys, 0), index(queries, 1)).expression() ==
        "sum(a * b for a, b in zip(keys[0], queries[1]))");
  CHECK(pairwise_dots(queries, keys).expression() ==
        "torch.stack([torch.stack([torch.dot(x_i, x_j) for x_j in keys]) for x_i in queries])");
  CHECK(divide(queries, sum(index(keys, 0))).expression() == "queries / keys[0].sum(dim=-1)");
}

TEST_CASE("the arguments of a call need no parentheses") {
  const Tensor keys = named("keys", {2, 3});
  CHECK(softmax(divide(keys, 2, "2")).expression() == "torch.softmax(keys / 2, dim=-1)");
  CHECK(linear(divide(keys, 2, "2"), keys, {}, "W_query").expression() == "W_query(keys / 2)");
}

TEST_CASE("a tensor keeps its first name, in all copies") {
  const Tensor x = counting({2});
  const Tensor copy = x;
  CHECK(x.name() == "");
  copy.set_name("keys");
  x.set_name("values");
  CHECK(x.name() == "keys");
}

TEST_CASE("inputs are the named tensors in an expression") {
  using Names = std::vector<std::string>;
  const Tensor queries = named("queries", {2, 3});
  const Tensor keys = named("keys", {2, 3});
  const Tensor scores = matmul(queries, t(keys));
  CHECK(scores.inputs() == Names{"queries", "keys"});
  CHECK(matmul(scores, keys).inputs() == Names{"queries", "keys"});
  CHECK(matmul(t(keys), keys).inputs() == Names{"keys"});
  scores.set_name("attn_scores");
  CHECK(matmul(scores, keys).inputs() == Names{"attn_scores", "keys"});
  CHECK(counting({2}).inputs() == Names{});
  const Tensor bias = named("bias", {2});
  CHECK(linear(queries, named("W", {2, 3}), bias, "W").inputs() == Names{"queries", "W", "bias"});
}

TEST_CASE("grad_fn is what PyTorch prints") {
  const Tensor x1 = trained("x", {5});
  const Tensor x2 = trained("x", {4, 5});
  const Tensor x3 = trained("x", {3, 4, 5});
  const Tensor x4 = trained("x", {2, 3, 4, 5});
  const Tensor weight = trained("W", {2, 5});
  const Tensor bias = trained("b", {2});
  const Tensor halves = divide(x2, 2, "2");
  const std::vector<std::pair<std::string, Tensor>> tensors = {
      {"index", index(x2, 1)},
      {"stack", stack(x2, 2)},
      {"repeat_interleave", repeat_interleave(x2, 2, 0)},
      {"t", t(x2)},
      {"transpose", transpose(x3, 1, 2)},
      {"view", view(x2, {5, 4})},
      {"contiguous", contiguous(t(x2))},
      {"divide", halves},
      {"masked_fill", masked_fill(x2, mask_of({4, 5}), 0)},
      {"softmax", softmax(x2)},
      {"sum", sum(x2)},
      {"sqrt", sqrt(x2)},
      {"rsqrt", rsqrt(x2)},
      {"raise", add(x2, 1e-5)},
      {"mean", mean(x2)},
      {"variance", variance(x2)},
      {"layer_norm", scale_and_shift(x2, x1, x1)},
      {"subtract", subtract(x2, x1)},
      {"softmax_gradient", softmax_gradient(x2, counting({4, 5}))},
      {"total", total(x2)},
      {"lookup", lookup(x2, torch::tensor(std::vector<std::int64_t>{2, 0}), "table")},
      {"cos", cos(x2)},
      {"sin", sin(x2)},
      {"every", every(x2, 0, 2)},
      {"amax", amax(x2)},
      {"maximum", maximum(x2, halves)},
      {"dots", dots(x2, x1)},
      {"dot_by_loop", dot_by_loop(x1, x1)},
      {"pairwise_dots", pairwise_dots(x2, x2)},
      {"divide by a scalar", divide(x2, sum(x1))},
      {"weighted_sum", weighted_sum(index(t(x2), 0), x2)},
      {"matmul 1-D", matmul(x1, t(weight))},
      {"matmul 2-D", matmul(x2, t(weight))},
      {"matmul 3-D @ 2-D", matmul(x3, t(weight))},
      {"matmul 3-D", matmul(x3, transpose(x3, 1, 2))},
      {"matmul 4-D", matmul(x4, transpose(x4, 2, 3))},
      {"dropout 0", dropout(halves, mask_of({4, 5}), 0)},
      {"dropout 0.5", dropout(x2, mask_of({4, 5}), 0.5)},
      {"dropout 1", dropout(x2, mask_of({4, 5}), 1)},
      {"linear 1-D", linear(x1, weight, {}, "W")},
      {"linear 1-D with bias", linear(x1, weight, bias, "W")},
      {"linear 2-D", linear(x2, weight, {}, "W")},
      {"linear 2-D with bias", linear(x2, weight, bias, "W")},
      {"linear 3-D", linear(x3, weight, {}, "W")},
      {"linear 3-D with bias", linear(x3, weight, bias, "W")},
  };
  CHECK(tensors.size() == golden()["grad_fn"].size());
  for (const auto& named_tensor : tensors) {
    const std::string& name = named_tensor.first;
    CAPTURE(name);
    CHECK(named_tensor.second.requires_grad());
    CHECK(named_tensor.second.grad_fn() == golden()["grad_fn"][name].get<std::string>());
  }
}

TEST_CASE("a gradient is required if a parameter is involved") {
  const Tensor plain = counting({2, 2});
  const Tensor weight = parameter(plain);
  CHECK_FALSE(plain.requires_grad());
  CHECK(weight.requires_grad());
  CHECK(weight.grad_fn() == "");
  CHECK(weight.operation().is_parameter());
  const Tensor frozen = frozen_parameter(plain);
  CHECK(frozen.operation().is_parameter());
  CHECK_FALSE(frozen.requires_grad());
  CHECK_FALSE(matmul(plain, frozen).requires_grad());
  CHECK_FALSE(matmul(plain, plain).requires_grad());
  CHECK(matmul(plain, plain).grad_fn() == "");
  CHECK(matmul(plain, weight).requires_grad());
  CHECK(matmul(weight, plain).requires_grad());
  CHECK(linear(plain, plain, parameter(counting({2})), "W").requires_grad());
  CHECK(sum(softmax(matmul(plain, weight))).requires_grad());
}

TEST_CASE("dropout of nothing is its operand") {
  const Tensor weight = parameter(counting({2, 2}));
  CHECK(dropout(weight, mask_of({2, 2}), 0).grad_fn() == "");
}

TEST_CASE("numbers are computed once, on first use") {
  auto calls = std::make_shared<int>(0);
  const Tensor x = leaf({2, 2}, DType::float32, "x", [calls] {
    ++*calls;
    return Contents(filled({2, 2}, {1, 2, 3, 4}));
  });
  const Tensor scores = matmul(x, t(x));
  x.set_name("x");
  const Tensor weights = softmax(divide(scores, 2, "2"));
  CHECK(weights.shape() == Shape{2, 2});
  CHECK(scores.expression() == "x @ x.T");
  CHECK(weights.inputs().size() == 1);
  CHECK(weights.grad_fn() == "");
  std::unordered_set<const void*> seen;
  CHECK(weights.bytes(seen) > 0);
  CHECK(*calls == 0);
  CHECK(values_of(scores) == std::vector<float>{5, 11, 11, 25});
  CHECK(*calls == 1);
  weights.array();
  const Tensor copy = x;
  copy.array();
  CHECK(*calls == 1);
  CHECK(copy.array().storage == x.array().storage);
}

TEST_CASE("bytes count shared operands once, and views not at all") {
  const auto bytes = [](const Tensor& x) {
    std::unordered_set<const void*> seen;
    return x.bytes(seen);
  };
  const Tensor x = counting({2, 3});
  CHECK(bytes(x) == 24);
  CHECK(bytes(t(x)) == 24);
  CHECK(bytes(index(x, 0)) == 24);
  CHECK(bytes(view(x, {6})) == 24);
  CHECK(bytes(parameter(x)) == 24);
  CHECK(bytes(matmul(x, t(x))) == 24 + 16);
  CHECK(bytes(mask_of({2, 3})) == 6);
  CHECK(bytes(leaf({5}, DType::int64, "ids", {})) == 40);
  CHECK(bytes(stack(x, 4)) == 24 + 96);
  std::unordered_set<const void*> seen;
  const Tensor product = matmul(x, t(x));
  const Tensor sums = sum(x);
  CHECK(product.bytes(seen) == 40);
  CHECK(x.bytes(seen) == 0);
  CHECK(sums.bytes(seen) == 8);
}

TEST_CASE("sizes beyond 63 bits are refused and do not wrap") {
  const std::int64_t huge = std::int64_t{1} << 31;
  const auto planned = [](const Shape& shape) { return leaf(shape, DType::float32, "x", {}); };
  CHECK_THROWS_AS(planned({huge, huge, 2}), TooLarge);
  const auto bytes = [](const Tensor& x) {
    std::unordered_set<const void*> seen;
    return x.bytes(seen);
  };
  CHECK_THROWS_AS(bytes(planned({huge, huge})), TooLarge);
  const Tensor half = planned({std::int64_t{1} << 29, huge});
  CHECK(bytes(half) == std::int64_t{1} << 62);
  CHECK_THROWS_AS(bytes(divide(half, 2, "2")), TooLarge);
}

// --- Numbers ---

TEST_CASE("softmax is PyTorch's to the last bit") {
  for (const auto& [cpu, suffix] : cpus) {
    const std::string name = std::string("softmax") + suffix;
    CAPTURE(name);
    for (const json& test : golden().at(name)) {
      const Shape shape = test["shape"];
      std::vector<float> values = far_apart(test["seed"], element_count(shape));
      const auto masked = test["masked"].get<std::ptrdiff_t>();
      std::fill(values.end() - masked, values.end(), -std::numeric_limits<float>::infinity());
      CAPTURE(shape_text(shape));
      CAPTURE(masked);
      check_bits(softmax(floats(shape, values, Kernels{cpu, Blas::haswell})), test);
    }
  }
}

TEST_CASE("softmax's gradient is PyTorch's to the last bit") {
  for (const auto& [cpu, suffix] : cpus) {
    const std::string name = std::string("softmax_gradient") + suffix;
    CAPTURE(name);
    for (const json& test : golden().at(name)) {
      const Shape shape = test["shape"];
      const std::uint32_t seed = test["seed"];
      const Kernels kernels{cpu, Blas::haswell};
      std::vector<float> scores = far_apart(seed, element_count(shape));
      std::fill(scores.end() - test["masked"].get<std::ptrdiff_t>(), scores.end(),
                -std::numeric_limits<float>::infinity());
      CAPTURE(shape_text(shape));
      const Tensor gradients = floats(shape, numbers(seed + 1000, element_count(shape)), kernels);
      check_bits(softmax_gradient(gradients, softmax(floats(shape, scores, kernels))), test);
    }
  }
  CHECK_THROWS_AS(softmax_gradient(counting({2, 3}), counting({3, 2})), ShapeError);
}

TEST_CASE("softmax over another axis is PyTorch's to the last bit") {
  for (const auto& [cpu, suffix] : cpus) {
    const std::string name = std::string("softmax_over") + suffix;
    CAPTURE(name);
    for (const json& test : golden().at(name)) {
      const Shape shape = test["shape"];
      const std::int64_t axis = test["axis"];
      CAPTURE(shape_text(shape));
      CAPTURE(axis);
      check_bits(
          softmax_over(floats(shape, far_apart(test["seed"], element_count(shape)), Kernels{cpu, Blas::haswell}), axis),
          test);
    }
  }
}

TEST_CASE("softmax works on rows of a view") {
  const Tensor x = counting({3, 2});
  CHECK(values_of(softmax(t(x))) == values_of(softmax(floats({2, 3}, {0, 2, 4, 1, 3, 5}))));
}

TEST_CASE("sums are PyTorch's to the last bit") {
  for (const json& test : golden()["sum"]) {
    const Shape shape = test["shape"];
    CAPTURE(shape_text(shape));
    check_bits(sum(floats(shape, numbers(test["seed"], element_count(shape)))), test);
  }
}

TEST_CASE("the sum of all elements is PyTorch's to the last bit") {
  for (const json& test : golden()["total"]) {
    const Shape shape = test["shape"];
    CAPTURE(shape_text(shape));
    check_bits(total(floats(shape, numbers(test["seed"], element_count(shape)))), test);
  }
}

TEST_CASE("a tensor computed without gradients has none, whatever it is rewritten to") {
  const Tensor x = trained("x", {2, 3});
  const Tensor doubled = divide(x, 0.5, "0.5");
  doubled.set_name("doubled");
  const Tensor product = matmul(doubled, t(doubled));
  product.set_without_grad();
  CHECK_FALSE(product.requires_grad());
  CHECK(product.grad_fn().empty());
  CHECK(product.operands()[1].requires_grad());  // a view says so of its base
  CHECK(product.operands()[1].grad_fn().empty());
  CHECK(doubled.grad_fn() == "DivBackward0");
  Rewriter halve(
      [&](const Tensor& was, const Tensor& is) { return was.id() == doubled.id() ? divide(x, 2, "2") : is; });
  CHECK_FALSE(halve(product).requires_grad());
}

TEST_CASE("products are PyTorch's in every layout") {
  for (const json& test : golden()["matmul"]) {
    const Shape a = test["a"];
    const Shape b = test["b"];
    const std::uint32_t seed = test["seed"];
    const bool rounds = test["numbers"] == "numbers";
    const auto make = rounds ? numbers : integers;
    const Tensor left = operand(make(seed, element_count(a)), a, test["a_t"]);
    const Tensor right = operand(make(seed + 1000, element_count(b)), b, test["b_t"]);
    const Tensor result = matmul(left, right);
    CAPTURE(test.dump().substr(0, 120));
    CHECK(result.shape() == test["shape"].get<Shape>());
    if (rounds) {
      check_bits(result, test);
    } else {
      check_values(result, test);
    }
  }
}

TEST_CASE("linear is PyTorch's with and without a bias") {
  for (const json& test : golden()["linear"]) {
    const Shape shape = test["x"];
    const std::int64_t d_out = test["d_out"];
    const std::uint32_t seed = test["seed"];
    std::optional<Tensor> bias;
    if (test["bias"]) {
      bias = floats({d_out}, integers(seed + 2000, d_out));
    }
    const Tensor weight = floats({d_out, shape.back()}, integers(seed + 1000, d_out * shape.back()));
    const Tensor result = linear(floats(shape, integers(seed, element_count(shape))), weight, bias, "W");
    CAPTURE(test.dump().substr(0, 120));
    CHECK(result.shape() == test["shape"].get<Shape>());
    check_values(result, test);
  }
}

TEST_CASE("products are PyTorch's to the last bit with each set of OpenBLAS kernels") {
  const char* const name = "by_blas haswell";
  for (const Blas blas : {Blas::haswell, Blas::portable}) {
    if (!gives_bits_of(blas)) {
      MESSAGE("this processor cannot run: ", name);
      continue;
    }
    for (const json& test : golden()[name]) {
      CAPTURE(name);
      CAPTURE(test.dump().substr(0, 120));
      const Shape a = test["a"];
      const Shape b = test["b"];
      const std::uint32_t seed = test["seed"];
      const Tensor left = floats(a, numbers(seed, element_count(a)), Kernels{Cpu::avx2, blas});
      const Tensor right = operand(numbers(seed + 1000, element_count(b)), b, test["b_t"]);
      const std::string operation = test["operation"];
      if (operation == "linear") {
        check_bits(linear(left, right, floats({b[0]}, numbers(seed + 2000, b[0])), "W"), test);
        continue;
      }
      check_bits(operation == "matmul"   ? matmul(left, right)
                 : operation == "matvec" ? matvec(left, right)
                 : operation == "dots"   ? dots(left, right)
                                         : pairwise_dots(left, right),
                 test);
      if (operation == "matmul" && !test["b_t"]) {  // a constant follows the other operand
        const Tensor constant = floats(a, numbers(seed, element_count(a)));
        check_bits(matmul(constant, floats(b, numbers(seed + 1000, element_count(b)), Kernels{Cpu::avx2, blas})), test);
      }
    }
  }
}

TEST_CASE("dots are PyTorch's") {
  for (const json& test : golden()["dots"]) {
    const std::int64_t rows = test["rows"];
    const std::int64_t width = test["width"];
    const std::uint32_t seed = test["seed"];
    CAPTURE(width);
    const Tensor x = floats({width}, integers(seed + 1000, width));
    check_values(dots(floats({rows, width}, integers(seed, rows * width)), x), test);
  }
  CHECK(values_of(dots(t(counting({2, 2})), index(t(counting({2, 2})), 1))) == std::vector<float>{6, 10});
}

TEST_CASE("dots of all pairs of rows are PyTorch's") {
  for (const json& test : golden()["pairwise_dots"]) {
    const Shape a = {test["rows"], test["width"]};
    const Shape b = {test["columns"], test["width"]};
    const std::uint32_t seed = test["seed"];
    CAPTURE(test.dump().substr(0, 120));
    check_values(
        pairwise_dots(floats(a, integers(seed, element_count(a))), floats(b, integers(seed + 1000, element_count(b)))),
        test);
  }
  CHECK(values_of(pairwise_dots(t(counting({2, 2})), counting({1, 2}))) == std::vector<float>{2, 3});
}

TEST_CASE("a dot product by loop rounds every product before it is added") {
  for (const json& test : golden()["dot_by_loop"]) {
    const std::int64_t width = test["width"];
    const std::uint32_t seed = test["seed"];
    CAPTURE(width);
    check_bits(dot_by_loop(floats({width}, numbers(seed, width)), floats({width}, numbers(seed + 1000, width))), test);
  }
}

TEST_CASE("weighted sums add row after row") {
  for (const json& test : golden()["weighted_sum"]) {
    const std::int64_t rows = test["rows"];
    const std::int64_t width = test["width"];
    const std::uint32_t seed = test["seed"];
    CAPTURE(rows);
    const Tensor weights = floats({rows}, numbers(seed + 1000, rows));
    check_bits(weighted_sum(weights, floats({rows, width}, numbers(seed, rows * width))), test);
  }
}

TEST_CASE("division is PyTorch's to the last bit") {
  for (const json& test : golden()["divide"]) {
    const Shape shape = test["shape"];
    const double size = test["size"];
    CAPTURE(size);
    check_bits(divide(floats(shape, numbers(test["seed"], element_count(shape))), std::sqrt(size), "size"), test);
  }
}

TEST_CASE("division element by element repeats axes of size 1, and a scalar along all axes") {
  for (const json& test : golden()["divide_by"]) {
    const Shape shape = test["shape"];
    const Shape by = test["by"];
    const std::uint32_t seed = test["seed"];
    CAPTURE(shape_text(by));
    check_bits(
        divide(floats(shape, numbers(seed, element_count(shape))), floats(by, numbers(seed + 1000, element_count(by)))),
        test);
  }
  const Derivation derivation =
      divide(counting({4, 9}), counting({})).operation().derive({counting({4, 9}), counting({})}, {2, 3});
  CHECK(derivation.terms.at(0).a.index == Shape{2, 3});
  CHECK(derivation.terms.at(0).b->index == Shape{});
}

TEST_CASE("subtraction repeats either operand along axes that it lacks or that have size 1") {
  for (const json& test : golden()["subtract"]) {
    const Shape a = test["a"];
    const Shape b = test["b"];
    const std::uint32_t seed = test["seed"];
    CAPTURE(shape_text(a));
    CAPTURE(shape_text(b));
    const Tensor difference =
        subtract(floats(a, numbers(seed, element_count(a))), floats(b, numbers(seed + 1000, element_count(b))));
    CHECK(difference.shape() == test["shape"].get<Shape>());
    check_bits(difference, test);
  }
  CHECK_THROWS_AS(subtract(counting({4, 9}), counting({4})), ShapeError);
}

TEST_CASE("maxima are PyTorch's, of nan too") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const json& test : golden()["amax"]) {
    const Shape shape = test["of"];
    const std::string special = test["special"];
    CAPTURE(shape_text(shape));
    CAPTURE(special);
    std::vector<float> x = numbers(test["seed"], element_count(shape));
    for (std::size_t i = 0; i < x.size(); ++i) {
      const bool is_last = (i + 1) % static_cast<std::size_t>(shape.back()) == 0;
      x[i] = special == "-inf" ? -INFINITY : special == "nan" && is_last ? nan : x[i];
    }
    check_bits(amax(floats(shape, x)), test);
  }
  for (const json& test : golden()["maximum"]) {
    const Shape shape = test["shape"];
    const std::uint32_t seed = test["seed"];
    CAPTURE(shape_text(shape));
    std::vector<float> a = numbers(seed, element_count(shape));
    std::vector<float> b = numbers(seed + 1000, element_count(shape));
    if (test["special"] == "nan") {
      const auto row = static_cast<std::ptrdiff_t>(a.size()) / shape[0];
      std::fill_n(a.begin(), row, nan);
      std::fill_n(b.end() - row, row, nan);
    }
    check_bits(maximum(floats(shape, a), floats(shape, b)), test);
  }
  CHECK_THROWS_AS(maximum(counting({4}), counting({1})), ShapeError);
  CHECK_THROWS_AS(amax(counting({})), ShapeError);
}

TEST_CASE("cosines and sines are PyTorch's in float64, rounded") {
  for (const json& test : golden()["cosine"]) {
    const Shape shape = test["shape"];
    const std::string function = test["function"];
    const float scale = test["scale"];
    CAPTURE(function);
    CAPTURE(scale);
    std::vector<float> angles = numbers(test["seed"], element_count(shape));
    for (float& angle : angles) {
      angle *= scale;
    }
    check_bits(function == "cos" ? cos(floats(shape, angles)) : sin(floats(shape, angles)), test);
  }
}

TEST_CASE("means, variances, roots and added numbers are PyTorch's") {
  for (const char* const name : {"mean", "variance"}) {
    for (const json& test : golden()[name]) {
      const Shape of = test["of"];
      CAPTURE(name);
      CAPTURE(shape_text(of));
      const Tensor x = floats(of, numbers(test["seed"], element_count(of)));
      const Tensor made = std::string(name) == "mean" ? mean(x) : variance(x);
      CHECK(made.shape() == test["shape"].get<Shape>());
      check_bits(made, test);
    }
  }
  for (const json& test : golden()["root"]) {
    const Shape shape = test["shape"];
    std::vector<float> x = numbers(test["seed"], element_count(shape));
    std::ranges::for_each(x, [](float& value) { value += 4; });
    check_bits(test["function"] == "sqrt" ? sqrt(floats(shape, x)) : rsqrt(floats(shape, x)), test);
  }
  for (const json& test : golden()["raise"]) {
    const Shape shape = test["shape"];
    const double addend = test["addend"];
    CAPTURE(addend);
    check_bits(add(floats(shape, numbers(test["seed"], element_count(shape))), addend), test);
  }
  CHECK_THROWS_AS(mean(counting({})), ShapeError);
}

TEST_CASE("the steps of nn.LayerNorm are PyTorch's") {
  for (const auto& [cpu, name] : cpus) {
    const std::string suffix = name;
    const json& set = golden()["layer_norm" + suffix];
    CHECK(set.size() > 80);
    for (const json& test : set) {
      const Shape shape = test["shape"];
      const std::uint32_t seed = test["seed"];
      CAPTURE(suffix);
      CAPTURE(shape_text(shape));
      const Kernels kernels = {cpu, Blas::haswell};
      const Tensor x = floats(shape, numbers(seed, element_count(shape)), kernels);
      const Tensor middle = layer_norm_mean(x);
      const Tensor factor = layer_norm_factor(x, test["eps"]);
      CHECK(factor.shape() == Shape{shape[0], 1});
      check_bits(middle, test, "mean");
      check_bits(factor, test, "factor");
      if (!test["result"].get<std::string>().empty()) {
        const Tensor weight = floats({shape[1]}, numbers(seed + 1000, shape[1]), kernels);
        const Tensor bias = floats({shape[1]}, numbers(seed + 2000, shape[1]), kernels);
        check_bits(scale_and_shift(multiply(subtract(x, middle), factor), weight, bias), test);
      }
    }
  }
  CHECK_THROWS_AS(scale_and_shift(counting({2, 3}), counting({2}), counting({3})), ShapeError);
}

TEST_CASE("every step-th item of the last axis, also of a part") {
  for (const json& test : golden()["every"]) {
    const Shape of = test["of"];
    CAPTURE(shape_text(of));
    const Tensor items = every(floats(of, numbers(test["seed"], element_count(of))), test["first"], test["step"]);
    CHECK(items.shape() == test["shape"].get<Shape>());
    check_bits(items, test);
    Box last;
    for (const std::int64_t size : items.shape()) {
      last.push_back({size - 1, size});
    }
    Shape end = items.shape();
    std::ranges::transform(end, end.begin(), [](std::int64_t size) { return size - 1; });
    CHECK(items.part(last).value(Shape(end.size(), 0)) == items.value(end));
  }
  CHECK_THROWS_AS(every(counting({4}), 4, 2), ShapeError);
  CHECK_THROWS_AS(every(counting({4}), 0, 1), ShapeError);
  CHECK_THROWS_AS(every(counting({}), 0, 2), ShapeError);
}

TEST_CASE("rows are looked up in a table") {
  for (const json& test : golden()["lookup"]) {
    const Shape of = test["of"];
    CAPTURE(shape_text(of));
    const Tensor table = floats(of, numbers(test["seed"], element_count(of)));
    const Tensor rows = lookup(table, torch::tensor(test["ids"].get<std::vector<std::int64_t>>()), "table");
    CHECK(rows.shape() == test["shape"].get<Shape>());
    check_bits(rows, test);
  }
  SUBCASE("of a large table only the rows that are needed") {
    std::vector<Box> read;
    const auto fill = [&read](const Box& part) {
      read.push_back(part);
      Block<float> numbers(box_shape(part));
      std::fill(numbers.begin(), numbers.end(), static_cast<float>(part[0].begin));
      return Contents(std::move(numbers));
    };
    const Tensor table = leaf({std::int64_t{1} << 40, 3}, DType::float32, "table", fill);
    const Tensor rows = lookup(table, torch::tensor(std::vector<std::int64_t>{7, 1'000'000'000}), "table");
    CHECK(rows.is_at_hand());
    std::unordered_set<const void*> seen;
    CHECK(rows.bytes(seen) < 100);
    CHECK(transpose(rows, 0, 1).value({2, 1}) == 1e9);
    CHECK(read == std::vector<Box>{{{7, 8}, {0, 3}}, {{1'000'000'000, 1'000'000'001}, {0, 3}}});
  }
  CHECK_THROWS_AS(lookup(counting({4}), torch::tensor(std::vector<std::int64_t>{0}), "table"), ShapeError);
  CHECK_THROWS_AS(lookup(counting({4, 2}), counting({2}), "table"), ShapeError);
}

TEST_CASE("dropout scales as PyTorch does") {
  for (const json& test : golden()["dropout"]) {
    const Shape shape = test["shape"];
    std::vector<bool> kept;
    for (const char c : test["kept"].get<std::string>()) {
      kept.push_back(c == '1');
    }
    const double p = test["p"];
    CAPTURE(p);
    check_bits(dropout(floats(shape, numbers(test["seed"], element_count(shape))), mask_of(shape, kept), p), test);
  }
}

TEST_CASE("masked_fill repeats the mask over the leading axes") {
  const Tensor mask = mask_of({2, 2}, {false, true, false, false});
  CHECK(values_of(masked_fill(counting({2, 2, 2}), mask, -9)) == std::vector<float>{0, -9, 2, 3, 4, -9, 6, 7});
  CHECK(values_of(masked_fill(t(counting({2, 2})), mask, -9)) == std::vector<float>{0, -9, 1, 3});
}

TEST_CASE("repeat_interleave puts an item's copies side by side") {  // as torch.arange(4).view(2, 2) gives them
  const Tensor x = counting({2, 2});
  CHECK(values_of(repeat_interleave(x, 2, 0)) == std::vector<float>{0, 1, 0, 1, 2, 3, 2, 3});
  CHECK(values_of(repeat_interleave(x, 2, 1)) == std::vector<float>{0, 0, 1, 1, 2, 2, 3, 3});
  CHECK(values_of(repeat_interleave(t(x), 3, 0)) == std::vector<float>{0, 2, 0, 2, 0, 2, 1, 3, 1, 3, 1, 3});
}

TEST_CASE("stack copies a view in its own order") {
  CHECK(values_of(stack(t(counting({2, 2})), 2)) == std::vector<float>{0, 2, 1, 3, 0, 2, 1, 3});
}
