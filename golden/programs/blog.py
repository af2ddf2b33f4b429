"""The programs of "Build a LLM from scratch: Attention Mechanism"."""
import torch
import torch.nn as nn

from programs import common
from programs.common import (dropout_on_ones, keep_mask, masked, masked_name, masked_softmax, projections, query_index,
                             scaled, seeded_inputs, self_attention, show_projections, shown_inputs, softmax,
                             stack_words)


def simplified(o, walk):
    walk.section("one_query")
    inputs = shown_inputs(o, walk)
    q = query_index(o, inputs)
    query = inputs[q]
    walk.extra("query_2", f"inputs[{q}]\n", query)
    attn_scores = torch.empty(inputs.shape[0])
    for i, x_i in enumerate(inputs):
        attn_scores[i] = torch.dot(x_i, query)
    walk.show("attn_scores_2", "", attn_scores)
    attn_weights = torch.softmax(attn_scores, dim=0)
    walk.show("attn_weights_2", "Attention weights:", attn_weights)
    walk.show("attn_weights_sum_2", "Sum:", attn_weights.sum())
    context_vec = torch.zeros(query.shape)
    for i, x_i in enumerate(inputs):
        context_vec += attn_weights[i] * x_i
    walk.show("context_vec_2", "", context_vec)

    walk.section("all_tokens")
    walk.extra("keys_transposed", "inputs.T\n", inputs.T)
    attn_scores = inputs @ inputs.T
    walk.show("attn_scores", "attention scores\n", attn_scores)
    attn_weights = softmax(o, attn_scores)
    walk.show("attn_weights", "attention weights\n", attn_weights)
    walk.show("context_vecs", "context vectors\n", attn_weights @ inputs)


def trainable(o, walk):
    walk.section("one_query")
    inputs = shown_inputs(o, walk)
    q = query_index(o, inputs)
    x_2 = inputs[q]
    walk.extra("x_2", f"inputs[{q}]\n", x_2)
    d_in = inputs.shape[-1]
    W_query, W_key, W_value = projections(o, o.init or "rand", inputs, d_in, d_in)
    W_query.show(walk, "W_query", "Query Trainable Weigth")
    W_key.show(walk, "W_key", "Key Trainable Weight")
    W_value.show(walk, "W_value", "Value Trainable Weigth")
    query_2 = W_query(x_2)
    key_2 = W_key(x_2)
    value_2 = W_value(x_2)
    walk.show("query_2", "Query vector\n", query_2)
    walk.show("key_2", "Key vector\n", key_2)
    walk.show("value_2", "Value vector\n", value_2)
    keys = W_key(inputs)
    values = W_value(inputs)
    walk.show("keys", "keys\n", keys)
    walk.show("values", "values\n", values)
    walk.extra("keys_transposed", "keys.T\n", keys.T)
    attn_scores_2 = query_2 @ keys.T
    walk.show("attn_scores_2", "attention scores\n", attn_scores_2)
    scaled_2 = scaled(o, walk, attn_scores_2, keys, ("attn_scores_2", "keys"), "scaled_attn_scores_2")
    attn_weights_2 = softmax(o, scaled_2)
    walk.show("attn_weights_2", "attention weights\n", attn_weights_2)
    walk.show("context_vec_2", "context vector\n", attn_weights_2 @ values)

    walk.section("self_attention")
    inputs = seeded_inputs(o)
    walk.extra("inputs", "inputs\n", inputs)
    W_query, W_key, W_value = projections(o, o.init or "linear", inputs, d_in, d_in)
    show_projections(walk, W_query, W_key, W_value)
    self_attention(o, walk, W_query, W_key, W_value, inputs, "context vectors\n")


def causal_attention(o, walk, p, weights_only):
    """The blog's CausalAttention on a batch, up to the context vectors' operands."""
    inputs = shown_inputs(o, walk)
    show = walk.extra if weights_only else walk.show
    batch = torch.stack((inputs,) * (o.batch or 2), dim=0)
    walk.extra("batch", stack_words(o.batch or 2), batch)
    d_in = inputs.shape[-1]
    W_query, W_key, W_value = projections(o, o.init or "linear", inputs, d_in, d_in)
    show_projections(walk, W_query, W_key, W_value)
    keys = W_key(batch)
    queries = W_query(batch)
    values = W_value(batch)
    show("keys", "keys\n", keys)
    show("queries", "queries\n", queries)
    show("values", "values\n", values)
    walk.extra("keys_transposed", "keys.transpose(1, 2)\n", keys.transpose(1, 2))
    attn_scores = queries @ keys.transpose(1, 2)
    show("attn_scores", "attention scores\n", attn_scores)
    num_tokens = batch.shape[1]
    mask = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()
    walk.extra("mask", "mask.bool()\n", mask)
    attn_scores = masked(o, walk, attn_scores, mask, "masked attention scores\n", not weights_only)
    attn_weights = masked_softmax(o, walk, scaled(o, walk, attn_scores, keys, (masked_name(o), "keys")), mask)
    walk.show("attn_weights", "attention weights\n", attn_weights)
    mask = keep_mask(attn_weights, p)
    walk.show("dropout_mask", "keep mask\n", mask, in_article=weights_only)
    attn_weights = common.dropout(o, p, attn_weights)
    walk.show("dropout_attn_weights", "dropout attention weights\n", attn_weights)
    return attn_weights, values


def causal(o, walk):
    p = 0.2 if o.dropout is None else o.dropout
    attn_weights, values = causal_attention(o, walk, p, weights_only=False)
    context_vec = attn_weights @ values
    walk.show("context_vecs", "context vectors\n", context_vec)
    walk.size("context_vecs", "context_vecs.shape:", context_vec)


def dropout(o, walk):
    dropout_on_ones(o, walk, 0.5 if o.dropout is None else o.dropout)

    walk.section("causal")
    p = 0.2 if o.dropout is None else o.dropout
    attn_weights, values = causal_attention(o, walk, p, weights_only=True)
    walk.show("row_sums", "row sums\n", attn_weights.sum(dim=-1))
    walk.show("context_vecs", "context vectors\n", attn_weights @ values)


def multihead(o, walk):
    inputs = shown_inputs(o, walk)
    p = 0 if o.dropout is None else o.dropout
    batch = torch.stack((inputs,) * (o.batch or 1), dim=0)
    walk.extra("batch", stack_words(o.batch or 1), batch)
    b, num_tokens, d_in = batch.shape
    num_heads = o.num_heads or 3
    W_query, W_key, W_value = projections(o, o.init or "linear", inputs, 3, 3)
    d_out_kq = W_query.weight.shape[0 if W_query.linear else 1]
    d_out_v = W_value.weight.shape[0 if W_value.linear else 1]
    out_proj = nn.Linear(d_out_v, d_out_v)
    if o.no_grad:
        out_proj.requires_grad_(False)
    show_projections(walk, W_query, W_key, W_value)
    walk.extra("out_proj_weight", "out_proj.weight", out_proj.weight)
    walk.extra("out_proj_bias", "out_proj.bias", out_proj.bias)

    keys = W_key(batch)
    walk.show("keys", "keys", keys)
    queries = W_query(batch)
    values = W_value(batch)
    walk.show("queries", "queries\n", queries)
    walk.show("values", "values\n", values)
    keys = keys.view(b, num_tokens, num_heads, d_out_kq // num_heads)
    walk.size("keys", "keys\n", keys)
    values = values.view(b, num_tokens, num_heads, d_out_v // num_heads)
    queries = queries.view(b, num_tokens, num_heads, d_out_kq // num_heads)
    keys = keys.transpose(1, 2)
    walk.size("keys_heads", "keys transpose\n", keys)
    queries = queries.transpose(1, 2)
    values = values.transpose(1, 2)
    for name, heads, size in (("keys", keys, d_out_kq), ("queries", queries, d_out_kq), ("values", values, d_out_v)):
        words = f"{name}.view({b}, {num_tokens}, {num_heads}, {size // num_heads}).transpose(1, 2)\n"
        walk.extra(f"{name}_heads", words, heads)
    walk.size("keys_transposed", "attn_score keys transpose\n", keys.transpose(2, 3))
    walk.extra("keys_transposed", "keys_heads.transpose(2, 3)\n", keys.transpose(2, 3))
    attn_scores = queries @ keys.transpose(2, 3)
    walk.size("attn_scores", "attn_scores\n", attn_scores)
    walk.show("attn_scores", "attention scores\n", attn_scores)
    mask = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()
    walk.show("mask", "mask_bool:\n", mask)
    walk.size("attn_weights", "attn_weights\n", attn_scores)
    attn_scores = masked(o, walk, attn_scores, mask, "masked attention scores\n")
    attn_weights = masked_softmax(o, walk, scaled(o, walk, attn_scores, keys, (masked_name(o), "keys_heads")), mask)
    walk.show("attn_weights", "attention weights\n", attn_weights)
    walk.extra("dropout_mask", "keep mask\n", keep_mask(attn_weights, p))
    attn_weights = common.dropout(o, p, attn_weights)
    walk.show("dropout_attn_weights", "dropout attention weights\n", attn_weights, in_article=p > 0)
    walk.extra("context_heads", "dropout_attn_weights @ values_heads\n", attn_weights @ values)
    context_vec = (attn_weights @ values).transpose(1, 2)
    walk.size("context_vec", "context_vec shape:\n", context_vec)
    walk.show("context_vec", "context_vec:\n", context_vec)
    context_vecs = context_vec.contiguous().view(b, num_tokens, d_out_v)
    walk.extra("context_vecs", f"context_vec.contiguous().view({b}, {num_tokens}, {d_out_v})\n", context_vecs)
    output = out_proj(context_vecs)
    walk.show("output", "output:\n", output)
    walk.size("output", "output.shape:\n", output)
