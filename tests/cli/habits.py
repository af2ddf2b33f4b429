"""Pager, completions and manual page, which know every option of the help.

    PYTHONPATH=tests /usr/bin/python3 tests/cli/habits.py PATH_TO_BINARY

Shells that are not installed are left out, and named.
"""
import json
import os
import random
import re
import shlex
import shutil
import signal
import stat
import subprocess
import tempfile
import unittest

import numpy as np

import checkpoints
import harness
from harness import BINARY, HANG_LIMIT, Terminal, run, text_of
from vt import Vt

COMMANDS = []
LONG = ["causal", "--steps", "all"]
HUGE = ["causal", "--steps", "all", "--tokens", "300", "--threshold", "1000000"]  # more than a pipe holds


def options_of(command):
    """The options of a command; of the program if the name is empty."""
    return harness.options_of(*[command] if command else [])


def choices_of(command, name):
    return dict(options_of(command))[name].split("|")


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.read = os.path.join(self.folder, "read")

    def path(self, name):
        return os.path.join(self.folder, name)

    def script(self, name, text):
        path = self.path(name)
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + text)
        os.chmod(path, stat.S_IRWXU)
        return path

    def recorder(self, name="recorder"):
        """A pager that stores its input, and reports it."""
        return self.script(name, f"cat > {self.read}; env > {self.path('env')}; echo paged\n")

    def on_a_terminal(self, *arguments, **environment):
        """The exit code and the shown text."""
        terminal = Terminal([BINARY, *arguments], self.environment(**environment))
        return terminal.end(), terminal.text()

    @staticmethod
    def environment(**more):
        everything = {"PATH": os.environ["PATH"], "TERM": "vt100", "LC_ALL": "C.UTF-8", **more}
        return {name: value for name, value in everything.items() if value is not None}

    def recorded(self):
        with open(self.read, encoding="utf-8") as file:
            text = file.read()
        os.remove(self.read)
        return text


class Pager(Case):
    def test_all_that_is_to_be_read_is_paged(self):
        page = self.path("page.txt")
        with open(page, "w", encoding="utf-8") as file:
            file.write(text_of("causal"))
        pager = self.recorder()
        for arguments in (["causal"], LONG, ["all"], ["list"], ["list", "--format", "json"], ["verify", page], ["--help"], ["help"], ["help", "ports"],
                          ["causal", "--help"], ["dropout", "--draws"], ["causal", "--emit", "pytorch"], ["man"],
                          ["causal", "--what-if", "no-mask"], ["causal", "--cell", "attn_scores[1,2]"], ["causal", "-o", "-"],
                          ["causal", "--explain"], ["causal", "--heatmap"], ["causal", "--format", "json"], HUGE):
            with self.subTest(arguments=arguments):
                self.assertEqual(self.on_a_terminal(*arguments, PAGER=pager), (0, "paged\n"))
                self.assertEqual(self.recorded(), run(*arguments, env=self.environment()).stdout.decode())

    def test_what_talks_is_not(self):
        pager = self.recorder()
        for arguments, code in ((["--version"], 0), (["causal", "--sead"], 2), (["causal", "-o", self.path("out")], 0),
                                (["causal", "--save", "/proc/no"], 2)):
            with self.subTest(arguments=arguments):
                found, shown = self.on_a_terminal(*arguments, PAGER=pager)
                self.assertEqual(found, code)
                self.assertNotIn("paged", shown)
        terminal = Terminal([BINARY, "simplified", "--predict", "1"], self.environment(PAGER=pager))
        terminal.wait_until(lambda: b"? " in terminal.shown or b"= " in terminal.shown)
        terminal.type(b"\x04")
        self.assertEqual(terminal.end(), 0)
        terminal = Terminal([BINARY, "simplified", "--step"], self.environment(PAGER=pager))
        terminal.wait_until(lambda: b"quit" in terminal.shown)
        terminal.type(b"q")
        self.assertEqual(terminal.end(), 0)
        self.assertFalse(os.path.exists(self.read))

    def test_no_terminal(self):
        done = run("causal", env=self.environment(PAGER=self.recorder()))
        self.assertEqual(done.stdout.decode(), text_of("causal"))
        self.assertFalse(os.path.exists(self.read))

    def test_turned_off(self):
        for pager, arguments in ((self.recorder(), ["--no-pager", *LONG]), (self.recorder(), [*LONG, "--no-pager"]), ("", LONG),
                                 (" ", LONG), ("cat", LONG), ("nosuchpager", LONG), (self.folder, LONG)):
            with self.subTest(pager=pager, arguments=arguments):
                self.assertEqual(self.on_a_terminal(*arguments, PAGER=pager), (0, text_of(*LONG)))
        self.assertEqual(self.on_a_terminal("--no-pager", "--help", PAGER=self.recorder()), (0, text_of("--help")))
        self.assertFalse(os.path.exists(self.read))
        self.assertEqual(text_of("causal", "--no-pager"), text_of("causal"))
        self.assertIn(b"takes no value", run("causal", "--no-pager=1").stderr)

    def test_a_command_of_several_words(self):
        self.assertEqual(self.on_a_terminal("--help", PAGER="sed -e 's/^/| /'"),
                         (0, "".join(f"| {line}\n" for line in text_of("--help").splitlines())))
        for arguments in (["causal"], HUGE):
            code, shown = self.on_a_terminal(*arguments, PAGER="nosuchpager -x")
            self.assertEqual(code, 0)
            self.assertTrue(shown.endswith(text_of(*arguments)))

    def test_less_by_default(self):
        """less runs if it is on PATH and the terminal can move its cursor."""
        self.recorder("less")
        path = self.folder + ":" + os.environ["PATH"]
        self.assertEqual(self.on_a_terminal("causal", PATH=path), (0, "paged\n"))
        self.assertEqual(self.recorded(), text_of("causal"))
        for environment in ({"PATH": "/nonexistent"}, {"PATH": path, "TERM": "dumb"}, {"PATH": path, "TERM": None}):
            self.assertEqual(self.on_a_terminal("causal", **environment), (0, text_of("causal")))
        self.assertFalse(os.path.exists(self.read))

    def test_its_environment(self):
        for given, expected in (({}, {"LESS": "FRX", "LV": "-c"}), ({"LESS": "R", "LV": ""}, {"LESS": "R", "LV": ""})):
            self.on_a_terminal("causal", PAGER=self.recorder(), **given)
            with open(self.path("env"), encoding="utf-8") as file:
                lines = file.read().splitlines()
            for name, value in expected.items():
                self.assertEqual([line for line in lines if line.startswith(name + "=")], [f"{name}={value}"])

    def test_exit_codes_are_kept(self):
        page = self.path("page.txt")
        with open(page, "w", encoding="utf-8") as file:
            file.write(text_of("causal").replace("0.", "9.", 1))
        for pager, code in ((self.recorder(), 1), ("true", 1), ("false", 1)):
            self.assertEqual(self.on_a_terminal("verify", page, PAGER=pager)[0], code)
        self.assertEqual(self.on_a_terminal("causal", PAGER="false"), (0, ""))

    def test_a_reader_that_leaves_early(self):
        quits = self.script("quits", "head -c 1 > /dev/null\n")
        for arguments in (["causal"], HUGE):
            self.assertEqual(self.on_a_terminal(*arguments, PAGER=quits), (0, ""))
        self.assertEqual(self.on_a_terminal(*HUGE, PAGER="head -n 1"), (0, text_of(*HUGE).partition("\n")[0] + "\n"))

    def test_tensors_are_saved_beside_it(self):
        folder = self.path("steps")
        quits = self.script("quits", "head -c 1 > /dev/null\n")
        self.assertEqual(self.on_a_terminal(*HUGE, "--save", folder, PAGER=quits), (0, ""))
        self.assertTrue(os.path.exists(os.path.join(folder, "manifest.json")))

    def waiting(self, begin=""):
        """A program whose pager waits for a file, and a function that creates the file."""
        go = self.path("go")
        pager = self.script("waits", f"{begin}\ncat > {self.read}; echo ready\nuntil [ -e {go} ]; do sleep 0.02; done\necho done\n")
        terminal = Terminal([BINARY, "causal"], self.environment(PAGER=pager))
        terminal.wait_until(lambda: b"ready" in terminal.shown)
        return terminal, lambda: open(go, "w", encoding="utf-8").close()

    def test_waits_for_it(self):
        terminal, go = self.waiting()
        terminal.settle()
        self.assertTrue(terminal.is_alive())
        go()
        self.assertEqual(terminal.end(), 0)
        self.assertIn(b"done", terminal.shown)

    def test_control_c_is_the_pagers(self):
        terminal, go = self.waiting(begin="trap 'echo caught' INT")
        terminal.type(b"\x03")
        terminal.wait_until(lambda: b"caught" in terminal.shown)
        terminal.settle()
        self.assertTrue(terminal.is_alive())
        go()
        self.assertEqual(terminal.end(), 0)

    def test_control_c_that_ends_it(self):
        terminal, _ = self.waiting()
        terminal.type(b"\x03")
        self.assertEqual(terminal.end(), 0)
        self.assertNotIn(b"done", terminal.shown)

    def test_who_ends_us_waits_for_it(self):
        for number in (signal.SIGTERM, signal.SIGHUP):
            terminal, go = self.waiting()
            os.kill(terminal.pid, number)
            terminal.settle()
            self.assertTrue(terminal.is_alive())
            go()
            self.assertEqual(terminal.end(), -number)
            self.assertIn(b"done", terminal.shown)
            os.remove(self.path("go"))

    def test_it_ends_by_closed_pipes_as_others_do(self):
        """The pager does not inherit ignored signals."""
        pager = self.script("ignores", "trap > /dev/null\nyes | head -n 1\ngrep SigIgn /proc/self/status\ncat > /dev/null\n")
        shown = self.on_a_terminal("causal", PAGER=pager)[1]
        self.assertEqual(int(re.search(r"SigIgn:\s+(\w+)", shown).group(1), 16) & (1 << (signal.SIGPIPE - 1)), 0, shown)

    @unittest.skipUnless(shutil.which("less"), "no less here")
    def test_less(self):
        terminal = Terminal([BINARY, *HUGE], self.environment(TERM="xterm-256color"))
        terminal.wait_until(lambda: terminal.shown.rstrip().endswith(b"\x1b[K") or b":" in terminal.shown[-20:])
        terminal.settle()
        self.assertTrue(terminal.is_alive())
        terminal.type(b"q")
        self.assertEqual(terminal.end(), 0)
        self.assertEqual(terminal.after, terminal.before)
        code, shown = self.on_a_terminal("causal", "--only", "attn_scores", TERM="xterm-256color")
        self.assertEqual(code, 0)
        self.assertIn("attention scores", shown)


def asked(line):
    """The answers of `complete`: kind, text and description."""
    lines = text_of("complete", "--", *line).splitlines()
    return [(*fields, "", "")[:3] for fields in (found.split("\t") for found in lines)]


def words(line):
    return [text for kind, text, _ in asked(line) if kind in ("word", "part")]


class Complete(Case):
    def test_every_option(self):
        self.assertEqual(words(["--"]), [name for name, _ in options_of("")])
        for command in COMMANDS:
            self.assertEqual(words([command, "--"]), [name for name, _ in options_of(command)])
            for name, _ in options_of(command):
                self.assertIn(name, words([command, name]))
                self.assertIn(name, words(["--no-pager", command, name[:-1]]))

    def test_every_choice(self):
        for command in COMMANDS:
            for name, placeholder in options_of(command):
                if re.fullmatch(r"[a-z0-9|-]+", placeholder):
                    with self.subTest(command=command, name=name):
                        self.assertEqual(words([command, name, ""]), placeholder.split("|"))
                        self.assertEqual(words([command, name + "="]), [f"{name}={word}" for word in placeholder.split("|")])

    def test_every_placeholder_is_understood(self):
        """These placeholders have no list of values."""
        for command in COMMANDS:
            for name, placeholder in options_of(command):
                if placeholder not in ("", "N", "P", "X", "SECONDS", "WORDS", "THEIRS=STEP[,...]", "GLOB[,...]") and name != "--query":
                    self.assertTrue(asked([command, name, ""]), (command, name))

    def test_commands(self):
        self.assertEqual(words([""]), COMMANDS)
        self.assertEqual(words(["multi"]), ["multihead"])
        self.assertEqual(words(["nonsense", ""]), [])
        self.assertEqual(text_of("complete"), text_of("complete", "--", ""))

    def test_steps_and_rules_are_listed(self):
        listed = json.loads(text_of("list", "--format", "json"))["chapters"]
        rules = json.loads(text_of("list", "rules", "--format", "json"))["rules"]
        self.assertEqual({rule["name"] for rule in rules}, {name for row in listed for name in row["what_ifs"]})
        steps = {step["name"]: step for step in json.loads(text_of("list", "steps", "--format", "json"))["steps"]}
        for chapter in {row["chapter"] for row in listed}:
            for name in words([chapter, "--only", ""]):
                if name in steps:
                    self.assertIn(chapter, steps[name]["chapters"])
        self.assertIn("context_vecs", steps)
        text = text_of("list", "rules") + text_of("list", "steps")
        for one in (*rules, *steps.values()):
            self.assertIn(f"{one['name']}  ({', '.join(one['chapters'])})\n", text)
            self.assertTrue(one["text"], one)

    def test_first_words(self):
        """First commands on a terminal; otherwise the whole help."""
        terminal = Terminal([BINARY], {**os.environ, "PAGER": "false"})
        self.assertEqual(terminal.end(), 0)
        shown = terminal.shown.decode()
        self.assertLess(shown.count("\n"), 12)
        self.assertIn("attn-walkthrough simplified", shown)
        self.assertEqual(text_of(), text_of("--help"))

    def test_rules_are_those_of_the_article(self):
        listed = json.loads(text_of("list", "--format", "json"))["chapters"]
        self.assertGreater(len({tuple(row["what_ifs"]) for row in listed}), 3)
        for row in listed:
            self.assertEqual(words([row["chapter"], "--article", row["article"], "--what-if", ""]), row["what_ifs"])
            self.assertIn("|".join(row["what_ifs"]), harness.help_of(row["chapter"], "--article", row["article"]))

    def test_articles_and_rules_are_described(self):
        listed = json.loads(text_of("list", "--format", "json"))
        said = {name: about for _, name, about in asked(["all", "--article", ""])}
        self.assertEqual(said, {article["name"]: article["title"] for article in listed["articles"]})
        said = {name: about for _, name, about in asked(["causal", "--what-if", ""])}
        self.assertEqual(said["no-mask"], "nothing is masked: tokens see what the mask would hide")
        self.assertEqual(len(set(said.values()) - {""}), len(said))

    def steps(self, *line):
        """Completions are the names in the program's own errors."""
        error = run(*line, "--only", "no.such.step").stderr.decode()
        return re.search(r"its steps are (.*); see", error).group(1).split(", ")

    def test_steps_are_those_of_the_lesson(self):
        for line in (["causal"], ["simplified", "--article", "book"], ["multihead", "--article=ahead-of-ai"],
                     ["trainable", "--init", "linear", "--qkv-bias"], ["cross", "--d-out", "2"]):
            self.assertEqual(words([*line, "--only", ""]), self.steps(*line), line)
        self.assertEqual(words(["causal", "--only", "q"]), ["queries"])
        self.assertEqual(words(["causal", "--only", "keys,q"]), ["keys,queries"])
        self.assertEqual(words(["causal", "--only=keys,q"]), ["--only=keys,queries"])
        # A lesson that cannot be leaves the chapter's own.
        self.assertEqual(words(["causal", "--tokens", "999999999", "--only", "q"]), ["queries"])
        self.assertEqual(words(["causal", "--tokens", "nonsense", "--only", "q"]), ["queries"])
        self.assertEqual(words(["verify", "page", "--chapter", "causal", "--map", "mine=q"]), ["mine=queries"])
        self.assertEqual(words(["verify", "page", "--map", "mine=q"]), [])

    def test_cells(self):
        self.assertEqual(asked(["causal", "--cell", "attn_sc"]), [("part", "attn_scores[", "")])
        self.assertEqual(words(["causal", "--cell", "attn_scores["]), ["attn_scores[0,", "attn_scores[1,"])
        found = words(["causal", "--tokens", "4", "--cell", "attn_scores[1,2,"])
        self.assertEqual(found, [f"attn_scores[1,2,{i}]" for i in range(4)])
        for cell in found:
            text_of("causal", "--tokens", "4", "--cell", cell)
        self.assertEqual(words(["causal", "--cell", "attn_scores[1,2,3,"]), [])
        self.assertEqual(words(["causal", "--cell", "nonsense["]), [])

    def test_files(self):
        self.assertEqual(asked(["verify", ""]), [("files", "", "")])
        self.assertEqual(asked(["verify", "--", "-"]), [("files", "", "")])
        self.assertEqual(asked(["causal", "-o", "x"]), [("files", "", "")])
        self.assertEqual(asked(["causal", "-ox"]), [("files", "-o", "")])
        self.assertEqual(asked(["causal", "--output=x"]), [("files", "--output=", "")])
        self.assertEqual(asked(["causal", "--save", ""]), [("folders", "", "")])
        self.assertEqual(asked(["causal", "--weights", "W_query=a.npy,W_key="]), [("files", "W_query=a.npy,W_key=", "")])
        self.assertIn(("part", "W_query=", ""), asked(["causal", "--weights", "W_q"]))

    def test_tokens(self):
        self.assertEqual(words(["simplified", "--sentence", "Life is short", "--query", ""]), ["Life", "is", "short"])

    def test_nothing_is_said_of_nonsense(self):
        for line in (["--"], ["causal", "--nonsense", ""], ["causal", "nonsense", "--seed", "-"], ["causal", "--seed", "--", ""],
                     ["verify", "--chapter", "nonsense", "--map", "x="], ["causal", "--inputs", "/no/file", "--only", ""],
                     ["causal", "--only", ",,"], ["causal", "--cell", "]["], ["\x1b", "\n"], ["-o", ""], ["", "", ""]):
            done = run("complete", "--", *line)
            self.assertEqual((done.returncode, done.stderr), (0, b""), line)

    def test_whatever_stands_on_the_line(self):
        """For random lines of meaningful words, each answer continues the last word."""
        chance = random.Random(1)
        names = [name for command in COMMANDS for name, _ in options_of(command)]
        values = ["", "-", "--", "book", "all", "3", "keys", "keys,", "keys[", "keys[0,", "W_query=", "a=b", "no-mask", "x:y", "causal"]
        for _ in range(400):
            line = [chance.choice(COMMANDS)] + chance.choices(names + values + COMMANDS, k=chance.randrange(6))
            line.append(chance.choice([*values, *names, chance.choice(names) + "=", chance.choice(names)[:4]]))
            done = run("complete", "--", *line, cwd=self.folder)
            self.assertEqual((done.returncode, done.stderr), (0, b""), line)
            for answer in done.stdout.decode().splitlines():
                self.assertRegex(answer, r"\A((word|part)\t[^\t]+\t[^\t]*|(files|folders)\t[^\t]*)\Z", line)
                kind, text = answer.split("\t")[:2]
                self.assertTrue(text.startswith(line[-1]) if kind in ("word", "part") else line[-1].startswith(text), (line, answer))
        self.assertEqual(sorted(os.listdir(self.folder)), [])

    def test_shells_that_there_are_not(self):
        for arguments in (["completion"], ["completion", "bash", "zsh"], ["completion", "tcsh"], ["completion", "--bash"]):
            done = run(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, b""))
            self.assertRegex(done.stderr.decode(), r"\Aattn-walkthrough: error: [^\n]+; [^\n]+\n\Z")
        self.assertIn(b"try attn-walkthrough completion zsh", run("completion", "zhs").stderr)


class Shell(Case):
    """Tests of a shell's completions; completed() returns the candidates for a line."""

    def setUp(self):
        super().setUp()
        for name in ("page one.txt", "page.html"):
            open(self.path(name), "w", encoding="utf-8").close()
        os.mkdir(self.path("pages"))

    def shell_environment(self):
        return self.environment(PATH=f"{os.path.dirname(BINARY)}:{os.environ['PATH']}", HOME=self.folder, PAGER="cat",
                                TERM="xterm-256color")


class Prompt:
    """An interactive shell on a terminal."""

    def __init__(self, command, environment, setup):
        self.terminal = Terminal(command, {**environment, "PS1": "> "}, rows=100, columns=200)
        self.screen = Vt(100, 200)
        self.fed = 0
        self.wait_for_prompt()
        self.type(setup + "; echo rea''dy\n")
        self.terminal.wait_until(lambda: b"ready\r\n" in self.terminal.shown)
        self.wait_for_prompt()

    def wait_for_prompt(self):
        """Before the prompt, the terminal itself edits typed text."""
        self.terminal.wait_until(lambda: self.lines()[-1:] == [">"])

    def lines(self):
        text = self.terminal.shown[self.fed:].decode(errors="ignore")
        self.fed = len(self.terminal.shown)
        self.screen.feed(text)
        return [line for line in self.screen.lines() if line]

    def type(self, keys):
        self.terminal.type(keys.encode())

    def clear(self):
        """Discards the typed line."""
        self.type("\x15\x0c")
        self.terminal.wait_until(lambda: self.lines() == [">"])

    def shows(self, keys, parts):
        """Types the keys at an empty prompt, and waits until the screen shows all these lines."""
        self.clear()
        self.type(keys)
        self.terminal.wait_until(lambda: all(part in "\n".join(self.lines()) for part in parts))

    def end(self):
        self.clear()
        self.type("exit\n")
        self.terminal.end()


class Bash(Shell):
    DRIVER = r"""
source <(attn-walkthrough completion bash)
compopt() { :; }  # known only while readline completes
while IFS= read -r COMP_LINE && IFS= read -r words; do
  eval "COMP_WORDS=($words)"
  COMP_POINT=${#COMP_LINE}
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  _attn_walkthrough
  printf '%s\n' "${COMPREPLY[@]}" ''
done
"""

    @staticmethod
    def split(line):
        """The words of a line as readline splits it."""
        found = re.findall(r'[=:]+|"[^"]*"?|[^\s=:]+', line)
        return found + [""] if line.endswith(" ") else found

    def completed(self, *lines):
        given = "".join(f"{line}\n{shlex.join(self.split(line))}\n" for line in lines)
        done = subprocess.run(["bash", "--norc", "-c", self.DRIVER], input=given, text=True, capture_output=True,
                              timeout=HANG_LIMIT, cwd=self.folder, env=self.shell_environment())
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [answer.splitlines() for answer in done.stdout.split("\n\n")[:len(lines)]]

    def test_every_option(self):
        names = ["", *COMMANDS]
        answers = self.completed(*(f"attn-walkthrough {name} --".replace("  ", " ") for name in names))
        for name, answer in zip(names, answers):
            expected = [option for option, _ in options_of(name)]
            self.assertEqual(answer, expected)

    def test_values(self):
        rules = choices_of("causal", "--what-if")
        for line, expected in (("causal --what-if ", rules), ("causal --what-if=", rules), ("causal --only q", ["queries"]),
                               ("causal --only=q", ["queries"]), ("causal --only keys,q", ["keys,queries"]),
                               ("causal --article bo", ["book"]), ('causal --article "bo', ["book"]),
                               ("causal --cell attn_sc", ["attn_scores["]), ("cau", ["causal"]), ("completion z", ["zsh"]),
                               ('simplified --sentence "Life is short" --query ', ["Life", "is", "short"]),
                               ("verify page", ["page one.txt", "page.html", "pages"]), ("causal -o page.", ["page.html"]),
                               ("causal --output=page.", ["page.html"]), ("causal --save p", ["pages"]),
                               ("causal --weights W_query=page.", ["page.html"]), ("causal --weights W_q", ["W_query="])):
            self.assertEqual(sorted(self.completed("attn-walkthrough " + line)[0]), sorted(expected), line)

    def test_by_readline(self):
        """Typed text and Tab complete the line that runs."""
        prompt = Prompt([shutil.which("bash"), "--norc", "-i"], self.shell_environment(),
                        f"cd {self.folder}; source <(attn-walkthrough completion bash)")
        for typed, line in (("causal --on\tq\t", "causal --only queries "), ("list --form\tj\t", "list --format json "),
                            ("list --format=j\t", "list --format=json "), ("verify page.\t", "verify page.html "),
                            ("causal --cell attn_sc\t1,2]", "causal --cell attn_scores[1,2]"),
                            ("verify page\\ o\t", "verify page\\ one.txt "), ("causal -o pages\tx", "causal -o pages/x")):
            prompt.shows(f"attn-walkthrough {typed}#", [f"> attn-walkthrough {line}#"])
        prompt.end()


@unittest.skipUnless(shutil.which("fish"), "no fish here: its completions are not tried")
class Fish(Shell):
    def completed(self, *lines):
        commands = "; ".join(f"complete -C {shlex.quote(line)}; echo ==" for line in lines)
        done = subprocess.run(["fish", "--no-config", "-c", f"attn-walkthrough completion fish | source; {commands}"], text=True,
                              capture_output=True, timeout=HANG_LIMIT, cwd=self.folder, env=self.shell_environment())
        self.assertEqual(done.stderr, "")
        return [[line.partition("\t")[0] for line in answer.splitlines()] for answer in done.stdout.split("==\n")[:-1]]

    def test_every_option(self):
        names = ["", *COMMANDS]
        answers = self.completed(*(f"attn-walkthrough {name} --".replace("  ", " ") for name in names))
        for name, answer in zip(names, answers):
            expected = [option for option, _ in options_of(name)]
            self.assertEqual(sorted(answer), sorted(expected))

    def test_values(self):
        rules = choices_of("causal", "--what-if")
        for line, expected in (("causal --what-if ", rules), ("causal --what-if=", ["--what-if=" + rule for rule in rules]),
                               ("causal --only q", ["queries"]), ("causal --only keys,q", ["keys,queries"]),
                               ("causal --article bo", ["book"]), ("cau", ["causal"]), ("completion z", ["zsh"]),
                               ("causal --cell attn_sc", ["attn_scores[0,", "attn_scores[1,"]),
                               ('simplified --sentence "Life is short" --query ', ["Life", "is", "short"]),
                               ("verify page.", ["page.html"]), ("causal -o page.", ["page.html"]),
                               ("causal --output=page.", ["--output=page.html"]), ("causal --save p", ["pages/"]),
                               ("causal --weights W_query=page.", ["W_query=page.html"])):
            self.assertEqual(sorted(self.completed("attn-walkthrough " + line)[0]), sorted(expected), line)


@unittest.skipUnless(shutil.which("zsh"), "no zsh here: its completions are not tried")
class Zsh(Shell):
    def prompt(self):
        return Prompt([shutil.which("zsh"), "-f", "-i"], self.shell_environment(),
                      f"cd {self.folder}; unsetopt prompt_sp; autoload -Uz compinit; compinit -u -D; LISTMAX=1000; "
                      "source <(attn-walkthrough completion zsh)")

    def test_every_option(self):
        prompt = self.prompt()
        for name in ["", *COMMANDS]:
            prompt.shows(f"attn-walkthrough {name} --\t".replace("  ", " "), [f"{option}  " for option, _ in options_of(name)])
        prompt.end()

    def test_values(self):
        prompt = self.prompt()
        prompt.shows("attn-walkthrough causal --what-if \t", choices_of("causal", "--what-if"))
        for keys, line in (("causal --on\tq\t", "causal --only queries "), ("causal --only keys,q\t", "causal --only keys,queries "),
                           ("list --format=j\t", "list --format=json "), ("cau\t", "causal "), ("verify page.\t", "verify page.html "),
                           ("causal -o page.\t", "causal -o page.html "), ("causal --save p\tx", "causal --save pages/x"),
                           ("causal --output=page.\t", "causal --output=page.html "), ("completion z\t", "completion zsh "),
                           ("causal --weights W_query=page.\t", "causal --weights W_query=page.html "),
                           ("causal --cell attn_sc\t", "causal --cell attn_scores\\["),
                           ("verify 'page o\t", "verify 'page one.txt' ")):
            prompt.shows(f"attn-walkthrough {keys}#", [f"> attn-walkthrough {line}#"])
        prompt.end()


class Manual(Case):
    def setUp(self):
        super().setUp()
        self.page = text_of("man")
        self.file = self.path("attn-walkthrough.1")
        with open(self.file, "w", encoding="utf-8") as file:
            file.write(self.page)

    @staticmethod
    def plain(page):
        """The page without font changes and escapes."""
        page = re.sub(r"\\f[BIR]", "", page)
        for escape, character in (("\\-", "-"), ("\\(aq", "'"), ("\\(dq", '"'), ("\\(ti", "~"), ("\\(ha", "^"), ("\\(ga", "`"),
                                  ("\\&", ""), ("\\:", ""), ("\\e", "\\")):
            page = page.replace(escape, character)
        return page

    def test_every_option(self):
        """The manual has each option once, with all its words and the commands that take it."""
        options = self.plain(self.page).partition('.SH "OPTIONS"\n')[2].partition("\n.SH ")[0]
        found = {}
        ofgroup = None
        for heading, term, text in re.findall(r"(?ms)^\.PP\n[^\n]* \(([a-zA-Z, ]+)\)\n|^\.TP\n(?:-\w, )?(--.*?)\n(.*?)(?=^\.(?:TP|PP|SH)\b|\Z)",
                                              options + "\n"):
            ofgroup = heading or ofgroup
            if heading:
                continue
            name, _, placeholder = term.partition(" ")
            takers = re.search(r"Commands: ([A-Za-z ,]+)\.\s*\Z", " ".join(text.split()))
            takers = takers.group(1) if takers else ofgroup
            found.setdefault(name, []).append((placeholder, takers.split(", ") if takers else None))
        self.assertEqual({name: len(entries) for name, entries in found.items()}, dict.fromkeys(found, 1))
        chapters = {row["chapter"] for row in json.loads(text_of("list", "--format", "json"))["chapters"]}
        for command in ["", *COMMANDS]:
            kinds = {command} | ({"CHAPTER"} if command in chapters else set())
            listed = dict(options_of(command))
            for name, entries in found.items():
                here = [placeholder for placeholder, takers in entries
                        if (takers is None and name in listed) or kinds & set(takers or [])]
                self.assertEqual(len(here), 1 if name in listed else 0, (command, name))
                for placeholder in here:
                    self.assertLessEqual(set(listed[name].split("|")), set(placeholder.split("|")), (command, name))
            self.assertLessEqual(set(listed), set(found), command)

    def test_sections(self):
        guides = re.findall(r"(?m)^  (\w+): (.*)$", text_of("help", "--help"))
        self.assertGreater(len(guides), 4)
        self.assertEqual(re.findall(r'(?m)^\.SH "(.*)"$', self.page),
                         ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "CHAPTERS", "COMMANDS", "ARTICLES",
                          *(title for _, title in guides), "EXIT STATUS", "ENVIRONMENT", "EXAMPLES"])
        for name, title in guides:
            self.assertEqual(text_of("help", name).splitlines()[0], title)
        text = self.plain(self.page)
        for line in re.findall(r"(?m)^  (attn-walkthrough .*?)(?:  .*)?$", text_of("--help") + text_of("verify", "--help")):
            self.assertIn(line + "\n", text)
        self.assertIn(text_of("--version").strip(), text)

    def test_examples_run(self):
        examples = re.findall(r"(?m)^attn-walkthrough ([a-z]+ --(?!help).*)$", self.plain(self.page).partition("EXAMPLES")[2])
        self.assertGreater(len(examples), 3)
        tensors, config = checkpoints.gpt2(np.random.default_rng(0), 12, 3, 1)  # which the example of a layer has
        checkpoints.save(self.path("model.safetensors"), tensors)
        checkpoints.save_config(self.folder, config)
        checkpoints.save_tokenizer(self.folder, checkpoints.byte_level_tokenizer())
        np.save(self.path("x.npy"), np.ones((5, 12), np.float32))
        for example in examples:
            if "verify" not in example:
                self.assertEqual(run(*shlex.split(example), cwd=self.folder).returncode, 0, example)

    def test_nothing_to_complain_of(self):
        """Every installed manual reader accepts the page without warnings."""
        checks = (["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", self.file],
                  ["groff", "-man", "-ww", "-b", "-z", "-Tutf8", self.file], ["mandoc", "-T", "lint", self.file])
        here = [check for check in checks if shutil.which(check[0])]
        if not here:
            self.skipTest("neither man nor groff nor mandoc here")
        for check in here:
            done = subprocess.run(check, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=HANG_LIMIT, text=True)
            said = done.stderr + (done.stdout if check[0] == "mandoc" else "")
            self.assertEqual(said, "", check)

    def test_lines_that_groff_takes_for_requests(self):
        for line in self.page.splitlines():
            self.assertRegex(line, r"\A(?!')(\.(TH|SH|SS|PP|TP|br|nf|fi|nh|ad)\b|[^.])")


class Installed(Case):
    def test_installed(self):
        build = os.path.dirname(BINARY)
        if not os.path.exists(os.path.join(build, "cmake_install.cmake")) or not shutil.which("cmake"):
            self.skipTest("the program stands in no build folder")
        done = subprocess.run(["cmake", "--install", build, "--prefix", self.folder], capture_output=True, timeout=HANG_LIMIT)
        self.assertEqual(done.returncode, 0, done)
        for path, arguments in (("man/man1/attn-walkthrough.1", ["man"]),
                                ("bash-completion/completions/attn-walkthrough", ["completion", "bash"]),
                                ("zsh/site-functions/_attn-walkthrough", ["completion", "zsh"]),
                                ("fish/vendor_completions.d/attn-walkthrough.fish", ["completion", "fish"])):
            with open(self.path("share/" + path), encoding="utf-8") as file:
                self.assertEqual(file.read(), text_of(*arguments))
        self.assertTrue(os.access(self.path("bin/attn-walkthrough"), os.X_OK))


if __name__ == "__main__":
    COMMANDS = re.findall(r"(?m)^  ([a-z]+) {2,}\S", run("--help").stdout.decode().partition("\nGuides")[0])
    harness.main()
