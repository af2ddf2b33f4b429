// How single numbers come about: every operation's derivation, and the text that tells it.

#include "lesson/derivation.hpp"

#include "chapters/inputs.hpp"
#include "lesson/account.hpp"
#include "lesson/lineage.hpp"
#include "made.hpp"
#include "render/document.hpp"
#include "render/json.hpp"
#include "render/page/words.hpp"

namespace {

using namespace attn;
using Rule = Derivation::Rule;

/// The largest relative error of one float32 operation.
constexpr double unit_roundoff = 0x1p-24;
/// Roundings besides those of a sum's terms: softmax's difference, exponential (of at most 1 ulp, two roundings),
/// reciprocal and product, and one of slack.
constexpr double further_roundings = 6;

double magnitude(const Tensor& tensor, const Element& element) {
  return std::abs(tensor.operands()[element.operand].array().value(element.index));
}

/// What float32 rounding can move an element by: each of n products and n sums by one roundoff of the sum of
/// magnitudes; a softmax's exponentials by a roundoff of their argument too, which is a relative error of the result.
double rounding_bound(const Tensor& tensor, const Derivation& derivation, double value) {
  double total = std::abs(value);
  double largest_argument = 0;
  if (derivation.rule == Rule::products || derivation.rule == Rule::sum) {
    total = derivation.bias ? magnitude(tensor, *derivation.bias) : 0;
    for (const Derivation::Term& term : derivation.terms) {
      total += magnitude(tensor, term.a) * (term.b ? magnitude(tensor, *term.b) : 1);
    }
  }
  if (derivation.rule == Rule::softmax_gradient) {
    const double weight = magnitude(tensor, *derivation.terms[derivation.position].b);
    total = magnitude(tensor, derivation.terms[derivation.position].a) * weight;
    for (const Derivation::Term& term : derivation.terms) {
      total += magnitude(tensor, term.a) * magnitude(tensor, *term.b) * weight;
    }
  }
  if (derivation.rule == Rule::softmax || derivation.rule == Rule::exponential) {
    for (const Derivation::Term& term : derivation.terms) {
      const double argument = magnitude(tensor, term.a);
      largest_argument = std::isfinite(argument) ? std::max(largest_argument, argument) : largest_argument;
    }
  }
  if (derivation.rule == Rule::mean) {
    for (const Derivation::Term& term : derivation.terms) {
      total += magnitude(tensor, term.a) / static_cast<double>(derivation.terms.size());
    }
  }
  const auto n = static_cast<double>(derivation.terms.size());
  return (2 * n + further_roundings + 4 * largest_argument) * unit_roundoff * total;
}

/// Checks every element against its derivation; true where all agree.
bool is_derived(const Tensor& tensor) {
  for (std::int64_t i = 0; i < element_count(tensor.shape()); ++i) {
    const Shape index = index_at(i, tensor.shape());
    const double stored = tensor.array().value(index);
    const Derivation derivation = tensor.operation().derive(tensor.operands(), index);
    const double exact = derivation.rule == Rule::given ? stored : render::double_value(tensor, derivation);
    const bool is_same = stored == exact || (std::isnan(stored) && std::isnan(exact));
    if (!is_same && !(std::abs(stored - exact) <= rounding_bound(tensor, derivation, exact))) {
      MESSAGE(tensor.expression() << " at " << shape_text(index) << ": " << stored << " is not " << exact);
      return false;
    }
  }
  return true;
}

/// The tensor and everything that it is made from.
bool all_derived(const Tensor& tensor) {
  for (const Tensor& operand : tensor.operands()) {
    if (!all_derived(operand)) {
      return false;
    }
  }
  return is_derived(tensor);
}

struct Run {
  std::vector<Step> steps;
  std::vector<std::string> tokens;
};

Run run(const chapters::Chapter& chapter) {
  Lesson lesson;
  lesson.kernels.cpu = chapter.article->cpu;
  torch::Torch torch(lesson.kernels, lesson.dropout_kernel, torch::Torch::Mode::compute);
  return {chapters::walk(chapter, lesson, torch).steps(), chapters::token_words(*chapter.article, lesson)};
}

/// The chapter of that name, of the article that it follows by default.
const Run& default_run(const std::string& name) {
  static std::map<std::string, Run> runs;
  const auto all = chapters::all_chapters();
  const auto chapter =
      std::find_if(all.begin(), all.end(), [&](const chapters::Chapter& entry) { return entry.name == name; });
  if (!runs.contains(name)) {
    runs.emplace(name, run(*chapter));
  }
  return runs.at(name);
}

std::string text_of(const std::string& chapter, const std::string& cell, std::int64_t depth = 1) {
  const Run& done = default_run(chapter);
  return render::derivation_text(done.steps, render::parse_cell(cell), depth, done.tokens, {});
}

std::string refusal_of(const std::string& chapter, const std::string& cell) {
  try {
    text_of(chapter, cell);
  } catch (const render::CellError& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Tensor drawn(const Shape& shape, Cpu cpu = Cpu::avx2) {
  torch::Torch torch({cpu, Blas::haswell}, DropoutKernel::standard, torch::Torch::Mode::compute);
  torch.manual_seed(static_cast<std::uint64_t>(element_count(shape)));
  return torch.randn(shape);
}

}  // namespace

TEST_CASE("every number of every chapter agrees with its derivation") {
  for (const chapters::Chapter& chapter : chapters::all_chapters()) {
    CAPTURE(chapter.name);
    const Run done = run(chapter);
    for (const Step& step : done.steps) {
      CAPTURE(step.name);
      if (step.tensor) {
        CHECK(is_derived(*step.tensor));
      }
    }
  }
}

TEST_CASE("every operation derives its elements, for any number of axes") {
  const Tensor x = drawn({2, 3, 4});
  const Tensor m = drawn({3, 4});
  const Tensor v = drawn({4});
  const Tensor mask = leaf({3, 4}, DType::boolean, "mask", [] {
    Block<bool> values({3, 4});
    values[6] = values[0] = true;
    return Contents(std::move(values));
  });
  const Tensor none = leaf({3, 4}, DType::boolean, "none", [] { return Block<bool>({3, 4}); });
  const Tensor ids = torch::tensor(std::vector<std::int64_t>{2, 0, 2});
  const std::vector<Tensor> tensors = {index(x, 1),
                                       stack(x, 3),
                                       transpose(x, 0, 2),
                                       t(m),
                                       view(x, {6, 4}),
                                       view(x, {2, 3, 2, 2}),
                                       contiguous(transpose(x, 1, 2)),
                                       parameter(m),
                                       slice(x, -1, 0, 2),
                                       cat({x, slice(x, -1, 0, 1), x}),
                                       index(x, 2, 1),
                                       slice(x, 1, 1, 3),
                                       cat({x, slice(x, 1, 0, 1)}, 1),
                                       stack({m, m}, 1),
                                       sum(x, false, -2),
                                       sum(x, true, -3),
                                       add(x, m),
                                       add(m, v),
                                       matmul(v, t(m)),
                                       matmul(m, t(m)),
                                       matmul(x, t(m)),
                                       matmul(x, transpose(x, 1, 2)),
                                       dot(v, v),
                                       dot_by_loop(v, v),
                                       matvec(m, v),
                                       matvecs(m, m),
                                       dots(m, v),
                                       pairwise_dots(m, drawn({2, 4})),
                                       weighted_sum(index(m, 0), drawn({4, 5})),
                                       linear(v, m, drawn({3}), "linear"),
                                       linear(m, m, drawn({3}), "linear"),
                                       linear(x, m, drawn({3}), "linear"),
                                       linear(x, m, {}, "linear"),
                                       divide(x, 3, "3"),
                                       divide(x, sum(x, true)),
                                       divide(x, sum(v)),
                                       multiply(x, drawn({2, 3, 1})),
                                       exp(x),
                                       cos(x),
                                       sin(x),
                                       add(x, 1e-5),
                                       sqrt(multiply(x, x)),
                                       rsqrt(exp(x)),
                                       mean(x),
                                       mean(v),
                                       variance(x),
                                       layer_norm_mean(x),
                                       layer_norm_factor(drawn({2, 33}), 1e-5),
                                       layer_norm_factor(drawn({2, 33}, Cpu::standard), 1e-5),
                                       scale_and_shift(x, v, v),
                                       scale_queries(x),
                                       every(x, 1, 2),
                                       lookup(m, ids, "table"),
                                       exp(drawn({2, 3, 4}, Cpu::standard)),
                                       softmax(x),
                                       softmax_gradient(x, softmax(drawn({2, 3, 4}))),
                                       total(x),
                                       softmax(drawn({3, 40}, Cpu::standard)),
                                       sum(x),
                                       sum(drawn({50})),
                                       masked_fill(x, mask, -INFINITY),
                                       masked_fill(m, mask, 7),
                                       dropout(m, mask, 0.2),
                                       dropout(m, mask, 0),
                                       dropout(m, none, 1),
                                       all_close(m, m),
                                       all_close(m, exp(m))};
  for (const Tensor& tensor : tensors) {
    CAPTURE(tensor.expression());
    CHECK(all_derived(tensor));
  }
}

TEST_CASE("a score: its row and column operands, every product and the running sum") {
  // 0.55 * 0.57 = 0.3135; 0.87 * 0.85 = 0.7395; 0.66 * 0.64 = 0.4224; golden/blog/simplified.txt prints 1.4754
  const std::string text = text_of("simplified", "attn_scores[1, 2]");
  CHECK(contains(text, "attn_scores[1, 2] = 1.4754   (row 1: journey, column 2: starts)   in section all_tokens\n"));
  CHECK(contains(text, "attn_scores = inputs @ keys_transposed   [6, 3], [3, 6] -> [6, 6]\n"));
  CHECK(contains(text, "row inputs[1, :] (journey) times column keys_transposed[:, 2] (starts):\n"));
  CHECK(contains(text, "0.550000 *  0.570000 =  0.313500   sum  0.313500\n"));
  CHECK(contains(text, "0.870000 *  0.850000 =  0.739500   sum  1.053000\n"));
  CHECK(contains(text, "0.660000 *  0.640000 =  0.422400   sum  1.475400\n"));
  CHECK(text == text_of("simplified", "attn_scores[journey, starts]"));
  CHECK(text == text_of("simplified", "all_tokens/attn_scores[-5,-4]"));
}

TEST_CASE("a weight: the maximum, each exponential, their sum and the quotient") {
  const std::string text = text_of("causal", "attn_weights[0, 3, 1]");
  CHECK(contains(text, "attn_weights[0, 3, 1] = 0.2602   (row 3: with, column 1: journey)\n"));
  CHECK(contains(text, "the maximum of row scaled_attn_scores[0, 3, :] (with) is 0.0866"));
  CHECK(contains(text, "- max) = exp( 0.000000) = 1.000000  journey  <- this one\n"));
  CHECK(contains(text, "= exp(     -inf) = 0.000000  one\n"));
  CHECK(contains(text, "the sum of all 6 exponentials = 3.84"));
}

TEST_CASE("the text says where the order of the arithmetic changes the last digits") {
  Tensor weights = softmax(drawn({10, 40}));
  weights.set_name("attn_weights");
  const Step step = {Step::Kind::tensor, "", "attn_weights", "", true, weights, ""};
  std::size_t different = 0;
  for (int row = 0; row < 10; ++row) {
    const std::string cell = "attn_weights[" + std::to_string(row) + ", 1]";
    const std::string text = render::derivation_text({&step, 1}, render::parse_cell(cell), 1, {}, {});
    different += contains(text, "evaluated left to right, float32 gives 0.0") ? 1U : 0U;
  }
  CHECK(different > 0);
  CHECK(different < 10);
}

TEST_CASE("masked, kept and dropped numbers give the reason") {
  CHECK(contains(text_of("causal", "masked_attn_scores[0, 1, 2]"),
                 "mask[1, 2] is True, so the number is replaced by -inf, which softmax turns into a weight of 0\n"));
  CHECK(contains(text_of("causal", "masked_attn_scores[0, 2, 1]"),
                 "the same number as attn_scores[0, 2, 1], as mask[2, 1] is False: "));
  std::string all;
  for (const char* index : {"0", "1", "2", "3", "4", "5"}) {
    all += text_of("causal", std::string("dropout_attn_weights[0, 5, ") + index + "]");
    all += text_of("causal", std::string("dropout_attn_weights[1, 5, ") + index + "]");
  }
  CHECK(contains(all, "is True, so the number is kept and scaled by 1 / (1 - p) = 1.250000"));
  CHECK(contains(all, "is dropped: 0\n"));
}

TEST_CASE("depth derives operands too, each once, back to the given tensors") {
  const std::string two = text_of("causal", "context_vecs[0, 1, 2]", 2);
  CHECK(contains(two, "\n  dropout_attn_weights[0, 1, 0] = "));
  CHECK(contains(two, "\n  values[0, 0, 2] = -0.3132"));
  CHECK_FALSE(contains(two, "\n    attn_weights["));
  CHECK_FALSE(contains(two, "\n  values[0, 2, 2] = "));  // taken times 0, as a later token's is
  const std::string deep = text_of("causal", "context_vecs[0, 1, 2]", 9);
  const std::size_t first = deep.find("\n  dropout_attn_weights[0, 1, 0] = ");
  const std::size_t second = deep.find("\n    attn_weights[0, 1, 0] = ");
  CHECK(first < second);
  CHECK(second < deep.find("\n  values[0, 0, 2] = "));  // each number's own operands stand below it
  const std::size_t score = deep.find(" attn_scores[0, 1, 0] = ");
  CHECK(score != std::string::npos);
  CHECK(deep.find(" attn_scores[0, 1, 0] = ", score + 1) == std::string::npos);
  CHECK_FALSE(contains(deep, "keys_transposed[0, 0, 0] = 0.2727 "));  // the same number as keys[0, 0, 0]
  CHECK(contains(deep, " keys[0, 0, 0] = "));
  CHECK(contains(deep, "\nW_value is a trainable parameter: nn.Linear(3, 3, bias=False).weight\n"));
  CHECK(contains(deep, "\ninputs is given: torch.tensor([[...]])\n"));
}

TEST_CASE("full depth is a graph of the parts that a number depends on") {
  const std::string text = text_of("causal", "context_vecs[0, 1, 2]", 0);
  for (const char* line :
       {"  context_vecs[0, 1, 2] = dropout_attn_weights @ values\n",
        "    dropout_attn_weights[0, 1, :] = nn.Dropout(0.2)(attn_weights)\n",
        "            attn_scores[0, 1, 0:2] = queries @ keys_transposed\n",
        "              keys_transposed[0, :, 0:2] = keys.transpose(1, 2)\n",
        "                keys[0, 0:2, :] = W_key(batch)\n", "                  batch[0, :, :], above\n",
        "                  inputs[:, :], given: torch.tensor([[...]])\n", "            mask[1, :], given: ",
        "      W_value[2, :], a trainable parameter: nn.Linear(3, 3, bias=False).weight\n"}) {
    CAPTURE(line);
    CHECK(contains(text, line));
  }
}

TEST_CASE("a parameter without a gradient is called given, not trainable") {
  Walkthrough walk;
  walk.show("W", "", frozen_parameter(drawn({2, 2})));
  const std::string text = render::derivation_text(walk.steps(), render::parse_cell("W[0, 1]"), 1, {}, {});
  CHECK(contains(text, "   given: nn.Parameter(torch.randn(2, 2), requires_grad=False)\n"));
}

TEST_CASE("long sums and long derivations are shortened, with a note") {
  Walkthrough walk;
  walk.let("x", torch::ones({1, 100}));
  walk.let("sums", sum(walk.steps()[0].tensor.value()));
  const std::string text = render::derivation_text(walk.steps(), render::parse_cell("sums[0]"), 1, {}, {});
  CHECK(contains(text, "... 84 more ...\n"));
  CHECK(contains(text, "sum 100.000000\n"));

  Tensor squared = drawn({20, 20});
  for (int i = 0; i < 3; ++i) {
    squared = matmul(squared, squared);
    walk.let("power_" + std::to_string(i), squared);
  }
  const std::string cut = render::derivation_text(walk.steps(), render::parse_cell("power_2[0, 0]"), 1000, {}, {});
  CHECK(contains(cut, "... cut after 20"));
}

TEST_CASE("axes of heads are known") {
  std::string found;
  for (const Step& step : default_run("multihead").steps) {
    for (std::size_t axis = 0; step.kind == Step::Kind::tensor && axis < step.tensor->shape().size(); ++axis) {
      found += render::counts_heads(*step.tensor, axis) ? step.name + " " + std::to_string(axis) + ", " : "";
    }
  }
  CHECK(
      found ==
      "keys_heads 1, queries_heads 1, values_heads 1, keys_transposed 1, attn_scores 1, masked_attn_scores 1, "
      "scaled_attn_scores 1, attn_weights 1, dropout_mask 1, dropout_attn_weights 1, context_heads 1, context_vec 2, ");
  CHECK(contains(text_of("multihead", "attn_weights[0, 1, 2, 1]"), "   (head 2, row 2: starts, column 1: journey)\n"));
  for (const Step& step : default_run("causal").steps) {
    for (std::size_t axis = 0; step.kind == Step::Kind::tensor && axis < step.tensor->shape().size(); ++axis) {
      CHECK_FALSE(render::counts_heads(*step.tensor, axis));
    }
  }
}

TEST_CASE("cells that do not exist are refused") {
  for (const char* text : {"", "[1]", "a[1", "a[1,]", "a[,1]", "a[[1]]", "/a[1]", "a]1["}) {
    CAPTURE(text);
    CHECK_THROWS_AS(render::parse_cell(text), render::CellError);
  }
  CHECK(render::parse_cell(" s/a [ 1 , b ] ").index == std::vector<std::string>{"1", "b"});
  CHECK(render::parse_cell("omega_24").index.empty());
  CHECK(refusal_of("causal", "scores[0]") ==
        "--cell: no step is named 'scores'; the steps are inputs, batch, W_query, W_key, W_value, keys, queries, "
        "values, keys_transposed, attn_scores, mask, masked_attn_scores, scaled_attn_scores, attn_weights, "
        "dropout_mask, dropout_attn_weights, context_vecs, also as SECTION/NAME if the chapter has sections; try "
        "--cell 'inputs[...]'");
  CHECK(refusal_of("causal", "attn_scores[1, 2]").empty());  // of the first in the batch
  CHECK(refusal_of("causal", "attn_scores[1]") ==
        "--cell: 1 index does not name one number of attn_scores; attn_scores has shape [2, 6, 6] and takes 3 "
        "indices: 0 to 1, 0 to 5, 0 to 5; try --cell 'attn_scores[1, 1, 1]'");
  CHECK(contains(refusal_of("causal", "mask[6, 0]"), "index 6 is outside axis 0; mask has shape [6, 6]"));
  CHECK(contains(refusal_of("causal", "mask[trip, 0]"), "'trip' is neither a number nor one of Your journey starts"));
  CHECK(contains(refusal_of("causal", "keys[0, 1, journey]"), "axis 2 of keys is not a token axis"));
}
