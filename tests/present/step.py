"""--step and --predict on a pseudo-terminal: step.py PROGRAM. Keys in, screen out; the terminal is given back however it ends."""

import json
import os
import re
import signal
import subprocess
import unittest

import numpy

import harness
from harness import BINARY, Terminal, run
from vt import Session

HINT = "? keys"
UP, DOWN, RIGHT, LEFT, HOME, END = "\x1bOA", "\x1bOB", "\x1bOC", "\x1bOD", "\x1bOH", "\x1bOF"
PAGE_DOWN, PAGE_UP = "\x1b[6~", "\x1b[5~"
SIZES = ((24, 80), (10, 40), (50, 160))


def start(*options, chapter="causal", rows=24, columns=80, environment=None, at="g1\r"):
    """A session, by default at the first step."""
    session = Session([BINARY, chapter, "--step", *options], rows, columns, environment)
    session.wait_for("keys")
    if at:
        session.press(at)
    return session


def onward(session, wanted):
    """Enter, through all lines that were not seen, until that is there; each screen on the way has other lines."""
    seen = session.vt.text()
    for _ in range(40):
        before, seen = seen, session.press("\r")
        if wanted in seen:
            return
        assert seen != before, seen
    raise AssertionError(f"no {wanted!r} after 40 times Enter")


def text_of(*arguments):
    return harness.text_of(*arguments, env={**os.environ, "LC_ALL": "C.UTF-8"})  # the presenter's, in vt.py


def steps_of(*arguments):
    return json.loads(text_of(*arguments, "--format", "json"))["steps"]


def values_of(step):
    return numpy.array(step["values"], float).ravel()


def words(text):
    return " ".join(text.split())


class Case(unittest.TestCase):
    def quit(self, session, code=0):
        """Ends the session, which gives the terminal back."""
        if code == 0:
            session.keys("q")
        self.assertEqual(session.end(), code)
        self.assertEqual(session.given_back(), [])


class Moving(Case):
    def setUp(self):
        self.session = start("--steps", "all")
        self.addCleanup(self.session.close)

    def test_next_and_back(self):
        for key, wanted in (("\r", " 2/"), (" ", " 3/"), ("b", " 2/"), ("\x7f", " 1/"), ("b", " introduction ")):
            self.session.press(key, wanted)
        self.quit(self.session)
        self.assertIn("\x1b[?1049l", self.session.raw)

    def test_jump(self):
        self.session.press("g", "go to step:")
        self.assertTrue(self.session.vt.visible)
        for keys, wanted in (("attn_scores\r", " attn_scores "), ("g2\r", " 2/"), ("gKEYS\r", " keys "),
                             ("g999\r", "no step '999'; try 1 to"),
                             ("gnonsense\r", "no step 'nonsense'"), ("gquer\x7f\x7f\x7f\x7f3\r", " 3/"), ("g1\x1b", HINT)):
            self.session.press(keys, wanted)
        self.assertIn(" 3/", self.session.vt.shown()[0])

    def test_explain(self):
        plain = self.session.press("gattn_scores\r", " attn_scores ")
        self.assertIn("->", self.session.press("e"))
        self.assertIn("->", self.session.press(" "))  # stays on
        self.session.press("b")
        self.assertEqual(self.session.press("e"), plain)

    def test_heat_map(self):
        plain = self.session.press("gattn_weights\r", " attn_weights ")
        self.session.vt.colours.clear()
        shown = self.session.press("h")
        self.assertNotIn("tensor(", shown)
        self.assertIn("journey", shown)
        self.assertIn(48, self.session.vt.colours)
        self.assertEqual(self.session.press("h").split("\n")[1:-1], plain.split("\n")[1:-1])

    def test_keys_page(self):
        page = self.session.press("?", "any other key goes back")
        for key in ("Enter, space", "b", "g", "e", "h", "c", "Tab", "w", "W", "arrows", "Escape", "q"):
            self.assertRegex(page, rf"(?m)^{key}\s")
        self.assertIn("tensor(", self.session.press("x"))
        self.session.press("x", "unknown key")


class Reading(Case):
    def test_scrolling(self):
        with start("--steps", "all", rows=7) as session:
            top = session.vt.shown()[1]
            for there, back in ((DOWN, UP), (PAGE_DOWN, PAGE_UP), (END + DOWN, HOME)):
                session.press(there)
                self.assertNotEqual(session.vt.shown()[1], top)
                session.press(back)
                self.assertEqual(session.vt.shown()[1], top)
        with start("--steps", "all", columns=30) as session:
            line = session.vt.shown()[2]
            self.assertIn("]", session.press(RIGHT * 31))
            self.assertNotEqual(session.vt.shown()[2], line)
            session.press(LEFT * 32)
            self.assertEqual(session.vt.shown()[2], line)

    def test_enter_passes_no_unseen_line(self):
        paged = 0
        for rows, columns in ((24, 80), (10, 40)):
            with self.subTest(rows=rows, columns=columns), start("--explain", rows=rows, columns=columns, at=None) as session:
                title, last = "", 0
                for _ in range(60):
                    screen = session.vt.shown()
                    place = re.search(r"(\d+)-(\d+) of (\d+) lines", screen[-1])
                    first = int(place[1]) if place else 1
                    if title == screen[0]:
                        self.assertTrue(1 < first <= last + 1, screen)
                        paged += 1
                    else:
                        self.assertEqual(first, 1, screen)
                    title, last = screen[0], int(place[2]) if place else 0
                    if place and place[2] != place[3]:
                        self.assertEqual(session.press("\r").splitlines()[0].rstrip(), title.rstrip())
                    elif " summary " in title:
                        break
                    else:
                        session.press("\r")
                self.assertIn(" summary ", title)
        self.assertGreater(paged, 20)

    def test_a_derivation_is_whole_at_any_width(self):
        """Nothing of it is cut at the right: what --cell says stands on the screens of it, line after line."""
        said = text_of("causal", "--cell", "attn_weights[1, 2, 0]")
        for columns in (200, 80, 40):
            with start(rows=70, columns=columns) as session:
                session.press("gattn_weights\r", " attn_weights ")
                session.press("c1, 2, 0\r", "(Escape closes this)")
                self.assertIn(words(said), words(session.vt.text()))


class Chapters(Case):
    def test_one_after_the_other(self):
        """Each between an introduction, with its question, and a summary; in all of an article, and in the tour."""
        primer = [(name, ["--article", "primer"]) for name in ("simplified", "trainable")]
        told = re.findall(r"(?m)^# (\w+)\n# (.*)", text_of("tour"))
        self.assertGreater(len(told), 10)
        tour = [(name, ["--article", "modern"] if name == "average" else []) for name, _ in told[:2]]
        for command, chapters in ((["all", "--article", "primer", "--step"], primer), (["tour"], tour)):
            with self.subTest(command=command), Session([BINARY, *command]) as session:
                session.wait_for("keys")
                session.press("b", "this is the introduction")
                counts = [len(steps_of(name, *article)) for name, article in chapters]
                for at, (name, article) in enumerate(chapters):
                    question = words(text_of(name, *article, "--explain").split("#\n")[0].replace("# ", ""))
                    self.assertIn(question[:30], words(session.vt.text()))
                    onward(session, f" 1/{counts[at]} ")
                    session.press("b", " introduction ")
                    session.press(f"g{counts[at]}\r", f" {counts[at]}/{counts[at]} ")
                    onward(session, " summary ")
                    if at == 0:
                        onward(session, " introduction ")
                        session.press("b", " summary ")
                        session.press("b", f" {counts[0]}/{counts[0]} ")
                        onward(session, " summary ")
                        onward(session, " introduction ")
                if command[0] == "all":
                    onward(session, "this is the end")
                self.quit(session)

    def test_tour_as_text(self):
        """Elsewhere than on a terminal, a tour is what --explain says of its chapters."""
        told = text_of("tour")
        for article, chapters in (("", ("simplified", "causal", "multihead")), ("modern", ("grouped", "backward"))):
            for chapter in chapters:
                self.assertIn(text_of(chapter, *(["--article", article] if article else []), "--explain"), told)
        with Session([BINARY, "tour"], environment={"TERM": "dumb", "PAGER": "cat"}) as session:
            self.assertEqual(session.end(), 0)

    def test_summary(self):
        for rows, columns in SIZES:
            with self.subTest(rows=rows, columns=columns), start(rows=rows, columns=columns, at="g9\r") as session:
                onward(session, " summary ")
                ending = words(session.vt.text() + "".join(session.press(PAGE_DOWN) for _ in range(20)))
                self.assertIn("Next steps:", ending)
                self.assertIn("attn-walkthrough causal --what-if", ending)


class Cells(Case):
    def test_arrows_go_to_every_cell(self):
        numbers = re.findall(r"-?\d+\.\d+", text_of("causal", "--only", "attn_scores", "--no-grad"))
        tokens = ("Your", "journey", "starts", "with", "one", "step")
        for rows, columns in SIZES:
            for view in "", "h":
                with self.subTest(rows=rows, columns=columns, view=view), start(rows=rows, columns=columns) as session:
                    session.press("gattn_scores\r" + view, " attn_scores ")
                    self.assertEqual(session.vt.reversed_text(), [])
                    session.press("\t", "[0, 0, 0]")
                    for row in range(0, 12, 3):
                        for column in range(6):
                            place = f"[{row // 6}, {row % 6}, {column}]"
                            shown = session.wait_for(place)
                            self.assertEqual(session.vt.reversed_text()[0], numbers[row * 6 + column], place)
                            for token in (tokens[row % 6], tokens[column]):
                                self.assertIn(token, shown)
                            session.press(RIGHT)
                        session.press(DOWN * 3 + HOME)
                    self.assertIn("[1, 5, 0]", session.vt.text())
                    for keys, place in ((END, "[1, 5, 5]"), (UP, "[1, 4, 5]"), (LEFT, "[1, 4, 4]")):
                        session.press(keys, place)
                    session.press("\x1b")
                    self.assertEqual(session.vt.reversed_text(), [])

    def test_typed_and_chosen_cells(self):
        with start() as session:
            session.press("gattn_scores\r", " attn_scores ")
            session.press("c1", "cell of attn_scores (such as 1, 5, 5): 1")
            session.press(", 2, 0\r", "attn_scores[1, 2, 0] = ")
            self.assertFalse(session.vt.visible)
            session.press(DOWN, "attn_scores[1, 3, 0] = ")
            session.press("cstarts, with\r", "attn_scores[0, 2, 3] = ")
            chosen = session.vt.reversed_text()[0]
            for keys in ("h", "h", "c9,9,9\r"):
                session.press(keys)
                self.assertEqual(session.vt.reversed_text()[0], chosen)
            self.assertIn("outside axis", session.vt.text())
            session.press("\x1b")
            self.assertEqual(session.vt.reversed_text(), [])
            session.press("\t", "attn_scores[0, 2, 3] = ")
            session.press("cqueries[0,0,1]\r", "queries[0, 0, 1] = ")
            self.assertNotIn(chosen, session.vt.reversed_text())
            session.press("\r", " 5/9 ")
            self.assertEqual(session.vt.reversed_text(), [])

    def test_page_keys_scroll_what_is_below(self):
        with start(rows=10, columns=40) as session:
            session.press("gattn_scores\r", " attn_scores ")
            first = session.press("\t", "[0, 0, 0]")
            below = session.press(PAGE_DOWN)
            self.assertEqual(first.split("\n")[:4], below.split("\n")[:4])
            self.assertNotEqual(first, below)
            self.assertIn("(Escape closes this)", words(below + "".join(session.press(PAGE_DOWN) for _ in range(30))))
            self.assertEqual(session.press(PAGE_UP * 31), first)

    def test_only_shown_cells_of_large_tensors(self):
        for view in "", "h":
            with self.subTest(view=view), start("--tokens", "40") as session:
                session.press("gattn_scores\r" + view, " attn_scores ")
                for keys, index in (("\t" + END, "0, 0, 39"), (LEFT * 3, "0, 0, 2"), (DOWN * 3, "0, 37, 2"), (DOWN * 3, "1, 0, 2"),
                                    ("c1,20,20\r", "1, 20, 20"), (DOWN, "1, 20, 20"),  # from a cell that is not shown, nowhere
                                    ("c1,38,2\r", "1, 38, 2"), (DOWN, "1, 39, 2"), (DOWN, "1, 39, 2")):
                    session.press(keys)
                    self.assertIn(f"attn_scores[{index}] = ", session.vt.text())

    def test_steps_without_cells(self):
        with start(chapter="multihead") as session:
            session.press("gkeys.shape\r")
            if "tensor(" in session.vt.text():
                onward(session, "torch.Size")
            for key in ("\t", "c"):
                session.press(key, "this step has no cells")


class Rules(Case):
    def test_views(self):
        for rows, columns in SIZES:
            with self.subTest(rows=rows, columns=columns), start(rows=rows, columns=columns) as session:
                session.press("gattn_weights\r", " attn_weights ")
                plain = session.vt.text().split("\n")[1:-1]
                for keys, wanted in (("w", "1 no-scaling"), ("1", "what if no-scaling"), ("w", "attn_weights  original")):
                    session.press(keys, wanted)
                self.assertEqual(session.vt.text().split("\n")[1:-1], plain)
                for keys, wanted in (("W2", "what if no-mask"), ("W3", "what if mask-after-s"), ("Wx", "what if mask-after-s")):
                    session.press(keys, wanted)

    def test_numbers_and_sentences(self):
        rules = ("no-scaling", "no-mask", "mask-after-softmax", "no-rescale", "softmax-dim-0", "same-weights")
        with start(rows=60) as session:
            session.press("gattn_weights\r", " attn_weights ")
            shown = lambda: [float(number) for number in re.findall(r"-?\d\.\d{4}|nan", "\n".join(session.vt.shown()[1:-1]))[:72]]
            as_is = shown()
            for number, rule in enumerate(rules):
                session.press(f"W{number + 1}", f"what if {rule}")
                lesson = json.loads(text_of("causal", "--what-if", rule, "--format", "json"))
                step = next(step for step in lesson["steps"] if step["name"] == "attn_weights")
                self.assertIn(words(lesson["what_if"]["effect"]), words(session.vt.text()))
                changed = values_of(step)
                numpy.testing.assert_allclose(shown(), changed, atol=5.1e-5)
                self.assertEqual(len(session.vt.reversed_text()), sum(old != new for old, new in zip(as_is, shown())))
                if step["compared"] == "same as before":
                    self.assertIn("same as before", session.vt.text())

    def test_steps_that_a_rule_leaves_alone_or_takes_away(self):
        lesson = json.loads(text_of("causal", "--what-if", "no-mask", "--format", "json"))
        same = {(step["name"], step["kind"]) for step in lesson["steps"] if step["compared"] == "same as before"}
        with start(rows=60) as session:
            session.press("w2")
            seen = set()
            for step in range(1, 10):
                session.press(f"g{step}\r", f" {step}/9 ")
                name = session.vt.shown()[0].split()[1]
                if "same as before" in session.vt.text():
                    seen.add((name, "size" if "torch.Size" in session.vt.text() else "tensor"))
                if name == "masked_attn_scores":
                    for keys, wanted in (("", "no masked_attn_scores here"), ("\t", "no cells"), ("w", "original"), ("w", "what if no-mask")):
                        session.press(keys, wanted)
            self.assertEqual(seen, same)
            session.press("W3gattn_weights\r", "what if mask-after-softmax")
            self.assertIn("only with the change: unmasked_attn_weights", session.vt.text())


class Windows(Case):
    def test_narrow(self):
        for rows, columns in ((5, 20), (3, 10), (2, 4), (1, 1)):
            with self.subTest(rows=rows, columns=columns), Session([BINARY, "causal", "--step"], rows, columns) as session:
                for keys in (" ", "e", "h", "c0,0\r", "?", "x", "\t", DOWN, RIGHT, PAGE_DOWN, "w", "1", "h",
                             "w", DOWN, "w", "\x1b", "\t", "W", "2", "g9\r", "\r", "\r", "b", "g2\r", PAGE_DOWN):
                    session.press(keys)
                    self.assertTrue(session.is_alive())
                if columns >= 20:
                    self.assertIn("/", session.vt.shown()[0])
                self.quit(session)

    def test_resize(self):
        with start() as session:
            session.resize(5, 20)
            self.assertLessEqual(max(map(len, session.vt.shown())), 20)
            self.assertIn("q quit", session.vt.shown()[4])
            session.resize(40, 120)
            self.assertRegex(session.vt.shown()[39], "w what if.*q quit|q quit.*w what if")
            session.press("ggone", "go to step: gone")
            session.resize(10, 60)
            self.assertIn("go to step: gone", session.vt.shown()[9])
            session.press("\x1b")
            self.quit(session)


class Ends(Case):
    def test_signals_and_control_c(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with self.subTest(number=number), start() as session:
                session.signal(number)
                self.quit(session, -number)
        for keys in ("\x03", "g12\x03", "?\x03"):
            with self.subTest(keys=keys), start() as session:
                session.keys(keys)
                self.quit(session, -signal.SIGINT)

    def test_control_z(self):
        shell = f"set -m; {BINARY} causal --step; echo stopped $?; fg > /dev/null; echo ended $?"
        with Session(["/bin/bash", "-c", shell]) as session:
            session.wait_for("keys")
            session.keys("\x1a")
            # fg takes it up again, and drops keys that were typed before.
            session.wait_until(lambda: "\x1b[?1049h" in session.raw.partition("stopped 148")[2])
            session.wait_for("keys")
            onward(session, " 1/")
            self.assertIn("stopped 148", session.raw)
            between = session.raw[:session.raw.index("stopped 148")]
            self.assertTrue(between.rfind("\x1b[?1049l") > between.rfind("\x1b[?1049h"))
            self.quit(session)
            self.assertIn("ended 0", session.raw)


class Terminals(Case):
    def test_no_terminal(self):
        done = run("causal", "--step", text=True, stdin=subprocess.DEVNULL)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"^attn-walkthrough: error: --step needs an interactive terminal; standard input is not one; try[^\n]*\n$")

    def test_terms(self):
        for term in ("xterm-256color", "screen", "linux", "vt100", "ansi", "xterm-ghostty-of-tomorrow"):
            with self.subTest(term=term), start(environment={"TERM": term}, at=None) as session:
                onward(session, "1/")
                session.press("h")
                session.press(" ")
                self.quit(session)

    def test_unusable_terms(self):
        for term in ("dumb", "no-such-terminal", "", None):
            with self.subTest(term=term), Session([BINARY, "causal", "--step"], environment={"TERM": term}) as session:
                self.quit(session, 2)
                line = session.vt.text().replace("\n", "")
                self.assertIn("TERM must be", line)
            advised = re.search(r"try TERM=([\w-]+), or without --step", line).group(1)
            self.assertNotEqual(advised, term)
            with start(environment={"TERM": advised}) as session:
                self.quit(session)

    def test_colour_as_asked_for(self):
        for value, variables, is_coloured in (("always", {"NO_COLOR": "1"}, True),
                                              ("never", {}, False), ("auto", {"NO_COLOR": "1"}, False)):
            with self.subTest(value=value), start("--color", value, environment=variables) as session:
                session.press("h")
                self.assertEqual(session.vt.colours != set(), is_coloured)


class Predict(Case):
    def test_answers_on_a_terminal(self):
        """As in a pipe (tests/cases), but that what is no number is asked again."""
        for answers, score in ((["nonsense", "0.2379", "0.4419"], "score: 2 of 2 right"), (["0.3", "7"], "score: 0 of 2 right"),
                               (["0.2379"], "score: 1 of ")):
            terminal = Terminal([BINARY, "simplified", "--predict", "1", "--only", "attn_weights_2,context_vec_2"])
            terminal.type("".join(answer + "\n" for answer in answers).encode() + b"\x04")
            self.assertEqual(terminal.end(), 0)
            self.assertIn(score, terminal.text())


if __name__ == "__main__":
    harness.main()
