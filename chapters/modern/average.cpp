#include <cstdint>
#include <string>
#include <vector>

#include "chapters/attention.hpp"
#include "chapters/modern/modern.hpp"

namespace attn::chapters::modern {
namespace {

void check_tokens_listable(std::int64_t num_tokens) {
  constexpr std::int64_t most = 1000;
  if (num_tokens > most) {
    throw LessonError("average with " + std::to_string(num_tokens) +
                      " tokens: each token has its own steps; use up to " + std::to_string(most) + "; try --tokens 6");
  }
}

}  // namespace

/// The mean of each token and all before it: by a loop, by a matrix of averages, by softmax of masked zeros.
void average(Program& p) {
  p.section("by_loop");
  const Tensor inputs = p.inputs();
  const std::int64_t num_tokens = inputs.size(0);
  check_tokens_listable(num_tokens);
  std::vector<Tensor> means;
  for (std::int64_t count = 1; count <= num_tokens; ++count) {
    const std::string number = std::to_string(count);
    const Tensor total = p.let("sum_" + number, sum(slice(inputs, 0, 0, count), false, -2));
    means.push_back(p.show("mean_" + number, "mean of the first " + number + ":",
                           divide(total, static_cast<double>(count), number)));
  }
  const Tensor by_loop = p.show("context_vecs", "context vectors\n", stack(means, 0));

  p.section("by_matrix");
  const Tensor mask_simple = p.show("mask_simple", "ones up to each token\n", torch::lower_triangle(num_tokens));
  const Tensor row_sums = p.show("row_sums", "row sums\n", sum(mask_simple, true));
  const Tensor averages = p.show("attn_weights", "attention weights\n", divide(mask_simple, row_sums));
  const Tensor by_matrix = p.show("context_vecs", "context vectors\n", matmul(averages, inputs));
  p.show("both_agree", "loop and matrix agree:", all_close(by_loop, by_matrix));

  p.section("by_softmax");
  const Tensor attn_scores = p.show("attn_scores", "attention scores\n", torch::token_zeros(num_tokens));
  const Tensor mask = p.let("mask", torch::causal_mask(num_tokens), "mask.bool()");
  const Tensor masked_attn_scores =
      p.show("masked_attn_scores", "masked attention scores\n", masked_fill(attn_scores, mask, minus_infinity));
  const Tensor attn_weights = p.show("attn_weights", "attention weights\n", softmax(masked_attn_scores));
  const Tensor by_softmax = p.show("context_vecs", "context vectors\n", matmul(attn_weights, inputs));
  p.show("both_agree", "matrix and softmax agree:", all_close(by_matrix, by_softmax));
}

}  // namespace attn::chapters::modern
