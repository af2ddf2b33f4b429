"""Ports of every habit: right ones pass, and a mistake in one is found at its step and called by its name.

Each port computes the whole attention itself in numpy, of the inputs and weights that the tool saves, and dumps its
tensors as somebody's program would: a row of ../port_habits.txt. What is wrong in a port, and what is called true of it, is told
by the port alone: a row of MISTAKES. ATTN_TEST_EVERY=1 tries all of them."""
import collections
import functools
import json
import math
import os
import pathlib
import random
import re
import tempfile
import unittest

import numpy as np

import harness
from harness import run
from port_mistakes import MISTAKES, lines, softmax, swap

LESSONS = {
    "multihead": ["multihead", "--fixture", "--dropout", "0"],
    "dropped": ["multihead", "--fixture"],
    "square": ["multihead", "--fixture", "--dropout", "0", "--d-in", "12", "--d-out", "12", "--num-heads", "2",
               "--tokens", "6", "--batch", "3", "--seed", "7"],
    "no bias": ["multihead", "--tokens", "6", "--d-in", "8", "--d-out", "12", "--num-heads", "3", "--batch", "2",
                "--dropout", "0"],
    "causal": ["causal", "--fixture", "--dropout", "0"],
    "trainable": ["trainable", "--fixture"],
    "cross": ["cross", "--fixture"],
}

WORDS = {"{q}": "q k v", "{Q}": "Q K V", "{query}": "query key value", "{queries}": "queries keys values",
         "{Queries}": "Queries Keys Values"}
TABLE = pathlib.Path(__file__).parents[1].joinpath("port_habits.txt").read_text("utf-8")
# By its name, where a program scales, its mask, and what it calls its tensors.
HABITS = {name: (way, mask, entries.split()) for name, way, mask, entries in re.findall(r"(?m)^(\S.*): (\w+) (\w+)\n((?:  .*\n)+)", TABLE)}
# How a tensor x of the layout [B, H, T, d], [B, T, D] or [out, in] is laid out otherwise.
LAYOUTS = {**dict.fromkeys(("", "rev", "ne", "e0"), "x"), **dict(re.findall(r"(?m)^@(\w+) (.*)", TABLE))}


def slots_of(habit):
    """The name and layout of each slot."""
    found = {}
    for entry in HABITS[habit][2]:
        slot, _, name = entry.partition("=")
        name, _, how = name.partition("@")
        for i, letter in enumerate("qkv" if "*" in slot else "-"):
            own = name
            for mark, words in WORDS.items():
                own = own.replace(mark, words.split()[i] if "*" in slot else mark)
            found[slot.replace("*", letter)] = (own, how)
    return found


WAYS = ("after", "before", "query", "both")
MASKS = ("drop", "keep", "drop01", "keep01", "inf", "1e9", "min", "lower")
WEIGHTS = "Wq Wk Wv Wo bq bk bv bo Wqkv bqkv Wkv bkv".split()
HEADS = {"qh": "q", "kh": "k", "vh": "v", "ctxh": "ctx"}

# What each may be called by the tool, for a first wrong step to be the true one.
STEPS = {"x": "inputs|batch", "x2": "second_input", "mask": "mask", "kept": "dropout_mask", "q": "quer", "k": "key",
         "v": "value", "scores": "scores", "scaled": "scores", "masked": "scores", "weights": "weights",
         "mean": "weights", "dropped": "weights", "ctx": "context|joined", "out": "output"}


class Lesson:
    """What every port of a lesson is given."""

    def __init__(self, arguments):
        self.arguments = arguments
        with tempfile.TemporaryDirectory() as folder:
            assert run(*arguments, "--save", "steps.npz", cwd=folder).returncode == 0
            with np.load(os.path.join(folder, "steps.npz")) as saved:
                names = [name for name in saved.files if not name.startswith("one_query/")]
                steps = {name.removeprefix("self_attention/"): saved[name] for name in names}
        self.steps = steps
        self.has_batch = "batch" in steps
        self.has_heads = "queries_heads" in steps
        self.x = steps["batch"] if self.has_batch else steps["inputs"][None]
        self.x2 = steps["second_input"][None] if "second_input" in steps else None
        names = {"q": "W_query", "k": "W_key", "v": "W_value"}
        self.weight = {letter: steps[name] for letter, name in names.items()}
        self.bias = {letter: steps.get(name + "_bias") for letter, name in names.items()}
        self.weight["o"], self.bias["o"] = steps.get("out_proj_weight"), steps.get("out_proj_bias")
        self.heads = steps["queries_heads"].shape[1] if self.has_heads else 1
        self.is_causal = "mask" in steps
        self.kept = steps.get("dropout_mask")
        if self.kept is not None and not self.has_heads:
            self.kept = self.kept[:, None]
        self.p = 0.25 if self.kept is not None and not self.kept.all() else 0.0


class Port:
    """Attention, a method for each line; `instead` are lines that somebody wrote otherwise."""

    def __init__(self, lesson, way="after", mask="drop", dtype=np.float32, instead=None):
        self.way, self.kind, self.dtype, self.instead = way, mask, dtype, instead or {}
        self.lesson, self.heads = lesson, lesson.heads
        self.weight, self.bias = ({name: None if one is None else one.astype(dtype) for name, one in own.items()}
                                  for own in (lesson.weight, lesson.bias))
        self.root = np.sqrt(dtype(self.weight["q"].shape[0] // self.heads))
        self.made = {}
        with np.errstate(all="ignore"):
            self.compute()

    def line(self, name, *operands):
        right = getattr(self, name)
        return self.instead[name](self, right, *operands) if name in self.instead else right(*operands)

    def compute(self):
        made, line = self.made, self.line
        made["x"] = self.lesson.x.astype(self.dtype)
        second = made["x"]
        if self.lesson.x2 is not None:
            second = made["x2"] = self.lesson.x2.astype(self.dtype)
        for name in "qkv":
            made[name] = line("project", line("read", made["x"] if name == "q" else second, name), name)
        for name in "qkv":
            made[name + "h"] = line("split", made[name], name)
        q, k, v = made["qh"], made["kh"], made["vh"]
        if self.way in ("query", "both"):
            q = made["qs"] = line("scale", q)
        if self.way == "both":
            k = made["ks"] = k / np.sqrt(self.root)
        made["scores"] = scores = line("score", q, k)
        hidden = made["hidden"] = line("mask", scores.shape[-1]) if self.lesson.is_causal else None
        hide = (lambda scores: scores) if hidden is None else lambda scores: line("hide", scores, hidden)
        if self.way == "before":
            made["scaled"] = scores = line("scale", scores)
        made["masked"] = scores = hide(scores)
        if self.way == "after":
            made["scaled"] = scores = line("scale", scores)
        made["weights"] = weights = line("weigh", scores)
        if self.lesson.p:
            made["kept"] = self.lesson.kept
            made["dropped"] = weights = line("drop", weights)
        made["ctxh"] = context = line("attend", weights, v)
        made["ctx"] = joined = line("join", context)
        if self.weight["o"] is not None:
            made["out"] = line("finish", joined)

    def read(self, x, name):
        return x

    def project(self, x, name):
        result = x @ self.weight[name].T
        return result if self.bias[name] is None else result + self.bias[name]

    def split(self, x, name):
        b, n, d = x.shape
        return x.reshape(b, n, self.heads, d // self.heads).transpose(0, 2, 1, 3)

    def score(self, q, k):
        return q @ swap(k)

    def scale(self, s):
        return s / (np.sqrt(self.root) if self.way == "both" else self.root)

    def mask(self, n):
        return np.triu(np.ones((n, n), bool), 1)

    def fill(self):
        finite = {"1e9": -1e9, "drop01": -1e9, "keep01": -1e9, "min": np.finfo(self.dtype).min}
        return self.dtype(finite.get(self.kind, -np.inf))

    def hide(self, s, hidden):
        if self.kind in ("inf", "1e9", "min"):
            return s + np.where(hidden, self.fill(), self.dtype(0))
        return np.where(hidden, self.fill(), s)

    def weigh(self, s):
        return softmax(s)

    def drop(self, w):
        return np.where(self.lesson.kept, w / self.dtype(1 - self.lesson.p), self.dtype(0))

    def attend(self, w, v):
        return w @ v

    def join(self, c):
        b, h, n, d = c.shape
        return c.transpose(0, 2, 1, 3).reshape(b, n, h * d)

    def finish(self, j):
        return self.project(j, "o")

    # ---- What is dumped

    def tensor(self, slot):
        """One tensor, or None where the lesson has none."""
        made = self.made
        if slot in ("Wqkv", "bqkv", "Wkv", "bkv"):
            parts = [(self.weight if slot[0] == "W" else self.bias)[name] for name in slot[1:]]
            return None if parts[0] is None else np.concatenate(parts)
        if slot in WEIGHTS:
            return (self.weight if slot[0] == "W" else self.bias)[slot[1]]
        if slot == "mask":
            hidden = made["hidden"]
            kinds = {"keep": lambda: ~hidden, "drop": lambda: hidden, "drop01": lambda: hidden.astype(self.dtype),
                     "keep01": lambda: (~hidden).astype(self.dtype)}
            kinds["lower"] = kinds["keep"]
            added = lambda: np.where(hidden, self.fill(), self.dtype(0))
            return None if hidden is None else kinds.get(self.kind, added)()
        if slot == "qkv":
            return np.concatenate([made["q"], made["k"], made["v"]], -1) if self.lesson.x2 is None else None
        if slot in ("mean", "kt"):
            return made["weights"].mean(1) if slot == "mean" else swap(made["kh"])
        if self.kind == "lower" and slot in ("scores", "scaled", "masked") and made["hidden"] is not None:
            return np.where(made["hidden"], self.dtype(0), made[slot]) if slot in made else None  # never written
        return made.get(slot)

    def laid_out(self, tensor, slot, how):
        """The tensor as somebody's program has it: [B, H, T, d] and [B, T, D] where nothing is said,
        and then column by column (rev), with its shape the other way round (ne), or its first entry (e0)."""
        h = self.heads
        tensor = eval(LAYOUTS[how], globals(), {"x": tensor, "h": h, "batch": len(self.lesson.x)})
        if how in ("", "rev", "ne", "e0") and slot not in WEIGHTS and slot not in ("mask", "qkv"):
            tensor = tensor[:, 0] if not self.lesson.has_heads and tensor.ndim == 4 else tensor
            tensor = tensor if self.lesson.has_batch else tensor[0]
        if how == "e0":
            return tensor[0] if self.lesson.has_batch else tensor
        return {"rev": tensor.T, "ne": tensor.reshape(tensor.shape[::-1])}.get(how, tensor)

    def dump(self, habit):
        """The habit's tensors by their names, and the slot of each."""
        tensors, slots = {}, {}
        named = slots_of(habit)
        for slot, (name, how) in named.items():
            if not self.lesson.has_heads and HEADS.get(slot) in named:
                continue
            if slot == "out" and self.weight["o"] is None and not {"ctx", "ctxh"} & set(named):
                slot = "ctx"
            tensor = self.tensor(slot)
            if tensor is None:
                continue
            if "{h}" in name:
                parts = np.split(tensor, self.heads) if slot in WEIGHTS else [tensor[:, i] for i in range(self.heads)]
            else:
                parts = [self.laid_out(tensor, slot, how)]
            for i, part in enumerate(parts):
                tensors[name.replace("{h}", str(i))] = np.ascontiguousarray(part)
                slots[name.replace("{h}", str(i))] = slot
        return tensors, slots


# ---- What the tool says ----------------------------------------------------------------------------

TYPES = (np.float32, np.float64)
FORMS = ("all", "no weights", "half of them", "the ends")


@functools.cache
def lesson(name):
    return Lesson(LESSONS[name])


def part_of(tensors, slots, form, dice):
    """The names of those that somebody dumps."""
    names = list(tensors)
    if form == "no weights":
        names = [name for name in names if slots[name] not in WEIGHTS]
    if form == "half of them":
        names = [name for name in names if dice.random() < 0.5]
    if form == "the ends":
        names = [name for name in names if slots[name] in ("x", "x2", "qh", "kh", "vh", "weights", "ctx", "out")]
    return names or list(tensors)


def verified(compared, ports, *more):
    """The exit code and the reports of several ports of one lesson or layer."""
    with tempfile.TemporaryDirectory() as folder:
        files = [f"port{i}.npz" for i in range(len(ports))]
        for file, tensors in zip(files, ports):
            np.savez(os.path.join(folder, file), **tensors)
        done = run("verify", *files, *compared, *more, "--format", "json", cwd=folder, timeout=500)
    assert done.returncode in (0, 1) and (not done.stderr or more), done
    reports = json.loads(done.stdout)
    reports = reports if len(ports) > 1 else [reports]
    assert done.returncode == (0 if all(report["holds"] for report in reports) else 1)
    return done.returncode, reports


def judged(ports):
    """What the tool says of each (lesson, tensors): those of a lesson at once."""
    reports = [None] * len(ports)
    for name in LESSONS:
        places = [i for i, (its, _) in enumerate(ports) if its == name]
        for some in (places[begin:begin + 20] for begin in range(0, len(places), 20)):
            _, its = verified(["--chapter", *LESSONS[name]], [ports[i][1] for i in some])
            for i, report in zip(some, its):
                reports[i] = report
    return reports


def differs(theirs, right):
    """Visibly: not in what a large negative number says as well as -inf."""
    if theirs.shape != right.shape:
        return True
    a, b = (np.where(one < -1e3, -np.inf, one) for one in (theirs.astype(np.float64), right.astype(np.float64)))
    with np.errstate(invalid="ignore"):
        is_near = np.isfinite(a) & np.isfinite(b) & (abs(a - b) <= 3e-5 * (1 + abs(b)))
    return not np.all((a == b) | is_near)


def first_wrong(theirs, right, slots, way):
    """The names of those that are wrong, and of which nothing that is dumped and wrong comes before."""
    parents = {"qh": "q qkv", "kh": "k qkv", "vh": "v qkv", "kt": "kh", "qs": "qh", "ks": "kh",
               "scores": "qs qh ks kh kt", "scaled": "scores", "masked": "mask scores",
               "weights": "masked scaled", "mean": "weights", "dropped": "weights", "ctxh": "dropped weights vh",
               "ctx": "ctxh", "out": "ctx"}
    parents["scaled" if way == "after" else "masked"] += " masked" if way == "after" else " scaled"

    def before(slot):
        own = set(parents.get(slot, "").split())
        return own.union(*map(before, own))

    wrong = {name for name in theirs if differs(theirs[name], right[name])}
    wrong_slots = {slots[name] for name in wrong}
    return {name for name in wrong if not before(slots[name]) & wrong_slots}


def taken_for_others(theirs, wrong, slots, port):
    """Of the wrong ones those whose name may mean what they are: scores before a line, or a mask of what is seen."""
    made = port.made
    meant = {"scores": [made[slot] for slot in ("scores", "scaled", "masked") if slot in made], "mask": [],
             "qs": [made["qh"]], "ks": [made["kh"]]}
    if made["hidden"] is not None:
        meant["scores"].append(port.hide(made["scores"], made["hidden"]))
        meant["mask"] = [made["hidden"], ~made["hidden"]]
    meant["scaled"] = meant["masked"] = meant["scores"]

    def is_one(name):
        slot = slots[name]
        own = theirs[name].reshape(-1, *meant["mask"][0].shape)[0] if slot == "mask" else theirs[name]
        others = [other for other in meant.get(slot, []) if other.size == own.size]
        return any(not differs(own.reshape(other.shape), other) for other in others)

    return {name for name in wrong if is_one(name)}


def right_rows():
    """Habit, lesson, way, mask, and what is dumped."""
    rows = [(habit, name, *HABITS[habit][:2], "all") for habit in HABITS for name in LESSONS]
    rows += [(habit, "multihead", *HABITS[habit][:2], form) for habit in HABITS for form in FORMS[1:]]
    few = list(HABITS)[::6]
    rows += [(habit, "multihead", way, mask, "all") for habit in few for way in WAYS for mask in MASKS]
    random.Random(1).shuffle(rows)  # else every eighth has the same mask
    return rows


def wrong_rows():
    """Each mistake in four habits: mistake, lesson, habit, what is dumped, type, the lines, what is true of it."""
    habits = list(HABITS)
    for i, (mistake, lessons, instead, truth) in enumerate(MISTAKES):
        for j in range(4):
            form = FORMS[(i + j) % 3] if j else "all"
            habit = habits[(i * 5 + j * 11) % len(habits)]
            yield mistake, lessons[j % len(lessons)], habit, form, TYPES[(i + j) % 2], instead, truth


def accused(report):
    return [step for step in report["steps"] if step["verdict"] not in ("holds", "inherited")]


def is_pattern(sentence, theirs, right):
    """Whether the right numbers are in other places, or few factors or addends change them, as a cause says."""
    if theirs.shape != right.shape:
        return False
    theirs, right = (one.astype(np.float64) for one in (theirs, right))
    if "in other places" in sentence:
        return np.allclose(np.sort(theirs, None), np.sort(right, None), atol=1e-5)
    told = np.isfinite(right) & (abs(np.where(np.isfinite(right), right, 0)) > 1e-2)
    change = theirs[told] / right[told] if " times " in sentence else theirs[told] - right[told]
    is_told = re.search("(times|plus) (a number|[-.0-9])|same vector", sentence)
    return bool(is_told) and len(np.unique(np.round(change, 3))) <= 0.6 * change.size


class Found:
    """What the tool says of a port with a mistake, beside what is true."""

    def __init__(self, row, tensors, slots, places, right):
        self.mistake, self.lesson, self.habit, self.form, _, _, self.truth = row
        self.tensors, self.slots, self.places, self.right = tensors, slots, places, right

    def __str__(self):
        return f"{self.mistake} / {self.lesson} / {self.habit} / {self.form}: {', '.join(sorted(self.places))}"

    def misses(self, report):
        """What of the report is not as it should be, in words, by what is measured."""
        steps = accused(report)
        if report["holds"]:
            yield "exit 1", "it holds"
        first = steps[0] if steps else {"theirs": "", "name": "nothing"}
        is_step = re.search(STEPS.get(self.slots.get(first["theirs"]), ""), first["name"])
        unknown = {one["name"] for one in report["unmatched"]}  # names that say nothing, with wrong numbers
        if (first["theirs"] not in self.places or not is_step) and not self.places & unknown:
            yield "first wrong step", f"{first['theirs']} as {first['name']}"
        told = [(cause, step["theirs"]) for step in steps for cause in step.get("causes", [])]
        if not told:
            yield "cause", "none"
        causes = [(f"{' + '.join(cause['names'])}: {cause['sentence']}", name) for cause, name in told]
        false = [cause for cause, name in causes if not re.search(self.truth, cause) and
                 not is_pattern(cause, self.tensors[name], self.right[name])]
        if false:
            yield "no false cause", "; ".join(false)


def port_with(row):
    """The row's port, or None where no number that it dumps tells of its mistake."""
    _, name, habit, form, dtype, instead, _ = row
    way, mask = HABITS[habit][:2]
    proper = Port(lesson(name), way, mask, dtype)
    right, slots = proper.dump(habit)
    theirs, _ = Port(lesson(name), way, mask, dtype, instead).dump(habit)
    tensors = {one: theirs[one] for one in part_of(theirs, slots, form, random.Random(str(row[:4])))}
    places = first_wrong(tensors, right, slots, way)
    maybe = taken_for_others(tensors, places, slots, proper)
    certain = first_wrong({one: tensors[one] for one in tensors if one not in maybe}, right, slots, way)
    return Found(row, tensors, slots, places | certain, right) if certain else None


def is_ever_seen(mistake, lessons, instead, truth):
    rows = ((mistake, lessons[0], habit, "all", TYPES[0], instead, truth) for habit in HABITS)
    return any(port_with(row) for row in rows)


class Ports(unittest.TestCase):
    def table(self, count, missed, bounds):
        """Prints what share of the ports is as it should be, and what is not; fails below the bounds."""
        for measure, least in bounds.items():
            print(f"   {measure}: {1 - len(missed[measure]) / count:.1%} of {count}, at least {least:.0%}")
            for one in missed[measure]:
                print("      not:", one)
        for measure, least in bounds.items():
            # Three standard deviations of a sample's share.
            chance = 3 * math.sqrt(least * (1 - least) / count) if harness.EVERY > 1 else 0
            self.assertGreaterEqual(1 - len(missed[measure]) / count, least - chance, measure)

    def test_right_ports_pass(self):
        rows = harness.sample(right_rows())
        ports = []
        for i, (habit, name, way, mask, form) in enumerate(rows):
            tensors, slots = Port(lesson(name), way, mask, TYPES[i % 2]).dump(habit)
            dice = random.Random(f"{habit} {form}")
            ports.append((name, {one: tensors[one] for one in part_of(tensors, slots, form, dice)}))
        missed = collections.defaultdict(list)
        for row, report in zip(rows, judged(ports)):
            if not report["holds"]:
                wrong = [f"{step['theirs']} as {step['name']}" for step in accused(report)]
                wrong += [one["name"] for one in report["unmatched"]]
                missed["right ports pass"].append(f"{' / '.join(row)}: {wrong}")
        self.table(len(rows), missed, {"right ports pass": 0.99})

    def test_what_is_no_step_is_told_by_name(self):
        for name in LESSONS:
            port = Port(lesson(name), *HABITS["flash-attn"][:2])
            tensors, _ = port.dump("flash-attn")
            x, scores = port.made["x"], port.made["scaled"]
            most = np.where(np.isfinite(scores), scores, -1e30).max(-1)
            sums = np.exp(scores - most[..., None]).sum(-1)
            extras = {"softmax_lse": most + np.log(sums), "positions": np.arange(x.shape[1])[None],
                      "ln_1": (x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True)}
            if not port.lesson.has_heads:
                extras["softmax_lse"] = extras["softmax_lse"][0, 0]
            report = judged([(name, {**tensors, **extras})])[0]
            self.assertEqual((accused(report), {one["name"] for one in report["unmatched"]}), ([], set(extras)), name)

    def test_what_fills_masked_scores_is_read_where_they_are_shown(self):
        """Of scaled queries: -10 before scaling would give the same."""
        instead = lines("hide: np.where(hidden, -5, s)")
        tensors, _ = Port(lesson("causal"), *HABITS["Gemma"][:2], instead=instead).dump("Gemma")
        (first, *_) = accused(judged([("causal", tensors)])[0])
        self.assertEqual((first["theirs"], first["causes"][0]["sentence"]),
                         ("padded_logits", "masked scores are -5, not -inf"))

    def test_a_wrong_vector_is_told(self):
        reports = judged([("trainable", {"attn_weights_2": np.linspace(0, 1, 5)})])
        self.assertEqual([step["verdict"] for step in reports[0]["steps"]], ["wrong here"])

    def test_mistakes_are_found_where_they_are_and_called_what_they_are(self):
        found = [one for one in map(port_with, harness.sample(wrong_rows())) if one]
        kinds = {one.mistake for one in found}
        if harness.EVERY == 1:
            unseen = [mistake for mistake, *row in MISTAKES if mistake not in kinds and not is_ever_seen(mistake, *row)]
            self.assertEqual(unseen, [], "these are seen under no habit")
        missed = collections.defaultdict(list)
        for one, report in zip(found, judged([(one.lesson, one.tensors) for one in found])):
            for measure, words in one.misses(report):
                missed[measure].append(f"{one}: {words}")
        print(f"   {len(kinds)} kinds of mistakes")
        self.table(len(found), missed, {"exit 1": 1, "first wrong step": 0.97, "cause": 0.8, "no false cause": 0.99})


if __name__ == "__main__":
    harness.main()
