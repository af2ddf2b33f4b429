"""The user's inputs and weights, from files of every format; and the sizes of --fixture.

    PYTHONPATH=tests /usr/bin/python3 tests/cli/own.py build/release/attn-walkthrough

What is computed from own numbers is compared with the real PyTorch, bit for bit, where there is one.
"""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile

import numpy as np

import harness
from harness import run, sample

# PyTorch's program with own inputs and weights: seeded and drawn as ever, then its parameters replaced.
PROGRAM = """
import sys, numpy, torch
torch.set_num_threads(1)
given = {name: torch.tensor(array) for name, array in numpy.load(sys.argv[1]).items()}
heads = int(sys.argv[2])
made = {}
def keep(name, tensor):
    made[name] = tensor.detach().numpy()
    return tensor
inputs = given["inputs"]
torch.manual_seed(123)
d_in, d_out = inputs.shape[1], given["W_query"].shape[0]
modules = {name: torch.nn.Linear(d_in, d_out, bias="W_query_bias" in given) for name in ("W_query", "W_key", "W_value")}
if heads:
    modules["out_proj"] = torch.nn.Linear(d_out, d_out)
for name, module in modules.items():
    module.weight = torch.nn.Parameter(given.get(name, given.get(name + "_weight")))
    if name + "_bias" in given:
        module.bias = torch.nn.Parameter(given[name + "_bias"])
batch = torch.stack((inputs,) * 2)
b, n = batch.shape[:2]
keys, queries, values = (keep(name, modules[weight](batch)) for name, weight in
                         (("keys", "W_key"), ("queries", "W_query"), ("values", "W_value")))
if heads:
    keys, queries, values = (x.view(b, n, heads, d_out // heads).transpose(1, 2) for x in (keys, queries, values))
scores = keep("attn_scores", queries @ keys.transpose(-2, -1))
masked = scores.masked_fill(torch.triu(torch.ones(n, n), diagonal=1).bool(), -torch.inf)
weights = keep("attn_weights", torch.softmax(masked / keys.shape[-1]**0.5, dim=-1))
context = keep("dropout_attn_weights", torch.nn.Dropout(0.25)(weights)) @ values
if heads:
    context = context.transpose(1, 2).contiguous().view(b, n, d_out)
    keep("output", modules["out_proj"](context))
keep("context_vecs", context)
numpy.savez(sys.argv[3], **made)
"""


def rows():
    return json.loads(run("list", "--format", "json").stdout)["chapters"]


def safetensors(path, tensors):
    """A .safetensors file by the rules of the format: a length, a JSON header, the numbers."""
    header, data = {}, b""
    for name, (dtype, array) in tensors.items():
        numbers = array.tobytes()
        header[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": [len(data), len(data) + len(numbers)]}
        data += numbers
    text = json.dumps(header).encode()
    pathlib.Path(path).write_bytes(struct.pack("<Q", len(text)) + text + data)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.dice = np.random.default_rng(11)

    def random(self, *shape):
        return self.dice.standard_normal(shape, dtype=np.float32)

    def path(self, name):
        return os.path.join(self.folder, name)

    @staticmethod
    def lines(stderr):
        """Notes other than those on unused weights and weights that stayed drawn."""
        return [line for line in stderr.splitlines() if not line.startswith(b"attn-walkthrough: note: --weights: not ")]

    def output(self, *arguments, notes=0):
        done = run(*arguments, cwd=self.folder)
        self.assertEqual((done.returncode, len(self.lines(done.stderr))), (0, notes), (arguments, done.stderr))
        return done.stdout.decode()

    def steps(self, *arguments, notes=0):
        """The JSON document, and the numbers of its tensors by name, with the section if there is one."""
        document = json.loads(self.output(*arguments, "--format", "json", "--steps", "all", notes=notes))
        named = {}
        for step in document["steps"]:
            if step["kind"] == "tensor":
                named["/".join(filter(None, (step["section"], step["name"])))] = step
        return document, named

    def refused(self, *arguments, words=()):
        done = run(*arguments, cwd=self.folder)
        error = b"".join(line + b"\n" for line in self.lines(done.stderr)).decode()
        self.assertEqual((done.returncode, done.stdout, error.count("\n")), (2, b"", 1), (arguments, error))
        self.assertRegex(error, r"^attn-walkthrough: error: [^;]+; .+$")
        for word in words:
            self.assertIn(word, error)
        return error


class RoundTrip(Case):
    def test_what_was_saved_gives_the_same_numbers(self):
        for row in rows():
            for options in ([], ["--seed", "7"]):
                with self.subTest(chapter=row["chapter"], article=row["article"], options=options):
                    base = [row["chapter"], "--article", row["article"], *options, "--force"]
                    saved = ["--weights", "steps"] if "projections" in row["takes"] else []
                    saved += ["--second-inputs", "steps"] if "second_inputs" in row["takes"] else []
                    self.output(*base, "--save", "steps")
                    self.output(*base, "--save", "again", "--inputs", "steps", *saved)
                    first = {str(path.relative_to(self.path("steps"))): path.read_bytes()
                             for path in pathlib.Path(self.path("steps")).rglob("*.npy")}
                    second = {str(path.relative_to(self.path("again"))): path.read_bytes()
                              for path in pathlib.Path(self.path("again")).rglob("*.npy")}
                    for name in set(first) - set(second):
                        self.assertEqual(os.path.basename(name), "ids.npy")  # words are embedded no more
                    self.assertEqual({name: first[name] for name in second}, second)

    def test_the_text_is_the_same_as_well(self):
        for chapter in ("trainable", "causal", "dropout", "multihead"):
            expected = self.output(chapter, "--steps", "all", "--save", f"{chapter}-steps")
            given = f"{chapter}-steps"
            self.assertEqual(self.output(chapter, "--steps", "all", "--inputs", given, "--weights", given), expected)

    def test_a_port_is_verified_on_own_numbers(self):
        np.savez(self.path("own.npz"), inputs=self.random(4, 3), W_query=self.random(5, 3), W_key=self.random(5, 3),
                 W_value=self.random(2, 3))
        own = ["--inputs", "own.npz", "--weights", "own.npz"]
        self.output("causal", *own, "--save", "port")
        self.assertIn("compared with causal of blog, seed 123, inputs own.npz, weights own.npz,",
                      self.output("verify", "port", "--chapter", "causal", *own))
        port = np.load(self.path("port/keys.npy"))
        port[0, 1, 2] += 1
        np.save(self.path("port/keys.npy"), port)
        done = run("verify", "port", "--chapter", "causal", *own, cwd=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("✗ keys", done.stdout.decode())
        page = self.output("causal", *own)
        pathlib.Path(self.path("page.txt")).write_text(page)
        self.assertIn("Right: 8 of 8 (8 as the lesson) and 1 of 1 size. ", self.output("verify", "page.txt", "--chapter", "causal", *own))


class PyTorch(Case):
    def setUp(self):
        super().setUp()
        try:
            import torch  # noqa: F401
        except ImportError:
            self.skipTest("PyTorch is not installed")
        if "avx2" not in pathlib.Path("/proc/cpuinfo").read_text():
            self.skipTest("this processor has no AVX2")

    def compare(self, chapter, heads, tensors, *options):
        np.savez(self.path("own.npz"), **tensors)
        kernels = {"ATEN_CPU_CAPABILITY": "avx2", "OPENBLAS_CORETYPE": "Haswell", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        subprocess.run([sys.executable, "-c", PROGRAM, self.path("own.npz"), str(heads), self.path("theirs.npz")], check=True,
                       env={**os.environ, **kernels})
        theirs = np.load(self.path("theirs.npz"))
        self.output(chapter, "--inputs", "own.npz", "--weights", "own.npz", "--batch", "2", "--dropout", "0.25", *options,
                    "--save", "steps", "--force")
        for name in theirs.files:
            ours = np.load(self.path(f"steps/{name}.npy"))
            self.assertEqual((ours.shape, ours.tobytes()), (theirs[name].shape, theirs[name].tobytes()), (chapter, name))

    def test_causal(self):
        tensors = {"inputs": self.random(7, 4), **{f"W_{name}": self.random(6, 4) for name in ("query", "key", "value")}}
        self.compare("causal", 0, tensors)
        self.compare("causal", 0, {**tensors, **{f"W_{name}_bias": self.random(6) for name in ("query", "key", "value")}})

    def test_multihead(self):
        tensors = {"inputs": self.random(5, 3), **{f"W_{name}": self.random(8, 3) for name in ("query", "key", "value")},
                   **{f"W_{name}_bias": self.random(8) for name in ("query", "key", "value")},
                   "out_proj_weight": self.random(8, 8), "out_proj_bias": self.random(8)}
        self.compare("multihead", 2, tensors, "--num-heads", "2")


class AttendTo(Case):
    """Weights made by hand give exactly what the rule's name says."""
    RULES = {"previous": lambda words, keys, i, j: j == max(i - 1, 0), "same": lambda words, keys, i, j: keys[j] == words[i],
             "earlier": lambda words, keys, i, j: j <= i, "first": lambda words, keys, i, j: j == 0}
    SENTENCES = {"ahead-of-ai": "Life is short eat dessert first"}

    def weights(self, rule, words, keys, hidden):
        seen = np.array([[self.RULES[rule](words, keys, i, j) for j in range(len(keys))] for i in range(len(words))]) & ~hidden
        seen[~seen.any(axis=-1)] = ~hidden[~seen.any(axis=-1)]  # all that it asks for is padding: equal scores
        return (seen / seen.sum(axis=-1, keepdims=True)).astype(np.float32)

    def check(self, row, rule, words, *options):
        arguments = [row["chapter"], "--article", row["article"], "--attend-to", rule, *options]
        self.output(*arguments, "--save", "steps", "--force")
        document, steps = self.steps(*arguments)
        self.assertEqual((document["options"]["attend_to"], document["tokens"]), (rule, [] if "--tokens" in options else words))
        load = lambda name: np.load(self.path(f"steps/{name}.npy"))
        folder = lambda name: name.rpartition("/")[0] + "/" * ("/" in name)
        n, rules, checked = len(words), list(self.RULES), 0
        backwards = words[::-1] if row["chapter"] == "cross" else words
        for name in [name for name in steps if name.split("/")[-1] == "attn_weights"]:
            found = load(name)
            rows, columns = found.shape[-2:]
            is_masked = row["chapter"] in ("causal", "dropout", "cache", "grouped") or (
                row["chapter"] == "multihead" and row["article"] != "ahead-of-ai")
            hidden = np.triu(np.ones((rows, columns), bool), columns - rows + 1) if is_masked and "renormalised" not in name \
                else np.zeros((rows, columns), bool)
            section = name.split("/")[0]
            first = rules.index(rule) + (int(section[5:]) - 1 if section.startswith("head_") else 0)
            matrices = found.reshape(-1, found.shape[-3] if found.ndim == 4 else 1, rows, columns)
            for entry, heads in enumerate(matrices):
                padded = hidden | (load("mask")[entry] if row["chapter"] == "padding" else False)
                for head, matrix in enumerate(heads):
                    of_keys = head * (2 if len(heads) % 2 == 0 else 1) // len(heads) if row["chapter"] == "grouped" else head
                    expected = self.weights(rules[(first + of_keys) % 4], words[columns - rows:columns], backwards[:columns], padded) \
                        if rows == columns else self.weights(rules[first], words[:columns], backwards[:columns],
                                                             np.vstack([np.zeros((columns - rows, columns), bool), hidden]))[-rows:]
                    self.assertTrue(np.array_equal(matrix, expected), (arguments, name, entry, head, matrix, expected))
                    checked += 1
        self.assertGreater(checked + ("one_query/attn_weights_2" in steps), 0, arguments)
        for name in steps:
            if name.split("/")[-1] in ("context_vecs", "context_heads") and not row["chapter"] == "dropout":
                above = folder(name) + "attn_weights"
                values = folder(name) + "values"
                if above in steps and values in steps and load(name).shape[-1] == load(values).shape[-1] == n:
                    np.testing.assert_allclose(load(name), load(above) @ load(values), rtol=1e-6, err_msg=f"{arguments} {name}")

    def test_every_chapter(self):
        for row, rule in sample((row, rule) for row in rows() if "attend_to" in row["takes"] for rule in self.RULES):
            usual = self.SENTENCES.get(row["article"], "Your journey starts with one step").split()
            with self.subTest(chapter=row["chapter"], article=row["article"], rule=rule):
                self.check(row, rule, usual)
                self.check(row, rule, "the cat sat on the mat".split(), "--sentence", "the cat sat on the mat")
                self.check(row, rule, [str(i) for i in range(9)], "--tokens", "9")
                self.check(row, rule, ["one"], "--sentence", "one")

    def test_queries_are_keys(self):
        _, steps = self.steps("trainable", "--attend-to", "previous")
        queries, keys, values = (np.array(steps[f"self_attention/{name}"]["values"]) for name in ("queries", "keys", "values"))
        self.assertTrue(np.array_equal(queries, 1000 * keys[[0, 0, 1, 2, 3, 4]]))
        self.assertTrue(np.array_equal(np.array(steps["self_attention/context_vecs"]["values"]), values[[0, 0, 1, 2, 3, 4]]))
        self.assertTrue(np.array_equal(keys, np.eye(6)))

    def test_refused(self):
        for options in (["--d-in", "4"], ["--d-out", "4"], ["--qkv-bias"], ["--fixture"], ["--seed", "5"]):
            self.refused("causal", "--attend-to", "same", *options, words=["--attend-to", options[0]])
        self.refused("simplified", "--attend-to", "same", words=["--attend-to does not apply to simplified"])
        self.refused("causal", "--attend-to", "next", words=["previous"])
        self.refused("causal", "--attend-to", "same", "--tokens", "1001", words=["1001 tokens", "at most 1000"])


class Files(Case):
    def test_every_format(self):
        own = self.random(5, 3)
        np.save(self.path("own.npy"), own)
        np.savez(self.path("own.npz"), inputs=own, other=self.random(2))
        np.savez_compressed(self.path("small.npz"), x=own)
        np.savetxt(self.path("own.csv"), own, fmt="%.9g", delimiter=",")
        safetensors(self.path("own.safetensors"), {"inputs": ("F32", own), "other": ("F32", own[:1])})
        os.mkdir(self.path("own"))
        np.save(self.path("own/inputs.npy"), np.asfortranarray(own))
        np.save(self.path("big.npy"), own.astype(">f4"))
        expected = None
        for name in ("own.npy", "own.npz", "small.npz", "small.npz:x", "own.safetensors", "own", "own:inputs", "big.npy", "own.csv"):
            document, steps = self.steps("simplified", "--inputs", name, notes=name == "own.csv")
            self.assertEqual(document["options"]["inputs"], name)
            values = np.array(steps["one_query/inputs"]["values"], dtype=np.float32)
            self.assertEqual(values.tobytes(), own.tobytes(), name)
            expected = expected or document["steps"]
            self.assertEqual(document["steps"], expected, name)

    def test_its_own_json_and_csv(self):
        """Every bit is restored: of all tensors by name, and of one."""
        for chapter, options in (("causal", []), ("multihead", ["--seed", "7", "--qkv-bias"]), ("cross", []), ("trainable", [])):
            for name in ("all.json", "all.npz"):
                output = ["--save", name] if name.endswith("npz") else ["--steps", "all", "-o", name]
                self.assertEqual(run(chapter, *options, *output, "--force", cwd=self.folder).returncode, 0)
            from_json, from_npz = (run("verify", name, "--chapter", chapter, *options, cwd=self.folder).stdout.decode()
                                   for name in ("all.json", "all.npz"))
            self.assertEqual(from_json, from_npz)
            self.assertNotIn("ulp", from_json)
            arrays = np.load(self.path("all.npz"))
            self.assertIn(f"{len(arrays)} of {len(arrays)} tensors checked and right", from_json)
        expected = run("causal").stdout
        output = ["--steps", "all", "-o", "causal.json"]
        self.assertEqual(run("causal", *output, cwd=self.folder).returncode, 0)
        for arguments in (["--inputs", "causal.json"], ["--weights", "causal.json", "--seed", "9", "--only", "context_vecs"],
                          ["--inputs", "causal.json:inputs"]):
            self.assertEqual(run("causal", *arguments, cwd=self.folder).stdout,
                             run("causal", *[word.replace("causal.json", "all.npz") for word in arguments], cwd=self.folder).stdout
                             if "--weights" not in arguments else self.with_npz(arguments), arguments)
        self.assertEqual(run("causal", "--inputs", "causal.json", cwd=self.folder).stdout, expected)

    def with_npz(self, arguments):
        self.assertEqual(run("causal", "--save", "causal.npz", cwd=self.folder).returncode, 0)
        return run("causal", *[word.replace(".json", ".npz") for word in arguments], cwd=self.folder).stdout

    def test_conversion_is_told(self):
        own = self.random(4, 3)
        for dtype in ("float16", "float64", "int8", "int64", "bool", "uint16"):
            array = (own * 3).astype(dtype) if dtype != "bool" else own > 0
            array = np.abs(array) if dtype == "uint16" else array
            np.save(self.path("own.npy"), array)
            done = run("simplified", "--inputs", "own.npy", "--only", "inputs", "--format", "json", cwd=self.folder)
            self.assertEqual((done.returncode, done.stderr.decode()),
                             (0, f"attn-walkthrough: note: inputs of 'own.npy' is {dtype}, converted to float32\n"))
            values = np.array(json.loads(done.stdout)["steps"][0]["values"], dtype=np.float32)
            self.assertEqual(values.tobytes(), array.astype(np.float32).tobytes(), dtype)
        upper = (own.view(np.uint32) >> 16).astype(np.uint16)
        safetensors(self.path("own.safetensors"), {"inputs": ("BF16", upper)})
        _, steps = self.steps("simplified", "--inputs", "own.safetensors", notes=1)
        self.assertEqual(np.array(steps["one_query/inputs"]["values"], dtype=np.float32).tobytes(),
                         (upper.astype(np.uint32) << 16).view(np.float32).tobytes())

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
        self.refused("cross", "--second-inputs", "own.npz", words=["[7, 5]", "d_in 3"])
        self.refused("causal", "--second-inputs", "own.npz", words=["--second-inputs", "cross"])


class Refused(Case):
    def setUp(self):
        super().setUp()
        np.save(self.path("inputs.npy"), self.random(4, 3))
        np.save(self.path("query.npy"), self.random(3, 3))

    def test_bad_files(self):
        good = pathlib.Path(self.path("inputs.npy")).read_bytes()
        bad = {"cut.npy": good[:-5], "magic.npy": b"\x93NUMPX" + good[6:], "more.npy": good.replace(b"(4, 3)", b"(9, 3)"),
               "huge.npy": good.replace(b"(4, 3), ", b"(1000000000,30),")[:100], "empty.npy": b"", "text.npy": b"hello\n",
               "text.txt": b"hello\n", "cut.npz": b"PK\x03\x04nothing", "words.csv": b"1,2\n3,four\n", "ragged.csv": b"1,2\n3\n",
               "lie.safetensors": struct.pack("<Q", 1 << 60) + b"{}", "cut.safetensors": struct.pack("<Q", 9) + b"{"}
        for name, data in bad.items():
            pathlib.Path(self.path(name)).write_bytes(data)
        np.save(self.path("objects.npy"), np.array([[{}, 1]], dtype=object), allow_pickle=True)
        np.save(self.path("complex.npy"), np.ones((4, 3), dtype=complex))
        with zipfile.ZipFile(self.path("away.npz"), "w") as archive:
            archive.writestr("../inputs.npy", good)
        with zipfile.ZipFile(self.path("bomb.npz"), "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("inputs.npy", good[:128] + bytes(50_000_000))
        safetensors(self.path("away.safetensors"), {"../inputs": ("F32", self.random(4, 3))})
        os.mkdir(self.path("empty"))
        names = [*bad, "objects.npy", "complex.npy", "away.npz", "bomb.npz", "away.safetensors", "empty", "nobody.npy", "/dev/null"]
        for name in names:
            for option, value in (("--inputs", name), ("--second-inputs", name), ("--weights", name), ("--weights", "W_query=" + name)):
                with self.subTest(option=option, value=value):
                    self.refused("cross", option, value, "--save", "steps", words=[option + ":", name])
                    self.assertFalse(os.path.exists(self.path("steps")))

    def test_numbers_that_are_none(self):
        for value, words in ((np.nan, "is nan"), (np.inf, "is inf"), (-np.inf, "is -inf"), (1e300, "too large for float32")):
            array = np.ones((3, 3))
            array[1, 2] = value
            np.save(self.path("bad.npy"), array)
            self.refused("cross", "--inputs", "bad.npy", words=["inputs[1, 2] is ", words])
            self.refused("cross", "--weights", "W_key=bad.npy", words=["W_key[1, 2] is ", words])

    def test_shapes(self):
        for shape in ((), (3,), (2, 4, 3), (0, 3), (3, 0)):
            np.save(self.path("bad.npy"), np.ones(shape, dtype=np.float32))
            self.refused("simplified", "--inputs", "bad.npy", words=["[tokens, d_in]", str(list(shape))])
        np.save(self.path("wide.npy"), self.random(4, 7))
        error = self.refused("causal", "--weights", "W_query=wide.npy", words=["[4, 7]", "[3, 3]"])
        self.refused("causal", "--weights", "W_query=query.npy", "--d-out", "5", words=["[3, 3]", "[5, 3]"])
        self.assertIn("W_query here", error)
        np.save(self.path("turned.npy"), self.random(3, 5))
        self.refused("causal", "--weights", "W_query=turned.npy", words=["[3, 5]", "[5, 3]", "transpose it"])

    def test_names(self):
        self.refused("causal", "--weights", "W_qeury=query.npy", words=["'W_qeury'", "try W_query="])
        self.refused("causal", "--weights", "out_proj_bias=query.npy", words=["'out_proj_bias'", "W_query, W_key, W_value"])
        self.refused("trainable", "--weights", "W_query=query.npy", words=["one_query/W_query, self_attention/W_query"])
        self.refused("causal", "--weights", "W_key=query.npy,W_key=query.npy", words=["given twice"])
        self.refused("causal", "--weights", "query.npy", words=["no tensor with the name of a weight"])
        np.savez(self.path("two.npz"), a=self.random(4, 3), input=self.random(4, 3))
        self.refused("causal", "--inputs", "two.npz", words=["'inputs'", "try two.npz:input"])
        self.refused("causal", "--inputs", "two.npz:b", words=["'b'"])
        self.refused("causal", "--weights", "=query.npy", words=["not a pair"])
        np.savez(self.path("other.npz"), out_proj_weight=self.random(3, 3))
        self.refused("causal", "--weights", "other.npz", words=["no tensor that is a weight here"])
        np.savez(self.path("bias.npz"), W_query_bias=self.random(2))
        self.refused("cross", "--weights", "bias.npz", words=["--init linear"])

    def test_beside_other_options(self):
        for option, value in (("--tokens", "5"), ("--d-in", "4"), ("--sentence", "some words")):
            self.refused("causal", "--inputs", "inputs.npy", option, value, words=["cannot be combined with", "--inputs", option])
        self.refused("trainable", "--inputs", "inputs.npy", "--query", "journey", words=["an index from 0 to 3"])


class Shown(Case):
    """Explanations of the user's numbers are true."""

    def setUp(self):
        super().setUp()
        np.save(self.path("inputs.npy"), self.random(6, 3))

    def test_nothing_is_said_to_be_drawn(self):
        for row in rows():
            base = [row["chapter"], "--article", row["article"]]
            self.output(*base, "--inputs", "inputs.npy", "--save", "steps", "--force")
            own = ["--inputs", "inputs.npy", *(["--weights", "steps"] if "projections" in row["takes"] else [])]
            own += ["--second-inputs", "steps"] if "second_inputs" in row["takes"] else []
            text = self.output(*base, *own, "--steps", "all", "--explain")
            for words in ("journey", "dessert", "torch.rand", "nn.Linear(", "as they were drawn", "untrained", "random numbers",
                          "Random inputs", "1/sqrt(d_in)", "nn.Embedding"):
                if words != "nn.Linear(" or "projections" in row["takes"]:
                    self.assertNotIn(words, " ".join(text.replace("\n# ", " ").split()), (base, words))

    def test_other_forms(self):
        weights = self.random(3, 3)
        np.save(self.path("query.npy"), weights)
        own = ["--inputs", "inputs.npy", "--weights", "W_query=query.npy"]
        for form in ("html", "markdown", "json"):
            self.assertIn("torch.tensor(W_query)", self.output("causal", *own, "--format", form, "--steps", "all"))
        self.assertIn(f"{weights[1, 2]:.4f}", self.output("causal", *own, "--cell", "W_query[1,2]"))
        self.assertIn("Without scaling", self.output("causal", *own, "--what-if", "no-scaling"))
        self.assertIn("0.", self.output("causal", *own, "--heatmap"))


class Fixture(Case):
    EXPLICIT = {"heads": ["--num-heads", "3"], "dropout": ["--dropout", "0.25"], "projections": ["--init", "linear", "--qkv-bias"],
                ("grouped", "heads"): ["--num-heads", "6", "--num-kv-heads", "3"]}

    def test_it_is_these_options(self):
        """If the chapter takes a batch, its two entries differ."""
        for row in rows():
            base = [row["chapter"], "--article", row["article"], "--steps", "all"]
            options = ["--tokens", "5", "--d-in", "7"]
            for name in row["takes"]:
                options += self.EXPLICIT.get((row["chapter"], name), self.EXPLICIT.get(name, []))
            if "projections" in row["takes"]:
                is_split = row["chapter"] in ("multihead", "bias", "sinks") and row["article"] != "ahead-of-ai"
                options += ["--d-out", "24" if row["chapter"] == "grouped" else "12" if is_split else "4"]
            document = json.loads(self.output(*base, "--fixture", "--format", "json"))
            self.assertEqual((document["options"]["fixture"], document["options"]["tokens"]), (True, 5))
            if "batch" not in row["takes"]:
                self.assertEqual(self.output(*base, "--fixture"), self.output(*base, *options), base)
                continue
            explicit = json.loads(self.output(*base, *options, "--batch", "2", "--format", "json"))
            shapes = lambda document: {(step["section"], step["name"]): step.get("shape") for step in document["steps"]}
            self.assertEqual(shapes(document), shapes(explicit), base)
            batches = [step["values"] for step in document["steps"] if step["name"] == "batch" and step["kind"] == "tensor"]
            self.assertTrue(batches and all(batch[0] != batch[1] for batch in batches), base)

    def test_inputs_may_be_a_batch(self):
        batch = self.random(3, 4, 2)
        np.save(self.path("batch.npy"), batch)
        for row in rows():
            base = [row["chapter"], "--article", row["article"], "--inputs", "batch.npy"]
            if "batch" not in row["takes"]:
                self.refused(*base, words=["one sequence"])
                continue
            _, steps = self.steps(*base)
            for name, step in steps.items():
                expected = {"batch": batch, "inputs": batch[0]}.get(name.split("/")[-1])
                if expected is not None:
                    self.assertTrue(np.array_equal(np.array(step["values"], np.float32), expected), (base, name))
            keys = next(step for name, step in steps.items() if name.endswith("keys") and len(step["shape"]) == 3)
            self.assertFalse(np.array_equal(keys["values"][0], keys["values"][1]))
            self.refused(*base, "--batch", "2", words=["its entries are the batch"])

    def test_weights_of_other_habits(self):
        """Fused, transposed and separate heads give the same numbers; notes list unused and drawn weights."""
        self.output("multihead", "--fixture", "--save", "steps")
        load = lambda name: np.load(self.path(f"steps/{name}.npy"))
        q, k, v, out = (load(name) for name in ("W_query", "W_key", "W_value", "out_proj_weight"))
        biases = [load(name + "_bias") for name in ("W_query", "W_key", "W_value", "out_proj")]
        split = lambda weight: weight.T.reshape(weight.shape[1], 3, 4)
        habits = {
            "llama": {f"model.layers.0.self_attn.{n}_proj.{kind}": one for n, both in zip("qkvo", zip((q, k, v, out), biases))
                      for kind, one in zip(("weight", "bias"), both)},
            "gpt2": {"h.0.attn.c_attn.weight": np.concatenate([q, k, v]).T, "h.0.attn.c_attn.bias": np.concatenate(biases[:3]),
                     "h.0.attn.c_proj.weight": out.T.copy(), "h.0.attn.c_proj.bias": biases[3]},
            "torch": {"in_proj_weight": np.concatenate([q, k, v]), "in_proj_bias": np.concatenate(biases[:3]),
                      "out_proj.weight": out, "out_proj.bias": biases[3]},
            "flax": {"query/kernel": split(q), "key/kernel": split(k), "value/kernel": split(v), "out/kernel": out.T.reshape(3, 4, 12),
                     **{f"{n}/bias": bias.reshape(3, 4) for n, bias in zip(("query", "key", "value"), biases)}, "out/bias": biases[3]},
        }
        for habit, tensors in habits.items():
            np.savez(self.path(habit + ".npz"), **tensors, mlp_fc=np.ones((2, 2), np.float32))
            done = run("multihead", "--fixture", "--seed", "7", "--weights", habit + ".npz", "--only", "out_proj_weight,W_key_bias", "--format", "json",
                       cwd=self.folder)
            steps = {step["name"]: np.array(step["values"], np.float32) for step in json.loads(done.stdout)["steps"]}
            self.assertTrue(np.array_equal(steps["out_proj_weight"], out) and np.array_equal(steps["W_key_bias"], biases[1]), habit)
            self.assertEqual(done.stderr.decode(), f"attn-walkthrough: note: --weights: not used from '{habit}.npz': mlp_fc\n")
        np.savez(self.path("some.npz"), **{"attn.q_proj.weight": q})
        done = run("multihead", "--fixture", "--weights", "some.npz", cwd=self.folder)
        note = b"not given, so drawn: W_query_bias, W_key, W_key_bias, W_value, W_value_bias, out_proj_weight, out_proj_bias\n"
        self.assertIn(note, done.stderr)
        for what in ("steps", "page.txt"):
            self.output("multihead", "--fixture", "-o", "page.txt", "--force")
            done = run("verify", what, "--chapter", "multihead", "--fixture", "--weights", "some.npz", cwd=self.folder)
            self.assertEqual((done.returncode, done.stderr), (0, b"attn-walkthrough: note: --weights: " + note))

    def test_own_options_go_before(self):
        text = self.output("multihead", "--fixture", "--num-heads", "2", "--batch", "4", "--only", "values_heads", "--format", "json")
        self.assertEqual(json.loads(text)["steps"][0]["shape"], [4, 2, 5, 4])
        self.assertEqual(self.output("causal", "--fixture", "--qkv-bias"), self.output("causal", "--fixture"))  # which has one

    def test_inputs_weights_and_masks_are_saved(self):
        more = {"trainable": {"W_query"}, "causal": {"W_key", "mask"}, "dropout": {"mask", "dropout_mask"}, "multihead": set(),
                "cross": {"second_input"}, "average": {"mask"}, "rotary": {"mask", "cos"}, "padding": {"mask"}, "grouped": {"mask"},
                "cache": {"W_key", "mask"}}
        for row in rows():
            self.output(row["chapter"], "--article", row["article"], "--fixture", "--save", "steps", "--force")
            saved = {path.stem: np.load(path) for path in pathlib.Path(self.path("steps")).rglob("*.npy")}
            wanted = {"inputs"} | more.get(row["chapter"], set()) | ({"dropout_mask"} if "dropout" in row["takes"] else set())
            wanted |= {f"W_{name}_bias" for name in ("query", "key", "value") if "projections" in row["takes"]}
            wanted |= {"mask"} if row["chapter"] == "multihead" and row["article"] != "ahead-of-ai" else set()
            self.assertLessEqual(wanted, set(saved), row)
            for name in wanted & {"mask", "dropout_mask"}:
                self.assertEqual((saved[name].dtype, saved[name].any(), saved[name].all()), (bool, True, False), row)

    def test_all_and_verify(self):
        self.output("all", "--fixture", "--save", "steps")
        self.assertEqual(np.load(self.path("steps/multihead/keys_heads.npy")).shape, (2, 3, 5, 4))
        self.output("multihead", "--fixture", "--save", "port")
        self.assertIn("28 of 28 tensors checked and right\n", self.output("verify", "port", "--chapter", "multihead", "--fixture"))
        pathlib.Path(self.path("page.txt")).write_text(self.output("causal", "--fixture"))
        self.output("verify", "page.txt", "--fixture")


if __name__ == "__main__":
    harness.main()
