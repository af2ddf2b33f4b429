"""A layer of a checkpoint: files, settings, what is refused, and what it costs. Its numbers are compared with PyTorch in
tests/oracle/layers.py, and ports of it are in ports_today.py."""
import json
import os
import pathlib
import subprocess
import tempfile

import numpy as np

import checkpoints
import harness
import limits
from cases import words_of
from harness import rows_of, run, sample


def made(folder, model, *sizes, dtype="F32", sharded=False, change=len, config=(), **settings):
    """Writes a checkpoint of the model, with changed tensors, its config with changed parts, or none, and the hidden states x.npy.
    Returns the numbers."""
    rng = np.random.default_rng(harness.day())
    tensors, its = getattr(checkpoints, model)(rng, *sizes, **settings)
    change(tensors)
    if sharded:
        held = checkpoints.save_sharded(folder, tensors, dtype)
    else:
        held = checkpoints.save(os.path.join(folder, "model.safetensors"), tensors, dtype)
    pathlib.Path(folder, "config.json").unlink(missing_ok=True)
    if its and config is not None:
        checkpoints.save_config(folder, {**its, **dict(config)})
    np.save(os.path.join(folder, "x.npy"), rng.standard_normal((5, sizes[0])).astype(np.float32))
    return held


def layer(folder, *options, weights="model.safetensors", inputs="x.npy", **more):
    return run("layer", "--weights", weights, *(["--inputs", inputs] if inputs else []), *options, cwd=folder, **more)


def saved(folder, *options, **more):
    """The steps that a run saves, by name."""
    path = os.path.join(folder, "saved.npz")
    done = layer(folder, "--steps", "all", "--save", path, "--force", *options, **more)
    assert done.returncode == 0, done.stderr
    with np.load(path) as archive:
        return {name: archive[name] for name in archive.files}


class Layer(harness.Case):
    def refused(self, *options, says="", **more):
        done = layer(self.folder, *options, **more)
        self.check_error(done, says)
        self.assertEqual(done.stdout, b"")


class Files(Layer):
    def test_a_file_a_folder_and_shards_hold_the_same_layer(self):
        made(self.folder, "gpt2", 12, 3, 2)
        whole = saved(self.folder, "--layer", "1")
        self.assertEqual(whole["output"].shape, (1, 5, 12))
        again = saved(self.folder, "--layer", "1", weights=".")
        with tempfile.TemporaryDirectory() as folder:
            made(folder, "gpt2", 12, 3, 2, sharded=True)
            for weights in (folder, os.path.join(folder, "model.safetensors.index.json")):
                sharded = saved(self.folder, "--layer", "1", weights=weights)
                for name, values in whole.items():
                    self.assertEqual(values.tobytes(), sharded[name].tobytes(), name)
        self.assertEqual({name: values.tobytes() for name, values in whole.items()},
                         {name: values.tobytes() for name, values in again.items()})

    def test_halves_are_read_exactly(self):
        for dtype in ("F16", "BF16"):
            held = made(self.folder, "gpt2", 12, 3, 2, dtype=dtype)
            ours = saved(self.folder)
            self.assertEqual(ours["qkv_weight"].tobytes(), held["h.0.attn.c_attn.weight"].tobytes())

    def test_shards_that_are_not_needed_may_be_missing(self):
        made(self.folder, "gpt2", 12, 3, 2, sharded=True)
        os.remove(self.path("model-00002-of-00002.safetensors"))
        self.assertEqual(layer(self.folder, "--layer", "0", weights=".").returncode, 0)
        self.refused("--layer", "1", weights=".", says="model-00002-of-00002.safetensors': it cannot be read")

    def test_a_large_embedding_costs_its_rows(self):
        """5 GB of embeddings, a hole in a file, of which the sentence needs three rows."""
        d, rows = 256, (5 << 28) // 256
        tensors, config = checkpoints.gpt2(np.random.default_rng(1), d, 4, 1)
        del tensors["wte.weight"]
        checkpoints.save(self.path("small.safetensors"), tensors)
        checkpoints.save_config(self.folder, config)
        ids = {"Your": 7, "Ġjourney": rows - 1, "Ġstarts": rows // 2}
        checkpoints.save_tokenizer(self.folder, {**BYTE_LEVEL, "model": {**BYTE_LEVEL["model"], "vocab": ids}})
        numbers = np.random.default_rng(2).standard_normal((3, d)).astype(np.float32)
        header = json.dumps({"wte.weight": {"dtype": "F32", "shape": [rows, d], "data_offsets": [0, 4 * rows * d]}}).encode()
        with open(self.path("large.safetensors"), "wb") as file:
            file.write(len(header).to_bytes(8, "little") + header)
            for id, row in zip(ids.values(), numbers):
                file.seek(8 + len(header) + 4 * d * id)
                file.write(row.tobytes())
            file.truncate(8 + len(header) + 4 * rows * d)
        weight_map = {**dict.fromkeys(tensors, "small.safetensors"), "wte.weight": "large.safetensors"}
        self.write("model.safetensors.index.json", json.dumps({"weight_map": weight_map}))
        words = ["--sentence", "Your journey starts"]
        for more in (["--explain"], ["--cell", "token_embeddings[1,2]"], ["--steps", "all", "--save", self.path("steps.npz")]):
            mebibytes, code = limits.peak("layer", "--weights", self.folder, *words, *more)
            self.assertEqual(code, 0)
            self.assertLess(mebibytes, 200)
        with np.load(self.path("steps.npz")) as steps:
            np.testing.assert_array_equal(steps["token_embeddings"], numbers)
            self.assertEqual(steps["residual_sum"].shape, (1, 3, d))
        done = layer(self.folder, *words, "--cell", "token_embeddings[1,2]", weights=".", inputs=None)
        self.assertIn(f'weights["wte.weight"][{rows - 1}, 2]', done.stdout.decode())

    def test_config_is_beside_the_checkpoint_or_named(self):
        made(self.folder, "gpt2", 12, 3, 2)
        three = saved(self.folder)["attn_weights"]
        self.assertEqual(three.shape, (1, 3, 5, 5))
        os.rename(self.path("config.json"), self.path("other.json"))
        self.assertEqual(saved(self.folder, "--config", "other.json")["attn_weights"].tobytes(), three.tobytes())
        done = layer(self.folder, "--num-heads", "3")
        self.assertEqual((done.returncode, done.stderr.decode()),
                         (0, "attn-walkthrough: note: no config.json beside 'model.safetensors': layer_norm_epsilon 1e-05 is "
                             "assumed\n"))


class Sentences(Layer):
    """Words that the model embeds. Its numbers are compared with PyTorch in tests/oracle/layers.py."""

    def words(self, sentence, *options, **more):
        return layer(self.folder, "--sentence", sentence, *options, inputs=None, **more)

    def ids(self, model, tokenizer, sentence, **settings):
        made(self.folder, model, *MODELS[model], **settings)
        checkpoints.save_tokenizer(self.folder, tokenizer)
        done = self.words(sentence, "--format", "json", "--only", "ids", *heads_of(model))
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        step = next(step for step in document["steps"] if step["name"] == "ids")
        return step["values"]

    def test_vocabularies_of_each_kind(self):
        """Ids are places in the lists of checkpoints.py: WORDS from 4 on; byte-level ones with a blank before follow."""
        byte_level, llama = checkpoints.byte_level_tokenizer, checkpoints.sentencepiece_tokenizer
        three, special = "Your journey starts", "<s> Your journey </s>"
        for model, tokenizer, sentence, ids, *settings in (
                ("gpt2", byte_level(), three, [4, 13, 14]), ("gpt2", byte_level(is_split=True), three, [4, 13, 14]),
                ("gpt2", byte_level(add_prefix_space=True), three, [12, 13, 14]),
                ("gpt2", byte_level(), "Your café  . Your <|endoftext|> step", [4, 18, 19, 12, 0, 17]),
                ("gpt2", byte_level(), "<|endoftext|> Your journey", [0, 4, 13]), ("gpt_model", byte_level(), three, [4, 13, 14]),
                ("llama", llama(), three, [4, 5, 6]), ("llama", llama(by_metaspace=True), special, [1, 4, 5, 2]),
                ("bert", checkpoints.wordpiece_tokenizer(), "[CLS] YOUR journey [SEP]", [2, 4, 5, 3]),
                ("bert", checkpoints.wordpiece_tokenizer(lowercase=False), three, [4, 5, 6]),
                ("bert", checkpoints.unigram_tokenizer(), special, [0, 4, 5, 2], {"model_type": "xlm-roberta"})):
            with self.subTest(model=model, sentence=sentence, tokenizer=tokenizer["pre_tokenizer"]):
                self.assertEqual(self.ids(model, tokenizer, sentence, **dict(*settings)), ids)

    def test_rows_have_their_words(self):
        self.ids("gpt2", checkpoints.byte_level_tokenizer(), "Your journey starts")
        text = self.words("Your journey starts", "--heatmap", "--only", "attn_weights").stdout.decode()
        self.assertRegex(text, r"(?m)^ +Your +journey +starts$")
        text = self.words("Your journey starts", "--explain").stdout.decode()
        next_step = next(line for line in text.splitlines() if line.startswith("#   attn-walkthrough layer"))
        self.assertIn(" --sentence 'Your journey starts' --what-if ", next_step)

    def test_a_vocabulary_from_elsewhere(self):
        self.ids("gpt2", checkpoints.byte_level_tokenizer(), "Your")
        os.rename(self.path("tokenizer.json"), self.path("other.json"))
        self.refused("--sentence", "Your", inputs=None, says="there is no tokenizer.json beside 'model.safetensors'")
        done = self.words("Your journey", "--tokenizer", "other.json", "--explain")
        self.assertEqual(done.returncode, 0)
        self.assertIn(" --sentence 'Your journey' --tokenizer other.json --what-if ", done.stdout.decode())


MODELS = {"gpt2": (12, 3, 1), "llama": (12, 4, 2, 6, 1), "bert": (12, 3, 1), "multihead_attention": (12, 1), "gpt_model": (12, 1)}


def heads_of(model):
    """What its checkpoint does not tell."""
    return ["--num-heads", "3"] if model in ("multihead_attention", "gpt_model") else []


TOKENIZERS = {"llama": checkpoints.sentencepiece_tokenizer, "bert": checkpoints.wordpiece_tokenizer}
# What each option of layer is given.
OPTIONS = [
    "--steps all", "--only attn_weights", "--explain", "--heatmap", "--cell attn_weights[0,0,1,0]", "--cell context_vecs[0,1,2] --depth 3",
    "--what-if no-scaling", "--predict 1", "--format markdown", "--format json", "--format html", "--format csv --only attn_weights",
    "--emit pytorch", "--emit numpy", "--emit notebook", "--save steps.npz --force", "--output steps.md --force", "--precision 2",
    "--no-grad", "--cpu default", "--blas portable", "--threads 2"]


def without(*names):
    return lambda tensors: [tensors.pop(name) for name in names]


def renamed(was, name):
    return lambda tensors: tensors.update({name: tensors.pop(was)})


def holding(name, number):
    return lambda tensors: tensors[name].__setitem__((2, 3), number)


def with_ids(**ids):
    return {"model": {**BYTE_LEVEL["model"], "vocab": {**BYTE_LEVEL["model"]["vocab"], **ids}}}


BYTE_LEVEL = checkpoints.byte_level_tokenizer()
LLAMA = "model.layers.0."


class Refused(Layer):
    """The rows of layer.txt."""

    def test_what_cannot_be_used(self):
        self.assertIn("layer needs --weights, a .safetensors checkpoint", run("layer").stderr.decode())
        os.mkdir(self.path("empty"))
        self.write("list.json", "[1, 2]")
        np.save(self.path("wide.npy"), np.ones((5, 6), np.float32))
        for model, options, words, *changes in rows_of(__file__):
            with self.subTest(model=model, options=options, words=words):
                asked = eval(f"dict({''.join(changes)})")
                sizes = asked.get("sizes", (12, 3, 2) if model == "gpt2" else MODELS[model])
                made(self.folder, model, *sizes, change=asked.get("tensors", len), config=asked.get("config", ()), **asked.get("settings", {}))
                pathlib.Path(self.path("tokenizer.json")).unlink(missing_ok=True)
                if asked.get("tokenizer", {}) is not None:
                    checkpoints.save_tokenizer(self.folder, {**BYTE_LEVEL, **asked.get("tokenizer", {})})
                inputs = None if "--sentence" in options else asked.get("inputs", "x.npy")
                self.refused(*words_of(options.strip("-") and options), inputs=inputs, says=words.strip("-"))


class Options(Layer):
    def test_each_with_each_model(self):
        for model, sizes in MODELS.items():
            made(self.folder, model, *sizes)
            checkpoints.save_tokenizer(self.folder, TOKENIZERS.get(model, checkpoints.byte_level_tokenizer)())
            heads = heads_of(model)
            for number, options in sample(enumerate(OPTIONS)):
                words = ["--sentence", "Your journey starts with one"] if model != "multihead_attention" and number % 2 else []
                done = layer(self.folder, *options.split(), *heads, *words, inputs=None if words else "x.npy")
                self.assertEqual((done.returncode, b"error" in done.stderr), (0, False), (model, options, done.stderr))

    def test_rules(self):
        """Each rule changes a number, and says what it did."""
        seen = set()
        for model, sizes in MODELS.items():
            made(self.folder, model, *sizes)
            heads = heads_of(model)
            for rule in ("no-scaling", "no-mask", "mask-after-softmax", "softmax-dim-0", "same-weights", "tiled-heads",
                         "rotary-values", "position-off-by-one"):
                done = layer(self.folder, *heads, "--what-if", rule)
                if done.returncode == 0:
                    seen.add(rule)
                    self.assertRegex(done.stdout.decode().splitlines()[0], "^# (?!No number changed).*", (model, rule))
                else:
                    self.assertIn("does not apply to a layer of", done.stderr.decode(), (model, rule))
        self.assertEqual(len(seen), 8)

    def test_next_steps_can_be_typed(self):
        folder = self.path("it's mine")
        os.mkdir(folder)
        made(folder, "gpt2", 12, 3, 1)
        text = run("layer", "--weights", folder, "--inputs", os.path.join(folder, "x.npy"), "--explain").stdout.decode()
        commands = [line[4:] for line in text.splitlines() if line.startswith("#   attn-walkthrough layer")]
        self.assertEqual(len(commands), 2, text[-600:])
        for command in commands:
            done = subprocess.run(["sh", "-c", command.replace("attn-walkthrough", harness.BINARY, 1)], capture_output=True,
                                  stdin=subprocess.DEVNULL, check=False)
            self.assertEqual(done.returncode, 0, (command, done.stderr))


if __name__ == "__main__":
    harness.main()
