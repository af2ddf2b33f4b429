// What is printed on pages: tensors of PyTorch and others, lists without a name, sizes; and what is none of it.

#include "unit.hpp"
#include "verify/page/page.hpp"

namespace {

using attn::Shape;
using attn::verify::Cell;
using attn::verify::find_printed;
using attn::verify::Page;
using attn::verify::parse_page;
using attn::verify::Printed;
using attn::verify::unread_form;

/// A page with what is printed on it. It stays where it is, as what is printed points into it.
struct Found {
  explicit Found(std::string_view bytes, const std::string& name = "page.md")
      : page(parse_page(name, bytes)), printed(find_printed(page)) {}
  Found(const Found&) = delete;
  Found& operator=(const Found&) = delete;

  const Printed& only() const {
    REQUIRE(printed.size() == 1);
    return printed.front();
  }

  Page page;
  std::vector<Printed> printed;
};

std::size_t count(std::string_view bytes, const std::string& name = "page.md") {
  return Found(bytes, name).printed.size();
}

Found in_output(std::string_view bytes) { return Found(bytes, "output.txt"); }

std::size_t count_in_output(std::string_view bytes) { return in_output(bytes).printed.size(); }

std::vector<double> values(const Printed& printed) {
  std::vector<double> result;
  for (const Cell& cell : printed.cells) {
    result.push_back(cell.value);
  }
  return result;
}

/// Checks the one tensor of a page: its shape, and that its numbers are 1, 2, 3, ..., or the given ones.
void check_counts_up(std::string_view bytes, const Shape& shape, bool closed = true,
                     const std::string& name = "page.md", std::vector<double> numbers = {}) {
  CAPTURE(bytes);
  const Found found(bytes, name);
  REQUIRE(found.printed.size() == 1);
  CHECK(found.only().shape == shape);
  CHECK(is_regular(found.only()));
  CHECK_FALSE(found.only().ragged);
  CHECK(found.only().missing_parenthesis == !closed);
  if (numbers.empty()) {
    numbers.resize(found.only().cells.size());
    std::iota(numbers.begin(), numbers.end(), 1);
  }
  CHECK(values(found.only()) == numbers);
}

/// Checks the units of the one tensor of a page; one unit is that of all cells.
void check_units(std::string_view bytes, std::vector<double> units, const std::string& name = "page.md") {
  CAPTURE(bytes);
  const Found found(bytes, name);
  units.resize(found.only().cells.size(), units.at(0));
  for (std::size_t i = 0; i < units.size(); ++i) {
    CAPTURE(found.only().cells[i].text);
    CHECK(std::abs(found.only().cells[i].unit - units[i]) <= 1e-9 * units[i]);
  }
}

/// Checks the one tensor of a program's output: its shape, its numbers, and the unit that all of them have.
void check(std::string_view bytes, const Shape& shape, const std::vector<double>& numbers, double unit) {
  check_counts_up(bytes, shape, true, "output.txt", numbers);
  check_units(bytes, {unit}, "output.txt");
}

const std::vector<double> two_rows{0.43, 0.15, 0.89, 0.55, 0.87, 0.66};

}  // namespace

TEST_CASE("tensors of every rank are found") {
  check_counts_up("tensor(1.)", {});
  check_counts_up("tensor([1.0000, 2.0000])", {2});
  check_counts_up("tensor([[1, 2, 3],\n        [4, 5, 6]])", {2, 3});
  check_counts_up("tensor([[[1.], [2.]],\n\n        [[3.], [4.]]])", {2, 2, 1});
  check_counts_up("tensor(" + std::string(16, '[') + "1." + std::string(16, ']') + ")", Shape(16, 1));
  CHECK(Found("tensor([])").only().shape == Shape{0});
  CHECK(Found("tensor([[], []])").only().shape == Shape{2, 0});
}

TEST_CASE("a cell has the unit of its last digit, and a whole number is exact") {
  check_units("tensor([0.1826, -0., 2., 12, 1.2500e-03, -inf, nan, True, -0.0000, 3.e+05, .5])",
              {1e-4, 0, 0, 0, 1e-7, 0, 0, 0, 1e-4, 1e5, 0.1});
  const Found found("tensor([0.1826, -0., 1.2500e-03, -inf, nan, True, 3.e+05])");
  const std::vector<Cell>& cells = found.only().cells;
  CHECK(cells[0].text == "0.1826");
  CHECK(cells[0].value == 0.1826);
  CHECK(radius(cells[0]) == doctest::Approx(0.5e-4).epsilon(1e-12));
  CHECK(std::signbit(cells[1].value));
  CHECK(radius(cells[1]) == 0);
  CHECK(cells[2].value == 1.25e-3);
  CHECK(cells[3].value == -INFINITY);
  CHECK(std::isnan(cells[4].value));
  CHECK(cells[5].value == 1);
  CHECK(cells[6].value == 3e5);
}

TEST_CASE("omitted zeros count as digits") {
  // numpy: all up to the same decimal, with spaces in the place of zeros
  check_units("array([0.9544, 1.495 , 1.    , 0.    ])", {1e-4, 1e-4, 1e-4, 1e-4});
  check_units("array([0.9544, 1.495 , 1.    ], dtype=float32)", {1e-4, 1e-4, 1e-4});
  check_units("array([0.95440006, 1.4949999 ,       -inf], dtype=float32)", {1e-8, 1e-8, 0});
  check_units("array([1., 0., 1.])", {0, 0, 0});
  check_units("array([1.0e-07, 2.5e-03])", {1e-8, 1e-4});
  check_units("array([1, 0, 12], dtype=int32)", {0, 0, 0});
  // MLX: six significant digits
  check_units("array([0.9544, 1.495, 10.865, 0.0984123, 1, 0, -inf], dtype=float32)",
              {1e-6, 1e-5, 1e-4, 1e-7, 1e-5, 1e-7, 0});
  // Nx
  check_units("#Nx.Tensor<\n  f32[2]\n  [0.25, 1.5]\n>", {0.01, 0.01});
  check_units("#Nx.Tensor<\n  f32[2]\n  [0.0, 1.0]\n>", {0, 0});
}

TEST_CASE("extreme numbers are harmless") {
  const std::string digits(100'000, '3');
  const Found found("tensor([" + digits + ", 0." + digits + ", 1e" + digits + ", 1e-" + digits + ", 0." +
                    std::string(100'000, '0') + "1])");
  CHECK(values(found.only()) == std::vector<double>{INFINITY, 1.0 / 3, INFINITY, 0, 0});
}

TEST_CASE("a damaged number is a cell without a value") {
  const Found found("tensor([0.1826, 0.31O7, -0.17.19, 4.])");
  REQUIRE(found.only().cells.size() == 4);
  CHECK(found.only().cells[1].text == "0.31O7");
  CHECK(std::isnan(found.only().cells[1].value));
  CHECK(std::isnan(found.only().cells[2].value));
  CHECK(found.only().cells[3].value == 4);
}

TEST_CASE("text after the numbers is understood") {
  const Found found(
      "tensor([[1., 2.]],\n       grad_fn=<MulBackward0>)\ntensor([True, False])\n"
      "tensor([3], device='cuda:0', dtype=torch.int32, requires_grad=True)\n"
      "tensor([], dtype=torch.bool)");
  REQUIRE(found.printed.size() == 4);
  CHECK(found.printed[0].grad_fn == "MulBackward0");
  CHECK(found.printed[0].text == "tensor([[1., 2.]],\n       grad_fn=<MulBackward0>)");
  CHECK(found.printed[1].is_bool);
  CHECK_FALSE(found.printed[0].is_bool);
  CHECK_FALSE(found.printed[2].missing_parenthesis);
  CHECK(found.printed[2].grad_fn.empty());
  CHECK(found.printed[3].is_bool);
  CHECK(Found("tensor([1.], grad_fn=<SumBackward1 object>)").only().grad_fn == "SumBackward1");
  CHECK(Found("tensor([1.], grad_fn=)").only().grad_fn.empty());
  CHECK(Found("<p>tensor([1.], grad_fn=<AddBackward0>)</p>", "x.html").only().grad_fn == "AddBackward0");
}

TEST_CASE("the heading of a parameter is read") {
  const Found found(
      "Query Parameter containing:\ntensor([1.], requires_grad=True)\n"
      "Parameter containing:\ntensor([2.])");
  REQUIRE(found.printed.size() == 2);
  CHECK(found.printed[0].label == "Query");
  CHECK(found.printed[0].text == "Parameter containing:\ntensor([1.], requires_grad=True)");
  CHECK(found.printed[0].place.line == 1);
  CHECK(found.printed[1].label.empty());
}

TEST_CASE("sizes are found") {
  const Found found("keys.shape: torch.Size([2, 6, 3])\ntorch.Size([])\ntorch.Size([6, 4]\ntorch.Size([2.5])");
  REQUIRE(found.printed.size() == 4);
  CHECK(found.printed[0].kind == Printed::Kind::size);
  CHECK(found.printed[0].shape == Shape{2, 6, 3});
  CHECK(found.printed[0].cells.size() == 3);
  CHECK(found.printed[0].label == "keys.shape:");
  CHECK(found.printed[1].shape.empty());
  CHECK(found.printed[2].shape == Shape{6, 4});
  CHECK(found.printed[2].missing_parenthesis);
  CHECK(found.printed[3].shape == Shape{-1});
}

TEST_CASE("numpy's arrays are found") {
  check_counts_up("array([[1., 2.],\n       [3., 4.]], dtype=float32)", {2, 2});
  check_counts_up("array(1., dtype=float32)", {});
  CHECK(count("array(10)") == 0);
}

TEST_CASE("Nx's tensors are found") {
  check_counts_up("#Nx.Tensor<\n  f32[2][2]\n  [\n    [1.0, 2.0],\n    [3.0, 4.0]\n  ]\n>", {2, 2});
  check_counts_up("#Nx.Tensor<\n  s64[2]\n  EXLA.Backend<host:0, 0.1.2.3>\n  [1, 2]\n>", {2});
  check_counts_up("#Nx.Tensor<\n  f32\n  1.0\n>", {});
  check_counts_up("#Nx.Tensor<\n  f32[1]\n  [1.0]\n", {1}, false);
  check_counts_up("> #Nx.Tensor<\n>   f32[1]\n>   [1.0]\n> >", {1});
  CHECK_FALSE(Found("#Nx.Tensor<\n  f32[300]\n  [1.0, NaN, -Inf, ...]\n>").only().ragged);
  CHECK(count("#Nx.Tensor<what>") == 0);
}

TEST_CASE("code and prose are not output") {
  CHECK(count("x = torch.tensor([[0.43, 0.15],\n [0.55, 0.87]])") == 0);
  CHECK(count("Nx.tensor([1, 2]) np.array([1, 2]) my_tensor([1])") == 0);
  CHECK(count("tensor(s) tensor(x) tensor() tensor (2) tensor(2, 3) tensor(n=1) print(tensor)") == 0);
  CHECK(count("print(tensor([1, 2]))") == 0);
  CHECK(count("tensor([x, y]) tensor([1, n]) tensor([1 for i in r]) tensor([[1, 2], # a\n [3, 4]])") == 0);
  CHECK(count("tensor([1, 2] * 3)") == 0);
  CHECK(count("torch.Size torch.Size([b, n]) torch.Size([...]) torch.Size(2, 3)") == 0);
  CHECK(count("tensor([...]) tensor(..., device='meta', size=(5,))") == 0);
  CHECK(count("exactly: `tensor([0.5, 1.5])`, as (tensor(1.), tensor(2.)) shows") == 3);
}

TEST_CASE("broken layouts are read") {
  check_counts_up("tensor([[1,2],[3,4]])", {2, 2});
  check_counts_up("tensor( [[ 1. ,  2. ],  \n\n\n  [3. , 4.]] )", {2, 2});
  check_counts_up("tensor([1. 2. 3.])", {3});
  check_counts_up("Array([1., 2.], dtype=float32)", {2});
  check_counts_up("tf.Tensor([1. 2.], shape=(2,), dtype=float32)", {2});
  check_counts_up("<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>", {2});
  check_counts_up("tensor([[1., 2.]\n [3., 4.]\n])", {2, 2});
  check_counts_up("tensor([[1., 2.],\n        [3., 4.]\n", {2, 2}, false);
  check_counts_up("tensor([[1., 2.],\n        [3., 4.])", {2, 2});
  check_counts_up("tensor([1., 2.]]])", {2});
  CHECK(values(Found("tensor([0.5-0.25-inf])").only()) == std::vector<double>{0.5, -0.25, -INFINITY});
}

TEST_CASE("a missing parenthesis ends the tensor where it ends") {
  const Found found(
      "tensor([[1., 2.]], grad_fn=<CatBackward0>\ncontext_vecs.shape: torch.Size([1, 2])\n"
      "```\ntensor([3.]\n```\n(more)\ntensor(1.5\nwords");
  REQUIRE(found.printed.size() == 4);
  CHECK(found.printed[0].missing_parenthesis);
  CHECK(found.printed[0].text == "tensor([[1., 2.]], grad_fn=<CatBackward0>");
  CHECK(found.printed[1].label == "context_vecs.shape:");
  CHECK(found.printed[2].text == "tensor([3.]");
  CHECK(found.printed[3].missing_parenthesis);
}

TEST_CASE("fences and margins are not part of a tensor") {
  check_counts_up("```output\ntensor([1., 2.])```\n", {2});
  check_counts_up("```\ntensor([[1., 2.],\n```\n\n\n```\n        [3., 4.]])\n```", {2, 2});
  check_counts_up("tensor([[1., 2.],\n```\n\n```output\n        [3., 4.]],\n```\n```\n   grad_fn=<X>)", {2, 2});
  check_counts_up("> tensor([[1., 2.],\n>         [3., 4.]])", {2, 2});
  check_counts_up("| tensor([[1., 2.], |\n|         [3., 4.]]) |", {2, 2});
  check_counts_up("# tensor([[1., 2.],\n#         [3., 4.]])", {2, 2});
  check_counts_up(">>> tensor([1.,\n    2.])", {2});
}

TEST_CASE("dots replace hidden elements") {
  const Found found(
      "tensor([[1., 2., ..., 3.],\n        [4., 5., ..., 6.],\n        ...,\n"
      "        [7., 8., ..., 9.]])");
  CHECK(found.only().shape == Shape{3, 3});
  CHECK(found.only().shown_before_gap == std::vector<std::int64_t>{2, 2});
  CHECK_FALSE(found.only().ragged);
  CHECK(Found("tensor([1., 2.])").only().shown_before_gap.empty());
  CHECK(Found("tensor([1., \xe2\x80\xa6, 2.])").only().shown_before_gap == std::vector<std::int64_t>{1});
}

TEST_CASE("rows of different lengths are noticed") {
  const Found found(
      "tensor([[1., 2.],\n [3.],\n [4., 5.]]) tensor([[[1.], [2.]], [[3.]]]) tensor([1., [2.]])"
      " tensor([[], 2.])");
  REQUIRE(found.printed.size() == 4);
  CHECK(found.printed[0].ragged);
  CHECK(found.printed[0].shape == Shape{3, 2});
  CHECK(found.printed[0].cells.size() == 5);
  CHECK(found.printed[1].ragged);
  CHECK(found.printed[1].shape == Shape{2, 2, 1});
  CHECK(found.printed[2].ragged);
  CHECK(found.printed[3].ragged);
}

TEST_CASE("labels are the words before a tensor") {
  const auto label = [](std::string_view bytes) { return std::string(Found(bytes).printed.back().label); };
  CHECK(label("Attention weights: tensor([1.])") == "Attention weights:");
  CHECK(label("keys\n tensor([1.])") == "keys");
  CHECK(label("keys\n\n\ntensor([1.])") == "keys");
  CHECK(label("a\n```output\ntensor([1.])").empty());
  CHECK(label("Out[3]: tensor([1.])").empty());
  CHECK(label(">>> print(keys)\ntensor([1.])") == "print(keys)");
  CHECK(label("tensor([1.])\ntensor([2.])").empty());
  CHECK(label("<tf.Tensor: shape=(1,), dtype=float32, numpy=array([1.], dtype=float32)>").empty());
  CHECK(label("(tensor([1.]), tensor([2.]))").empty());
  CHECK(label(std::string(61, 'x') + "\ntensor([1.])").empty());
  CHECK(
      label("some words and more words and more words and more words and more words exactly: `tensor([1.])`").size() <=
      60);
  CHECK(label("> keys\n> tensor([1.])") == "keys");
}

TEST_CASE("Markdown cells are read wherever their tensors stand, and have a place") {
  const Found found(R"json({"nbformat": 4, "cells": [
    {"cell_type": "code", "execution_count": 7, "source": "x", "outputs": [{"text": "keys\ntensor([1.])\n"}]},
    {"cell_type": "markdown", "source": ["```\n", "tensor([2.])\n", "[3.0, 3.5, 4.0]\n", "```\n", "\n", "So tensor([5.])"]},
    {"cell_type": "code", "execution_count": 8, "source": "y", "outputs": [{"data": {"text/plain": ["tensor([6.])"]}}]}]})json",
                    "x.ipynb");
  REQUIRE(found.printed.size() == 5);
  CHECK(found.printed[0].label == "keys");
  CHECK(found.printed[0].place.number == 7);
  CHECK_FALSE(found.printed[0].place.is_markdown);
  for (const std::size_t i : {1U, 2U, 3U}) {
    CHECK(found.printed[i].place.cell == 2);
    CHECK(found.printed[i].place.number == 2);
    CHECK(found.printed[i].place.is_markdown);
  }
  CHECK(found.printed[1].place.line == 2);
  CHECK(found.printed[2].shape == Shape{3});
  CHECK(found.printed[3].label == "So");
  CHECK(found.printed[4].place.cell == 3);
  CHECK(found.printed[4].place.number == 8);
  CHECK(found.printed[4].label.empty());
}

TEST_CASE("Julia's arrays are told, not read") {
  const Found found(
      "```\n2\xc3\x97"
      "3 Matrix{Float32}:\n 0.1  0.2  0.3\n 0.4  0.5  0.6\n```\n");
  CHECK(found.printed.empty());
  CHECK(unread_form(found.page).starts_with("Julia's arrays are not read; print them as"));
  CHECK(unread_form(Found("2-element Vector{Float64}:\n 0.1\n 0.2\n").page) != "");
  CHECK(unread_form(Found("no numbers").page).empty());
}

TEST_CASE("HTML, terminal logs and notebooks print the same tensors") {
  check_counts_up("<pre>tensor([[<span>1.</span>,&nbsp;<b>2</b>.],<br>[3., 4.]])</pre>", {2, 2}, true, "x.html");
  check_counts_up("\x1b[32mtensor\x1b[0m([\x1b[1m1.\x1b[0m, 2.])\r\n", {2}, true, "log");
  check_counts_up(
      R"json({"cells": [{"cell_type": "markdown", "source": ["x\n", "```\n", "tensor([1., 2.])\n", "```"]}]})json", {2},
      true, "x.ipynb");
  check_counts_up(R"json({"cells": [{"outputs": [{"data": {"text/plain": ["tensor([1.,\n", "2.])"]}}]}]})json", {2},
                  true, "x.ipynb");
}

TEST_CASE("arrays of JAX") {
  check("Array([[0.43, 0.15, 0.89],\n       [0.55, 0.87, 0.66]], dtype=float32)", {2, 3}, two_rows, 0.01);
  check("Array([0.9544001, 1.4950001, 1.4754   ], dtype=float32)", {3}, {0.9544001, 1.4950001, 1.4754}, 1e-7);
  check("Array(0.9544, dtype=float32, weak_type=True)", {}, {0.9544}, 1e-4);
  check("Array([[ True, False]], dtype=bool)", {1, 2}, {1, 0}, 0);
  check("Array([1, 2, 3], dtype=int32)", {3}, {1, 2, 3}, 0);
  CHECK(in_output("Array([ True], dtype=bool)").only().is_bool);
  CHECK(in_output("Array([[0.5, 1.5, ..., 2.5]], dtype=float32)").only().shown_before_gap ==
        std::vector<std::int64_t>{-1, 2});
  CHECK(count_in_output("(Array([0.5, 1.5], dtype=float32), Array(1., dtype=float32))") == 2);
  CHECK(count_in_output("new Array(10) Array(n) jnp.Array([1.5], dtype=float32) ShapedArray(float32[6,3])") == 0);
}

TEST_CASE("tensors of TensorFlow") {
  check("tf.Tensor(\n[[0.43 0.15 0.89]\n [0.55 0.87 0.66]], shape=(2, 3), dtype=float32)", {2, 3}, two_rows, 0.01);
  check("tf.Tensor([0.9544001 1.495     1.4754   ], shape=(3,), dtype=float32)", {3}, {0.9544001, 1.495, 1.4754}, 1e-7);
  check("tf.Tensor(0.9544, shape=(), dtype=float32)", {}, {0.9544}, 1e-4);
  check("<tf.Tensor: shape=(2,), dtype=float32, numpy=array([0.5, 1.5], dtype=float32)>", {2}, {0.5, 1.5}, 0.1);
  check("<tf.Variable 'W:0' shape=(1, 2) dtype=float32, numpy=array([[0.5, 1.5]], dtype=float32)>", {1, 2}, {0.5, 1.5},
        0.1);
  CHECK(count_in_output("<tf.Tensor 'x:0' shape=(2,) dtype=float32> tf.Tensor(x)") == 0);
}

TEST_CASE("Python's lists and what numpy's str() writes") {
  check("[[0.43, 0.15, 0.89], [0.55, 0.87, 0.66]]", {2, 3}, two_rows, 0.01);
  check("[[0.43 0.15 0.89]\n [0.55 0.87 0.66]]\n", {2, 3}, two_rows, 0.01);
  check("[0.9544001 1.495     1.4754   ]", {3}, {0.9544001, 1.495, 1.4754}, 1e-7);
  check("[0.12345, 1e-05, 0.5]", {3}, {0.12345, 1e-5, 0.5}, 1e-5);
  check("[[1.0, 0.0], [1.0, 1.0]]", {2, 2}, {1, 0, 1, 1}, 0);
  check("[[1, 0], [1, 1]]", {2, 2}, {1, 0, 1, 1}, 0);
  check("[[[0.5 1.5]]\n\n [[2.5 3.5]]]", {2, 1, 2}, {0.5, 1.5, 2.5, 3.5}, 0.1);
  check("[0.3061, 0.8210]", {2}, {0.3061, 0.821}, 1e-4);
  check_counts_up("[0.5 -inf 1.]", {3}, true, "output.txt", {0.5, -INFINITY, 1});
  check("Scores:\n [[1. 2.]\n [3. 4.]]\n", {2, 2}, {1, 2, 3, 4}, 0);
  check("[[ 1  2  3]\n [ 4  5 16]]\n", {2, 3}, {1, 2, 3, 4, 5, 16}, 0);
  check("[1 2 3]\n", {3}, {1, 2, 3}, 0);
  check("[[ True False]\n [False  True]]\n", {2, 2}, {1, 0, 0, 1}, 0);
  check("[ True False  True]\n", {3}, {1, 0, 1}, 0);
  check("I \xe2\x86\x92 [0.1 0.3]\n", {2}, {0.1, 0.3}, 0.1);
  check("Position 0 -> [0. 1.]\n", {2}, {0, 1}, 0);
  check("np.float32(0.9544)", {}, {0.9544}, 1e-4);
  CHECK(count_in_output("[np.float32(0.5), np.float32(1.5), np.float32(2.5)]") == 3);
  CHECK(count_in_output("[0.5, np.float32(") == 0);
  CHECK(count_in_output("tensor([[1., 2.\nnp.float32(") == 1);
  CHECK(in_output("[[True, False], [True, True]]\n").only().is_bool);
}

TEST_CASE("lists have labels, also in tuples and dicts") {
  CHECK(in_output("Attention weights: [0.5, 0.25, 0.25]").only().label == "Attention weights:");
  CHECK(in_output("keys = [[0.5 0.25]\n [1.5 2.5]]").only().label == "keys");
  CHECK(in_output("keys\n[[0.5, 0.25], [1.5, 2.5]]").only().label == "keys");
  CHECK(count_in_output("([0.5, 0.25, 0.25], [1.5, 2.5, 3.5])") == 2);
  CHECK(count_in_output("{'W_query': [[0.5, 0.25], [1.5, 2.5]], 'W_key': [[0.5, 0.25], [1.5, 2.5]]}") == 2);
  CHECK(in_output("a\nb [0.5, 0.25, 1.5]\n").only().place.line == 2);
  CHECK(in_output("[[0.5 1.5 ... 2.5]\n [0.5 1.5 ... 2.5]\n ...\n [0.5 1.5 ... 2.5]]").only().shape == Shape{3, 3});
}

TEST_CASE(
    "lists are tensors where programs print, not in prose, programs and data") {  // page_test.cpp knows the places
  const std::string list = "[[0.5, 0.25], [1.5, 2.5]]";
  CHECK(count("```text\n" + list + "\n```\n") == 1);
  CHECK(count("```python\nprint(x)\n```\n\n    " + list + "\n") == 1);
  CHECK(count_in_output("Out[3]: " + list + "\n") == 1);
  CHECK(count_in_output(">>> x.tolist()\n" + list + "\n") == 1);
  CHECK(count("Text " + list + "\n\n" + list + "\n") == 0);
  CHECK(count("x = " + list + "\n", "lesson.py") == 0);
  CHECK(count("```\nx = torch.tensor(\n" + list + ")\n```\n") == 0);
  CHECK(count_in_output("{\"x\": " + list + "}") == 0);
  CHECK(count_in_output("{\"x\": [\n  [0.5, 0.25],\n  [1.5, 2.5]\n]}") == 0);
  CHECK(count_in_output(">>> f(" + list + ")\n>>> x = " + list + "\n") == 0);
  const std::string code = "In [1]:\nimport numpy as np\nx = np.array([[0.5, 1.5],\n    [2.5, 3.5]])\nprint(x)\n\n";
  check(code + "X:\n [[1. 2.]\n [3. 4.]]\n", {2, 2}, {1, 2, 3, 4}, 0);
  for (const char* more :
       {"for p in [0.5, 1.5, 2.5]: f(p)\nx = [0.5, 1.5, 2.5]\n", "y = \\\n  [0.5, 1.5, 2.5]\nz =\n  [0.5 1.5]\n",
        "f(a,\n  [0.5, 1.5, 2.5])\n", "sizes: [0.5, 1.5, 2.5]\nq = [1. 2. 3.]\nlambda x: [1., 2., 3.]\n"}) {
    CAPTURE(more);
    CHECK(count_in_output(code + more) == 0);
  }
}

TEST_CASE("sizes, ids, citations, intervals and indices are not tensors") {
  for (const char* text :
       {"[2, 3]\n[6]\n[15496, 11, 995]\n[[15496, 11], [995, 3]]\n[1024 768]\n[1]\n[[1]]",
        "see [1] and [2, 3], or [1.5](http://x.y) and [0.5, 1.5, 2.5][0]",
        "in [0.0, 1.0], x[0.5, 1.5, 2.5] f([0.5, 1.5, 2.5]) 'a'[0.5 1.5 2.5] mAP@[0.50, 0.95]",
        "[    0.000000] Linux version 6.1\n[ 0.123456] pci\n[0.5, 0.25] * 2\n",
        "[] [[]] [[], []] [...] [0.5, [1.5, 2.5, 3.5]] [[0.5, 1.5], [2.5]] [0.5, 1.5, x] [0.5, 1.5, 2.5",
        "[1.2.3, 4.5.6, 7.8.9]\n[12:30:01.250, 0.5, 0.5]\n[0.5 1.5, 2.5]\n[50%|##| 0.5, 0.5, 0.5]",
        "[0.5, 2, 1]\n[42.0; 16]\n[True, False, True, False]\n",
        "which of the vectors that we computed before is [0.5, 1.5, 2.5]"}) {
    CAPTURE(text);
    CHECK(count_in_output(text) == 0);
  }
}
