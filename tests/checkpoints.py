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


# ---- Vocabularies: the tokenizer.json of each kind, as the library tokenizers writes it -----------

WORDS = ("Your", "journey", "starts", "with", "one", "step", "café", ".")
ROWS = 24  # of each model's embedding: more than any of these vocabularies has tokens


def byte_spelled(text):
    """Each byte as a printable character, as in GPT-2's vocabulary."""
    printable = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return "".join(chr(byte if byte in printable else 256 + others.index(byte)) for byte in text.encode())


def tokenizer(model, added, normalizer=None, pre_tokenizer=None):
    tokens = [{"id": id, "content": content, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
               "special": True} for content, id in added.items()]
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": tokens, "normalizer": normalizer,
            "pre_tokenizer": pre_tokenizer, "post_processor": None, "decoder": None, "model": model}


def numbered(tokens, first=0):
    return {token: first + i for i, token in enumerate(tokens)}


def bpe(vocab, merges=("a b",), **more):
    return {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None, "end_of_word_suffix": None,
            "fuse_unk": False, "byte_fallback": False, "vocab": vocab, "merges": list(merges), **more}


def byte_level_tokenizer(add_prefix_space=False, is_split=False, added=("<|endoftext|>",)):
    """GPT-2's, RoBERTa's, and in a sequence after a split by a pattern that of Llama 3 and Qwen2."""
    marked = [byte_spelled(word) for word in WORDS] + [byte_spelled(" " + word) for word in WORDS]
    its = {"type": "ByteLevel", "add_prefix_space": add_prefix_space, "trim_offsets": True, "use_regex": not is_split}
    split = {"type": "Split", "pattern": {"Regex": "\\s+|[^\\s]+"}, "behavior": "Isolated", "invert": False}
    return tokenizer(bpe(numbered(marked, 4), [["a", "b"]] if is_split else ["a b"]), numbered(added),
                     pre_tokenizer={"type": "Sequence", "pretokenizers": [split, its]} if is_split else its)


def sentencepiece_tokenizer(by_metaspace=False):
    """Llama 2's, by its normalizer or by a pre-tokenizer."""
    vocab = numbered(["▁" + word for word in WORDS] + ["Your", "journey"], 4)
    added = {"<unk>": 0, "<s>": 1, "</s>": 2}
    prepend = [{"type": "Prepend", "prepend": "▁"}, {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]
    metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": False}
    return tokenizer(bpe(vocab, byte_fallback=True, unk_token="<unk>"), added,
                     None if by_metaspace else {"type": "Sequence", "normalizers": prepend}, metaspace if by_metaspace else None)


def wordpiece_tokenizer(lowercase=True, strip_accents=False):
    """BERT's. With None for strip_accents it strips where it lowers case."""
    words = [word.lower() if lowercase else word for word in WORDS]
    normalizer = {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": strip_accents,
                  "lowercase": lowercase}
    special = {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3}
    model = {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
             "vocab": special | numbered([*words, "##ing"], 4)}
    return tokenizer(model, special, normalizer, {"type": "BertPreTokenizer"})


def unigram_tokenizer():
    """XLM-RoBERTa's: ids are places in a list."""
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    vocab = [[token, 0.0] for token in special] + [["▁" + word, -float(i)] for i, word in enumerate(WORDS, 3)]
    metaspace = {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True}
    return tokenizer({"type": "Unigram", "unk_id": 3, "vocab": vocab}, numbered(special), None,
                     {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, metaspace]})


def save_tokenizer(folder, tokenizer):
    with open(os.path.join(folder, "tokenizer.json"), "w", encoding="utf-8") as file:
        json.dump(tokenizer, file, ensure_ascii=False)


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
    outer = prefix.removesuffix("h.")
    tensors |= {outer + "wte.weight": matrix(rng, ROWS, d), outer + "wpe.weight": matrix(rng, 80, d)}
    return tensors, {"model_type": "gpt2", "n_head": num_heads, "n_embd": d, "layer_norm_epsilon": 1e-05}


def llama(rng, d, num_heads, num_kv_heads, head_dim, layers, model_type="llama", **settings):
    """Llama, Mistral or Qwen2, which has biases of queries, keys and values."""
    tensors = {"model.embed_tokens.weight": matrix(rng, ROWS, d)}
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


def bert(rng, d, num_heads, layers, prefix="bert.encoder.layer.", model_type="bert", embedding_size=None):
    """BERT, or RoBERTa, whose positions begin at 2, or ELECTRA, which may project its embeddings."""
    at, size = prefix.removesuffix("encoder.layer."), embedding_size or d
    tensors = {f"{at}embeddings.{name}_embeddings.weight": matrix(rng, rows, size)
               for name, rows in (("word", ROWS), ("position", 80), ("token_type", 2))}
    tensors |= {at + "embeddings.LayerNorm.weight": around(rng, 1, size), at + "embeddings.LayerNorm.bias": around(rng, 0, size)}
    if size != d:
        tensors |= {at + "embeddings_project.weight": matrix(rng, d, size), at + "embeddings_project.bias": around(rng, 0, d)}
    for layer in range(layers):
        at = f"{prefix}{layer}."
        for name in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense",
                     "output.dense"):
            tensors |= {f"{at}{name}.weight": matrix(rng, d, d), f"{at}{name}.bias": around(rng, 0, d)}
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            tensors |= {f"{at}{name}.weight": around(rng, 1, d), f"{at}{name}.bias": around(rng, 0, d)}
    return tensors, {"model_type": model_type, "num_attention_heads": num_heads, "hidden_size": d, "layer_norm_eps": 1e-12,
                     "pad_token_id": 0 if model_type in ("bert", "electra") else 1}


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
    tensors = {"tok_emb.weight": matrix(rng, ROWS, d), "pos_emb.weight": matrix(rng, 80, d)}
    for layer in range(layers):
        at = f"trf_blocks.{layer}."
        for name in ("W_query", "W_key", "W_value", "out_proj"):
            tensors[f"{at}att.{name}.weight"] = matrix(rng, d, d)
            if qkv_bias or name == "out_proj":
                tensors[f"{at}att.{name}.bias"] = around(rng, 0, d)
        tensors |= {at + "att.mask": np.triu(np.ones((8, 8)), 1), at + "norm1.scale": around(rng, 1, d),
                    at + "norm1.shift": around(rng, 0, d), at + "norm2.scale": around(rng, 1, d)}
    return tensors, None
