"""Compares every number of a checkpoint's layer with the real PyTorch.

    PYTHONPATH=tests /usr/bin/python3 tests/oracle/layers.py build/release/attn-walkthrough [--seeds 40] [--first 0]

Makes checkpoints of random numbers with the names and layouts of real ones (checkpoints.py), computes the attention of
one of their layers in plain PyTorch, as the models' own programs do, and compares each step in every bit, for each set of
kernels that this processor can run. Runs the programs of --emit too: that for PyTorch prints what the tool prints, that for
numpy computes the same numbers within torch.testing.assert_close's tolerances. Exit 0: no bit differs; 1: something does; 77: there is no PyTorch here.
"""
import io
import math
import os
import subprocess
import sys
import tempfile

import checkpoints
import compare
import emitted
import numpy
import torch
from programs import versions


class Steps(dict):
    """Steps by name; in the walkthrough's order."""

    def __call__(self, name, value):
        self[name] = value
        return value


def layer_norm(steps, x, weight, bias, eps, ours):
    """nn.LayerNorm. Where an older PyTorch computes its mean and variance in another order, ours are only close, and
    what follows is computed from them."""
    _, mean, factor = torch.native_layer_norm(x, x.shape[-1:], weight, bias, eps)
    if not versions.has("layer_norm"):
        theirs, (mean, factor) = (mean, factor), (torch.tensor(ours["norm_mean"]), torch.tensor(ours["norm_factor"]))
        assert torch.allclose(theirs[0], mean, rtol=1e-5, atol=1e-6) and torch.allclose(theirs[1], factor, rtol=1e-5)
    steps("norm_mean", mean)
    steps("norm_factor", factor)
    centred = steps("centred", x - mean)
    normalised = steps("normalised", centred * factor)
    if not versions.has("layer_norm"):
        return versions.scale_and_shift(normalised, weight, bias)
    return torch.nn.functional.layer_norm(x, x.shape[-1:], weight, bias, eps)


def attend(steps, queries, keys, values, mask):
    scores = steps("attn_scores", queries @ keys.transpose(2, 3))
    seen = steps("scaled_attn_scores", scores / keys.shape[-1]**0.5)
    if mask is not None:
        seen = steps("masked_attn_scores", seen.masked_fill(steps("mask", mask), -math.inf))
    return contexts(steps, seen, values)


def contexts(steps, scores, values):
    weights = steps("attn_weights", torch.softmax(scores, dim=-1))
    context = steps("context_vec", (weights @ values).transpose(1, 2))
    return steps("context_vecs", context.contiguous().view(*context.shape[:2], -1))


def split(x, heads):
    return x.view(*x.shape[:2], heads, -1).transpose(1, 2)


def into_heads(steps, heads, projected):
    """The heads of queries, keys and values."""
    names = ("queries", "keys", "values")
    for name, value in zip(names, projected):
        steps(name, value)
    return [steps(name + "_heads", split(steps[name], heads)) for name in names]


def causal(n):
    return torch.triu(torch.ones(n, n), diagonal=1).bool()


def embedding(steps, name, table, ids):
    return steps(name, torch.nn.functional.embedding(ids, table))


def tokens_and_positions(token_key, pos_key):
    """As GPT-2 and the book's GPTModel embed tokens."""

    def embed(weights, config, ids, steps, ours):
        tokens = embedding(steps, "token_embeddings", weights[token_key], ids)
        positions = embedding(steps, "pos_embeddings", weights[pos_key], steps("position_ids", torch.arange(len(ids))))
        return tokens + positions

    return embed


def llama_embed(weights, config, ids, steps, ours):
    return embedding(steps, "token_embeddings", weights["embed_tokens.weight"], ids)


def bert_embed(weights, config, ids, steps, ours):
    """BERT's and its kin's; RoBERTa's positions as its create_position_ids_from_input_ids makes them."""
    table = lambda name: weights[f"embeddings.{name}_embeddings.weight"]
    positions = torch.arange(len(ids))
    if config["model_type"] not in ("bert", "electra"):
        mask = ids.ne(config["pad_token_id"]).int()
        positions = (torch.cumsum(mask, dim=0).type_as(mask) * mask).long() + config["pad_token_id"]
    tokens = embedding(steps, "token_embeddings", table("word"), ids)
    types = embedding(steps, "token_type_embeddings", table("token_type"), steps("token_type_ids", torch.zeros_like(ids)))
    typed = steps("typed_embeddings", tokens + types)
    total = steps("summed_embeddings",
                  typed + embedding(steps, "pos_embeddings", table("position"), steps("position_ids", positions)))
    its, norm = Steps(), "embeddings.LayerNorm."
    its_ours = {name.removeprefix("embeddings_"): value for name, value in ours.items() if name.startswith("embeddings_norm")}
    normed = layer_norm(its, total, weights[norm + "weight"], weights[norm + "bias"], config["layer_norm_eps"], its_ours)
    steps.update({"embeddings_" + name: value for name, value in its.items()})
    if "embeddings_project.weight" not in weights:
        return normed
    return linear(weights, "embeddings_project")(steps("embeddings_normed", normed))


def gpt2(weights, config, x, steps, ours):
    normed = steps("normed", layer_norm(steps, x, weights["ln_1.weight"], weights["ln_1.bias"],
                                        config["layer_norm_epsilon"], ours))

    def conv1d(key, x):
        weight, bias = weights[key + ".weight"], weights[key + ".bias"]
        return torch.addmm(bias, x.view(-1, x.shape[-1]), weight).view(*x.shape[:-1], weight.shape[1])

    qkv = steps("qkv", conv1d("attn.c_attn", normed))
    context = attend(steps, *into_heads(steps, config["n_head"], qkv.split(x.shape[-1], dim=2)), causal(x.shape[1]))
    output = steps("output", conv1d("attn.c_proj", context))
    steps("residual_sum", output + x)


def frequencies(config, d):
    """As transformers has them, except for the power, which is computed in float64."""
    scaling = config.get("rope_scaling") or config.get("rope_parameters") or {}
    theta = config.get("rope_theta") or scaling["rope_theta"]
    steps = {"frequencies": 1 / (theta ** (torch.arange(0, d, 2) / d).double()).float()}
    inv_freq, kind = steps["frequencies"], scaling.get("rope_type", scaling.get("type", "default"))
    if kind == "linear":
        steps["scaled_frequencies"] = inv_freq / scaling["factor"]
    if kind == "llama3":
        low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
        factor, context = scaling["factor"], scaling["original_max_position_embeddings"]
        wavelen = 2 * math.pi / inv_freq
        scaled = torch.where(wavelen > context / low, inv_freq / factor, inv_freq)
        smooth = (context / wavelen - low) / (high - low)
        smoothed = (1 - smooth) * scaled / factor + smooth * scaled
        is_medium = ~(wavelen < context / high) * ~(wavelen > context / low)
        steps["scaled_frequencies"] = torch.where(is_medium, smoothed, scaled)
    return steps


def rotate(steps, name, x, cos, sin):
    """Each column of the first half is turned with its column of the second. The numbers are those of x cos +
    rotate_half(x) sin, as transformers has it; that leaves x transposed in memory, and what is multiplied with it may then
    have other last bits."""
    half = x.shape[-1] // 2
    first, second = x[..., :half], x[..., half:]
    part = lambda kind, value: steps(f"{name}_heads_{kind}", value)
    turned = (part("x_turned", part("x_cos", first * cos) - part("y_sin", second * sin)),
              part("y_turned", part("x_sin", first * sin) + part("y_cos", second * cos)))
    rotated = steps("rotated_" + name, torch.cat(turned, dim=-1))
    cosines, sines = torch.cat((cos, cos), dim=-1), torch.cat((sin, sin), dim=-1)
    assert torch.equal(rotated, x * cosines + torch.cat((-second, first), dim=-1) * sines)
    return rotated


def rms_norm(steps, x, weight, eps):
    mean = steps("mean_square", steps("squares", x.pow(2)).mean(-1, keepdim=True))
    factor = steps("norm_factor", torch.rsqrt(steps("mean_square_eps", mean + eps)))
    return weight * steps("normalised", x * factor)


def linear(weights, key):
    return lambda x: torch.nn.functional.linear(x, weights[key + ".weight"], weights.get(key + ".bias"))


def llama(weights, config, x, steps, ours):
    normed = steps("normed", rms_norm(steps, x, weights["input_layernorm.weight"], config["rms_norm_eps"]))
    heads, kv_heads = config["num_attention_heads"], config["num_key_value_heads"]
    queries = steps("queries", linear(weights, "self_attn.q_proj")(normed))
    keys = steps("keys", linear(weights, "self_attn.k_proj")(normed))
    values = steps("values", linear(weights, "self_attn.v_proj")(normed))
    queries = steps("queries_heads", split(queries, heads))
    keys = steps("keys_heads", split(keys, kv_heads))
    values = steps("values_heads", split(values, kv_heads))
    n = x.shape[1]
    for name, value in frequencies(config, queries.shape[-1]).items():
        its = steps(name, value)
    angles = steps("angles", steps("positions", torch.arange(n).float().unsqueeze(1)) * its)
    cos, sin = steps("cos", torch.cos(angles.double()).float()), steps("sin", torch.sin(angles.double()).float())
    queries, keys = rotate(steps, "queries", queries, cos, sin), rotate(steps, "keys", keys, cos, sin)

    def repeat_kv(x):
        b, its_heads, _, head_dim = x.shape
        return x[:, :, None].expand(b, its_heads, heads // kv_heads, n, head_dim).reshape(b, heads, n, head_dim)

    keys, values = steps("keys_repeated", repeat_kv(keys)), steps("values_repeated", repeat_kv(values))
    mask, window = causal(n), config.get("sliding_window") or n
    slides = config.get("use_sliding_window", True)
    mask = mask | torch.tril(torch.ones(n, n), diagonal=-window).bool() if slides else mask
    output = steps("output", linear(weights, "self_attn.o_proj")(attend(steps, queries, keys, values, mask)))
    steps("residual_sum", x + output)


def bert(weights, config, x, steps, ours):
    projected = [linear(weights, f"attention.self.{name}")(x) for name in ("query", "key", "value")]
    context = attend(steps, *into_heads(steps, config["num_attention_heads"], projected), None)
    output = steps("output", linear(weights, "attention.output.dense")(context))
    total = steps("residual_sum", output + x)
    at = "attention.output.LayerNorm."
    steps("normed", layer_norm(steps, total, weights[at + "weight"], weights[at + "bias"], config["layer_norm_eps"], ours))


def multihead_attention(weights, config, x, steps, ours):
    """As nn.MultiheadAttention of PyTorch 2 has it; before, queries were divided by the root."""
    heads, d = config["num_heads"], x.shape[-1]
    qkv = steps("qkv", torch.nn.functional.linear(x, weights["in_proj_weight"], weights.get("in_proj_bias")))
    queries, keys, values = into_heads(steps, heads, qkv.split(d, dim=2))
    queries = steps("scaled_queries_heads", queries * math.sqrt(1.0 / (d // heads)))
    context = contexts(steps, steps("attn_scores", queries @ keys.transpose(2, 3)), values)
    output = steps("output", linear(weights, "out_proj")(context))
    if len(x) == 1 and not torch.__version__.startswith("1."):
        module = torch.nn.MultiheadAttention(d, heads, bias="in_proj_bias" in weights, batch_first=True)
        module.load_state_dict(weights)
        theirs = module(x, x, x, average_attn_weights=False)
        assert torch.equal(theirs[0], output) and torch.equal(theirs[1], steps["attn_weights"])


def gpt_model(weights, config, x, steps, ours):
    mean, variance = steps("norm_mean", x.mean(dim=-1, keepdim=True)), x.var(dim=-1, keepdim=True, unbiased=False)
    root = steps("norm_root", torch.sqrt(steps("norm_variance_eps", steps("norm_variance", variance) + 1e-5)))
    normalised = steps("normalised", steps("centred", x - mean) / root)
    normed = steps("normed", steps("norm_scaled", weights["norm1.scale"] * normalised) + weights["norm1.shift"])
    projected = [linear(weights, f"att.W_{name}")(normed) for name in ("query", "key", "value")]
    queries, keys, values = into_heads(steps, config["n_heads"], projected)
    scores = steps("attn_scores", queries @ keys.transpose(2, 3))
    masked = steps("masked_attn_scores", scores.masked_fill(steps("mask", causal(x.shape[1])), -torch.inf))
    scaled = steps("scaled_attn_scores", masked / keys.shape[-1]**0.5)
    output = steps("output", linear(weights, "att.out_proj")(contexts(steps, scaled, values)))
    steps("residual_sum", output + x)


def sizes(rng):
    """The number of heads and d, which they divide."""
    heads = int(rng.choice([1, 2, 3, 4, 12]))
    return heads, heads * int(rng.choice([1, 2, 3, 8, 16, 33, 64]))


def llama_row(rng):
    model_type = str(rng.choice(["llama", "mistral", "mixtral", "qwen2"]))
    kv_heads = int(rng.choice([1, 2, 3]))
    heads, head_dim = kv_heads * int(rng.choice([1, 2, 4])), 2 * int(rng.choice([1, 2, 3, 8, 20, 32]))
    scaling = {"rope_type": "default"}
    if rng.random() < 0.5:
        scaling = {"type": "linear", "factor": float(rng.choice([2, 4, 3.5]))} if rng.random() < 0.5 else {
            "rope_type": "llama3", "factor": float(rng.choice([8, 32])), "low_freq_factor": 1.0, "high_freq_factor": 4.0,
            "original_max_position_embeddings": int(rng.choice([64, 512, 8192]))}
    theta = float(rng.choice([10000, 500000, 1000000]))
    is_new = "rope_type" in scaling and rng.random() < 0.5  # as transformers 5 has it
    settings = {"rms_norm_eps": float(rng.choice([1e-5, 1e-6])), "rope_theta": None if is_new else theta,
                "rope_parameters": {**scaling, "rope_theta": theta} if is_new else None,
                "rope_scaling": None if is_new or scaling == {"rope_type": "default"} else scaling}
    if model_type in ("mistral", "qwen2"):
        settings["sliding_window"] = int(rng.choice([1, 3, 16, 4096]))
        settings |= {"use_sliding_window": False} if model_type == "qwen2" else {}
    d = heads * head_dim if rng.random() < 0.7 else int(rng.integers(1, 200))
    tensors, config = checkpoints.llama(rng, d, heads, kv_heads, head_dim, 2, model_type, **settings)
    return llama, tensors, config, "model.layers.", d


def rows(rng):
    """A model's function, its tensors and config, the prefix of its layers, and d."""
    heads, d = sizes(rng)
    prefix = str(rng.choice(["h.", "transformer.h."]))
    yield gpt2, *checkpoints.gpt2(rng, d, heads, 2, prefix), prefix, d
    yield llama_row(rng)
    heads, d = sizes(rng)
    model_type = str(rng.choice(["bert", "roberta", "xlm-roberta", "electra"]))
    prefix = str(rng.choice([f"{model_type.removeprefix('xlm-')}.encoder.layer.", "encoder.layer."]))
    size = int(rng.choice([1, 8, 66])) if model_type == "electra" and rng.random() < 0.7 else d
    yield bert, *checkpoints.bert(rng, d, heads, 2, prefix, model_type, size), prefix, d
    heads, d = sizes(rng)
    tensors, _ = checkpoints.multihead_attention(rng, d, 2, "layers.", rng.random() < 0.7)
    yield multihead_attention, tensors, {"num_heads": heads}, "layers.", d
    heads, d = sizes(rng)
    tensors, _ = checkpoints.gpt_model(rng, d, 2, rng.random() < 0.5)
    yield gpt_model, tensors, {"n_heads": heads}, "trf_blocks.", d


def embedders():
    """How each model embeds tokens; nn.MultiheadAttention does not."""
    return {gpt2: tokens_and_positions("wte.weight", "wpe.weight"), llama: llama_embed, bert: bert_embed,
            gpt_model: tokens_and_positions("tok_emb.weight", "pos_emb.weight")}


def sentence(rng, program, config, folder):
    """Words of a vocabulary that it saves beside the checkpoint, and their ids."""
    first, later = (lambda word: "▁" + word,) * 2
    if program is llama:
        tokenizer = checkpoints.sentencepiece_tokenizer(rng.random() < 0.5)
    elif config.get("model_type") == "xlm-roberta":
        tokenizer = checkpoints.unigram_tokenizer()
    elif config.get("model_type") in ("bert", "electra"):
        tokenizer = checkpoints.wordpiece_tokenizer()
        first, later = str.lower, str.lower
    else:
        tokenizer = checkpoints.byte_level_tokenizer(is_split=rng.random() < 0.3)
        first, later = checkpoints.byte_spelled, lambda word: checkpoints.byte_spelled(" " + word)
    checkpoints.save_tokenizer(folder, tokenizer)
    words = [str(word) for word in rng.choice(checkpoints.WORDS, int(rng.choice([1, 2, 5, 33, 64])))]
    vocab = tokenizer["model"]["vocab"]
    ids = vocab if isinstance(vocab, dict) else {token: i for i, (token, _) in enumerate(vocab)}
    return " ".join(words), [ids[first(words[0])], *(ids[later(word)] for word in words[1:])]


def has_tiny_deviations(ours):
    """Whether some row's numbers are nearly alike: then LayerNorm divides by what rounding left of their differences."""
    return any((abs(mean) > 10 * abs(ours[name.replace("norm_mean", "centred")]).max(-1, keepdims=True)).any()
               for name, mean in ours.items() if name.endswith("norm_mean"))


def program_faults(binary, program, arguments, ours):
    """What the programs of --emit do otherwise than the tool."""
    output = lambda *more: subprocess.run([binary, *more], capture_output=True, text=True, check=True).stdout
    found = []
    if versions.has("layer_norm") or program not in (gpt2, bert):
        found += compare.first_difference(emitted.printed_by(output(*arguments, "--emit", "pytorch")), output(*arguments))
    if ours["inputs"].shape[-1] > 64 or has_tiny_deviations(ours):
        return found  # sums of many float32 numbers are noisy, and so are small differences of large ones
    without_blas = arguments[:arguments.index("--blas")] + arguments[arguments.index("--blas") + 2:]
    source = output(*without_blas, "--emit", "numpy")
    for name, value in emitted.arrays_of(source):
        if not isinstance(value, str) and not numpy.allclose(value, ours[name], rtol=emitted.RTOL, atol=emitted.ATOL):
            found.append(f"its numpy program computes {name} otherwise, by {numpy.abs(value - ours[name]).max()}")
    return found + emitted.complaints(source)


def differences(binary, cpu, blas, row, rng):
    """Runs one layer. Returns a line for each step that differs, and the number of compared floats."""
    program, tensors, config, prefix, d = row
    dtype, is_sharded = str(rng.choice(checkpoints.DTYPES)), rng.random() < 0.3
    has_words = program in embedders() and rng.random() < 0.4
    number = 0 if has_words else int(rng.integers(2))
    shape = [int(rng.choice([1, 2, 5, 7, 33, 64])), d]
    shape = [int(rng.integers(1, 4)), *shape] if rng.random() < 0.4 else shape
    with tempfile.TemporaryDirectory() as folder:
        if is_sharded:
            held = checkpoints.save_sharded(folder, tensors, dtype)
        else:
            held = checkpoints.save(os.path.join(folder, "model.safetensors"), tensors, dtype)
        if "model_type" in config:
            checkpoints.save_config(folder, config)
            heads = []
        else:
            heads = ["--num-heads", str(next(iter(config.values())))]
        x = rng.standard_normal(shape).astype(numpy.float32)
        numpy.save(os.path.join(folder, "x.npy"), x)
        saved = os.path.join(folder, "steps.npz")
        entered = ["--inputs", os.path.join(folder, "x.npy")]
        if has_words:
            words, ids = sentence(rng, program, config, folder)
            entered = ["--sentence", words]
        arguments = ["layer", "--weights", folder, "--layer", str(number), *entered,
                     "--cpu", cpu, "--blas", blas, "--steps", "all", "--save", saved, *heads]
        done = subprocess.run([binary, *arguments], capture_output=True, text=True, check=False)
        what = f"{program.__name__} {words if has_words else ' '.join(map(str, shape))} {dtype} layer {number}"
        if done.returncode:
            return [f"{what}: {done.stderr}"], 0
        with open(saved, "rb") as file:
            archive = numpy.load(io.BytesIO(file.read()))
            ours = {name: archive[name] for name in archive.files}
        found = [f"{what}: {line}" for line in program_faults(binary, program, arguments[:-2 - len(heads)] + heads, ours)]
    steps = Steps()
    at = prefix + f"{number}." + ("self_attn." if program is multihead_attention else "")
    weights = {name[len(at):]: torch.tensor(value) for name, value in held.items() if name.startswith(at)}
    x = torch.tensor(x).view(-1, *shape[-2:])
    if has_words:
        outer = prefix.removesuffix("trf_blocks.").removesuffix("h.").removesuffix("encoder.layer.").removesuffix("layers.")
        its = {name.removeprefix(outer): torch.tensor(value) for name, value in held.items()}
        x = steps("inputs", embedders()[program](its, config, steps("ids", torch.tensor(ids)), steps, ours)).unsqueeze(0)
    program(weights, config, x, steps, ours)
    floats = 0
    for name, value in steps.items():
        theirs = value.numpy()
        floats += theirs.size
        if name not in ours:
            found.append(f"{what}: {name} is not among the tool's steps")
        elif ours[name].shape != theirs.shape:
            found.append(f"{what}: {name} {list(ours[name].shape)}, PyTorch {list(theirs.shape)}")
        elif ours[name].tobytes() != numpy.ascontiguousarray(theirs).tobytes():
            found.append(f"{what}: {name} {list(theirs.shape)}: {int((ours[name] != theirs).sum())} of {theirs.size} differ")
    known = {"inputs", "batch", "keys_transposed", "context_heads", "W_query", "W_key", "W_value"}
    found += [f"{what}: {name} is not among PyTorch's steps" for name in ours
              if name not in steps and name not in known and not name.endswith(("_weight", "_bias"))]
    return found, floats


def compare_all(binary, cpu, blas, runs):
    """True if there is no difference in a range of runs."""
    torch.set_num_threads(1)
    floats, failures, count = 0, [], 0
    for run in runs:
        rng = numpy.random.default_rng(run)
        for row in rows(rng):
            found, its = differences(binary, cpu, blas, row, rng)
            failures += found
            floats += its
            count += 1
    return compare.reported(failures, f"{cpu}, {blas}, --seeds {len(runs)} --first {runs.start}: {count} layers, {floats} numbers")


if __name__ == "__main__":
    sys.exit(compare.oracle(__doc__, compare_all, 40))
