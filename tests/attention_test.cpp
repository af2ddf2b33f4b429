#include "tensor/operations.hpp"

#include "tensor/what_if.hpp"
#include "torch/torch.hpp"
#include "unit.hpp"
#include "verify/attention/rules.hpp"
#include "verify/page/page.hpp"

namespace attn::verify {
namespace {

/// A program of one statement a line.
class Program {
 public:
  Tensor drawn(const std::string& name, const Shape& shape, const std::string& call = "torch.randn()") {
    const Tensor tensor = leaf(shape, DType::float32, name, [shape]() -> Contents { return Block<float>(shape); }, {},
                               {.kind = Kind::normal});
    ran.draws.push_back({tensor, name, call, "", 1});
    return tensor;
  }
  Tensor named(const std::string& name, const Tensor& tensor) {
    ran.computed.push_back({tensor, next(), name + " = ...", name});
    return tensor;
  }
  Tensor projected(const std::string& name, const Tensor& of, std::int64_t width) {
    return named(name, matmul(of, drawn("W_" + name, {of.size(-1), width})));
  }
  /// Names its queries, keys and values: 5 tokens, 8 numbers each, of width 4; returns the scores.
  Tensor scores() {
    const Tensor x = drawn("x", {5, 8});
    queries = projected("queries", x, 4);
    keys = projected("keys", x, 4);
    values = projected("values", x, 4);
    return named("scores", matmul(*queries, t(*keys)));
  }
  Tensor scaled() {
    const Tensor all = scores();
    return scale(all, *keys);
  }
  void weigh(const Tensor& weights) { named("context", matmul(named("weights", weights), *values)); }
  std::vector<std::string> faults(const std::string& comment) const {
    std::vector<std::string> names;
    for (const Fault& fault : faults_of(ran, parse_page("page.py", comment + std::string(60, '\n')))) {
      names.push_back(fault.name + (fault.is_note ? " (note)" : ""));
    }
    return names;
  }
  Place next() { return {++line, 0, 0}; }

  Ran ran;
  std::uint32_t line = 0;
  std::optional<Tensor> queries, keys, values;
};

constexpr float low = -std::numeric_limits<float>::infinity();

/// A bool mask of 5 tokens: True where the key comes so many places after the query, or more; or before it.
Tensor mask_from(std::int64_t from, bool is_of_later) {
  return leaf({5, 5}, DType::boolean, "mask", [=]() -> Contents {
    Block<bool> cells({5, 5});
    for (std::int64_t i = 0; i < 25; ++i) {
      cells[static_cast<std::size_t>(i)] = (is_of_later ? i % 5 - i / 5 : i / 5 - i % 5) >= from;
    }
    return cells;
  });
}

/// A mask that depends on what was drawn, as scores == 0 does.
Tensor computed_mask() {
  return leaf({5, 5}, DType::boolean, "mask",
              []() -> Contents {
                return Block<bool>({5, 5});
              },
              {}, {.kind = Kind::uniform});
}

using Make = std::function<void(Program&)>;

Make masked(std::int64_t from, bool is_of_later) {
  return [=](Program& p) { p.weigh(softmax(masked_fill(p.scaled(), mask_from(from, is_of_later), low))); };
}
Make divided(double by, const std::string& words) {
  return [=](Program& p) { p.weigh(softmax(divide(p.scores(), by, words))); };
}
void unscaled(Program& p) { p.weigh(softmax(p.scores())); }
void over_queries(Program& p) { p.weigh(softmax_over(p.scaled(), 0)); }

/// Heads of 2 batches, 5 tokens, 3 heads of width 4.
Make heads(const std::function<Tensor(const Tensor&)>& split) {
  return [=](Program& p) {
    const Tensor x = p.drawn("x", {2, 5, 12});
    p.queries = p.named("queries", split(p.projected("q", x, 12)));
    p.keys = p.named("keys", split(p.projected("k", x, 12)));
    p.values = p.named("values", split(p.projected("v", x, 12)));
    p.weigh(softmax(p.named("scores", scale(matmul(*p.queries, transpose(*p.keys, 2, 3)), *p.keys))));
  };
}

Tensor by_transpose(const Tensor& x) { return transpose(view(x, {2, 5, 3, 4}), 1, 2); }
Tensor by_view(const Tensor& x) { return view(x, {2, 3, 5, 4}); }

struct Row {
  const char* what;
  Make make;
  std::vector<std::string> faults;
  std::string comment = "";
};

const std::vector<Row> rows = {
    {"as it should be", masked(1, true), {}},
    {"not scaled", unscaled, {"no-scaling (note)"}},
    {"the root of another width", divided(std::sqrt(8.0), "8**0.5"), {"wrong-scale"}, "scores / 8**0.5"},
    {"a temperature", divided(0.7, "0.7"), {}},
    {"divided by the width", divided(4, "d"), {"wrong-scale"}},
    {"scaled twice",
     [](Program& p) {
       const Tensor scaled = p.scaled();
       p.weigh(softmax(scale(scaled, *p.keys)));
     },
     {"wrong-scale"}},
    {"multiplied by the root", divided(0.5, "2"), {"wrong-scale"}},
    {"scaled after softmax",
     [](Program& p) {
       const Tensor weights = softmax(p.scores());
       p.weigh(scale(weights, *p.keys));
     },
     {"scaled-after-softmax"}},
    {"keys by a view",
     [](Program& p) {
       p.scores();
       p.weigh(softmax(scale(p.named("scores", matmul(*p.queries, view(*p.keys, {4, 5}))), *p.keys)));
     },
     {"keys-by-view"}},
    {"softmax over the queries", over_queries, {"softmax-axis"}},
    {"over the queries on purpose", over_queries, {}, "# What happens if softmax runs over the columns instead?"},
    {"weights transposed", [](Program& p) { p.weigh(t(softmax(p.scaled()))); }, {"values-transposed"}},
    {"the past hidden", masked(1, false), {"mask-triangle"}},
    {"an inverted mask", masked(0, false), {"mask-triangle"}},
    {"the diagonal hidden", masked(0, true), {"mask-triangle"}},
    {"the next token shown", masked(2, true), {"mask-triangle"}},
    {"a mask added",
     [](Program& p) {
       const Tensor hidden = masked_fill(torch::token_zeros(5), mask_from(0, true), low);
       p.weigh(softmax(add(p.scaled(), hidden)));
     },
     {"mask-triangle"}},
    {"masked after softmax",
     [](Program& p) { p.weigh(masked_fill(softmax(p.scaled()), mask_from(1, true), 0)); },
     {"masked-after-softmax"}},
    {"masked after softmax and renormalised",
     [](Program& p) {
       const Tensor masked = masked_fill(softmax(p.scaled()), mask_from(1, true), 0);
       p.weigh(divide(masked, sum(masked, true)));
     },
     {}},
    {"masked with 0",
     [](Program& p) { p.weigh(softmax(masked_fill(p.scaled(), mask_from(1, true), 0))); },
     {"masked-with-number"}},
    {"masked with 0 on purpose",
     [](Program& p) { p.weigh(softmax(masked_fill(p.scaled(), mask_from(1, true), 0))); },
     {},
     "# exp(0) is 1: hidden tokens still get weights"},
    {"multiplied by 0, and then masked where it is 0",
     [](Program& p) {
       const Tensor zeros = masked_fill(p.scaled(), mask_from(1, true), 0);
       p.weigh(softmax(masked_fill(zeros, computed_mask(), low)));
     },
     {}},
    {"hidden by -100", [](Program& p) { p.weigh(softmax(masked_fill(p.scaled(), mask_from(1, true), -100))); }, {}},
    {"sums of rows beside columns",
     [](Program& p) {
       const Tensor all = exp(p.scaled());
       p.weigh(divide(all, sum(all, false)));
     },
     {"sums-not-kept"}},
    {"keys in place of values",
     [](Program& p) {
       const Tensor weights = p.named("weights", softmax(p.scaled()));
       p.named("context", matmul(weights, *p.keys));
     },
     {"keys-as-values"}},
    {"keys that are values",
     [](Program& p) {
       const Tensor x = p.drawn("x", {5, 8});
       const Tensor queries = p.projected("queries", x, 4);
       p.values = p.projected("latent", x, 4);
       p.weigh(softmax(scale(p.named("scores", matmul(queries, t(*p.values))), *p.values)));
     },
     {}},
    {"no weights",
     [](Program& p) {
       p.values = p.drawn("x", {5, 8});
       p.weigh(softmax(p.named("scores", matmul(*p.values, t(*p.values)))));
     },
     {}},
    {"a bias, and a scale above two products",
     [](Program& p) {
       const Tensor scores = p.scores();
       const Tensor both = add(scores, matmul(*p.keys, t(*p.queries)));
       p.weigh(softmax(add(divide(both, std::sqrt(8.0), "8**0.5"), p.drawn("bias", {5, 5}))));
     },
     {},
     "8**0.5"},
    {"divided over the queries and then by the sums of the keys",
     [](Program& p) {
       const Tensor weights = softmax_over(p.scaled(), 0);
       p.weigh(divide(weights, sum(weights, true)));
     },
     {}},
    {"dropout before softmax",
     [](Program& p) {
       p.weigh(softmax(multiply(p.scaled(), p.drawn("kept", {5, 5}, "nn.Dropout(0.5)"))));
     },
     {"dropout-before-softmax"}},
    {"heads", heads(by_transpose), {}},
    {"heads by a view", heads(by_view), {"heads-by-view", "heads-by-view", "heads-by-view"}},
};

}  // namespace

TEST_CASE("The rules of attention are asked of a program's graph") {
  for (const Row& row : rows) {
    INFO(row.what);
    Program program;
    row.make(program);
    CHECK(program.faults(row.comment) == row.faults);
  }
}

TEST_CASE("A page's own words excuse a choice, in its language") {
  const std::vector<std::pair<Make, std::vector<std::string>>> excuses = {
      {unscaled,
       {"Without scaling", "unscaled", "Ohne Skalierung", "sans mise à l'échelle", "sin escalar", "sem escala",
        "没有缩放", "スケーリングなし", "Без масштабирования", "không chia cho căn bậc hai", "tanpa skala"}},
      {over_queries,
       {"over the columns", "Was passiert mit den Spalten?", "sur les colonnes", "por columnas", "nas colunas",
        "按列归一化", "どうなる？", "по столбцам", "theo cột", "per kolom"}},
      {masked(1, false),
       {"bidirectional", "rückwärts", "à rebours", "hacia atrás", "para trás", "反向", "逆方向", "в обратном порядке",
        "ngược lại", "mundur"}}};
  for (const auto& [make, all] : excuses) {
    Program program;
    make(program);
    CHECK_FALSE(program.faults("# scaled dot-product attention").empty());
    for (const std::string& words : all) {
      INFO(words);
      CHECK(program.faults("# " + words).empty());
    }
  }
}

TEST_CASE("A result thrown away is told where its variable is used as if it had changed") {
  Program p;
  const Tensor scores = p.scores();
  const Tensor masked = masked_fill(scores, mask_from(1, true), low);
  p.ran.discarded.push_back(
      {p.next(), "scores.masked_fill(mask, -torch.inf)", "masked_fill", "scores", scores, masked});
  CHECK(p.faults("").empty());
  p.weigh(softmax(scale(scores, *p.keys)));
  CHECK(p.faults("") == std::vector<std::string>{"discarded"});
  CHECK(p.faults("# masked_fill is not in place").empty());
}

}  // namespace attn::verify
