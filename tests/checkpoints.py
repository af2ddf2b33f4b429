"""Checkpoints of random numbers in the layouts of real ones: names, shapes, dtypes, files. Written by hand, so that a
test needs neither safetensors nor transformers."""
import json
import os

import numpy as np

DTYPES = ("F32", "F16", "BF16")


def rounded(values, dtype):
    """The numbers as a file of that dtype holds them, and its bytes."""
    values = np.asarray(values, np.float32)
    if dtype == "F16":
        stored = values.astype(np.float16)
        return stored.astype(np.float32), stored.tobytes()
    if dtype == "BF16":  # to the nearest, ties to even
        bits = values.view(np.uint32)
        stored = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
        return (stored.astype(np.uint32) << 16).view(np.float32), stored.tobytes()
    return values, values.tobytes()


def save(path, tensors, dtype="F32"):
    """Writes a .safetensors file. Returns the numbers that it holds."""
    header, data, held = {}, [], {}
    begin = 0
    for name, values in tensors.items():
        held[name], stored = rounded(values, dtype)
        header[name] = {"dtype": dtype, "shape": list(np.shape(values)), "data_offsets": [begin, begin + len(stored)]}
        begin += len(stored)
        data.append(stored)
    text = json.dumps({"__metadata__": {"format": "pt"}, **header}).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text + b"".join(data))
    return held


def save_sharded(folder, tensors, dtype="F32", shards=2):
    """Writes several files and their index. Returns the numbers that they hold."""
    names, held = list(tensors), {}
    weight_map = {}
    for shard in range(shards):
        file = f"model-{shard + 1:05}-of-{shards:05}.safetensors"
        its = names[shard * len(names) // shards:(shard + 1) * len(names) // shards]
        held.update(save(os.path.join(folder, file), {name: tensors[name] for name in its}, dtype))
        weight_map.update({name: file for name in its})
    with open(os.path.join(folder, "model.safetensors.index.json"), "w", encoding="utf-8") as file:
        json.dump({"metadata": {"total_size": 0}, "weight_map": weight_map}, file)
    return held


def save_config(folder, config):
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
        json.dump(config, file)


def around(rng, middle, shape):
    """Weights of a norm, around 1, or biases, around 0."""
    return (middle + rng.standard_normal(shape) * 0.1).astype(np.float32)


def matrix(rng, *shape):
    return (rng.standard_normal(shape) * 0.1).astype(np.float32)


# ---- Models: tensors of all layers and of what surrounds them, and the config ----------------------


def gpt2(rng, d, num_heads, layers, prefix="h."):
    tensors = {}
    for layer in range(layers):
        at = f"{prefix}{layer}."
        tensors |= {at + "ln_1.weight": around(rng, 1, d), at + "ln_1.bias": around(rng, 0, d),
                    at + "attn.bias": np.tril(np.ones((1, 1, 8, 8))),
                    at + "attn.c_attn.weight": matrix(rng, d, 3 * d), at + "attn.c_attn.bias": around(rng, 0, 3 * d),
                    at + "attn.c_proj.weight": matrix(rng, d, d), at + "attn.c_proj.bias": around(rng, 0, d),
                    at + "ln_2.weight": around(rng, 1, d), at + "mlp.c_fc.weight": matrix(rng, d, 2 * d)}
    return tensors, {"model_type": "gpt2", "n_head": num_heads, "n_embd": d, "layer_norm_epsilon": 1e-05}
