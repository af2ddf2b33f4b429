#include "blog/blog.hpp"
#include "blog/causal_attention.hpp"

namespace attn::chapters::blog {

void causal(Program& p) {
  const auto [attn_weights, values] = causal_attention(p, p.dropout_rate(0.2), Prints::everything);
  const Tensor context_vecs = p.show("context_vecs", "context vectors\n", matmul(attn_weights, values));
  p.size("context_vecs", "context_vecs.shape:", context_vecs);
}

}  // namespace attn::chapters::blog
