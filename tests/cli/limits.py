"""However much is asked for, or however odd: time and memory grow with what is printed, and text stays text.

    /usr/bin/python3 tests/cli/limits.py PATH_TO_BINARY
"""
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import unicodedata
import unittest

BINARY = ""
HANG_LIMIT = 60  # seconds
DIRECTIONS = ("LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI")
EVERYTHING = ["--threshold", "999999999"]


def run(*arguments, **options):
    options.setdefault("stdin", subprocess.DEVNULL)
    if "input" in options:
        del options["stdin"]
    return subprocess.run([BINARY, *arguments], capture_output=True, timeout=HANG_LIMIT, **options)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def file(self, name, content):
        path = os.path.join(os.fsencode(self.folder), os.fsencode(name))
        with open(path, "wb") as out:
            out.write(content if isinstance(content, bytes) else content.encode())
        return path

    def refused(self, done, words):
        self.assertEqual((done.returncode, len(done.stdout)), (2, 0), done.stderr)
        self.assertRegex(done.stderr.decode(), r"\Aattn-walkthrough: error: [^\n]*;[^\n]*\n\Z")
        self.assertIn(words, done.stderr.decode())


class Time(Case):
    def test_what_if_is_linear_in_its_cells(self):
        def seconds(tokens):
            start = time.monotonic()
            done = run("causal", "--what-if", "no-mask", "--tokens", str(tokens), *EVERYTHING)
            self.assertEqual(done.returncode, 0)
            self.assertGreater(len(done.stdout), tokens * tokens)
            return time.monotonic() - start

        self.assertLess(seconds(400), 12)  # quadratic: 40 s and more

    def test_everything_is_linear_in_what_is_written(self):
        for form in ([], ["--explain"], ["--heatmap"], ["--format", "html"], ["--format", "json"],
                     ["--format", "markdown"], ["--cell", "attn_scores[0,1,2]"], ["--steps", "all"]):
            with self.subTest(form=form):
                few, many = (processor_seconds("causal", "--tokens", str(tokens), *EVERYTHING, *form)
                             for tokens in (300, 1200))
                self.assertLess(many, 16 * 3 * (few + 0.05))  # 16 times as many cells; quadratic: 256 times as long



def processor_seconds(*arguments):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([BINARY, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, timeout=HANG_LIMIT)
    assert done.returncode in (0, 1, 2)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def hidden(text):
    """What a terminal or a browser obeys instead of showing it."""
    return sorted({hex(ord(c)) for c in text
                   if c != "\n" and (unicodedata.category(c) == "Cc" or unicodedata.bidirectional(c) in DIRECTIONS
                                     or c in "\u200e\u200f\u061c")})


class Text(Case):
    PAGES = {
        "return.txt": "日本語日本語日本語\rkeys tensor([1., 2.])\n",
        "return back.txt": "keys tensor([1., 2.]) abc\r日本\n",
        "backspace.txt": "label 日本語\b\bab tensor([1., 2.])\n",
        "marks.txt": "la\u202ebel \x1b[31m\u009b31m\u2066 tensor([1., 2.], grad_fn=<Mul\u202eBackward0>)\n",
        "marks.html": "<pre>la&#x202e;bel&#27;[1m&#x9b; \u2066&#xd800; tensor([1., 2.])</pre>",
    }

    def test_pages(self):
        for name, page in self.PAGES.items():
            path = self.file(name, page)
            for form in ([], ["--format", "json"]):
                with self.subTest(page=name, form=form):
                    done = run("verify", *form, path)
                    self.assertIn(done.returncode, (0, 1), done.stderr)
                    self.assertEqual(hidden(done.stdout.decode()), [])
                    self.assertEqual(done.stderr, b"")

    def label(self, page):
        return json.loads(run("verify", "--format", "json", self.file("page.txt", page)).stdout)["findings"][0]["label"]

    def test_a_character_takes_the_place_of_one(self):
        self.assertEqual(self.label("日本語日本語 tensor([1., 2.])\rab\n"), "ab語日本語")
        self.assertEqual(self.label("abcdef tensor([1., 2.])\r日本\n"), "日本cdef")
        self.assertEqual(self.label("abcé\b\b日x tensor([1., 2.])\n"), "ab日x")

    def test_file_names(self):
        for name in (b"p\xff.txt", b"q\xe2\x80\xae\x1b[1m\xc2\x9b.txt"):
            path = self.file(name, "tensor([1., 2.])\n")
            with self.subTest(name=name):
                for form in ([], ["--format", "json"]):
                    done = run("verify", *form, path, path)
                    self.assertIn(done.returncode, (0, 1), done.stderr)
                    self.assertEqual(hidden(done.stdout.decode()), [])
                    self.assertEqual(done.stderr, b"")
                shown = json.loads(run("verify", "--format", "json", path).stdout)["file"]
                self.assertEqual(shown, path.decode(errors="replace"))
                self.assertEqual(hidden(run("verify", path + b"no").stderr.decode()), [])

    def test_sentences(self):
        for code in (0x1b, 0x7f, 0x9b, 0x61c, 0x200e, 0x202e, 0x2066):
            done = run("trainable", "--sentence", f"Your jour{chr(code)}ney starts")
            self.refused(done, "--sentence has")
            self.assertEqual(hidden(done.stderr.decode()), [])


class Size(Case):
    def test_one_long_size_widens_no_other_line(self):
        page = "torch.Size([" + ", ".join(["1"] * 20_000) + "])\n" + "torch.Size([1, 9])\n" * 2_000
        done = run("verify", self.file("page.txt", page))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLess(len(done.stdout), 20 * len(page))
        self.assertRegex(done.stdout.split(b"\n")[0], rb"^line 1 .* size \[1, 1, [1, ]*\.\.\.[1, ]*\]  -  unknown$")


def within(kibibytes, *arguments):
    return ["sh", "-c", f'ulimit -v {kibibytes} && exec "$0" "$@"', BINARY, *arguments]


def run_within(kibibytes, *arguments, stdin=subprocess.DEVNULL):
    return subprocess.run(within(kibibytes, *arguments), capture_output=True, stdin=stdin, timeout=HANG_LIMIT)


class Measured(Case):
    """What a sanitizer, with its shadow memory, would hide."""

    @classmethod
    def setUpClass(cls):
        with open(BINARY, "rb") as file:
            if b"__asan_init" in file.read():
                raise unittest.SkipTest("a sanitizer takes memory of its own")


class AddressSpace(Measured):
    def test_no_room_for_products(self):
        if run_within(32_000, "list").returncode != 0:
            self.skipTest("the program itself does not fit")
        for kibibytes in (32_000, 60_000, 100_000, 150_000):
            with self.subTest(kibibytes=kibibytes):
                self.refused(run_within(kibibytes, "causal"), "memory")

    def test_whatever_the_limit_it_ends_soon_and_cleanly(self):
        if run_within(40_000, "list").returncode != 0:
            self.skipTest("the program itself does not fit")
        page = self.file("page.txt", "tensor(1.)\n")
        folder = os.path.join(self.folder, "saved")
        for command in (["--version"], ["--help"], ["list"], ["causal"], ["all"], ["verify", page],
                        ["causal", "--format", "html"], ["causal", "--save", folder],
                        ["causal", "--tokens", "400", *EVERYTHING],
                        ["causal", "--tokens", "400", *EVERYTHING, "--what-if", "no-mask"]):
            for kibibytes in (40_000, 80_000, 160_000, 172_000, 180_000, 190_000, 205_000, 230_000, 300_000, 400_000):
                with self.subTest(command=command, kibibytes=kibibytes):
                    done = run_within(kibibytes, *command)
                    if done.returncode == 0:
                        self.assertNotEqual(done.stdout, b"")
                    else:
                        self.refused(done, "memory")
                    shutil.rmtree(folder, ignore_errors=True)

    def test_little_room_beside_the_tensors(self):
        lesson = ["simplified", "--tokens", "20", "--d-in", "9000000", "--only", "attn_scores"]
        done = run_within(1_000_000, *lesson)
        if done.returncode == 0:
            self.assertEqual(done.stdout, run(*lesson).stdout)
        else:
            self.refused(done, "memory")

    def test_enough_room(self):
        self.assertEqual(run_within(250_000, "causal").stdout, run("causal").stdout)


# A small process starts the program: a new process is counted with the memory of the one that it was forked from.
MEASURE = """
import os, sys
null = os.open(os.devnull, os.O_RDWR)
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ,
                        file_actions=[(os.POSIX_SPAWN_DUP2, null, descriptor) for descriptor in range(3)])
_, status, usage = os.wait4(child, 0)
print(usage.ru_maxrss, os.waitstatus_to_exitcode(status))
"""


def peak(*arguments):
    """The most memory that a run took, in MiB, and its exit code."""
    return peak_of([BINARY, *arguments])


def peak_of(command):
    done = subprocess.run([sys.executable, "-ISc", MEASURE, *command], capture_output=True, check=True,
                          stdin=subprocess.DEVNULL, timeout=HANG_LIMIT)
    kibibytes, code = map(int, done.stdout.split())
    return kibibytes / 1024, code


MIB = 2**20


class Memory(Measured):
    NUMBERS = ["causal", "--tokens", "700"]
    LESSON = [*NUMBERS, *EVERYTHING]

    def test_writers_hold_one_step_at_a_time(self):
        plain, code = peak(*self.LESSON)
        self.assertEqual(code, 0)
        for form, lesson, most in (("json", self.NUMBERS, 1), ("markdown", self.LESSON, 1.2), ("html", self.LESSON, 1.2)):
            with self.subTest(form=form):
                taken, code = peak(*lesson, "--format", form)
                self.assertEqual(code, 0)
                self.assertLess(taken, most * plain + 20)

    def test_a_heat_map_holds_one_line_at_a_time(self):
        plain, _ = peak(*self.LESSON)
        taken, code = peak(*self.LESSON, "--heatmap")
        self.assertEqual(code, 0)
        self.assertLess(taken, plain)

    def test_what_is_counted_is_what_is_taken(self):
        base, _ = peak("causal")
        folder = os.path.join(self.folder, "saved")
        for options in ([], ["--explain"], ["--heatmap"], ["--what-if", "no-mask"], ["--precision", "100"],
                        ["--cell", "attn_scores[0,1,2]"], ["--save", folder], ["--steps", "all", "--save", folder],
                        ["--format", "html"], ["--format", "json"], ["--format", "markdown"],
                        ["--format", "markdown", "--heatmap"]):
            with self.subTest(options=options):
                lesson = self.NUMBERS if {"--cell", "json"} & {*options} else self.LESSON
                counted = self.counted(*lesson, *options)
                taken, code = peak(*lesson, *options)
                self.assertEqual(code, 0)
                self.assertLess(taken - base, 1.1 * counted)
                shutil.rmtree(folder, ignore_errors=True)

    def counted(self, *arguments):
        """What the refusal says is needed, in MiB."""
        done = run_within(190_000, *arguments)
        self.refused(done, "of memory, and")
        size, unit = re.search(r"need ([\d.]+) (\w+) of memory", done.stderr.decode()).groups()
        return float(size) * {"MiB": 1, "GiB": 1024}[unit]

    def test_terms_are_counted(self):
        done = run_within(400_000, "simplified", "--tokens", "6", "--d-in", "1000000", "--cell", "attn_scores[1,2]")
        self.refused(done, "need")

    def test_the_text_is_counted(self):
        for options in (["--precision", "100"], ["--what-if", "no-mask"]):
            with self.subTest(options=options):
                done = run_within(250_000, *self.LESSON, *options)
                self.refused(done, "text")

    def test_many_cells_fit_where_the_tensors_do(self):
        for form, lesson in (("json", self.NUMBERS), ("html", self.LESSON), ("markdown", self.LESSON)):
            with self.subTest(form=form):
                done = run_within(300_000, *lesson, "--format", form)
                self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_many_printed_tensors(self):
        page = b"tensor(1.)\n"
        fitting = self.file("fitting.txt", page * 20_000)
        for form in ([], ["--format", "json"]):
            base, _ = peak("verify", *form, self.file("small.txt", page))
            taken, _ = peak("verify", *form, fitting)
            self.assertLess((taken - base) * 2**20, 120 * 20_000 * len(page))
        self.refused(run("verify", self.file("many.txt", page * 100_001)), "more than 100000")

    def test_a_page_of_one_tensor(self):
        page = self.file("page.txt", "tensor([" + ", ".join(["0.1234"] * 1_000_000) + "])\n")
        base, _ = peak("verify", self.file("small.txt", "tensor([0.1234])\n"))
        taken, _ = peak("verify", page)
        self.assertLess(taken - base, 20 * os.path.getsize(page) / 2**20)
        done = run_within(140_000, "verify", page)
        self.assertEqual(done.returncode, 2)

    def test_predict_reads_short_lines(self):
        for text in (b"1" * 5_000 + b"\n", b" " * 50_000_000):
            done = run("causal", "--predict", "1", input=text)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr.decode(), r"\Aattn-walkthrough: error: --predict: [^\n]*;[^\n]*;[^\n]*\n\Z")
        self.assertEqual(run("causal", "--predict", "1", input=b"1" * 4_000 + b"\n").returncode, 0)


if __name__ == "__main__":
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
