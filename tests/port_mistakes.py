"""Mistakes in ports of attention: each row replaces a line of the correct port that `cli/ports.py` has."""
import inspect
import re

import numpy as np


def swap(tensor):
    return np.swapaxes(tensor, -1, -2)


def softmax(scores, axis=-1):
    exps = np.exp(scores - scores.max(axis, keepdims=True))
    return exps / exps.sum(axis, keepdims=True)


def total(tensor):
    return tensor.sum(-1, keepdims=True)


def length(x):
    return np.linalg.norm(x, axis=-1, keepdims=True)


def shares(exps):
    """Of their sum; 0 where that is 0."""
    return np.divide(exps, total(exps), out=np.zeros_like(exps), where=total(exps) != 0)


f16 = np.float16


def bfloat16(tensor):
    """To the nearest float32 with 8 significant bits, ties to even."""
    bits = tensor.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & np.uint32(0xFFFF0000)).view(np.float32).astype(tensor.dtype)


def tf32(x):
    m, e = np.frexp(x.astype(np.float64))
    return np.ldexp(np.round(m * 2048) / 2048, e).astype(x.dtype)


def int8(w):
    step = abs(w).max() / 127
    return np.round(w / step) * step


def left_0(result, axis, place):
    """The result without what is computed at one place of an axis."""
    result = result.copy()
    np.swapaxes(result, 0, axis)[place] = 0
    return result


def rotated(x):
    """RoPE on the halves of each vector."""
    half_width = x.shape[-1] // 2
    angles = np.arange(x.shape[-2])[:, None] / 10000 ** (np.arange(half_width) / half_width)
    a, b = x[..., :half_width], x[..., half_width:2 * half_width]
    turned = [a * np.cos(angles) - b * np.sin(angles), a * np.sin(angles) + b * np.cos(angles)]
    return np.concatenate([*turned, x[..., 2 * half_width:]], -1)


def alibi(heads, tokens):
    """A bias for scores that decreases with the distance of the token."""
    slopes = 2.0 ** (-8.0 * np.arange(1, heads + 1) / heads)
    return (slopes[:, None, None] * (np.arange(tokens)[None] - np.arange(tokens)[:, None])).astype(np.float32)


def positions(x):
    t, d = x.shape[-2:]
    angles = np.arange(t)[:, None] / 10000 ** (2 * (np.arange(d) // 2) / d)
    return np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))


def renormed(x):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)))


def in_turn(parts, heads, letter):
    """The letter's part of a fused weight or bias that is read as if q, k and v of each head stood together."""
    if parts["q"] is None:
        return 0
    whole = np.concatenate([parts[name] for name in "qkv"])
    return whole.reshape(heads, 3, -1, *whole.shape[1:])[:, "qkv".index(letter)].reshape(-1, *whole.shape[1:])


def strictly_earlier(s):
    """for j < i, and rows without tokens left 0"""
    most = np.where(np.isfinite(s), s, -1e30).max(-1, keepdims=True)
    return shares(np.where(np.tri(s.shape[-1], k=-1), np.exp(s - most), 0))


def sum_of_all(s, unmasked):
    """Divides the exponentials of visible scores by the sum of all."""
    most = unmasked.max(-1, keepdims=True)
    return np.exp(s - most) / total(np.exp(unmasked - most))


def in_blocks(s, rescales_sum):
    """A softmax in blocks of two keys that does not rescale earlier exponentials when the maximum grows."""
    most = np.full(s.shape[:-1], -np.inf, s.dtype)
    exps, sums = np.zeros_like(s), np.zeros(s.shape[:-1], s.dtype)
    for i in range(0, s.shape[-1], 2):
        block = s[..., i:i + 2]
        grown = np.maximum(most, block.max(-1))
        sums = sums * np.nan_to_num(np.exp(most - grown)) if rescales_sum else sums
        exps[..., i:i + 2] = np.exp(block - grown[..., None])
        sums, most = sums + exps[..., i:i + 2].sum(-1), grown
    return exps / sums[..., None]


def sparsemax(s):
    ordered = np.sort(np.maximum(s, -1e3), -1)[..., ::-1]
    sums = np.cumsum(ordered, -1)
    count = total(1 + np.arange(1, s.shape[-1] + 1) * ordered > sums)
    return np.maximum(s - (np.take_along_axis(sums, count - 1, -1) - 1) / count, 0)


# What a row's line may name besides the operands of the line that it replaces, which is `right`.
NAMES = {
    "y": "right(*operands)", "W": "p.weight[name]", "b": "0 if p.bias[name] is None else p.bias[name]",
    "Wo": "p.weight['o']", "Wv": "p.weight['v']", "bo": "p.bias['o']", "bq": "p.bias['q']", "bk": "p.bias['k']",
    "bv": "p.bias['v']", "kept": "p.lesson.kept", "heads": "p.heads", "root": "p.root",
    "width": "len(p.weight['q']) // heads", "d_out": "width * heads",
    "tokens": "p.lesson.x.shape[1]", "d_in": "p.lesson.x.shape[2]",
    "i": "np.arange(n)[:, None]", "j": "np.arange(n)[None]", "d": "j - i",
    "exps": "np.exp(s - s.max(-1, keepdims=True))", "visible": "np.where(s < -1e3, 0, s)",
    "raw": "p.made['scores']", "first": "p.made['x']", "second": "p.made['x2']",
    **{name: f"p.made[{name!r}]" for name in ("qh", "kh", "vh", "hidden", "weights", "ctxh")}}


class Scope(dict):
    """What a line names, computed when it is asked for."""

    def __missing__(self, name):
        return eval(NAMES[name], globals(), self)


def lines(text, **known):
    """The lines of "project k: x @ W; scale: s" as a port calls them: the letters say for which projections."""
    found = {}
    for line, letters, expression in re.findall(r"(\w+)(?: (\w+))?: ([^;]+)", text):
        found.setdefault(line, []).append((letters, compile(expression.strip(), expression, "eval")))

    def said_by(choices):
        def said(p, right, *operands):
            for letters, code in choices:
                if not letters or operands[1] in letters:
                    named = zip(inspect.signature(right).parameters, operands)
                    result = eval(code, globals(), Scope(known, **dict(named), p=p, right=right, operands=operands))
                    return result.astype(p.dtype) if getattr(result, "dtype", np.dtype(bool)).kind == "f" else result
            return right(*operands)
        return said

    return {line: said_by(choices) for line, choices in found.items()}


def rows_of(table):
    """The parts of each row, which two spaces separate."""
    for row in re.findall(r"(?m)^\S.*(?:\n  .*)*", table):
        yield re.split("(?:\n)? {2,}", re.sub(r"\|\n +", "|", row))


LESSONS = {"any": "multihead,trainable,cross,causal", "headed": "multihead,square", "masked": "multihead,causal",
           "unmasked": "trainable,cross", "one input": "multihead,square,trainable,causal",
           "biased": "multihead,causal", "plain": "multihead,no bias"}


def lessons_of(words):
    return ",".join(LESSONS.get(word, word) for word in words.split(",")).split(",")


# A mistake, the lessons where it can be seen, the lines where it is made, and what may truly be said of it.
MISTAKES = [(name, lessons_of(lessons), lines(text), truth) for name, lessons, text, truth in rows_of(r"""
weight not transposed  square  project k: x @ W + b  weight-transposed
weights not transposed  square  project qkv: x @ W + b  weight-transposed
weight reshaped  any  project v: x @ W.reshape(W.shape[::-1]) + b  weight-reshaped
no key bias  biased  project k: x @ W.T  no-bias
no biases  biased  project qkv: x @ W.T  no-bias
bias twice  biased  project v: x @ W.T + 2 * b  bias-twice
bias subtracted  biased  project q: x @ W.T - b  bias-subtracted
bias of the queries  biased  project k: x @ W.T + bq  the bias is another's|bias-of-W_query
first bias everywhere  biased  project v: x @ W.T + b[0]  bias-first|only the first number of the bias
keys with W_query  any  project k: right(x, 'q')  same-weights|keys are computed with W_query
values with W_key  any  project v: right(x, 'k')  values are computed with W_key|keys.* stands where
queries and keys swapped  plain  project q: right(x, 'k'); project k: right(x, 'q')
      same-weights|query-key-swapped|queries are computed with W_key|keys are computed with W_query|
      W_query and W_key are swapped|numbers of (scaled_)?(queries|keys)
fused as v, k, q  plain  project q: right(x, 'v'); project v: right(x, 'q')
      queries are computed with W_value|values are computed with W_query|W_value and W_query are swapped|
      values_heads stands where queries|queries_heads stands where values|numbers of (scaled_)?(queries|values)
fused in another order  plain  project q: right(x, 'k'); project k: right(x, 'v'); project v: right(x, 'q')
      queries are computed with W_key|keys (are computed )?with W_value|values are computed with W_query|
      numbers of (scaled_)?(queries|keys|values)|_heads stands where
queries in float16  plain  project q: f16(x) @ f16(W).T + f16(b)  float16
weights in bfloat16  biased  project qkv: bfloat16(x) @ bfloat16(W).T + bfloat16(b)  bfloat16
last input left out  any  project q: x[..., :-1] @ W[:, :-1].T + b  last (input|term|product)|left out of the sum|short
normed inputs  plain  read: renormed(x)  norm
batch read as tokens  headed  read: x.reshape(x.shape[1], len(x), -1).transpose(1, 0, 2)  tokens-read-first|mixed-up
entry 0 everywhere  headed  read: y[[0] * len(y)]  one-entry|batch-mixed-up|entry of the batch 0|of-first-entry
entries in reverse  biased  read: y[::-1]  batch-reversed|batch-mixed-up|reversed-entry
tokens in reverse  any  read: y[:, ::-1]  (tokens|rows|columns)-mixed-up
last token not read  any  project k: left_0(y, 1, -1)  last-row|left-out|left at 0
relu of queries  any  project q: np.maximum(y, 0)  relu
rotated queries and keys  plain  split qk: rotated(y)  rotat|rope
keys of the first sequence  cross  read kv: first  first sequence|inputs stands|self-attention
queries of the second sequence  cross  read q: second  second sequence|second_input stands
heads by view  headed  split: x.reshape(len(x), heads, x.shape[1], -1)  heads-by-view
values' heads by view  headed  split v: x.reshape(len(x), heads, x.shape[1], -1)  heads-by-view
heads interleaved  headed  split: x.reshape(*x.shape[:2], -1, heads).transpose(0, 3, 1, 2)
      heads-interleaved|columns-mixed-up|reordered
keys' heads interleaved  headed  split k: x.reshape(*x.shape[:2], -1, heads).transpose(0, 3, 1, 2)
      heads-interleaved|columns-mixed-up|reordered
values' heads in reverse  headed  split v: y[:, ::-1]  heads-reversed|heads-mixed-up|second-operand-reversed
key and value of head 0  headed  split kv: y[:, :1] + 0 * y  one-head|heads-mixed-up|of-first-head
queries' heads shifted  multihead  split q: np.roll(y, -1, 1)
      heads-mixed-up|heads-shifted|of-next-head|second-operand-of-previous-head
last head left out  headed  split q: left_0(y, 1, -1)  last-head|heads-mixed-up
keys reshaped  any  score: q @ k.reshape(*k.shape[:2], k.shape[3], k.shape[2])  keys-reshaped
keys @ queries.T  one input  score: k @ swap(q)  query-key-swapped|W_query and W_key are swapped
queries @ queries.T  multihead,square,trainable  score: q @ swap(q)
      queries.* stands where .*keys|same-weights|keys are computed with W_query
last of head_dim left out  any  score: q[..., :-1] @ swap(k[..., :-1])
      last (input|term|product)|left out of the sum|short
scores in float16  plain  score: f16(right(f16(q), f16(k)))  float16
scores truncated to quarters  any  score: np.trunc(y * 4) / 4  trunc|quarter
cosine  plain  score: right(q / length(q), k / length(k))  cosine|norm
negative distance  plain  score: -total((q[..., :, None, :] - k[..., None, :, :]) ** 2)[..., 0]  distance
no scaling  any  scale: s
      no-scaling|softmax-of-unscaled|scaled-by-number|factor|not divided|scaled-by-fourth|
      numbers of (self_attention/)?attn_scores
scaled by d  any  scale: s / width  scaled-by-dimension|scaled-twice|factor|scaled-by-number|scaled-by-root-of
times the root  any  scale: s * root  multiplied-by-root|factor
root of d_out  headed  scale: s / d_out ** 0.5  scaled-by-root-of-12|factor
root of tokens  multihead,trainable,square  scale: s / tokens ** 0.5  scaled-by-root-of-(5|6)|factor
root of d_in  any  scale: s / d_in ** 0.5  scaled-by-root-of-7|factor
a whole root  square  scale: s / int(root)  scaled-by-whole-root|scaled-by-number|factor|scaled-by-root-of-4
scaled by 8  any  scale: s / 8  scaled-by-8|factor
scaled by a constant  any  scale: s / 11.3  scaled-by-number|factor
scaled twice  any  weigh: right(s / root)  scaled-twice|scaled-by-dimension|scaled-by-root-of-16|scaled-by-number
fourth root  any  scale: s / root ** 0.5  scaled-by-fourth-root|factor|scaled-by-root-of-2
negative  any  scale: s / -root  scaled-negated|factor|negative-of-(scores|products)
scaled after softmax  any  scale: s; weigh: y / root
      scaled-after|no-scaling|factor|not divided|softmax-of-unscaled|numbers of (self_attention/)?attn_scores
softcapped  plain  weigh: right(np.where(s < -1e3, s, 10 * np.tanh(s / 10)))  tanh|soft-?cap
ALiBi  multihead,no bias,square  weigh: right(s + alibi(heads, s.shape[-1]))  alibi|ALiBi|position
no mask  masked  hide: s  no-mask|softmax-of-unmasked|numbers of (self_attention/)?attn_scores
mask hides itself  masked  mask: d >= 0  mask-hides-itself
mask shows the next  masked  mask: d > 1  mask-shows-next
mask transposed  masked  mask: d < 0  mask-transposed|another-mask
mask inverted  masked  mask: d <= 0  mask-inverted
mask hides earlier ones and itself  masked  hide: right(s, ~hidden)  mask-inverted|another-mask
window  masked  mask: (d > 0) | (d < -1)  window of 2|another-mask
padding alone  masked  mask: (d > 99) | (j == n - 1)  padding|last column|column
bidirectional  masked  mask: d != 0  window of 1|values(_heads)? stands where context
mask from the end  masked  mask: d > -2  mask-hides|two|off by
filled with 0  masked  hide: np.where(hidden, 0, s)  mask-0|mask-filled
filled with -1e-9  masked  hide: np.where(hidden, -1e-9, s)  mask-0|mask-filled
filled with -1  masked  hide: np.where(hidden, -1, s)  mask-filled
filled with -2.5  masked  hide: np.where(hidden, -2.5, s)  mask-filled
filled with 1e9  masked  hide: np.where(hidden, 1e9, s)  mask-filled|mask-positive
mask of 0 and 1 added  masked  hide: s + hidden  mask-added
mask of 1 and 0 added  masked  hide: s + ~hidden  keep-mask-added|mask-subtracted
minus mask  masked  hide: s - 1 * hidden  keep-mask-added|mask-subtracted
0 times -inf  masked  hide: s + hidden * -np.float32(np.inf)  nan|no numbers|0 times
masked after softmax  masked  hide: s; weigh: np.where(hidden, 0, y)
      mask-after-softmax|no-mask|softmax-of-unmasked|numbers of (self_attention/)?attn_scores
masked in head 0  headed  hide: np.concatenate([right(s[:, :1], hidden), s[:, 1:]], 1)
      mask-head-0-alone|mask-not-last-head
masked in entry 0  masked  hide: np.concatenate([right(s[:1], hidden), s[1:]])  mask-entry-0-alone
masked but for the last head  headed  hide: np.concatenate([right(s[:, :-1], hidden), s[:, -1:]], 1)
      mask-not-last-head|mask-head-0-alone
softmax over queries  unmasked  weigh: softmax(s, -2)  softmax-dim-0
softmax over heads  headed  weigh: softmax(np.maximum(s, -1e30), 1)  softmax-dim-1|softmax
softmax over the batch  headed  weigh: softmax(np.maximum(s, -1e30), 0)  softmax-dim-0|softmax
softmax over columns  masked  weigh: softmax(s, -2)  softmax-dim-(2|1)
softmax of the matrix  any  weigh: softmax(s.reshape(*s.shape[:2], -1)).reshape(s.shape)  softmax-of-all
not normalised  any  weigh: np.exp(s)  no-normalisation
not divided by the sum  any  weigh: exps  no-normalisation-of-shifted
log softmax  any  weigh: np.log(y)  log-softmax
softmax1  any  weigh: exps / (1 + total(exps))  one-plus-sum
softmax twice  any  weigh: right(y)  softmax-twice
exp2  any  weigh: np.exp2(s) / total(np.exp2(s))  exp2
sigmoid  any  weigh: 1 / (1 + np.exp(-s))  sigmoid
relu for exp  unmasked  weigh: np.maximum(s, 0) / total(np.maximum(s, 0))  relu
without exp  any  weigh: visible / total(visible)  no-exp
divided by the root of squares  any  weigh: exps / np.sqrt((exps ** 2).sum(-1, keepdims=True))  length|L2|squares|norm
running sums  any  weigh: exps / np.cumsum(total(exps), -2)  running|not reset to 0|accumul
softmax of raw scores  any  weigh: softmax(raw)
      softmax-of-raw|softmax-of-unscaled|softmax-of-unmasked|no-scaling|no-mask|attn_scores stands where
softmax of unmasked scores  masked  weigh: softmax(raw / (1 if p.way == 'query' else root))
      softmax-of-unmasked|no-mask|softmax-of-raw|attn_scores stands where
largest alone  unmasked,multihead  weigh: 1.0 * (s == s.max(-1, keepdims=True))  largest|argmax|one-hot
weights in float16  plain  weigh: f16(right(f16(s)))  float16
temperature 2  any  weigh: right(s / 2)  scaled-(twice|by)|softmax-of
uniform  any  weigh: right(np.where(s < -1e3, s, 0))  weights-uniform
not rescaled  dropped  drop: w * kept  no-rescale
times 1 - p  dropped  drop: w * kept * 0.75  scaled-by-1-p
divided by p  dropped  drop: w * kept / 0.25  divided-by-p
keeps what it drops  dropped  drop: w * ~kept / 0.75  keep-and-drop-swapped
no dropout  dropped  drop: w  no-dropout
rescaled twice  dropped  drop: y / 0.75  rescaled-twice|factor|dropout_attn_weights stands where attn_weights
one mask for all heads  dropped  drop: w * kept[:, :1] / 0.75  mask of head 0|head 0
dropped and normalised  dropped  drop: w * kept / (w * kept).sum(-1, keepdims=True)  normalis
weights before dropout  dropped  attend: right(weights, v)  attn_weights stands where|no-dropout
weights transposed  one input  attend: right(swap(w), v)  weights-transposed
weights @ keys  any  attend: right(w, kh)  keys.* stands where .*values|values are computed with W_key
weights @ queries  multihead,trainable  attend: right(w, qh)
      queries.* stands where .*values|values are computed with W_query
scores @ values  unmasked  attend: right(p.made.get('scaled', raw), v)  scores stands where
values of entry 0  headed  attend: right(w, v[:1])  of-first-entry|one-entry
values of head 0  headed  attend: right(w, v[:, :1])  of-first-head|one-head
last token left out  any  attend: right(w[..., :-1], v[..., :-1, :])
      last (input|term|product|token)|left out of the sum|short
contexts in reverse  headed  attend: y[:, ::-1]  heads-reversed|heads-mixed-up|heads-joined-reversed
first row left 0  any  attend: left_0(y, 2, 0)  first-row-left-0|rows-left-out|left at 0
joined by view  headed  join: c.reshape(len(c), c.shape[2], -1)  heads-joined-by-view|projected-unjoined
joined innermost  headed  join: c.transpose(0, 2, 3, 1).reshape(len(c), c.shape[2], -1)
      heads-joined-innermost|heads-interleaved|axes 2 and 3 are swapped
joined in reverse  headed  join: right(c[:, ::-1])  heads-joined-reversed|heads-mixed-up|heads-reversed
tokens joined first  headed  join: c.transpose(2, 0, 1, 3).reshape(len(c), c.shape[2], -1)  reshaped|tokens|batch
no output bias  headed  finish: j @ Wo.T  no-bias
output weight not transposed  headed  finish: j @ Wo + bo  weight-transposed
no output projection  headed  finish: j  no-projection
output bias twice  headed  finish: y + bo  bias-twice
output with the queries' bias  headed  finish: j @ Wo.T + bq  the bias is another's
residual  square  finish: y + first  residual|inputs? (is|are) added|added
projection of unjoined heads  headed  finish: right(ctxh.reshape(j.shape))  heads-joined-by-view|projected-unjoined
relu of the output  headed  finish: np.maximum(y, 0)  relu
output in float16  plain  finish: f16(right(f16(j)))  float16
normed output  plain  finish: renormed(y)  norm
no value bias  biased  project v: x @ W.T  no-bias
biases of queries and keys swapped  biased  project q: x @ W.T + bk; project k: x @ W.T + bq  bias
keys of the token before  any  project k: left_0(np.roll(y, 1, 1), 1, 0)
      (tokens|rows)-mixed-up|in place of each (token|row|column)|left 0|shift
grouped heads  multihead  split kv: y[:, [0, 0, 1]]  heads-mixed-up|group
joined from head 1 on  multihead  join: right(np.roll(c, 1, 1))  heads-mixed-up|head
inputs times root of d_in  any  read: x * d_in ** 0.5  times|factor|root
positions added  any  read: x + positions(x)  position
queries not projected  square  project q: x  no-projection|linear layer is left out|numbers of batch|batch stands where
nothing projected  square  project qkv: x  no-projection|linear layer is left out|numbers of batch|batch stands where
values not projected  square  project v: x  no-projection|linear layer is left out|numbers of batch|batch stands where
weights rounded to 2 digits  any  project: x @ np.round(W, 2).T + np.round(b, 2)  round
weights rounded to 4 digits  any  project: x @ np.round(W, 4).T + np.round(b, 4)  round
scores in TF32  plain  score: right(tf32(q), tf32(k))  float16|TF32|tf32
int8 weights  plain  project: x @ int8(W).T + b  int8|quanti|round
permuted for RoPE  headed  project qk: y.reshape(*y.shape[:2], heads, 2, -1).swapaxes(3, 4).reshape(y.shape)
      columns-mixed-up|column|permut|interleav
everything hidden  masked  mask: d > -99  another-mask|weights-uniform|nan|no numbers
first token hidden  masked  mask: (d > 0) | (j == 0)  another-mask|column 0|first-key-left-out
for j < i  masked  weigh: strictly_earlier(s)  mask-hides-itself|hides diagonal 0
window of 3  masked  mask: (d > 0) | (d < -2)  window of 3
blocks of 2  masked  mask: (d > 0) | (j // 2 != i // 2)  another-mask|block
prefix of 2 seen  masked  mask: (d > 0) & (j > 1)  another-mask
cumulated weights  any  weigh: np.cumsum(y, -1)  running|accumul|cumul
largest 2 alone  unmasked,multihead  weigh: right(np.where(s >= np.sort(s)[..., -2:-1], s, -np.inf))
      largest|top|at most 2
temperature 0.7  any  weigh: right(s / 0.7)  scaled-by-number|divided by|temperature
divided by the number of heads  multihead  scale: s / heads  scaled-by-root-of-9|scaled-by-3|scaled-by-number|factor
first query everywhere  any  project q: y[:, :1] + 0 * y
      (token|row) 0 stands everywhere|(tokens|rows)-mixed-up|row 0|token 0
values' entries in reverse  headed  attend: right(w, v[::-1])  entr|batch
projected twice  square  finish: right(y)  twice
output bias for each head  headed  finish: y + (heads - 1) * bo  bias
tanh of the output  headed  finish: np.tanh(y)  tanh
gelu of the output  headed  finish: gelu(y)  gelu|GELU
sum of heads for each  headed  attend: np.repeat(y.sum(1, keepdims=True), heads, 1)  sum|added|head
output weight not transposed, no bias  square  finish: j @ Wo  weight-transposed.*no-bias|no-bias.*weight-transposed
neither scaled nor masked  masked  scale: s; hide: s
      no-scaling|no-mask|mask-after-softmax|scaled-after|softmax-of|numbers of (self_attention/)?attn_scores|
      not divided|scaled-by|factor
dropout mask of the next row  dropped  drop: np.where(np.roll(kept, -1, -2), w / 0.75, 0)  mask|mixed-up|row
softmax in float16  plain  weigh: f16(right(f16(s)))  float16
sum plus 0.01  any  weigh: exps / (total(exps) + 0.01)  plus|epsilon|sum
outputs of entry 0  headed  finish: y[[0] * len(y)]  one-entry|batch-mixed-up|entry
last head's weights for all  headed  attend: right(w[:, -1:] + 0 * w, v)  head
contexts not from weights but their root  unmasked  attend: right(np.sqrt(w), v)  root
keys in the reverse order of tokens  any  project k: y[:, ::-1]  (tokens|rows|columns)-mixed-up|revers
values of the token after  any  project v: left_0(np.roll(y, -1, 1), 1, -1)
      (tokens|rows)-mixed-up|in place of each (token|row)|left 0|shift
keys with W_value  plain  project k: right(x, 'v')
      keys (are computed )?with W_value|values(_heads)? stands where (scaled_)?keys|numbers of values
values for keys  any  score: right(q, vh)  values(_heads)? stands where (scaled_)?keys|keys (are computed )?with W_value
root of the number of heads  multihead  scale: s / heads ** 0.5  scaled-by-root-of-3|scaled-by-number|factor
divided by d_out  headed  scale: s / d_out  scaled-by|factor
every second earlier token  masked  mask: (d > 0) | (d % 2 != 0)  another-mask|mask
sees the first token and itself  masked  mask: (d != 0) & (j != 0)  another-mask|mask
filled with -10  masked  hide: np.where(hidden, -10, s)  mask-filled
filled with -100 in head 0 alone  headed  hide: np.where(hidden & np.eye(heads, 1, dtype=bool)[..., None], -3, y)
      mask|head
log of the mask and a little added  masked  hide: s + np.log(~hidden + 1e-3)  mask|added
rotated values  plain  split v: rotated(y)  rotat|rope
root mean square of queries and keys  plain  split qk: y / np.sqrt((y ** 2).mean(-1, keepdims=True))
      norm|cosine|mean square
keys' and values' heads tiled  multihead  split kv: y[:, [0, 1, 0]]  heads-mixed-up|group|head
last row everywhere  any  attend: y[:, :, -1:] + 0 * y  (token|row) \d stands everywhere|mixed-up
outputs one token late  headed  finish: left_0(np.roll(y, 1, 1), 1, 0)  (tokens|rows)-mixed-up|left 0|in place of each
keys of the other entries  headed  score: right(q, k[::-1])  entr|batch
normalised over heads  headed  weigh: y / y.sum(1, keepdims=True)  head|softmax-dim-1
weights rounded to 2 places  any  weigh: np.round(y, 2)  round
softmax of absolute scores  unmasked  weigh: right(abs(s))  abs
relu before softmax  unmasked  weigh: right(np.maximum(s, 0))  relu
scores clipped  unmasked  weigh: right(np.clip(s, -0.1, 0.1))  clip|clamp
output weight's heads in reverse  headed
      finish: j.reshape(*j.shape[:2], heads, -1)[:, :, ::-1].reshape(j.shape) @ Wo.T + bo
      heads-joined-reversed|heads-reversed|heads-mixed-up
values' weight for the output's  square  finish: j @ Wv.T + bo  W_value stands where out_proj|W_value
contexts added to the output  headed  finish: y + j  residual|added
output bias before the product  headed  finish: (j + bo) @ Wo.T  bias|vector
output divided by the number of heads  headed  finish: y / heads  factor|times
one dropout mask for all entries  dropped  drop: w * kept[:1] / 0.75  entry|mask
dropout mask transposed  dropped  drop: w * swap(kept) / 0.75  mask|transposed
sequences swapped  cross  read q: second; read kv: first  second_input stands|inputs stands|sequence
entries and heads joined the other way  headed  join: right(c.reshape(c.shape[1], len(c), *c.shape[2:]).swapaxes(0, 1))
      head|batch|mixed
heads of the fused weight in turn  plain
      project qkv: x @ in_turn(p.weight, heads, name).T + in_turn(p.bias, heads, name)
      qkv|fused|turn
softmax twice over masked scores without scaling  any  scale: s; weigh: right(y)
      softmax-twice|no-scaling|factor|not divided|softmax-of-unscaled|numbers of (self_attention/)?attn_scores
no key bias and no scaling  biased  project k: x @ W.T; scale: s
      no-bias|no-scaling|softmax-of-unscaled|scaled-by-number|factor|not divided|numbers of attn_scores
mask shows the next, and root of d_in  masked  mask: d > 1; scale: s / d_in ** 0.5
      mask-shows-next|scaled-by-root-of-7|factor|scaled-by-number
heads by view, and no output bias  headed  split: x.reshape(len(x), heads, x.shape[1], -1); finish: j @ Wo.T
      heads-by-view|no-bias
values' heads in reverse, and joined by view  headed  split v: y[:, ::-1]; join: c.reshape(len(c), c.shape[2], -1)
      heads-reversed|heads-mixed-up|second-operand-reversed|heads-joined-by-view|projected-unjoined|context_heads
keys with W_query, filled with 0  masked  project k: right(x, 'q'); hide: np.where(hidden, 0, s)
      same-weights|keys are computed with W_query|numbers of (scaled_)?queries|queries.* stands where|mask-0|mask-filled
weights transposed, and scaled by d  multihead,trainable,causal  scale: s / width; attend: right(swap(w), v)
      weights-transposed|scaled-by-dimension|scaled-twice|factor|scaled-by-number|scaled-by-root-of
keys and values swapped  plain  project k: right(x, 'v'); project v: right(x, 'k')
      W_value|W_key|values.* stands|keys.* stands|numbers of (scaled_)?(keys|values)|swapped
bias of head 0 for all  multihead  project q: x @ W.T + np.tile(b[:len(b) // heads], heads)  bias-of-head-0
heads' weights stacked row by row  headed
      project qkv: x @ W.reshape(heads, -1, d_in).swapaxes(0, 1).reshape(W.shape).T + b  weight-rows-mixed-up
heads' weights read as innermost  headed
      project qkv: x @ W.reshape(-1, heads, d_in).swapaxes(0, 1).reshape(W.shape).T + b  weight-rows-mixed-up
scores in float16 before softmax  plain  weigh: right(f16(s).astype(s.dtype))  float16
scores in bfloat16 before softmax  plain  weigh: right(bfloat16(s))  bfloat16
first row alone masked  masked  mask: y & (i == 0)  another-mask
mask shows the next two  masked  mask: d > 2  another-mask
window on both sides  masked  mask: abs(d) > 1  another-mask|mask-shows-next
filled with nan  masked  hide: np.where(hidden, np.nan, s)  nan|no numbers
filled with inf  masked  hide: np.where(hidden, np.inf, s)  inf, not|no numbers
scores times the mask  masked  hide: s * ~hidden  mask-0|mask-filled
sum of all exponentials  masked  weigh: sum_of_all(s, raw / (1 if p.way in ('query', 'both') else root))
      mask-after-softmax|no-mask|softmax-of-unmasked|numbers of (self_attention/)?attn_scores
weights divided by the tokens  any  weigh: y / s.shape[-1]  factor|times|divided-by-tokens
softmax with base 10  any  weigh: right(s * np.log(10))  scaled-by-number
root of d_in by heads  multihead  scale: s / (d_in / heads) ** 0.5  scaled-by-number|factor
dropout of scores  dropped  weigh: right(np.where(kept, s / 0.75, 0)); drop: w  scores-dropped|no-dropout
values scaled too  any  attend: y / root  factor|times
queries added to contexts  headed  attend: y + qh  queries-added
sum of values without weights  unmasked  attend: right(np.ones_like(w), v)  values-summed|each row is the sum
sum of visible values without weights  causal,multihead  attend: right(1.0 * (w != 0), v)  values-summed
normed queries and keys  plain  split qk: renormed(y)  LayerNorm
head 0 alone joined  headed  join: right(np.repeat(c[:, :1], heads, 1))  head
output weight reshaped  headed  finish: j @ Wo.reshape(Wo.shape[::-1]) + bo  weight-reshaped|weight-transposed
mask by key alone: last two keys hidden too  masked  mask: (d > 0) | (j >= n - 2)  another-mask|mask|nan|column
scaled by root of d_in times heads  multihead  scale: s / (d_in * heads) ** 0.5  scaled-by|factor
scores divided by tokens  any  scale: s / tokens  scaled-by|factor
queries normalised to length 1  plain  split q: y / length(y)  norm|length|cosine
values' bias on keys  biased  project k: x @ W.T + bv  bias
query bias subtracted and key bias lost  biased  project q: x @ W.T - bq; project k: x @ W.T  bias
softmax in bfloat16  plain  weigh: bfloat16(right(bfloat16(s)))  bfloat16
values in bfloat16  plain  attend: bfloat16(right(bfloat16(w), bfloat16(v)))  bfloat16
weights renormalised over queries  unmasked  weigh: y / y.sum(-2, keepdims=True)  column|queries|dim|norm|sum
values of the previous token  any  project v: y[:, [0, *range(y.shape[1] - 1)]]
      tokens-mixed-up|rows-mixed-up|in place of each|shift|mixed
heads 0 and 1 of values swapped  multihead  split v: y[:, [1, 0, 2]]  mixed-up|head
heads rotated when joined  multihead  join: right(np.roll(c, -1, 1))  mixed-up|head
silu of the output  headed  finish: y / (1 + np.exp(-y))  silu|swish|SiLU
output halved  headed  finish: y / 2  factor|times
residual of contexts from values  one input  attend: y + v  values|added|residual
keys minus their mean over tokens  any  split k: y - y.mean(-2, keepdims=True)  mean|norm|centr|same vector
output bias of values  headed  finish: j @ Wo.T + bv  bias is another's|bias
mask diagonal 1 from the wrong end  masked  mask: y[::-1, ::-1]  mask
mask flipped left to right  masked  mask: y[:, ::-1].copy()  mask
weights cubed  unmasked,multihead  weigh: y ** 3  cube
contexts with squared weights  any  attend: right(w * w, v)  square
scores symmetrised  trainable,multihead  score: (y + swap(y)) / 2  symmetr
contexts divided by tokens  any  attend: y / v.shape[-2]  number of tokens|factor|times|divided by
first key left out  any  weigh: shares(np.where(np.arange(s.shape[-1]) == 0, 0, exps))
      first key|hides column 0|column 0
bias twice in head 0  multihead  project q: x @ W.T + b * np.repeat([2, 1, 1], len(b) // 3)  bias
bias twice in the last head  multihead  project v: x @ W.T + b * np.repeat([1, 1, 2], len(b) // 3)  bias
silu of values  any  project v: y / (1 + np.exp(-y))  SiLU
tanh of keys  any  project k: np.tanh(y)  tanh
gelu of queries  any  project q: gelu(y)  GELU
elu + 1 of queries and keys  any  project qk: np.where(y > 0, y + 1, np.exp(y))  elu-plus-1
keys absolute  any  project k: abs(y)  absolute
scores squared  unmasked  score: y ** 2  square
tanh of scores  unmasked  weigh: right(np.tanh(s))  tanh
softmax of exp  unmasked  weigh: right(np.exp(s))  exp
blocks, sum rescaled alone  multihead,trainable,causal  weigh: in_blocks(s, True)  blocks-not-rescaled
blocks, nothing rescaled  multihead,trainable,causal  weigh: in_blocks(s, False)  blocks-not-rescaled
sparsemax  unmasked,multihead  weigh: sparsemax(s)  sparsemax
keepdims missing  trainable  weigh: exps / exps.sum(-1)[..., None, :]  divided-by-other-sums
causal where none is asked  unmasked  weigh: right(np.where(np.tri(*s.shape[-2:]), s, -np.inf))
      masked-unasked|mask|hidden|hides
diagonal scores 0  trainable,multihead  weigh: right(np.where(np.eye(s.shape[-1]), 0, s))  diagonal-0
1 added to the diagonal  trainable,multihead  weigh: right(s + np.eye(s.shape[-1], dtype=s.dtype))  diagonal-plus-1
1e4 added to hidden scores  masked  hide: s + hidden * 1e4  mask-positive|mask
values viewed for bmm  headed  attend: w @ swap(v).reshape(v.shape)  operand-by-view|view|reshape
joined from axes 1 and 3  headed  join: c.transpose(0, 3, 2, 1).reshape(len(c), c.shape[2], -1)
      heads-joined-innermost|joined|reshaped|mixed
dropout mask of the next head  dropped  drop: np.where(np.roll(kept, -1, 1), w / 0.75, 0)  dropout-mask-of-another-head
kept and dropped swapped, not rescaled  dropped  drop: w * ~kept  keep-and-drop-swapped
inputs doubled  any  read: x + x  inputs-doubled|factor|times
inputs centred  plain  read: x - x.mean(-1, keepdims=True)  inputs-centred
inputs in float16  plain  read: f16(x)  float16
positions added to queries  any  project q: y + positions(y)  positions-added-to-projections
query weight negated  any  project q: b - x @ W.T  weight-negated|negative|factor|times -1|bias
residual and LayerNorm  square  finish: renormed(y + first)  residual-and-norm
""")]
