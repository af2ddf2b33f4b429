"""The chapters as PyTorch programs: the reference that every number and every line is checked against.

`steps(chapter, options)` runs a chapter with the real PyTorch and returns its steps; `text(...)` is what its
print calls write. Run as a script it takes the tool's own options:

    /usr/bin/python3 golden/chapters.py causal --seed 123 --steps all
"""
import argparse

import torch

from programs import ahead_of_ai, blog, livebook, primer
from programs.common import Walkthrough

# Of each chapter the articles that have it; the first is the default.
CHAPTERS = {
    "simplified": {"blog": blog.simplified, "primer": primer.simplified, "livebook": livebook.simplified},
    "trainable": {"blog": blog.trainable, "primer": primer.trainable, "livebook": livebook.trainable,
                  "ahead-of-ai": ahead_of_ai.trainable},
    "causal": {"blog": blog.causal, "livebook": livebook.causal, "ahead-of-ai": ahead_of_ai.causal},
    "dropout": {"blog": blog.dropout, "livebook": livebook.dropout},
    "multihead": {"blog": blog.multihead, "livebook": livebook.multihead, "ahead-of-ai": ahead_of_ai.multihead},
    "cross": {"ahead-of-ai": ahead_of_ai.cross},
}

# The rules of --what-if that have a meaning in a chapter.
UNMASKED = ["no-scaling", "softmax-dim-0", "same-weights"]
MASKED = UNMASKED + ["no-mask", "mask-after-softmax"]
WHAT_IFS = {(chapter, article): UNMASKED for chapter in CHAPTERS for article in CHAPTERS[chapter]}
WHAT_IFS.update({("simplified", article): ["softmax-dim-0"] for article in CHAPTERS["simplified"]})
WHAT_IFS.update({("causal", article): MASKED for article in CHAPTERS["causal"]})
WHAT_IFS["multihead", "livebook"] = MASKED
for key in (("causal", "blog"), ("dropout", "blog"), ("dropout", "livebook"), ("multihead", "blog")):
    WHAT_IFS[key] = MASKED + ["no-rescale"]


def steps(chapter, o):
    """All steps of the chapter, in order, computed by PyTorch with the given options."""
    torch.set_printoptions(precision=o.precision, threshold=o.threshold, edgeitems=o.edgeitems,
                           linewidth=o.linewidth)
    torch._tensor_str.PRINT_OPTS.sci_mode = {"auto": None, "on": True, "off": False}[o.sci_mode]
    if o.what_if == "softmax-dim-0":
        torch.set_num_threads(1)  # with more, where softmax's last elements begin depends on their number
    o.article = o.article or next(iter(CHAPTERS[chapter]))
    walk = Walkthrough(o)
    CHAPTERS[chapter][o.article](o, walk)
    return walk.steps


def text(steps, which):
    return "".join(step.printed for step in steps if which == "all" or step.in_article)


def parser():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("chapter", choices=CHAPTERS)
    p.add_argument("--article", choices=["blog", "primer", "livebook", "ahead-of-ai"])
    p.add_argument("--seed", type=int, default=123)
    p.add_argument("--steps", choices=["article", "all"], default="article")
    for name in ("tokens", "d-in", "batch", "d-out", "d-out-kq", "d-out-v", "num-heads"):
        p.add_argument(f"--{name}", type=int)
    p.add_argument("--init", choices=["rand", "randn", "linear"])
    p.add_argument("--qkv-bias", action="store_true")
    p.add_argument("--dropout", type=float)
    p.add_argument("--query")
    p.add_argument("--sentence")
    p.add_argument("--what-if", choices=sorted({rule for rules in WHAT_IFS.values() for rule in rules}))
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
