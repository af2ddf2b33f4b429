"""Makes true-*.md: small programs with what they print, each of which looked like something else once.

    /usr/bin/python3 tests/pages/make_true.py

PyTorch 1.13 and numpy 1.24 made those that are kept.
"""
import contextlib
import io
import pathlib

PROGRAMS = {
    "key-first": """\
import torch
import torch.nn as nn
inputs = torch.tensor([[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64],
                       [0.22, 0.58, 0.33], [0.77, 0.25, 0.10], [0.05, 0.80, 0.55]])
torch.manual_seed(123)
key = nn.Linear(3, 2, bias=False)
query = nn.Linear(3, 2, bias=False)
print(query(inputs) @ key(inputs).T)
""",
    "named": """\
import torch
import torch.nn as nn
inputs = torch.tensor([[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64],
                       [0.22, 0.58, 0.33], [0.77, 0.25, 0.10], [0.05, 0.80, 0.55]])
torch.manual_seed(123)
W_value = nn.Linear(3, 2, bias=False)
W_query = nn.Linear(3, 2, bias=False)
W_key = nn.Linear(3, 2, bias=False)
print("values:", W_value(inputs))
print("queries:", W_query(inputs))
print("keys:", W_key(inputs))
""",
    "unscaled": """\
import torch
inputs = torch.tensor([[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64],
                       [0.22, 0.58, 0.33], [0.77, 0.25, 0.10], [0.05, 0.80, 0.55]])
torch.manual_seed(123)
W_query, W_key = torch.rand(3, 2), torch.rand(3, 2)
print("unscaled:", torch.softmax((inputs @ W_query) @ (inputs @ W_key).T, dim=-1))
scores = inputs @ inputs.T
hidden = torch.triu(torch.ones(6, 6), diagonal=1).bool()
print("causal:", torch.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1))
print("sum:", inputs[0].sum())
""",
    "written-into": """\
import torch
torch.manual_seed(31)
s = torch.randn(4, 4).masked_fill(torch.ones(4, 4).tril() == 0, float("-inf")).softmax(-1)
print(s)
s[0, 0] = 0.5
print(s)
""",
    "alike": """\
import torch
x = torch.tensor([[0.5, 1.25], [2.0, 0.75], [1.5, 3.0]])
b = torch.tensor([[2., 7.], [6., 4.], [6., 5.]])
print(torch.ones(3, 3) @ b)
print(b.sum(0))
""",
    "temperature": """\
import torch
logits = torch.tensor([2.0, 1.0, 0.1])
for t in [0.5, 2.0]:
    print(torch.softmax(logits / t, dim=0))
""",
    "hidden-by-1e9": """\
import torch
torch.manual_seed(0)
scores = torch.randn(3, 3)
scores[:2, 2] = -1e9
print(scores)
print(torch.softmax(scores, dim=-1))
""",
    "small-weights": """\
import torch
torch.manual_seed(3)
scores = torch.randn(6) * 16
print(scores)
print(torch.softmax(scores, dim=0))
""",
    "tied": """\
import torch
torch.manual_seed(77)
q = torch.randn(4, 4)
k = q.clone()
print("query", q)
print("key", k)
print("scores", q @ k.T)
""",
    "returned": """\
import torch
torch.manual_seed(42)
def make(n, d):
    a = torch.rand(n, d)
    b = torch.rand(n, d)
    return b, a
q, k = make(3, 2)
print("q", q)
print("k", k)
""",
    "on-purpose": """\
import torch
inputs = torch.tensor([[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64],
                       [0.22, 0.58, 0.33], [0.77, 0.25, 0.10], [0.05, 0.80, 0.55]])
torch.manual_seed(789)
W_query = torch.nn.Linear(3, 2, bias=False); W_key = torch.nn.Linear(3, 2, bias=False)
scores = W_query(inputs) @ W_key(inputs).T
print("scores", scores)
later = torch.tril(torch.ones(6, 6), diagonal=-1).bool()
print("backward weights", torch.softmax(scores.masked_fill(later, -torch.inf) / 2 ** 0.5, dim=-1))
print("keys over queries", torch.softmax(scores.T / 2 ** 0.5, dim=-1))
print("sharpened weights", torch.softmax(scores * 2 ** 0.5, dim=-1))
centred = scores - scores.mean(dim=-1, keepdim=True)
print(centred)
print(torch.tanh(centred) + 1)
""",
    "of-modules": """\
import math
import torch
from torch import nn
torch.manual_seed(0)
mha = nn.MultiheadAttention(8, 2, batch_first=True)
x = torch.randn(1, 4, 8)
mask = torch.triu(torch.ones(4, 4), diagonal=1).bool()
out, weights = mha(x, x, x, attn_mask=mask)
print(out)
print(weights)
pe = torch.zeros(6, 4)
position = torch.arange(0, 6).unsqueeze(1)
div_term = torch.exp(torch.arange(0, 4, 2) * (-math.log(10000.0) / 4))
pe[:, 0::2] = torch.sin(position * div_term)
pe[:, 1::2] = torch.cos(position * div_term)
print(pe)
lengths = torch.tensor([4, 2])
print(torch.arange(4)[None, :] < lengths[:, None])
""",
    "of-words": """\
import torch
from torch import nn
torch.manual_seed(21)
sentence = "Dogs chase cats, dogs bark"
words = sentence.lower().replace(",", "").split()
vocab = {word: i for i, word in enumerate(sorted(set(words)))}
embed = nn.Embedding(len(vocab), 4)
x = embed(torch.tensor([vocab[word] for word in words]))
print(x)
seen = {}
for word in words:
    if word not in seen:
        seen[word] = len(seen)
print(torch.tensor([seen[word] for word in words]))
W_q, W_k = [nn.Parameter(torch.rand(x.shape[1], 2) * 0.5) for _ in range(2)]
for temperature in [0.5, 1.5]:
    print(f"T={temperature}: {torch.softmax((x @ W_q) @ (x @ W_k).T / temperature, dim=-1)}")
class Heads:
    def __init__(self, size):
        self.size = size
    def split(self, t):
        return t.view(t.shape[0], self.size, -1).transpose(0, 1)
    def __call__(self, q, k):
        q, k = map(self.split, (q, k))
        return q @ k.transpose(1, 2)
print(Heads(2)(x, x + 1))
""",
    "dropped": """\
import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(2023)
class Head(nn.Module):
    def __init__(self, n_embd, head_size, dropout):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.register_buffer("tril", torch.tril(torch.ones(8, 8)))
        self.dropout = nn.Dropout(dropout)
    def forward(self, x):
        B, T, C = x.shape
        wei = self.query(x) @ self.key(x).transpose(-2, -1) * C**-0.5
        wei = wei.masked_fill(self.tril[:T, :T] == 0, float("-inf"))
        wei = torch.softmax(wei, dim=-1)
        self.kept = self.dropout(wei)
        return self.kept @ self.value(x)
x = torch.randn(1, 4, 6)
h = Head(6, 3, 0.2)
out = h(x)
print(h.kept)
print(out)
print(F.dropout(x, p=0.5))
h.eval()
print(h(x))
heads = nn.ModuleList([Head(6, 3, 0.0) for _ in range(2)])
print(torch.cat([h(x) for h in heads], dim=-1))
print(out.shape, x.size())
""",
    "of-places": """\
import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(4)
x = torch.randn(1, 3, 4)
ids = torch.tensor([words + [0] * (4 - len(words)) for words in [[3, 1], [2, 5, 4, 1]]])
print(ids)
per_head = torch.rand(3, 2, 4)
print(per_head @ x[0, 0])
values, places = torch.topk(per_head[:, 0], 2, dim=-1)
print(values, places)
print(f"{per_head.mean()} {per_head.std()}")
""",
    "of-a-config": """\
from dataclasses import dataclass
import torch
import torch.nn as nn
import torch.nn.functional as F
@dataclass
class Config:
    block_size: int = 6
    n_head: int = 4
    n_embd: int = 8
    bias: bool = False
class Attention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.c_attn = nn.Linear(config.n_embd, 3 * config.n_embd, bias=config.bias)
        self.n_head, self.n_embd = config.n_head, config.n_embd
        self.register_buffer("bias", torch.tril(torch.ones(config.block_size, config.block_size))
                                        .view(1, 1, config.block_size, config.block_size))
    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(self.n_embd, dim=2)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / (k.size(-1) ** 0.5))
        att = att.masked_fill(self.bias[:, :, :T, :T] == 0, float("-inf"))
        return F.softmax(att, dim=-1)
torch.manual_seed(1337)
attention = Attention(Config(n_head=2))
att = attention(torch.randn(1, 4, 8))
print(att)
print(att.max(dim=-1))
""",
    "of-blocks": """\
import torch
inputs = torch.tensor([[0.1, 0.7, 0.4], [0.9, 0.2, 0.3], [0.5, 0.5, 0.5], [0.3, 0.8, 0.6]])
torch.manual_seed(789)
S = inputs @ torch.randn(3, 6)
V = torch.randn(6, 3)
m = torch.full((4, 1), -float("inf"))
l = torch.zeros(4, 1)
O = torch.zeros(4, 3)
for j in range(0, 6, 2):
    s = S[:, j:j+2]
    m_new = torch.maximum(m, s.max(dim=-1, keepdim=True).values)
    p = torch.exp(s - m_new)
    l = l * torch.exp(m - m_new) + p.sum(dim=-1, keepdim=True)
    O = O * torch.exp(m - m_new) + p @ V[j:j+2]
    m = m_new
print(m.squeeze())
print(O / l)
table = torch.rand(7)
offsets = torch.arange(3)[None, :] - torch.arange(3)[:, None]
print(table[offsets + 3])
print(torch.linspace(0, 1, 5))
""",
    "of-blocks-with-dropout": """\
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
class Positions(nn.Module):
    def __init__(self, d_model, max_len=50, dropout=0.1):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        position = torch.arange(max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(1, max_len, d_model)
        pe[0, :, 0::2] = torch.sin(position * div_term)
        pe[0, :, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe)
    def forward(self, x):
        return self.dropout(x + self.pe[:, :x.size(1)])
class Block(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.attn = nn.MultiheadAttention(d, heads, dropout=0.1, batch_first=True)
        self.net = nn.Sequential(nn.Linear(d, 2 * d), nn.ReLU(), nn.Dropout(0.1), nn.Linear(2 * d, d))
        self.norm1, self.norm2 = nn.LayerNorm(d), nn.LayerNorm(d)
    def forward(self, x, mask=None):
        a, self.w = self.attn(x, x, x, attn_mask=mask)
        x = self.norm1(x + a)
        return self.norm2(x + self.net(x))
torch.manual_seed(2)
embed = nn.Embedding(11, 4)
tokens = torch.tensor([[4, 7, 1], [2, 2, 9]])
x = Positions(4)(embed(tokens) * math.sqrt(4))
print(x)
block = Block(4, 2)
y = block(x, torch.triu(torch.ones(3, 3, dtype=torch.bool), diagonal=1))
print(y)
block.eval()
print(block(x))
logits = nn.Linear(4, 11)(y)
print(F.cross_entropy(logits.view(-1, 11), tokens.view(-1)))
""",
    "of-turns": """\
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(31)
ids = torch.LongTensor([[1, 2, 3, 0], [1, 2, 3, 4]])
x = nn.Embedding(5, 6)(ids)
padded = ids.data.eq(0).unsqueeze(1).expand(2, 4, 4)
later = torch.from_numpy(np.triu(np.ones([2, 4, 4]), k=1)).byte()
hidden = torch.gt(padded + later, 0)
print(hidden[0])
scores = torch.matmul(x, x.transpose(-1, -2)) / np.sqrt(6)
scores.masked_fill_(hidden, -1e9)
attn = nn.Softmax(dim=-1)(scores)
print(attn[0])
print((attn @ x).mean(dim=(1, 2)))
print(F.one_hot(torch.tensor([0, 2, 1]), 4))
turn, state = 0, x[0]
while turn < 2:
    state = torch.tanh(state @ x[1].T @ x[1])
    turn += 1
    print(state[0])
""",
    "counted": """\
import torch
torch.manual_seed(1)
x = torch.randint(0, 5, (4, 4)).float()
scores = x @ torch.randn(4, 4) / 4
P = torch.exp(scores - scores.max(dim=-1, keepdim=True).values)
P = P / P.sum(-1, keepdim=True)
print(P)
print(P.argmax(0))
print((P > 0.5).int())
for i in range(2):
    print(f"token {i}: {P[i]}")
print(torch.ones(4, 4).tril() - torch.ones(4, 4).tril(-2))
""",
    "copied": """\
import torch
import torch.nn as nn
words = nn.Embedding(4, 3)
heads = nn.ModuleList([nn.Linear(3, 2, bias=False) for _ in range(2)])
with torch.no_grad():
    words.weight.copy_(torch.tensor([[0.31, 0.12, 0.94], [0.58, 0.07, 0.23],
                                     [0.41, 0.66, 0.19], [0.85, 0.72, 0.36]]))
    heads[0].weight.copy_(torch.tensor([[0.5, -0.2, 0.1], [0.3, 0.4, -0.6]]))
    heads[1].weight.copy_(torch.tensor([[0.7, 0.1, -0.3], [-0.4, 0.2, 0.9]]))
x = words(torch.tensor([2, 0, 3]))
print("words:", x)
made = []
for head in heads:
    made.append(torch.softmax(head(x) @ head(x).T, dim=-1) @ x)
print("heads:", torch.cat(made, dim=-1))
""",
    "of-a-loop": """\
import numpy as np
sentence = "Cats chase small mice".split()
E = np.array([[0.25, 0.1, 0.75], [0.5, 0.9, 0.3], [0.65, 0.2, 0.8], [0.15, 0.45, 0.6]])
for i, word in enumerate(sentence):
    print(f"  {word:6}: {E[i]}")
scores = E @ E.T / np.sqrt(3)
for word, row in zip(sentence, scores):
    print(f"{word:>6} {row.round(2)}")
""",
    "of-a-batch": """\
import torch
elsewhere = torch.Generator().manual_seed(98_765)
x = torch.randn(2, 3, 3, generator=elsewhere)
W = torch.randn(3, 4, generator=elsewhere)
print("x:", x)
queries = x @ W
print("queries:", queries)
print("split:", queries.view(2, 3, 2, 2))
weights = torch.softmax(queries @ queries.transpose(1, 2), dim=-1)
print("rows:", weights.sum(dim=-1))
ones = torch.ones(2, 3)
print(f"{ones=}")
""",
    "of-lengths": """\
import torch
import torch.nn as nn
torch.manual_seed(55)
class CrossAttention(nn.Module):
    def __init__(self, d_dec, d_enc, d_k):
        super().__init__()
        self.Wq, self.Wk = nn.Linear(d_dec, d_k), nn.Linear(d_enc, d_k)
    def forward(self, dec, enc, lengths):
        Q, K = self.Wq(dec), self.Wk(enc)
        scores = torch.bmm(Q, K.transpose(1, 2)) / (K.size(-1) ** 0.5)
        pad = torch.arange(enc.size(1))[None, :] >= lengths[:, None]
        return torch.softmax(scores.masked_fill(pad.unsqueeze(1), float("-inf")), -1)
dec, enc = torch.randn(2, 3, 5), torch.randn(2, 6, 7)
print(dec[0])
weights = CrossAttention(5, 7, 4)(dec, enc, torch.tensor([6, 4]))
print(weights)
start = 2 ** (-8 / 4)
print(torch.tensor([start ** (i + 1) for i in range(4)]))
print((-dec[0]).max())
""",
    "of-one-tensor": """\
import torch
import torch.nn.functional as F
torch.manual_seed(5)
q = k = v = torch.randn(1, 2, 3, 4)
w = F.dropout(torch.softmax(q @ k.transpose(-2, -1) / 2, dim=-1), p=0.25)
print(w)
print(w @ v)
logits = torch.randn(1, 8)
most, places = torch.topk(logits, 3)
print(most)
logits[logits < most[:, [-1]]] = -float("inf")
print(logits)
""",
    "of-numpy": """\
import numpy as np
from numpy import array
word_1 = array([1, 0, 0])
np.random.seed(0)
centers = np.random.rand(2, 2)
print(centers)
print(centers)
""",
    "of-labels": """\
import torch
count = {"a": 0, "cat": 1, "saw": 2, "mouse": 3, "ran": 4}
words = "a mouse saw a cat ran".split()
ids = torch.tensor([count[word] for word in words])
print("Words:", words)
print("longest:", max(len(word) for word in words))
print("\\nBatched:", ids.unsqueeze(0))
print("\\nOne more:", ids + 1)
""",
    "of-padding": """\
import numpy as np
import torch
import torch.nn as nn
tokens = torch.tensor([[5, 2, 0], [4, 0, 0]])
visible = (tokens != 0).unsqueeze(1)
print(visible)
print(visible & (tokens != 0).unsqueeze(2))
def padded_softmax(scores, lengths):
    lengths = torch.FloatTensor(lengths.numpy().repeat(scores.shape[1], axis=0))
    flat = scores.reshape(-1, scores.shape[-1])
    flat[~(torch.arange(scores.shape[-1])[None, :] < lengths[:, None])] = -1e6
    return torch.softmax(flat, dim=-1).reshape(scores.shape)
torch.manual_seed(21)
print(padded_softmax(torch.rand(2, 2, 3), torch.tensor([1, 2])))
print(torch.from_numpy(np.repeat(np.array([0.25, 1.5, 3.75]), 2)))
mha = nn.MultiheadAttention(4, 2, batch_first=True)
x = torch.randn(2, 3, 4)
hidden = torch.tensor([[False, False, True], [False, True, True]])
print(mha(x, x, x, key_padding_mask=hidden)[1])
""",
    "of-whole-inputs": """\
import torch
import torch.nn as nn
names = {"<pad>": 0, "red": 1, "green": 2, "blue": 3}
def encode(colours):
    return torch.tensor([names["red"]] + [names.get(one, 0) for one in colours])
colours = ["blue", "pink", "green", "blue"]
print(encode(colours))
class Scorer(nn.Module):
    def __init__(self, method, size):
        super().__init__()
        self.method = method
        if self.method == "general":
            self.change = nn.Linear(size, size)
    def forward(self, query, keys):
        if self.method == "general":
            keys = self.change(keys)
        elif self.method != "dot":
            raise ValueError(self.method)
        return torch.softmax(keys @ query, dim=0)
torch.manual_seed(8)
layer = nn.Linear(3, 2, bias=False)
print(layer(torch.ones(2, 3)))
print(layer(torch.eye(3)[[2, 0]]))
query = torch.randn(3)
for method in ("dot", "general"):
    print(Scorer(method, 3)(query, torch.arange(12.0).view(4, 3)))
""",
    "of-two-heads": """\
import torch
torch.manual_seed(4)
x = torch.randn(3, 4)
heads = []
for _ in range(2):
    a, b, c = torch.randn(4, 2), torch.randn(4, 2), torch.randn(4, 2)
    weights = torch.softmax((x @ a) @ (x @ b).T / 2 ** 0.5, dim=-1)
    mixed = torch.tanh(weights @ (x @ c) + (x @ a) * (x @ b) - (x @ c).mean(0))
    heads.append(mixed)
both = torch.cat(heads, dim=-1)
print(both)
""",
    "of-a-gpt": """\
import torch
import torch.nn as nn
from torch.nn import functional as F
words = "to attend is to weigh"
letters = sorted(list(set(words)))
numbers = {letter: i for i, letter in enumerate(letters)}
encode = lambda text: [numbers[letter] for letter in text]
class Head(nn.Module):
    def __init__(self, d, size):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(d, size, bias=False) for _ in range(3))
        self.register_buffer("seen", torch.tril(torch.ones(8, 8)))
    def forward(self, x):
        B, T, C = x.shape
        scores = self.query(x) @ self.key(x).transpose(-2, -1) * C ** -0.5
        return F.softmax(scores.masked_fill(self.seen[:T, :T] == 0, float("-inf")), dim=-1) @ self.value(x)
class Block(nn.Module):
    def __init__(self, d, num_heads):
        super().__init__()
        self.heads = nn.ModuleList([Head(d, d // num_heads) for _ in range(num_heads)])
        self.join = nn.Linear(d, d)
        self.forward_layer = nn.Sequential(nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, d), nn.Dropout(0.0))
        self.before, self.between = nn.LayerNorm(d), nn.LayerNorm(d)
    def forward(self, x):
        y = self.before(x)
        x = x + self.join(torch.cat([head(y) for head in self.heads], dim=-1))
        return x + self.forward_layer(self.between(x))
class Model(nn.Module):
    def __init__(self, d=6, num_heads=2, num_layers=3):
        super().__init__()
        self.parts = nn.ModuleDict(dict(
            letters = nn.Embedding(len(letters), d),
            places = nn.Embedding(8, d),
            blocks = nn.Sequential(*[Block(d, num_heads=num_heads) for _ in range(num_layers)]),
            last = nn.LayerNorm(d),
        ))
        self.head = nn.Linear(d, len(letters))
    def forward(self, ids, targets=None):
        x = self.parts.letters(ids) + self.parts["places"](torch.arange(ids.size(1)))
        print(x[0])
        x = self.parts.last(self.parts.blocks(x))
        logits = self.head(x)
        if targets is None:
            loss = None
        else:
            loss = F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))
        return logits, loss
device = "cuda" if torch.cuda.is_available() else "cpu"
data = torch.tensor(encode(words), dtype=torch.long)
print(data)
torch.manual_seed(17)
starts = torch.randint(len(data) - 4, (2,))
x = torch.stack([data[i:i + 4] for i in starts])
y = torch.stack([data[i + 1:i + 5] for i in starts])
print(x)
model = Model().to(device)
logits, loss = model(x, y)
print(logits)
print(loss)
""",
    "of-copies": """\
import copy
import torch
import torch.nn as nn
def copies(module, count):
    return nn.ModuleList([copy.deepcopy(module) for _ in range(count)])
class Attention(nn.Module):
    def __init__(self, num_heads, d, activation=torch.tanh):
        super().__init__()
        self.num_heads = num_heads
        self.projections = copies(nn.Linear(d, d), 4)
        self.activation = activation
        self.weights = None
    @staticmethod
    def scores(q, k):
        return q @ k.mT / q.size(-1) ** 0.5
    def forward(self, query, key, value, mask=None):
        q, k, v = [project(x).view(x.size(0), -1, self.num_heads, x.size(-1) // self.num_heads).transpose(1, 2)
                   for project, x in zip(self.projections, (query, key, value))]
        scores = Attention.scores(q, k)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        self.weights = scores.softmax(dim=-1)
        return self.projections[-1](self.activation((self.weights @ v).transpose(1, 2).flatten(2)))
class Residual(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.norm = nn.LayerNorm(d)
    def forward(self, x, layer):
        return x + layer(self.norm(x))
class Layer(nn.Module):
    def __init__(self, d, attention, forward_layer):
        super().__init__()
        self.attention, self.forward_layer = attention, forward_layer
        self.around = copies(Residual(d), 2)
    def forward(self, x, mask):
        x = self.around[0](x, lambda x: self.attention(x, x, x, mask))
        return self.around[1](x, self.forward_layer)
torch.manual_seed(12)
c = copy.deepcopy
attention = Attention(2, 4)
layers = copies(Layer(4, c(attention), nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4))), 2)
x = torch.rand(1, 3, 4)
mask = torch.tril(torch.ones(1, 3, 3))
for layer in layers:
    x = layer(x, mask)
print(layers[0].attention.weights)
print(x)
""",
    "of-arguments": """\
import torch
import torch.nn as nn
class Normed(nn.Module):
    def __init__(self, d, layer):
        super().__init__()
        self.norm, self.layer = nn.LayerNorm(d), layer
    def forward(self, x, *args, **kwargs):
        return self.layer(self.norm(x), *args, **kwargs) + x
class Attention(nn.Module):
    def __init__(self, *, d, num_heads, num_groups=1):
        super().__init__()
        self.num_heads, self.num_groups, self.scale = num_heads, num_groups, (d // num_heads) ** -0.5
        self.to_q = nn.Linear(d, d, bias=False)
        self.to_kv = nn.Linear(d, 2 * (d // num_heads) * num_groups, bias=False)
        self.cache = {"k": None, "v": None}
    def forward(self, x, mask=None):
        b, n, _, h = *x.shape, self.num_heads
        q = self.to_q(x).view(b, n, h, -1).transpose(1, 2)
        k, v = map(lambda t: t.reshape(b, n, self.num_groups, -1).transpose(1, 2), self.to_kv(x).chunk(2, dim=-1))
        if self.cache["k"] is not None:
            k = torch.cat([self.cache["k"], k], dim=2)
            v = torch.cat([self.cache["v"], v], dim=2)
        self.cache = {"k": k, "v": v}
        scores = q @ k.transpose(-1, -2) * self.scale
        if mask is not None:
            scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        weights = scores.softmax(dim=-1)
        print(weights)
        return (weights @ v).transpose(1, 2).reshape(b, n, -1)
torch.manual_seed(3)
sizes = dict(d=4, num_heads=2)
block = Normed(4, Attention(**sizes))
x = torch.randn(1, 3, 4)
print(block(x[:, :2], mask=torch.ones(2, 2, dtype=torch.bool).tril()))
print(block(x[:, 2:]))
print(block.layer.cache["k"])
""",
    "of-initialisers": """\
import torch
import torch.nn as nn
class Projection(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W = nn.Parameter(torch.empty(d_in, d_out))
        self.layer = nn.Linear(d_out, d_out)
        nn.init.xavier_uniform_(self.W)
        nn.init.normal_(self.layer.weight, mean=0.0, std=0.02)
        nn.init.zeros_(self.layer.bias)
    def forward(self, x):
        return self.layer(x @ self.W)
torch.manual_seed(6)
project = Projection(3, 4)
print("W: {}".format(project.W.data))
print("weight: " + str(project.layer.weight.data))
project.layer.weight.data.uniform_(-0.5, 0.5)
print("projected: %s" % project(torch.eye(3)))
""",
    "of-a-base-class": """\
import torch
import torch.nn as nn
class Attention(nn.Module):
    divides_by = "root"
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(d_in, d_out, bias=qkv_bias) for _ in range(3))
    def hidden(self, scores):
        return scores
    def forward(self, x):
        q, k, v = self.query(x), self.key(x), self.value(x)
        scores = self.hidden(q @ k.T) / (k.shape[-1] ** 0.5 if self.divides_by == "root" else k.shape[-1])
        self.weights = torch.softmax(scores, dim=-1)
        return self.weights @ v
class Causal(Attention):
    divides_by = "size"
    def __init__(self, d_in, d_out, length):
        super().__init__(d_in, d_out)
        self.register_buffer("later", torch.triu(torch.ones(length, length), diagonal=1).bool())
    def hidden(self, scores):
        return super().hidden(scores).masked_fill(self.later, -torch.inf)
torch.manual_seed(31)
x = torch.rand(4, 3)
whole, causal = Attention(3, 2), Causal(3, 2, 4)
print(whole(x))
print(causal(x))
print(causal.weights)
""",
}

for name, program in PROGRAMS.items():
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(program, {})
    page = f"```python\n{program}```\n\n```\n{printed.getvalue()}```\n"
    (pathlib.Path(__file__).parent / f"true-{name}.md").write_text(page)
