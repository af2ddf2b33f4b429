"""Each option of each command has an effect, and is named by the errors about it. What is refused is in cases/*.txt.

The options are those that the help lists: one that this file does not know fails the test."""
import functools
import os
import re
import shlex
import tempfile
import unittest

import numpy as np

import harness
from harness import options_of, run, sample, text_of

FOLDER = ""  # where the program runs: own.npz, there.txt, there/
VALUES = {name: shlex.split(values) for name, values in harness.rows_of(__file__)}
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


def without_echo(data):
    """JSON without the options that it repeats."""
    return re.sub(rb'"options":\s*\{[^{}]*\}', b"", data)


@functools.cache
def outcome(*arguments):
    done = run(*arguments, cwd=FOLDER)
    return done.returncode, without_echo(done.stdout)


class Options(unittest.TestCase):
    def test_each_has_an_effect(self):
        commands = [*dict.fromkeys(row["chapter"] for row in harness.chapters()), "all"]
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
        for command in [*dict.fromkeys(row["chapter"] for row in harness.chapters()), *others]:
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
