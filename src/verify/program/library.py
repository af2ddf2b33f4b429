# What pages' programs use of Python and its libraries, as a program that verify's interpreter runs. A name that begins with
# our_ is not a page's. A method of torch.Tensor is a function of torch and numpy as well. our_batched: [batch, tokens, d]
# from a tensor that may have its tokens first, or no batch; our_unbatched reverses it. our_hidden: scores hidden by a mask;
# True hides or shows, depending on the last argument; a mask that is not bool is added. our_product: of tensors whose axes
# have letters, over those that are not kept.
import copy, torch, math, numpy, numpy as np, torch.nn as nn, torch.nn.functional as F, matplotlib.plt as plt
import print, display, len, range, tuple, int, float, str, bool
import setattr, super, type, object, round, repr, ord, chr, vars, open, input, our_drawn, our_sorted, our_is, our_got
import our_joined, our_trained, our_parameter, our_copied, our_types
def our_nothing(*args, **named): pass
def list(iterable=[]): return [*iterable]
def set(iterable=[]): return {*{x: x for x in iterable}.keys()}
def our_added(a, b): return [*a, *b] if our_is(a, list) else tuple([*a, *b])
def zip(*iterables):
  columns = [list(x) for x in iterables]
  return [tuple([x[i] for x in columns]) for i in range(min([len(x) for x in columns]))]
def enumerate(iterable, start=0): return zip(range(start, start + len(iterable)), iterable)
def our_repeated(items, times):
  return ''.join([items for i in range(times)]) if our_is(items, str) else [x for i in range(times) for x in items]
def reversed(iterable):
  items = list(iterable)
  return [items[i] for i in range(len(items) - 1, -1, -1)]
def map(function, *iterables): return [function(*items) for items in zip(*iterables)]
def isinstance(object, klass):
  if our_is(klass, tuple): return any([our_is(object, one) for one in klass])
  return our_is(object, klass)
def sorted(iterable, key=None, reverse=False):
  if reverse: return reversed(sorted(reversed(iterable), key))
  return our_sorted(iterable if key is None else [key(x) for x in iterable], iterable)
def getattr(object, name, default=None): return our_got(object, name)
def hasattr(object, name): return our_got(object, name) is not None
def pow(x, y): return x ** y
def abs(x): return x.abs() if isinstance(x, (torch.Tensor, numpy.ndarray)) else -x if x < 0 else x
def dict(*pairs, **named):
  first = pairs[0] if len(pairs) > 0 else {}
  return {**(first if isinstance(first, dict) else {k: v for k, v in first}), **named}
def any(iterable): return len([x for x in iterable if x]) > 0
def all(iterable): return not any([not x for x in iterable])
def sum(iterable, start=0):
  for x in iterable:
    start = start + x
  return start
def math.prod(iterable):
  product = 1
  for x in iterable:
    product = product * x
  return product
def max(*items, key=None): return sorted(items[0] if len(items) == 1 else items, key, True)[0]
def min(*items, key=None): return sorted(items[0] if len(items) == 1 else items, key)[0]
def copy.copy(x): return our_copied(x)
def copy.deepcopy(x):
  types = our_types(x)
  if 'Parameter' in types: return our_parameter(x.clone())
  if types in ('torch.Tensor', 'numpy.ndarray'): return x.clone()
  if types == 'dict': return {k: copy.deepcopy(one) for k, one in x.items()}
  if types == 'list': return [copy.deepcopy(one) for one in x]
  if types == 'tuple': return tuple([copy.deepcopy(one) for one in x])
  made = our_copied(x)
  for name, value in vars(made).items():
    setattr(made, name, copy.deepcopy(value))
  return made
def list.extend(self, items):
  for x in items:
    self.append(x)
def list.index(self, item): return [i for i, x in enumerate(self) if x == item][0]
def dict.items(self): return zip(self.keys(), self.values())
def dict.get(self, key, default=None): return self[key] if key in self else default
def dict.update(self, *pairs, **named):
  for key, value in dict(*pairs, **named).items():
    self[key] = value
def str.startswith(self, start): return self[:len(start)] == start
def str.endswith(self, end): return self[len(self) - len(end):] == end
def str.join(self, iterable): return our_joined([x for one in iterable for x in (self, one)][1:])
def our_formatted(text, values): return our_joined([text.split('{')[0].split('%')[0], *values])
def str.format(self, *values, **named): return our_formatted(self, values)
def str.replace(self, old, new): return new.join(self.split(old))
def torch.compile(model, *args, **named): return model
def torch.cuda.is_available(): return False
def torch.backends.mps.is_available(): return False
def pytorch_lightning.seed_everything(seed):
  numpy.random.seed(seed)
  torch.manual_seed(seed)
class torch.finfo:
  def __init__(self, *args): pass
  min = -3.4028234663852886e+38
  max = 3.4028234663852886e+38
def our_uniform(a, b, shape, part=None): return our_drawn(None, None, 'uniform', a, b, shape, part)
def our_normal(a, b, shape, part=None): return our_drawn(None, None, 'normal', a, b, shape, part)
def torch.rand(*size, generator=None, dtype=None, **named):
  return our_drawn(generator, dtype, 'uniform', 0, 1, named.get('size', size))
def torch.randn(*size, generator=None, dtype=None, **named):
  return our_drawn(generator, dtype, 'normal', 0, 1, named.get('size', size))
def torch.rand_like(input, dtype=None): return our_drawn(None, dtype, 'uniform', 0, 1, input.shape)
def torch.randn_like(input, dtype=None): return our_drawn(None, dtype, 'normal', 0, 1, input.shape)
def torch.normal(mean, std, size=None, generator=None, dtype=None):
  return our_drawn(generator, dtype, 'normal', mean, std, size)
def torch.randint(low, high, size=None, generator=None, **named):
  if size is None: return our_drawn(generator, None, 'integers', 0, low, high)
  return our_drawn(generator, None, 'integers', low, high, size)
def torch.randperm(n, generator=None): return our_drawn(generator, None, 'permuted', 0, n, n)
def torch.bernoulli(*args, **named): return our_drawn(None, None, 'bernoulli', 0, 0, None)
def torch.multinomial(*args, **named): return torch.bernoulli()
def numpy.random.rand(*size, generator=''): return our_drawn(generator, None, 'uniform', 0, 1, size)
def numpy.random.randn(*size, generator=''): return our_drawn(generator, None, 'normal', 0, 1, size)
def numpy.random.random(size=(), generator=''): return our_drawn(generator, None, 'uniform', 0, 1, size)
def numpy.random.standard_normal(size=(), generator=''): return our_drawn(generator, None, 'normal', 0, 1, size)
def numpy.random.uniform(low=0.0, high=1.0, size=(), generator=''):
  return our_drawn(generator, None, 'uniform', low, high, size)
def numpy.random.normal(loc=0.0, scale=1.0, size=(), generator=''):
  return our_drawn(generator, None, 'normal', loc, scale, size)
def numpy.random.randint(low, high=None, size=(), dtype=None, generator=''):
  if high is None: return our_drawn(generator, dtype, 'integers', 0, low, size)
  return our_drawn(generator, dtype, 'integers', low, high, size)
class torch.nn.Module:
  training = True
  def children(self): return [x for x in vars(self).values() if isinstance(x, torch.nn.Module)]
  def modules(self):
    all = [self]
    for child in self.children():
      all += child.modules()
    return all
  def apply(self, function):
    for child in self.children():
      child.apply(function)
    function(self)
    return self
  def train(self, mode=True):
    for module in self.modules():
      module.training = mode
    return self
  def eval(self): return self.train(False)
  def to(self, *args, **named): return self
  cuda = cpu = float = requires_grad_ = compile = to
  def register_buffer(self, name, tensor, persistent=True): setattr(self, name, tensor)
  register_parameter = add_module = register_module = register_buffer
  def zero_grad(self, *args, **named): pass
  def state_dict(self, prefix=''):
    all = {prefix + k: x for k, x in vars(self).items() if isinstance(x, torch.nn.Parameter)}
    for name, child in vars(self).items():
      if isinstance(child, torch.nn.Module): all.update(child.state_dict(prefix + name + '.'))
    return all
  def parameters(self): return self.state_dict().values()
  def named_parameters(self): return self.state_dict().items()
  def load_state_dict(self, *args, **named):
    for parameter in self.parameters():
      parameter.copy_(torch.empty(parameter.shape))
class torch.nn.ModuleList(torch.nn.Module):
  def __init__(self, modules=[]): self.extend(modules)
  def append(self, module): setattr(self, str(len(self)), module)
  def extend(self, modules):
    for module in modules:
      self.append(module)
  def __iter__(self): return list(vars(self).values())
  def __len__(self): return len(vars(self))
  def __getitem__(self, i): return list(self)[i]
class torch.nn.Sequential(torch.nn.ModuleList):
  def __init__(self, *modules): self.extend(modules)
  def forward(self, input):
    for module in self:
      input = module(input)
    return input
class torch.nn.ModuleDict(torch.nn.Module):
  def __init__(self, modules={}):
    for name, module in modules.items():
      setattr(self, name, module)
  def __getitem__(self, key): return vars(self)[key]
class torch.optim.Optimizer:
  def step(self, *args): our_trained()
  def zero_grad(self, *args, **named): pass
def torch.nn.Parameter(data, requires_grad=True): return our_parameter(data)
class torch.nn.Linear(torch.nn.Module):
  def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
    self.in_features = in_features
    self.out_features = out_features
    bound = math.sqrt(3.0) * (math.sqrt(2.0 / (1.0 + 5.000000000000001)) / math.sqrt(in_features))
    self.weight = our_uniform(-bound, bound, (out_features, in_features), '.weight')
    bound = 1 / math.sqrt(in_features)
    self.bias = our_uniform(-bound, bound, (out_features,), '.bias') if bias else None
  def forward(self, input): return torch.nn.functional.linear(input, self.weight, self.bias)
class torch.nn.Embedding(torch.nn.Module):
  def __init__(self, num_embeddings, embedding_dim, padding_idx=None):
    self.num_embeddings = num_embeddings
    self.embedding_dim = embedding_dim
    self.weight = our_normal(0, 1, (num_embeddings, embedding_dim), '.weight')
    if padding_idx is not None:
      self.weight[padding_idx] = 0
  def forward(self, input): return self.weight[input]
class torch.nn.Dropout(torch.nn.Module):
  p = 0.5
  inplace = False
  def forward(self, input): return torch.nn.functional.dropout(input, self.p, self.training)
def torch.nn.functional.dropout(input, p=0.5, training=True, inplace=False):
  return input * our_drawn(None, None, 'kept', p, 1, input.shape) if training and p != 0 else input
def torch.nn.functional.softmax(input, dim=None, dtype=None):
  return torch.softmax(input, dim if dim is not None else 0 if len(input.shape) in (0, 1, 3) else 1)
class our_function(torch.nn.Module):
  def __init__(self, function, args, named):
    self.function = function
    self.args = args
    self.named = named
  def forward(self, *input): return self.function(*input, *self.args, **self.named)
def torch.nn.Softmax(*args, **named): return our_function(F.softmax, args, named)
def torch.nn.GELU(*args, **named): return our_function(F.gelu, args, named)
def torch.nn.ReLU(*args, **named): return our_function(F.relu, [], {})
def torch.nn.SiLU(*args, **named): return our_function(F.silu, [], {})
def torch.nn.Tanh(): return our_function(torch.tanh, [], {})
def torch.nn.Sigmoid(): return our_function(torch.sigmoid, [], {})
def torch.nn.CrossEntropyLoss(*args, **named): return our_function(F.cross_entropy, args, named)
def torch.nn.Identity(*args, **named): return our_function(lambda x: x, [], {})
def torch.nn.init.zeros_(tensor): return tensor.fill_(0)
def torch.nn.init.ones_(tensor): return tensor.fill_(1)
def torch.nn.init.constant_(tensor, val): return tensor.fill_(val)
def torch.nn.init.normal_(tensor, mean=0.0, std=1.0): return tensor.copy_(our_normal(mean, std, tensor.shape))
def torch.nn.init.uniform_(tensor, a=0.0, b=1.0): return tensor.copy_(our_uniform(a, b, tensor.shape))
def torch.nn.init.xavier_uniform_(tensor, gain=1.0):
  bound = math.sqrt(3.0) * (gain * math.sqrt(2.0 / (sum(tensor.shape[:2]) * math.prod(tensor.shape[2:]))))
  return torch.nn.init.uniform_(tensor, -bound, bound)
def torch.Tensor.size(self, dim=None): return self.shape if dim is None else self.shape[dim]
def torch.Tensor.dim(self): return len(self.shape)
def torch.Tensor.numel(self): return math.prod(self.shape)
def torch.Tensor.detach(self): return self.data
def torch.Tensor.zero_(self): return self.fill_(0)
def torch.Tensor.normal_(self, mean=0.0, std=1.0): return torch.nn.init.normal_(self, mean, std)
def torch.Tensor.uniform_(self, a=0.0, b=1.0): return torch.nn.init.uniform_(self, a, b)
def torch.Tensor.backward(self, *args, **named): pass
def torch.Tensor.norm(self, p=None, dim=None, keepdim=False):
  if p not in (None, 2) or (p is not None and dim is None and len(self.shape) > 1): return torch.unknown(self)
  return torch.sum(self ** 2, dim, keepdim).sqrt()
def torch.Tensor.var(self, dim=None, unbiased=True, keepdim=False, correction=1, ddof=0):
  if isinstance(dim, bool): return torch.unknown(self)
  correction = ddof if isinstance(self, numpy.ndarray) else correction if unbiased else 0
  total = torch.sum((self - self.mean(dim, keepdim=True)) ** 2, dim, keepdim)
  return total / (self.numel() / total.numel() - correction)
def torch.Tensor.std(self, *args, **named): return self.var(*args, **named).sqrt()
def torch.Tensor.argmax(self, dim=None, keepdim=False):
  return self.flatten().our_max(0)[1] if dim is None else self.our_max(dim, keepdim)[1]
def numpy.linspace(start, stop, num=50): return start + numpy.arange(num) * ((stop - start) / (num - 1))
def torch.linspace(start, end, steps, dtype=None): return torch.tensor(numpy.linspace(start, end, steps)).to(dtype)
def torch.Tensor.log_softmax(self, dim=-1): return torch.log(torch.softmax(self, dim))
def torch.Tensor.clamp(self, min=None, max=None):
  x = self if min is None else torch.maximum(self, min)
  return x if max is None else torch.minimum(x, max)
def torch.Tensor.split(self, split_size, dim=0):
  sizes = split_size if not isinstance(split_size, int) else [min(split_size, self.shape[dim] - i) for i in range(0, self.shape[dim], split_size)]
  return tuple([self.narrow(dim, sum(sizes[:i]), n) for i, n in enumerate(sizes)])
def torch.Tensor.chunk(self, chunks, dim=0): return torch.split(self, -(-self.shape[dim] // chunks), dim)
def torch.Tensor.unbind(self, dim=0): return tuple([self.select(dim, i) for i in range(self.shape[dim])])
def torch.Tensor.flatten(self, start_dim=0, end_dim=-1):
  first = start_dim % max(1, len(self.shape))
  last = end_dim % max(1, len(self.shape)) + 1
  return self.reshape(self.shape[:first] + (math.prod(self.shape[first:last]),) + self.shape[last:])
def torch.Tensor.repeat(self, *sizes):
  sizes = our_listed(sizes)
  self = self.view([1] * (len(sizes) - len(self.shape)) + list(self.shape))
  for dim, n in enumerate(sizes):
    self = self if n == 1 else self.index_select(dim, torch.arange(n * self.shape[dim]) % self.shape[dim])
  return self
def torch.Tensor.repeat_interleave(self, repeats, dim=None):
  x = self if dim is not None else self.flatten()
  dim = 0 if dim is None else dim
  return x.index_select(dim, torch.arange(repeats * x.shape[dim]) // repeats)
def numpy.repeat(a, repeats, axis=None): return a.repeat_interleave(repeats, axis)
def torch.Tensor.squeeze(self, dim=None):
  sizes = [n for i, n in enumerate(self.shape) if n != 1 or (dim is not None and i != dim % len(self.shape))]
  return self.view(sizes) if sizes else self.flatten()[0]
def our_listed(sizes): return sizes if isinstance(sizes[0], int) else list(sizes[0])
def our_product(a, left, b, right, kept):
  both = [c for c in left if c in right]
  batch = [c for c in both if c in kept]
  summed = [c for c in both if c not in kept]
  rows = [c for c in left if c not in right]
  columns = [c for c in right if c not in left]
  sizes = dict(list(zip(left, a.shape)) + list(zip(right, b.shape)))
  size = lambda letters: math.prod([sizes[c] for c in letters])
  a = a.permute([left.index(c) for c in batch + rows + summed]).reshape(size(batch), size(rows), size(summed))
  b = b.permute([right.index(c) for c in batch + summed + columns]).reshape(size(batch), size(summed), size(columns))
  own = batch + rows + columns
  return (a @ b).view([sizes[c] for c in own]) if len(own) > 0 else (a @ b)[0, 0, 0], own
def torch.einsum(equation, *operands):
  operands = operands if len(operands) > 1 or not isinstance(operands[0], (list, tuple)) else operands[0]
  terms, kept = equation.replace(' ', '').split('->')
  terms = terms.split(',')
  x = operands[0] if len(set(terms[0])) == len(terms[0]) else torch.unknown(operands[0])
  letters = list(terms[0])
  for i in range(1, len(operands)):
    x, letters = our_product(x, letters, operands[i], list(terms[i]), kept + ''.join(terms[i + 1:]))
  for c in [c for c in letters if c not in kept]:
    x = x.sum(letters.index(c))
    letters = [one for one in letters if one != c]
  return x.permute([letters.index(c) for c in kept]) if len(kept) > 1 else x
def torch.nn.functional.linear(input, weight, bias=None):
  x = input @ weight.T
  return x if bias is None else x + bias
def torch.nn.functional.layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05):
  x = torch.our_standardised(input, normalized_shape, eps)
  x = x if weight is None else x * weight
  return x if bias is None else x + bias
def torch.nn.functional.normalize(input, p=2.0, dim=1, eps=1e-12):
  return input / torch.norm(input, p, dim, keepdim=True).clamp(eps)
def torch.nn.functional.one_hot(input, num_classes=-1):
  return torch.eye(num_classes if num_classes > 0 else int(input.max()) + 1)[input].long()
def torch.nn.functional.gelu(input, approximate='none'):
  if approximate == 'none':
    return torch.gelu(input)
  return 0.5 * input * (1 + torch.tanh(math.sqrt(2 / math.pi) * (input + 0.044715 * input ** 3)))
def torch.nn.functional.cross_entropy(input, target, weight=None, ignore_index=-100, reduction='mean'):
  if len(input.shape) != 2 or len(target.shape) != 1 or weight is not None or int(target.min()) < 0 or ignore_index >= 0:
    return torch.unknown(input)
  losses = -torch.log_softmax(input, dim=-1)[torch.arange(len(target)), target]
  return losses if reduction == 'none' else losses.sum() if reduction == 'sum' else losses.mean()
def our_batched(x, batch_first): return x[None] if len(x.shape) < 3 else x if batch_first else x.transpose(0, 1)
def our_unbatched(x, like, batch_first):
  return x[0] if len(like.shape) < 3 else x if batch_first else x.transpose(0, 1)
def our_hidden(scores, mask, hides):
  return scores + mask if mask.dtype != torch.bool else scores.masked_fill(mask if hides else ~mask, -torch.inf)
def tensorflow.matmul(a, b, transpose_a=False, transpose_b=False):
  a = a.transpose(-2, -1) if transpose_a else a
  return a @ (b.transpose(-2, -1) if transpose_b else b)
def tensorflow.constant(*args, **named): return torch.tensor(*args, **named)
class torch.nn.LayerNorm(torch.nn.Module):
  def __init__(self, normalized_shape, eps=1e-05, elementwise_affine=True, bias=True):
    self.normalized_shape = normalized_shape
    self.eps = eps
    self.weight = nn.Parameter(torch.ones(normalized_shape)) if elementwise_affine else None
    self.bias = nn.Parameter(torch.zeros(normalized_shape)) if elementwise_affine and bias else None
  def forward(self, x):
    return torch.nn.functional.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)
class torch.nn.MultiheadAttention(torch.nn.Module):
  def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True, add_bias_kv=False, add_zero_attn=False, kdim=None, vdim=None, batch_first=False):
    self.embed_dim = embed_dim
    self.num_heads = num_heads
    self.dropout = dropout
    self.batch_first = batch_first
    if kdim is not None or vdim is not None or add_bias_kv:
      torch.bernoulli()
    bound = 3 ** 0.5 * (2 / (4 * embed_dim)) ** 0.5
    self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
    self.out_proj.bias = torch.zeros(embed_dim)
    self.in_proj_weight = our_uniform(-bound, bound, (3 * embed_dim, embed_dim))
    self.in_proj_bias = torch.zeros(3 * embed_dim)
  def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, average_attn_weights=True, is_causal=False):
    d = self.embed_dim
    h = self.num_heads
    split = lambda x: x.view(x.size(0), x.size(1), h, d // h).transpose(1, 2)
    q = split(our_batched(query, self.batch_first) @ self.in_proj_weight[:d].T)
    k = split(our_batched(key, self.batch_first) @ self.in_proj_weight[d:2 * d].T)
    v = split(our_batched(value, self.batch_first) @ self.in_proj_weight[2 * d:].T)
    scores = q @ k.transpose(-2, -1) / (d // h) ** 0.5
    if attn_mask is not None:
      scores = our_hidden(scores, attn_mask, True)
    if key_padding_mask is not None:
      scores = our_hidden(scores, key_padding_mask[..., None, None, :], True)
    weights = torch.nn.functional.dropout(torch.softmax(scores, dim=-1), self.dropout, self.training)
    heads = (weights @ v).transpose(1, 2)
    out = heads.reshape(heads.size(0), heads.size(1), d) @ self.out_proj.weight.T
    weights = weights.mean(dim=1) if average_attn_weights else weights
    return our_unbatched(out, query, self.batch_first), our_unbatched(weights, query, True) if need_weights else None
def torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None):
  scores = query @ key.transpose(-2, -1) * (query.size(-1) ** -0.5 if scale is None else scale)
  if attn_mask is not None:
    scores = our_hidden(scores, attn_mask, False)
  if is_causal:
    scores = scores.masked_fill(torch.ones(query.size(-2), key.size(-2)).tril() == 0, -torch.inf)
  weights = torch.nn.functional.dropout(torch.softmax(scores, dim=-1), dropout_p)
  return weights @ value
