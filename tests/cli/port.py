"""What `verify` says of a port's tensors: a numpy port of the lesson, right or with mistakes planted in it.

    PYTHONPATH=tests /usr/bin/python3 tests/cli/port.py build/release/attn-walkthrough
"""
import itertools
import json
import os
import pathlib
import tempfile
import time
import unittest

import numpy as np

import harness
from harness import EVERY, run, sample

# Two sizes of each of three chapters. The second has another size for every axis.
LESSONS = {
    "trainable": [["--d-out-kq", "4", "--d-out-v", "5", "--tokens", "6", "--d-in", "3"],
                  ["--d-out-kq", "6", "--d-out-v", "3", "--tokens", "7", "--d-in", "5"]],
    "causal": [["--d-out-kq", "4", "--d-out-v", "5", "--dropout", "0.25", "--qkv-bias"],
               ["--d-out-kq", "6", "--d-out-v", "3", "--tokens", "7", "--d-in", "5", "--batch", "3", "--dropout", "0.4", "--qkv-bias"]],
    "multihead": [["--d-out", "8", "--num-heads", "2", "--tokens", "5", "--d-in", "3", "--batch", "2", "--dropout", "0.25", "--qkv-bias"],
                  ["--d-out", "15", "--num-heads", "3", "--tokens", "7", "--d-in", "4", "--batch", "2", "--dropout", "0.4", "--qkv-bias"]],
}
# The same with weights that have as many rows as columns.
SQUARE = {
    "trainable": [["--d-out", "4", "--tokens", "5", "--d-in", "4"], ["--d-out", "6", "--tokens", "8", "--d-in", "6"]],
    "causal": [["--d-out", "4", "--tokens", "5", "--d-in", "4", "--dropout", "0.25", "--qkv-bias"],
               ["--d-out", "6", "--tokens", "8", "--d-in", "6", "--dropout", "0.4", "--qkv-bias"]],
    "multihead": [["--d-out", "4", "--num-heads", "2", "--tokens", "5", "--d-in", "4", "--dropout", "0.25", "--qkv-bias"],
                  ["--d-out", "6", "--num-heads", "3", "--tokens", "8", "--d-in", "6", "--dropout", "0.4", "--qkv-bias"]],
}
SECTION = {"trainable": "self_attention/", "causal": "", "multihead": ""}


class Drawn:
    """What the lesson draws, from --save: what every port is given."""

    def __init__(self, chapter, options):
        self.chapter, self.options = chapter, options
        with tempfile.TemporaryDirectory() as folder:
            done = run(chapter, *options, "--save", "steps", cwd=folder)
            assert done.returncode == 0, done.stderr
            manifest = json.loads(pathlib.Path(folder, "steps/manifest.json").read_text())
            self.tensors = {step["file"][:-4]: np.load(os.path.join(folder, "steps", step["file"])) for step in manifest["steps"]}
        self.p = float(options[options.index("--dropout") + 1]) if "--dropout" in options else 0.0
        self.heads = int(options[options.index("--num-heads") + 1]) if "--num-heads" in options else 1

    def __getitem__(self, name):
        return self.tensors[SECTION[self.chapter] + name]


def softmax(scores, axis=-1):
    with np.errstate(invalid="ignore"):
        exps = np.exp(scores - scores.max(axis, keepdims=True))
        return exps / exps.sum(axis, keepdims=True)


def swap(tensor):
    return np.swapaxes(tensor, -1, -2)


def as_it_is(tensor):
    return tensor


def to_bfloat16(tensor):
    """To the nearest float32 with 8 significant bits, ties to even."""
    if tensor.dtype == bool:
        return tensor
    bits = np.ascontiguousarray(tensor, np.float32).view(np.uint32)
    nearest = (bits + 0x7FFF + (bits >> 16 & 1)) & np.uint32(0xFFFF0000)
    return np.where(np.isfinite(tensor), nearest.view(np.float32), tensor).astype(np.float32)


def backwards(a, b):
    """a @ b, summed one by one from the last product to the first."""
    products = a[..., :, :, None] * (b if b.ndim == 2 else b[..., None, :, :])
    return np.cumsum(products[..., ::-1, :], axis=-2)[..., -1, :]


def port(drawn, mistakes=(), dtype=np.float32, leave_out=(), rounded=as_it_is, product=np.matmul):
    """The lesson in numpy, with the mistakes of these names, each step rounded, and so multiplied."""
    made = {}

    def keep(name, tensor):
        made[name] = np.ascontiguousarray(rounded(tensor))
        return made[name]

    def is_made(name):
        return name in mistakes

    number = lambda tensor: tensor.astype(dtype)
    x = keep("inputs", number(drawn["inputs"]))
    if drawn.chapter != "trainable":
        copies = drawn["batch"].shape[0]
        x = keep("batch", np.stack([x] * copies))
    for name in ("queries", "keys", "values"):
        weight_name = {"queries": "W_query", "keys": "W_key", "values": "W_value"}[name]
        weight = keep(weight_name, number(drawn[weight_name]))
        if is_made("same-weights") and name == "keys":
            weight, made[weight_name] = made["W_query"], weight
        if is_made("weight-reshaped") and name == "keys":
            result = product(x, weight.reshape(weight.shape[::-1]))
        else:
            result = product(x, weight if is_made("weight-transposed") and name == "keys" else weight.T)
        bias_name = weight_name + "_bias"
        if drawn.chapter != "trainable":
            bias = keep(bias_name, number(drawn[bias_name]))
            if is_made("same-weights") and name == "keys":
                bias = made["W_query_bias"]
            if not (is_made("no-bias") and name == "values"):
                result = result + bias
        if is_made("unknown") and name == "values":
            result = np.sin(7 * result)
        keep(name, result)
    queries, keys, values = made["queries"], made["keys"], made["values"]
    if drawn.chapter == "multihead":
        def split(tensor, name):
            b, n, d = tensor.shape
            if is_made("heads-by-view"):
                return keep(name, tensor.reshape(b, drawn.heads, n, d // drawn.heads))
            if is_made("heads-interleaved"):
                return keep(name, tensor.reshape(b, n, d // drawn.heads, drawn.heads).transpose(0, 3, 1, 2))
            return keep(name, tensor.reshape(b, n, drawn.heads, d // drawn.heads).transpose(0, 2, 1, 3))
        keys, queries, values = split(keys, "keys_heads"), split(queries, "queries_heads"), split(values, "values_heads")
    scores = product(queries, swap(keys))
    if is_made("query-key-swapped"):
        scores = swap(scores)
    keep("attn_scores", scores)
    n, head_dim = scores.shape[-1], keys.shape[-1]
    divisor = np.sqrt(dtype(head_dim))
    if is_made("no-scaling"):
        divisor = dtype(1)
    if is_made("scaled-by-dimension"):
        divisor = dtype(head_dim)
    if is_made("multiplied-by-root"):
        divisor = 1 / divisor
    if is_made("scaled-by-number"):
        divisor = dtype(7.25)
    if is_made("scaled-by-root"):
        divisor = np.sqrt(dtype(made["W_value"].shape[0]))
    if drawn.chapter != "trainable":
        beyond = 0 if is_made("mask-hides-itself") else 2 if is_made("mask-shows-next") else 1
        mask = np.triu(np.ones((n, n)), beyond).astype(bool)
        if is_made("mask-transposed"):
            mask = mask.T
        hidden = dtype({"mask-0": 0, "mask-1e9": -1e9, "mask-1e4": -1e4, "mask-min": np.finfo(dtype).min, "mask-3": -3}.get(next(iter(mistakes), None), -np.inf))
        if not is_made("no-mask") and not is_made("mask-after-softmax"):
            scores = np.where(mask, hidden, scores)
        keep("masked_attn_scores", scores)
    weights = softmax((scores / divisor).astype(dtype), 0 if is_made("softmax-dim-0") else 1 if is_made("softmax-dim-1") else -1)
    if is_made("mask-after-softmax"):
        weights = np.where(mask, dtype(0), weights)
    keep("attn_weights", weights)
    if drawn.p:
        kept = keep("dropout_mask", drawn["dropout_mask"])
        if is_made("keep-and-drop-swapped"):
            kept = ~kept
        factor = dtype(1) / (dtype(1) - dtype(drawn.p))
        if is_made("no-rescale"):
            factor = dtype(1)
        if is_made("scaled-by-1-p"):
            factor = dtype(1 - drawn.p)
        if is_made("divided-by-p"):
            factor = dtype(1) / dtype(drawn.p)
        weights = weights if is_made("no-dropout") else np.where(kept, weights * factor, dtype(0))
        keep("dropout_attn_weights", weights)
    if is_made("weights-transposed"):
        weights = swap(weights)
    context = product(weights, values)
    if drawn.chapter != "multihead":
        keep("context_vecs", context)
    else:
        keep("context_heads", context)
        b, h, n, d = context.shape
        joined = context.reshape(b, n, h * d) if is_made("heads-joined-by-view") else context.transpose(0, 2, 1, 3).reshape(b, n, h * d)
        keep("context_vecs", joined)
        weight, bias = keep("out_proj_weight", number(drawn["out_proj_weight"])), keep("out_proj_bias", number(drawn["out_proj_bias"]))
        keep("output", joined if is_made("no-out-proj") else product(joined, weight.T) + (0 if is_made("no-out-bias") else bias))
    return {SECTION[drawn.chapter] + name: tensor for name, tensor in made.items() if name not in leave_out}


def judged_all(drawn, ports, *more):
    """The exit code and the reports of several ports of one lesson."""
    with tempfile.TemporaryDirectory() as folder:
        files = [f"port{i}.npz" for i in range(len(ports))]
        for file, tensors in zip(files, ports):
            np.savez(os.path.join(folder, file), **tensors)
        done = run("verify", *files, "--chapter", drawn.chapter, *drawn.options, "--format", "json", *more, cwd=folder)
    assert done.returncode in (0, 1) and not done.stderr, done
    reports = json.loads(done.stdout)
    return done.returncode, reports if len(ports) > 1 else [reports]


def judged(drawn, tensors, *more):
    code, (report,) = judged_all(drawn, [tensors], *more)
    return code, report


def places(report, verdict):
    return [step["name"] for step in report["steps"] if step["verdict"] == verdict]


def causes(report):
    return {step["name"]: [cause["names"] for cause in step["causes"]] for step in report["steps"] if step["verdict"] == "wrong here"}


# Mistake, the step where it shows, and the chapters that can make it.
ALL = ("trainable", "causal", "multihead")
MASKED = ("causal", "multihead")
PLANTED = [
    ("no-scaling", "attn_weights", ALL), ("scaled-by-dimension", "attn_weights", ALL),
    ("multiplied-by-root", "attn_weights", ALL), ("scaled-by-root", "attn_weights", ALL),
    ("softmax-dim-0", "attn_weights", ("trainable",)), ("softmax-dim-1", "attn_weights", ("causal",)),
    ("weight-reshaped", "keys", ALL), ("query-key-swapped", "attn_scores", ALL), ("weights-transposed", None, ALL),
    ("no-bias", "values", MASKED), ("no-mask", "masked_attn_scores", MASKED), ("mask-0", "masked_attn_scores", MASKED),
    ("scaled-by-number", "attn_weights", ALL), ("same-weights", "keys", ALL),
    ("mask-hides-itself", "masked_attn_scores", MASKED), ("mask-shows-next", "masked_attn_scores", MASKED),
    ("mask-transposed", "masked_attn_scores", MASKED), ("no-rescale", "dropout_attn_weights", MASKED),
    ("scaled-by-1-p", "dropout_attn_weights", MASKED), ("divided-by-p", "dropout_attn_weights", MASKED),
    ("keep-and-drop-swapped", "dropout_attn_weights", MASKED), ("no-dropout", "dropout_attn_weights", MASKED),
    ("heads-by-view", "keys_heads", ("multihead",)), ("heads-interleaved", "keys_heads", ("multihead",)),
    ("heads-joined-by-view", "context_vecs", ("multihead",)), ("no-out-bias", "output", ("multihead",)),
    ("no-out-proj", "output", ("multihead",)),
]
NAMES = {"scaled-by-root": lambda drawn: f"scaled-by-root-of-{drawn['W_value'].shape[0]}", "no-out-bias": lambda drawn: "no-bias",
         "no-out-proj": lambda drawn: "no-projection"}


class Ports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lessons = [Drawn(chapter, options) for chapter in ALL for options in LESSONS[chapter]]

    def test_a_right_port_holds(self):
        for drawn in self.lessons:
            code, report = judged(drawn, port(drawn))
            self.assertEqual((code, report["holds"], report["unmatched"]), (0, True, []), (drawn.chapter, report))

    def test_each_planted_mistake_is_named_first_at_its_place(self):
        planted = [(drawn, mistake, place) for drawn in self.lessons for mistake, place, chapters in PLANTED
                   if drawn.chapter in chapters]
        for drawn, mistake, place in sample(planted):
            with self.subTest(chapter=drawn.chapter, options=drawn.options, mistake=mistake):
                place = place or ("context_heads" if drawn.chapter == "multihead" else "context_vecs")
                code, report = judged(drawn, port(drawn, [mistake]))
                found = causes(report)
                self.assertEqual(code, 1)
                self.assertEqual(next(iter(found), None), place, found)
                name = NAMES.get(mistake, lambda drawn: mistake)(drawn)
                self.assertTrue(found[place] and found[place][0] == [name], found)

    def test_two_mistakes_are_both_found(self):
        for drawn in self.lessons:
            pairs = [("weight-reshaped", "keys", "no-scaling", "attn_weights")]
            if drawn.chapter != "trainable":
                pairs += [("no-scaling", "attn_weights", "no-rescale", "dropout_attn_weights"),
                          ("mask-shows-next", "masked_attn_scores", "divided-by-p", "dropout_attn_weights"),
                          ("no-bias", "values", "scaled-by-dimension", "attn_weights")]
            for first, there, second, then in pairs:
                with self.subTest(chapter=drawn.chapter, options=drawn.options, mistakes=(first, second)):
                    _, report = judged(drawn, port(drawn, [first, second]))
                    found = causes(report)
                    self.assertEqual((found[there][0], found[then][0]), ([first], [second]), found)
                    self.assertIn("context_vecs", places(report, "inherited"))

    def test_two_mistakes_in_one_step_are_found_together(self):
        drawn = next(drawn for drawn in self.lessons if drawn.chapter == "causal")
        _, report = judged(drawn, port(drawn, ["mask-shows-next", "no-scaling"], leave_out=["masked_attn_scores"]))
        self.assertEqual(set(causes(report)["attn_weights"][0]), {"mask-shows-next", "no-scaling"})

    def test_an_unknown_mistake_has_a_place_and_no_cause(self):
        for drawn in self.lessons:
            tensors = port(drawn, ["unknown"])
            self.assertEqual(causes(judged(drawn, tensors)[1]), {"values": []})

    def test_any_number_for_minus_inf_is_named(self):
        for drawn in self.lessons:
            if drawn.chapter != "trainable":
                _, report = judged(drawn, port(drawn, ["mask-3"]))
                self.assertEqual(causes(report), {"masked_attn_scores": [["mask-filled"]]})
                self.assertIn("attn_weights", places(report, "inherited"))

    def test_nan_for_minus_inf_is_not_called_inf_alone(self):
        drawn = next(drawn for drawn in self.lessons if drawn.chapter == "multihead")
        for fill in (np.nan, np.inf):
            tensors = port(drawn)
            scores = np.where(np.isinf(tensors["masked_attn_scores"]), np.float32(fill), tensors["masked_attn_scores"])
            with np.errstate(invalid="ignore"):
                weights = np.where(np.any(~np.isfinite(scores), -1, keepdims=True), np.float32(np.nan), tensors["attn_weights"])
            _, report = judged(drawn, {"attn_weights": weights})
            sentences = [cause["sentence"] for step in report["steps"] for cause in step.get("causes", [])]
            self.assertEqual([one.split(",")[0] for one in sentences], ["masked scores are nan or inf"])
            _, report = judged(drawn, {"masked_attn_scores": scores})
            sentences = [cause["sentence"] for step in report["steps"] for cause in step.get("causes", [])]
            self.assertEqual(sentences, [f"masked scores are {fill}, not -inf"])

    def test_a_large_negative_number_hides_as_well_as_minus_inf(self):
        """Where no weight differs: these masks are right, and are told."""
        for drawn in self.lessons:
            if drawn.chapter != "trainable":
                for hidden in ("mask-1e9", "mask-1e4", "mask-min"):
                    code, report = judged(drawn, port(drawn, [hidden]))
                    self.assertEqual((code, report["holds"]), (0, True), hidden)
                    step = next(step for step in report["steps"] if step["name"] == "masked_attn_scores")
                    self.assertIn("for -inf", step["arrangement"])

    def test_a_transposed_weight_is_named(self):
        for chapter in ALL:
            for options in SQUARE[chapter]:
                drawn = Drawn(chapter, options)
                _, report = judged(drawn, port(drawn, ["weight-transposed"]))
                self.assertEqual(causes(report), {"keys": [["weight-transposed"]]}, options)

    def test_reversed_heads_are_named(self):
        for heads in ("2", "3"):
            drawn = Drawn("multihead", ["--article", "book", "--num-heads", heads, "--d-out", "6"])
            tensors = dict(drawn.tensors)
            parts = np.split(tensors["stacked/context_vecs"], int(heads), axis=-1)
            tensors["stacked/context_vecs"] = np.concatenate(parts[::-1], axis=-1)
            _, report = judged(drawn, tensors)
            self.assertEqual(causes(report), {"context_vecs": [["heads-reversed"]]})

    def test_right_ports_are_never_accused(self):
        """1,000 of them: in float32 and float64, summed forwards and backwards, with steps left out and in any order."""
        dice = np.random.default_rng(5)
        for trial in range(max(12, 250 // EVERY)):
            chapter = ALL[trial % 3]
            size = lambda least, most: str(dice.integers(least, most + 1))
            options = ["--seed", size(0, 9999), "--tokens", size(2, 9), "--d-in", size(2, 7)]
            if chapter == "multihead":
                heads = int(size(1, 4))
                options += ["--num-heads", str(heads), "--d-out", str(heads * int(size(1, 4)))]
            else:
                options += ["--d-out-kq", size(2, 9), "--d-out-v", size(2, 9)]
            if chapter != "trainable":
                options += ["--dropout", str(dice.choice([0.1, 0.25, 0.5])), "--qkv-bias"]
            drawn = Drawn(chapter, options)
            ports = []
            for dtype, product in ((np.float32, np.matmul), (np.float32, backwards), (np.float64, np.matmul), (np.float64, backwards)):
                tensors = port(drawn, dtype=dtype, product=product)
                names = [name for name in dice.permutation(list(tensors)) if dice.random() < 0.8] or ["inputs"]
                ports.append({name: tensors[name] for name in names})
            with self.subTest(chapter=chapter, options=options):
                code, reports = judged_all(drawn, ports)
                self.assertEqual((code, [causes(report) for report in reports]), (0, [{}] * 4))

    def test_large_numbers_and_wide_heads_are_no_mistake(self):
        """Sums of large products are off by more than any tolerance of small numbers; a mistake is still one."""
        with tempfile.TemporaryDirectory() as folder:
            inputs = os.path.join(folder, "inputs.npy")
            np.save(inputs, 400 * np.random.default_rng(4).standard_normal((6, 48)).astype(np.float32))
            drawn = Drawn("multihead", ["--inputs", inputs, "--d-out", "128", "--num-heads", "2", "--dropout", "0", "--qkv-bias"])
            right = [port(drawn, dtype=dtype, product=product) for dtype in (np.float32, np.float64) for product in (np.matmul, backwards)]
            for name in ("attn_scores", "output"):
                self.assertFalse(np.allclose(right[1][name], drawn[name], rtol=1.3e-6, atol=1e-5), name)
            code, reports = judged_all(drawn, right)
            self.assertEqual((code, [report["holds"] for report in reports]), (0, [True] * 4), [causes(report) for report in reports])
            self.assertEqual(causes(judged(drawn, port(drawn, ["no-bias"]))[1]), {"values": [["no-bias"]]})

    def test_the_output_alone_tells_another_root(self):
        """At the width of a real model, where what five sums may be off by at worst would hide it."""
        drawn = Drawn("multihead", ["--tokens", "16", "--d-in", "768", "--d-out", "768", "--num-heads", "12", "--batch", "1", "--seed", "3"])
        heads = {name: drawn[f"{name}_heads"].astype(np.float64) for name in ("queries", "keys", "values")}
        for root, is_right in ((64, True), (768, False)):
            scores = np.where(drawn["mask"], -np.inf, heads["queries"] @ heads["keys"].swapaxes(-1, -2)) / root**0.5
            contexts = (softmax(scores) @ heads["values"]).transpose(0, 2, 1, 3).reshape(1, 16, 768)
            output = contexts @ drawn["out_proj_weight"].astype(np.float64).T + drawn["out_proj_bias"]
            code, report = judged(drawn, {"output": output.astype(np.float32)})
            self.assertEqual((code, report["holds"]), (0 if is_right else 1, is_right), root)

    def test_half_precision_is_named(self):
        formats = ("float16", {"dtype": np.float16}), ("bfloat16", {"rounded": to_bfloat16})
        for drawn, (name, how) in sample(itertools.product(self.lessons, formats)):
            with self.subTest(chapter=drawn.chapter, options=drawn.options, format=name):
                _, report = judged(drawn, port(drawn, **how))
                found = [names for names in causes(report).values() if names]
                self.assertTrue(found and all([name] in names for names in found), causes(report))

    def test_a_dump_of_another_seed_is_compared_with_that_seed(self):
        """All of it, or without weights, or its result alone; and a mistake in it stays one. It holds with --seed alone."""
        first = {drawn.chapter: drawn for drawn in reversed(self.lessons)}
        for chapter, seed in sample(itertools.product(first, ("0", "7", "2047", "12345"))):
            drawn = first[chapter]
            other = Drawn(chapter, [*drawn.options, "--seed", seed])
            tensors = port(other)
            last = list(tensors)[-1]
            parts = [tensors, {name: tensors[name] for name in tensors if "W_" not in name and "weight" not in name},
                     {last: tensors[last]}]
            for part in parts:
                code, report = judged(drawn, part)
                found = code, report["drawn_with_seed"], report["right"], causes(report)
                self.assertEqual(found, (1, seed, len(part), {}), (chapter, list(part)))
                self.assertEqual(judged(other, part)[0], 0)
        drawn = first["multihead"]
        other = Drawn("multihead", [*drawn.options, "--seed", "12345"])
        tensors = port(other)
        _, report = judged(drawn, port(other, ["no-scaling"]))
        self.assertEqual((report["drawn_with_seed"], list(causes(report).values())), ("12345", [[["no-scaling"], ["softmax-of-unscaled"]]]))
        _, report = judged(drawn, {name: tensor + 1 for name, tensor in tensors.items()})
        self.assertIsNone(report["drawn_with_seed"])

    def test_other_names_shapes_and_layouts(self):
        drawn = next(drawn for drawn in self.lessons if drawn.chapter == "multihead")
        tensors = port(drawn)
        tensors["q"] = tensors.pop("queries")
        tensors["mine"] = tensors.pop("attn_scores")
        tensors["W_query"] = tensors["W_query"].T
        tensors["keys_heads"] = tensors["keys_heads"].transpose(0, 2, 1, 3)
        tensors["context_vecs"] = tensors["context_vecs"].reshape(-1)
        tensors["foreign"] = np.array([3.25, 1.5, 9])
        code, report = judged(drawn, tensors)
        found = {step["name"]: step for step in report["steps"]}
        self.assertEqual((code, [one["name"] for one in report["unmatched"]]), (1, ["foreign"]))
        self.assertEqual((report["given"], report["right"]), (len(tensors), len(tensors) - 1))
        self.assertEqual((found["queries"]["theirs"], found["attn_scores"]["theirs"]), ("q", "mine"))
        self.assertEqual(found["attn_scores"]["matched_by"], "numbers")
        self.assertIn("transposed", found["W_query"]["arrangement"])
        self.assertIn("[B, T, H, d]", found["keys_heads"]["arrangement"])
        self.assertIn("[B*T*D]", found["context_vecs"]["arrangement"])
        code, report = judged(drawn, tensors, "--ignore", "for?ig*")
        self.assertEqual((code, report["ignored"], report["given"]), (0, ["foreign"], len(tensors) - 1))
        tensors = port(drawn, ["no-mask"])
        tensors["mine"] = tensors.pop("masked_attn_scores")
        _, report = judged(drawn, tensors, "--map", "mine=masked_attn_scores")
        self.assertEqual(causes(report)["masked_attn_scores"][0], ["no-mask"])

    def test_inputs_and_weights_of_its_own_are_used_and_not_counted(self):
        """Unasked, or with --inputs and --weights; a mistake beside them is found."""
        dice = np.random.default_rng(3)
        options = ["--d-out", "8", "--num-heads", "2", "--dropout", "0", "--qkv-bias"]
        own = Drawn("multihead", options)
        given = [name for name in own.tensors if name in ("inputs", "batch") or "W_" in name or name.startswith("out_proj")]
        for name in given:
            own.tensors[name] = dice.standard_normal(own.tensors[name].shape).astype(np.float32)
        for mistakes in [], ["no-scaling"]:
            tensors = port(own, mistakes)
            del tensors["inputs"]
            with tempfile.TemporaryDirectory() as folder:
                np.savez(os.path.join(folder, "port.npz"), **tensors)
                for asked in [], ["--inputs", "port.npz:batch", "--weights", "port.npz"]:
                    with self.subTest(mistakes=mistakes, asked=asked):
                        done = run("verify", "port.npz", "--chapter", "multihead", *options, *asked, "--format", "json", cwd=folder)
                        report = json.loads(done.stdout)
                        self.assertEqual((done.returncode, report["used"], report["given"]),
                                         (len(mistakes), ["batch", "8 weights"], len(tensors) - 9))
                        self.assertEqual(list(causes(report)), ["attn_weights"] * len(mistakes))

    def test_the_order_of_the_file_does_not_matter(self):
        """A result that follows from contexts joined in a wrong way."""
        drawn = next(drawn for drawn in self.lessons if drawn.chapter == "multihead")
        right = port(drawn)
        contexts = right["context_heads"]
        joined = contexts.reshape(*right["context_vecs"].shape)
        tensors = {"heads": contexts, "ctx": joined, "out": joined @ right["out_proj_weight"].T + right["out_proj_bias"]}
        for names in itertools.permutations(tensors):
            _, report = judged(drawn, {name: tensors[name] for name in names})
            self.assertEqual([(step["theirs"], step["verdict"]) for step in report["steps"]],
                             [("heads", "holds"), ("ctx", "wrong here"), ("out", "inherited")], names)

    def test_v_out_is_values_or_contexts_as_its_numbers_say(self):
        drawn = next(drawn for drawn in self.lessons if drawn.chapter == "multihead")
        for own, others in (("values_heads", ["context_heads"]), ("context_heads", ["values_heads"])):
            tensors = port(drawn)
            if own not in tensors:  # this port joins heads at once
                weights, values = tensors["dropout_attn_weights"], tensors["values_heads"]
                tensors[own] = weights @ values
            tensors["v_out"] = tensors.pop(own)
            code, report = judged(drawn, tensors)
            found = {step["theirs"]: step["name"] for step in report["steps"]}
            self.assertEqual((code, report["holds"]), (0, True))
            self.assertNotIn(found["v_out"], others)

    def test_tolerances(self):
        drawn = self.lessons[2]
        tensors = port(drawn)
        tensors["attn_weights"] = tensors["attn_weights"] * np.float32(1.001)
        _, report = judged(drawn, tensors)
        step = next(step for step in report["steps"] if step["name"] == "attn_weights")
        self.assertEqual(step["verdict"], "wrong here")
        for option, passing in ("atol", 0.001 * drawn["attn_weights"].max()), ("rtol", 0.001):
            self.assertNotIn("attn_weights", places(judged(drawn, tensors, "--" + option, str(passing * 0.9))[1], "holds"))
            self.assertIn("attn_weights", places(judged(drawn, tensors, "--" + option, str(passing * 1.1))[1], "holds"))
        worst = step["greatest_absolute"]
        index = tuple(worst["index"])
        self.assertAlmostEqual(worst["here"], float(tensors["attn_weights"][index]), 6)
        self.assertAlmostEqual(worst["right"], float(drawn["attn_weights"][index]), 6)

    def test_the_text_tells_place_cause_and_the_line_to_write(self):
        drawn = self.lessons[2]
        with tempfile.TemporaryDirectory() as folder:
            for name, tensor in port(drawn, ["mask-shows-next"]).items():
                np.save(os.path.join(folder, name + ".npy"), tensor)
            started = time.monotonic()
            done = run("verify", folder, "--chapter", drawn.chapter, *drawn.options)
            self.assertLess(time.monotonic() - started, 10)
        text = done.stdout.decode()
        self.assertEqual((done.returncode, done.stderr), (1, b""))
        for words in ("\u2713 keys", "\u2717 masked_attn_scores", "wrong here: 10 of 72 cells", "(Your)", "the mask shows the next token: off by one",
                      "write: attn_scores.masked_fill(", "~ attn_weights", " tensors checked and right; 1 wrong: masked_attn_scores; 3 inherited: attn_weights, context_vecs, dropout_attn_weights\n",
                      "\n      .x....\n      ..x...\n"):
            self.assertIn(words, text)

    def test_the_page_shows_each_tensor_tinted(self):
        drawn = self.lessons[4]
        tensors = port(drawn, ["no-scaling"])
        tensors["mine"] = np.sin(np.arange(6, dtype=np.float32))
        with tempfile.TemporaryDirectory() as folder:
            np.savez(os.path.join(folder, "port.npz"), **tensors)
            done = run("verify", "port.npz", "--chapter", drawn.chapter, *drawn.options, "--format", "html", cwd=folder)
        self.assertEqual((done.returncode, done.stderr), (1, b""))
        page = done.stdout.decode()
        self.assertEqual([page.count(f'class="tensor {style}"') for style in ("differs", "unknown")], [1, 1])
        for words in ("<title>port.npz</title>", "the scores are not divided", "not recognised: mine", "greatest absolute difference"):
            self.assertTrue(words in page, words)

    def test_refusals(self):
        drawn = self.lessons[2]
        with tempfile.TemporaryDirectory() as folder:
            np.savez(os.path.join(folder, "port.npz"), **port(drawn))
            np.savez(os.path.join(folder, "other.npz"), foreign=np.array([1.5, 2.5]))
            pathlib.Path(folder, "page.txt").write_text("tensor([1.5, 2.5])\n")
            for arguments, words in ((["port.npz"], "needs the chapter"), (["port.npz", "page.txt"], "not both at once"), (["port.npz", "--chapter", "causal", "--ignore", "nobody"], "matches no tensor"),
                                     (["page.txt", "--rtol", "1"], "--rtol with a page"), (["page.txt", "--ignore", "x"], "--ignore with a page"),
                                     (["port.npz", "--chapter", "causal", "--map", "keys=queries,values=queries"], "are both to be"),
                                     (["port.npz", "--chapter", "causal", "--map", "nobody=keys"], "no tensor 'nobody'"),
                                     (["port.npz", "--chapter", "causal", "--map", "keys=kyes"], "no step 'kyes'"),
                                     (["page.txt", "--atol", "-1"], "use a number of at least 0"), (["page.txt", "--map", "x"], "not a pair of names")):
                done = run("verify", *arguments, cwd=folder)
                self.assertEqual((done.returncode, done.stdout, done.stderr.count(b"\n")), (2, b"", 1), arguments)
                self.assertIn(words.encode(), done.stderr)


if __name__ == "__main__":
    harness.main()
