"""Large and odd requests: memory grows with the output, and text stays text."""
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import unicodedata
import unittest
import zipfile

import harness
from cases import decoded
from harness import BINARY, HANG_LIMIT, rows_of, run, sample

DIRECTIONS = ("LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI")
EVERYTHING = ["--threshold", "999999999"]


class Measured(harness.Case):
    """Measurements; skipped with a sanitizer, which adds time and shadow memory."""

    @classmethod
    def setUpClass(cls):
        if harness.has_sanitizer():
            raise unittest.SkipTest("a sanitizer takes time and memory of its own")


def within(kibibytes, *arguments):
    return ["sh", "-c", f'ulimit -v {kibibytes or "unlimited"} && exec "$0" "$@"', BINARY, *arguments]


def run_within(kibibytes, *arguments, stdin=subprocess.DEVNULL):
    return subprocess.run(within(kibibytes, *arguments), capture_output=True, stdin=stdin, timeout=HANG_LIMIT)


# A small process starts the program: a new process is counted with the memory of the one that it was forked from.
MEASURE = """
import os, sys
null = os.open(os.devnull, os.O_RDWR)
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ,
                        file_actions=[(os.POSIX_SPAWN_DUP2, null, descriptor) for descriptor in range(3)])
_, status, usage = os.wait4(child, 0)
print(usage.ru_maxrss / 1024, os.waitstatus_to_exitcode(status))
"""


def peak(*arguments, kibibytes=None):
    """The peak memory of a run, in MiB, and its exit code."""
    done = subprocess.run([sys.executable, "-ISc", MEASURE, *within(kibibytes, *arguments)], capture_output=True, check=True,
                          stdin=subprocess.DEVNULL, timeout=HANG_LIMIT)
    memory, code = done.stdout.split()
    return float(memory), int(code)


def hidden(text):
    """Text that a terminal or a browser would obey instead of showing."""
    return sorted({hex(ord(c)) for c in text
                   if c != "\n" and (unicodedata.category(c) == "Cc" or unicodedata.bidirectional(c) in DIRECTIONS
                                     or c in "\u200e\u200f\u061c")})


class Text(harness.Case):
    PAGES = {
        "return.txt": "日本語日本語日本語\rkeys tensor([1., 2.])\n",
        "return back.txt": "keys tensor([1., 2.]) abc\r日本\n",
        "backspace.txt": "label 日本語\b\bab tensor([1., 2.])\n",
        "marks.txt": "la\u202ebel \x1b[31m\u009b31m\u2066 tensor([1., 2.], grad_fn=<Mul\u202eBackward0>)\n",
        "marks.html": "<pre>la&#x202e;bel&#27;[1m&#x9b; \u2066&#xd800; tensor([1., 2.])</pre>",
        b"p\xff.txt": "tensor([1., 2.])\n", b"q\xe2\x80\xae\x1b[1m\xc2\x9b.txt": "tensor([1., 2.])\n",
    }

    def test_pages_and_their_names(self):
        for name, page in self.PAGES.items():
            path = self.write(name, page)
            for form in ([], ["--format", "json"]):
                with self.subTest(page=name, form=form):
                    done = run("verify", *form, path, path)
                    self.assertIn(done.returncode, (0, 1), done.stderr)
                    self.assertEqual((hidden(done.stdout.decode()), done.stderr), ([], b""))
                    self.assertEqual(hidden(run("verify", path + b"no").stderr.decode()), [])
            self.assertEqual(json.loads(done.stdout)[0]["file"], path.decode(errors="replace"))

    def test_one_long_size_widens_no_other_line(self):
        page = "torch.Size([" + ", ".join(["1"] * 20_000) + "])\n" + "torch.Size([1, 9])\n" * 2_000
        shown = self.succeeds("verify", self.write("page.txt", page))
        self.assertLess(len(shown), 20 * len(page))
        self.assertRegex(shown.split(b"\n")[2], rb"^line 1 .* size \[1, 1, [1, ]*\.\.\.[1, ]*\]  -  unknown$")


class AddressSpace(Measured):
    def test_whatever_the_limit_it_ends_soon_and_cleanly(self):
        if run_within(40_000, "list").returncode != 0:
            self.skipTest("the program itself does not fit")
        page = self.write("page.txt", "tensor(1.)\n")
        folder = os.path.join(self.folder, "saved")
        for command in (["--version"], ["--help"], ["list"], ["causal"], ["all"], ["verify", page],
                        ["causal", "--format", "html"], ["causal", "--save", folder],
                        ["causal", "--save", folder + ".npz", "--force"],
                        ["causal", "--tokens", "400", *EVERYTHING],
                        ["causal", "--tokens", "400", *EVERYTHING, "--what-if", "no-mask"]):
            for kibibytes in sample((40_000, 80_000, 160_000, 172_000, 180_000, 190_000, 205_000, 230_000, 300_000, 400_000),
                                    len(command)):
                with self.subTest(command=command, kibibytes=kibibytes):
                    done = run_within(kibibytes, *command)
                    if done.returncode == 0:
                        self.assertEqual(done.stdout == b"", "--save" in command)
                    else:
                        self.check_error(done, "memory")
                    shutil.rmtree(folder, ignore_errors=True)


LARGE_PAGE = rb"\Aattn-walkthrough: note: the page has [0-9.]+ [MG]iB, which browsers load slowly; reduce [^\n]*\n\Z"


class Memory(Measured):
    """Runs end within harness.HANG_LIMIT, which what grows with the square of its input would not."""
    NUMBERS = ["causal", "--tokens", "700"]
    LESSON = [*NUMBERS, *EVERYTHING]

    def test_verify_grows_with_the_page(self):
        base, _ = peak("verify", self.write("small.txt", b"tensor(1.)\n"))
        for name, *parts in sample(rows_of(__file__)):
            with self.subTest(page=name):
                begin, unit, end = map(decoded, parts)
                few, many = (peak("verify", "--format", "json", self.write(name, begin + unit * (size // len(unit)) + end))
                             for size in (400_000, 1_600_000))
                self.assertTrue({few[1], many[1]} <= {0, 1, 2})
                self.assertLess(many[0] - base, 4 * (few[0] - base + 8))

    def test_writers_hold_one_step_at_a_time(self):
        plain, code = peak(*self.LESSON)
        self.assertEqual(code, 0)
        for form, lesson, most in sample((("json", self.NUMBERS, 1), ("markdown", self.LESSON, 1.2), ("html", self.LESSON, 1.2))):
            with self.subTest(form=form):
                taken, code = peak(*lesson, "--format", form)
                self.assertEqual(code, 0)
                self.assertLess(taken, most * plain + 20)

    def test_what_is_counted_is_what_is_taken(self):
        base, _ = peak("causal")
        folder = os.path.join(self.folder, "saved")
        for options in sample(([], ["--explain"], ["--heatmap"], ["--cell", "attn_scores[0,1,2]"],
                               ["--save", folder], ["--steps", "all", "--save", folder],
                               ["--save", folder + ".npz"], ["--save", folder + ".safetensors"])):
            with self.subTest(options=options):
                counted = self.counted(*self.NUMBERS, *options)
                taken, code = peak(*self.NUMBERS, *options)
                self.assertEqual(code, 0)
                self.assertLess(taken - base, 1.1 * counted)
                shutil.rmtree(folder, ignore_errors=True)

    def counted(self, *arguments):
        """The needed memory that the error states, in MiB."""
        done = run_within(60_000, *arguments)
        self.check_error(done, "of memory, but only")
        size, unit = re.search(r"need ([\d.]+) (\w+) of memory", done.stderr.decode()).groups()
        return float(size) * {"MiB": 1, "GiB": 1024}[unit]

    def test_what_does_not_fit(self):
        """Only tensors are counted beforehand: their text reaches the limit, and so does a page."""
        page = self.write("page.txt", b"tensor(1.)\n" * 400_000)
        self.assertEqual(run("verify", page).returncode, 0)
        for kibibytes, advice, *command in (
                (250_000, "choose smaller --tokens", *self.LESSON, "--what-if", "no-mask"),
                (330_000, "choose smaller --tokens", "simplified", "--tokens", "6", "--d-in", "1000000", "--cell", "attn_scores[1,2]"),
                (250_000, "a page must fit", "verify", page)):
            with self.subTest(command=command):
                done = run_within(kibibytes, *command)
                self.check_error(done, f"needs more memory than is available; {advice}")

    def test_what_is_not_computed_is_not_counted(self):
        lesson = ["causal", "--tokens", "8000", "--d-in", "16", "--batch", "1"]
        self.check_error(run_within(1_000_000, *lesson, "--explain"), "GiB of memory, but only")
        self.assertEqual(run_within(1_000_000, *lesson).stderr, b"")
        done = run_within(1_000_000, *lesson, "--emit", "pytorch")
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_a_page_is_refused_before_it_is_read(self):
        page = self.write("page.txt", b"")
        os.truncate(page, 300_000_000)
        taken, code = peak("verify", page, kibibytes=400_000)
        self.assertEqual(code, 2)
        self.assertLess(taken, peak("verify", self.write("small.txt", b"tensor(1.)\n"))[0] + 10)
        self.assertRegex(run_within(400_000, "verify", page).stderr, rb"has 0.3 GiB, and 0.2 GiB of memory are available; a page must fit")
        with open(page, "rb") as file:
            done = run_within(400_000, "verify", "-", stdin=file)
        self.check_error(done, "of memory are available")

    def test_of_an_archive_only_what_is_wanted_is_unpacked(self):
        """The headers contain the shapes."""
        size = 2**28
        header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (%s), }"
        def npy(shape, numbers):
            text = header % shape
            return b"\x93NUMPY\x01\0" + struct.pack("<H", len(text)) + text + numbers
        path = os.path.join(self.folder, "large.npz")
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("inputs.npy", npy(b"%d," % (size // 4), bytes(size)))
            archive.writestr("x.npy", npy(b"6, 3", bytes(72)))
            archive.writestr("W_query.npy", npy(b"1, 1, 1, %d" % (size // 4), bytes(size)))
            archive.writestr("W_key.npy", npy(b"8192, %d" % (size // 4 // 8192), bytes(size)))
        self.assertLess(os.path.getsize(path), size // 300)
        base, _ = peak("causal")
        for command, code in ((["--inputs", path], 2), (["--inputs", path + ":x"], 0), (["--weights", path], 2),
                              (["--weights", "W_query=" + path], 2), (["--weights", "W_key=" + path], 2)):
            with self.subTest(command=command):
                taken, ended = peak("causal", *command)
                self.assertEqual(ended, code, run("causal", *command).stderr)
                self.assertLess(taken - base, 30)
        for form in ("text", "json", "html"):
            taken, code = peak("verify", "--chapter", "causal", path, "--format", form)
            self.assertEqual(code, 1)
            self.assertLess(taken - base, 60)
        self.assertIn(b"W_query [1, 1, 1, 67108864]: not read: it has more numbers than all steps together",
                      run("verify", "--chapter", "causal", path).stdout)

    def test_predict_reads_short_lines(self):
        for text in (b"1" * 5_000 + b"\n", b" " * 50_000_000):
            done = run("causal", "--predict", "1", page=text)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr.decode(), r"\Aattn-walkthrough: error: --predict: [^\n]*;[^\n]*\n\Z")
        self.assertEqual(run("causal", "--predict", "1", page=b"1" * 4_000 + b"\n").returncode, 0)


if __name__ == "__main__":
    harness.main()
