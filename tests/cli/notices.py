"""Every number and comparison in the notices of --explain, one row a sentence."""

import itertools
import re

import numpy as np

from lessons import NUMBER, Sentences, close, near, row_sums

INDEX = r"\[([\d, ]*)\]"
TOKEN = r'"((?:[^"])*)"(?: \(token (\d+)\))?'
ROW = rf"row {INDEX}(?: \({TOKEN}\))?"
notice = Sentences()


def index_of(text):
    return tuple(int(i) for i in text.split(", ")) if text else ()


class Said:
    """One step, and the steps before it."""

    def __init__(self, lesson, step):
        self.lesson, self.step, self.tokens, self.a = lesson, step, lesson.tokens, step["array"]

    def operand(self, name=None):
        """The tensor of that name before this step, else the first operand."""
        return self.lesson.before(self.step, name)["array"]

    def both_operands(self):
        """The tensors of a comparison; of several pairs with the name, the most similar; the last rows of a longer one."""
        names = self.step["inputs"]
        if len(names) == 2:
            one, other = self.operand(names[0]), self.operand(names[1])
            if other.ndim and one.shape[1:] == other.shape[1:]:
                return one[-len(other):], other[-len(one):]
            return one, other[..., :one.shape[-1]]  # "[..., :1]": what is compared of it
        same = [step["array"] for step in self.lesson.earlier(self.step, names[0])]
        alike = [(a[-len(b):], b[-len(a):]) for a, b in itertools.combinations(same, 2) if a.shape[1:] == b.shape[1:]]
        return min(alike, key=lambda pair: np.abs(pair[0].astype(np.float64) - pair[1]).max())

    def is_token(self, item, name, number):
        """True if the item of an axis of tokens has that name; repeated words are numbered."""
        again = self.tokens.count(name) > 1
        return self.tokens[item] == name and (number is None) != again and number in (None, str(item))


# ---- Inputs and what is drawn ----------------------------------------------------------------------

notice(r"one row for (?:each|one) token: (.*)",
       lambda said, words: words == ", ".join(said.tokens) and said.a.shape[0] == len(said.tokens))

notice(r"nn\.Embedding starts with random numbers: before training, similar rows do not mean similar words",
       lambda said: "nn.Embedding" in said.step["expression"])
notice(rf"all entries are in \[0, 1\), the range of torch\.rand: here from {NUMBER} to {NUMBER}",
       lambda said, low, high:
       0 <= said.a.min() and said.a.max() < 1 and near(low, said.a.min()) and near(high, said.a.max()))

@notice(rf"all entries are between {NUMBER} and {NUMBER}; the bound is 1/sqrt\(in_features\) = 1/sqrt\((\d+)\)")
def _(said, low, high, features):
    bound = 1 / np.sqrt(int(features))
    is_weight = said.a.ndim == 2
    return (near(low, -bound) and near(high, bound) and np.abs(said.a).max() <= bound * (1 + 1e-6) and
            (not is_weight or said.a.shape[1] == int(features)))

notice(rf"\[out_features, in_features\] = {INDEX}: nn\.Linear multiplies by the transpose",
       lambda said, shape: said.a.shape == index_of(shape) and "nn.Linear" in said.step["expression"])
@notice(r"(\d+) of (\d+) (is|are) True, ([\d.]+)%(?:; each is kept with probability ([\d.]+))?")
def _(said, true, every, verb, percent, kept):
    asked = re.search(r"bernoulli_\(([\d.]+)\)", said.step["expression"])
    return ((int(true), int(every)) == (said.a.sum(), said.a.size) and (verb == "is") == (true == "1") and
            near(percent, 100 * said.a.mean()) and (kept is None or near(kept, float(asked.group(1)))))

notice(r"the batch entries differ from here on: each has its own dropout mask",
       lambda said: any((said.a[0] != entry).any() for entry in said.a[1:]))

notice(r"(?:both|all (\d+)) batch entries are equal",
       lambda said, count: len(said.a) == int(count or 2) and all(np.array_equal(said.a[0], entry, equal_nan=True) for entry in said.a[1:]))


# ---- Shapes ----------------------------------------------------------------------------------------

@notice(r"(?:in each row, )?(\d+) numbers? becomes? (\d+)")
def _(said, before, after):
    weight = said.operand(next(name for name in said.step["inputs"] if name.startswith(("W_", "out_proj_weight"))))
    return sorted(weight.shape) == sorted((int(before), int(after))) and said.a.shape[-1] == int(after)

notice(r"each token is now a column, not a row",
       lambda said: np.array_equal(said.a, said.operand().swapaxes(-1, -2)))
notice(r"the last axis, of size (\d+), is split into (\d+) heads? of head_dim (\d+)",
       lambda said, last, heads, head_dim:
       said.a.shape[-1] == int(head_dim) and said.a.shape[1:-1].count(int(heads)) > 0 and
       said.operand().shape[-1] == int(last) == int(heads) * int(head_dim))
notice(r"(\d+) heads? x (\d+) numbers? = (\d+) numbers? for each token",
       lambda said, heads, numbers, every:
       said.a.shape[-1] == int(every) == int(numbers) * int(heads) and said.operand().shape[-2:] == (int(heads), int(numbers)))
notice(r"(\d+) heads? x (\d+) columns? = (\d+) columns?",
       lambda said, heads, columns, every:
       said.a.shape[-1] == int(every) == int(heads) * int(columns) and said.operand().shape[-1] == int(columns))


# ---- Scores ----------------------------------------------------------------------------------------

def is_item(said, item, name, number, itself, query):
    """True if the item is `itself`, which means the query, or the named token."""
    return item == query if itself else said.is_token(item, name, number)


OTHER = rf"(?:(itself)|{TOKEN})"


@notice(rf"{TOKEN} scores highest with {OTHER}, {NUMBER}")
def _(said, query, query_at, itself, name, at, high):
    q = said.tokens.index(query) if query_at is None else int(query_at)
    return near(high, said.a.max()) and any(is_item(said, i, name, at, itself, q) for i in np.flatnonzero(said.a == said.a.max()))


def is_pair(said, at, one, one_at, itself, other, other_at):
    """True if the tokens of a row and a column have these names."""
    if one is None:
        return True
    row, column = at[-2:]
    return said.is_token(row, one, one_at) and is_item(said, column, other, other_at, itself, row)


notice(rf"the highest score is {NUMBER}, at {INDEX}(?:: {TOKEN} with {OTHER})?",
       lambda said, high, at, *pair:
       near(high, said.a.max()) and said.a[index_of(at)] == said.a.max() and is_pair(said, index_of(at), *pair))

@notice(r"symmetric: \[i, j\] equals \[j, i\](, up to rounding)?")
def _(said, rounded):
    mirrored = said.a.swapaxes(-1, -2)
    return np.array_equal(said.a, mirrored) == (rounded is None) and close(said.a, mirrored)

@notice(rf"not symmetric: {INDEX} is {NUMBER}, {INDEX} is {NUMBER}")
def _(said, at, one, mirrored, other):
    i, j = index_of(at), index_of(mirrored)
    return (near(one, said.a[i]) and near(other, said.a[j]) and i[:-2] == j[:-2] and i[-2:] == j[:-3:-1] and
            said.a[i] != said.a[j])

notice(rf"every (?:score|gradient) is divided by {NUMBER}, the square root of (\d+)",
       lambda said, root, number:
       near(root, np.sqrt(int(number))) and close(said.a, said.operand() / np.sqrt(int(number))))
notice(rf"each sum is divided by {NUMBER}",
       lambda said, count: close(said.a, said.operand() / float(count)))
@notice(r"each diagonal holds one number, up to rounding: the (?:score|product) depends on the distance alone")
def _(said):
    spread = [np.ptp(said.a.diagonal(offset)) for offset in range(1 - len(said.a), len(said.a))]
    return said.a.shape[0] == said.a.shape[1] > 2 and max(spread) <= 1e-4 * np.abs(said.a).max()

notice(r"each row sums to 0, up to rounding: what one score gains, others lose",
       lambda said: said.a.shape[-1] > 1 and np.abs(row_sums(said.a)).max() <= 2e-5 * np.abs(said.a).max())
@notice(r"each row shows its own token and earlier ones, at most (\d+)")
def _(said, most):
    return np.diagonal(~said.a).all() and not np.triu(~said.a, 1).any() and int(most) == (~said.a).sum(axis=-1).max()

notice(r"-inf stays -inf",
       lambda said: np.isneginf(said.a).any() and np.array_equal(np.isneginf(said.a), np.isneginf(said.operand())))
notice(r"True only above the diagonal: (\d+) of (\d+)",
       lambda said, true, every: np.array_equal(said.a, np.triu(np.ones_like(said.a), 1)) and
       (int(true), int(every)) == (said.a.sum(), said.a.size))

@notice(r"(\d+) of (\d+) scores (?:is|are) now -inf, the rest are unchanged")
def _(said, masked, every):
    gone = np.isneginf(said.a)
    return (int(masked), int(every)) == (gone.sum(), gone.size) and np.array_equal(said.a[~gone], said.operand()[~gone])

@notice(r"(\d+) of (\d+) gradients (?:is|are) now 0, the rest are unchanged")
def _(said, masked, every):
    mask = said.operand("mask")
    return (int(masked), int(every)) == (mask.sum(), mask.size) and np.array_equal(said.a, np.where(mask, 0, said.operand()))

notice(r"nothing is masked|nothing is dropped: the numbers are unchanged",
       lambda said: np.array_equal(said.a, said.operand()))

@notice(r"entries above the diagonal are (-inf|still 0|now 0|0|0, because exp\(-inf\) is 0: no token attends to a later one)")
def _(said, what):
    above = np.triu(np.ones(said.a.shape[-2:], bool), 1)
    return (said.a[..., above] == (-np.inf if what == "-inf" else 0)).all()


# ---- Weights ---------------------------------------------------------------------------------------

notice(r"the weights sum to 1|each row sums to 1(?: again)?",
       lambda said: close(row_sums(said.a), 1))
notice(r"(?:the sum|every sum) is 1(, up to rounding)?",
       lambda said, rounded: close(said.a, 1) and (said.a == 1).all() == (rounded is None))
notice(rf"the sum is (?!1$){NUMBER}",
       lambda said, total: near(total, said.a))
notice(rf"weights range from {NUMBER} to {NUMBER}; equal weights would be {NUMBER}",
       lambda said, low, high, even:
       near(low, said.a.min()) and near(high, said.a.max()) and near(even, 1 / said.a.shape[-1])
       and not np.isinf(said.operand()).any())
notice(rf"all weights are equal: {NUMBER}",
       lambda said, weight: (said.a == said.a.flat[0]).all() and near(weight, said.a.flat[0]))
@notice(rf"{TOKEN} attends most to {OTHER}, {NUMBER}")
def _(said, query, query_at, itself, name, at, weight):
    q = said.tokens.index(query) if query_at is None else int(query_at)
    return near(weight, said.a.max()) and any(is_item(said, i, name, at, itself, q) for i in np.flatnonzero(said.a == said.a.max()))

@notice(rf"(below the first row, )?the largest weight is {NUMBER}, at {INDEX}(?:: {TOKEN} attends to {OTHER})?")
def _(said, below, largest, at, *pair):
    among = said.a[..., 1:, :] if below else said.a
    return near(largest, among.max()) and said.a[index_of(at)] == among.max() and is_pair(said, index_of(at), *pair)

@notice(rf"the first row has all its weight, 1, in the first column(?:: {TOKEN} attends only to itself)?")
def _(said, name, at):
    first = said.a[..., 0, :]
    return (first[..., 0] == 1).all() and (first[..., 1:] == 0).all() and (name is None or said.is_token(0, name, at))


PATTERNS = {
    "attends only to the one before it, the first to itself": lambda said, i, j: j == max(i - 1, 0),
    "attends only to itself": lambda said, i, j: j == i,
    "attends only to the first": lambda said, i, j: j == 0,
    "attends equally to itself and to all before it": lambda said, i, j: j <= i,
    "attends equally to all tokens of its word": lambda said, i, j: said.tokens[i] == said.tokens[j],
    "attends equally to the tokens of its word, up to itself": lambda said, i, j: j <= i and said.tokens[i] == said.tokens[j],
}


@notice(r"(?:head (\d+): )?each token (attends .*)")
def _(said, head, rule):
    n = said.a.shape[-1]
    seen = np.array([[bool(PATTERNS[rule](said, i, j)) for j in range(n)] for i in range(n)])
    among = said.a if head is None else said.a[:, int(head) - 1]
    return close(among, seen / seen.sum(axis=-1, keepdims=True)) and (among[..., ~seen] == 0).all()


# ---- Dropout ---------------------------------------------------------------------------------------

@notice(r"(\d+) of (\d+) (?:weights|entries) dropped(?:; kept ones are multiplied by ([\d.]+))?")
def _(said, dropped, every, factor):
    x, kept = said.operand(), said.operand("dropout_mask")
    p = re.search(r"Dropout\(([\d.e-]+)\)", said.step["expression"])
    times = 1 / (1 - float(p[1])) if p and float(p[1]) < 1 else float(factor or 0)
    return ((int(dropped), int(every)) == ((~kept).sum(), kept.size) and (said.a[~kept] == 0).all() and
            (factor is None or near(factor, times) and close(said.a[kept], x[kept] * times)) and (factor is None) == (not kept.any()))

@notice(rf"(?:the row|{ROW}) sums to {NUMBER}, not to 1")
def _(said, at, name, number, total):
    row = index_of(at or "")
    return (near(total, row_sums(said.a)[row]) and (name is None or said.is_token(row[-1], name, number)) and
            not close(float(total), 1))

notice(rf"the mean changes from {NUMBER} to {NUMBER}",
       lambda said, before, after:
       near(before, said.operand().astype(np.float64).mean()) and near(after, said.a.astype(np.float64).mean()))


# ---- Context vectors and comparisons ---------------------------------------------------------------

@notice(r"(?:each row is )?a weighted average of (?:the )?rows of (\w+): each number lies within the range of its column there")
def _(said, name):
    values = said.operand(name)
    if said.a.ndim == 1:
        low, high = values.min(axis=0), values.max(axis=0)
    else:
        low, high = values.min(axis=-2, keepdims=True), values.max(axis=-2, keepdims=True)
    return (said.a >= low - 1e-6).all() and (said.a <= high + 1e-6).all()

@notice(rf"the largest difference is {NUMBER}")
def _(said, largest):
    one, other = (operand.astype(np.float64) for operand in said.both_operands())
    return near(largest, np.abs(one - other).max()) and np.abs(one - other).max() > 0

@notice(r"the two are equal to the last bit")
def _(said):
    one, other = said.both_operands()
    return np.array_equal(one, other)
