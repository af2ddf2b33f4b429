"""Each option of each command has an effect, and is named by the errors about it. What is refused is in cases/*.txt.

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
from harness import options_of, run, sample, text_of

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
NONSENSE = ["nonsense", "", " ", "-1", "--", "-", "1e999", "9" * 400, "0x7f", "nan", "a,b", "[", "'", "\u0666", "\n", "\x1b[2J",
            "--nonsense", "-n", "%s%n", "../..", "/dev/null/x", "x" * 5000]
# What an option's effect may need beside it.
CONTEXTS = [[], ["--precision", "12"], ["--dropout", "0.9"], ["--tokens", "60", "--precision", "12"], ["--threshold", "5"], ["--init", "linear"],
            ["--only", "context_vecs"], ["--only", "attn_weights"], ["--only", "context_vec_2"], ["--only", "row_sum_2"],
            ["--only", "new_context_vecs"], ["--only", "learned/context_vecs"], ["--only", "window/attn_weights"], ["--dropout", "0.9", "--threshold", "5"]]


def rows():
    return json.loads(text_of("list", "--format", "json"))["chapters"]


def without_echo(data):
    """JSON without the options that it repeats."""
    return re.sub(rb'"options":\s*\{[^{}]*\}', b"", data)


@functools.cache
def outcome(*arguments):
    done = run(*arguments, cwd=FOLDER)
    return done.returncode, without_echo(done.stdout)


class Options(unittest.TestCase):
    def test_each_has_an_effect(self):
        commands = [*dict.fromkeys(row["chapter"] for row in rows()), "all"]
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

    def each(self):
        """Command, option and placeholder; options of several chapters, of one chapter only."""
        others = ("all", "tour", "list", "verify", "help", "completion")
        options = {}
        for command in [*dict.fromkeys(row["chapter"] for row in rows()), *others]:
            for option in options_of(command):
                options.setdefault((command if command in others else "chapter", option), (command, *option))
        return sample(options.values())

    def refused(self, arguments, *parts):
        done = run(*arguments, cwd=FOLDER)
        error = done.stderr.decode()
        self.assertEqual((done.returncode, done.stdout), (2, b""), (arguments, error))
        self.assertRegex(error, r"\Aattn-walkthrough: error: [^\x00-\x1f\x7f]+; [^\x00-\x1f\x7f]+\n\Z")
        for part in parts:
            self.assertIn(part, error)
        return error

    def test_values_that_are_missing(self):
        for command, name, placeholder in self.each():
            if not placeholder:
                self.refused([command, name + "=x"], f"{name} takes no value; use {name} alone")
                self.assertEqual(text_of(command, name, "--help"), text_of(command, "-h", "--help"))
                continue
            for more in ([name + "="], [name], [name, name]):
                self.refused([command, *more], f"{name} needs a value", f"; use {name} {placeholder}", f"{command} --help")

    def test_nonsense(self):
        """Each value is accepted, or refused by one line that names its option; nothing is written."""
        for command, name, placeholder in self.each():
            page = ["page"] if command == "verify" else []
            for value in NONSENSE if placeholder else ():
                with tempfile.TemporaryDirectory() as outer, self.subTest(command=command, name=name, value=value[:40]):
                    folder = os.path.join(outer, "a", "b")  # ../.. has nothing else
                    os.makedirs(folder)
                    done = run(command, name, value, *page, cwd=folder)
                    error = done.stderr.decode()
                    if done.returncode == 0:
                        self.assertEqual(error, "")
                        continue
                    self.assertEqual((done.returncode, done.stdout, os.listdir(folder)), (2, b"", []))
                    self.assertRegex(error, r"\Aattn-walkthrough: error: [^\x00-\x1f\x7f]+; [^\x00-\x1f\x7f]+\n\Z")
                    self.assertIn("page" if page and name not in error else name, error)

    def test_misspelt(self):
        for command, name, _ in self.each():
            for typed in (name[:3] + "x" + name[3:], name[:-1], "-" + name, name.upper(), name[1:]):
                if typed not in [other for other, _ in options_of(command)] and not (command == "verify" and typed.startswith("---")):
                    self.assertRegex(self.refused([command, typed, "5"]), r"(the nearest is|did you mean) --\w| applies to ")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as FOLDER:
        dice = np.random.default_rng(3)
        np.savez(os.path.join(FOLDER, "own.npz"), **{name: dice.random(size, dtype=np.float32) for name, size in
                                                     {"inputs": (4, 3), "square": (3, 3), "wide": (6, 3), "tall": (12, 3)}.items()})
        harness.main()
