#!/usr/bin/env python3
"""What is shown in numbers why a step is there, and what stands before and after a chapter, recomputed with numpy and
PyTorch over random lessons: reasons.py PROGRAM [COUNT] [SEED]"""

import collections
import json
import math
import random
import re
import sys

import numpy as np

try:
    import torch
except ImportError:
    print("no PyTorch here")
    sys.exit(77)

import harness
import lessons

seen = collections.Counter()


def softmax(scores):
    with np.errstate(invalid="ignore"):
        powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def as_array(values):
    return np.array(values, dtype=np.float64)  # "inf" and "nan" are strings there


class Steps:
    """A chapter's steps as --format json gives them."""

    def __init__(self, text):
        self.json = json.loads(text)
        self.tensors = [step for step in self.json["steps"] if step["kind"] == "tensor"]

    def found(self, name, near):
        """The step of that name which `near` speaks of: the last before it, in its own section where there is one."""
        before = self.tensors[:self.tensors.index(near)]
        named = [step for step in before if name in (step["name"], f"{step['name']}_{step['section']}")]
        own = [step for step in named if step["section"] == near["section"] and step["name"] == name]
        return (own or named)[-1]

    def operand(self, step, i=0):
        return self.found(step["inputs"][i], step)


# ---- Reasons ---------------------------------------------------------------------------------------


def random_scores(d):
    torch.manual_seed(123)
    queries, keys = torch.randn(125, d).double(), torch.randn(125, 8, d).double()
    return (queries[:, None] * keys).sum(-1).numpy()


def growing_variance():
    rows = [["d", "variance", "/ sqrt(d)", "largest of 8 weights", "/ sqrt(d)"]]
    for d in (4, 16, 64, 256):
        scores = random_scores(d)
        scaled = scores / math.sqrt(d)
        rows.append([str(d), f"{scores.var(ddof=1):.1f}", f"{scaled.var(ddof=1):.2f}",
                     f"{softmax(scores).max(-1).mean():.2f}", f"{softmax(scaled).max(-1).mean():.2f}"])
    return rows


def check_scaling_table(steps, step, table):
    seen["scaling"] += 1
    return table == growing_variance()


def check_variances(steps, step, table, count, finite, before, root, after):
    seen["variance"] += 1
    scores, scaled = (as_array(one["values"]) for one in (steps.operand(step), step))
    kept = np.isfinite(scores)
    return (int(count) == kept.sum() and bool(finite) == (not kept.all()) and int(root) >= 2 and
            f"{scores[kept].var(ddof=1):.3g}" == f"{float(before):.3g}" and
            f"{scaled[kept].var(ddof=1):.3g}" == f"{float(after):.3g}")


def check_masks(steps, step, table, token):
    seen["masks"] += 1
    weights = as_array(step["values"])
    n = weights.shape[-1]
    row = min(1, n - 2)
    weights = weights.reshape(-1, n)[row]
    below = steps.operand(step)
    divisor = 1
    if "/" in below["expression"]:
        root = re.search(r"\*\*0\.5", below["expression"])
        masked = steps.operand(below)
        finite = np.isfinite(as_array(below["values"])) & (as_array(below["values"]) != 0)
        divisor = np.median(as_array(masked["values"])[finite] / as_array(below["values"])[finite]) if root else 1
        below = masked
    scores = as_array(steps.operand(below)["values"]).reshape(-1, n)[row] / divisor
    before = softmax(np.where(np.arange(n) > row, 0, scores))
    after = np.where(np.arange(n) > row, 0, softmax(scores))
    names = steps.json["tokens"] if len(steps.json["tokens"]) == n else [str(i) for i in range(n)]
    columns = min(n, 8)
    rest = ["..."] if columns < n else []
    close = all(abs(float(shown) - value) < 6e-5 for (_, *line), values in zip(table[1:], (weights, before, after))
                for shown, value in zip(line[:columns] + line[-1:], [*values[:columns], values.sum()]))
    return (token in (f'"{names[row]}"', f"token {names[row]}") and table[0] == ["", *names[:columns], *rest, "sum"] and
            [line[0] for line in table[1:]] == ["-inf before softmax", "0 before softmax", "0 after softmax"] and
            close and before[row + 1:].max() > 5e-5 and after.sum() < 1 - 5e-5)


def check_dropout(steps, step, table, kept):
    seen["dropout"] += 1
    p = float(re.search(r"Dropout\((.*?)\)", step["expression"])[1])
    torch.manual_seed(123)
    dropout, ones = torch.nn.Dropout(p), torch.ones(6, 6)
    rows = [["masks", "smallest mean", "largest mean", "mean of all", "without the factor"]]
    total, drawn = torch.zeros(6, 6, dtype=torch.float64), 0
    for masks in (1, 10, 100, 1000):
        while drawn < masks:
            total += dropout(ones).double()
            drawn += 1
        mean = total / masks
        rows.append([str(masks), *(f"{float(x):.3f}" for x in (mean.min(), mean.max(), mean.mean(), mean.mean() * (1 - p)))])
    return table == rows and math.isclose(float(kept), 1 - p)


def check_heads(steps, step, table, name):
    seen["heads"] += 1
    projected = steps.found(name, step)
    (_, columns, rows, _), *lines = table
    heads, head_dim = step["shape"][1], step["shape"][3]
    of_weight = steps.found(rows.removeprefix("rows of "), step)
    weight = as_array(of_weight["values"])
    x = next(steps.found(one, step) for one in projected["inputs"] if not one.startswith("W_"))
    values = as_array(projected["values"])
    good = columns == "columns" and len(lines) == heads
    for head, (label, part, same, difference) in enumerate(lines):
        first, last = head * head_dim, (head + 1) * head_dim - 1
        alone = as_array(x["values"]) @ weight[first:last + 1].T
        bias = [one for one in steps.tensors if one["name"] == of_weight["name"] + "_bias"]
        alone = alone + (as_array(bias[-1]["values"])[first:last + 1] if bias else 0)
        good = (good and label == f"head {head + 1}" and part == same == (f"{first} to {last}" if last > first else f"{first}") and
                np.abs(alone - values[..., first:last + 1]).max() < 1e-5 and float(difference) <= 1e-5)
    return good


def check_order(steps, step, table, sequences, difference):
    """Reversed queries, or keys and values with them, give reversed context vectors."""
    seen["order"] += 1
    weights, values = (as_array(steps.found(name, step)["values"]) for name in step["inputs"])
    context = as_array(step["values"])
    turned = weights[..., ::-1, :] @ values
    if weights.shape[-1] == weights.shape[-2]:
        turned = weights[..., ::-1, ::-1] @ values[..., ::-1, :]
    is_cross = "values" in step["inputs"] and "second_input" in steps.found("values", step)["inputs"]
    wanted = "first sequence (inputs) reversed and the second as it is" if is_cross else "tokens reversed"
    return sequences == wanted and np.abs(turned - context[..., ::-1, :]).max() < 1e-5 and float(difference) <= 1e-5 * max(1, np.abs(context).max())


REASONS = [
    (r"If each of the d products in a dot product has variance 1, .* in groups of 8:", check_scaling_table),
    (r"The (\d+)( finite)? scores here have variance (\S+); divided by sqrt\((\d+)\), they have variance (\S+)\.", check_variances),
    (r'Three ways to hide later tokens from (".*"|token \d+)\. A score of 0 .* no longer sums to 1\.', check_masks),
    (r"A single mask is random; .* it would approach (\S+)\.", check_dropout),
    (r"Split or stacked, heads give the same numbers: each head's columns of (\w+) equal .* of the weight\.", check_heads),
    (r"Attention ignores order: with the (.*), each .* the largest difference is (\S+?)\)\. To use order, .* embeddings\.", check_order),
]


def faults_of_reasons(steps):
    for step in steps.tensors:
        for reason in step["explanation"]["reasons"]:
            known = [(check, match) for pattern, check in REASONS if (match := re.fullmatch(pattern, reason["text"]))]
            if len(known) != 1 or not known[0][0](steps, step, reason["table"], *known[0][1].groups()):
                yield step["name"], reason


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


class Formula:
    """A formula's value, from the tensors of one section."""

    def __init__(self, steps, result, terms):
        self.steps, self.result = steps, result
        self.has_window = any("outside the window" in term for term in terms)
        self.d_k = next((int(found[1]) for term in terms if (found := re.search(r"d_k: .* here (\d+)", term))), None)

    def __call__(self, text, section):
        def named(name, one=None):
            near = one or self.result
            found = [step for step in self.steps.tensors if step["name"] == name and
                     self.steps.tensors.index(step) <= self.steps.tensors.index(near)]
            own = [step for step in found if step["section"] == section]
            return as_array((own or found)[-1]["values"])

        def masked(scores):
            n = scores.values.shape[-1]
            if self.has_window:
                return Array(np.where(as_array(named("mask")).astype(bool), -np.inf, scores.values))
            mask = next((step for step in self.steps.tensors if step["name"] == "mask" and len(step["shape"]) == 3), None)
            if mask:  # of padding
                return Array(np.where(as_array(mask["values"]).astype(bool), -np.inf, scores.values))
            return Array(np.where(np.triu(np.ones((n, n), bool), 1), -np.inf, scores.values))

        def dropped(weights):
            return Array(named("dropout_attn_weights"))

        def joined(context):
            heads_last = np.swapaxes(context.values, 1, 2)
            return Array(heads_last.reshape(*heads_last.shape[:2], -1))

        def projected(x):
            bias = [step for step in self.steps.tensors if step["name"] == "out_proj_bias"]
            weight = named(next(name for name in ("out_proj", "out_proj_weight")
                                if any(step["name"] == name for step in self.steps.tensors)))
            return Array(x.values @ weight.T + (as_array(bias[-1]["values"]) if bias else 0))

        words = {"softmax": lambda x: Array(softmax(x.values)), "masked": masked, "dropout": dropped, "join": joined,
                 "out_proj": projected, "sqrt": math.sqrt, "d_k": self.d_k}
        names = {name: Array(named(name)) for name in re.findall(r"[A-Za-z_]\w*", text)
                 if name not in words and name not in ("T", "cat")}
        return eval(text, {**words, **names})  # a formula of the program under test


def faults_of_frame(steps, text):
    head = text.split("\n\n## ")[0]
    found = re.search(r"^`(\w+) = (.*)`$", head, re.M)
    if found is None:
        if any("softmax" in step["expression"] for step in steps.tensors):
            yield "no formula", head
    else:
        name, formula = found.groups()
        result = [step for step in steps.tensors if step["name"] == name][-1]
        terms = re.findall(r"^- (.*)$", head, re.M)
        if formula.startswith("cat("):
            sections = sorted({step["section"] for step in steps.tensors if step["section"].startswith("head_")})
            whole = np.concatenate([Formula(steps, result, terms)(formula[4:-1], section).values for section in sections], -1)
        else:
            whole = Formula(steps, result, terms)(formula, result["section"]).values
        seen["formula"] += 1
        if not np.allclose(whole, as_array(result["values"]), rtol=1e-3, atol=1e-4, equal_nan=True):
            yield "formula", formula
    ending = text.split("\n## Summary\n\n")[1].split("\n\n")[0]
    for sentence in re.findall(r"^- (.*)$", ending, re.M):
        sentence = re.sub(r"\\(.)", r"\1", sentence)
        if found := re.fullmatch(r"(\w+) (\[.*\]) led to (\w+) (\[.*\])", sentence):
            one, shape, other, other_shape = found.groups()
            shapes = {(step["name"], str(step["shape"])) for step in steps.tensors}
            good = (one, shape) in shapes and (other, other_shape) in shapes
        else:
            name, notice = sentence.split(": ", 1)
            good = any(notice in step["explanation"]["notices"] for step in steps.tensors
                       if name in (step["name"], f"{step['section']}/{step['name']}"))
        seen["seen"] += 1
        if not good:
            yield "seen", sentence


def main():
    program = lessons.Program(sys.argv[1])
    count, seed = (int(sys.argv[2]) if len(sys.argv) > 2 else harness.LESSONS), (int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    faults = 0
    form = ("--steps", "all", "--format", "json")
    for _, arguments, text in program.lessons(random.Random(seed), count, some_options=lessons.some_options, form=form):
        steps = Steps(text)
        handout = program.call(*arguments, "--steps", "all", "--format", "markdown").stdout
        for fault in [*faults_of_reasons(steps), *faults_of_frame(steps, handout)]:
            faults += 1
            print("UNTRUE:", " ".join(arguments), *fault)
    print(*(f"{name}: {times}" for name, times in sorted(seen.items())), f"faults: {faults}", sep=", ")
    missing = {"scaling", "variance", "masks", "dropout", "heads", "order", "formula", "seen"} - set(seen)
    sys.exit(1 if faults or (missing and count >= 200) else 0)


if __name__ == "__main__":
    main()
