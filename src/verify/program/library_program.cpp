#include "verify/program/runner.hpp"

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
    weights = torch.nn.functional.dropout(torch.softmax(scores, dim=-1), self.dropout, self.training)
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
  weights = torch.nn.functional.dropout(torch.softmax(scores, dim=-1), dropout_p)
  return our_called(weights @ value)
def torch.nn.Transformer.generate_square_subsequent_mask(sz):
  return torch.full((sz, sz), -torch.inf).triu(1)
class torch.nn.TransformerEncoderLayer:
  def __init__(self, d_model, nhead, dim_feedforward=2048, dropout=0.1, activation='relu', layer_norm_eps=1e-05, batch_first=False, norm_first=False):
    self.self_attn = torch.nn.MultiheadAttention(d_model, nhead, dropout=dropout, batch_first=batch_first)
    self.linear1 = nn.Linear(d_model, dim_feedforward)
    self.dropout = nn.Dropout(dropout)
    self.linear2 = nn.Linear(dim_feedforward, d_model)
    self.norm1 = nn.LayerNorm(d_model)
    self.norm2 = nn.LayerNorm(d_model)
    self.dropout1 = nn.Dropout(dropout)
    self.dropout2 = nn.Dropout(dropout)
    self.norm_first = norm_first
    if activation not in ['relu']:
      torch.randperm(1)
  def our_attention(self, x, mask, key_padding_mask):
    out, weights = self.self_attn(x, x, x, attn_mask=mask, key_padding_mask=key_padding_mask)
    return self.dropout1(out)
  def our_feedforward(self, x):
    return self.dropout2(self.linear2(self.dropout(torch.relu(self.linear1(x)))))
  def forward(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False):
    if self.norm_first:
      x = src + self.our_attention(self.norm1(src), src_mask, src_key_padding_mask)
      return our_called(x + self.our_feedforward(self.norm2(x)))
    x = self.norm1(src + self.our_attention(src, src_mask, src_key_padding_mask))
    return our_called(self.norm2(x + self.our_feedforward(x)))
class torch.nn.TransformerDecoderLayer:
  def __init__(self, d_model, nhead, dim_feedforward=2048, dropout=0.1, activation='relu', layer_norm_eps=1e-05, batch_first=False, norm_first=False):
    self.self_attn = torch.nn.MultiheadAttention(d_model, nhead, dropout=dropout, batch_first=batch_first)
    self.multihead_attn = torch.nn.MultiheadAttention(d_model, nhead, dropout=dropout, batch_first=batch_first)
    self.linear1 = nn.Linear(d_model, dim_feedforward)
    self.dropout = nn.Dropout(dropout)
    self.linear2 = nn.Linear(dim_feedforward, d_model)
    self.norm1 = nn.LayerNorm(d_model)
    self.norm2 = nn.LayerNorm(d_model)
    self.norm3 = nn.LayerNorm(d_model)
    self.dropout1 = nn.Dropout(dropout)
    self.dropout2 = nn.Dropout(dropout)
    self.dropout3 = nn.Dropout(dropout)
    self.norm_first = norm_first
    if activation not in ['relu']:
      torch.randperm(1)
  def our_attention(self, x, mask, key_padding_mask):
    out, weights = self.self_attn(x, x, x, attn_mask=mask, key_padding_mask=key_padding_mask)
    return self.dropout1(out)
  def our_cross_attention(self, x, memory, mask, key_padding_mask):
    out, weights = self.multihead_attn(x, memory, memory, attn_mask=mask, key_padding_mask=key_padding_mask)
    return self.dropout2(out)
  def our_feedforward(self, x):
    return self.dropout3(self.linear2(self.dropout(torch.relu(self.linear1(x)))))
  def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None, memory_key_padding_mask=None):
    if self.norm_first:
      x = tgt + self.our_attention(self.norm1(tgt), tgt_mask, tgt_key_padding_mask)
      x = x + self.our_cross_attention(self.norm2(x), memory, memory_mask, memory_key_padding_mask)
      return our_called(x + self.our_feedforward(self.norm3(x)))
    x = self.norm1(tgt + self.our_attention(tgt, tgt_mask, tgt_key_padding_mask))
    x = self.norm2(x + self.our_cross_attention(x, memory, memory_mask, memory_key_padding_mask))
    return our_called(self.norm3(x + self.our_feedforward(x)))
class torch.nn.TransformerEncoder:
  def __init__(self, encoder_layer, num_layers, norm=None, enable_nested_tensor=True):
    self.layers = nn.ModuleList([copy.deepcopy(encoder_layer) for i in range(num_layers)])
    self.norm = norm
  def forward(self, src, mask=None, src_key_padding_mask=None):
    x = src
    for layer in self.layers:
      x = layer(x, mask, src_key_padding_mask)
    if self.norm is not None:
      x = self.norm(x)
    return our_called(x)
class torch.nn.TransformerDecoder:
  def __init__(self, decoder_layer, num_layers, norm=None):
    self.layers = nn.ModuleList([copy.deepcopy(decoder_layer) for i in range(num_layers)])
    self.norm = norm
  def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None, memory_key_padding_mask=None):
    x = tgt
    for layer in self.layers:
      x = layer(x, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
    if self.norm is not None:
      x = self.norm(x)
    return our_called(x)
)";
}

}  // namespace attn::verify
