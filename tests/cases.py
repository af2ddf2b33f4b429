"""What the program says to a command, as cases/*.txt tell it: cases.py PROGRAM [--accept] [FILE.txt...]

A block is a command and what it does, in a folder of its own; a block without a command holds files for all that follow it:

    file: own.csv 1,2,3\\x0a4,5,6
    before: causal --save steps

    $ causal --seed x
    err: --seed: 'x' is not a whole number; ...

    err:    the only line on standard error, after "attn-walkthrough: error: "; exit code 2, no output, no file
    note:   likewise a note, of a run that succeeds; `exit: 1` tells another code than 0
    out:    the whole output; `begins:`, `has:` and `lacks:` tell parts of it, `same:` a command with the same output
    input:  standard input
    files:  those that the run adds or changes

In commands and contents \\xNN is a byte and {3*ab} is ababab; GOLDEN/ is the folder of what the articles' pages show, KEPT/ that of
kept_pages.py; "..." in an error stands for what differs from machine to machine.
--accept writes into the files what the program does now, for a person to look at.
"""
import functools
import pathlib
import re
import shlex
import shutil
import sys
import tempfile
import unittest

import harness
import kept_pages
from harness import run

CASES = pathlib.Path(__file__).resolve().parent / "cases"
PLACES = {"GOLDEN": CASES.parents[1] / "golden/pages", "KEPT": kept_pages.folder()}
PREPARED = tempfile.TemporaryDirectory()
KEYS = ("file", "before", "$", "input", "exit", "err", "note", "out", "begins", "has", "lacks", "same", "files")
TOLD = ("exit", "err", "note", "out", "files")  # what --accept rewrites


def decoded(text):
    """The bytes of a word or content."""
    text = re.sub(r"\{(\d+)\*(.*?)\}", lambda found: int(found[1]) * found[2], text)
    return re.sub(rb"\\x([0-9a-f]{2})", lambda found: bytes([int(found[1], 16)]), text.encode())


def words_of(line):
    lexer = shlex.shlex(line, posix=True, punctuation_chars=False)
    lexer.whitespace_split, lexer.escape, lexer.commenters = True, "", ""
    return [decoded(re.sub(r"\A(GOLDEN|KEPT)(?=/)", lambda found: str(PLACES[found[1]]), word)) for word in lexer]


@functools.cache
def prepared_folder(blocks):
    """What these blocks prepare."""
    folder = tempfile.mkdtemp(dir=PREPARED.name)
    if blocks:
        shutil.copytree(prepared_folder(blocks[:-1]), folder, dirs_exist_ok=True)
        blocks[-1].prepare(folder)
    return folder


def contents(folder):
    paths = pathlib.Path(folder).rglob("*")
    return {(str(path.relative_to(folder)), path.read_bytes() if path.is_file() else None) for path in paths}


class Case:
    def __init__(self, place, lines):
        self.place, self.lines = place, lines
        self.told = {key: [] for key in KEYS}
        for line in lines:
            if line.startswith("#"):
                continue
            key, text = ("$", line[2:]) if line.startswith("$ ") or line == "$" else re.fullmatch(r"([a-z]+):(?: (.*))?", line).groups()
            self.told[key].append(text or "")
        self.command = words_of(self.told["$"][0]) if self.told["$"] else None

    def prepare(self, folder):
        for line in self.told["file"]:
            name, _, content = line.partition(" ")
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(decoded(content))
        for line in self.told["before"]:
            done = run(*words_of(line), cwd=folder)
            assert done.returncode == 0, (self.place, line, done.stderr)

    def happened(self, prepared):
        """What the command does, as TOLD has it, and its output."""
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(prepared_folder(prepared), folder, dirs_exist_ok=True)
            self.prepare(folder)
            before = contents(folder)
            page = decoded("\n".join(self.told["input"])) + b"\n" if self.told["input"] else None
            done = run(*self.command, cwd=folder, page=page)
            changed = sorted({name.partition("/")[0] for name, _ in before ^ contents(folder)})
            sames = [run(*words_of(line), cwd=folder).stdout for line in self.told["same"]]
        result = {key: [] for key in TOLD}
        error = done.stderr.decode().replace(folder, "FOLDER")
        for kind, key in (("error", "err"), ("note", "note")):
            begin = f"attn-walkthrough: {kind}: "
            result[key] = [line.removeprefix(begin) for line in error.splitlines() if line.startswith(begin)]
        if "".join(result["err"] + result["note"]).encode("ascii", "replace").count(b"\x1b") or \
                sum(map(len, (result["err"], result["note"]))) != error.count("\n"):
            result["err"] = [f"more than lines of errors and notes: {error!r}"]
        result["files"] = [" ".join(changed)] if changed else []
        result["exit"] = [str(done.returncode)] if done.returncode != (2 if result["err"] else 0) else []
        output = done.stdout.decode(errors="replace")
        if result["err"] and output:
            result["err"].append(f"output beside an error: {output[:200]!r}")
        result["out"] = output.splitlines() if self.told["out"] else []
        return result, output, sames

    def faults(self, prepared):
        result, output, sames = self.happened(prepared)
        for key in TOLD:
            if len(result[key]) != len(self.told[key]) or not all(map(fits, self.told[key], result[key])):
                yield f"{key}: {result[key]}, not {self.told[key]}"
        for line in result["err"]:
            if "; " not in line or len(line) > 1500:
                yield "an error says what is wrong; and what to do"
        for key, holds in (("begins", output.startswith), ("has", output.__contains__), ("lacks", lambda text: text not in output)):
            yield from (f"{key}: {text}" for text in self.told[key] if not holds(decoded(text).decode()))
        yield from ("another output than " + line for line, same in zip(self.told["same"], sames) if same.decode() != output)
        if not any(self.told[key] for key in ("err", "note", "exit", "out", "begins", "has", "same", "files")):
            yield "nothing is told of it"

    def accepted(self, prepared):
        """The lines with what the command does now."""
        result, _, _ = self.happened(prepared)
        kept = [line for line in self.lines if line.partition(":")[0] not in TOLD]
        new = []
        for key in TOLD:
            old = self.told[key]
            fitting = len(old) == len(result[key]) and all(map(fits, old, result[key]))
            new += [f"{key}: {text}" if text else f"{key}:" for text in (old if fitting else map(shortened, result[key]))]
        return kept + new


def shortened(text):
    """An error without the middle of long lists and words."""
    return re.sub(r"(..?)\1{40,}", r"\1...", re.sub(r"([\w/-]+, )(?:[\w/-]+, ){5,}", r"\1..., ", text))


def fits(told, found):
    return re.fullmatch(".*".join(map(re.escape, told.split("..."))), found) is not None


def cases_of(path):
    """Each case, and the blocks with its files."""
    prepared = ()
    for block in re.split(r"\n\n+", path.read_text().strip("\n")):
        case = Case(f"{path.name}: {block.splitlines()[0]}", block.splitlines())
        if case.command is None:
            prepared = (*prepared, case)
        yield case, prepared


def test_of(path):
    def test(self):
        rows = [row for row in cases_of(path) if row[0].command is not None]
        for case, prepared in harness.sample(rows, most=5) if harness.EVERY > 8 else rows:
            with self.subTest(case.place):
                self.assertEqual(list(case.faults(prepared)), [])
    return test


Cases = type("Cases", (unittest.TestCase,), {f"test_{path.stem}": test_of(path) for path in sorted(CASES.glob("*.txt"))})

if __name__ == "__main__":
    if "--accept" in sys.argv:
        named = [pathlib.Path(name) for name in sys.argv[2:] if name != "--accept"]
        for file in named or sorted(CASES.glob("*.txt")):
            blocks = [case.lines if case.command is None else case.accepted(prepared) for case, prepared in cases_of(file)]
            file.write_text("\n\n".join("\n".join(block) for block in blocks) + "\n")
    else:
        harness.main()
