"""--explain, --cell, --heatmap, --what-if, --draws and --format, tried as a teacher would."""
import itertools
import json
import pathlib
import re
import shlex

import numpy as np

import harness
from harness import sample, text_of

CHAPTERS = []


class Explain(harness.Case):
    def test_without_prose_it_is_the_plain_text(self):
        for chapter, article in sample(CHAPTERS):
            everything = iter(text_of(chapter, "--article", article, "--steps", "all").splitlines())
            self.assertTrue(all(line in everything for line in text_of(chapter, "--article", article).splitlines()), chapter)
            for steps in ("article", "all"):
                arguments = [chapter, "--article", article, "--steps", steps]
                bare = re.sub(r",\s+(?:grad_fn=<\w+>|requires_grad=True)", "", text_of(*arguments))
                self.assertEqual(text_of(*arguments, "--no-grad"), bare)
                explained = text_of(*arguments, "--explain")
                plain = "".join(line for line in explained.splitlines(True) if not line.startswith(("# ", "#\n")))
                self.assertEqual(plain, text_of(*arguments))
                self.assertGreater(explained.count("\n# shapes: "), 3)

    def test_what_is_not_shown_is_explained_where_it_is_used(self):
        said = lambda step: [step["explanation"][name] for name in ("shapes", "why", "notices")]
        for chapter, article in sample(CHAPTERS):
            arguments = [chapter, "--article", article, "--format", "json"]
            every, extras = {}, set()
            for step in json.loads(text_of(*arguments, "--steps", "all"))["steps"]:
                every.setdefault(step["name"], []).append(said(step))
                if not step["in_article"] and step["kind"] == "tensor" and step["grad_fn"]:
                    extras.add(step["name"])
            for step in json.loads(text_of(*arguments))["steps"]:
                for before in step["explanation"].get("through", []):
                    self.assertIn(said({"explanation": before}), every[before["name"]], arguments)
                    extras.discard(before["name"])
                self.assertFalse(extras & set(step.get("inputs", [])) - {step["name"]}, (arguments, step["name"]))
        for form in (["--explain"], ["--format", "markdown"], ["--format", "html"]):
            self.assertIn("square root of", text_of("trainable", "--steps", "article", *form))


class Heatmap(harness.Case):
    def test_explained(self):
        """Without the prose, the output is the heat maps; the prose is that of --explain."""
        for chapter, article in sample(CHAPTERS):
            arguments = [chapter, "--article", article, "--steps", "all"]
            both = text_of(*arguments, "--heatmap", "--explain")
            maps = "".join(line for line in both.splitlines(True) if not line.startswith(("# ", "#\n")))
            self.assertEqual(maps, text_of(*arguments, "--heatmap"))
            said = [line for line in both.splitlines() if line.startswith("# ")]
            explained = [line for line in text_of(*arguments, "--explain").splitlines() if line.startswith("# ")]
            self.assertEqual(sorted(said), sorted(explained))
        self.assertRegex(text_of("causal", "--heatmap", "--explain", "--only", "attn_weights"),
                         r"1\.0000\n# scaled_attn_scores = (.+\n#)* attn_weights = torch\.softmax")


class All(harness.Case):
    def alone(self, article):
        return [chapter for chapter, other in CHAPTERS if other == article]

    def test_text(self):
        articles = dict.fromkeys(article for _, article in CHAPTERS)
        forms = [], ["--explain"], ["--heatmap"], ["--heatmap", "--explain"], ["--steps", "all"]
        for article, form in sample(itertools.product(articles, forms)):
            chapters = self.alone(article)
            alone = [(f"# {chapter}\n" if len(chapters) > 1 else "") + text_of(chapter, "--article", article, *form)
                     for chapter in chapters]
            self.assertEqual(text_of("all", "--article", article, *form), "".join(alone))

    def test_json(self):
        alone = [json.loads(text_of(chapter, "--format", "json")) for chapter in self.alone("blog")]
        self.assertEqual(json.loads(text_of("all", "--format", "json")), alone)


class Formats(harness.Case):
    def test_cell_as_json(self):
        """Products and sums of the JSON give the derived numbers of the text."""
        lesson = json.loads(text_of("causal", "--cell", "context_vecs[0,1,2]", "--depth", "full", "--format", "json"))
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
        depths = [len(json.loads(text_of("causal", "--cell", "context_vecs[0,1,2]", "--format", "json", "--depth",
                                           depth))["derivations"]) for depth in ("1", "2", "3")]
        self.assertEqual(depths[0], 1)
        self.assertEqual(depths, sorted(set(depths)))


class WhatIf(harness.Case):

    def test_formats_say_what_text_says(self):
        """The same tensors differ in Markdown as in JSON; the changed numbers are those that --save writes."""
        rows = lambda text: re.findall(r"-?inf|nan|-?\d+\.\d*", text)
        for chapter, rule in (("causal", "no-mask"), ("causal", "mask-after-softmax"), ("multihead", "no-scaling"),
                              ("trainable", "same-weights"), ("padding", "no-mask")):
            asked = (chapter, "--steps", "all", "--what-if", rule)
            text = text_of(*asked)
            did = text.split("\n")[0][2:]
            whole = json.loads(text_of(*asked, "--format", "json"))
            self.assertEqual((whole["what_if"]["name"], whole["what_if"]["effect"]), (rule, did))
            text_of(*asked, "--save", self.path(chapter, rule))
            for step in whole["steps"]:
                if "values" in step:
                    saved = np.load(self.path(chapter, rule, step["section"], step["name"] + ".npy"))
                    self.assertTrue(np.array_equal(np.array(step["values"], float).astype(saved.dtype), saved, equal_nan=True))
            handout = text_of(*asked, "--format", "markdown")
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


class Exercises(harness.Case):
    """The handouts of --predict ask for the numbers that the terminal asks for, and end with what golden/ has."""

    def test_the_terminals_questions_and_the_articles_numbers(self):
        for command in (("simplified",), ("causal", "--seed", "7")):
            sheet = text_of(*command, "--predict", "2", "--format", "markdown")
            questions, answers = sheet.split("\n## Answers\n")
            names = re.findall(r"(?m)^\*\*\d+\.\*\* `(\w+(?:\[[\d, ]+\])?) = ` ", questions)
            self.assertGreater(len(names), 10)
            given = re.findall(r"(?m)^\*\*(\d+)\.\*\* `(\w+(?:\[[\d, ]+\])?) = (\S+)`$", answers)
            self.assertEqual([name for _, name, _ in given], names)
            self.assertEqual([int(number) for number, *_ in given], list(range(1, len(names) + 1)))
            asked = text_of(*command, "--predict", "2", page=b"\n" * 200)
            self.assertEqual(names, re.findall(r"(?m)^(\w+(?:\[[\d, ]+\])?) = ", asked))
            text_of(*command, "--save", self.path(command[0]))
            for _, name, number in given:
                step, index = re.fullmatch(r"(\w+)(?:\[(.*)\])?", name).groups()
                values = [np.load(path) for path in pathlib.Path(self.path(command[0])).rglob(f"{step}.npy")]
                at = tuple(map(int, index.split(", "))) if index else ()
                fitting = [one for one in values if one.ndim == len(at) and np.isclose(one[at], float(number), rtol=0, atol=6e-5)]
                self.assertTrue(fitting, (name, number))

    def test_a_notebook_has_an_empty_cell_for_each_answer(self):
        text_of("simplified", "--predict", "2", "-o", self.path("exercises.ipynb"))
        cells = json.loads(self.read("exercises.ipynb"))["cells"]
        texts = ["".join(cell["source"]) for cell in cells]
        questions = texts.index("## Answers")
        empty = [i for i, cell in enumerate(cells) if cell["cell_type"] == "code"]
        self.assertGreater(len(empty), 10)
        self.assertTrue(all(texts[i] == "" and not cells[i]["outputs"] and re.match(r"\*\*\d+\.\*\* ", texts[i - 1])
                            for i in empty))
        self.assertEqual(len(texts) - questions - 1, len(empty))


def drawn(*arguments):
    """Each draw: its step, the seed, the number of its first word, its words, and whether nn.Linear drew them."""
    for step in json.loads(text_of(*arguments, "--draws", "--format", "json"))["steps"]:
        first, last, seed = map(int, re.search(r": words (\d+) to (\d+) after torch.manual_seed\((-?\d+)\)", step["label"]).groups())
        assert step["shape"] == [last - first + 1] and step["dtype"] == "int64"
        yield (step["section"] + "/" if step["section"] else "") + step["name"], seed, first, step["values"], step["label"].startswith("nn.Linear")


class Draws(harness.Case):
    """Each word of --draws is that of numpy's MT19937, and uniform values follow from them."""

    def test_words_are_those_of_mt19937(self):
        for command in ("causal", "causal --seed -1 --init randn --tokens 5 --d-in 3", "trainable --seed 4294967301 --tokens 4",
                        "causal --qkv-bias --cpu default --tokens 6 --d-in 5 --dropout 0.3", "multihead --fixture",
                        "multihead --article book --seed 9", "dropout --dropout-kernel mkl", "cross --tokens 5",
                        "simplified --sentence 'the cat sat on the mat'"):
            with self.subTest(command=command):
                draws = list(drawn(*shlex.split(command)))
                self.assertTrue(draws)
                for _, seed, first, words, _ in draws:
                    stream = np.random.RandomState(seed % 2**32).randint(0, 2**32, size=first + len(words), dtype=np.uint32)
                    self.assertEqual(words, stream[first:].tolist())

    def test_uniform_values_follow(self):
        """torch.rand, and nn.Linear's weights of three columns; the words can be saved too."""
        self.succeeds("trainable", "--save", "steps")
        self.succeeds("trainable", "--draws", "--save", "words")
        for name, _, _, words, is_linear in drawn("trainable"):
            self.assertEqual(np.load(self.path("words", name + ".npy")).tolist(), words)
            value = np.load(self.path("steps", name + ".npy")).flatten()
            u = np.array(words) % 2**24 / 2**24
            low, high = (-np.float64(np.float32(1 / np.sqrt(3))), np.float64(np.float32(1 / np.sqrt(3)))) if is_linear else (0, 1)
            self.assertEqual(value.tolist(), np.float32(u * (high - low) + low).tolist(), name)


if __name__ == "__main__":
    CHAPTERS = [(row["chapter"], row["article"]) for row in harness.chapters()]
    harness.main()
