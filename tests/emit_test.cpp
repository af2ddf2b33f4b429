// Programs that reproduce a run: how they name variables and write values, and what is known of the draws.

#include "emit/names.hpp"
#include "emit/python.hpp"
#include "torch/torch.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

namespace {

using namespace attn;
using torch::Torch;

Tensor ones(std::int64_t n) { return torch::ones({n}); }

std::string listed(std::vector<float> values, const Shape& shape) {
  return emit::list_literal(torch::tensor(std::move(values), shape), "np");
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

TEST_CASE("variables have unique names") {
  const std::vector<Tensor> tensors = {ones(1), ones(2), ones(3), ones(4), ones(5), ones(6)};
  emit::Names names;
  names.add(tensors[0], "keys", "head_1");
  names.add(tensors[1], "keys", "head_2");
  names.add(tensors[2], "values", "head_1");
  names.add(tensors[3], "drawn", "");
  names.add(tensors[4], "drawn", "");
  names.add(tensors[0], "again", "head_3");
  names.settle();
  CHECK(names.of(tensors[0]) == "keys_head_1");
  CHECK(names.of(tensors[1]) == "keys_head_2");
  CHECK(names.of(tensors[2]) == "values");
  CHECK(names.of(tensors[3]) == "drawn");
  CHECK(names.of(tensors[4]) == "drawn_2");
  CHECK_FALSE(names.has(tensors[5]));
}

TEST_CASE("names are valid in Python") {
  CHECK(emit::identifier("W_query") == "W_query");
  CHECK(emit::identifier("a b-c") == "a_b_c");
  CHECK(emit::identifier("2nd") == "_2nd");
}

TEST_CASE("texts become Python string literals") {
  CHECK(emit::string_literal("keys\n") == "\"keys\\n\"");
  CHECK(emit::string_literal("a \"b\" \\ c\x01 \xc3\xa9") == "\"a \\\"b\\\" \\\\ c\\x01 \xc3\xa9\"");
}

TEST_CASE("numbers are floats with the fewest digits that restore them") {
  CHECK(listed({0.43F, 1, 1e-9F, -2.5e20F}, {4}) == "[0.43, 1.0, 1e-09, -2.5e+20]");
  constexpr float inf = std::numeric_limits<float>::infinity();
  CHECK(listed({inf, -inf, std::nanf("")}, {3}) == "[np.inf, -np.inf, np.nan]");
  CHECK(listed({5}, {}) == "5.0");
  CHECK(listed({1, 2, 3, 4}, {2, 2}) == "[\n    [1.0, 2.0],\n    [3.0, 4.0],\n]");
  CHECK(listed({1, 2, 3, 4, 5, 6}, {6}) == "[\n    1.0, 2.0, 3.0, 4.0, 5.0, 6.0,\n]");
  CHECK(emit::list_literal(torch::tensor(std::vector<std::int64_t>{4, 0}), "np") == "[4, 0]");
}

TEST_CASE("long lists are broken before column 120") {
  const std::string list = listed(std::vector<float>(100, 0.12345678F), {2, 50});
  CHECK(list.find('\n', 6) != std::string::npos);
  std::size_t start = 0;
  for (std::size_t end = list.find('\n'); end != std::string::npos; end = list.find('\n', start)) {
    CHECK(end - start <= 112);
    start = end + 1;
  }
}

TEST_CASE("long statements are broken between the items of their brackets") {
  CHECK(emit::wrapped_statement("a = f(b, c)") == "a = f(b, c)");
  const std::string name(60, 'x');
  CHECK(emit::wrapped_statement("a = cat([" + name + ", " + name + ", c], dim=-1)") ==
        "a = cat([" + name + ",\n    " + name + ", c], dim=-1)");
  const std::string endless(130, 'x');
  CHECK(emit::wrapped_statement("a = " + endless + " @ b") == "a = " + endless + " @ b");
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
