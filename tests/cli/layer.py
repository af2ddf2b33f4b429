"""A layer of a checkpoint: files, settings, what is refused, and what it costs. Its numbers are compared with PyTorch in
tests/oracle/layers.py, and ports of it are in ports_today.py.

    PYTHONPATH=tests /usr/bin/python3 tests/cli/layer.py build/release/attn-walkthrough
"""
import json
import os
import subprocess
import tempfile

import numpy as np

import checkpoints
import harness
import limits
from harness import run


def made(folder, model, *arguments, dtype="F32", sharded=False, rng=None, **settings):
    """Writes a checkpoint of the model, its config, and the hidden states x.npy. Returns the numbers and the config."""
    rng = rng or np.random.default_rng(harness.day())
    tensors, config = getattr(checkpoints, model)(rng, *arguments, **settings)
    if sharded:
        held = checkpoints.save_sharded(folder, tensors, dtype)
    else:
        held = checkpoints.save(os.path.join(folder, "model.safetensors"), tensors, dtype)
    if config:
        checkpoints.save_config(folder, config)
    np.save(os.path.join(folder, "x.npy"), rng.standard_normal((5, arguments[0])).astype(np.float32))
    return held, config


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

    def test_halves_are_read_exactly_and_said(self):
        for dtype, name in (("F16", "float16"), ("BF16", "bfloat16")):
            held, _ = made(self.folder, "gpt2", 12, 3, 2, dtype=dtype)
            done = layer(self.folder, "--only", "output")
            self.assertEqual(done.stderr.decode(), f"attn-walkthrough: note: weights of 'model.safetensors' are {name}, read "
                                                   "exactly and computed as float32\n")
            ours = saved(self.folder)
            self.assertEqual(ours["qkv_weight"].tobytes(), held["h.0.attn.c_attn.weight"].tobytes())

    def test_shards_that_are_not_needed_may_be_missing(self):
        made(self.folder, "gpt2", 12, 3, 2, sharded=True)
        os.remove(self.path("model-00002-of-00002.safetensors"))
        self.assertEqual(layer(self.folder, "--layer", "0", weights=".").returncode, 0)
        self.refused("--layer", "1", weights=".", says="model-00002-of-00002.safetensors': it cannot be read")

    def make_large(self, d, name, shape):
        """Adds a tensor of 5 GB to GPT-2's checkpoint: a hole in the file. Returns the place of its numbers there."""
        tensors, config = checkpoints.gpt2(np.random.default_rng(1), d, 4, 1)
        tensors.pop(name, None)
        path = self.path("model.safetensors")
        checkpoints.save(path, tensors)
        hole = 4 * int(np.prod(shape))
        with open(path, "r+b") as file:
            size = int.from_bytes(file.read(8), "little")
            header = json.loads(file.read(size))
            data = file.read()
            end = max(entry["data_offsets"][1] for name, entry in header.items() if name != "__metadata__")
            header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [end, end + hole]}
            text = json.dumps(header).encode()
            file.seek(0)
            file.write(len(text).to_bytes(8, "little") + text + data)
            file.truncate(8 + len(text) + end + hole)
        checkpoints.save_config(self.folder, config)
        return 8 + len(text) + end

    def check_cost(self, *entered):
        mebibytes, code, seconds = limits.cost("layer", "--weights", self.path("model.safetensors"), *entered)
        self.assertEqual(code, 0)
        self.assertLess(mebibytes, 200)
        self.assertLess(seconds, 30)

    def test_a_large_embedding_costs_its_rows(self):
        """5 GB of embeddings, of which the sentence needs three rows."""
        d, rows = 256, (5 << 28) // 256
        place = self.make_large(d, "wte.weight", [rows, d])
        ids = {"Your": 7, "Ġjourney": rows - 1, "Ġstarts": rows // 2}
        tokenizer = checkpoints.byte_level_tokenizer()
        tokenizer["model"]["vocab"] = ids
        checkpoints.save_tokenizer(self.folder, tokenizer)
        numbers = np.random.default_rng(2).standard_normal((3, d)).astype(np.float32)
        with open(self.path("model.safetensors"), "r+b") as file:
            for id, row in zip(ids.values(), numbers):
                file.seek(place + 4 * d * id)
                file.write(row.tobytes())
        words = ["--sentence", "Your journey starts"]
        self.check_cost(*words, "--explain")
        self.check_cost(*words, "--steps", "all", "--save", self.path("steps.npz"))
        self.check_cost(*words, "--cell", "token_embeddings[1,2]")
        with np.load(self.path("steps.npz")) as steps:
            np.testing.assert_array_equal(steps["token_embeddings"], numbers)
            self.assertEqual(steps["residual_sum"].shape, (1, 3, d))
        done = layer(self.folder, *words, "--cell", "token_embeddings[1,2]", inputs=None)
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
        heads = ["--num-heads", "3"] if model == "gpt_model" else []
        done = self.words(sentence, "--format", "json", "--only", "ids", *heads)
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
        self.assertIn("- Your: 4, journey: 13, starts: 14", text)
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


BYTE_LEVEL = checkpoints.byte_level_tokenizer()
LLAMA = "model.layers.0."
# A model, options, words of the error; then what is changed: tensors by a function, its config or tokenizer in parts, None for none.
REFUSALS = [
    ("gpt2", "", "layer needs the hidden states", {"inputs": None}),
    ("gpt2", "--layer 2", "has no layer 2; it has 2 layers, 0 to 1; try --layer 1"), ("gpt2", "--layer -1", "is not a whole number"),
    ("gpt2", "--inputs wide.npy", "has shape [12], but inputs, heads and other weights ask for [6]", {"inputs": None}),
    ("gpt2", "--weights x.npy", "it is not a .safetensors file"), ("gpt2", "--weights config.json", 'it has no "weight_map"'),
    ("gpt2", "--weights nothing.safetensors", "cannot be read"), ("gpt2", "--weights empty", "has neither model.safetensors nor"),
    ("gpt2", "--config list.json", "it is not a JSON object"),
    ("gpt2", "", "h.0.attn.c_proj.weight[2, 3] is inf", {"tensors": holding("h.0.attn.c_proj.weight", np.inf)}),
    ("gpt2", "", "has model_type gemma, whose attention is not known here", {"config": {"model_type": "gemma"}}),
    ("gpt2", "", "scale_attn_by_inverse_layer_idx 1", {"config": {"scale_attn_by_inverse_layer_idx": True}}),
    ("gpt2", "", "5 heads cannot share 12 columns evenly", {"config": {"n_head": 5}}),
    ("gpt2", "", "cannot be known from shapes", {"config": {"n_head": 0}}), ("gpt2", "", "must be a whole number", {"config": {"n_head": 2.5}}),
    ("gpt2", "", "it is in the model's config.json, as n_head; add --num-heads 12, or --config", {"config": None}),
    ("gpt_model", "", "cannot be known from shapes; the program that made it has it; add --num-heads"),
    ("gpt2", "", "of no model that is known here: blocks.0.mixer.weight; known are GPT-2 (attn.c_attn.weight)",
     {"tensors": lambda tensors: [tensors.clear(), tensors.update({"blocks.0.mixer.weight": np.ones((2, 2))})]}),
    ("llama", "", "rope_theta, rms_norm_eps and the number of heads cannot be known from shapes", {"config": None}),
    ("llama", "", "rope_scaling of type yarn", {"config": {"rope_scaling": {"type": "yarn", "factor": 4.0}}}),
    ("llama", "", "without a low_freq_factor", {"config": {"rope_scaling": {"rope_type": "llama3", "factor": 8.0}}}),
    ("llama", "", "partial_rotary_factor 0.5", {"config": {"partial_rotary_factor": 0.5}}),
    ("llama", "", "3 heads cannot share 4 query heads evenly", {"config": {"num_key_value_heads": 3}}),
    ("llama", "", "has shape [24, 12]", {"config": {"head_dim": 8}}),
    ("llama", "", "heads of 3 columns: rotary embedding turns columns in pairs", {"sizes": (12, 4, 2, 3, 1)}),
    ("llama", "", "has a tensor 'self_attn.q_norm.weight', which Llama has not",
     {"tensors": lambda tensors: tensors.update({LLAMA + "self_attn.q_norm.weight": np.ones(4)})}),
    ("llama", "", "has no tensor 'input_layernorm.weight', which Llama needs", {"tensors": without(LLAMA + "input_layernorm.weight")}),
    ("bert", "--what-if no-mask", "no-mask does not apply to a layer of BERT; use one of no-scaling"),
    ("multihead_attention", "--num-heads 3", "it has two layers 0", {"sizes": (12, 1, "encoder.layers."), "tensors": lambda tensors:
        tensors.update(checkpoints.multihead_attention(np.random.default_rng(0), 12, 1, "decoder.layers.")[0])}),
    # Sentences
    ("gpt2", "--sentence Your", "there is no tokenizer.json beside 'model.safetensors'", {"tokenizer": None}),
    ("gpt2", "--sentence Your --tokenizer x.npy", ""), ("gpt2", "--sentence Your --tokenizer nothing.json", ""),
    ("gpt2", "--sentence Yourtrip", "'Yourtrip' is not one token of"), ("gpt2", "--sentence Cafés", "it would be 'CafÃ©s'"),
    ("gpt2", "--sentence=", "needs a value"), ("gpt2", "--sentence a\x07b", "has the control character"),
    ("bert", "--sentence ##ing", "'##ing' is not one token", {"tokenizer": checkpoints.wordpiece_tokenizer()}),
    ("bert", "--sentence café", "'café' may have accents", {"tokenizer": checkpoints.wordpiece_tokenizer(strip_accents=None)}),
    ("bert", "--sentence café", "'café' may have accents", {"tokenizer": checkpoints.wordpiece_tokenizer(False, True)}),
    ("multihead_attention", "--sentence Your --num-heads 3", "nn.MultiheadAttention embeds no tokens"),
    ("gpt2", "--sentence Your --layer 1", "--sentence with --layer 1"),
    ("gpt2", "--sentence Your --inputs x.npy", "--inputs cannot be combined with --sentence"),
    ("gpt2", "--tokenizer tokenizer.json", "--tokenizer needs --sentence"),
    ("gpt2", "--sentence Your", "has 24 rows, and none for number 24", {"tokenizer": {"model": {**BYTE_LEVEL["model"], "vocab": {
        **BYTE_LEVEL["model"]["vocab"], "Your": 24}}}}),
    ("gpt2", "--sentence Your", "has no matrix 'wte.weight', with which GPT-2 embeds", {
        "tensors": lambda tensors: [without("wpe.weight")(tensors), renamed("wte.weight", "other.wte.weight")(tensors)]}),
    ("gpt2", "--sentence journey", "wte.weight[2, 3] is nan", {"tensors": holding("wte.weight", np.nan), "tokenizer": {"model": {
        **BYTE_LEVEL["model"], "vocab": {**BYTE_LEVEL["model"]["vocab"], "journey": 2}}}}),
    ("bert", "--sentence <pad>", "the token of padding", {"tokenizer": checkpoints.unigram_tokenizer(), "settings": {"model_type": "xlm-roberta"}}),
    ("bert", "--sentence Your --num-heads 3", "the model_type, on which positions depend, cannot be known",
     {"tokenizer": checkpoints.unigram_tokenizer(), "config": None, "settings": {"model_type": "xlm-roberta"}}),
    ("gpt2", "--sentence Your", 'it has no "model" with a "vocab"', {"tokenizer": {"model": {}}}),
    ("gpt2", "--sentence Your", "neither an object nor a list", {"tokenizer": {"model": {"vocab": 3}}}),
    ("gpt2", "--sentence Your", "not a whole number from 0 on", {"tokenizer": {"model": {"vocab": {"a": -1}}}}),
    ("gpt2", "--sentence Your", 'entry 0 of its "vocab" is not', {"tokenizer": {"model": {"vocab": ["a"]}}}),
    ("gpt2", "--sentence Your", "how it splits a text into words is not known here", {"tokenizer": {"pre_tokenizer": {"type": "Digits"}}}),
]


class Refused(Layer):
    def test_what_cannot_be_used(self):
        self.assertIn("layer needs a checkpoint", run("layer").stderr.decode())
        for model, options, words, *changes in REFUSALS:
            with self.subTest(model=model, options=options, words=words):
                change = dict(*changes)
                sizes = change.get("sizes", (12, 3, 2) if model == "gpt2" else MODELS[model])
                tensors, config = getattr(checkpoints, model)(np.random.default_rng(0), *sizes, **change.get("settings", {}))
                change.get("tensors", len)(tensors)
                for name in ("config.json", "tokenizer.json"):
                    if os.path.exists(self.path(name)):
                        os.remove(self.path(name))
                checkpoints.save(self.path("model.safetensors"), tensors)
                if config and change.get("config", {}) is not None:
                    checkpoints.save_config(self.folder, {**config, **change.get("config", {})})
                if change.get("tokenizer", {}) is not None:
                    checkpoints.save_tokenizer(self.folder, {**BYTE_LEVEL, **change.get("tokenizer", {})})
                for name, columns in (("x.npy", 12), ("wide.npy", 6)):
                    np.save(self.path(name), np.ones((5, columns), np.float32))
                os.makedirs(self.path("empty"), exist_ok=True)
                with open(self.path("list.json"), "w", encoding="utf-8") as file:
                    file.write("[1, 2]")
                inputs = None if "--sentence" in options else change.get("inputs", "x.npy")
                self.refused(*options.split(), inputs=inputs, says=words)


class Options(Layer):
    def test_each_with_each_model(self):
        for model, sizes in MODELS.items():
            made(self.folder, model, *sizes)
            checkpoints.save_tokenizer(self.folder, TOKENIZERS.get(model, checkpoints.byte_level_tokenizer)())
            heads = ["--num-heads", "3"] if model in ("multihead_attention", "gpt_model") else []
            for number, options in enumerate(OPTIONS):
                words = ["--sentence", "Your journey starts with one"] if model != "multihead_attention" and number % 2 else []
                done = layer(self.folder, *options.split(), *heads, *words, inputs=None if words else "x.npy")
                self.assertEqual((done.returncode, b"error" in done.stderr), (0, False), (model, options, done.stderr))

    def test_rules(self):
        """Each rule changes a number, and says what it did."""
        seen = set()
        for model, sizes in MODELS.items():
            made(self.folder, model, *sizes)
            heads = ["--num-heads", "3"] if model in ("multihead_attention", "gpt_model") else []
            error = layer(self.folder, *heads, "--what-if", "bias-sign").stderr.decode()
            self.assertIn("bias-sign", error)
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
