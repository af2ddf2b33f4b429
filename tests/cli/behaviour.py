"""Guarantees other than the numbers: help, order of steps, saved files, and the same bytes everywhere.

    PYTHONPATH=tests /usr/bin/python3 tests/cli/behaviour.py PATH_TO_BINARY
"""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import numpy

import harness
from harness import BINARY, HANG_LIMIT, Terminal, run, sample

CHAPTERS = []  # what `list` names
TAKES = {}  # what it says that each of them takes
DTYPES = {"float32": numpy.float32, "bool": numpy.bool_, "int64": numpy.int64}
FOR_ALL = ["--article", "--slides", "--step", "--predict", "--explain", "--heatmap", "--color", "--cell", "--depth", "--format", "--output", "--what-if", "--sentence",
           "--steps", "--only", "--save", "--force", "--seed", "--tokens", "--d-in", "--blas", "--cpu", "--precision", "--threshold",
           "--edgeitems", "--linewidth", "--sci-mode", "--no-grad", "--help", "--inputs", "--fixture", "--emit", "--draws", "--live", "--no-pager", "--threads"]
# The options of what `list` says that a chapter takes; other names there are those of an option.
TAKEN = {"projections": ["--d-out", "--d-out-kq", "--d-out-v", "--init", "--qkv-bias", "--weights"], "heads": ["--num-heads"],
         "dropout": ["--dropout", "--dropout-kernel"]}


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def text(self, *arguments, **options):
        done = run(*arguments, **options)
        self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
        text = done.stdout.decode()
        self.assertTrue(text.endswith("\n"), arguments)
        return text


def is_subsequence(part, whole):
    rest = iter(whole)
    return all(line in rest for line in part)


class Help(Case):
    def test_program(self):
        text = self.text()
        self.assertEqual(self.text("--help"), text)
        self.assertIn("Usage: attn-walkthrough", text)
        for chapter in CHAPTERS:
            self.assertRegex(text, rf"(?m)^ +{chapter} {{2,}}\w")
        self.assertRegex(text, r"Example")
        self.assertRegex(text, r"(?m)^ +attn-walkthrough causal")

    def test_chapters(self):
        for chapter in CHAPTERS:
            with self.subTest(chapter=chapter):
                text = self.text(chapter, "--help")
                options = dict(re.findall(r"(?m)^ +(?:-[o],)?(--[a-z-]+)(?: \S+)?(?: {2,}|\n {20,})(\S.*)$", harness.help_of(chapter)))
                own = {option for name in TAKES[chapter] for option in TAKEN.get(name, ["--" + name.replace("_", "-")])}
                self.assertEqual(sorted(options), sorted([*FOR_ALL, *own]))
                self.assertIn(f"attn-walkthrough {chapter} --seed", text)

    def test_short(self):
        """-h shows the ten most common options, and where to find the others."""
        whole = dict(re.findall(r"(?m)^  ((?:-o,)?--[a-z-]+).*? {2,}(\w.*)$", self.text("causal", "--help")))
        for arguments in ([], ["causal"], ["multihead"], ["all"], ["verify"]):
            text = self.text(*arguments, "-h")
            options = dict(re.findall(r"(?m)^  ((?:-o,)?--[a-z-]+).*? {2,}(\w.*)$", text))
            self.assertIn(len(options), (9, 10), arguments)  # all has no --what-if
            if "verify" not in arguments:
                self.assertLessEqual(set(options.items()) - {("--article", options["--article"])}, set(whole.items()) | {
                    ("--what-if", options.get("--what-if"))})
            self.assertLessEqual(text.count("\n"), 25)
            self.assertIn(" --help", text.partition("More: ")[2])
        for command in ("list", "help", "completion", "tour"):
            self.assertEqual(self.text(command, "-h"), self.text(command, "--help"))

    def test_examples_run(self):
        texts = [self.text()] + [self.text(chapter, "--help") for chapter in CHAPTERS]
        examples = re.findall(r"(?m)^  attn-walkthrough ([a-z]+ --(?!help).*?)(?:  .*)?$", "\n".join(texts))
        self.assertGreaterEqual(len(examples), len(CHAPTERS))
        for example in examples:
            self.text(*example.split(), cwd=self.folder)

    def test_lines_fit_a_terminal(self):
        for command in ["", *CHAPTERS, "all", "tour", "list", "verify", "help", "completion"]:
            for option in ("-h", "--help"):
                for line in self.text(*command.split(), option).splitlines():
                    self.assertLessEqual(len(line), 80)

    def test_version(self):
        self.assertRegex(self.text("--version"), r"\Aattn-walkthrough \d+\.\d+\.\d+\n\Z")


class Endings(Case):
    """The endings of file names select the format."""

    def test_forms(self):
        begins = {"md": "# causal", "json": "{", "html": "<!doctype html>", "py": '"""causal', "txt": "keys\n", "log": "keys\n", "": "keys\n"}
        for ending, begin in begins.items():
            name = "out" + "." * bool(ending) + ending
            self.assertEqual(run("causal", "-o", name, cwd=self.folder).returncode, 0)
            self.assertEqual(pathlib.Path(self.folder, name).read_text()[:len(begin)], begin)
        self.assertEqual(run("causal", "--only", "attn_weights", "-o", "out.SVG", cwd=self.folder).returncode, 0)
        self.assertIn("<svg", pathlib.Path(self.folder, "out.SVG").read_text()[:200])
        self.assertEqual(run("causal", "--only", "attn_weights", "-o", "out.csv", cwd=self.folder).returncode, 0)
        self.assertEqual(pathlib.Path(self.folder, "out.csv").read_text()[:32], "# attn_weights: float32 [2, 6, 6]"[:32])
        page = pathlib.Path(self.folder, "out.txt")
        self.assertEqual(run("verify", page, "-o", "out.xml", cwd=self.folder).returncode, 0)
        self.assertEqual(pathlib.Path(self.folder, "out.xml").read_text()[:5], "<?xml")
        self.assertEqual(run("causal", "--format", "text", "-o", "text.html", cwd=self.folder).returncode, 0)
        self.assertEqual(pathlib.Path(self.folder, "text.html").read_text(), self.text("causal"))

    def test_what_no_form_is(self):
        for arguments in (["-o", "x.xlsx"], ["-o", "x.npz"], ["-o", "x.csv"], ["-o", "x.xml"], ["--save", "x.csv"], ["--save", "x.pt"],
                          ["--save", "x.txt"]):
            done = run("causal", *arguments, cwd=self.folder)
            self.assertEqual((done.returncode, done.stdout), (2, b""), arguments)
            self.assertEqual(os.listdir(self.folder), [], arguments)


class Colours(Case):
    """--color auto, always and never."""

    def shown(self, *arguments, **environment):
        terminal = Terminal([BINARY, "causal", "--only", "attn_weights", "--heatmap", *arguments],
                            {"TERM": "xterm-256color", "PAGER": "cat", **environment})
        self.assertEqual(terminal.end(), 0)
        return b"\x1b[" in terminal.shown

    def test_color(self):
        heatmap = ["causal", "--only", "attn_weights", "--heatmap"]
        plain = self.text(*heatmap)
        self.assertNotIn("\x1b", plain)
        for value, variables, on_a_terminal, in_a_pipe in (
                ("auto", {}, True, False), ("auto", {"NO_COLOR": "1"}, False, False), ("always", {"NO_COLOR": "1"}, True, True),
                ("always", {"TERM": "dumb"}, True, True), ("never", {}, False, False)):
            self.assertEqual(self.shown("--color", value, **variables), on_a_terminal, value)
            text = self.text(*heatmap, "--color", value, env=variables)
            self.assertEqual("\x1b[" in text, in_a_pipe, value)
            done = run(*heatmap, "--color", value, "-o", "out.txt", "--force", cwd=self.folder, env=variables)
            self.assertEqual(done.returncode, 0)
            text = pathlib.Path(self.folder, "out.txt").read_text()
            self.assertEqual("\x1b[" in text, in_a_pipe, value)
        self.assertIn("\x1b[48;5;", self.text(*heatmap, "--color", "always", env={}))
        self.assertIn("\x1b[48;2;", self.text(*heatmap, "--color", "always", env={"COLORTERM": "truecolor"}))
        self.assertEqual(self.text("causal", "--color", "auto"), self.text("causal"))


class Tables(Case):
    """.csv files: numpy and the program read back every bit of the tensor."""

    def test_every_tensor(self):
        for number, chapter in enumerate(CHAPTERS):
            self.assertEqual(run(chapter, "--save", chapter, cwd=self.folder).returncode, 0)
            steps = json.loads(pathlib.Path(self.folder, chapter, "manifest.json").read_text())["steps"]
            for step in sample(steps, number):
                name = os.path.join(step["section"], step["name"])
                done = run(chapter, "--only", name, "-o", "one.csv", "--force", cwd=self.folder)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))
                path = os.path.join(self.folder, "one.csv")
                expected = numpy.load(os.path.join(self.folder, chapter, step["file"]))
                found = numpy.loadtxt(path, delimiter=",").reshape(expected.shape).astype(expected.dtype)
                self.assertEqual(found.tobytes(), expected.tobytes(), name)
                self.assertEqual(self.text(chapter, "--only", name, "--format", "csv"), pathlib.Path(path).read_text())
                shown = self.text(chapter, "--only", name)
                self.assertEqual(self.text(chapter, "--only", name, "--save", "two.csv", "--force", cwd=self.folder), shown)
                self.assertEqual(pathlib.Path(self.folder, "two.csv").read_text(), pathlib.Path(path).read_text())
                if expected.dtype == numpy.float32:
                    verdict = self.text("verify", "one.csv", "--chapter", chapter, cwd=self.folder)
                    self.assertRegex(verdict, rf"\A. {re.escape(name)}  .* equal\n", name)

    def test_several_tensors(self):
        for arguments, way in ((["causal", "-o", "x.csv"], "--only attn_weights"), (["causal", "--save", "x.csv"], "--save steps.npz"),
                               (["causal", "--only", "keys,values", "--save", "x.csv"], "--only keys,values names 2"),
                               (["all", "--only", "mask", "--save", "x.csv"], "name one chapter"),
                               (["all", "--only", "mask", "-o", "x.csv"], "causal --only attn_weights --format csv")):
            done = run(*arguments, cwd=self.folder)
            self.assertEqual((done.returncode, done.stdout), (2, b""), arguments)
            self.assertIn(way, done.stderr.decode())
            self.assertEqual(os.listdir(self.folder), [])


class Steps(Case):
    def test_all_has_every_line_of_the_article(self):
        for chapter in CHAPTERS:
            article = self.text(chapter).splitlines()
            everything = self.text(chapter, "--steps", "all").splitlines()
            self.assertEqual(self.text(chapter, "--steps", "article").splitlines(), article)
            self.assertTrue(is_subsequence(article, everything), chapter)
            if chapter != "dropout":
                self.assertGreater(len(everything), len(article), chapter)

    def test_only_of_all_chapters(self):
        expected = ""
        for chapter in [row["chapter"] for row in json.loads(self.text("list", "--format", "json"))["chapters"] if row["article"] == "blog"]:
            done = run(chapter, "--only", "context_vec_2,mask")
            if done.returncode == 2:  # it may have one of them
                done = run(chapter, "--only", "context_vec_2")
            if done.returncode == 2:
                done = run(chapter, "--only", "mask")
            expected += f"# {chapter}\n{done.stdout.decode()}" if done.returncode == 0 else ""
        self.assertEqual(expected.count("# "), 5)
        self.assertEqual(self.text("all", "--only", "context_vec_2,mask"), expected)
        # As with one chapter, every tensor is saved, whichever are shown.
        self.text("all", "--only", "mask", "--save", "some", cwd=self.folder)
        self.text("all", "--save", "every", cwd=self.folder)
        some, every = (sorted(path.relative_to(root) for path in root.rglob("*.npy"))
                       for root in (pathlib.Path(self.folder, name) for name in ("some", "every")))
        self.assertEqual(some, every)
        done = run("all", "--only", "mask,nonsense")
        self.assertEqual((done.returncode, done.stdout), (2, b""))

    def test_only_keeps_the_order_of_the_chapter(self):
        everything = self.text("causal", "--steps", "all")
        text = self.text("causal", "--only", "values,keys")
        self.assertEqual(text, self.text("causal", "--only", "keys,values"))
        self.assertEqual(text, self.text("causal", "--only", "keys,values,keys"))
        self.assertEqual(re.findall(r"(?m)^[a-z]\w*$", text), ["keys", "values"])
        self.assertTrue(is_subsequence(text.splitlines(), everything.splitlines()))

    def test_only_shows_extras(self):
        self.assertNotIn("inputs", self.text("causal"))
        text = self.text("causal", "--only", "inputs")
        self.assertTrue(text.startswith("inputs\n tensor([[0.4300, 0.1500, 0.8900],\n"), text)

    def test_only_takes_both_sections(self):
        text = self.text("trainable", "--only", "keys")
        self.assertEqual(text.count("keys\n"), 2)
        self.assertEqual(text.count("tensor("), 2)
        self.assertEqual(self.text("dropout", "--only", "dropout_mask").count("keep mask\n"), 2)

    def test_only_takes_tensor_and_size(self):
        text = self.text("causal", "--only", "context_vecs")
        self.assertIn("tensor(", text)
        self.assertTrue(text.endswith("context_vecs.shape: torch.Size([2, 6, 3])\n"))

    def test_query(self):
        self.assertEqual(self.text("simplified", "--query", "journey"), self.text("simplified"))
        self.assertEqual(self.text("simplified", "--query", "1"), self.text("simplified"))
        self.assertEqual(self.text("simplified", "--query", "step"), self.text("simplified", "--query", "5"))
        self.assertNotEqual(self.text("simplified", "--query", "step"), self.text("simplified"))
        self.assertIn("0.0500, 0.8000, 0.5500", self.text("simplified", "--query", "step", "--only", "query_2"))

    def test_one_of_everything(self):
        for chapter in CHAPTERS:
            self.text(chapter, "--tokens", "1", "--d-in", "1", "--steps", "all")
        self.text("multihead", "--tokens", "1", "--d-in", "1", "--batch", "1", "--d-out", "1", "--num-heads", "1",
                  "--steps", "all")


class Printing(Case):
    def test_precision(self):
        self.assertIn("0.43000001", self.text("causal", "--only", "inputs", "--precision", "8"))
        self.assertIn("tensor([[0.4, 0.2, 0.9],", self.text("causal", "--only", "inputs", "--precision", "1"))

    def test_sci_mode(self):
        self.assertIn("4.3000e-01", self.text("causal", "--only", "inputs", "--sci-mode", "on"))
        self.assertEqual(self.text("causal", "--sci-mode", "auto"), self.text("causal"))
        self.assertNotIn("e-", self.text("causal", "--only", "inputs", "--sci-mode", "off"))

    def test_summary(self):
        text = self.text("causal", "--only", "inputs", "--threshold", "17", "--edgeitems", "1")
        self.assertEqual(text, "inputs\n tensor([[0.4300,  ..., 0.8900],\n        ...,\n"
                               "        [0.0500,  ..., 0.5500]])\n")
        self.assertNotIn("...", self.text("causal", "--only", "inputs", "--threshold", "18", "--edgeitems", "1"))

    def test_linewidth(self):
        long = self.text("simplified", "--only", "attn_scores_2", "--linewidth", "200").splitlines()
        short = self.text("simplified", "--only", "attn_scores_2", "--linewidth", "30").splitlines()
        self.assertEqual(len(long), 1)
        self.assertGreater(len(short), 1)
        self.assertEqual("".join(short).replace(" ", ""), long[0].replace(" ", ""))

    def test_no_grad(self):
        for chapter in CHAPTERS:
            text = self.text(chapter, "--steps", "all")
            bare = self.text(chapter, "--steps", "all", "--no-grad")
            self.assertNotRegex(bare, "grad_fn|requires_grad")
            without = re.sub(r",\s+(?:grad_fn=<\w+>|requires_grad=True)", "", text)
            self.assertEqual(bare, without)
            self.assertEqual("grad_fn" in text and "requires_grad" in text, chapter not in ("simplified", "average"), chapter)


class Save(Case):
    def saved(self, *arguments, folder="steps", force=False):
        shown = self.text(*arguments, "--save", folder, *["--force"] * force, cwd=self.folder)
        self.assertEqual(shown, self.text(*arguments))
        path = os.path.join(self.folder, folder)
        with open(os.path.join(path, "manifest.json"), encoding="utf-8") as file:
            return path, json.load(file)

    def check(self, chapter, *arguments):
        path, manifest = self.saved(chapter, *arguments, folder="-".join((chapter,) + arguments))
        self.assertEqual(manifest["tool"], "attn-walkthrough")
        self.assertEqual("attn-walkthrough " + manifest["version"] + "\n", self.text("--version"))
        self.assertEqual(manifest["chapter"], chapter)
        there = {os.path.relpath(os.path.join(at, name), path) for at, _, names in os.walk(path) for name in names}
        files = [step["file"] for step in manifest["steps"]]
        self.assertEqual(len(files), len(set(files)))
        self.assertEqual(set(files) | {"manifest.json"}, there)
        earlier = set()
        for step in manifest["steps"]:
            with self.subTest(chapter=chapter, section=step["section"], name=step["name"]):
                self.assertEqual(list(step), ["section", "name", "label", "expression", "inputs", "shape", "dtype",
                                              "file"])
                self.assertEqual(step["file"], os.path.join(step["section"], step["name"] + ".npy"))
                self.assertTrue(step["expression"])
                self.assertLessEqual(set(step["inputs"]), earlier)
                earlier |= {step["name"], f"{step['name']}_{step['section']}"}  # if another tensor takes the name
                array = numpy.load(os.path.join(path, step["file"]), allow_pickle=False)
                self.assertIs(array.dtype.type, DTYPES[step["dtype"]])
                self.assertEqual(list(array.shape), step["shape"])
                self.assertTrue(array.flags.c_contiguous)
        return path, manifest

    def test_every_chapter(self):
        for chapter in CHAPTERS:
            self.check(chapter)
            self.check(chapter, "--tokens", "1")
        self.check("multihead", "--qkv-bias", "--dropout", "0.5", "--batch", "2")
        self.check("trainable", "--qkv-bias", "--init", "linear")

    def test_order_is_that_of_the_text(self):
        for chapter in CHAPTERS:
            _, manifest = self.saved(chapter, folder=chapter)
            text = self.text(chapter, "--steps", "all")
            at = 0
            for step in manifest["steps"]:
                found = text.find(step["label"], at)
                self.assertGreaterEqual(found, 0, (chapter, step["name"]))
                at = found + len(step["label"])

    def test_numbers_are_those_that_are_printed(self):
        path, manifest = self.saved("causal", folder="causal")
        for step in manifest["steps"]:
            text = self.text("causal", "--only", step["name"], "--precision", "9", "--no-grad", "--sci-mode", "on")
            inside = text[text.index("tensor("):].partition("torch.Size")[0]
            printed = re.findall(r"True|False|-?inf|-?\d\.\d+e[+-]\d+", inside)
            array = numpy.load(os.path.join(path, step["file"])).flatten()
            convert = {"True": True, "False": False}
            self.assertEqual([numpy.float32(convert.get(word, word)) for word in printed],
                             [numpy.float32(value) for value in array], step["name"])

    def test_dtypes(self):
        _, causal = self.saved("causal", folder="causal")
        dtypes = {step["name"]: step["dtype"] for step in causal["steps"]}
        self.assertEqual((dtypes["mask"], dtypes["dropout_mask"], dtypes["keys"]), ("bool", "bool", "float32"))
        _, cross = self.saved("cross", folder="cross")
        self.assertEqual({step["name"]: step["dtype"] for step in cross["steps"]}["ids"], "int64")

    def test_sections_are_folders(self):
        path, manifest = self.saved("trainable")
        self.assertEqual(sorted(os.listdir(path)), ["manifest.json", "one_query", "self_attention"])
        self.assertEqual(list(dict.fromkeys(step["section"] for step in manifest["steps"])),
                         ["one_query", "self_attention"])

    def test_everything_is_saved_whatever_is_shown(self):
        _, every = self.saved("causal", folder="every")
        _, one = self.saved("causal", "--only", "keys", folder="one")
        self.assertEqual(every["steps"], one["steps"])
        self.assertEqual(one["options"]["only"], ["keys"])

    def test_expressions(self):
        _, manifest = self.saved("causal")
        steps = {step["name"]: step for step in manifest["steps"]}
        self.assertEqual(steps["attn_scores"]["expression"], "queries @ keys_transposed")
        self.assertEqual(steps["attn_scores"]["inputs"], ["queries", "keys_transposed"])
        self.assertEqual(steps["keys_transposed"]["expression"], "keys.transpose(1, 2)")
        self.assertEqual(steps["scaled_attn_scores"]["expression"], "masked_attn_scores / keys.shape[-1]**0.5")
        self.assertEqual(steps["batch"]["expression"], "torch.stack((inputs, inputs), dim=0)")

    def test_dropout_is_written_as_python_writes_it(self):
        _, manifest = self.saved("causal", "--dropout", "0.0001")
        expressions = {step["name"]: step["expression"] for step in manifest["steps"]}
        self.assertEqual(expressions["dropout_attn_weights"], "nn.Dropout(0.0001)(attn_weights)")

    def everything_in(self, path):
        return sorted(os.path.relpath(os.path.join(at, name), path) for at, _, names in os.walk(path) for name in names)

    def test_again(self):
        """--force leaves no file of an earlier --save in the folder."""
        path, first = self.saved("trainable", "--seed", "1")
        for chapter in ("multihead", "causal", "trainable"):
            path, second = self.saved(chapter, "--seed", "2", force=True)
            self.assertEqual(second["chapter"], chapter)
            self.assertEqual(self.everything_in(path), sorted([step["file"] for step in second["steps"]] +
                                                              ["manifest.json"]))
            self.assertEqual("one_query" in os.listdir(path), chapter == "trainable")
        self.assertEqual((first["options"]["seed"], second["options"]["seed"]), (1, 2))

    def test_negative_seed_is_written_as_given(self):
        for seed in (-1, -2**63, 2**63, 2**64 - 1):
            _, manifest = self.saved("simplified", "--seed", str(seed), folder=f"seed {seed}")
            self.assertEqual(manifest["options"]["seed"], seed)

    def test_all(self):
        path, manifests = self.saved("all")
        self.assertEqual([one["chapter"] for one in manifests], ["simplified", "trainable", "causal", "dropout",
                                                                 "multihead"])
        files = [step["file"] for one in manifests for step in one["steps"]]
        self.assertIn(os.path.join("trainable", "one_query", "keys.npy"), files)
        self.assertEqual(self.everything_in(path), sorted(files + ["manifest.json"]))
        path, one = self.saved("causal", force=True)
        self.assertEqual(self.everything_in(path), sorted([step["file"] for step in one["steps"]] + ["manifest.json"]))

    def test_nested_and_odd_paths(self):
        for folder in ("a/b/c", "with space", "ünicode", "./here/", "new/../sideways"):
            path, _ = self.saved("simplified", folder=folder)
            self.assertTrue(os.path.isdir(path))

    def test_sanity_of_numbers(self):
        path, _ = self.saved("causal")
        load = {name[:-4]: numpy.load(os.path.join(path, name)) for name in os.listdir(path) if name.endswith(".npy")}
        numpy.testing.assert_allclose(load["keys"], load["batch"] @ load["W_key"].T, rtol=1e-5)
        numpy.testing.assert_allclose(load["attn_scores"], load["queries"] @ load["keys_transposed"], rtol=1e-5)
        numpy.testing.assert_allclose(load["attn_weights"].sum(axis=-1), 1, rtol=1e-6)
        numpy.testing.assert_array_equal(load["mask"], ~numpy.tri(6, dtype=bool))
        numpy.testing.assert_array_equal(numpy.isinf(load["masked_attn_scores"]), [load["mask"]] * 2)
        numpy.testing.assert_array_equal(load["keys_transposed"], load["keys"].transpose(0, 2, 1))


class SameBytes(Case):
    def variants(self, arguments, environments):
        first = self.text(*arguments)
        for changes in environments:
            environment = {key: value for key, value in os.environ.items() if key not in changes}
            environment.update({key: value for key, value in changes.items() if value is not None})
            self.assertEqual(self.text(*arguments, env=environment), first, (arguments, changes))

    def test_twice(self):
        for chapter in CHAPTERS:
            arguments = [chapter, "--steps", "all", "--tokens", "20", "--d-in", "24"]
            self.assertEqual(self.text(*arguments), self.text(*arguments))
            self.assertEqual(self.text(chapter, "--seed", "123"), self.text(chapter))
            other = self.text(chapter, "--tokens", "5", "--seed", "124")
            self.assertNotEqual(other, self.text(chapter, "--tokens", "5"))

    def test_saved_twice(self):
        for folder in ("one", "two"):
            self.text("multihead", "--save", folder, cwd=self.folder)
        for name in sorted(os.listdir(os.path.join(self.folder, "one"))):
            contents = []
            for folder in ("one", "two"):
                with open(os.path.join(self.folder, folder, name), "rb") as file:
                    contents.append(file.read())
            self.assertEqual(contents[0], contents[1], name)

    def test_locale(self):
        locales = [{"LC_ALL": name, "LANG": name} for name in ("de_DE.UTF-8", "tr_TR.UTF-8", "C", "nowhere")]
        for chapter in CHAPTERS:
            self.variants([chapter, "--steps", "all"], locales)
        self.variants(["causal", "--dropout", "0.25"], locales)

    def test_threads(self):
        names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "GOTO_NUM_THREADS")
        environments = [dict.fromkeys(names), {**dict.fromkeys(names), "OPENBLAS_NUM_THREADS": "1"},
                        {**dict.fromkeys(names), "OMP_NUM_THREADS": "2"}]
        for chapter in CHAPTERS:
            self.variants([chapter, "--steps", "all", "--precision", "9"], environments)

    def test_empty_environment(self):
        self.assertEqual(self.text("causal", env={}), self.text("causal"))

    def test_folder_and_terminal(self):
        self.assertEqual(self.text("causal", cwd="/"), self.text("causal"))
        self.variants(["causal"], [{"COLUMNS": "20", "TERM": "dumb"}])
        self.variants(["causal", "--help"], [{"COLUMNS": "20", "TERM": "dumb"}])


class Pipes(Case):
    def test_reader_that_leaves_early(self):
        for arguments in ("causal", "", "multihead --steps all --tokens 100 --threshold 1000000"):
            script = f'"$0" {arguments} | head -n 1'
            done = subprocess.run(["/bin/sh", "-c", script, BINARY], capture_output=True, timeout=HANG_LIMIT)
            self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
            self.assertEqual(done.stdout.count(b"\n"), 1)

    def test_standard_input_is_not_read(self):
        read, write = os.pipe()
        try:
            done = run("causal", stdin=read)
        finally:
            os.close(read)
            os.close(write)
        self.assertEqual(done.stdout.decode(), self.text("causal"))


if __name__ == "__main__":
    listed = json.loads(run("list", "--format", "json").stdout)
    CHAPTERS = list(dict.fromkeys(row["chapter"] for row in listed["chapters"]))
    TAKES = {name: {what for row in listed["chapters"] if row["chapter"] == name for what in row["takes"]} for name in CHAPTERS}
    harness.main()
