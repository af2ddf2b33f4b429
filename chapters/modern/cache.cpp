#include <algorithm>
#include <cstdint>
#include <string>

#include "chapters/attention.hpp"
#include "chapters/modern/modern.hpp"

namespace attn::chapters::modern {
namespace {

constexpr ProjectionDefaults weights = {.init = Init::linear, .d_out_kq = 2, .d_out_v = 2};

void check_new_tokens(std::int64_t num_new, std::int64_t num_tokens) {
  if (num_new >= num_tokens) {
    const bool is_one = num_tokens == 1;
    throw LessonError(
        "--new-tokens " + std::to_string(num_new) + " leaves no prompt of " + std::to_string(num_tokens) +
        (is_one ? " token; use 2 or more tokens" : " tokens; use 1 to " + std::to_string(num_tokens - 1)) + "; or " +
        (is_one ? "leave --new-tokens out" : "give more tokens"));
  }
}

/// The causal attention of the last tokens, whose queries these are, over all tokens so far.
Tensor attention(Program& p, const Tensor& queries, const Tensor& keys, const Tensor& values,
                 const std::string& name = "context_vecs") {
  const Tensor attn_scores = p.show("attn_scores", "attention scores\n", matmul(queries, t(keys)));
  const std::int64_t earlier = keys.size(0) - queries.size(0);
  const Tensor mask = p.show("mask", "mask\n", torch::mask_above(queries.size(0), keys.size(0), earlier + 1));
  const Tensor masked_attn_scores =
      p.show("masked_attn_scores", "masked attention scores\n", masked_fill(attn_scores, mask, minus_infinity));
  const Tensor attn_weights = p.show("attn_weights", "attention weights\n", softmax(scale(masked_attn_scores, keys)));
  return p.show(name, "context vectors\n", matmul(attn_weights, values));
}

}  // namespace

/// Decoding with a cache: the keys and values of earlier tokens are kept, and only those of new tokens are computed.
void cache(Program& p) {
  p.section("prompt");
  const Tensor inputs = p.inputs();
  const std::int64_t num_tokens = inputs.size(0);
  const std::int64_t num_new = p.own_size("new-tokens", std::min<std::int64_t>(num_tokens - 1, 2));
  check_new_tokens(num_new, num_tokens);
  const auto [W_query, W_key, W_value] = p.projections(inputs.size(-1), weights);
  const Tensor prompt = p.show("prompt", "prompt\n", slice(inputs, 0, 0, num_tokens - num_new));
  const Tensor queries = p.show("queries", "queries\n", W_query(prompt));
  const Tensor cached_keys = p.show("cached_keys", "keys, to be cached\n", W_key(prompt));
  const Tensor cached_values = p.show("cached_values", "values, to be cached\n", W_value(prompt));
  attention(p, queries, cached_keys, cached_values);

  if (num_new == 0) {  // of one token
    return;
  }
  p.section("new_tokens");
  const Tensor new_tokens = p.show("new_tokens", "new tokens\n", slice(inputs, 0, num_tokens - num_new, num_tokens));
  const Tensor new_queries = p.show("new_queries", "queries of the new tokens\n", W_query(new_tokens));
  const Tensor new_keys = p.show("new_keys", "keys of the new tokens\n", W_key(new_tokens));
  const Tensor new_values = p.show("new_values", "values of the new tokens\n", W_value(new_tokens));
  const Tensor keys = p.show("keys", "keys, cached and new\n", cat({cached_keys, new_keys}, 0));
  const Tensor values = p.show("values", "values, cached and new\n", cat({cached_values, new_values}, 0));
  const Tensor new_context_vecs = attention(p, new_queries, keys, values, "new_context_vecs");

  p.section("at_once");
  const Tensor all_keys = p.show("keys", "keys\n", W_key(inputs));
  const Tensor all_queries = p.show("queries", "queries\n", W_query(inputs));
  const Tensor all_values = p.show("values", "values\n", W_value(inputs));
  const Tensor context_vecs = attention(p, all_queries, all_keys, all_values);
  p.show("both_agree", "cached and at once agree:",
         all_close(slice(context_vecs, 0, num_tokens - num_new, num_tokens), new_context_vecs));
}

}  // namespace attn::chapters::modern
