#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "chapters/attention.hpp"
#include "chapters/modern/modern.hpp"

namespace attn::chapters::modern {
namespace {

void check_valid_length(std::int64_t valid_length, std::int64_t num_tokens) {
  if (valid_length > num_tokens) {
    throw LessonError("--valid-length " + std::to_string(valid_length) + " is more than the " +
                      std::to_string(num_tokens) + (num_tokens == 1 ? " token" : " tokens") +
                      " of a sequence; use 1 to " + std::to_string(num_tokens) + "; or give more tokens");
  }
}

}  // namespace

/// Sequences of different length in one batch: keys beyond a sequence's valid length are masked. Formula: Zhang et al.,
/// "Dive into Deep Learning", section 11.3.
void padding(Program& p) {
  const Tensor batch = p.batch(p.inputs(), 2);
  const std::int64_t num_tokens = batch.size(1);
  const std::int64_t valid_length = p.own_size("valid-length", std::max<std::int64_t>(num_tokens - 2, 1));
  check_valid_length(valid_length, num_tokens);
  std::vector<std::int64_t> valid_lengths(static_cast<std::size_t>(batch.size(0)), num_tokens);
  if (p.lesson().fixture) {
    valid_lengths.front() = std::max<std::int64_t>(num_tokens - 1, 1);  // a mask that is left out there shows as well
  }
  valid_lengths.back() = valid_length;
  const auto [W_query, W_key, W_value] =
      p.projections(batch.size(-1), {.init = Init::linear, .d_out_kq = 2, .d_out_v = 2});
  const Tensor queries = p.show("queries", "queries\n", W_query(batch));
  const Tensor keys = p.show("keys", "keys\n", W_key(batch));
  const Tensor values = p.show("values", "values\n", W_value(batch));

  const Tensor attn_scores = p.show("attn_scores", "attention scores\n", matmul(queries, transpose(keys, 1, 2)));
  const Tensor mask = p.show("mask", "mask\n", torch::padding_mask(valid_lengths, attn_scores));
  const Tensor masked_attn_scores =
      p.show("masked_attn_scores", "masked attention scores\n", masked_fill(attn_scores, mask, minus_infinity));
  const Tensor attn_weights = p.show("attn_weights", "attention weights\n", softmax(scale(masked_attn_scores, keys)));
  p.show("context_vecs", "context vectors\n", matmul(attn_weights, values));
}

}  // namespace attn::chapters::modern
