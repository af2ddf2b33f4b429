"""The programs that --emit writes need nothing else; those of several chapters, and notebooks, print the walkthrough. Of one
chapter, tests/oracle/emitted.py runs them."""
import importlib.util
import json
import os
import re
import subprocess
import sys
import unittest

import harness
from harness import HANG_LIMIT, output_of, text_of

HAS_TORCH = importlib.util.find_spec("torch")
# What a program sets itself.
OWN = ("ATEN_CPU_CAPABILITY", "OPENBLAS_CORETYPE", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")
RUN_CELLS = """
import contextlib, io, json, sys
space = {}
for cell in json.load(sys.stdin):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec("".join(cell["source"]), space)
    shown = "".join(line for output in cell["outputs"] for line in output["text"])
    assert printed.getvalue().replace("SqueezeBackward3", "SqueezeBackward4") == shown, (printed.getvalue(), shown)
"""


def printed_by(program):
    """The output of a program, run as a user runs it."""
    environment = {name: value for name, value in os.environ.items() if name not in OWN}
    done = subprocess.run([sys.executable, "-"], input=program, capture_output=True, timeout=HANG_LIMIT, env=environment)
    if done.returncode != 0:
        raise AssertionError(done.stderr.decode())
    return done.stdout


class Emit(harness.Case):
    def test_they_import_no_more(self):
        for row in harness.sample(harness.chapters()):
            for kind, modules in (("pytorch", {"os", "torch"}), ("numpy", {"numpy"})):
                program = text_of(*row["command"], "--steps", "all", "--emit", kind)
                self.assertEqual(set(re.findall(r"(?m)^ *(?:import|from) (\w+)", program)), modules, (row["command"], kind))

    def notebook(self, *arguments):
        output_of(*arguments, "-o", self.path("lesson.ipynb"), "--force")
        notebook = json.loads(self.read("lesson.ipynb"))
        self.assertEqual((notebook["nbformat"], notebook["nbformat_minor"]), (4, 4))
        self.assertEqual(notebook["cells"][0]["cell_type"], "markdown")
        return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]

    def test_notebooks(self):
        for arguments in (["causal", "--seed", "7"], ["all", "--article", "blog"], ["multihead", "--what-if", "no-mask", "--precision", "6"]):
            with self.subTest(arguments=arguments):
                cells = self.notebook(*arguments, "--emit", "pytorch")
                shown = "".join(line for cell in cells for output in cell["outputs"] for line in output["text"])
                self.assertEqual([cell["execution_count"] for cell in cells], list(range(1, len(cells) + 1)))
                if arguments[0] == "causal":
                    self.assertEqual(shown, text_of(*arguments))
                if HAS_TORCH:
                    subprocess.run([sys.executable, "-c", RUN_CELLS], input=json.dumps(cells), text=True, check=True)

    def test_all_chapters_in_numpy(self):
        shown = printed_by(output_of("all", "--article", "blog", "--emit", "numpy")).decode()
        self.assertIn("# causal\n", shown)
        self.assertIn("context_vecs", shown)

    @unittest.skipUnless(HAS_TORCH, "this python3 has no PyTorch")
    def test_all_chapters_in_pytorch(self):
        for arguments in (["all", "--article", "blog"], ["all", "--article", "ahead-of-ai", "--steps", "all"]):
            with self.subTest(arguments=arguments):
                printed = printed_by(output_of(*arguments, "--emit", "pytorch"))
                # PyTorch 1.13 has another name for the product with a vector.
                self.assertEqual(output_of(*arguments), printed.replace(b"SqueezeBackward3", b"SqueezeBackward4"))


if __name__ == "__main__":
    harness.main()
