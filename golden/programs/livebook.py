"""The programs of "Chapter 3: Coding Attention Mechanisms", in PyTorch: the page's own are Elixir's Nx."""
import torch

from programs import common
from programs.common import (Projection, causal_both_ways, dropout_on_ones, keep_mask, key_name, masked, masked_name,
                             masked_softmax, projections, query_index, scaled, seeded_inputs, self_attention,
                             show_projections, shown_inputs, softmax, stack_words, under_rules)

W_QUERY = [[0.2961, 0.5166], [0.2517, 0.6886], [0.0740, 0.8665]]
W_KEY = [[0.1366, 0.1025], [0.1841, 0.7264], [0.3153, 0.6871]]
W_VALUE = [[0.0756, 0.1966], [0.3164, 0.4017], [0.1186, 0.8274]]


def page_projections(o, inputs):
    """The page's fixed weights, or where other sizes or an initialisation are asked for, drawn ones."""
    if any(value is not None for value in (o.init, o.d_out, o.d_out_kq, o.d_out_v, o.tokens, o.d_in)) or o.qkv_bias:
        return projections(o, o.init or "rand", inputs, 2, 2)
    return under_rules(o, Projection.given(W_QUERY), Projection.given(W_KEY), Projection.given(W_VALUE))


def simplified(o, walk):
    walk.section("by_loop")
    inputs = shown_inputs(o, walk)
    q = query_index(o, inputs)
    walk.extra("x_2", f"inputs[{q}]\n", inputs[q])
    walk.show("attn_scores_2", "attention scores of the query\n", inputs @ inputs[q])
    attn_scores = torch.stack([inputs @ x_i for x_i in inputs])
    walk.show("attn_scores", "attention scores\n", attn_scores)

    walk.section("by_matmul")
    walk.extra("keys_transposed", "inputs.T\n", inputs.T)
    walk.show("attn_scores", "attention scores\n", inputs @ inputs.T)

    walk.section("divided_by_sum")
    attn_sums = attn_scores.sum(dim=1, keepdim=True)
    walk.show("attn_sums", "row sums of the scores\n", attn_sums)
    walk.show("attn_weights", "attention weights\n", attn_scores / attn_sums)
    walk.show("row_sums", "row sums\n", (attn_scores / attn_sums).sum(dim=1))

    walk.section("naive_softmax")
    exp_scores = torch.exp(attn_scores)
    walk.show("exp_attn_scores", "exponentials\n", exp_scores)
    exp_sums = exp_scores.sum(dim=1, keepdim=True)
    walk.show("exp_sums", "row sums of the exponentials\n", exp_sums)
    attn_weights = exp_scores / exp_sums
    walk.show("attn_weights", "attention weights\n", attn_weights)

    walk.section("softmax")
    walk.show("attn_weights", "attention weights\n", softmax(o, attn_scores))

    walk.section("all_tokens")
    walk.show("context_vecs", "context vectors\n", attn_weights @ inputs)


def trainable(o, walk):
    walk.section("one_query")
    inputs = shown_inputs(o, walk)
    q = query_index(o, inputs)
    x_2 = inputs[q]
    walk.show("x_2", "x_2\n", x_2)
    W_query, W_key, W_value = page_projections(o, inputs)
    W_query.show(walk, "W_query", "w_q")
    W_key.show(walk, "W_key", "w_k")
    W_value.show(walk, "W_value", "w_v")
    walk.show("query_2", "query_2\n", W_query(x_2))
    walk.show("key_2", "key_2\n", W_key(x_2))
    walk.show("value_2", "value_2\n", W_value(x_2))
    queries, keys, values = W_query(inputs), W_key(inputs), W_value(inputs)
    walk.show("queries", "queries\n", queries)
    walk.show("keys", "keys\n", keys)
    walk.show("values", "values\n", values)
    walk.show("attn_score_22", "attn_score_22", torch.dot(keys[min(1, inputs.shape[0] - 1)], queries[q]))
    walk.extra("keys_transposed", "keys.T\n", keys.T)
    attn_scores_2 = queries[q] @ keys.T
    walk.show("attn_scores_2", "attn_score_2\n", attn_scores_2)
    scaled_2 = scaled(o, walk, attn_scores_2, keys, ("attn_scores_2", "keys"), "scaled_attn_scores_2")
    attn_weights_2 = softmax(o, scaled_2)
    walk.show("attn_weights_2", "attn_weights_2\n", attn_weights_2)
    walk.show("context_vec_2", "context_vec_2\n", attn_weights_2 @ values)

    walk.section("self_attention")
    context_vecs = self_attention(o, walk, W_query, W_key, W_value, inputs, "context_vector\n")
    walk.show("context_vec_2", f"context_vector[{q}]\n", context_vecs[q])


def causal(o, walk):
    walk.section("renormalised")
    inputs = shown_inputs(o, walk)
    W_query, W_key, W_value = page_projections(o, inputs)
    show_projections(walk, W_query, W_key, W_value)
    keys, queries = W_key(inputs), W_query(inputs)
    walk.show("keys", "keys\n", keys)
    walk.show("queries", "queries\n", queries)
    causal_both_ways(o, walk, queries, keys, {
        "attn_scores": "attn_score\n", "attn_weights": "attn_weights\n", "mask_simple": "mask_simple\n",
        "masked_simple": "masked\n", "masked_simple_norm": "masked_norm\n", "masked_attn_scores": "masked\n"})


def dropout(o, walk):
    p = 0.5 if o.dropout is None else o.dropout
    dropout_on_ones(o, walk, p)

    walk.section("causal")
    inputs = shown_inputs(o, walk)
    W_query, W_key, W_value = page_projections(o, inputs)
    show_projections(walk, W_query, W_key, W_value)
    keys, queries, values = W_key(inputs), W_query(inputs), W_value(inputs)
    walk.extra("keys", W_key.words(key_name(o), "inputs"), keys)
    walk.extra("queries", W_query.words("W_query", "inputs"), queries)
    walk.extra("values", W_value.words("W_value", "inputs"), values)
    walk.extra("keys_transposed", "keys.T\n", keys.T)
    attn_scores = queries @ keys.T
    walk.extra("attn_scores", "queries @ keys_transposed\n", attn_scores)
    num_tokens = inputs.shape[0]
    mask = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()
    walk.extra("mask", "mask.bool()\n", mask)
    masked_scores = masked(o, walk, attn_scores, mask, "attn_scores.masked_fill(mask, -torch.inf)\n", False)
    attn_weights = masked_softmax(o, walk, scaled(o, walk, masked_scores, keys, (masked_name(o), "keys")), mask)
    walk.show("attn_weights", "attention weights\n", attn_weights)
    walk.show("dropout_mask", "keep mask\n", keep_mask(attn_weights, p))
    attn_weights = common.dropout(o, p, attn_weights)
    walk.show("dropout_attn_weights", "dropout attention weights\n", attn_weights)
    walk.show("row_sums", "row sums\n", attn_weights.sum(dim=-1))
    walk.show("context_vecs", "context vectors\n", attn_weights @ values)


def single_head(o, walk, batch, section):
    walk.section(section)
    W_query, W_key, W_value = projections(o, o.init or "rand", batch, 2, 2)
    show_projections(walk, W_query, W_key, W_value)
    keys, queries, values = W_key(batch), W_query(batch), W_value(batch)
    walk.show("keys", "keys\n", keys)
    walk.show("queries", "queries\n", queries)
    walk.show("values", "values\n", values)
    walk.extra("keys_transposed", "keys.transpose(1, 2)\n", keys.transpose(1, 2))
    attn_scores = queries @ keys.transpose(1, 2)
    walk.show("attn_scores", "attention scores\n", attn_scores)
    num_tokens = batch.shape[1]
    mask = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()
    walk.extra("mask", "mask.bool()\n", mask)
    masked_scores = masked(o, walk, attn_scores, mask, "masked attention scores\n")
    attn_weights = masked_softmax(o, walk, scaled(o, walk, masked_scores, keys, (masked_name(o), "keys")), mask)
    walk.show("attn_weights", "attention weights\n", attn_weights)
    context_vecs = attn_weights @ values
    walk.show("context_vecs", "context vectors\n", context_vecs)
    return context_vecs


def split_heads(o, walk, batch, section, d_out):
    walk.section(section)
    seeded_inputs(o)
    W_query, W_key, W_value = projections(o, o.init or "rand", batch, d_out, d_out)
    d_out_v = o.d_out_v or o.d_out or d_out
    o_without_bias = type(o)(**{**vars(o), "qkv_bias": False})
    out_proj = Projection(o_without_bias, o.init or "rand", d_out_v, d_out_v)
    show_projections(walk, W_query, W_key, W_value)
    walk.extra("out_proj_weight", "out_proj", out_proj.weight)
    keys, queries, values = W_key(batch), W_query(batch), W_value(batch)
    walk.show("keys", "keys\n", keys)
    walk.show("queries", "queries\n", queries)
    walk.show("values", "values\n", values)
    b, num_tokens, _ = batch.shape
    num_heads = o.num_heads or 2
    heads = {}
    for name, tensor in (("keys", keys), ("queries", queries), ("values", values)):
        head_dim = tensor.shape[-1] // num_heads
        heads[name] = tensor.view(b, num_tokens, num_heads, head_dim).transpose(1, 2)
        walk.extra(f"{name}_heads", f"{name}.view({b}, {num_tokens}, {num_heads}, {head_dim}).transpose(1, 2)\n", heads[name])
    keys_transposed = heads["keys"].transpose(2, 3)
    walk.extra("keys_transposed", "keys_heads.transpose(2, 3)\n", keys_transposed)
    attn_scores = heads["queries"] @ keys_transposed
    walk.show("attn_scores", "attention scores\n", attn_scores)
    mask = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()
    walk.extra("mask", "mask.bool()\n", mask)
    masked_scores = masked(o, walk, attn_scores, mask, "masked attention scores\n")
    scaled_scores = scaled(o, walk, masked_scores, keys, (masked_name(o), "keys"))  # by d_out, as on the page
    attn_weights = masked_softmax(o, walk, scaled_scores, mask)
    walk.show("attn_weights", "attention weights\n", attn_weights)
    walk.extra("context_heads", "attn_weights @ values_heads\n", attn_weights @ heads["values"])
    context_vec = (attn_weights @ heads["values"]).transpose(1, 2)
    walk.show("context_vec", "context vectors of every head\n", context_vec)
    context_vecs = context_vec.contiguous().view(b, num_tokens, d_out_v)
    walk.extra("context_vecs", f"context_vec.contiguous().view({b}, {num_tokens}, {d_out_v})\n", context_vecs)
    walk.show("output", "output\n", out_proj(context_vecs))


def multihead(o, walk):
    walk.section("inputs")
    inputs = shown_inputs(o, walk)
    batch = torch.stack((inputs,) * (o.batch or 2), dim=0)
    walk.extra("batch", stack_words(o.batch or 2), batch)
    heads = [single_head(o, walk, batch, f"head_{i + 1}") for i in range(o.num_heads or 2)]
    walk.section("stacked")
    walk.show("context_vecs", "stacked heads\n", torch.cat(heads, dim=-1))
    split_heads(o, walk, batch, "split_4", 4)
    split_heads(o, walk, batch, "split_2", 2)
