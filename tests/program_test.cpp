#include "verify/observed/observed.hpp"

#include "unit.hpp"
#include "verify/page/page.hpp"
#include "verify/program/ran.hpp"

namespace attn::verify {
namespace {

Ran ran(const std::string& program, const std::string& after = "") {
  return run_program(parse_page("page.md", "```python\n" + program + "\n```\n" + after), {});
}

/// What a program prints last: its numbers, "?" where they are not known.
std::string last_of(const std::string& program) {
  const Ran all = ran(program);
  if (all.prints.empty() || !all.prints.back().tensor) {
    return "none";
  }
  std::string text;
  for (const double cell : values_of(*all.prints.back().tensor)) {
    text += (text.empty() ? "" : " ") + (std::isnan(cell) ? "?" : std::to_string(std::lround(cell * 100)));
  }
  return text;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += line + "\n";
  }
  return text;
}

}  // namespace

// The numbers, in hundredths, are PyTorch 1.13's and numpy 1.24's.
TEST_SUITE("program") {
  TEST_CASE("a write changes all that share the numbers") {
    for (const auto& [program, prints] : std::vector<std::pair<std::string, std::string>>{
             {"y = x\ny[0] = 1\nprint(x)", "100 100 200 300"},
             {"v = x.view(4)\nv[1] = 5\nprint(x)", "? ? ? ?"},
             {"t = x[1]\nt[1] += 7\nprint(x)", "0 100 200 1000"},
             {"v = x.T[0]\nx[1].mul_(2)\nprint(x)", "0 100 400 600"},
             {"w = x.clone()\nw.zero_()\nprint(x)", "0 100 200 300"},
             {"x[x > 1] = 0\nprint(x)", "0 100 0 0"},
             {"if (n := x.size(0)) > 1:\n    print((y := x[1]) * n)\nprint(y)", "200 300"},
             {"x[:, torch.tensor([True, False])] = 9\nprint(x)", "900 100 900 300"},
             {"y = torch.ones(2, 2, 2)\ny[..., x > 2] = -1\nprint(y)", "100 100 100 -100 100 100 100 -100"},
             {"for row in x:\n    row += 1\nprint(x)", "100 200 300 400"},
             {"v = x.reshape(4)\nv[0] = 9\nprint(x)", "? ? ? ?"},  // a view or a copy
             {"i = torch.tensor([1, 2])\ni[0] = 7\nprint(i)", "700 200"},
             {"i = torch.arange(4).view(2, 2)\ni[:, 0] += 1\ni[:, 0] *= 3\nprint(i)", "300 100 900 300"},
             {"torch.rand(size)\ntorch.manual_seed(42)\nprint(torch.randint(0, 10, (3, 2)))",
              "200 700 600 400 600 500"},
             {"x[[1, 0]] = torch.tensor([5., 6.])\nprint(x)", "500 600 500 600"},
             {"last = x[:, [-1]]\nlast += 1\nprint(x)", "0 100 200 300"},  // a copy
             {"torch.manual_seed(3)\ntorch.empty(2, 2).normal_(1, 2)\nprint(x.normal_())", "5 -137 34 101"},
             {"n = x.narrow(1, 0, 1)\nn += 1\nprint(x)", "? ? ? ?"},
             {"x.masked_fill_(x > 2, -1)\nprint(x)", "0 100 200 -100"},
             {"c = torch.zeros(0, 2)\nfor row in x:\n    c = torch.cat([c, row[None]])\nprint(c)", "0 100 200 300"},
         }) {
      const std::string& shown = program;
      CAPTURE(shown);
      CHECK(last_of("import torch\nx = torch.arange(4.).view(2, 2)\n" + program) == prints);
    }
  }

  TEST_CASE("a program's functions have PyTorch's numbers") {
    for (const auto& [expression, prints] : std::vector<std::pair<std::string, std::string>>{
             {"torch.einsum('ij,jk->ik', [x, x])", "200 300 600 1100"},
             {"torch.einsum('ij,jk->ik', x, x)", "200 300 600 1100"},
             {"y.argmax(dim=1, keepdim=True)", "300 300 300"},
             {"y.view(1, 3, 4)[0, [0, 2], torch.tensor([1, -1])]", "100 1100"},
             {"y[torch.arange(3), torch.tensor([2, 0, 1])]", "200 400 900"},
             {"y[:, [3, 0]]", "300 0 700 400 1100 800"},
             {"y[..., torch.tensor([0, 1])]", "0 100 400 500 800 900"},
             {"y.view(3, 2, 2)[:, [0, 1], [1, 0]]", "100 200 500 600 900 1000"},
             {"y.view(3, 2, 2).flatten(0, 1).sum(0)", "3000 3600"},
             {"x.var()", "167"},
             {"y.var(axis=0)", "1600 1600 1600 1600"},
             {"(y % 5).topk(2, dim=0).indices", "100 200 0 0 200 0 100 100"},
             {"torch.where(y > 5, -y, y[0])", "0 100 200 300 0 100 -600 -700 -800 -900 -1000 -1100"},
             {"torch.norm(y, dim=0).sqrt() * 0 + y.var(-1, unbiased=False)[0]", "125 125 125 125"},
             {"torch.tensor([max(1, 2), min([4, 3]), max([-3, 1, 2], key=abs)])", "200 300 -300"},
         }) {
      const std::string& shown = expression;
      CAPTURE(shown);
      CHECK(last_of("import torch\nimport torch.nn.functional as F\nx = torch.arange(4.).view(2, 2)\n"
                    "y = torch.arange(12.).view(3, 4)\nprint(" +
                    expression + ")") == prints);
    }
  }

  TEST_CASE("a string over lines is a value") {
    CHECK(last_of("import torch\ntext = \"\"\"ab\n\n# c: \n\"\"\"\nprint(torch.tensor(len(text)))") == "1000");
    CHECK(last_of("import torch\nprint(torch.tensor([len('naïve'), len('naïve'.split('ï')[1])]))") == "500 200");
  }

  TEST_CASE("what a page shows as a cell's result is its last expression") {
    const Ran all = run_program(parse_page("page.html",
                                           "<div>In&nbsp;[1]:</div><pre>import torch</pre><div>In&nbsp;[2]:</div>"
                                           "<pre>torch.ones(2)</pre><div>Out[2]:</div><pre>tensor([1., 1.])</pre>"),
                                {});
    REQUIRE(all.prints.size() == 1);
    CHECK(all.prints[0].words == "torch.ones(2)");
  }

  TEST_CASE("what is unknown spreads, and never has a number") {
    for (const std::string program :
         {"x = torch.empty(2)", "x = torch.rand(2)", "x = torch.ones(2) * helper(3)", "x = torch.load('x.pt')",
          "x = torch.ones(2)\nif flag:\n    x = torch.zeros(2)", "x = torch.ones(2)\nfor b in loader:\n    x += b",
          "x = torch.relu(torch.empty(2))", "x = torch.empty(2) > 0", "x = torch.empty(2, 2).max(dim=-1)[0]",
          "x = torch.ones(2).masked_fill(torch.empty(2) == 0, 5)", "x = torch.eye(2).transpose(0, helper)",
          "x = torch.ones(1 << 1)", "x = torch.ones(6 & 3)", "x = torch.add(torch.ones(2), 1, alpha=2)",
          "torch.manual_seed(1)\nhelper()\nx = torch.rand(2)",
          "import torch.nn as nn\ntorch.manual_seed(1)\nlayer = nn.Linear(2, 2)\no = "
          "torch.optim.SGD(layer.parameters(), lr=1)\no.step()\nx = layer(torch.ones(2))"}) {
      CAPTURE(program);
      const std::string prints = last_of("import torch\n" + program + "\nprint(x)");
      CHECK((prints == "none" || prints.find_first_of("0123456789") == std::string::npos));
    }
  }

  TEST_CASE("a draw has its call, its seed and its variable") {
    const Ran all = ran(
        "import torch\nimport torch.nn as nn\nimport numpy as np\nclass Head(nn.Module):\n    def __init__(self, d):\n"
        "        super().__init__()\n        self.W_key = nn.Linear(d, 2, bias=False)\nunseeded = torch.rand(2)\n"
        "torch.manual_seed(123)\nprint(torch.rand(2))\nW = torch.rand(2)\nhead = Head(3)\nnp.random.seed(0)\n"
        "x = np.random.rand(2)\ng = torch.Generator().manual_seed(1)\ny = torch.rand(2, generator=g)");
    std::vector<std::string> draws;
    for (const ProgramDraw& draw : all.draws) {
      draws.push_back(draw.name + " " + draw.call + " " + draw.seeded + " " + std::to_string(draw.nth));
    }
    CHECK(joined(draws) == joined({
                               "unseeded torch.rand(2)  1",
                               " torch.rand(2) torch.manual_seed(123) 1",
                               "W torch.rand(2) torch.manual_seed(123) 2",
                               "head.W_key.weight nn.Linear(d, 2, bias=False).weight torch.manual_seed(123) 1",
                               "x np.random.rand(2) np.random.seed(0) 1",
                               "y torch.rand(2, generator=g) torch.Generator().manual_seed(1) 1",
                           }));
    CHECK(all.seeds == std::vector<std::int64_t>{123, 0});
    CHECK(values_of(all.draws[4].tensor)[0] == doctest::Approx(0.5488135));
  }

  TEST_CASE("a printed thing has its label, and a size is one") {
    const Ran all = ran(
        "import torch\nx = torch.ones(2)\nprint('Scores:')\nprint(x)\nprint(f'a {x} b {x[0]:.2f}')\nprint(x.shape, 3)\n"
        "print('{} and %s'.format(x))\nprint('w: ' + str(x))");
    std::vector<std::string> prints;
    for (const ProgramPrint& one : all.prints) {
      prints.push_back(one.label + (one.tensor ? " tensor" : one.size ? " size" : one.is_other ? " other" : ""));
    }
    CHECK(joined(prints) ==
          joined({"Scores: tensor", "a tensor", "b tensor", " size", " other", " tensor", "w: tensor"}));
  }

  TEST_CASE("a result that is thrown away is told, unless it is shown") {
    const std::string program =
        "import torch\nscores = torch.ones(2, 2)\nscores.masked_fill(scores > 0, 0)\nscores.zero_()\nprint(scores)\n";
    const Ran all = ran(program + "scores.softmax(-1)", "```\ntensor([1., 1.])\n```\n");
    REQUIRE(all.discarded.size() == 1);
    CHECK(all.discarded[0].function == "masked_fill");
    CHECK(all.discarded[0].target == "scores");
    CHECK(all.discarded[0].place.line == 4);
    CHECK(all.discarded[0].of.shape() == Shape{2, 2});
    CHECK(all.prints.size() == 2);
  }

  TEST_CASE("an attention is operations that can be asked") {
    const Ran all =
        ran("import torch\ntorch.manual_seed(1)\nq = torch.rand(2, 3)\nscores = q @ q.T\nscaled = scores * 3**-0.5\n"
            "w = torch.softmax(scores.masked_fill(torch.ones(2, 2).triu(1).bool(), -torch.inf) / 3**0.5, dim=-1)\n"
            "v = scores.softmax(0)");
    std::vector<Kind> kinds;
    for (const Computed& one : all.computed) {
      one.name.empty() ? void() : kinds.push_back(one.tensor.kind());
    }
    CHECK(kinds == std::vector<Kind>{Kind::given, Kind::matmul, Kind::multiplied, Kind::softmax, Kind::softmax});
  }

  TEST_CASE("a hostile program ends with a note") {
    const auto times = [](const std::string& text, int count) {
      std::string all;
      for (int i = 0; i < count; ++i) {
        all += text;
      }
      return all;
    };
    for (const std::string& program : {
             "y = " + times("f(", 8'000) + "1" + times(")", 8'000),
             std::string("w = lambda x: x(x)(x(x))\nw(w)"),
             "a = 'a'\n" + times("a = a + a\n", 60),
             std::string("x = 'a' * 10**9"),
             std::string("x = [i for i in range(10**4) for j in range(10**4)]"),
             std::string("class A:\n    def __init__(self):\n        self.a = A()\nA()"),
             std::string("import torch\nx = torch.ones(2)\nfor i in range(100000):\n    x = x * 2"),
             std::string("l = []\nl.append(l)\nimport torch\ntorch.tensor(l)"),
             std::string("while True:\n    pass"),
             std::string("import torch.nn as nn\nz = nn.Sequential()\nz.append(z)\nz(1)"),
             "x = 1" + times("+1", 20'000),
         }) {
      CAPTURE(program.substr(0, 80));
      CHECK(ran(program).notes.size() == 1);
    }
  }

  TEST_CASE("what Python refuses is left out, and the program goes on") {
    for (const std::string program :
         {"x = [3, 2:]", "x = [1:2 for y in z]", "f(**x for x in ['ab'])", "{*x for x in y}", "x = {1: 2, 3}",
          "x = []\nx[] = 1", "for x[] in [1]:\n    pass", "x = yield", "isinstance(torch.Generator(), list)",
          "import copy\ncopy.copy(torch.Generator()).x", "import x as yield\ndef f():\n    yield 1\nf()"}) {
      CAPTURE(program);
      CHECK(ran("import torch\n" + program + "\nprint(torch.ones(2))").prints.size() == 1);
    }
  }
}

}  // namespace attn::verify
