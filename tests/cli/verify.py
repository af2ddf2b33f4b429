"""The reports of `attn-walkthrough verify` on pages, tried as a reader would.

    PYTHONPATH=tests /usr/bin/python3 tests/cli/verify.py build/release/attn-walkthrough
"""
import html
import json
import os
import pathlib
import re
import struct
import subprocess
import tempfile
import unittest
unittest.TestCase.maxDiff = None
import xml.etree.ElementTree as tree

import harness
import kept_pages
from harness import BINARY, HANG_LIMIT, output_of, run

PAGES = pathlib.Path(__file__).resolve().parents[2] / "golden" / "pages"


def report_of(*arguments, page=None):
    """The exit code, and the one report of the JSON's list."""
    done = run("verify", "--format", "json", *arguments, page=page)
    (report,) = json.loads(done.stdout)
    return done.returncode, report


UNESCAPED = {"%25": "%", "%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ","}


def commands_of(text):
    """Parses workflow commands as GitHub does: kind, properties and message."""
    decoded = lambda part: re.sub("%25|%0D|%0A|%3A|%2C", lambda found: UNESCAPED[found.group()], part)
    found = []
    for line in text.splitlines():
        command, properties, message = re.fullmatch(r"::(\w+) ([^\n]*?)::(.*)", line).groups()
        found.append((command, {name: decoded(value) for name, value in (pair.split("=", 1) for pair in properties.split(","))},
                      decoded(message)))
    return found


class Services(unittest.TestCase):
    """--format github and junit: the same verdicts as the text's, and the same exit code."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        page = output_of("causal").decode().replace("0.3591", "0.3519", 1)
        (self.folder / "a, 50%: page.md").write_text(page + "\ntensor([0.1234, 9.8765, 4.3210, 7.7777])\n")
        (self.folder / "good.txt").write_bytes(output_of("simplified"))
        (self.folder / "mistake.txt").write_bytes(output_of("dropout", "--what-if", "no-scaling"))
        output_of("causal", "--what-if", "mask-after-softmax", "--save", "port", cwd=self.folder)
        (self.folder / "port" / "manifest.json").unlink()

    def told(self, form, *arguments):
        done = run("verify", *arguments, "--format", form, cwd=self.folder)
        self.assertEqual(done.stderr, b"")
        return done.returncode, done.stdout.decode()

    CALLS = (["a, 50%: page.md"], ["good.txt"], ["a, 50%: page.md", "good.txt"], ["a, 50%: page.md", "--strict"], ["mistake.txt"],
             ["mistake.txt", "--allow-mistakes"], ["port", "--chapter", "causal"],
             ["port/attn_weights.npy", "--chapter", "causal"], ["port/keys.npy", "--chapter", "causal"])

    def test_junit(self):
        for call in self.CALLS:
            with self.subTest(call=call):
                code, text = self.told("json", *call)
                reports = json.loads(text) if text.startswith("[") else [json.loads(text)]
                junit, text = self.told("junit", *call)
                self.assertEqual(junit, code)
                root = tree.fromstring(text)
                self.assertEqual(root.tag, "testsuites")
                self.assertEqual(len(root), len(reports))
                for suite, report in zip(root, reports):
                    cases = suite.findall("testcase")
                    self.assertEqual(len(cases), len(report["findings"]) if "findings" in report else
                                     len(report["steps"]) + len(report["unmatched"]))
                    self.assertEqual(suite.get("name"), report["file"])
                    self.assertEqual(int(suite.get("tests")), len(cases))
                    for kind in ("failures", "skipped"):
                        self.assertEqual(int(suite.get(kind)), len(suite.findall(".//" + kind.removesuffix("s"))), kind)
                    for case, finding in zip(cases, report.get("findings", [])):
                        self.assertEqual(int(case.get("line")), finding["line"])
                        is_right = finding["verdict"] in ("same", "same numbers", "last digit", "follows")
                        self.assertLessEqual(is_right, case.find("failure") is None and case.find("skipped") is None)
                        self.assertLessEqual(case.find("failure") is not None, not is_right)
                self.assertEqual(any(int(suite.get("failures")) for suite in root), code == 1)

    def test_github(self):
        for call in self.CALLS:
            with self.subTest(call=call):
                code, text = self.told("text", *call)
                github, commands = self.told("github", *call)
                self.assertEqual(github, code)
                found = commands_of(commands)
                files = [word for word in call if not word.startswith("--") and word != "causal"]
                self.assertEqual([file for kind, told, _ in found for file in [told["file"]] if told["title"] == "attn-walkthrough"], files)
                self.assertEqual(any(kind == "error" for kind, _, _ in found), code == 1)
                for kind, told, message in found:
                    if "line" in told:
                        self.assertIn(f"line {told['line']}", told["title"])
                        self.assertRegex(text, rf"(?m)^line {told['line']} .*{re.escape(message.splitlines()[0])}$")
                    self.assertIn(message.splitlines()[0], text)
        kind, told, message = commands_of(self.told("github", "a, 50%: page.md")[1])[0]
        self.assertEqual((kind, told["file"], told["line"]), ("error", "a, 50%: page.md", "74"))
        self.assertIn("[0, 2 (starts), 1 (journey)]: page 0.3519, step 0.3591", message)
        kind, told, message = commands_of(self.told("github", "port", "--chapter", "causal")[1])[0]
        self.assertEqual((kind, told["file"]), ("error", "port/attn_weights.npy"))
        self.assertIn("why: weights are masked with 0 after softmax", message)

    def test_the_guides_workflow(self):
        """The last step of the workflow fails if a notebook in the repository has a wrong number."""
        command = re.findall(r"(?m)^ +- run: (git ls-files .*)$", output_of("help", "verify").decode())[-1]
        environment = {**os.environ, "PATH": f"{os.path.dirname(BINARY)}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}  # bash warns of others
        for printed, code in ((output_of("causal").decode(), 0), (output_of("causal").decode().replace("0.3591", "0.3519", 1), 123)):
            self.write_notebook("of mine.ipynb", printed)
            (self.folder / "README.md").write_text("words\n")
            (self.folder / "empty.md").write_text("")
            for call in (["git", "init", "-q"], ["git", "add", "of mine.ipynb", "README.md", "empty.md"]):
                subprocess.run(call, cwd=self.folder, check=True, timeout=HANG_LIMIT)
            done = subprocess.run(["bash", "-e", "-c", command], cwd=self.folder, env=environment, capture_output=True, timeout=HANG_LIMIT)
            self.assertEqual((done.returncode, done.stderr), (code, b""))
            found = commands_of(done.stdout.decode())
            self.assertEqual([told["file"] for _, told, _ in found], ["README.md", "empty.md"] + ["of mine.ipynb"] * (2 if code else 1))
            self.assertEqual([kind for kind, _, _ in found], ["notice"] * 2 + ["error"] * (code > 0) + ["notice"])

    def write_notebook(self, name, printed):
        cells = [{"cell_type": "code", "source": [], "metadata": {}, "execution_count": 1, "outputs": [
            {"output_type": "stream", "name": "stdout", "text": printed}]}]
        (self.folder / name).write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))

    def test_a_notebook_has_no_lines(self):
        """The lines of a notebook's file are not visible to readers, so the title names the cell."""
        self.write_notebook("n.ipynb", output_of("causal").decode().replace("0.3591", "0.3519", 1))
        code, text = self.told("github", "n.ipynb")
        kind, told, _ = commands_of(text)[0]
        self.assertEqual((code, kind), (1, "error"))
        self.assertEqual(told["title"], "cell 1, line 74: causal attn_weights [2, 6, 6]")
        self.assertNotIn("line", told)

    def test_standard_input_and_pages_without_tensors(self):
        (self.folder / "prose.txt").write_text("no tensor\n")
        code, text = self.told("github", "prose.txt", "good.txt")
        self.assertEqual((code, text.splitlines()[0]), (0, "::notice file=prose.txt,title=attn-walkthrough::no printed tensor"))
        self.assertEqual(tree.fromstring(self.told("junit", "prose.txt", "good.txt")[1])[0].get("tests"), "0")
        done = run("verify", "-", "--format", "github", page=output_of("simplified"))
        self.assertRegex(done.stdout, rb"\A::notice title=attn-walkthrough::")


class Folders(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        good = output_of("simplified")
        for name, content in (("b/page.md", good), ("a.txt", good.replace(b"0.2", b"0.9", 1)), ("words.md", b"words\n"), ("empty.md", b""),
                              (".git/c.txt", good), ("build/d.txt", good), ("other.cpp", good)):
            (self.folder / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / "docs" / name).write_bytes(content)

    def test_a_folder_stands_for_its_pages(self):
        done = run("verify", "docs", cwd=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.decode(), "attn-walkthrough: note: passed over: 1 file without a printed tensor: docs/words.md; "
                         "1 file that cannot be read: docs/empty.md; folders .git, build\n")
        self.assertEqual(re.findall(r"(?m)^docs/.*$", done.stdout.decode()), ["docs/a.txt", "docs/b/page.md"])
        reports = json.loads(run("verify", "docs", "--format", "json", cwd=self.folder).stdout)
        self.assertEqual([(report["file"], report["holds"]) for report in reports], [("docs/a.txt", False), ("docs/b/page.md", True)])
        self.assertEqual(run("verify", "docs/b", "docs/b/page.md", cwd=self.folder).returncode, 0)

    def test_a_folder_of_tensors_is_a_dump(self):
        output_of("simplified", "--save", "port", cwd=self.folder)
        (self.folder / "port" / "README.md").write_bytes(output_of("simplified"))
        self.assertIn(b"verify needs the chapter", run("verify", "port", cwd=self.folder).stderr)
        done = run("verify", "port", "--chapter", "simplified", cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertIn(b" tensors checked and right\n", done.stdout)


class Pages(unittest.TestCase):
    def check(self, name, tensors, sizes, code=0, arguments=()):
        done = run("verify", str(PAGES / name), *arguments)
        self.assertEqual((done.returncode, done.stderr), (code, b""))
        text = done.stdout.decode()
        self.assertRegex(text, rf"\ARight: {tensors} \(.*\) and {sizes} sizes\. ")
        return text

    def test_blog(self):
        self.check("blog-draft.txt", "23 of 23", "8 of 8")
        text = self.check("blog.txt", "54 of 54", "16 of 16")
        self.assertIn("W_query under W_key's name", text)
        self.assertIn("blog, seed 123", text)

    def test_ahead_of_ai(self):
        text = self.check("ahead-of-ai.txt", "17 of 18", "12 of 12", code=1)
        self.assertTrue(text.startswith("Right: 17 of 18 (17 as the lesson) and 12 of 12 sizes. Wrong: 1 (line 66).\n"))
        self.assertEqual(text.count("same numbers ("), 16)
        self.assertIn("lost a column", text)
        self.assertNotIn("last digit", text)

    def test_ahead_of_ai_with_the_other_kernels(self):
        text = self.check("ahead-of-ai.txt", "17 of 18", "12 of 12", code=1, arguments=["--cpu", "avx2"])
        self.assertEqual(text.count("last digit (1 of 24 cells)"), 1)
        self.assertIn("-0.26264992356300354", text)

    def test_the_avx512_kernels(self):
        """The report names the kernels that were asked for: in cross, with rows of 8 numbers, they give other digits."""
        for chapter in ("cross", "causal"):
            asked = run("verify", "-", "--cpu", "avx512", page=output_of(chapter, "--cpu", "avx512", "--precision", "9"))
            self.assertEqual(asked.returncode, 0)
            self.assertIn(b", avx512 kernels", asked.stdout)
            self.assertNotIn(b"follows", asked.stdout)
        excluded = run("verify", "-", "--cpu", "avx2", page=output_of("cross", "--cpu", "avx512", "--precision", "9"))
        self.assertRegex(excluded.stdout, rb"cross attn_weights +last digit")

    def test_draws_of_a_listing(self):
        """Programs that draw, run by PyTorch and numpy (../pages/kept.txt): reports name each draw by its call or variable."""
        told = {"demo": ["torch.rand(3, 2) after torch.manual_seed(123)",
                         "torch.rand(3, 2) no. 2 after torch.manual_seed(123)",
                         "torch.nn.Linear(3, 2).weight after torch.manual_seed(123)",
                         "torch.randint(0, 10, (3, 4)) after torch.manual_seed(123)",
                         "torch.randn(2, 3) after torch.manual_seed(123)",
                         "layer.weight = torch.nn.Embedding(6, 4).weight, drawn after torch.manual_seed(7)"],
                "named": ["X = torch.randn(T, d_in), drawn after torch.manual_seed(5)", "X @ W_q", "X @ W_k",
                          "head.W_key.weight = nn.Linear(d_in, d_out, bias=qkv_bias).weight, drawn after torch.manual_seed(11)",
                          "head.W_query(X)", "torch.rand_like(X) after torch.manual_seed(11)"],
                "numpy": ["E = rng.randn(5, 3), drawn after np.random.RandomState(3)", "E @ W",
                          "np.random.randn(3, 4) * 0.1",
                          "noise = np.random.uniform(-1, 1, size=(2, 3)), drawn after np.random.seed(42)",
                          "np.random.normal(1, 2, (3, 3)).round(3)"]}
        for name, relations in told.items():
            with self.subTest(page=name):
                page = kept_pages.kept()[f"draws-{name}.md"].encode()
                found = report_of("-", page=page)[1]["findings"]
                found = [one for one in found if "steps" not in one["relation"]]
                self.assertEqual([one["relation"] for one in found], relations)
                self.assertEqual({(one["verdict"], one["rooted"]) for one in found}, {("follows", True)})

    def test_a_bare_draw_is_no_weight_of_a_lesson(self):
        """torch.rand(3, 2) after torch.manual_seed(42), which trainable draws too, and its product with the inputs."""
        draw = b"tensor([[0.8823, 0.9150],\n        [0.3829, 0.9593],\n        [0.3904, 0.6009]])\n"

        def finding(page):
            return report_of("-", page=page)[1]["findings"][0]
        self.assertEqual(finding(draw)["relation"], "torch.rand(3, 2) after torch.manual_seed(42)")
        self.assertEqual(finding(b"W_query:\n" + draw)["step"]["name"], "W_query")
        without_label = output_of("trainable", "--seed", "42").replace(b"Query Trainable Weigth ", b"")
        self.assertEqual(finding(without_label)["step"]["name"], "W_query")

    def test_json_says_the_same(self):
        _, report = report_of(str(PAGES / "blog.txt"))
        self.assertEqual((report["version"], report["faults"]), (1, []))
        self.assertEqual(report["tensors"]["by"], {"lesson": 54, "relation": 0, "program": 0})
        self.assertEqual({f["by"] for f in report["findings"]}, {"lesson"})
        tensors = [f for f in report["findings"] if f["kind"] == "tensor"]
        self.assertEqual(len(tensors), 54)
        self.assertLessEqual({f["verdict"] for f in tensors}, {"same", "same numbers"})


class Programs(unittest.TestCase):
    def test_seeds_sizes_and_kernels(self):
        """What a page shows, options of verify, and words of the report."""
        narrow = ("--num-heads", "5", "--d-out", "10", "--seed", "5")
        for lesson, options, words in (
                (("causal", "--seed", "7"), ("--strict",), "seed 7,"), (("causal", "--seed", "7"), ("--strict", "--seed", "7"), "(8 as the lesson)"),
                (("trainable", "--seed", "42"), ("--strict",), "as the lesson"), (("causal", "--seed", "-1"), ("--seed", "-1"), "blog, seed -1,"),
                (("trainable", "--seed", "789", "--d-out", "2"), ("--strict",), "as the lesson"),
                (("multihead", *narrow), ("--strict", *narrow), "seed 5, d_out 10, 5 heads"),
                (("causal",), ("--d-out", "2000000000"), "Right: "), (("causal",), ("--seed", "123", "--dropout", "0.5"), "Right: "),
                (("dropout", "--dropout-kernel", "mkl"), (), "these are the numbers of PyTorch's MKL dropout kernel"),
                (("causal", "--dropout-kernel", "mkl"), (), "these are the numbers of PyTorch's MKL dropout kernel")):
            with self.subTest(lesson=lesson, options=options):
                done = run("verify", "-", *options, page=output_of(*lesson))
                self.assertEqual((done.returncode, done.stderr), (0, b""), done.stdout.decode())
                self.assertIn(words, done.stdout.decode())
        page = b"torch.manual_seed(7)\n" + output_of("causal", "--seed", "7")
        self.assertIn(b"(8 as the lesson) ", run("verify", "-", "--strict", page=page).stdout)
        done = run("verify", "-", "--dropout-kernel", "default", page=output_of("causal", "--dropout-kernel", "mkl"))
        self.assertNotIn(b"causal dropout_attn_weights", done.stdout)

    def test_our_own_output_is_the_same(self):
        for chapter, article in (("causal", "blog"), ("multihead", "livebook"), ("trainable", "primer"),
                                 ("cross", "ahead-of-ai")):
            page = output_of(chapter, "--article", article, "--steps", "all")
            done = run("verify", "-", "--article", article, page=page)
            self.assertEqual(done.returncode, 0, done.stdout.decode())
            verdicts = {line.split("  ")[-1].strip() for line in done.stdout.decode().splitlines()
                        if line.startswith("line")}
            self.assertEqual(verdicts, {"same"}, (chapter, article))

    def test_a_known_mistake_fails_where_it_begins(self):
        for name, begins, sentence in (("none", None, ""), ("no-scaling", 74, "the scores are not divided by the square root"),
                                       ("mask-shows-next", 59, "the mask shows the next token"),
                                       ("mask-0", 59, "masked scores are 0"), ("softmax-dim-1", 74, "softmax is taken over dim 1"),
                                       ("mask-hides-itself", 59, "the mask hides the diagonal as well")):
            with self.subTest(mistake=name):
                page = str(kept_pages.folder() / f"mistake-{name}.txt")
                code, report = report_of(page)
                verdicts = [finding["verdict"] for finding in report["findings"]]
                self.assertEqual((code, report["holds"]), (1, False) if begins else (0, True))
                told = [finding for finding in report["findings"] if finding["verdict"] == "mistake"]
                self.assertEqual([finding["line"] for finding in told], [begins] if begins else [])
                for finding in told:
                    self.assertEqual(finding["mistake"]["name"], name)
                    self.assertTrue(finding["mistake"]["sentence"].startswith(sentence))
                    self.assertTrue(finding["mistake"]["instead"])
                    first = verdicts.index("mistake")
                    self.assertEqual(set(verdicts[first + 1:]), {"inherited"})
                self.assertEqual(run("verify", page, "--allow-mistakes").returncode, 0)

    def test_a_what_if_is_a_mistake(self):
        """Unchanged tensors are right, changed ones are the mistake or inherit it: with the marks of --what-if, and without."""
        for rule in ("no-scaling", "no-mask", "mask-after-softmax", "same-weights"):
            told = output_of("causal", "--what-if", rule)
            changed = b"".join(part.partition(b"# changed\n")[2] for part in told.split(b"# original\n")[1:])
            for page in (told, told.replace(b"*", b""), changed):
                with self.subTest(rule=rule, page=page[:40]):
                    for more in ((), ("--strict", "--chapter", "causal", "--seed", "123")):
                        code, report = report_of("-", *more, page=page)
                        self.assertEqual(code, 1)
                        mistakes = [one for one in report["findings"] if one["verdict"] == "mistake"]
                        self.assertEqual({one["mistake"]["name"] for one in mistakes}, {rule})


class Formats(unittest.TestCase):
    def test_the_same_in_each(self):
        text = (PAGES / "blog-causal.txt").read_text()
        body = html.escape(text).replace(" ", "&nbsp;").replace("-", "&minus;").replace("\n", "<br>")
        cell = {"cell_type": "code", "source": ["print(torch.tensor([[0.43, 0.15]]))"], "outputs": [
            {"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)}]}
        pages = {
            "page.html": f"<!doctype html><html><body><p>{body}</p></body></html>",
            "pre.html": f"<html><body><pre><code>{html.escape(text)}</code></pre></body></html>",
            "page.md": f"# Causal\n\n```output\n{text}```\n",
            "page.ipynb": json.dumps({"cells": [cell], "nbformat": 4, "nbformat_minor": 5, "metadata": {}}),
            "log.txt": ">>> run()\r\n\x1b[1m" + text.replace("\n", "\x1b[0m\r\n"),
            "squeezed.txt": text.replace(", ", ","), "doubled.txt": text.replace(", ", ",   ")}
        with tempfile.TemporaryDirectory() as folder:
            for name, content in pages.items():
                pathlib.Path(folder, name).write_text(content)
                report = output_of("verify", name, cwd=folder)
                self.assertIn(b"Right: 8 of 8 (8 as the lesson) and 1 of 1 size. Wrong: none.\n", report, name)
            pathlib.Path(folder, "listing.md").write_text("inputs = torch.tensor([[0.43, 0.15, 0.89]])\nprint(tensor)\n")
            self.assertEqual(run("verify", "listing.md", cwd=folder).returncode, 2)

    def test_junk(self):
        for page in (bytes(range(256)) * 1000, b"tensor([" * 1_000_000, b"tensor(" + b"[" * 1_000_000 + b"1." + b"]" * 1_000_000 + b")",
                     b"tensor([" + b"1" * 100_000 + b"])", b"tensor([[0.1, 0.2], [0.3]])", b"tensor([[0.1, 0.2], [0.3", b"<" * 1_000_000,
                     b"&" * 1_000_000 + b"tensor(1.)"):
            done = run("verify", "-", page=page)
            self.assertIn(done.returncode, (0, 2))
            if done.returncode == 2:
                self.assertEqual(done.stdout, b"")
                self.assertRegex(done.stderr, rb"\Aattn-walkthrough: error: [^\n]*\n\Z")


def nested(values, text):
    """The values as nested lists, with each number formatted by text()."""
    return "[" + ", ".join(nested(v, text) for v in values) + "]" if isinstance(values, list) else text(float(values))


def float32(value):
    """The float with this shortest text."""
    return struct.unpack("f", struct.pack("f", value))[0]


class Ports(unittest.TestCase):
    """The numbers of the lesson as other frameworks print them."""

    def test_as_others_print(self):
        for framework, write in {
                "jax": lambda values: f"Array({nested(values, repr)}, dtype=float32)",
                "lists": lambda values: nested(values, lambda value: repr(float32(value))),
                "mlx": lambda values: f"array({nested(values, lambda value: f'{float32(value):.6g}')}, dtype=float32)"}.items():
            with self.subTest(framework):
                self.check(write)

    def check(self, write):
        steps = json.loads(output_of("causal", "--format", "json"))["steps"]
        tensors = [step["values"] for step in steps if "values" in step]
        self.assertGreater(len(tensors), 5)
        page = "\n".join(write(values) for values in tensors) + "\n"
        done = run("verify", "-", page=page.encode())
        text = done.stdout.decode()
        self.assertEqual((done.returncode, done.stderr), (0, b""), text)
        self.assertIn(f"Right: {len(tensors)} of {len(tensors)} ", text)
        self.assertNotIn("last digit", text)


if __name__ == "__main__":
    harness.main()
