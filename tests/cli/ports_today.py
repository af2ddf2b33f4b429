"""Ports of today's attention and of models' layers, computed in numpy of the inputs and weights that the tool saves or a
checkpoint holds: right ones pass whatever they are called. Mistakes are planted in them, many of which people reported of
real programs: `verify` calls the port wrong, at the tensor where the mistake is first seen, and names the cause.

    PYTHONPATH=tests /usr/bin/python3 tests/cli/ports_today.py build/release/attn-walkthrough
"""
import functools
import os
import re
import tempfile
import unittest

import numpy as np

import checkpoints
import harness
from harness import run, sample
from port_mistakes import lines, rows_of, softmax, swap
from ports import verified

INF = float("inf")
f32 = np.float32


def split(x, heads):
    """[..., tokens, heads * head_dim] -> [..., heads, tokens, head_dim]"""
    return x.reshape(*x.shape[:-1], heads, -1).swapaxes(-3, -2)


def join(x):
    return x.swapaxes(-3, -2).reshape(*x.shape[:-3], x.shape[-2], -1)


def repeat(x, group):
    return np.repeat(x, group, -3)


def above(rows, columns, diagonal):
    return np.triu(np.ones((rows, columns), bool), diagonal)


def window(n, size):
    return above(n, n, 1) | ~above(n, n, 1 - size)


class Port:
    """A program's lines, each of which `instead` may replace, and the tensors that it dumps, `called` otherwise, or not
    dumped where that is None. Of the chapter's own steps it has inputs and weights alone: by their paths, or by their
    names, the first section's where several have one."""

    def __init__(self, steps, instead, dtype=np.float64, called=()):
        self.steps = dict(steps)
        for path, step in steps.items():
            self.steps.setdefault(path.rpartition("/")[2], step)
        self.instead, self.dtype, self.called = instead, dtype, dict(called)
        self.tensors = {}

    def __getitem__(self, step):
        return self.steps[step].astype(self.dtype)

    def line(self, name, right, *operands):
        return self.instead[name](self, right, *operands) if name in self.instead else right(*operands)

    def dump(self, name, tensor):
        name = self.called.get(name, name)
        if name is not None:
            self.tensors[name] = np.asarray(tensor, f32 if np.asarray(tensor).dtype.kind == "f" else None)
        return tensor

    def project(self, x, name):
        """x @ W.T + b, of nn.Linear's weight, or x @ W where that alone can be."""
        weight, bias = self["W_" + name], "W_" + name + "_bias"
        return x @ (weight.T if weight.shape[1] == x.shape[-1] else weight) + (self[bias] if bias in self.steps else 0)

    def attend(self, q, k, v, hidden, names=("attn_scores", "scaled_scores", None, "attn_weights")):
        scores = self.dump(names[0], q @ swap(k))
        scaled = self.dump(names[1], self.line("scale", lambda s: s / k.shape[-1]**0.5, scores))
        masked = self.dump(names[2], self.line("mask", lambda s, hidden: np.where(hidden, -INF, s), scaled, hidden))
        return self.dump(names[3], self.line("weigh", lambda s: softmax(s), masked)) @ v


def grouped(p):
    x, group = p["batch"], 2
    heads = p.steps["queries_heads"].shape[1]
    q, k, v = (p.dump(name, x @ p[weight].T + p[weight + "_bias"])
               for name, weight in (("q_proj", "W_query"), ("k_proj", "W_key"), ("v_proj", "W_value")))
    q, k, v = (p.line("split", split, one, count)
               for one, count in ((q, heads), (k, heads // group), (v, heads // group)))
    k, v = (p.dump(name, p.line("repeat", repeat, one, group)) for name, one in (("k_repeated", k), ("v_repeated", v)))
    context = p.attend(q, k, v, above(x.shape[1], x.shape[1], 1))
    p.dump("o_proj", p.dump("context", p.line("join", join, context)) @ p["out_proj_weight"].T)


def adjacent(x, cos, sin):
    a, b = x[..., 0::2], x[..., 1::2]
    return np.stack([a * cos - b * sin, a * sin + b * cos], -1).reshape(x.shape)


def halves(x, cos, sin):
    a, b = np.split(x, 2, -1)
    return np.concatenate([a * cos - b * sin, a * sin + b * cos], -1)


def turning(p, n, d, theta):
    """The cosines and sines of RoPE."""
    base = p.line("base", lambda theta: theta, theta)
    angles = p.line("positions", lambda n: np.arange(n), n)[:, None] / base ** (np.arange(0, d, 2) / d)
    return np.cos(angles), np.sin(angles)


def rotary(p):
    x = p["rotated/inputs"]
    q, k, v = (p.dump(name, x @ p["rotated/" + weight])
               for name, weight in (("query_states", "W_query"), ("key_states", "W_key"), ("value_states", "W_value")))
    cos, sin = map(p.dump, ("cos", "sin"), turning(p, *q.shape, 10_000.0))
    rotate = halves if p.steps["halves"] else adjacent
    q, k = (p.dump(name, p.line("rotate", rotate, one, cos, sin)) for name, one in (("q_embed", q), ("k_embed", k)))
    p.dump("attn_output", p.attend(q, k, v, above(len(x), len(x), 1)))


def cache(p):
    x = p["prompt/inputs"]
    old = len(p.steps["prompt/prompt"])
    q, k, v = (x[old:] @ p["prompt/W_query"].T, x @ p["prompt/W_key"].T, x @ p["prompt/W_value"].T)
    q, k, v = map(p.dump, ("new_queries", "keys", "values"), (q, k, v))
    p.dump("new_context_vecs", p.attend(q, k, v, above(len(q), len(k), len(k) - len(q) + 1)))


def online(p):
    q, k, v = (p["at_once/inputs"] @ p["at_once/" + weight] for weight in ("W_query", "W_key", "W_value"))
    scores = q @ k.T / k.shape[-1]**0.5
    most, total, mixed = np.full((len(q), 1), -INF), np.zeros((len(q), 1)), np.zeros_like(v)
    for i, first in enumerate(range(0, len(k), 2), 1):
        block = scores[:, first:first + 2]
        grown = p.dump(f"block_{i}/row_max_{i}", np.maximum(most, block.max(-1, keepdims=True)))
        exps = p.dump(f"block_{i}/exps_{i}", np.exp(block - grown))
        factor = p.line("factor", lambda most, grown: np.exp(most - grown), most, grown)
        total = p.dump(f"block_{i}/row_sum_{i}", total * factor + exps.sum(-1, keepdims=True))
        mixed = p.dump(f"block_{i}/weighted_values_{i}", mixed * factor + exps @ v[first:first + 2])
        most = grown
    p.dump("combined/context_vecs", mixed / total)


def slopes_of(heads):
    """Press et al., "Train Short, Test Long", 2022, as their code has it."""
    power = 2 ** int(np.log2(heads))
    slopes = [2 ** (-8 * (i + 1) / power) for i in range(power)]
    return np.array(slopes + [2 ** (-8 * (i + 0.5) / power) for i in range(0, heads - power)])


def bias(p):
    """ALiBi; and a sliding window on the same queries and keys."""
    x = p.dump("x", p["batch"])
    heads, n = p.steps["queries_heads"].shape[1], x.shape[1]
    q, k, v = (p.dump(letter, split(p.project(x, name), heads)) for letter, name in zip("qkv", ("query", "key", "value")))
    scores, root = p.dump("scores", q @ swap(k)), k.shape[-1]**0.5
    scaled = p.dump("scaled_scores", scores / root)
    slopes = p.dump("slopes", p.line("slopes", slopes_of, heads)).reshape(-1, 1, 1)
    distances = p.line("distances", lambda i, j: j - i, np.arange(n)[:, None], np.arange(n)[None])
    bias = p.dump("alibi_bias", slopes * np.broadcast_to(distances, (n, n)))
    biased = p.dump("biased_scores", p.line("bias", lambda s, root, bias: s / root + bias, scores, root, bias))
    masked = p.dump("masked_scores", np.where(above(n, n, 1), -INF, biased))
    weights = p.dump("attn_weights", p.line("weigh", lambda s, bias: softmax(s), masked, bias))
    p.dump("context", join(weights @ v))
    hidden = p.dump("window.mask", p.line("window", window, n, 3))
    in_window = p.dump("window.masked_scores", np.where(hidden, -INF, scaled))
    p.dump("window.context", join(p.dump("window.attn_weights", softmax(in_window)) @ v))


def padding(p):
    x = p["batch"]
    q, k, v = (p.dump(letter, p.project(x, name)) for letter, name in zip("qkv", ("query", "key", "value")))
    lengths = np.array([x.shape[1] - 1, 3])
    hidden = np.broadcast_to(np.arange(x.shape[1])[None, None] >= lengths[:, None, None], (2, x.shape[1], x.shape[1]))
    p.dump("context", p.attend(q, k, v, hidden))


def sinks(p):
    """As gpt-oss in transformers computes it."""
    x, heads = p["batch"], p.steps["sinks"].shape[0]
    q, k, v = (p.dump(name + "_states", split(p.project(x, name), heads)) for name in ("query", "key", "value"))
    scores = np.where(above(x.shape[1], x.shape[1], 1), -INF, q @ swap(k) / k.shape[-1]**0.5)
    sinks = np.broadcast_to(p.line("sinks", lambda sinks: sinks.reshape(1, -1, 1, 1), p["sinks"]), (*scores.shape[:-1], 1))
    probs = p.dump("probs", softmax(p.dump("combined_logits", np.concatenate([scores, sinks], -1))))
    weights = p.dump("attn_weights", p.line("drop", lambda probs, s: probs[..., :-1], probs, scores))
    p.dump("attn_output", join(weights @ v))


def encoded(p):
    """Sines and cosines added to the inputs."""
    n, d = p["inputs"].shape
    numbers = p.line("numbers", lambda n: np.arange(n, dtype=p.dtype), n)[:, None]
    frequencies = p.line("frequencies", lambda exponents: 10000.0 ** -exponents, 2 * np.arange((d + 1) // 2) / d)
    angles = (numbers * frequencies.astype(p.dtype)).astype(np.float64)
    order = lambda sines, cosines: np.stack([sines, cosines], 2).reshape(n, -1)
    with_positions(p, "pe", p.line("order", order, np.sin(angles), np.cos(angles))[:, :d].astype(p.dtype))


def looked_up(p):
    """Rows of a table added to the inputs."""
    numbers = p.line("numbers", lambda n: np.arange(n), len(p["inputs"]))
    with_positions(p, "position_embeddings", p["pos_embedding_weight"][numbers])


def with_positions(p, name, added):
    x = p.dump("x", p["inputs"])
    p.dump(name, added)
    positioned = p.dump("x_pe", p.line("add", lambda x, added: x + added, x, added))
    q, k, v = (p.dump(letter, p.line("project", lambda x, name, added: p.project(x, name), positioned, name, added))
               for letter, name in zip("qkv", ("query", "key", "value")))
    p.dump("context", p.attend(q, k, v, np.zeros((len(x), len(x)), bool), ("scores", None, None, "attn_weights")))


def backward(p):
    """A causal head, its loss, and the gradients."""
    x, target = p.dump("x", p["inputs"]), p["target"]
    q, k, v = (p.dump(letter, p.project(x, name)) for letter, name in zip("qkv", ("query", "key", "value")))
    n, root = len(x), q.shape[1]**0.5
    weights = p.dump("P", softmax(np.where(above(n, n, 1), -INF, q @ k.T) / root))
    d_out = p.dump("dO", p.dump("O", weights @ v) - target)
    d_p = p.dump("dP", d_out @ v.T)
    through_softmax = lambda d_p, weights, root: weights * (d_p - (d_p * weights).sum(-1, keepdims=True)) / root
    d_s = p.dump("dS", p.line("softmax", through_softmax, d_p, weights, root))
    grads = (p.dump("dQ", d_s @ k), p.dump("dK", p.line("keys", lambda d_s, q: d_s.T @ q, d_s, q)),
             p.dump("dV", p.line("values", lambda w, d_out: w.T @ d_out, weights, d_out)))
    for letter, grad in zip("qkv", grads):
        p.dump("dW" + letter, grad.T @ x if "W_query_bias" in p.steps else x.T @ grad)


def gpt2(p):
    """A layer, its tensors by names as PyTorch's hooks would give them; with words, their embeddings before it."""
    x, at = p["x"], "h.0."
    if "ids" in p.steps:
        tokens = p.dump("wte", p["wte.weight"][p.steps["ids"]])
        positions = p.dump("wpe", p.line("wpe", lambda table, n: table[:n], p["wpe.weight"], len(tokens)))
        x = p.dump("hidden_states", tokens + positions)

    def norm(x, weight, bias, eps):
        return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps) * weight + bias

    eps = p.line("eps", lambda eps: eps, 1e-5)
    normed = p.dump(at + "ln_1", p.line("norm", norm, x, p[at + "ln_1.weight"], p[at + "ln_1.bias"], eps))
    entered = p.line("enter", lambda x, normed: normed, x, normed)
    qkv = p.dump(at + "attn.c_attn", p.line("fuse", lambda x, weight, bias: x @ weight + bias, entered,
                                            p[at + "attn.c_attn.weight"], p[at + "attn.c_attn.bias"]))
    parts = p.line("part", lambda qkv: np.split(qkv, 3, 1), qkv)
    q, k, v = (p.dump(at + "attn." + letter, split(part, 3)) for letter, part in zip("qkv", parts))
    context = p.attend(q, k, v, above(len(x), len(x), 1), (None, None, at + "attn.scores", at + "attn.weights"))
    context = p.dump(at + "attn.context", p.line("join", join, context))
    output = p.dump(at + "attn.c_proj", context @ p[at + "attn.c_proj.weight"] + p[at + "attn.c_proj.bias"])
    p.dump(at + "residual", p.line("residual", lambda output, x, normed: output + x, output, x, normed))


def mistral(p):
    """A layer of a Llama with a sliding window."""
    x, at, heads, group = p["x"], "model.layers.0.", 4, 2
    weight = lambda name: p[f"{at}self_attn.{name}_proj.weight"].T

    def norm(x, weight, eps):
        return x / np.sqrt((x**2).mean(-1, keepdims=True) + eps) * weight

    eps = p.line("eps", lambda eps: eps, p.steps["rms_norm_eps"])
    normed = p.dump(at + "input_layernorm", p.line("norm", norm, x, p[at + "input_layernorm.weight"], eps))
    q, k, v = (p.dump(f"{at}self_attn.{letter}_proj", normed @ weight(letter)) for letter in "qkv")
    q, k, v = split(q, heads), split(k, heads // group), split(v, heads // group)
    turned = turning(p, len(x), q.shape[-1], p.steps["rope_theta"])
    q, k = (p.dump(f"{at}self_attn.{letter}_rot", p.line("rotate", halves, one, *turned))
            for letter, one in (("q", q), ("k", k)))
    k, v = (p.line("repeat", repeat, one, group) for one in (k, v))
    context = p.attend(q, k, v, p.line("window", window, len(x), 3),
                       (None, at + "self_attn.scores", None, at + "self_attn.attn_weights"))
    output = p.dump(at + "self_attn.o_proj", join(context) @ weight("o"))
    p.dump(at + "resid_mid", p.line("residual", lambda output, x: output + x, output, x))


ALIBI = {"x": None, "q": None, "k": None, "v": None, "scores": "attn_scores", "scaled_scores": "scaled_attn_scores",
         "alibi_bias": None, "biased_scores": "biased_attn_scores", "masked_scores": None, "context": "context_vecs",
         "window.mask": "window/mask", "window.masked_scores": None, "window.attn_weights": "window/attn_weights",
         "window.context": "window/context_vecs"}
BIAS = {"scores": None, "scaled_scores": None, "slopes": None, "window.mask": None, "window.context": None}
BLOOM = {**BIAS, "x": "hidden_states", "q": "query_layer", "k": "key_layer", "v": "value_layer", "alibi_bias": "alibi",
         "biased_scores": "attention_scores", "attn_weights": "attention_probs", "context": "context_layer"}
ADDED = {"x": None, "pe": "encodings", "x_pe": "inputs_with_positions", "q": None, "k": None, "v": None,
         "scores": "attn_scores", "context": "context_vecs"}
SECTIONED = {"x_pe": None, **{name: "sinusoidal." + name for name in "x pe q k v scores attn_weights context".split()}}

# Its program, the lesson or model whose numbers it has, the type that it computes in, and how it calls its tensors.
PORTS = {
    "grouped": (grouped, "grouped --fixture"),
    "rotary": (rotary, "rotary --seed 5 --d-out-kq 6 --d-out-v 6"),
    "rotary halves": (rotary, "rotary --seed 5 --d-out-kq 6 --d-out-v 6 --pair-distance 3"),
    "cache": (cache, "cache --seed 5"),
    "online": (online, "online --seed 5"),
    "alibi": (bias, "bias --num-heads 3 --d-out 6", np.float64, ALIBI),
    "alibi of 2 heads": (bias, "bias", np.float64, ALIBI),
    "bias": (bias, "bias --fixture", f32, BIAS),
    "BLOOM": (bias, "bias --fixture", f32, BLOOM),
    "padding": (padding, "padding --fixture --valid-length 3"),
    "sinks": (sinks, "sinks --fixture"),
    "sinks' weights": (sinks, "sinks --fixture", np.float64, {"combined_logits": None, "probs": None}),
    "positions": (encoded, "positions --seed 5", np.float64, ADDED),
    "encoded": (encoded, "positions --fixture", f32),
    "encoded after projection": (encoded, "positions --tokens 5 --d-in 6 --d-out 6 --qkv-bias", f32, SECTIONED),
    "looked up": (looked_up, "positions --fixture", f32),
    "backward": (backward, "backward --fixture", f32),
    "backward of matrices": (backward, "backward --tokens 7 --d-in 4 --d-out 3", f32),
    "GPT-2": (gpt2, "gpt2"),
    "GPT-2 of words": (gpt2, "gpt2 --sentence"),
    "Mistral": (mistral, "llama"),
}

# Thread on GitHub, port, lines instead, the tensor where it is first seen, what is said of its cause.
MISTAKES = r"""
ekzhang/jax-js/pull/180  grouped  repeat: np.tile(x, (1, 2, 1, 1))  k_repeated  0, 1, 0, 1, not as 0, 0, 1, 1
PSAL-POSTECH/ONNXim/pull/34  grouped  repeat: np.repeat(x[:, :1], 6, 1)  k_repeated  every head is a copy of head 0
reczoo/FuxiCTR/issues/30  grouped  split: x.reshape(len(x), heads, x.shape[1], -1)  k_repeated  view
jsbaan/transformer-from-scratch/pull/6  grouped  join: x.reshape(len(x), x.shape[2], -1)  context  joined by view only
chelsea0x3b/dfdx/issues/171  grouped  scale: s / 24**0.5  scaled_scores  square root of (24|d_out|the model)
tenstorrent/tt-metal/pull/56789  grouped  scale: s / 6**0.5  scaled_scores
      square root of (6|num_heads|the number of heads)
esceptico/perceiver-io/issues/9  grouped  scale: s * 2  scaled_scores  multiplied
tenstorrent/tt-metal/issues/33304  grouped  scale: s  scaled_scores  not divided
facebookresearch/detr/issues/247  grouped
      weigh: softmax(s.swapaxes(1, 2).reshape(2, s.shape[2], -1)).reshape(s.swapaxes(1, 2).shape).swapaxes(1, 2)
      attn_weights  the sum that divides it is another
nerdai/llms-from-scratch-rs/pull/30  grouped  weigh: softmax(s, -2)  attn_weights  over dim 2, not over the last
huggingface/pytorch-image-models/pull/2236  grouped  mask: s; weigh: softmax(s) * ~above(*s.shape[-2:], 1)  attn_weights
      masked with 0 after softmax
InseeFrLab/torchTextClassifiers/pull/92  grouped  mask: np.where(hidden, s, -1e9)  attn_weights  inverted
jzhang38/TinyLlama/issues/24  rotary  rotate: halves(x, cos, sin)  q_embed  columns i and i \+ d / 2 are rotated together
ggml-org/llama.cpp/pull/22611  rotary halves  rotate: adjacent(x, cos, sin)  q_embed
      columns 2i and 2i \+ 1 are rotated together
young-geng/EasyLM/pull/117  rotary  base: 500_000.0  cos  the base of the frequencies is 500000
Blaizzy/mlx-vlm/issues/1983  rotary  positions: np.where(y < 4, y, 0)  cos  token 4 and later ones are all 0
pytorch/executorch/pull/2010  rotary  positions: np.where(y < 4, y, y - 4)  cos  token 4 and later ones count from 0
skyzh/tiny-llm/pull/46  rotary  positions: np.where(y < 4, y, y + 4)  cos  too large by 4
huggingface/transformers/issues/22161  rotary  positions: y + 1  cos  positions count from 1, not from 0
ml-explore/mlx/pull/2836  cache  mask: np.where(above(*s.shape, 1), -INF, s)  attn_weights
      from the first key, not from the last
mlx-node/mlx-node/pull/24  cache  mask: s  attn_weights  nothing is masked
deepseek-ai/FlashMLA/pull/177  online  factor: np.where(y > 0, np.exp(grown - most), 0)  block_3/row_sum_3  the reciprocal
Dao-AILab/flash-attention/issues/411  online  factor: 1 + 0 * y  block_3/row_sum_3  not rescaled
meta-pytorch/attention-gym/pull/86  alibi  distances: i - j  biased_attn_scores  biases are subtracted
paiml/aprender/pull/2143  alibi of 2 heads  slopes: 2.0 ** (-8 * np.arange(heads) / heads)  slopes  times 16|heads from 0
ml-explore/mlx/pull/3071  alibi  slopes: 2.0 ** (-8 * np.arange(1, heads + 1) / heads)  slopes  is no power of two
vllm-project/vllm/pull/945  alibi  distances: j - i - 1  biased_attn_scores  plus a number of its own
huggingface/transformers/pull/26792  alibi  window: right(n, size + 1)  window/mask  one token too many
unslothai/unsloth/pull/8253  alibi  window: above(n, n, 1)  window/mask  the window is left out
tensorops/TransformerX/issues/115  positions  order: np.concatenate([sines, cosines], -1)  encodings  the sines come first
Kyubyong/transformer/issues/38  positions  order: by_column(len(sines), 2 * sines.shape[1])  encodings
      each column has a frequency of its own
hyunwoongko/transformer/pull/40  padding  mask: np.where(hidden.swapaxes(1, 2), -1e4, s)  attn_weights
      padded queries are masked, not padded keys
ml-explore/mlx-lm/pull/1903  padding  mask: np.where(hidden[:1], -INF, s)  attn_weights  mask of the first sequence
vllm-project/vllm/pull/52156  sinks  drop: softmax(s)  attn_weights  the sink is left out of softmax
XPU-Forces/mojo_opset/pull/262  sinks  sinks: 0 * y  combined_logits  the sinks are 0
-  bias  bias: s / root - bias  biased_scores  bias-sign
-  bias  bias: s / root; weigh: y + bias  biased_scores|attn_weights  bias-after-softmax
-  bias  bias: (s + bias) / root  biased_scores  bias-before-scaling
-  bias  slopes: np.full(3, 2 ** -4)  alibi_bias  same-slope
-  bias  slopes: 2.0 ** (-8 * np.arange(1, 4) / 3)  alibi_bias  slopes-by-count
-  bias  slopes: 2.0 ** (-8 * np.arange(3) / 3)  alibi_bias  slopes-from-zero
-  bias  window: right(n, 4)  window.masked_scores  window-off-by-one
-  bias  window: right(n, 2)  window.masked_scores  window-too-small|mask-window
-  bias  window: right(n, 99)  window.masked_scores  no-window
-  sinks' weights  drop: y / y.sum(-1, keepdims=True)  attn_weights  no-sink
-  sinks' weights  sinks: 0 * y  attn_weights  zero-sink
-  encoded  numbers: y + 1  pe  positions-from-one
-  encoded  order: np.concatenate([sines, cosines], 1)  pe  sines-first
-  encoded  frequencies: right(exponents / 2)  pe  half-exponent
-  encoded  add: x  x_pe  no-positions
-  looked up  numbers: y + 1  position_embeddings  positions-from-one
-  encoded after projection  add: x; project: y + added  sinusoidal.[qkv]  positions-after-projection
-  backward  softmax: weights * d_p / root  d[A-Z].*  no-row-sum
-  backward  softmax: right(d_p, weights, 1)  d[A-Z].*  unscaled-gradient
-  backward  values: w @ d_out  dV  untransposed-weights
-  backward  keys: d_s @ q  dK  untransposed-scores
-  GPT-2  eps: 0  h.0.ln_1  nothing is added under the root
huggingface/candle/pull/271  GPT-2  eps: 1e-3  h.0.ln_1  eps is 1e-3
nntile/nntile/pull/358  GPT-2  norm: x / np.sqrt((x**2).mean(-1, keepdims=True) + eps) * weight + bias  h.0.ln_1
      does not subtract the mean
-  GPT-2  norm: y - bias  h.0.ln_1  the norm's bias is left out
-  GPT-2  enter: x  h.0.attn.c_attn  .
sbryngelson/ANEForge/pull/253  GPT-2  fuse: x @ weight  h.0.attn.c_attn  the bias is left out
lablup/mlxcel/pull/928  GPT-2  part: qkv.reshape(5, 3, 3, 4).transpose(2, 0, 1, 3).reshape(3, 5, 12)  h.0.attn.q
      head by head
lucidrains/vit-pytorch/issues/65  GPT-2  scale: s / 12**0.5  h.0.attn.scores  square root of 12
-  GPT-2  scale: s  h.0.attn.weights  not divided by the square root
-  GPT-2  mask: s  h.0.attn.weights  nothing is masked
ajhalthor/Transformer-Neural-Network/pull/4  GPT-2  join: x.reshape(5, 12)  h.0.attn.context  joined by view only
-  GPT-2  residual: output  h.0.residual  is not added
Howuhh/faster-trajectory-transformer/issues/3  GPT-2  residual: output + normed  h.0.residual
      the normed hidden states are added
-  GPT-2 of words  wpe: table[1:n + 1]  wpe  .
-  Mistral  eps: 0  input_layernorm  nothing is added under the root
Lightning-AI/lit-llama/pull/339  Mistral  eps: 1e-3  input_layernorm  eps is 1e-3
-  Mistral  norm: right(x - x.mean(-1, keepdims=True), weight, eps)  input_layernorm  LayerNorm for RMSNorm
-  Mistral  norm: right(x, weight + 1, eps)  input_layernorm  weight \+ 1
ggml-org/llama.cpp/issues/3018  Mistral  rotate: adjacent(x, cos, sin)  self_attn.q_rot  columns 2i and 2i \+ 1
-  Mistral  positions: y + 1  self_attn.q_rot  count from 1
lyogavin/airllm/pull/369  Mistral  base: 500_000  self_attn.q_rot  the base of the frequencies is 500000
Blaizzy/mlx-vlm/pull/1993  Mistral  positions: np.where(y < 3, y, 0)  self_attn.q_rot  token 3 and later ones are all 0
ekzhang/jax-js/pull/180  Mistral  repeat: np.tile(x, (2, 1, 1))  self_attn.scores  0, 1, 0, 1
-  Mistral  scale: s / 24**0.5  self_attn.scores  square root of
-  Mistral  window: y & ~above(n, n, 1)  self_attn.attn_weights  such as \[0, 1\], which should be hidden
huggingface/transformers/issues/29777  Mistral  window: above(n, n, 1)  self_attn.attn_weights  the window is left out
ml-explore/mlx-lm/pull/390  Mistral  window: right(n, size + 1)  self_attn.attn_weights  one token too many
-  Mistral  residual: output  resid_mid  is not added
"""

# Whose result is right all the same: 1 is added where scores are visible (tinygrad/tinygrad/pull/2425), or distances
# count from the first key, which softmax does not see.
HARMLESS = [("grouped", "mask: np.where(hidden, -INF, s + 1)"), ("BLOOM", "distances: j + 0 * i")]


def by_column(n, d):
    angles = np.arange(n)[:, None] / 10_000 ** (2 * np.arange(d) / d)
    return np.where(np.arange(d) % 2 == 0, np.sin(angles), np.cos(angles))


FOLDER = tempfile.TemporaryDirectory()
IDS = [4, 13, 14]  # of "Your journey starts", in checkpoints.py


@functools.cache
def given(lesson):
    """What a port of a chapter or a model is given, and what `verify` compares it with."""
    folder = tempfile.mkdtemp(dir=FOLDER.name)
    path = lambda name: os.path.join(folder, name)
    name, *options = lesson.split()
    if name in ("gpt2", "llama"):
        dice = np.random.default_rng(harness.day())
        if name == "gpt2":
            tensors, config = checkpoints.gpt2(dice, 12, 3, 2)
        else:
            tensors, config = checkpoints.llama(dice, 12, 4, 2, 6, 2, model_type="mistral", sliding_window=3)
        held = checkpoints.save(path("model.safetensors"), tensors, "F32")
        checkpoints.save_config(folder, config)
        checkpoints.save_tokenizer(folder, checkpoints.byte_level_tokenizer())
        x = dice.standard_normal((5, 12)).astype(f32) / 50  # so that eps counts
        np.save(path("x.npy"), x)
        entered = ["--sentence", "Your journey starts"] if options else ["--inputs", path("x.npy")]
        ids = {"ids": IDS} if options else {}
        return {**config, **held, **ids, "x": x}, ["--layer", "0", "--weights", path("model.safetensors"), *entered]
    done = run(name, *options, "--save", path("steps.npz"))
    assert done.returncode == 0, done.stderr
    with np.load(path("steps.npz")) as archive:
        steps = {step: archive[step] for step in archive.files}
    return {**steps, "halves": "--pair-distance" in options}, ["--chapter", name, *options]


class PortsToday(unittest.TestCase):
    def verify(self, name, text=""):
        """The exit code and the report of a port with these lines."""
        program, lesson, *how = PORTS[name]
        steps, compared = given(lesson)
        port = Port(steps, lines(text, **globals()), *how)
        program(port)
        code, (report,) = verified(compared, [port.tensors])
        return code, report

    def test_right_ones_pass(self):
        for name, *text in [(name,) for name in PORTS] + HARMLESS:
            with self.subTest(port=name, lines=text):
                code, report = self.verify(name, *text)
                wrong = [step for step in report["steps"] if step["verdict"] != "holds"]
                self.assertEqual((code, wrong, report.get("unmatched", [])), (0, [], []))

    def test_mistakes_are_found_and_named(self):
        for thread, name, text, place, cause in sample(rows_of(MISTAKES)):
            with self.subTest(thread="https://github.com/" + thread, port=name, lines=text):
                code, report = self.verify(name, text)
                accused = [step for step in report["steps"] if step["verdict"] not in ("holds", "inherited")]
                self.assertEqual(code, 1)
                self.assertRegex(accused[0]["theirs"], rf"\A(model\.layers\.0\.)?({place})\Z")
                causes = [f"{' '.join(one['names'])}: {one['sentence']}" for one in accused[0]["causes"]]
                self.assertTrue(any(re.search(cause, one) for one in causes) or cause == ".", causes)


if __name__ == "__main__":
    harness.main()
