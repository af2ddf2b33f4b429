"""Compares every float of every step, and the printed text, with the real PyTorch.

    PYTHONPATH=tests /usr/bin/python3 tests/oracle/compare.py build/release/tests/oracle_lessons [--seeds 500] [--first 0]

Runs the programs of golden/chapters.py in one process for each set of kernels, PyTorch's own and OpenBLAS's, that this
processor can run, and beside it the tool's lessons. The PyTorch is that of the python3 that runs this; where an older
one does otherwise than the newest, golden/programs/versions.py knows. Exit 0: no bit and no character differs; 1:
something does; 77: there is no PyTorch here.
"""
import argparse
import concurrent.futures
import itertools
import json
import os
import pathlib
import random
import re
import shlex
import subprocess
import sys

try:
    import numpy
    import torch
except ImportError:
    print("SKIPPED: no PyTorch for this python3; on Debian: apt-get install python3-torch")
    sys.exit(77)

import harness

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "golden"))
import chapters
from programs import versions

# What a processor must have for PyTorch's kernels, as ATEN_CPU_CAPABILITY names them, and for OpenBLAS's.
AVX2 = {"avx2", "fma"}
AVX512 = AVX2 | {"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"}
CPUS = {"avx2": AVX2, "avx512": AVX512, "default": set()}
BLAS = {"skylakex": AVX512, "haswell": AVX2, "portable": AVX2}
# What PyTorch says of the kernels that it runs.
CAPABILITIES = {"avx2": {"AVX2"}, "avx512": {"AVX512"}, "default": {"DEFAULT", "NO AVX"}}
THREADS = ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")
OWN_TOKENS = 6  # of the inputs that chapters with padding bring
SENTENCES = ["the cat saw the dog and the bird", "Don't panic!", 'She said "no", he said \'yes\'', "Ça va? Où est l'été?",
             "注意 力 は 大事", "a b c d e f g h i j k l m n o p q r s t u v w x y z", "One.",
             "back\\slash and 👩\u200d🎓 it\u2019s", "Every\u00a0word\u3000apart;  really: yes"]


def option_sets(row, seeds, rng):
    """Argument lists: each seed with the article's sizes, then a range of all options of a chapter."""
    for seed in seeds:
        yield ["--seed", str(seed)]
    for seed in (-1, -123, 2**32, 2**63, 2**64 - 1, -2**63):
        yield ["--seed", str(seed)]
    for seed in seeds[:len(seeds) // 2]:
        yield ["--seed", str(seed)] + spread(row, rng)


def spread(row, rng):
    size = lambda most: str(min(most, int(2 ** rng.uniform(0, most.bit_length()))))
    chapter, takes = row["chapter"], row["takes"]
    arguments = []
    if rng.random() < 0.3:
        arguments += ["--what-if", rng.choice(row["what_ifs"])]
    if rng.random() < 0.15:
        arguments += ["--sentence", rng.choice(SENTENCES)]
    elif rng.random() < 0.8:
        arguments += ["--tokens", size(rng.choice([8, 20, 70, 150]))]
    if rng.random() < (0.2 if "--sentence" in arguments else 0.8):
        arguments += ["--d-in", size(rng.choice([4, 20, 70, 300, 1000]))]
    if "batch" in takes and rng.random() < 0.6:
        arguments += ["--batch", str(rng.randint(1, 5))]
    if "dropout" in takes and rng.random() < 0.6:
        arguments += ["--dropout", rng.choice(["0", "0.1", "0.2", "0.25", "0.5", "0.7", "0.9", "1", repr(rng.random())])]
    if "projections" in takes:
        if rng.random() < 0.6:
            arguments += ["--init", rng.choice(["rand", "randn", "linear"])]
        if "rand" not in arguments and "randn" not in arguments and rng.random() < 0.5 and \
                (row["init"] == "linear" or "linear" in arguments):
            arguments += ["--qkv-bias"]
        has_heads = "heads" in takes
        heads = rng.choice([1, 1, 2, 3, 4, 8]) if has_heads else 1
        alone = [name for name in ("--d-out-kq", "--d-out-v") if rng.random() < 0.3]
        for name in alone:
            arguments += [name, str(heads * rng.choice([1, 2, 7, 33]))]
        if len(alone) < 2 and (rng.random() < 0.5 or has_heads):  # both leave nothing for it to say
            arguments += ["--d-out", str(heads * rng.choice([1, 2, 3, 5, 16, 40]))]
        if has_heads:
            arguments += ["--num-heads", str(heads)]
        if "num-kv-heads" in takes:
            arguments += ["--num-kv-heads", str(rng.choice([n for n in range(1, heads + 1) if heads % n == 0]))]
    if "valid-length" in takes and "--sentence" not in arguments:
        tokens = int(arguments[arguments.index("--tokens") + 1]) if "--tokens" in arguments else OWN_TOKENS
        arguments += ["--valid-length", str(rng.randint(1, tokens))]
    if "context-length" in takes and "--sentence" not in arguments:
        tokens = int(arguments[arguments.index("--tokens") + 1]) if "--tokens" in arguments else OWN_TOKENS
        arguments += ["--context-length", str(tokens + rng.choice([0, 1, 5, 40]))]
    if "window" in takes:
        arguments += ["--window", size(20)]
    if "block-size" in takes:
        arguments += ["--block-size", size(40)]
    if "pair-distance" in takes:
        columns = 2 * rng.choice([1, 2, 3, 8, 20])
        arguments = without(arguments, "--d-out-kq") + ["--d-out-kq", str(columns),
                                                        "--pair-distance", str(rng.choice([1, columns // 2]))]
        if "--d-out-v" in arguments:
            arguments = without(arguments, "--d-out")  # nothing is left for it to say
    if "query" in takes and "--tokens" not in arguments and "--sentence" not in arguments and rng.random() < 0.5:
        arguments += ["--query", rng.choice(["0", "5", "2"])]
    if rng.random() < 0.3:
        arguments += ["--precision", str(rng.choice([0, 1, 2, 6, 8, 12])), "--linewidth", str(rng.choice([20, 80, 120, 200]))]
    if rng.random() < 0.3:
        arguments += ["--edgeitems", str(rng.choice([0, 1, 2, 4])), "--threshold", str(rng.choice([0, 10, 100, 5000]))]
    if rng.random() < 0.1:
        arguments += ["--sci-mode", rng.choice(["on", "off"])]
    if rng.random() < 0.1:
        arguments += ["--no-grad"]
    return arguments


def without(arguments, *names):
    """The arguments without these options and their values."""
    for name in names:
        at = arguments.index(name) if name in arguments else len(arguments)
        arguments = arguments[:at] + arguments[at + 2:]
    return arguments


def first_difference(theirs, ours):
    """A list that says where two texts differ, empty if they do not."""
    pairs = itertools.zip_longest(theirs.splitlines(), ours.splitlines())
    a, b = next((pair for pair in pairs if pair[0] != pair[1]), ("the same lines", "other line ends"))
    return [f"PyTorch prints {a!r}, the tool {b!r}"] if theirs != ours else []


def reported(failures, what):
    """Prints what was compared, and some of the failures. True if there is none."""
    for failure in failures[:20]:
        print(failure)
    print(f"PyTorch {torch.__version__}, {what}, {len(failures)} differences")
    return not failures


class Tool:
    """Runs the tool's lessons in one process."""

    def __init__(self, binary):
        self.process = subprocess.Popen([binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def chapters(self):
        """The rows of `list --format json`."""
        return json.loads(self.answer(["list", "--format", "json"])[0])["chapters"]

    def answer(self, arguments):
        """The printed text, and (section, name) -> (dtype, shape, bytes)."""
        self.process.stdin.write(json.dumps(arguments).encode() + b"\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise RuntimeError(answer["error"])
        text = self.process.stdout.read(answer["text"]).decode()
        tensors = {}
        for step in answer["steps"]:
            dtype = numpy.dtype(step["dtype"])
            count = int(numpy.prod(step["shape"], dtype=numpy.int64))
            data = self.process.stdout.read(count * dtype.itemsize)
            tensors[step["section"], step["name"]] = numpy.frombuffer(data, dtype).reshape(step["shape"])
        return text, tensors


def differences(tool, cpu, blas, chapter, arguments):
    """Returns a line for each difference, and the number of compared floats."""
    arguments = versions.print_options(arguments)
    options = chapters.parser().parse_args([chapter] + arguments)
    expected = chapters.steps(chapter, options)
    try:
        text, tensors = tool.answer([chapter, *arguments, "--cpu", cpu, "--blas", blas, "--steps", "all"])
    except RuntimeError as error:
        return [str(error)], 0
    found, floats = first_difference(chapters.text(expected, "all"), text), 0
    for step in expected:
        if step.value is None:
            continue
        theirs = step.value.numpy()
        ours = tensors.pop((step.section, step.name), None)
        floats += theirs.size
        if ours is None:
            found.append(f"{step.section}/{step.name}: not among the tool's steps")
        elif ours.dtype != theirs.dtype or ours.shape != theirs.shape:
            found.append(f"{step.name}: {ours.dtype} {ours.shape}, PyTorch {theirs.dtype} {theirs.shape}")
        elif ours.tobytes() != numpy.ascontiguousarray(theirs).tobytes():
            bits = (ours != theirs) if theirs.dtype == bool else (
                ours.view(f"u{ours.itemsize}") != numpy.ascontiguousarray(theirs).view(f"u{ours.itemsize}"))
            found.append(f"{step.section}/{step.name} {list(theirs.shape)}: {int(bits.sum())} of {theirs.size} differ")
    found += [f"{'/'.join(name)}: not among PyTorch's steps" for name in tensors]
    return found, floats


def check_kernels(cpu):
    """Exits if PyTorch does not run the requested kernels."""
    used = re.search("CPU capability usage: (.*)", torch.__config__.show())[1]
    if used not in CAPABILITIES[cpu]:
        sys.exit(f"PyTorch runs {used} where {cpu} was asked for")


def compare_all(binary, cpu, blas, seeds):
    """True if there is no difference in a range of seeds."""
    rng = random.Random(2024 + seeds.start)
    runs = floats = 0
    failures = []
    tool = Tool(binary)
    for row in tool.chapters():
        chapter = row["chapter"]
        for arguments in option_sets(row, seeds, rng):
            arguments = ["--article", row["article"]] + arguments
            found, count = differences(tool, cpu, blas, chapter, arguments)
            runs += 1
            floats += count
            failures += [f"{chapter} {shlex.join(arguments)} --cpu {cpu} --blas {blas}\n    {line}" for line in found]
    return reported(failures, f"{cpu}, {blas}, --seeds {len(seeds)} --first {seeds.start}: {runs} runs, {floats} numbers")


def runnable(needed):
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return needed <= next((set(line.split()) for line in file if line.startswith("flags")), set())


def kernel_sets():
    """As far as they run here: each of PyTorch's sets with haswell, and each other one of OpenBLAS with avx2."""
    cpus = [cpu for cpu, needed in CPUS.items() if runnable(needed) and (cpu != "avx512" or versions.has("avx512"))]
    blas = [name for name, needed in BLAS.items() if runnable(needed)]
    if "haswell" not in blas:
        return [("default", name) for name in blas]
    return [(cpu, "haswell") for cpu in cpus] + [("avx2", name) for name in blas if name != "haswell"]


def environment(cpu, blas):
    """The environment in which PyTorch uses these kernels, without other settings."""
    result = {name: value for name, value in os.environ.items()
              if name not in (*THREADS, "OPENBLAS_CORETYPE", "ATEN_CPU_CAPABILITY")}
    result.update({"OPENBLAS_CORETYPE": "haswell" if blas == "portable" else blas, "OPENBLAS_NUM_THREADS": "1"})
    return {**result, "ATEN_CPU_CAPABILITY": cpu}


def oracle(about, compares, seeds, sets=kernel_sets, share=1):
    """Runs compares(binary, cpu, blas, seeds) in a process for each set of kernels; those of OpenBLAS that are not haswell get
    a share of the seeds. Returns the exit code."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--seeds", type=int, default=seeds)
    parser.add_argument("--first", type=int, default=0, help="the first seed; -1: from one day to the next others")
    parser.add_argument("--one", nargs=2, metavar=("CPU", "BLAS"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    first = arguments.first if arguments.first >= 0 else harness.DAY * arguments.seeds
    if arguments.one:
        check_kernels(arguments.one[0])
        return 0 if compares(arguments.binary, *arguments.one, range(first, first + arguments.seeds)) else 1

    def run(cpu, blas):
        count = arguments.seeds if blas == "haswell" else arguments.seeds // share
        command = [sys.executable, sys.argv[0], arguments.binary, "--seeds", str(count), "--first", str(first), "--one", cpu, blas]
        done = subprocess.run(command, env=environment(cpu, blas), capture_output=True, text=True)
        print(done.stdout, done.stderr, sep="", end="", flush=True)
        return done.returncode

    for what, known in (("PyTorch", CPUS), ("OpenBLAS", BLAS)):
        for name, needed in known.items():
            if not runnable(needed):
                print(f"left out: this processor cannot run {what}'s {name} kernels")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return max(pool.map(run, *zip(*sets())), default=77)


if __name__ == "__main__":
    sys.exit(oracle(__doc__, compare_all, 500, share=5))
