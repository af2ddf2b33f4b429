"""Attention in today's models."""
import torch

from programs.common import (Projection, masked, masked_name, masked_softmax, scaled, show_projections, shown_inputs,
                             stack_words, under_rules)


def grouped(o, walk):
    inputs = shown_inputs(o, walk)
    copies = o.batch or 1
    batch = torch.stack((inputs,) * copies, dim=0)
    walk.extra("batch", stack_words(copies), batch)
    num_heads, num_kv_heads = o.num_heads or 4, o.num_kv_heads or 2
    d_out_kq, d_out_v = o.d_out_kq or o.d_out or 8, o.d_out_v or o.d_out or 8
    d_in = inputs.shape[-1]
    group_size = num_heads // num_kv_heads
    init = o.init or "linear"
    W_query, W_key, W_value = under_rules(o, Projection(o, init, d_in, d_out_kq),
                                          Projection(o, init, d_in, d_out_kq // group_size),
                                          Projection(o, init, d_in, d_out_v // group_size))
    out_proj = Projection(type(o)(**{**vars(o), "qkv_bias": False}), init, d_out_v, d_out_v)
    show_projections(walk, W_query, W_key, W_value)
    walk.extra("out_proj_weight", "out_proj", out_proj.weight)

    queries, keys, values = W_query(batch), W_key(batch), W_value(batch)
    walk.show("queries", "queries\n", queries)
    walk.show("keys", "keys\n", keys)
    walk.show("values", "values\n", values)
    b, num_tokens, _ = batch.shape
    queries_heads = queries.view(b, num_tokens, num_heads, d_out_kq // num_heads).transpose(1, 2)
    keys_heads = keys.view(b, num_tokens, num_kv_heads, d_out_kq // num_heads).transpose(1, 2)
    values_heads = values.view(b, num_tokens, num_kv_heads, d_out_v // num_heads).transpose(1, 2)
    walk.show("queries_heads", "queries of each head\n", queries_heads)
    walk.show("keys_heads", "keys of each key/value head\n", keys_heads)
    walk.show("values_heads", "values of each key/value head\n", values_heads)
    keys_repeated, values_repeated = repeated(o, keys_heads, group_size), repeated(o, values_heads, group_size)
    walk.show("keys_repeated", "keys for each head\n", keys_repeated)
    walk.show("values_repeated", "values for each head\n", values_repeated)

    keys_transposed = keys_repeated.transpose(2, 3)
    walk.extra("keys_transposed", "keys_repeated.transpose(2, 3)\n", keys_transposed)
    attn_scores = queries_heads @ keys_transposed
    walk.show("attn_scores", "attention scores\n", attn_scores)
    mask = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()
    walk.extra("mask", "mask.bool()\n", mask)
    masked_scores = masked(o, walk, attn_scores, mask, "masked attention scores\n")
    scaled_scores = scaled(o, walk, masked_scores, keys_repeated, (masked_name(o), "keys_repeated"))
    attn_weights = masked_softmax(o, walk, scaled_scores, mask)
    walk.show("attn_weights", "attention weights\n", attn_weights)
    context_heads = attn_weights @ values_repeated
    walk.extra("context_heads", "attn_weights @ values_repeated\n", context_heads)
    context_vec = context_heads.transpose(1, 2)
    walk.show("context_vec", "context vectors of every head\n", context_vec)
    context_vecs = context_vec.contiguous().view(b, num_tokens, d_out_v)
    walk.show("context_vecs", "context vectors\n", context_vecs)
    walk.show("output", "output\n", out_proj(context_vecs))


def repeated(o, heads, group_size):
    """A head of keys or values for each query head."""
    if o.what_if == "tiled-heads":
        return torch.cat([heads] * group_size, dim=1)
    return heads.repeat_interleave(group_size, dim=1)
