"""What the program prints when it is built for another machine is what it prints here, byte for byte.

    PYTHONPATH=tests /usr/bin/python3 tests/same_outputs.py build/wasm/emulated/attn-walkthrough build/release/attn-walkthrough

Each form of output of each chapter, what is wrong on pages, and errors: every ATTN_TEST_EVERY-th, others each day."""
import json
import subprocess
import sys
import unittest

import harness
from harness import run

HERE = sys.argv[2] if len(sys.argv) > 2 else ""
FORMS = [["--precision", "12", "--steps", "all"], ["--explain"], ["--format", "json"], ["--format", "html"], ["--format", "svg"],
         ["--format", "markdown"], ["--draws"], ["--cpu", "default", "--precision", "9"], ["--heatmap", "--colour", "always"],
         ["--emit", "pytorch"], ["--emit", "numpy"], ["--seed", "7", "--tokens", "70", "--precision", "9"],
         ["--predict", "2"], ["--save", "-"]]
ERRORS = [["causl"], ["causal", "--seed", "x"], ["causal", "--step"], ["causal", "--tokens", "3000000000"],
          ["verify", "nowhere.txt"], ["causal", "--inputs", "nowhere.npy"]]


def here(*arguments, page=None):
    source = {"stdin": subprocess.DEVNULL} if page is None else {"input": page}
    return subprocess.run([HERE, *arguments], capture_output=True, timeout=harness.HANG_LIMIT, **source)


class SameOutputs(unittest.TestCase):
    def check(self, *arguments, page=None):
        with self.subTest(arguments=arguments):
            one, other = run(*arguments, page=page), here(*arguments, page=page)
            self.assertEqual((one.returncode, one.stderr), (other.returncode, other.stderr))
            self.assertTrue(one.stdout == other.stdout, "other output")

    def test_all(self):
        rows = json.loads(here("list", "--format", "json").stdout)["chapters"]
        of_chapters = [[row["chapter"], "--article", row["article"], *form, "--blas", "portable"]
                       for row in rows for form in FORMS + [["--what-if", rule, "--explain"] for rule in row["what_ifs"]]]
        for arguments in harness.sample(of_chapters):
            self.check(*arguments)
        for arguments in harness.sample(ERRORS + [["list"], ["help", "verify"], ["list", "--help"], ["--version"]]):
            self.check(*arguments)
        for row in harness.sample(rows):
            page = here(row["chapter"], "--article", row["article"], "--steps", "all", "--seed", "9").stdout
            self.check("verify", "-", "--blas", "portable", page=page.replace(b"0.1", b"0.2", 2))


if __name__ == "__main__":
    harness.main(sys.argv[3:])
