"""Every expression that is printed runs in the real PyTorch, as it stands, and gives the step's numbers.

    PYTHONPATH=tests /usr/bin/python3 tests/cli/expressions.py build/release/attn-walkthrough

The steps' expressions (--explain, JSON, the page's headings) one after the other, as a reader would type them, each
result under its name and under its name and section; then the names and expressions of the page's cells.
"""
import itertools
import json
import re
import sys
import unittest

import numpy as np

try:
    import torch
    from torch import nn
except ImportError:
    print("skipped: no PyTorch here; apt-get install python3-torch")
    sys.exit(77)

import harness
from harness import text_of

RANDOM = re.compile(r"rand|nn\.|Dropout|bernoulli")  # drawn anew: only the shape is the same
OPTIONS = ([], ["--seed", "7", "--batch", "2"], ["--tokens", "4", "--d-in", "3"], ["--num-heads", "2"],
           ["--sentence", "the cats like the dogs"])


class Weight(torch.Tensor):
    """A weight that is called as its module is."""

    def __call__(self, x):
        return x @ self.T


def as_tensor(values):
    return torch.from_numpy(np.array(values, dtype=bool) if isinstance(np.ravel(values)[0], (bool, np.bool_))
                            else numbers(values)).as_subclass(Weight)


def numbers(values):
    array = np.array(values, dtype=object)
    is_whole = all(isinstance(one, int) for one in array.ravel())
    return array.astype(np.int64 if is_whole else np.float32)


def run_in_torch(expression, names):
    return eval(expression, {"torch": torch, "nn": nn, **names})  # pylint: disable=eval-used


def is_same(got, wanted, expression):
    got, wanted = (torch.as_tensor(one).detach().as_subclass(torch.Tensor) for one in (got, wanted))
    if got.shape != wanted.shape or got.dtype != wanted.dtype:
        return False
    return bool(RANDOM.search(expression)) or torch.allclose(got.double(), wanted.double(), rtol=1e-4, atol=1e-5,
                                                             equal_nan=True)


def called(module, names):
    """What a call of the module computes."""
    weight = lambda: names[f"{module}_weight"].as_subclass(torch.Tensor)
    if module == "pos_embedding":
        return lambda ids: nn.functional.embedding(ids.as_subclass(torch.Tensor), weight())
    bias = lambda: names[f"{module}_bias"].as_subclass(torch.Tensor) if f"{module}_bias" in names else None
    return lambda x: nn.functional.linear(x.as_subclass(torch.Tensor), weight(), bias()).as_subclass(Weight)


def names_after(steps):
    """After each step: the step, and what its reader has by now."""
    names = {}
    for step in steps:
        yield step, names
        tensor = as_tensor(step["values"])
        names[step["name"]] = tensor
        if step["name"].endswith("_weight"):  # of a module
            module = step["name"].removesuffix("_weight")
            names[module] = called(module, names)
        if step["section"]:
            names[f"{step['name']}_{step['section']}"] = tensor


def tensors_of(shown):
    return [step for step in shown if step["kind"] == "tensor" and np.size(step["values"])]


class Expressions(unittest.TestCase):
    def faults(self, command, shown):
        for step, names in names_after(tensors_of(shown)):
            expression = step["expression"]
            if "..." in expression.replace("[...,", "["):
                continue  # numbers that are left out
            self.ran += 1
            try:
                got = run_in_torch(expression, names)
            except Exception as error:  # pylint: disable=broad-except
                yield step["section"], step["name"], expression, repr(error)
                continue
            if not is_same(got, as_tensor(step["values"]), expression):
                yield step["section"], step["name"], expression, "gives other numbers"

    def cell_faults(self, command, shown):
        page = text_of(*command, "--steps", "all", "--format", "html")
        data = json.loads(re.search(r'id="lesson-data">(.*?)</script>', page, re.S)[1])
        nodes = data["nodes"]
        of_node = {step["node"]: i for i, step in enumerate(one for one in data["steps"] if not one.get("frame"))
                   if "node" in step}
        for step, names in names_after(tensors_of(shown)):
            at = [node for node, i in of_node.items() if shown[i] is step]
            left = [operand for node in at for operand in nodes[node]["o"] if operand >= 0]
            while left:
                node = nodes[left.pop()]
                if "i" in node:
                    self.assertTrue(node["n"], (command, node))
                elif "e" in node and "..." not in node["e"].replace("[...,", "["):
                    self.ran += 1
                    try:
                        got = run_in_torch(node["e"] + (f"[{', '.join('0' * len(node['s']))}]" if node["s"] else ""), names)
                        if got.numel() != 1:
                            yield step["name"], node["e"], "is no number"
                    except Exception as error:  # pylint: disable=broad-except
                        yield step["name"], node["e"], repr(error)
                left += [operand for operand in node["o"] if operand >= 0 and "i" not in node]

    def test_all(self):
        self.ran = 0
        chapters = json.loads(text_of("list", "--format", "json"))["chapters"]
        for chapter, options in harness.sample(itertools.product(chapters, OPTIONS)):
            command = [chapter["chapter"], "--article", chapter["article"], *options]
            if harness.run(*command, "--only", "attn_weights").returncode:
                continue  # an option that the chapter has not
            with self.subTest(command):
                shown = json.loads(text_of(*command, "--steps", "all", "--format", "json"))["steps"]
                self.assertEqual([*self.faults(command, shown), *self.cell_faults(command, shown)], [])
        self.assertGreater(self.ran, 1000 if harness.EVERY == 1 else 0)


if __name__ == "__main__":
    harness.main()
