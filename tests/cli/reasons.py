"""Why a step is there, told in numbers, and what stands before and after a chapter."""

import math
import re

import numpy as np

try:
    import torch
except ImportError:
    torch = None

from lessons import Sentences, softmax

reason = Sentences()


class Told:
    """A step's reason: a sentence, and a table below it."""

    def __init__(self, lesson, step, table):
        self.lesson, self.step, self.table, self.a = lesson, step, table, step["array"].astype(np.float64)

    def operand(self, name=None, near=None):
        return self.lesson.before(near or self.step, name)["array"].astype(np.float64)


def growing_variance():
    """Of 125 times 8 scores of random queries and keys."""
    rows = [["d", "variance", "/ sqrt(d)", "largest of 8 weights", "/ sqrt(d)"]]
    for d in (4, 16, 64, 256):
        torch.manual_seed(123)
        queries, keys = torch.randn(125, d).double(), torch.randn(125, 8, d).double()
        scores = (queries[:, None] * keys).sum(-1).numpy()
        scaled = scores / math.sqrt(d)
        rows.append([str(d), f"{scores.var(ddof=1):.1f}", f"{scaled.var(ddof=1):.2f}",
                     f"{softmax(scores).max(-1).mean():.2f}", f"{softmax(scaled).max(-1).mean():.2f}"])
    return rows


reason(r"If each of the d products in a dot product has variance 1, .* in groups of 8:", lambda told: told.table == growing_variance())

@reason(r"The (\d+)( finite)? scores here have variance (\S+); divided by sqrt\((\d+)\), they have variance (\S+)\.")
def _(told, count, finite, before, root, after):
    scores, kept = told.operand(), np.isfinite(told.operand())
    return (int(count) == kept.sum() and bool(finite) == (not kept.all()) and int(root) >= 2 and
            f"{scores[kept].var(ddof=1):.3g}" == f"{float(before):.3g}" and
            f"{told.a[kept].var(ddof=1):.3g}" == f"{float(after):.3g}")

@reason(r'Three ways to hide later tokens from (".*"|token \d+)\. A score of 0 .* no longer sums to 1\.')
def _(told, token):
    n = told.a.shape[-1]
    row = min(1, n - 2)
    weights = told.a.reshape(-1, n)[row]
    below, divisor = told.lesson.before(told.step), 1
    if "/" in below["expression"]:
        masked = told.lesson.before(below)
        finite = np.isfinite(below["array"]) & (below["array"] != 0)
        if "**0.5" in below["expression"] and finite.any():
            divisor = np.median(masked["array"][finite].astype(np.float64) / below["array"][finite])
        below = masked
    scores = told.operand(near=below).reshape(-1, n)[row] / divisor
    before = softmax(np.where(np.arange(n) > row, 0, scores))
    after = np.where(np.arange(n) > row, 0, softmax(scores))
    tokens = told.lesson.tokens
    names = tokens if len(tokens) == n else [str(i) for i in range(n)]
    columns = min(n, 8)
    close = all(abs(float(shown) - value) < 6e-5 for (_, *line), values in zip(told.table[1:], (weights, before, after))
                for shown, value in zip(line[:columns] + line[-1:], [*values[:columns], values.sum()]))
    return (token in (f'"{names[row]}"', f"token {names[row]}") and
            told.table[0] == ["", *names[:columns], *["..."] * (columns < n), "sum"] and
            [line[0] for line in told.table[1:]] == ["-inf before softmax", "0 before softmax", "0 after softmax"] and
            close and before[row + 1:].max() > 5e-5 and after.sum() < 1 - 5e-5)

@reason(r"A single mask is random; .* it would approach (\S+)\.")
def _(told, kept):
    p = float(re.search(r"Dropout\((.*?)\)", told.step["expression"])[1])
    torch.manual_seed(123)
    dropout, ones = torch.nn.Dropout(p), torch.ones(6, 6)
    rows = [["masks", "smallest mean", "largest mean", "mean of all", "without the factor"]]
    total, drawn = torch.zeros(6, 6, dtype=torch.float64), 0
    for masks in (1, 10, 100, 1000):
        for drawn in range(drawn, masks):
            total += dropout(ones).double()
        drawn, mean = masks, total / masks
        rows.append([str(masks), *(f"{float(x):.3f}" for x in (mean.min(), mean.max(), mean.mean(), mean.mean() * (1 - p)))])
    return told.table == rows and math.isclose(float(kept), 1 - p)


# ---- What stands before and after ------------------------------------------------------------------


class Array:
    """An array whose .T swaps the last two axes, as formulas mean it."""

    def __init__(self, values):
        self.values = np.asarray(values, dtype=np.float64)

    T = property(lambda self: Array(np.swapaxes(self.values, -1, -2) if self.values.ndim > 1 else self.values))

    def __matmul__(self, other):
        with np.errstate(invalid="ignore"):
            return Array(self.values @ other.values)

    def __truediv__(self, other):
        return Array(self.values / other)


def value_of(lesson, formula, section, result, terms):
    """A formula's value, from the tensors of one section."""
    def named(name):
        found = [step for step in lesson.tensors if step["name"] == name and lesson.tensors.index(step) <= lesson.tensors.index(result)]
        return ([step for step in found if step["section"] == section] or found)[-1]["array"]

    def masked(scores):
        masks = [mask for mask in lesson.named("mask") if mask.ndim == 3]  # of padding
        n = scores.values.shape[-1]
        if any("outside the window" in term for term in terms):
            return Array(np.where(named("mask"), -np.inf, scores.values))
        return Array(np.where(masks[0] if masks else np.triu(np.ones((n, n), bool), 1), -np.inf, scores.values))

    def joined(context):
        heads_last = np.swapaxes(context.values, 1, 2)
        return Array(heads_last.reshape(*heads_last.shape[:2], -1))

    def projected(x):
        bias, (weight, *_) = lesson.named("out_proj_bias"), lesson.named("out_proj") + lesson.named("out_proj_weight")
        return Array(x.values @ weight.T + (bias[-1] if bias else 0))

    d_k = next((int(found[1]) for term in terms if (found := re.search(r"d_k: .* here (\d+)", term))), None)
    words = {"softmax": lambda x: Array(softmax(x.values)), "masked": masked, "dropout": lambda _: Array(named("dropout_attn_weights")),
             "join": joined, "out_proj": projected, "sqrt": math.sqrt, "d_k": d_k}
    names = {name: Array(named(name)) for name in re.findall(r"[A-Za-z_]\w*", formula) if name not in words and name not in ("T", "cat")}
    return eval(formula, {**words, **names}).values  # a formula of the program under test


def faults_of_frame(lesson, text):
    """What the handout's formula and summary say wrongly."""
    head = text.split("\n\n## ")[0]
    found = re.search(r"^`(\w+) = (.*)`$", head, re.M)
    if found:
        name, formula = found.groups()
        result = [step for step in lesson.tensors if step["name"] == name][-1]
        terms = re.findall(r"^- (.*)$", head, re.M)
        sections = [result["section"]]
        if formula.startswith("cat("):
            formula = formula[4:-1]
            sections = sorted({step["section"] for step in lesson.tensors if step["section"].startswith("head_")})
        whole = np.concatenate([value_of(lesson, formula, section, result, terms) for section in sections], -1)
        if not np.allclose(whole, result["array"], rtol=1e-3, atol=1e-4, equal_nan=True):
            yield f"formula: {formula}"
    elif any("softmax" in step["expression"] for step in lesson.tensors):
        yield "no formula"
    shapes = {(step["name"], str(step["shape"])) for step in lesson.tensors}
    for sentence in re.findall(r"^- (.*)$", text.split("\n## Summary\n\n")[1].split("\n\n")[0], re.M):
        sentence = re.sub(r"\\(.)", r"\1", sentence)
        if found := re.fullmatch(r"(\w+) (\[.*\]) led to (\w+) (\[.*\])", sentence):
            good = {found.groups()[:2], found.groups()[2:]} <= shapes
        else:
            name, notice = sentence.split(": ", 1)
            good = any(notice in step["explanation"]["notices"] for step in lesson.tensors
                       if name in (step["name"], f"{step['section']}/{step['name']}"))
        if not good:
            yield f"summary: {sentence}"
