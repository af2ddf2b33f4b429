"""Mistakes that people reported of real programs, planted in ports of the chapters of today's models: each has the thread that
tells it. `verify` calls the port wrong, at the tensor where the mistake is first seen, and names the cause.

    PYTHONPATH=tests /usr/bin/python3 tests/cli/threads.py build/release/attn-walkthrough
"""
import json
import os
import tempfile
import unittest

import numpy as np

import harness
from harness import run

INF = float("inf")


def softmax(scores, axis=-1):
    exps = np.exp(scores - scores.max(axis, keepdims=True))
    return exps / exps.sum(axis, keepdims=True)


def split(x, heads):
    """[batch, tokens, heads * head_dim] -> [batch, heads, tokens, head_dim]"""
    return x.reshape(*x.shape[:2], heads, -1).swapaxes(1, 2)


def join(x):
    return x.swapaxes(1, 2).reshape(x.shape[0], x.shape[2], -1)


def above(rows, columns, diagonal):
    return np.triu(np.ones((rows, columns), bool), diagonal)


class Port:
    """A program's lines, each of which `instead` may replace by a function of the right line and its operands, and the
    tensors that it dumps. Of the chapter's own steps it has inputs and weights alone."""

    def __init__(self, steps, instead):
        self.steps = steps
        self.instead = instead
        self.tensors = {}

    def __getitem__(self, step):
        return self.steps[step].astype(np.float64)

    def line(self, name, right, *operands):
        return self.instead[name](right, *operands) if name in self.instead else right(*operands)

    def dump(self, name, tensor):
        self.tensors[name] = np.asarray(tensor, np.float32 if np.asarray(tensor).dtype.kind == "f" else None)
        return tensor

    def attend(self, q, k, v, mask, prefix="", scores=None):
        if scores is None:
            scores = self.dump(prefix + "attn_scores", self.line("score", lambda q, k: q @ k.swapaxes(-1, -2), q, k))
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


# Its program, and the lesson whose numbers it has.
PORTS = {
    "grouped": (grouped, ["grouped", "--fixture"]),
    "rotary": (rotary, ["rotary", "--seed", "5", "--d-out-kq", "6", "--d-out-v", "6"]),
    "rotary halves": (rotary, ["rotary", "--seed", "5", "--d-out-kq", "6", "--d-out-v", "6", "--pair-distance", "3"]),
    "cache": (cache, ["cache", "--seed", "5"]),
    "online": (online, ["online", "--seed", "5"]),
    "alibi": (alibi, ["bias", "--num-heads", "3", "--d-out", "6"]),
    "alibi of 2 heads": (alibi, ["bias"]),
    "window": (window, ["bias", "--num-heads", "3", "--d-out", "6"]),
    "positions": (positions, ["positions", "--seed", "5"]),
    "padding": (padding, ["padding", "--fixture", "--valid-length", "3"]),
}

GITHUB = "https://github.com/"

# Thread, what went wrong there, port, lines instead, the tensor where it is first seen, words of its cause.
THREADS = [
    ("ekzhang/jax-js/pull/180", "key/value heads are tiled, not repeated", "grouped",
     {"repeat": lambda right, x: np.tile(x, (1, 2, 1, 1))}, "k_repeated", "0, 1, 0, 1, not as 0, 0, 1, 1"),
    ("PSAL-POSTECH/ONNXim/pull/34", "every query head reads key/value head 0", "grouped",
     {"repeat": lambda right, x: np.repeat(x[:, :1], 6, 1)}, "k_repeated", "every head is a copy of head 0"),
    ("reczoo/FuxiCTR/issues/30", "heads are split by view, without a transpose", "grouped",
     {"split": lambda right, x, heads: x.reshape(x.shape[0], heads, x.shape[1], -1)}, "k_repeated", "view"),
    ("jsbaan/transformer-from-scratch/pull/6", "heads are joined by reshape, without a transpose", "grouped",
     {"join": lambda right, x: x.reshape(x.shape[0], x.shape[2], -1)}, "context", "joined by view only"),
    ("chelsea0x3b/dfdx/issues/171", "divided by the root of d_model, not of head_dim", "grouped",
     {"scale": lambda right, s: s / 24**0.5}, "scaled_scores", "square root of (24|d_out|the model)"),
    ("tenstorrent/tt-metal/pull/56789", "divided by the root of num_heads, not of head_dim", "grouped",
     {"scale": lambda right, s: s / 6**0.5}, "scaled_scores", "square root of (6|num_heads|the number of heads)"),
    ("esceptico/perceiver-io/issues/9", "divided by the scale, which is a reciprocal", "grouped",
     {"scale": lambda right, s: s * 2}, "scaled_scores", "multiplied"),
    ("tenstorrent/tt-metal/issues/33304", "the scale is ignored", "grouped",
     {"scale": lambda right, s: s}, "scaled_scores", "not divided"),
    ("facebookresearch/detr/issues/247", "softmax over heads and keys together", "grouped",
     {"weigh": lambda right, s: softmax(s.swapaxes(1, 2).reshape(2, s.shape[2], -1)).reshape(
         2, s.shape[2], s.shape[1], -1).swapaxes(1, 2)}, "attn_weights", "the sum that divides it is another"),
    ("nerdai/llms-from-scratch-rs/pull/30", "softmax over the wrong axis", "grouped",
     {"weigh": lambda right, s: right(s, -2)}, "attn_weights", "over dim 2, not over the last"),
    ("huggingface/pytorch-image-models/pull/2236", "the mask is applied after softmax", "grouped",
     {"mask": lambda right, s, hidden: s, "weigh": lambda right, s: softmax(s) * ~above(*s.shape[-2:], 1)},
     "attn_weights", "masked with 0 after softmax"),
    ("InseeFrLab/torchTextClassifiers/pull/92", "the mask is inverted", "grouped",
     {"mask": lambda right, s, hidden: np.where(hidden, s, -1e9)}, "attn_weights", "inverted"),
    ("jzhang38/TinyLlama/issues/24", "halves are rotated, not adjacent pairs", "rotary",
     {"rotate": lambda right: halves}, "q_embed", "columns i and i \\+ d / 2 are rotated together"),
    ("ggml-org/llama.cpp/pull/22611", "adjacent pairs are rotated, though rows were not permuted for them", "rotary halves",
     {"rotate": lambda right: adjacent}, "q_embed", "columns 2i and 2i \\+ 1 are rotated together"),
    ("young-geng/EasyLM/pull/117", "rope_theta is ignored", "rotary",
     {"base": lambda right: 500_000.0}, "cos", "the base of the frequencies is 500000"),
    ("Blaizzy/mlx-vlm/issues/1983", "decoded tokens are rotated at position 0", "rotary",
     {"positions": lambda right: np.where(right() < 4, right(), 0.0)}, "cos", "token 4 and later ones are all 0"),
    ("pytorch/executorch/pull/2010", "the new tokens' positions count from 0 again", "rotary",
     {"positions": lambda right: np.where(right() < 4, right(), right() - 4)}, "cos", "token 4 and later ones count from 0"),
    ("skyzh/tiny-llm/pull/46", "the offset counts the prompt twice", "rotary",
     {"positions": lambda right: np.where(right() < 4, right(), right() + 4)}, "cos", "too large by 4"),
    ("huggingface/transformers/issues/22161", "a padding token on the left has position 0", "rotary",
     {"positions": lambda right: right() + 1}, "cos", "positions count from 1, not from 0"),
    ("ml-explore/mlx/pull/2836", "the causal mask starts at the first key", "cache",
     {"mask": lambda right, s, hidden: np.where(above(*s.shape, 1), -INF, s)}, "attn_weights",
     "from the first key, not from the last"),
    ("mlx-node/mlx-node/pull/24", "no mask for several tokens behind a cache", "cache",
     {"mask": lambda right, s, hidden: s}, "attn_weights", "nothing is masked"),
    ("deepseek-ai/FlashMLA/pull/177", "the factor for earlier blocks has the wrong sign", "online",
     {"sum": lambda right, t, f, e: right(t, np.divide(1, f, where=f > 0, out=np.zeros_like(f)), e),
      "mixed": lambda right, m, f, e, v: right(m, np.divide(1, f, where=f > 0, out=np.zeros_like(f)), e, v)},
     "block_3/row_sum_3", "the reciprocal"),
    ("Dao-AILab/flash-attention/issues/411", "earlier blocks are not rescaled", "online",
     {"sum": lambda right, t, f, e: t + e.sum(-1, keepdims=True), "mixed": lambda right, m, f, e, v: m + e @ v},
     "block_3/row_sum_3", "not rescaled"),
    ("meta-pytorch/attention-gym/pull/86", "the bias has the wrong sign", "alibi",
     {"distances": lambda right, n: -right(n)}, "biased_attn_scores", "biases are subtracted"),
    ("paiml/aprender/pull/2143", "slopes start at 1", "alibi of 2 heads",
     {"slopes": lambda right, heads: 2.0 ** (-8 * np.arange(heads) / heads)}, "slopes", "times 16|heads from 0"),
    ("ml-explore/mlx/pull/3071", "slopes as for a number of heads that is a power of 2", "alibi",
     {"slopes": lambda right, heads: 2.0 ** (-8 * np.arange(1, heads + 1) / heads)}, "slopes", "is no power of two"),
    ("vllm-project/vllm/pull/945", "distances are off by one", "alibi",
     {"distances": lambda right, n: right(n) - 1}, "biased_attn_scores", "plus a number of its own"),
    ("huggingface/transformers/pull/26792", "the window shows one token too many", "window",
     {"window": lambda right, n, size: right(n, size + 1)}, "window/mask", "one token too many"),
    ("unslothai/unsloth/pull/8253", "the window is left out", "window",
     {"window": lambda right, n, size: above(n, n, 1)}, "window/mask", "the window is left out"),
    ("tensorops/TransformerX/issues/115", "sines first, then cosines", "positions",
     {"encode": lambda right, angles: np.concatenate([np.sin(angles), np.cos(angles)], -1)}, "encodings",
     "the sines come first"),
    ("Kyubyong/transformer/issues/38", "each column has a frequency of its own", "positions",
     {"encode": lambda right, angles: by_column(len(angles), 2 * angles.shape[1])}, "encodings",
     "each column has a frequency of its own"),
    ("hyunwoongko/transformer/pull/40", "padded queries are masked, not padded keys", "padding",
     {"mask": lambda right, s, hidden: np.where(hidden.swapaxes(1, 2), -1e4, s)}, "attn_weights",
     "padded queries are masked, not padded keys"),
    ("ml-explore/mlx-lm/pull/1903", "every entry of the batch has the first one's mask", "padding",
     {"mask": lambda right, s, hidden: np.where(hidden[:1], -INF, s)}, "attn_weights", "mask of the first sequence"),
]

# Whose result is right all the same.
HARMLESS = [
    ("tinygrad/tinygrad/pull/2425", "1 is added where scores are visible", "grouped",
     {"mask": lambda right, s, hidden: np.where(hidden, -INF, s + 1)}),
]


def by_column(n, d):
    angles = np.arange(n)[:, None] / 10_000 ** (2 * np.arange(d) / d)
    return np.where(np.arange(d) % 2 == 0, np.sin(angles), np.cos(angles))


class Threads(unittest.TestCase):
    steps = {}

    def port(self, name, instead):
        program, arguments = PORTS[name]
        if name not in self.steps:
            with tempfile.TemporaryDirectory() as folder:
                done = run(*arguments, "--save", "steps.npz", cwd=folder)
                assert done.returncode == 0, done.stderr
                with np.load(os.path.join(folder, "steps.npz")) as archive:
                    self.steps[name] = {step: archive[step] for step in archive.files}
                    self.steps[name]["halves"] = "--pair-distance" in arguments
        port = Port(self.steps[name], instead)
        program(port)
        return port.tensors

    def verify(self, name, tensors):
        with tempfile.TemporaryDirectory() as folder:
            np.savez(os.path.join(folder, "port.npz"), **tensors)
            arguments = PORTS[name][1]
            done = run("verify", "port.npz", "--chapter", *arguments, "--format", "json", cwd=folder)
            self.assertEqual(done.stderr, b"", name)
            return done.returncode, json.loads(done.stdout)

    def test_right_ports_are_right(self):
        for name in PORTS:
            code, report = self.verify(name, self.port(name, {}))
            wrong = [step for step in report["steps"] if step["verdict"] != "holds"]
            self.assertEqual((code, wrong, report.get("unmatched", [])), (0, [], []), name)

    def test_what_threads_report_is_found(self):
        for thread, what, name, instead, place, cause in harness.sample(THREADS):
            with self.subTest(thread=GITHUB + thread, what=what):
                code, report = self.verify(name, self.port(name, instead))
                accused = [step for step in report["steps"] if step["verdict"] not in ("holds", "inherited")]
                self.assertEqual((code, accused[0]["theirs"]), (1, place))
                self.assertRegex(" / ".join(one["sentence"] for one in accused[0]["causes"]), cause)

    def test_what_does_no_harm_is_right(self):
        for thread, what, name, instead in HARMLESS:
            with self.subTest(thread=GITHUB + thread, what=what):
                self.assertEqual(self.verify(name, self.port(name, instead))[0], 0)


if __name__ == "__main__":
    harness.main()
