"""Makes golden/print.json: tensors, print options, and the text that the real PyTorch prints for them.

    python3 golden/make_print.py > golden/print.json    (with the newest PyTorch: see README.md)

A case's elements are its `values`, repeated in row-major order until the shape is full, but for those that
`elsewhere` gives by index. Floats are C99 hexadecimal, nan, inf or -inf.
"""
import argparse
import json
import math
import random
import struct
import sys

import torch

NAN, INF = math.nan, math.inf
DTYPES = {"float32": torch.float32, "int64": torch.int64, "bool": torch.bool}
INT64_MIN, INT64_MAX = -2**63, 2**63 - 1
FLOAT_MAX, SMALLEST_NORMAL, SMALLEST_DENORMAL = 2.0**128 - 2.0**104, 2.0**-126, 2.0**-149

# Each leaves the values as they are and a grad_fn behind.
AUTOGRAD = {
    "leaf": lambda t: t,
    "mul": lambda t: t * 1,
    "div": lambda t: t / 1,
    "clone": lambda t: t.clone(),
    "view": lambda t: t.view(t.shape),
    "squeeze": lambda t: t.unsqueeze(0).squeeze(0),
    "select": lambda t: torch.stack([t, t])[1],
    "expand": lambda t: t.expand(t.shape),
    "masked_fill": lambda t: t.masked_fill(torch.zeros(t.shape, dtype=torch.bool), 0.0),
}


def build(dtype, shape, values, elsewhere):
    count = math.prod(shape)
    flat = torch.tensor(values, dtype=DTYPES[dtype]).repeat(count // len(values) + 1)[:count]
    for index, value in elsewhere.items():
        flat[index] = value
    return flat.reshape(shape)


def stored(values, dtype):
    """As they are in a tensor of the dtype, in a form that JSON keeps exactly."""
    values = torch.tensor(values, dtype=DTYPES[dtype]).tolist()
    return [value.hex() for value in values] if dtype == "float32" else values


def suffixes_of(tensor):
    suffixes = ["dtype=torch.float64"] if tensor.dtype == torch.float64 else []
    if tensor.grad_fn is not None:
        suffixes.append(f"grad_fn=<{type(tensor.grad_fn).__name__}>")
    elif tensor.requires_grad:
        suffixes.append("requires_grad=True")
    return suffixes


def printed(tensor, options):
    torch.set_printoptions(profile="default", sci_mode=None)
    torch.set_printoptions(**options)
    text = str(tensor)
    torch.set_printoptions(profile="default", sci_mode=None)
    return text


def case(name, values, shape=None, dtype="float32", elsewhere=None, autograd=None, double=False, **options):
    """The elements default to a vector of `values`. `autograd` is a key of AUTOGRAD; `double` adds a suffix for the dtype."""
    shape = [len(values)] if shape is None else list(shape)
    elsewhere = elsewhere or {}
    tensor = build(dtype, shape, values, elsewhere)
    if double:
        tensor = tensor.double()
    if autograd:
        tensor = AUTOGRAD[autograd](tensor.requires_grad_())
    result = {"name": name, "dtype": dtype, "shape": shape, "values": stored(values, dtype)}
    if elsewhere:
        result["elsewhere"] = dict(zip(map(str, elsewhere), stored(list(elsewhere.values()), dtype)))
    if options:
        result["options"] = options
    if suffixes_of(tensor):
        result["suffixes"] = suffixes_of(tensor)
    result["text"] = printed(tensor, options)
    return result


def scalar(name, value, dtype="float32", **others):
    return case(name, [value], [], dtype, **others)


TOY = [0.43, 0.15, 0.89, 0.55, 0.87, 0.66, 0.57, 0.85, 0.64, 0.22, 0.58, 0.33, 0.77, 0.25, 0.10, 0.05, 0.80]
SIGNED = [0.25, -1.5, 3.125, -0.0625, 12.75, 0.4375, -7.875]
PRIMES = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31]


def scalar_cases():
    for name, value in {
            "fraction": 0.1, "negative fraction": -0.1, "whole": 3.0, "negative whole": -3.0, "zero": 0.0,
            "negative zero": -0.0, "nan": NAN, "inf": INF, "negative inf": -INF, "largest": FLOAT_MAX,
            "most negative": -FLOAT_MAX, "smallest normal": SMALLEST_NORMAL, "denormal": SMALLEST_DENORMAL,
            "negative denormal": -SMALLEST_DENORMAL, "1e8": 1e8, "next after 1e8": 100000008.0,
            "1e-4": 1e-4, "next below 1e-4": 9.9999990e-5, "2^24": 2.0**24, "rounds up to ten": 9.99996}.items():
        yield scalar(f"scalar, {name}", value)
        yield scalar(f"scalar, {name}, sci_mode on", value, sci_mode=True)
        yield scalar(f"scalar, {name}, sci_mode off", value, sci_mode=False)
    for value in (0, 7, -7, INT64_MAX, INT64_MIN):
        yield scalar(f"scalar, int64 {value}", value, "int64")
    for value in (True, False):
        yield scalar(f"scalar, {value}", value, "bool")
    yield scalar("scalar, requires_grad", 0.5, autograd="leaf")
    yield scalar("scalar, grad_fn", 0.5, autograd="mul")
    yield scalar("scalar, threshold 0", 0.5, threshold=0)
    yield scalar("scalar, linewidth 0", 0.5, autograd="mul", linewidth=0)


def format_cases():
    yield case("integers", [1.0, 2.0, 30.0])
    yield case("integers, negative", [1.0, -20.0, 3.0])
    yield case("integers, zeros are not measured", [0.0, 0.0, -0.0])
    yield case("integers, zeros with sci_mode on", [0.0, -0.0], sci_mode=True)
    yield case("integers, ratio 1000", [1.0, 1000.0])
    yield case("integers, ratio above 1000", [1.0, 1001.0])
    yield case("integers, at 1e8", [1e8, 99999992.0])
    yield case("integers, above 1e8", [100000008.0, 1e8])
    yield case("integers, nan and inf", [1.0, NAN, INF, -INF, 200.0])
    yield case("integers, infinite only", [INF, -INF, NAN])
    yield case("integers, zero and nan", [0.0, NAN])
    yield case("fractions", TOY, [17])
    yield case("fractions, negative zero", [-0.0, 0.5, -0.5])
    yield case("fractions, rounded to zero", [0.0001, -0.0001, 0.00012], precision=2)
    yield case("fractions, ratio 1000", [0.5, 500.0])
    yield case("fractions, ratio above 1000", [0.5, 500.5])
    yield case("fractions, ratio of floats just above 1000", [0.1, 100.0, 100.00001])
    yield case("fractions, smallest at 1e-4", [1.0001e-4, 0.01])
    yield case("fractions, smallest is the float above 1e-4", [1.0000000475e-4, 0.01])
    yield case("fractions, smallest is the float of 1e-4", [1e-4, 0.01])
    yield case("fractions, smallest below 1e-4", [9.9e-5, 0.01])
    yield case("fractions, rounding widens the column", [9.99996, 1.5])
    yield case("fractions, rounding widens, negative", [-9.99996, 1.5])
    yield case("fractions, nan and inf", [0.5, NAN, INF, -INF, -20.25])
    yield case("fractions, nan wider than the column", [0.5, NAN, -INF], precision=0)
    yield case("fractions, ties to even", [0.5, 1.5, 2.5, -0.5, -3.5], precision=0)
    yield case("fractions, ties at two digits", [0.125, 0.375, 0.625, -0.125], precision=2)
    yield case("scientific", [1e-10, 1.0, 1e10])
    yield case("scientific, negative", [-1e-10, 1.0, -1e10])
    yield case("scientific, nan, inf and zeros", [1e-10, NAN, INF, -INF, 0.0, -0.0])
    yield case("scientific, denormals", [SMALLEST_DENORMAL, -3 * SMALLEST_DENORMAL, SMALLEST_NORMAL])
    yield case("scientific, whole range", [SMALLEST_DENORMAL, FLOAT_MAX, -FLOAT_MAX])
    yield case("scientific, mantissa rounds up to ten", [9.99996e9, 9.99996e-9])
    for precision in (0, 1, 2, 3, 5, 8, 10, 17, 20, 30, 60):
        yield case(f"precision {precision}, fractions", SIGNED, precision=precision)
        yield case(f"precision {precision}, scientific", [1e-7, 0.3, -4567.875], precision=precision)
        yield case(f"precision {precision}, integers", [1.0, -20.0, NAN], precision=precision)
    for mode in (True, False):
        yield case(f"sci_mode {mode}, integers", [1.0, 20.0], sci_mode=mode)
        yield case(f"sci_mode {mode}, integers far apart", [1.0, -2e6, INF], sci_mode=mode)
        yield case(f"sci_mode {mode}, fractions", SIGNED, sci_mode=mode)
        yield case(f"sci_mode {mode}, fractions far apart", [1e-6, 0.5, -1e5, NAN], sci_mode=mode)
        yield case(f"sci_mode {mode}, largest float", [FLOAT_MAX, 0.5], sci_mode=mode)
        yield case(f"sci_mode {mode}, int64", [1, 2_000_000], dtype="int64", sci_mode=mode)
        yield case(f"sci_mode {mode}, the width decides the lines", [1e-6, 0.5, -1e5], [40], sci_mode=mode)
    yield case("int64", PRIMES, dtype="int64")
    yield case("int64, negative", [1, -200, 30], dtype="int64")
    yield case("int64, extremes", [INT64_MIN, 0, INT64_MAX], dtype="int64")
    yield case("int64, zeros", [0], [2, 3], dtype="int64")
    yield case("bool", [True, False, True], dtype="bool")
    yield case("bool, all True", [True], [2, 3], dtype="bool")
    yield case("bool, causal mask", [bool(j > i) for i in range(6) for j in range(6)], [6, 6], dtype="bool")


def layout_cases():
    for shape in ([1], [1, 1], [1, 1, 1, 1], [2, 3], [6, 3], [2, 1, 3], [2, 3, 4], [2, 2, 2, 3], [2, 1, 2, 1, 2],
                  [1, 2, 1, 2, 1, 2], [30], [2, 30], [2, 2, 30], [3, 1]):
        yield case(f"layout {shape}, fractions", SIGNED, shape)
        yield case(f"layout {shape}, integers", [1.0, -20.0, 3.0], shape)
        yield case(f"layout {shape}, int64", PRIMES, shape, "int64")
        yield case(f"layout {shape}, bool", [True, False, False], shape, "bool")
    for linewidth in (-5, 0, 1, 7, 8, 14, 15, 16, 17, 22, 23, 24, 40, 79, 81, 120, 1000):
        yield case(f"linewidth {linewidth}, vector", SIGNED, [23], linewidth=linewidth)
        yield case(f"linewidth {linewidth}, matrix", SIGNED, [2, 9], linewidth=linewidth, autograd="mul")
    for shape in ([0], [0, 3], [3, 0], [0, 0], [2, 0, 4], [1, 2, 3, 0], [10, 20, 30, 0]):
        for dtype in DTYPES:
            yield case(f"empty {shape}, {dtype}", [1], shape, dtype)
        yield case(f"empty {shape}, requires_grad", [1], shape, autograd="leaf")
        yield case(f"empty {shape}, grad_fn, narrow", [1], shape, autograd="view", linewidth=30)
        yield case(f"empty {shape}, int64, narrow", [1], shape, "int64", linewidth=20, threshold=0)


def suffix_cases():
    for autograd in AUTOGRAD:
        yield case(f"suffix, {autograd}", SIGNED, [2, 3], autograd=autograd)
    for count in range(5, 10):
        yield case(f"suffix, {count} columns in the last line", SIGNED, [2, count], autograd="mul")
    for linewidth in range(40, 56):
        yield case(f"suffix, linewidth {linewidth}, one line", [0.5, 0.25], autograd="mul", linewidth=linewidth)
        yield case(f"suffix, linewidth {linewidth}, two lines", TOY, [2, 2], autograd="leaf",
                   linewidth=linewidth)
        yield case(f"suffix, linewidth {linewidth}, two suffixes", TOY, [2, 2], autograd="clone",
                   double=True, linewidth=linewidth)
    yield case("suffix, dtype only", PRIMES, [2, 2], double=True)
    yield case("suffix, each on its own line", TOY, [1, 2], autograd="leaf", double=True, linewidth=5)
    yield case("suffix, empty", [1], [0, 2], autograd="leaf", double=True, linewidth=40)


def summary_cases():
    yield case("summary, 1000 elements are all shown", PRIMES, [1000], "int64")
    yield case("summary, 1001 elements", TOY, [1001])
    yield case("summary, 1001 elements, int64", PRIMES, [1001], "int64")
    yield case("summary, 1001 elements, bool", [True, False, False], [1001], "bool")
    yield case("summary, middle does not decide the format", [1.0, 2.0], [2000], elsewhere={1000: 1e30, 1001: -0.5})
    yield case("summary, first edge decides", [1.0, 2.0], [2000], elsewhere={2: -0.5})
    yield case("summary, last edge decides", [1.0, 2.0], [2000], elsewhere={1997: 1e9})
    yield case("summary, just inside the middle", [1.0, 2.0], [2000], elsewhere={3: -0.5, 1996: 1e9})
    yield case("summary, int64 middle", [1, 2], [2000], "int64", elsewhere={1000: -10**12})
    yield case("summary, bool middle", [True], [2000], "bool", elsewhere={1000: False})
    yield case("summary, matrix middle", [1.0, 2.0], [40, 50], elsewhere={50 * 20: 1e30, 25: 0.5})
    yield case("summary, embedding weights", SIGNED, [50000, 3], autograd="leaf")
    for shape in ([1001, 1], [1, 1001], [7, 200], [6, 200], [200, 6], [200, 7], [40, 50], [2, 3, 200], [12, 12, 12],
                  [7, 7, 7, 7], [2, 8, 2, 8, 8], [1, 1, 1, 1, 2000]):
        yield case(f"summary {shape}, fractions", SIGNED, shape, autograd="mul")
        yield case(f"summary {shape}, int64", PRIMES, shape, "int64")
    for edgeitems in (1, 2, 5, 40):
        yield case(f"summary, edgeitems {edgeitems}, vector", SIGNED, [81], threshold=10, edgeitems=edgeitems)
        yield case(f"summary, edgeitems {edgeitems}, matrix", SIGNED, [11, 10], threshold=10, edgeitems=edgeitems)
        yield case(f"summary, edgeitems {edgeitems}, narrow", SIGNED, [11, 12], threshold=10, edgeitems=edgeitems,
                   linewidth=40)
    for shape in ([20], [4, 5], [2, 2, 5], [1, 20]):
        yield case(f"summary {shape}, edgeitems 0", SIGNED, shape, threshold=10, edgeitems=0, autograd="mul")
        yield case(f"summary {shape}, edgeitems 0, narrow", SIGNED, shape, threshold=10, edgeitems=0, linewidth=20)
        yield case(f"not summarised {shape}, edgeitems 0", PRIMES, shape, "int64", edgeitems=0)
    yield case("summary, edgeitems 0, scalar", [0.5], [], threshold=0, edgeitems=0)
    yield case("summary, edgeitems 0, empty", [1], [0], threshold=-1, edgeitems=0)
    for linewidth in (8, 16, 20, 30, 40, 50):
        yield case(f"summary, dots wrap at linewidth {linewidth}", SIGNED, [30], threshold=9, linewidth=linewidth)
    for threshold in (-1, 0, 5, 6, 10**9):
        yield case(f"summary, threshold {threshold}", SIGNED, [2, 3], threshold=threshold, edgeitems=1)


def any_float(rng):
    return struct.unpack("<f", rng.randbytes(4))[0]


FLOAT_STYLES = [
    lambda rng: rng.random(),
    lambda rng: rng.gauss(0, 1),
    lambda rng: rng.gauss(0, 1) * 10.0**rng.randint(-3, 3),
    lambda rng: rng.gauss(0, 1) * 10.0**rng.randint(-44, 37),
    lambda rng: float(rng.randint(-20, 20)),
    lambda rng: float(rng.randint(0, 3000)),
    lambda rng: float(rng.randint(-2 * 10**8, 2 * 10**8)),
    lambda rng: rng.choice([1.0, -1.0]) * 10.0**rng.randint(-6, 9),
    lambda rng: rng.choice([1, 10, 100, 1000]) * rng.choice([0.999995, 0.99999, 1.0, -0.999949, 0.0999999]),
    lambda rng: rng.randint(-64, 64) / 2.0**rng.randint(0, 6),
    lambda rng: rng.randint(-5, 5) * SMALLEST_DENORMAL,
    any_float,
]
SPECIALS = [NAN, INF, -INF, 0.0, -0.0, FLOAT_MAX, -FLOAT_MAX, SMALLEST_DENORMAL, 1e-4, 1e8]


def random_values(rng, dtype, count):
    if dtype == "bool":
        chance = rng.choice([0.0, 0.1, 0.5, 1.0])
        return [rng.random() < chance for _ in range(count)]
    if dtype == "int64":
        largest = rng.choice([1, 9, 100, 50256, 10**9, INT64_MAX])
        return [rng.randint(rng.choice([0, -largest]), largest) for _ in range(count)]
    style = rng.choice(FLOAT_STYLES)
    chance = rng.choice([0.0, 0.0, 0.0, 0.1, 0.5])
    return [rng.choice(SPECIALS) if rng.random() < chance else style(rng) for _ in range(count)]


def random_shape(rng):
    rank = rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 4, 5])
    sizes = {0: [1], 1: range(1, 40), 2: range(1, 13), 3: range(1, 7), 4: range(1, 4), 5: range(1, 4)}[rank]
    return [0 if rng.random() < 0.01 else rng.choice(sizes) for _ in range(rank)]


def random_options(rng):
    options = {}
    if rng.random() < 0.4:
        options["precision"] = rng.choice([0, 1, 2, 3, 5, 6, 8, 12, 20])
    if rng.random() < 0.5:
        options["threshold"] = rng.choice([-1, 0, 3, 8, 20, 50])
    if rng.random() < 0.4:
        options["edgeitems"] = rng.choice([0, 1, 1, 2, 2, 4, 5, 9])
    if rng.random() < 0.5:
        options["linewidth"] = rng.randint(-2, 200)
    if rng.random() < 0.3:
        options["sci_mode"] = rng.choice([True, False])
    return options


def random_case(rng, number):
    dtype = rng.choice(["float32", "float32", "float32", "int64", "bool"])
    shape, options = random_shape(rng), random_options(rng)
    double = dtype == "float32" and rng.random() < 0.1
    autograd = rng.choice([None, *AUTOGRAD]) if dtype == "float32" else None
    values = random_values(rng, dtype, rng.choice([1, 2, 5, 23]))
    return case(f"random {number}", values, shape, dtype, autograd=autograd, double=double, **options)


def golden(random_cases, seed):
    rng = random.Random(seed)
    cases = [*scalar_cases(), *format_cases(), *layout_cases(), *suffix_cases(), *summary_cases()]
    cases += [random_case(rng, number) for number in range(random_cases)]
    sizes = [{"shape": shape, "text": str(torch.zeros(shape).shape)}
             for shape in ([], [0], [6], [2, 6, 3], [1, 2, 3, 4, 5])]
    return {"made_with": f"PyTorch {torch.__version__}", "sizes": sizes, "cases": cases}


def write(data, out):
    """One case on a line."""
    head = json.dumps({key: data[key] for key in ("made_with", "sizes")})
    out.write(head[:-1] + ', "cases": [\n')
    out.write(",\n".join(json.dumps(c, separators=(",", ":")) for c in data["cases"]))
    out.write("\n]}\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Makes golden/print.json.")
    parser.add_argument("--random-cases", type=int, default=300)
    parser.add_argument("--seed", type=int, default=123)
    arguments = parser.parse_args()
    write(golden(arguments.random_cases, arguments.seed), sys.stdout)
