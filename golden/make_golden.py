"""Makes golden/ARTICLE/CHAPTER.txt and CHAPTER.all.txt with the real PyTorch: what `attn-walkthrough CHAPTER` and
`attn-walkthrough CHAPTER --steps all` must print.

    /usr/bin/python3 golden/make_golden.py [CHAPTER...]
"""
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ARTICLES = {
    "blog": (["simplified", "trainable", "causal", "dropout", "multihead"], {}),
    "ahead-of-ai": (["cross"], {"ATEN_CPU_CAPABILITY": "default"}),  # the kernels that the article was made with
}


def make(article, chapter, environment):
    for steps, suffix in (("article", ".txt"), ("all", ".all.txt")):
        command = [sys.executable, str(HERE / "chapters.py"), chapter, "--seed", "123", "--steps", steps]
        text = subprocess.run(command, env={**os.environ, **environment}, check=True, capture_output=True).stdout
        file = HERE / article / f"{chapter}{suffix}"
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(text)
        print(file.relative_to(HERE.parent))


for article, (chapters, environment) in ARTICLES.items():
    for chapter in chapters:
        if len(sys.argv) == 1 or chapter in sys.argv[1:]:
            make(article, chapter, environment)
