"""The programs of "Attention"."""
import torch

from programs.common import (key_name, projections, query_index, scaled, seeded_inputs, self_attention,
                             show_projections, shown_inputs, softmax)


def simplified(o, walk):
    walk.section("one_query")
    inputs = shown_inputs(o, walk)
    q = query_index(o, inputs)
    query = inputs[q]
    walk.extra("query_2", f"inputs[{q}]\n", query)
    attn_scores_2 = torch.zeros(inputs.shape[0])
    for i, x_i in enumerate(inputs):
        attn_scores_2[i] = torch.dot(x_i, query)
    walk.show("attn_scores_2", "", attn_scores_2)
    attn_weights_2 = torch.softmax(attn_scores_2, dim=0)
    walk.show("attn_weights_2", "attention weights\n", attn_weights_2)
    context_vec_2 = torch.zeros(query.shape)
    for i, x_i in enumerate(inputs):
        context_vec_2 += attn_weights_2[i] * x_i
    walk.show("context_vec_2", "", context_vec_2)

    walk.section("all_tokens")
    walk.extra("keys_transposed", "inputs.T\n", inputs.T)
    attn_scores = torch.matmul(inputs, inputs.T)
    walk.show("attn_scores", "Attention Scores:\n", attn_scores)
    attn_weights = softmax(o, attn_scores)
    walk.show("attn_weights", "Attention Weights:\n", attn_weights)
    walk.show("context_vecs", "", attn_weights @ inputs)


def trainable(o, walk):
    walk.section("one_query")
    inputs = shown_inputs(o, walk)
    q = query_index(o, inputs)
    x_2 = inputs[q]
    walk.extra("x_2", f"inputs[{q}]\n", x_2)
    W_query, W_key, W_value = projections(o, o.init or "randn", inputs, 2, 2, key_first=True)
    show_projections(walk, W_query, W_key, W_value)
    query_2 = W_query(x_2)
    walk.show("query_2", "query_2\n", query_2)
    walk.show("key_2", "key_2\n", W_key(x_2))
    walk.show("value_2", "value_2\n", W_value(x_2))
    keys = W_key(inputs)
    values = W_value(inputs)
    walk.extra("keys", W_key.words(key_name(o), "inputs"), keys)
    walk.extra("values", W_value.words("W_value", "inputs"), values)
    count = min(4, inputs.shape[0])
    for i in range(count):
        walk.show(f"w_2{i + 1}", "", torch.dot(query_2, keys[i]))
        walk.end_line(" " if i + 1 < count else "\n")
    walk.size("keys", "keys.shape:", keys)
    walk.size("values", "values.shape:", values)
    walk.show("attn_score_22", "W_22:", query_2.dot(keys[min(1, inputs.shape[0] - 1)]))
    walk.extra("keys_transposed", "keys.T\n", keys.T)
    w_2 = query_2 @ keys.T
    walk.show("attn_scores_2", "", w_2)
    scaled_2 = scaled(o, walk, w_2, keys, ("attn_scores_2", "keys"), "scaled_attn_scores_2")
    attn_weights_2 = softmax(o, scaled_2)
    walk.show("attn_weights_2", "", attn_weights_2)
    walk.show("context_vec_2", "", attn_weights_2 @ values)

    walk.section("self_attention")
    inputs = seeded_inputs(o)
    walk.extra("inputs", "inputs\n", inputs)
    W_query, W_key, W_value = projections(o, o.init or "linear", inputs, 2, 2)
    show_projections(walk, W_query, W_key, W_value)
    self_attention(o, walk, W_query, W_key, W_value, inputs, "context vectors\n")
