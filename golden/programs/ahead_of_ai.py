"""The programs of "Understanding and Coding Self-Attention, Multi-Head Attention, Cross-Attention, and
Causal-Attention in LLMs"."""
import torch

from programs.common import (attention_weights, causal_both_ways, embedded_sentence, key_name, projections, query_index,
                             scaled, seeded_again, self_attention, show_projections, softmax)


def trainable(o, walk):
    walk.section("one_query")
    embedded = inputs = embedded_sentence(o, walk, True)
    walk.size("inputs", "", inputs)
    W_query, W_key, W_value = projections(o, o.init or "rand", inputs, 2, 4)
    show_projections(walk, W_query, W_key, W_value)
    q = query_index(o, inputs)
    x_2 = inputs[q]
    walk.extra("x_2", f"inputs[{q}]\n", x_2)
    query_2, key_2, value_2 = W_query(x_2), W_key(x_2), W_value(x_2)
    walk.extra("query_2", W_query.words("W_query", "x_2"), query_2)
    walk.extra("key_2", W_key.words(key_name(o), "x_2"), key_2)
    walk.extra("value_2", W_value.words("W_value", "x_2"), value_2)
    walk.size("query_2", "", query_2)
    walk.size("key_2", "", key_2)
    walk.size("value_2", "", value_2)
    keys, values = W_key(inputs), W_value(inputs)
    walk.extra("keys", W_key.words(key_name(o), "inputs"), keys)
    walk.extra("values", W_value.words("W_value", "inputs"), values)
    walk.size("keys", "keys.shape:", keys)
    walk.size("values", "values.shape:", values)
    walk.show("omega_24", "", query_2.dot(keys[min(4, inputs.shape[0] - 1)]))
    walk.extra("keys_transposed", "keys.T\n", keys.T)
    omega_2 = query_2 @ keys.T
    walk.show("attn_scores_2", "", omega_2)
    scaled_2 = scaled(o, walk, omega_2, keys, ("attn_scores_2", "keys"), "scaled_attn_scores_2")
    attn_weights_2 = softmax(o, scaled_2)
    walk.show("attn_weights_2", "", attn_weights_2)
    context_vec_2 = attn_weights_2 @ values
    walk.size("context_vec_2", "", context_vec_2)
    walk.show("context_vec_2", "", context_vec_2)

    walk.section("self_attention")
    inputs = seeded_again(o, embedded)
    walk.extra("inputs", "inputs\n", inputs)
    W_query, W_key, W_value = projections(o, o.init or "rand", inputs, 2, 4)
    show_projections(walk, W_query, W_key, W_value)
    self_attention(o, walk, W_query, W_key, W_value, inputs, "")


def causal(o, walk):
    walk.section("renormalised")
    inputs = embedded_sentence(o, walk, False)
    W_query, W_key, W_value = projections(o, o.init or "rand", inputs, 2, 4)
    show_projections(walk, W_query, W_key, W_value)
    keys, queries, values = W_key(inputs), W_query(inputs), W_value(inputs)
    walk.extra("keys", W_key.words(key_name(o), "inputs"), keys)
    walk.extra("queries", W_query.words("W_query", "inputs"), queries)
    walk.extra("values", W_value.words("W_value", "inputs"), values)
    labels = ("attn_scores", "attn_weights", "mask_simple", "masked_simple", "masked_simple_norm", "masked_attn_scores")
    causal_both_ways(o, walk, queries, keys, dict.fromkeys(labels, ""))


def head(o, walk, inputs):
    W_query, W_key, W_value = projections(o, o.init or "rand", inputs, 2, 1)
    show_projections(walk, W_query, W_key, W_value)
    return self_attention(o, walk, W_query, W_key, W_value, inputs, "")


def multihead(o, walk):
    walk.section("single_head")
    embedded = embedded_sentence(o, walk, False)
    single = head(o, walk, embedded)
    inputs = seeded_again(o, embedded)
    heads = []
    for i in range(o.num_heads or 4):
        walk.section(f"head_{i + 1}")
        heads.append(head(o, walk, inputs))
    walk.section("stacked")
    context_vecs = torch.cat(heads, dim=-1)
    walk.show("context_vecs", "", context_vecs)
    walk.size("context_vecs", "context_vecs.shape:", context_vecs)
    walk.show("both_agree", "the single head is the first:",
              torch.isclose(single, context_vecs[..., :single.shape[1]]).all())


def cross(o, walk):
    inputs = embedded_sentence(o, walk, True)
    walk.size("inputs", "", inputs)
    W_query, W_key, W_value = projections(o, o.init or "rand", inputs, 2, 4)
    show_projections(walk, W_query, W_key, W_value)
    second_input = torch.rand(8, inputs.shape[-1])
    walk.size("inputs", "First input shape:", inputs)
    walk.size("second_input", "Second input shape:", second_input)
    walk.show("second_input", "second input\n", second_input)
    queries = W_query(inputs)
    keys = W_key(second_input)
    values = W_value(second_input)
    walk.show("queries", "queries\n", queries)
    walk.show("keys", "keys\n", keys)
    walk.show("values", "values\n", values)
    context_vecs = attention_weights(o, walk, queries, keys) @ values
    walk.show("context_vecs", "", context_vecs)
    walk.size("context_vecs", "Output shape:", context_vecs)
