"""What `verify` says of a port's tensors, to the letter: the ports of ports.py, right or with mistakes planted in them, those of
port.txt and others."""
import itertools
import os
import tempfile
import unittest

import numpy as np

import harness
from harness import EVERY, rows_of, sample
from port_mistakes import MISTAKES, lines
from ports import Lesson, Port, verified

# Two sizes of each of three chapters. The second has another size for every axis.
SIZES = {
    "trainable": ["--d-out-kq 4 --d-out-v 5 --tokens 6 --d-in 3", "--d-out-kq 6 --d-out-v 3 --tokens 7 --d-in 5"],
    "causal": ["--d-out-kq 4 --d-out-v 5 --dropout 0.25 --qkv-bias",
               "--d-out-kq 6 --d-out-v 3 --tokens 7 --d-in 5 --batch 3 --dropout 0.25 --qkv-bias"],
    "multihead": ["--d-out 8 --num-heads 2 --tokens 5 --d-in 3 --batch 2 --dropout 0.25 --qkv-bias",
                  "--d-out 15 --num-heads 3 --tokens 7 --d-in 4 --batch 2 --dropout 0.25 --qkv-bias"],
}
LINES = {name: instead for name, _, instead, _ in MISTAKES}
CHAPTERS = ("trainable", "causal", "multihead")


def lesson_of(chapter, options):
    return Lesson([chapter, *options.split()])


def port(lesson, *mistakes, without=("mask", "scaled_attn_scores"), dtype=np.float32, instead=None):
    """The tensors of a port with these mistakes, and other lines."""
    planted = {line: change for name in mistakes for line, change in LINES[name].items()}
    tensors, _ = Port(lesson, dtype=dtype, instead={**planted, **(instead or {})}).dump("this tool")
    without = without if lesson.is_causal else (*without, "masked_attn_scores")
    return {name: tensor for name, tensor in tensors.items() if name not in without}


def judged_all(lesson, ports, *more):
    return verified(["--chapter", *lesson.arguments], ports, *more)


def judged(lesson, tensors, *more):
    code, (report,) = judged_all(lesson, [tensors], *more)
    return code, report


def verdicts(report):
    return {step["name"]: step["verdict"] for step in report["steps"]}


def causes(report):
    return {step["name"]: [cause["names"] for cause in step["causes"]] for step in report["steps"] if step["verdict"] == "wrong here"}


def backwards(a, b):
    """a @ b, summed one by one from the last product to the first."""
    products = a[..., :, :, None] * (b if b.ndim == 2 else b[..., None, :, :])
    return np.cumsum(products[..., ::-1, :], axis=-2)[..., -1, :]


BACKWARDS = lines("project: backwards(x, W.T) + b; score: backwards(q, swap(k)); attend: backwards(w, v)", backwards=backwards)
# float32, and float64, summed forwards and backwards.
WAYS = [{"dtype": dtype, "instead": instead} for dtype in (np.float32, np.float64) for instead in (None, BACKWARDS)]


class Planted(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lessons = [lesson_of(chapter, options) for chapter in CHAPTERS for options in SIZES[chapter]]
        cls.trainable, _, cls.causal, _, cls.multihead, _ = cls.lessons

    def test_each_mistake_is_named_first_at_its_place(self):
        rows = [(lesson, *row) for lesson in self.lessons for *row, chapters in rows_of(__file__) if lesson.arguments[0] in chapters]
        for lesson, mistake, place, cause in sample(rows):
            with self.subTest(lesson=lesson.arguments, mistake=mistake):
                code, report = judged(lesson, port(lesson, mistake))
                found = causes(report)
                self.assertEqual((code, next(iter(found), None)), (1, place), found)
                self.assertEqual(found[place][:1], [[cause]], found)

    def test_two_mistakes_are_both_found(self):
        for lesson in self.lessons[2:]:
            _, report = judged(lesson, port(lesson, "weight reshaped", "no scaling"))
            self.assertEqual((causes(report)["values"][0], causes(report)["attn_weights"][0]), (["weight-reshaped"], ["no-scaling"]))
            self.assertEqual(verdicts(report)["context_vecs"], "inherited")
        # Those of one step are found together.
        _, report = judged(self.causal, port(self.causal, "mask shows the next", "no scaling",
                                             without=("mask", "masked_attn_scores", "scaled_attn_scores")))
        self.assertEqual(set(causes(report)["attn_weights"][0]), {"mask-shows-next", "no-scaling"})

    def test_an_unknown_mistake_has_a_place_and_no_cause(self):
        unknown = lines("project v: np.sin(7 * y)")
        for lesson in self.lessons:
            self.assertEqual(causes(judged(lesson, port(lesson, instead=unknown))[1]), {"values": []})

    def test_right_ports_are_never_accused(self):
        """1,000 of them, with steps left out and in any order."""
        dice = np.random.default_rng(5)
        for trial in range(max(12, 250 // EVERY)):
            chapter = CHAPTERS[trial % 3]
            size = lambda least, most: int(dice.integers(least, most + 1))
            options = f"--seed {size(0, 9999)} --tokens {size(2, 9)} --d-in {size(2, 7)}"
            if chapter == "multihead":
                heads = size(1, 4)
                options += f" --num-heads {heads} --d-out {heads * size(1, 4)}"
            else:
                options += f" --d-out-kq {size(2, 9)} --d-out-v {size(2, 9)}"
            lesson = lesson_of(chapter, options + (" --dropout 0.25 --qkv-bias" if chapter != "trainable" else ""))
            ports = []
            for way in WAYS:
                tensors = port(lesson, **way)
                names = [name for name in dice.permutation(list(tensors)) if dice.random() < 0.8] or [next(iter(tensors))]
                ports.append({name: tensors[name] for name in names})
            with self.subTest(lesson=lesson.arguments):
                code, reports = judged_all(lesson, ports)
                self.assertEqual((code, [causes(report) for report in reports]), (0, [{}] * 4))

    def test_large_numbers_and_wide_heads_are_no_mistake(self):
        """Sums of large products are off by more than any tolerance of small numbers; a mistake is still one."""
        with tempfile.TemporaryDirectory() as folder:
            inputs = os.path.join(folder, "inputs.npy")
            np.save(inputs, 400 * np.random.default_rng(4).standard_normal((6, 48)).astype(np.float32))
            lesson = lesson_of("multihead", f"--inputs {inputs} --d-out 128 --num-heads 2 --dropout 0 --qkv-bias")
            right = [port(lesson, **way) for way in WAYS]
            for name in ("attn_scores", "output"):
                self.assertFalse(np.allclose(right[1][name], lesson.steps[name], rtol=1.3e-6, atol=1e-5), name)
            code, reports = judged_all(lesson, right)
            self.assertEqual((code, [report["holds"] for report in reports]), (0, [True] * 4), [causes(report) for report in reports])
            self.assertEqual(causes(judged(lesson, port(lesson, "no value bias"))[1]), {"values": [["no-bias"]]})

    def test_the_output_alone_tells_another_root(self):
        """At the width of a real model, where what five sums may be off by at worst would hide it."""
        lesson = lesson_of("multihead", "--tokens 16 --d-in 768 --d-out 768 --num-heads 12 --batch 1 --seed 3")
        for root, is_right in sample(((64, True), (768, False))):
            output = port(lesson, dtype=np.float64, instead=lines(f"scale: s / {root} ** 0.5"))["output"]
            code, report = judged(lesson, {"output": output.astype(np.float32)})
            self.assertEqual((code, report["holds"]), (0 if is_right else 1, is_right), root)

    def test_a_dump_of_another_seed_is_compared_with_that_seed(self):
        """All of it, or without weights, or its result alone; and a mistake in it stays one. It holds with --seed alone."""
        for lesson, seed in sample(itertools.product((self.trainable, self.causal, self.multihead), ("0", "7", "2047", "12345"))):
            other = Lesson([*lesson.arguments, "--seed", seed])
            tensors = port(other)
            last = list(tensors)[-1]
            for part in (tensors, {name: tensors[name] for name in tensors if "W_" not in name and "weight" not in name},
                         {last: tensors[last]}):
                code, report = judged(lesson, part)
                found = code, report["drawn_with_seed"], report["right"], causes(report)
                self.assertEqual(found, (1, seed, len(part), {}), (lesson.arguments, list(part)))
                self.assertEqual(judged(other, part)[0], 0)
        other = Lesson([*self.multihead.arguments, "--seed", "12345"])
        _, report = judged(self.multihead, port(other, "no scaling"))
        self.assertEqual((report["drawn_with_seed"], [names[0] for names in causes(report).values()]), ("12345", [["no-scaling"]]))
        _, report = judged(self.multihead, {name: tensor + 1 for name, tensor in port(other).items()})
        self.assertIsNone(report["drawn_with_seed"])

    def test_other_names_shapes_and_layouts(self):
        tensors = port(self.multihead)
        tensors["q"] = tensors.pop("queries")
        tensors["mine"] = tensors.pop("attn_scores")
        tensors["W_query"] = tensors["W_query"].T
        tensors["keys_heads"] = tensors["keys_heads"].transpose(0, 2, 1, 3)
        tensors["context_vecs"] = tensors["context_vecs"].reshape(-1)
        tensors["masked_attn_scores"] = np.maximum(tensors["masked_attn_scores"], np.float32(-1e9))
        tensors["foreign"] = np.array([3.25, 1.5, 9])
        code, report = judged(self.multihead, tensors)
        found = {step["name"]: step for step in report["steps"]}
        self.assertEqual((code, [one["name"] for one in report["unmatched"]]), (1, ["foreign"]))
        self.assertEqual((report["given"], report["right"]), (len(tensors), len(tensors) - 1))
        self.assertEqual((found["queries"]["theirs"], found["attn_scores"]["theirs"]), ("q", "mine"))
        self.assertEqual(found["attn_scores"]["matched_by"], "numbers")
        for name, arrangement in (("W_query", "transposed"), ("keys_heads", "[B, T, H, d]"), ("context_vecs", "[B*T*D]"),
                                  ("masked_attn_scores", "for -inf")):
            self.assertIn(arrangement, found[name]["arrangement"])
        code, report = judged(self.multihead, tensors, "--ignore", "for?ig*")
        self.assertEqual((code, report["ignored"], report["given"]), (0, ["foreign"], len(tensors) - 1))
        tensors = port(self.multihead, "no mask")
        tensors["mine"] = tensors.pop("masked_attn_scores")
        _, report = judged(self.multihead, tensors, "--map", "mine=masked_attn_scores")
        self.assertEqual(causes(report)["masked_attn_scores"][0], ["no-mask"])

    def test_inputs_and_weights_of_its_own_are_used_and_not_counted(self):
        """Unasked, or with --inputs and --weights; a mistake beside them is found."""
        dice = np.random.default_rng(3)
        own = lesson_of("multihead", "--d-out 8 --num-heads 2 --dropout 0 --qkv-bias")
        fresh = lambda array: None if array is None else dice.standard_normal(array.shape).astype(np.float32)
        own.x = fresh(own.x)
        own.weight, own.bias = ({name: fresh(array) for name, array in each.items()} for each in (own.weight, own.bias))
        for mistakes in (), ("no scaling",):
            tensors = port(own, *mistakes)
            for asked in [], ["--inputs", "port0.npz:batch", "--weights", "port0.npz"]:
                with self.subTest(mistakes=mistakes, asked=asked):
                    code, report = judged(own, tensors, *asked)
                    self.assertEqual((code, report["used"], report["given"]), (len(mistakes), ["batch", "8 weights"], len(tensors) - 9))
                    self.assertEqual(len(causes(report)), len(mistakes))

    def test_the_order_of_the_file_does_not_matter(self):
        """A result that follows from contexts joined in a wrong way."""
        wrong = port(self.multihead, "joined by view")
        tensors = {"heads": wrong["context_heads"], "ctx": wrong["context_vecs"], "out": wrong["output"]}
        for names in itertools.permutations(tensors):
            _, report = judged(self.multihead, {name: tensors[name] for name in names})
            self.assertEqual([(step["theirs"], step["verdict"]) for step in report["steps"]],
                             [("heads", "holds"), ("ctx", "wrong here"), ("out", "inherited")], names)

    def test_v_out_is_values_or_contexts_as_its_numbers_say(self):
        for own in ("values_heads", "context_heads"):
            tensors = port(self.multihead)
            tensors["v_out"] = tensors.pop(own)
            code, report = judged(self.multihead, tensors)
            found = {step["theirs"]: step["name"] for step in report["steps"]}
            self.assertEqual((code, report["holds"], found["v_out"]), (0, True, own))

    def test_tolerances(self):
        tensors = port(self.causal)
        tensors["attn_weights"] = tensors["attn_weights"] * np.float32(1.001)
        right = self.causal.steps["attn_weights"]
        step = next(step for step in judged(self.causal, tensors)[1]["steps"] if step["name"] == "attn_weights")
        self.assertEqual(step["verdict"], "wrong here")
        for option, passing in ("--atol", 0.001 * right.max()), ("--rtol", 0.001):
            for factor, holds in ((0.9, False), (1.1, True)):
                _, report = judged(self.causal, tensors, option, str(passing * factor))
                self.assertEqual(verdicts(report)["attn_weights"] == "holds", holds)
        worst = step["greatest_absolute"]
        index = tuple(worst["index"])
        self.assertAlmostEqual(worst["here"], float(tensors["attn_weights"][index]), 6)
        self.assertAlmostEqual(worst["right"], float(right[index]), 6)


if __name__ == "__main__":
    harness.main()
