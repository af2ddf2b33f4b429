"""Pages as readers of the lesson publish them: the same program with a seed, sizes, inputs, initialisation and choice of
print calls of their own, run by PyTorch.

    /usr/bin/python3 tests/pages/make_pages.py FOLDER COUNT [FIRST]

Page N is FOLDER/page-N.txt. FOLDER/page-N.json tells of each printed tensor whether it can be known: "lesson" (a seeded
draw stands behind it that an article's lesson has), "follows" (from what is printed before it, or given), "hidden".
"""
import json
import pathlib
import random
import sys

import torch

TOY = [[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64],
       [0.22, 0.58, 0.33], [0.77, 0.25, 0.10], [0.05, 0.80, 0.55]]


class Page:
    """What a program prints, and whether it can be known."""

    def __init__(self, choices):
        self.choices = choices
        self.style = choices.choice(["torch", "torch", "torch", "torch", "mlx"])
        self.lines = []
        self.tags = []

    def often(self, probability=0.7):
        return self.choices.random() < probability

    def show(self, tag, tensor, label=""):
        text = str(tensor) if self.style == "torch" else as_mlx(tensor)
        self.lines.append(f"{label} {text}" if label else text)
        self.tags.append(tag)

    def maybe(self, tag, tensor, label=""):
        """Prints it or not; says whether."""
        shown = self.often()
        if shown:
            self.show(tag, tensor, label)
        return shown

    def size(self, tensor, label=""):
        self.lines.append(f"{label} {tensor.shape}".strip())


def as_mlx(tensor):
    """As MLX prints: six significant digits, trailing zeros left out."""
    def number(value):
        return f"{value:.6g}"

    def nested(values, indent):
        if not isinstance(values, list):
            return number(values)
        if values and isinstance(values[0], list):
            return "[" + (",\n" + " " * (indent + 1)).join(nested(v, indent + 1) for v in values) + "]"
        return "[" + ", ".join(number(v) for v in values) + "]"

    return f"array({nested(tensor.detach().float().tolist(), 7)}, dtype=float32)"


class Weights:
    """Queries, keys and values of one kind."""

    def __init__(self, kind, d_in, d_out, bias):
        self.kind = kind
        if kind == "linear":
            self.all = [torch.nn.Linear(d_in, d_out, bias=bias) for _ in range(3)]
        else:
            draw = torch.rand if kind == "rand" else torch.randn
            self.all = [torch.nn.Parameter(draw(d_in, d_out)) for _ in range(3)]

    def matrices(self):
        return [w.weight if self.kind == "linear" else w for w in self.all]

    def __call__(self, x):
        return [w(x) if self.kind == "linear" else x @ w for w in self.all]


def simplified(page, inputs, given):
    query = inputs[1]
    scores = torch.stack([torch.dot(x, query) for x in inputs])
    page.maybe(given, scores)
    shares = scores / scores.sum()
    if page.maybe(given, shares, "Attention weights:"):
        page.show(given, shares.sum(), "Sum:")
    weights = torch.softmax(scores, dim=0)
    if page.maybe(given, weights, "Attention weights:"):
        page.show(given, weights.sum(), "Sum:")
    page.maybe(given, weights @ inputs)
    scores = inputs @ inputs.T
    page.maybe(given, scores)
    weights = torch.softmax(scores, dim=-1)
    if page.maybe(given, weights):
        page.maybe(given, weights.sum(dim=-1), "All row sums:")
    page.maybe(given, weights @ inputs)


def one_query(page, inputs, seeded, d_out):
    weights = [torch.rand(inputs.shape[1], d_out) for _ in range(3)]
    known = seeded
    if page.often(0.3):
        for w in weights:
            page.show(seeded, torch.nn.Parameter(w, requires_grad=False))
        known = "follows" if seeded == "hidden" else seeded
    query = inputs[1] @ weights[0]
    keys, values = inputs @ weights[1], inputs @ weights[2]
    page.maybe(known, query)
    if page.often(0.5):
        page.size(keys, "keys.shape:")
        page.size(values, "values.shape:")
    shown_keys = known == "hidden" and page.often(0.3)
    if shown_keys:
        page.show(known, keys)
    scores = query @ keys.T
    shown = page.maybe("follows" if known == "hidden" and shown_keys else known, scores)
    scaled = torch.softmax(scores / d_out ** 0.5, dim=-1)
    page.maybe("follows" if known == "hidden" and shown else known, scaled)
    page.maybe(known, scaled @ values)


def module(page, inputs, seeded, kind, d_out, bias):
    weights = Weights(kind, inputs.shape[1], d_out, bias)
    known = seeded
    if page.often(0.25):
        for matrix in weights.matrices():
            page.show(seeded, matrix)
        known = "follows" if seeded == "hidden" and not bias else seeded
    queries, keys, values = weights(inputs)
    scores = queries @ keys.T
    shown = page.often(0.4) and page.maybe(known, scores)
    attention = torch.softmax(scores / d_out ** 0.5, dim=-1)
    if page.often(0.5):
        shown = page.maybe("follows" if known == "hidden" and shown else known, attention)
    page.show(known, attention @ values)
    return weights


def causal(page, inputs, seeded, weights, d_out):
    queries, keys, _ = weights(inputs)
    scores = queries @ keys.T
    attention = torch.softmax(scores / d_out ** 0.5, dim=-1)
    n = inputs.shape[0]
    known = seeded if seeded != "hidden" else "follows"
    page.show(seeded, attention)
    mask = torch.tril(torch.ones(n, n))
    page.maybe("follows" if n > 4 else "hidden", mask)
    simple = attention * mask
    page.maybe(known, simple)
    normalised = simple / simple.sum(dim=-1, keepdim=True)
    page.maybe(known, normalised)
    masked = scores.masked_fill(torch.triu(torch.ones(n, n), diagonal=1).bool(), -torch.inf)
    shown = page.maybe(seeded, masked)
    causal_weights = torch.softmax(masked / d_out ** 0.5, dim=-1)
    page.show(known if shown else seeded if seeded != "hidden" else "follows", causal_weights)
    rate = page.choices.choice([0.1, 0.2, 0.5])
    page.maybe(known, torch.nn.Dropout(rate)(causal_weights))


def batched(page, inputs, seeded, d_out, heads, bias):
    batch = torch.stack((inputs, inputs))
    page.size(batch)
    context = []
    for _ in range(heads):
        queries, keys, values = Weights("linear", inputs.shape[1], d_out, bias)(batch)
        n = batch.shape[1]
        masked = (queries @ keys.transpose(1, 2)).masked_fill(torch.triu(torch.ones(n, n), diagonal=1).bool(), -torch.inf)
        context.append(torch.softmax(masked / d_out ** 0.5, dim=-1) @ values)
    page.show(seeded, torch.cat(context, dim=-1))
    page.size(torch.cat(context, dim=-1), "context_vecs.shape:")


def make(number):
    choices = random.Random(number)
    page = Page(choices)
    is_toy = choices.random() < 0.75
    inputs = torch.tensor(TOY)
    torch.manual_seed(choices.randrange(1 << 30))
    if not is_toy:
        inputs = torch.round(torch.rand(choices.randint(3, 8), choices.randint(2, 5)) * 100) / 100
        page.show("hidden", inputs)
    seed = choices.choice([123, 123, 42, 789, 0, choices.randrange(10_000), None, None])
    usual = seed in (0, 1, 42, 123, 789) and is_toy

    def start(kind="rand", bias=False):
        if seed is None:
            torch.manual_seed(choices.randrange(1 << 30))
        else:
            torch.manual_seed(seed)
        return "lesson" if usual and d_out in (2, 3, 4) and kind != "randn" and not bias else "hidden"

    d_out = choices.choice([2, 2, 3, 4, 5])
    bias = choices.random() < 0.15
    if choices.random() < 0.6:
        simplified(page, inputs, "lesson" if is_toy else "follows")
    if choices.random() < 0.6:
        one_query(page, inputs, start(), d_out)
    kind = choices.choice(["rand", "randn", "linear", "linear"])
    weights = module(page, inputs, start(kind, bias), kind, d_out, bias)
    if choices.random() < 0.7:
        causal(page, inputs, "hidden", weights, d_out)
    if choices.random() < 0.5:
        batched(page, inputs, start("linear", bias), d_out, choices.choice([1, 1, 2, 3]), bias)
    return page


def main():
    folder, count = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(first, first + count):
        page = make(number)
        (folder / f"page-{number}.txt").write_text("\n\n".join(page.lines) + "\n")
        (folder / f"page-{number}.json").write_text(json.dumps(page.tags) + "\n")


if __name__ == "__main__":
    main()
