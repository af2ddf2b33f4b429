#include "verify/propose/replay.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "verify/program/listing.hpp"
#include "verify/propose/numpy_generator.hpp"
#include "verify/read/find_printed.hpp"
#include "verify/read/read_page.hpp"

namespace attn::verify {
namespace {

/// What a program draws.
std::vector<Replayed> drawn_by(const std::string& program) {
  return replay(find_listing(parse_page("page.md", "```python\n" + program + "\n```\n")).draws);
}

std::vector<std::string> words_of(const std::vector<Replayed>& draws) {
  std::vector<std::string> words;
  for (const Replayed& drawn : draws) {
    words.push_back(drawn.words);
  }
  return words;
}

}  // namespace

TEST_SUITE("draws") {
  // The numbers are numpy 1.24's.
  TEST_CASE("numpy's legacy generator draws as numpy does") {
    NumpyGenerator zero(0);
    for (const double expected : {0.5488135039273248, 0.7151893663724195, 0.6027633760716439}) {
      CHECK(zero.uniform() == expected);
    }
    NumpyGenerator normals(42);
    for (const double expected : {0.4967141530112327, -0.13826430117118466, 0.6476885381006925}) {
      CHECK(normals.normal() == expected);
    }
    CHECK(normals.uniform() == 0.15601864044243652);
    CHECK(normals.normal() == 1.5230298564080254);  // left over by the third
    NumpyGenerator whole(3);
    for (const std::uint32_t expected : {24U, 3U, 56U, 72U, 0U, 21U}) {
      CHECK(whole.integer(99) == expected);
    }
    CHECK(whole.integer(0) == 0);  // draws nothing
    for (const std::uint32_t expected : {5U, 3U, 2U, 3U}) {
      CHECK(whole.integer(7) == expected);
    }
    CHECK(NumpyGenerator(4'294'967'295U).uniform() == 0.0976320289940138);
  }

  TEST_CASE("A draw is named by its variable or by its number") {
    const std::vector<Replayed> draws =
        drawn_by("torch.manual_seed(123)\nprint(torch.rand(3, 2))\nprint(torch.rand(3, 2))\nW = torch.rand(3, 2)\n");
    REQUIRE(draws.size() == 3);
    CHECK(draws[0].sentence == "torch.rand(3, 2) after torch.manual_seed(123)");
    CHECK(draws[1].sentence == "the 2nd torch.rand(3, 2) after torch.manual_seed(123)");
    CHECK(draws[1].words == "(the 2nd torch.rand(3, 2) after torch.manual_seed(123))");
    CHECK(draws[2].sentence == "W = torch.rand(3, 2), drawn after torch.manual_seed(123)");
    CHECK(draws[2].words == "W");
  }

  TEST_CASE("A reassigned variable names no draw") {
    CHECK(words_of(drawn_by("torch.manual_seed(1)\nx = torch.rand(2)\nx = x + 1\n")) ==
          std::vector<std::string>{"(torch.rand(2) after torch.manual_seed(1))"});
  }

  TEST_CASE("Sizes are variables, shapes and sums of them") {
    const std::vector<Replayed> draws = drawn_by(
        "inputs = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])\n"
        "torch.manual_seed(1)\n"
        "d_in, d_out = inputs.shape[1], 4 // 2\n"
        "a = torch.rand(d_in, 2 * d_out - 1)\n"
        "b = torch.randn_like(a)\n"
        "rows, columns = b.shape\n"
        "c = torch.rand(size=(columns, len(inputs)))\n"
        "d = torch.rand(b.size(-1),\n"
        "               rows)  # of two lines\n");
    REQUIRE(draws.size() == 4);
    CHECK(draws[0].shape == Shape{3, 3});
    CHECK(draws[1].shape == Shape{3, 3});
    CHECK(draws[2].shape == Shape{3, 2});
    CHECK(draws[3].shape == Shape{3, 3});
  }

  TEST_CASE("Loops, functions and constructors draw as they run") {
    CHECK(words_of(drawn_by("import torch.nn as nn\n"
                            "class Head(nn.Module):\n"
                            "    def __init__(self, d_in, d_out=2, bias=False):\n"
                            "        super().__init__()\n"
                            "        self.W_query = nn.Linear(d_in, d_out, bias=bias)\n"
                            "    def forward(self, x):\n"
                            "        return torch.rand(9) + self.W_query(x)\n"
                            "def weights():\n"
                            "    return torch.rand(2, 2)\n"
                            "torch.manual_seed(1)\n"
                            "head = Head(3, bias=True)\n"
                            "a, b = [torch.rand(3) for _ in range(2)]\n"
                            "for _ in range(2):\n"
                            "    print(weights())\n")) ==
          std::vector<std::string>{"head.W_query.weight", "head.W_query.bias", "a", "b",
                                   "(the 1st torch.rand(2, 2) after torch.manual_seed(1))",
                                   "(the 2nd torch.rand(2, 2) after torch.manual_seed(1))"});
  }

  TEST_CASE("After an unreadable call, nothing is known up to the next seed") {
    for (const std::string unread :
         {"torch.rand(n, 2)", "x.normal_()", "if n:\n    y = torch.rand(2)", "torch.randperm(3)"}) {
      CAPTURE(unread);
      CHECK(words_of(drawn_by("torch.manual_seed(1)\na = torch.rand(2)\n" + unread +
                              "\nb = torch.rand(2)\ntorch.manual_seed(2)\nc = torch.rand(2)\n")) ==
            std::vector<std::string>{"a", "c"});
    }
  }

  TEST_CASE("Without a seed, no draw is known") {
    CHECK(drawn_by("a = torch.rand(2)\nimport random\nrandom.seed(1)\nb = random.random()\n").empty());
  }
}

}  // namespace attn::verify
