"""What `verify` says of pages that readers of the lesson might publish: made by PyTorch, with seeds, sizes, inputs and print
calls of their own (see ../pages/make_pages.py). Nothing that is true is called wrong, what is given or can be derived is
explained, and what is damaged is noticed.

    PYTHONPATH=tests /usr/bin/python3 tests/cli/pages.py build/release/attn-walkthrough
"""
import functools
import json
import pathlib
import random
import re
import unittest
unittest.TestCase.maxDiff = None

import harness
from harness import run

PAGES = pathlib.Path(__file__).resolve().parents[1] / "pages"
EXPLAINED = ("same", "same numbers", "follows")
NUMBER = re.compile(r"(?<![\w.])-?(?:\d+\.\d*(?:e[+-]\d+)?|\d+|inf)(?![\w.])")


@functools.cache
def report(text):
    done = run("verify", "-", "--format", "json", page=text.encode())
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)[0]


def report_of(page):
    done = run("verify", str(page), "--format", "json")
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)[0]


def findings(text):
    return [one for one in report(text)["findings"] if one["kind"] == "tensor"]


def numbers_of(text):
    """The position of each tensor's numbers on a page."""
    result = []
    for start in re.finditer(r"\b(?:tensor|array)\(", text):
        depth, end = 1, start.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        last = text.rfind("]", start.end(), end)
        result.append([found.span() for found in NUMBER.finditer(text, start.end(), last if last > 0 else end - 1)])
    return result


def replaced(text, spans, words):
    for (begin, end), word in sorted(zip(spans, words), reverse=True):
        text = text[:begin] + word + text[end:]
    return text


def sampled_tensors():
    """Page, its text, and a tensor's place on it."""
    return harness.sample((name, text, i) for name, text, _ in pages() for i in range(len(numbers_of(text))))


def pages():
    for file in harness.sparse(sorted(PAGES.glob("page-*.txt")), 4):
        yield file.name, file.read_text(), json.loads(file.with_suffix(".json").read_text())


class Pages(unittest.TestCase):
    def test_nothing_true_is_called_wrong(self):
        for name, text, tags in pages():
            found = findings(text)
            self.assertEqual(len(found), len(tags), name)
            for one in found:
                self.assertNotIn(one["verdict"], ("differs", "last digit"), (name, one["line"]))

    # Products of three and whole layers, sums of rows that are all alike, and weights that are not printed are no relations.
    NO_RELATION = (("page-7.txt", 28), ("page-32.txt", 7))

    def test_what_can_be_known_is_explained(self):
        for name, text, tags in pages():
            for one, tag in zip(findings(text), tags):
                if tag != "hidden" and one["cells"] > 3 and (name, one["line"]) not in self.NO_RELATION:
                    self.assertIn(one["verdict"], EXPLAINED, (name, one["line"], tag))

    def test_the_same_cells_in_another_order_follow_from_nothing(self):
        choices = random.Random(1)
        for name, text, i in sampled_tensors():
            spans = numbers_of(text)[i]
            words = [text[begin:end] for begin, end in spans]
            if len(set(words)) < 3:
                continue
            shuffled = words[:]
            while shuffled == words:
                choices.shuffle(shuffled)
            verdict = findings(replaced(text, spans, shuffled))[i]["verdict"]
            self.assertNotIn(verdict, EXPLAINED + ("last digit",), (name, i))

    def test_a_wrong_sign_is_noticed_at_its_place(self):
        choices = random.Random(2)
        for name, text, i in sampled_tensors():
            spans = numbers_of(text)[i]
            places = [place for place, (begin, end) in enumerate(spans) if text[begin:end] != "inf"
                      and float(text[begin:end]) != 0]
            if not places or findings(text)[i]["verdict"] not in EXPLAINED:
                continue
            place = choices.choice(places)
            begin, end = spans[place]
            word = text[begin:end]
            damaged = findings(replaced(text, [(begin, end)], [word[1:] if word[0] == "-" else "-" + word]))[i]
            self.assertNotIn(damaged["verdict"], EXPLAINED, (name, i, word))
            for difference in damaged["differences"]:
                position = 0
                for size, index in zip(damaged["shape"], difference["index"]):
                    position = position * size + index
                self.assertEqual(position, place, (name, i, word))


# What PyTorch prints after torch.manual_seed(SEED).
DRAWS = [
    (77, "torch.rand(3, 5)", """tensor([[0.2919, 0.2857, 0.4021, 0.4645, 0.9503],
        [0.2564, 0.6645, 0.8609, 0.3538, 0.3347],
        [0.7285, 0.5794, 0.4946, 0.9831, 0.5134]])"""),
    (2024, "torch.randn(4, 5)", """tensor([[-1.2262, -0.0093,  1.5420, -0.4657,  1.8567],
        [ 1.9776, -0.4322,  1.3667,  0.7131, -0.3869],
        [-0.2535, -1.6675,  0.9962,  0.9391,  1.4148],
        [ 0.6343, -0.0776, -1.1175, -0.6481,  0.6530]])"""),
    (8, "torch.randn(3, 4)", """tensor([[ 0.2713, -1.2729,  0.5027,  0.4181],
        [-0.6394, -0.6608, -0.1433, -0.1043],
        [-1.5313,  0.6318, -1.3448,  1.4309]])"""),
    (11, "nn.Linear(5, 4).weight", """Parameter containing:
tensor([[-0.3139, -0.0120,  0.4344, -0.2966,  0.0751],
        [ 0.1732,  0.0743, -0.3323,  0.0645,  0.3800],
        [-0.2063,  0.2526, -0.2040, -0.0329,  0.2389],
        [ 0.0022, -0.3555,  0.2325,  0.2715,  0.2373]], requires_grad=True)"""),
    (12, "nn.Linear(3, 7).weight.T", """tensor([[-0.0396,  0.1006,  0.1585,  0.2568,  0.0958, -0.4316, -0.4323],
        [-0.3086, -0.1055, -0.2978, -0.3473,  0.1522,  0.5531, -0.0628],
        [-0.0546, -0.4305,  0.2670,  0.2250,  0.0645,  0.3975,  0.1848]],
       grad_fn=<PermuteBackward0>)"""),
    (9, "nn.Dropout(0.25)(torch.ones(7, 8))", """tensor([[1.3333, 0.0000, 1.3333, 1.3333, 1.3333, 1.3333, 1.3333, 1.3333],
        [1.3333, 1.3333, 1.3333, 1.3333, 1.3333, 1.3333, 0.0000, 1.3333],
        [1.3333, 0.0000, 0.0000, 1.3333, 1.3333, 1.3333, 1.3333, 1.3333],
        [1.3333, 1.3333, 0.0000, 1.3333, 1.3333, 1.3333, 1.3333, 0.0000],
        [1.3333, 0.0000, 0.0000, 1.3333, 1.3333, 0.0000, 1.3333, 1.3333],
        [1.3333, 1.3333, 0.0000, 1.3333, 1.3333, 1.3333, 1.3333, 0.0000],
        [0.0000, 0.0000, 1.3333, 1.3333, 1.3333, 1.3333, 0.0000, 1.3333]])"""),
    (1602, None, """tensor([[0.0000, 0.0000, 1.6667, 1.6667],
        [1.6667, 1.6667, 0.0000, 1.6667],
        [0.0000, 1.6667, 0.0000, 0.0000]])"""),  # 12 cells: some seed always draws them
    (2_000_000, None, """tensor([[0.2078, 0.6866, 0.1321, 0.3664, 0.8708],
        [0.2337, 0.3496, 0.7798, 0.2523, 0.1806],
        [0.8343, 0.3639, 0.5326, 0.0784, 0.6061]])"""),
]


class DrawsOfTheListing(unittest.TestCase):
    """draws.md contains its program; PyTorch and numpy ran it."""

    def test_each_draw_after_a_seed_is_told_and_what_is_made_of_it(self):
        found = [one for one in report_of(PAGES / "draws.md")["findings"] if one["kind"] == "tensor"]
        torch_seed, numpy_seed = " after torch.manual_seed(42)", " after np.random.seed(7)"
        triangle = "torch.tril(torch.ones(3, 3))"
        expected = [
            "x = torch.randn(3, d_in), drawn" + torch_seed, "W = torch.rand(4, d_out), drawn" + torch_seed,
            "ids = torch.randint(0, 50, (3, 4)), drawn" + torch_seed,
            "layer.weight = nn.Linear(4, d_out).weight, drawn" + torch_seed, "layer.bias = nn.Linear(4, d_out).bias, drawn" + torch_seed,
            "embed.weight = nn.Embedding(5, 3).weight, drawn" + torch_seed,
            "a = np.random.rand(3, 3), drawn" + numpy_seed, "b = np.random.randn(2, 3), drawn" + numpy_seed,
            "(x @ W) @ (x @ W).T / 2**0.5",
            f"{triangle} / {triangle}.sum(1, keepdim=True) @ x", "torch.eye(3)", "torch.relu(x)"]
        self.assertEqual([one["relation"] for one in found], expected)
        self.assertEqual([one["verdict"] for one in found], ["follows"] * len(expected))


class TrueAtTheirPlace(unittest.TestCase):
    """true-*.md: tensors that look like a step, a mistake or another relation, and are what their program computes."""

    RELATIONS = {
        "alike": ["torch.ones(3, 3) @ b", "b.sum(0)"],
        "copied": ["words(torch.tensor([2, 0, 3]))", "torch.cat(made, dim=-1)"],
        "counted": ["P / P.sum(-1, keepdim=True)", "P.argmax(0)", "(P > 0.5).int()", "P[i]", "P[i]",
                    "torch.ones(4, 4).tril() - torch.ones(4, 4).tril(-2)"],
        "dropped": ["self.dropout(wei)", "self.kept @ self.value(x)", "F.dropout(x, p=0.5)",
                    "self.kept @ self.value(x)", "torch.cat([h(x) for h in heads], dim=-1)"],
        "hidden-by-1e9": ["scores, as the listing computes it", "torch.softmax(scores, dim=-1)"],
        "key-first": ["query(inputs) @ key(inputs).T"],
        "named": ["W_value(inputs)", "W_query(inputs)", "W_key(inputs)"],
        "of-a-base-class": ["self.weights @ v", "self.weights @ v", "torch.softmax(scores, dim=-1)"],
        "of-a-batch": ["x = torch.randn(2, 3, 3, generator=elsewhere), drawn after torch.Generator().manual_seed(98765)",
                       "x @ W", "queries.view(2, 3, 2, 2)", "weights.sum(dim=-1)", "torch.ones(2, 3)"],
        "of-a-config": ["F.softmax(att, dim=-1)", "att.max(dim=-1), as the listing computes it",
                        "att.max(dim=-1), as the listing computes it"],
        "of-a-gpt": ["torch.tensor(encode(words), dtype=torch.long)", "torch.stack([data[i:i + 4] for i in starts])",
                     "x[0]", "self.head(x)", "F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))"],
        "of-places": ["torch.tensor([words + [0] * (4 - len(words)) for words in [[3, 1], [2, 5, 4, 1]]])",
                      "per_head @ x[0, 0]", "torch.topk(per_head[:, 0], 2, dim=-1)",
                      "torch.topk(per_head[:, 0], 2, dim=-1)"],
        "of-a-loop": ["E[i]", "E[i]", "E[i]", "E[i]", "row.round(2)", "row.round(2)", "row.round(2)", "row.round(2)"],
        "of-arguments": ["scores.softmax(dim=-1)", "self.layer(self.norm(x), *args, **kwargs) + x",
                         "scores.softmax(dim=-1)", "self.layer(self.norm(x), *args, **kwargs) + x",
                         'torch.cat([self.cache["k"], k], dim=2)'],
        "of-blocks": ["m.squeeze()", "O / l", "table[offsets + 3]",
                      "torch.linspace(0, 1, 5)"],
        "of-blocks-with-dropout": ["self.dropout(x + self.pe[:, :x.size(1)])", "self.norm2(x + self.net(x))",
                                   "self.norm2(x + self.net(x))",
                                   "F.cross_entropy(logits.view(-1, 11), tokens.view(-1))"],
        "of-copies": ["scores.softmax(dim=-1)", "x + layer(self.norm(x))"],
        "of-initialisers": ["project.W = nn.init.xavier_uniform_(self.W), drawn after torch.manual_seed(6)",
                            "nn.init.normal_(self.layer.weight, mean=0.0, std=0.02) after torch.manual_seed(6)",
                            "self.layer(x @ self.W)"],
        "of-labels": ["ids.unsqueeze(0)", "ids + 1"],
        "of-lengths": ["dec[0]", "torch.softmax(scores.masked_fill(pad.unsqueeze(1), float(\"-inf\")), -1)",
                       "torch.tensor([start ** (i + 1) for i in range(4)])", "(-dec[0]).max()"],
        "of-modules": ["mha(x, x, x, attn_mask=mask)", "mha(x, x, x, attn_mask=mask)", "same",
                       "torch.arange(4)[None, :] < lengths[:, None]"],
        "of-numpy": ["centers = np.random.rand(2, 2), drawn after np.random.seed(0)",
                     "centers = np.random.rand(2, 2), drawn after np.random.seed(0)"],
        "of-one-tensor": ["F.dropout(torch.softmax(q @ k.transpose(-2, -1) / 2, dim=-1), p=0.25)", "w @ v",
                          "torch.topk(logits, 3)", "logits, as the listing computes it"],
        "of-padding": ["(tokens != 0).unsqueeze(1)", "visible & (tokens != 0).unsqueeze(2)",
                       "torch.softmax(flat, dim=-1).reshape(scores.shape)", "np.repeat(np.array([0.25, 1.5, 3.75]), 2)",
                       "mha(x, x, x, key_padding_mask=hidden)"],
        "of-turns": ["hidden[0]", "attn[0]", "(attn @ x).mean(dim=(1, 2))",
                     "F.one_hot(torch.tensor([0, 2, 1]), 4)", "state[0]", "state[0]"],
        "of-two-heads": ["torch.cat(heads, dim=-1)"],
        "of-whole-inputs": ['torch.tensor([names["red"]] + [names.get(one, 0) for one in colours])',
                            "layer(torch.ones(2, 3))", "layer(torch.eye(3)[[2, 0]])",
                            "torch.softmax(keys @ query, dim=0)", "torch.softmax(keys @ query, dim=0)"],
        "of-words": ["embed(torch.tensor([vocab[word] for word in words]))",
                     "torch.tensor([seen[word] for word in words])",
                     "torch.softmax((x @ W_q) @ (x @ W_k).T / temperature, dim=-1)",
                     "torch.softmax((x @ W_q) @ (x @ W_k).T / temperature, dim=-1)", "q @ k.transpose(1, 2)"],
        "on-purpose": ["same", "torch.softmax(scores.masked_fill(later, -torch.inf) / 2 ** 0.5, dim=-1)",
                       "torch.softmax(scores.T / 2 ** 0.5, dim=-1)", "torch.softmax(scores * 2 ** 0.5, dim=-1)",
                       "scores - scores.mean(dim=-1, keepdim=True)", "torch.tanh(centred) + 1"],
        "returned": ["q = torch.rand(n, d), drawn after torch.manual_seed(42)",
                     "k = torch.rand(n, d), drawn after torch.manual_seed(42)"],
        "small-weights": ["torch.randn(6) * 16", "torch.softmax(scores, dim=0)"],
        "temperature": ["torch.softmax(logits / t, dim=0)", "torch.softmax(logits / t, dim=0)"],
        "tied": ["k = torch.randn(4, 4), drawn after torch.manual_seed(77)",
                 "k = torch.randn(4, 4), drawn after torch.manual_seed(77)", "q @ k.T"],
        "unscaled": ["torch.softmax((inputs @ W_query) @ (inputs @ W_key).T, dim=-1)",
                     'torch.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1)', "inputs[0].sum()"],
        "written-into": ["torch.randn(4, 4).masked_fill(torch.ones(4, 4).tril() == 0, float(\"-inf\")).softmax(-1)",
                         "s, as the listing computes it"],
    }

    def test_each_is_told_as_it_was_made(self):
        self.assertEqual(sorted(self.RELATIONS), sorted(page.stem[5:] for page in PAGES.glob("true-*.md")))
        for name, relations in self.RELATIONS.items():
            found = [one for one in report_of(PAGES / f"true-{name}.md")["findings"] if one["kind"] == "tensor"]
            self.assertEqual([one["relation"] or (one["verdict"] if one["step"] else None) for one in found], relations, name)
            self.assertEqual([one["verdict"] for one in found],
                             [{None: "unknown", "same": "same"}.get(relation, "follows") for relation in relations], name)

    def test_a_wrong_digit_behind_many_layers(self):
        """Their bounds are wide; what exact arithmetic makes of the draws is not."""
        for name in ("of-a-gpt",):
            page = (PAGES / f"true-{name}.md").read_text()
            begin = page.rindex("tensor([[[")
            last = page[begin:]
            for number in harness.sample(re.findall(r"-?\d\.\d{4}", last[:last.index(")")])):
                wrong = number[:-2] + str((int(number[-2]) + 5) % 10) + number[-1]
                changed = findings(page[:page.rindex(number)] + wrong + page[page.rindex(number) + len(number):])
                found = next(one for one in changed if one["line"] == page.count("\n", 0, begin) + 1)
                self.assertNotIn(found["verdict"], EXPLAINED, (name, number))

    def test_a_notebook_shows_what_its_function_returns(self):
        cells = [("def sums(x):\n    return x.sum(-1)\nimport torch\nx = torch.arange(6.0).view(2, 3) / 7\nsums(x) * 2",
                  "tensor([0.8571, 3.4286])"), ("sums(x), x[0]", "(tensor([0.4286, 1.7143]), tensor([0.0000, 0.1429, 0.2857]))")]
        notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
            {"cell_type": "code", "execution_count": n, "metadata": {}, "source": source, "outputs": [
                {"output_type": "execute_result", "execution_count": n, "metadata": {}, "data": {"text/plain": shown}}]}
            for n, (source, shown) in enumerate(cells, 1)]}
        done = run("verify", "--format", "json", "-", page=json.dumps(notebook).encode())
        self.assertEqual([one["relation"] for one in json.loads(done.stdout)[0]["findings"]],
                         ["sums(x) * 2", "x.sum(-1)", "x[0]"])

    def test_without_fences_it_is_the_same_page(self):
        """As a plain text, in which only its words tell the program from its output; a list after words may be either."""
        for name in harness.sample([name for name in self.RELATIONS if name != "of-a-loop"]):
            page = (PAGES / f"true-{name}.md").read_text()
            plain = "".join(line for line in page.splitlines(True) if not line.startswith("```"))
            text = re.sub(r"```python\n(.*?)```\n*```\n(.*?)```", r"In [1]:\n\1\n\2", page, flags=re.DOTALL)  # of a notebook
            for other in (plain, text):
                self.assertEqual([one["verdict"] for one in findings(other)], [one["verdict"] for one in findings(page)], name)

    def test_dropout_of_either_build(self):
        """The articles' numbers are of PyTorch's build with MKL, which draws other masks."""
        golden = (PAGES.parents[1] / "golden" / "blog" / "dropout.txt").read_text()
        begin = golden.index("tensor([[2.")
        mask = golden[begin:golden.index(")", begin) + 1].replace("2.", "6.")
        program = "import torch\ntorch.manual_seed(123)\ndropout = torch.nn.Dropout(0.5)\nprint(dropout(torch.full((6, 6), 3.0)))\n"
        found = findings(f"```python\n{program}```\n\n```\n{mask}\n```\n")
        self.assertEqual([(one["verdict"], one["relation"]) for one in found],
                         [("follows", "dropout(torch.full((6, 6), 3.0))")])
        other = findings(f"```python\n{program}```\n\n```\n{mask.replace('6., 6.', '6., 0.', 1)}\n```\n")
        self.assertEqual([one["verdict"] for one in other], ["differs"])

    def test_what_the_program_computes_is_known_better_than_it_is_printed(self):
        """Of q and k printed to one place, q @ k.T is known to two units only; of what draws them, to every digit."""
        program = ("import torch\ntorch.manual_seed(8)\ntorch.set_printoptions(precision=1)\nx = torch.randn(3, 4)\n"
                   "q, k = x @ torch.randn(4, 4), x @ torch.randn(4, 4)\nprint(q)\nprint(k)\nprint(q @ k.T)\n")
        printed = """tensor([[ 2.4, -0.7, -0.1,  1.3],
        [-0.3,  0.2, -0.2, -0.2],
        [-2.9, -1.1, -0.4, -1.0]])
tensor([[ 0.2, -4.3,  0.9,  2.3],
        [-0.9, -1.0,  1.5,  0.8],
        [-5.9,  4.0,  2.7, -1.5]])
tensor([[  6.1,  -0.6, -19.3],
        [ -1.6,  -0.4,   2.4],
        [  1.7,   2.3,  13.3]])"""
        page = f"```python\n{program}```\n\n```\n{printed}\n```\n"
        self.assertEqual([one["verdict"] for one in findings(page)], ["follows"] * 3)
        for changed, verdict in (("-19.2", "last digit"), ("-19.1", "differs")):
            self.assertEqual(findings(page.replace("-19.3", changed))[2]["verdict"], verdict)

    def test_sizes_that_the_program_computes(self):
        report = report_of(PAGES / "true-dropped.md")
        self.assertEqual([(one["verdict"], one["relation"]) for one in report["findings"] if one["kind"] == "size"],
                         [("follows", f"{words}, as the listing computes it") for words in ("out.shape", "x.size()")])

    def test_sizes_of_the_listings_own_variables(self):
        """One of a lesson's sizes is not meant where the listing prints that of a variable with another name."""
        page = """```python
import torch
inputs = torch.tensor([[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64],
                       [0.22, 0.58, 0.33], [0.77, 0.25, 0.10], [0.05, 0.80, 0.55]])
mixture = inputs[2] * 2
torch.manual_seed(123)
W_query = torch.rand(3, 2)
print(W_query)
print(mixture.shape)
```
```
tensor([[0.2961, 0.5166],
        [0.2517, 0.6886],
        [0.0740, 0.8665]])
torch.Size([3])
```
"""
        done = run("verify", "--format", "json", "-", page=page.encode())
        size = next(one for one in json.loads(done.stdout)[0]["findings"] if one["kind"] == "size")
        self.assertEqual(size["relation"], "mixture.shape, as the listing computes it")

    def test_what_stands_right_below_an_assignment_is_its_value(self):
        """Six digits from 0 to 9 say little, except where the program has just drawn them."""
        page = """```python
import torch
torch.manual_seed(1337)
x = torch.randn(4, 8, 2)
a = torch.ones(3, 3)
# tensor([[1., 1., 1.],
#         [1., 1., 1.],
#         [1., 1., 1.]])
b = torch.randint(0, 10, (3, 2)).float()
# tensor([[8., 6.],
#         [5., 2.],
#         [4., 4.]])
```
"""
        self.assertNotIn(findings(page.replace("[8., 6.]", "[8., 7.]"))[1]["verdict"], EXPLAINED)

    def test_a_listing_excuses_no_mistake(self):
        """A mistake that its label does not announce is a mistake, even if the program on the page makes it."""
        page = (PAGES / "true-on-purpose.md").read_text()
        found = findings(page.replace("backward weights", "weights").replace("sharpened weights", "weights"))
        self.assertEqual([one["mistake"]["name"] for one in found if one["verdict"] == "mistake"],
                         ["mask-triangle", "wrong-scale"])

    def test_output_of_another_program(self):
        """Where the listing is right so far, what it does not print there is not right, whatever else it may be."""
        page = """```python
import torch
torch.manual_seed(31)
x = torch.randn(4, 3)
W_query, W_key = torch.rand(3, 2), torch.rand(3, 2)
queries = x @ W_query
keys = x @ W_key
scores = queries @ keys.T
print("queries:", queries)
print("keys:", keys)
print("scores:", scores)
```

```
queries: tensor([[-0.5378, -0.6055],
        [-0.2031,  0.2067],
        [ 0.7709,  0.3385],
        [ 0.5660,  1.0303]])
keys: tensor([[ 0.0562, -0.3201],
        [-0.3490, -0.3046],
        [-0.2002,  0.1416],
        [ 0.5915,  1.1053]])
scores: tensor([[ 0.1636, -0.0776, -0.0651, -0.2980],
        [ 0.3721,  0.0079, -0.3721, -0.5114],
        [ 0.0220,  0.0699, -0.1064,  0.0325],
        [-0.9874,  0.1084,  0.8301,  1.4737]])
```
"""
        *before, scores = findings(page)
        self.assertEqual([one["verdict"] for one in before], ["follows"] * 2)
        self.assertEqual((scores["verdict"], scores["notes"]), ("unknown", ["this output shows other numbers than its program: run it again?"]))

    def test_angles_of_three_positions_have_lost_no_row(self):
        """Steps that sizes alone determine begin alike whatever their length."""
        page = "angles tensor([[0.0000, 0.0000],\n        [1.0000, 0.0100],\n        [2.0000, 0.0200]])\n"
        done = run("verify", "--format", "json", "-", page=page.encode())
        self.assertEqual((done.returncode, [one["verdict"] for one in json.loads(done.stdout)[0]["findings"]]), (0, ["unknown"]))

    def test_a_wrong_number_is_no_other_relation(self):
        for name, was, becomes, line in (
                ("hidden-by-1e9", "[0.8623, 0.1377", "[0.4623, 0.5377", 14),
                ("of-lengths", "0.1312, 0.1779", "0.1315, 0.1779", 27),
                ("small-weights", "8.1396e-16", "2.1396e-16", 11),
                ("small-weights", "8.1396e-16", "-8.1396e-36", 11)):
            page = (PAGES / f"true-{name}.md").read_text()
            self.assertEqual(page.count(was), 1)
            found = next(one for one in findings(page.replace(was, becomes)) if one["line"] == line)
            self.assertNotIn(found["verdict"], EXPLAINED)

    def test_what_only_moves_numbers_changes_no_digit(self):
        """Neighbours in the last place are two numbers, though what they stand for meets."""
        page = (PAGES / "true-of-a-batch.md").read_text()
        begin = page.index("1.9848", page.rindex("split:"))
        self.assertNotIn(findings(page[:begin] + "1.9849" + page[begin + 6:])[2]["verdict"], EXPLAINED)

    def test_a_copy_of_numpys_has_every_digit(self):
        page = (PAGES / "true-of-numpy.md").read_text()
        printed = "centers\n" + page[page.index("[[0.5"):page.rindex("```")]
        self.assertEqual(findings(printed)[1]["relation"], "line 2")
        begin = printed.rindex("0.60276338")
        self.assertNotIn(findings(printed[:begin] + "0.60276931" + printed[begin + 10:])[1]["verdict"], EXPLAINED)

    def test_a_nearer_relation_is_asked_first(self):
        """Q @ K.T / 2 allows 0.4679; half of the printed Q @ K.T does not."""
        page = """Q
tensor([[-3.9168, -0.5282,  3.8199,  3.8939],
        [-0.6655,  1.2382, -1.3578,  0.4617],
        [-1.0081,  1.5628, -0.1715,  0.4480]])
K
tensor([[ 0.0362,  0.0127,  0.3215,  2.4473],
        [-0.9892, -1.2614, -0.8308, -2.2937],
        [-0.5866,  0.0650,  0.5163, -0.8475]])
scores
tensor([[ 10.6091,  -7.5642,   0.9351],
        [  0.6850,  -0.8346,  -0.6215],
        [  1.0244,  -1.8591,   0.2247]])
scaled
tensor([[ 5.3045, -3.7821,  0.4676],
        [ 0.3425, -0.4173, -0.3108],
        [ 0.5122, -0.9296,  0.1124]])
"""
        self.assertEqual(findings(page)[3]["verdict"], "follows")
        self.assertEqual(findings(page.replace("0.4676", "0.4679"))[3]["verdict"], "unknown")

    def test_weights_that_only_rounding_would_allow(self):
        """Attention of x and 2 * x, whose columns depend on one another but for their rounding."""
        page = """tensor([[[0.8027, 0.2270, 0.9456, 0.1198],
         [0.7894, 0.4675, 0.4039, 0.6343],
         [0.7385, 0.1465, 0.8290, 0.5366]],

        [[1.6053, 0.4539, 1.8911, 0.2396],
         [1.5788, 0.9350, 0.8078, 1.2686],
         [1.4770, 0.2931, 1.6579, 1.0733]]])
tensor([[[-0.0763, -0.6110, -0.6372],
         [-0.0962, -0.6881, -0.3761],
         [-0.0640, -0.7089, -0.3725]],

        [[-0.1526, -1.2221, -1.2744],
         [-0.1919, -1.3742, -0.7587],
         [-0.1235, -1.4188, -0.7502]]], grad_fn=<UnsafeViewBackward0>)
"""
        self.assertEqual([one["verdict"] for one in findings(page)], ["unknown"] * 2)

    def test_sums_of_zero_are_no_evidence(self):
        """Means of what nn.LayerNorm made: a sum is known to four places only, and these have less than one."""
        page = """tensor([[-0.9516,  1.5359, -1.1792, -0.1847, -0.3199,  1.0994],
        [ 0.4770, -0.0719,  0.3103,  1.6578, -1.4175, -0.9556],
        [ 0.1635, -0.9665,  0.5922,  0.5471, -1.6399,  1.3037],
        [-0.3103, -1.7655,  0.4785,  1.2969, -0.4943,  0.7947]],
       grad_fn=<NativeLayerNormBackward0>)
tensor([ 1.4901e-08,  1.3908e-07, -2.9802e-08,  1.9868e-08], grad_fn=<MeanBackward1>)
"""
        self.assertEqual([one["verdict"] for one in findings(page)], ["unknown"] * 2)

    def test_one_cell_is_no_mask(self):
        tensor = "tensor([[ 0.2713, -1.2729],\n        [ 0.5027,  0.4181],\n        [-0.6394, -0.6608]])\n"
        self.assertEqual(findings(tensor + tensor.replace("0.4181", "0.0000"))[1]["verdict"], "unknown")

    def test_two_probabilities_are_the_softmax_of_any_two_numbers(self):
        self.assertEqual([one["verdict"] for one in findings("tensor([0.1234, 0.9876])\ntensor([0.3167, 0.6833])\n")],
                         ["unknown"] * 2)


class SeedsThatNobodyNames(unittest.TestCase):
    def test_they_are_found_by_what_they_draw(self):
        for seed, words, tensor in DRAWS:
            with self.subTest(seed):
                (found,) = findings(tensor)
                if words is None:
                    self.assertEqual(found["verdict"], "unknown")
                    continue
                self.assertIn(found["verdict"], ("same", "same numbers", "follows"))
                if found["verdict"] == "follows":
                    self.assertEqual(found["relation"], f"{words} after torch.manual_seed({seed})")
                    self.assertTrue(found["rooted"])
                else:
                    self.assertEqual([lesson["seed"] for lesson in report(tensor)["lessons"]], [seed])

    def test_one_other_digit_and_nothing_is_known(self):
        for seed, words, tensor in DRAWS:
            spans = numbers_of(tensor)[0]
            begin, end = spans[7]
            other = {"0": "3", "1.3333": "0.0000", "0.0000": "1.3333"}
            printed = tensor[begin:end]
            changed = other.get(printed, printed[:-1] + str((int(printed[-1]) + 5) % 10))
            (found,) = findings(tensor[:begin] + changed + tensor[end:])
            self.assertIn(found["verdict"], ("unknown", "last digit", "differs"), words)

    def test_the_lessons_of_any_seed_are_found(self):
        for article, chapter, seed, shown in harness.sample(
                (article, chapter, seed, shown) for article, chapters in LESSONS.items() for chapter in chapters.split()
                for seed in (0, 1, 7, 11, 42, 99, 1337, 2024, 31337, 99999) for shown in SHOWN):
            with self.subTest(article=article, chapter=chapter, seed=seed, shown=shown):
                lesson = run(chapter, "--article", article, "--seed", str(seed), *shown)
                if lesson.returncode == 0:  # it has such a step
                    told = report(lesson.stdout.decode())
                    self.assertLessEqual({one["verdict"] for one in told["findings"]}, set(EXPLAINED))
                    self.assertIn(seed, [one["seed"] for one in told["lessons"]])

    def test_three_lessons_of_three_seeds_in_one_log(self):
        log = b"".join(harness.output_of(chapter, "--seed", seed)
                       for chapter, seed in (("causal", "7"), ("trainable", "31337"), ("multihead", "2024")))
        told = report(log.decode())
        self.assertLessEqual({one["verdict"] for one in told["findings"]}, set(EXPLAINED))
        self.assertEqual(sorted(one["seed"] for one in told["lessons"]), [7, 2024, 31337])

    def test_a_seed_that_is_found_excuses_no_digit(self):
        page = harness.output_of("causal", "--seed", "7").decode()
        self.assertIn("differs", {one["verdict"] for one in findings(page.replace("0.1516", "0.1576"))})
        for only in ("keys", "values"):
            page = harness.output_of("causal", "--seed", "7", "--only", only).decode()
            if "0.3" in page:
                (changed,) = findings(page.replace("0.3", "0.9"))
                self.assertNotIn(changed["verdict"], ("same", "same numbers"))


LESSONS = {"blog": "trainable causal dropout multihead", "book": "trainable causal dropout multihead",
           "ahead-of-ai": "trainable causal multihead cross",
           "modern": "grouped cache online rotary positions bias sinks backward"}
SHOWN = ([], ["--steps", "all"], ["--only", "keys"], ["--only", "context_vecs"])

NUMPY = """In [1]:
import numpy as np
X = np.array([[0.5, 0.7, 0.6], [0.5, 0.4, 0.6], [0.4, 0.9, 1.0]])
W = np.array([[0.08712930, 0.02021840], [0.83261985, 0.77815675], [0.87001215, 0.97861834]])
print("X:\\n", X)
print("Q:\\n", X @ W)

X:
 [[0.5 0.7 0.6]
 [0.5 0.4 0.6]
 [0.4 0.9 1. ]]
Q:
 [[1.14840583 1.14198993]
 [0.89861988 0.9085429 ]
 [1.65422174 1.68704677]]
"""


class WhatOthersPrint(unittest.TestCase):
    def test_numpys_str_below_its_code_is_read_to_eight_digits(self):
        x, q = findings(NUMPY)
        self.assertEqual((x["line"], x["shape"], q["line"], q["shape"]), (9, [3, 3], 13, [3, 2]))
        self.assertEqual(q["verdict"], "follows")
        for changed in ("0.89861988", "0.89881988"), ("0.9085429 ", "0.9485429 "):
            self.assertNotIn(findings(NUMPY.replace(*changed))[1]["verdict"], EXPLAINED, changed)

    def test_a_mask_of_exponents_accuses_nobody(self):
        (mask,) = findings("[[ 0.e+00  0.e+00]\n [-1.e+09  0.e+00]]\n")
        self.assertNotIn(mask["verdict"], ("differs", "last digit"))

    def test_a_size_names_the_cell_of_a_tensor_above_or_beside_it(self):
        tensor = "tensor([[0.1234, 0.5678, 0.9012],\n        [0.3456, 0.7890, 0.1111]])\n"
        size = "torch.Size([2, 3])\n"

        def relation(*outputs):
            cells = [{"cell_type": "code", "source": "x", "outputs": [{"output_type": "stream", "text": text}]}
                     for text in outputs]
            found = report(json.dumps({"cells": cells, "nbformat": 4}))["findings"]
            return next(one.get("relation") for one in found if one["kind"] == "size")

        self.assertEqual(relation(tensor, size), "cell 1.shape")
        self.assertEqual(relation("x\n", size + tensor), "cell 2.shape")
        self.assertFalse(relation(size, tensor))


if __name__ == "__main__":
    harness.main()
