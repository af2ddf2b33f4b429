"""What the articles' programs share: collecting steps, inputs, weights."""
import collections
import re

import torch
import torch.nn as nn

from programs import versions

Step = collections.namedtuple("Step", "section name printed in_article value")

TOY_TOKENS = ["Your", "journey", "starts", "with", "one", "step"]
TOY_INPUTS = [[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64],
              [0.22, 0.58, 0.33], [0.77, 0.25, 0.10], [0.05, 0.80, 0.55]]
SENTENCE = "Life is short, eat dessert first"
VOCAB_SIZE = 50_000
DEFAULT_SEED = 123


class Walkthrough:
    """Collects what a chapter's print calls write, and the tensors themselves as they were at that moment."""

    def __init__(self, options):
        self.options = options
        self.steps = []
        self.current_section = ""

    def section(self, name):
        self.current_section = name

    def _add(self, name, label, shown, in_article, value=None):
        printed = f"{label} {versions.printed(shown)}" if label else versions.printed(shown)
        self.steps.append(Step(self.current_section, name, printed + "\n", in_article, value))

    def show(self, name, label, tensor, in_article=True):
        self._add(name, label, tensor, in_article, tensor.detach().clone())

    def extra(self, name, label, tensor):
        self.show(name, label, tensor, in_article=False)

    def size(self, name, label, tensor):
        self._add(name, label, tensor.shape, True)

    def text(self, name, label, words, in_article=True):
        self._add(name, label, words, in_article)

    def end_line(self, end):
        """What the last print call ended with, where it was not a new line."""
        self.steps[-1] = self.steps[-1]._replace(printed=self.steps[-1].printed[:-1] + end)


# The lines that --what-if changes, each as the articles have it or as the rule has it. Where a rule leaves a line out,
# there is no step, and the operand comes back.


def scaled(o, walk, scores, keys, words, name="scaled_attn_scores"):
    """scores / keys.shape[-1]**0.5; words: the variables' names."""
    if o.what_if == "no-scaling":
        return scores
    result = scores / keys.shape[-1]**0.5
    walk.extra(name, f"{words[0]} / {words[1]}.shape[-1]**0.5\n", result)
    return result


def masked(o, walk, scores, mask, label, in_article=True):
    if o.what_if in ("no-mask", "mask-after-softmax"):
        return scores
    result = scores.masked_fill(mask, -torch.inf)
    walk.show("masked_attn_scores", label, result, in_article)
    return result


def masked_name(o):
    """The variable that holds what `masked` returns."""
    return "attn_scores" if o.what_if in ("no-mask", "mask-after-softmax") else "masked_attn_scores"


def softmax(o, scores):
    return torch.softmax(scores, dim=0 if o.what_if == "softmax-dim-0" else -1)


def masked_softmax(o, walk, scores, mask, unscaled=None, unscaled_name="attn_scores"):
    """softmax of what `scaled` returned or of these unscaled scores, masked only here where the rule says so."""
    weights = softmax(o, scores)
    if o.what_if != "mask-after-softmax":
        return weights
    name = unscaled_name if scores is unscaled else "scaled_attn_scores"
    walk.extra("unmasked_attn_weights", f"torch.softmax({name}, dim=-1)\n", weights)
    return weights.masked_fill(mask, 0.0)


def dropout(o, p, x):
    """nn.Dropout(p)(x)"""
    if o.what_if != "no-rescale":
        return nn.Dropout(p)(x)
    mask = keep_mask(x, p)
    nn.Dropout(p)(x)  # draws
    return x * mask


def with_seed(o, seed):
    """The options where the article seeds with another number than 123: a reader's own seed stays."""
    return type(o)(**{**vars(o), "seed": seed if o.own_seed is None else o.own_seed})


def sentence_words(o):
    return re.sub("[,.!?;:]", "", o.sentence or SENTENCE).split()


def token_words(o):
    return sentence_words(o) if o.sentence or o.article == "ahead-of-ai" else TOY_TOKENS


def embedded(o, words, d_in=3):
    """The words' vocabulary and ids, and their embedding; seeded before and after."""
    vocabulary = {word: index for index, word in enumerate(sorted(words))}
    ids = torch.tensor([vocabulary[word] for word in words])
    torch.manual_seed(o.seed)
    inputs = nn.Embedding(VOCAB_SIZE, o.d_in or d_in)(ids).detach()
    torch.manual_seed(o.seed)
    return vocabulary, ids, inputs


def shown_inputs(o, walk):
    """The inputs as an extra, after the sentence that they embed, if there is one."""
    if o.sentence:
        vocabulary, ids, _ = embedded(o, sentence_words(o))
        walk.text("sentence", "sentence:", o.sentence, in_article=False)
        walk.text("vocabulary", "", vocabulary, in_article=False)
        walk.extra("ids", "", ids)
    inputs = seeded_inputs(o)
    walk.extra("inputs", "inputs\n", inputs)
    return inputs


def seeded_inputs(o, d_in=3):
    """torch.manual_seed, and the inputs: the toy embeddings, random ones drawn right after seeding, or a sentence's."""
    if o.sentence:
        return embedded(o, sentence_words(o))[2]
    torch.manual_seed(o.seed)
    if o.tokens is None and o.d_in is None:
        return torch.tensor(TOY_INPUTS)
    return torch.rand(o.tokens or 6, o.d_in or d_in)


class Projection:
    """W_query, W_key or W_value: nn.Linear, an nn.Parameter that the input is multiplied with, or a given matrix."""

    @classmethod
    def given(cls, matrix):
        projection = cls.__new__(cls)
        projection.linear, projection.weight = None, torch.tensor(matrix)
        projection.applied = projection
        return projection

    def __init__(self, o, init, d_in, d_out):
        self.applied = self  # whose weight a call applies
        self.linear = nn.Linear(d_in, d_out, bias=o.qkv_bias) if init == "linear" else None
        if self.linear is None:
            self.weight = nn.Parameter({"rand": torch.rand, "randn": torch.randn}[init](d_in, d_out))
        else:
            self.weight = self.linear.weight
        if o.no_grad:
            for parameter in self.linear.parameters() if self.linear else [self.weight]:
                parameter.requires_grad_(False)

    def __call__(self, x):
        return versions.linear(self.applied.linear, x) if self.linear else x @ self.applied.weight

    def words(self, name, x):
        """What a call is called; name: the variable that holds the projection."""
        return f"{name}({x})\n" if self.linear else f"{x} @ {name}\n"

    def show(self, walk, name, label=None):
        words = f"{name}.weight" if self.linear else name
        newline = "" if isinstance(self.weight, nn.Parameter) or label else "\n"
        walk.show(name, (label or words) + newline, self.weight, in_article=label is not None)
        if self.linear and self.linear.bias is not None:
            walk.extra(f"{name}_bias", f"{name}.bias", self.linear.bias)


def projections(o, init, inputs, default_kq, default_v, key_first=False):
    d_in = inputs.shape[-1]
    d_out_kq = o.d_out_kq or o.d_out or default_kq
    d_out_v = o.d_out_v or o.d_out or default_v
    if key_first:
        W_key, W_query = Projection(o, init, d_in, d_out_kq), Projection(o, init, d_in, d_out_kq)
    else:
        W_query, W_key = Projection(o, init, d_in, d_out_kq), Projection(o, init, d_in, d_out_kq)
    W_value = Projection(o, init, d_in, d_out_v)
    return under_rules(o, W_query, W_key, W_value)


def under_rules(o, W_query, W_key, W_value):
    if o.what_if == "same-weights":
        W_key.applied = W_query
    return W_query, W_key, W_value


def key_name(o):
    """The variable whose weight makes the keys."""
    return "W_query" if o.what_if == "same-weights" else "W_key"


def show_projections(walk, W_query, W_key, W_value):
    W_query.show(walk, "W_query")
    W_key.show(walk, "W_key")
    W_value.show(walk, "W_value")


def query_index(o, inputs):
    if o.query is None:
        return min(1, inputs.shape[0] - 1)
    tokens = token_words(o)
    return tokens.index(o.query) if o.query in tokens else int(o.query)


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


def dropout_on_ones(o, walk, p, label="output\n"):
    walk.section("ones")
    torch.manual_seed(o.seed)
    num_tokens = len(sentence_words(o)) if o.sentence else o.tokens or 6
    example = torch.ones(num_tokens, num_tokens)
    walk.extra("example", "example\n", example)
    walk.show("dropout_mask", "keep mask\n", keep_mask(example, p))
    scale = torch.ones(()) / (1 - p) if p < 1 else torch.zeros(())
    walk.show("scale", "scale:", torch.ones(()) if o.what_if == "no-rescale" else scale)
    walk.show("output", label, dropout(o, p, example))


def attention_weights(o, walk, queries, keys):
    walk.extra("keys_transposed", "keys.T\n", keys.T)
    attn_scores = queries @ keys.T
    walk.show("attn_scores", "attention scores\n", attn_scores)
    attn_weights = softmax(o, scaled(o, walk, attn_scores, keys, ("attn_scores", "keys")))
    walk.show("attn_weights", "attention weights\n", attn_weights)
    return attn_weights


def self_attention(o, walk, W_query, W_key, W_value, inputs, label):
    queries = W_query(inputs)
    keys = W_key(inputs)
    values = W_value(inputs)
    walk.show("queries", "queries\n", queries)
    walk.show("keys", "keys\n", keys)
    walk.show("values", "values\n", values)
    context_vecs = attention_weights(o, walk, queries, keys) @ values
    walk.show("context_vecs", label, context_vecs)
    return context_vecs


def causal_both_ways(o, walk, queries, keys, labels):
    """Without a label for the scores, they are not printed."""
    walk.section("renormalised")
    walk.extra("keys_transposed", "keys.T\n", keys.T)
    attn_scores = queries @ keys.T
    if "attn_scores" in labels:
        walk.show("attn_scores", labels["attn_scores"], attn_scores)
        walk.size("attn_scores", "", attn_scores)
    else:
        walk.extra("attn_scores", "queries @ keys_transposed\n", attn_scores)
    attn_weights = softmax(o, scaled(o, walk, attn_scores, keys, ("attn_scores", "keys")))
    walk.show("attn_weights", labels["attn_weights"], attn_weights)
    num_tokens = attn_scores.shape[0]
    mask_simple = torch.tril(torch.ones(num_tokens, num_tokens))
    walk.show("mask_simple", labels["mask_simple"], mask_simple)
    masked_simple = attn_weights
    if o.what_if != "no-mask":
        masked_simple = attn_weights * mask_simple
        walk.show("masked_simple", labels["masked_simple"], masked_simple)
    row_sums = masked_simple.sum(dim=1, keepdim=True)
    walk.show("row_sums", "row sums\n", row_sums)
    masked_simple_norm = masked_simple / row_sums
    walk.show("masked_simple_norm", labels["masked_simple_norm"], masked_simple_norm)

    walk.section("minus_inf")
    mask = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()
    walk.extra("mask", "mask.bool()\n", mask)
    masked_scores = masked(o, walk, attn_scores, mask, labels["masked_attn_scores"])
    attn_weights = masked_softmax(o, walk, scaled(o, walk, masked_scores, keys, (masked_name(o), "keys")), mask)
    walk.show("attn_weights", labels["attn_weights"], attn_weights)
    walk.show("both_agree", "both ways agree:", torch.isclose(masked_simple_norm, attn_weights).all())


def embedded_sentence(o, walk, in_article, sentence=SENTENCE, d_in=3):
    """The embedded sentence, or random inputs; seeded again after an embedding."""
    if not o.sentence and (o.tokens is not None or o.d_in is not None):
        inputs = seeded_inputs(o, d_in)
        walk.show("inputs", "", inputs, in_article)
        return inputs
    o = type(o)(**{**vars(o), "sentence": o.sentence or sentence})
    vocabulary, ids, inputs = embedded(o, sentence_words(o), d_in)
    walk.text("sentence", "sentence:", o.sentence, in_article)
    walk.text("vocabulary", "", vocabulary, in_article)
    walk.show("ids", "", ids, in_article)
    walk.show("inputs", "", inputs, in_article)
    return inputs


def seeded_again(o, inputs):
    if not o.sentence and (o.tokens is not None or o.d_in is not None):
        return seeded_inputs(o)
    torch.manual_seed(o.seed)
    return inputs


def stack_words(batch):
    if batch <= 3:
        return "torch.stack((" + ", ".join(["inputs"] * batch) + ("," if batch == 1 else "") + "), dim=0)\n"
    return "torch.stack((inputs, ..., inputs), dim=0)\n"
