"""--explain, --cell, --heatmap, --what-if, --sentence and --format, tried as a teacher would.

    /usr/bin/python3 tests/cli/classroom.py build/release/attn-walkthrough
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BINARY = ""
CHAPTERS = []


def run(*arguments, environment=None):
    return subprocess.run([BINARY, *arguments], capture_output=True, timeout=60, text=True,
                          env={**os.environ, **(environment or {})})


class Case(unittest.TestCase):
    def text(self, *arguments):
        done = run(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        return done.stdout

    def refused(self, *arguments):
        done = run(*arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertTrue(done.stderr.startswith("attn-walkthrough: error: "))
        return done.stderr


class Explain(Case):
    def test_without_prose_it_is_the_plain_text(self):
        for chapter, article in CHAPTERS:
            for steps in ("article", "all"):
                arguments = [chapter, "--article", article, "--steps", steps]
                explained = self.text(*arguments, "--explain")
                plain = "".join(line for line in explained.splitlines(True) if not line.startswith("# "))
                self.assertEqual(plain, self.text(*arguments))
                self.assertGreater(explained.count("\n# shapes: "), 3)


class Cell(Case):
    def test_the_number_is_the_tensors(self):
        self.assertTrue(self.text("causal", "--cell", "attn_scores[1,2]").startswith("attn_scores[0, 1, 2] = 0.1602 "))
        self.assertTrue(self.text("causal", "--cell", "attn_weights[0,journey,Your]").startswith(
            "attn_weights[0, 1, 0] = 0.4392 "))
        self.assertTrue(self.text("simplified", "--cell", "attn_scores[journey,starts]").startswith(
            "attn_scores[1, 2] = 1.4754 "))

    def test_depth(self):
        lines = [self.text("causal", "--cell", "context_vecs[0,1,2]", "--depth", depth).count("\n")
                 for depth in ("1", "2", "full")]
        self.assertEqual(lines, sorted(set(lines)))
        self.assertIn("a trainable parameter", self.text("causal", "--cell", "keys[0,1,2]", "--depth", "full"))

    def test_refused(self):
        for cell in ("scores[0]", "keys", "keys[9,9,9]", "keys[a,b,c]", "[1]", "", "keys[0,1", "nothing/keys[0,1,2]"):
            self.refused("causal", "--cell", cell)
        self.refused("causal", "--depth", "2")
        self.refused("causal", "--cell", "keys[0,1,2]", "--depth", "0")
        self.refused("causal", "--cell", "keys[0,1,2]", "--heatmap")


class Heatmap(Case):
    def test_numbers_and_names(self):
        text = self.text("causal", "--heatmap", "--only", "attn_weights")
        self.assertNotIn("\x1b", text)
        self.assertRegex(text, r"(?m)^journey +0\.4392. +0\.5608")

    def test_every_chapter_in_narrow_and_wide_terminals(self):
        for chapter, article in CHAPTERS:
            for width in ("40", "120"):
                done = run(chapter, "--article", article, "--heatmap", environment={"COLUMNS": width})
                self.assertEqual((done.returncode, done.stderr), (0, ""))


class Formats(Case):
    def test_json_has_the_very_floats(self):
        import numpy
        for chapter, article in CHAPTERS:
            with tempfile.TemporaryDirectory() as folder:
                arguments = [chapter, "--article", article, "--steps", "all"]
                lesson = json.loads(self.text(*arguments, "--format", "json", "--save", folder))
                for step in lesson["steps"]:
                    if step["kind"] != "tensor":
                        continue
                    saved = numpy.load(pathlib.Path(folder, step["section"], step["name"] + ".npy"))
                    values = numpy.array([float(v) for v in numpy.array(step["values"], dtype=object).ravel()])
                    self.assertEqual(values.astype(saved.dtype).tobytes(), saved.tobytes(), step["name"])

    def test_markdown(self):
        text = self.text("causal", "--format", "markdown")
        self.assertTrue(text.startswith("# causal"))
        self.assertEqual(text.count("```") % 2, 0)

    def test_output(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "lesson.md")
            self.assertEqual(self.text("causal", "--format", "markdown", "-o", str(file)), "")
            self.assertEqual(file.read_text(), self.text("causal", "--format", "markdown"))
        self.refused("causal", "-o", "/proc/no such folder/lesson.txt")
        self.refused("causal", "--format", "pdf")
        self.refused("causal", "--format", "json", "--heatmap")


class WhatIf(Case):
    def test_every_rule_of_every_chapter(self):
        for chapter, article in CHAPTERS:
            listed = self.refused(chapter, "--article", article, "--what-if", "nothing")
            rules = re.search(r"accepted are ([a-z0-9, -]+)", listed).group(1).split(", ")
            for rule in rules:
                text = self.text(chapter, "--article", article, "--what-if", rule)
                self.assertRegex(text, r"\A# \w")

    def test_marks_what_differs(self):
        text = self.text("causal", "--what-if", "no-scaling", "--only", "attn_weights")
        self.assertIn("*0.3957, *0.6043,  0.0000", text)
        self.refused("simplified", "--what-if", "no-scaling")
        self.refused("causal", "--what-if", "no-mask", "--explain")


class Sentence(Case):
    def test_the_classes_own_words(self):
        text = self.text("cross", "--sentence", "Attention is all you need")
        self.assertIn("{'Attention': 0, 'all': 1, 'is': 2, 'need': 3, 'you': 4}", text)
        self.assertIn("you", self.text("simplified", "--sentence", "Attention is all you need", "--heatmap"))
        self.text("simplified", "--sentence", "Attention is all you need", "--query", "need")

    def test_refused(self):
        for sentence in ("", " ,.!", "a\tb", "x " * 2000):
            self.refused("simplified", "--sentence", sentence)
        self.refused("simplified", "--sentence", "a b", "--tokens", "3")
        self.refused("simplified", "--sentence", "a b", "--query", "c")


if __name__ == "__main__":
    BINARY = sys.argv.pop(1)
    table = json.loads(run("list", "--format", "json").stdout)
    CHAPTERS = [(row["chapter"], row["article"]) for row in table["chapters"]]
    unittest.main()
