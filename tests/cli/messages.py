"""Errors name the wrong argument, and their suggestions are accepted: for every option of every command.

    PYTHONPATH=tests /usr/bin/python3 tests/cli/messages.py PATH_TO_BINARY
"""
import json
import os
import re
import shlex
import tempfile
import unittest

import numpy as np

import harness
from harness import options_of, run, sample

COMMANDS = []  # every chapter, and all else
OTHERS = ["all", "tour", "list", "verify", "help", "completion"]
NONSENSE = ["nonsense", "", " ", "-1", "--", "-", "1e999", "9" * 400, "0x7f", "nan", "a,b", "[", "'", "\u0666", "\n",
            "\x1b[2J", "--nonsense", "-n", "%s%n", "../..", "/dev/null/x", "x" * 5000]


def each_option():
    """Command, option and placeholder; options of several chapters, of one chapter only."""
    options = {}
    for command in COMMANDS:
        kind = command if command in OTHERS else "chapter"
        for option in options_of(command):
            options.setdefault((kind, option), (command, *option))
    return sample(options.values())


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def refused(self, arguments, *parts):
        with self.subTest(arguments=[argument[:60] for argument in arguments]):
            done = run(*arguments, cwd=self.folder)
            self.assertEqual((done.returncode, done.stdout), (2, b""), done)
            line = done.stderr.decode()
            self.assertRegex(line, r"\Aattn-walkthrough: error: [^\x00-\x1f\x7f]+\n\Z")
            for part in parts:
                self.assertIn(part, line)
            self.assertEqual(os.listdir(self.folder), [])
            return line

    def accepted(self, *arguments, **options):
        done = run(*arguments, cwd=self.folder, **options)
        self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
        return done.stdout

    def leads_to(self, arguments, instead):
        """The error contains the line to type, and that is accepted."""
        line = self.refused(arguments, "type attn-walkthrough ") or ""
        self.assertEqual(shlex.split(line.rpartition("type attn-walkthrough ")[2]), instead)
        self.accepted(*instead)


class Values(Case):
    def test_none_is_given(self):
        for command, name, placeholder in each_option():
            if placeholder:
                accepted = f"{name} needs a value, but %s; use {name} {placeholder}; "
                self.refused([command, name + "="], accepted % "none is given after '='", f"{command} --help")
                self.refused([command, name + "=", "5"], accepted % "none is given after '='", f"{command} --help")
                self.refused([command, name], accepted % "none is given", f"{command} --help")
                self.refused([command, name, "--"], accepted % "-- is an option")
                self.refused([command, name, name], accepted % f"{name} is an option")
                self.refused([command, name, "--format=json"], accepted % "--format=json is an option")
        self.refused(["causal", "-o="], "--output needs a value", "--output FILE")
        self.refused(["causal", "-o"], "--output needs a value", "--output FILE")

    def test_flags_take_none(self):
        for command, name, placeholder in each_option():
            for value in ("", "true", "1", "false", "nonsense", "--seed") if not placeholder else ():
                self.refused([command, f"{name}={value}"],
                             f"{name} takes no value; use {name} alone")
        for arguments in (["--help=1"], ["--version=true"]):
            self.refused(arguments, "takes no value")
        for arguments in (["-h=1"], ["causal", "-hx"]):
            self.refused(arguments, "unknown option -")

    def test_a_value_that_looks_like_an_option(self):
        for option, accepted in (("-o", "--output FILE"), ("--output", "--output FILE"), ("--save", "--save DIR")):
            self.refused(["causal", option, "--explain"], accepted, "--explain is an option", "type ./--explain")
            self.refused(["causal", option, "-o"], accepted, "-o is an option", "type ./-o")
        for arguments in (["-o", "-x"], ["--output=--explain"], ["--save", "-x"], ["--save=--explain"], ["-o=-x"]):
            self.refused(["causal", *arguments], "is not the name of a ", f"type ./{arguments[-1].rpartition('=')[2]} for this name")
        self.accepted("causal", "-o", "./--explain")
        self.assertEqual(os.listdir(self.folder), ["--explain"])

    def test_a_sentence_may_begin_with_dashes(self):
        self.refused(["simplified", "--sentence", "--explain"], "--explain is an option", "type --sentence=--explain")
        self.assertIn(b"'--explain'", self.accepted("simplified", "--sentence=--explain", "--only", "vocabulary"))
        for words in ("--explain yourself", "- no", "-- he said"):
            self.assertEqual(self.accepted("simplified", "--sentence", words),
                             self.accepted("simplified", "--sentence=" + words))

    def test_nonsense(self):
        """Each value is accepted, or refused by one line that names its option."""
        for command, name, placeholder in each_option():
            for value in NONSENSE if placeholder else ():
                page = ["page"] if command == "verify" else []
                with tempfile.TemporaryDirectory() as outer, self.subTest(command=command, name=name, value=value[:40]):
                    folder = os.path.join(outer, "a", "b")  # ../.. has nothing else
                    os.makedirs(folder)
                    done = run(command, name, value, *page, cwd=folder)
                    error = done.stderr.decode()
                    if done.returncode == 0:
                        self.assertEqual(error, "")
                        continue
                    self.assertEqual((done.returncode, done.stdout, os.listdir(folder)), (2, b"", []))
                    self.assertRegex(error, r"\Aattn-walkthrough: error: [^\x00-\x1f\x7f]+; [^\x00-\x1f\x7f]+\n\Z")
                    self.assertIn("page" if page and name not in error else name, error)

    def test_an_error_is_the_only_line(self):
        """Notes on weights come with a report, not with an error."""
        with tempfile.TemporaryDirectory() as weights:
            for weight in ("W_query", "other"):
                np.save(os.path.join(weights, weight + ".npy"), np.ones((3, 3), np.float32))
            given = ["verify", "--chapter", "causal", "--weights", weights]
            self.refused([*given, "page"], "'page' cannot be read", "check the path")
            done = run(*given, os.path.join(weights, "W_query.npy"))
            self.assertEqual(done.returncode, 0)
            self.assertIn(f"note: --weights: not used from '{weights}': other", done.stderr.decode())

    def test_an_output_is_a_path(self):
        for option in ("--output", "--save"):
            self.refused(["causal", option, ""], f"{option}: ''", "give a path", "try steps")
        self.refused(["causal", "--save", "-"], "'-' is not the name of a folder", "try steps")
        for arguments in (["-ofile"], ["-o=file"], ["-o", "file"], ["--output=file"]):
            self.assertEqual(self.accepted("causal", *arguments), b"")
            os.remove(os.path.join(self.folder, "file"))
        self.refused(["causal", "-output", "x"], "unknown option -output", "--output")
        self.refused(["causal", "-output=x"], "unknown option -output", "--output")
        self.assertEqual(self.accepted("causal", "--output", "-"), self.accepted("causal"))

    def test_the_last_of_several_counts(self):
        self.assertEqual(self.accepted("causal", "--seed", "5", "--no-grad", "--seed=7", "--no-grad"),
                         self.accepted("causal", "--no-grad", "--seed", "7"))
        self.refused(["causal", "--seed", "x", "--seed", "7"], "--seed", "'x'")


class Places(Case):
    def test_options_before_the_chapter(self):
        for before, after in ((["--seed", "5"], []), (["--seed=5"], []), (["--explain"], ["--seed", "5"]),
                              (["--sentence", "all"], []), (["--sentence", "it's all"], []), (["--only", "keys"], [])):
            self.leads_to([*before, "causal", *after], ["causal", *before, *after])
        self.refused(["-o", "x", "causal"], "-o comes before the chapter", "type attn-walkthrough causal -o x\n")
        self.refused(["--seed", "5", "verify", "page"], "type attn-walkthrough verify --seed 5 page\n")
        self.refused(["--seed", "5", "casual"], "no chapter before --seed")
        self.refused(["--seed", "--tokens", "causal"], "--seed comes before the chapter")
        self.refused(["--num-heads", "3", "causal"], "--num-heads does not apply to causal", "it applies to multihead")

    def test_two_dashes(self):
        self.leads_to(["--", "causal"], ["causal"])
        self.leads_to(["--", "--seed", "5", "causal"], ["causal", "--seed", "5"])
        self.leads_to(["causal", "--", "--seed", "5"], ["causal", "--seed", "5"])
        self.leads_to(["causal", "--explain", "--", "--seed=5"], ["causal", "--explain", "--seed=5"])
        for arguments in (["--", "causal"], ["causal", "--", "--seed", "5"], ["--"]):
            self.refused(arguments, "leave -- out")
        self.refused(["--", "casual"], "'casual'", "try attn-walkthrough causal")
        self.refused(["causal", "--", "word"], "unexpected argument 'word' after causal")

    def test_pages_after_two_dashes(self):
        page = run("causal").stdout
        names = ["-p.txt", "--seed", "--"]
        for name in names:
            with open(os.path.join(self.folder, name), "wb") as file:
                file.write(page)
        report = self.accepted("verify", "./-p.txt")
        self.assertIn(b"Right: 8 of 8 ", report)
        for name in names:
            self.assertEqual(self.accepted("verify", "--", name), report)
        self.assertEqual(self.accepted("verify", "--seed", "123", "./--", "--", "-p.txt", "--seed").count(b"8 of 8"), 3)
        self.assertEqual(self.accepted("verify", "./-p.txt", "--"), report)
        from_input = run("verify", "--", "-", page=page)
        self.assertEqual(from_input.stdout, report)
        for name in names:
            os.remove(os.path.join(self.folder, name))
        self.refused(["verify", "-p.txt"], "unknown option -p.txt", "type ./-p.txt for a file of this name")
        self.refused(["verify", "--"], "verify needs a page")

    def test_options_of_the_program(self):
        self.leads_to(["causal", "--version"], ["--version"])
        self.assertEqual(self.accepted("--help", "causal"), self.accepted("causal", "--help"))

    def test_help_whatever_stands_beside_it(self):
        for command in COMMANDS:
            text = self.accepted(command, "--help")
            for name, placeholder in options_of(command):
                if not placeholder:
                    self.assertEqual(self.accepted(command, name, "--help"), text)
            self.assertEqual(self.accepted(command, "-h", "--help"), text)


class Hints(Case):
    def test_options(self):
        for command, name, _ in each_option():
            for typed in (name[:3] + "x" + name[3:], name[:-1], "-" + name, name.upper(), name[1:]):
                if typed not in [other for other, _ in options_of(command)]:
                    self.assertRegex(self.refused([command, typed, "5"], command), r"the nearest is --\w|--\S+ applies to |it applies to ")

    def test_an_option_by_another_name(self):
        for command, typed, meant in (("multihead", "--heads", "the nearest is --num-heads"),
                                      ("causal", "--heads", "--num-heads applies to multihead, grouped"),
                                      ("causal", "--kv", "--num-kv-heads applies to grouped"),
                                      ("causal", "--if", "the nearest is --what-if"),
                                      ("causal", "--text", "the nearest is --sentence")):
            self.refused([command, typed, "3"], f"unknown option {typed}; {meant}")

    def test_words_that_are_options(self):
        self.refused(["causal", "seed", "5"], "unexpected argument 'seed'", "type --seed")
        self.refused(["causal", "explain"], "type --explain")

    def test_values(self):
        for arguments, hint in ((["causal", "--article", "livebok"], "try livebook"),
                                (["verify", "page", "--chapter", "casual"], "try --chapter causal"),
                                (["verify", "page", "--article", "premier"], "try primer"),
                                (["all", "--article", "blogg"], "try blog"), (["causal", "--blas", "haswel"], "try haswell"),
                                (["causal", "--format", "jsn"], "try json"), (["causal", "--what-if", "nomask"], "try no-mask"),
                                (["causal", "--only", "kyes"], "try --only keys"), (["cuasal"], "try attn-walkthrough causal"),
                                (["verfy", "page"], "try attn-walkthrough verify")):
            self.refused(arguments, hint)


class WithoutEffect(Case):
    def test_three_sizes_for_two(self):
        self.refused(["causal", "--d-out", "3", "--d-out-kq", "4", "--d-out-v", "5"], "--d-out cannot be combined with both --d-out-kq and --d-out-v")

    def test_dropout_kernels_where_nothing_is_dropped(self):
        self.refused(["all", "--article", "primer", "--dropout-kernel", "mkl"], "--dropout-kernel", "primer", "--article blog")
        self.accepted("all", "--article", "livebook", "--dropout-kernel", "mkl")

    def test_usual_forms_hinder_nothing(self):
        """An option with its default value has no conflicts."""
        for arguments in (["--format", "text", "--explain"], ["--format=text", "--precision", "2"], ["-o", "-", "--predict", "1"],
                          ["--format", "text", "--what-if", "no-mask"], ["--color", "auto"]):
            self.accepted("causal", *arguments)

    def test_linewidth_is_that_of_heat_maps(self):
        for form in ("text", "markdown"):
            for width in (40, 80, 120):
                text = self.accepted("causal", "--heatmap", "--only", "attn_weights", "--linewidth", str(width), "--tokens", "12",
                                     "--format", form).decode()
                cells = [line for line in text.splitlines() if re.match(r" *\d+ +0\.\d{4}", line)]
                self.assertTrue(cells)
                self.assertLessEqual(max(map(len, cells)), width)
                self.assertGreater(max(map(len, cells)), width - 20)


if __name__ == "__main__":
    listed = json.loads(run("list", "--format", "json").stdout)
    COMMANDS = list(dict.fromkeys(row["chapter"] for row in listed["chapters"])) + OTHERS
    harness.main()
