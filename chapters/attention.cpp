#include "chapters/attention.hpp"

#include <numeric>
#include <set>

#include "walk/lesson.hpp"

namespace attn::chapters {

Tensor attention_weights(Program& p, const Tensor& queries, const Tensor& keys) {
  const Tensor attn_scores = p.show("attn_scores", "attention scores\n", matmul(queries, t(keys)));
  return p.show("attn_weights", "attention weights\n", softmax(scale(attn_scores, keys)));
}

Tensor self_attention(Program& p, const Projections& W, const Tensor& inputs, const std::string& label) {
  const Tensor queries = W.W_query(inputs);
  const Tensor keys = W.W_key(inputs);
  const Tensor values = W.W_value(inputs);
  p.show("queries", "queries\n", queries);
  p.show("keys", "keys\n", keys);
  p.show("values", "values\n", values);
  return p.show("context_vecs", label, matmul(attention_weights(p, queries, keys), values));
}

void causal_both_ways(Program& p, const Tensor& queries, const Tensor& keys, const CausalLabels& labels) {
  p.section("renormalised");
  const Tensor attn_scores = matmul(queries, t(keys));
  if (labels.attn_scores) {
    p.show("attn_scores", *labels.attn_scores, attn_scores);
    p.size("attn_scores", "", attn_scores);
  } else {
    p.let("attn_scores", attn_scores);
  }
  const Tensor attn_weights = p.show("attn_weights", labels.attn_weights, softmax(scale(attn_scores, keys)));
  const std::int64_t num_tokens = attn_scores.size(0);
  const Tensor mask_simple = p.show("mask_simple", labels.mask_simple, torch::lower_triangle(num_tokens));
  const Tensor masked_simple = p.show("masked_simple", labels.masked_simple, multiply(attn_weights, mask_simple));
  const Tensor row_sums = p.show("row_sums", "row sums\n", sum(masked_simple, true));
  const Tensor masked_simple_norm =
      p.show("masked_simple_norm", labels.masked_simple_norm, divide(masked_simple, row_sums));

  p.section("minus_inf");
  const Tensor mask = p.let("mask", torch::causal_mask(num_tokens), "mask.bool()");
  const Tensor masked_attn_scores =
      p.show("masked_attn_scores", labels.masked_attn_scores, masked_fill(attn_scores, mask, minus_infinity));
  const Tensor causal_weights = p.show("attn_weights", labels.attn_weights, softmax(scale(masked_attn_scores, keys)));
  p.show("both_agree", "both ways agree:", all_close(masked_simple_norm, causal_weights));
}

void dropout_on_ones(Program& p, double rate, const std::string& label) {
  p.section("ones");
  p.manual_seed();
  const Tensor example = p.let("example", torch::ones({p.num_tokens(), p.num_tokens()}), "example");
  const auto [dropout_mask, output] = p.dropout(example, rate);
  p.show("dropout_mask", "keep mask\n", dropout_mask);
  p.show("scale", "scale:", torch::dropout_scale(rate));
  p.show("output", label, output);
}

namespace {

/// "1, 2, 3, 6"
std::string divisors_of(std::int64_t number) {
  std::set<std::int64_t> divisors;
  for (std::int64_t divisor = 1; divisor <= number / divisor; ++divisor) {
    if (number % divisor == 0) {
      divisors.insert({divisor, number / divisor});
    }
  }
  std::string list;
  for (const std::int64_t divisor : divisors) {
    list += (list.empty() ? "" : ", ") + std::to_string(divisor);
  }
  return list;
}

}  // namespace

void check_heads_divide(std::int64_t num_heads, std::int64_t d_out_kq, std::int64_t d_out_v) {
  const std::int64_t shared = std::gcd(d_out_kq, d_out_v);
  if (shared % num_heads == 0) {
    return;
  }
  const std::string d_out = d_out_kq == d_out_v
                                ? "d_out " + std::to_string(d_out_v)
                                : "d_out_kq " + std::to_string(d_out_kq) + " and d_out_v " + std::to_string(d_out_v);
  throw LessonError("--num-heads " + std::to_string(num_heads) + " does not divide " + d_out + "; use one of " +
                    divisors_of(shared) + "; or choose another --d-out");
}

void check_groups(std::int64_t num_heads, std::int64_t num_kv_heads) {
  if (num_heads % num_kv_heads != 0) {
    throw LessonError("--num-kv-heads " + std::to_string(num_kv_heads) + " does not divide num_heads " +
                      std::to_string(num_heads) + "; use one of " + divisors_of(num_heads) +
                      "; or choose another --num-heads");
  }
}

void check_heads_listable(std::int64_t num_heads) {
  constexpr std::int64_t most = 10'000;
  if (num_heads > most) {
    throw LessonError("--num-heads " + std::to_string(num_heads) + " is too many: each head has its own steps" +
                      "; use one of up to " + std::to_string(most) + "; try --num-heads 4");
  }
}

Tensor split(const Tensor& x, std::int64_t num_heads) {
  return transpose(view(x, {x.size(0), x.size(1), num_heads, x.size(2) / num_heads}), 1, 2);
}

Tensor join(const Tensor& x) { return view(contiguous(x), {x.size(0), x.size(1), x.size(2) * x.size(3)}); }

}  // namespace attn::chapters
