"""Random lessons of every chapter, and tables of sentences: a sentence matches one row, whose check computes again what it says."""

import itertools
import json
import re

import numpy as np

import harness

NUMBER = r"(-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)"


def call(*arguments):
    return harness.run(*arguments, encoding="utf-8")


def chapters():
    """What `list` says of each, and the options that it accepts."""
    return [{**row, "accepts": {name for name, _ in harness.options_of(*row["command"])}} for row in harness.chapters()]


def lesson(*arguments):
    """All its steps; none where sizes do not fit each other."""
    done = call(*arguments, "--steps", "all", "--format", "json")
    return None if done.returncode == 2 else Lesson(arguments, json.loads(done.stdout))


def random_lessons(chapters, chance, count, path):
    """The chapters by turns: chapter and lesson. Inputs of their own go to that file."""
    found = ((chapter, lesson(*chapter["command"], *some_options(chance, chapter, path)))
             for chapter in itertools.islice(itertools.cycle(chapters), 20 * count))
    return itertools.islice((one for one in found if one[1]), count)


def some_options(chance, chapter, path):
    """Random options of one lesson."""
    options = ["--seed", str(chance.randrange(10_000))]
    sizes = {"--tokens": (1, 9), "--d-in": (1, 6), "--batch": (1, 3), "--d-out": (1, 6), "--query": (0, 3)}
    if "--fixture" in chapter["accepts"] and chance.random() < 0.05:
        return options + ["--fixture"]
    if "--attend-to" in chapter["accepts"] and chance.random() < 0.2:
        options = ["--attend-to", chance.choice(["previous", "same", "earlier", "first"])]
        sizes = {name: size for name, size in sizes.items() if name not in ("--d-in", "--d-out")}
    if chance.random() < 0.2:
        words = ["the", "cats", "like", "dogs", "and", "mice"]
        options += ["--sentence", " ".join(chance.choice(words) for _ in range(chance.randint(1, 8)))]
        sizes.pop("--tokens"), sizes.pop("--d-in", None)
    elif chance.random() < 0.4:
        if "--attend-to" not in options and chance.random() < 0.5:
            own_inputs(chance, path)
            options += ["--inputs", path]
        sizes.pop("--tokens"), sizes.pop("--d-in", None)
    for name, (low, high) in sizes.items():
        if name in chapter["accepts"] and chance.random() < 0.4:
            options += [name, str(chance.randint(low, high))]
    if "--num-heads" in chapter["accepts"] and "--d-out" in options and chance.random() < 0.7:
        options += ["--num-heads", chance.choice(["1", "2", "3"])]
    for name, values in (("--dropout", ["0", "0.1", "0.5", "0.75", "0.9", "1"]), ("--init", ["linear", "rand", "randn"])):
        if name in chapter["accepts"] and chance.random() < 0.5:
            options += [name, chance.choice(values)]
    return options


def own_inputs(chance, path):
    """Writes a file of tokens with three numbers each, some of them unusual."""
    kind = chance.choice(["zero", "alike", "whole", "tiny", "small", "large", "huge"])
    scale = {"zero": 0, "tiny": 1e-20, "small": 1e-3, "large": 1e3, "huge": 1e19}.get(kind, 1)
    row = lambda: [scale * chance.randint(-3, 3) for _ in range(3)]
    first = row()
    with open(path, "w", encoding="ascii") as file:
        for _ in range(chance.randint(1, 6)):
            file.write(",".join(repr(one) for one in (first if kind == "alike" else row())) + "\n")


def array_of(step):
    """Its numbers; "inf" and "nan" are strings there."""
    kind = np.float32 if step["dtype"] == "float32" else step["dtype"]
    return np.array(step["values"], dtype=object).reshape(-1).astype(kind).reshape(step["shape"])


class Lesson:
    """A walkthrough's tensors, with their numbers, and the arguments that run it."""

    def __init__(self, arguments, document):
        self.arguments, self.document = list(arguments), document
        self.tokens = document["tokens"]
        self.tensors = [step for step in document["steps"] if step["kind"] == "tensor"]
        for step in self.tensors:
            step["array"] = array_of(step)
        self.steps = {(step["section"], step["name"]): step for step in self.tensors}

    def array(self, section, name):
        return self.steps[section, name]["array"]

    def named(self, name):
        return [step["array"] for step in self.tensors if step["name"] == name]

    def earlier(self, near, name):
        """The steps before `near` that are called so."""
        return [step for step in itertools.takewhile(lambda step: step is not near, self.tensors)
                if name in (step["name"], f"{step['name']}_{step['section']}")]

    def before(self, near, name=None):
        """The step of that name which `near` speaks of, by default its first operand: the last, in its own section if it is there."""
        called = self.earlier(near, name or near["inputs"][0])
        return ([step for step in called if step["section"] == near["section"]] or called)[-1]


class Sentences:
    """Patterns of sentences, each with a check of its statement."""

    def __init__(self):
        self.checks, self.met = [], set()

    def __call__(self, pattern, check=None):
        """Registers a check for sentences that match the pattern: it gets the known facts and the pattern's groups."""
        if check is None:
            return lambda check: self(pattern, check)
        self.checks.append((re.compile(pattern), check))
        return check

    def fault(self, sentence, known):
        """The fault of a sentence: "unknown", "untrue", or nothing."""
        matching = [(check, found) for pattern, check in self.checks if (found := pattern.fullmatch(sentence))]
        if len(matching) != 1:
            return "unknown"
        check, found = matching[0]
        self.met.add(found.re.pattern)
        return "" if check(known, *found.groups()) else "untrue"

    def never_met(self):
        return [pattern.pattern for pattern, _ in self.checks if pattern.pattern not in self.met]


def near(text, value):
    """True if the printed number is the value, within half a unit of its last digit."""
    digits, _, exponent = text.partition("e")
    unit = 10.0 ** (int(exponent or 0) - len(digits.partition(".")[2]))
    return abs(float(text) - value) <= 0.5001 * unit + 1e-12


def close(a, b):
    return np.allclose(a, b, rtol=1e-5, atol=1e-6)


def row_sums(a):
    return a.astype(np.float64).sum(axis=-1)


def softmax(scores):
    with np.errstate(invalid="ignore"):
        powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)
