#include "verify/read/runner.hpp"

namespace attn::verify {

std::string_view library_program() {
  // our_batched: [batch, tokens, d] from a tensor that may have its tokens first, or no batch; our_unbatched reverses
  // it. our_hidden: scores hidden by a mask; True hides or shows, depending on the last argument; a mask that is not
  // bool is added.
  return R"(class torch.nn.MultiheadAttention:
  def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True, add_bias_kv=False, add_zero_attn=False, kdim=None, vdim=None, batch_first=False):
    self.embed_dim = embed_dim
    self.num_heads = num_heads
    self.dropout = dropout
    self.batch_first = batch_first
    if kdim is not None or vdim is not None or add_bias_kv:
      torch.randperm(1)
    bound = 3 ** 0.5 * (2 / (4 * embed_dim)) ** 0.5
    self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
    self.out_proj.bias = torch.zeros(embed_dim)
    self.in_proj_weight = our_uniform(-bound, bound, (3 * embed_dim, embed_dim))
    self.in_proj_bias = torch.zeros(3 * embed_dim)
  def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, average_attn_weights=True, is_causal=False):
    d = self.embed_dim
    h = self.num_heads
    if self.dropout:
      torch.randperm(1)
    q = our_batched(query, self.batch_first) @ self.in_proj_weight[:d].T
    k = our_batched(key, self.batch_first) @ self.in_proj_weight[d:2 * d].T
    v = our_batched(value, self.batch_first) @ self.in_proj_weight[2 * d:].T
    q = q.view(q.size(0), q.size(1), h, d // h).transpose(1, 2)
    k = k.view(k.size(0), k.size(1), h, d // h).transpose(1, 2)
    v = v.view(v.size(0), v.size(1), h, d // h).transpose(1, 2)
    scores = q @ k.transpose(-2, -1) / (d // h) ** 0.5
    if attn_mask is not None:
      scores = our_hidden(scores, attn_mask, True)
    if key_padding_mask is not None:
      scores = our_hidden(scores, key_padding_mask[..., None, None, :], True)
    weights = torch.softmax(scores, dim=-1)
    heads = (weights @ v).transpose(1, 2)
    out = heads.reshape(heads.size(0), heads.size(1), d) @ self.out_proj.weight.T
    out = our_called(our_unbatched(out, query, self.batch_first), 0)
    if need_weights:
      if average_attn_weights:
        weights = weights.mean(dim=1)
      return out, our_called(our_unbatched(weights, query, True), 1)
    return out, None
def torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None):
  scores = query @ key.transpose(-2, -1) * (query.size(-1) ** -0.5 if scale is None else scale)
  if attn_mask is not None:
    scores = our_hidden(scores, attn_mask, False)
  if is_causal:
    scores = scores.masked_fill(torch.ones(query.size(-2), key.size(-2)).tril() == 0, -torch.inf)
  if dropout_p:
    torch.randperm(1)
  return our_called(torch.softmax(scores, dim=-1) @ value)
)";
}

}  // namespace attn::verify
