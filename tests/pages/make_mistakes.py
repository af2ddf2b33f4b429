"""Writes mistake-NAME.txt: the lesson of the blog's causal chapter by PyTorch, with one line written otherwise.

    /usr/bin/python3 tests/pages/make_mistakes.py
"""
import contextlib
import pathlib

import torch

INPUTS = torch.tensor([[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64],
                       [0.22, 0.58, 0.33], [0.77, 0.25, 0.10], [0.05, 0.80, 0.55]])


def lesson(scaled=True, diagonal=1, hidden=-torch.inf, dim=-1):
    torch.manual_seed(123)
    batch = torch.stack((INPUTS, INPUTS))
    W_query, W_key, W_value = (torch.nn.Linear(3, 3, bias=False) for _ in range(3))
    keys, queries, values = W_key(batch), W_query(batch), W_value(batch)
    attn_scores = queries @ keys.transpose(1, 2)
    mask = torch.triu(torch.ones(6, 6), diagonal=diagonal).bool()
    masked = attn_scores.masked_fill(mask, hidden)
    attn_weights = torch.softmax(masked / (keys.shape[-1]**0.5 if scaled else 1), dim=dim)
    for name, tensor in (("keys", keys), ("queries", queries), ("values", values), ("scores", attn_scores),
                         ("masked scores", masked), ("weights", attn_weights), ("context", attn_weights @ values)):
        print(name)
        print(tensor)


for name, change in {"none": {}, "no-scaling": {"scaled": False}, "mask-shows-next": {"diagonal": 2},
                     "mask-0": {"hidden": 0}, "softmax-dim-1": {"dim": 1},
                     "mask-hides-itself": {"diagonal": 0, "hidden": -1e9}}.items():
    with open(pathlib.Path(__file__).parent / f"mistake-{name}.txt", "w") as out, contextlib.redirect_stdout(out):
        lesson(**change)
