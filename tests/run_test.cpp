#include "verify/program/listing.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "verify/read/read_page.hpp"

using attn::verify::DrawCall;
using attn::verify::find_listing;
using attn::verify::Listing;
using attn::verify::parse_page;
using attn::verify::Written;

namespace {

Listing listing_of(const std::string& program) {
  return find_listing(parse_page("page.md", "```python\n" + program + "\n```\n"));
}

/// "name = value" of each assignment, "print value" of what is printed.
std::vector<std::string> trace_of(const std::string& program) {
  std::vector<std::string> lines;
  for (const Written& one : listing_of(program).written) {
    if (one.name.empty() && !one.is_printed) {
      continue;  // what stands alone
    }
    lines.push_back((one.is_printed ? "print" : one.name + " =") + (one.value.empty() ? "" : " " + one.value));
  }
  return lines;
}

}  // namespace

TEST_CASE("run: a call is its body with its arguments") {
  CHECK(trace_of("def attend(q, k, scale=2):\n    s = q @ k.T / scale\n    return s, s.sum()\nw, total = attend(a, b)\n"
                 "print(w)") == std::vector<std::string>{"q = a", "k = b", "scale = 2", "s = q @ k.T / scale",
                                                         "our_result_1 = [s, s.sum()]", "w = our_result_1[0]",
                                                         "total = our_result_1[1]", "print w"});
}

TEST_CASE("run: a label is what the page shows before the output") {
  std::vector<std::string> labels;
  for (const Written& one :
       listing_of("print('\\nScores:\\n', s)\nprint('Weights')\nprint(w)\nprint(['a', 'b'])\nprint(v)").written) {
    labels.push_back(one.label);
  }
  CHECK(labels == std::vector<std::string>{"Scores:", "Weights", ""});
}

TEST_CASE("run: a loop runs as often as it says, and lists grow") {
  CHECK(trace_of("parts = []\nfor i in range(2):\n    parts.append(x[i])\nprint(torch.stack(parts))") ==
        std::vector<std::string>{"parts = []", "i = 0", "our_item_1 = x[i]", "parts = [our_item_1]", "i = 1",
                                 "our_item_2 = x[i]", "parts = [our_item_1, our_item_2]", "print torch.stack(parts)"});
}

TEST_CASE("run: of what a condition decides that cannot be told nothing is known") {
  CHECK(trace_of("x = 1\nif flag:\n    x = 2\n    print(x)\nprint(x)") ==
        std::vector<std::string>{"x = 1", "x =", "print", "print x"});
  CHECK(trace_of("def f(x, mask=None):\n    if mask is not None:\n        x = x * mask\n    return x\ny = f(a)") ==
        std::vector<std::string>{"x = a", "mask = None", "our_result_1 = x", "y = our_result_1"});
}

TEST_CASE("run: two variables change places at once") {
  CHECK(trace_of("a, b = b, a") ==
        std::vector<std::string>{"our_item_1 = b", "our_item_2 = a", "a = our_item_1", "b = our_item_2"});
}

TEST_CASE("run: what is written in place is another value of the variable") {
  CHECK(trace_of("x += y\nx[0, 1:] = 0") == std::vector<std::string>{"x = x + ( y)", "x = our_put(x, 0, \"0, 1:\")"});
}

TEST_CASE("run: an object's method knows its layers") {
  const Listing listing = listing_of(
      "torch.manual_seed(1)\nclass Head(nn.Module):\n    def __init__(self, d):\n        self.q = nn.Linear(d, 2, "
      "bias=False)\n"
      "    def forward(self, x):\n        return self.q(x)\nhead = Head(3)\nprint(head(x))");
  REQUIRE(listing.draws.size() == 2);
  CHECK(listing.draws[1].name == "head.q");
  CHECK(listing.draws[1].shape == attn::Shape{2, 3});
  const auto& written = listing.written;
  REQUIRE(written.size() >= 3);
  CHECK(written[written.size() - 2].value == "head.q(x)");
  CHECK(written.back().value == written[written.size() - 2].name);
}

TEST_CASE("run: PyTorch's functions that draw nothing leave the generator as it is") {
  const Listing listing = listing_of("torch.manual_seed(1)\na = torch.sqrt(x)\nb = torch.rand(2)");
  REQUIRE(listing.draws.size() == 2);
  CHECK(listing.draws[1].kind == DrawCall::Kind::uniform);
}

TEST_CASE("run: a condition that is known chooses") {
  CHECK(trace_of("s = None\ny = a if s is None else b") == std::vector<std::string>{"s = None", "y = (a)"});
  CHECK(trace_of("n = 3\nif n > 2 and n != 4:\n    y = a") == std::vector<std::string>{"n = 3", "y = a"});
}

TEST_CASE("run: a loop over what is computed has as many turns as it has rows") {
  CHECK(trace_of("x = torch.zeros(2, 3)\nk = x @ x.T\nfor row in k:\n    print(row)") ==
        std::vector<std::string>{"x = torch.zeros(2, 3)", "k = x @ x.T", "row = k[0]", "print row", "row = k[1]",
                                 "print row"});
}

TEST_CASE("run: what a list of layers draws is called by its place") {
  const std::vector<DrawCall> draws =
      listing_of("torch.manual_seed(1)\nlayers = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 2))").draws;
  REQUIRE(draws.size() == 3);
  CHECK(draws[1].name == "layers[0]");
  CHECK(draws[2].name == "layers[2]");
}
