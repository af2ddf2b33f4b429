"""Recomputes every number and comparison in the sentences of --what-if with numpy, from the tensors before and after.

    PYTHONPATH=tests /usr/bin/python3 tests/cli/what_if.py build/release/attn-walkthrough [LESSONS [SEED]]

A first line that none of the checks below knows fails too, and so does a tensor that is said to be the same and is
not, or is the same and not said to be. In the first lessons each sentence is made wrong as well, and has to fail."""

import collections
import itertools
import json
import os
import random
import re
import sys
import tempfile

import numpy as np

import harness
import save
from lessons import Program, Sentences, some_options

VALUE = r"-?\d+(?:\.\d+)?(?:e[-+]\d+)?"
CHANGE = (rf"((?:(?:grows|falls) from {VALUE} to|stays) {VALUE}(?: on average)?"
          r"(?:, except for (?:one row|\d+ rows) with nan)?|is unknown, because every row contains nan)")
MOVED = rf"change(?: by up to ({VALUE})|, and some are inf or nan)"
SAME, SAME_DIGITS = "same as before", "same as before in all printed digits"
sentence = Sentences()


# ---- What is known ---------------------------------------------------------------------------------


class Walk:
    """The saved steps, by section and name."""

    def __init__(self, path):
        with open(path, "rb") as file:
            metadata, arrays = save.read_safetensors(file.read())
        self.steps = {(step["section"], step["name"]): {**step, "array": arrays[step["tensor"]]}
                      for step in json.loads(metadata["manifest"])["steps"]}

    def array(self, section, name):
        return self.steps[section, name]["array"]

    def named(self, name):
        return [step["array"] for step in self.steps.values() if step["name"] == name]


def same_bits(a, b):
    """True if all bits are equal; any nan equals any other."""
    return (a.shape == b.shape and a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype == np.float32) and
            np.array_equal(np.signbit(a[a == a]), np.signbit(b[b == b])))


class Changed:
    """A lesson before and after the change of one rule, and the arguments that run it."""

    def __init__(self, program, arguments, rule, as_is, changed):
        self.program, self.arguments, self.rule = program, arguments, rule
        self.as_is, self.changed = as_is, changed

    def moved(self, *names):
        """The float tensors with changed numbers, before and after, by section and name; all, or those with these names."""
        pairs = {}
        for (section, name), step in self.as_is.steps.items():
            other = self.changed.steps.get((section, name))
            if other and (not names or name in names) and step["dtype"] == "float32" and not np.array_equal(
                    step["array"], other["array"], equal_nan=True):
                pairs[section, name] = (step["array"].astype(np.float64), other["array"].astype(np.float64))
        return pairs

    def mean_change(self, *names, by, of_hidden=False):
        """The change of a row measure's mean, in words; rows with nan are left out. `of_hidden`: of cells that were 0 alone."""
        is_finite = lambda a: np.isfinite(a).all(axis=-1).ravel()
        of = lambda rows, before: by(np.where(before == 0, rows, 0) if of_hidden else rows).ravel()
        measured = [(of(before, before), of(after, before), is_finite(before) & is_finite(after))
                    for before, after in self.moved(*names).values()]
        before, after, finite = (np.concatenate(each) for each in zip(*measured))
        if not finite.any():
            return "is unknown, because every row contains nan"
        words = change_words(before[finite].mean(), after[finite].mean()) + (" on average" if finite.sum() > 1 else "")
        count = (~finite).sum()
        return words + (f", except for {'one row' if count == 1 else f'{count} rows'} with nan" if count else "")


def decimals(value, digits):
    if abs(value) >= 1e7:
        return f"{value:.5g}"
    text = f"{value:.{digits}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def change_words(before, after):
    """The fewest digits that show the change: two to seven decimals, else five significant digits."""
    pairs = [(decimals(before, digits), decimals(after, digits)) for digits in range(2, 8)]
    for one, other in [*pairs, (f"{before:.5g}", f"{after:.5g}")]:
        if one != other:
            return f"{'grows' if after > before else 'falls'} from {one} to {other}"
    return f"stays {decimals(after, 2)}"


def largest(rows):
    return rows.max(axis=-1)


def row_sum(rows):
    return rows.sum(axis=-1)


# ---- Sentences -------------------------------------------------------------------------------------


@sentence(rf"Without scaling, a row's largest weight {CHANGE}\.")
def _(known, words):
    return words == known.mean_change("attn_weights", "attn_weights_2", by=largest)


@sentence(rf"Without a mask, tokens see what it hides: a row's weight there {CHANGE}\.")
def _(known, words):
    is_padded = known.arguments[0] == "padding"
    return (words == known.mean_change("attn_weights", "masked_simple_norm", by=row_sum, of_hidden=True) and
            not (is_padded and np.isinf(known.changed.array("", "scaled_attn_scores")).any()))


@sentence(rf"With the first sequence's mask, padding of the others stays visible: a row's weight on it {CHANGE}\.")
def _(known, words):
    return (words == known.mean_change("attn_weights", by=row_sum, of_hidden=True) and
            len(known.as_is.array("", "mask")) > 1)


@sentence(r"A query of padding has only scores of -inf, and softmax gives nan: in (\d+) of (\d+) rows of weights\.")
def _(known, lost, every):
    (before, after), = known.moved("attn_weights").values()
    mask, = known.as_is.named("mask")
    is_lost = np.isnan(after).all(axis=-1) & ~np.isnan(before).any(axis=-1)
    return (int(lost), int(every)) == (is_lost.sum(), is_lost.size) and not (is_lost & ~mask[:, 0]).any()


@sentence(rf"Masked after softmax, a row keeps only the weight of the tokens it may see: its sum {CHANGE}\.")
def _(known, words):
    def hidden(section, shape):
        if (section, "mask") in known.as_is.steps:
            return known.as_is.array(section, "mask")
        return np.triu(np.ones(shape, bool), shape[-1] - shape[-2] + 1)

    return words == known.mean_change("attn_weights", by=row_sum) and all(
        np.array_equal(after, np.where(hidden(section, after.shape), 0, known.changed.array(section, "unmasked_attn_weights")),
                       equal_nan=True)
        for (section, _), (_, after) in known.moved("attn_weights").items())


@sentence(rf"Counted from the first key, the mask hides earlier tokens too: how many a query sees {CHANGE}\.")
def _(known, words):
    (before, after), = known.moved("masked_attn_scores").values()
    rows, columns = after.shape
    hidden = np.triu(np.ones((rows, columns)), 1) - np.triu(np.ones((rows, columns)), columns - rows + 1)
    return (words == known.mean_change("attn_weights", by=lambda weights: (weights != 0).sum(axis=-1)) and
            np.array_equal(np.isinf(after) & ~np.isinf(before), hidden > 0))


@sentence(rf"With tiled heads, query heads use the keys of other groups: scores {MOVED}\.")
def _(known, words):
    (before, after), = known.moved("keys_repeated").values()
    tiled = [after[:, head] for head in range(after.shape[1])]
    return words == most_moved(known, "attn_scores") and any(not np.array_equal(before[:, head], tiled[head]) for head in range(len(tiled)))


@sentence(rf"Without rescaling, earlier blocks count too much where a later one has a larger maximum: a row's sum of "
          rf"exponentials {CHANGE}\.")
def _(known, words):
    sums = [name for _, name in known.as_is.steps if name.startswith("row_sum_") and name != "row_sum_1"]
    return words == known.mean_change(*sums, by=row_sum)


@sentence(rf"With halves for pairs, other columns are rotated together: scores {MOVED}\.")
@sentence(rf"With queries one position too far, scores are those of the next distance: they {MOVED}\.")
def _(known, words):
    return words == most_moved(known, "attn_scores", "distance_scores")


@sentence(rf"With rotated values, a value depends on its token's position: context vectors {MOVED}\.")
def _(known, words):
    return words == most_moved(known, "context_vecs")


def distance(weights):
    """How far away, on average, the tokens are that a row attends to."""
    rows, columns = weights.shape[-2:]
    return (weights * (np.arange(rows)[:, None] - np.arange(columns)[None])).sum(axis=-1)


@sentence(rf"With the opposite sign, distant tokens gain: the mean distance of a row's weight {CHANGE}\.")
@sentence(rf"Scaled like the scores, biases are too weak: the mean distance of a row's weight {CHANGE}\.")
@sentence(rf"With one token more, the window reaches further: the mean distance of a row's weight {CHANGE}\.")
def _(known, words):
    return words == known.mean_change("attn_weights", by=distance)


@sentence(rf"Added after softmax, biases are weights: a row's smallest {CHANGE}\.")
def _(known, words):
    bias, = known.as_is.named("alibi_bias")
    unbiased, = known.changed.named("unbiased_attn_weights")
    weights = known.changed.array("alibi", "attn_weights")
    return (words == known.mean_change("attn_weights", by=lambda rows: rows.min(axis=-1)) and
            np.array_equal(weights, unbiased + bias, equal_nan=True))


@sentence(rf"With one slope for all, no head sees further than another: weights {MOVED}\.")
def _(known, words):
    slopes, = known.changed.named("slopes")
    return words == most_moved(known, "attn_weights") and (slopes == known.as_is.named("slopes")[0][0]).all()


@sentence(rf"Slopes by the number of heads are others than those of a power of two: weights {MOVED}\.")
def _(known, words):
    (before, after), = known.moved("slopes").values()
    expected = np.float32(2.0 ** (-8.0 * np.arange(1, len(after) + 1) / len(after)))
    return words == most_moved(known, "attn_weights") and np.array_equal(after.ravel(), expected)


@sentence(rf"Without the sink, the tokens share all of a row's weight: its sum {CHANGE}\.")
def _(known, words):
    with_sink, = known.as_is.named("weights_with_sink")
    without, = known.as_is.named("attn_weights")
    return words == known.mean_change("attn_weights", by=row_sum) and np.array_equal(with_sink[..., :-1], without)


@sentence(rf"Without positions, only the words count, not their order: weights {MOVED}\.")
def _(known, words):
    return words == most_moved(known, "attn_weights") and not known.changed.named("inputs_with_positions")


@sentence(rf"With all sines first, a column belongs to another frequency: encodings {MOVED}\.")
def _(known, words):
    encodings, = known.changed.named("encodings")
    sines, = known.changed.named("sin")
    return words == most_moved(known, "encodings") and np.array_equal(encodings[:, :sines.shape[1]], sines)


@sentence(rf"With half the exponent, frequencies fall more slowly: the lowest {CHANGE}\.")
def _(known, words):
    (before, after), = known.moved("frequencies").values()
    return words == change_words(before[-1], after[-1])


@sentence(rf"Counted from 1, each token has the position of the next: inputs with positions {MOVED}\.")
def _(known, words):
    before, after = (walk.array("sinusoidal", "encodings") for walk in (known.as_is, known.changed))
    return words == most_moved(known, "inputs_with_positions") and np.array_equal(before[1:], after[:-1])


@sentence(rf"Added after the projections, positions are the same in queries and keys: weights {MOVED}\.")
def _(known, words):
    encodings, = known.as_is.named("encodings")
    return words == most_moved(known, "attn_weights") and all(
        np.array_equal(known.changed.array("sinusoidal", name), known.changed.array("sinusoidal", name + "_without_positions") + encodings)
        for name in ("queries", "keys", "values"))


@sentence(rf"Without the row's sum, the gradients of a row no longer sum to 0: the size of their sum {CHANGE}\.")
def _(known, words):
    return words == known.mean_change("grad_scaled_attn_scores", by=lambda rows: np.abs(row_sum(rows)))


@sentence(rf"Not divided, the gradients of queries and keys are too large: the largest of a row {CHANGE}\.")
def _(known, words):
    return words == known.mean_change("grad_queries", "grad_keys", by=largest)


@sentence(rf"Not transposed, the weights hand each value the errors of earlier tokens, not of later ones: gradients of values {MOVED}\.")
def _(known, words):
    weights, errors = (known.as_is.named(name)[0] for name in ("attn_weights", "errors"))
    return words == most_moved(known, "grad_values") and np.allclose(known.changed.named("grad_values")[0], weights @ errors,
                                                                     rtol=1e-4, atol=1e-4 * np.abs(errors).max())


@sentence(rf"Not transposed, the gradients of scores reach the keys of other tokens: gradients of keys {MOVED}\.")
def _(known, words):
    return words == most_moved(known, "grad_keys")


def most_moved(known, *names):
    """The largest change of a number of these tensors, in words; None if some are inf or nan."""
    pairs = known.moved(*names).values()
    if not all(np.isfinite(one).all() for pair in pairs for one in pair):
        return None
    moved = max(np.abs(before - after).max() for before, after in pairs)
    return decimals(moved, 4) if decimals(moved, 4) != "0" else f"{moved:.5g}"


@sentence(rf"Without the factor 1 / \(1 - p\), kept entries are not scaled up: a row's sum {CHANGE}\.")
def _(known, words):
    changed = known.changed
    dropped = []
    for section, each in known.moved("output", "dropout_attn_weights"):
        operand, mask = changed.steps[section, each]["inputs"][0], changed.steps[section, each]["inputs"][-1]
        if mask != "dropout_mask":
            continue
        dropped.append(each)
        after, before, kept = (changed.array(section, one) for one in (each, operand, mask))
        if not np.array_equal(after[kept], before[kept], equal_nan=True):
            return False
    return words == known.mean_change(*dropped, by=row_sum)


def adds_up(after):
    """True if weights sum to 1 over dim 0, except for nan."""
    total = after.sum(axis=0)
    return np.allclose(total[~np.isnan(total)], 1, rtol=0, atol=1e-6)


@sentence(rf"Taken over dim 0, softmax no longer makes rows sum to 1: a row's sum {CHANGE}\.")
def _(known, words):
    pairs = known.moved("attn_weights", "attn_weights_2")
    return words == known.mean_change("attn_weights", "attn_weights_2", by=row_sum) and all(adds_up(after) for _, after in pairs.values())


def asymmetry(scores):
    return np.abs(scores - scores.swapaxes(-1, -2)).max()


def is_among_themselves(known):
    """True if queries and keys come from the same tokens, and there are at least two."""
    scores = [before for before, _ in known.moved("attn_scores").values()]
    return known.arguments[0] != "cross" and any(before.shape[-1] > 1 for before in scores)


def are_finite(known):
    pairs = known.moved("attn_scores", "attn_scores_2").values()
    return all(np.isfinite(scores).all() for pair in pairs for scores in pair)


@sentence(r"With W_query for the keys too, the scores are symmetric: the largest difference between \[i, j\] and "
          rf"\[j, i\] {CHANGE}\.")
def _(known, words):
    if not is_among_themselves(known) or not are_finite(known):
        return False
    square = [pair for pair in known.moved("attn_scores", "distance_scores").values() if pair[0].shape[-1] == pair[0].shape[-2]]
    before, after = (max(asymmetry(pair[side]) for pair in square) for side in (0, 1))
    alike = all(np.allclose(now, now.swapaxes(-1, -2), rtol=1e-5, atol=1e-6 * np.abs(now).max()) for _, now in square)
    return alike and words == change_words(before, after)


@sentence(rf"With W_query for the keys too, scores change by up to ({VALUE})\.")
def _(known, most):
    scores = known.moved("attn_scores", "attn_scores_2").values()
    moved = max(np.abs(before - after).max() for before, after in scores)
    words = decimals(moved, 4)
    return not is_among_themselves(known) and are_finite(known) and most == (f"{moved:.5g}" if words == "0" else words)


@sentence(r"With W_query for the keys too, scores change, and some are inf or nan\.")
def _(known):
    return known.moved("attn_scores", "attn_scores_2") and not are_finite(known)


@sentence(r"With W_query for the keys too, the scores stay the same\.")
def _(known):
    return known.moved("keys") and not known.moved("attn_scores", "attn_scores_2")


# ---- Nothing changed -------------------------------------------------------------------------------


def is_no_reason_with(known, *options):
    """True if the reason does not apply with these options instead."""
    asked = list(known.arguments)
    for name in (options[0], "--sentence", "--inputs", "--fixture"):
        if name in asked and (name == options[0] or options[0] == "--tokens"):
            at = asked.index(name)
            del asked[at:at + (1 if name == "--fixture" else 2)]
    told = known.program.call(*asked, *options, "--what-if", known.rule)
    return told.returncode == 0 and not told.stdout.startswith("# No number changed: ")


@sentence(r"No number changed: no sequence has padding; try (--tokens) (6) (--valid-length) (4)\.")
def _(known, *instead):
    return not known.moved() and not known.as_is.array("", "mask").any() and is_no_reason_with(known, *instead)


@sentence(r"No number changed: a single sequence has only its own mask; try (--batch) (2)\.")
def _(known, *instead):
    return not known.moved() and len(known.as_is.array("", "mask")) == 1 and is_no_reason_with(known, *instead)


@sentence(r"No number changed: a single block has none before it\.")
def _(known):
    return not known.moved() and not known.as_is.named("rescale")


@sentence(r"No number changed: the first block has the largest score of every row\.")
def _(known):
    factors = known.as_is.named("rescale")
    return not known.moved() and len(factors) > 0 and all((factor == 1).all() for factor in factors)


@sentence(r"No number changed: the columns are paired by halves already; try (--pair-distance) (1)\.")
def _(known, *instead):
    return not known.moved() and "--pair-distance" in known.arguments and is_no_reason_with(known, *instead)


@sentence(r"No number changed: two columns are a single pair; try (--d-out-kq) (4)\.")
def _(known, *instead):
    return not known.moved() and known.as_is.named("queries")[0].shape[-1] == 2 and is_no_reason_with(known, *instead)


@sentence(r"No number changed: only values as long as keys can be rotated like them; try (--d-out) (4)\.")
def _(known, *instead):
    return not known.moved() and known.as_is.named("values")[0].shape != known.as_is.named("keys")[0].shape


@sentence(r"No number changed: the only token is at position 0, where nothing turns; try (--tokens) (6)\.")
def _(known, *instead):
    return not known.moved() and len(known.as_is.named("values")[0]) == 1 and is_no_reason_with(known, *instead)


@sentence(r"No number changed: a single token is at distance 0 from itself; try (--tokens) (6)\.")
def _(known, *instead):
    return not known.moved() and known.as_is.named("distances")[0].size == 1 and is_no_reason_with(known, *instead)


@sentence(r"No number changed: the keys of a head have dimension 1, and scaling divides by 1\.")
def _(known):
    return not known.moved() and known.as_is.named("keys_heads")[0].shape[-1] == 1


@sentence(r"No number changed: a single head has only its own slope\.")
def _(known):
    return not known.moved() and known.as_is.named("slopes")[0].size == 1


@sentence(r"No number changed: the number of heads is a power of two; try (--num-heads) (3) (--d-out) (6)\.")
def _(known, *instead):
    return not known.moved() and known.as_is.named("slopes")[0].size in (1, 2, 4, 8, 16, 32)


@sentence(r"No number changed: the window shows every token to the last already; try (--tokens) (6) (--window) (3)\.")
def _(known, *instead):
    return not known.moved() and not np.tril(known.as_is.array("window", "mask")).any()


@sentence(r"No number changed: there is a single frequency, 1, and a single pair of columns\.")
def _(known):
    return not known.moved() and known.as_is.named("frequencies")[0].tolist() == [1]


@sentence(r"No number changed: only to queries, keys and values as long as the inputs can positions be added; try (--d-out) (\d+)\.")
def _(known, option, d):
    inputs, = known.as_is.named("inputs")
    return not known.moved() and inputs.shape[1] == int(d) and any(
        known.as_is.named(name)[0].shape != inputs.shape for name in ("queries", "keys", "values"))


@sentence(r"No number changed: a single token has a single weight; try (--tokens) (6)\.")
def _(known, *instead):
    return not known.moved() and known.as_is.named("attn_weights")[0].size == 1


@sentence(r"No number changed: the keys' dimension is 1, and so is its square root; try (--d-out) (2)\.")
def _(known, *instead):
    return not known.moved() and known.as_is.named("keys")[0].shape[-1] == 1


@sentence(r"No number changed\.")
def _(known):
    return not known.moved()


@sentence(r"The weights stay the same; other numbers change\.")
def _(known):
    return (known.rule != "same-weights" and known.moved() and
            not known.moved("attn_weights", "attn_weights_2", "masked_simple_norm"))


@sentence(r"No number changed: the keys' dimension is 1, and so is its square root; "
          r"try (trainable --d-out 256 --init randn --tokens 8 --what-if no-scaling)\.")
def _(known, instead):
    expressions = [step["expression"] for step in known.as_is.steps.values()]
    scaled = [found for each in expressions if (found := re.fullmatch(r".* / (\w+)\.shape\[-1\]\*\*0\.5", each))]
    keys = [array.shape[-1] for found in scaled for array in known.as_is.named(found[1])]
    told = known.program.call(*instead.split())
    return not known.moved() and set(keys) == {1} and told.returncode == 0 and "largest weight grows" in told.stdout


@sentence(r"No number changed: with p = (0|1) (nothing is dropped, and the factor is 1|everything is dropped); "
          r"try (--dropout) (0\.5)\.")
def _(known, p, what, *instead):
    masks = known.as_is.named("dropout_mask")
    return (not known.moved() and masks and all((mask == (p == "0")).all() for mask in masks) and
            what.startswith("nothing") == (p == "0") and is_no_reason_with(known, *instead))


@sentence(r"No number changed: a single token has no later one; try (--tokens) (6)\.")
def _(known, *instead):
    masks = known.as_is.named("mask")
    return not known.moved() and {mask.shape for mask in masks} == {(1, 1)} and is_no_reason_with(known, *instead)


@sentence(r"No number changed: with one head of keys, or one for each query head, both orders are the same; "
          r"try (--num-kv-heads) (2)\.")
def _(known, *instead):
    pairs = zip(known.as_is.named("keys_heads"), known.as_is.named("keys_repeated"))
    return not known.moved() and all(keys.shape[1] in (1, each.shape[1]) for keys, each in pairs) and is_no_reason_with(
        known, *instead)


# ---- Steps that are the same -----------------------------------------------------------------------


def printed(a):
    """Each element as PyTorch prints it."""
    if a.dtype != np.float32:
        return [str(one) for one in a.flat]
    if a.size > 1000:
        for axis, size in enumerate(a.shape):
            if size > 6:
                a = np.take(a, [0, 1, 2, -3, -2, -1], axis=axis)
    a = a.astype(np.float64)
    found = np.abs(a[np.isfinite(a) & (a != 0)])
    if not found.size:
        return [f"{one:.0f}" for one in a.flat]
    is_whole = (found == np.ceil(found)).all()
    is_wide = found.max() / found.min() > 1000 or found.max() > 1e8
    form = ".4e" if is_wide or (not is_whole and found.min() < 1e-4) else ".0f" if is_whole else ".4f"
    return [format(one, form) for one in a.flat]


def said_of_steps(text, sections):
    """Of what is said to be the same: how much so, by section and name; and what is said not to be there."""
    section, same, gone = "", {}, set()
    for line in text.splitlines()[1:]:
        if line.startswith("# ") and line[2:] in sections:
            section = line[2:]
        elif found := re.fullmatch(rf"# (.*): ({SAME_DIGITS}|{SAME})", line):
            same.update({(section, name): found[2] for name in found[1].split(", ")})
        elif found := re.search(r"(?:^|\| )# no (\w+) here(?: *\||$)", line):
            gone.add((section, found[1]))
    return same, gone


def likeness(before, after):
    """The expected words on a step whose tensor exists before and after."""
    if same_bits(before["array"], after["array"]):
        return SAME
    prints_same = (printed(before["array"]), before["label"]) == (printed(after["array"]), after["label"])
    return SAME_DIGITS if prints_same else None


def faults_of_likeness(known, shown, text):
    """What the lines "# keys, values: same as before" and "# no mask here" say wrongly, and what they leave out."""
    same, gone = said_of_steps(text, {step["section"] for step in shown})
    expected, expected_gone = {}, set()
    for step in shown:
        key = step["section"], step["name"]
        before, after = known.as_is.steps.get(key), known.changed.steps.get(key)
        if step["kind"] == "text":
            expected[key] = SAME
        elif after is None:
            expected_gone.add(key)
        elif step["kind"] == "size":
            expected[key[0], key[1] + ".shape"] = SAME if before["shape"] == after["shape"] else None
        else:
            expected[key] = likeness(before, after)
    if "--steps" in known.arguments:
        expected_gone |= known.changed.steps.keys() - known.as_is.steps.keys()
    expected = {key: words for key, words in expected.items() if words}
    faults = [f"{'/'.join(key)} is said to be: {same.get(key)}; it is: {expected.get(key)}"
              for key in sorted(same.keys() | expected.keys()) if same.get(key) != expected.get(key)]
    return faults + [f"wrongly said, or not, to be missing: {name}" for _, name in sorted(gone ^ expected_gone)]


# ---- Lessons ---------------------------------------------------------------------------------------


def own_inputs(chance, path):
    """Writes a file of tokens with three numbers each, some of them unusual."""
    kind = chance.choice(["zero", "alike", "whole", "tiny", "small", "large", "huge"])
    scale = {"zero": 0, "tiny": 1e-20, "small": 1e-3, "large": 1e3, "huge": 1e19}.get(kind, 1)
    row = lambda: [scale * chance.randint(-3, 3) for _ in range(3)]
    first = row()
    with open(path, "w", encoding="ascii") as file:
        for _ in range(chance.randint(1, 6)):
            file.write(",".join(repr(one) for one in (first if kind == "alike" else row())) + "\n")


def options_of(path):
    """Draws options of a lesson; own inputs go to that file."""
    def options(chance, chapter):
        drawn = some_options(chance, chapter)
        if "--fixture" in chapter["accepts"] and chance.random() < 0.1:
            return drawn[:2] + ["--fixture"]
        if "--qkv-bias" in chapter["accepts"] and chance.random() < 0.1:
            drawn.append("--qkv-bias")
        if not {"--tokens", "--d-in", "--sentence"} & set(drawn) and chance.random() < 0.3:
            own_inputs(chance, path)
            drawn += ["--inputs", path]
        if chance.random() < 0.5:
            drawn += ["--steps", "all"]
        return drawn
    return options


# What random lessons seldom are: options, and own inputs. Two tokens, and no batch; scores that softmax makes 0 and 1;
# scores near 0, or 0; scores that are inf; an output that dropout does not make; eight tokens that meet eight others.
SELDOM = [
    (["causal", "blog", "--batch", "1", "--tokens", "2"], ""),
    (["causal", "book", "--batch", "1", "--tokens", "2"], ""),
    (["causal", "ahead-of-ai"], "2e3,3e3,3e3\n2e3,1e3,3e3\n3e3,-2e3,-2e3\n"),
    (["causal", "blog"], "1e-3,0,2e-3\n0,3e-3,1e-3\n"),
    (["trainable", "blog"], "1e-30,0,0\n0,1e-30,1e-30\n"),
    (["causal", "blog"], "1e15,1e15,1e15\n1e30,1e30,1e30\n"),
    (["causal", "blog", "--batch", "1"], "-1,-1,-1\n1e30,1e30,1e30\n"),
    (["causal", "blog"], "-1,-1,-1\n1e30,1e30,1e30\n-1,-2,3\n"),
    (["multihead", "blog", "--dropout", "0.5"], ""),
    (["grouped", "modern"], ""),
    (["grouped", "modern", "--num-kv-heads", "1"], ""),
    (["cross", "ahead-of-ai", "--tokens", "8"], ""),
    (["cross", "ahead-of-ai", "--tokens", "1"], ""),
    (["dropout", "blog", "--tokens", "1", "--dropout", "1"], ""),
]

# Each is said at least once.
BRANCHES = """
    Without scaling, a row's largest weight grows from # to #\\.
    Without scaling, .* grows from # to # on average\\.
    weight there grows from # to # on average\\.
    weight there .* except for one row with nan
    weight there .* except for # rows with nan
    weight there is unknown, because every row contains nan\\.
    Masked after softmax, .* falls from # to # on average\\.
    scaled up: a row's sum falls from # to # on average
    rows sum to #: a row's sum .* on average\\.
    rows sum to #: a row's sum .*, except for # rows with nan
    rows sum to #: a row's sum is unknown
    scores change by up to #
    symmetric: .* falls from # to #\\.
    symmetric: .* stays #\\.
    the scores stay the same
    some are inf or nan
    With tiled heads, query heads use the keys of other groups: scores change
    The weights stay the same
    No number changed\\.
    No number changed: the keys' dimension
    No number changed: with p = # nothing is dropped
    No number changed: with p = # everything is dropped
    No number changed: a single token
    No number changed: with one head of keys
""".strip().splitlines()


def distorted(said):
    """The sentence with one of its numbers or comparisons made wrong."""
    for found in re.finditer(VALUE, said):
        digit = found.end() - 1
        yield said[:digit] + str((int(said[digit]) + 1) % 10) + said[digit + 1:]
    swaps = {"grows": "falls", "falls": "grows", " on average": "", "everything is": "nothing is"}
    for one, other in swaps.items():
        if one in said:
            yield said.replace(one, other)


class Test:
    """Collects sentences and faults of lessons."""

    def __init__(self, program, folder):
        self.program = program
        self.files = [os.path.join(folder, name) for name in ("as_is.safetensors", "changed.safetensors", "inputs.csv")]
        self.form = ["--format", "json", "--force", "--save", self.files[0]]
        self.said = []
        self.likeness = collections.Counter()
        self.faults = []
        self.lessons = self.wrong = 0

    def seldom_lessons(self):
        for options, own in SELDOM:
            asked = [options[0], "--article", *options[1:]]
            if own:
                with open(self.files[2], "w", encoding="ascii") as file:
                    file.write(own)
                asked += ["--inputs", self.files[2]]
            chapter = next(each for each in self.program.chapters if each["asked"] == asked[:3])
            yield chapter, asked, self.program.call(*asked, *self.form).stdout

    def random_lessons(self, count, seed):
        return self.program.lessons(random.Random(seed), count, some_options=options_of(self.files[2]), form=self.form)

    def check(self, chapter, arguments, text):
        """Checks every rule of the chapter in this lesson."""
        self.lessons += 1
        as_is = Walk(self.files[0])
        for rule in chapter["what_ifs"]:
            done = self.program.call(*arguments, "--what-if", rule, "--force", "--save", self.files[1])
            known = Changed(self.program, arguments, rule, as_is, Walk(self.files[1]))
            said = done.stdout.partition("\n")[0].removeprefix("# ")
            self.said.append(said)
            self.likeness.update(re.findall(f": ({SAME_DIGITS}|{SAME})$", done.stdout, re.MULTILINE))
            found = faults_of_likeness(known, json.loads(text)["steps"], done.stdout)
            if fault := sentence.fault(said, known):
                found.append(f"{fault}: {said}")
            elif self.lessons <= 50:
                found += [f"not noticed: {wrong}" for wrong in distorted(said) if not sentence.fault(wrong, known)]
            own = f" | inputs {as_is.named('inputs')[0].tolist()}" if "--inputs" in arguments else ""
            self.faults += [f"{fault} | in {' '.join(arguments)} --what-if {rule}{own}" for fault in found]


def main():
    program = Program(os.path.abspath(sys.argv[1]))
    lessons, seed = (int(given) for given in (sys.argv[2:] + [harness.LESSONS, 1][len(sys.argv[2:]):]))
    with tempfile.TemporaryDirectory() as folder:
        test = Test(program, folder)
        for lesson in itertools.chain(test.seldom_lessons(), test.random_lessons(lessons, seed)):
            test.check(*lesson)
    told = [re.sub(VALUE, "#", said) for said in test.said]
    if lessons >= 200:
        test.faults += [f"never said: {branch}" for branch in map(str.strip, BRANCHES)
                        if not any(re.search(branch, said) for said in told)]
        test.faults += [f"never said: {words}" for words in (SAME, SAME_DIGITS) if not test.likeness[words]]
    print(*test.faults, sep="\n", end="\n" if test.faults else "")
    if lessons > 200:
        print(*(f"{count:6} {template}" for template, count in sorted(collections.Counter(told).items())), sep="\n")
    alike = ", ".join(f"{count} times {words}" for words, count in test.likeness.items())
    print(f"{len(told)} sentences of {test.lessons} lessons, {alike}; {len(test.faults)} faults")
    return 1 if test.faults or test.lessons < lessons + len(SELDOM) else 0


if __name__ == "__main__":
    sys.exit(main())
