"""The user's inputs and weights, from files of every format; and the sizes of --fixture."""
import json
import os

import numpy as np

import checkpoints
import harness
from harness import sample
from ports import WEIGHTS, Lesson, Port


class Case(harness.Case):
    def setUp(self):
        super().setUp()
        self.dice = np.random.default_rng(11)

    def random(self, *shape):
        return self.dice.standard_normal(shape, dtype=np.float32)

    def output(self, *arguments, **options):
        return self.succeeds(*arguments, **options).decode()

    def steps(self, *arguments):
        """The JSON document, and the numbers of its tensors by name, with the section if there is one."""
        document = json.loads(self.output(*arguments, "--format", "json", "--steps", "all"))
        named = {}
        for step in document["steps"]:
            if step["kind"] == "tensor":
                named["/".join(filter(None, (step["section"], step["name"])))] = step
        return document, named


class RoundTrip(Case):
    def test_what_was_saved_gives_the_same_numbers(self):
        for row in harness.chapters():
            for options in ([], ["--seed", "7"]):
                with self.subTest(chapter=row["chapter"], article=row["article"], options=options):
                    base = [*row["command"], *options, "--force"]
                    saved = ["--weights", "steps"] if "projections" in row["takes"] else []
                    saved += ["--second-inputs", "steps"] if "second_inputs" in row["takes"] else []
                    self.output(*base, "--save", "steps")
                    self.output(*base, "--save", "again", "--inputs", "steps", *saved)
                    first, second = ({name: data for name, data in self.contents(at).items() if name.endswith(".npy")}
                                     for at in ("steps", "again"))
                    for name in set(first) - set(second):
                        self.assertEqual(os.path.basename(name), "ids.npy")  # words are embedded no more
                    self.assertEqual({name: first[name] for name in second}, second)


class AttendTo(Case):
    """Weights made by hand give exactly what the rule's name says: the notices, which sentences.py computes again, tell it."""
    SAID = {"previous": ["only to the one before it, the first to itself"], "first": ["only to the first"],
            "same": ["only to itself", "equally to all tokens of its word", "equally to the tokens of its word, up to itself"],
            "earlier": ["equally to itself and to all before it"]}

    def test_every_chapter(self):
        for row, rule in sample((row, rule) for row in harness.chapters() if "attend_to" in row["takes"] for rule in self.SAID
                                if row["chapter"] not in ("cross", "padding")):  # which have no such sentences
            for words in ([], ["--sentence", "the cat sat on the mat"], ["--tokens", "9"]):
                arguments = [*row["command"], "--attend-to", rule, *words]
                document, steps = self.steps(*arguments)
                self.assertEqual(document["options"]["attend_to"], rule)
                notices = [notice for step in steps.values() for notice in step["explanation"]["notices"]]
                said = [notice for notice in notices if any(f"each token attends {words}" in notice for words in self.SAID[rule])]
                self.assertTrue(said, arguments)


class Files(Case):
    def test_every_format(self):
        own = self.random(5, 3)
        np.save(self.path("own.npy"), own)
        np.savez(self.path("own.npz"), inputs=own, other=self.random(2))
        np.savez_compressed(self.path("small.npz"), x=own)
        np.savetxt(self.path("own.csv"), own, fmt="%.9g", delimiter=",")
        checkpoints.save(self.path("own.safetensors"), {"inputs": own, "other": own[:1]})
        os.mkdir(self.path("own"))
        np.save(self.path("own/inputs.npy"), np.asfortranarray(own))
        expected = None
        for name in ("own.npy", "own.npz", "small.npz", "small.npz:x", "own.safetensors", "own", "own:inputs", "own.csv"):
            document, steps = self.steps("simplified", "--inputs", name)
            self.assertEqual(document["options"]["inputs"], name)
            values = np.array(steps["one_query/inputs"]["values"], dtype=np.float32)
            self.assertEqual(values.tobytes(), own.tobytes(), name)
            expected = expected or document["steps"]
            self.assertEqual(document["steps"], expected, name)

    def test_its_own_json(self):
        """Every bit is restored."""
        for chapter, options in (("causal", []), ("multihead", ["--seed", "7", "--qkv-bias"]), ("cross", []), ("trainable", [])):
            self.output(chapter, *options, "--save", "all.npz", "-o", "all.json", "--steps", "all", "--force")
            from_json, from_npz = (self.output("verify", name, "--chapter", chapter, *options) for name in ("all.json", "all.npz"))
            self.assertEqual(from_json, from_npz)
            self.assertNotIn("ulp", from_json)
            count = len(np.load(self.path("all.npz")).files)
            self.assertIn(f"{count} of {count} tensors checked and right", from_json)
            if chapter == "causal":
                for arguments in (["--inputs", "all.json:inputs"], ["--weights", "all.json", "--seed", "9"]):
                    self.assertEqual(self.output("causal", *arguments), self.output("causal", *[word.replace("json", "npz") for word in arguments]))

    def test_conversion(self):
        own = self.random(4, 3)
        for dtype in ("float16", "float64", "int8", "int64", "bool", "uint16"):
            array = (own * 3).astype(dtype) if dtype != "bool" else own > 0
            array = np.abs(array) if dtype == "uint16" else array
            np.save(self.path("own.npy"), array)
            _, steps = self.steps("simplified", "--inputs", "own.npy")
            values = np.array(steps["one_query/inputs"]["values"], dtype=np.float32)
            self.assertEqual(values.tobytes(), array.astype(np.float32).tobytes(), dtype)
        held = checkpoints.save(self.path("own.safetensors"), {"inputs": own}, "BF16")
        _, steps = self.steps("simplified", "--inputs", "own.safetensors")
        self.assertEqual(np.array(steps["one_query/inputs"]["values"], dtype=np.float32).tobytes(), held["inputs"].tobytes())

    def test_shapes_that_are_no_tokens(self):
        """What else is refused, cases/own.txt and unit.dump know."""
        for shape in ((), (3,), (2, 4, 3), (0, 3), (3, 0)):
            np.save(self.path("bad.npy"), np.ones(shape, dtype=np.float32))
            self.refused("simplified", "--inputs", "bad.npy", says=["[tokens, d_in]", str(list(shape))])

    def test_names_of_weights(self):
        query, key = self.random(3, 3), self.random(3, 3)
        np.savez(self.path("state.npz"), **{"W_query.weight": query, "W_key.weight": key, "mask": np.ones((6, 6))})
        np.save(self.path("q,1.npy"), query)
        np.savez(self.path("k.npz"), other=query, mine=key)
        for weights in ("state.npz", "W_query=q,1.npy,W_key=k.npz:mine", "W_query=state.npz,W_key=state.npz:W_key.weight"):
            _, steps = self.steps("causal", "--weights", weights)
            for name, array in (("W_query", query), ("W_key", key)):
                self.assertEqual(np.array(steps[name]["values"], dtype=np.float32).tobytes(), array.tobytes(), weights)
            self.assertEqual(steps["W_query"]["expression"], "nn.Parameter(torch.tensor(W_query))")
            self.assertIn("nn.Linear", steps["W_value"]["expression"])
            drawn = self.steps("causal")[1]
            for name in ("W_value", "dropout_mask"):
                self.assertEqual(steps[name]["values"], drawn[name]["values"])
        np.savez(self.path("heads.npz"), **{"heads.0.W_key.weight": self.random(2, 3)})
        self.assertIn("torch.tensor", self.steps("multihead", "--article", "book", "--num-heads", "2", "--weights", "heads.npz")[1]
                      ["head_1/W_key"]["expression"])

    def test_sizes_follow_the_files(self):
        np.savez(self.path("own.npz"), inputs=self.random(4, 5), W_query=self.random(8, 5), W_key=self.random(8, 5),
                 W_value=self.random(6, 5), W_value_bias=self.random(6))
        document, steps = self.steps("multihead", "--inputs", "own.npz", "--weights", "own.npz", "--num-heads", "2")
        self.assertEqual(steps["values_heads"]["shape"], [1, 2, 4, 3])
        options = document["options"]
        self.assertEqual((options["d_out_kq"], options["d_out_v"], options["qkv_bias"], options["weights"]), (8, 6, True, "own.npz"))
        parameters = {f"single_head/W_{name}": self.random(5, size) for name, size in (("query", 4), ("key", 4), ("value", 3))}
        np.savez(self.path("parameters.npz"), **parameters, **{"head_3/W_key": self.random(5, 4)})
        _, steps = self.steps("multihead", "--article", "ahead-of-ai", "--inputs", "own.npz", "--weights", "parameters.npz")
        self.assertEqual(steps["stacked/context_vecs"]["shape"], [4, 9])

    def test_second_inputs(self):
        np.savez(self.path("own.npz"), inputs=self.random(4, 5), second_input=self.random(7, 5))
        _, steps = self.steps("cross", "--inputs", "own.npz", "--second-inputs", "own.npz")
        self.assertEqual((steps["attn_scores"]["shape"], steps["second_input"]["expression"]), ([4, 7], "torch.tensor(second_input)"))


class Shown(Case):
    """Explanations of the user's numbers are true."""

    def setUp(self):
        super().setUp()
        np.save(self.path("inputs.npy"), self.random(6, 3))

    def test_nothing_is_said_to_be_drawn(self):
        for row in harness.chapters():
            base = row["command"]
            self.output(*base, "--inputs", "inputs.npy", "--save", "steps", "--force")
            own = ["--inputs", "inputs.npy", *(["--weights", "steps"] if "projections" in row["takes"] else [])]
            own += ["--second-inputs", "steps"] if "second_inputs" in row["takes"] else []
            text = self.output(*base, *own, "--steps", "all", "--explain")
            for words in ("journey", "dessert", "torch.rand", "nn.Linear(", "as they were drawn", "untrained", "random numbers",
                          "Random inputs", "1/sqrt(d_in)", "nn.Embedding"):
                if words != "nn.Linear(" or "projections" in row["takes"]:
                    self.assertNotIn(words, " ".join(text.replace("\n# ", " ").split()), (base, words))


class Fixture(Case):
    def test_inputs_may_be_a_batch(self):
        batch = self.random(3, 4, 2)
        np.save(self.path("batch.npy"), batch)
        for row in harness.chapters():
            base = [*row["command"], "--inputs", "batch.npy"]
            if "batch" not in row["takes"]:
                self.refused(*base, says=["one sequence"])
                continue
            _, steps = self.steps(*base)
            for name, step in steps.items():
                expected = {"batch": batch, "inputs": batch[0]}.get(name.split("/")[-1])
                if expected is not None:
                    self.assertTrue(np.array_equal(np.array(step["values"], np.float32), expected), (base, name))
            keys = next(step for name, step in steps.items() if name.endswith("keys") and len(step["shape"]) == 3)
            self.assertFalse(np.array_equal(keys["values"][0], keys["values"][1]))
            self.refused(*base, "--batch", "2", says=["its entries are the batch"])

    def test_weights_of_other_habits(self):
        """Fused, transposed and separate heads, as ports.py has them, give the same numbers; notes list unused and drawn weights."""
        port = Port(Lesson(["multihead", "--fixture"]))
        for habit in ("Llama", "GPT-2", "nn.MultiheadAttention", "Flax"):
            tensors, slots = port.dump(habit)
            weights = {name: tensor for name, tensor in tensors.items() if slots[name] in WEIGHTS}
            np.savez(self.path("habit.npz"), **weights, mlp_fc=np.ones((2, 2), np.float32))
            done = self.done("multihead", "--fixture", "--seed", "7", "--weights", "habit.npz", "--only",
                             "out_proj_weight,W_key_bias", "--format", "json")
            steps = {step["name"]: np.array(step["values"], np.float32) for step in json.loads(done.stdout)["steps"]}
            self.assertTrue(np.array_equal(steps["out_proj_weight"], port.weight["o"]), habit)
            self.assertTrue(np.array_equal(steps["W_key_bias"], port.bias["k"]), habit)
            self.assertEqual(done.stderr, b"attn-walkthrough: note: --weights: not used from 'habit.npz': mlp_fc\n")
        np.savez(self.path("some.npz"), **{"attn.q_proj.weight": port.weight["q"]})
        self.output("multihead", "--fixture", "--save", "steps", "-o", "page.txt")
        done = self.done("multihead", "--fixture", "--weights", "some.npz")
        note = b"not given, so drawn: W_query_bias, W_key, W_key_bias, W_value, W_value_bias, out_proj_weight, out_proj_bias\n"
        self.assertIn(note, done.stderr)
        for what in ("steps", "page.txt"):
            done = self.done("verify", what, "--chapter", "multihead", "--fixture", "--weights", "some.npz")
            self.assertEqual((done.returncode, done.stderr), (0, b""))


if __name__ == "__main__":
    harness.main()
