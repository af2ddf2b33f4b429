"""The programs of "Build a Large Language Model (From Scratch)", chapter 3."""
import torch
import torch.nn as nn

from programs import common
from programs.common import (causal_both_ways, dropout_on_ones, keep_mask, key_name, masked, masked_name,
                             masked_softmax, projections, query_index, scaled, seeded_inputs, self_attention,
                             show_projections, shown_inputs, softmax, stack_words, with_seed)

SECOND_SEED = 789  # what the book seeds v2 with
A = [[[[0.2745, 0.6584, 0.2775, 0.8573], [0.8993, 0.0390, 0.9268, 0.7388], [0.7179, 0.7058, 0.9156, 0.4340]],
      [[0.0772, 0.3565, 0.1479, 0.5331], [0.4066, 0.2318, 0.4545, 0.9737], [0.4606, 0.5159, 0.4220, 0.5786]]]]


def simplified(o, walk):
    walk.section("one_query")
    inputs = shown_inputs(o, walk)
    q = query_index(o, inputs)
    query = inputs[q]
    walk.extra("query", f"inputs[{q}]\n", query)
    attn_scores_2 = torch.empty(inputs.shape[0])
    for i, x_i in enumerate(inputs):
        attn_scores_2[i] = torch.dot(x_i, query)
    walk.show("attn_scores_2", "", attn_scores_2)

    walk.section("dot_product")
    res = 0.
    for idx in range(inputs.shape[1]):
        res += inputs[0][idx] * query[idx]
    walk.show("res", "", res)
    walk.show("dot_product", "", torch.dot(inputs[0], query))

    walk.section("divided_by_sum")
    walk.extra("attn_scores_sum_2", "attn_scores_2.sum(dim=-1)\n", attn_scores_2.sum())
    attn_weights_2_tmp = attn_scores_2 / attn_scores_2.sum()
    walk.show("attn_weights_2_tmp", "Attention weights:", attn_weights_2_tmp)
    walk.show("attn_weights_sum_2", "Sum:", attn_weights_2_tmp.sum())

    walk.section("naive_softmax")
    exp_attn_scores_2 = torch.exp(attn_scores_2)
    walk.extra("exp_attn_scores_2", "torch.exp(attn_scores_2)\n", exp_attn_scores_2)
    walk.extra("exp_sum_2", "exp_attn_scores_2.sum(dim=-1)\n", exp_attn_scores_2.sum(dim=0))
    attn_weights_2_naive = exp_attn_scores_2 / exp_attn_scores_2.sum(dim=0)
    walk.show("attn_weights_2_naive", "Attention weights:", attn_weights_2_naive)
    walk.show("attn_weights_sum_2", "Sum:", attn_weights_2_naive.sum())

    walk.section("softmax")
    attn_weights_2 = torch.softmax(attn_scores_2, dim=0)
    walk.show("attn_weights_2", "Attention weights:", attn_weights_2)
    walk.show("attn_weights_sum_2", "Sum:", attn_weights_2.sum())

    walk.section("weighted_sum")
    context_vec_2 = torch.zeros(query.shape)
    for i, x_i in enumerate(inputs):
        context_vec_2 += attn_weights_2[i] * x_i
    walk.show("context_vec_2", "", context_vec_2)

    walk.section("by_loop")
    attn_scores = torch.empty(inputs.shape[0], inputs.shape[0])
    for i, x_i in enumerate(inputs):
        for j, x_j in enumerate(inputs):
            attn_scores[i, j] = torch.dot(x_i, x_j)
    walk.show("attn_scores", "", attn_scores)

    walk.section("by_matmul")
    walk.extra("keys_transposed", "inputs.T\n", inputs.T)
    attn_scores = inputs @ inputs.T
    walk.show("attn_scores", "", attn_scores)

    walk.section("all_tokens")
    attn_weights = softmax(o, attn_scores)
    walk.show("attn_weights", "", attn_weights)
    walk.show("row_sums", "All row sums:", attn_weights.sum(dim=-1))
    walk.show("all_context_vecs", "", attn_weights @ inputs)
    walk.show("context_vec_2", "Previous 2nd context vector:", context_vec_2)


def one_query(o, walk):
    walk.section("one_query")
    inputs = shown_inputs(o, walk)
    q = query_index(o, inputs)
    x_2 = inputs[q]
    walk.extra("x_2", f"inputs[{q}]\n", x_2)
    W_query, W_key, W_value = projections(o, o.init or "rand", inputs, 2, 2)
    for W in (W_query, W_key, W_value):
        if not W.linear:
            W.weight.requires_grad_(False)
    show_projections(walk, W_query, W_key, W_value)
    query_2 = W_query(x_2)
    walk.show("query_2", "", query_2)
    walk.extra("key_2", W_key.words(key_name(o), "x_2"), W_key(x_2))
    walk.extra("value_2", W_value.words("W_value", "x_2"), W_value(x_2))
    keys, values = W_key(inputs), W_value(inputs)
    walk.extra("keys", W_key.words(key_name(o), "inputs"), keys)
    walk.extra("values", W_value.words("W_value", "inputs"), values)
    walk.size("keys", "keys.shape:", keys)
    walk.size("values", "values.shape:", values)
    walk.show("attn_score_22", "", query_2.dot(keys[min(1, inputs.shape[0] - 1)]))
    walk.extra("keys_transposed", "keys.T\n", keys.T)
    attn_scores_2 = query_2 @ keys.T
    walk.show("attn_scores_2", "", attn_scores_2)
    attn_weights_2 = softmax(o, scaled(o, walk, attn_scores_2, keys, ("attn_scores_2", "keys"), "scaled_attn_scores_2"))
    walk.show("attn_weights_2", "", attn_weights_2)
    walk.show("context_vec_2", "", attn_weights_2 @ values)


def trainable(o, walk):
    one_query(o, walk)
    for section, seed, init in (("self_attention_v1", o.seed, "rand"), ("self_attention_v2", SECOND_SEED, "linear")):
        walk.section(section)
        inputs = seeded_inputs(with_seed(o, seed))
        walk.extra("inputs", "inputs\n", inputs)
        W_query, W_key, W_value = projections(o, o.init or init, inputs, 2, 2)
        show_projections(walk, W_query, W_key, W_value)
        self_attention(o, walk, W_query, W_key, W_value, inputs, "")


def v2_queries_and_keys(o, walk):
    """Queries and keys of the section's inputs, by v2's weights."""
    inputs = shown_inputs(with_seed(o, SECOND_SEED), walk)
    W_query, W_key, W_value = projections(o, o.init or "linear", inputs, 2, 2)
    show_projections(walk, W_query, W_key, W_value)
    queries, keys = W_query(inputs), W_key(inputs)
    walk.extra("queries", W_query.words("W_query", "inputs"), queries)
    walk.extra("keys", W_key.words(key_name(o), "inputs"), keys)
    return queries, keys


def causal_attention(o, walk, W, batch, label):
    """The book's CausalAttention, called on a batch; W: its projections."""
    p = 0 if o.dropout is None else o.dropout
    W_query, W_key, W_value = W
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
    attn_weights = dropped(o, walk, p, attn_weights)
    context_vecs = attn_weights @ values
    walk.show("context_vecs", label, context_vecs)
    return context_vecs


def dropped(o, walk, p, attn_weights):
    walk.extra("dropout_mask", "keep mask\n", keep_mask(attn_weights, p))
    attn_weights = common.dropout(o, p, attn_weights)
    walk.show("dropout_attn_weights", "dropout attention weights\n", attn_weights, in_article=p > 0)
    return attn_weights


def stacked(o, walk, inputs):
    batch = torch.stack((inputs,) * (o.batch or 2), dim=0)
    walk.extra("batch", stack_words(o.batch or 2), batch)
    return batch


def causal(o, walk):
    walk.section("renormalised")
    queries, keys = v2_queries_and_keys(o, walk)
    labels = ("attn_weights", "mask_simple", "masked_simple", "masked_simple_norm", "masked_attn_scores")
    causal_both_ways(o, walk, queries, keys, dict.fromkeys(labels, ""))

    walk.section("causal_attention")
    inputs = seeded_inputs(o)
    walk.extra("inputs", "inputs\n", inputs)
    batch = stacked(o, walk, inputs)
    walk.size("batch", "", batch)
    W = projections(o, o.init or "linear", inputs, 2, 2)
    show_projections(walk, *W)
    context_vecs = causal_attention(o, walk, W, batch, "")
    walk.size("context_vecs", "context_vecs.shape:", context_vecs)


def dropout(o, walk):
    p = 0.5 if o.dropout is None else o.dropout
    dropout_on_ones(o, walk, p, "")

    walk.section("causal")
    queries, keys = v2_queries_and_keys(o, walk)
    walk.extra("keys_transposed", "keys.T\n", keys.T)
    attn_scores = queries @ keys.T
    walk.extra("attn_scores", "queries @ keys_transposed\n", attn_scores)
    num_tokens = attn_scores.shape[0]
    mask = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()
    walk.extra("mask", "mask.bool()\n", mask)
    masked_scores = masked(o, walk, attn_scores, mask, "attn_scores.masked_fill(mask, -torch.inf)\n", False)
    attn_weights = masked_softmax(o, walk, scaled(o, walk, masked_scores, keys, (masked_name(o), "keys")), mask)
    walk.show("attn_weights", "attention weights\n", attn_weights)
    torch.manual_seed(o.seed)
    walk.show("dropout_mask", "keep mask\n", keep_mask(attn_weights, p))
    walk.show("dropout_attn_weights", "", common.dropout(o, p, attn_weights))


def split_heads(o, walk, batch):
    """The book's MultiHeadAttention, seeded and called on a batch."""
    p = 0 if o.dropout is None else o.dropout
    seeded_inputs(o)
    W_query, W_key, W_value = projections(o, o.init or "linear", batch, 2, 2)
    d_out = o.d_out_v or o.d_out or 2
    out_proj = nn.Linear(d_out, d_out)
    if o.no_grad:
        out_proj.requires_grad_(False)
    show_projections(walk, W_query, W_key, W_value)
    walk.extra("out_proj_weight", "out_proj.weight", out_proj.weight)
    walk.extra("out_proj_bias", "out_proj.bias", out_proj.bias)
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
        words = f"{name}.view({b}, {num_tokens}, {num_heads}, {head_dim}).transpose(1, 2)\n"
        walk.extra(f"{name}_heads", words, heads[name])
    keys_transposed = heads["keys"].transpose(2, 3)
    walk.extra("keys_transposed", "keys_heads.transpose(2, 3)\n", keys_transposed)
    attn_scores = heads["queries"] @ keys_transposed
    walk.show("attn_scores", "attention scores\n", attn_scores)
    mask = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()
    walk.extra("mask", "mask.bool()\n", mask)
    masked_scores = masked(o, walk, attn_scores, mask, "masked attention scores\n")
    scaled_scores = scaled(o, walk, masked_scores, heads["keys"], (masked_name(o), "keys_heads"))
    attn_weights = masked_softmax(o, walk, scaled_scores, mask)
    walk.show("attn_weights", "attention weights\n", attn_weights)
    attn_weights = dropped(o, walk, p, attn_weights)
    walk.extra("context_heads", "dropout_attn_weights @ values_heads\n", attn_weights @ heads["values"])
    context_vec = (attn_weights @ heads["values"]).transpose(1, 2)
    walk.show("context_vec", "context vectors of every head\n", context_vec)
    joined = context_vec.contiguous().view(b, num_tokens, d_out)
    walk.extra("joined_heads", f"context_vec.contiguous().view({b}, {num_tokens}, {d_out})\n", joined)
    context_vecs = out_proj(joined)
    walk.show("context_vecs", "", context_vecs)
    walk.size("context_vecs", "context_vecs.shape:", context_vecs)


def each_head_alone(walk):
    walk.section("batched_matmul")
    a = torch.tensor(A)
    walk.extra("a", "a\n", a)
    walk.extra("a_transposed", "a.transpose(2, 3)\n", a.transpose(2, 3))
    walk.show("res", "", a @ a.transpose(2, 3))
    for i, name, label in ((0, "first", "First head:\n"), (1, "second", "\nSecond head:\n")):
        head = a[0, i, :, :]
        walk.extra(f"{name}_head", f"a[0][{i}]\n", head)
        walk.extra(f"{name}_head_transposed", f"{name}_head.T\n", head.T)
        walk.show(f"{name}_res", label, head @ head.T)


def multihead(o, walk):
    walk.section("inputs")
    inputs = shown_inputs(o, walk)
    batch = stacked(o, walk, inputs)
    num_heads = o.num_heads or 2
    heads = [projections(o, o.init or "linear", inputs, 2, 2) for _ in range(num_heads)]
    results = []
    for i, W in enumerate(heads):
        walk.section(f"head_{i + 1}")
        show_projections(walk, *W)
        results.append(causal_attention(o, walk, W, batch, "context vectors\n"))
    walk.section("stacked")
    context_vecs = torch.cat(results, dim=-1)
    walk.show("context_vecs", "", context_vecs)
    walk.size("context_vecs", "context_vecs.shape:", context_vecs)

    walk.section("split")
    split_heads(o, walk, batch)
    each_head_alone(walk)
