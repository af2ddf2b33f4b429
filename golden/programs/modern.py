"""Attention in today's models."""
import torch
import torch.nn as nn

from programs import versions
from programs.common import (TOY_TOKENS, Projection, Walkthrough, attention_weights, embedded_sentence, key_name, masked,
                             masked_name, masked_softmax, projections, scaled, show_projections, shown_inputs, softmax, stack_words,
                             under_rules)


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


def cache(o, walk):
    walk.section("prompt")
    inputs = shown_inputs(o, walk)
    num_new = o.new_tokens or min(2, len(inputs) - 1)
    W_query, W_key, W_value = projections(o, o.init or "linear", inputs, 2, 2)
    show_projections(walk, W_query, W_key, W_value)
    prompt = inputs[:len(inputs) - num_new]
    walk.show("prompt", "prompt\n", prompt)
    queries = W_query(prompt)
    walk.show("queries", "queries\n", queries)
    cached_keys, cached_values = W_key(prompt), W_value(prompt)
    walk.show("cached_keys", "keys, to be cached\n", cached_keys)
    walk.show("cached_values", "values, to be cached\n", cached_values)
    attention(o, walk, queries, cached_keys, cached_values, ("queries", "cached_keys", "cached_values"))
    if num_new == 0:
        return

    walk.section("new_tokens")
    new_tokens = inputs[-num_new:]
    walk.show("new_tokens", "new tokens\n", new_tokens)
    new_queries, new_keys, new_values = W_query(new_tokens), W_key(new_tokens), W_value(new_tokens)
    walk.show("new_queries", "queries of the new tokens\n", new_queries)
    walk.show("new_keys", "keys of the new tokens\n", new_keys)
    walk.show("new_values", "values of the new tokens\n", new_values)
    keys, values = torch.cat([cached_keys, new_keys], dim=0), torch.cat([cached_values, new_values], dim=0)
    walk.show("keys", "keys, cached and new\n", keys)
    walk.show("values", "values, cached and new\n", values)
    new_context_vecs = attention(o, walk, new_queries, keys, values, ("new_queries", "keys", "values"),
                                 "new_context_vecs")

    walk.section("at_once")
    keys, queries, values = W_key(inputs), W_query(inputs), W_value(inputs)
    walk.show("keys", "keys\n", keys)
    walk.show("queries", "queries\n", queries)
    walk.show("values", "values\n", values)
    context_vecs = attention(o, walk, queries, keys, values, ("queries", "keys", "values"))
    walk.show("both_agree", "cached and at once agree:", torch.isclose(context_vecs[-num_new:], new_context_vecs).all())


def attention(o, walk, queries, keys, values, names, name="context_vecs"):
    """The causal attention of the last tokens, whose queries these are, over all tokens so far."""
    walk.extra("keys_transposed", f"{names[1]}.T\n", keys.T)
    attn_scores = queries @ keys.T
    walk.show("attn_scores", "attention scores\n", attn_scores)
    m, n = attn_scores.shape
    mask = torch.triu(torch.ones(m, n), diagonal=n - m + 1).bool()
    walk.show("mask", "mask\n", mask)
    shown = mask if o.what_if != "mask-from-first-key" or m == n else torch.triu(torch.ones(m, n), diagonal=1).bool()
    scores = masked(o, walk, attn_scores, shown, "masked attention scores\n")
    attn_weights = masked_softmax(o, walk, scaled(o, walk, scores, keys, (masked_name(o), names[1])), shown)
    walk.show("attn_weights", "attention weights\n", attn_weights)
    context_vecs = attn_weights @ values
    walk.show(name, "context vectors\n", context_vecs)
    return context_vecs


def average(o, walk):
    walk.section("by_loop")
    inputs = shown_inputs(o, walk)
    num_tokens = len(inputs)
    means = []
    for count in range(1, num_tokens + 1):
        total = inputs[:count].sum(dim=-2)
        walk.extra(f"sum_{count}", f"inputs[:{count}].sum(dim=-2)\n", total)
        means.append(total / count)
        walk.show(f"mean_{count}", f"mean of the first {count}:", means[-1])
    by_loop = torch.stack(means, dim=0)
    walk.show("context_vecs", "context vectors\n", by_loop)

    walk.section("by_matrix")
    mask_simple = torch.tril(torch.ones(num_tokens, num_tokens))
    walk.show("mask_simple", "ones up to each token\n", mask_simple)
    row_sums = mask_simple.sum(dim=-1, keepdim=True)
    walk.show("row_sums", "row sums\n", row_sums)
    averages = mask_simple / row_sums
    walk.show("attn_weights", "attention weights\n", averages)
    by_matrix = averages @ inputs
    walk.show("context_vecs", "context vectors\n", by_matrix)
    walk.show("both_agree", "loop and matrix agree:", torch.isclose(by_loop, by_matrix).all())

    walk.section("by_softmax")
    attn_scores = torch.zeros(num_tokens, num_tokens)
    walk.show("attn_scores", "attention scores\n", attn_scores)
    mask = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()
    walk.extra("mask", "mask.bool()\n", mask)
    scores = masked(o, walk, attn_scores, mask, "masked attention scores\n")
    attn_weights = masked_softmax(o, walk, scores, mask, attn_scores)
    walk.show("attn_weights", "attention weights\n", attn_weights)
    by_softmax = attn_weights @ inputs
    walk.show("context_vecs", "context vectors\n", by_softmax)
    walk.show("both_agree", "matrix and softmax agree:", torch.isclose(by_matrix, by_softmax).all())


def padding(o, walk):
    inputs = shown_inputs(o, walk)
    copies = o.batch or 2
    batch = torch.stack((inputs,) * copies, dim=0)
    walk.extra("batch", stack_words(copies), batch)
    b, num_tokens, _ = batch.shape
    valid_lengths = torch.tensor([num_tokens] * (copies - 1) + [o.valid_length or max(num_tokens - 2, 1)])
    W_query, W_key, W_value = projections(o, o.init or "linear", inputs, 2, 2)
    show_projections(walk, W_query, W_key, W_value)
    queries, keys, values = W_query(batch), W_key(batch), W_value(batch)
    walk.show("queries", "queries\n", queries)
    walk.show("keys", "keys\n", keys)
    walk.show("values", "values\n", values)
    keys_transposed = keys.transpose(1, 2)
    walk.extra("keys_transposed", "keys.transpose(1, 2)\n", keys_transposed)
    attn_scores = queries @ keys_transposed
    walk.show("attn_scores", "attention scores\n", attn_scores)
    mask = torch.arange(num_tokens)[None, None, :] >= valid_lengths[:, None, None]
    mask = mask.repeat(1, num_tokens, 1)
    walk.show("mask", "mask\n", mask)
    applied = {"mask-of-first-entry": mask[0], "mask-padded-queries": mask | mask.transpose(1, 2)}.get(o.what_if, mask)
    scores = masked(o, walk, attn_scores, applied, "masked attention scores\n")
    attn_weights = masked_softmax(o, walk, scaled(o, walk, scores, keys, (masked_name(o), "keys")), applied)
    walk.show("attn_weights", "attention weights\n", attn_weights)
    walk.show("context_vecs", "context vectors\n", attn_weights @ values)


def online(o, walk):
    walk.section("at_once")
    inputs = shown_inputs(o, walk)
    num_tokens, block_size = len(inputs), o.block_size or 2
    W_query, W_key, W_value = projections(o, o.init or "randn", inputs, 2, 2)
    show_projections(walk, W_query, W_key, W_value)
    queries, keys, values = W_query(inputs), W_key(inputs), W_value(inputs)
    walk.show("queries", "queries\n", queries)
    walk.show("keys", "keys\n", keys)
    walk.show("values", "values\n", values)
    at_once = attention_weights(o, walk, queries, keys) @ values
    walk.show("context_vecs", "context vectors\n", at_once)

    row_max = row_sum = weighted = None
    for first in range(0, num_tokens, block_size):
        block = first // block_size + 1
        walk.section(f"block_{block}")
        block_keys, block_values = keys[first:first + block_size], values[first:first + block_size]
        walk.show("block_keys", "keys of the block\n", block_keys)
        walk.show("block_values", "values of the block\n", block_values)
        walk.extra("keys_transposed", "block_keys.T\n", block_keys.T)
        attn_scores = queries @ block_keys.T
        walk.show("attn_scores", "attention scores\n", attn_scores)
        scores = scaled(o, walk, attn_scores, block_keys, ("attn_scores", "block_keys"))
        scores_name = "attn_scores" if o.what_if == "no-scaling" else "scaled_attn_scores"
        old_max, row_max = row_max, scores.amax(dim=-1, keepdim=True)
        if block > 1:
            walk.show("block_max", "maximum of the block\n", row_max)
            row_max = torch.maximum(old_max, row_max)
        walk.show(f"row_max_{block}", "maximum so far\n", row_max)
        shifted = scores - row_max
        walk.extra("shifted_scores", f"{scores_name} - row_max_{block}\n", shifted)
        exps = torch.exp(shifted)
        walk.show(f"exps_{block}", "exponentials\n", exps)
        block_sum, block_weighted = exps.sum(dim=-1, keepdim=True), exps @ block_values
        if block > 1:
            walk.extra("block_sum", f"exps_{block}.sum(dim=-1, keepdim=True)\n", block_sum)
            walk.extra("block_weighted", f"exps_{block} @ block_values\n", block_weighted)
            max_change = old_max - row_max
            walk.extra("max_change", f"row_max_{block - 1} - row_max_{block}\n", max_change)
            rescale = torch.exp(max_change)
            walk.show("rescale", "factor for earlier blocks\n", rescale)
            row_sum = rescaled(o, walk, row_sum, rescale, "rescaled_sum", f"row_sum_{block - 1}") + block_sum
            weighted = rescaled(o, walk, weighted, rescale, "rescaled_values",
                                f"weighted_values_{block - 1}") + block_weighted
        else:
            row_sum, weighted = block_sum, block_weighted
        walk.show(f"row_sum_{block}", "sum so far\n", row_sum)
        walk.show(f"weighted_values_{block}", "weighted values so far\n", weighted)

    walk.section("combined")
    context_vecs = weighted / row_sum
    walk.show("context_vecs", "context vectors\n", context_vecs)
    walk.show("both_agree", "blocks and at once agree:", torch.isclose(context_vecs, at_once).all())


def rescaled(o, walk, total, rescale, name, words):
    """What earlier blocks summed, relative to the new maximum; words: its variable."""
    if o.what_if == "no-block-rescale":
        return total
    result = total * rescale
    walk.extra(name, f"{words} * rescale\n", result)
    return result


def rotary(o, walk):
    walk.section("rotated")
    inputs = shown_inputs(o, walk)
    num_tokens = len(inputs)
    W_query, W_key, W_value = projections(o, o.init or "randn", inputs, 4, 4)
    show_projections(walk, W_query, W_key, W_value)
    queries, keys, values = W_query(inputs), W_key(inputs), W_value(inputs)
    d_out = queries.shape[-1]
    walk.show("queries", "queries\n", queries)
    walk.show("keys", "keys\n", keys)
    walk.show("values", "values\n", values)

    positions = torch.arange(float(num_tokens)).unsqueeze(1)
    walk.extra("positions", f"torch.arange({num_tokens}.0).unsqueeze(1)\n", positions)
    frequencies = position_frequencies(o, walk, d_out)
    angles = positions * frequencies
    walk.show("angles", "angles\n", angles)
    turns = torch.cos(angles.double()).float(), torch.sin(angles.double()).float(), ("cos", "sin")
    walk.show("cos", "cosines\n", turns[0])
    walk.show("sin", "sines\n", turns[1])
    query_turns = turns
    if o.what_if == "position-off-by-one":
        query_positions = torch.arange(1.0, num_tokens + 1.0).unsqueeze(1)
        query_angles = query_positions * frequencies
        query_turns = (torch.cos(query_angles.double()).float(), torch.sin(query_angles.double()).float(),
                       ("query_cos", "query_sin"))
        walk.extra("query_positions", f"torch.arange(1.0, {num_tokens + 1}.0).unsqueeze(1)\n", query_positions)
        walk.extra("query_angles", "query_positions * frequencies\n", query_angles)
        walk.extra("query_cos", "torch.cos(query_angles.double()).float()\n", query_turns[0])
    rotated_queries = rotated(o, walk, queries, "queries", query_turns)
    walk.show("rotated_queries", "rotated queries\n", rotated_queries)
    rotated_keys = rotated(o, walk, keys, "keys", turns)
    walk.show("rotated_keys", "rotated keys\n", rotated_keys)

    walk.extra("keys_transposed", "rotated_keys.T\n", rotated_keys.T)
    attn_scores = rotated_queries @ rotated_keys.T
    walk.show("attn_scores", "attention scores\n", attn_scores)
    mask = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()
    walk.extra("mask", "mask.bool()\n", mask)
    masked_scores = masked(o, walk, attn_scores, mask, "masked attention scores\n")
    scaled_scores = scaled(o, walk, masked_scores, rotated_keys, (masked_name(o), "rotated_keys"))
    attn_weights = masked_softmax(o, walk, scaled_scores, mask, attn_scores)
    walk.show("attn_weights", "attention weights\n", attn_weights)
    if o.what_if == "rotary-values" and values.shape == keys.shape:
        values = rotated(o, walk, values, "values", turns)
        walk.extra("rotated_values", rotated_words(o, "values", values.shape), values)
    walk.show("context_vecs", "context vectors\n", attn_weights @ values)

    walk.section("one_token")
    same_queries, same_keys = torch.stack([queries[0]] * num_tokens), torch.stack([keys[0]] * num_tokens)
    walk.show("same_queries", "the first query at every position\n", same_queries)
    walk.show("same_keys", "the first key at every position\n", same_keys)
    rotated_same_queries = rotated(o, walk, same_queries, "same_queries", query_turns)
    walk.show("rotated_same_queries", "the first query, rotated\n", rotated_same_queries)
    rotated_same_keys = rotated(o, walk, same_keys, "same_keys", turns)
    walk.show("rotated_same_keys", "the first key, rotated\n", rotated_same_keys)
    walk.extra("keys_transposed", "rotated_same_keys.T\n", rotated_same_keys.T)
    walk.show("distance_scores", "scores by distance\n", rotated_same_queries @ rotated_same_keys.T)


def is_halved(o):
    return o.what_if == "halves-for-pairs" or o.pair_distance not in (None, 1)


def rotated(o, walk, x, name, turns):
    """Pairs of columns, turned: columns 2i and 2i + 1, or i and i + d / 2."""
    cos, sin, (cos_name, sin_name) = turns
    half = x.shape[-1] // 2
    if is_halved(o):
        first, second = x[..., :half], x[..., half:]
        first_name, second_name = f"{name}[..., :{half}]", f"{name}[..., {half}:{2 * half}]"
    else:
        first, second = x[..., ::2], x[..., 1::2]
        first_name, second_name = f"{name}[..., ::2]", f"{name}[..., 1::2]"
    x_cos, y_sin = first * cos, second * sin
    walk.extra(f"{name}_x_cos", f"{first_name} * {cos_name}\n", x_cos)
    if sin_name == "query_sin" and name == "queries":
        walk.extra("query_sin", "torch.sin(query_angles.double()).float()\n", sin)
    walk.extra(f"{name}_y_sin", f"{second_name} * {sin_name}\n", y_sin)
    x_turned = x_cos - y_sin
    walk.extra(f"{name}_x_turned", f"{name}_x_cos - {name}_y_sin\n", x_turned)
    x_sin, y_cos = first * sin, second * cos
    walk.extra(f"{name}_x_sin", f"{first_name} * {sin_name}\n", x_sin)
    walk.extra(f"{name}_y_cos", f"{second_name} * {cos_name}\n", y_cos)
    y_turned = x_sin + y_cos
    walk.extra(f"{name}_y_turned", f"{name}_x_sin + {name}_y_cos\n", y_turned)
    if is_halved(o):
        return torch.cat([x_turned, y_turned], dim=-1)
    return torch.stack([x_turned, y_turned], dim=2).view(x.shape)


def rotated_words(o, name, shape):
    turned = f"{name}_x_turned, {name}_y_turned"
    return (f"torch.cat([{turned}], dim=-1)\n" if is_halved(o)
            else f"torch.stack([{turned}], dim=2).view({shape[0]}, {shape[1]})\n")


def split_heads(o, walk, batch, weights, num_heads):
    """Queries, keys and values, split into heads."""
    W_query, W_key, W_value = weights
    queries, keys, values = W_query(batch), W_key(batch), W_value(batch)
    walk.extra("queries", W_query.words("W_query", "batch"), queries)
    walk.extra("keys", W_key.words(key_name(o), "batch"), keys)
    walk.extra("values", W_value.words("W_value", "batch"), values)
    queries_heads, keys_heads, values_heads = (
        x.view(*x.shape[:2], num_heads, x.shape[2] // num_heads).transpose(1, 2) for x in (queries, keys, values))
    walk.show("queries_heads", "queries of each head\n", queries_heads)
    walk.show("keys_heads", "keys of each head\n", keys_heads)
    walk.show("values_heads", "values of each head\n", values_heads)
    return queries_heads, keys_heads, values_heads


def join_heads(walk, attn_weights, values_heads):
    """The heads' context vectors side by side."""
    context_heads = attn_weights @ values_heads
    walk.extra("context_heads", "attn_weights @ values_heads\n", context_heads)
    context_vec = context_heads.transpose(1, 2)
    walk.extra("context_vec", "context_vec\n", context_vec)
    walk.show("context_vecs", "context vectors\n", context_vec.contiguous().view(*context_vec.shape[:2], -1))


def bias(o, walk):
    walk.section("alibi")
    inputs = shown_inputs(o, walk)
    copies = o.batch or 1
    batch = torch.stack((inputs,) * copies, dim=0)
    walk.extra("batch", stack_words(copies), batch)
    num_tokens, num_heads, window = len(inputs), o.num_heads or 2, o.window or 3
    W_query, W_key, W_value = projections(o, o.init or "linear", inputs, 4, 4)
    show_projections(walk, W_query, W_key, W_value)
    queries_heads, keys_heads, values_heads = split_heads(o, walk, batch, (W_query, W_key, W_value), num_heads)
    walk.extra("keys_transposed", "keys_heads.transpose(2, 3)\n", keys_heads.transpose(2, 3))
    attn_scores = queries_heads @ keys_heads.transpose(2, 3)
    walk.show("attn_scores", "attention scores\n", attn_scores)
    scaled_attn_scores = attn_scores
    if o.what_if != "no-scaling":
        scaled_attn_scores = attn_scores / keys_heads.shape[-1]**0.5
        walk.show("scaled_attn_scores", "scaled attention scores\n", scaled_attn_scores)

    positions = torch.arange(float(num_tokens)).unsqueeze(1)
    walk.extra("positions", f"torch.arange({num_tokens}.0).unsqueeze(1)\n", positions)
    distances = positions.T - positions
    walk.show("distances", "the key's position minus the query's\n", distances)
    slopes = alibi_slopes(o, walk, num_heads)
    alibi_bias = slopes * distances
    walk.show("alibi_bias", "biases\n", alibi_bias)
    scores = biased(o, walk, attn_scores, keys_heads, scaled_attn_scores, alibi_bias)
    mask = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()
    walk.extra("mask", "mask.bool()\n", mask)
    name = "biased_attn_scores" if scores is not scaled_attn_scores else "scaled_attn_scores"
    attend(o, walk, scores, mask, values_heads, name, alibi_bias if o.what_if == "bias-after-softmax" else None)

    walk.section("window")
    too_far = window + 1 if o.what_if == "window-off-by-one" else window
    mask = (torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()
            | torch.tril(torch.ones(num_tokens, num_tokens), diagonal=-too_far).bool())
    walk.show("mask", "mask\n", mask)
    name = "attn_scores" if o.what_if == "no-scaling" else "scaled_attn_scores"
    attend(o, walk, scaled_attn_scores, mask, values_heads, name)


def alibi_slopes(o, walk, num_heads):
    """[num_heads, 1, 1], as the authors' get_slopes has them."""
    smaller = 2 ** (num_heads.bit_length() - 1)
    numbers = [2 ** (-8 * i / smaller) for i in range(1, smaller + 1)]
    numbers += [2 ** (-8 * (2 * i + 1) / (2 * smaller)) for i in range(num_heads - smaller)]
    if o.what_if == "slopes-by-count":
        numbers = [2 ** (-8 * i / num_heads) for i in range(1, num_heads + 1)]
    elif o.what_if == "same-slope":
        numbers = numbers[:1] * num_heads
    slopes = torch.tensor(numbers).view(-1, 1, 1)
    walk.show("slopes", "slope of each head\n", slopes)
    return slopes


def biased(o, walk, attn_scores, keys, scaled_attn_scores, alibi_bias):
    """Scores with biases, which come after scaling."""
    if o.what_if == "bias-after-softmax":
        return scaled_attn_scores
    scores = scaled_attn_scores - alibi_bias if o.what_if == "bias-sign" else scaled_attn_scores + alibi_bias
    if o.what_if == "bias-before-scaling":
        unscaled = attn_scores + alibi_bias
        walk.extra("unscaled_biased_scores", "attn_scores + alibi_bias\n", unscaled)
        scores = unscaled / keys.shape[-1]**0.5
    walk.show("biased_attn_scores", "biased attention scores\n", scores)
    return scores


def sinks(o, walk):
    inputs = shown_inputs(o, walk)
    copies = o.batch or 1
    batch = torch.stack((inputs,) * copies, dim=0)
    walk.extra("batch", stack_words(copies), batch)
    num_tokens, num_heads = len(inputs), o.num_heads or 2
    W_query, W_key, W_value = projections(o, o.init or "linear", inputs, 4, 4)
    show_projections(walk, W_query, W_key, W_value)
    sinks = torch.randn(num_heads)
    walk.show("sinks", "sink of each head\n", sinks)
    queries_heads, keys_heads, values_heads = split_heads(o, walk, batch, (W_query, W_key, W_value), num_heads)
    walk.extra("keys_transposed", "keys_heads.transpose(2, 3)\n", keys_heads.transpose(2, 3))
    attn_scores = queries_heads @ keys_heads.transpose(2, 3)
    walk.show("attn_scores", "attention scores\n", attn_scores)
    scaled_attn_scores, name = attn_scores, "attn_scores"
    if o.what_if != "no-scaling":
        scaled_attn_scores, name = attn_scores / keys_heads.shape[-1]**0.5, "scaled_attn_scores"
        walk.show(name, "scaled attention scores\n", scaled_attn_scores)
    mask = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()
    walk.extra("mask", "mask.bool()\n", mask)
    masked_scores = masked(o, walk, scaled_attn_scores, mask, "masked attention scores\n")

    sink_column = sinks.view(1, num_heads, 1, 1).repeat_interleave(num_tokens, 2)
    walk.extra("sink_column", f"sinks.view(1, {num_heads}, 1, 1).repeat_interleave({num_tokens}, dim=2)\n", sink_column)
    sink_scores = sink_column.repeat_interleave(copies, 0)
    walk.extra("sink_scores", f"sink_column.repeat_interleave({copies}, dim=0)\n", sink_scores)
    scores_with_sink = torch.cat([masked_scores, sink_scores], dim=-1)
    walk.show("scores_with_sink", "scores, and the sink's\n", scores_with_sink)
    weights_with_sink = softmax(o, scores_with_sink)
    walk.show("weights_with_sink", "weights, and the sink's\n", weights_with_sink)
    attn_weights = weights_with_sink[..., :num_tokens]
    if o.what_if == "no-sink":
        attn_weights = torch.softmax(masked_scores, dim=-1)
    elif o.what_if == "mask-after-softmax":
        walk.extra("unmasked_attn_weights", f"weights_with_sink[:, :, :, :{num_tokens}]\n", attn_weights)
        attn_weights = attn_weights.masked_fill(mask, 0.0)
    walk.show("attn_weights", "attention weights\n", attn_weights)
    join_heads(walk, attn_weights, values_heads)


def attend(o, walk, scores, mask, values_heads, name, added=None):
    """softmax of masked scores, which the variable `name` holds, and the heads' context vectors side by side."""
    masked_scores = masked(o, walk, scores, mask, "masked attention scores\n")
    attn_weights = masked_softmax(o, walk, masked_scores, mask, scores, name)
    if added is not None:
        walk.extra("unbiased_attn_weights", "torch.softmax(masked_attn_scores, dim=-1)\n", attn_weights)
        attn_weights = attn_weights + added
    walk.show("attn_weights", "attention weights\n", attn_weights)
    join_heads(walk, attn_weights, values_heads)


def positions(o, walk):
    walk.section("no_positions")
    inputs = embedded_sentence(o, walk, True, " ".join(TOY_TOKENS), 4)
    num_tokens, d = inputs.shape
    context_length = o.context_length or num_tokens + 4
    weights = projections(o, o.init or "linear", inputs, 4, 4)
    show_projections(walk, *weights)
    encoded_attention(o, walk, weights, inputs, "inputs")

    walk.section("sinusoidal")
    first = 1 if o.what_if == "positions-from-one" else 0
    positions = torch.arange(float(first), float(first + num_tokens)).unsqueeze(1)
    bounds = f"{num_tokens}.0" if first == 0 else f"1.0, {num_tokens + 1}.0"
    walk.extra("positions", f"torch.arange({bounds}).unsqueeze(1)\n", positions)
    frequencies = position_frequencies(o, walk, d)
    angles = positions * frequencies
    walk.show("angles", "angles\n", angles)
    sines, cosines = torch.sin(angles.double()).float(), torch.cos(angles.double()).float()
    walk.extra("sin", "torch.sin(angles.double()).float()\n", sines)
    walk.extra("cos", "torch.cos(angles.double()).float()\n", cosines)
    if o.what_if == "sines-first":
        encodings = torch.cat([sines, cosines], dim=-1)
        if d % 2 != 0:
            walk.extra("sines_and_cosines", "torch.cat([sin, cos], dim=-1)\n", encodings)
            encodings = encodings[:, :d]
    else:
        encodings = torch.stack([sines, cosines], dim=2).view(num_tokens, -1)[:, :d]
    walk.show("encodings", "position encodings\n", encodings)
    encoded_attention(o, walk, weights, inputs, "inputs", encodings, "encodings")
    walk.extra("encodings_transposed", "encodings.T\n", encodings.T)
    products = encodings @ encodings.T
    walk.show("encoding_products", "products of encodings\n", products)

    walk.section("learned")
    pos_embedding = nn.Embedding(context_length, d)
    pos_embedding.requires_grad_(not o.no_grad)
    walk.extra("pos_embedding_weight", "pos_embedding.weight", pos_embedding.weight)
    shifted = first and context_length > num_tokens
    position_ids = torch.arange(1, num_tokens + 1) if shifted else torch.arange(num_tokens)
    walk.extra("position_ids", f"torch.arange({f'1, {num_tokens + 1}' if shifted else num_tokens})\n", position_ids)
    pos_embeddings = pos_embedding(position_ids)
    walk.show("pos_embeddings", "position embeddings\n", pos_embeddings)
    encoded_attention(o, walk, weights, inputs, "inputs", pos_embeddings, "pos_embeddings")


def position_frequencies(o, walk, d):
    """10000 ** (-2 i / d) for each pair of columns i, of which the last may have but one column."""
    factor = -1 if o.what_if == "half-exponent" else -2
    frequencies = torch.tensor([10000 ** (factor * i / d) for i in range((d + 1) // 2)])
    walk.show("frequencies", "frequencies\n", frequencies)
    return frequencies


def encoded_attention(o, walk, weights, inputs, name, added=None, added_name=None):
    """Attention without a mask, of inputs to which positions are added."""
    after = o.what_if == "positions-after-projection" and added is not None and all(
        W(inputs).shape == inputs.shape for W in weights)
    if added is not None and o.what_if != "no-positions" and not after:
        inputs, name = inputs + added, "inputs_with_positions"
        walk.show(name, "inputs with positions\n", inputs)
    made = []
    for W, variable, what in zip(weights, ("W_query", key_name(o), "W_value"), ("queries", "keys", "values")):
        x = W(inputs)
        if after:
            walk.extra(f"{what}_without_positions", W.words(variable, name), x)
            x = x + added
        walk.extra(what, f"{what}_without_positions + {added_name}\n" if after else W.words(variable, name), x)
        made.append(x)
    queries, keys, values = made
    walk.show("context_vecs", "context vectors\n", attention_weights(o, walk, queries, keys) @ values)


def backward(o, walk):
    walk.section("forward")
    inputs = shown_inputs(o, walk)
    num_tokens = len(inputs)
    weights = projections(o, o.init or "randn", inputs, 2, 2)
    show_projections(walk, *weights)
    W_query, W_key, W_value = weights
    target = torch.randn(num_tokens, W_value(inputs).shape[1])
    walk.show("target", "target\n", target)
    queries, keys, values = W_query(inputs), W_key(inputs), W_value(inputs)
    walk.show("queries", "queries\n", queries)
    walk.show("keys", "keys\n", keys)
    walk.show("values", "values\n", values)
    walk.extra("keys_transposed", "keys.T\n", keys.T)
    attn_scores = queries @ keys.T
    walk.show("attn_scores", "attention scores\n", attn_scores)
    mask = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()
    walk.extra("mask", "mask.bool()\n", mask)
    scores = masked(o, walk, attn_scores, mask, "masked attention scores\n")
    attn_weights = torch.softmax(scaled(o, walk, scores, keys, (masked_name(o), "keys")), dim=-1)
    walk.show("attn_weights", "attention weights\n", attn_weights)
    context_vecs = attn_weights @ values
    walk.show("context_vecs", "context vectors\n", context_vecs)
    errors = context_vecs - target
    walk.show("errors", "context vectors minus target\n", errors)
    squares = errors * errors
    walk.extra("squares", "errors * errors\n", squares)
    sum_of_squares = squares.sum()
    walk.extra("sum_of_squares", "squares.sum()\n", sum_of_squares)
    loss = sum_of_squares / 2
    walk.show("loss", "loss:", loss)

    walk.section("backward")
    gradients = by_autograd(o, loss, weights, [queries, keys, values, attn_scores, attn_weights, context_vecs])
    tensors = (inputs, weights, target, queries, keys, values, mask, attn_weights, context_vecs)
    with torch.no_grad():
        gradients_of_head(o, walk, *tensors)
        if gradients and o.what_if in (None, "no-scaling", "no-mask"):
            with versions.own_softmax_backward():
                check_gradients(gradients_of_head(o, Walkthrough(o), *tensors), gradients)


def by_autograd(o, loss, weights, tensors):
    """loss.backward()'s gradients of parameters and tensors."""
    if o.no_grad:
        return []
    wanted = [*tensors, *(W.weight for W in weights), *(W.linear.bias for W in weights if o.qkv_bias and W.linear)]
    return torch.autograd.grad(loss, wanted, retain_graph=True)


def gradients_of_head(o, walk, inputs, weights, target, queries, keys, values, mask, attn_weights, context_vecs):
    """Step by step, in the order of `by_autograd`."""
    grad_context_vecs = context_vecs - target
    walk.show("grad_context_vecs", "gradient of the context vectors\n", grad_context_vecs)
    walk.extra("attn_weights_transposed", "attn_weights.T\n", attn_weights.T)
    grad_values = (attn_weights if o.what_if == "untransposed-weights" else attn_weights.T) @ grad_context_vecs
    walk.show("grad_values", "gradient of the values\n", grad_values)
    walk.extra("values_transposed", "values.T\n", values.T)
    grad_attn_weights = grad_context_vecs @ values.T
    walk.show("grad_attn_weights", "gradient of the weights\n", grad_attn_weights)

    weighted_grads = grad_attn_weights * attn_weights
    walk.extra("weighted_grads", "grad_attn_weights * attn_weights\n", weighted_grads)
    mean_grads = weighted_grads.sum(dim=-1, keepdim=True)
    walk.show("mean_grads", "each row's weighted mean\n", mean_grads)
    centred_grads = grad_attn_weights - mean_grads
    walk.extra("centred_grads", "grad_attn_weights - mean_grads\n", centred_grads)
    grad_by_hand = centred_grads * attn_weights
    walk.extra("grad_by_hand", "centred_grads * attn_weights\n", grad_by_hand)
    if o.what_if == "no-row-sum":
        grad_scaled = grad_attn_weights * attn_weights
    else:
        grad_scaled = torch._softmax_backward_data(grad_attn_weights, attn_weights, -1, torch.float32)
    walk.show("grad_scaled_attn_scores", "gradient of the scaled scores\n", grad_scaled)

    grad_masked, name = grad_scaled, "grad_scaled_attn_scores"
    if o.what_if not in ("no-scaling", "unscaled-gradient"):
        grad_masked, name = grad_scaled / keys.shape[-1]**0.5, "grad_masked_attn_scores"
        walk.extra(name, "grad_scaled_attn_scores / keys.shape[-1]**0.5\n", grad_masked)
    grad_attn_scores = grad_masked
    if o.what_if != "no-mask":
        grad_attn_scores, name = grad_masked.masked_fill(mask, 0.0), "grad_attn_scores"
        walk.show(name, "gradient of the scores\n", grad_attn_scores)
    grad_queries = grad_attn_scores @ keys
    walk.show("grad_queries", "gradient of the queries\n", grad_queries)
    walk.extra("grad_attn_scores_transposed", f"{name}.T\n", grad_attn_scores.T)
    grad_keys = (grad_attn_scores if o.what_if == "untransposed-scores" else grad_attn_scores.T) @ queries
    walk.show("grad_keys", "gradient of the keys\n", grad_keys)
    of_weights, of_biases = [], []
    for W, variable, gradient in zip(weights, ("W_query", "W_key", "W_value"), (grad_queries, grad_keys, grad_values)):
        what = {"W_query": "queries", "W_key": "keys", "W_value": "values"}[variable]
        if W.linear:
            walk.extra(f"grad_{what}_transposed", f"grad_{what}.T\n", gradient.T)
            of_weights.append(gradient.T @ inputs)
        else:
            if not of_weights:
                walk.extra("inputs_transposed", "inputs.T\n", inputs.T)
            of_weights.append(inputs.T @ gradient)
        walk.show(f"grad_{variable}", f"gradient of {variable}{'.weight' if W.linear else ''}\n", of_weights[-1])
        if W.linear and W.linear.bias is not None:
            of_biases.append(gradient.sum(dim=0))
            walk.extra(f"grad_{variable}_bias", f"grad_{what}.sum(dim=-2)\n", of_biases[-1])
    return grad_queries, grad_keys, grad_values, grad_attn_scores, grad_attn_weights, grad_context_vecs, *of_weights, *of_biases


def check_gradients(ours, autograd):
    """Autograd computes the same bits."""
    assert len(ours) == len(autograd)
    for one, other in zip(ours, autograd):
        assert one.numpy().tobytes() == other.contiguous().numpy().tobytes(), (one, other)
