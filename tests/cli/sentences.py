"""What is said of random lessons of every chapter, in numbers and comparisons, is computed again with numpy and PyTorch.

    PYTHONPATH=tests /usr/bin/python3 tests/cli/sentences.py build/release/attn-walkthrough [LESSONS [SEED]]

Each sentence matches one row of a table: of notices.py, of reasons.py (which looks at a handout's formula and summary too), of
what_ifs.py. Expressions run in PyTorch: expressions.py. A sentence that no row knows fails, and so does a what-if's sentence that is made wrong and passes."""

import itertools
import os
import random
import sys
import tempfile

import numpy as np

import harness
import lessons
from expressions import faults_of_expressions
from lessons import array_of
from notices import Said, notice
from reasons import Told, faults_of_frame, reason, torch
from what_ifs import Changed, distorted, sentence

# What random lessons seldom are: options, and own inputs. Two tokens, and no batch; scores that softmax makes 0 and 1;
# scores near 0, or 0; scores that are inf; an output that dropout does not make; eight tokens that meet eight others.
SELDOM = [
    ("causal blog --batch 1 --tokens 2", ""), ("causal ahead-of-ai", "2e3,3e3,3e3\n2e3,1e3,3e3\n3e3,-2e3,-2e3\n"),
    ("causal blog", "1e-3,0,2e-3\n0,3e-3,1e-3\n"), ("trainable blog", "1e-30,0,0\n0,1e-30,1e-30\n"),
    ("causal blog", "1e15,1e15,1e15\n1e30,1e30,1e30\n"), ("causal blog --batch 1", "-1,-1,-1\n1e30,1e30,1e30\n"),
    ("causal blog", "-1,-1,-1\n1e30,1e30,1e30\n-1,-2,3\n"), ("multihead blog --dropout 0.5", ""),
    ("grouped modern --num-kv-heads 1", ""), ("cross ahead-of-ai --tokens 8", ""), ("dropout blog --tokens 1 --dropout 1", ""),
]


def seldom_lessons(chapters, path):
    for line, own in SELDOM:
        chapter, article, *options = line.split()
        if own:
            with open(path, "w", encoding="ascii") as file:
                file.write(own)
            options += ["--inputs", path]
        row = next(one for one in chapters if (one["chapter"], one["article"]) == (chapter, article))
        yield row, lessons.lesson(*row["command"], *options)


def faults_of_steps(lesson):
    for step in lesson.tensors:
        for said in step["explanation"]["notices"]:
            if fault := notice.fault(said, Said(lesson, step)):
                yield f"{fault}: {said} | of {step['name']}"
        for said in step["explanation"]["reasons"] if torch else ():
            if fault := reason.fault(said["text"], Told(lesson, step, said["table"])):
                yield f"{fault}: {said['text']} | of {step['name']}"


def same_bits(a, b):
    """True if all bits are equal; any nan equals any other."""
    return (a.shape == b.shape and a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype == np.float32) and
            np.array_equal(np.signbit(a[a == a]), np.signbit(b[b == b])))


def faults_of_rule(as_is, changed, rule, is_distorted):
    """What the sentence says wrongly, and what is said of steps to differ or to be the same."""
    told = changed.document["what_if"]["effect"]
    known = Changed(rule, as_is, changed)
    if fault := sentence.fault(told, known):
        yield f"{fault}: {told}"
    elif is_distorted:
        yield from (f"not noticed: {wrong}" for wrong in distorted(told) if not sentence.fault(wrong, known))
    for key, step in changed.steps.items():
        before = as_is.steps.get(key)
        same = before and same_bits(before["array"], step["array"])
        if step["compared"] == "same as before in all printed digits":
            if same or not np.allclose(before["array"], step["array"], rtol=1e-3, atol=1e-4, equal_nan=True):
                yield f"{key} {step['compared']}"
        elif step["compared"] != ("same as before" if same else "differs" if before else "only with the change"):
            yield f"{key} {step['compared']}"
        if "original" in step and not same_bits(array_of(step["original"]), before["array"]):
            yield f"another original of {key}"
    gone = {(step["section"], step["name"]) for step in changed.document["removed"] if step["kind"] == "tensor"}
    if gone != as_is.steps.keys() - changed.steps.keys():
        yield f"steps that are gone: {gone}"


def faults_of(chapter, lesson, is_distorted):
    # Of numbers that overflow much is said that holds of finite ones alone.
    if not any(np.isnan(step["array"]).any() or np.isposinf(step["array"]).any() for step in lesson.tensors):
        yield from faults_of_steps(lesson)
        yield from faults_of_expressions(lesson)
        handout = lessons.call(*lesson.arguments, "--steps", "all", "--format", "markdown").stdout
        yield from faults_of_frame(lesson, handout)
    for rule in chapter["what_ifs"]:
        for fault in faults_of_rule(lesson, lessons.lesson(*lesson.arguments, "--what-if", rule), rule, is_distorted):
            yield f"{fault} | --what-if {rule}"


def main():
    chapters = lessons.chapters()
    count, seed = (int(given) for given in (sys.argv[2:] + [harness.LESSONS, 1][len(sys.argv[2:]):]))
    faults, told = [], 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "inputs.csv")
        for chapter, lesson in itertools.chain(seldom_lessons(chapters, path), lessons.random_lessons(chapters, random.Random(seed), count, path)):
            told += 1
            faults += [f"{fault} | in {' '.join(lesson.arguments)}" for fault in faults_of(chapter, lesson, told <= 50)]
    print(*faults, sep="\n", end="\n" if faults else "")
    for table in (notice, reason, sentence):
        print(f"{len(table.met)} of {len(table.checks)} rows met; not:", *table.never_met(), sep="\n   ")
        if count >= 200 and len(table.met) < 0.8 * len(table.checks) and (torch or table is not reason):
            faults.append("too few rows are met")
    return 1 if faults or told < count + len(SELDOM) else 0


if __name__ == "__main__":
    sys.exit(main())
