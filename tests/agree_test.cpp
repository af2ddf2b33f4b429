// Whether what a page shows is a tensor. What is right here was printed by PyTorch 1.13, under AVX2 unless it says
// otherwise.

#include "verify/observed/observed.hpp"

#include "made.hpp"
#include "verify/page/page.hpp"

namespace {

using namespace attn;
using test::bools;
using test::floats;
using namespace attn::verify;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

Observed shown(const std::string& text) {
  const Page page = parse_page("page.md", text);
  return shown_of(find_printed(page).at(0)).value();
}

/// The numbers from 0 on, in eighths.
Tensor eighths(const Shape& shape) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < element_count(shape); ++i) {
    values.push_back(static_cast<float>(i) / 8);
  }
  return floats(shape, std::move(values));
}

Tensor normals(Cpu cpu) {
  torch::Torch torch({.cpu = cpu}, DropoutKernel::standard, torch::Torch::Mode::compute);
  torch.manual_seed(123);
  return slice(view(torch.randn({2, 3, 4, 16}), {384}), 0, 136, 140);
}

Agreement agree(const std::string& text, const Tensor& tensor) {
  Bounds bounds;
  return verify::agree(shown(text), tensor, bounds);
}

/// "": all holds; "c" for a cell that is close, "x" for one that differs, "?" for an unknown one.
std::string told(const Agreement& agreement) {
  std::string words = agreement.is_comparable ? "" : "other ";
  for (const Wrong& wrong : agreement.wrong) {
    words += (wrong.is_close ? "c" : "x") + std::to_string(wrong.cell) + " ";
  }
  words += std::string(static_cast<std::size_t>(agreement.unknown), '?');
  return words.ends_with(' ') ? words.substr(0, words.size() - 1) : words;
}

struct Row {
  const char* name;
  std::string text;
  Tensor tensor;
  std::string told;
};

const std::string edges_of_eighths =
    "tensor([[0.0000e+00, 1.2500e-01, 2.5000e-01,  ..., 5.8750e+00, 6.0000e+00,\n         6.1250e+00],\n"
    "        [6.2500e+00, 6.3750e+00, 6.5000e+00,  ..., 1.2125e+01, 1.2250e+01,\n         1.2375e+01],\n"
    "        [1.2500e+01, 1.2625e+01, 1.2750e+01,  ..., 1.8375e+01, 1.8500e+01,\n         1.8625e+01],\n"
    "        ...,\n"
    "        [2.3125e+02, 2.3138e+02, 2.3150e+02,  ..., 2.3712e+02, 2.3725e+02,\n         2.3738e+02],\n"
    "        [2.3750e+02, 2.3762e+02, 2.3775e+02,  ..., 2.4338e+02, 2.4350e+02,\n         2.4362e+02],\n"
    "        [2.4375e+02, 2.4388e+02, 2.4400e+02,  ..., 2.4962e+02, 2.4975e+02,\n         2.4988e+02]])";

std::string with(std::string text, const std::string& was, const std::string& is) {
  const std::size_t place = text.find(was);
  REQUIRE(place != std::string::npos);
  return text.replace(place, was.size(), is);
}

std::vector<Row> rows() {
  const Tensor x = floats({2, 3}, {0.43F, 0.15F, 0.89F, 0.55F, 0.87F, 0.66F});
  const Tensor scores = matmul(x, t(x));
  const Tensor ties = floats({3}, {0.125F, 0.375F, 12.0F});
  const Tensor decades = floats({4}, {0.99998F, 1.00004F, 0.999996F, 2e-5F});
  const Tensor small = sum(floats({2, 9}, {0.1F, 0.7F, -0.8F, 0.3F, -0.3F, 0.55F, -0.55F, 0.05F, -0.05F, 0.43F, 0.15F,
                                           0.89F, -0.55F, -0.92F, 0.31F, -0.31F, 0.2F, -0.2F}));
  const Tensor whole = floats({2, 3}, {1, 0, 2, 3, 4, 5});
  const Tensor mask = bools({2, 2}, {true, false, true, true});
  const Tensor hidden = softmax(floats({2, 2}, {1, 2, -infinity, -infinity}));
  const Tensor unknown = softmax(floats({2, 2}, {1, 2, nan, nan}));
  const std::string own = "tensor([[0.9995, 0.9544],\n        [0.9544, 1.4950]])";
  const std::string half = "tensor([[0.2689, 0.7311],\n        [   nan,    nan]])";
  const std::string truths = "tensor([[ True, False],\n        [ True,  True]])";
  const std::string decade = "tensor([9.9998e-01, 1.0000e+00, 1.0000e+00, 2.0000e-05])";
  const std::string sums = "tensor([-1.1176e-08, -4.4703e-08])";
  return {
      {"a step", own, scores, ""},
      {"its last digit", with(own, "1.4950", "1.4951"), scores, "c3"},
      {"its last two", with(own, "1.4950", "1.4952"), scores, "x3"},
      {"a digit", with(own, "0.9995", "0.9996"), scores, "c0"},
      {"a sign", with(own, " 0.9544", "-0.9544"), scores, "x1"},
      {"a damaged number", with(own, "1.4950", "1.4Z50"), scores, "x3"},
      {"another shape", own, x, "other"},
      {"ties are rounded to even", "tensor([ 0.12,  0.38, 12.00])", ties, ""},
      {"ties are not rounded up", "tensor([ 0.13,  0.38, 12.00])", ties, "c0"},
      {"scientific", decade, decades, ""},
      {"below a decade, units are a tenth", with(decade, "9.9998e-01", "9.9999e-01"), decades, "c0"},
      {"and two of them too many", with(decade, "9.9998e-01", "1.0000e+00"), decades, "x0"},
      {"a decade", with(decade, "1.0000e+00, 2", "9.9999e-01, 2"), decades, "c2"},
      {"an exponent", with(decade, "2.0000e-05", "2.0000e-04"), decades, "x3"},
      {"a small number", with(decade, "2.0000e-05", "2.0001e-05"), decades, "c3"},
      {"a small number's digit", with(decade, "2.0000e-05", "2.0101e-05"), decades, "x3"},
      {"normals", "tensor([-1.4053e+00, -5.9217e-01, -2.5479e-01, 1.1517e+00])", normals(Cpu::avx2), ""},
      {"without AVX2", "tensor([-1.4053e+00, -5.9216e-01, -2.5479e-01, 1.1517e+00])", normals(Cpu::standard), ""},
      {"by the other", "tensor([-1.4053e+00, -5.9217e-01, -2.5479e-01, 1.1517e+00])", normals(Cpu::standard), "c1"},
      {"what is left of large numbers", sums, small, ""},
      {"in another order", "tensor([-5.9605e-08,  2.9802e-08])", small, "c0 c1"},
      {"in no order", "tensor([-5.9605e-06,  2.9802e-08])", small, "x0 x1"},
      {"but one", "tensor([-5.9605e-08,  2.9802e-04])", small, "c0 x1"},
      {"whole numbers", "tensor([[1., 0., 2.],\n        [3., 4., 5.]])", whole, ""},
      {"another", "tensor([[1., 0., 2.],\n        [3., 4., 6.]])", whole, "x5"},
      {"truths", truths, mask, ""},
      {"a truth", with(truths, "False", "True"), mask, "x1"},
      {"truths are no numbers", truths, floats({2, 2}, {1, 0, 1, 1}), "other"},
      {"numbers are no truths", "tensor([[1, 0],\n        [1, 1]])", mask, "other"},
      {"undefined", half, hidden, ""},
      {"defined", with(half, "   nan", "0.5000"), hidden, "x2"},
      {"not known", with(half, "   nan", "0.5000"), unknown, "??"},
      {"not known, be it nan", half, unknown, "??"},
      {"decided by what is not known", "tensor(True)", all_close(unknown, hidden), "?"},
      {"wrong, the rest not known", with(half, "0.2689", "0.2789"), unknown, "x0 ??"},
      {"the edges", edges_of_eighths, eighths({40, 50}), ""},
      {"an edge", with(edges_of_eighths, "2.4362e+02", "2.4462e+02"), eighths({40, 50}), "x29"},
      {"a tie at an edge", with(edges_of_eighths, "2.3138e+02", "2.3137e+02"), eighths({40, 50}), "c19"},
      {"edges of a larger one", edges_of_eighths, eighths({50, 40}), "x6 x7"},
      {"edges are no whole", edges_of_eighths, eighths({6, 6}), "other"},
  };
}

/// What is computed from a printed x.
Agreement from_printed(const std::string& text, Tensor (*made)(const Tensor&)) {
  const Observed x = shown("tensor([[0.4312, 0.1501, 0.8903],\n        [0.5504, 0.8702, 0.6605]])");
  const Tensor tensor = verify::leaf_of(x, "x");
  Bounds bounds;
  bounds.observe(tensor, x.cells());
  return verify::agree(shown(text), made(tensor), bounds);
}

}  // namespace

TEST_SUITE("agree") {
  TEST_CASE("what is known exactly must be shown digit by digit") {
    for (const Row& row : rows()) {
      CAPTURE(row.name);
      const Agreement agreement = agree(row.text, row.tensor);
      if (row.told == "x6 x7") {
        CHECK(agreement.differing() > 20);
        continue;
      }
      CHECK(told(agreement) == row.told);
      CHECK(agreement.holds() == row.told.empty());
      CHECK((agreement.is_exact || !agreement.is_comparable));
    }
  }

  TEST_CASE("what is computed from printed numbers must be within their rounding") {
    const auto dots = [](const Tensor& x) { return matmul(x, t(x)); };
    CHECK(told(from_printed("tensor([[1.0011, 0.9559],\n        [0.9559, 1.4965]])", dots)) == "");
    CHECK(told(from_printed("tensor([[1.0012, 0.9559],\n        [0.9559, 1.4965]])", dots)) == "");
    CHECK(told(from_printed("tensor([[1.0013, 0.9559],\n        [0.9559, 1.4965]])", dots)) == "c0");
    CHECK(told(from_printed("tensor([[1.0018, 0.9559],\n        [0.9559, 1.4965]])", dots)) == "x0");
    CHECK_FALSE(from_printed("tensor([[1.0011, 0.9559],\n        [0.9559, 1.4965]])", dots).is_exact);
  }

  TEST_CASE("what is printed twice has the same digits, and fewer where it is rounded") {
    const auto second = [](const Tensor& x) { return index(x, 1); };
    CHECK(told(from_printed("tensor([0.5504, 0.8702, 0.6605])", second)) == "");
    CHECK(told(from_printed("tensor([0.5504, 0.8702, 0.6606])", second)) == "c2");
    CHECK(told(from_printed("tensor([0.5504, 0.8712, 0.6605])", second)) == "x1");
    CHECK(told(from_printed("tensor([0.55, 0.87, 0.66])", second)) == "");
    CHECK(told(from_printed("tensor([0.55, 0.87, 0.65])", second)) == "c2");
  }

  TEST_CASE("a comparison ends where too much differs") {
    Bounds bounds;
    const Observed observed = shown("tensor([1.5000, 2.5000, 3.5000])");
    const Tensor other = floats({3}, {1.5F, 7, 8});
    CHECK(verify::agree(observed, other, bounds, {.most_differing = 2}).is_comparable);
    CHECK_FALSE(verify::agree(observed, other, bounds, {.most_differing = 1}).is_comparable);
  }

  TEST_CASE("chance is told from what holds") {
    const Tensor x = floats({2, 3}, {0.43F, 0.15F, 0.89F, 0.55F, 0.87F, 0.66F});
    const std::string all = "tensor([[0.4300, 0.1500, 0.8900],\n        [0.5500, 0.8700, 0.6600]])";
    const double chance = agree(all, x).chance;
    CHECK(chance < -15);
    CHECK(agree(with(all, "0.8700", "0.4700"), x).chance > chance + 2);
    CHECK(agree("tensor([0.3333, 0.3333, 0.3333])", floats({3}, {0.3333F, 0.3333F, 0.3333F})).chance > -6);
    CHECK(agree("tensor([[1., 0., 0.],\n        [1., 1., 0.],\n        [1., 1., 1.]])",
                floats({3, 3}, {1, 0, 0, 1, 1, 0, 1, 1, 1}))
              .chance == 0);
  }
}
