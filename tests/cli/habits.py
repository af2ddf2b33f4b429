"""Pager, colours, help, completions and manual page, which know every option of the help; any environment; what is installed.

Shells that are not installed are left out, and named."""
import json
import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import unittest

import harness
from harness import BINARY, HANG_LIMIT, Terminal, run, text_of

COMMANDS = []
LONG = ["causal", "--steps", "all"]
HUGE = ["causal", "--steps", "all", "--tokens", "300", "--threshold", "1000000"]  # more than a pipe holds


def options_of(command):
    """The options of a command; of the program if the name is empty."""
    return harness.options_of(*[command] if command else [])


class Case(harness.Case):
    def script(self, name, text):
        os.chmod(self.write(name, "#!/bin/sh\n" + text), stat.S_IRWXU)
        return self.path(name)

    def recorder(self, name="recorder"):
        """A pager that stores its input, and reports it."""
        return self.script(name, f"cat > {self.path('read')}; env > {self.path('env')}; echo paged\n")

    def on_a_terminal(self, *arguments, **environment):
        """The exit code and the shown text."""
        terminal = Terminal([BINARY, *arguments], self.environment(**environment))
        return terminal.end(), terminal.text()

    @staticmethod
    def environment(**more):
        everything = {"PATH": os.environ["PATH"], "TERM": "vt100", "LC_ALL": "C.UTF-8", **more}
        return {name: value for name, value in everything.items() if value is not None}

    def recorded(self):
        text = self.read("read").decode()
        os.remove(self.path("read"))
        return text


class Pager(Case):
    def test_all_that_is_to_be_read_is_paged(self):
        page = self.path("page.txt")
        text_of("causal", "-o", page)
        pager = self.recorder()
        for arguments in (["causal"], LONG, ["all"], ["list"], ["list", "--format", "json"], ["verify", page], ["--help"], ["help"], ["help", "ports"],
                          ["causal", "--help"], ["dropout", "--draws"], ["causal", "--emit", "pytorch"],
                          ["causal", "--what-if", "no-mask"], ["causal", "--cell", "attn_scores[1,2]"], ["causal", "-o", "-"],
                          ["causal", "--explain"], ["causal", "--heatmap"], ["causal", "--format", "json"],
                          [*HUGE, "--format", "text", "--save", self.path("steps")]):
            with self.subTest(arguments=arguments):
                self.assertEqual(self.on_a_terminal(*arguments, PAGER=pager), (0, "paged\n"))
                alone = [word for word in arguments if word not in ("--save", self.path("steps"))]
                self.assertEqual(self.recorded(), run(*alone, env=self.environment(PAGER=pager)).stdout.decode())
        self.assertFalse(os.path.exists(self.path("read")))  # what is no terminal is not paged
        self.assertTrue(os.path.exists(self.path("steps/manifest.json")))

    def test_what_talks_is_not(self):
        pager = self.recorder()
        for arguments, code in ((["--version"], 0), (["causal", "--sead"], 2), (["causal", "-o", self.path("out")], 0),
                                (["causal", "--save", "/proc/no"], 2)):
            with self.subTest(arguments=arguments):
                found, shown = self.on_a_terminal(*arguments, PAGER=pager)
                self.assertEqual(found, code)
                self.assertNotIn("paged", shown)
        for options, wanted, key in ((["--predict", "1"], b"= ", b"\x04"), (["--step"], b"quit", b"q")):
            terminal = Terminal([BINARY, "simplified", *options], self.environment(PAGER=pager))
            terminal.wait_until(lambda: wanted in terminal.shown)
            terminal.type(key)
            self.assertEqual(terminal.end(), 0)
        self.assertFalse(os.path.exists(self.path("read")))

    def test_a_page_is_not_poured_over_a_terminal(self):
        text_of("causal", "--format", "html", "-o", self.path("page.html"))
        for arguments in (["causal", "--format", "html"], ["verify", self.path("page.html"), "--format", "html"]):
            code, shown = self.on_a_terminal(*arguments, PAGER="cat")
            self.assertEqual((code, shown.count("\n")), (2, 1), shown)
            self.assertIn("try --output ", shown)

    def test_turned_off(self):
        for pager, arguments in ((self.recorder(), ["--no-pager", *LONG]), (self.recorder(), [*LONG, "--no-pager"]), ("", LONG),
                                 (" ", LONG), ("cat", LONG), ("nosuchpager", LONG), ("nosuchpager -x", HUGE), (self.folder, LONG)):
            with self.subTest(pager=pager, arguments=arguments):
                code, shown = self.on_a_terminal(*arguments, PAGER=pager)
                self.assertEqual(code, 0)
                self.assertTrue(shown.endswith(text_of(*arguments)))
        self.assertEqual(self.on_a_terminal("--no-pager", "--help", PAGER=self.recorder()), (0, text_of("--help")))
        self.assertFalse(os.path.exists(self.path("read")))
        self.assertEqual(text_of("causal", "--no-pager"), text_of("causal"))
        self.assertIn(b"takes no value", run("causal", "--no-pager=1").stderr)

    def test_a_command_of_several_words(self):
        self.assertEqual(self.on_a_terminal("--help", PAGER="sed -e 's/^/| /'"),
                         (0, "".join(f"| {line}\n" for line in text_of("--help").splitlines())))

    def test_less_by_default(self):
        """less runs if it is on PATH and the terminal can move its cursor."""
        self.recorder("less")
        path = self.folder + ":" + os.environ["PATH"]
        self.assertEqual(self.on_a_terminal("causal", PATH=path), (0, "paged\n"))
        self.assertEqual(self.recorded(), text_of("causal"))
        for environment in ({"PATH": "/nonexistent"}, {"PATH": path, "TERM": "dumb"}, {"PATH": path, "TERM": None}):
            self.assertEqual(self.on_a_terminal("causal", **environment), (0, text_of("causal")))
        self.assertFalse(os.path.exists(self.path("read")))

    def test_its_environment(self):
        for given, expected in (({}, {"LESS": "FRX", "LV": "-c"}), ({"LESS": "R", "LV": ""}, {"LESS": "R", "LV": ""})):
            self.on_a_terminal("causal", PAGER=self.recorder(), **given)
            lines = self.read("env").decode().splitlines()
            for name, value in expected.items():
                self.assertEqual([line for line in lines if line.startswith(name + "=")], [f"{name}={value}"])

    def test_a_reader_that_leaves_early(self):
        quits = self.script("quits", "head -c 1 > /dev/null\n")
        for arguments in (["causal"], HUGE):
            self.assertEqual(self.on_a_terminal(*arguments, PAGER=quits), (0, ""))
        self.assertEqual(self.on_a_terminal(*HUGE, PAGER="head -n 1"), (0, text_of(*HUGE).partition("\n")[0] + "\n"))

    def test_it_is_waited_for_and_control_c_is_its(self):
        pager = self.script("waits", f"trap 'echo caught' INT\ncat > {self.path('read')}; echo ready\n"
                                     f"until [ -e {self.path('go')} ]; do sleep 0.02; done\necho done\n")
        terminal = Terminal([BINARY, "causal"], self.environment(PAGER=pager))
        terminal.wait_until(lambda: b"ready" in terminal.shown)
        terminal.settle()
        self.assertTrue(terminal.is_alive())
        terminal.type(b"\x03")
        terminal.wait_until(lambda: b"caught" in terminal.shown)
        terminal.settle()
        self.assertTrue(terminal.is_alive())
        self.write("go", "")
        self.assertEqual(terminal.end(), 0)
        self.assertIn(b"done", terminal.shown)

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


class Colours(Case):
    """--color auto, always and never: on a terminal, and elsewhere."""

    def test_color(self):
        heatmap = ["causal", "--only", "attn_weights", "--heatmap"]
        for value, variables, on_a_terminal, in_a_pipe in (
                ("auto", {}, True, False), ("auto", {"NO_COLOR": "1"}, False, False), ("always", {"NO_COLOR": "1"}, True, True),
                ("always", {"TERM": "dumb"}, True, True), ("never", {}, False, False)):
            _, shown = self.on_a_terminal(*heatmap, "--color", value, **{"TERM": "xterm-256color", "PAGER": "cat", **variables})
            self.assertEqual("\x1b[" in shown, on_a_terminal, value)
            self.assertEqual("\x1b[" in text_of(*heatmap, "--color", value, env=variables), in_a_pipe, value)
            text_of(*heatmap, "--color", value, "-o", "out.txt", "--force", cwd=self.folder, env=variables)
            self.assertEqual(b"\x1b[" in self.read("out.txt"), in_a_pipe, value)
        self.assertIn("\x1b[48;5;", text_of(*heatmap, "--color", "always", env={}))
        self.assertIn("\x1b[48;2;", text_of(*heatmap, "--color", "always", env={"COLORTERM": "truecolor"}))


class Environments(Case):
    def test_any_gives_the_same(self):
        for arguments in (["causal", "--steps", "all", "--dropout", "0.25", "--precision", "9"], ["cross"], ["causal", "--help"]):
            expected = text_of(*arguments)
            for changes in (*({"LC_ALL": name, "LANG": name} for name in ("de_DE.UTF-8", "tr_TR.UTF-8", "C", "nowhere")),
                            {"OPENBLAS_NUM_THREADS": "1"}, {"OMP_NUM_THREADS": "2"}, {"COLUMNS": "20", "TERM": "dumb"}):
                self.assertEqual(text_of(*arguments, env={**os.environ, **changes}), expected, (arguments, changes))
            self.assertEqual(text_of(*arguments, env={}, cwd="/"), expected)

    def test_standard_input_is_not_read(self):
        read, write = os.pipe()
        try:
            self.assertEqual(text_of("causal", stdin=read), text_of("causal"))
        finally:
            os.close(read)
            os.close(write)


class Help(Case):
    def test_short(self):
        """-h shows the ten most common options, and where to find the others."""
        for arguments in ([], ["causal"], ["multihead"], ["all"], ["verify"]):
            text = text_of(*arguments, "-h")
            self.assertIn(len(re.findall(r"(?m)^  (?:-o,)?--[a-z-]+", text)), (9, 10, 11), arguments)
            self.assertLessEqual(text.count("\n"), 25)
            self.assertIn(" --help", text.partition("More: ")[2])

    def test_examples_run_and_lines_fit(self):
        texts = [text_of(*command.split(), "--help") for command in ["", *COMMANDS]]
        self.assertLessEqual(max(len(line) for text in texts for line in text.splitlines() if not line.startswith("  attn-")), 80)
        examples = re.findall(r"(?m)^  attn-walkthrough ([a-z]+ --(?!help).*?)(?:  .*)?$", "\n".join(texts))
        self.assertGreaterEqual(len(examples), 16)
        for example in examples:
            if not example.startswith(("verify", "layer")):
                text_of(*example.split(), cwd=self.folder)


class Listed(Case):
    def test_steps_and_rules_are_listed(self):
        listed = harness.chapters()
        rules = json.loads(text_of("list", "rules", "--format", "json"))["rules"]
        self.assertEqual({rule["name"] for rule in rules}, {name for row in listed for name in row["what_ifs"]})
        steps = {step["name"]: step for step in json.loads(text_of("list", "steps", "--format", "json"))["steps"]}
        self.assertIn("context_vecs", steps)
        text = " ".join((text_of("list", "rules") + text_of("list", "steps")).split())
        for one in (*rules, *steps.values()):
            self.assertIn(f"{one['name']} ({', '.join(one['chapters'])}) {' '.join(one['text'].split())}", text)
            self.assertTrue(one["text"], one)

    def test_first_words(self):
        """First commands on a terminal; otherwise the whole help."""
        terminal = Terminal([BINARY], {**os.environ, "PAGER": "false"})
        self.assertEqual(terminal.end(), 0)
        shown = terminal.shown.decode()
        self.assertLess(shown.count("\n"), 12)
        self.assertIn("attn-walkthrough simplified", shown)
        self.assertEqual(text_of(), text_of("--help"))


class Completions(Case):
    """Each shell completes commands, and after a command its options."""

    SHELLS = {
        "bash": """source <(attn-walkthrough completion bash)
            COMP_WORDS=(attn-walkthrough {words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
            _attn_walkthrough _ "${{COMP_WORDS[COMP_CWORD]}}"; printf '%s\\n' "${{COMPREPLY[@]}}" """,
        "fish": "attn-walkthrough completion fish | source; complete -C 'attn-walkthrough {words}'",
        "zsh": """compdef() {{ :; }}; _files() {{ :; }}
            compadd() {{ shift; print -l -- ${{(M)@:#$PREFIX*}} }}
            source <(attn-walkthrough completion zsh)
            words=(attn-walkthrough {words}); CURRENT=$#words; PREFIX=$words[-1]; _attn-walkthrough""",
    }

    def completed(self, shell, line):
        done = subprocess.run([shell, *(["-f"] if shell == "zsh" else []), "-c", self.SHELLS[shell].format(words=line)],
                              capture_output=True, text=True, timeout=HANG_LIMIT,
                              env=self.environment(PATH=f"{os.path.dirname(BINARY)}:{os.environ['PATH']}", HOME=self.folder))
        self.assertEqual(done.stderr, "", (shell, line))
        return [found.partition("\t")[0] for found in done.stdout.splitlines()]

    def test_names(self):
        for shell in filter(shutil.which, self.SHELLS):
            for command in COMMANDS:
                self.assertEqual(sorted(self.completed(shell, command + " --")), sorted(name for name, _ in options_of(command)),
                                 (shell, command))
            self.assertIn("--version", self.completed(shell, "--ve"))
            self.assertEqual(self.completed(shell, "cau"), ["causal"], shell)


def said_by(*command):
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout


@unittest.skipIf(harness.has_sanitizer(), "a sanitizer looks closer")
@unittest.skipUnless(shutil.which("readelf"), "no readelf here (Debian's package binutils)")
class Hardened(unittest.TestCase):
    """How the binary is compiled and linked."""

    def libraries(self):
        build = pathlib.Path(BINARY).parent
        if not (build / "CMakeFiles").exists():
            self.skipTest("the program stands in no build folder")
        # Not those that an older build left in the folder.
        targets = (build / "CMakeFiles/TargetDirectories.txt").read_text().splitlines()
        names = {f"lib{pathlib.Path(target).stem}.a" for target in targets}
        found = [path for path in build.glob("libattn_*.a") if path.name in names]
        self.assertGreater(len(found), 10)
        return found

    def test_what_is_relocated_is_read_only(self):
        headers = said_by("readelf", "-lW", BINARY)
        self.assertIn("GNU_RELRO", headers)
        self.assertRegex(said_by("readelf", "-dW", BINARY), r"BIND_NOW|\bNOW\b")
        stack = next(line for line in headers.splitlines() if "GNU_STACK" in line)
        self.assertRegex(stack, r" RW +0x")  # not executable
        self.assertIn("DYN (", said_by("readelf", "-hW", BINARY))  # at an address that nobody knows before

    def test_stacks_are_guarded_and_copies_bounded(self):
        guarded, checked = [], []
        for library in self.libraries():
            needed = said_by("nm", "-u", library)
            guarded += ["__stack_chk_fail" in needed]
            checked += ["__glibcxx_assert_fail" in needed]
        self.assertTrue(all(guarded), guarded)
        self.assertTrue(any(checked))

    @unittest.skipUnless(os.uname().machine == "x86_64", "of x86 alone")
    def test_jumps_are_marked(self):
        for library in self.libraries():
            notes = said_by("readelf", "-nW", library)
            self.assertEqual(notes.count("IBT, SHSTK"), notes.count("File: "), library)


class Installed(Case):
    def test_installed(self):
        build = os.path.dirname(BINARY)
        if not os.path.exists(os.path.join(build, "cmake_install.cmake")) or not shutil.which("cmake"):
            self.skipTest("the program stands in no build folder")
        done = subprocess.run(["cmake", "--install", build, "--prefix", self.folder], capture_output=True, timeout=HANG_LIMIT)
        self.assertEqual(done.returncode, 0, done)
        for path, shell in (("bash-completion/completions/attn-walkthrough", "bash"),
                            ("zsh/site-functions/_attn-walkthrough", "zsh"),
                            ("fish/vendor_completions.d/attn-walkthrough.fish", "fish")):
            self.assertEqual(self.read("share", path).decode(), text_of("completion", shell))
        self.assertTrue(os.access(self.path("bin/attn-walkthrough"), os.X_OK))
        if shutil.which("cmark") and shutil.which("mandoc"):
            page = subprocess.run(["mandoc", "-T", "utf8", self.path("share/man/man1/attn-walkthrough.1")],
                                  capture_output=True, text=True, timeout=HANG_LIMIT)
            self.assertEqual((page.returncode, page.stderr), (0, ""))
            shown = re.sub(".\b", "", page.stdout)
            for command in ("", "multihead", "verify", "layer"):
                for name, _ in options_of(command):
                    self.assertIn(name, shown)
            for name in re.findall(r"(?m)^  (\w+): ", text_of("help", "--help")):
                self.assertIn(text_of("help", name).splitlines()[0].upper()[:20], shown.upper())


if __name__ == "__main__":
    COMMANDS = re.findall(r"(?m)^  ([a-z]+) {2,}\S", run("--help").stdout.decode().partition("\nGuides")[0])
    harness.main()
