
#include "chapters/attention.hpp"
#include "chapters/modern/modern.hpp"

namespace attn::chapters::modern {
namespace {

/// The gradients of a projection's weight and bias, from the gradient of what it makes of the inputs.
void projection_gradients(Program& p, const Projection& W, const Tensor& inputs, const Tensor& inputs_transposed,
                          const Tensor& gradient) {
  const Tensor grad_weight = W.is_module() ? matmul(t(gradient), inputs)  // nn.Linear's weight is [d_out, d_in]
                                           : matmul(inputs_transposed, gradient);
  p.show("grad_" + W.name(), "gradient of " + W.words() + "\n", grad_weight);
  if (W.bias()) {
    p.let("grad_" + W.name() + "_bias", sum(gradient, false, -2));
  }
}

}  // namespace

/// The gradients of a causal head, step by step, as loss.backward() computes them. Formula: Dao et al.,
/// "FlashAttention", 2022, appendix B.2; softmax's gradient is the product with its Jacobian, diag(P) - P P.T.
void backward(Program& p) {
  p.section("forward");
  const Tensor inputs = p.inputs();
  const std::int64_t num_tokens = inputs.size(0);
  const auto [W_query, W_key, W_value] = p.projections(inputs.size(-1), {Init::randn, 2, 2});
  const Tensor target = p.show("target", "target\n", p.randn({num_tokens, W_value.d_out()}));
  const Tensor queries = p.show("queries", "queries\n", W_query(inputs));
  const Tensor keys = p.show("keys", "keys\n", W_key(inputs));
  const Tensor values = p.show("values", "values\n", W_value(inputs));
  const Tensor attn_scores = p.show("attn_scores", "attention scores\n", matmul(queries, t(keys)));
  const Tensor mask = p.let("mask", torch::causal_mask(num_tokens), "mask.bool()");
  const Tensor masked_attn_scores =
      p.show("masked_attn_scores", "masked attention scores\n", masked_fill(attn_scores, mask, minus_infinity));
  const Tensor attn_weights = p.show("attn_weights", "attention weights\n", softmax(scale(masked_attn_scores, keys)));
  const Tensor context_vecs = p.show("context_vecs", "context vectors\n", matmul(attn_weights, values));
  const Tensor errors = p.show("errors", "context vectors minus target\n", subtract(context_vecs, target));
  const Tensor squares = p.let("squares", multiply(errors, errors));
  p.show("loss", "loss:", divide(p.let("sum_of_squares", total(squares)), 2, "2"));

  p.section("backward");
  p.no_grad();
  const Tensor grad_context_vecs =
      p.show("grad_context_vecs", "gradient of the context vectors\n", subtract(context_vecs, target));
  const Tensor grad_values =
      p.show("grad_values", "gradient of the values\n", matmul(t(attn_weights), grad_context_vecs));
  const Tensor grad_attn_weights =
      p.show("grad_attn_weights", "gradient of the weights\n", matmul(grad_context_vecs, t(values)));

  const Tensor weighted_grads = p.let("weighted_grads", multiply(grad_attn_weights, attn_weights));
  const Tensor mean_grads = p.show("mean_grads", "each row's weighted mean\n", sum(weighted_grads, true));
  p.let("grad_by_hand", multiply(p.let("centred_grads", subtract(grad_attn_weights, mean_grads)), attn_weights));
  const Tensor grad_scaled = p.show("grad_scaled_attn_scores", "gradient of the scaled scores\n",
                                    softmax_gradient(grad_attn_weights, attn_weights));

  const Tensor grad_masked = p.let("grad_masked_attn_scores", scale(grad_scaled, keys));
  const Tensor grad_attn_scores =
      p.show("grad_attn_scores", "gradient of the scores\n", masked_fill(grad_masked, mask, 0));
  const Tensor grad_queries = p.show("grad_queries", "gradient of the queries\n", matmul(grad_attn_scores, keys));
  const Tensor grad_keys = p.show("grad_keys", "gradient of the keys\n", matmul(t(grad_attn_scores), queries));
  const Tensor inputs_transposed = t(inputs);
  projection_gradients(p, W_query, inputs, inputs_transposed, grad_queries);
  projection_gradients(p, W_key, inputs, inputs_transposed, grad_keys);
  projection_gradients(p, W_value, inputs, inputs_transposed, grad_values);
}

}  // namespace attn::chapters::modern
