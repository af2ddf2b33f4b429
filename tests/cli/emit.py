"""The programs that --emit writes: complete, valid, the same each time, and they run.

    PYTHONPATH=tests /usr/bin/python3 tests/cli/emit.py build/release/attn-walkthrough
"""
import ast
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import harness
from harness import HANG_LIMIT, output_of

try:
    import torch  # noqa: F401
    HAS_TORCH = True
except ImportError:
    HAS_TORCH = False

# What a program sets itself.
OWN = ("ATEN_CPU_CAPABILITY", "OPENBLAS_CORETYPE", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")


def printed_by(program):
    """The output of a program, run as a user runs it."""
    environment = {name: value for name, value in os.environ.items() if name not in OWN}
    done = subprocess.run([sys.executable, "-"], input=program, capture_output=True, timeout=HANG_LIMIT, env=environment)
    if done.returncode != 0:
        raise AssertionError(done.stderr.decode())
    return done.stdout


def imports(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module


class Emit(unittest.TestCase):
    def rows(self):
        for row in json.loads(output_of("list", "--format", "json"))["chapters"]:
            yield row["chapter"], "--article", row["article"]

    def test_each_chapter_is_a_valid_program_and_the_same_each_time(self):
        for arguments in self.rows():
            for kind, modules in (("pytorch", {"os", "torch"}), ("numpy", {"numpy"})):
                with self.subTest(arguments=arguments, kind=kind):
                    program = output_of(*arguments, "--steps", "all", "--emit", kind)
                    self.assertEqual(modules, set(imports(ast.parse(program))))
                    self.assertEqual(program, output_of(*arguments, "--steps", "all", "--emit", kind))
                    breakable = [line for line in program.decode().splitlines() if line[0:6] != "print(" and ", " in line]
                    self.assertLessEqual(max(map(len, breakable)), 120)

    def test_another_pytorchs_mask_is_listed(self):
        program = output_of("dropout", "--dropout-kernel", "mkl", "--emit", "pytorch").decode()
        self.assertIn("dropout_mask_ones = torch.tensor([\n    [", program)
        self.assertIn("torch.rand(1)", program)
        self.assertNotIn("nn.Dropout(", program.replace("# nn.Dropout", ""))

    def notebook(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "lesson.ipynb")
            output_of(*arguments, "-o", str(file))
            notebook = json.loads(file.read_text())
        self.assertEqual((notebook["nbformat"], notebook["nbformat_minor"]), (4, 4))
        self.assertEqual(notebook["cells"][0]["cell_type"], "markdown")
        return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]

    def test_a_notebook_shows_the_walkthrough(self):
        for arguments in (["causal", "--seed", "7"], ["multihead", "--steps", "all"], ["dropout", "--what-if", "no-rescale"]):
            cells = self.notebook(*arguments, "--emit", "pytorch")
            shown = "".join(line for cell in cells for output in cell["outputs"] for line in output["text"])
            self.assertEqual(cells, self.notebook(*arguments))
            self.assertEqual([cell["execution_count"] for cell in cells], list(range(1, len(cells) + 1)))
            if "--what-if" not in arguments:
                self.assertEqual(shown, output_of(*arguments).decode())

    @unittest.skipUnless(HAS_TORCH, "this python3 has no PyTorch")
    def test_a_notebook_runs_cell_by_cell(self):
        run_cells = """
import contextlib, io, json, sys
space = {}
for cell in json.load(sys.stdin):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec("".join(cell["source"]), space)
    shown = "".join(line for output in cell["outputs"] for line in output["text"])
    assert printed.getvalue().replace("SqueezeBackward3", "SqueezeBackward4") == shown, (printed.getvalue(), shown)
"""
        for arguments in (["causal"], ["all", "--article", "blog"], ["multihead", "--what-if", "no-mask", "--precision", "6"]):
            cells = json.dumps(self.notebook(*arguments))
            subprocess.run([sys.executable, "-c", run_cells], input=cells, text=True, check=True)

    def test_numpy_programs_run(self):
        for article in ("blog", "ahead-of-ai"):
            shown = printed_by(output_of("all", "--article", article, "--emit", "numpy")).decode()
            self.assertIn("# causal\n", shown)
            self.assertIn("context_vecs", shown)

    @unittest.skipUnless(HAS_TORCH, "this python3 has no PyTorch")
    def test_pytorch_programs_print_the_walkthrough(self):
        for arguments in (["causal", "--seed", "7", "--d-out", "4"], ["cross"], ["all", "--article", "blog"],
                          ["all", "--article", "ahead-of-ai", "--steps", "all"],
                          ["dropout", "--no-grad", "--dropout-kernel", "mkl", "--steps", "all"]):
            with self.subTest(arguments=arguments):
                printed = printed_by(output_of(*arguments, "--emit", "pytorch"))
                # PyTorch 1.13 has another name for the product with a vector.
                self.assertEqual(output_of(*arguments), printed.replace(b"SqueezeBackward3", b"SqueezeBackward4"))


if __name__ == "__main__":
    harness.main()
