"""Every pair of a command's options: each has an effect beside the other, or one line that names both refuses them.

    PYTHONPATH=tests /usr/bin/python3 tests/cli/pairs.py PATH_TO_BINARY

The options are those that the program's help lists: one that this file does not know fails the test. Pairs that are
refused stand in REFUSED, all others must do something together.
"""
import functools
import itertools
import json
import os
import re
import shutil
import tempfile
import unittest

import numpy as np

import harness
from harness import BINARY, Terminal, options_of, output_of, run, sample, text_of

TEMPLATE = ""  # a folder whose contents are there wherever the program runs
OWN = ("there", "there.txt")  # of which it may write
TITLE = rb"\d+/\d+ \w"  # of a step in the presenter

# Sizes of their own that chapters have: the values to try, and whether what is drawn depends on them.
SIZES = {"--num-kv-heads": ("grouped", ["1"], True), "--new-tokens": ("cache", ["1"], False), "--valid-length": ("padding", ["3", "1"], False),
         "--block-size": ("online", ["3"], False), "--pair-distance": ("rotary", ["2", "6", "3"], False),
         "--window": ("bias", ["2"], False), "--context-length": ("positions", ["9", "12"], True)}
FORMATS = ["--format html", "--format json", "--format markdown", "--format svg", "--format csv"]
EMITTED = ["--emit numpy", "--emit notebook", "--emit pytorch"]
PRINTING = ["--precision", "--threshold", "--edgeitems", "--linewidth", "--sci-mode", "--no-grad"]
REFUSED = {
    "--step": ["--predict", "--what-if", "--cell", "--save", "--output", *FORMATS, *EMITTED],
    "--predict": ["--what-if", "--cell", "--explain", "--heatmap", "--save", "--output", "--format html", "--format json", "--format svg",
                  "--format csv", "--emit numpy", "--emit pytorch"],
    "--emit numpy": ["--blas", "--cell", "--explain", "--heatmap", *FORMATS, *PRINTING],
    "--emit pytorch": ["--cell", "--explain", "--heatmap", *FORMATS],
    "--emit notebook": ["--cell", "--explain", "--heatmap", *FORMATS],
    "--what-if": ["--cell", "--explain", "--heatmap", "--format svg", "--format csv"],
    "--draws": ["--step", "--predict", "--what-if", "--cell", "--explain", "--heatmap", "--steps", "--query", "--blas",
                "--format html", "--format markdown", "--format svg", "--format csv", *EMITTED, *PRINTING,
                *(size for size, (_, _, is_drawn) in SIZES.items() if not is_drawn)],
    "--cell": ["--explain", "--heatmap", "--only", "--steps", "--threshold", "--edgeitems", "--linewidth", "--no-grad",
               "--format html", "--format svg", "--format csv"],
    "--explain": FORMATS,
    "--slides": ["--format json", "--format markdown", "--format svg", "--format csv"],
    "--heatmap": ["--no-grad", "--format html", "--format json", "--format svg", "--format csv"],
    "--color": ["--format markdown"],
    "--format svg": ["--steps", "--linewidth", "--no-grad"],
    "--format csv": ["--steps", *PRINTING],
    "--format json": PRINTING,
    "--steps": ["--only"],
    "--sentence": ["--tokens"],
    "--inputs": ["--tokens", "--d-in", "--sentence"],
    "--fixture": ["--qkv-bias"],
    "--attend-to": ["--d-in", "--inputs", "--second-inputs", "--d-out", "--d-out-kq", "--d-out-v", "--qkv-bias", "--weights", "--fixture"],
    **{option: ["--allow-mistakes"] for option in ("--rtol", "--atol", "--map", "--ignore")},
}
# Numbers made by hand are exact: every kernel gives the same digits.
EXACT = {("--attend-to", "--blas"), ("--attend-to", "--cpu")}
ONE_TENSOR = [["--only", name] for name in (
    "context_vecs", "attn_weights", "self_attention/context_vecs", "context_vec_2", "dropout_attn_weights", "inputs", "W_query", "new_context_vecs", "row_sum_2",
    "window/attn_weights", "learned/context_vecs")]
# An option that has an effect only beside another.
NEEDS = {
    "--auto": [["--step"]],
    "--slides": [["--format", "html"]],
    "--depth": [["--cell", "context_vecs[0,0]"], ["--cell", "learned/context_vecs[5,0]"], ["--cell", "window/context_vecs[0,5,0]"], ["--cell", "context_vecs[0,0,0]"], ["--cell", "context_vec_2[0]"], ["--cell", "row_max_2[0,0]"]],
    "--format svg": ONE_TENSOR,
    "--format csv": ONE_TENSOR,
    "--color": [["--heatmap"], ["--step"]],
    "--force": [["--output", "there.txt"], ["--save", "there"]],
}

# What each option is given, one after the other until a pair has an effect.
VALUES = {
    **{size: values for size, (_, values, _) in SIZES.items()},
    "--article": ["livebook", "ahead-of-ai", "primer"], "--steps": ["all", "article"],
    "--only": ["context_vecs", "attn_weights", "dropout_attn_weights", "context_vec_2", "inputs"],
    "--save": ["new", "there"], "--predict": ["1"],
    "--cell": ["context_vecs[0,0]", "context_vecs[0,0,0]", "context_vec_2[0]", "dropout_mask[0,0,0]", "context_vecs[1,0,0]", "row_max_2[0,0]",
               "learned/context_vecs[5,0]", "window/context_vecs[0,5,0]"],
    "--depth": ["2", "full"], "--what-if": ["softmax-dim-0", "no-scaling", "no-mask"],
    "--output": ["new.txt", "there.txt"], "--seed": ["5"], "--tokens": ["4", "30"], "--d-in": ["5"],
    "--sentence": ["Life is short"], "--batch": ["3"], "--query": ["0"], "--d-out": ["6", "12"], "--d-out-kq": ["9", "12"],
    "--d-out-v": ["12"], "--init": ["randn", "linear", "rand"], "--num-heads": ["1", "3", "2"], "--attend-to": ["previous", "first"], "--dropout": ["0.9", "0.5"],
    "--dropout-kernel": ["mkl"], "--cpu": ["default", "avx2"], "--blas": ["prescott", "sandybridge"],
    "--precision": ["2", "12"], "--threshold": ["5"], "--edgeitems": ["1"], "--linewidth": ["50"], "--sci-mode": ["on"],
    "--auto": ["60"], "--color": ["always", "never"], "--chapter": ["causal", "dropout", "multihead", "trainable", "cross", *(chapter for chapter, _, _ in SIZES.values())], "--rtol": ["10"], "--atol": ["0.05", "1"],
    "--inputs": ["own.npz:inputs", "own.npz:square", "own.npz:large"], "--second-inputs": ["own.npz:inputs", "own.npz:five", "own.npz:seven"],
    "--weights": ["W_value=own.npz:square", "W_query=own.npz:square", "out_proj_weight=own.npz:square", "W_query=own.npz:wide",
                  "W_value=own.npz:tall", "W_query=own.npz:tall", "self_attention/W_query=own.npz:square", "W_query=own.npz:fixture", "W_query=own.npz:four", "own.npz"],
    "--ignore": ["mine", "*", "foreign"],
    "--map": ["mine=attn_scores", "mine=mask", "mine=attn_weights", "mine=attn_scores_2"],
}
FLAGS = ["--step", "--slides", "--draws", "--explain", "--heatmap", "--force", "--qkv-bias", "--no-grad", "--strict", "--allow-mistakes", "--fixture"]
ONE_ARTICLE = {("--article", name) for name in (*SIZES, "--second-inputs")}  # for which no other article can be named
# What may have to stand beside a pair for its effect to be seen.
LARGE = ["--tokens", "60"]
PRECISE = ["--precision", "12"]
LEARNED = ["--only", "learned/pos_embedding_weight,learned/context_vecs"]
CONTEXTS = [
    [], ["--edgeitems", "1"], ["--threshold", "5"], ["--dropout", "0.9"], PRECISE, LARGE, LARGE + PRECISE,
    ["--threshold", "5", "--dropout", "0.9"], ["--edgeitems", "1", "--dropout", "0.9"], ["--batch", "3"],
    ["--only", "context_vecs"], ["--only", "attn_weights"], ["--only", "attn_weights,context_vecs"], ["--only", "dropout_attn_weights", "--dropout", "0.9"],
    ["--only", "dropout_attn_weights", "--dropout", "0.9", "--threshold", "5"],
    ["--only", "attn_scores_2"], ["--only", "context_vecs", *LARGE, *PRECISE], ["--only", "attn_scores_2", *LARGE, *PRECISE],
    ["--dropout", "0.9", "--depth", "full"], ["--init", "linear"], ["--edgeitems", "1", *PRECISE],
    ["--threshold", "5", *PRECISE], ["--dropout", "0.5", *LARGE, *PRECISE],
    ["--only", "row_sum_2"], ["--only", "dropout_attn_weights"], ["--only", "masked_attn_scores", *PRECISE],  # in the first chapter of all that has it
    ["--only", "window/attn_weights,window/context_vecs"], LEARNED,
]

def option_of(use):
    return use.split()[0]


def listed(command):
    """The options that the command's help lists, with the placeholders of their values. tests/cli/layer.py tries those of
    layers, tests/page/live.py --live."""
    left_out = ("--help", "--no-pager", "--threads", "--layer", "--config", "--tokenizer", "--live")
    return [found for found in options_of(command) if found[0] not in left_out]


def uses_of(command):
    """Each option with the ways to give it; every output format is tried."""
    uses = {}
    for name, placeholder in listed(command):
        if name in ("--format", "--emit"):
            uses.update({f"{name} {value}": [[name, value]] for value in placeholder.split("|") if value != "text"})
        elif name == "--what-if":  # no rule is every chapter's
            uses[name] = [[name, value] for value in VALUES[name] if value in placeholder.split("|")]
        else:
            uses[name] = [[name, value] for value in VALUES[name]] if placeholder else [[FLAGS[FLAGS.index(name)]]]
    if command == "all":
        del uses["--format svg"], uses["--format csv"]  # which show one tensor
    return uses


def without_echo(data):
    """A manifest without the options that it repeats."""
    return re.sub(rb'"options":\s*\{[^{}]*\}', b"", data)


def files_in(folder):
    """The files that the program may have written; it only reads those behind links."""
    found = []
    for at, _, names in os.walk(folder):
        for path in (os.path.join(at, name) for name in names):
            if not os.path.islink(path):
                with open(path, "rb") as file:
                    found.append((os.path.relpath(path, folder), without_echo(file.read())))
    return tuple(sorted(found))


def prepare(folder):
    """Copies of files that may be written, links to all others."""
    for name in os.listdir(TEMPLATE):
        source, target = os.path.join(TEMPLATE, name), os.path.join(folder, name)
        if name not in OWN:
            os.symlink(source, target)
        elif os.path.isdir(source):
            shutil.copytree(source, target)
        else:
            shutil.copy(source, target)


@functools.cache
def before():
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        return files_in(folder)


def first_screens(arguments, folder):
    """What the presenter shows on a terminal where all has room: the introduction and the first step, or that alone."""
    with tempfile.TemporaryFile() as said:
        terminal = Terminal([BINARY, *arguments], {**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}, 400, 200, cwd=folder,
                            stderr=said)

        def draws(wanted):
            """Whether it does, and not ends."""
            is_drawn = lambda: re.search(wanted, terminal.shown) and terminal.waits() and not terminal.pump(0.01)
            terminal.wait_until(lambda: not terminal.is_alive() or is_drawn())
            return terminal.is_alive()

        if draws(b"quit") and not re.search(TITLE, terminal.shown):
            terminal.type(b"\r")
            draws(TITLE)
        if terminal.is_alive():  # as a heat map, which may have colours
            terminal.type(b"h")
            terminal.settle()
            terminal.type(b"q")
        code = terminal.end()
        said.seek(0)
        return code, bytes(terminal.shown), said.read()


@functools.cache
def outcome(*arguments):
    """The exit code, standard output, standard error and files."""
    with tempfile.TemporaryDirectory() as folder:
        writes = {"--save", "--output"} & set(arguments)
        if writes:
            prepare(folder)
        where = folder if writes else TEMPLATE
        if "--step" in arguments:
            code, shown, error = first_screens(arguments, where)
        else:
            done = run(*arguments, cwd=where)
            code, shown, error = done.returncode, done.stdout, done.stderr
        return code, without_echo(shown), error.decode(), files_in(folder) if writes else before()


def needed(use, other):
    """What has to stand beside the use; nothing where the other one will do."""
    needs = NEEDS.get(use, [[]])
    return [[]] if any(need[:1] == [option_of(other)] for need in needs) else needs


def ways(uses, one, other):
    """The two uses, with the options that they need."""
    for first, second, *needs in itertools.product(uses[one], uses[other], needed(one, other), needed(other, one)):
        names = [option_of(one), option_of(other)] + [need[0] for need in needs if need]
        if len(set(names)) == len(names) or needs[0] == needs[1]:
            yield first, second, needs[0] + (needs[1] if needs[0] != needs[1] else [])


def trials(commands, one, other):
    """Yields command, options and context for each way to try the pair."""
    for command, uses in commands:
        for first, second, needs in ways(uses, one, other):
            for context in CONTEXTS:
                if not {first[0], second[0], *needs} & set(context):
                    yield command, first, second, needs, context


WORKED = set()  # command, use and context where a use had an effect: the next pair's trials begin there


def work_together(commands, one, other):
    """Whether, somehow, either changes what the other alone gives."""
    marks = lambda trial: {(trial[0], *use, *trial[4]) for use in trial[1:3]}
    for trial in sorted(trials(commands, one, other), key=lambda trial: -len(marks(trial) & WORKED)):
        command, first, second, needs, context = trial
        base = [command, *needs, *context]
        both = outcome(*base, *first, *second)
        if both[0] in (0, 1) and both not in (outcome(*base, *first), outcome(*base, *second)):
            WORKED.update(marks(trial))
            return True
    return False


def is_refused(one, other):
    return other in REFUSED.get(one, []) or one in REFUSED.get(other, [])


def refused_for(one, other):
    """The options that a refusal of the pair is about: these two, or what one of them needs."""
    if is_refused(one, other):
        return [one, other]
    named = lambda need: " ".join(need) if need[0] == "--format" else need[0]
    for use, beside in ((one, other), (other, one)):
        needs = [need for need in NEEDS.get(use, []) if need[0] != option_of(beside)]
        if needs and len(needs) == len(NEEDS[use]) and all(is_refused(named(need), beside) for need in needs):
            return [needs[0][0], beside]
    clashes = [is_refused(named(need), named(its)) for need in NEEDS.get(one, []) for its in NEEDS.get(other, [])]
    return [NEEDS[one][0][0], NEEDS[other][0][0]] if clashes and all(clashes) else None


def wrong_refusal(command, uses, one, other, about):
    """The fault of a refusal of a pair."""
    first, second, needs = next(ways(uses, one, other))
    code, shown, error, files = outcome(command, *needs, *first, *second, *(["page.txt"] if command == "verify" else []))
    if code != 2 or shown or files != before() or error.count("\n") != 1:
        return f"is not refused: {code} {error}"
    named = {option_of(one), option_of(other), *map(option_of, about)} - {option_of(about[1])}
    if option_of(about[1]) not in error or not any(name in error for name in named):
        return f"its refusal does not name both: {error}"
    return None


def wrong(pair):
    """The faults of a pair of uses, in the commands that take both."""
    (one, other), commands = pair
    about = refused_for(one, other)
    if about is not None:
        return next(filter(None, (wrong_refusal(*command, one, other, about) for command in commands)), None)
    if all(command == "verify" for command, _ in commands) or work_together(commands, one, other):
        return None  # what changes the verdict on a page depends on the page: tests of verify have each option
    return "one has no effect beside the other: make it work, or refuse it (a clash in its row) and put it into REFUSED"


class Pairs(unittest.TestCase):
    maxDiff = None

    def check(self, *commands):
        pairs = {}
        for command in commands:
            uses = uses_of(command)
            for pair in itertools.combinations(uses, 2):
                if option_of(pair[0]) != option_of(pair[1]) and tuple(sorted(pair)) not in ONE_ARTICLE | EXACT:
                    pairs.setdefault(tuple(sorted(pair)), []).append((command, uses))
        template = files_in(TEMPLATE)
        found = [(*pair[0], wrong(pair)) for pair in sample(pairs.items())]
        self.assertEqual("", "\n".join(f"{one} {other}: {what}" for one, other, what in found if what))
        self.assertEqual(files_in(TEMPLATE), template)
        return set(pairs)

    def test_chapters(self):
        listed_chapters = json.loads(text_of("list", "--format", "json"))
        names = {row["chapter"] for row in listed_chapters["chapters"]}
        pairs = self.check(*sorted(names, key=lambda name: (-len(listed(name)), name)))
        refused = {tuple(sorted((one, other))) for one, others in REFUSED.items() for other in others
                   if one not in ("--rtol", "--atol", "--map", "--ignore")}
        self.assertLessEqual(refused, pairs)

    def test_all(self):
        self.check("all")

    def test_verify(self):
        self.check("verify")

    def test_list(self):
        self.check("list")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as TEMPLATE:
        for path, arguments in (("there.txt", ["simplified"]), ("page.txt", ["causal"])):
            with open(os.path.join(TEMPLATE, path), "wb") as page:
                page.write(output_of(*arguments))
        output_of("simplified", "--save", "there", cwd=TEMPLATE)
        dice = np.random.default_rng(3)
        sizes = {"inputs": (4, 3), "square": (3, 3), "wide": (6, 3), "tall": (12, 3), "W_query": (3, 3), "five": (4, 5), "large": (30, 70),
                 "fixture": (4, 7), "seven": (4, 7), "four": (4, 4)}
        np.savez(os.path.join(TEMPLATE, "own.npz"),
                 **{name: dice.random(size, dtype=np.float32) for name, size in sizes.items()})
        harness.main()
