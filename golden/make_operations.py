"""Makes golden/operations.json: what single operations of the real PyTorch give, to the last bit.

    python3 golden/make_operations.py > golden/operations.json    (with the newest PyTorch: see README.md)
    python3 golden/make_operations.py --avx512 > golden/operations-avx512.json    (where the processor has AVX-512)

Operands are not stored: `numbers` and `integers` say how they follow from a case's seed. Results are C99 hexadecimal,
row-major. What goes through BLAS is there with small integers, which no order of arithmetic can change; and with real
numbers under each of OpenBLAS's sets of kernels that this processor can run (`by_blas`).
"""
import json
import math
import os
import subprocess
import sys

import torch

NUMBERS = "x = (1664525 x + 1013904223) mod 2^32, starting from the seed; each number is (x >> 8) / 2^21 - 4"
INTEGERS = "the same x; each number is (x >> 28) - 8"
CPUS = ("avx2", "default")  # which every processor with AVX2 can run; as ATEN_CPU_CAPABILITY has them
BLAS = ("Haswell",)  # as OPENBLAS_CORETYPE has them
WIDTHS = list(range(1, 71))


def draws(seed, count):
    x = seed
    for _ in range(count):
        x = (1664525 * x + 1013904223) % 2**32
        yield x


def numbers(seed, shape):
    """Of 24 significant bits each, so that nearly every sum must round."""
    values = [(x >> 8) / 2**21 - 4 for x in draws(seed, math.prod(shape))]
    return torch.tensor(values, dtype=torch.float32).reshape(shape)


def integers(seed, shape):
    values = [(x >> 28) - 8 for x in draws(seed, math.prod(shape))]
    return torch.tensor(values, dtype=torch.float32).reshape(shape)


def stored(tensor):
    return " ".join(hexadecimal(value) for value in tensor.detach().flatten().tolist())


def hexadecimal(value):
    """Without the mantissa's final zeros."""
    mantissa, p, exponent = value.hex().partition("p")
    return (mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa) + p + exponent


def softmax_cases():
    """Rows in which order matters, some masked: the last `masked` elements are -inf."""
    for width in WIDTHS + [513]:
        yield [width], 0
    for shape in ([3, 5], [2, 3, 9], [4, 1], [2, 16]):
        yield shape, 0
    for width, masked in ((1, 1), (6, 5), (6, 6), (9, 1), (9, 8), (9, 9), (40, 31)):
        yield [width], masked


def softmax_set():
    cases = []
    for seed, (shape, masked) in enumerate(softmax_cases()):
        x = numbers(seed, shape) * 4
        if masked:
            x[-masked:] = -math.inf
        cases.append({"seed": seed, "shape": shape, "masked": masked, "result": stored(torch.softmax(x, dim=-1))})
    return cases


def softmax_over_set():
    """Over an axis before the last, on one thread: with more, where the last elements begin depends on their number."""
    torch.set_num_threads(1)
    shapes = [[5, width] for width in range(1, 40)] + [[2, 3, 17], [2, 40, 33], [3, 7, 5, 6], [1, 20], [60, 100]]
    cases = []
    for seed, shape in enumerate(shapes):
        for axis in range(len(shape) - 1):
            result = torch.softmax(numbers(seed, shape) * 4, dim=axis)
            cases.append({"seed": seed, "shape": shape, "axis": axis, "result": stored(result)})
    return cases


def softmax_gradient_set():
    cases = []
    for seed, (shape, masked) in enumerate(softmax_cases()):
        scores, gradients = numbers(seed, shape) * 4, numbers(seed + 1000, shape)
        if masked:
            scores[-masked:] = -math.inf
        weights = torch.softmax(scores, dim=-1)
        result = torch._softmax_backward_data(gradients, weights, -1, torch.float32)
        cases.append({"seed": seed, "shape": shape, "masked": masked, "result": stored(result)})
    return cases


def total_set():
    """On one thread, like sum_set."""
    torch.set_num_threads(1)
    shapes = [[width] for width in (1, 7, 8, 40)] + [[6, 2], [3, 5, 7], [100, 300]]
    return [{"seed": seed, "shape": shape, "result": stored(numbers(seed, shape).sum())} for seed, shape in enumerate(shapes)]


def sum_set():
    """On one thread: others would each sum a part of 32,768 numbers and more."""
    torch.set_num_threads(1)
    cases = []
    shapes = [[width] for width in WIDTHS + [100, 1000, 5000]]
    shapes += [[3, width] for width in (1, 2, 6, 7, 8, 9, 33, 70, 1000)] + [[2, 6, 6], [1, 1], [2, 3, 40]]
    shapes += [[32768], [100_000]]
    for seed, shape in enumerate(shapes):
        cases.append({"seed": seed, "shape": shape, "result": stored(numbers(seed, shape).sum(dim=-1))})
    return cases


def row_set(function):
    """A number for each row."""
    def make():
        torch.set_num_threads(1)
        cases = []
        for seed, shape in enumerate([[width] for width in WIDTHS] + [[2, 3, 40], [3, 1000], [5000]]):
            result = function(numbers(seed, shape))
            cases.append({"seed": seed, "shape": list(result.shape), "of": shape, "result": stored(result)})
        return cases
    return make


def layer_norm_set():
    """The mean, the factor 1 / sqrt(variance + eps), and, of short rows, the result. Sums go chunk by chunk, each of
    128 numbers."""
    cases = []
    for seed, width in enumerate(WIDTHS + [100, 127, 128, 129, 136, 255, 256, 257, 300, 384, 385, 512, 768, 1000, 2048, 2049, 5000]):
        x, eps = numbers(seed, [3, width]), (1e-5, 1e-12, 0.125)[seed % 3]
        weight, bias = numbers(seed + 1000, [width]), numbers(seed + 2000, [width])
        result, mean, factor = torch.native_layer_norm(x, [width], weight, bias, eps)
        cases.append({"seed": seed, "shape": [3, width], "eps": eps, "mean": stored(mean), "factor": stored(factor),
                      "result": stored(result) if width <= WIDTHS[-1] and seed % 3 == 0 else ""})
    return cases


def product_cases():
    """Integers; `a_t` and `b_t`: the operand has this shape after a transposition of its last two axes."""
    for a, b, a_t, b_t in (
            ([1, 1], [1, 1], 0, 0), ([1, 5], [5, 1], 0, 0), ([1, 5], [5, 3], 0, 0), ([4, 5], [5, 1], 0, 0),
            ([4, 1], [1, 3], 0, 0), ([6, 3], [3, 6], 0, 1), ([6, 3], [3, 6], 1, 0), ([6, 3], [3, 6], 1, 1),
            ([1, 5], [5, 3], 1, 1), ([4, 5], [5, 1], 1, 1), ([4, 1], [1, 3], 1, 1), ([33, 70], [70, 17], 0, 1),
            ([5], [5, 3], 0, 0), ([5], [5, 1], 0, 0), ([5], [5, 3], 0, 1), ([1], [1, 4], 0, 0),
            ([2, 6, 3], [3, 4], 0, 0), ([2, 6, 3], [3, 4], 0, 1), ([2, 6, 3], [3, 4], 1, 0), ([1, 1, 3], [3, 1], 0, 0),
            ([2, 3, 4, 5], [5, 2], 0, 0),
            ([2, 6, 3], [2, 3, 6], 0, 1), ([2, 6, 3], [2, 3, 6], 1, 0), ([1, 6, 1], [1, 1, 6], 0, 1),
            ([2, 3, 6, 1], [2, 3, 1, 6], 0, 1), ([2, 10, 4], [2, 4, 10], 0, 0), ([2, 19, 3], [2, 3, 7], 0, 1),
            ([2, 3, 7], [2, 7, 19], 1, 1), ([2, 10, 8], [2, 8, 5], 1, 1), ([2, 3, 8, 10], [2, 3, 10, 5], 0, 1),
            ([1, 40, 16], [1, 16, 40], 0, 1), ([3, 1, 40], [3, 40, 10], 0, 0), ([3, 20, 40], [3, 40, 1], 0, 0)):
        yield a, b, bool(a_t), bool(b_t)


def operand(make, seed, shape, transposed):
    if not transposed or len(shape) < 2:
        return make(seed, shape)
    return make(seed, shape[:-2] + [shape[-1], shape[-2]]).transpose(-2, -1)


def matmul_set():
    cases = []
    for seed, (a, b, a_t, b_t) in enumerate(product_cases()):
        result = operand(integers, seed, a, a_t) @ operand(integers, seed + 1000, b, b_t)
        cases.append({"seed": seed, "a": a, "b": b, "a_t": a_t, "b_t": b_t, "numbers": "integers",
                      "shape": list(result.shape), "result": stored(result)})
    # Below 400 multiplications a batch is multiplied by a plain loop, whose order is known on every processor.
    for seed, (a, b, a_t, b_t) in enumerate((
            ([2, 6, 3], [2, 3, 6], 0, 1), ([2, 6, 6], [2, 6, 3], 0, 0), ([1, 1, 399], [1, 399, 1], 0, 0),
            ([2, 19, 3], [2, 3, 7], 1, 1), ([2, 3, 4, 7], [2, 3, 7, 4], 0, 1), ([3, 1, 133], [3, 133, 3], 0, 0))):
        result = operand(numbers, seed, a, bool(a_t)) @ operand(numbers, seed + 1000, b, bool(b_t))
        cases.append({"seed": seed, "a": a, "b": b, "a_t": bool(a_t), "b_t": bool(b_t), "numbers": "numbers",
                      "shape": list(result.shape), "result": stored(result)})
    return cases


def linear_set():
    cases = []
    for seed, shape in enumerate(([3], [1], [6, 3], [1, 3], [6, 1], [2, 6, 3], [1, 1, 3], [1, 6, 70])):
        for bias in (False, True):
            for d_out in (1, 4):
                x, weight = integers(seed, shape), integers(seed + 1000, [d_out, shape[-1]])
                b = integers(seed + 2000, [d_out]) if bias else None
                result = torch.nn.functional.linear(x, weight, b)
                cases.append({"seed": seed, "x": shape, "d_out": d_out, "bias": bias, "shape": list(result.shape),
                              "result": stored(result)})
    return cases


def dot_set():
    cases = []
    for seed, (rows, width) in enumerate(((1, 1), (6, 3), (3, 8), (2, 33), (4, 1), (1, 1000))):
        x = integers(seed + 1000, [width])
        result = torch.stack([torch.dot(row, x) for row in integers(seed, [rows, width])])
        cases.append({"seed": seed, "rows": rows, "width": width, "result": stored(result)})
    return cases


def dot_by_loop_set():
    cases = []
    for seed, width in enumerate((1, 2, 3, 8, 33, 1000)):
        result = 0.
        a, b = numbers(seed, [width]), numbers(seed + 1000, [width])
        for i in range(width):
            result += a[i] * b[i]
        cases.append({"seed": seed, "width": width, "result": stored(result)})
    return cases


def pairwise_dots_set():
    cases = []
    for seed, (rows, columns, width) in enumerate(((1, 1, 1), (6, 6, 3), (3, 2, 8), (2, 5, 33))):
        a, b = integers(seed, [rows, width]), integers(seed + 1000, [columns, width])
        cases.append({"seed": seed, "rows": rows, "columns": columns, "width": width, "result": stored(pairwise_dots(a, b))})
    return cases


def pairwise_dots(a, b):
    return torch.stack([torch.stack([torch.dot(x_i, x_j) for x_j in b]) for x_i in a])


def weighted_sum_set():
    cases = []
    for seed, (rows, width) in enumerate(((1, 1), (6, 3), (3, 8), (33, 2), (100, 17))):
        weights = numbers(seed + 1000, [rows])
        result = torch.zeros(width)
        for i, row in enumerate(numbers(seed, [rows, width])):
            result += weights[i] * row
        cases.append({"seed": seed, "rows": rows, "width": width, "result": stored(result)})
    return cases


def divide_set():
    cases = []
    for seed, size in enumerate((1, 2, 3, 4, 7, 64, 768)):
        result = numbers(seed, [4, 9]) / size**0.5
        cases.append({"seed": seed, "size": size, "shape": [4, 9], "result": stored(result)})
    return cases


def divide_by_set():
    cases = []
    for seed, shape in enumerate(([], [4, 1], [1, 9], [4, 9])):
        result = numbers(seed, [4, 9]) / numbers(seed + 1000, shape)
        cases.append({"seed": seed, "by": shape, "shape": [4, 9], "result": stored(result)})
    return cases


def subtract_set():
    cases = []
    for seed, (a, b) in enumerate((([4, 9], []), ([4, 9], [4, 1]), ([4, 9], [9]), ([4, 1], [2, 4, 9]), ([9], [4, 1]))):
        result = numbers(seed, a) - numbers(seed + 1000, b)
        cases.append({"seed": seed, "a": a, "b": b, "shape": list(result.shape), "result": stored(result)})
    return cases


def amax_set():
    """Some rows with an nan, and rows of -inf."""
    cases = []
    for seed, shape in enumerate(([1], [6, 1], [6, 3], [2, 3, 9], [3, 40], [2, 1000], [1, 7])):
        for special in (None, math.nan, -math.inf):
            x = numbers(seed, shape)
            if special is not None:
                x[..., -1 if math.isnan(special) else slice(None)] = special
            result = x.amax(dim=-1, keepdim=True)
            cases.append({"seed": seed, "special": str(special), "shape": list(result.shape), "of": shape, "result": stored(result)})
    return cases


def maximum_set():
    cases = []
    for seed, shape in enumerate(([1], [6, 1], [3, 40])):
        for special in (None, math.nan):
            a, b = numbers(seed, shape), numbers(seed + 1000, shape)
            if special is not None:
                a[0], b[-1] = special, special
            cases.append({"seed": seed, "special": str(special), "shape": shape, "result": stored(torch.maximum(a, b))})
    return cases


def cosine_set():
    cases = []
    for function in (torch.cos, torch.sin):
        for seed, scale in enumerate((0.25, 1, 32, 4096, 262144)):  # powers of two, which round nothing
            result = function((numbers(seed, [3, 40]) * scale).double()).float()
            cases.append({"function": function.__name__, "seed": seed, "scale": scale, "shape": [3, 40],
                          "result": stored(result)})
    return cases


def root_set():
    cases = []
    for function in (torch.sqrt, torch.rsqrt):
        for seed, shape in enumerate(([1], [3, 40])):
            result = function(numbers(seed, shape) + 4.0)
            cases.append({"function": function.__name__, "seed": seed, "shape": shape, "result": stored(result)})
    return cases


def raise_set():
    cases = []
    for seed, addend in enumerate((1e-5, 1e-6, 1e-12, 0.1, 1 / 3, -2.0)):
        cases.append({"seed": seed, "addend": addend, "shape": [3, 9], "result": stored(numbers(seed, [3, 9]) + addend)})
    return cases


def every_set():
    cases = []
    for seed, (shape, first, step) in enumerate((([4], 0, 2), ([3, 6], 1, 2), ([2, 3, 7], 0, 2), ([2, 7], 1, 3), ([1, 2], 1, 2))):
        result = numbers(seed, shape)[..., first::step]
        cases.append({"seed": seed, "of": shape, "first": first, "step": step, "shape": list(result.shape),
                      "result": stored(result)})
    return cases


def lookup_set():
    cases = []
    for seed, (of, ids) in enumerate((([4, 3], [2, 0, 3, 2]), ([1, 5], [0]), ([9, 2], [8, 7]))):
        result = torch.nn.functional.embedding(torch.tensor(ids), numbers(seed, of))
        cases.append({"seed": seed, "of": of, "ids": ids, "shape": list(result.shape), "result": stored(result)})
    return cases


def dropout_set():
    cases = []
    for seed, p in enumerate((0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 0.999, 1.0)):
        x = numbers(seed, [5, 7])
        torch.manual_seed(seed)
        result = torch.nn.functional.dropout(x, p)
        kept = torch.ones(5, 7)
        torch.manual_seed(seed)
        kept = torch.nn.functional.dropout(kept, p) != 0
        cases.append({"seed": seed, "p": p, "shape": [5, 7], "kept": "".join("01"[k] for k in kept.flatten().tolist()),
                      "result": stored(result)})
    return cases


def by_blas_set():
    """Products of real numbers: a matrix by a matrix, a vector by a matrix, a matrix by a vector, rows by a vector, a
    vector by nn.Linear with a bias."""
    cases = []
    for seed, (a, b, b_t) in enumerate((
            ([6, 3], [3, 6], 1), ([5, 20], [20, 7], 0), ([17, 33], [33, 9], 1), ([2, 700], [700, 3], 0),
            ([2, 12, 40], [2, 40, 12], 1), ([33], [33, 4], 0), ([20], [20, 7], 1))):
        result = operand(numbers, seed, a, False) @ operand(numbers, seed + 1000, b, bool(b_t))
        cases.append({"operation": "matmul", "seed": seed, "a": a, "b": b, "b_t": bool(b_t), "result": stored(result)})
    for seed, (rows, width) in enumerate(((6, 3), (3, 8), (5, 33), (9, 100), (2, 1000))):
        a, x = numbers(seed, [rows, width]), numbers(seed + 1000, [width])
        for operation, result in (("matvec", a @ x), ("dots", torch.stack([torch.dot(row, x) for row in a]))):
            cases.append({"operation": operation, "seed": seed, "a": [rows, width], "b": [width], "b_t": False,
                          "result": stored(result)})
    for seed, (rows, columns, width) in enumerate(((6, 6, 3), (3, 2, 33), (2, 4, 100))):
        a, b = numbers(seed, [rows, width]), numbers(seed + 1000, [columns, width])
        cases.append({"operation": "pairwise_dots", "seed": seed, "a": [rows, width], "b": [columns, width], "b_t": False,
                      "result": stored(pairwise_dots(a, b))})
    for seed, (d_in, d_out) in enumerate(((3, 2), (33, 4), (1000, 5))):
        x, weight, bias = numbers(seed, [d_in]), numbers(seed + 1000, [d_out, d_in]), numbers(seed + 2000, [d_out])
        result = torch.nn.functional.linear(x, weight, bias)
        cases.append({"operation": "linear", "seed": seed, "a": [d_in], "b": [d_out, d_in], "b_t": False,
                      "result": stored(result)})
    return cases


def grad_fns():
    """The names that a tensor prints for what made it."""
    x = {n: torch.ones([2, 3, 4, 5][-n:], requires_grad=True) for n in (1, 2, 3, 4)}
    weight, bias = torch.ones(2, 5, requires_grad=True), torch.ones(2, requires_grad=True)
    linear, dropout = torch.nn.functional.linear, torch.nn.functional.dropout
    added = torch.zeros(5)
    for i, row in enumerate(x[2]):
        added += x[2][i, 0] * row
    added_up = 0.
    for i in range(5):
        added_up += x[1][i] * x[1][i]
    results = {
        "index": x[2][1], "stack": torch.stack((x[2], x[2])),
        "repeat_interleave": x[2].repeat_interleave(2, dim=0), "t": x[2].T, "transpose": x[3].transpose(1, 2),
        "view": x[2].view(5, 4), "contiguous": x[2].T.contiguous(), "divide": x[2] / 2.0,
        "masked_fill": x[2].masked_fill(torch.ones(4, 5).bool(), -torch.inf), "softmax": torch.softmax(x[2], dim=-1),
        "sum": x[2].sum(dim=-1), "dots": torch.stack([torch.dot(row, x[1]) for row in x[2]]), "weighted_sum": added,
        "dot_by_loop": added_up, "pairwise_dots": pairwise_dots(x[2], x[2]), "divide by a scalar": x[2] / x[1].sum(),
        "matmul 1-D": x[1] @ weight.T, "matmul 2-D": x[2] @ weight.T, "matmul 3-D @ 2-D": x[3] @ weight.T,
        "matmul 3-D": x[3] @ x[3].transpose(1, 2), "matmul 4-D": x[4] @ x[4].transpose(2, 3),
        "sqrt": torch.sqrt(x[2]), "rsqrt": torch.rsqrt(x[2]), "raise": x[2] + 1e-5, "mean": x[2].mean(dim=-1, keepdim=True),
        "variance": x[2].var(dim=-1, unbiased=False, keepdim=True),
        "layer_norm": torch.native_layer_norm(x[2], [5], None, None, 1e-5)[0],
        "softmax_gradient": torch._softmax_backward_data(x[2], torch.softmax(x[2].detach(), -1), -1, torch.float32),
        "total": x[2].sum(),
        "lookup": torch.nn.functional.embedding(torch.tensor([2, 0]), x[2]),
        "subtract": x[2] - x[1], "cos": torch.cos(x[2].double()).float(), "sin": torch.sin(x[2].double()).float(), "every": x[2][..., ::2],
        "amax": x[2].amax(dim=-1, keepdim=True), "maximum": torch.maximum(x[2], x[2] * 2.0),
        "dropout 0": dropout(x[2] / 2.0, 0.0), "dropout 0.5": dropout(x[2], 0.5), "dropout 1": dropout(x[2], 1.0),
    }
    for n in (1, 2, 3):
        results[f"linear {n}-D"] = linear(x[n], weight)
        results[f"linear {n}-D with bias"] = linear(x[n], weight, bias)
    return {name: type(result.grad_fn).__name__ for name, result in results.items()}


BY_CPU = {"softmax": softmax_set, "softmax_gradient": softmax_gradient_set, "softmax_over": softmax_over_set,
          "layer_norm": layer_norm_set}
SETS = {**BY_CPU, "sum": sum_set, "total": total_set, "matmul": matmul_set, "linear": linear_set, "dots": dot_set,
        "dot_by_loop": dot_by_loop_set, "pairwise_dots": pairwise_dots_set, "weighted_sum": weighted_sum_set,
        "divide": divide_set, "divide_by": divide_by_set, "subtract": subtract_set, "amax": amax_set,
        "maximum": maximum_set, "mean": row_set(lambda x: x.mean(dim=-1, keepdim=True)),
        "variance": row_set(lambda x: x.var(dim=-1, unbiased=False, keepdim=True)), "root": root_set, "raise": raise_set,
        "cosine": cosine_set, "every": every_set, "lookup": lookup_set, "dropout": dropout_set}


def lines(cases):
    return "[\n  " + ",\n  ".join(json.dumps(case) for case in cases) + "\n ]"


def run(what, **environment):
    """What this script prints for `what` in a process of its own, with PyTorch's and OpenBLAS's kernels chosen."""
    done = subprocess.run([sys.executable, __file__, what], check=True, stdout=subprocess.PIPE,
                          env={**os.environ, **environment})
    return json.loads(done.stdout)


def write(parts):
    made_with = f"PyTorch {torch.__version__} CPU with ATEN_CPU_CAPABILITY; floats are C99 hexadecimal"
    head = {name: json.dumps(text) for name, text in
            (("made_with", made_with), ("numbers", NUMBERS), ("integers", INTEGERS))}
    print("{\n " + ",\n ".join(f"{json.dumps(key)}: {text}" for key, text in {**head, **parts}.items()) + "\n}")


def main():
    if sys.argv[1:] == ["--sets"]:
        print(json.dumps({name: make() for name, make in SETS.items()}))
        return
    if sys.argv[1:] == ["--by-cpu"]:
        print(json.dumps({name: make() for name, make in BY_CPU.items()}))
        return
    if sys.argv[1:] == ["--by-blas"]:
        print(json.dumps(by_blas_set()))
        return
    if sys.argv[1:] == ["--avx512"]:
        sets = run("--by-cpu", ATEN_CPU_CAPABILITY="avx512")
        write({f"{name}, cpu avx512": lines(cases) for name, cases in sets.items()})
        return
    sets = {cpu: run("--sets", ATEN_CPU_CAPABILITY=cpu) for cpu in CPUS}
    parts = {}
    for name in SETS:
        for cpu in CPUS:
            if name in BY_CPU:
                parts[f"{name}, cpu {cpu}"] = lines(sets[cpu][name])
            elif sets[cpu][name] != sets["avx2"][name]:
                sys.exit(f"{name} differs between the kernel sets")
        if name not in BY_CPU:
            parts[name] = lines(sets["avx2"][name])
    for blas in BLAS:
        cases = run("--by-blas", OPENBLAS_CORETYPE=blas, OPENBLAS_NUM_THREADS="1")
        parts[f"by_blas {blas.lower()}"] = lines(cases)
    parts["grad_fn"] = json.dumps(grad_fns(), indent=2).replace("\n", "\n ")
    write(parts)


if __name__ == "__main__":
    main()
