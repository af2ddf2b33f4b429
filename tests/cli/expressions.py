"""Every expression that is printed runs in the real PyTorch, as it stands, and gives the step's numbers: those of the steps one
after the other, as a reader would type them, each result under its name and under its name and section; then the names and
expressions of the page's cells."""

import json
import re
import warnings

import numpy as np

from lessons import call

try:
    import torch
    from torch import nn
except ImportError:
    torch = None

warnings.filterwarnings("ignore", message="To copy construct")
RANDOM = re.compile(r"rand|nn\.|Dropout|bernoulli")  # drawn anew: only the shape is the same


def plain(tensor):
    return torch.as_tensor(tensor).detach().as_subclass(torch.Tensor)


class Weight(torch.Tensor if torch else object):
    """A weight that is called as a module is whose weight it is."""

    def __call__(self, x):
        return x @ self.T


def weight_of(array):
    return torch.from_numpy(np.array(array)).as_subclass(Weight)


def is_same(got, wanted, expression):
    got, wanted = plain(got), plain(wanted)
    if got.shape != wanted.shape or got.dtype != wanted.dtype:
        return False
    return bool(RANDOM.search(expression)) or torch.allclose(got.double(), wanted.double(), rtol=1e-4, atol=1e-5, equal_nan=True)


def called(module, names):
    """What a call of the module computes."""
    if module == "pos_embedding":
        return lambda ids: nn.functional.embedding(plain(ids), plain(names["pos_embedding_weight"]))
    bias = lambda: plain(names[f"{module}_bias"]) if f"{module}_bias" in names else None
    return lambda x: weight_of(nn.functional.linear(plain(x), plain(names[f"{module}_weight"]), bias()).numpy())


def is_whole(expression):
    return "..." not in expression.replace("[...,", "[")  # else numbers are left out


def faults_of_cells(page, lesson, at, names):
    """Of the expressions and names of a step's operands that are cells of the page."""
    nodes = page["nodes"]
    shown = [step for step in page["steps"] if not step.get("frame")]
    left = [operand for step in shown[at:at + 1] if "node" in step for operand in nodes[step["node"]]["o"] if operand >= 0]
    while left:
        node = nodes[left.pop()]
        if "i" in node:
            if not node["n"]:
                yield "a cell of a step without a name"
            continue
        if "e" in node and is_whole(node["e"]):
            expression = node["e"] + (f"[{', '.join('0' * len(node['s']))}]" if node["s"] else "")
            try:
                if eval(expression, {"torch": torch, "nn": nn, **names}).numel() != 1:
                    yield f"{expression} is no number"
            except Exception as error:  # pylint: disable=broad-except
                yield f"{expression}: {error!r}"
        left += [operand for operand in node["o"] if operand >= 0]


def faults_of_expressions(lesson):
    if torch is None or {"--inputs", "--attend-to", "--fixture"} & set(lesson.arguments):  # whose numbers no expression says
        return
    page = call(*lesson.arguments, "--steps", "all", "--format", "html").stdout
    page = json.loads(re.search(r'id="lesson-data">(.*?)</script>', page, re.S)[1])
    names = {}
    for at, step in enumerate(lesson.document["steps"]):
        if step["kind"] != "tensor" or not step["array"].size:
            continue
        expression, tensor = step["expression"], weight_of(step["array"])
        try:
            if is_whole(expression) and not is_same(eval(expression, {"torch": torch, "nn": nn, **names}), tensor, expression):
                yield f"{step['name']}: {expression} gives other numbers"
        except Exception as error:  # pylint: disable=broad-except
            yield f"{step['name']}: {expression}: {error!r}"
        yield from (f"{step['name']}: {fault}" for fault in faults_of_cells(page, lesson, at, names))
        names[step["name"]] = tensor
        if step["name"].endswith("_weight"):  # of a module
            module = step["name"].removesuffix("_weight")
            names[module] = called(module, names)
        if step["section"]:
            names[f"{step['name']}_{step['section']}"] = tensor
