"""Ports of the chapters of today's models, line by line: any line can be replaced, as `cli/ports_today.py` does."""
import numpy as np

from port_mistakes import softmax, swap

INF = float("inf")
f32 = np.float32


def split(x, heads):
    """[batch, tokens, heads * head_dim] -> [batch, heads, tokens, head_dim]"""
    return x.reshape(*x.shape[:2], heads, -1).swapaxes(1, 2)


def join(x):
    return x.swapaxes(1, 2).reshape(x.shape[0], x.shape[2], -1)


def above(rows, columns, diagonal):
    return np.triu(np.ones((rows, columns), bool), diagonal)


class Port:
    """A program's lines, each of which `instead` may replace by a function of the right line and its operands, and the
    tensors that it dumps, `called` otherwise, or not dumped where that is None. Of the chapter's own steps it has inputs
    and weights alone: by their paths, or by their names, the first section's where several have one."""

    def __init__(self, steps, instead, dtype=np.float64, called=()):
        self.steps = dict(steps)
        for path, step in steps.items():
            self.steps.setdefault(path.rpartition("/")[2], step)
        self.instead = instead
        self.dtype = dtype
        self.called = dict(called)
        self.tensors = {}

    def __getitem__(self, step):
        return self.steps[step].astype(self.dtype)

    def line(self, name, right, *operands):
        return self.instead[name](right, *operands) if name in self.instead else right(*operands)

    def dump(self, name, tensor):
        name = self.called.get(name, name)
        if name is not None:
            self.tensors[name] = np.asarray(tensor, f32 if np.asarray(tensor).dtype.kind == "f" else None)
        return tensor

    def project(self, x, name):
        """x @ W.T + b, of nn.Linear's weight, or x @ W."""
        weight, bias = self["W_" + name], "W_" + name + "_bias"
        return x @ weight.T + self[bias] if bias in self.steps else x @ weight

    def attend(self, q, k, v, mask, prefix="", scores=None):
        if scores is None:
            scores = self.dump(prefix + "attn_scores", self.line("score", lambda q, k: q @ swap(k), q, k))
            scores = self.dump(prefix + "scaled_scores", self.line("scale", lambda s: s / k.shape[-1]**0.5, scores))
        masked = self.line("mask", lambda s, hidden: np.where(hidden, -INF, s), scores, mask)
        weights = self.dump(prefix + "attn_weights", self.line("weigh", softmax, masked))
        return self.line("mix", lambda w, v: w @ v, weights, v)


def grouped(p):
    x, group = p["batch"], 2
    heads = p.steps["queries_heads"].shape[1]
    q, k, v = (p.dump(name, x @ p[weight].T + p[weight + "_bias"])
               for name, weight in (("q_proj", "W_query"), ("k_proj", "W_key"), ("v_proj", "W_value")))
    q, k, v = (p.line("split", split, one, count)
               for one, count in ((q, heads), (k, heads // group), (v, heads // group)))
    k, v = (p.dump(name, p.line("repeat", lambda x: np.repeat(x, group, 1), one))
            for name, one in (("k_repeated", k), ("v_repeated", v)))
    context = p.attend(q, k, v, above(x.shape[1], x.shape[1], 1))
    p.dump("o_proj", p.dump("context", p.line("join", join, context)) @ p["out_proj_weight"].T)


def adjacent(x, cos, sin):
    a, b = x[:, 0::2], x[:, 1::2]
    return np.stack([a * cos - b * sin, a * sin + b * cos], -1).reshape(x.shape)


def halves(x, cos, sin):
    a, b = np.split(x, 2, -1)
    return np.concatenate([a * cos - b * sin, a * sin + b * cos], -1)


def rotary(p):
    x = p["rotated/inputs"]
    q, k, v = (p.dump(name, x @ p["rotated/" + weight])
               for name, weight in (("query_states", "W_query"), ("key_states", "W_key"), ("value_states", "W_value")))
    n, d = q.shape
    base = p.line("base", lambda: 10_000.0)
    angles = p.line("positions", lambda: np.arange(n, dtype=float))[:, None] / base ** (np.arange(0, d, 2) / d)
    cos, sin = p.dump("cos", np.cos(angles)), p.dump("sin", np.sin(angles))

    rotate = p.line("rotate", lambda: halves if p.steps["halves"] else adjacent)
    q, k = p.dump("q_embed", rotate(q, cos, sin)), p.dump("k_embed", rotate(k, cos, sin))
    p.dump("attn_output", p.attend(q, k, v, above(n, n, 1)))


def cache(p):
    x = p["prompt/inputs"]
    old = len(p.steps["prompt/prompt"])
    q, k, v = (x[old:] @ p["prompt/W_query"].T, x @ p["prompt/W_key"].T, x @ p["prompt/W_value"].T)
    p.dump("new_queries", q)
    k = p.dump("keys", p.line("append", lambda cached, new: np.concatenate([cached, new]), k[:old], k[old:]))
    v = p.dump("values", p.line("append", lambda cached, new: np.concatenate([cached, new]), v[:old], v[old:]))
    p.dump("new_context_vecs", p.attend(q, k, v, above(len(q), len(k), len(k) - len(q) + 1)))


def online(p):
    q, k, v = (p["at_once/inputs"] @ p["at_once/" + weight] for weight in ("W_query", "W_key", "W_value"))
    scores = q @ k.T / k.shape[-1]**0.5
    most, total, mixed = np.full((len(q), 1), -INF), np.zeros((len(q), 1)), np.zeros_like(v)
    for i, first in enumerate(range(0, len(k), 2), 1):
        block = scores[:, first:first + 2]
        new_most = p.dump(f"block_{i}/row_max_{i}",
                          p.line("maximum", np.maximum, most, block.max(-1, keepdims=True)))
        exps = p.dump(f"block_{i}/exps_{i}", p.line("exps", lambda s, m, old: np.exp(s - m), block, new_most, most))
        factor = np.exp(most - new_most)
        total = p.dump(f"block_{i}/row_sum_{i}",
                       p.line("sum", lambda t, f, e: t * f + e.sum(-1, keepdims=True), total, factor, exps))
        mixed = p.dump(f"block_{i}/weighted_values_{i}",
                       p.line("mixed", lambda m, f, e, v: m * f + e @ v, mixed, factor, exps, v[first:first + 2]))
        most = new_most
    p.dump("combined/context_vecs", p.line("divide", lambda m, t: m / t, mixed, total))


def slopes_of(heads):
    """Press et al., "Train Short, Test Long", 2022, as their code has it."""
    power = 2 ** int(np.log2(heads))
    slopes = [2 ** (-8 * (i + 1) / power) for i in range(power)]
    return np.array(slopes + [2 ** (-8 * (i + 0.5) / power) for i in range(0, heads - power)])


def alibi(p):
    x = p["alibi/batch"]
    heads, n = p.steps["alibi/slopes"].size, x.shape[1]
    q, k, v = (split(x @ p["alibi/" + weight].T, heads) for weight in ("W_query", "W_key", "W_value"))
    scores = p.dump("attn_scores", q @ k.swapaxes(-1, -2))
    scaled = p.dump("scaled_attn_scores", scores / q.shape[-1]**0.5)
    slopes = p.dump("slopes", p.line("slopes", slopes_of, heads))
    distances = p.line("distances", lambda n: np.arange(n)[None] - np.arange(n)[:, None], n)
    biased = p.dump("biased_attn_scores", p.line(
        "bias", lambda s, b: s + b, scaled, slopes.reshape(-1, 1, 1) * distances))
    p.dump("context_vecs", join(p.attend(q, k, v, above(n, n, 1), scores=biased)))


def window(p):
    x = p["alibi/batch"]
    heads, n = p.steps["alibi/slopes"].size, x.shape[1]
    q, k, v = (split(x @ p["alibi/" + weight].T, heads) for weight in ("W_query", "W_key", "W_value"))
    size = 3
    hidden = p.dump("window/mask", p.line(
        "window", lambda n, size: above(n, n, 1) | ~above(n, n, 1 - size), n, size))
    scores = q @ k.swapaxes(-1, -2) / q.shape[-1]**0.5
    weights = p.dump("window/attn_weights", softmax(np.where(hidden, -INF, scores)))
    p.dump("window/context_vecs", join(weights @ v))


def positions(p):
    x = p["no_positions/inputs"]
    n, d = x.shape
    angles = np.arange(n)[:, None] / 10_000 ** (np.arange(0, d, 2) / d)
    encodings = p.dump("encodings", p.line(
        "encode", lambda angles: np.stack([np.sin(angles), np.cos(angles)], -1).reshape(n, d), angles))
    x = p.dump("inputs_with_positions", p.line("add", lambda x, e: x + e, x, encodings))
    q, k, v = (x @ p["no_positions/" + weight].T for weight in ("W_query", "W_key", "W_value"))
    p.dump("context_vecs", p.attend(q, k, v, np.zeros((n, n), bool)))


def padding(p):
    x = p["batch"]
    q, k, v = (p.dump(name, x @ p[weight].T + p[weight + "_bias"])
               for name, weight in (("q", "W_query"), ("k", "W_key"), ("v", "W_value")))
    lengths = np.array([x.shape[1] - 1, 3])
    hidden = np.broadcast_to(np.arange(x.shape[1])[None, None] >= lengths[:, None, None], (2, x.shape[1], x.shape[1]))
    p.dump("context", p.attend(q, k, v, hidden))


def bias(p):
    """ALiBi; with `window`, a sliding window on the same queries and keys."""
    x = p.dump("x", p["batch"])
    heads, n = p.steps["queries_heads"].shape[1], x.shape[1]
    q, k, v = (p.dump(letter, split(p.project(x, name), heads)) for letter, name in zip("qkv", ("query", "key", "value")))
    root = np.sqrt(f32(q.shape[-1]))
    slopes = p.line("slopes", lambda: p["slopes"].ravel()).reshape(-1, 1, 1)
    i, j = np.arange(n)[:, None], np.arange(n)[None]
    distances = p.line("distances", lambda i, j: j - i, i, j)
    bias = p.dump("alibi_bias", slopes * np.broadcast_to(distances, (n, n)).astype(f32))
    scores = q @ swap(k)
    biased = p.dump("biased_scores", p.line("bias", lambda s, root, bias: (s / root).astype(f32) + bias, scores, root, bias))
    masked = p.dump("masked_scores", np.where(above(n, n, 1), -INF, biased).astype(f32))
    weights = p.dump("attn_weights", p.line("weigh", lambda s, bias: softmax(s), masked, bias))
    p.dump("context", join(weights @ v))
    hidden = p.line("window", lambda n, size: above(n, n, 1) | ~above(n, n, 1 - size), n, 3)
    in_window = p.dump("window.masked_scores", np.where(hidden, -INF, (scores / root).astype(f32)).astype(f32))
    p.dump("window.attn_weights", softmax(in_window))


def encoded(p):
    """Sines and cosines added to the inputs."""
    x = p["inputs"]
    n, d = x.shape
    numbers = p.line("numbers", lambda n: np.arange(n, dtype=f32), n)[:, None]
    frequencies = p.line("frequencies", lambda exponents: 10000.0 ** -exponents, 2 * np.arange((d + 1) // 2) / d)
    angles = (numbers * f32(frequencies)).astype(np.float64)
    order = p.line("order", lambda sines, cosines: np.stack([sines, cosines], 2).reshape(n, -1), np.sin(angles), np.cos(angles))
    with_positions(p, x, "pe", order[:, :d].astype(f32))


def looked_up(p):
    """Rows of a table added to the inputs."""
    x = p["inputs"]
    numbers = p.line("numbers", np.arange, len(x))
    with_positions(p, x, "position_embeddings", p["pos_embedding_weight"][numbers])


def with_positions(p, x, name, added):
    p.dump("x", x)
    p.dump(name, added)
    positioned = p.dump("x_pe", p.line("add", lambda x, added: (x + added).astype(f32), x, added))
    q, k, v = (p.dump(letter, p.line("project", lambda x, name, added: p.project(x, name), positioned, name, added).astype(f32))
               for letter, name in zip("qkv", ("query", "key", "value")))
    scores = p.dump("scores", q @ k.T)
    weights = p.dump("attn_weights", softmax((scores / np.sqrt(f32(q.shape[1]))).astype(f32)))
    p.dump("context", weights @ v)


def backward(p):
    """A causal head, its loss, and the gradients."""
    x, target = p.dump("x", p["inputs"]), p["target"]
    q, k, v = (p.dump(letter, p.project(x, name)) for letter, name in zip("qkv", ("query", "key", "value")))
    n, root = len(x), np.sqrt(f32(q.shape[1]))
    masked = np.where(above(n, n, 1), -INF, q @ k.T).astype(f32)
    weights = p.dump("P", softmax((masked / root).astype(f32)))
    out = p.dump("O", weights @ v)
    d_out = p.dump("dO", p.line("loss", lambda out, target: out - target, out, target).astype(f32))
    d_p = p.dump("dP", d_out @ v.T)
    d_s = p.dump("dS", p.line("softmax", lambda d_p, p, root: p * (d_p - (d_p * p).sum(-1, keepdims=True)) / root,
                              d_p, weights, root).astype(f32))
    grads = (p.dump("dQ", d_s @ k), p.dump("dK", p.line("keys", lambda d_s, q: d_s.T @ q, d_s, q)),
             p.dump("dV", p.line("values", lambda p, d_out: p.T @ d_out, weights, d_out)))
    for letter, grad in zip("qkv", grads):
        p.dump("dW" + letter, grad.T @ x if "W_query_bias" in p.steps else x.T @ grad)
