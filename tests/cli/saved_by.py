"""Each way of saving a tensor that `help ports` shows, tried in its language, where the language is installed."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

import harness
from harness import run

GUIDE = pathlib.Path(__file__, "../../../src/cli/guides/ports.md").resolve()
SIZES = "2, 5, 4"
EIGEN = "/usr/include/eigen3"

# What must be installed, the program's file, the program around the guide's lines, and the commands that run it. In the
# program LIST stands for the nested list, FLAT for the numbers.
LANGUAGES = {
    "python": (sys.executable, "p.py", "import numpy\nkeys = numpy.float32(LIST)\n@", [[sys.executable, "p.py"]]),
    "javascript": ("node", "p.js", "const fs = require('fs')\nconst keys = LIST\n@", [["node", "p.js"]]),
    "r": ("Rscript", "p.r", f"keys <- aperm(array(c(FLAT), rev(c({SIZES}))))\n@", [["Rscript", "p.r"]]),
    "octave": ("octave-cli", "p.m", f"keys = permute(reshape([FLAT], fliplr([{SIZES}])), [3 2 1]);\n@", [["octave-cli", "p.m"]]),
    "rust": ("rustc", "p.rs", "fn main() {\nlet keys = vec![FLAT];\n@\n}", [["rustc", "p.rs"], ["./p"]]),
    "go": ("go", "p.go", 'package main\nimport ("encoding/binary"; "os")\nfunc main() {\nkeys := []float32{FLAT}\n@\n}',
           [["sh", "-c", "HOME=$PWD GOCACHE=$PWD/cache go run p.go"]]),
    "cpp": (EIGEN, "p.cpp", "#include <Eigen/Dense>\n#include <fstream>\nint main() {\nEigen::Matrix<float, Eigen::Dynamic, "
            "Eigen::Dynamic, Eigen::RowMajor> keys(10, 4);\nkeys << FLAT;\n@\n}",
            [["g++", "-isystem", EIGEN, "p.cpp", "-o", "p"], ["./p"]]),
    "c": ("gcc", "p.c", "#include <stdio.h>\nint main(void) {\nfloat keys[] = {FLAT};\nsize_t count = 40;\n@\n}",
          [["gcc", "p.c", "-o", "p"], ["./p"]]),
}


class SavedBy(harness.Case):
    def setUp(self):
        super().setUp()
        self.succeeds("causal", "--fixture", "--save", "steps")

    def steps(self, name):
        return np.load(self.path(f"steps/{name}.npy"))

    def verify(self, *arguments):
        return self.done("verify", *arguments, "--chapter", "causal", "--fixture")

    def test_the_guides_lines(self):
        snippets = dict(re.findall(r"(?ms)^```(\w+)\n(.*?)\n```", GUIDE.read_text()))
        self.assertEqual(set(snippets) - {"console"}, {*LANGUAGES, "julia"})  # Debian 12 has no Julia
        snippets["python"] = snippets["python"].splitlines()[0]  # the next is PyTorch's
        keys = self.steps("keys")
        self.assertEqual(SIZES, ", ".join(map(str, keys.shape)))
        wide = keys.astype(np.float64)
        tried = []
        for language, (needed, file, program, commands) in LANGUAGES.items():
            if not (shutil.which(needed) or pathlib.Path(needed).exists()):
                print(f"   not tried, as it is not installed here: {language}")
                continue
            with self.subTest(language), tempfile.TemporaryDirectory() as folder:
                flat = ", ".join(map(repr, wide.reshape(-1).tolist()))
                text = program.replace("LIST", json.dumps(wide.tolist())).replace("FLAT", flat).replace("@", snippets[language])
                pathlib.Path(folder, file).write_text(text)
                for command in commands:
                    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
                    self.assertEqual(done.returncode, 0, done.stderr)
                (saved,) = {*pathlib.Path(folder).glob("keys.*"), *pathlib.Path(folder).glob("port.*")}
                done = run("verify", saved.name, "--chapter", "causal", "--fixture", cwd=folder)
                self.assertEqual(done.returncode, 0, done.stdout)
                self.assertIn(b"1 of 1 tensor checked and right", done.stdout)
                tried.append(language)
        self.assertIn("python", tried)

    def test_raw_files_of_any_name(self):
        scores = self.steps("masked_attn_scores")
        for fill in (-np.inf, -1e9, np.finfo(np.float32).min):
            for dtype in (np.float32, np.float64):
                np.where(np.isfinite(scores), scores, fill).astype(dtype).tofile(self.path("s.bin"))
                for words in ("masked_attn_scores=s.bin", "s.bin=masked_attn_scores", "s=masked_attn_scores"):
                    done = self.verify("s.bin", "--map", words)
                    self.assertEqual(done.returncode, 0, (fill, dtype, words, done.stdout))

    def test_a_log(self):
        """Its digits are its tolerance; a name that two tensors have, or other tensors, make it a page."""
        tensors = {name: self.steps(name).astype(float) for name in ("keys", "queries", "attn_scores")}

        def said(digits, off=0.0, more=""):
            shown = {name: np.round(numbers, digits).tolist() for name, numbers in tensors.items()}
            shown["keys"][0][0][0] += off
            self.write("port.log", "".join(f"{name} = {numbers}\n" for name, numbers in shown.items()) + more)
            return self.verify("port.log")

        for digits in (8, 4, 3):
            self.assertIn(b"all 3 tensors you brought are right", said(digits).stdout)
        wrong = said(4, off=0.0003)
        self.assertEqual(wrong.returncode, 1)
        self.assertIn(b"first wrong step: keys", wrong.stdout)
        self.assertNotIn(b"you brought", said(4, more="keys = [[0.1, 0.2]]\n").stdout)


if __name__ == "__main__":
    harness.main()
