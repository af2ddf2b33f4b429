"""The chapters as PyTorch programs: the reference that every number and every line is checked against.

`steps(chapter, options)` runs a chapter with the real PyTorch and returns its steps; `text(...)` is what its
print calls write. Run as a script it takes the tool's own options:

    /usr/bin/python3 golden/chapters.py causal --seed 123 --steps all
"""
import argparse
import collections

import torch
import torch.nn as nn

Step = collections.namedtuple("Step", "section name printed in_article value")

TOY_TOKENS = ["Your", "journey", "starts", "with", "one", "step"]
TOY_INPUTS = [[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64],
              [0.22, 0.58, 0.33], [0.77, 0.25, 0.10], [0.05, 0.80, 0.55]]
SENTENCE = "Life is short, eat dessert first"
VOCAB_SIZE = 50_000


class Walkthrough:
    """Collects what a chapter's print calls write, and the tensors themselves as they were at that moment."""

    def __init__(self, options):
        self.options = options
        self.steps = []
        self.current_section = ""

    def section(self, name):
        self.current_section = name

    def _add(self, name, label, shown, in_article, value=None):
        printed = f"{label} {str(shown)}" if label else str(shown)
        printed = printed.replace("SqueezeBackward3", "SqueezeBackward4")  # PyTorch 2.x's spelling
        self.steps.append(Step(self.current_section, name, printed, in_article, value))

    def show(self, name, label, tensor, in_article=True):
        self._add(name, label, tensor, in_article, tensor.detach().clone())

    def extra(self, name, label, tensor):
        self.show(name, label, tensor, in_article=False)

    def size(self, name, label, tensor):
        self._add(name, label, tensor.shape, True)

    def text(self, name, label, words):
        self._add(name, label, words, True)


def seeded_inputs(o):
    """torch.manual_seed, and the inputs: the toy embeddings, or random ones drawn right after seeding."""
    torch.manual_seed(o.seed)
    if o.tokens is None and o.d_in is None:
        return torch.tensor(TOY_INPUTS)
    return torch.rand(o.tokens or 6, o.d_in or 3)


class Projection:
    """W_query, W_key or W_value: nn.Linear, or an nn.Parameter that the input is multiplied with."""

    def __init__(self, o, init, d_in, d_out):
        self.linear = nn.Linear(d_in, d_out, bias=o.qkv_bias) if init == "linear" else None
        if self.linear is None:
            self.weight = nn.Parameter({"rand": torch.rand, "randn": torch.randn}[init](d_in, d_out))
        else:
            self.weight = self.linear.weight
        if o.no_grad:
            for parameter in self.linear.parameters() if self.linear else [self.weight]:
                parameter.requires_grad_(False)

    def __call__(self, x):
        return self.linear(x) if self.linear else x @ self.weight

    def show(self, walk, name, label=None):
        words = f"{name}.weight" if self.linear else name
        walk.show(name, label or words, self.weight, in_article=label is not None)
        if self.linear and self.linear.bias is not None:
            walk.extra(f"{name}_bias", f"{name}.bias", self.linear.bias)


def projections(o, init, inputs, default_kq, default_v):
    d_in = inputs.shape[-1]
    d_out_kq = o.d_out_kq or o.d_out or default_kq
    d_out_v = o.d_out_v or o.d_out or default_v
    return (Projection(o, init, d_in, d_out_kq), Projection(o, init, d_in, d_out_kq),
            Projection(o, init, d_in, d_out_v))


def show_projections(walk, W_query, W_key, W_value):
    W_query.show(walk, "W_query")
    W_key.show(walk, "W_key")
    W_value.show(walk, "W_value")


def query_index(o, inputs):
    if o.query is None:
        return min(TOY_TOKENS.index("journey"), inputs.shape[0] - 1)
    return TOY_TOKENS.index(o.query) if o.query in TOY_TOKENS else int(o.query)


def keep_mask(x, p):
    """The mask that the next nn.Dropout(p) on x will draw; the generator is left as it was."""
    if p == 0:
        return torch.ones_like(x, dtype=torch.bool)
    if p == 1:
        return torch.zeros_like(x, dtype=torch.bool)
    state = torch.get_rng_state()
    mask = torch.empty_like(x).bernoulli_(1 - p).bool()
    torch.set_rng_state(state)
    return mask


def simplified(o, walk):
    inputs = seeded_inputs(o)
    q = query_index(o, inputs)

    walk.section("one_query")
    walk.extra("inputs", "inputs\n", inputs)
    query = inputs[q]
    walk.extra("query_2", f"inputs[{q}]\n", query)
    attn_scores = torch.empty(inputs.shape[0])
    for i, x_i in enumerate(inputs):
        attn_scores[i] = torch.dot(x_i, query)
    walk.show("attn_scores_2", "", attn_scores)
    attn_weights = torch.softmax(attn_scores, dim=0)
    walk.show("attn_weights_2", "Attention weights:", attn_weights)
    walk.show("attn_weights_sum_2", "Sum:", attn_weights.sum())
    context_vec = torch.zeros(query.shape)
    for i, x_i in enumerate(inputs):
        context_vec += attn_weights[i] * x_i
    walk.show("context_vec_2", "", context_vec)

    walk.section("all_tokens")
    walk.extra("keys_transposed", "inputs.T\n", inputs.T)
    attn_scores = inputs @ inputs.T
    walk.show("attn_scores", "attention scores\n", attn_scores)
    attn_weights = torch.softmax(attn_scores, dim=-1)
    walk.show("attn_weights", "attention weights\n", attn_weights)
    walk.show("context_vecs", "context vectors\n", attn_weights @ inputs)


def trainable(o, walk):
    walk.section("one_query")
    inputs = seeded_inputs(o)
    q = query_index(o, inputs)
    walk.extra("inputs", "inputs\n", inputs)
    x_2 = inputs[q]
    walk.extra("x_2", f"inputs[{q}]\n", x_2)
    d_in = inputs.shape[-1]
    W_query, W_key, W_value = projections(o, o.init or "rand", inputs, d_in, d_in)
    W_query.show(walk, "W_query", "Query Trainable Weigth")
    W_key.show(walk, "W_key", "Key Trainable Weight")
    W_value.show(walk, "W_value", "Value Trainable Weigth")
    query_2 = W_query(x_2)
    key_2 = W_key(x_2)
    value_2 = W_value(x_2)
    walk.show("query_2", "Query vector\n", query_2)
    walk.show("key_2", "Key vector\n", key_2)
    walk.show("value_2", "Value vector\n", value_2)
    keys = W_key(inputs)
    values = W_value(inputs)
    walk.show("keys", "keys\n", keys)
    walk.show("values", "values\n", values)
    walk.extra("keys_transposed", "keys.T\n", keys.T)
    attn_scores_2 = query_2 @ keys.T
    walk.show("attn_scores_2", "attention scores\n", attn_scores_2)
    scaled = attn_scores_2 / keys.shape[-1]**0.5
    walk.extra("scaled_attn_scores_2", "attn_scores_2 / keys.shape[-1]**0.5\n", scaled)
    attn_weights_2 = torch.softmax(scaled, dim=-1)
    walk.show("attn_weights_2", "attention weights\n", attn_weights_2)
    walk.show("context_vec_2", "context vector\n", attn_weights_2 @ values)

    walk.section("self_attention")
    inputs = seeded_inputs(o)
    walk.extra("inputs", "inputs\n", inputs)
    W_query, W_key, W_value = projections(o, o.init or "linear", inputs, d_in, d_in)
    show_projections(walk, W_query, W_key, W_value)
    keys = W_key(inputs)
    queries = W_query(inputs)
    values = W_value(inputs)
    walk.show("queries", "queries\n", queries)
    walk.show("keys", "keys\n", keys)
    walk.show("values", "values\n", values)
    walk.extra("keys_transposed", "keys.T\n", keys.T)
    attn_scores = queries @ keys.T
    walk.show("attn_scores", "attention scores\n", attn_scores)
    scaled = attn_scores / keys.shape[-1]**0.5
    walk.extra("scaled_attn_scores", "attn_scores / keys.shape[-1]**0.5\n", scaled)
    attn_weights = torch.softmax(scaled, dim=-1)
    walk.show("attn_weights", "attention weights\n", attn_weights)
    walk.show("context_vecs", "context vectors\n", attn_weights @ values)


def causal_attention(o, walk, p, weights_only):
    """The blog's CausalAttention on a batch, up to the context vectors' operands."""
    inputs = seeded_inputs(o)
    show = walk.extra if weights_only else walk.show
    walk.extra("inputs", "inputs\n", inputs)
    batch = torch.stack((inputs,) * (o.batch or 2), dim=0)
    walk.extra("batch", stack_words(o.batch or 2), batch)
    d_in = inputs.shape[-1]
    W_query, W_key, W_value = projections(o, o.init or "linear", inputs, d_in, d_in)
    show_projections(walk, W_query, W_key, W_value)
    keys = W_key(batch)
    queries = W_query(batch)
    values = W_value(batch)
    show("keys", "keys\n", keys)
    show("queries", "queries\n", queries)
    show("values", "values\n", values)
    walk.extra("keys_transposed", "keys.transpose(1, 2)\n", keys.transpose(1, 2))
    attn_scores = queries @ keys.transpose(1, 2)
    show("attn_scores", "attention scores\n", attn_scores)
    num_tokens = batch.shape[1]
    mask = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()
    walk.extra("mask", "mask.bool()\n", mask)
    attn_scores.masked_fill_(mask, -torch.inf)
    show("masked_attn_scores", "masked attention scores\n", attn_scores)
    scaled = attn_scores / keys.shape[-1]**0.5
    walk.extra("scaled_attn_scores", "masked_attn_scores / keys.shape[-1]**0.5\n", scaled)
    attn_weights = torch.softmax(scaled, dim=-1)
    walk.show("attn_weights", "attention weights\n", attn_weights)
    mask = keep_mask(attn_weights, p)
    walk.show("dropout_mask", "keep mask\n", mask, in_article=weights_only)
    attn_weights = nn.Dropout(p)(attn_weights)
    walk.show("dropout_attn_weights", "dropout attention weights\n", attn_weights)
    return attn_weights, values


def stack_words(batch):
    if batch <= 3:
        return "torch.stack((" + ", ".join(["inputs"] * batch) + ("," if batch == 1 else "") + "), dim=0)\n"
    return "torch.stack((inputs, ..., inputs), dim=0)\n"


def causal(o, walk):
    p = 0.2 if o.dropout is None else o.dropout
    attn_weights, values = causal_attention(o, walk, p, weights_only=False)
    context_vec = attn_weights @ values
    walk.show("context_vecs", "context vectors\n", context_vec)
    walk.size("context_vecs", "context_vecs.shape:", context_vec)


def dropout(o, walk):
    walk.section("ones")
    p = 0.5 if o.dropout is None else o.dropout
    torch.manual_seed(o.seed)
    example = torch.ones(o.tokens or 6, o.tokens or 6)
    walk.extra("example", "example\n", example)
    walk.show("dropout_mask", "keep mask\n", keep_mask(example, p))
    walk.show("scale", "scale:", torch.ones(()) / (1 - p) if p < 1 else torch.zeros(()))
    walk.show("output", "output\n", nn.Dropout(p)(example))

    walk.section("causal")
    p = 0.2 if o.dropout is None else o.dropout
    attn_weights, values = causal_attention(o, walk, p, weights_only=True)
    walk.show("row_sums", "row sums\n", attn_weights.sum(dim=-1))
    walk.show("context_vecs", "context vectors\n", attn_weights @ values)


def multihead(o, walk):
    inputs = seeded_inputs(o)
    p = 0 if o.dropout is None else o.dropout
    walk.extra("inputs", "inputs\n", inputs)
    batch = torch.stack((inputs,) * (o.batch or 1), dim=0)
    walk.extra("batch", stack_words(o.batch or 1), batch)
    b, num_tokens, d_in = batch.shape
    num_heads = o.num_heads or 3
    W_query, W_key, W_value = projections(o, o.init or "linear", inputs, 3, 3)
    d_out_kq = W_query.weight.shape[0 if W_query.linear else 1]
    d_out_v = W_value.weight.shape[0 if W_value.linear else 1]
    out_proj = nn.Linear(d_out_v, d_out_v)
    if o.no_grad:
        out_proj.requires_grad_(False)
    show_projections(walk, W_query, W_key, W_value)
    walk.extra("out_proj_weight", "out_proj.weight", out_proj.weight)
    walk.extra("out_proj_bias", "out_proj.bias", out_proj.bias)

    keys = W_key(batch)
    walk.show("keys", "keys", keys)
    queries = W_query(batch)
    values = W_value(batch)
    walk.show("queries", "queries\n", queries)
    walk.show("values", "values\n", values)
    keys = keys.view(b, num_tokens, num_heads, d_out_kq // num_heads)
    walk.size("keys", "keys\n", keys)
    values = values.view(b, num_tokens, num_heads, d_out_v // num_heads)
    queries = queries.view(b, num_tokens, num_heads, d_out_kq // num_heads)
    keys = keys.transpose(1, 2)
    walk.size("keys_heads", "keys transpose\n", keys)
    queries = queries.transpose(1, 2)
    values = values.transpose(1, 2)
    for name, heads, size in (("keys", keys, d_out_kq), ("queries", queries, d_out_kq), ("values", values, d_out_v)):
        words = f"{name}.view({b}, {num_tokens}, {num_heads}, {size // num_heads}).transpose(1, 2)\n"
        walk.extra(f"{name}_heads", words, heads)
    walk.size("keys_transposed", "attn_score keys transpose\n", keys.transpose(2, 3))
    walk.extra("keys_transposed", "keys_heads.transpose(2, 3)\n", keys.transpose(2, 3))
    attn_scores = queries @ keys.transpose(2, 3)
    walk.size("attn_scores", "attn_scores\n", attn_scores)
    walk.show("attn_scores", "attention scores\n", attn_scores)
    mask = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()
    walk.show("mask", "mask_bool:\n", mask)
    attn_scores.masked_fill_(mask, -torch.inf)
    walk.size("attn_weights", "attn_weights\n", attn_scores)
    walk.show("masked_attn_scores", "masked attention scores\n", attn_scores)
    scaled = attn_scores / keys.shape[-1]**0.5
    walk.extra("scaled_attn_scores", "masked_attn_scores / keys_heads.shape[-1]**0.5\n", scaled)
    attn_weights = torch.softmax(scaled, dim=-1)
    walk.show("attn_weights", "attention weights\n", attn_weights)
    walk.extra("dropout_mask", "keep mask\n", keep_mask(attn_weights, p))
    attn_weights = nn.Dropout(p)(attn_weights)
    walk.show("dropout_attn_weights", "dropout attention weights\n", attn_weights, in_article=p > 0)
    context_vec = (attn_weights @ values).transpose(1, 2)
    walk.size("context_vec", "context_vec shape:\n", context_vec)
    walk.show("context_vec", "context_vec:\n", context_vec)
    context_vecs = context_vec.contiguous().view(b, num_tokens, d_out_v)
    walk.extra("context_vecs", f"context_vec.contiguous().view({b}, {num_tokens}, {d_out_v})\n", context_vecs)
    output = out_proj(context_vecs)
    walk.show("output", "output:\n", output)
    walk.size("output", "output.shape:\n", output)


def cross(o, walk):
    if o.tokens is None and o.d_in is None:
        words = SENTENCE.replace(",", "").split()
        vocabulary = {word: index for index, word in enumerate(sorted(words))}
        walk.text("sentence", "sentence:", SENTENCE)
        walk.text("vocabulary", "", vocabulary)
        ids = torch.tensor([vocabulary[word] for word in words])
        walk.show("ids", "", ids)
        torch.manual_seed(o.seed)
        inputs = nn.Embedding(VOCAB_SIZE, 3)(ids).detach()
        torch.manual_seed(o.seed)
    else:
        inputs = seeded_inputs(o)
    walk.show("inputs", "", inputs)
    walk.size("inputs", "", inputs)
    W_query, W_key, W_value = projections(o, o.init or "rand", inputs, 2, 4)
    show_projections(walk, W_query, W_key, W_value)
    second_input = torch.rand(8, inputs.shape[-1])
    walk.size("inputs", "First input shape:", inputs)
    walk.size("second_input", "Second input shape:", second_input)
    walk.show("second_input", "second input\n", second_input)
    queries = W_query(inputs)
    keys = W_key(second_input)
    values = W_value(second_input)
    walk.show("queries", "queries\n", queries)
    walk.show("keys", "keys\n", keys)
    walk.show("values", "values\n", values)
    walk.extra("keys_transposed", "keys.T\n", keys.T)
    attn_scores = queries @ keys.T
    walk.show("attn_scores", "attention scores\n", attn_scores)
    scaled = attn_scores / keys.shape[-1]**0.5
    walk.extra("scaled_attn_scores", "attn_scores / keys.shape[-1]**0.5\n", scaled)
    attn_weights = torch.softmax(scaled, dim=-1)
    walk.show("attn_weights", "attention weights\n", attn_weights)
    context_vecs = attn_weights @ values
    walk.show("context_vecs", "", context_vecs)
    walk.size("context_vecs", "Output shape:", context_vecs)


CHAPTERS = {f.__name__: f for f in (simplified, trainable, causal, dropout, multihead, cross)}


def steps(chapter, o):
    """All steps of the chapter, in order, computed by PyTorch with the given options."""
    torch.set_printoptions(precision=o.precision, threshold=o.threshold, edgeitems=o.edgeitems,
                           linewidth=o.linewidth)
    torch._tensor_str.PRINT_OPTS.sci_mode = {"auto": None, "on": True, "off": False}[o.sci_mode]
    walk = Walkthrough(o)
    CHAPTERS[chapter](o, walk)
    return walk.steps


def text(steps, which):
    return "".join(step.printed + "\n" for step in steps if which == "all" or step.in_article)


def parser():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("chapter", choices=CHAPTERS)
    p.add_argument("--seed", type=int, default=123)
    p.add_argument("--steps", choices=["article", "all"], default="article")
    for name in ("tokens", "d-in", "batch", "d-out", "d-out-kq", "d-out-v", "num-heads"):
        p.add_argument(f"--{name}", type=int)
    p.add_argument("--init", choices=["rand", "randn", "linear"])
    p.add_argument("--qkv-bias", action="store_true")
    p.add_argument("--dropout", type=float)
    p.add_argument("--query")
    p.add_argument("--precision", type=int, default=4)
    p.add_argument("--threshold", type=int, default=1000)
    p.add_argument("--edgeitems", type=int, default=3)
    p.add_argument("--linewidth", type=int, default=80)
    p.add_argument("--sci-mode", choices=["auto", "on", "off"], default="auto")
    p.add_argument("--no-grad", action="store_true")
    return p


if __name__ == "__main__":
    arguments = parser().parse_args()
    print(text(steps(arguments.chapter, arguments), arguments.steps), end="")
