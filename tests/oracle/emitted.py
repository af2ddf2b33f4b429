"""Runs the programs of --emit, and compares their output with the tool's walkthrough.

    PYTHONPATH=tests /usr/bin/python3 tests/oracle/emitted.py build/release/tests/oracle_lessons [--seeds 20]

Those for PyTorch print the same text, byte for byte, under the real one; those for numpy compute the same numbers
within torch.testing.assert_close's tolerances. All run in one process for each of PyTorch's sets of kernels; with
ATTN_TEST_EVERY, of each chapter's programs a fourth or more, others each day. Exit 0: nothing differs; 1: something does;
77: there is no PyTorch here.
"""
import io
import os
import random
import shlex
import sys
import tempfile

import compare
import harness
import numpy
import torch
from programs import versions

RTOL, ATOL = 1.3e-6, 1e-5  # of torch.testing.assert_close, for float32
LONGEST_LINE = 120
LONGEST_SENTENCE = 6  # words, as the articles have
# Where the first W_key is, in chapters that have several.
SECTIONS = {"trainable": "one_query/", "multihead": "head_1/", ("multihead", "blog"): "",
            ("multihead", "ahead-of-ai"): "single_head/", ("causal", "book"): "renormalised/"}


def lessons(row, seeds, rng):
    """Argument lists: the article's, all its steps, each rule of --what-if, seeds, and a range of all options."""
    article = ["--article", row["article"]]
    yield article
    yield [*article, "--steps", "all"]
    for rule in row["what_ifs"]:
        yield [*article, "--what-if", rule, "--steps", "all"]
    if "dropout" in row["takes"]:
        for rate in ("0", "0.5", "1"):
            yield [*article, "--dropout", rate, "--dropout-kernel", "mkl"]
            yield [*article, "--dropout", rate, "--steps", "all", "--no-grad"]
            yield [*article, "--dropout", rate, "--what-if", "no-rescale", "--dropout-kernel", "mkl"]
    yield [*article, "--inputs", "OWN/inputs.npy", "--steps", "all"]
    if "projections" in row["takes"]:
        for rule in ("previous", "same", "earlier", "first") if "attend_to" in row["takes"] else ():
            yield [*article, "--attend-to", rule, "--steps", "all"]
            yield [*article, "--attend-to", rule, "--sentence", "the cat saw the dog and the bird"]
            yield [*article, "--attend-to", rule, "--tokens", "12", "--init", "rand"]
        yield [*article, "--fixture", "--steps", "all"]
        yield [*article, "--fixture", "--inputs", "OWN/inputs.npy", "--d-out", "4"]
        section = SECTIONS.get((row["chapter"], row["article"]), SECTIONS.get(row["chapter"], ""))
        for more in (["--init", "linear", "--qkv-bias"], ["--init", "rand"]):
            heads = ["--num-heads", "2"] if "heads" in row["takes"] else []
            yield [*article, *more, *heads, "--inputs", "OWN/inputs.npy", "--d-out", "4", "--steps", "all",
                   "--weights", f"{section}W_key=OWN/square.npy"]
    if row["chapter"] == "cross":
        yield [*article, "--inputs", "OWN/inputs.npy", "--second-inputs", "OWN/inputs.npy"]
    for seed in (-1, 2**32 + 5, 2**64 - 1, -2**63):
        yield [*article, "--seed", str(seed)]
    for seed in range(seeds):
        arguments = [*article, "--seed", str(seed), *compare.spread(row, rng)]
        if "dropout" in row["takes"] and rng.random() < 0.2:
            arguments += ["--dropout-kernel", "mkl"]
        yield arguments + (["--steps", "all"] if rng.random() < 0.5 else [])


def small(chapter, arguments):
    """Options without those for long products, because sums of many float32 numbers are noisy; gradients are differences
    of such sums."""
    wide = ("--d-out", "--d-out-kq", "--d-out-v") if chapter == "backward" else ()
    kept = compare.without(list(arguments), "--tokens", "--d-in", "--init", *wide)
    if "--sentence" in kept:
        at = kept.index("--sentence")
        del kept[at:at + 2 if len(kept[at + 1].split()) > LONGEST_SENTENCE else at]
    if "--context-length" in kept:
        at = kept.index("--context-length") + 1
        kept[at] = str(max(int(kept[at]), compare.OWN_TOKENS))
    if "--valid-length" in kept:
        at = kept.index("--valid-length") + 1
        kept[at] = str(min(int(kept[at]), compare.OWN_TOKENS))
    return [word for word in kept if word != "--qkv-bias"]


def without_printing(arguments):
    """Options without those that only change the printed text, which numpy programs do not support."""
    kept = compare.without(arguments, "--precision", "--threshold", "--edgeitems", "--linewidth", "--sci-mode")
    return [word for word in kept if word != "--no-grad"]


def some_names(tool, chapter, arguments, rng):
    """Names of one or two of the chapter's steps."""
    names = sorted({name for _, name in tool.answer([chapter, *arguments])[1]})
    return ",".join(rng.sample(names, min(len(names), rng.randint(1, 2))))


def complaints(program):
    """The faults of a program's text, which whoever runs it compiles."""
    return [f"a line of {len(line)} columns: {line}" for line in program.splitlines()
            if len(line) > LONGEST_LINE and not line.startswith("print(") and ", " in line]


def printed_by(program):
    """The program's output under this process's PyTorch, adapted to the newest version."""
    torch.set_printoptions(profile="default")
    out = io.StringIO()

    def show(*values, end="\n"):
        print(*map(versions.printed, values), end=end, file=out)

    kept = dict(os.environ)
    exec(compile(program, "emitted", "exec"), {"print": show, "__name__": "__main__"})
    os.environ.clear()
    os.environ.update(kept)
    return out.getvalue()


def check_pytorch(tool, chapter, arguments):
    arguments = versions.print_options(arguments)
    expected = tool.answer([chapter, *arguments])[0]
    program = tool.answer([chapter, *arguments, "--emit", "pytorch"])[0]
    return complaints(program) + compare.first_difference(printed_by(program), expected)


def arrays_of(program):
    """The output of the numpy program: names and values, in order."""
    shown = []
    with numpy.errstate(all="ignore"):
        exec(compile(program, "emitted", "exec"),
             {"print": lambda name, value, sep: shown.append((name, value)), "__name__": "__main__"})
    return shown


def check_numpy(tool, chapter, arguments):
    text, tensors = tool.answer([chapter, *arguments, "--steps", "all"])
    program = tool.answer([chapter, *arguments[:arguments.index("--blas")], "--steps", "all", "--emit", "numpy"])[0]
    found = complaints(program)
    shown = [(name, value) for name, value in arrays_of(program) if not isinstance(value, (str, tuple))]
    kept = list(tensors.items())
    if len(shown) < len(kept):
        return [*found, f"{len(shown)} arrays are printed, there are {len(kept)} tensors"]
    unseen = list(kept)
    for name, value in shown:
        value = numpy.asarray(value)
        match = next((one for one in unseen if name.startswith(one[0][1]) and one[1].shape == value.shape), None) or \
            next((one for one in kept if name.startswith(one[0][1]) and one[1].shape == value.shape), None)
        if match is None:
            found.append(f"{name} {value.shape}: no tensor of the walkthrough's")
            continue
        unseen = [one for one in unseen if one is not match]
        ours = match[1]
        if value.dtype != ours.dtype:
            found.append(f"{name}: {value.dtype}, the tool's is {ours.dtype}")
        elif not numpy.allclose(value, ours, rtol=RTOL, atol=ATOL, equal_nan=True):
            found.append(f"{name}: {numpy.abs(value - ours).max()} away")
    return found + [f"{'/'.join(one[0])} is not printed" for one in unseen]


def run_all(binary, cpu, seeds, folder):
    linear = torch.nn.functional.linear  # which nn.Linear calls
    if not versions.has("linear 1-D"):
        torch.nn.functional.linear = lambda x, weight, bias=None: \
            linear(x, weight, bias) if x.dim() > 1 or bias is None else linear(x.unsqueeze(0), weight, bias).view(-1)
    numpy_rng = numpy.random.RandomState(5)
    for name, shape in (("inputs", (5, 4)), ("square", (4, 4))):
        numpy.save(f"{folder}/{name}.npy", numpy_rng.standard_normal(shape).astype(numpy.float32))
    rng, names_rng = random.Random(7), random.Random(8)  # samples leave each day's lessons as they are
    tool = compare.Tool(binary)
    counts = {"pytorch": 0, "numpy": 0}
    failures = []

    def check(kind, checker, chapter, arguments):
        counts[kind] += 1
        try:
            found = checker(tool, chapter, [*arguments, "--cpu", cpu, "--blas", "haswell"])
        except Exception as error:
            found = [f"{type(error).__name__}: {error}"]
        failures.extend(f"{kind}: {chapter} {shlex.join(arguments)} --cpu {cpu}\n    {line}" for line in found)

    for number, row in enumerate(tool.chapters()):
        chapter = row["chapter"]
        for arguments in harness.sample(lessons(row, seeds, rng), number, most=4):
            arguments = [word.replace("OWN", folder) for word in arguments]
            check("pytorch", check_pytorch, chapter, arguments)
            if "--steps" not in arguments and "--what-if" not in arguments:
                names = some_names(tool, chapter, arguments, names_rng)
                check("pytorch", check_pytorch, chapter, [*arguments, "--only", names])
            reduced = without_printing(small(chapter, arguments))
            if "--steps" not in reduced:
                check("numpy", check_numpy, chapter, reduced)
    counted = f"{counts['pytorch']} programs for PyTorch, {counts['numpy']} for numpy"
    return compare.reported(failures, f"{cpu}: {counted}") and min(counts.values()) > 0


def compare_all(binary, cpu, blas, seeds):
    with tempfile.TemporaryDirectory() as folder:
        return run_all(binary, cpu, len(seeds), folder)


def kernel_sets():
    return [(cpu, "haswell") for cpu in ("avx2", "default")] if compare.runnable(compare.AVX2) else []


if __name__ == "__main__":
    sys.exit(compare.oracle(__doc__, compare_all, 20, kernel_sets))
