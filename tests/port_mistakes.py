"""Mistakes in ports of attention: each row replaces one line of a correct port.

A line is (port, the right line, its operands...); `ports.py` has the port.
"""
import numpy as np


def swap(tensor):
    return np.swapaxes(tensor, -1, -2)


def softmax(scores, axis=-1):
    exps = np.exp(scores - scores.max(axis, keepdims=True))
    return exps / exps.sum(axis, keepdims=True)


def only(letters, change):
    """Changes a line of the projections or splits, only for these letters."""
    return lambda p, right, operand, name: change(p, right, operand, name) if name in letters else right(operand, name)


def made_with(order):
    return lambda p, right, x, name: right(x, order["qkv".index(name)] if name in "qkv" else name)


def biased(letters, change):
    """x @ W.T, with another use of the bias."""
    return only(letters, lambda p, right, x, name: x @ p.weight[name].T + change(p.bias, name))


def in_half(p, right, *operands):
    """Computes a product of float16 operands, and returns it in the port's type."""
    return right(*(one.astype(np.float16) for one in operands)).astype(np.float16).astype(p.dtype)


def half_projected(p, right, x, name):
    product = (x.astype(np.float16) @ p.weight[name].T.astype(np.float16)).astype(np.float16)
    return (product if p.bias[name] is None else product + p.bias[name].astype(np.float16)).astype(p.dtype)


def bfloat16(tensor):
    """To the nearest float32 with 8 significant bits, ties to even."""
    bits = tensor.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & np.uint32(0xFFFF0000)).view(np.float32).astype(tensor.dtype)


def slices(axis, order):
    """Reorders the entries of a result along an axis; index -1 gives zeros."""
    def change(p, right, *operands):
        result = right(*operands)
        places = [order(i, result.shape[axis]) for i in range(result.shape[axis])]
        return np.stack([np.take(result, max(i, 0), axis) * (i >= 0) for i in places], axis)
    return change


def divided_by(divisor):
    return lambda p, right, scores: scores / p.dtype(divisor(p))


def filled(value):
    return lambda p, right, scores, hidden: np.where(hidden, p.dtype(value), scores)


def of_exps(change):
    """Another softmax, from the exponentials of scores minus their maximum."""
    return lambda p, right, scores: change(np.exp(scores - scores.max(-1, keepdims=True)))


def running_sums(exps):
    """A softmax that does not reset the sum for each row."""
    return exps / np.cumsum(exps.sum(-1, keepdims=True), -2)


def rotated(x):
    """RoPE on the halves of each vector."""
    half_width = x.shape[-1] // 2
    angles = np.arange(x.shape[-2])[:, None] / 10000 ** (np.arange(half_width) / half_width)
    a, b = x[..., :half_width], x[..., half_width:2 * half_width]
    turned = [a * np.cos(angles) - b * np.sin(angles), a * np.sin(angles) + b * np.cos(angles)]
    return np.concatenate([*turned, x[..., 2 * half_width:]], -1).astype(x.dtype)


def alibi(heads, tokens):
    """A bias for scores that decreases with the distance of the token."""
    slopes = 2.0 ** (-8.0 * np.arange(1, heads + 1) / heads)
    return (slopes[:, None, None] * (np.arange(tokens)[None] - np.arange(tokens)[:, None])).astype(np.float32)


def heads_by_view(p, right, x, name):
    return x.reshape(x.shape[0], p.heads, x.shape[1], -1)


def interleaved(p, right, x, name):
    return x.reshape(*x.shape[:2], -1, p.heads).transpose(0, 3, 1, 2)


def renormed(x):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)


def mask_with(change):
    """Another mask, as a function of a column's distance to the right of its row."""
    return lambda p, right, n: change(np.arange(n)[None] - np.arange(n)[:, None], n)


def rounded_weights(digits):
    return {"project": lambda p, right, x, n:
            x @ np.round(p.weight[n], digits).T + (0 if p.bias[n] is None else np.round(p.bias[n], digits))}


def int8(w):
    step = abs(w).max() / 127
    return np.round(w / step) * step


def tf32(x):
    m, e = np.frexp(x.astype(np.float64))
    return np.ldexp(np.round(m * 2048) / 2048, e).astype(x.dtype)


def positions(x):
    t, d = x.shape[-2:]
    angles = np.arange(t)[:, None] / 10000 ** (2 * (np.arange(d) // 2) / d)
    return np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles)).astype(x.dtype)


def rope_order(p, right, x, n):
    y = right(x, n)
    b, t, d = y.shape
    h = p.heads
    return y.reshape(b, t, h, 2, d // h // 2).swapaxes(3, 4).reshape(b, t, d)


def swapped_biases(p, right, x, n):
    return x @ p.weight[n].T + p.bias[{"q": "k", "k": "q"}.get(n, n)]


def before_softmax(change):
    return {"weigh": lambda p, right, s: right(change(p, s))}


def top2(p, s):
    second = np.sort(s, -1)[..., -2:-1]
    return np.where(s >= second, s, -np.inf)


def strictly_earlier(p, right, s):
    """for j < i, and rows without tokens left 0"""
    n = s.shape[-1]
    exps = np.where(np.arange(n)[None] < np.arange(n)[:, None], np.exp(s - np.where(np.isfinite(s), s, -1e30).max(-1, keepdims=True)), 0)
    total = exps.sum(-1, keepdims=True)
    return np.where(total == 0, 0, exps / np.where(total == 0, 1, total)).astype(s.dtype)


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)))


def bias_of_head_0(p, right, x, n):
    """every head has the part of the bias that is of head 0"""
    return x @ p.weight[n].T + np.tile(p.bias[n][:len(p.bias[n]) // p.heads], p.heads)


def stacked(is_innermost):
    """The heads' weights, but not their biases, stacked so that row i is of head i % heads, or the other way round."""
    def change(p, right, x, n):
        w = p.weight[n]
        shape = (p.heads, -1, w.shape[1]) if is_innermost else (-1, p.heads, w.shape[1])
        return x @ w.reshape(shape).transpose(1, 0, 2).reshape(w.shape).T + p.bias[n]
    return only("qkv", change)


def sum_of_all(p, right, s):
    """divides the exponentials of visible scores by the sum of all"""
    raw = p.made["scores"] / (1 if p.way in ("query", "both") else p.root)
    most = raw.max(-1, keepdims=True)
    return (np.exp(s - most) / np.exp(raw - most).sum(-1, keepdims=True)).astype(s.dtype)


def head_bias_twice(i):
    """the part of the bias that is of head i, twice"""
    def change(p, right, x, n):
        bias = p.bias[n].copy().reshape(p.heads, -1)
        bias[i] *= 2
        return x @ p.weight[n].T + bias.reshape(-1)
    return change


def first_key_left_out(p, right, s):
    exps = np.exp(s - s.max(-1, keepdims=True))
    exps[..., 0] = 0
    total = exps.sum(-1, keepdims=True)
    return np.where(total == 0, 0, exps / np.where(total == 0, 1, total)).astype(s.dtype)


first = lambda i, n: 0
backwards = lambda i, n: n - 1 - i
but_last = lambda i, n: -1 if i == n - 1 else i
def in_blocks(rescales_sum):
    """A softmax in blocks of two keys that does not rescale earlier exponentials when the maximum grows."""
    def change(p, right, s):
        most = np.full(s.shape[:-1], -np.inf, s.dtype)
        exps, total = np.zeros_like(s), np.zeros(s.shape[:-1], s.dtype)
        for i in range(0, s.shape[-1], 2):
            block = s[..., i:i + 2]
            grown = np.maximum(most, block.max(-1))
            total = total * np.nan_to_num(np.exp(most - grown)) if rescales_sum else total
            exps[..., i:i + 2] = np.exp(block - grown[..., None])
            total, most = total + exps[..., i:i + 2].sum(-1), grown
        return exps / total[..., None]
    return change


def sparsemax(p, right, s):
    ordered = np.sort(np.maximum(s, -1e3), -1)[..., ::-1]
    sums = np.cumsum(ordered, -1)
    count = (1 + np.arange(1, s.shape[-1] + 1) * ordered > sums).sum(-1, keepdims=True)
    return np.maximum(s - (np.take_along_axis(sums, count - 1, -1) - 1) / count, 0).astype(s.dtype)


def by_weight(letters, change):
    """x @ change(W).T + b."""
    return only(letters, lambda p, right, x, name:
                x @ change(p.weight[name]).T + (0 if p.bias[name] is None else p.bias[name]))


def of_results(letters, change):
    """change(x @ W.T + b)."""
    return only(letters, lambda p, right, x, name: change(right(x, name)).astype(x.dtype))


M = ["multihead", "no bias"]
B, S, D, C = ["multihead", "causal"], ["square"], ["dropped"], ["cross"]
HEADED, ANY, MASKED = ["multihead", "square"], ["multihead", "trainable", "cross", "causal"], ["multihead", "causal"]

# A mistake, the lessons where it can be seen, the lines where it is made, and what may truly be said of it.
MISTAKES = [
    # Projections
    ("weight not transposed", S, {"project": only("k", lambda p, right, x, n: x @ p.weight[n] + p.bias[n])},
     "weight-transposed"),
    ("weights not transposed", S, {"project": only("qkv", lambda p, right, x, n: x @ p.weight[n] + p.bias[n])},
     "weight-transposed"),
    ("weight reshaped", ANY,
     {"project": only("v", lambda p, right, x, n: x @ p.weight[n].reshape(p.weight[n].shape[::-1]) + p.bias[n])},
     "weight-reshaped"),
    ("no key bias", B, {"project": biased("k", lambda bias, n: 0)}, "no-bias"),
    ("no biases", B, {"project": biased("qkv", lambda bias, n: 0)}, "no-bias"),
    ("bias twice", B, {"project": biased("v", lambda bias, n: 2 * bias[n])}, "bias-twice"),
    ("bias subtracted", B, {"project": biased("q", lambda bias, n: -bias[n])}, "bias-subtracted"),
    ("bias of the queries", B, {"project": biased("k", lambda bias, n: bias["q"])},
     "the bias is another's|bias-of-W_query"),
    ("first bias everywhere", B, {"project": biased("v", lambda bias, n: bias[n][0])},
     "bias-first|only the first number of the bias"),
    ("keys with W_query", ANY, {"project": made_with("qqv")}, "same-weights|keys are computed with W_query"),
    ("values with W_key", ANY, {"project": made_with("qkk")}, "values are computed with W_key|keys.* stands where"),
    ("queries and keys swapped", M, {"project": made_with("kqv")},
     "same-weights|query-key-swapped|queries are computed with W_key|keys are computed with W_query|W_query and W_key are swapped|"
     "numbers of (scaled_)?(queries|keys)"),
    ("fused as v, k, q", M, {"project": made_with("vkq")},
     "queries are computed with W_value|values are computed with W_query|W_value and W_query are swapped|"
     "values_heads stands where queries|queries_heads stands where values|numbers of (scaled_)?(queries|values)"),
    ("fused in another order", M, {"project": made_with("kvq")},
     "queries are computed with W_key|keys (are computed )?with W_value|values are computed with W_query|"
     "numbers of (scaled_)?(queries|keys|values)|_heads stands where"),
    ("queries in float16", M, {"project": only("q", half_projected)}, "float16"),
    ("weights in bfloat16", B,
     {"project": only("qkv", lambda p, right, x, n: bfloat16(x) @ bfloat16(p.weight[n]).T + bfloat16(p.bias[n]))},
     "bfloat16"),
    ("last input left out", ANY,
     {"project": only("q", lambda p, right, x, n: x[..., :-1] @ p.weight[n][:, :-1].T + p.bias[n])},
     "last (input|term|product)|left out of the sum|short"),
    ("normed inputs", M, {"read": lambda p, right, x, n: renormed(x)}, "norm"),
    ("batch read as tokens", HEADED,
     {"read": lambda p, right, x, n: x.reshape(x.shape[1], x.shape[0], -1).transpose(1, 0, 2)},
     "tokens-read-first|mixed-up"),
    ("entry 0 everywhere", HEADED, {"read": slices(0, first)},
     "one-entry|batch-mixed-up|entry of the batch 0|of-first-entry"),
    ("entries in reverse", B, {"read": slices(0, backwards)}, "batch-reversed|batch-mixed-up|reversed-entry"),
    ("tokens in reverse", ANY, {"read": slices(1, backwards)}, "(tokens|rows|columns)-mixed-up"),
    ("last token not read", ANY, {"project": only("k", slices(1, but_last))}, "last-row|left-out|left at 0"),
    ("relu of queries", ANY, {"project": only("q", lambda p, right, x, n: np.maximum(right(x, n), 0))}, "relu"),
    ("rotated queries and keys", M, {"split": only("qk", lambda p, right, x, n: rotated(right(x, n)))}, "rotat|rope"),
    ("keys of the first sequence", C, {"read": only("kv", lambda p, right, x, n: p.made["x"])},
     "first sequence|inputs stands|self-attention"),
    ("queries of the second sequence", C, {"read": only("q", lambda p, right, x, n: p.made["x2"])},
     "second sequence|second_input stands"),
    # Heads
    ("heads by view", HEADED, {"split": heads_by_view}, "heads-by-view"),
    ("values' heads by view", HEADED, {"split": only("v", heads_by_view)}, "heads-by-view"),
    ("heads interleaved", HEADED, {"split": interleaved}, "heads-interleaved|columns-mixed-up|reordered"),
    ("keys' heads interleaved", HEADED, {"split": only("k", interleaved)}, "heads-interleaved|columns-mixed-up|reordered"),
    ("values' heads in reverse", HEADED, {"split": only("v", slices(1, backwards))},
     "heads-reversed|heads-mixed-up|second-operand-reversed"),
    ("key and value of head 0", HEADED, {"split": only("kv", slices(1, first))}, "one-head|heads-mixed-up|of-first-head"),
    ("queries' heads shifted", ["multihead"], {"split": only("q", slices(1, lambda i, n: (i + 1) % n))},
     "heads-mixed-up|heads-shifted|of-next-head|second-operand-of-previous-head"),
    ("last head left out", HEADED, {"split": only("q", slices(1, but_last))}, "last-head|heads-mixed-up"),
    # Scores
    ("keys reshaped", ANY, {"score": lambda p, right, q, k: q @ k.reshape(*k.shape[:2], k.shape[3], k.shape[2])},
     "keys-reshaped"),
    ("keys @ queries.T", ["multihead", "square", "trainable", "causal"],
     {"score": lambda p, right, q, k: k @ swap(q)}, "query-key-swapped|W_query and W_key are swapped"),
    ("queries @ queries.T", ["multihead", "square", "trainable"], {"score": lambda p, right, q, k: q @ swap(q)},
     "queries.* stands where .*keys|same-weights|keys are computed with W_query"),
    ("last of head_dim left out", ANY, {"score": lambda p, right, q, k: q[..., :-1] @ swap(k[..., :-1])},
     "last (input|term|product)|left out of the sum|short"),
    ("scores in float16", M, {"score": in_half}, "float16"),
    ("scores truncated to quarters", ANY, {"score": lambda p, right, q, k: np.trunc(right(q, k) * 4) / 4}, "trunc|quarter"),
    ("cosine", M,
     {"score": lambda p, right, q, k:
         right(q / np.linalg.norm(q, axis=-1, keepdims=True), k / np.linalg.norm(k, axis=-1, keepdims=True))},
     "cosine|norm"),
    ("negative distance", M,
     {"score": lambda p, right, q, k: -((q[..., :, None, :] - k[..., None, :, :]) ** 2).sum(-1)}, "distance"),
    # Scaling
    ("no scaling", ANY, {"scale": lambda p, right, s: s},
     "no-scaling|softmax-of-unscaled|scaled-by-number|factor|not divided|scaled-by-fourth|"
     "numbers of (self_attention/)?attn_scores"),
    ("scaled by d", ANY, {"scale": divided_by(lambda p: p.root ** 2)},
     "scaled-by-dimension|scaled-twice|factor|scaled-by-number|scaled-by-root-of"),
    ("times the root", ANY, {"scale": divided_by(lambda p: 1 / p.root)}, "multiplied-by-root|factor"),
    ("root of d_out", HEADED, {"scale": divided_by(lambda p: np.sqrt(p.root ** 2 * p.heads))},
     "scaled-by-root-of-12|factor"),
    ("root of tokens", ["multihead", "trainable", "square"],
     {"scale": divided_by(lambda p: np.sqrt(p.lesson.x.shape[1]))}, "scaled-by-root-of-(5|6)|factor"),
    ("root of d_in", ANY, {"scale": divided_by(lambda p: np.sqrt(p.lesson.x.shape[2]))},
     "scaled-by-root-of-7|factor"),
    ("a whole root", S, {"scale": divided_by(lambda p: int(p.root))},
     "scaled-by-whole-root|scaled-by-number|factor|scaled-by-root-of-4"),
    ("scaled by 8", ANY, {"scale": divided_by(lambda p: 8)}, "scaled-by-8|factor"),
    ("scaled by a constant", ANY, {"scale": divided_by(lambda p: 11.3)}, "scaled-by-number|factor"),
    ("scaled twice", ANY, {"weigh": lambda p, right, s: right(s / p.root)},
     "scaled-twice|scaled-by-dimension|scaled-by-root-of-16|scaled-by-number"),
    ("fourth root", ANY, {"scale": divided_by(lambda p: np.sqrt(p.root))},
     "scaled-by-fourth-root|factor|scaled-by-root-of-2"),
    ("negative", ANY, {"scale": divided_by(lambda p: -p.root)}, "scaled-negated|factor|negative-of-(scores|products)"),
    ("scaled after softmax", ANY, {"scale": lambda p, right, s: s, "weigh": lambda p, right, s: right(s) / p.root},
     "scaled-after|no-scaling|factor|not divided|softmax-of-unscaled|numbers of (self_attention/)?attn_scores"),
    ("softcapped", M, {"weigh": lambda p, right, s: right(np.where(s < -1e3, s, 10 * np.tanh(s / 10)))},
     "tanh|soft-?cap"),
    ("ALiBi", ["multihead", "no bias", "square"],
     {"weigh": lambda p, right, s: right(s + alibi(p.heads, s.shape[-1]))}, "alibi|ALiBi|position"),
    # Masks
    ("no mask", MASKED, {"hide": lambda p, right, s, hidden: s},
     "no-mask|softmax-of-unmasked|numbers of (self_attention/)?attn_scores"),
    ("mask hides itself", MASKED, {"mask": mask_with(lambda d, n: d >= 0)}, "mask-hides-itself"),
    ("mask shows the next", MASKED, {"mask": mask_with(lambda d, n: d > 1)}, "mask-shows-next"),
    ("mask transposed", MASKED, {"mask": mask_with(lambda d, n: d < 0)}, "mask-transposed|another-mask"),
    ("mask inverted", MASKED, {"mask": mask_with(lambda d, n: d <= 0)}, "mask-inverted"),
    ("mask hides earlier ones and itself", MASKED, {"hide": lambda p, right, s, hidden: right(s, ~hidden)},
     "mask-inverted|another-mask"),
    ("window", MASKED, {"mask": mask_with(lambda d, n: (d > 0) | (d < -1))}, "window of 2|another-mask"),
    ("padding alone", MASKED, {"mask": mask_with(lambda d, n: (d > 99) | (np.arange(n)[None] == n - 1))},
     "padding|last column|column"),
    ("bidirectional", MASKED, {"mask": mask_with(lambda d, n: d != 0)},
     "window of 1|values(_heads)? stands where context"),
    ("mask from the end", MASKED, {"mask": mask_with(lambda d, n: d > -2)}, "mask-hides|two|off by"),
    ("filled with 0", MASKED, {"hide": filled(0)}, "mask-0|mask-filled"),
    ("filled with -1e-9", MASKED, {"hide": filled(-1e-9)}, "mask-0|mask-filled"),
    ("filled with -1", MASKED, {"hide": filled(-1)}, "mask-filled"),
    ("filled with -2.5", MASKED, {"hide": filled(-2.5)}, "mask-filled"),
    ("filled with 1e9", MASKED, {"hide": filled(1e9)}, "mask-filled|mask-positive"),
    ("mask of 0 and 1 added", MASKED, {"hide": lambda p, right, s, hidden: s + hidden.astype(p.dtype)}, "mask-added"),
    ("mask of 1 and 0 added", MASKED, {"hide": lambda p, right, s, hidden: s + (~hidden).astype(p.dtype)},
     "keep-mask-added|mask-subtracted"),
    ("minus mask", MASKED, {"hide": lambda p, right, s, hidden: s - hidden.astype(p.dtype)},
     "keep-mask-added|mask-subtracted"),
    ("0 times -inf", MASKED, {"hide": lambda p, right, s, hidden: s + hidden.astype(p.dtype) * -p.dtype(np.inf)},
     "nan|no numbers|0 times"),
    ("masked after softmax", MASKED,
     {"hide": lambda p, right, s, hidden:
         s, "weigh": lambda p, right, s: np.where(p.made["hidden"], p.dtype(0), right(s))},
     "mask-after-softmax|no-mask|softmax-of-unmasked|numbers of (self_attention/)?attn_scores"),
    ("masked in head 0", HEADED,
     {"hide": lambda p, right, s, hidden: np.concatenate([right(s[:, :1], hidden), s[:, 1:]], 1)},
     "mask-head-0-alone|mask-not-last-head"),
    ("masked in entry 0", MASKED, {"hide": lambda p, right, s, hidden: np.concatenate([right(s[:1], hidden), s[1:]])},
     "mask-entry-0-alone"),
    ("masked but for the last head", HEADED,
     {"hide": lambda p, right, s, hidden: np.concatenate([right(s[:, :-1], hidden), s[:, -1:]], 1)},
     "mask-not-last-head|mask-head-0-alone"),
    # Softmax
    ("softmax over queries", ["trainable", "cross"], {"weigh": lambda p, right, s: softmax(s, -2)}, "softmax-dim-0"),
    ("softmax over heads", HEADED, {"weigh": lambda p, right, s: softmax(np.maximum(s, -1e30), 1)},
     "softmax-dim-1|softmax"),
    ("softmax over the batch", HEADED, {"weigh": lambda p, right, s: softmax(np.maximum(s, -1e30), 0)},
     "softmax-dim-0|softmax"),
    ("softmax over columns", MASKED, {"weigh": lambda p, right, s: softmax(s, -2)}, "softmax-dim-(2|1)"),
    ("softmax of the matrix", ANY,
     {"weigh": lambda p, right, s: softmax(s.reshape(*s.shape[:2], -1)).reshape(s.shape)}, "softmax-of-all"),
    ("not normalised", ANY, {"weigh": lambda p, right, s: np.exp(s)}, "no-normalisation"),
    ("not divided by the sum", ANY, {"weigh": of_exps(lambda exps: exps)}, "no-normalisation-of-shifted"),
    ("log softmax", ANY, {"weigh": lambda p, right, s: np.log(right(s))}, "log-softmax"),
    ("softmax1", ANY, {"weigh": of_exps(lambda exps: exps / (1 + exps.sum(-1, keepdims=True)))}, "one-plus-sum"),
    ("softmax twice", ANY, {"weigh": lambda p, right, s: right(right(s))}, "softmax-twice"),
    ("exp2", ANY, {"weigh": lambda p, right, s: np.exp2(s) / np.exp2(s).sum(-1, keepdims=True)}, "exp2"),
    ("sigmoid", ANY, {"weigh": lambda p, right, s: 1 / (1 + np.exp(-s))}, "sigmoid"),
    ("relu for exp", ["trainable", "cross"],
     {"weigh": lambda p, right, s: np.maximum(s, 0) / np.maximum(s, 0).sum(-1, keepdims=True)}, "relu"),
    ("without exp", ANY,
     {"weigh": lambda p, right, s: np.where(s < -1e3, 0, s) / np.where(s < -1e3, 0, s).sum(-1, keepdims=True)},
     "no-exp"),
    ("divided by the root of squares", ANY,
     {"weigh": of_exps(lambda exps: exps / np.sqrt((exps ** 2).sum(-1, keepdims=True)))}, "length|L2|squares|norm"),
    ("running sums", ANY, {"weigh": of_exps(running_sums)}, "running|not reset to 0|accumul"),
    ("softmax of raw scores", ANY, {"weigh": lambda p, right, s: softmax(p.made["scores"])},
     "softmax-of-raw|softmax-of-unscaled|softmax-of-unmasked|no-scaling|no-mask|attn_scores stands where"),
    ("softmax of unmasked scores", MASKED,
     {"weigh": lambda p, right, s: softmax(p.made["scores"] / (1 if p.way == "query" else p.root))},
     "softmax-of-unmasked|no-mask|softmax-of-raw|attn_scores stands where"),
    ("largest alone", ["trainable", "cross", "multihead"],
     {"weigh": lambda p, right, s: (s == s.max(-1, keepdims=True)).astype(p.dtype)}, "largest|argmax|one-hot"),
    ("weights in float16", M, {"weigh": in_half}, "float16"),
    ("temperature 2", ANY, {"weigh": lambda p, right, s: right(s / 2)}, "scaled-(twice|by)|softmax-of"),
    ("uniform", ANY, {"weigh": lambda p, right, s: right(np.where(s < -1e3, s, 0))}, "weights-uniform"),
    # Dropout
    ("not rescaled", D, {"drop": lambda p, right, w: w * p.lesson.kept}, "no-rescale"),
    ("times 1 - p", D, {"drop": lambda p, right, w: w * p.lesson.kept * p.dtype(0.75)}, "scaled-by-1-p"),
    ("divided by p", D, {"drop": lambda p, right, w: w * p.lesson.kept / p.dtype(0.25)}, "divided-by-p"),
    ("keeps what it drops", D, {"drop": lambda p, right, w: w * ~p.lesson.kept / p.dtype(0.75)},
     "keep-and-drop-swapped"),
    ("no dropout", D, {"drop": lambda p, right, w: w}, "no-dropout"),
    ("rescaled twice", D, {"drop": lambda p, right, w: right(w) / p.dtype(0.75)},
     "rescaled-twice|factor|dropout_attn_weights stands where attn_weights"),
    ("one mask for all heads", D, {"drop": lambda p, right, w: w * p.lesson.kept[:, :1] / p.dtype(0.75)},
     "mask of head 0|head 0"),
    ("dropped and normalised", D,
     {"drop": lambda p, right, w: w * p.lesson.kept / (w * p.lesson.kept).sum(-1, keepdims=True)}, "normalis"),
    ("weights before dropout", D, {"attend": lambda p, right, w, v: right(p.made["weights"], v)},
     "attn_weights stands where|no-dropout"),
    # Contexts
    ("weights transposed", ["multihead", "square", "trainable", "causal"],
     {"attend": lambda p, right, w, v: right(swap(w), v)}, "weights-transposed"),
    ("weights @ keys", ANY, {"attend": lambda p, right, w, v: right(w, p.made["kh"])},
     "keys.* stands where .*values|values are computed with W_key"),
    ("weights @ queries", ["multihead", "trainable"], {"attend": lambda p, right, w, v: right(w, p.made["qh"])},
     "queries.* stands where .*values|values are computed with W_query"),
    ("scores @ values", ["trainable", "cross"],
     {"attend": lambda p, right, w, v: right(p.made["scaled" if "scaled" in p.made else "scores"], v)},
     "scores stands where"),
    ("values of entry 0", HEADED, {"attend": lambda p, right, w, v: right(w, v[:1])}, "of-first-entry|one-entry"),
    ("values of head 0", HEADED, {"attend": lambda p, right, w, v: right(w, v[:, :1])}, "of-first-head|one-head"),
    ("last token left out", ANY, {"attend": lambda p, right, w, v: right(w[..., :-1], v[..., :-1, :])},
     "last (input|term|product|token)|left out of the sum|short"),
    ("contexts in reverse", HEADED, {"attend": slices(1, backwards)},
     "heads-reversed|heads-mixed-up|heads-joined-reversed"),
    ("first row left 0", ANY, {"attend": slices(2, lambda i, n: i if i else -1)},
     "first-row-left-0|rows-left-out|left at 0"),
    # Heads joined, and the last projection
    ("joined by view", HEADED, {"join": lambda p, right, c: c.reshape(c.shape[0], c.shape[2], -1)},
     "heads-joined-by-view|projected-unjoined"),
    ("joined innermost", HEADED,
     {"join": lambda p, right, c: c.transpose(0, 2, 3, 1).reshape(c.shape[0], c.shape[2], -1)},
     "heads-joined-innermost|heads-interleaved|axes 2 and 3 are swapped"),
    ("joined in reverse", HEADED, {"join": lambda p, right, c: right(c[:, ::-1])},
     "heads-joined-reversed|heads-mixed-up|heads-reversed"),
    ("tokens joined first", HEADED,
     {"join": lambda p, right, c: c.transpose(2, 0, 1, 3).reshape(c.shape[0], c.shape[2], -1)},
     "reshaped|tokens|batch"),
    ("no output bias", HEADED, {"finish": lambda p, right, j: j @ p.weight["o"].T}, "no-bias"),
    ("output weight not transposed", HEADED, {"finish": lambda p, right, j: j @ p.weight["o"] + p.bias["o"]},
     "weight-transposed"),
    ("no output projection", HEADED, {"finish": lambda p, right, j: j}, "no-projection"),
    ("output bias twice", HEADED, {"finish": lambda p, right, j: right(j) + p.bias["o"]}, "bias-twice"),
    ("output with the queries' bias", HEADED, {"finish": lambda p, right, j: j @ p.weight["o"].T + p.bias["q"]},
     "the bias is another's"),
    ("residual", S, {"finish": lambda p, right, j: right(j) + p.made["x"]}, "residual|inputs? (is|are) added|added"),
    ("projection of unjoined heads", HEADED, {"finish": lambda p, right, j: right(p.made["ctxh"].reshape(j.shape))},
     "heads-joined-by-view|projected-unjoined"),
    ("relu of the output", HEADED, {"finish": lambda p, right, j: np.maximum(right(j), 0)}, "relu"),
    ("output in float16", M, {"finish": in_half}, "float16"),
    ("normed output", M, {"finish": lambda p, right, j: renormed(right(j))}, "norm"),
    # More of each
    ("no value bias", B, {"project": biased("v", lambda bias, n: 0)}, "no-bias"),
    ("biases of queries and keys swapped", B, {"project": swapped_biases}, "bias"),
    ("keys of the token before", ANY, {"project": only("k", slices(1, lambda i, n: i - 1))},
     "(tokens|rows)-mixed-up|in place of each (token|row|column)|left 0|shift"),
    ("grouped heads", ["multihead"], {"split": only("kv", slices(1, lambda i, n: i // 2))}, "heads-mixed-up|group"),
    ("joined from head 1 on", ["multihead"], {"join": lambda p, right, c: right(np.roll(c, 1, 1))}, "heads-mixed-up|head"),
    ("inputs times root of d_in", ANY, {"read": lambda p, right, x, n: x * np.sqrt(p.dtype(x.shape[-1]))},
     "times|factor|root"),
    ("positions added", ANY, {"read": lambda p, right, x, n: x + positions(x)}, "position"),
    ("queries not projected", S, {"project": only("q", lambda p, right, x, n: x)},
     "no-projection|linear layer is left out|numbers of batch|batch stands where"),
    ("nothing projected", S, {"project": only("qkv", lambda p, right, x, n: x)},
     "no-projection|linear layer is left out|numbers of batch|batch stands where"),
    ("values not projected", S, {"project": only("v", lambda p, right, x, n: x)},
     "no-projection|linear layer is left out|numbers of batch|batch stands where"),
    ("weights rounded to 2 digits", ANY, rounded_weights(2), "round"),
    ("weights rounded to 4 digits", ANY, rounded_weights(4), "round"),
    ("scores in TF32", M, {"score": lambda p, right, q, k: right(tf32(q), tf32(k))}, "float16|TF32|tf32"),
    ("int8 weights", M, {"project": lambda p, right, x, n:
                         x @ int8(p.weight[n]).T + (0 if p.bias[n] is None else p.bias[n])}, "int8|quanti|round"),
    ("permuted for RoPE", HEADED, {"project": only("qk", rope_order)}, "columns-mixed-up|column|permut|interleav"),
    ("everything hidden", MASKED, {"mask": mask_with(lambda d, n: d > -99)}, "another-mask|weights-uniform|nan|no numbers"),
    ("first token hidden", MASKED, {"mask": mask_with(lambda d, n: (d > 0) | (np.arange(n)[None] == 0))},
     "another-mask|column 0|first-key-left-out"),
    ("for j < i", MASKED, {"weigh": strictly_earlier}, "mask-hides-itself|hides diagonal 0"),
    ("window of 3", MASKED, {"mask": mask_with(lambda d, n: (d > 0) | (d < -2))}, "window of 3"),
    ("blocks of 2", MASKED,
     {"mask": mask_with(lambda d, n: (d > 0) | (np.arange(n)[None] // 2 != np.arange(n)[:, None] // 2))}, "another-mask|block"),
    ("prefix of 2 seen", MASKED, {"mask": mask_with(lambda d, n: (d > 0) & (np.arange(n)[None] > 1))},
     "another-mask"),
    ("cumulated weights", ANY, {"weigh": lambda p, right, s: np.cumsum(right(s), -1)}, "running|accumul|cumul"),
    ("largest 2 alone", ["trainable", "cross", "multihead"], before_softmax(top2), "largest|top|at most 2"),
    ("temperature 0.7", ANY, before_softmax(lambda p, s: s / p.dtype(0.7)), "scaled-by-number|divided by|temperature"),
    ("divided by the number of heads", ["multihead"], {"scale": divided_by(lambda p: p.heads)},
     "scaled-by-root-of-9|scaled-by-3|scaled-by-number|factor"),
    ("first query everywhere", ANY, {"project": only("q", slices(1, first))},
     "(token|row) 0 stands everywhere|(tokens|rows)-mixed-up|row 0|token 0"),
    ("values' entries in reverse", HEADED, {"attend": lambda p, right, w, v: right(w, v[::-1])}, "entr|batch"),
    ("projected twice", S, {"finish": lambda p, right, j: right(right(j))}, "twice"),
    ("output bias for each head", HEADED, {"finish": lambda p, right, j: right(j) + (p.heads - 1) * p.bias["o"]},
     "bias"),
    ("tanh of the output", HEADED, {"finish": lambda p, right, j: np.tanh(right(j))}, "tanh"),
    ("gelu of the output", HEADED, {"finish": lambda p, right, j: gelu(right(j))}, "gelu|GELU"),
    ("sum of heads for each", HEADED,
     {"attend": lambda p, right, w, v: np.repeat(right(w, v).sum(1, keepdims=True), p.heads, 1)}, "sum|added|head"),
    ("output weight not transposed, no bias", S, {"finish": lambda p, right, j: j @ p.weight["o"]},
     r"weight-transposed.*no-bias|no-bias.*weight-transposed"),
    ("neither scaled nor masked", MASKED,
     {"scale": lambda p, right, s: s, "hide": lambda p, right, s, hidden: s},
     "no-scaling|no-mask|mask-after-softmax|scaled-after|softmax-of|numbers of (self_attention/)?attn_scores|not divided|scaled-by|factor"),
    ("dropout mask of the next row", D,
     {"drop": lambda p, right, w: np.where(np.roll(p.lesson.kept, -1, -2), w / p.dtype(.75), p.dtype(0))},
     "mask|mixed-up|row"),
    ("softmax in float16", M, {"weigh": in_half}, "float16"),
    ("sum plus 0.01", ANY, {"weigh": of_exps(lambda exps: exps / (exps.sum(-1, keepdims=True) + .01))},
     "plus|epsilon|sum"),
    ("outputs of entry 0", HEADED, {"finish": slices(0, first)}, "one-entry|batch-mixed-up|entry"),
    ("last head's weights for all", HEADED, {"attend": lambda p, right, w, v: right(w[:, -1:] + 0 * w, v)}, "head"),
    ("contexts not from weights but their root", ["trainable", "cross"],
     {"attend": lambda p, right, w, v: right(np.sqrt(w), v)}, "root"),
    ("keys in the reverse order of tokens", ANY, {"project": only("k", slices(1, backwards))},
     "(tokens|rows|columns)-mixed-up|revers"),
    ("values of the token after", ANY, {"project": only("v", slices(1, lambda i, n: i + 1 if i + 1 < n else -1))},
     "(tokens|rows)-mixed-up|in place of each (token|row)|left 0|shift"),
    # What others made, alone and in pairs
    ("keys with W_value", M, {"project": made_with("qvv")},
     "keys (are computed )?with W_value|values(_heads)? stands where (scaled_)?keys|numbers of values"),
    ("values for keys", ANY, {"score": lambda p, right, q, k: right(q, p.made["vh"])},
     "values(_heads)? stands where (scaled_)?keys|keys (are computed )?with W_value"),
    ("root of the number of heads", ["multihead"], {"scale": divided_by(lambda p: np.sqrt(p.heads))},
     "scaled-by-root-of-3|scaled-by-number|factor"),
    ("divided by d_out", HEADED, {"scale": divided_by(lambda p: p.root ** 2 * p.heads)},
     "scaled-by|factor"),
    ("every second earlier token", MASKED, {"mask": mask_with(lambda d, n: (d > 0) | (d % 2 != 0))}, "another-mask|mask"),
    ("sees the first token and itself", MASKED,
     {"mask": mask_with(lambda d, n: (d != 0) & (np.arange(n)[None] != 0))}, "another-mask|mask"),
    ("filled with -10", MASKED, {"hide": filled(-10)}, "mask-filled"),
    ("filled with -100 in head 0 alone", HEADED,
     {"hide": lambda p, right, s, hidden: np.concatenate([np.where(hidden, p.dtype(-3), s)[:, :1], right(s, hidden)[:, 1:]], 1)},
     "mask|head"),
    ("log of the mask and a little added", MASKED,
     {"hide": lambda p, right, s, hidden: s + np.log(~hidden + p.dtype(1e-3))}, "mask|added"),
    ("rotated values", M, {"split": only("v", lambda p, right, x, n: rotated(right(x, n)))}, "rotat|rope"),
    ("root mean square of queries and keys", M,
     {"split": only("qk", lambda p, right, x, n: right(x, n) / np.sqrt((right(x, n) ** 2).mean(-1, keepdims=True)))},
     "norm|cosine|mean square"),
    ("keys' and values' heads tiled", ["multihead"], {"split": only("kv", slices(1, lambda i, n: i % 2))},
     "heads-mixed-up|group|head"),
    ("last row everywhere", ANY, {"attend": slices(2, lambda i, n: n - 1)}, "(token|row) \\d stands everywhere|mixed-up"),
    ("outputs one token late", HEADED, {"finish": slices(1, lambda i, n: i - 1)},
     "(tokens|rows)-mixed-up|left 0|in place of each"),
    ("keys of the other entries", HEADED, {"score": lambda p, right, q, k: right(q, k[::-1])}, "entr|batch"),
    ("normalised over heads", HEADED, {"weigh": lambda p, right, s: right(s) / right(s).sum(1, keepdims=True)},
     "head|softmax-dim-1"),
    ("weights rounded to 2 places", ANY, {"weigh": lambda p, right, s: np.round(right(s), 2)}, "round"),
    ("softmax of absolute scores", ["trainable", "cross"], {"weigh": lambda p, right, s: right(abs(s))}, "abs"),
    ("relu before softmax", ["trainable", "cross"], {"weigh": lambda p, right, s: right(np.maximum(s, 0))}, "relu"),
    ("scores clipped", ["trainable", "cross"], {"weigh": lambda p, right, s: right(np.clip(s, -.1, .1))}, "clip|clamp"),
    ("output weight's heads in reverse", HEADED,
     {"finish": lambda p, right, j: j.reshape(*j.shape[:2], p.heads, -1)[:, :, ::-1].reshape(j.shape) @ p.weight["o"].T + p.bias["o"]},
     "heads-joined-reversed|heads-reversed|heads-mixed-up"),
    ("values' weight for the output's", S, {"finish": lambda p, right, j: j @ p.weight["v"].T + p.bias["o"]},
     "W_value stands where out_proj|W_value"),
    ("contexts added to the output", HEADED, {"finish": lambda p, right, j: right(j) + j}, "residual|added"),
    ("output bias before the product", HEADED, {"finish": lambda p, right, j: (j + p.bias["o"]) @ p.weight["o"].T},
     "bias|vector"),
    ("output divided by the number of heads", HEADED, {"finish": lambda p, right, j: right(j) / p.heads}, "factor|times"),
    ("one dropout mask for all entries", D, {"drop": lambda p, right, w: w * p.lesson.kept[:1] / p.dtype(.75)},
     "entry|mask"),
    ("dropout mask transposed", D, {"drop": lambda p, right, w: w * swap(p.lesson.kept) / p.dtype(.75)}, "mask|transposed"),
    ("sequences swapped", C, {"read": lambda p, right, x, n: p.made["x2" if n == "q" else "x"]},
     "second_input stands|inputs stands|sequence"),
    ("entries and heads joined the other way", HEADED,
     {"join": lambda p, right, c: right(c.reshape(c.shape[1], c.shape[0], *c.shape[2:]).swapaxes(0, 1))},
     "head|batch|mixed"),
    ("heads of the fused weight in turn", M,
     {"project": only("qkv", lambda p, right, x, n:
                      x @ np.concatenate([p.weight[m] for m in "qkv"]).reshape(p.heads, 3, -1, x.shape[-1])[:, "qkv".index(n)]
                      .reshape(-1, x.shape[-1]).T + (0 if p.bias[n] is None else
                      np.concatenate([p.bias[m] for m in "qkv"]).reshape(p.heads, 3, -1)[:, "qkv".index(n)].reshape(-1)))},
     "qkv|fused|turn"),
    ("softmax twice over masked scores without scaling", ANY,
     {"scale": lambda p, right, s: s, "weigh": lambda p, right, s: right(right(s))},
     "softmax-twice|no-scaling|factor|not divided|softmax-of-unscaled|numbers of (self_attention/)?attn_scores"),
    ("no key bias and no scaling", B, {"project": biased("k", lambda bias, n: 0), "scale": lambda p, right, s: s},
     "no-bias|no-scaling|softmax-of-unscaled|scaled-by-number|factor|not divided|numbers of attn_scores"),
    ("mask shows the next, and root of d_in", MASKED,
     {"mask": mask_with(lambda d, n: d > 1), "scale": divided_by(lambda p: np.sqrt(p.lesson.x.shape[2]))},
     "mask-shows-next|scaled-by-root-of-7|factor|scaled-by-number"),
    ("heads by view, and no output bias", HEADED,
     {"split": heads_by_view, "finish": lambda p, right, j: j @ p.weight["o"].T}, "heads-by-view|no-bias"),
    ("values' heads in reverse, and joined by view", HEADED,
     {"split": only("v", slices(1, backwards)), "join": lambda p, right, c: c.reshape(c.shape[0], c.shape[2], -1)},
     "heads-reversed|heads-mixed-up|second-operand-reversed|heads-joined-by-view|projected-unjoined|context_heads"),
    ("keys with W_query, filled with 0", MASKED, {"project": made_with("qqv"), "hide": filled(0)},
     "same-weights|keys are computed with W_query|numbers of (scaled_)?queries|queries.* stands where|mask-0|mask-filled"),
    ("weights transposed, and scaled by d", ["multihead", "trainable", "causal"],
     {"scale": divided_by(lambda p: p.root ** 2), "attend": lambda p, right, w, v: right(swap(w), v)},
     "weights-transposed|scaled-by-dimension|scaled-twice|factor|scaled-by-number|scaled-by-root-of"),
    # Scores, weights and heads otherwise
    ("keys and values swapped", M, {"project": made_with("qvk")},
     "W_value|W_key|values.* stands|keys.* stands|numbers of (scaled_)?(keys|values)|swapped"),
    ("bias of head 0 for all", ["multihead"], {"project": only("q", bias_of_head_0)}, "bias-of-head-0"),
    ("heads' weights stacked row by row", HEADED, {"project": stacked(True)}, "weight-rows-mixed-up"),
    ("heads' weights read as innermost", HEADED, {"project": stacked(False)}, "weight-rows-mixed-up"),
    ("scores in float16 before softmax", M,
     {"weigh": lambda p, right, s: right(s.astype(np.float16).astype(p.dtype))}, "float16"),
    ("scores in bfloat16 before softmax", M, {"weigh": lambda p, right, s: right(bfloat16(s))}, "bfloat16"),
    ("first row alone masked", MASKED, {"mask": lambda p, right, n: right(n) & (np.arange(n)[:, None] == 0)},
     "another-mask"),
    ("mask shows the next two", MASKED, {"mask": mask_with(lambda d, n: d > 2)}, "another-mask"),
    ("window on both sides", MASKED, {"mask": mask_with(lambda d, n: abs(d) > 1)}, "another-mask|mask-shows-next"),
    ("filled with nan", MASKED, {"hide": filled(np.nan)}, "nan|no numbers"),
    ("filled with inf", MASKED, {"hide": filled(np.inf)}, "inf, not|no numbers"),
    ("scores times the mask", MASKED, {"hide": lambda p, right, s, hidden: s * ~hidden}, "mask-0|mask-filled"),
    ("sum of all exponentials", MASKED, {"weigh": sum_of_all},
     "mask-after-softmax|no-mask|softmax-of-unmasked|numbers of (self_attention/)?attn_scores"),
    ("weights divided by the tokens", ANY, {"weigh": lambda p, right, s: right(s) / s.shape[-1]}, "factor|times|divided-by-tokens"),
    ("softmax with base 10", ANY, {"weigh": lambda p, right, s: right(s * p.dtype(np.log(10)))}, "scaled-by-number"),
    ("root of d_in by heads", ["multihead"],
     {"scale": divided_by(lambda p: np.sqrt(p.lesson.x.shape[2] / p.heads))}, "scaled-by-number|factor"),
    ("dropout of scores", D,
     {"weigh": lambda p, right, s: right(np.where(p.lesson.kept, s / p.dtype(.75), p.dtype(0))),
      "drop": lambda p, right, w: w}, "scores-dropped|no-dropout"),
    ("values scaled too", ANY, {"attend": lambda p, right, w, v: right(w, v) / p.root}, "factor|times"),
    ("queries added to contexts", HEADED, {"attend": lambda p, right, w, v: right(w, v) + p.made["qh"]},
     "queries-added"),
    ("sum of values without weights", ["trainable", "cross"],
     {"attend": lambda p, right, w, v: right(np.ones_like(w), v)}, "values-summed|each row is the sum"),
    ("sum of visible values without weights", ["causal", "multihead"],
     {"attend": lambda p, right, w, v: right((w != 0).astype(p.dtype), v)}, "values-summed"),
    ("normed queries and keys", M, {"split": only("qk", lambda p, right, x, n: renormed(right(x, n)))},
     "LayerNorm"),
    ("head 0 alone joined", HEADED, {"join": lambda p, right, c: right(np.repeat(c[:, :1], p.heads, 1))}, "head"),
    ("output weight reshaped", HEADED,
     {"finish": lambda p, right, j: j @ p.weight["o"].reshape(p.weight["o"].shape[::-1]) + p.bias["o"]},
     "weight-reshaped|weight-transposed"),
    # More of others
    ("mask by key alone: last two keys hidden too", MASKED,
     {"mask": mask_with(lambda d, n: (d > 0) | (np.arange(n)[None] >= n - 2))}, "another-mask|mask|nan|column"),
    ("scaled by root of d_in times heads", ["multihead"],
     {"scale": divided_by(lambda p: np.sqrt(p.lesson.x.shape[2] * p.heads))}, "scaled-by|factor"),
    ("scores divided by tokens", ANY,
     {"scale": divided_by(lambda p: p.lesson.x.shape[1])}, "scaled-by|factor"),
    ("queries normalised to length 1", M,
     {"split": only("q", lambda p, right, x, n: right(x, n) / np.linalg.norm(right(x, n), axis=-1, keepdims=True))},
     "norm|length|cosine"),
    ("values' bias on keys", B,
     {"project": biased("k", lambda bias, n: bias["v"])}, "bias"),
    ("query bias subtracted and key bias lost", B,
     {"project": biased("qk", lambda bias, n: -bias["q"] if n == "q" else 0)}, "bias"),
    ("softmax in bfloat16", M,
     {"weigh": lambda p, right, s: bfloat16(right(bfloat16(s)))}, "bfloat16"),
    ("values in bfloat16", M,
     {"attend": lambda p, right, w, v: bfloat16(right(bfloat16(w), bfloat16(v)))}, "bfloat16"),
    ("weights renormalised over queries", ["trainable", "cross"],
     {"weigh": lambda p, right, s: right(s) / right(s).sum(-2, keepdims=True)}, "column|queries|dim|norm|sum"),
    ("values of the previous token", ANY,
     {"project": only("v", slices(1, lambda i, n: max(i - 1, 0)))},
     "tokens-mixed-up|rows-mixed-up|in place of each|shift|mixed"),
    ("heads 0 and 1 of values swapped", ["multihead"],
     {"split": only("v", slices(1, lambda i, n: [1, 0, 2][i] if n == 3 else i))}, "mixed-up|head"),
    ("heads rotated when joined", ["multihead"],
     {"join": lambda p, right, c: right(np.roll(c, -1, 1))}, "mixed-up|head"),
    ("silu of the output", HEADED,
     {"finish": lambda p, right, j: (lambda y: y / (1 + np.exp(-y)))(right(j))}, "silu|swish|SiLU"),
    ("output halved", HEADED,
     {"finish": lambda p, right, j: right(j) / 2}, "factor|times"),
    ("residual of contexts from values", ["multihead", "square", "trainable", "causal"],
     {"attend": lambda p, right, w, v: right(w, v) + v}, "values|added|residual"),
    ("keys minus their mean over tokens", ANY,
     {"split": only("k", lambda p, right, x, n: right(x, n) - right(x, n).mean(-2, keepdims=True))},
     "mean|norm|centr|same vector"),
    ("output bias of values", HEADED,
     {"finish": lambda p, right, j: j @ p.weight["o"].T + p.bias["v"]}, "bias is another's|bias"),
    ("mask diagonal 1 from the wrong end", MASKED,
     {"mask": lambda p, right, n: right(n)[::-1, ::-1]}, "mask"),
    ("mask flipped left to right", MASKED,
     {"mask": lambda p, right, n: right(n)[:, ::-1].copy()}, "mask"),
    # Powers of weights, symmetric scores, one head
    ("weights cubed", ["trainable", "cross", "multihead"], {"weigh": lambda p, right, s: right(s) ** 3}, "cube"),
    ("contexts with squared weights", ANY, {"attend": lambda p, right, w, v: right(w * w, v)}, "square"),
    ("scores symmetrised", ["trainable", "multihead"],
     {"score": lambda p, right, q, k: (right(q, k) + swap(right(q, k))) / 2}, "symmetr"),
    ("contexts divided by tokens", ANY, {"attend": lambda p, right, w, v: right(w, v) / v.shape[-2]},
     "number of tokens|factor|times|divided by"),
    ("first key left out", ANY, {"weigh": first_key_left_out}, "first key|hides column 0|column 0"),
    ("bias twice in head 0", ["multihead"], {"project": only("q", head_bias_twice(0))}, "bias"),
    ("bias twice in the last head", ["multihead"], {"project": only("v", head_bias_twice(-1))}, "bias"),
    # Functions of projections, scores and weights
    ("silu of values", ANY, {"project": of_results("v", lambda y: y / (1 + np.exp(-y)))}, "SiLU"),
    ("tanh of keys", ANY, {"project": of_results("k", np.tanh)}, "tanh"),
    ("gelu of queries", ANY, {"project": of_results("q", gelu)}, "GELU"),
    ("elu + 1 of queries and keys", ANY, {"project": of_results("qk", lambda y: np.where(y > 0, y + 1, np.exp(y)))},
     "elu-plus-1"),
    ("keys absolute", ANY, {"project": of_results("k", abs)}, "absolute"),
    ("scores squared", ["trainable", "cross"], {"score": lambda p, right, q, k: right(q, k) ** 2}, "square"),
    ("tanh of scores", ["trainable", "cross"], {"weigh": lambda p, right, s: right(np.tanh(s))}, "tanh"),
    ("softmax of exp", ["trainable", "cross"], {"weigh": lambda p, right, s: right(np.exp(s))}, "exp"),
    # Another softmax
    ("blocks, sum rescaled alone", ["multihead", "trainable", "causal"], {"weigh": in_blocks(True)},
     "blocks-not-rescaled"),
    ("blocks, nothing rescaled", ["multihead", "trainable", "causal"], {"weigh": in_blocks(False)},
     "blocks-not-rescaled"),
    ("sparsemax", ["trainable", "cross", "multihead"], {"weigh": sparsemax}, "sparsemax"),
    ("keepdims missing", ["trainable"], {"weigh": of_exps(lambda exps: exps / exps.sum(-1)[..., None, :])},
     "divided-by-other-sums"),
    ("causal where none is asked", ["trainable", "cross"],
     {"weigh": lambda p, right, s: right(np.where(np.tri(*s.shape[-2:], dtype=bool), s, p.dtype(-np.inf)))},
     "masked-unasked|mask|hidden|hides"),
    ("diagonal scores 0", ["trainable", "multihead"],
     {"weigh": lambda p, right, s: right(np.where(np.eye(s.shape[-1], dtype=bool), p.dtype(0), s))}, "diagonal-0"),
    ("1 added to the diagonal", ["trainable", "multihead"],
     {"weigh": lambda p, right, s: right(s + np.eye(s.shape[-1], dtype=s.dtype))}, "diagonal-plus-1"),
    ("1e4 added to hidden scores", MASKED,
     {"hide": lambda p, right, s, hidden: s + hidden * p.dtype(1e4)}, "mask-positive|mask"),
    # Other operands
    ("values viewed for bmm", HEADED, {"attend": lambda p, right, w, v: w @ swap(v).reshape(v.shape)},
     "operand-by-view|view|reshape"),
    ("joined from axes 1 and 3", HEADED,
     {"join": lambda p, right, c: c.transpose(0, 3, 2, 1).reshape(c.shape[0], c.shape[2], -1)},
     "heads-joined-innermost|joined|reshaped|mixed"),
    ("dropout mask of the next head", ["dropped"],
     {"drop": lambda p, right, w: np.where(np.roll(p.lesson.kept, -1, 1), w / p.dtype(.75), p.dtype(0))},
     "dropout-mask-of-another-head"),
    ("kept and dropped swapped, not rescaled", ["dropped"],
     {"drop": lambda p, right, w: w * ~p.lesson.kept}, "keep-and-drop-swapped"),
    # Inputs and weights
    ("inputs doubled", ANY, {"read": lambda p, right, x, n: x + x}, "inputs-doubled|factor|times"),
    ("inputs centred", M, {"read": lambda p, right, x, n: x - x.mean(-1, keepdims=True)}, "inputs-centred"),
    ("inputs in float16", M, {"read": lambda p, right, x, n: x.astype(np.float16).astype(p.dtype)}, "float16"),
    ("positions added to queries", ANY, {"project": of_results("q", lambda y: y + positions(y))},
     "positions-added-to-projections"),
    ("query weight negated", ANY, {"project": by_weight("q", lambda w: -w)}, "weight-negated|negative|factor|times -1|bias"),
    ("residual and LayerNorm", ["square"], {"finish": lambda p, right, j: renormed(right(j) + p.made["x"])},
     "residual-and-norm"),
]
