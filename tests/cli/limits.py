"""However much is asked for, or however odd: time and memory grow with what is printed, and text stays text.

    /usr/bin/python3 tests/cli/limits.py PATH_TO_BINARY
"""
import os
import subprocess
import sys
import tempfile
import time
import unittest

BINARY = ""
HANG_LIMIT = 60  # seconds
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
        self.assertEqual((done.returncode, done.stdout), (2, b""), done.stderr)
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


if __name__ == "__main__":
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
