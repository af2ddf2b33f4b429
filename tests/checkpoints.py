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


def llama(rng, d, num_heads, num_kv_heads, head_dim, layers, model_type="llama", **settings):
    """Llama, Mistral or Qwen2, which has biases of queries, keys and values."""
    tensors = {"model.embed_tokens.weight": matrix(rng, 11, d)}
    for layer in range(layers):
        at = f"model.layers.{layer}."
        for name, heads in (("q_proj", num_heads), ("k_proj", num_kv_heads), ("v_proj", num_kv_heads)):
            tensors[f"{at}self_attn.{name}.weight"] = matrix(rng, heads * head_dim, d)
            if model_type == "qwen2":
                tensors[f"{at}self_attn.{name}.bias"] = around(rng, 0, heads * head_dim)
        tensors |= {at + "self_attn.o_proj.weight": matrix(rng, d, num_heads * head_dim),
                    at + "input_layernorm.weight": around(rng, 1, d), at + "mlp.up_proj.weight": matrix(rng, 2 * d, d),
                    at + "post_attention_layernorm.weight": around(rng, 1, d)}
    config = {"model_type": model_type, "num_attention_heads": num_heads, "num_key_value_heads": num_kv_heads,
              "hidden_size": d, "head_dim": head_dim, "rms_norm_eps": 1e-05, "rope_theta": 10000.0, "rope_scaling": None}
    return tensors, {**config, **settings}


def bert(rng, d, num_heads, layers, prefix="bert.encoder.layer."):
    tensors = {"bert.embeddings.word_embeddings.weight": matrix(rng, 11, d)}
    for layer in range(layers):
        at = f"{prefix}{layer}."
        for name in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense",
                     "output.dense"):
            tensors |= {f"{at}{name}.weight": matrix(rng, d, d), f"{at}{name}.bias": around(rng, 0, d)}
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            tensors |= {f"{at}{name}.weight": around(rng, 1, d), f"{at}{name}.bias": around(rng, 0, d)}
    return tensors, {"model_type": "bert", "num_attention_heads": num_heads, "hidden_size": d, "layer_norm_eps": 1e-12}


def multihead_attention(rng, d, layers, prefix="layers.", bias=True):
    """nn.MultiheadAttention, alone or in the layers of an nn.TransformerEncoder."""
    tensors = {}
    for layer in range(layers):
        at = f"{prefix}{layer}.self_attn." if prefix else ""
        tensors |= {at + "in_proj_weight": matrix(rng, 3 * d, d), at + "out_proj.weight": matrix(rng, d, d)}
        if bias:
            tensors |= {at + "in_proj_bias": around(rng, 0, 3 * d), at + "out_proj.bias": around(rng, 0, d)}
    return tensors, None


def gpt_model(rng, d, layers, qkv_bias=False):
    """GPTModel of the book "Build a Large Language Model (From Scratch)"."""
    tensors = {"tok_emb.weight": matrix(rng, 11, d)}
    for layer in range(layers):
        at = f"trf_blocks.{layer}."
        for name in ("W_query", "W_key", "W_value", "out_proj"):
            tensors[f"{at}att.{name}.weight"] = matrix(rng, d, d)
            if qkv_bias or name == "out_proj":
                tensors[f"{at}att.{name}.bias"] = around(rng, 0, d)
        tensors |= {at + "att.mask": np.triu(np.ones((8, 8)), 1), at + "norm1.scale": around(rng, 1, d),
                    at + "norm1.shift": around(rng, 0, d), at + "norm2.scale": around(rng, 1, d)}
    return tensors, None
