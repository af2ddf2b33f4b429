"""Makes golden/ARTICLE/CHAPTER.txt and CHAPTER.all.txt with the real PyTorch: what `attn-walkthrough CHAPTER` and
`attn-walkthrough CHAPTER --steps all` must print. The program says which chapters there are, and no more.

    /usr/bin/python3 golden/make_golden.py build/release/attn-walkthrough [CHAPTER...]
"""
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
BLAS = {"OPENBLAS_CORETYPE": "Haswell", "OPENBLAS_NUM_THREADS": "1"}  # the tool's own choice on every machine


def make(article, chapter, cpu):
    environment = {**os.environ, **BLAS, "ATEN_CPU_CAPABILITY": cpu}
    for steps, suffix in (("article", ".txt"), ("all", ".all.txt")):
        command = [sys.executable, str(HERE / "chapters.py"), chapter, "--article", article, "--steps", steps]
        text = subprocess.run(command, env=environment, check=True, capture_output=True).stdout
        file = HERE / article / f"{chapter}{suffix}"
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(text)
        print(file.relative_to(HERE.parent))


listed = json.loads(subprocess.run([sys.argv[1], "list", "--format", "json"], check=True, capture_output=True).stdout)
cpus = {article["name"]: article["cpu"] for article in listed["articles"]}
for row in listed["chapters"]:
    if len(sys.argv) == 2 or row["chapter"] in sys.argv[2:]:
        make(row["article"], row["chapter"], cpus[row["article"]])
