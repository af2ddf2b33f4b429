#include "chapters/attention.hpp"
#include "chapters/blog/blog.hpp"

namespace attn::chapters::blog {

void dropout(Program& p) {
  dropout_on_ones(p, p.dropout_rate(0.5));

  p.section("causal");
  const auto [attn_weights, values] = causal_attention(p, p.dropout_rate(0.2), Prints::weights_and_dropout);
  p.show("row_sums", "row sums\n", sum(attn_weights));
  p.show("context_vecs", "context vectors\n", matmul(attn_weights, values));
}

}  // namespace attn::chapters::blog
