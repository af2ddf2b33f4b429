"""What a changed rule did: every number and comparison of the first line of --what-if, from the tensors before and after."""

import re

import numpy as np

from lessons import Sentences, call, row_sums

VALUE = r"-?\d+(?:\.\d+)?(?:e[-+]\d+)?"
CHANGE = (rf"((?:(?:grows|falls) from {VALUE} to|stays) {VALUE}(?: on average)?"
          r"(?:, except for (?:one row|\d+ rows) with nan)?|is unknown, because every row contains nan)\.")
MOVED = rf"change(?: by up to ({VALUE})|, and some are inf or nan)\."
WEIGHTS = ("attn_weights", "attn_weights_2")
SCORES = ("attn_scores", "attn_scores_2")
sentence = Sentences()


class Changed:
    """A lesson before and after the change of one rule."""

    def __init__(self, rule, as_is, changed):
        self.rule, self.as_is, self.changed = rule, as_is, changed

    def moved(self, *names):
        """The float tensors with changed numbers, before and after, by section and name; all, or those with these names."""
        pairs = {}
        for (section, name), step in self.as_is.steps.items():
            other = self.changed.steps.get((section, name))
            if other and (not names or name in names) and step["dtype"] == "float32" and not np.array_equal(
                    step["array"], other["array"], equal_nan=True):
                pairs[section, name] = (step["array"].astype(np.float64), other["array"].astype(np.float64))
        return pairs

    def after(self, name):
        return self.changed.named(name)[0]

    def before(self, name):
        return self.as_is.named(name)[0]


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


def mean_change(known, names, by, of_hidden=False):
    """The change of a row measure's mean, in words; rows with nan are left out. `of_hidden`: of cells that were 0 alone."""
    is_finite = lambda a: np.isfinite(a).all(axis=-1).ravel()
    of = lambda rows, before: by(np.where(before == 0, rows, 0) if of_hidden else rows).ravel()
    measured = [(of(before, before), of(after, before), is_finite(before) & is_finite(after))
                for before, after in known.moved(*names).values()]
    before, after, finite = (np.concatenate(each) for each in zip(*measured))
    if not finite.any():
        return "is unknown, because every row contains nan"
    words = change_words(before[finite].mean(), after[finite].mean()) + (" on average" if finite.sum() > 1 else "")
    count = (~finite).sum()
    return words + (f", except for {'one row' if count == 1 else f'{count} rows'} with nan" if count else "")


def most_moved(known, *names):
    """The largest change of a number of these tensors, in words; None if some are inf or nan."""
    pairs = known.moved(*names).values()
    if not all(np.isfinite(one).all() for pair in pairs for one in pair):
        return None
    moved = max(np.abs(before - after).max() for before, after in pairs)
    return decimals(moved, 4) if decimals(moved, 4) != "0" else f"{moved:.5g}"


def rows(said, by, *names, also=lambda known: True, of_hidden=False):
    """A sentence on the mean of a row's measure; `also` is what else it implies."""
    sentence(re.escape(said) + " " + CHANGE, lambda known, words: words == mean_change(known, names, by, of_hidden) and also(known))


def numbers(said, *names, also=lambda known: True):
    """A sentence on the number that changes most."""
    sentence(re.escape(said) + " " + MOVED, lambda known, words: words == most_moved(known, *names) and also(known))


def largest(cells):
    return cells.max(axis=-1)


def distance(weights):
    """How far away, on average, the tokens are that a row attends to."""
    count, columns = weights.shape[-2:]
    return (weights * (np.arange(count)[:, None] - np.arange(columns)[None])).sum(axis=-1)


def equal(a, b):
    return np.array_equal(a, b, equal_nan=True)


# ---- Masks, softmax, dropout -----------------------------------------------------------------------


def is_masked_afterwards(known):
    """Hidden weights are 0, and the others as softmax gave them."""
    def hidden(section, shape):
        if (section, "mask") in known.as_is.steps:
            return known.as_is.array(section, "mask")
        return np.triu(np.ones(shape, bool), shape[-1] - shape[-2] + 1)

    return all(equal(after, np.where(hidden(section, after.shape), 0, known.changed.array(section, "unmasked_attn_weights")))
               for (section, _), (_, after) in known.moved("attn_weights").items())


def is_counted_from_the_first(known):
    (before, after), = known.moved("masked_attn_scores").values()
    count, columns = after.shape
    hidden = np.triu(np.ones((count, columns)), 1) - np.triu(np.ones((count, columns)), columns - count + 1)
    return np.array_equal(np.isinf(after) & ~np.isinf(before), hidden > 0)


def adds_up(known):
    """Weights sum to 1 over dim 0, except for nan."""
    totals = [after.sum(axis=0) for _, after in known.moved(*WEIGHTS).values()]
    return all(np.allclose(total[~np.isnan(total)], 1, rtol=0, atol=1e-6) for total in totals)


rows("Without scaling, a row's largest weight", largest, *WEIGHTS)
rows("Without a mask, tokens see what it hides: a row's weight there", row_sums, "attn_weights", "masked_simple_norm", of_hidden=True,
     also=lambda known: known.as_is.arguments[0] != "padding" or np.isfinite(known.changed.array("", "scaled_attn_scores")).all())
rows("With the first sequence's mask, padding of the others stays visible: a row's weight on it", row_sums, "attn_weights",
     of_hidden=True, also=lambda known: len(known.before("mask")) > 1)
rows("Masked after softmax, a row keeps only the weight of the tokens it may see: its sum", row_sums, "attn_weights",
     also=is_masked_afterwards)
rows("Counted from the first key, the mask hides earlier tokens too: how many a query sees", lambda cells: (cells != 0).sum(axis=-1),
     "attn_weights", also=is_counted_from_the_first)
rows("Taken over dim 0, softmax no longer makes rows sum to 1: a row's sum", row_sums, *WEIGHTS, also=adds_up)


@sentence(r"A query of padding has only scores of -inf, and softmax gives nan: in (\d+) of (\d+) rows of weights\.")
def _(known, lost, every):
    (before, after), = known.moved("attn_weights").values()
    is_lost = np.isnan(after).all(axis=-1) & ~np.isnan(before).any(axis=-1)
    return (int(lost), int(every)) == (is_lost.sum(), is_lost.size) and not (is_lost & ~known.before("mask")[:, 0]).any()


@sentence(rf"Without the factor 1 / \(1 - p\), kept entries are not scaled up: a row's sum {CHANGE}")
def _(known, words):
    changed, dropped = known.changed, []
    for section, name in known.moved("output", "dropout_attn_weights"):
        operand, mask = changed.steps[section, name]["inputs"][0], changed.steps[section, name]["inputs"][-1]
        if mask == "dropout_mask":
            dropped.append(name)
            after, before, kept = (changed.array(section, one) for one in (name, operand, mask))
            if not equal(after[kept], before[kept]):
                return False
    return words == mean_change(known, dropped, row_sums)


# ---- Weights and heads -----------------------------------------------------------------------------


numbers("With tiled heads, query heads use the keys of other groups: scores", "attn_scores",
        also=lambda known: known.moved("keys_repeated"))


def among_themselves(known):
    """True if queries and keys come from the same tokens, and there are at least two."""
    scores = [before for before, _ in known.moved("attn_scores").values()]
    return known.as_is.arguments[0] != "cross" and any(before.shape[-1] > 1 for before in scores)


@sentence(r"With W_query for the keys too, the scores are symmetric: the largest difference between \[i, j\] and "
          rf"\[j, i\] {CHANGE}")
def _(known, words):
    if not among_themselves(known) or most_moved(known, *SCORES) is None:
        return False
    square = [pair for pair in known.moved("attn_scores", "distance_scores").values() if pair[0].shape[-1] == pair[0].shape[-2]]
    asymmetry = lambda scores: np.abs(scores - scores.swapaxes(-1, -2)).max()
    before, after = (max(asymmetry(pair[side]) for pair in square) for side in (0, 1))
    alike = all(np.allclose(now, now.swapaxes(-1, -2), rtol=1e-5, atol=1e-6 * np.abs(now).max()) for _, now in square)
    return alike and words == change_words(before, after)


sentence(rf"With W_query for the keys too, scores {MOVED}",
         lambda known, most: most == most_moved(known, *SCORES) and not (most and among_themselves(known)))
sentence(r"With W_query for the keys too, the scores stay the same\.", lambda known: known.moved("keys") and not known.moved(*SCORES))
sentence(r"The weights stay the same; other numbers change\.",
         lambda known: known.rule != "same-weights" and known.moved() and not known.moved(*WEIGHTS, "masked_simple_norm"))


# ---- Blocks, positions, biases, sinks --------------------------------------------------------------


@sentence("Without rescaling, earlier blocks count too much where a later one has a larger maximum: a row's sum of exponentials " + CHANGE)
def _(known, words):
    sums = [name for _, name in known.as_is.steps if name.startswith("row_sum_") and name != "row_sum_1"]
    return words == mean_change(known, sums, row_sums)


@sentence(rf"With half the exponent, frequencies fall more slowly: the lowest {CHANGE}")
def _(known, words):
    (before, after), = known.moved("frequencies").values()
    return words == change_words(before[-1], after[-1])


def are_slopes_by_count(known):
    slopes = known.after("slopes")
    return np.array_equal(slopes.ravel(), np.float32(2.0 ** (-8.0 * np.arange(1, len(slopes) + 1) / len(slopes))))


def has_moved_on(known):
    before, after = (walk.array("sinusoidal", "encodings") for walk in (known.as_is, known.changed))
    return np.array_equal(before[1:], after[:-1])


def are_added_late(known):
    encodings = known.before("encodings")
    return all(np.array_equal(known.changed.array("sinusoidal", name),
                              known.changed.array("sinusoidal", name + "_without_positions") + encodings)
               for name in ("queries", "keys", "values"))


numbers("With halves for pairs, other columns are rotated together: scores", "attn_scores", "distance_scores")
numbers("With queries one position too far, scores are those of the next distance: they", "attn_scores", "distance_scores")
numbers("With rotated values, a value depends on its token's position: context vectors", "context_vecs")
rows("With the opposite sign, distant tokens gain: the mean distance of a row's weight", distance, "attn_weights")
rows("Scaled like the scores, biases are too weak: the mean distance of a row's weight", distance, "attn_weights")
rows("With one token more, the window reaches further: the mean distance of a row's weight", distance, "attn_weights")
rows("Added after softmax, biases are weights: a row's smallest", lambda cells: cells.min(axis=-1), "attn_weights",
     also=lambda known: equal(known.changed.array("alibi", "attn_weights"),
                              known.after("unbiased_attn_weights") + known.before("alibi_bias")))
numbers("With one slope for all, no head sees further than another: weights", "attn_weights",
        also=lambda known: (known.after("slopes") == known.before("slopes")[0]).all())
numbers("Slopes by the number of heads are others than those of a power of two: weights", "attn_weights", also=are_slopes_by_count)
rows("Without the sink, the tokens share all of a row's weight: its sum", row_sums, "attn_weights",
     also=lambda known: equal(known.before("weights_with_sink")[..., :-1], known.before("attn_weights")))
numbers("Without positions, only the words count, not their order: weights", "attn_weights",
        also=lambda known: not known.changed.named("inputs_with_positions"))
numbers("With all sines first, a column belongs to another frequency: encodings", "encodings",
        also=lambda known: np.array_equal(known.after("encodings")[:, :known.after("sin").shape[1]], known.after("sin")))
numbers("Counted from 1, each token has the position of the next: inputs with positions", "inputs_with_positions", also=has_moved_on)
numbers("Added after the projections, positions are the same in queries and keys: weights", "attn_weights", also=are_added_late)


# ---- Gradients -------------------------------------------------------------------------------------


def is_untransposed(known):
    expected = known.before("attn_weights") @ known.before("errors")
    return np.allclose(known.after("grad_values"), expected, rtol=1e-4, atol=1e-4 * np.abs(known.before("errors")).max())


rows("Without the row's sum, the gradients of a row no longer sum to 0: the size of their sum", lambda cells: np.abs(row_sums(cells)),
     "grad_scaled_attn_scores")
rows("Not divided, the gradients of queries and keys are too large: the largest of a row", largest, "grad_queries", "grad_keys")
numbers("Not transposed, the weights hand each value the errors of earlier tokens, not of later ones: gradients of values", "grad_values",
        also=is_untransposed)
numbers("Not transposed, the gradients of scores reach the keys of other tokens: gradients of keys", "grad_keys")


# ---- Nothing changed: why, and what holds then -----------------------------------------------------


def last_of(name):
    return lambda known: known.before(name).shape[-1]


UNCHANGED = {
    "no sequence has padding": lambda known: not known.before("mask").any(),
    "a single sequence has only its own mask": lambda known: len(known.before("mask")) == 1,
    "a single block has none before it": lambda known: not known.as_is.named("rescale"),
    "the first block has the largest score of every row": lambda known: all((one == 1).all() for one in known.as_is.named("rescale")),
    "the columns are paired by halves already": lambda known: "--pair-distance" in known.as_is.arguments,
    "two columns are a single pair": lambda known: last_of("queries")(known) == 2,
    "only values as long as keys can be rotated like them": lambda known: known.before("values").shape != known.before("keys").shape,
    "the only token is at position 0, where nothing turns": lambda known: len(known.before("values")) == 1,
    "a single token is at distance 0 from itself": lambda known: known.before("distances").size == 1,
    "the keys of a head have dimension 1, and scaling divides by 1": lambda known: last_of("keys_heads")(known) == 1,
    "a single head has only its own slope": lambda known: known.before("slopes").size == 1,
    "the number of heads is a power of two": lambda known: known.before("slopes").size in (1, 2, 4, 8, 16, 32),
    "the window shows every token to the last already": lambda known: not np.tril(known.as_is.array("window", "mask")).any(),
    "there is a single frequency, 1, and a single pair of columns": lambda known: known.before("frequencies").tolist() == [1],
    "only to queries, keys and values as long as the inputs can positions be added":
        lambda known: any(known.before(name).shape != known.before("inputs").shape for name in ("queries", "keys", "values")),
    "a single token has a single weight": lambda known: known.before("attn_weights").size == 1,
    "the keys' dimension is 1, and so is its square root": lambda known: {1} == {
        array.shape[-1] for step in known.as_is.tensors if (found := re.fullmatch(r".* / (\w+)\.shape\[-1\]\*\*0\.5", step["expression"]))
        for array in known.as_is.named(found[1])} or last_of("keys")(known) == 1,
    "with p = 0 nothing is dropped, and the factor is 1": lambda known: all(mask.all() for mask in known.as_is.named("dropout_mask")),
    "with p = 1 everything is dropped": lambda known: not any(mask.any() for mask in known.as_is.named("dropout_mask")),
    "a single token has no later one": lambda known: {mask.shape for mask in known.as_is.named("mask")} == {(1, 1)},
    "with one head of keys, or one for each query head, both orders are the same":
        lambda known: all(keys.shape[1] in (1, each.shape[1]) for keys, each in zip(known.as_is.named("keys_heads"),
                                                                                   known.as_is.named("keys_repeated")))}


def changes_with(known, words):
    """True if with these options instead a number changes, or at least another reason is given."""
    if not words[0].startswith("--"):
        return "grows from" in call(*words).stdout
    asked = list(known.as_is.arguments)
    instead = {"--tokens": ("--sentence", "--inputs", "--fixture"), "--num-kv-heads": ("--num-heads",)}
    for name in (words[0], *instead.get(words[0], ())):
        if name in asked:
            at = asked.index(name)
            del asked[at:at + (1 if name == "--fixture" else 2)]
    told = call(*asked, *words, "--what-if", known.rule)
    return told.returncode == 0 and not told.stdout.startswith("# No number changed: ")


def unchanged(why):
    sentence(rf"No number changed: {re.escape(why)}(?:; try (.*))?\.",
             lambda known, words: not known.moved() and UNCHANGED[why](known) and (words is None or changes_with(known, words.split())))


for reason in UNCHANGED:
    unchanged(reason)
sentence(r"No number changed\.", lambda known: not known.moved())


# ---- Sentences made wrong, which must not pass -----------------------------------------------------


def distorted(said):
    """The sentence with one of its numbers or comparisons made wrong."""
    for found in re.finditer(VALUE, said.partition("; try")[0]):
        digit = found.end() - 1
        yield said[:digit] + str((int(said[digit]) + 1) % 10) + said[digit + 1:]
    swaps = {"grows": "falls", "falls": "grows", " on average": "", "everything is": "nothing is"}
    for one, other in swaps.items():
        if one in said:
            yield said.replace(one, other)
