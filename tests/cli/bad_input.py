"""Bad input gives one line that names the error and what is accepted, and writes nothing.

    PYTHONPATH=tests /usr/bin/python3 tests/cli/bad_input.py PATH_TO_BINARY
"""
import json
import os
import subprocess
import tempfile
import unittest

import harness
from harness import BINARY, HANG_LIMIT, run

CHAPTERS = []  # what `list` names
SIZES = ["--tokens", "--d-in", "--batch", "--d-out", "--d-out-kq", "--d-out-v", "--num-heads"]
NO_NUMBERS = ["", " 6", "6 ", "6\n", "+6", "1.5", "1e3", "0x10", "six", "6a", "--6", "nan", "inf", "1,000", "\u0666"]


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def check_line(self, done, *parts):
        """The run exits with 2 and prints exactly one line with these parts."""
        self.assertEqual(done.returncode, 2, done)
        line = done.stderr
        self.assertTrue(line.startswith(b"attn-walkthrough: error: "), line[:500])
        self.assertTrue(line.endswith(b"\n"), line[-500:])
        self.assertEqual(line.count(b"\n"), 1, line[:500])
        self.assertFalse([c for c in line[:-1] if c < 0x20 or c == 0x7f], line[:500])
        try:
            text = line.decode()
        except UnicodeDecodeError:
            self.fail(f"no UTF-8: {line[:500]}")
        for part in parts:
            self.assertIn(part, text)
        return text

    def refused(self, arguments, *parts):
        with self.subTest(arguments=[str(a)[:60] for a in arguments]):
            done = run(*arguments, cwd=self.folder)
            self.assertEqual(done.stdout, b"")
            text = self.check_line(done, *parts)
            self.assertEqual(os.listdir(self.folder), [])
            return text

    def accepted(self, *arguments):
        with self.subTest(arguments=arguments):
            done = run(*arguments, cwd=self.folder)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertNotEqual(done.stdout, b"")
            return done.stdout


class Chapters(Case):
    def test_no_chapter(self):
        self.refused(["--seed", "5"], "chapter", "--seed", *CHAPTERS)
        self.refused(["--seed=5"], "chapter", "--seed", *CHAPTERS)
        self.refused(["--"], *CHAPTERS)

    def test_unknown_chapter(self):
        self.refused(["casual"], "'casual'", "did you mean causal? try attn-walkthrough causal")
        self.refused(["multi-head"], "'multi-head'", "did you mean multihead? try attn-walkthrough multihead")
        self.refused(["Causal"], "'Causal'", "did you mean causal? try attn-walkthrough causal")
        self.refused(["quantisation"], "'quantisation'", "--help", *CHAPTERS)
        self.refused([""], "''", *CHAPTERS)

    def test_two_chapters(self):
        self.refused(["causal", "dropout"], "'dropout'", "causal")
        self.refused(["causal", "causal"], "'causal'")
        self.refused(["causal", "--seed", "5", "dropout"], "'dropout'", "causal")

    def test_left_over_words(self):
        self.refused(["causal", "extra"], "'extra'", "causal --help")
        self.refused(["causal", ""], "''")
        self.refused(["causal", "--seed", "5", "6"], "'6'")
        self.refused(["causal", "-"], " -")
        self.refused(["extra", "causal"], "'extra'")

    def test_words_after_a_value(self):
        self.refused(["simplified", "--only", "attn_scores", "attn_weights"], "'attn_weights'")


class Options(Case):
    def test_unknown_option(self):
        self.refused(["causal", "--sead", "5"], "--sead", "--seed", "causal --help")
        self.refused(["causal", "--sead=5"], "--sead", "--seed")
        self.refused(["causal", "--drop-out", "0.5"], "--drop-out", "--dropout")
        self.refused(["causal", "--SEED", "5"], "--SEED", "--help")
        self.refused(["causal", "-x"], "-x", "causal --help")
        self.refused(["causal", "-seed", "5"], "-seed", "--seed")
        self.refused(["causal", "---seed", "5"], "---seed", "--seed")
        self.refused(["causal", "--=5"], "--help")
        self.refused(["causal", "--zzzzzzzzzzzzzz"], "--zzzzzzzzzzzzzz", "--help")

    def test_hints_are_about_what_was_meant(self):
        for arguments in (["causal", "--completion"], ["--completion"], ["all", "--completion=bash"]):
            text = self.refused(arguments, "unknown option --completion", "--help")
            for unrelated in ("nearest", "try", "--precision"):
                self.assertNotIn(unrelated, text)
        self.refused(["--num-heads", "3"], "no chapter before --num-heads", "try attn-walkthrough multihead --num-heads")
        self.refused(["--sead", "3"], "unknown option --sead", "--seed", *CHAPTERS)
        self.refused(["causal", "--cell", "keys[0,1,2]", "--depth", "ful"], "'ful'", "1 to 1000, or full",
                     "try --depth full")
        self.refused(["causal", "--cell", "keys[0,1,2]", "--depth", "0"], "'0'", "or full", "try --depth 2")
        self.refused(["causal", "--cell", "atn_scores[1,2]"], "'atn_scores'", "its steps are inputs, batch",
                     "try --cell 'attn_scores[1,2]'")
        self.refused(["trainable", "--cell", "one_query/kesy[1]"], "'kesy'", "try --cell 'one_query/keys[1]'")
        self.refused(["causal", "--cell", "nothing_like_it[1]"], "its steps are inputs, batch", "--steps all")

    def test_option_of_another_chapter(self):
        self.refused(["causal", "--num-heads", "3"], "--num-heads", "causal", "multihead")
        self.refused(["causal", "--num-heads=3"], "--num-heads", "causal", "multihead")
        self.refused(["multihead", "--query", "journey"], "--query", "simplified, trainable")
        self.refused(["simplified", "--dropout", "0.5"], "--dropout", "causal, dropout, multihead")
        self.refused(["cross", "--batch", "2"], "--batch", "causal, dropout, multihead")

    def test_two_dashes_alone(self):
        """An argument after "--" is not an option."""
        text = self.refused(["causal", "--", "--seed", "5"], "--seed")
        self.assertNotIn("does not apply to causal", text)
        self.assertEqual(self.accepted("causal", "--"), self.accepted("causal"))

    def test_missing_value(self):
        for option in ("--seed", "--tokens", "--dropout", "--only", "--save", "--init", "--steps", "--precision"):
            self.refused(["causal", option], option)
            self.refused(["causal", option + "="], option)

    def test_flags_take_no_value(self):
        for value in ("5", "yes", "off"):
            self.refused(["causal", f"--no-grad={value}"], "--no-grad takes no value")
            self.refused(["causal", f"--qkv-bias={value}"], "--qkv-bias takes no value")

    def test_choices(self):
        for option, values in {"--steps": ["article", "all"], "--init": ["rand", "randn", "linear"],
                               "--cpu": ["avx2", "avx512", "default"], "--dropout-kernel": ["default", "mkl"],
                               "--blas": ["haswell", "portable", "skylakex"],
                               "--sci-mode": ["auto", "on", "off"]}.items():
            for wrong in ("", "x", "0", values[0].upper(), values[0] + " ", values[0] + "," + values[1], "a" * 200):
                self.refused(["causal", option, wrong], option, f"'{wrong}'", *values)
            for value in values:
                self.accepted("causal", option, value)

    def test_bias_needs_linear(self):
        for arguments in (["causal", "--qkv-bias", "--init", "rand"], ["causal", "--init", "randn", "--qkv-bias"],
                          ["cross", "--qkv-bias"]):
            self.refused(arguments, "--qkv-bias", "--init linear")
        self.accepted("cross", "--qkv-bias", "--init", "linear")


class Numbers(Case):
    def test_sizes(self):
        for option in SIZES:
            for text in NO_NUMBERS + ["0", "-1", "2147483648", "9223372036854775808", "9" * 400, "-2147483648"]:
                shown = text.replace("\n", "\\x0a")
                self.refused(["multihead", option, text], option, f"'{shown}'", "from 1 to 2147483647")

    def test_seed(self):
        for text in NO_NUMBERS + ["18446744073709551616", "-9223372036854775809", "9" * 400, "-" + "9" * 400, "-"]:
            shown = text.replace("\n", "\\x0a")
            self.refused(["causal", "--seed", text], "--seed", f"'{shown}'",
                         "from -9223372036854775808 to 18446744073709551615")

    def test_extreme_seeds(self):
        """The seeds that torch.manual_seed accepts; seeds that differ by 2^64 are equal."""
        for seed, same in (("18446744073709551615", "-1"), ("-9223372036854775808", "9223372036854775808")):
            self.assertEqual(self.accepted("causal", "--seed", seed), self.accepted("causal", "--seed", same))
        self.assertNotEqual(self.accepted("causal", "--seed", "5"), self.accepted("causal", "--seed", "-5"))

    def test_dropout(self):
        for text in ["-0.1", "1.1", "nan", "-nan", "inf", "-inf", "half", "", " 0.5", "0.5 ", "0,5", "50%", "0x1p-1",
                     "1.0000000000000003", "-1e-9", "1e400", "9" * 400]:
            self.refused(["causal", "--dropout", text], "--dropout", f"'{text}'", "from 0 to 1")
        for text in ("0", "1", "0.0", "1.0", "0.5", ".5", "5e-1", "1e-9"):
            self.accepted("causal", "--dropout", text)

    def test_smallest_dropout(self):
        for text in ("1e-310", "5e-324"):
            self.assertEqual(self.accepted("causal", "--dropout", text), self.accepted("causal", "--dropout", "1e-300"))

    def test_printing(self):
        for option, least in (("--precision", 0), ("--threshold", 0), ("--edgeitems", 0), ("--linewidth", 1)):
            for text in NO_NUMBERS + ["-1", str(least - 1), "9223372036854775808"]:
                shown = text.replace("\n", "\\x0a")
                self.refused(["causal", option, text], option, f"'{shown}'", f"from {least} to ")
            self.accepted("causal", option, str(least))
        self.refused(["causal", "--precision", "1000"], "--precision", "'1000'")

    def test_heads_divide(self):
        self.refused(["multihead", "--num-heads", "2"], "--num-heads 2", "d_out 3", "use one of 1, 3;")
        self.refused(["multihead", "--num-heads", "5", "--d-out", "12"], "d_out 12", "use one of 1, 2, 3, 4, 6, 12;")
        self.refused(["multihead", "--num-heads", "4", "--d-out-kq", "12", "--d-out-v", "18"], "12", "18",
                     "use one of 1, 2, 3, 6;")
        self.refused(["multihead", "--num-heads", "2147483647"], "use one of 1, 3;")
        self.refused(["grouped", "--num-kv-heads", "3"], "--num-kv-heads 3", "num_heads 4", "use one of 1, 2, 4;")
        self.refused(["grouped", "--num-heads", "3", "--d-out", "6"], "--num-kv-heads 2", "num_heads 3", "use one of 1, 3;")
        self.refused(["cache", "--new-tokens", "6"], "--new-tokens 6", "prompt of 6 tokens", "use 1 to 5;")
        self.refused(["cache", "--tokens", "1", "--new-tokens", "1"], "prompt of 1 token;", "use 2 or more tokens;")
        self.refused(["grouped", "--d-out", "6"], "--num-heads 4", "d_out 6", "use one of 1, 2, 3, 6;")
        self.refused(["multihead", "--d-out", "2147483647", "--num-heads", "2"], "use one of 1, 2147483647;")


class Names(Case):
    def test_query(self):
        words = ["Your", "journey", "starts", "with", "one", "step"]
        for query in ("jurney", "6", "-1", "", " 1", "1.0", "0x1", "9" * 40):
            self.refused(["simplified", "--query", query], "--query", "from 0 to 5", *words)
        self.refused(["trainable", "--query", "6"], "--query", "from 0 to 5", *words)
        self.refused(["simplified", "--tokens", "4", "--query", "4"], "--query 4", "from 0 to 3")
        self.refused(["simplified", "--tokens", "4", "--query", "journey"], "--query journey", "from 0 to 3")
        self.refused(["simplified", "--d-in", "4", "--query", "journey"], "--query journey", "from 0 to 5")
        for query in words + ["0", "5"]:
            self.accepted("simplified", "--query", query)

    def test_query_hint_is_accepted(self):
        text = self.refused(["simplified", "--tokens", "1", "--query", "1"], "--query 1")
        hint = text.rpartition("try --query ")[2].strip()
        self.accepted("simplified", "--tokens", "1", "--query", hint)

    def test_only(self):
        known = ["inputs", "keys", "attn_weights", "context_vecs"]
        self.refused(["causal", "--only", "kyes"], "'kyes'", "try --only keys", *known)
        self.refused(["causal", "--only", "keys,kyes"], "'kyes'", *known)
        self.refused(["causal", "--only", "Keys"], "'Keys'", *known)
        self.refused(["causal", "--only", "keys, values"], "' values'", *known)
        self.refused(["causal", "--only", "sentence"], "'sentence'", *known)

    def test_empty_only(self):
        for names in ("", ",", "keys,,values", "keys,", ",keys"):
            self.refused(["causal", "--only", names], "--only")
        self.refused(["causal", "--only="], "--only")

    def test_only_is_checked_before_saving(self):
        self.refused(["causal", "--only", "kyes", "--save", "steps"], "'kyes'")


class TooLarge(Case):
    def test_sizes(self):
        for arguments in (["causal", "--tokens", "2000000000"],
                          ["causal", "--d-in", "2147483647", "--d-out", "2147483647"],
                          ["causal", "--batch", "2147483647", "--tokens", "1000"],
                          ["simplified", "--tokens", "2147483647"], ["dropout", "--tokens", "20000000"],
                          ["cross", "--tokens", "2147483647", "--d-in", "2147483647"],
                          ["multihead", "--d-out", "2147483647", "--num-heads", "2147483647"]):
            text = self.refused(arguments, "--tokens")
            if text:
                self.assertRegex(text, r"\d GiB|2\^63")
            self.refused(arguments + ["--save", "steps"], "--tokens")

    def test_more_than_the_disk_holds(self):
        """The edges of a million tokens can be shown, but no disk has space for all their scores."""
        for arguments in (["causal"], ["trainable"], ["multihead"]):
            for target in ("steps", "new/steps", "steps.safetensors"):
                text = self.refused(arguments + ["--tokens", "100000000", "--save", target], "--tokens")
                self.assertRegex(text, r"\d GiB|2\^63")
            text = self.refused(arguments + ["--tokens", "3000000", "--save", "steps"], "--tokens")
        self.assertIn("of disk space, but only", self.refused(["causal", "--tokens", "1000000", "--save", "new/steps"]))

    def limited(self, *arguments):
        """With 4 GB of address space; skipped if the binary itself needs more, as with a sanitizer."""
        start = ["/bin/sh", "-c", 'ulimit -v 4000000; exec "$@"', "sh", BINARY]
        if subprocess.run(start + ["--version"], capture_output=True, timeout=HANG_LIMIT).returncode != 0:
            self.skipTest("the binary does not start in 4 GB of address space")
        return subprocess.run(start + list(arguments), capture_output=True, cwd=self.folder, timeout=HANG_LIMIT)

    def test_address_space(self):
        done = self.limited("causal", "--tokens", "20000", "--format", "json")
        self.assertEqual(done.stdout, b"")
        self.check_line(done, "GiB", "--tokens")

    def test_only_a_small_step(self):
        """Earlier draws are also made, and must fit."""
        done = self.limited("causal", "--only", "inputs", "--d-in", "2147483647", "--d-out", "1000")
        self.assertEqual(done.stdout, b"")
        self.check_line(done, "GiB", "--tokens")
        done = self.limited("causal", "--only", "inputs", "--tokens", "1000000")
        self.assertEqual((done.returncode, done.stderr), (0, b""))


class Save(Case):
    def test_cannot_be_written(self):
        for path in ("/proc/x", "/proc/x/y", "/dev/null", "/dev/null/x", "", "x" * 300, "a/" * 3000):
            self.refused(["causal", "--save", path], "--save")

    def test_empty_path_is_named(self):
        self.refused(["causal", "--save", ""], "''")

    def test_a_file_is_in_the_way(self):
        path = os.path.join(self.folder, "file")
        with open(path, "w") as file:
            file.write("mine")
        for target in ("file", "file/", "file/below", "new/../file"):
            with self.subTest(target=target):
                done = run("causal", "--save", target, cwd=self.folder)
                self.assertEqual(done.stdout, b"")
                self.check_line(done, "--save", "file")
                self.assertEqual(os.listdir(self.folder), ["file"])
        with open(path) as file:
            self.assertEqual(file.read(), "mine")

    def contents(self, folder):
        found = {}
        for at, _, names in os.walk(os.path.join(self.folder, folder)):
            for name in names:
                with open(os.path.join(at, name), "rb") as file:
                    found[os.path.relpath(os.path.join(at, name), self.folder)] = file.read()
        return found

    def test_a_folder_that_exists(self):
        """An existing folder is refused without --force, whatever it contains."""
        os.mkdir(os.path.join(self.folder, "steps"))
        self.check_line(run("causal", "--save", "steps", cwd=self.folder), "--save", "'steps' already exists", "--force")
        self.assertEqual(run("causal", "--save", "steps", "--force", cwd=self.folder).returncode, 0)
        before = self.contents("steps")
        for target in ("steps", "steps/", "./steps", "steps/.", "new/../steps", "."):
            for chapter in ("causal", "dropout", "all"):
                done = run(chapter, "--seed", "5", "--save", target, cwd=self.folder)
                self.assertEqual(done.stdout, b"")
                self.check_line(done, "--save", "exists", "--force")
        self.assertEqual(self.contents("steps"), before)
        self.assertEqual(os.listdir(self.folder), ["steps"])

    def test_files_of_others_stay(self):
        """--force replaces a folder of --save, and keeps a folder with other files."""
        again = ["--save", "steps", "--force"]
        self.assertEqual(run("causal", "--save", "steps", cwd=self.folder).returncode, 0)
        inside = os.path.join(self.folder, "steps")
        for put, name in ((lambda path: os.symlink("/etc", path), "link"), (os.mkdir, "empty"), (os.mkfifo, "pipe")):
            put(os.path.join(inside, name))
            done = run("causal", *again, cwd=self.folder)
            self.assertEqual(done.stdout, b"")
            self.check_line(done, "--save", f"has '{name}'", "which no --save wrote")
            self.assertTrue(os.path.lexists(os.path.join(inside, name)))
            (os.rmdir if name == "empty" else os.remove)(os.path.join(inside, name))
        for name in ("notes.txt", "more/notes.npy", "keys.npy.txt"):
            path = os.path.join(inside, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as file:
                file.write("mine")
            before = self.contents("steps")
            for chapter in ("dropout", "all"):
                done = run(chapter, *again, cwd=self.folder)
                self.assertEqual(done.stdout, b"")
                self.check_line(done, "--save", f"has '{name.partition('/')[0]}", "which no --save wrote")
                self.assertEqual(self.contents("steps"), before)
            os.remove(path)
            if "/" in name:
                os.rmdir(os.path.dirname(path))
        self.assertEqual(run("causal", *again, cwd=self.folder).returncode, 0)

    def test_a_folder_where_a_tensor_was(self):
        self.assertEqual(run("causal", "--save", "steps", cwd=self.folder).returncode, 0)
        os.remove(os.path.join(self.folder, "steps", "values.npy"))
        os.mkdir(os.path.join(self.folder, "steps", "values.npy"))
        before = self.contents("steps")
        done = run("causal", "--seed", "5", "--save", "steps", "--force", cwd=self.folder)
        self.assertEqual(done.stdout, b"")
        self.check_line(done, "--save", "values.npy")
        self.assertEqual(self.contents("steps"), before)

    def test_manifests_of_others_are_not_obeyed(self):
        os.mkdir(os.path.join(self.folder, "steps"))
        victim = os.path.join(self.folder, "victim")
        with open(victim, "w") as file:
            file.write("mine")
        head = '"tool": "attn-walkthrough", "version": "0.1.0", "chapter": "causal"'
        ours = '{%s, "steps": [{"file": "../victim"}, {"file": "%s"}]}' % (head, victim)
        for text, accepted in ((ours, True), ('{"tool": "another", "steps": []}', False), ("[1, 2", False), ("", False),
                               ("[]", False), ("{}", False), ("null", False), ("7", False), ("{%s}" % head, False),
                               ("[" * 100_000 + "]" * 100_000, False), ('[{"a": ' * 100_000 + "1" + "}]" * 100_000, False),
                               ('{"tool": "attn-walkthrough", "steps": []}', False),
                               ('{%s, "steps": {}}' % head, False), ('{%s, "steps": [{"file": 1}]}' % head, False)):
            with open(os.path.join(self.folder, "steps", "manifest.json"), "w") as file:
                file.write(text)
            done = run("causal", "--save", "steps", "--force", cwd=self.folder)
            if accepted:
                self.assertEqual((done.returncode, done.stderr), (0, b""))
                for name in os.listdir(os.path.join(self.folder, "steps")):
                    os.remove(os.path.join(self.folder, "steps", name))
            else:
                self.check_line(done, "--save", "manifest.json")
                with open(os.path.join(self.folder, "steps", "manifest.json")) as file:
                    self.assertEqual(file.read(), text)
            self.assertTrue(os.path.exists(victim))

    def test_nothing_is_left_by_other_errors(self):
        for arguments in (["causal", "--seed", "x"], ["multihead", "--num-heads", "2"], ["simplified", "--query", "9"],
                          ["causal", "extra"], ["causal", "--qkv-bias", "--init", "rand"]):
            self.refused(arguments + ["--save", "steps"])


class Strange(Case):
    def test_control_characters(self):
        for text, shown in (("a\nb", "a\\x0ab"), ("a\r\tb", "a\\x0d\\x09b"), ("\x1b[31mred\x1b[0m", "\\x1b[31mred"),
                            ("\x7f", "\\x7f"), ("\a\b", "\\x07\\x08")):
            self.refused([text], shown)
            self.refused(["causal", text], shown)
            self.refused(["causal", "--" + text], shown)
            self.refused(["causal", "--seed", text], shown)
            self.refused(["causal", "--only", text], shown)
            self.refused(["simplified", "--query", text], shown)
            self.refused(["causal", "--init", text], shown)

    def test_path_with_control_characters(self):
        self.refused(["causal", "--save", "/proc/a\nb"], "/proc/a\\x0ab")

    def test_invalid_utf8(self):
        """The line is still plain text for any terminal."""
        for word in (b"\xff\xfe", b"\xc3", b"\xed\xa0\x80", b"a\x9b31m"):
            for arguments in ([word], [b"causal", word], [b"causal", b"--seed", word], [b"causal", b"--" + word],
                              [b"causal", b"--only", word], [b"simplified", b"--query", word],
                              [b"causal", b"--save", b"/proc/" + word]):
                self.refused(arguments)

    def test_c1_controls(self):
        """U+009B starts an escape sequence, as ESC [ does."""
        for arguments in (["\u009b31m"], ["causal", "--seed", "\u009b31m"]):
            text = self.refused(arguments)
            self.assertNotIn("\u009b", text or "")

    def test_other_scripts(self):
        self.refused(["causal", "--seed", "fünf"], "'fünf'")

    def test_long_arguments(self):
        for word in ("x" * 100_000, "--" + "x" * 100_000, "9" * 100_000, "," * 100_000, "keys," * 20_000 + "kyes"):
            for arguments in ([word], ["causal", word], ["causal", "--seed", word], ["causal", "--only", word],
                              ["simplified", "--query", word], ["causal", "--save", "/proc/" + word]):
                self.refused(arguments)

    def test_many_arguments(self):
        self.refused(["causal"] + ["--no-grad"] * 2000 + ["--seed", "x"], "'x'")


class Output(Case):
    def test_full(self):
        for arguments in ([], ["--help"], ["--version"], ["causal"], ["causal", "--help"],
                          ["causal", "--steps", "all", "--tokens", "100", "--threshold", "100000"]):
            with self.subTest(arguments=arguments), open("/dev/full", "wb") as full:
                self.check_line(run(*arguments, stdout=full), "output")

    def test_closed(self):
        for arguments in ([], ["--version"], ["causal"]):
            with self.subTest(arguments=arguments):
                done = subprocess.run(["/bin/sh", "-c", 'exec "$@" >&-', "sh", BINARY, *arguments],
                                      stderr=subprocess.PIPE, timeout=HANG_LIMIT)
                self.check_line(done, "output")

    def test_closed_while_saving(self):
        done = subprocess.run(["/bin/sh", "-c", 'exec "$@" >&-', "sh", BINARY, "causal", "--save", "steps"],
                              cwd=self.folder, stderr=subprocess.PIPE, timeout=HANG_LIMIT)
        self.check_line(done, "output")
        self.assertEqual(os.listdir(self.folder), [])

    def test_full_while_saving(self):
        with open("/dev/full", "wb") as full:
            self.check_line(run("causal", "--save", "steps", stdout=full, cwd=self.folder), "output")
        self.assertEqual(os.listdir(self.folder), [])

    def test_errors_with_closed_output(self):
        done = subprocess.run(["/bin/sh", "-c", 'exec "$@" >&-', "sh", BINARY, "causal", "--seed", "x"],
                              stderr=subprocess.PIPE, timeout=HANG_LIMIT)
        self.check_line(done, "--seed", "'x'")


if __name__ == "__main__":
    listed = json.loads(run("list", "--format", "json").stdout)
    CHAPTERS = list(dict.fromkeys(row["chapter"] for row in listed["chapters"]))
    harness.main()
