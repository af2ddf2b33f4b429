"""Mistakes in ports of attention, port_mistakes.txt: each row replaces a line of the correct port that `cli/ports.py` has."""
import inspect
import re

import numpy as np

from harness import rows_of


def swap(tensor):
    return np.swapaxes(tensor, -1, -2)


def softmax(scores, axis=-1):
    exps = np.exp(scores - scores.max(axis, keepdims=True))
    return exps / exps.sum(axis, keepdims=True)


def total(tensor):
    return tensor.sum(-1, keepdims=True)


def length(x):
    return np.linalg.norm(x, axis=-1, keepdims=True)


def shares(exps):
    """Of their sum; 0 where that is 0."""
    return np.divide(exps, total(exps), out=np.zeros_like(exps), where=total(exps) != 0)


f16 = np.float16


def bfloat16(tensor):
    """To the nearest float32 with 8 significant bits, ties to even."""
    bits = tensor.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & np.uint32(0xFFFF0000)).view(np.float32).astype(tensor.dtype)


def tf32(x):
    m, e = np.frexp(x.astype(np.float64))
    return np.ldexp(np.round(m * 2048) / 2048, e).astype(x.dtype)


def int8(w):
    step = abs(w).max() / 127
    return np.round(w / step) * step


def left_0(result, axis, place):
    """The result without what is computed at one place of an axis."""
    result = result.copy()
    np.swapaxes(result, 0, axis)[place] = 0
    return result


def rotated(x):
    """RoPE on the halves of each vector."""
    half_width = x.shape[-1] // 2
    angles = np.arange(x.shape[-2])[:, None] / 10000 ** (np.arange(half_width) / half_width)
    a, b = x[..., :half_width], x[..., half_width:2 * half_width]
    turned = [a * np.cos(angles) - b * np.sin(angles), a * np.sin(angles) + b * np.cos(angles)]
    return np.concatenate([*turned, x[..., 2 * half_width:]], -1)


def alibi(heads, tokens):
    """A bias for scores that decreases with the distance of the token."""
    slopes = 2.0 ** (-8.0 * np.arange(1, heads + 1) / heads)
    return (slopes[:, None, None] * (np.arange(tokens)[None] - np.arange(tokens)[:, None])).astype(np.float32)


def positions(x):
    t, d = x.shape[-2:]
    angles = np.arange(t)[:, None] / 10000 ** (2 * (np.arange(d) // 2) / d)
    return np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))


def renormed(x):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)))


def in_turn(parts, heads, letter):
    """The letter's part of a fused weight or bias that is read as if q, k and v of each head stood together."""
    if parts["q"] is None:
        return 0
    whole = np.concatenate([parts[name] for name in "qkv"])
    return whole.reshape(heads, 3, -1, *whole.shape[1:])[:, "qkv".index(letter)].reshape(-1, *whole.shape[1:])


def strictly_earlier(s):
    """for j < i, and rows without tokens left 0"""
    most = np.where(np.isfinite(s), s, -1e30).max(-1, keepdims=True)
    return shares(np.where(np.tri(s.shape[-1], k=-1), np.exp(s - most), 0))


def sum_of_all(s, unmasked):
    """Divides the exponentials of visible scores by the sum of all."""
    most = unmasked.max(-1, keepdims=True)
    return np.exp(s - most) / total(np.exp(unmasked - most))


def in_blocks(s, rescales_sum):
    """A softmax in blocks of two keys that does not rescale earlier exponentials when the maximum grows."""
    most = np.full(s.shape[:-1], -np.inf, s.dtype)
    exps, sums = np.zeros_like(s), np.zeros(s.shape[:-1], s.dtype)
    for i in range(0, s.shape[-1], 2):
        block = s[..., i:i + 2]
        grown = np.maximum(most, block.max(-1))
        sums = sums * np.nan_to_num(np.exp(most - grown)) if rescales_sum else sums
        exps[..., i:i + 2] = np.exp(block - grown[..., None])
        sums, most = sums + exps[..., i:i + 2].sum(-1), grown
    return exps / sums[..., None]


def sparsemax(s):
    ordered = np.sort(np.maximum(s, -1e3), -1)[..., ::-1]
    sums = np.cumsum(ordered, -1)
    count = total(1 + np.arange(1, s.shape[-1] + 1) * ordered > sums)
    return np.maximum(s - (np.take_along_axis(sums, count - 1, -1) - 1) / count, 0)


# What a row's line may name besides the operands of the line that it replaces, which is `right`.
NAMES = {
    "y": "right(*operands)", "W": "p.weight[name]", "b": "0 if p.bias[name] is None else p.bias[name]",
    "Wo": "p.weight['o']", "Wv": "p.weight['v']", "bo": "p.bias['o']", "bq": "p.bias['q']", "bk": "p.bias['k']",
    "bv": "p.bias['v']", "kept": "p.lesson.kept", "heads": "p.heads", "root": "p.root",
    "width": "len(p.weight['q']) // heads", "d_out": "width * heads",
    "tokens": "p.lesson.x.shape[1]", "d_in": "p.lesson.x.shape[2]",
    "i": "np.arange(n)[:, None]", "j": "np.arange(n)[None]", "d": "j - i",
    "exps": "np.exp(s - s.max(-1, keepdims=True))", "visible": "np.where(s < -1e3, 0, s)",
    "raw": "p.made['scores']", "first": "p.made['x']", "second": "p.made['x2']",
    **{name: f"p.made[{name!r}]" for name in ("qh", "kh", "vh", "hidden", "weights", "ctxh")}}


class Scope(dict):
    """What a line names, computed when it is asked for."""

    def __missing__(self, name):
        return eval(NAMES[name], globals(), self)


def lines(text, **known):
    """The lines of "project k: x @ W; scale: s" as a port calls them: the letters say for which projections."""
    found = {}
    for line, letters, expression in re.findall(r"(\w+)(?: (\w+))?: ([^;]+)", text):
        found.setdefault(line, []).append((letters, compile(expression.strip(), expression, "eval")))

    def said_by(choices):
        def said(p, right, *operands):
            for letters, code in choices:
                if not letters or operands[1] in letters:
                    named = zip(inspect.signature(right).parameters, operands)
                    result = eval(code, globals(), Scope(known, **dict(named), p=p, right=right, operands=operands))
                    return result.astype(p.dtype) if getattr(result, "dtype", np.dtype(bool)).kind == "f" else result
            return right(*operands)
        return said

    return {line: said_by(choices) for line, choices in found.items()}


LESSONS = {"any": "multihead,trainable,cross,causal", "headed": "multihead,square", "masked": "multihead,causal",
           "unmasked": "trainable,cross", "one input": "multihead,square,trainable,causal",
           "biased": "multihead,causal", "plain": "multihead,no bias"}


def lessons_of(words):
    return ",".join(LESSONS.get(word, word) for word in words.split(",")).split(",")


# Of each its name, the lessons, the lines and what may truly be said of it.
MISTAKES = [(name, lessons_of(lessons), lines(text), truth) for name, lessons, text, truth in rows_of(__file__)]
