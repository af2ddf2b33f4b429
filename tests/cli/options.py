"""Each option has an effect; what has none beside another is accepted; what would give something else is refused.

    PYTHONPATH=tests /usr/bin/python3 tests/cli/options.py PATH_TO_BINARY

The options are those that the help lists: one that this file does not know fails the test.
"""
import functools
import json
import os
import re
import tempfile
import unittest

import numpy as np

import harness
from harness import options_of, output_of, run, sample, text_of

FOLDER = ""  # where the program runs: own.npz, there.txt, there/
# What each option is given, one after the other until it has an effect.
VALUES = {
    "--article": ["livebook", "ahead-of-ai", "primer"], "--steps": ["all", "article"],
    "--only": ["context_vecs", "attn_weights", "dropout_attn_weights", "context_vec_2", "inputs"], "--predict": ["1"],
    "--cell": ["context_vecs[0,0]", "context_vecs[0,0,0]", "context_vec_2[0]", "row_max_2[0,0]", "learned/context_vecs[5,0]",
               "window/context_vecs[0,5,0]", "new_context_vecs[0,0,0]"],
    "--what-if": ["softmax-dim-0", "no-scaling", "no-mask"], "--seed": ["5"], "--tokens": ["4", "30"], "--d-in": ["5"],
    "--sentence": ["Life is short"], "--batch": ["3"], "--query": ["0"], "--d-out": ["6", "12"], "--d-out-kq": ["9", "12"],
    "--d-out-v": ["12"], "--init": ["randn", "linear", "rand"], "--num-heads": ["1", "3", "2"], "--attend-to": ["previous", "first"],
    "--dropout": ["0.9", "0.5"], "--dropout-kernel": ["mkl"], "--cpu": ["default", "avx2"], "--blas": ["portable"],
    "--precision": ["2"], "--threshold": ["5"], "--edgeitems": ["1"], "--linewidth": ["50"], "--sci-mode": ["on"],
    "--format": ["json", "csv"], "--emit": ["pytorch"], "--inputs": ["own.npz:inputs"], "--second-inputs": ["own.npz:inputs"],
    "--weights": ["W_value=own.npz:square", "W_query=own.npz:square", "W_query=own.npz:tall", "self_attention/W_query=own.npz:square",
                  "W_query=own.npz:wide", "W_value=own.npz:tall"],
    "--num-kv-heads": ["1"], "--new-tokens": ["1"], "--valid-length": ["3", "1"], "--block-size": ["3"], "--pair-distance": ["2", "6", "3"],
    "--window": ["2"], "--context-length": ["9", "12"],
}
FLAGS = ["--draws", "--explain", "--heatmap", "--qkv-bias", "--no-grad", "--fixture"]
# Tried elsewhere: the presenter (present/step.py), files (cli/files.py), pages (page/), threads and kernels (cli/kernels.py).
ELSEWHERE = ["-h", "--help", "--no-pager", "--threads", "--live", "--step", "--save", "--output", "--force", "--slides", "--color", "--blas",
             "--depth"]
# What an option's effect may need beside it.
CONTEXTS = [[], ["--precision", "12"], ["--dropout", "0.9"], ["--tokens", "60", "--precision", "12"], ["--threshold", "5"], ["--init", "linear"],
            ["--only", "context_vecs"], ["--only", "attn_weights"], ["--only", "context_vec_2"], ["--only", "row_sum_2"],
            ["--only", "new_context_vecs"], ["--only", "learned/context_vecs"], ["--only", "window/attn_weights"], ["--dropout", "0.9", "--threshold", "5"]]
# The first asks for something that the second would not give.
REFUSED = [
    ("causal --step", "--predict 1"), ("causal --step", "--what-if no-mask"), ("causal --step", "--save new"), ("causal --step", "--output new"),
    ("causal --step", "--format json"), ("causal --step", "--emit pytorch"), ("causal --step", "--cell keys[0,0,0]"),
    ("causal --predict 1", "--explain"), ("causal --predict 1", "--heatmap"), ("causal --predict 1", "--what-if no-mask"),
    ("causal --predict 1", "--save new"), ("causal --predict 1", "--format html"), ("causal --predict 1", "--emit numpy"),
    ("causal --predict 1", "--output new"), ("causal --emit pytorch", "--cell keys[0,0,0]"), ("causal --emit numpy", "--explain"),
    ("causal --emit pytorch", "--format json"), ("causal --what-if no-mask", "--cell keys[0,0,0]"), ("causal --what-if no-mask", "--explain"),
    ("causal --what-if no-mask", "--heatmap"), ("causal --what-if no-mask", "--format svg"), ("causal --draws", "--explain"),
    ("causal --draws", "--what-if no-mask"), ("causal --draws", "--format html"), ("causal --cell keys[0,0,0]", "--format csv"),
    ("causal --cell keys[0,0,0]", "--format html"), ("causal --explain", "--format svg"), ("causal --heatmap", "--format json"),
    ("causal --slides", ""), ("all --format svg", ""), ("causal --sentence x", "--tokens 3"), ("causal --inputs own.npz:inputs", "--d-in 3"),
    ("causal --attend-to previous", "--d-out 3"), ("causal --attend-to previous", "--weights W_query=own.npz:square"),
]
# The last options change nothing: an alias or a script can always pass them.
HARMLESS = [
    ("causal", "--color never"), ("causal", "--force"), ("causal", "--depth 2"), ("causal --format html", "--explain"),
    ("causal --format html", "--heatmap"), ("causal --format html", "--color never"), ("causal --format markdown", "--explain"),
    ("causal --format json", "--explain"), ("causal --only keys --format svg", "--heatmap"), ("causal --only keys --format svg", "--no-grad"),
    ("causal --only keys", "--steps all"), ("causal --only keys", "--steps article"), ("causal --only keys --format csv", "--steps all"),
    ("causal --cell keys[0,0,0]", "--explain"), ("causal --cell keys[0,0,0]", "--heatmap"), ("causal --cell keys[0,0,0]", "--steps all"),
    ("causal --cell keys[0,0,0]", "--threshold 5"), ("causal --only keys --format csv", "--precision 3"), ("causal --emit numpy", "--precision 3"),
    ("causal --emit numpy", "--no-grad"), ("causal --heatmap", "--no-grad"), ("causal --fixture", "--qkv-bias"), ("causal --draws", "--blas portable"),
    ("causal --predict 1", "--color never"), ("list", ""),
]


def without_echo(data):
    """JSON without the options that it repeats."""
    return re.sub(rb'"options":\s*\{[^{}]*\}', b"", data)


@functools.cache
def outcome(*arguments):
    done = run(*arguments, cwd=FOLDER)
    return done.returncode, without_echo(done.stdout)


class Options(unittest.TestCase):
    def test_each_has_an_effect(self):
        chapters = json.loads(text_of("list", "--format", "json"))["chapters"]
        commands = [*dict.fromkeys(row["chapter"] for row in chapters), "all"]
        taken = {}
        for command in commands:
            for name, placeholder in options_of(command):
                taken.setdefault(name, []).append((command, placeholder))
        for name, commands in sample(taken.items()):
            with self.subTest(option=name):
                self.assertTrue(name in FLAGS or name in VALUES or name in ELSEWHERE, "not known here")
                self.assertTrue(name in ELSEWHERE or any(self.has_effect(name, *command) for command in commands))

    def has_effect(self, name, command, placeholder):
        values = VALUES.get(name, [""])
        if name in ("--what-if", "--format"):
            values = [value for value in values if value in placeholder.split("|")]
        changes = lambda use, context: name not in context and outcome(command, *context)[0] == 0 and \
            outcome(command, *context, *use)[0] == 0 and outcome(command, *context, *use) != outcome(command, *context)
        return any(changes([name, value] if value else [name], context) for context in CONTEXTS for value in values)

    def test_what_would_give_something_else_is_refused(self):
        for first, second in REFUSED:
            with self.subTest(first=first, second=second):
                done = run(*first.split(), *second.split(), cwd=FOLDER)
                error = done.stderr.decode()
                self.assertEqual((done.returncode, done.stdout), (2, b""), error)
                self.assertRegex(error, r"\Aattn-walkthrough: error: [^\n]*; [^\n]*\n\Z")
                self.assertLessEqual(len(error.removeprefix("attn-walkthrough: error: ").rstrip()), 200)
                for option in (first.split()[1], *second.split()[:1]):
                    self.assertIn(option, error)
                self.assertFalse(os.path.exists(os.path.join(FOLDER, "new")))

    def test_what_changes_nothing_is_accepted(self):
        for line, more in HARMLESS:
            with self.subTest(line=line, more=more):
                self.assertEqual(outcome(*line.split(), *more.split()), outcome(*line.split()))
                self.assertEqual(outcome(*line.split())[0], 0)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as FOLDER:
        dice = np.random.default_rng(3)
        np.savez(os.path.join(FOLDER, "own.npz"), **{name: dice.random(size, dtype=np.float32) for name, size in
                                                     {"inputs": (4, 3), "square": (3, 3), "wide": (6, 3), "tall": (12, 3)}.items()})
        harness.main()
