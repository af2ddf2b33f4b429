#include "verify/page/page.hpp"

#include "unit.hpp"
#include "verify/page/printed.hpp"

/// What ports of the lesson print: other frameworks, other languages, outputs kept in programs.
namespace {

using attn::Shape;
using attn::verify::Cell;
using attn::verify::find_printed;
using attn::verify::Page;
using attn::verify::parse_page;
using attn::verify::Printed;

/// A page with what is printed on it. It stays where it is, as what is printed points into it.
struct Found {
  explicit Found(std::string_view bytes, const std::string& name = "output.txt")
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

std::size_t count(std::string_view bytes, const std::string& name = "output.txt") {
  return Found(bytes, name).printed.size();
}

std::vector<double> values(const Printed& printed) {
  std::vector<double> result;
  for (const Cell& cell : printed.cells) {
    result.push_back(cell.value);
  }
  return result;
}

/// Checks the one tensor of a page: its shape, its numbers, and the unit that all of them have.
void check(std::string_view bytes, const Shape& shape, const std::vector<double>& numbers, double unit,
           const std::string& name = "output.txt") {
  CAPTURE(bytes);
  const Found found(bytes, name);
  REQUIRE(found.printed.size() == 1);
  const Printed& printed = found.only();
  CHECK_FALSE(printed.ragged);
  CHECK(is_regular(printed));
  CHECK_FALSE(printed.missing_parenthesis);
  CHECK(printed.shape == shape);
  CHECK(values(printed) == numbers);
  for (const Cell& cell : printed.cells) {
    CAPTURE(cell.text);
    CHECK(std::abs(cell.unit - unit) <= 1e-9 * unit);
  }
}

const std::vector<double> two_rows{0.43, 0.15, 0.89, 0.55, 0.87, 0.66};

}  // namespace

TEST_SUITE("JAX and TensorFlow") {
  TEST_CASE("JAX's arrays") {
    check("Array([[0.43, 0.15, 0.89],\n       [0.55, 0.87, 0.66]], dtype=float32)", {2, 3}, two_rows, 0.01);
    check("Array([0.9544001, 1.4950001, 1.4754   ], dtype=float32)", {3}, {0.9544001, 1.4950001, 1.4754}, 1e-7);
    check("Array(0.9544, dtype=float32)", {}, {0.9544}, 1e-4);
    check("Array(0.9544, dtype=float32, weak_type=True)", {}, {0.9544}, 1e-4);
    check("Array([[ True, False]], dtype=bool)", {1, 2}, {1, 0}, 0);
    check("Array([1, 2, 3], dtype=int32)", {3}, {1, 2, 3}, 0);
    CHECK(Found("Array([ True], dtype=bool)").only().is_bool);
    CHECK(Found("Array([[0.5, 1.5, ..., 2.5]], dtype=float32)").only().shown_before_gap ==
          std::vector<std::int64_t>{-1, 2});
    CHECK(count("(Array([0.5, 1.5], dtype=float32), Array(1., dtype=float32))") == 2);
    CHECK(count("new Array(10) Array(n) jnp.Array([1.5], dtype=float32) ShapedArray(float32[6,3])") == 0);
  }

  TEST_CASE("TensorFlow's tensors") {
    check("tf.Tensor(\n[[0.43 0.15 0.89]\n [0.55 0.87 0.66]], shape=(2, 3), dtype=float32)", {2, 3}, two_rows, 0.01);
    check("tf.Tensor([0.9544001 1.495     1.4754   ], shape=(3,), dtype=float32)", {3}, {0.9544001, 1.495, 1.4754},
          1e-7);
    check("tf.Tensor(0.9544, shape=(), dtype=float32)", {}, {0.9544}, 1e-4);
    check("tf.Tensor(\n[[[0.5 1.5]]\n\n [[2.5 3.5]]], shape=(2, 1, 2), dtype=float32)", {2, 1, 2}, {0.5, 1.5, 2.5, 3.5},
          0.1);
    check(
        "<tf.Tensor: shape=(2, 3), dtype=float32, numpy=\narray([[0.43, 0.15, 0.89],\n       [0.55, 0.87, 0.66]], "
        "dtype=float32)>",
        {2, 3}, two_rows, 0.01);
    check("<tf.Tensor: shape=(2,), dtype=float32, numpy=array([0.5, 1.5], dtype=float32)>", {2}, {0.5, 1.5}, 0.1);
    check("<tf.Variable 'W:0' shape=(1, 2) dtype=float32, numpy=array([[0.5, 1.5]], dtype=float32)>", {1, 2},
          {0.5, 1.5}, 0.1);
    CHECK(count("<tf.Tensor 'x:0' shape=(2,) dtype=float32> tf.Tensor(x)") == 0);
  }
}

TEST_SUITE("lists without a name") {
  TEST_CASE("Python lists and numpy arrays in output") {
    check("[[0.43, 0.15, 0.89], [0.55, 0.87, 0.66]]", {2, 3}, two_rows, 0.01);
    check("[[0.43 0.15 0.89]\n [0.55 0.87 0.66]]\n", {2, 3}, two_rows, 0.01);
    check("[0.9544001 1.495     1.4754   ]", {3}, {0.9544001, 1.495, 1.4754}, 1e-7);
    check("[0.12345, 1e-05, 0.5]", {3}, {0.12345, 1e-5, 0.5}, 1e-5);
    check("[[1. 0.]\n [1. 1.]]", {2, 2}, {1, 0, 1, 1}, 0);
    check("[[1.0, 0.0], [1.0, 1.0]]", {2, 2}, {1, 0, 1, 1}, 0);
    check("[[1, 0], [1, 1]]", {2, 2}, {1, 0, 1, 1}, 0);
    check("[[[0.5 1.5]]\n\n [[2.5 3.5]]]", {2, 1, 2}, {0.5, 1.5, 2.5, 3.5}, 0.1);
    CHECK(count("[np.float32(0.5), np.float32(1.5), np.float32(2.5)]") == 3);
    check("np.float32(0.9544)", {}, {0.9544}, 1e-4);
    CHECK(count("[0.5, np.float32(") == 0);
    CHECK(count("np.float32(") == 0);
    CHECK(count("tensor([[1., 2.\nnp.float32(") == 1);
    check("[0.3061, 0.8210]", {2}, {0.3061, 0.821}, 1e-4);
    const Found mask("[[True, False], [True, True]]\n");
    CHECK(mask.only().is_bool);
    const Found inf("[[0.5 -inf]\n [1.5 nan]]");
    CHECK(inf.only().cells[1].value == -INFINITY);
    CHECK(inf.only().cells[1].unit == 0);
  }

  TEST_CASE("with a label, in tuples and dicts") {
    CHECK(Found("Attention weights: [0.5, 0.25, 0.25]").only().label == "Attention weights:");
    CHECK(Found("keys = [[0.5 0.25]\n [1.5 2.5]]").only().label == "keys");
    CHECK(Found("keys\n[[0.5, 0.25], [1.5, 2.5]]").only().label == "keys");
    CHECK(count("([0.5, 0.25, 0.25], [1.5, 2.5, 3.5])") == 2);
    CHECK(count("{'W_query': [[0.5, 0.25], [1.5, 2.5]], 'W_key': [[0.5, 0.25], [1.5, 2.5]]}") == 2);
    CHECK(Found("a\nb [0.5, 0.25, 1.5]\n").only().place.line == 2);
    CHECK(Found("[[0.5 1.5 ... 2.5]\n [0.5 1.5 ... 2.5]\n ...\n [0.5 1.5 ... 2.5]]").only().shape == Shape{3, 3});
  }

  TEST_CASE("they are found wherever programs print") {
    const std::string list = "[[0.5, 0.25], [1.5, 2.5]]";
    CHECK(count("Text\n```\n" + list + "\n```\n", "page.md") == 1);
    CHECK(count("```text\n" + list + "\n```\n", "page.md") == 1);
    CHECK(count("```python\nprint(x)\n```\n\n    " + list + "\n", "page.md") == 1);
    CHECK(count("<p>Text</p><pre>" + list + "</pre>", "page.html") == 1);
    CHECK(count(">>> x.tolist()\n" + list + "\n") == 1);
    CHECK(count("```python\n>>> x.tolist()\n" + list + "\n```\n", "page.md") == 1);
    CHECK(count("Out[3]: " + list + "\n") == 1);
    CHECK(count("```python\nprint(x)\n" + list + "\n```\n", "page.md") == 1);
    CHECK(count(R"({"cells": [{"cell_type": "code", "source": "x", "outputs": [{"text": "[[0.5, 0.25], [1.5, 2.5]]"}]}],
                 "nbformat": 4})",
                "page.ipynb") == 1);
  }

  TEST_CASE("they are not tensors in prose, programs and data") {
    const std::string list = "[[0.5, 0.25], [1.5, 2.5]]";
    CHECK(count("Text " + list + "\n\n" + list + "\n", "page.md") == 0);
    CHECK(count("x = " + list + "\n", "lesson.py") == 0);
    CHECK(count("```python\nx = " + list + "\n```\n", "page.md") == 0);
    CHECK(count("```\nimport torch\nx = " + list + "\n```\n", "page.md") == 0);
    CHECK(count("```\nx = torch.tensor(\n" + list + ")\n```\n", "page.md") == 0);
    CHECK(count("<p>" + list + "</p>", "page.html") == 0);
    CHECK(count("```json\n" + list + "\n```\n", "page.md") == 0);
    CHECK(count("{\"x\": " + list + "}") == 0);
    CHECK(count("{\"x\": [\n  [0.5, 0.25],\n  [1.5, 2.5]\n]}") == 0);
    CHECK(count(">>> f(" + list + ")\n>>> x = " + list + "\n") == 0);
    CHECK(count("```python\n>>> f(\n... " + list + ")\n```\n", "page.md") == 0);
  }

  TEST_CASE("sizes, ids, citations, intervals and indices are not tensors") {
    CHECK(count("[2, 3]\n[6]\n[15496, 11, 995]\n[[15496, 11], [995, 3]]\n[1024 768]\n[1]\n[[1]]") == 0);
    CHECK(count("see [1] and [2, 3], or [1.5](http://x.y) and [0.5, 1.5, 2.5][0]") == 0);
    CHECK(count("in [0.0, 1.0], x[0.5, 1.5, 2.5] f([0.5, 1.5, 2.5]) 'a'[0.5 1.5 2.5] mAP@[0.50, 0.95]") == 0);
    CHECK(count("[    0.000000] Linux version 6.1\n[ 0.123456] pci\n[0.5, 0.25] * 2\n") == 0);
    CHECK(count("[] [[]] [[], []] [...] [0.5, [1.5, 2.5, 3.5]] [[0.5, 1.5], [2.5]] [0.5, 1.5, x] [0.5, 1.5, 2.5") == 0);
    CHECK(count("[1.2.3, 4.5.6, 7.8.9]\n[12:30:01.250, 0.5, 0.5]\n[0.5 1.5, 2.5]\n[50%|##| 0.5, 0.5, 0.5]") == 0);
    CHECK(count("[0.5, 2, 1]\n[42.0; 16]\n[True, False, True, False]\n") == 0);
    CHECK(count("which of the vectors that we computed before is [0.5, 1.5, 2.5]") == 0);
  }
}

TEST_SUITE("arrays as numpy's str() writes them") {
  TEST_CASE("floats, whole numbers and bools") {
    check("Scores:\n [[1. 2.]\n [3. 4.]]\n", {2, 2}, {1, 2, 3, 4}, 0);
    check("[[ 1  2  3]\n [ 4  5 16]]\n", {2, 3}, {1, 2, 3, 4, 5, 16}, 0);
    check("[[1]\n [2]]\n", {2, 1}, {1, 2}, 0);
    check("[1 2 3]\n", {3}, {1, 2, 3}, 0);
    check("[[ True False]\n [False  True]]\n", {2, 2}, {1, 0, 0, 1}, 0);
    check("[ True False  True]\n", {3}, {1, 0, 1}, 0);
    check("I \xe2\x86\x92 [0.1 0.3]\n", {2}, {0.1, 0.3}, 0.1);
    check("Position 0 -> [0. 1.]\n", {2}, {0, 1}, 0);
  }

  TEST_CASE("below code in plain text") {
    const std::string code = "In [1]:\nimport numpy as np\nx = np.array([[0.5, 1.5],\n    [2.5, 3.5]])\nprint(x)\n\n";
    check(code + "X:\n [[1. 2.]\n [3. 4.]]\n", {2, 2}, {1, 2, 3, 4}, 0);
    CHECK(count(code +
                "for p in [0.5, 1.5, 2.5]: f(p)\nx = [0.5, 1.5, 2.5]\ny = \\\n  [0.5, 1.5, 2.5]\nz =\n  [0.5 1.5]\n") ==
          0);
    CHECK(count(code + "f(a,\n  [0.5, 1.5, 2.5])\nsizes: [0.5, 1.5, 2.5]\nq = [1. 2. 3.]\nlambda x: [1., 2., 3.]\n") ==
          0);
  }
}
