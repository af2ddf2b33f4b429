"""What `attn-walkthrough verify` says of pages, tried as a reader would.

    PYTHONPATH=tests /usr/bin/python3 tests/cli/verify.py build/release/attn-walkthrough
"""
import html
import json
import pathlib
import re
import struct
import tempfile
import unittest

import harness
from harness import output_of, run

PAGES = pathlib.Path(__file__).resolve().parents[2] / "golden" / "pages"


def output_of_page(*arguments, page):
    done = run(*arguments, page=page)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Pages(unittest.TestCase):
    def check(self, name, tensors, sizes, code=0, arguments=()):
        done = run("verify", str(PAGES / name), *arguments)
        self.assertEqual((done.returncode, done.stderr), (code, b""))
        text = done.stdout.decode()
        self.assertIn(f"{tensors} tensors and {sizes} sizes checked and right", text)
        return text

    def test_blog(self):
        text = self.check("blog.txt", "54 of 54", "16 of 16")
        self.assertIn("W_query under W_key's name", text)
        self.assertIn("blog, seed 123", text)

    def test_blog_draft(self):
        self.check("blog-draft.txt", "23 of 23", "8 of 8")

    def test_ahead_of_ai(self):
        text = self.check("ahead-of-ai.txt", "17 of 18", "12 of 12", code=1)
        self.assertIn("16 same numbers, 1 differs\n17 of 18 tensors and 12 of 12 sizes checked and right; 1 differs: line 66\n", text)
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
            self.assertEqual(re.findall(rb"avx\w+(?= kernels)", done.stdout.splitlines()[-3]), [named])
            self.assertNotIn(b"follows", done.stdout)
            asked = run("verify", "-", "--cpu", "avx512", page=page)
            self.assertEqual(asked.returncode, 0)
            self.assertIn(b", avx512 kernels", asked.stdout)
        excluded = run("verify", "-", "--cpu", "avx2", page=output_of("cross", "--cpu", "avx512", "--precision", "9"))
        self.assertNotIn(b"cross attn_weights", excluded.stdout)

    def test_draws_of_a_listing(self):
        """Programs that draw, run by PyTorch and numpy (../pages/make_draws.py): each draw is told by its call or variable."""
        told = {"demo": ["torch.rand(3, 2) after torch.manual_seed(123)",
                         "the 2nd torch.rand(3, 2) after torch.manual_seed(123)",
                         "torch.nn.Linear(3, 2).weight after torch.manual_seed(123)",
                         "the 1st torch.randint(0, 10, (3, 4)) after torch.manual_seed(123)",
                         "the 1st torch.randn(2, 3) after torch.manual_seed(123)",
                         "layer.weight of torch.nn.Embedding(6, 4), drawn after torch.manual_seed(7)"],
                "named": ["X = torch.randn(T, d_in), drawn after torch.manual_seed(5)", "line 15 @ W_q", "line 15 @ W_k",
                          "head.W_key.weight of nn.Linear(d_in, d_out, bias=qkv_bias), drawn after torch.manual_seed(11)",
                          "line 15 @ head.W_query.weight.T", "the 1st torch.rand_like(X) after torch.manual_seed(11)"],
                "numpy": ["E = rng.randn(5, 3), drawn after np.random.RandomState(3)", "line 11 @ W",
                          "W_q = np.random.randn(3, 4) * 0.1, drawn after np.random.seed(42)",
                          "noise = np.random.uniform(-1, 1, size=(2, 3)), drawn after np.random.seed(42)",
                          "the 1st np.random.normal(1, 2, (3, 3)) after np.random.seed(42)"]}
        for name, relations in told.items():
            with self.subTest(page=name):
                page = (PAGES.parents[1] / "tests" / "pages" / f"draws-{name}.md").read_bytes()
                found = json.loads(output_of_page("verify", "-", "--format", "json", page=page))["findings"]
                found = [one for one in found if "steps" not in one["relation"]]
                self.assertEqual([one["relation"] for one in found], relations)
                self.assertEqual({(one["verdict"], one["rooted"]) for one in found}, {("follows", True)})

    def test_a_bare_draw_is_no_weight_of_a_lesson(self):
        """torch.rand(3, 2) after torch.manual_seed(42), which trainable draws too, and what it makes of the inputs."""
        draw = b"tensor([[0.8823, 0.9150],\n        [0.3829, 0.9593],\n        [0.3904, 0.6009]])\n"

        def finding(page):
            return json.loads(output_of_page("verify", "-", "--format", "json", page=page))["findings"][0]
        self.assertEqual(finding(draw)["relation"], "torch.rand(3, 2) after torch.manual_seed(42)")
        self.assertEqual(finding(b"W_query:\n" + draw)["step"]["name"], "W_query")
        without_label = output_of("trainable", "--seed", "42").replace(b"Query Trainable Weigth ", b"")
        self.assertEqual(finding(without_label)["step"]["name"], "W_query")

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

    def test_a_known_mistake_fails_where_it_begins(self):
        for name, begins, sentence in (("none", None, ""), ("no-scaling", 74, "the scores are not divided by the square root"),
                                       ("mask-shows-next", 59, "the mask shows the next token"),
                                       ("mask-0", 59, "masked scores are 0"), ("softmax-dim-1", 74, "softmax is taken over dim 1")):
            with self.subTest(mistake=name):
                page = str(pathlib.Path(__file__).resolve().parents[1] / "pages" / f"mistake-{name}.txt")
                done = run("verify", "--format", "json", page)
                report = json.loads(done.stdout)
                verdicts = [finding["verdict"] for finding in report["findings"]]
                self.assertEqual((done.returncode, report["holds"]), (1, False) if begins else (0, True))
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
        """What stands as it is holds, what changes is the mistake or inherits it: with the marks of --what-if, and without."""
        for rule in ("no-scaling", "no-mask", "mask-after-softmax", "same-weights"):
            told = output_of("causal", "--what-if", rule)
            changed = b"".join(part.partition(b"# changed\n")[2] for part in told.split(b"# original\n")[1:])
            for page in (told, told.replace(b"*", b""), changed):
                with self.subTest(rule=rule, page=page[:40]):
                    for more in ((), ("--strict", "--chapter", "causal", "--seed", "123")):
                        done = run("verify", "-", "--format", "json", *more, page=page)
                        self.assertEqual(done.returncode, 1)
                        mistakes = [one for one in json.loads(done.stdout)["findings"] if one["verdict"] == "mistake"]
                        self.assertEqual({one["mistake"]["name"] for one in mistakes}, {rule})

    def test_a_printed_tensor_among_lines_of_a_program_is_no_list_of_it(self):
        """It would follow from itself."""
        page = b"torch.manual_seed(64)\nscores\ntensor([[0.1234, 0.5678, 0.9012],\n        [0.3456, 0.7890, 0.1111]])\n"
        (finding,) = json.loads(output_of_page("verify", "-", "--format", "json", page=page))["findings"]
        self.assertEqual((finding["verdict"], finding["relation"]), ("unknown", None))

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
        self.assertIn(b"8 of 8 tensors and 1 of 1 sizes checked and right", done.stdout)

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


if __name__ == "__main__":
    harness.main()
