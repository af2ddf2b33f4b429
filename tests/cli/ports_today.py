"""Ports of today's attention, computed in numpy of the inputs and weights that the tool saves: right ones pass whatever
they are called, and mistakes are found at their step and called by their name.

    PYTHONPATH=tests /usr/bin/python3 tests/cli/ports_today.py build/release/attn-walkthrough
"""
import json
import os
import tempfile
import unittest

import numpy as np

import harness
from harness import run
from port_mistakes import softmax, swap

f32 = np.float32


class Given:
    """The steps that a chapter saves, by name; the first section's where several have one."""

    def __init__(self, *arguments):
        self.arguments = arguments
        with tempfile.TemporaryDirectory() as folder:
            done = run(*arguments, "--save", "steps.npz", cwd=folder)
            assert done.returncode == 0, done.stderr
            with np.load(os.path.join(folder, "steps.npz")) as saved:
                self.steps = {}
                for name in saved.files:
                    self.steps.setdefault(name.rpartition("/")[2], saved[name])

    def __getitem__(self, name):
        return self.steps[name]

    def project(self, x, name):
        """x @ W.T + b, of nn.Linear's weight, or x @ W."""
        weight, bias = self[f"W_{name}"], self.steps.get(f"W_{name}_bias")
        return x @ weight if bias is None else x @ weight.T + bias


def causal(n):
    return np.triu(np.ones((n, n), bool), 1)


def bias(given, slopes=None, sign=1, after=False, before=False, window=3, from_first=False, names="plain"):
    """ALiBi; with `window`, a sliding window on the same queries and keys."""
    x = given["batch"]
    b, n, _ = x.shape
    heads = given["queries_heads"].shape[1]
    q, k, v = (given.project(x, name).reshape(b, n, heads, -1).transpose(0, 2, 1, 3) for name in ("query", "key", "value"))
    root = np.sqrt(f32(q.shape[-1]))
    slopes = given["slopes"].ravel() if slopes is None else np.array(slopes, f32)
    i, j = np.arange(n)[:, None], np.arange(n)[None]
    alibi = slopes[:, None, None] * (np.broadcast_to(j, (n, n)) if from_first else j - i).astype(f32)
    scores = q @ swap(k)
    raw = scores + alibi if before else scores
    scaled = (raw / root).astype(f32)
    biased = scaled if after or before else (scaled + sign * alibi).astype(f32)
    masked = np.where(causal(n), f32(-np.inf), biased)
    weights = softmax(masked) + (alibi if after else 0)
    joined = (weights @ v).transpose(0, 2, 1, 3).reshape(b, n, -1)
    in_window = np.where((j > i) | (j <= i - window), f32(-np.inf), (scores / root).astype(f32))
    called = {"plain": "x q k v alibi_bias biased_scores masked_scores attn_weights context",
              "BLOOM": "hidden_states query_layer key_layer value_layer alibi attention_scores masked_scores attention_probs "
                       "context_layer"}[names].split()
    made = dict(zip(called, (x, q, k, v, alibi, biased, masked, weights, joined)))
    return {**made, "window.masked_scores": in_window, "window.attn_weights": softmax(in_window)}


def positions(given, start=0, order="turns", exponent=2, place="inputs", scale=1.0, learned=False):
    """Positions added to the inputs: sinusoidal, or rows of a table."""
    x = given["inputs"]
    n, d = x.shape
    i = np.arange((d + 1) // 2)
    angles = (np.arange(start, start + n, dtype=f32)[:, None] * f32(10000.0 ** (-exponent * i / d))).astype(np.float64)
    parts = (np.sin(angles), np.cos(angles)) if order != "cosines" else (np.cos(angles), np.sin(angles))
    pe = np.concatenate(parts, 1) if order == "halves" else np.stack(parts, 2).reshape(n, -1)
    added = given["pos_embedding_weight"][start:start + n] if learned else pe[:, :d].astype(f32)
    encoded = (x * f32(scale) + (0 if place == "nowhere" else added)).astype(f32) if place != "projections" else x
    more = added if place == "projections" else 0
    q, k, v = ((given.project(encoded, name) + more).astype(f32) for name in ("query", "key", "value"))
    scores = q @ k.T
    weights = softmax((scores / np.sqrt(f32(q.shape[1]))).astype(f32))
    made = {"x_pe": encoded} if place in ("inputs", "nowhere") else {}
    name = "position_embeddings" if learned else "pe"
    made = {"x": x, name: added, **made, "q": q, "k": k, "v": v, "scores": scores, "attn_weights": weights, "context": weights @ v}
    return {f"sinusoidal.{name}": array for name, array in made.items()} if place == "projections" else made


def backward(given, jacobian="right", scaled=True, dv="T", dk="T", factor=1.0):
    """A causal head, its loss, and the gradients."""
    x, target = given["inputs"], given["target"]
    q, k, v = (given.project(x, name) for name in ("query", "key", "value"))
    n, root = len(x), np.sqrt(f32(q.shape[1]))
    masked = np.where(causal(n), f32(-np.inf), q @ k.T)
    p = softmax((masked / root).astype(f32))
    out = p @ v
    d_out = ((out - target) * f32(factor)).astype(f32)
    d_p = d_out @ v.T
    mean = {"right": (d_p * p).sum(-1, keepdims=True), "none": 0, "plain": d_p.mean(-1, keepdims=True)}[jacobian]
    d_s = (p * (d_p - mean) / (root if scaled else 1)).astype(f32)
    d_q, d_k, d_v = d_s @ k, (d_s.T if dk == "T" else d_s) @ q, (p.T if dv == "T" else p) @ d_out
    grads = {f"dW{name}": (g.T @ x if given.steps.get("W_query_bias") is not None else x.T @ g)
             for name, g in (("q", d_q), ("k", d_k), ("v", d_v))}
    return {"x": x, "q": q, "k": k, "v": v, "P": p, "O": out, "dO": d_out, "dP": d_p, "dS": d_s, "dQ": d_q, "dK": d_k, "dV": d_v,
            **grads}


LESSONS = {"bias": ["bias", "--fixture"], "positions": ["positions", "--fixture"],
           "square positions": ["positions", "--tokens", "5", "--d-in", "6", "--d-out", "6", "--qkv-bias"],
           "backward": ["backward", "--fixture"], "backward of matrices": ["backward", "--tokens", "7", "--d-in", "4", "--d-out", "3"]}
RIGHT = [("bias", bias, {}), ("bias", bias, {"names": "BLOOM"}), ("bias", bias, {"names": "BLOOM", "from_first": True}),
         ("positions", positions, {}), ("positions", positions, {"learned": True}),
         ("backward", backward, {}), ("backward of matrices", backward, {})]
# A lesson, what is wrong, the step where it shows first, and the name of its cause.
WRONG = [
    ("bias", bias, {"sign": -1}, "biased_attn_scores", "bias-sign"),
    ("bias", bias, {"after": True}, "attn_scores|attn_weights", "bias-after-softmax"),
    ("bias", bias, {"before": True}, "biased_attn_scores", "bias-before-scaling"),
    ("bias", bias, {"slopes": [2 ** -4] * 3}, "alibi_bias", "same-slope"),
    ("bias", bias, {"slopes": [2 ** (-8 * i / 3) for i in (1, 2, 3)]}, "alibi_bias", "slopes-by-count"),
    ("bias", bias, {"slopes": [2 ** (-8 * i / 3) for i in (0, 1, 2)]}, "alibi_bias", "slopes-from-zero"),
    ("bias", bias, {"slopes": [2 ** -2, 2 ** -8, 2 ** -4]}, "alibi_bias", "slopes-reversed"),
    ("bias", bias, {"window": 4}, "masked_attn_scores", "window-off-by-one"),
    ("bias", bias, {"window": 2}, "masked_attn_scores", "window-too-small|mask-window"),
    ("bias", bias, {"window": 99}, "masked_attn_scores", "no-window"),
    ("positions", positions, {"start": 1}, "encodings", "positions-from-one"),
    ("positions", positions, {"order": "halves"}, "encodings", "sines-first"),
    ("positions", positions, {"order": "cosines"}, "encodings", "cosines-first"),
    ("positions", positions, {"exponent": 1}, "encodings", "half-exponent"),
    ("positions", positions, {"place": "nowhere"}, "inputs_with_positions", "no-positions"),
    ("positions", positions, {"scale": np.sqrt(7)}, "inputs_with_positions", "inputs-scaled-up"),
    ("positions", positions, {"start": 1, "learned": True}, "pos_embeddings", "positions-from-one"),
    ("square positions", positions, {"place": "projections"}, "queries|keys|values", "positions-after-projection"),
    ("backward", backward, {"jacobian": "none"}, "grad_", "no-row-sum"),
    ("backward", backward, {"jacobian": "plain"}, "grad_", "plain-row-mean"),
    ("backward", backward, {"scaled": False}, "grad_", "unscaled-gradient"),
    ("backward", backward, {"dv": ""}, "grad_values", "untransposed-weights"),
    ("backward", backward, {"dk": ""}, "grad_keys", "untransposed-scores"),
    ("backward", backward, {"factor": 2}, "grad_context_vecs", "gradient-doubled"),
    ("backward", backward, {"factor": 1 / 20}, "grad_context_vecs", "gradient-of-mean"),
    ("backward", backward, {"factor": -1}, "grad_context_vecs", "gradient-negated"),
]


class PortsToday(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.given = {name: Given(*arguments) for name, arguments in LESSONS.items()}

    def verify(self, lesson, port, options):
        given = self.given[lesson]
        with tempfile.TemporaryDirectory() as folder:
            np.savez(os.path.join(folder, "port.npz"), **port(given, **options))
            done = run("verify", "port.npz", "--chapter", *given.arguments, cwd=folder, text=True)
        return done.returncode, done.stdout + done.stderr

    def test_right_ones_pass(self):
        for lesson, port, options in RIGHT:
            with self.subTest(lesson=lesson, options=options):
                code, said = self.verify(lesson, port, options)
                self.assertEqual((code, "checked and right" in said), (0, True), said)
                self.assertNotIn("not recognised", said)

    def test_mistakes_are_called_by_their_names(self):
        for lesson, port, options, step, cause in WRONG:
            with self.subTest(lesson=lesson, options=options):
                given = self.given[lesson]
                with tempfile.TemporaryDirectory() as folder:
                    np.savez(os.path.join(folder, "port.npz"), **port(given, **options))
                    done = run("verify", "port.npz", "--chapter", *given.arguments, "--format", "json", cwd=folder, text=True)
                self.assertEqual(done.returncode, 1, done.stdout)
                accused = [one for one in json.loads(done.stdout)["steps"] if one["verdict"] not in ("holds", "inherited")]
                self.assertRegex(accused[0]["name"], step)
                names = {name for one in accused[0]["causes"] for name in one["names"]}
                self.assertTrue(names & set(cause.split("|")), (names, cause))


if __name__ == "__main__":
    harness.main()
