"""Ports of today's attention and of models' layers, computed in numpy of the inputs and weights that the tool saves or a
checkpoint holds: right ones pass whatever they are called. Mistakes are planted in them, many of which people reported of
real programs: `verify` calls the port wrong, at the tensor where the mistake is first seen, and names the cause."""
import functools
import os
import pathlib
import re
import tempfile
import unittest

import numpy as np

import checkpoints
import harness
from harness import rows_of, run, sample
from port_mistakes import lines, softmax, swap
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
    dumped where that is empty. Of the chapter's own steps it has inputs and weights alone: by their paths, or by their
    names, the first section's where several have one."""

    def __init__(self, steps, instead, dtype, called):
        self.steps = dict(steps)
        for path, step in steps.items():
            self.steps.setdefault(path.rpartition("/")[2], step)
        self.instead, self.dtype, self.called = instead, dtype, called
        self.tensors = {}

    def __getitem__(self, step):
        return self.steps[step].astype(self.dtype)

    def line(self, name, right, *operands):
        return self.instead[name](self, right, *operands) if name in self.instead else right(*operands)

    def dump(self, name, tensor):
        name = self.called.get(name, name)
        if name:
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


# Of each the program, the lesson, the type, and how it calls its tensors.
PORTS = {name: (program, lesson, np.dtype(dtype).type, dict(pair.split("=") for pair in " ".join(called).split()))
         for name, program, lesson, dtype, *called in rows_of(pathlib.Path(__file__).with_name("ports_called"))}

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
        globals()[program](port)
        code, (report,) = verified(compared, [port.tensors])
        return code, report

    def test_right_ones_pass(self):
        for name, *text in [(name,) for name in PORTS] + HARMLESS:
            with self.subTest(port=name, lines=text):
                code, report = self.verify(name, *text)
                wrong = [step for step in report["steps"] if step["verdict"] != "holds"]
                self.assertEqual((code, wrong, report.get("unmatched", [])), (0, [], []))

    def test_mistakes_are_found_and_named(self):
        for thread, name, text, place, cause in sample(rows_of(__file__)):
            with self.subTest(thread="https://github.com/" + thread, port=name, lines=text):
                code, report = self.verify(name, text)
                accused = [step for step in report["steps"] if step["verdict"] not in ("holds", "inherited")]
                self.assertEqual(code, 1)
                self.assertRegex(accused[0]["theirs"], rf"\A(model\.layers\.0\.)?({place})\Z")
                causes = [f"{' '.join(one['names'])}: {one['sentence']}" for one in accused[0]["causes"]]
                self.assertTrue(any(re.search(cause, one) for one in causes) or cause == ".", causes)


if __name__ == "__main__":
    harness.main()
