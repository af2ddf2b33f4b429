"""--step on a pseudo-terminal: step.py PROGRAM. Keys in, screen out; and the terminal is given back however it ends."""

import os
import re
import signal
import subprocess
import sys
import time
import unittest

from vt import Session

PROGRAM = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "attn-walkthrough"
HINT = "? keys"


def start(*options, chapter="causal", rows=24, columns=80, environment=None):
    session = Session([PROGRAM, chapter, "--step", *options], rows, columns, environment)
    session.wait_for("keys")
    return session


class Moving(unittest.TestCase):
    def setUp(self):
        self.session = start("--steps", "all")
        self.addCleanup(self.session.close)

    def title(self):
        return self.session.vt.lines()[0]

    def last(self):
        return self.session.vt.lines()[-1]

    def test_first_screen(self):
        self.assertTrue(self.session.vt.alternate)
        self.assertFalse(self.session.vt.visible)
        self.assertRegex(self.title(), r"^ 1/\d+ \w+ .*seed 123$")
        self.assertIn("tensor([[", self.session.vt.text())

    def test_next_and_back(self):
        self.session.press("\r", " 2/")
        self.session.press(" ", " 3/")
        self.session.press("b", " 2/")
        self.session.press("\x7f", " 1/")
        self.session.press("b", "this is the first step")

    def test_last_step(self):
        count = int(re.search(r"/(\d+)", self.title()).group(1))
        self.session.press("g")
        self.session.press(f"{count}\r", f"{count}/{count}")
        self.session.press(" ", "this is the last step")

    def test_jump(self):
        self.session.press("g", "go to step:")
        self.assertTrue(self.session.vt.visible)
        self.session.press("attn_scores\r", " attn_scores ")
        self.session.press("g2\r", " 2/")
        self.session.press("gKEYS\r", " keys ")
        self.session.press("g999\r", "no step 999; there are 1 to")
        self.session.press("gnonsense\r", "no step 'nonsense'")
        self.assertIn(" keys ", self.title())
        self.session.press("gquer\x7f\x7f\x7f\x7f3\r", " 3/")
        self.session.press("g1\x1b", HINT)
        self.assertIn(" 3/", self.title())

    def test_search_goes_around(self):
        self.session.press("/softmax\r")
        self.session.press("/attn_weights\r", "; n for more")
        first = self.title()
        self.assertIn("attn_weights", first)
        messages = ""
        for _ in range(30):
            self.session.press("n")
            messages += self.last()
            if self.title() == first:
                break
        self.assertEqual(self.title(), first)
        self.assertEqual(messages.count("from the top again"), 1)
        self.session.press("/zebra\r", "nothing has 'zebra'")
        self.assertEqual(self.title(), first)

    def test_explain(self):
        plain = self.session.press("gattn_scores\r", " attn_scores ")
        told = self.session.press("e")
        self.assertIn("->", told)
        self.assertGreater(len(told.split()), len(plain.split()))
        self.session.press(" ")
        self.assertIn("->", self.session.vt.text())  # stays on
        self.session.press("b")
        self.assertEqual(self.session.press("e"), plain)

    def test_heat_map(self):
        plain = self.session.press("gattn_weights\r", " attn_weights ")
        self.session.vt.colours.clear()
        self.assertNotIn("tensor(", self.session.press("h"))
        self.assertTrue(any(colour[0] == 48 for colour in self.session.vt.colours))
        self.assertIn("journey", self.session.vt.text())
        self.assertIn("tensor(", self.session.press("h"))
        self.assertEqual(self.session.vt.text().split("\n")[1:-1], plain.split("\n")[1:-1])

    def test_cell(self):
        self.session.press("gattn_scores\r", " attn_scores ")
        self.session.press("c", "cell of attn_scores (such as 1, 5, 5):")
        self.session.press("1, 2, 0\r", "attn_scores[1, 2, 0] = ")
        self.assertNotIn("attn_scores[1, 2, 0]", self.session.press("\x1b"))
        self.session.press("c9,9,9\r")
        self.assertRegex(self.last(), "attn_scores")
        self.assertNotIn("--cell", self.last())
        self.session.press("cfoo[\r")
        self.assertTrue(self.last())
        self.session.press("cqueris[0,0,1]\r", "no step 'queris'; try queries[0,0,1]")
        self.session.press("cqueries[0,0,1]\r", "queries[0, 0, 1] = ")
        self.session.press("c\x1b")
        self.assertIn("queries[0, 0, 1] = ", self.session.vt.text())

    def test_a_derivation_is_whole_at_any_width(self):
        """Nothing of it is cut at the right: what --cell says stands on the screens of it, line after line."""
        said = subprocess.run([PROGRAM, "causal", "--cell", "attn_weights[1, 2, 0]"], capture_output=True, text=True).stdout
        for columns in (200, 80, 40):
            with start(rows=60, columns=columns) as session:
                session.press("gattn_weights\r", " attn_weights ")
                session.press("c1, 2, 0\r", "(Escape takes this away)")
                words = " ".join(session.vt.text().split())
                self.assertIn(" ".join(said.split()), words, columns)

    def test_a_name_is_the_tensor_before_its_size(self):
        with start(chapter="multihead") as session:
            for name in ("attn_weights", "keys", "attn_scores"):
                session.press(f"g{name}\r", f" {name} ")
                self.assertIn("tensor(", session.vt.text())

    def test_seed(self):
        self.session.press("gattn_scores\r", " attn_scores ")
        before = self.session.vt.text()
        self.session.press("s", "seed (now 123):")
        self.session.press("124\r", "seed 124: 72 of 72 cells changed")
        self.assertEqual(len(self.session.vt.reversed_text()), 72)
        self.assertNotEqual(self.session.vt.lines()[2], before.split("\n")[2])
        self.session.press("ginputs\r", " inputs ")
        self.assertEqual(self.session.vt.reversed_text(), [])
        self.session.press("gattn_scores\r")
        self.session.press("s123\r", "seed 123: 72 of 72")
        self.assertEqual(self.session.vt.lines()[1:-1], before.split("\n")[1:-1])
        self.session.press("s123\r", "seed 123: 0 of 72 cells changed")
        self.assertEqual(self.session.vt.reversed_text(), [])
        self.session.press("s-1\r", "seed -1: 72 of 72")
        self.assertRegex(self.title(), r"seed -1$")
        self.session.press("s", "seed (now -1):")
        self.session.press("-9223372036854775809\r", "is no seed")
        self.session.press("s99999999999999999999\r", "is no seed")

    def test_keys_page(self):
        page = self.session.press("?", "Any key goes back")
        for key in ("Enter, space", "b ", "g ", "/ ", "e ", "h ", "c ", "s ", "q "):
            self.assertIn(key, page)
        self.assertIn("tensor(", self.session.press("x"))
        self.session.press("x", "no such key")

    def test_quit(self):
        self.session.keys("q")
        self.assertEqual(self.session.end(), 0)
        self.assertEqual(self.session.given_back(), [])
        self.assertIn("\x1b[?1049l", self.session.raw)

    def test_quit_from_keys_page(self):
        self.session.press("?", "Any key goes back")
        self.session.keys("q")
        self.assertEqual(self.session.end(), 0)


def processor_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Large(unittest.TestCase):
    def test_a_heat_map_of_millions_of_cells_opens_at_once(self):
        with start("--tokens", "1000", "--threshold", "99999999") as session:
            session.press("gattn_scores\r", " attn_scores ")
            before = processor_seconds(session.pid)
            session.press("h", "columns 0-")
            session.press("\x1bOF", "of ")
            self.assertLess(processor_seconds(session.pid) - before, 3)  # all its lines: 6 s and more
            session.press("h", "grad_fn")


class Scrolling(unittest.TestCase):
    def test_up_and_down(self):
        with start("--steps", "all", rows=7) as session:
            top = session.vt.lines()[1]
            session.press("\x1bOB")
            self.assertNotEqual(session.vt.lines()[1], top)
            session.press("\x1bOA")
            self.assertEqual(session.vt.lines()[1], top)
            session.press("\x1b[6~")
            down = session.vt.lines()[1]
            self.assertNotEqual(down, top)
            session.press("\x1b[5~")
            self.assertEqual(session.vt.lines()[1], top)
            session.press("\x1bOF")
            end = session.vt.text()
            session.press("\x1bOB")
            self.assertEqual(session.vt.text(), end)
            session.press("\x1bOH")
            self.assertEqual(session.vt.lines()[1], top)

    def test_sideways(self):
        with start("--steps", "all", columns=30) as session:
            line = session.vt.lines()[2]
            session.press("\x1bOC")
            self.assertNotEqual(session.vt.lines()[2], line)
            for _ in range(30):
                session.press("\x1bOC")
            self.assertIn("]", session.vt.text())
            for _ in range(31):
                session.keys("\x1bOD")
            session.settle()
            self.assertEqual(session.vt.lines()[2], line)


class Large(unittest.TestCase):
    def test_scrolling_makes_no_page_anew(self):
        with start("--tokens", "700", "--threshold", "99999999") as session:
            session.press("gattn_scores\r")
            session.wait_for(" attn_scores ", 60)
            begun = time.monotonic()
            session.keys("\x1bOB" * 60)
            session.wait_for("61-", 60)
            self.assertLess(time.monotonic() - begun, 6)


class Windows(unittest.TestCase):
    def test_narrow(self):
        for rows, columns in ((5, 20), (3, 10), (2, 4), (1, 1)):
            with self.subTest(rows=rows, columns=columns):
                session = Session([PROGRAM, "causal", "--step"], rows, columns)
                with session:
                    session.settle(0.5)
                    for keys in (" ", "e", "h", "c0,0\r", "?", "x", "s7\r", "/1\r", "g2\r", "\x1b[6~"):
                        session.press(keys)
                        self.assertIsNone(session.status)
                    if columns >= 20:
                        self.assertIn("/", session.vt.lines()[0])
                    session.keys("q")
                    self.assertEqual(session.end(), 0)
                    self.assertEqual(session.given_back(), [])

    def test_resize(self):
        with start() as session:
            session.resize(5, 20)
            self.assertLessEqual(max(map(len, session.vt.lines())), 20)
            self.assertIn("q quit", session.vt.lines()[4])
            session.resize(40, 120)
            self.assertIn("q quit", session.vt.lines()[39])
            self.assertIn("s seed", session.vt.lines()[39])
            session.press("ggone", "go to step: gone")
            session.resize(10, 60)
            self.assertIn("go to step: gone", session.vt.lines()[9])
            session.press("\x1b")
            session.keys("q")
            self.assertEqual(session.end(), 0)
            self.assertEqual(session.given_back(), [])


class Ends(unittest.TestCase):
    def test_signals(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGABRT, signal.SIGSEGV):
            with self.subTest(number=number), start() as session:
                session.press(" ")
                session.signal(number)
                self.assertEqual(os.WTERMSIG(session.end()), number)
                self.assertEqual(session.given_back(), [])

    def test_every_deadly_signal(self):
        harmless = {signal.SIGKILL, signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU, signal.SIGCHLD,
                    signal.SIGCONT, signal.SIGURG, signal.SIGWINCH}
        for number in sorted(signal.valid_signals() - harmless):
            with self.subTest(number=number), start() as session:
                session.signal(number)
                self.assertEqual(os.WTERMSIG(session.end()), number)
                self.assertEqual(session.given_back(), [])

    def test_control_c(self):
        for keys in ("\x03", "g12\x03", "?\x03"):
            with self.subTest(keys=keys), start() as session:
                session.keys(keys)
                self.assertEqual(os.WTERMSIG(session.end()), signal.SIGINT)
                self.assertEqual(session.given_back(), [])

    def test_stop_and_continue(self):
        # A shell's child: a process group whose leader's parent is in another one can be stopped.
        with start() as session:
            screen = session.vt.text()
            session.signal(signal.SIGSTOP)
            os.waitpid(session.pid, os.WUNTRACED)
            session.vt.resize(24, 80)
            session.signal(signal.SIGCONT)
            session.wait_for(HINT)
            self.assertEqual(session.vt.text(), screen)
            session.keys("q")
            self.assertEqual(session.end(), 0)
            self.assertEqual(session.given_back(), [])

    def test_control_z(self):
        shell = f"set -m; {PROGRAM} causal --step; echo stopped $?; fg > /dev/null; echo ended $?"
        with Session(["/bin/bash", "-c", shell]) as session:
            session.wait_for("keys")
            session.keys("\x1a")
            session.press(" ", " 2/")  # stopped, and taken up again by fg
            self.assertIn("stopped 148", session.raw)
            between = session.raw[:session.raw.index("stopped 148")]
            self.assertTrue(between.rfind("\x1b[?1049l") > between.rfind("\x1b[?1049h"))
            session.keys("q")
            session.end()
            self.assertIn("ended 0", session.raw)
            self.assertEqual(session.given_back(), [])


class Terminals(unittest.TestCase):
    def refused(self, **streams):
        return subprocess.run([PROGRAM, "causal", "--step"], stderr=subprocess.PIPE, text=True, timeout=60, **streams)

    def test_no_terminal(self):
        run = self.refused(stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        self.assertEqual(run.returncode, 2)
        self.assertEqual(run.stdout, "")
        self.assertRegex(run.stderr,
                         r"^attn-walkthrough: error: --step needs a terminal[^\n]*accepted[^\n]*try[^\n]*\n$")

    def test_terms(self):
        for term in ("xterm-256color", "screen", "linux", "vt100", "ansi", "xterm-ghostty-of-tomorrow"):
            with self.subTest(term=term), Session([PROGRAM, "causal", "--step"], environment={"TERM": term}) as session:
                session.settle(0.5)
                self.assertIn("1/", session.vt.text())
                session.press("h")
                session.press(" ")
                session.keys("q")
                self.assertEqual(session.end(), 0)
                self.assertEqual(session.given_back(), [])

    def test_unusable_terms(self):
        for term in ("dumb", "no-such-terminal", "", None):
            with self.subTest(term=term), Session([PROGRAM, "causal", "--step"], environment={"TERM": term}) as session:
                self.assertEqual(os.waitstatus_to_exitcode(session.end()), 2)
                line = session.vt.text().replace("\n", "")
                self.assertIn("accepted is", line)
                self.assertEqual(session.given_back(), [])
            advised = re.search(r"try TERM=([\w-]+), or without --step", line).group(1)
            self.assertNotEqual(advised, term)
            with start(environment={"TERM": advised}) as session:
                session.keys("q")
                self.assertEqual(session.end(), 0)

    def test_no_colour(self):
        with start(environment={"NO_COLOR": "1"}) as session:
            session.press("h")
            self.assertEqual(session.vt.colours, set())

    def test_ascii(self):
        with start(environment={"LC_ALL": "C"}) as session:
            for key in "he":
                session.press(key)
            self.assertTrue(session.vt.text().isascii())


if __name__ == "__main__":
    unittest.main(verbosity=1)
