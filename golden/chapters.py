"""The chapters as PyTorch programs: the reference that every number and every line is checked against.

`steps(chapter, options)` runs a chapter with the real PyTorch and returns its steps; `text(...)` is what its
print calls write. Run as a script it takes the tool's own options:

    /usr/bin/python3 golden/chapters.py causal --article blog --steps all
"""
import argparse

import torch

from programs import ahead_of_ai, blog, book, livebook, modern, primer
from programs.common import DEFAULT_SEED, Walkthrough

ARTICLES = {"blog": blog, "primer": primer, "livebook": livebook, "ahead-of-ai": ahead_of_ai, "book": book,
            "modern": modern}


def program(chapter, article):
    """The article's program for the chapter, a function of options and a walkthrough."""
    return getattr(ARTICLES[article], chapter)


def steps(chapter, o):
    """All steps of the chapter, in order, computed by PyTorch with the given options."""
    torch.set_printoptions(precision=o.precision, threshold=o.threshold, edgeitems=o.edgeitems,
                           linewidth=o.linewidth)
    torch._tensor_str.PRINT_OPTS.sci_mode = {"auto": None, "on": True, "off": False}[o.sci_mode]
    if o.what_if == "softmax-dim-0":
        torch.set_num_threads(1)  # with more, where softmax's last elements begin depends on their number
    o.own_seed = o.seed
    o.seed = DEFAULT_SEED if o.seed is None else o.seed
    walk = Walkthrough(o)
    program(chapter, o.article)(o, walk)
    return walk.steps


def text(steps, which):
    return "".join(step.printed for step in steps if which == "all" or step.in_article)


def parser():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("chapter")
    p.add_argument("--article", choices=ARTICLES, required=True)
    p.add_argument("--seed", type=int)
    p.add_argument("--steps", choices=["article", "all"], default="article")
    for name in ("tokens", "d-in", "batch", "d-out", "d-out-kq", "d-out-v", "num-heads", "num-kv-heads",
                 "new-tokens", "valid-length", "block-size", "pair-distance", "window", "context-length"):
        p.add_argument(f"--{name}", type=int)
    p.add_argument("--init", choices=["rand", "randn", "linear"])
    p.add_argument("--qkv-bias", action="store_true")
    p.add_argument("--dropout", type=float)
    p.add_argument("--query")
    p.add_argument("--sentence")
    p.add_argument("--what-if")
    p.add_argument("--precision", type=int, default=4)
    p.add_argument("--threshold", type=int, default=1000)
    p.add_argument("--edgeitems", type=int, default=3)
    p.add_argument("--linewidth", type=int, default=80)
    p.add_argument("--sci-mode", choices=["auto", "on", "off"], default="auto")
    p.add_argument("--no-grad", action="store_true")
    return p


if __name__ == "__main__":
    arguments = parser().parse_args()
    print(text(steps(arguments.chapter, arguments), arguments.steps), end="")
