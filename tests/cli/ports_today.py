"""Ports of today's attention, computed in numpy of the inputs and weights that the tool saves: right ones pass whatever
they are called. Mistakes are planted in them, many of which people reported of real programs: each of these has the thread
that tells it. `verify` calls the port wrong, at the tensor where the mistake is first seen, and names the cause.

    PYTHONPATH=tests /usr/bin/python3 tests/cli/ports_today.py build/release/attn-walkthrough
"""
import functools
import json
import os
import re
import tempfile
import unittest

import numpy as np

import harness
from harness import run, sample
from port_mistakes import softmax
from ports_of_today import (INF, Port, above, adjacent, alibi, backward, bias, cache, encoded, f32, grouped, halves, looked_up,
                            online, padding, positions, rotary, sinks, window)

BLOOM = {"x": "hidden_states", "q": "query_layer", "k": "key_layer", "v": "value_layer", "alibi_bias": "alibi",
         "biased_scores": "attention_scores", "attn_weights": "attention_probs", "context": "context_layer"}
SECTIONED = {"x_pe": None, **{name: "sinusoidal." + name for name in "x pe q k v scores attn_weights context".split()}}

# Its program, the lesson whose numbers it has, the type that it computes in, and how it calls its tensors.
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
    "sinks": (sinks, ["sinks", "--fixture"]),
    "sinks, weights alone": (sinks, ["sinks", "--fixture"], np.float64, {"combined_logits": None, "probs": None}),
    # What follows computes in float32.
    "bias": (bias, ["bias", "--fixture"], f32),
    "bias, as BLOOM names it": (bias, ["bias", "--fixture"], f32, BLOOM),
    "encoded": (encoded, ["positions", "--fixture"], f32),
    "encoded after projection": (encoded, ["positions", "--tokens", "5", "--d-in", "6", "--d-out", "6", "--qkv-bias"], f32, SECTIONED),
    "looked up": (looked_up, ["positions", "--fixture"], f32),
    "backward": (backward, ["backward", "--fixture"], f32),
    "backward of matrices": (backward, ["backward", "--tokens", "7", "--d-in", "4", "--d-out", "3"], f32),
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
    ("vllm-project/vllm/pull/52156", "the sinks are dropped", "sinks",
     {"drop": lambda right, probs, s: softmax(s)}, "attn_weights", "the sink is left out of softmax"),
    ("XPU-Forces/mojo_opset/pull/262", "the sinks are 0 if nobody loads them", "sinks",
     {"sinks": lambda right, sinks, root: right(0 * sinks, root)}, "combined_logits", "the sinks are 0"),
]

# The same without a thread; causes by their names.
OTHERS = [
    ("bias", {"bias": lambda right, s, root, bias: right(s, root, -bias)}, "biased_scores", "bias-sign"),
    ("bias", {"bias": lambda right, s, root, bias: right(s, root, 0 * bias),
              "weigh": lambda right, s, bias: right(s, bias) + bias}, "biased_scores|attn_weights", "bias-after-softmax"),
    ("bias", {"bias": lambda right, s, root, bias: ((s + bias) / root).astype(f32)}, "biased_scores", "bias-before-scaling"),
    ("bias", {"slopes": lambda right: f32([2 ** -4] * 3)}, "alibi_bias", "same-slope"),
    ("bias", {"slopes": lambda right: f32([2 ** (-8 * i / 3) for i in (1, 2, 3)])}, "alibi_bias", "slopes-by-count"),
    ("bias", {"slopes": lambda right: f32([2 ** (-8 * i / 3) for i in (0, 1, 2)])}, "alibi_bias", "slopes-from-zero"),
    ("bias", {"window": lambda right, n, size: right(n, 4)}, "window.masked_scores", "window-off-by-one"),
    ("bias", {"window": lambda right, n, size: right(n, 2)}, "window.masked_scores", "window-too-small|mask-window"),
    ("bias", {"window": lambda right, n, size: right(n, 99)}, "window.masked_scores", "no-window"),
    ("sinks, weights alone", {"drop": lambda right, probs, s: right(probs, s) / right(probs, s).sum(-1, keepdims=True)},
     "attn_weights", "no-sink"),
    ("sinks, weights alone", {"sinks": lambda right, sinks, root: right(0 * sinks, root)}, "attn_weights", "zero-sink"),
    ("encoded", {"numbers": lambda right, n: right(n) + 1}, "pe", "positions-from-one"),
    ("encoded", {"order": lambda right, sines, cosines: np.concatenate([sines, cosines], 1)}, "pe", "sines-first"),
    ("encoded", {"frequencies": lambda right, exponents: right(exponents / 2)}, "pe", "half-exponent"),
    ("encoded", {"add": lambda right, x, added: x}, "x_pe", "no-positions"),
    ("looked up", {"numbers": lambda right, n: right(n) + 1}, "position_embeddings", "positions-from-one"),
    ("encoded after projection", {"add": lambda right, x, added: x,
                                  "project": lambda right, x, name, added: right(x, name, added) + added},
     "sinusoidal.[qkv]", "positions-after-projection"),
    ("backward", {"softmax": lambda right, d_p, p, root: p * d_p / root}, "d[A-Z].*", "no-row-sum"),
    ("backward", {"softmax": lambda right, d_p, p, root: right(d_p, p, 1)}, "d[A-Z].*", "unscaled-gradient"),
    ("backward", {"values": lambda right, p, d_out: right(p.T, d_out)}, "dV", "untransposed-weights"),
    ("backward", {"keys": lambda right, d_s, q: right(d_s.T, q)}, "dK", "untransposed-scores"),
]

# Whose result is right all the same: thread, what was done there, port, lines instead.
HARMLESS = [
    ("tinygrad/tinygrad/pull/2425", "1 is added where scores are visible", "grouped",
     {"mask": lambda right, s, hidden: np.where(hidden, -INF, s + 1)}),
    (None, "distances count from the first key: softmax does not see it", "bias, as BLOOM names it",
     {"distances": lambda right, i, j: j}),
]


def by_column(n, d):
    angles = np.arange(n)[:, None] / 10_000 ** (2 * np.arange(d) / d)
    return np.where(np.arange(d) % 2 == 0, np.sin(angles), np.cos(angles))


@functools.cache
def steps_of(*lesson):
    """The steps that a chapter saves."""
    with tempfile.TemporaryDirectory() as folder:
        done = run(*lesson, "--save", "steps.npz", cwd=folder)
        assert done.returncode == 0, done.stderr
        with np.load(os.path.join(folder, "steps.npz")) as archive:
            return {**{step: archive[step] for step in archive.files}, "halves": "--pair-distance" in lesson}


class PortsToday(unittest.TestCase):
    def verify(self, name, instead):
        """The exit code and the report of a port with these lines."""
        program, lesson, *how = PORTS[name]
        port = Port(steps_of(*lesson), instead, *how)
        program(port)
        with tempfile.TemporaryDirectory() as folder:
            np.savez(os.path.join(folder, "port.npz"), **port.tensors)
            done = run("verify", "port.npz", "--chapter", *lesson, "--format", "json", cwd=folder)
        self.assertEqual(done.stderr, b"", name)
        return done.returncode, json.loads(done.stdout)

    def test_right_ones_pass(self):
        for name in PORTS:
            with self.subTest(port=name):
                self.check_right(name, {})

    def test_what_does_no_harm_is_right(self):
        for thread, what, name, instead in HARMLESS:
            with self.subTest(thread=thread and GITHUB + thread, what=what):
                self.check_right(name, instead)

    def check_right(self, name, instead):
        code, report = self.verify(name, instead)
        wrong = [step for step in report["steps"] if step["verdict"] != "holds"]
        self.assertEqual((code, wrong, report.get("unmatched", [])), (0, [], []), name)

    def check_wrong(self, name, instead, place, is_cause):
        code, report = self.verify(name, instead)
        accused = [step for step in report["steps"] if step["verdict"] not in ("holds", "inherited")]
        self.assertEqual(code, 1)
        self.assertRegex(accused[0]["theirs"], rf"\A({place})\Z")
        self.assertTrue(any(map(is_cause, accused[0]["causes"])), accused[0]["causes"])

    def test_what_threads_report_is_found(self):
        for thread, what, name, instead, place, cause in sample(THREADS):
            with self.subTest(thread=GITHUB + thread, what=what):
                self.check_wrong(name, instead, re.escape(place), lambda one: re.search(cause, one["sentence"]))

    def test_mistakes_are_called_by_their_names(self):
        for name, instead, place, cause in sample(OTHERS):
            with self.subTest(port=name, cause=cause):
                self.check_wrong(name, instead, place, lambda one: set(cause.split("|")) & set(one["names"]))


if __name__ == "__main__":
    harness.main()
