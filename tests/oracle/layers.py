"""Compares every number of a checkpoint's layer with the real PyTorch.

    PYTHONPATH=tests /usr/bin/python3 tests/oracle/layers.py build/release/attn-walkthrough [--runs 40] [--first 0]

Makes checkpoints of random numbers with the names and layouts of real ones (checkpoints.py), computes the attention of
one of their layers in plain PyTorch, as the models' own programs do, and compares each step in every bit, for each set of
kernels that this processor can run. Exit 0: no bit differs; 1: something does; 77: there is no PyTorch here.
"""
import argparse
import io
import os
import subprocess
import sys
import tempfile

import checkpoints
import compare
import harness


class Steps(dict):
    """Steps by name; in the walkthrough's order."""

    def __call__(self, name, value):
        self[name] = value
        return value


def layer_norm(steps, x, weight, bias, eps, ours):
    """nn.LayerNorm. Where an older PyTorch computes its mean and variance in another order, ours are only close, and
    what follows is computed from them."""
    import torch
    from programs import versions
    _, mean, factor = torch.native_layer_norm(x, x.shape[-1:], weight, bias, eps)
    if not versions.has("layer_norm"):
        theirs, (mean, factor) = (mean, factor), (torch.tensor(ours["norm_mean"]), torch.tensor(ours["norm_factor"]))
        assert torch.allclose(theirs[0], mean, rtol=1e-5, atol=1e-6) and torch.allclose(theirs[1], factor, rtol=1e-5)
    steps("norm_mean", mean)
    steps("norm_factor", factor)
    centred = steps("centred", x - mean)
    normalised = steps("normalised", centred * factor)
    if not versions.has("layer_norm"):
        return versions.scale_and_shift(normalised, weight, bias)
    return torch.nn.functional.layer_norm(x, x.shape[-1:], weight, bias, eps)


def attend(steps, queries, keys, values, mask):
    import torch
    scores = steps("attn_scores", queries @ keys.transpose(2, 3))
    seen = steps("scaled_attn_scores", scores / keys.shape[-1]**0.5)
    if mask is not None:
        seen = steps("masked_attn_scores", seen.masked_fill(steps("mask", mask), -torch.inf))
    weights = steps("attn_weights", torch.softmax(seen, dim=-1))
    context = steps("context_vec", (weights @ values).transpose(1, 2))
    return steps("context_vecs", context.contiguous().view(*context.shape[:2], -1))


def split(x, heads):
    return x.view(*x.shape[:2], heads, -1).transpose(1, 2)


def causal(n):
    import torch
    return torch.triu(torch.ones(n, n), diagonal=1).bool()


def gpt2(weights, config, x, steps, ours):
    import torch
    normed = steps("normed", layer_norm(steps, x, weights["ln_1.weight"], weights["ln_1.bias"],
                                        config["layer_norm_epsilon"], ours))

    def conv1d(key, x):
        weight, bias = weights[key + ".weight"], weights[key + ".bias"]
        return torch.addmm(bias, x.view(-1, x.shape[-1]), weight).view(*x.shape[:-1], weight.shape[1])

    qkv = steps("qkv", conv1d("attn.c_attn", normed))
    queries, keys, values = qkv.split(x.shape[-1], dim=2)
    for name, value in (("queries", queries), ("keys", keys), ("values", values)):
        steps(name, value)
    heads = [steps(name + "_heads", split(steps[name], config["n_head"])) for name in ("queries", "keys", "values")]
    context = attend(steps, *heads, causal(x.shape[1]))
    output = steps("output", conv1d("attn.c_proj", context))
    steps("residual_sum", output + x)


def rows(rng):
    """A model's function, its tensors and config, the prefix of its layers, and d."""
    heads = int(rng.choice([1, 2, 3, 4, 12]))
    d = heads * int(rng.choice([1, 2, 3, 8, 16, 33, 64]))
    prefix = str(rng.choice(["h.", "transformer.h."]))
    yield gpt2, *checkpoints.gpt2(rng, d, heads, 2, prefix), prefix, d


def differences(binary, cpu, blas, row, rng):
    """Runs one layer. Returns a line for each step that differs, and the number of compared floats."""
    import numpy
    import torch
    program, tensors, config, prefix, d = row
    dtype, is_sharded = str(rng.choice(checkpoints.DTYPES)), rng.random() < 0.3
    number = int(rng.integers(2))
    shape = [int(rng.choice([1, 2, 5, 7, 33, 64])), d]
    shape = [int(rng.integers(1, 4)), *shape] if rng.random() < 0.4 else shape
    with tempfile.TemporaryDirectory() as folder:
        if is_sharded:
            held = checkpoints.save_sharded(folder, tensors, dtype)
        else:
            held = checkpoints.save(os.path.join(folder, "model.safetensors"), tensors, dtype)
        checkpoints.save_config(folder, config)
        x = rng.standard_normal(shape).astype(numpy.float32)
        numpy.save(os.path.join(folder, "x.npy"), x)
        saved = os.path.join(folder, "steps.npz")
        arguments = ["layer", "--weights", folder, "--layer", str(number), "--inputs", os.path.join(folder, "x.npy"),
                     "--cpu", cpu, "--blas", blas, "--steps", "all", "--save", saved]
        done = subprocess.run([binary, *arguments], capture_output=True, text=True, check=False)
        what = f"{program.__name__} {' '.join(map(str, shape))} {dtype} {arguments}"
        if done.returncode:
            return [f"{what}: {done.stderr}"], 0
        with open(saved, "rb") as file:
            archive = numpy.load(io.BytesIO(file.read()))
            ours = {name: archive[name] for name in archive.files}
    steps = Steps()
    at = prefix + f"{number}."
    weights = {name[len(at):]: torch.tensor(value) for name, value in held.items() if name.startswith(at)}
    program(weights, config, torch.tensor(x).view(-1, *shape[-2:]), steps, ours)
    found, floats = [], 0
    for name, value in steps.items():
        theirs = value.numpy()
        floats += theirs.size
        if name not in ours:
            found.append(f"{what}: {name} is not among the tool's steps")
        elif ours[name].shape != theirs.shape:
            found.append(f"{what}: {name} {list(ours[name].shape)}, PyTorch {list(theirs.shape)}")
        elif ours[name].tobytes() != numpy.ascontiguousarray(theirs).tobytes():
            found.append(f"{what}: {name} {list(theirs.shape)}: {int((ours[name] != theirs).sum())} of {theirs.size} differ")
    known = {"inputs", "batch", "keys_transposed", "context_heads"}
    found += [f"{what}: {name} is not among PyTorch's steps" for name in ours
              if name not in steps and name not in known and not name.endswith(("_weight", "_bias"))]
    return found, floats


def compare_all(binary, cpu, blas, runs):
    """True if there is no difference in a range of runs."""
    import numpy
    import torch
    compare.check_kernels(cpu)
    torch.set_num_threads(1)
    floats, failures, count = 0, [], 0
    for run in runs:
        rng = numpy.random.default_rng(run)
        for row in rows(rng):
            found, its = differences(binary, cpu, blas, row, rng)
            failures += found
            floats += its
            count += 1
    for failure in failures[:20]:
        print(failure)
    print(f"PyTorch {torch.__version__}, {cpu}, {blas}: {count} layers, {floats} numbers, {len(failures)} differences; "
          f"--runs {len(runs)} --first {runs.start}")
    return not failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--first", type=int, default=0, help="the first run; -1: from one day to the next others")
    parser.add_argument("--one", nargs=2, metavar=("CPU", "BLAS"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    first = arguments.first if arguments.first >= 0 else harness.DAY * arguments.runs
    try:
        import torch  # noqa: F401
    except ImportError:
        print("SKIPPED: no PyTorch for this python3; on Debian: apt-get install python3-torch")
        return 77
    if arguments.one:
        return 0 if compare_all(arguments.binary, *arguments.one, range(first, first + arguments.runs)) else 1
    codes = [0]
    for cpu, blas in compare.kernel_sets(arguments.binary):
        command = [sys.executable, __file__, arguments.binary, "--runs", str(arguments.runs), "--first", str(first), "--one",
                   cpu, blas]
        codes.append(subprocess.run(command, env=compare.environment(cpu, blas), check=False).returncode)
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
