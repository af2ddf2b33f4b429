"""--explain, --cell, --heatmap, --what-if, --sentence and --format, tried as a teacher would.

    PYTHONPATH=tests /usr/bin/python3 tests/cli/classroom.py build/release/attn-walkthrough
"""
import itertools
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import numpy as np

import harness
from harness import BINARY, Terminal, run, sample

CHAPTERS = []


class Case(unittest.TestCase):
    def text(self, *arguments):
        done = run(*arguments, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        return done.stdout

    def refused(self, *arguments):
        done = run(*arguments, text=True)
        self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertTrue(done.stderr.startswith("attn-walkthrough: error: "))
        return done.stderr


class Explain(Case):
    def test_without_prose_it_is_the_plain_text(self):
        for chapter, article in sample(CHAPTERS):
            everything = iter(self.text(chapter, "--article", article, "--steps", "all").splitlines())
            self.assertTrue(all(line in everything for line in self.text(chapter, "--article", article).splitlines()), chapter)
            for steps in ("article", "all"):
                arguments = [chapter, "--article", article, "--steps", steps]
                bare = re.sub(r",\s+(?:grad_fn=<\w+>|requires_grad=True)", "", self.text(*arguments))
                self.assertEqual(self.text(*arguments, "--no-grad"), bare)
                explained = self.text(*arguments, "--explain")
                plain = "".join(line for line in explained.splitlines(True) if not line.startswith(("# ", "#\n")))
                self.assertEqual(plain, self.text(*arguments))
                self.assertGreater(explained.count("\n# shapes: "), 3)

    def test_what_is_not_shown_is_explained_where_it_is_used(self):
        said = lambda step: [step["explanation"][name] for name in ("shapes", "why", "notices")]
        for chapter, article in sample(CHAPTERS):
            arguments = [chapter, "--article", article, "--format", "json"]
            every, extras = {}, set()
            for step in json.loads(self.text(*arguments, "--steps", "all"))["steps"]:
                every.setdefault(step["name"], []).append(said(step))
                if not step["in_article"] and step["kind"] == "tensor" and step["grad_fn"]:
                    extras.add(step["name"])
            for step in json.loads(self.text(*arguments))["steps"]:
                for before in step["explanation"].get("through", []):
                    self.assertIn(said({"explanation": before}), every[before["name"]], arguments)
                    extras.discard(before["name"])
                self.assertFalse(extras & set(step.get("inputs", [])) - {step["name"]}, (arguments, step["name"]))
        self.assertIn("square root of", self.words_of("trainable"))
        for form in ("markdown", "html"):
            self.assertIn("square root of", self.text("trainable", "--steps", "article", "--format", form))

    def words_of(self, *arguments):
        """The prose, joined to one line."""
        lines = [line[1:].strip() for line in self.text(*arguments, "--explain").splitlines() if line.startswith("#")]
        return " ".join(lines)

    def test_what_is_said_holds_of_this_lesson(self):
        words = self.words_of("multihead", "--d-out", "6", "--num-heads", "2", "--steps", "all")
        self.assertIn("1/sqrt(in_features) = 1/sqrt(6)", words)
        self.assertNotIn("sqrt(d_in)", words)
        self.assertNotIn("can be compared", self.words_of("causal", "--batch", "1", "--steps", "all"))
        self.assertIn("the average weight is unchanged if p is below 1", self.words_of("causal", "--dropout", "1"))
        words = self.words_of("causal", "--sentence", "the cats like the dogs", "--steps", "all")
        self.assertNotIn("closest two rows", words)
        self.assertIn("nn.Embedding starts with random numbers", words)
        self.assertIn("- the: 4, cats: 0, like: 2, the: 4, dogs: 1 - an id is a place among the sorted words", words)
        self.assertNotIn("an id is a place", self.words_of("causal", "--sentence", "cats like dogs", "--steps", "all"))
        self.assertIn('the closest two rows are "journey" and "starts"', self.words_of("causal", "--steps", "all"))


class Page(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def on_a_terminal(self, *arguments):
        with tempfile.TemporaryFile() as said:
            terminal = Terminal([BINARY, *arguments], {**os.environ, "PAGER": "cat"}, stdin=subprocess.DEVNULL, stderr=said,
                                cwd=self.folder)
            code = terminal.end()
            said.seek(0)
            return code, said.read().decode()

    def test_a_page_is_not_poured_over_a_terminal(self):
        code, said = self.on_a_terminal("causal", "--format", "html")
        self.assertEqual((code, said.count("\n")), (2, 1), said)
        self.assertIn("try --output causal.html", said)
        self.assertEqual(self.on_a_terminal("causal", "--format", "html", "-o", "causal.html"), (0, ""))
        code, said = self.on_a_terminal("verify", "causal.html", "--format", "html")
        self.assertEqual((code, said.count("\n")), (2, 1), said)
        self.assertEqual(self.on_a_terminal("causal", "--format", "markdown", "--only", "attn_scores")[0], 0)


class Heatmap(Case):

    def test_every_chapter_in_narrow_and_wide_terminals(self):
        for chapter, article in CHAPTERS:
            for width in ("40", "120"):
                done = run(chapter, "--article", article, "--heatmap", text=True, env={**os.environ, "COLUMNS": width})
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_explained(self):
        """Without the prose, the output is the heat maps; the prose is that of --explain."""
        for chapter, article in sample(CHAPTERS):
            arguments = [chapter, "--article", article, "--steps", "all"]
            both = self.text(*arguments, "--heatmap", "--explain")
            maps = "".join(line for line in both.splitlines(True) if not line.startswith(("# ", "#\n")))
            self.assertEqual(maps, self.text(*arguments, "--heatmap"))
            said = [line for line in both.splitlines() if line.startswith("# ")]
            explained = [line for line in self.text(*arguments, "--explain").splitlines() if line.startswith("# ")]
            self.assertEqual(sorted(said), sorted(explained))
        self.assertRegex(self.text("causal", "--heatmap", "--explain", "--only", "attn_weights"),
                         r"1\.0000\n# scaled_attn_scores = (.+\n#)* attn_weights = torch\.softmax")


class All(Case):
    def alone(self, article):
        return [chapter for chapter, other in CHAPTERS if other == article]

    def test_text(self):
        articles = dict.fromkeys(article for _, article in CHAPTERS)
        forms = [], ["--explain"], ["--heatmap"], ["--heatmap", "--explain"], ["--steps", "all"]
        for article, form in sample(itertools.product(articles, forms)):
            chapters = self.alone(article)
            alone = [(f"# {chapter}\n" if len(chapters) > 1 else "") + self.text(chapter, "--article", article, *form)
                     for chapter in chapters]
            self.assertEqual(self.text("all", "--article", article, *form), "".join(alone))

    def test_json(self):
        alone = [json.loads(self.text(chapter, "--format", "json")) for chapter in self.alone("blog")]
        self.assertEqual(json.loads(self.text("all", "--format", "json")), alone)


class Formats(Case):

    def test_cell_as_json(self):
        """Products and sums of the JSON give the derived numbers of the text."""
        lesson = json.loads(self.text("causal", "--cell", "context_vecs[0,1,2]", "--depth", "full", "--format", "json"))
        self.assertEqual(lesson["chapter"], "causal")
        self.assertEqual(lesson["cell"], {"section": "", "name": "context_vecs", "index": [0, 1, 2]})
        self.assertTrue(lesson["complete"])
        first = lesson["derivations"][0]
        self.assertEqual((first["tensor"], first["index"], first["rule"]), ("context_vecs", [0, 1, 2], "products"))
        known = {(one["tensor"], tuple(one["index"])) for one in lesson["derivations"]}
        for one in lesson["derivations"]:
            for term in one["terms"]:
                for operand in term.values():
                    self.assertIn((operand["tensor"], tuple(operand["index"])), known)
            if one["rule"] == "products":
                total = sum(term["a"]["value"] * term["b"]["value"] for term in one["terms"])
                self.assertAlmostEqual(total, one["value"], places=5)
        depths = [len(json.loads(self.text("causal", "--cell", "context_vecs[0,1,2]", "--format", "json", "--depth",
                                           depth))["derivations"]) for depth in ("1", "2", "3")]
        self.assertEqual(depths[0], 1)
        self.assertEqual(depths, sorted(set(depths)))

    def test_json_has_the_very_floats(self):
        for chapter, article in sample(CHAPTERS):
            with tempfile.TemporaryDirectory() as folder:
                arguments = [chapter, "--article", article, "--steps", "all"]
                lesson = json.loads(self.text(*arguments, "--format", "json", "--save", folder + "/steps"))
                for step in lesson["steps"]:
                    if step["kind"] != "tensor":
                        continue
                    saved = np.load(pathlib.Path(folder, "steps", step["section"], step["name"] + ".npy"))
                    values = np.array([float(v) for v in np.array(step["values"], dtype=object).ravel()])
                    self.assertEqual(values.astype(saved.dtype).tobytes(), saved.tobytes(), step["name"])


class WhatIf(Case):

    def test_formats_say_what_text_says(self):
        """The same tensors differ in Markdown as in JSON; the changed numbers are those that --save writes."""
        rows = lambda text: re.findall(r"-?inf|nan|-?\d+\.\d*", text)
        for chapter, rule in (("causal", "no-mask"), ("causal", "mask-after-softmax"), ("multihead", "no-scaling"),
                              ("trainable", "same-weights"), ("padding", "no-mask")):
            asked = (chapter, "--steps", "all", "--what-if", rule)
            text = self.text(*asked)
            did = text.split("\n")[0][2:]
            whole = json.loads(self.text(*asked, "--format", "json"))
            self.assertEqual((whole["what_if"]["name"], whole["what_if"]["effect"]), (rule, did))
            with tempfile.TemporaryDirectory() as folder:
                self.text(*asked, "--save", f"{folder}/steps", "-o", f"{folder}/text")
                for step in whole["steps"]:
                    if "values" in step:
                        saved = np.load(f"{folder}/steps/{step['section']}/{step['name']}.npy")
                        self.assertTrue(np.array_equal(np.array(step["values"], float).astype(saved.dtype), saved, equal_nan=True))
            handout = self.text(*asked, "--format", "markdown")
            self.assertIn(f"\nWhat if `{rule}`: ", handout)
            self.assertIn(did, handout.replace("\\", ""))
            blocks = [(name, block) for name, block in re.findall(r"(?s)\n###? `(\w+)`\n(.*?)(?=\n###? |\Z)", handout) if "\nChanged:\n" in block]
            differs = [step for step in whole["steps"] if step["compared"] == "differs" and step["kind"] == "tensor"]
            self.assertEqual([name for name, _ in blocks], [step["name"] for step in differs])
            for (name, block), step in zip(blocks, differs):
                printed = [rows(fence) for fence in re.findall(r"(?s)```text\n(.*?)\n```", block)]
                numbers = [np.array(values, float).ravel() for values in (step["original"]["values"], step["values"])]
                for shown, exact in zip(printed, numbers, strict=True):
                    self.assertTrue(np.allclose(np.array(shown, float), exact, rtol=0, atol=6e-5, equal_nan=True), name)


class Exercises(Case):
    """The handouts of --predict ask for the numbers that the terminal asks for, and end with what golden/ has."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def asked(self, *command):
        told = harness.text_of(*command, "--predict", "2", page=b"\n" * 200)
        return re.findall(r"(?m)^(\w+(?:\[[\d, ]+\])?) = ", told)

    def test_the_terminals_questions_and_the_articles_numbers(self):
        for command in (("simplified",), ("causal", "--seed", "7")):
            sheet = self.text(*command, "--predict", "2", "--format", "markdown")
            questions, answers = sheet.split("\n## Answers\n")
            names = re.findall(r"(?m)^\*\*\d+\.\*\* `(\w+(?:\[[\d, ]+\])?) = ` ", questions)
            self.assertGreater(len(names), 10)
            given = re.findall(r"(?m)^\*\*(\d+)\.\*\* `(\w+(?:\[[\d, ]+\])?) = (\S+)`$", answers)
            self.assertEqual([name for _, name, _ in given], names)
            self.assertEqual([int(number) for number, *_ in given], list(range(1, len(names) + 1)))
            self.assertEqual(names, self.asked(*command))
            saved = self.folder / f"{command[0]}-numbers"
            self.text(*command, "--save", str(saved))
            for _, name, number in given:
                step, index = re.fullmatch(r"(\w+)(?:\[(.*)\])?", name).groups()
                values = [np.load(path) for path in saved.rglob(f"{step}.npy")]
                at = tuple(map(int, index.split(", "))) if index else ()
                fitting = [one for one in values if one.ndim == len(at) and np.isclose(one[at], float(number), rtol=0, atol=6e-5)]
                self.assertTrue(fitting, (name, number))

    def test_a_notebook_has_an_empty_cell_for_each_answer(self):
        path = self.folder / "exercises.ipynb"
        self.text("simplified", "--predict", "2", "-o", str(path))
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        texts = ["".join(cell["source"]) for cell in cells]
        questions = texts.index("## Answers")
        empty = [i for i, cell in enumerate(cells) if cell["cell_type"] == "code"]
        self.assertGreater(len(empty), 10)
        self.assertTrue(all(texts[i] == "" and not cells[i]["outputs"] and re.match(r"\*\*\d+\.\*\* ", texts[i - 1])
                            for i in empty))
        self.assertEqual(len(texts) - questions - 1, len(empty))


if __name__ == "__main__":
    table = json.loads(run("list", "--format", "json").stdout)
    CHAPTERS = [(row["chapter"], row["article"]) for row in table["chapters"]]
    harness.main()
