// How single numbers come about: every operation's derivation, and the text that tells it.

#include "lesson/told.hpp"

#include "lesson/account.hpp"
#include "lesson/explain.hpp"
#include "made.hpp"
#include "render/document.hpp"
#include "render/json.hpp"

namespace {

using namespace attn;
using Rule = Derivation::Rule;
using test::has;

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

std::string text_of(const std::vector<Step>& steps, const std::string& cell, std::int64_t depth = 1) {
  return render::derivation_text(steps, render::parse_cell(cell), depth, {}, {});
}

Tensor drawn(const Shape& shape, Cpu cpu = Cpu::avx2) {
  torch::Torch torch({cpu, Blas::haswell}, DropoutKernel::standard, torch::Torch::Mode::compute);
  torch.manual_seed(static_cast<std::uint64_t>(element_count(shape)));
  return torch.randn(shape);
}

}  // namespace

TEST_CASE("every number of every chapter agrees with its derivation") {
  for (const chapters::Chapter& chapter : chapters::all_chapters()) {
    CAPTURE(chapter.name);
    const Walkthrough walk = test::walked(chapter);
    for (const Step& step : walk.steps()) {
      CAPTURE(step.name);
      CHECK((!step.tensor || is_derived(*step.tensor)));
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

TEST_CASE("a parameter without a gradient is called given, not trainable") {
  Walkthrough walk;
  walk.show("W", "", frozen_parameter(drawn({2, 2})));
  CHECK(has(text_of(walk.steps(), "W[0, 1]"), "   given: nn.Parameter(torch.randn(2, 2), requires_grad=False)\n"));
}

TEST_CASE("long sums and long derivations are shortened, with a note") {
  Walkthrough walk;
  walk.let("x", torch::ones({1, 100}));
  walk.let("sums", sum(walk.steps()[0].tensor.value()));
  CHECK(has(text_of(walk.steps(), "sums[0]"), "... 84 more ...\n"));
  CHECK(has(text_of(walk.steps(), "sums[0]"), "sum 100.000000\n"));
  Tensor squared = drawn({20, 20});
  for (int i = 0; i < 3; ++i) {
    squared = matmul(squared, squared);
    walk.let("power_" + std::to_string(i), squared);
  }
  CHECK(has(text_of(walk.steps(), "power_2[0, 0]", 1000), "... cut after 20"));
}

TEST_CASE("axes of heads are known") {
  const auto found = [](const std::string& chapter) {
    std::string all;
    const Walkthrough walk = test::walked(test::chapter_of(chapter, "blog"));
    for (const Step& step : walk.steps()) {
      for (std::size_t axis = 0; step.kind == Step::Kind::tensor && axis < step.tensor->shape().size(); ++axis) {
        all += render::counts_heads(*step.tensor, axis) ? step.name + " " + std::to_string(axis) + ", " : "";
      }
    }
    return all;
  };
  CHECK(
      found("multihead") ==
      "keys_heads 1, queries_heads 1, values_heads 1, keys_transposed 1, attn_scores 1, masked_attn_scores 1, "
      "scaled_attn_scores 1, attn_weights 1, dropout_mask 1, dropout_attn_weights 1, context_heads 1, context_vec 2, ");
  CHECK(found("causal") == "");
}

TEST_CASE("cells that cannot be read are refused") {
  for (const char* text : {"", "[1]", "a[1", "a[1,]", "a[,1]", "a[[1]]", "/a[1]", "a]1["}) {
    CAPTURE(text);
    CHECK_THROWS_AS(render::parse_cell(text), render::CellError);
  }
  CHECK(render::parse_cell(" s/a [ 1 , b ] ").index == std::vector<std::string>{"1", "b"});
  CHECK(render::parse_cell("omega_24").index.empty());
}
