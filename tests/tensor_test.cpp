// Arrays and their views, what tensors know of how they were made, and operations against golden/operations.json.

#include "tensor/tensor.hpp"

#include "made.hpp"
#include "tensor/blas.hpp"
#include "tensor/operations.hpp"

namespace {

using namespace attn;
using nlohmann::json;
using test::bools;
using test::floats;
using test::values_of;

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

Tensor bools(const Shape& shape) {
  return bools(shape, std::vector<bool>(static_cast<std::size_t>(element_count(shape))));
}

/// The operation fails, and its message has both texts.
void check_shape_error(const std::function<void()>& operation, const std::string& one, const std::string& other) {
  std::string message;
  try {
    operation();
  } catch (const ShapeError& error) {
    message = error.what();
  }
  CAPTURE(message);
  CHECK_FALSE(message.empty());
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
  const std::vector<float> expected = results(test, name);
  CHECK(!expected.empty());
  CHECK(std::ranges::equal(values_of(actual), expected, same_bits));
}

std::int64_t bytes_of(const Tensor& tensor) {
  std::unordered_set<const void*> seen;
  return tensor.bytes(seen);
}

}  // namespace

// --- Arrays ---

TEST_CASE("counts of elements and bytes beyond 63 bits are refused and do not wrap") {
  const std::int64_t huge = std::int64_t{1} << 31;
  CHECK(element_count({huge, huge}) == std::int64_t{1} << 62);
  CHECK_THROWS_AS(element_count({2 * huge, huge}), TooLarge);
  const auto planned = [](const Shape& shape) { return leaf(shape, DType::float32, "x", {}); };
  CHECK_THROWS_AS(planned({huge, huge, 2}), TooLarge);
  CHECK_THROWS_AS(bytes_of(planned({huge, huge})), TooLarge);
  const Tensor half = planned({huge / 4, huge});
  CHECK(bytes_of(half) == std::int64_t{1} << 62);
  CHECK_THROWS_AS(bytes_of(divide(half, 2, "2")), TooLarge);
}

TEST_CASE("axes of size 1 do not keep an array from being contiguous") {
  const Array array = counting({2, 3}).array();
  CHECK(Array(array, {2, 1, 3}, {3, 77, 1}, 0).is_contiguous());
  CHECK(Array(array, {1, 3}, {-5, 1}, 0).is_contiguous());
  CHECK_FALSE(Array(array, {3, 2}, {1, 3}, 0).is_contiguous());
  CHECK_FALSE(Array(array, {2, 1}, {3, 1}, 0).is_contiguous());
  CHECK(Array(array, {}, {}, 4).is_contiguous());
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
  CHECK(shares(floats({}, {7}).array(), {1, 1}));
  CHECK(shares(floats({1, 1}, {7}).array(), {}));
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

TEST_CASE("sums over an axis that is not the last add in PyTorch's order") {
  const auto inverse = [](const Shape& shape) {
    std::vector<float> values(static_cast<std::size_t>(element_count(shape)));
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = 1 / (static_cast<float>(i) + 1);
    }
    return floats(shape, values);
  };
  // torch 1.13: (1 / (torch.arange(n) + 1)).view(shape).sum(dim)
  CHECK(values_of(sum(inverse({3, 4}), false, -2)) ==
        std::vector<float>{0x1.4fa4fcp+0F, 0x1.88888ap-1F, 0x1.225ae0p-1F, 0x1.d55556p-2F});
  CHECK(values_of(sum(inverse({300, 3}), false, -2)) ==
        std::vector<float>{0x1.78f89cp+1F, 0x1.2ba13ap+1F, 0x1.0c0f72p+1F});
  const std::vector<float> wide = values_of(sum(inverse({50, 35}), false, -2));
  CHECK((wide[0] == 0x1.206dfep+0F && wide[31] == 0x1.0ffa94p-3F && wide[32] == 0x1.0cf1ap-3F &&
         wide[34] == 0x1.07448cp-3F));
}

TEST_CASE("errors name shapes that do not fit") {
  const auto n = [](const Shape& shape) { return counting(shape); };
  check_shape_error([&] { matmul(n({6, 3}), n({4, 5})); }, "[6, 3]", "[4, 5]");
  check_shape_error([&] { matmul(n({3}), n({3})); }, "[3]", "[3]");
  check_shape_error([&] { matmul(n({6, 3}), n({2, 3, 5})); }, "[6, 3]", "[2, 3, 5]");
  check_shape_error([&] { linear(n({6, 3}), n({4, 5}), {}, "W"); }, "[6, 3]", "[4, 5]");
  check_shape_error([&] { dots(n({6, 3}), n({4})); }, "[6, 3]", "[4]");
  check_shape_error([&] { pairwise_dots(n({6, 3}), n({6, 4})); }, "[6, 3]", "[6, 4]");
  check_shape_error([&] { dot_by_loop(n({3}), n({4})); }, "[3]", "[4]");
  check_shape_error([&] { divide(n({6}), n({5})); }, "[6]", "[5]");
  check_shape_error([&] { divide(n({6, 5}), n({5, 1})); }, "[6, 5]", "[5, 1]");
  check_shape_error([&] { weighted_sum(n({5}), n({6, 3})); }, "[5]", "[6, 3]");
  check_shape_error([&] { masked_fill(n({2, 6, 6}), bools({5, 6}), 0); }, "[5, 6]", "[2, 6, 6]");
  check_shape_error([&] { masked_fill(n({6}), bools({2, 6}), 0); }, "[2, 6]", "[6]");
  check_shape_error([&] { dropout(n({6, 5}), bools({5, 6}), 0.5); }, "[6, 5]", "[5, 6]");
  check_shape_error([&] { view(n({6, 5}), {7, 4}); }, "[6, 5]", "[7, 4]");
  check_shape_error([&] { view(t(n({6, 5})), {30}).array(); }, "[30]", "[5, 6]");
  check_shape_error([&] { index(n({6, 5}), 6); }, "6", "[6, 5]");
  check_shape_error([&] { index(n({6, 5}), -1); }, "-1", "[6, 5]");
  check_shape_error([&] { transpose(n({6, 5}), 1, 2); }, "(1, 2)", "[6, 5]");
  check_shape_error([&] { t(n({6})); }, "(0, 1)", "[6]");
  check_shape_error([&] { softmax(n({})); }, "softmax", "axis");
  check_shape_error([&] { linear(n({6, 3}), n({4, 3}), n({5}), "W"); }, "[4, 3]", "[5]");
  check_shape_error([&] { scale_and_shift(n({2, 3}), n({2}), n({3})); }, "[2]", "");
  check_shape_error([&] { mean(n({})); }, "", "");
  check_shape_error([&] { amax(n({})); }, "", "");
  check_shape_error([&] { maximum(n({4}), n({1})); }, "", "");
  check_shape_error([&] { softmax_gradient(n({2, 3}), n({3, 2})); }, "", "");
  check_shape_error([&] { subtract(n({4, 9}), n({4})); }, "", "");
  check_shape_error([&] { every(n({4}), 4, 2); }, "", "");
  check_shape_error([&] { every(n({4}), 0, 1); }, "", "");
  check_shape_error([&] { lookup(n({4, 2}), n({2}), "table"); }, "", "");
}

TEST_CASE(
    "expressions have PyTorch's parentheses, and name their inputs") {  // cli.sentences computes those of all steps
  using Names = std::vector<std::string>;
  const Tensor queries = named("queries", {2, 3});
  const Tensor keys = named("keys", {2, 3});
  const Tensor scores = matmul(queries, t(keys));
  CHECK(t(scores).expression() == "(queries @ keys.T).T");
  CHECK(matmul(queries, matmul(t(keys), keys)).expression() == "queries @ (keys.T @ keys)");
  CHECK(stack(keys, 1).expression() == "torch.stack((keys,), dim=0)");
  CHECK(stack(keys, 3).expression() == "torch.stack((keys, keys, keys), dim=0)");
  CHECK(stack(keys, 4).expression() == "torch.stack((keys, ..., keys), dim=0)");
  CHECK(add(queries, divide(keys, 2, "2")).expression() == "queries + (keys / 2)");
  CHECK(sum(divide(queries, 2, "2"), true, -2).expression() == "(queries / 2).sum(dim=-2, keepdim=True)");
  CHECK(linear(divide(keys, 2, "2"), keys, {}, "W_query").expression() == "W_query(keys / 2)");
  CHECK(matmul(scores, keys).inputs() == Names{"queries", "keys"});
  CHECK(matmul(t(keys), keys).inputs() == Names{"keys"});
  scores.set_name("attn_scores");
  CHECK(matmul(scores, keys).inputs() == Names{"attn_scores", "keys"});
  CHECK(counting({2}).inputs() == Names{});
  CHECK(linear(queries, named("W", {2, 3}), named("bias", {2}), "W").inputs() == Names{"queries", "W", "bias"});
}

TEST_CASE("grad_fn is what PyTorch prints, also where no golden page has it") {
  const Tensor x = parameter(counting({4, 5}));
  const Tensor row = parameter(counting({5}));
  const Tensor weight = parameter(counting({2, 5}));
  const std::vector<std::pair<std::string, Tensor>> tensors = {
      {"index", index(x, 1)},
      {"contiguous", contiguous(t(x))},
      {"sqrt", sqrt(x)},
      {"rsqrt", rsqrt(x)},
      {"mean", mean(x)},
      {"variance", variance(x)},
      {"layer_norm", scale_and_shift(x, row, row)},
      {"softmax_gradient", softmax_gradient(x, counting({4, 5}))},
      {"cos", cos(x)},
      {"sin", sin(x)},
      {"dropout 1", dropout(x, bools({4, 5}), 1)},
      {"linear 1-D with bias", linear(row, weight, parameter(counting({2})), "W")},
      {"linear 2-D with bias", linear(x, weight, parameter(counting({2})), "W")},
  };
  for (const auto& one : tensors) {
    CAPTURE(one.first);
    CHECK(one.second.grad_fn() == golden()["grad_fn"][one.first].get<std::string>());
  }
}

TEST_CASE("a gradient is required if a parameter is involved") {
  const Tensor plain = counting({2, 2});
  const Tensor weight = parameter(plain);
  CHECK_FALSE(plain.requires_grad());
  CHECK(weight.requires_grad());
  CHECK(weight.grad_fn() == "");
  const Tensor frozen = frozen_parameter(plain);
  CHECK(frozen.operation().is_parameter());
  CHECK_FALSE(frozen.requires_grad());
  CHECK_FALSE(matmul(plain, frozen).requires_grad());
  CHECK(matmul(plain, weight).requires_grad());
  CHECK(matmul(weight, plain).requires_grad());
  CHECK(linear(plain, plain, parameter(counting({2})), "W").requires_grad());
  CHECK(sum(softmax(matmul(plain, weight))).requires_grad());
}

TEST_CASE("numbers are computed once, on first use") {
  int calls = 0;
  const Tensor x = leaf({2, 2}, DType::float32, "x", [&calls] {
    ++calls;
    Block<float> ones({2, 2});
    std::ranges::fill(ones, 1.0F);
    return Contents(std::move(ones));
  });
  const Tensor scores = matmul(x, t(x));
  x.set_name("x");
  const Tensor weights = softmax(divide(scores, 2, "2"));
  CHECK(scores.expression() == "x @ x.T");
  CHECK(bytes_of(weights) > 0);
  CHECK(calls == 0);
  CHECK(values_of(scores) == std::vector<float>(4, 2));
  weights.array();
  const Tensor copy = x;
  CHECK(copy.array().storage == x.array().storage);
  CHECK(calls == 1);
}

TEST_CASE("bytes count shared operands once, and views not at all") {
  const Tensor x = counting({2, 3});
  for (const Tensor& view_of_x : {x, t(x), index(x, 0), view(x, {6}), parameter(x)}) {
    CHECK(bytes_of(view_of_x) == 24);
  }
  CHECK(bytes_of(bools({2, 3})) == 6);
  CHECK(bytes_of(leaf({5}, DType::int64, "ids", {})) == 40);
  CHECK(bytes_of(stack(x, 4)) == 24 + 96);
  std::unordered_set<const void*> seen;
  const Tensor product = matmul(x, t(x));
  const Tensor sums = sum(x);
  CHECK(product.bytes(seen) == 40);
  CHECK(x.bytes(seen) == 0);
  CHECK(sums.bytes(seen) == 8);
}

// --- Numbers ---

namespace {

/// One test of golden/operations.json and the kernels to use.
struct Given {
  const json& test;
  Kernels kernels;

  std::vector<float> numbers_of(const Shape& shape, std::uint32_t more = 0) const {
    const bool rounds = test.value("numbers", "numbers") == "numbers";
    return (rounds ? numbers : integers)(test["seed"].get<std::uint32_t>() + more, element_count(shape));
  }
  /// An operand drawn with the test's seed and a number added to it.
  Tensor drawn(const Shape& shape, std::uint32_t more = 0) const {
    return floats(shape, numbers_of(shape, more), kernels);
  }
  Tensor whole(const Shape& shape, std::uint32_t more = 0) const {
    return floats(shape, integers(test["seed"].get<std::uint32_t>() + more, element_count(shape)), kernels);
  }
  Tensor changed(const std::function<float(float)>& change) const {
    std::vector<float> values = numbers_of(test["shape"]);
    std::ranges::transform(values, values.begin(), change);
    return floats(test["shape"], values, kernels);
  }
  /// The operand of a softmax, four times as far apart, its last elements masked.
  Tensor scores() const {
    std::vector<float> values = numbers_of(test["shape"]);
    std::ranges::transform(values, values.begin(), [](float value) { return 4 * value; });
    std::fill(values.end() - test.value("masked", std::ptrdiff_t{0}), values.end(), -INFINITY);
    return floats(test["shape"], values, kernels);
  }
  /// "a" or "b" of a product, a view where the test says so.
  Tensor operand(const std::string& key, std::uint32_t more = 0) const {
    Shape shape = test[key];
    if (!test.value(key + "_t", false) || shape.size() < 2) {
      return drawn(shape, more);
    }
    std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
    const auto axes = static_cast<std::int64_t>(shape.size());
    return transpose(drawn(shape, more), axes - 2, axes - 1);
  }
};

/// A set of tests, and the operation that gives their results.
struct Row {
  const char* set;
  std::function<Tensor(const Given&, const json&)> made;
  bool is_whole = false;  ///< of whole numbers, whose sums are exact in any order; -0 and 0 are one result
};

Tensor made_linear(const Given& g, const json& test) {
  const Shape shape = test["x"];
  const std::int64_t d_out = test["d_out"];
  const std::optional<Tensor> bias = test["bias"] ? std::optional(g.whole({d_out}, 2000)) : std::nullopt;
  return linear(g.whole(shape), g.whole({d_out, shape.back()}, 1000), bias, "W");
}

Tensor made_amax(const Given& g, const json& test) {
  const Shape shape = test["of"];
  std::vector<float> x = g.numbers_of(shape);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool is_last = (i + 1) % static_cast<std::size_t>(shape.back()) == 0;
    x[i] = test["special"] == "-inf" ? -INFINITY : test["special"] == "nan" && is_last ? NAN : x[i];
  }
  return amax(floats(shape, x));
}

Tensor made_maximum(const Given& g, const json& test) {
  const Shape shape = test["shape"];
  std::vector<float> a = g.numbers_of(shape);
  std::vector<float> b = g.numbers_of(shape, 1000);
  if (test["special"] == "nan") {
    const auto row = static_cast<std::ptrdiff_t>(a.size()) / shape[0];
    std::fill_n(a.begin(), row, NAN);
    std::fill_n(b.end() - row, row, NAN);
  }
  return maximum(floats(shape, a), floats(shape, b));
}

Tensor made_dropout(const Given& g, const json& test) {
  std::vector<bool> kept;
  for (const char c : test["kept"].get<std::string>()) {
    kept.push_back(c == '1');
  }
  return dropout(g.drawn(test["shape"]), bools(test["shape"], kept), test["p"]);
}

Tensor made_lookup(const Given& g, const json& test) {
  return lookup(g.drawn(test["of"]), torch::tensor(test["ids"].get<std::vector<std::int64_t>>()), "table");
}

using G = const Given&;
using T = const json&;

/// Of each set of CPU kernels.
const std::vector<Row> by_cpu = {
    {"softmax", [](G g, T) { return softmax(g.scores()); }},
    {"softmax_gradient",
     [](G g, T test) { return softmax_gradient(g.drawn(test["shape"], 1000), softmax(g.scores())); }},
    {"softmax_over", [](G g, T test) { return softmax_over(g.scores(), test["axis"]); }},
};

const std::vector<Row> rows = {
    {"sum", [](G g, T test) { return sum(g.drawn(test["shape"])); }},
    {"total", [](G g, T test) { return total(g.drawn(test["shape"])); }},
    {"mean", [](G g, T test) { return mean(g.drawn(test["of"])); }},
    {"variance", [](G g, T test) { return variance(g.drawn(test["of"])); }},
    {"raise", [](G g, T test) { return add(g.drawn(test["shape"]), test["addend"].get<double>()); }},
    {"root",
     [](G g, T test) {
       const Tensor x = g.changed([](float value) { return value + 4; });
       return test["function"] == "sqrt" ? sqrt(x) : rsqrt(x);
     }},
    {"cosine",
     [](G g, T test) {
       const Tensor x = g.changed([&](float value) { return value * test["scale"].get<float>(); });
       return test["function"] == "cos" ? cos(x) : sin(x);
     }},
    {"divide", [](G g, T test) { return divide(g.drawn(test["shape"]), std::sqrt(test["size"].get<double>()), ""); }},
    {"divide_by", [](G g, T test) { return divide(g.drawn(test["shape"]), g.drawn(test["by"], 1000)); }},
    {"subtract", [](G g, T test) { return subtract(g.drawn(test["a"]), g.drawn(test["b"], 1000)); }},
    {"matmul", [](G g, T) { return matmul(g.operand("a"), g.operand("b", 1000)); }},
    {"linear", made_linear, true},
    {"dots",
     [](G g, T test) {
       return dots(g.whole({test["rows"], test["width"]}), g.whole({test["width"]}, 1000));
     },
     true},
    {"pairwise_dots",
     [](G g, T test) {
       return pairwise_dots(g.whole({test["rows"], test["width"]}), g.whole({test["columns"], test["width"]}, 1000));
     },
     true},
    {"dot_by_loop", [](G g, T test) { return dot_by_loop(g.drawn({test["width"]}), g.drawn({test["width"]}, 1000)); }},
    {"weighted_sum",
     [](G g, T test) {
       return weighted_sum(g.drawn({test["rows"]}, 1000), g.drawn({test["rows"], test["width"]}));
     }},
    {"amax", made_amax},
    {"maximum", made_maximum},
    {"every", [](G g, T test) { return every(g.drawn(test["of"]), test["first"], test["step"]); }},
    {"lookup", made_lookup},
    {"dropout", made_dropout},
};

void check_set(const Row& row, const std::string& suffix, const Kernels& kernels) {
  const json& set = golden().at(row.set + suffix);
  CHECK_FALSE(set.empty());
  for (const json& test : set) {
    CAPTURE(row.set + suffix);
    CAPTURE(test.dump().substr(0, 120));
    const Tensor result = row.made({test, kernels}, test);
    if (test.contains("of") || test.contains("a") || test.contains("x")) {  // "shape" is the result's
      CHECK(result.shape() == test.value("shape", result.shape()));
    }
    if (row.is_whole || test.value("numbers", "numbers") != "numbers") {
      CHECK(values_of(result) == results(test));
    } else {
      check_bits(result, test);
    }
  }
}

}  // namespace

TEST_CASE("operations are PyTorch's to the last bit") {
  for (const Row& row : rows) {
    check_set(row, "", Kernels{Cpu::avx2, Blas::haswell});
  }
  for (const auto& [cpu, suffix] : cpus) {
    for (const Row& row : by_cpu) {
      check_set(row, suffix, Kernels{cpu, Blas::haswell});
    }
  }
}

TEST_CASE("softmax works on rows of a view") {
  const Tensor x = counting({3, 2});
  CHECK(values_of(softmax(t(x))) == values_of(softmax(floats({2, 3}, {0, 2, 4, 1, 3, 5}))));
}

TEST_CASE("a tensor computed without gradients has none, whatever it is rewritten to") {
  const Tensor x = parameter(counting({2, 3}));
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

TEST_CASE("products are PyTorch's to the last bit with each set of OpenBLAS kernels") {
  for (const Blas blas : {Blas::haswell, Blas::portable}) {
    if (!gives_bits_of(blas)) {
      MESSAGE("this processor cannot run them");
      continue;
    }
    for (const json& test : golden()["by_blas haswell"]) {
      CAPTURE(test.dump().substr(0, 120));
      const Given given = {test, {Cpu::avx2, blas}};
      const Tensor left = given.operand("a");
      const Tensor right = given.operand("b", 1000);
      const std::string operation = test["operation"];
      check_bits(operation == "linear"   ? linear(left, right, given.drawn({test["b"][0]}, 2000), "W")
                 : operation == "matmul" ? matmul(left, right)
                 : operation == "matvec" ? matvec(left, right)
                 : operation == "dots"   ? dots(left, right)
                                         : pairwise_dots(left, right),
                 test);
      if (operation == "matmul" && !test["b_t"]) {  // a constant follows the other operand
        check_bits(matmul(floats(test["a"], numbers(test["seed"], left.array().count())), right), test);
      }
    }
  }
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

TEST_CASE("of a large table only the rows that are needed are looked up") {
  std::vector<Box> read;
  const auto fill = [&read](const Box& part) {
    read.push_back(part);
    Block<float> numbers(box_shape(part));
    std::fill(numbers.begin(), numbers.end(), static_cast<float>(part[0].begin));
    return Contents(std::move(numbers));
  };
  const Tensor table = leaf({std::int64_t{1} << 40, 3}, DType::float32, "table", fill);
  const Tensor found = lookup(table, torch::tensor(std::vector<std::int64_t>{7, 1'000'000'000}), "table");
  CHECK(found.is_at_hand());
  std::unordered_set<const void*> seen;
  CHECK(found.bytes(seen) < 100);
  CHECK(transpose(found, 0, 1).value({2, 1}) == 1e9);
  CHECK(read == std::vector<Box>{{{7, 8}, {0, 3}}, {{1'000'000'000, 1'000'000'001}, {0, 3}}});
}
