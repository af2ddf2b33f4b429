"""--draws: each word equals that of numpy's MT19937, each value that of the saved tensors.

    PYTHONPATH=tests /usr/bin/python3 tests/cli/draws.py build/release/attn-walkthrough
"""
import collections
import json
import os
import re
import tempfile
import unittest

import numpy as np

import harness
from harness import output_of, run, text_of

LESSONS = [
    ["causal"],
    ["causal", "--seed", "-1", "--init", "randn", "--tokens", "5", "--d-in", "3"],
    ["causal", "--init", "randn", "--d-out", "7", "--tokens", "4", "--cpu", "default"],
    ["causal", "--qkv-bias", "--cpu", "default", "--tokens", "6", "--d-in", "5", "--dropout", "0.3"],
    ["trainable", "--seed", "4294967301", "--tokens", "4"],
    ["trainable", "--init", "randn", "--d-out", "4", "--tokens", "4", "--d-in", "5"],
    ["multihead", "--fixture"],
    ["multihead", "--article", "book", "--seed", "9"],
    ["dropout", "--dropout-kernel", "mkl"],
    ["simplified", "--sentence", "the cat sat on the mat"],
    ["cross", "--tokens", "5"],
]


def drawn(*arguments):
    return json.loads(text_of(*arguments, "--draws", "--format", "json"))["draws"]


def unit(word):
    """A uniform float with 24 bits."""
    return (word % 2**24) / 2**24


def wide(high, low):
    """A uniform double with 53 bits."""
    return (high * 2**32 + low) % 2**53 / 2**53


def streams(draws):
    """The words of numpy's MT19937 after each seed."""
    count = collections.defaultdict(int)
    for draw in draws:
        count[draw["seed"]] = max(count[draw["seed"]], draw["first"] + draw["count"])
    return {seed: np.random.RandomState(seed % 2**32).randint(0, 2**32, size=n, dtype=np.uint32) for seed, n in count.items()}


def elements(draw):
    for word in draw["words"]:
        for element in word["elements"]:
            yield word, element


class Draws(unittest.TestCase):
    def test_words_are_those_of_mt19937(self):
        for arguments in LESSONS:
            with self.subTest(arguments=arguments):
                draws = drawn(*arguments)
                self.assertTrue(draws)
                words = streams(draws)
                for draw in draws:
                    self.assertEqual(len(draw["words"]) + draw["passed_over"], draw["count"])
                    for word in draw["words"]:
                        self.assertEqual(word["word"], words[draw["seed"]][word["number"]])
                        self.assertEqual(int(word["hex"], 16), word["word"])
                    numbers = [word["number"] for word in draw["words"]]
                    self.assertEqual(numbers, sorted(set(numbers)))
                    self.assertTrue(all(draw["first"] <= number < draw["first"] + draw["count"] for number in numbers))

    def test_values_are_those_of_the_saved_tensors(self):
        for arguments in LESSONS:
            with self.subTest(arguments=arguments), tempfile.TemporaryDirectory() as folder:
                output_of(*arguments, "--save", "steps", cwd=folder)
                draws = drawn(*arguments)
                listed = collections.defaultdict(set)
                for draw in draws:
                    for _, element in elements(draw):
                        saved = np.load(os.path.join(folder, "steps", element["step"] + ".npy"))
                        self.assertEqual(saved.dtype.type(element["value"]), saved[tuple(element["index"])])
                        listed[element["step"]].add(tuple(element["index"]))
                for draw in draws:
                    self.assertEqual(len(listed[draw["step"]]), np.prod(draw["shape"]), draw["step"])

    def test_words_become_these_values(self):
        tried = set()
        for arguments in LESSONS:
            for draw in drawn(*arguments):
                made = collections.defaultdict(dict)
                for word, element in elements(draw):
                    key = (element["step"], tuple(element["index"]))
                    made[key][word["part"]] = word["word"]
                    made[key]["value"] = element["value"]
                bound = re.search(r"b = -a = (\S+)", draw["rule"])
                keep = re.search(r"True where u < (\S+)", draw["rule"])
                for key, parts in made.items():
                    value = parts.pop("value")
                    with self.subTest(arguments=arguments, element=key):
                        tried.add(tuple(parts))
                        if bound:
                            b = np.float32(bound[1])
                            # Either factor has 24 bits: in float64 the sum is exact, and rounded once.
                            once = np.float32(unit(parts["u"]) * (float(b) + float(b)) - float(b))
                            twice = np.float32(np.float32(unit(parts["u"])) * (b + b)) - b
                            self.assertEqual(np.float32(value), twice if "default" in arguments else once)
                        elif keep:
                            self.assertEqual(value, wide(parts["u high"], parts["u low"]) < float(keep[1]))
                        elif "u" in parts:
                            self.assertEqual(np.float32(value), np.float32(unit(parts["u"])))
                        elif "u1" in parts:
                            r, angle = np.sqrt(-2 * np.log(1 - unit(parts["u1"]))), 2 * np.pi * unit(parts["u2"])
                            self.assertLess(min(abs(value - r * np.cos(angle)), abs(value - r * np.sin(angle))), 2e-6)
                        elif "u1 high" in parts:
                            r = np.sqrt(-2 * np.log1p(-wide(parts["u2 high"], parts["u2 low"])))
                            angle = 2 * np.pi * wide(parts["u1 high"], parts["u1 low"])
                            self.assertLess(min(abs(value - r * np.cos(angle)), abs(value - r * np.sin(angle))), 2e-7)
        self.assertEqual(tried, {("u",), ("u1", "u2"), ("u1 high", "u1 low", "u2 high", "u2 low"), ("u high", "u low"), ("seed",)})

    def test_masks_of_the_other_kernel_follow_its_stream(self):
        masks = [draw for draw in drawn("dropout", "--dropout-kernel", "mkl") if "MCG31m1" in draw["rule"]]
        self.assertEqual(len(masks), 2)
        for draw in masks:
            [word] = draw["words"]
            keep = float(draw["rule"].rsplit(" ", 1)[1])
            x = word["word"] % (2**31 - 1) or 1
            for element in word["elements"]:
                self.assertEqual(element["value"], x / (2**31 - 1) < keep)
                x = 1132489760 * x % (2**31 - 1)

    def test_a_normal_that_is_left_over_is_the_next_draws(self):
        query, key, *_ = drawn("causal", "--init", "randn")
        self.assertEqual((query["left_over_by"], key["left_over_by"]), (None, "W_query"))
        self.assertEqual([[(one["step"], one["index"]) for one in word["elements"]] for word in query["words"][-4:]],
                         [[("W_query", [2, 2]), ("W_key", [0, 0])]] * 4)
        text = text_of("causal", "--init", "randn", "--draws", "--only", "W_key")
        self.assertRegex(text, r"# W_key\[0, 0\] = -0.1085\d+ is the second normal of W_query's last four words\n")

    def test_words_that_are_drawn_again_make_nothing(self):
        draw = drawn("causal", "--init", "randn", "--d-out", "7")[0]
        self.assertEqual((draw["count"], [len(word["elements"]) for word in draw["words"]]),
                         (37, [1] * 5 + [0] * 3 + [1] * 5 + [0] * 8 + [2] * 16))

    def test_an_embedding_lists_the_words_of_its_rows_alone(self):
        text = text_of("simplified", "--sentence", "the cat sat", "--draws", "--only", "inputs")
        rows = [line for line in text.splitlines() if not line.startswith("# ")]
        self.assertIn(f"# {150000 - len(rows):,} more words for rows that are not used\n", text)

    def test_text_says_what_json_says_in_columns(self):
        for arguments in LESSONS[:5]:
            text = text_of(*arguments, "--draws")
            rows = [line for line in text.splitlines() if not line.startswith("# ")]
            words = [(draw, word) for draw in drawn(*arguments) for word in draw["words"]]
            self.assertEqual(len(rows), len(words))
            self.assertEqual(len({re.search(r"0x[0-9a-f]{8}  ", row).start() for row in rows}), 1)
            self.assertEqual(len({row.index(word["elements"][0]["step"]) for row, (_, word) in zip(rows, words) if word["elements"]}), 1)
            for row, (draw, word) in zip(rows, words):
                number, decimal, hexadecimal = row.split()[:3]
                self.assertEqual((int(number), int(decimal), hexadecimal), (word["number"], word["word"], word["hex"]))
                self.assertEqual(hexadecimal, f"0x{word['word']:08x}")
                for element in word["elements"]:
                    named = re.search(re.escape(element["step"] + str(element["index"])) + r" +(\S+)", row)[1]
                    self.assertEqual(named if isinstance(element["value"], bool) else np.float32(named),
                                     str(element["value"]) if isinstance(element["value"], bool) else np.float32(element["value"]))
            seeds = list(dict.fromkeys(str(draw["seed"]) for draw in drawn(*arguments)))
            self.assertEqual(list(dict.fromkeys(re.findall(r"# torch.manual_seed\((\S+)\)\n", text))), seeds)
        text = text_of("dropout", "--dropout-kernel", "mkl", "--draws")
        [draw] = {draw["step"]: draw for draw in drawn("dropout", "--dropout-kernel", "mkl") if draw["step"] == "ones/dropout_mask"}.values()
        for element in draw["words"][0]["elements"]:
            self.assertRegex(text, re.escape(f"ones/dropout_mask{element['index']}") + rf" +{element['value']}\n")

    def test_chosen_steps_files_and_nothing(self):
        alone = drawn("causal", "--only", "W_key,keys")
        self.assertEqual(alone, [draw for draw in drawn("causal") if draw["step"] == "W_key"])
        self.assertEqual(text_of("causal", "--draws", "--only", "keys"), "# these steps draw no random numbers\n")
        self.assertEqual(drawn("simplified"), [])
        with tempfile.TemporaryDirectory() as folder:
            for form in ([], ["--format", "json"]):
                self.assertEqual(text_of("causal", "--draws", *form, "-o", "draws", "--force", cwd=folder), "")
                with open(os.path.join(folder, "draws")) as file:
                    self.assertEqual(file.read(), text_of("causal", "--draws", *form))
            np.save(os.path.join(folder, "own.npy"), np.ones((3, 3), np.float32))
            given = run("causal", "--draws", "--weights", "W_key=own.npy", cwd=folder)
            self.assertEqual(given.stderr, b"attn-walkthrough: note: --weights: not given, so drawn: W_query, W_value\n")
            self.assertIn(b"# W_key.weight, which no step shows = nn.Linear(3, 3, bias=False).weight: words 9 to 17\n", given.stdout)
        done = run("causal", "--draws", "--only", "W_kye")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"no step 'W_kye'", done.stderr)


if __name__ == "__main__":
    harness.main()
