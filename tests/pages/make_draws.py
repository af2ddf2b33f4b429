"""Writes draws-NAME.md: programs that draw random numbers, with what PyTorch and numpy print.

    /usr/bin/python3 tests/pages/make_draws.py
"""
import contextlib
import io
import pathlib

PAGES = {
    "demo": ["""\
import torch
torch.manual_seed(123)
print(torch.rand(3, 2))
print(torch.rand(3, 2))
""", """\
torch.manual_seed(123)
print(torch.nn.Linear(3, 2).weight)
print(torch.randint(0, 10, (3, 4)))
print(torch.randn(2, 3))
""", """\
torch.manual_seed(7)
layer = torch.nn.Embedding(6, 4)
print(layer.weight)
"""],
    "named": ["""\
import torch
import torch.nn as nn

torch.manual_seed(5)
T, d_in = 4, 3
d_out = d_in - 1
X = torch.randn(T, d_in)
W_q = torch.rand(X.shape[1], d_out)  # not printed
W_k, W_v = [nn.Parameter(torch.rand(d_in, d_out), requires_grad=False) for _ in range(2)]
print("X", X)
""", """\
print("Q", X @ W_q)
print("K", X @ W_k)
""", """\
class Head(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.d_out = d_out
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)

torch.manual_seed(11)
head = Head(d_in, d_out=4)
print(head.W_key.weight)
print(head.W_query(X))
print(torch.rand_like(X))
"""],
    "numpy": ["""\
import numpy as np
rng = np.random.RandomState(3)
E = rng.randn(5, 3)
print(E)
W = rng.rand(3, 4)
print(E @ W)
""", """\
np.random.seed(42)
W_q = np.random.randn(3, 4) * 0.1
noise = np.random.uniform(-1, 1, size=(2, 3))
steps = np.random.randint(0, 100, (3, 4))
print("W_q\\n", W_q)
print("noise\\n", noise)
print("steps\\n", steps)
print("tenths\\n", np.random.normal(1, 2, (3, 3)).round(3))
"""],
}

for name, cells in PAGES.items():
    scope = {}
    with open(pathlib.Path(__file__).parent / f"draws-{name}.md", "w") as page:
        for cell in cells:
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(cell, scope)
            page.write(f"```python\n{cell}```\n\n```\n{out.getvalue()}```\n\n")
