"""Where PyTorch's versions differ in what the programs compute or print. The tool follows the newest. Under an older
PyTorch the programs do by other means what the newest does, or ask which options it takes otherwise."""
import collections
import contextlib
import re

import torch

Change = collections.namedtuple("Change", "since what")

# `since`: the first version looked at that does so (looked at were 1.13, 2.6 and 2.14).
CHANGES = {
    "squeeze": Change((2, 6), "x @ W of a vector x: grad_fn=<SqueezeBackward4>, before SqueezeBackward3"),
    "linear 1-D": Change((2, 6), "nn.Linear with bias of a vector: grad_fn=<ViewBackward0>, the bias in the product; "
                                 "before AddBackward0, the bias added afterwards: other bits from d_in 300 or so on"),
    "repeat_interleave": Change((2, 6), "by a number: grad_fn=<ViewBackward0>, before IndexSelectBackward0"),
    "edgeitems 0": Change((2, 6), "a summary of no items at all, and size=; before an error or a whole vector"),
    "layer_norm": Change((2, 14), "chunks of a row's moments are merged otherwise, and before 2.6 multiplied and added "
                                  "unfused under avx2: other last bits"),
    "sci_mode": Change((2, 14), "a forced sci_mode decides the columns' width; before the width was that of auto"),
    "softmax backward": Change((2, 14), "softmax's gradient with avx2: only the tail's products are fused with the sum; "
                                        "2.6 fuses none, 1.13 all"),
    "avx512": Change((2, 6), "the AVX-512 kernels are taken where they run; before only when asked, and not followed"),
}


def has(change):
    """Whether this PyTorch is new enough."""
    version = tuple(int(number) for number in re.match(r"(\d+)\.(\d+)", torch.__version__).groups())
    return version >= CHANGES[change].since


def linear(module, x):
    """module(x), an nn.Linear."""
    if has("linear 1-D") or x.dim() > 1 or module.bias is None:
        return module(x)
    return module(x.unsqueeze(0)).view(-1)


def scale_and_shift(x, weight, bias):
    """The last step of nn.LayerNorm, as the newest PyTorch does it."""
    return torch.addcmul(bias, x, weight)


def printed(value):
    """str(value)"""
    return str(value) if has("squeeze") else str(value).replace("SqueezeBackward3", "SqueezeBackward4")


def print_options(arguments):
    """The command line's arguments without those print options that this PyTorch takes otherwise, or not at all."""
    otherwise = {("--edgeitems", "0"): "edgeitems 0", ("--sci-mode", "on"): "sci_mode", ("--sci-mode", "off"): "sci_mode"}
    kept = list(arguments)
    for pair, change in otherwise.items():
        for at in range(len(kept) - 2, -1, -1):
            if tuple(kept[at:at + 2]) == pair and not has(change):
                del kept[at:at + 2]
    return kept


def repeat_interleave(x, repeats, dim):
    """x.repeat_interleave(repeats, dim) as the newest PyTorch does it."""
    sizes = [*x.shape[:dim + 1], repeats, *x.shape[dim + 1:]]
    return x.unsqueeze(dim + 1).expand(sizes).contiguous().view(*x.shape[:dim], repeats * x.shape[dim], *x.shape[dim + 1:])


def softmax_backward(gradients, weights, dim, dtype):
    """torch._softmax_backward_data over the last axis, as the newest PyTorch does it."""
    if re.search("CPU capability usage: (.*)", torch.__config__.show())[1] != "AVX2":
        return older_softmax_backward(gradients, weights, dim, dtype)
    lanes, count = 8, weights.shape[-1]
    products = gradients * weights
    if count < lanes:
        total = products[..., 0]
        for i in range(1, count):
            total = total + products[..., i]
    else:
        total = products[..., :lanes].clone()
        for start in range(lanes, count - lanes + 1, lanes):
            total = total + products[..., start:start + lanes]
        for i in range(count // lanes * lanes, count):  # fused: rounded once
            exact = gradients[..., i].double().numpy().astype("longdouble") * weights[..., i].double().numpy()
            total[..., i % lanes] = torch.from_numpy((exact + total[..., i % lanes].double().numpy()).astype("float32"))
        while total.shape[-1] > 1:
            half = total.shape[-1] // 2
            total = total[..., :half] + total[..., half:]
        total = total[..., 0]
    return (gradients - total.unsqueeze(-1)) * weights


@contextlib.contextmanager
def own_softmax_backward():
    """Within it, torch._softmax_backward_data is this PyTorch's own, which autograd calls."""
    newest = torch._softmax_backward_data
    torch._softmax_backward_data = newest if has("softmax backward") else older_softmax_backward
    try:
        yield
    finally:
        torch._softmax_backward_data = newest


if not has("softmax backward"):
    older_softmax_backward = torch._softmax_backward_data
    torch._softmax_backward_data = softmax_backward
if not has("repeat_interleave"):
    torch.Tensor.repeat_interleave = repeat_interleave
