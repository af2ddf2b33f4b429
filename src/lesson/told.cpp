#include "lesson/told.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace attn::render {
namespace {

using Rule = Derivation::Rule;

/// The operands' numbers: the first hint, whatever the rule.
Lines operands(const Derivation& derivation) {
  const bool has_pairs = !derivation.terms.empty() && derivation.terms[0].b;
  return {.opening = "{name} = {expression}",
          .each = has_pairs ? "{a} = {=a}, {b} = {=b}" : "{a} = {=a}",
          .bias = "{bias} = {=bias}"};
}

Telling given(const Tensor& tensor) {
  const std::string on_page =
      tensor.name().empty() ? "Given: {expression}." : "Given: not computed from other tensors.";
  return {
      .note = tensor.operation().is_trainable() ? "a trainable parameter: {expression}" : "given: {expression}",
      .page = {.paragraphs = {on_page}, .said = on_page},
      .result = "c",
  };
}

Telling copy(const Derivation& derivation) {
  const std::string mask = derivation.terms[0].b ? ", as {b} is False" : "";
  return {
      .note = "the same number as {a}" + mask + ": {name} = {expression}",
      .page = {.paragraphs = {"The same number as {a}."}, .said = "the same number as {a}"},
      .result = "a",
  };
}

Telling products(const Derivation& derivation) {
  const bool is_empty = derivation.terms.empty();
  return {
      .lines = is_empty ? Lines{.opening = "a sum of no products"}
                        : Lines{.opening = "{a run} times {b run}:",
                                .each = "{a} * {b} = {>a} * {>b} = {>product}   sum {>sum}{token}",
                                .bias = "plus the bias {bias} = {=bias}   sum {=sum}"},
      .hints = {{.opening = "add:", .each = "{=a} * {=b} = {=product}", .bias = "{=bias}"}},
      .page = {.head = {"", is_empty ? "" : "{a name}", "", is_empty ? "" : "{b name}", "product", "sum"},
               .each = {"{~a}", "×", "{~b}", "{=product}", "{=sum}"},
               .bias = {"bias", "", "+", "{~bias}", "", "{=sum}"},
               .said_each = "{=a} times {=b}",
               .said = derivation.bias ? " plus the bias {=bias}" : ""},
      .columns = {{"product", "*", "a", "b", true},
                  {"sum", "running", "product", "bias", true},
                  {"result", "total", "product", "bias"}},
      .factor = "product",
  };
}

bool has_one_operand(const Derivation& derivation) {
  const auto& terms = derivation.terms;
  return std::ranges::all_of(terms, [&](const auto& term) { return term.a.operand == terms[0].a.operand; });
}

/// A sum over one operand's elements, or over several operands': a + b.
Telling sum(const Derivation& derivation) {
  const bool is_empty = derivation.terms.empty();
  const bool is_of_one = has_one_operand(derivation);
  return {
      .lines = is_empty ? Lines{.opening = "a sum of no numbers"}
                        : Lines{.opening = is_of_one ? "the sum of {a run}:" : "the sum of:",
                                .each = "{a} = {>a}   sum {>sum}{token}"},
      .page = {.head = {"", is_empty || !is_of_one ? "" : "{a name}", "sum"},
               .each = {"{~a}", "{=sum}"},
               .said_each = "{=a}"},
      .columns = {{"sum", "running", "a", "", true}, {"result", "total", "a"}},
  };
}

/// One operation: its sign in programs, its sign on a page, and its spoken form.
Telling one_step(const Derivation& derivation, const std::string& sign, const std::string& page_sign,
                 const std::string& said) {
  const bool has_b = derivation.terms[0].b.has_value();
  const std::string b = has_b ? "b" : "c";
  return {
      .lines = {.each = "{a} " + sign + (has_b ? " {b}" : " {=c}") + " = {=a} " + sign + " {=" + b + "} = {=result}"},
      .page = {.paragraphs = {"{a} " + page_sign + (has_b ? " {b}" : " {=c}"),
                              "`{=a} " + page_sign + " {=" + b + "} = {=result}`"},
               .said = "{=a} " + said + " {=" + b + "}"},
      .columns = {{"result",
                   sign == "*"   ? "*"
                   : sign == "-" ? "-"
                   : sign == "+" ? "total"
                                 : "/",
                   "a", has_b ? "b" : "c"}},
      .has_constant = !has_b,
  };
}

/// The largest of one operand's elements, or of several operands'.
Telling maximum(const Derivation& derivation) {
  const bool is_of_one = has_one_operand(derivation);
  return {
      .lines = {.opening = is_of_one ? "the largest of {a run}:" : "the larger of:", .each = "{a} = {>a}{token}"},
      .page = {.head = {"", is_of_one ? "{a name}" : ""},
               .each = {"{~a}"},
               .paragraphs = {"The largest is `{=result}`."},
               .said = "the largest of these numbers"},
      .columns = {{"result", "largest", "a"}},
      .is_exact = true,
  };
}

/// A function of one element: its name, and what it is called.
Telling function(std::string_view operation, const std::string& called) {
  const std::string name(operation);
  return {
      .lines = {.each = name + "({a}) = " + name + "({=a}) = {=result}"},
      .page = {.paragraphs = {called + " {a}", "`" + name + "({=a}) = {=result}`"}, .said = called + " {=a}"},
      .columns = {{"result", operation, "a"}},
  };
}

/// The columns of a row's mean and, if wanted, of its variance.
std::vector<Column> moments(bool has_variance) {
  std::vector<Column> columns = {{"sum", "running", "a", "", true},
                                 {"total", "total", "a"},
                                 {"one", "equal", "a", "a"},
                                 {"count", "total", "one"},
                                 {"mean", "/", "total", "count"}};
  if (has_variance) {
    const std::vector<Column> more = {{"difference", "-", "a", "mean", true},
                                      {"square", "*", "difference", "difference", true},
                                      {"squares", "total", "square"},
                                      {"variance", "/", "squares", "count"}};
    columns.insert(columns.end(), more.begin(), more.end());
  }
  return columns;
}

Telling mean(const Derivation& derivation) {
  const std::string count = std::to_string(derivation.terms.size());
  return {
      .lines = {.opening = "the mean of {a run}:",
                .each = "{a} = {>a}   sum {>sum}{token}",
                .closing = {"{=total} / " + count + " = {=mean}"}},
      .page = {.head = {"", "{a name}", "sum"},
               .each = {"{~a}", "{=sum}"},
               .paragraphs = {"`{=total} ÷ " + count + " = {=mean}`"},
               .said = "the mean of these numbers"},
      .columns = moments(false),
      .result = "mean",
  };
}

/// A row's variance, or with an epsilon 1 / sqrt(variance + epsilon).
Telling variance(const Derivation& derivation, bool is_inverse) {
  const std::string count = std::to_string(derivation.terms.size());
  std::vector<Column> columns = moments(true);
  std::vector<std::string> closing = {"the squares sum to {=squares}; the variance is {=squares} / " + count +
                                      " = {=variance}"};
  std::vector<std::string> paragraphs = {"The squares sum to `{=squares}`.",
                                         "`{=squares} ÷ " + count + " = {=variance}`"};
  if (is_inverse) {
    columns.push_back({"raised", "total", "variance", "c"});
    columns.push_back({"result", "rsqrt", "raised"});
    closing.emplace_back("1 / sqrt({=variance} + {=c}) = {=result}");
    paragraphs.emplace_back("`1 ÷ √({=variance} + {=c}) = {=result}`");
  }
  return {
      .lines = {.opening = "the mean of {a run} is {=mean}:",
                .each = "({a} - mean)**2 = {>difference}**2 = {>square}{token}",
                .closing = std::move(closing)},
      .page = {.head = {"", "x", "x − mean", "squared"},
               .each = {"{~a}", "{=difference}", "{=square}"},
               .paragraphs = std::move(paragraphs),
               .said = is_inverse ? "1 divided by the square root of the variance {=variance} plus {=c}"
                                  : "the mean of the squared differences from the mean {=mean}"},
      .columns = std::move(columns),
      .result = is_inverse ? "result" : "variance",
      .has_constant = is_inverse,
  };
}

Telling softmax(const Derivation& derivation) {
  const std::string count = std::to_string(derivation.terms.size());
  return {
      .lines = {.opening = "the maximum of {a run} is {=largest}; subtracting it first prevents overflow:",
                .each = "exp({a} - max) = exp({>difference}) = {=exponential}{token}{own?  <- this one:}",
                .closing = {"the sum of all " + count + " exponentials = {=total}",
                            "{=exponential} / {=total} = {=result}"}},
      .hints = {{.opening = "{=exponential} divided by the sum of:",
                 .each = "exp({=a} - {=largest}) = {=exponential}"}},
      .page = {.head = {"", "x", "x − max", "exp(x − max)", "÷ sum"},
               .each = {"{~a}", "{=difference}", "{=exponential}", "{=result}"},
               .paragraphs = {"The exponentials sum to `{=total}`.", "`{=exponential} ÷ {=total} = {=result}`"},
               .said = "the exponential {=exponential} divided by the row's sum of exponentials {=total}"},
      .columns = {{"largest", "largest", "a"},
                  {"difference", "-", "a", "largest", true},
                  {"exponential", "exp", "difference"},
                  {"total", "total", "exponential"},
                  {"result", "/", "exponential", "total"}},
      .factor = "exponential",
      .has_own = true,
  };
}

Telling softmax_gradient(const Derivation& derivation) {
  const std::string count = std::to_string(derivation.terms.size());
  return {
      .lines = {.opening = "the products of {a run} and {b run}:",
                .each = "{a} * {b} = {>a} * {>b} = {>product}{token}{own?  <- this one:}",
                .closing = {"the sum of all " + count + " products = {=total}",
                            "({=a} - {=total}) * {=b} = {=result}"}},
      .hints = {{.opening = "({=a} minus the sum of the products) times {=b}; add:",
                 .each = "{=a} * {=b} = {=product}"}},
      .page = {.head = {"", "{a name}", "", "{b name}", "product"},
               .each = {"{~a}", "×", "{~b}", "{=product}"},
               .paragraphs = {"The products sum to `{=total}`.", "`({=a} − {=total}) × {=b} = {=result}`"},
               .said = "{=a} minus the row's sum of products {=total}, times {=b}"},
      .columns = {{"product", "*", "a", "b", true},
                  {"total", "total", "product"},
                  {"difference", "-", "a", "total"},
                  {"result", "*", "difference", "b"}},
      .has_own = true,
  };
}

Telling masked(const Derivation& derivation) {
  const bool is_minus_infinity = derivation.constant < 0 && std::isinf(derivation.constant);
  PageTelling page = {
      .paragraphs = {"Masked: {a} is True, so the number is replaced by `{=c}`."},
      .said = is_minus_infinity ? "masked: replaced by minus infinity" : "masked: replaced by {=c}",
  };
  if (is_minus_infinity) {
    page.paragraphs.emplace_back("Softmax turns it into 0: exp(-inf) = 0.");
  }
  return {
      .lines = {.opening = std::string("{a} is True, so the number is replaced by {=c}") +
                           (is_minus_infinity ? ", which softmax turns into a weight of 0" : "")},
      .page = std::move(page),
      .result = "c",
      .is_exact = true,
      .has_constant = true,
  };
}

Telling kept() {
  return {
      .lines = {.opening = "{b} is True, so the number is kept and scaled by 1 / (1 - p) = {=c}:",
                .each = "{a} * {=c} = {=a} * {=c} = {=result}"},
      .page = {.paragraphs = {"Kept: {b} is True. Dropout scales kept numbers by 1 / (1 − p) = `{=c}`.",
                              "`{=a} × {=c} = {=result}`"},
               .said = "kept: {=a} times {=c}"},
      .columns = {{"result", "*", "a", "c"}},
      .has_constant = true,
  };
}

Telling dropped() {
  return {
      .lines = {.opening = "{b} is False, so {a} = {=a} is dropped: 0"},
      .page = {.paragraphs = {"Dropped: {b} is False, so {!a} becomes 0."}, .said = "dropped: {=a} becomes 0"},
      .columns = {{"result", "*", "a", "c"}},
      .is_exact = true,
  };
}

Telling comparison(const Derivation& derivation) {
  const std::string compared = std::to_string(derivation.terms.size()) +
                               " pairs compared, {#same} of them equal; the largest difference is {^furthest}.";
  return {
      .lines = {.opening = "True where every pair is close, |a - b| <= 1e-08 + 1e-05 * |b|:",
                .each = "{a} = {!a}, {b} = {!b}{close?  close:  not close}"},
      .page = {.paragraphs = {compared}, .said = compared},
      .columns = {{"close", "close", "a", "b"},
                  {"result", "all", "close"},
                  {"equal", "equal", "a", "b"},
                  {"same", "total", "equal"},
                  {"difference", "-", "a", "b"},
                  {"distance", "abs", "difference"},
                  {"furthest", "largest", "distance"}},
  };
}

Telling told_by_rule(const Tensor& tensor, const Derivation& derivation) {
  switch (derivation.rule) {
    case Rule::given: break;
    case Rule::copy: return copy(derivation);
    case Rule::products: return products(derivation);
    case Rule::sum: return sum(derivation);
    case Rule::product: return one_step(derivation, "*", "×", "times");
    case Rule::difference: return one_step(derivation, "-", "−", "minus");
    case Rule::maximum: return maximum(derivation);
    case Rule::quotient: return one_step(derivation, "/", "÷", "divided by");
    case Rule::exponential: return function("exp", "e to the power of");
    case Rule::cosine: return function("cos", "the cosine of");
    case Rule::sine: return function("sin", "the sine of");
    case Rule::root: return function("sqrt", "the square root of");
    case Rule::inverse_root: return function("rsqrt", "1 divided by the square root of");
    case Rule::raised: return one_step(derivation, "+", "+", "plus");
    case Rule::mean: return mean(derivation);
    case Rule::variance: return variance(derivation, false);
    case Rule::inverse_deviation: return variance(derivation, true);
    case Rule::softmax: return softmax(derivation);
    case Rule::softmax_gradient: return softmax_gradient(derivation);
    case Rule::masked: return masked(derivation);
    case Rule::kept: return kept();
    case Rule::dropped: return dropped();
    case Rule::comparison: return comparison(derivation);
  }
  return given(tensor);
}

}  // namespace

Telling told(const Tensor& tensor, const Derivation& derivation) {
  Telling telling = told_by_rule(tensor, derivation);
  if (derivation.rule != Rule::given) {
    telling.hints.insert(telling.hints.begin(), operands(derivation));
  }
  return telling;
}

}  // namespace attn::render
