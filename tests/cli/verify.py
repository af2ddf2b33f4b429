"""What `attn-walkthrough verify` says of pages, tried as a reader would.

    /usr/bin/python3 tests/cli/verify.py build/release/attn-walkthrough
"""
import html
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

BINARY = ""
PAGES = pathlib.Path(__file__).resolve().parents[2] / "golden" / "pages"
HANG_LIMIT = 60


def run(*arguments, page=b""):
    return subprocess.run([BINARY, *arguments], input=page, capture_output=True, timeout=HANG_LIMIT)


def output_of(*arguments):
    done = run(*arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Pages(unittest.TestCase):
    def check(self, name, tensors, sizes, code=0, arguments=()):
        done = run("verify", str(PAGES / name), *arguments)
        self.assertEqual((done.returncode, done.stderr), (code, b""))
        text = done.stdout.decode()
        self.assertIn(f"{tensors} tensors and {sizes} sizes hold", text)
        return text

    def test_blog(self):
        text = self.check("blog.txt", "54 of 54", "16 of 16")
        self.assertIn("W_query under W_key's name", text)
        self.assertIn("blog, seed 123", text)

    def test_blog_draft(self):
        self.check("blog-draft.txt", "23 of 23", "8 of 8")

    def test_ahead_of_ai(self):
        text = self.check("ahead-of-ai.txt", "17 of 18", "12 of 12", code=1)
        self.assertIn("16 same numbers, 1 differs\ndiffers: line 66\n", text)
        self.assertIn("lost a column", text)
        self.assertNotIn("last digit", text)

    def test_ahead_of_ai_with_the_other_kernels(self):
        text = self.check("ahead-of-ai.txt", "17 of 18", "12 of 12", code=1, arguments=["--cpu", "avx2"])
        self.assertEqual(text.count("last digit (1 of 24 cells)"), 1)
        self.assertIn("-0.26264992356300354", text)
        self.assertIn("these are the numbers of PyTorch's default kernels", text)

    def test_the_avx512_kernels(self):
        """They are named where they show: in cross, whose rows have 8 numbers."""
        for chapter, named in (("cross", b"avx512"), ("causal", b"avx2")):
            page = output_of(chapter, "--cpu", "avx512", "--precision", "9")
            done = run("verify", "-", page=page)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertEqual(re.findall(rb"avx\w+(?= kernels)", done.stdout.splitlines()[-2]), [named])
            self.assertNotIn(b"follows", done.stdout)
            asked = run("verify", "-", "--cpu", "avx512", page=page)
            self.assertEqual(asked.returncode, 0)
            self.assertIn(b", avx512 kernels", asked.stdout)
        excluded = run("verify", "-", "--cpu", "avx2", page=output_of("cross", "--cpu", "avx512", "--precision", "9"))
        self.assertNotIn(b"cross attn_weights", excluded.stdout)

    def test_json_says_the_same(self):
        report = json.loads(run("verify", str(PAGES / "blog.txt"), "--format", "json").stdout)
        tensors = [f for f in report["findings"] if f["kind"] == "tensor"]
        self.assertEqual(len(tensors), 54)
        self.assertLessEqual({f["verdict"] for f in tensors}, {"same", "same numbers"})


class Programs(unittest.TestCase):
    def test_our_own_output_is_the_same(self):
        for chapter, article in (("causal", "blog"), ("multihead", "livebook"), ("trainable", "primer"),
                                 ("cross", "ahead-of-ai")):
            page = output_of(chapter, "--article", article, "--steps", "all")
            done = run("verify", "-", "--article", article, page=page)
            self.assertEqual(done.returncode, 0, done.stdout.decode())
            verdicts = {line.split("  ")[-1].strip() for line in done.stdout.decode().splitlines()
                        if line.startswith("line")}
            self.assertEqual(verdicts, {"same"}, (chapter, article))

    def test_a_known_mistake_is_named_where_it_begins(self):
        for name, begins, sentence in (("none", None, ""), ("no-scaling", 74, "the scores are not divided by the square root"),
                                       ("mask-shows-next", 59, "the mask shows the next token"),
                                       ("mask-0", 59, "masked scores are 0"), ("softmax-dim-1", 74, "softmax is taken over dim 1")):
            with self.subTest(mistake=name):
                page = pathlib.Path(__file__).resolve().parents[1] / "pages" / f"mistake-{name}.txt"
                findings = json.loads(output_of("verify", "--format", "json", str(page)))["findings"]
                noted = [(finding["line"], note) for finding in findings for note in finding["notes"] if "these are the numbers of" in note]
                self.assertEqual([line for line, _ in noted], [begins] if begins else [])
                self.assertTrue(all(f" if {sentence}" in note for _, note in noted), noted)

    def test_another_seed(self):
        page = output_of("causal", "--seed", "7")
        derived = run("verify", "-", page=page)
        self.assertEqual(derived.returncode, 0)
        self.assertIn(b"tensors: 8 follows\n", derived.stdout)
        known = run("verify", "-", "--strict", "--seed", "7", page=page)
        self.assertEqual(known.returncode, 0)
        self.assertIn(b"tensors: 8 same\n", known.stdout)

    def test_a_seed_that_the_page_names(self):
        page = b"torch.manual_seed(7)\n" + output_of("causal", "--seed", "7")
        done = run("verify", "-", "--strict", page=page)
        self.assertEqual(done.returncode, 0, done.stdout.decode())
        self.assertIn(b"tensors: 8 same\n", done.stdout)

    def test_usual_seeds_and_sizes_need_no_name(self):
        for arguments in (("trainable", "--seed", "42"), ("trainable", "--seed", "789", "--d-out", "2"),
                          ("multihead", "--num-heads", "1", "--batch", "2")):
            done = run("verify", "-", "--strict", page=output_of(*arguments))
            self.assertEqual(done.returncode, 0, done.stdout.decode())
            self.assertNotIn(b"follows", done.stdout)

    def test_lesson_options_narrow(self):
        page = output_of("multihead", "--num-heads", "5", "--d-out", "10", "--seed", "5")
        done = run("verify", "-", "--strict", "--num-heads", "5", "--d-out", "10", "--seed", "5", page=page)
        self.assertEqual(done.returncode, 0, done.stdout.decode())
        self.assertIn(b"seed 5, d_out 10, 5 heads", done.stdout)
        self.assertEqual(run("verify", "-", "--num-heads", "0", page=page).returncode, 2)

    def test_sizes_that_no_page_prints_take_no_memory(self):
        done = run("verify", "-", "--d-out", "2000000000", page=output_of("causal"))
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_negative_seed_is_written_as_given(self):
        page = output_of("causal", "--seed", "-1")
        self.assertIn(b"blog, seed -1,", run("verify", "-", "--seed", "-1", page=page).stdout)
        self.assertIn(b'"seed": -1,', run("verify", "-", "--seed", "-1", "--format", "json", page=page).stdout)

    def test_the_other_dropout_kernel_is_recognised(self):
        for chapter in ("dropout", "causal"):
            done = run("verify", "-", page=output_of(chapter, "--dropout-kernel", "mkl"))
            self.assertEqual(done.returncode, 0, done.stdout.decode())
            self.assertIn(b"these are the numbers of PyTorch's MKL dropout kernel", done.stdout)

    def test_the_other_dropout_kernel_is_named_where_it_is_excluded(self):
        done = run("verify", "-", "--dropout-kernel", "default", page=output_of("causal", "--dropout-kernel", "mkl"))
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"these are the numbers of PyTorch's MKL dropout kernel", done.stdout)

    def test_the_other_cpu_kernels_are_recognised(self):
        page = output_of("cross", "--cpu", "avx2", "--precision", "8")
        done = run("verify", "-", page=page)
        self.assertEqual(done.returncode, 0, done.stdout.decode())
        self.assertIn(b"these are the numbers of PyTorch's avx2 kernels", done.stdout)


class Formats(unittest.TestCase):
    def setUp(self):
        self.text = (PAGES / "blog-causal.txt").read_text()
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def holds(self, name, content):
        file = self.folder / name
        file.write_text(content)
        done = run("verify", str(file))
        self.assertEqual((done.returncode, done.stderr), (0, b""), done.stdout.decode())
        self.assertIn(b"8 of 8 tensors and 1 of 1 sizes hold", done.stdout)

    def test_html(self):
        body = html.escape(self.text).replace(" ", "&nbsp;").replace("-", "&minus;").replace("\n", "<br>")
        self.holds("page.html", f"<!doctype html><html><body><p>{body}</p></body></html>")
        self.holds("pre.html", f"<html><body><pre><code>{html.escape(self.text)}</code></pre></body></html>")

    def test_markdown(self):
        self.holds("page.md", f"# Causal\n\n```output\n{self.text}```\n")

    def test_notebook(self):
        cell = {"cell_type": "code", "source": ["print(torch.tensor([[0.43, 0.15]]))"], "outputs": [
            {"output_type": "stream", "name": "stdout", "text": self.text.splitlines(keepends=True)}]}
        self.holds("page.ipynb", json.dumps({"cells": [cell], "nbformat": 4, "nbformat_minor": 5, "metadata": {}}))

    def test_terminal_log(self):
        self.holds("log.txt", ">>> run()\r\n\x1b[1m" + self.text.replace("\n", "\x1b[0m\r\n"))

    def test_squeezed_and_doubled_spaces(self):
        self.holds("squeezed.txt", self.text.replace(", ", ","))
        self.holds("doubled.txt", self.text.replace(", ", ",   "))

    def test_a_listing_is_no_output(self):
        file = self.folder / "listing.md"
        file.write_text("inputs = torch.tensor([[0.43, 0.15, 0.89]])\nprint(tensor)\n")
        self.assertEqual(run("verify", str(file)).returncode, 2)


class Hostile(unittest.TestCase):
    def refused_or_reported(self, page):
        done = run("verify", "-", page=page)
        self.assertIn(done.returncode, (0, 1, 2))
        if done.returncode == 2:
            self.assertEqual(done.stdout, b"")
            self.assertEqual(done.stderr.count(b"\n"), 1)
            self.assertTrue(done.stderr.startswith(b"attn-walkthrough: error: "))
        return done.returncode

    def test_junk(self):
        self.assertEqual(self.refused_or_reported(b""), 2)
        self.assertEqual(self.refused_or_reported(bytes(range(256)) * 1000), 2)
        self.assertEqual(self.refused_or_reported(b"tensor([" * 1_000_000), 2)
        self.assertEqual(self.refused_or_reported(b"tensor(" + b"[" * 1_000_000 + b"1." + b"]" * 1_000_000 + b")"), 2)
        self.refused_or_reported(b"tensor([" + b"1" * 100_000 + b"])")
        self.refused_or_reported(b"tensor([0." + b"1" * 100_000 + b", 2.])")
        self.refused_or_reported(b"tensor([[0.1, 0.2], [0.3]])")
        self.refused_or_reported(b"tensor([[0.1, 0.2], [0.3")
        self.refused_or_reported(b"<" * 1_000_000)
        self.refused_or_reported(b"&" * 1_000_000 + b"tensor(1.)")

    def test_missing_and_odd_files(self):
        for file in ("/proc/no such page", "/", ""):
            done = run("verify", file)
            self.assertEqual((done.returncode, done.stdout), (2, b""), file)
            self.assertEqual(done.stderr.count(b"\n"), 1)
        self.assertEqual(run("verify").returncode, 2)
        self.assertEqual(run("verify", "-", "--chapter", "nothing").returncode, 2)
        self.assertEqual(run("verify", "-", "--article", "primer", "--chapter", "causal").returncode, 2)

    def test_nothing_is_written_when_a_later_page_is_unreadable(self):
        done = run("verify", str(PAGES / "blog-causal.txt"), "/proc/no such page")
        self.assertEqual((done.returncode, done.stdout), (2, b""))

    def test_a_page_without_tensors_hides_no_other(self):
        empty = tempfile.NamedTemporaryFile(suffix=".txt")
        self.addCleanup(empty.close)
        empty.write(b"words alone\n")
        empty.flush()
        done = run("verify", empty.name, str(PAGES / "blog-causal.txt"))
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertTrue(done.stdout.startswith(f"{empty.name}\nno printed tensor\n".encode()))
        self.assertIn(b"8 of 8 tensors", done.stdout)
        both = run("verify", empty.name, empty.name)
        self.assertEqual((both.returncode, both.stdout), (2, b""))

    def test_a_large_page(self):
        page = (PAGES / "blog.txt").read_bytes()
        done = run("verify", "-", page=page * (20_000_000 // len(page)))
        self.assertEqual(done.returncode, 0)


def nested(values, text):
    """The values as nested lists, each number by text(number)."""
    return "[" + ", ".join(nested(v, text) for v in values) + "]" if isinstance(values, list) else text(float(values))


def float32(value):
    """The float whose shortest text it is."""
    return struct.unpack("f", struct.pack("f", value))[0]


def significant(value):
    """At most six significant digits."""
    return f"{float32(value):.6g}"


class Ports(unittest.TestCase):
    """The numbers of the lesson as other frameworks print them."""

    def check(self, write):
        steps = json.loads(output_of("causal", "--format", "json"))["steps"]
        tensors = [(step["values"], step["shape"]) for step in steps if "values" in step]
        self.assertGreater(len(tensors), 5)
        page = "\n".join(write(values, shape) for values, shape in tensors) + "\n"
        done = run("verify", "-", page=page.encode())
        text = done.stdout.decode()
        self.assertEqual((done.returncode, done.stderr), (0, b""), text)
        self.assertIn(f"{len(tensors)} of {len(tensors)} tensors", text)
        self.assertNotIn("last digit", text)

    def test_candle(self):
        def write(values, shape):
            lists = nested(values, lambda value: f"{float32(value):.4f}").replace("], [", "],\n [")
            return f"{lists}\nTensor[{shape}, f32]"
        self.check(write)

    def test_jax(self):
        self.check(lambda values, shape: f"Array({nested(values, repr)}, dtype=float32)")

    def test_lists(self):
        self.check(lambda values, shape: nested(values, lambda value: repr(float32(value))))

    def test_mlx(self):
        self.check(lambda values, shape: f"array({nested(values, significant)}, dtype=float32)")

    def test_julia(self):
        def number(value):
            text = significant(value).replace("inf", "Inf")
            return text if "." in text or "Inf" in text else text + ".0"

        def write(values, shape):
            lines = ["\u00d7".join(map(str, shape)) + " Array{Float32, 3}:"]
            for k in range(shape[2]):
                rows = [" " + "  ".join(number(float(row[k])) for row in matrix) for matrix in values]
                lines += [f"[:, :, {k + 1}] =", *rows, ""]
            return "\n".join(lines)
        self.check(write)


if __name__ == "__main__":
    BINARY = sys.argv.pop(1)
    unittest.main()
