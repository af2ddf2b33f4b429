#include "verify/program/listing.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "verify/read/read_page.hpp"
#include "verify/read/zones.hpp"

namespace {

using attn::Shape;
using attn::verify::find_listing;
using attn::verify::find_zones;
using attn::verify::Listing;
using attn::verify::Literal;
using attn::verify::Page;
using attn::verify::parse_page;
using attn::verify::Settings;
using attn::verify::Zone;

Listing listing(std::string_view text, const std::string& name = "lesson.py") {
  return find_listing(parse_page(name, text));
}

Settings settings(std::string_view text) { return listing(text).settings; }

/// Checks that a program writes out one tensor, with the numbers 0.5, 1.5, 2.5, ...
void check_literal(std::string_view text, const std::string& variable, const Shape& shape,
                   const std::string& name = "lesson.py") {
  CAPTURE(text);
  const Listing found = listing(text, name);
  REQUIRE(found.literals.size() == 1);
  CHECK(found.literals.front().name == variable);
  CHECK(found.literals.front().shape == shape);
  double expected = -0.5;
  for (const double value : found.literals.front().values) {
    CHECK(value == ++expected);
  }
}

std::size_t count(std::string_view text, const std::string& name = "lesson.py") {
  CAPTURE(text);
  return listing(text, name).literals.size();
}

/// The zone of the one X on a page.
Zone zone_of_x(std::string_view text, const std::string& name = "page.md") {
  const Page page = parse_page(name, text);
  return find_zones(page).at(page.text().find('X'));
}

}  // namespace

TEST_CASE("literal tensors are found in every language of ports") {
  check_literal("inputs = torch.tensor(\n  [[0.5, 1.5, 2.5], # Your     (x^1)\n   [3.5, 4.5, 5.5]] # journey\n)\n",
                "inputs", {2, 3});
  check_literal("x = np.array([[0.5, 1.5], [2.5, 3.5]], dtype=np.float32)", "x", {2, 2});
  check_literal("x = jnp.array([.5, 1.5, 25e-1,])", "x", {3});
  check_literal("inputs = mx.array([\n    [0.5, 1.5],\n    [2.5, 3.5],\n])", "inputs", {2, 2});
  check_literal("x = tf.constant([[[0.5], [1.5]]])", "x", {1, 2, 1});
  check_literal("self.W_q = nn.Parameter(torch.tensor([[0.5, 1.5]]))", "self.W_q", {1, 2});
  check_literal("a = tensor([0.5, 1.5])", "a", {2});
  check_literal("x = [[0.5, 1.5],\n     [2.5, 3.5]]", "x", {2, 2});
  check_literal("let inputs = Tensor::new(&[[0.5f32, 1.5], [2.5, 3.5]], &Device::Cpu)?;", "inputs", {2, 2}, "main.rs");
  check_literal("let x = Tensor::from_vec(vec![0.5f32, 1.5, 2.5, 3.5, 4.5, 5.5], (3, 2), &device)?;", "x", {3, 2},
                "main.rs");
  check_literal("let data: [[f32; 2]; 2] = [\n    [0.5, 1.5], // Your\n    [2.5, 3.5], // journey\n];", "data", {2, 2},
                "main.rs");
  check_literal("let x = array![[0.5, 1.5], [2.5, 3.5]];", "x", {2, 2}, "main.rs");
  check_literal("inputs = Nx.tensor([\n  [0.5, 1.5],\n  [2.5, 3.5]\n])", "inputs", {2, 2}, "lesson.exs");
  check_literal("const inputs = tf.tensor2d([[0.5, 1.5], [2.5, 3.5]]);", "inputs", {2, 2}, "lesson.js");
  check_literal("auto x = torch::tensor({{0.5, 1.5}, {2.5, 3.5}});", "x", {2, 2}, "lesson.cpp");
  check_literal("const float x[2][2] = {{0.5f, 1.5f}, {2.5f, 3.5f}};", "x", {2, 2}, "lesson.cpp");
  check_literal("x = torch.tensor([0.5, 1.5, 2.5, 3.5]).reshape(2, 2)", "x", {2, 2});
  check_literal("x = torch.tensor([0.5, 1.5, 2.5, 3.5]).view((4, 1))", "x", {4, 1});
  check_literal("y = f(1, torch.tensor([0.5, 1.5]))", "", {2});
  check_literal("q = create_tensor([[0.5, 1.5]])", "q", {1, 2});
}

TEST_CASE("a list of whole numbers is a tensor if the program makes one of it") {
  const std::string list = "w_query = [\n  [1, 0, 1], # Input 1\n  [1, 0, 0]  # Input 2\n]\n";
  for (const std::string use : {"w_query = torch.tensor(w_query, dtype=torch.float32)\n", "w = np.array(w_query)\n"}) {
    const Listing found = listing(list + use);
    REQUIRE(found.literals.size() == 1);
    CHECK(found.literals.front().name == "w_query");
    CHECK(found.literals.front().shape == Shape{2, 3});
    CHECK(found.literals.front().values == std::vector<double>{1, 0, 1, 1, 0, 0});
  }
  CHECK(count(list + "w = torch.tensor(w_key)\nf(w_query)\n") == 0);
}

TEST_CASE("a literal that its statement changes is not the variable") {
  check_literal("x = np.array([[0.5, 1.5], [2.5, 3.5]]) / 10  # tenths", "", {2, 2});
  check_literal("x = nn.Parameter(torch.tensor([\n  0.5, # a (b)\n  1.5, # c\n]))", "x", {2});
  check_literal("x = np.array([[0.5, 1.5], [2.5, 3.5]]).T", "", {2, 2});
  check_literal("x = torch.tensor([0.5, 1.5]) @ w", "", {2});
  check_literal("x = torch.tensor([0.5, 1.5]) / 2 + 1", "", {2});
  check_literal("x = torch.tensor([0.5, 1.5]).float()", "x", {2});
  CHECK(count("x = [0.5, 1.5] * 3") == 0);
}

TEST_CASE("a literal knows its line, and in a notebook its cell") {
  const Listing script = listing("import torch\n\nx = torch.tensor(\n    [[0.5, 1.5]])\ny = torch.tensor([1., 2.])\n");
  REQUIRE(script.literals.size() == 2);
  CHECK(script.literals[0].place.line == 4);
  CHECK(script.literals[1].place.line == 5);
  const Listing notebook = listing(
      R"json({"cells": [{"cell_type": "markdown", "source": "# Title"},
          {"cell_type": "code", "source": ["import torch\n", "x = torch.tensor([[0.5, 1.5]])"],
           "outputs": [{"text": ["tensor([0.5, 1.5])\n", "[[0.5, 1.5]]"]}]}], "nbformat": 4})json",
      "lesson.ipynb");
  REQUIRE(notebook.literals.size() == 1);
  CHECK(notebook.literals[0].place.line == 2);
  CHECK(notebook.literals[0].place.cell == 2);
}

TEST_CASE("literals are found in listings on every kind of page, but not in output") {
  const std::string code = "x = torch.tensor([[0.5, 1.5]])\nprint(x)\n";
  CHECK(count("Text\n\n```python\n" + code + "```\n", "page.md") == 1);
  CHECK(count("<p>Text</p><pre>" + code + "</pre>", "page.html") == 1);
  CHECK(count(code, "page.txt") == 1);
  CHECK(count(">>> " + code, "page.txt") == 1);
  CHECK(count("tensor([[0.5, 1.5]])\nkeys = [[0.5, 1.5]]\narray([0.5, 1.5])", "page.txt") == 0);
  CHECK(count("tf.Tensor(\n[[0.5 1.5]\n [2.5 3.5]], shape=(2, 2), dtype=float32)\n", "page.txt") == 0);
  CHECK(count("```python\nprint(x)\n```\n```\ntensor([[0.5, 1.5]])\nx = [[0.5, 1.5]]\n```\n", "page.md") == 0);
  CHECK(count(">>> x\ntensor([[0.5, 1.5]])\n>>> y\nx = [0.5, 1.5]\n", "page.txt") == 0);
  CHECK(count("The numbers x = [0.5, 1.5] are", "page.md") == 0);
}

TEST_CASE("other lists are not tensors") {
  CHECK(count("x = [0.5]; y = torch.tensor([0.5]); z = torch.tensor(0.5)") == 0);
  CHECK(count("f([0.5, 1.5]) x[0, 1] = y[0.5, 1.5] if x == [0.5, 1.5]: pass") == 0);
  CHECK(count("shape = [6, 3]\nids = [15496, 11, 995]\n") == 0);
  CHECK(count("x = [0.5, y]\nx = [[0.5, 1.5], [2.5]]\nx = [0.5, [1.5]]\n") == 0);
  CHECK(count("x = [0.5 1.5; 2.5]\nx = []\nx = [[], []]\n") == 0);
  CHECK(count("assert torch.allclose(x,\n  torch.tensor([0.5, 1.5]), atol=1e-4)\n") == 0);
  CHECK(count("expected_x = np.array([0.5, 1.5])\n") == 0);
  CHECK(count("x.to_data().assert_approx_eq(&TensorData::new(vec![0.5, 1.5], vec![2]));", "main.rs") == 0);
  CHECK(count("x = torch.zeros([2, 3])\nx = y.view([2, 3])\n") == 0);
  CHECK(count("x = [0.1 * 2, 3.0]\nx = [1.0:2.0]\nx = [0.5, 1.5") == 0);
}

TEST_CASE("settings are read from programs and prose") {
  CHECK(settings("torch.manual_seed(123)\nnp.random.seed(7)\nseed = 42\nset_seed(seed)").seeds ==
        std::vector<std::int64_t>{7, 42, 123});
  CHECK(settings("key = jax.random.PRNGKey(5)\nk = jax.random.key( 6 )\nd[key](3)").seeds ==
        std::vector<std::int64_t>{5, 6});
  CHECK(settings("StdRng::seed_from_u64(9)\nnp.random.default_rng(3)").seeds == std::vector<std::int64_t>{3, 9});
  CHECK(settings("With a seed of 789, and seed 123. Seeds are 5").seeds == std::vector<std::int64_t>{123, 789});
  CHECK(settings("torch.manual_seed(-1)").seeds == std::vector<std::int64_t>{-1});
  CHECK(settings("d_in, d_out = 3, 2").d_out == std::vector<std::int64_t>{2});
  CHECK(settings("d_out=2; let d_out = 4; let d_out: usize = 1; {\"d_out\": 5}").d_out ==
        std::vector<std::int64_t>{1, 2, 4, 5});
  CHECK(settings("d_in = inputs.shape[1]\nd_out = 2 # size").d_out == std::vector<std::int64_t>{2});
  CHECK(settings("mha = MultiHead(d_in, d_out, num_heads=2)\nn_heads: 12").num_heads ==
        std::vector<std::int64_t>{2, 12});
  CHECK(settings("nn.Dropout(0.5)\ndropout=0.1, F.dropout(x, p=0.2)\nself.dropout(x)\nnn.Dropout(p=0.25)").dropouts ==
        std::vector<double>{0.1, 0.2, 0.25, 0.5});
  CHECK(settings("nn.Linear(3, 2, bias=False)").qkv_bias == std::vector<bool>{false});
  CHECK(settings("qkv_bias=False\nuse_bias = true").qkv_bias == std::vector<bool>{false, true});
}

TEST_CASE("the initialisation of weights is read") {
  const Settings uniform = settings("W = torch.nn.Parameter(torch.rand(3, 2), requires_grad=False)");
  CHECK(uniform.rand);
  CHECK_FALSE(uniform.randn);
  CHECK_FALSE(uniform.linear);
  CHECK(uniform.d_out == std::vector<std::int64_t>{2});
  CHECK(settings("torch.randn((3, 4))").randn);
  CHECK(settings("torch.randn((3, 4))").d_out == std::vector<std::int64_t>{4});
  CHECK(settings("nn.Linear(d_in, d_out)").linear);
  CHECK(settings("nn.Linear(d_in, d_out)").d_out.empty());
  CHECK_FALSE(settings("a rand of 3, a linear map, Operand(3, 2)").rand);
  const Settings nothing = settings("Nothing is said of them.");
  CHECK(nothing.seeds.empty());
  CHECK(nothing.qkv_bias.empty());
  CHECK_FALSE(nothing.linear);
}

TEST_CASE("listings, outputs and prose are distinguished") {
  CHECK(zone_of_x("Some X") == Zone::prose);
  CHECK(zone_of_x("```\nX\n```\n") == Zone::output);
  CHECK(zone_of_x("```python\nX\n```\n") == Zone::code);
  CHECK(zone_of_x("```\nimport torch\nX\n```\n") == Zone::code);
  CHECK(zone_of_x("```json\nX\n```\n") == Zone::prose);
  CHECK(zone_of_x("```\na\n```\nX\n```\nb\n```\n") == Zone::prose);
  CHECK(zone_of_x("> ```\n> X\n> ```\n") == Zone::output);
  CHECK(zone_of_x("~~~~\n```\nX\n~~~~\n") == Zone::output);
  CHECK(zone_of_x("Text\n\n    X\n") == Zone::output);
  CHECK(zone_of_x("Text\n    X\n") == Zone::prose);
  CHECK(zone_of_x("```python\na = 1 # X\n```\n") == Zone::comment);
  CHECK(zone_of_x("```python\na = '#X'\n```\n") == Zone::code);
  CHECK(zone_of_x("```python\n>>> a\nX\n```\n") == Zone::output);
  CHECK(zone_of_x("```python\n>>> f(a,\n... X)\n```\n") == Zone::code);
  CHECK(zone_of_x("```python\n\"\"\"\nX\n\"\"\"\n```\n") == Zone::comment);
  CHECK(zone_of_x("```python\n\"\"\"\na\n\"\"\"\nX\n```\n") == Zone::code);
  CHECK(zone_of_x("```rust\n/* a\n * X */\n```\n") == Zone::comment);
  CHECK(zone_of_x("```python\nprint(a)\n[1, X]\n```\n") == Zone::output);
  CHECK(zone_of_x("```python\nf(a,\n[1, X])\n```\n") == Zone::code);
  CHECK(zone_of_x("X", "a.txt") == Zone::output);
  CHECK(zone_of_x("import torch\nX", "a.txt") == Zone::code);
  CHECK(zone_of_x("X", "a.py") == Zone::code);
  CHECK(zone_of_x("<p>X</p>", "a.html") == Zone::prose);
  CHECK(zone_of_x("<p>a</p><pre>X</pre>", "a.html") == Zone::output);
  CHECK(zone_of_x("<pre>a</pre>X", "a.html") == Zone::prose);
  CHECK(zone_of_x(R"({"cells": [{"source": "a", "outputs": [{"text": "X"}]}], "nbformat": 4})", "a.ipynb") ==
        Zone::output);
}
