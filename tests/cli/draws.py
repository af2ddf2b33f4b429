"""--draws: each word is that of numpy's MT19937, and uniform values follow from them.

    PYTHONPATH=tests /usr/bin/python3 tests/cli/draws.py build/release/attn-walkthrough
"""
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
    ["causal", "--qkv-bias", "--cpu", "default", "--tokens", "6", "--d-in", "5", "--dropout", "0.3"],
    ["trainable", "--seed", "4294967301", "--tokens", "4"],
    ["multihead", "--fixture"],
    ["multihead", "--article", "book", "--seed", "9"],
    ["dropout", "--dropout-kernel", "mkl"],
    ["simplified", "--sentence", "the cat sat on the mat"],
    ["cross", "--tokens", "5"],
]


def drawn(*arguments):
    """Each draw: its step, the seed, the number of its first word, its words, and whether nn.Linear drew them."""
    for step in json.loads(text_of(*arguments, "--draws", "--format", "json"))["steps"]:
        first, last, seed = map(int, re.search(r": words (\d+) to (\d+) after torch.manual_seed\((-?\d+)\)", step["label"]).groups())
        assert step["shape"] == [last - first + 1] and step["dtype"] == "int64"
        yield (step["section"] + "/" if step["section"] else "") + step["name"], seed, first, step["values"], step["label"].startswith("nn.Linear")


class Draws(unittest.TestCase):
    def test_words_are_those_of_mt19937(self):
        for arguments in LESSONS:
            with self.subTest(arguments=arguments):
                draws = list(drawn(*arguments))
                self.assertTrue(draws)
                for _, seed, first, words, _ in draws:
                    stream = np.random.RandomState(seed % 2**32).randint(0, 2**32, size=first + len(words), dtype=np.uint32)
                    self.assertEqual(words, stream[first:].tolist())

    def test_uniform_values_follow(self):
        """torch.rand, and nn.Linear's weights of three columns."""
        with tempfile.TemporaryDirectory() as folder:
            output_of("trainable", "--save", "steps", cwd=folder)
            for name, _, _, words, is_linear in drawn("trainable"):
                value = np.load(os.path.join(folder, "steps", name + ".npy")).flatten()
                u = np.array(words) % 2**24 / 2**24
                low, high = (-np.float64(np.float32(1 / np.sqrt(3))), np.float64(np.float32(1 / np.sqrt(3)))) if is_linear else (0, 1)
                self.assertEqual(value.tolist(), np.float32(u * (high - low) + low).tolist(), name)

    def test_as_tensors_of_any_format(self):
        text = text_of("causal", "--draws", "--only", "W_key")
        self.assertRegex(text, r"\Ann.Linear\(3, 3, bias=False\).weight: words 9 to 17 after torch.manual_seed\(123\)\n tensor\(\[\d+,")
        self.assertIn("W_key", text_of("causal", "--draws", "--format", "markdown"))
        with tempfile.TemporaryDirectory() as folder:
            output_of("causal", "--draws", "--save", "words", cwd=folder)
            [words] = [words for name, _, _, words, _ in drawn("causal") if name == "W_key"]
            self.assertEqual(np.load(os.path.join(folder, "words", "W_key.npy")).tolist(), words)
            np.save(os.path.join(folder, "own.npy"), np.ones((3, 3), np.float32))
            given = run("causal", "--draws", "--weights", "W_key=own.npy", cwd=folder)
            self.assertEqual(given.stderr, b"attn-walkthrough: note: --weights: not given, so drawn: W_query, W_value\n")
            self.assertIn(b": words 9 to 17 after", given.stdout)

    def test_nothing_to_show(self):
        for arguments, words in ((["causal", "--only", "W_kye"], b"no step 'W_kye'"), (["simplified"], b"draws no random numbers")):
            done = run(*arguments, "--draws")
            self.assertEqual((done.returncode, done.stdout), (2, b""))
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    harness.main()
