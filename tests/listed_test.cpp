#include "verify/program/listed.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "verify/bound/observed.hpp"
#include "verify/program/listing.hpp"
#include "verify/read/read_page.hpp"

using attn::Shape;
using attn::Tensor;
using attn::verify::exactly;
using attn::verify::find_listing;
using attn::verify::leaf_of;
using attn::verify::Listed;
using attn::verify::parse_page;

namespace {

/// What the last expression of a program is, of q = [[1, 2], [3, 4]] and k = [[0, 1], [1, 0]].
std::optional<Tensor> made_by(const std::string& program) {
  const auto matrix = [](const std::string& name, const std::vector<double>& numbers) {
    return leaf_of(exactly({2, 2}, numbers), name);
  };
  const Tensor q = matrix("q", {1, 2, 3, 4});
  const Tensor k = matrix("k", {0, 1, 1, 0});
  const Listed listed(
      find_listing(parse_page("page.md", "```python\n" + program + "\n```\n")).written,
      [=](std::string_view name) {
        return name == "q" ? std::optional(q) : name == "k" ? std::optional(k) : std::nullopt;
      },
      [](std::size_t) { return std::optional<Tensor>(); });
  return listed.tensor(listed.written().size() - 1);
}

std::vector<double> numbers_of(const std::string& program) {
  std::vector<double> numbers;
  if (const auto made = made_by(program)) {
    for (std::int64_t i = 0; i < attn::element_count(made->shape()); ++i) {
      numbers.push_back(made->value(attn::index_at(i, made->shape())));
    }
  }
  return numbers;
}

std::string words_of(const std::string& program) {
  const auto made = made_by(program);
  return made ? made->expression() : "";
}

}  // namespace

// The numbers are PyTorch's: numpy and torch 1.13 give them for the same lines.
TEST_CASE("listed: operations of a listing") {
  CHECK(numbers_of("print(torch.einsum('ij,kj->ik', q, k))") == std::vector<double>{2, 1, 4, 3});
  CHECK(numbers_of("print(q.clamp(2, 3))") == std::vector<double>{2, 2, 3, 3});
  CHECK(numbers_of("x = q\nx[:, 0] = 9\nprint(x)") == std::vector<double>{9, 2, 9, 4});
  CHECK(numbers_of("x = q\nx[0] = k[1]\nprint(x)") == std::vector<double>{1, 0, 3, 4});
  CHECK(numbers_of("a, b = q.chunk(2, dim=1)\nprint(b)") == std::vector<double>{2, 4});
  CHECK(numbers_of("x = q\nx.masked_fill_(k == 0, 9)\nprint(x)") == std::vector<double>{9, 2, 3, 9});
  CHECK(numbers_of("x = q\nx += k\nprint(x)") == std::vector<double>{1, 3, 4, 4});
  CHECK(numbers_of("print(nn.LayerNorm(2)(q))")[1] == doctest::Approx(0.99998).epsilon(1e-5));
  CHECK(numbers_of("d = {'a': q, 'b': {'c': k}}\nprint(d['b']['c'])") == std::vector<double>{0, 1, 1, 0});
  CHECK(numbers_of("ids = {'x': 0, 'y': 1}\nx = q[[ids[w] for w in 'y x'.split()]]\nprint(x)") ==
        std::vector<double>{3, 4, 1, 2});
  CHECK(numbers_of("x = (,)\nprint(q @ k.unknown())").empty());
}

TEST_CASE("listed: elements change their places, masks are compared, and functions are composed") {
  CHECK(numbers_of("print(q.permute(1, 0))") == std::vector<double>{1, 3, 2, 4});
  CHECK(numbers_of("print(q.repeat_interleave(2, dim=1))") == std::vector<double>{1, 1, 2, 2, 3, 3, 4, 4});
  CHECK(numbers_of("print(q[:, ::2])") == std::vector<double>{1, 3});
  CHECK(numbers_of("a, b = q.unbind(1)\nprint(b)") == std::vector<double>{2, 4});
  CHECK(numbers_of("print(q.argmax(dim=0))") == std::vector<double>{1, 1});
  CHECK(numbers_of("print(torch.arange(1, 7, 2))") == std::vector<double>{1, 3, 5});
  CHECK(numbers_of("print(torch.outer(q[0], q[1]))") == std::vector<double>{3, 4, 6, 8});
  CHECK(numbers_of("print(q * (q > 1))") == std::vector<double>{0, 2, 3, 4});
  CHECK(numbers_of("print((q > 1) & (k == 0))") == std::vector<double>{0, 0, 0, 1});
  CHECK(numbers_of("x = q\nx[k == 1] = 0\nprint(x)") == std::vector<double>{1, 0, 0, 4});
  CHECK(numbers_of("print(F.gelu(q))")[1] == doctest::Approx(1.9544999599456787));
  CHECK(numbers_of("print(F.normalize(q, dim=-1))")[0] == doctest::Approx(0.4472135901451111));
  CHECK(numbers_of("print(F.scaled_dot_product_attention(q, k, k))")[0] == doctest::Approx(0.3302384614944458));
  CHECK(words_of("print(F.scaled_dot_product_attention(q, k, k))") == "F.scaled_dot_product_attention(q, k, k)");
}

TEST_CASE("listed: a function's result is told of its arguments") {
  const std::string program = "def f(a, b):\n    s = a @ b.T\n    return torch.softmax(s / 2, dim=-1)\nprint(f(q, k))";
  CHECK(words_of(program) == "torch.softmax((q @ k.T) / 2, dim=-1)");
  CHECK(words_of("heads = []\nfor x in [q, k]:\n    heads.append(x @ x)\nprint(torch.cat(heads, dim=-1))") ==
        "torch.cat([q @ q, k @ k], dim=1)");
  CHECK(words_of("f = lambda x: x + 1\nprint(f(q))") == "q + 1");
}

TEST_CASE("listed: a softmax written by hand is one, where it is of rows") {
  CHECK(words_of("e = torch.exp(q - q.max(dim=-1, keepdim=True).values)\nprint(e / e.sum(dim=-1, keepdim=True))") ==
        "torch.softmax(q, dim=-1)");
  CHECK(words_of("e = torch.exp(q)\nprint(e / e.sum(dim=0, keepdim=True))") ==
        "torch.exp(q) / torch.exp(q).sum(dim=-2, keepdim=True)");
  CHECK(words_of("e = torch.exp(q - q.max(dim=0, keepdim=True).values)\nprint(e / e.sum(dim=-1, keepdim=True))") !=
        "torch.softmax(q, dim=-1)");
}
