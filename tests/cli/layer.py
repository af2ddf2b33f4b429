"""A layer of a checkpoint: files, settings, what is refused, what it costs, and ports of it. Its numbers are compared with
PyTorch in tests/oracle/layers.py.

    PYTHONPATH=tests /usr/bin/python3 tests/cli/layer.py build/release/attn-walkthrough
"""
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np

import checkpoints
import harness
from harness import run

MIB = 1 << 20


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


class Layer(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name

    def refused(self, *options, **more):
        """The error of a run that writes nothing else."""
        done = layer(self.folder, *options, **more)
        error = done.stderr.decode()
        self.assertEqual((done.returncode, done.stdout), (2, b""), error)
        self.assertTrue(error.startswith("attn-walkthrough: error: ") and error.count("\n") == 1, error)
        return error


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
        os.remove(os.path.join(self.folder, "model-00002-of-00002.safetensors"))
        self.assertEqual(layer(self.folder, "--layer", "0", weights=".").returncode, 0)
        self.assertIn("model-00002-of-00002.safetensors': it cannot be read", self.refused("--layer", "1", weights="."))

    def make_large(self, d, name, shape):
        """Adds a tensor of 5 GB to GPT-2's checkpoint: a hole in the file. Returns the place of its numbers there."""
        tensors, config = checkpoints.gpt2(np.random.default_rng(1), d, 4, 1)
        tensors.pop(name, None)
        path = os.path.join(self.folder, "model.safetensors")
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
        begin = time.monotonic()
        command = [harness.BINARY, "layer", "--weights", "model.safetensors", *entered]
        code = (f"import resource, subprocess; done = subprocess.run({command!r}, stdout=subprocess.DEVNULL); "
                "print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
        done = subprocess.run([sys.executable, "-c", code], cwd=self.folder, capture_output=True, text=True, check=True)
        returncode, kibibytes = map(int, done.stdout.split())
        self.assertEqual(returncode, 0, done.stderr)
        self.assertLess(kibibytes / 1024, 200)
        self.assertLess(time.monotonic() - begin, 30)

    def test_a_large_file_costs_what_the_layer_costs(self):
        """5 GB of other layers."""
        self.make_large(256, "h.1.mlp.c_fc.weight", [5 << 28])
        np.save(os.path.join(self.folder, "x.npy"), np.ones((5, 256), np.float32))
        self.check_cost("--inputs", "x.npy")

    def test_a_large_embedding_costs_its_rows(self):
        """5 GB of embeddings, of which the sentence needs three rows."""
        d, rows = 256, (5 << 28) // 256
        place = self.make_large(d, "wte.weight", [rows, d])
        ids = {"Your": 7, "Ġjourney": rows - 1, "Ġstarts": rows // 2}
        tokenizer = checkpoints.byte_level_tokenizer()
        tokenizer["model"]["vocab"] = ids
        checkpoints.save_tokenizer(self.folder, tokenizer)
        numbers = np.random.default_rng(2).standard_normal((3, d)).astype(np.float32)
        with open(os.path.join(self.folder, "model.safetensors"), "r+b") as file:
            for id, row in zip(ids.values(), numbers):
                file.seek(place + 4 * d * id)
                file.write(row.tobytes())
        words = ["--sentence", "Your journey starts"]
        self.check_cost(*words, "--explain")
        self.check_cost(*words, "--steps", "all", "--save", "steps.npz")
        self.check_cost(*words, "--cell", "token_embeddings[1,2]")
        with np.load(os.path.join(self.folder, "steps.npz")) as steps:
            np.testing.assert_array_equal(steps["token_embeddings"], numbers)
            self.assertEqual(steps["residual_sum"].shape, (1, 3, d))
        done = layer(self.folder, *words, "--cell", "token_embeddings[1,2]", inputs=None)
        self.assertIn(f'weights["wte.weight"][{rows - 1}, 2]', done.stdout.decode())

    def test_config_is_beside_the_checkpoint_or_named(self):
        made(self.folder, "gpt2", 12, 3, 2)
        three = saved(self.folder)["attn_weights"]
        self.assertEqual(three.shape, (1, 3, 5, 5))
        os.rename(os.path.join(self.folder, "config.json"), os.path.join(self.folder, "other.json"))
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
        os.rename(os.path.join(self.folder, "tokenizer.json"), os.path.join(self.folder, "other.json"))
        self.assertIn("there is no tokenizer.json beside 'model.safetensors'", self.refused("--sentence", "Your", inputs=None))
        done = self.words("Your journey", "--tokenizer", "other.json", "--explain")
        self.assertEqual(done.returncode, 0)
        self.assertIn(" --sentence 'Your journey' --tokenizer other.json --what-if ", done.stdout.decode())

    def test_words_that_are_no_tokens(self):
        self.ids("gpt2", checkpoints.byte_level_tokenizer(), "Your")
        for sentence, said in (("Your trip", "'trip' is not one token of './tokenizer.json', where it would be 'Ġtrip'"),
                               ("Cafés", "it would be 'CafÃ©s'"),
                               ("Ġjourney", "is not one token"), ("", "has no words"), ("a\x07b", "has the control character")):
            self.assertIn(said, self.refused("--sentence", sentence, inputs=None, weights="."))
        checkpoints.save_tokenizer(self.folder, checkpoints.wordpiece_tokenizer())
        self.assertIn("'##ing' is not one token", self.refused("--sentence", "##ing", inputs=None))

    def test_accents_that_a_tokenizer_takes_away(self):
        """The tokenizer of the real BERT looks café up as cafe."""
        self.assertEqual(self.ids("bert", checkpoints.wordpiece_tokenizer(), "Your café"), [4, 10])
        self.assertEqual(self.ids("bert", checkpoints.wordpiece_tokenizer(False, None), "Your café"), [4, 10])
        for tokenizer in (checkpoints.wordpiece_tokenizer(strip_accents=None), checkpoints.wordpiece_tokenizer(False, True)):
            checkpoints.save_tokenizer(self.folder, tokenizer)
            self.assertIn("'café' may have accents", self.refused("--sentence", "Your café", inputs=None))

    def test_what_words_cannot_do(self):
        made(self.folder, "multihead_attention", 12, 1)
        self.assertIn("nn.MultiheadAttention embeds no tokens", self.refused("--sentence", "Your", "--num-heads", "3", inputs=None))
        os.remove(os.path.join(self.folder, "model.safetensors"))
        made(self.folder, "gpt2", 12, 3, 2)
        checkpoints.save_tokenizer(self.folder, checkpoints.byte_level_tokenizer())
        self.assertIn("--sentence with --layer 1", self.refused("--sentence", "Your", "--layer", "1", inputs=None))
        self.assertIn("--inputs cannot be combined with --sentence", self.refused("--sentence", "Your"))
        self.assertIn("--tokenizer needs --sentence", self.refused("--tokenizer", "tokenizer.json"))
        self.assertIn("has 80 rows, and none for number 80", self.refused("--sentence", "Your " * 81, inputs=None))
        tokenizer = checkpoints.byte_level_tokenizer()
        tokenizer["model"]["vocab"]["Your"] = 24
        checkpoints.save_tokenizer(self.folder, tokenizer)
        self.assertIn("has 24 rows, and none for number 24", self.refused("--sentence", "Your", inputs=None))

    def test_checkpoints_without_embeddings(self):
        tensors, config = checkpoints.gpt2(np.random.default_rng(0), 12, 3, 1)
        del tensors["wpe.weight"]
        tensors["other.wte.weight"] = tensors.pop("wte.weight")
        checkpoints.save(os.path.join(self.folder, "model.safetensors"), tensors)
        checkpoints.save_config(self.folder, config)
        checkpoints.save_tokenizer(self.folder, checkpoints.byte_level_tokenizer())
        self.assertIn("has no matrix 'wte.weight', with which GPT-2 embeds", self.refused("--sentence", "Your", inputs=None))

    def test_positions_that_a_config_tells(self):
        self.ids("bert", checkpoints.unigram_tokenizer(), "Your", model_type="xlm-roberta")
        self.assertIn("the token of padding", self.refused("--sentence", "Your <pad>", inputs=None))
        os.remove(os.path.join(self.folder, "config.json"))
        self.assertIn("the model_type, on which positions depend, cannot be known",
                      self.refused("--sentence", "Your", "--num-heads", "3", inputs=None))

    def test_files_that_are_no_vocabularies(self):
        self.ids("gpt2", checkpoints.byte_level_tokenizer(), "Your")
        its = checkpoints.byte_level_tokenizer()
        for change, said in (({"model": {}}, 'it has no "model" with a "vocab"'), ({"model": {"vocab": 3}}, "neither an object nor a list"),
                             ({"model": {"vocab": {"a": -1}}}, "not a whole number from 0 on"),
                             ({"model": {"vocab": ["a"]}}, 'entry 0 of its "vocab" is not'),
                             ({"pre_tokenizer": {"type": "Digits"}}, "how it splits a text into words is not known here")):
            checkpoints.save_tokenizer(self.folder, {**its, **change})
            self.assertIn(said, self.refused("--sentence", "Your", inputs=None))
        for file in ("config.json", "x.npy", "nothing.json"):
            self.refused("--sentence", "Your", "--tokenizer", file, inputs=None)

    def test_rows_that_are_not_finite(self):
        tensors, config = checkpoints.gpt2(np.random.default_rng(0), 12, 3, 1)
        tensors["wte.weight"][13, 3] = np.nan
        checkpoints.save(os.path.join(self.folder, "model.safetensors"), tensors)
        checkpoints.save_config(self.folder, config)
        checkpoints.save_tokenizer(self.folder, checkpoints.byte_level_tokenizer())
        self.assertIn("wte.weight[13, 3] is nan", self.refused("--sentence", "Your journey", inputs=None))

    def test_a_port_of_embeddings(self):
        held, config = made(self.folder, "gpt2", 12, 3, 1)
        checkpoints.save_tokenizer(self.folder, checkpoints.byte_level_tokenizer())
        ids = [4, 13, 14]
        tokens, positions = held["wte.weight"][ids], held["wpe.weight"][:3]
        path = os.path.join(self.folder, "dump.npz")
        verify = lambda *options: run("verify", path, "--layer", "0", "--weights", "model.safetensors", "--sentence",
                                      "Your journey starts", *options, cwd=self.folder)
        dump = {"wte": tokens, "wpe": positions, "hidden_states": tokens + positions}
        np.savez(path, **dump, **gpt2_port(held, config, tokens + positions))
        done = verify()
        self.assertEqual((done.returncode, done.stderr), (0, b""), done.stdout.decode())
        self.assertIn("13 of 13 tensors checked and right", done.stdout.decode())
        np.savez(path, **{**dump, "wpe": held["wpe.weight"][1:4], "hidden_states": tokens + held["wpe.weight"][1:4]})
        done = verify()
        self.assertEqual(done.returncode, 1)
        self.assertIn("your wpe", done.stdout.decode())


class Refused(Layer):
    def test_what_is_missing(self):
        made(self.folder, "gpt2", 12, 3, 2)
        self.assertIn("layer needs the hidden states", self.refused(inputs=None))
        done = run("layer")
        self.assertEqual(done.returncode, 2)
        self.assertIn("layer needs a checkpoint", done.stderr.decode())

    def test_layers_that_are_not_there(self):
        made(self.folder, "gpt2", 12, 3, 2)
        self.assertIn("has no layer 2; it has 2 layers, 0 to 1; try --layer 1", self.refused("--layer", "2"))
        self.assertIn("is not a whole number", self.refused("--layer", "-1"))

    def test_inputs_of_another_size(self):
        made(self.folder, "gpt2", 12, 3, 2)
        np.save(os.path.join(self.folder, "x.npy"), np.ones((5, 6), np.float32))
        self.assertIn("has shape [12], but inputs, heads and other weights ask for [6]", self.refused())

    def test_tensors_of_no_known_model(self):
        checkpoints.save(os.path.join(self.folder, "model.safetensors"), {"blocks.0.mixer.weight": np.ones((2, 2))})
        np.save(os.path.join(self.folder, "x.npy"), np.ones((5, 2), np.float32))
        error = self.refused()
        for part in ("are of no model that is known here: blocks.0.mixer.weight; known are GPT-2 (attn.c_attn.weight)", "BERT"):
            self.assertIn(part, error)

    def test_other_files(self):
        made(self.folder, "gpt2", 12, 3, 2)
        self.assertIn("it is not a .safetensors file", self.refused(weights="x.npy"))
        self.assertIn("it has no \"weight_map\"", self.refused(weights="config.json"))
        self.assertIn("cannot be read", self.refused(weights="nothing.safetensors"))
        os.mkdir(os.path.join(self.folder, "empty"))
        self.assertIn("has neither model.safetensors nor", self.refused(weights="empty"))
        with open(os.path.join(self.folder, "config.json"), "w", encoding="utf-8") as file:
            file.write("[1, 2]")
        self.assertIn("it is not a JSON object", self.refused())

    def test_numbers_that_are_not_finite(self):
        tensors, config = checkpoints.gpt2(np.random.default_rng(0), 12, 3, 1)
        tensors["h.0.attn.c_proj.weight"][2, 3] = np.inf
        checkpoints.save(os.path.join(self.folder, "model.safetensors"), tensors)
        checkpoints.save_config(self.folder, config)
        np.save(os.path.join(self.folder, "x.npy"), np.ones((5, 12), np.float32))
        self.assertIn("h.0.attn.c_proj.weight[2, 3] is inf", self.refused())

    def test_a_config_of_another_model(self):
        for change, said in (({"model_type": "gemma"}, "has model_type gemma, whose attention is not known here"),
                             ({"scale_attn_by_inverse_layer_idx": True}, "scale_attn_by_inverse_layer_idx 1"),
                             ({"n_head": 5}, "5 heads cannot share 12 columns evenly"), ({"n_head": 0}, "cannot be known from shapes"),
                             ({"n_head": 2.5}, "must be a whole number")):
            _, config = made(self.folder, "gpt2", 12, 3, 2)
            checkpoints.save_config(self.folder, {**config, **change})
            self.assertIn(said, self.refused())

    def test_heads_that_no_shape_tells(self):
        made(self.folder, "gpt_model", 12, 2)
        self.assertIn("cannot be known from shapes; the program that made it has it; add --num-heads", self.refused())
        os.remove(os.path.join(self.folder, "model.safetensors"))
        made(self.folder, "gpt2", 12, 3, 2)
        os.remove(os.path.join(self.folder, "config.json"))
        self.assertIn("it is in the model's config.json, as n_head; add --num-heads 12, or --config", self.refused())

    def test_llama_without_its_config_or_with_parts_that_are_not_known(self):
        tensors, config = checkpoints.llama(np.random.default_rng(0), 12, 4, 2, 4, 1)
        path = os.path.join(self.folder, "model.safetensors")
        checkpoints.save(path, tensors)
        np.save(os.path.join(self.folder, "x.npy"), np.ones((5, 12), np.float32))
        self.assertIn("rope_theta, rms_norm_eps and the number of heads cannot be known from shapes", self.refused())
        for change, said in (({"rope_scaling": {"type": "yarn", "factor": 4.0}}, "rope_scaling of type yarn"),
                             ({"rope_scaling": {"rope_type": "llama3", "factor": 8.0}}, "without a low_freq_factor"),
                             ({"partial_rotary_factor": 0.5}, "partial_rotary_factor 0.5"),
                             ({"num_key_value_heads": 3}, "3 heads cannot share 4 query heads evenly"),
                             ({"head_dim": 6}, "has shape [16, 12]")):
            checkpoints.save_config(self.folder, {**config, **change})
            self.assertIn(said, self.refused())
        odd, its = checkpoints.llama(np.random.default_rng(0), 12, 4, 2, 3, 1)
        checkpoints.save(path, odd)
        checkpoints.save_config(self.folder, its)
        self.assertIn("heads of 3 columns: rotary embedding turns columns in pairs", self.refused())
        checkpoints.save_config(self.folder, config)
        tensors["model.layers.0.self_attn.q_norm.weight"] = np.ones(4)
        checkpoints.save(path, tensors)
        self.assertIn("has a tensor 'self_attn.q_norm.weight', which Llama has not", self.refused())
        del tensors["model.layers.0.self_attn.q_norm.weight"], tensors["model.layers.0.input_layernorm.weight"]
        checkpoints.save(path, tensors)
        self.assertIn("has no tensor 'input_layernorm.weight', which Llama needs", self.refused())

    def test_rules_that_the_model_has_not(self):
        made(self.folder, "bert", 12, 3, 2)
        self.assertIn("no-mask does not apply to a layer of BERT; use one of no-scaling", self.refused("--what-if", "no-mask"))

    def test_two_layers_of_one_number(self):
        tensors, _ = checkpoints.multihead_attention(np.random.default_rng(0), 12, 1, "encoder.layers.")
        others, _ = checkpoints.multihead_attention(np.random.default_rng(0), 12, 1, "decoder.layers.")
        checkpoints.save(os.path.join(self.folder, "model.safetensors"), tensors | others)
        np.save(os.path.join(self.folder, "x.npy"), np.ones((5, 12), np.float32))
        self.assertIn("it has two layers 0", self.refused("--num-heads", "3"))


MODELS = {"gpt2": (12, 3, 1), "llama": (12, 4, 2, 6, 1), "bert": (12, 3, 1), "multihead_attention": (12, 1), "gpt_model": (12, 1)}
TOKENIZERS = {"llama": checkpoints.sentencepiece_tokenizer, "bert": checkpoints.wordpiece_tokenizer}
# What else each option of layer is given.
OPTIONS = [
    ["--steps", "all"], ["--only", "attn_weights"], ["--explain"], ["--heatmap"], ["--cell", "attn_weights[0,0,1,0]"],
    ["--cell", "normed[0,1,2]", "--depth", "3"], ["--what-if", "no-scaling"], ["--predict", "1"], ["--format", "markdown"],
    ["--format", "json"], ["--format", "html"], ["--format", "csv", "--only", "attn_weights"], ["--emit", "pytorch"],
    ["--emit", "numpy"], ["--emit", "notebook"], ["--save", "steps.npz", "--force"], ["--output", "steps.md", "--force"],
    ["--precision", "2"], ["--no-grad"], ["--cpu", "default"], ["--blas", "portable"], ["--threads", "2"], ["--num-heads", "3"]]


class Options(Layer):
    def test_pairs(self):
        """Each two options work together, or the error says why not."""
        for model, sizes in MODELS.items():
            made(self.folder, model, *sizes)
            checkpoints.save_tokenizer(self.folder, TOKENIZERS.get(model, checkpoints.byte_level_tokenizer)())
            heads = ["--num-heads", "3"] if model in ("multihead_attention", "gpt_model") else []
            pairs = [(one, other) for i, one in enumerate(OPTIONS) for other in OPTIONS[:i] if not set(one) & set(other)]
            for one, other in harness.sample(pairs, len(model)):
                arguments = [*one, *other, *([] if "--num-heads" in one + other else heads)]
                has_words = model != "multihead_attention" and len(one + other) % 2
                words = ["--sentence", "Your journey starts with one"] if has_words else []
                done = layer(self.folder, *arguments, *words, inputs=None if words else "x.npy")
                error = done.stderr.decode()
                if done.returncode:
                    self.assertEqual((done.returncode, done.stdout), (2, b""), (model, arguments, error))
                    self.assertRegex(error, r"\Aattn-walkthrough: error: [^\n]+\n\Z", (model, arguments))
                else:
                    self.assertNotIn("error", error, (model, arguments))

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
        folder = os.path.join(self.folder, "it's mine")
        os.mkdir(folder)
        made(folder, "gpt2", 12, 3, 1)
        text = run("layer", "--weights", folder, "--inputs", os.path.join(folder, "x.npy"), "--explain").stdout.decode()
        commands = [line[4:] for line in text.splitlines() if line.startswith("#   attn-walkthrough layer")]
        self.assertEqual(len(commands), 2, text[-600:])
        for command in commands:
            done = subprocess.run(["sh", "-c", command.replace("attn-walkthrough", harness.BINARY, 1)], capture_output=True,
                                  stdin=subprocess.DEVNULL, check=False)
            self.assertEqual(done.returncode, 0, (command, done.stderr))


# ---- Ports of a layer, in the checkpoints' own names -----------------------------------------------


def softmax(scores):
    exps = np.exp(scores - scores.max(-1, keepdims=True))
    return exps / exps.sum(-1, keepdims=True)


def split(x, heads):
    return x.reshape(len(x), heads, -1).transpose(1, 0, 2)


def layer_norm(x, weight, bias, eps, mistake):
    eps = {"no epsilon": 0, "another epsilon": 1e-3}.get(mistake, eps)
    mean = 0 if mistake == "mean not subtracted" else x.mean(-1, keepdims=True)
    variance = (x**2).mean(-1, keepdims=True) if mistake == "mean not subtracted" else x.var(-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + eps) * weight + (0 if mistake == "norm without bias" else bias)


def gpt2_port(weights, config, x, mistake=None):
    """The tensors of a port, by names as PyTorch's hooks would give them."""
    w = {name.removeprefix("h.0."): value for name, value in weights.items()}
    heads, d, n = config["n_head"], x.shape[-1], len(x)
    dump = {"h.0.ln_1": layer_norm(x, w["ln_1.weight"], w["ln_1.bias"], 1e-5, mistake)}
    normed = x if mistake == "no norm" else dump["h.0.ln_1"]
    weight = w["attn.c_attn.weight"]
    qkv = normed @ weight + (0 if mistake == "no bias" else w["attn.c_attn.bias"])
    dump["h.0.attn.c_attn"] = qkv
    parts = np.split(qkv, 3, axis=1)
    if mistake == "fused by heads":
        parts = [qkv.reshape(n, heads, 3, -1)[:, :, i].reshape(n, d) for i in range(3)]
    q, k, v = (split(part, heads) for part in parts)
    dump |= {"h.0.attn.q": q, "h.0.attn.k": k, "h.0.attn.v": v}
    scale = {"scaled by d_model": d**0.5, "not scaled": 1}.get(mistake, (d // heads)**0.5)
    scores = q @ k.transpose(0, 2, 1) / scale
    if mistake != "no mask":
        scores = np.where(np.triu(np.ones((n, n), bool), 1), -np.inf, scores)
    attn = softmax(scores)
    dump |= {"h.0.attn.scores": scores, "h.0.attn.weights": attn}
    context = attn @ v
    context = (context if mistake == "heads joined by view" else context.transpose(1, 0, 2)).reshape(n, d)
    dump["h.0.attn.context"] = context
    dump["h.0.attn.c_proj"] = context @ w["attn.c_proj.weight"] + w["attn.c_proj.bias"]
    entered = {"no residual": 0, "residual of the norm": dump["h.0.ln_1"]}.get(mistake, x)
    dump["h.0.residual"] = dump["h.0.attn.c_proj"] + entered
    return dump


def llama_port(weights, config, x, mistake=None):
    at = "model.layers.0."
    w = {name.removeprefix(at): value for name, value in weights.items()}
    heads, kv_heads, head_dim, n = (*(config[key] for key in ("num_attention_heads", "num_key_value_heads", "head_dim")), len(x))
    eps = {"no epsilon": 0, "another epsilon": 1e-3}.get(mistake, config["rms_norm_eps"])
    row = x - x.mean(-1, keepdims=True) if mistake == "mean subtracted" else x
    normed = row / np.sqrt((row**2).mean(-1, keepdims=True) + eps)
    normed = normed * (w["input_layernorm.weight"] + (mistake == "weight plus one"))
    q, k, v = (normed @ w[f"self_attn.{name}_proj.weight"].T for name in "qkv")
    dump = {at + "input_layernorm": normed, at + "self_attn.q_proj": q, at + "self_attn.k_proj": k, at + "self_attn.v_proj": v}
    q, k, v = split(q, heads), split(k, kv_heads), split(v, kv_heads)
    first = 1 if mistake == "positions from one" else 0
    theta = 500_000 if mistake == "another theta" else config["rope_theta"]
    positions = np.arange(first, first + n)
    positions[3:] = 0 if mistake == "decoded at 0" else positions[3:]
    angles = positions[:, None] / theta ** (np.arange(0, head_dim, 2) / head_dim)
    cos, sin = np.cos(angles), np.sin(angles)

    def rotate(x):
        if mistake == "adjacent pairs":
            a, b = x[..., ::2], x[..., 1::2]
            return np.stack([a * cos - b * sin, a * sin + b * cos], -1).reshape(x.shape)
        a, b = np.split(x, 2, -1)
        return np.concatenate([a * cos - b * sin, a * sin + b * cos], -1)

    q, k = rotate(q), rotate(k)
    dump |= {at + "self_attn.q_rot": q, at + "self_attn.k_rot": k}
    group = heads // kv_heads
    repeat = (lambda x: np.tile(x, (group, 1, 1))) if mistake == "tiled heads" else (lambda x: np.repeat(x, group, 0))
    k, v = repeat(k), repeat(v)
    scores = q @ k.transpose(0, 2, 1) / np.sqrt(heads * head_dim if mistake == "scaled by d_model" else head_dim)
    distance = np.arange(n)[:, None] - np.arange(n)
    window = n if mistake == "no window" else config["sliding_window"] + (mistake == "window too wide")
    hidden = (distance >= window) | ((distance < 0) & (mistake != "no mask"))
    attn = softmax(np.where(hidden, -np.inf, scores))
    dump |= {at + "self_attn.scores": scores, at + "self_attn.attn_weights": attn}
    context = (attn @ v).transpose(1, 0, 2).reshape(n, -1)
    dump[at + "self_attn.o_proj"] = context @ w["self_attn.o_proj.weight"].T
    dump[at + "resid_mid"] = dump[at + "self_attn.o_proj"] + (0 if mistake == "no residual" else x)
    return dump


# A mistake, the tensor where it is first seen, words of its cause, and a thread on GitHub that reports it.
GPT2_MISTAKES = [
    ("no epsilon", "h.0.ln_1", "nothing is added under the root"),
    ("another epsilon", "h.0.ln_1", "eps is 1e-3", "huggingface/candle/pull/271"),
    ("mean not subtracted", "h.0.ln_1", "does not subtract the mean", "nntile/nntile/pull/358"),
    ("norm without bias", "h.0.ln_1", "the norm's bias is left out"),
    ("no norm", "h.0.attn.c_attn", ""),
    ("no bias", "h.0.attn.c_attn", "the bias is left out", "sbryngelson/ANEForge/pull/253"),
    ("fused by heads", "h.0.attn.q", "head by head", "lablup/mlxcel/pull/928"),
    ("scaled by d_model", "h.0.attn.scores", "square root of 12", "lucidrains/vit-pytorch/issues/65"),
    ("not scaled", "h.0.attn.weights", "not divided by the square root"), ("no mask", "h.0.attn.weights", "nothing is masked"),
    ("heads joined by view", "h.0.attn.context", "joined by view only", "ajhalthor/Transformer-Neural-Network/pull/4"),
    ("no residual", "h.0.residual", "is not added"),
    ("residual of the norm", "h.0.residual", "the normed hidden states are added",
     "Howuhh/faster-trajectory-transformer/issues/3")]
LLAMA_MISTAKES = [
    ("no epsilon", "input_layernorm", "nothing is added under the root"),
    ("another epsilon", "input_layernorm", "eps is 1e-3", "Lightning-AI/lit-llama/pull/339"),
    ("mean subtracted", "input_layernorm", "LayerNorm for RMSNorm"), ("weight plus one", "input_layernorm", "weight + 1"),
    ("adjacent pairs", "self_attn.q_rot", "columns 2i and 2i + 1", "ggml-org/llama.cpp/issues/3018"),
    ("positions from one", "self_attn.q_rot", "count from 1"),
    ("another theta", "self_attn.q_rot", "the base of the frequencies is 500000", "lyogavin/airllm/pull/369"),
    ("decoded at 0", "self_attn.q_rot", "token 3 and later ones are all 0", "Blaizzy/mlx-vlm/pull/1993"),
    ("tiled heads", "self_attn.scores", "0, 1, 0, 1", "ekzhang/jax-js/pull/180"),
    ("scaled by d_model", "self_attn.scores", "square root of"),
    ("no mask", "self_attn.attn_weights", "such as [0, 1], which should be hidden"),
    ("no window", "self_attn.attn_weights", "the window is left out", "huggingface/transformers/issues/29777"),
    ("window too wide", "self_attn.attn_weights", "one token too many", "ml-explore/mlx-lm/pull/390"),
    ("no residual", "resid_mid", "is not added")]


class Ports(Layer):
    def verify(self, dump, *options):
        path = os.path.join(self.folder, "dump.npz")
        np.savez(path, **{name: np.asarray(values, np.float32) for name, values in dump.items()})
        done = run("verify", path, "--layer", "0", "--weights", "model.safetensors", "--inputs", "x.npy", *options,
                   cwd=self.folder)
        self.assertEqual(done.stderr, b"")
        return done.returncode, done.stdout.decode()

    def check(self, port, held, config, mistakes):
        x = np.load(os.path.join(self.folder, "x.npy")) / 50  # so that eps counts
        np.save(os.path.join(self.folder, "x.npy"), x)
        right = port(held, config, x)
        code, text = self.verify(right)
        self.assertEqual(code, 0, text)
        self.assertIn(f"{len(right)} of {len(right)} tensors checked and right", text)
        for mistake, place, cause, *thread in harness.sample(mistakes):
            with self.subTest(mistake=mistake, thread=thread):
                code, text = self.verify(port(held, config, x, mistake))
                self.assertEqual(code, 1, text)
                first = next(line for line in text.splitlines() if " wrong here" in line)
                self.assertIn(f"your {place}", first.replace("model.layers.0.", ""), text)
                self.assertIn(cause, " ".join(text.split()), text)

    def test_gpt2(self):
        self.check(gpt2_port, *made(self.folder, "gpt2", 12, 3, 2), GPT2_MISTAKES)

    def test_llama(self):
        self.check(llama_port, *made(self.folder, "llama", 12, 4, 2, 6, 2, model_type="mistral", sliding_window=3), LLAMA_MISTAKES)


if __name__ == "__main__":
    harness.main()
