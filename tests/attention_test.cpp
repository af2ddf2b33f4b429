// What is said of the attention in a page's program.

#include "unit.hpp"
#include "verify/attention/rules.hpp"
#include "verify/page/page.hpp"

namespace attn::verify {
namespace {

using test::has;
using Names = std::vector<std::string>;

/// 5 tokens of 8 numbers, and queries and keys of 4.
const std::string start =
    "import torch\ntorch.manual_seed(1)\nx = torch.randn(5, 8)\n"
    "W_query = torch.randn(8, 4)\nW_key = torch.randn(8, 4)\n"
    "queries = x @ W_query\nkeys = x @ W_key\n"
    "later = torch.triu(torch.ones(5, 5), diagonal=1).bool()\n"
    "scores = queries @ keys.T\nscaled = scores / keys.shape[-1]**0.5\n";

const std::string weighed_values = "W_value = torch.randn(8, 4)\nvalues = x @ W_value\ncontext = weights @ values\n";

/// The faults of a program that weighs the values with `weights`, with a comment below it.
Names faults(const std::string& lines, const std::string& comment = "") {
  const Page page =
      parse_page("page.py", start + lines + "\n" + (has(lines, "context") ? "" : weighed_values) + "# " + comment);
  Names names;
  for (const Fault& fault : faults_of(run_program(page, {}), page)) {
    names.push_back(fault.name + (fault.is_note ? " (note)" : ""));
  }
  return names;
}

std::string masked(const std::string& mask) {
  return "weights = torch.softmax(scaled.masked_fill(" + mask + ", -torch.inf), dim=-1)";
}

/// 2 sentences, 3 heads of width 4.
std::string heads(const std::string& split) {
  std::string lines = "x = torch.randn(2, 5, 12)\n";
  for (const std::string name : {"queries", "keys", "values"}) {
    lines += "W_" + name + " = torch.randn(12, 12)\n" + name + " = (x @ W_" + name + ")" + split + "\n";
  }
  return lines +
         "scores = queries @ keys.transpose(2, 3)\nweights = torch.softmax(scores / 4**0.5, dim=-1)\ncontext = weights "
         "@ values";
}

const std::string unscaled = "weights = torch.softmax(scores, dim=-1)";
const std::string over_queries = "weights = torch.softmax(scaled, dim=0)";
const std::string past_hidden = masked("later.T");

struct Row {
  std::string lines;
  Names faults;
  std::string comment = "";
};

const std::vector<Row> rows = {
    {masked("later"), {}},
    {unscaled, {"no-scaling (note)"}},
    {"weights = torch.softmax(scores / 8**0.5, dim=-1)", {"wrong-scale"}},
    {"weights = torch.softmax(scores / 0.7, dim=-1)", {}},  // a temperature
    {"weights = torch.softmax(scores / keys.shape[-1], dim=-1)", {"wrong-scale"}},
    {"weights = torch.softmax(scaled / keys.shape[-1]**0.5, dim=-1)", {"wrong-scale"}},
    {"weights = torch.softmax(scores * 2, dim=-1)", {"wrong-scale"}},
    {unscaled + "\nweights = weights / keys.shape[-1]**0.5", {"scaled-after-softmax"}},
    {"weights = torch.softmax(queries @ keys.view(4, 5) / 2, dim=-1)", {"keys-by-view"}},
    {over_queries, {"softmax-axis"}},
    {over_queries, {}, "What happens if softmax runs over the columns instead?"},
    {"weights = torch.softmax(scaled, dim=-1).T", {"values-transposed"}},
    {past_hidden, {"mask-triangle"}},
    {masked("~later"), {"mask-triangle"}},
    {masked("torch.triu(torch.ones(5, 5)).bool()"), {"mask-triangle"}},  // the diagonal hidden
    {masked("torch.triu(torch.ones(5, 5), diagonal=2).bool()"), {"mask-triangle"}},
    {"mask = torch.triu(torch.full((5, 5), -torch.inf))\nweights = torch.softmax(scaled + mask, dim=-1)",
     {"mask-triangle"}},
    {"weights = torch.softmax(scaled, dim=-1).masked_fill(later, 0)", {"masked-after-softmax"}},
    {"weights = torch.softmax(scaled, dim=-1).masked_fill(later, 0)\nweights = weights / weights.sum(-1, keepdim=True)",
     {}},
    {"weights = torch.softmax(scaled.masked_fill(later, 0), dim=-1)", {"masked-with-number"}},
    {"weights = torch.softmax(scaled.masked_fill(later, 0), dim=-1)", {}, "exp(0) is 1: hidden tokens get weights"},
    {"zeros = scaled.masked_fill(later, 0)\nweights = torch.softmax(zeros.masked_fill(zeros == 0, -torch.inf), dim=-1)",
     {}},
    {"weights = torch.softmax(scaled.masked_fill(later, -100), dim=-1)", {}},
    {"powers = torch.exp(scaled)\nweights = powers / powers.sum(-1)", {"sums-not-kept"}},
    {"W_value = torch.randn(8, 4)\nvalues = x @ W_value\nweights = torch.softmax(scaled, dim=-1)\ncontext = weights @ "
     "keys",
     {"keys-as-values"}},
    {"weights = torch.softmax(scaled, dim=-1)\ncontext = weights @ keys", {}},
    {"weights = torch.softmax(x @ x.T, dim=-1)\ncontext = weights @ x", {}},  // without trainable weights
    {"bias = torch.randn(5, 5)\nscores = (scores + keys @ queries.T) / 8**0.5\n"
     "weights = torch.softmax(scores + bias, dim=-1)",
     {}},
    {"weights = torch.softmax(scaled, dim=0)\nweights = weights / weights.sum(-1, keepdim=True)", {}},
    {"weights = torch.softmax(torch.nn.Dropout(0.5)(scaled), dim=-1)", {"dropout-before-softmax"}},
    {heads(".view(2, 5, 3, 4).transpose(1, 2)"), {}},
    {heads(".view(2, 3, 5, 4)"), {"heads-by-view", "heads-by-view", "heads-by-view"}},
    {"scores.masked_fill(later, -torch.inf)\ncontext = scores", {}},
    {"scores.masked_fill(later, -torch.inf)\nweights = torch.softmax(scores / 2, dim=-1)", {"discarded"}},
    {"scores.masked_fill(later, -torch.inf)\nweights = torch.softmax(scores / 2, dim=-1)",
     {},
     "masked_fill is not in place"},
};

}  // namespace

TEST_CASE("The rules of attention are asked of a program's graph") {
  for (const Row& row : rows) {
    INFO(row.lines);
    CHECK(faults(row.lines, row.comment) == row.faults);
  }
}

TEST_CASE("A page's own words excuse a choice, in its language") {
  const std::vector<std::pair<std::string, Names>> excuses = {
      {unscaled,
       {"Without scaling", "unscaled", "Ohne Skalierung", "sans mise à l'échelle", "sin escalar", "sem escala",
        "没有缩放", "スケーリングなし", "Без масштабирования", "không chia cho căn bậc hai", "tanpa skala"}},
      {over_queries,
       {"over the columns", "Was passiert mit den Spalten?", "sur les colonnes", "por columnas", "nas colunas",
        "按列归一化", "どうなる？", "по столбцам", "theo cột", "per kolom"}},
      {past_hidden,
       {"bidirectional", "rückwärts", "à rebours", "hacia atrás", "para trás", "反向", "逆方向", "в обратном порядке",
        "ngược lại", "mundur"}}};
  for (const auto& [lines, all] : excuses) {
    CHECK_FALSE(faults(lines, "scaled dot-product attention").empty());
    for (const std::string& words : all) {
      INFO(words);
      CHECK(faults(lines, words).empty());
    }
  }
}

}  // namespace attn::verify
