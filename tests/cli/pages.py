"""What `verify` says of pages that readers of the lesson might publish: made by PyTorch, with seeds, sizes, inputs and print
calls of their own (see ../pages/make_pages.py). Nothing that is true is called wrong, what is given or can be derived is
explained, and what is damaged is noticed.

    /usr/bin/python3 tests/cli/pages.py build/release/attn-walkthrough
"""
import json
import pathlib
import random
import re
import subprocess
import sys
import unittest

BINARY = ""
PAGES = pathlib.Path(__file__).resolve().parents[1] / "pages"
HANG_LIMIT = 60
EXPLAINED = ("same", "same numbers", "follows")
NUMBER = re.compile(r"(?<![\w.])-?(?:\d+\.\d*(?:e[+-]\d+)?|\d+|inf)(?![\w.])")


def report(text):
    done = subprocess.run([BINARY, "verify", "-", "--format", "json"], input=text.encode(), capture_output=True,
                          timeout=HANG_LIMIT)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


def findings(text):
    return [one for one in report(text)["findings"] if one["kind"] == "tensor"]


def numbers_of(text):
    """For each tensor of a page, where its numbers stand."""
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


def pages():
    for file in sorted(PAGES.glob("page-*.txt")):
        yield file.name, file.read_text(), json.loads(file.with_suffix(".json").read_text())


class Pages(unittest.TestCase):
    def test_nothing_true_is_called_wrong(self):
        for name, text, tags in pages():
            found = findings(text)
            self.assertEqual(len(found), len(tags), name)
            for one in found:
                self.assertNotIn(one["verdict"], ("differs", "last digit"), (name, one["line"]))

    def test_what_can_be_known_is_explained(self):
        for name, text, tags in pages():
            for one, tag in zip(findings(text), tags):
                if tag != "hidden" and one["cells"] > 3:
                    self.assertIn(one["verdict"], EXPLAINED, (name, one["line"], tag))

    def test_the_same_cells_in_another_order_follow_from_nothing(self):
        choices = random.Random(1)
        for name, text, _ in pages():
            for i, spans in enumerate(numbers_of(text)):
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
        for name, text, _ in pages():
            for i, (spans, one) in enumerate(zip(numbers_of(text), findings(text))):
                places = [place for place, (begin, end) in enumerate(spans) if text[begin:end] != "inf"
                          and float(text[begin:end]) != 0]
                if one["verdict"] not in EXPLAINED or not places:
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
    (9, "nn.Dropout(0.25)(torch.ones(5, 5))", """tensor([[1.3333, 0.0000, 1.3333, 1.3333, 1.3333],
        [1.3333, 1.3333, 1.3333, 1.3333, 1.3333],
        [1.3333, 1.3333, 1.3333, 1.3333, 0.0000],
        [1.3333, 1.3333, 0.0000, 0.0000, 1.3333],
        [1.3333, 1.3333, 1.3333, 1.3333, 1.3333]])"""),
    (2_000_000, None, """tensor([[0.2078, 0.6866, 0.1321, 0.3664, 0.8708],
        [0.2337, 0.3496, 0.7798, 0.2523, 0.1806],
        [0.8343, 0.3639, 0.5326, 0.0784, 0.6061]])"""),
]


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


if __name__ == "__main__":
    BINARY = sys.argv.pop(1)
    unittest.main()
