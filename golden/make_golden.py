"""Makes golden/ARTICLE/CHAPTER.txt and CHAPTER.all.txt with the real PyTorch: what `attn-walkthrough CHAPTER` and
`attn-walkthrough CHAPTER --steps all` must print.

    /usr/bin/python3 golden/make_golden.py [CHAPTER...]
"""
import os
import pathlib
import subprocess
import sys

from chapters import CHAPTERS

HERE = pathlib.Path(__file__).resolve().parent
KERNELS = {"ahead-of-ai": {"ATEN_CPU_CAPABILITY": "default"}}  # the kernels that the article was made with
BLAS = {"OPENBLAS_CORETYPE": "Haswell", "OPENBLAS_NUM_THREADS": "1"}  # the tool's own choice on every machine


def make(article, chapter, environment):
    for steps, suffix in (("article", ".txt"), ("all", ".all.txt")):
        command = [sys.executable, str(HERE / "chapters.py"), chapter, "--article", article, "--seed", "123", "--steps", steps]
        text = subprocess.run(command, env={**os.environ, **BLAS, **environment}, check=True, capture_output=True).stdout
        file = HERE / article / f"{chapter}{suffix}"
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(text)
        print(file.relative_to(HERE.parent))


for chapter, articles in CHAPTERS.items():
    for article in articles:
        if len(sys.argv) == 1 or chapter in sys.argv[1:]:
            make(article, chapter, KERNELS.get(article, {}))
