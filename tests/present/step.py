"""--step on a pseudo-terminal: step.py PROGRAM. Keys in, screen out; and the terminal is given back however it ends."""

import json
import os
import re
import signal
import subprocess
import tempfile
import time
import unittest

import numpy

import harness
from harness import BINARY, output_of, run
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


def numbers_of(step, *arguments, chapter="causal"):
    """A step's numbers, as print has them, row by row."""
    printed = text_of(chapter, "--only", step, "--no-grad", *arguments)
    return re.findall(r"-?(?:\d+\.\d+|inf)|nan", printed)


def words(text):
    return " ".join(text.split())


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
        self.session.press("b", " introduction ")

    def test_last_step(self):
        count = int(re.search(r"/(\d+)", self.title()).group(1))
        self.session.press("g")
        self.session.press(f"{count}\r", f"{count}/{count}")
        self.session.press(" ", " summary ")

    def test_jump(self):
        self.session.press("g", "go to step:")
        self.assertTrue(self.session.vt.visible)
        self.session.press("attn_scores\r", " attn_scores ")
        self.session.press("g2\r", " 2/")
        self.session.press("gKEYS\r", " keys ")
        self.session.press("g999\r", "no step '999'; try 1 to")
        self.session.press("gnonsense\r", "no step 'nonsense'")
        self.assertIn(" keys ", self.title())
        self.session.press("gquer\x7f\x7f\x7f\x7f3\r", " 3/")
        self.session.press("g1\x1b", HINT)
        self.assertIn(" 3/", self.title())

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
        self.assertRegex(self.last(), "index 9 is outside axis 0")
        self.session.press("cfoo[\r")
        self.assertTrue(self.last())
        self.session.press("cqueris[0,0,1]\r", "no step is named 'queris'")
        self.session.press("cqueries[0,0,1]\r", "queries[0, 0, 1] = ")
        self.session.press("c\x1b")
        self.assertIn("queries[0, 0, 1] = ", self.session.vt.text())

    def test_a_derivation_is_whole_at_any_width(self):
        """Nothing of it is cut at the right: what --cell says stands on the screens of it, line after line."""
        said = text_of("causal", "--cell", "attn_weights[1, 2, 0]")
        for columns in (200, 80, 40):
            with start(rows=70, columns=columns) as session:
                session.press("gattn_weights\r", " attn_weights ")
                session.press("c1, 2, 0\r", "(Escape closes this)")
                self.assertIn(words(said), words(session.vt.text()))

    def test_a_name_is_the_tensor_before_its_size(self):
        with start(chapter="multihead") as session:
            for name in ("attn_weights", "keys", "attn_scores"):
                session.press(f"g{name}\r", f" {name} ")
                self.assertIn("tensor(", session.vt.text())

    def test_keys_page(self):
        page = self.session.press("?", "any other key goes back")
        for key in ("Enter, space", "b", "g", "e", "h", "c", "Tab", "w", "W", "arrows", "Escape", "q"):
            self.assertRegex(page, rf"(?m)^{key}\s")
        self.assertIn("tensor(", self.session.press("x"))
        self.session.press("x", "unknown key")

    def test_quit(self):
        self.session.keys("q")
        self.assertEqual(self.session.end(), 0)
        self.assertEqual(self.session.given_back(), [])
        self.assertIn("\x1b[?1049l", self.session.raw)

    def test_quit_from_keys_page(self):
        self.session.press("?", "any other key goes back")
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

    def test_scrolling_makes_no_page_anew(self):
        with start("--tokens", "700", "--threshold", "99999999") as session:
            session.press("gattn_scores\r")
            session.wait_for(" attn_scores ", 60)
            begun = time.monotonic()
            session.keys("\x1bOB" * 60)
            session.wait_for("61-", 60)
            self.assertLess(time.monotonic() - begun, 6)


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


class Reading(unittest.TestCase):
    """Enter, --explain and --heatmap."""

    def test_enter_passes_no_unseen_line(self):
        paged = 0
        for rows, columns in ((24, 80), (10, 40)):
            with self.subTest(rows=rows), start("--explain", rows=rows, columns=columns, at=None) as session:
                title, last = "", 0
                for _ in range(60):
                    screen = session.vt.lines()
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

    def test_explained_from_the_beginning(self):
        with start("--explain", rows=50, columns=160, chapter="trainable") as session:
            told = session.press("gattn_weights_2\r", " attn_weights_2 ")
            own = told.index("torch.softmax(scaled_attn_scores_2 [6], dim=-1)")
            self.assertLess(own, told.index("on the way: scaled_attn_scores_2 = "))
            session.press("gattn_scores_2\r")
            prose = [line for line in session.vt.lines()[1:-1] if line.strip() and "tensor(" not in line and "  [" not in line]
            self.assertGreater(len(prose), 2)
            self.assertLessEqual(max(len(line.rstrip()) for line in prose), 78)
        with start("--heatmap") as session:
            self.assertIn("Your", session.press("gattn_weights\r"))
        with start() as session:
            plain = session.press("gattn_weights\r")
            self.assertNotIn("Your", plain)
            self.assertNotIn("->", plain)


class Frames(unittest.TestCase):
    """What stands before the first step and after the last."""

    def test_both_ends(self):
        for rows, columns in SIZES:
            with self.subTest(rows=rows, columns=columns), start(rows=rows, columns=columns, at=None) as session:
                self.assertTrue(session.vt.lines()[0].startswith(" introduction "))
                said = text_of("causal", "--explain")
                question = words(said.split("#\n")[0].replace("# ", ""))
                self.assertIn(question[:30], words(session.vt.text()))
                session.press("b", "this is the introduction")
                onward(session, " 1/9 keys")
                session.press("b", " introduction ")
                session.press("g9\r", " 9/9 ")
                onward(session, " summary ")
                ending = words(session.vt.text())
                for _ in range(20):
                    ending += words(session.press(PAGE_DOWN))
                self.assertIn("Next steps:", ending)
                self.assertIn("attn-walkthrough causal --what-if", ending)
                session.press("\r", "this is the end")
                session.press("b", " 9/9 ")

    def test_the_question_the_formula_and_the_map(self):
        said = text_of("causal", "--explain", "--linewidth", "160")
        opening = words(said.split("\nkeys")[0].replace("# ", "").replace("#\n", "\n"))
        with start(rows=50, columns=158, at=None) as session:
            shown = words("\n".join(session.vt.lines()[1:-1]))
            self.assertEqual(shown, opening[:len(shown)])
            self.assertGreater(len(shown), 300)

    def test_keys_there(self):
        with start(at=None) as session:
            for key in "ehcwW\t":
                session.press(key, "no step here")
            onward(session, " 1/9 keys")
            session.press("gcontext_vecs\r")
            onward(session, " summary ")
            session.press("gkeys\r", " 1/9 keys")

    def test_some_steps_alone_have_none(self):
        with start("--only", "attn_scores", at=None) as session:
            self.assertTrue(session.vt.lines()[0].startswith(" 1/1 attn_scores "))
            session.press("\r", "this is the last step")
            session.press("b", "this is the first step")


class Chapters(unittest.TestCase):
    """all --step, and tour: one chapter after the other."""

    def session(self, *arguments):
        session = Session([BINARY, *arguments])
        self.addCleanup(session.close)
        session.wait_for("keys")
        return session

    def test_onward_and_back(self):
        session = self.session("all", "--article", "primer", "--step")
        steps = [self.count(chapter, "--article", "primer") for chapter in ("simplified", "trainable")]
        session.press("b", "this is the introduction")
        session.press(f"g{steps[0]}\r", f" {steps[0]}/{steps[0]} ")
        session.press("\r", " summary ")
        session.press("\r", " introduction ")
        onward(session, f" 1/{steps[1]} ")
        session.press("b", " introduction ")
        session.press("b", " summary ")
        session.press("b", f" {steps[0]}/{steps[0]} ")
        session.press("\r", " summary ")
        session.press("\r", " introduction ")
        session.press(f"g{steps[1]}\r")
        session.press("\r", " summary ")
        session.press("\r", "this is the end")
        session.keys("q")
        self.assertEqual(session.end(), 0)
        self.assertEqual(session.given_back(), [])

    @staticmethod
    def count(chapter, *arguments):
        return len(json.loads(output_of(chapter, *arguments, "--format", "json"))["steps"])

    def test_only_some_steps(self):
        """Of the chapters that have them, without introductions."""
        session = self.session("all", "--only", "dropout_mask", "--step")
        self.assertIn(" 1/1 dropout_mask ", session.vt.lines()[0])
        session.press("b", "this is the first step")
        session.press("\r", " 1/2 dropout_mask ")
        session.press("\r", " 2/2 dropout_mask ")
        session.press("\r", " 1/1 dropout_mask ")
        session.press("\r", "this is the last step")
        session.press("b", " 2/2 dropout_mask ")
        session.keys("q")
        self.assertEqual(session.end(), 0)
        done = run("all", "--only", "nonsense", "--step")
        self.assertEqual((done.returncode, done.stdout), (2, b""))

    def test_tour(self):
        """All chapters with their introductions: here in the presenter, elsewhere as text."""
        session = self.session("tour")
        told = output_of("tour").decode()
        chapters = re.findall(r"(?m)^# (\w+)\n# (.*)", told)
        articles = {}
        for row in json.loads(output_of("list", "--format", "json"))["chapters"]:
            articles.setdefault(row["chapter"], row["article"])
        self.assertEqual([name for name, _ in chapters], list(articles))
        for at, (name, question) in enumerate(chapters):
            article = [] if articles[name] == "blog" else ["--article", articles[name]]
            alone = output_of(name, *article, "--explain").decode()
            self.assertIn(alone, told)
            self.assertIn(question[:40], words(session.vt.text()))
            session.press(f"g{self.count(name)}\r")
            onward(session, " summary ")
            onward(session, "this is the end" if at == len(chapters) - 1 else " introduction ")
        session.keys("q")
        self.assertEqual(session.end(), 0)
        with Session([BINARY, "tour"], environment={"TERM": "dumb", "PAGER": "cat"}) as session:
            self.assertEqual(session.end(), 0)


class Cells(unittest.TestCase):
    def test_arrows_go_to_every_cell(self):
        numbers = numbers_of("attn_scores")
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
                            tokens = ("Your", "journey", "starts", "with", "one", "step")
                            for token in (tokens[row % 6], tokens[column]):
                                self.assertIn(token, shown)
                            session.press(RIGHT)
                        session.press(DOWN * 3 + HOME)
                    self.assertIn("[1, 5, 0]", session.vt.text())
                    session.press(END, "[1, 5, 5]")
                    session.press(UP, "[1, 4, 5]")
                    session.press(LEFT, "[1, 4, 4]")
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
            session.press("h")
            self.assertEqual(session.vt.reversed_text()[0], chosen)
            session.press("h")
            session.press("c9,9,9\r", "outside axis")
            self.assertEqual(session.vt.reversed_text()[0], chosen)
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
            seen = words(below)
            for _ in range(30):
                seen += words(session.press(PAGE_DOWN))
            self.assertIn("(Escape closes this)", seen)
            for _ in range(31):
                session.press(PAGE_UP)
            self.assertEqual(session.vt.text(), first)

    def test_only_shown_cells_of_large_tensors(self):
        for view in "", "h":
            with self.subTest(view=view), start("--tokens", "40") as session:
                session.press("gattn_scores\r" + view, " attn_scores ")
                session.press("\t" + END, "attn_scores[0, 0, 39] = ")
                session.press(LEFT * 3, "attn_scores[0, 0, 2] = ")
                session.press(DOWN * 3, "attn_scores[0, 37, 2] = ")
                session.press(DOWN * 3, "attn_scores[1, 0, 2] = ")
                session.press("c1,20,20\r", "attn_scores[1, 20, 20] = ")
                session.press(DOWN)
                self.assertIn("attn_scores[1, 20, 20] = ", session.vt.text())  # not shown, so not chosen
                session.press("c1,38,2\r", "attn_scores[1, 38, 2] = ")
                session.press(DOWN, "attn_scores[1, 39, 2] = ")
                session.press(DOWN)
                self.assertIn("attn_scores[1, 39, 2] = ", session.vt.text())

    def test_steps_without_cells(self):
        with start(chapter="multihead") as session:
            session.press("gkeys.shape\r")
            for _ in range(40):
                if "torch.Size" in session.vt.text() and "tensor(" not in session.vt.text():
                    break
                session.press("\r")
            session.press("\t", "this step has no cells")
            session.press("c", "this step has no cells")


class Rules(unittest.TestCase):
    def test_views(self):
        for rows, columns in SIZES:
            with self.subTest(rows=rows, columns=columns), start(rows=rows, columns=columns) as session:
                session.press("gattn_weights\r", " attn_weights ")
                plain = session.vt.text().split("\n")[1:-1]
                session.press("w", "1 no-scaling")
                session.press("1", "what if no-scaling")
                session.press("w", "difference: no-scal")
                session.press("w", "attn_weights  original")
                self.assertEqual(session.vt.text().split("\n")[1:-1], plain)
                session.press("W2", "what if no-mask")
                session.press("W3", "what if mask-after-s")
                session.press("Wx")
                self.assertIn("what if mask-after-s", session.vt.lines()[0])

    def test_numbers_and_sentences(self):
        rules = ("no-scaling", "no-mask", "mask-after-softmax", "no-rescale", "softmax-dim-0", "same-weights")
        as_is = numbers_of("attn_weights")
        with start(rows=60) as session:
            session.press("gattn_weights\r", " attn_weights ")
            for number, rule in enumerate(rules):
                session.press(f"W{number + 1}", f"what if {rule}")
                said = text_of("causal", "--what-if", rule)
                self.assertIn(words(said.split("\n")[0][2:]), words(session.vt.text()))
                with tempfile.TemporaryDirectory() as folder:
                    arguments = ["causal", "--what-if", rule, "--save", os.path.join(folder, "new")]
                    output_of(*arguments)
                    changed = numpy.load(os.path.join(folder, "new", "attn_weights.npy")).ravel()
                    before = [float(number) for number in as_is]
                    output_of("causal", "--save", os.path.join(folder, "as_is"))
                    difference = changed - numpy.load(os.path.join(folder, "as_is", "attn_weights.npy")).ravel()
                shown = re.findall(r"-?\d\.\d{4}|nan", "\n".join(session.vt.lines()[1:-1]))[:72]
                numpy.testing.assert_allclose([float(n) for n in shown], changed, atol=5.1e-5)
                moved = [old != new for old, new in zip(as_is, shown)]
                self.assertEqual(len(session.vt.reversed_text()), sum(moved))
                session.press("w", "difference: ")
                if not any(moved):
                    self.assertIn("same as before", session.vt.text())
                    continue
                shown = re.findall(r"-?\d\.\d{4}|nan", "\n".join(session.vt.lines()[1:-1]))[:72]
                numpy.testing.assert_allclose([float(n) for n in shown], difference, atol=5.1e-5)
                self.assertEqual(len(before), 72)

    def test_steps_that_a_rule_leaves_alone_or_takes_away(self):
        said = text_of("causal", "--what-if", "no-mask")
        same = {name for line in re.findall(r"(?m)^# (.*): same as before$", said) for name in line.split(", ")}
        with start(rows=60) as session:
            session.press("w2")
            seen = set()
            for step in range(1, 10):
                session.press(f"g{step}\r", f" {step}/9 ")
                name = session.vt.lines()[0].split()[1]
                name += ".shape" if "torch.Size" in session.vt.text() else ""
                if "same as before" in session.vt.text():
                    seen.add(name)
                if name == "masked_attn_scores":
                    self.assertIn("no masked_attn_scores here", session.vt.text())
                    session.press("\t", "no cells")
                    session.press("w", "difference: ")
                    self.assertIn("no masked_attn_scores here", session.vt.text())
                    session.press("ww", "what if no-mask")
            self.assertEqual(seen, same)
            session.press("W3gattn_weights\r", "what if mask-after-softmax")
            self.assertIn("only with the change: unmasked_attn_weights", session.vt.text())

    def test_differences_are_coloured_around_what_is_the_same(self):
        with start() as session:
            session.press("gattn_weights\rw2", "what if no-mask")
            session.vt.colours.clear()
            session.press("w", "difference: ")
            self.assertGreater(len([colour for colour in session.vt.colours if colour[0] == 48]), 2)

    def test_one_rule_needs_no_list(self):
        with start(chapter="simplified") as session:
            session.press("w", "what if softmax-dim-0")


class Windows(unittest.TestCase):
    def test_narrow(self):
        for rows, columns in ((5, 20), (3, 10), (2, 4), (1, 1)):
            with self.subTest(rows=rows, columns=columns):
                session = Session([BINARY, "causal", "--step"], rows, columns)
                with session:
                    session.settle(0.5)
                    for keys in (" ", "e", "h", "c0,0\r", "?", "x", "\t", DOWN, RIGHT, PAGE_DOWN, "w", "1", "h",
                                 "w", DOWN, "w", "\x1b", "\t", "W", "2", "g9\r", "\r", "\r", "b", "g2\r", "\x1b[6~"):
                        session.press(keys)
                        self.assertTrue(session.is_alive())
                    if columns >= 20:
                        self.assertIn("/", session.vt.lines()[0])
                    session.keys("q")
                    self.assertEqual(session.end(), 0)
                    self.assertEqual(session.given_back(), [])

    def test_the_chosen_cell_stays_in_sight(self):
        number = numbers_of("attn_scores")[71]
        for view in "", "h":
            with self.subTest(view=view), start(rows=40, columns=120) as session:
                session.press("gattn_scores\r" + view + "c1,5,5\r", "[1, 5, 5]")
                for rows, columns in ((10, 40), (24, 80), (6, 30), (50, 160)):
                    session.resize(rows, columns)
                    session.press("e")
                    session.press("e")
                    self.assertEqual(session.vt.reversed_text()[0], number, session.vt.text())

    def test_resize(self):
        with start() as session:
            session.resize(5, 20)
            self.assertLessEqual(max(map(len, session.vt.lines())), 20)
            self.assertIn("q quit", session.vt.lines()[4])
            session.resize(40, 120)
            self.assertIn("q quit", session.vt.lines()[39])
            self.assertIn("w what if", session.vt.lines()[39])
            session.press("ggone", "go to step: gone")
            session.resize(10, 60)
            self.assertIn("go to step: gone", session.vt.lines()[9])
            session.press("\x1b")
            session.keys("q")
            self.assertEqual(session.end(), 0)
            self.assertEqual(session.given_back(), [])


class Ends(unittest.TestCase):
    def test_signals(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with self.subTest(number=number), start() as session:
                session.press(" ")
                session.signal(number)
                self.assertEqual(session.end(), -number)
                self.assertEqual(session.given_back(), [])

    def test_control_c(self):
        for keys in ("\x03", "g12\x03", "?\x03"):
            with self.subTest(keys=keys), start() as session:
                session.keys(keys)
                self.assertEqual(session.end(), -signal.SIGINT)
                self.assertEqual(session.given_back(), [])

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
            session.keys("q")
            session.end()
            self.assertIn("ended 0", session.raw)
            self.assertEqual(session.given_back(), [])


class Terminals(unittest.TestCase):
    def refused(self, **streams):
        return run("causal", "--step", text=True, **streams)

    def test_no_terminal(self):
        done = self.refused(stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr,
                         r"^attn-walkthrough: error: --step needs an interactive terminal; standard input is not one; try[^\n]*\n$")

    def test_terms(self):
        for term in ("xterm-256color", "screen", "linux", "vt100", "ansi", "xterm-ghostty-of-tomorrow"):
            with self.subTest(term=term), Session([BINARY, "causal", "--step"], environment={"TERM": term}) as session:
                session.settle(0.5)
                onward(session, "1/")
                session.press("h")
                session.press(" ")
                session.keys("q")
                self.assertEqual(session.end(), 0)
                self.assertEqual(session.given_back(), [])

    def test_unusable_terms(self):
        for term in ("dumb", "no-such-terminal", "", None):
            with self.subTest(term=term), Session([BINARY, "causal", "--step"], environment={"TERM": term}) as session:
                self.assertEqual(session.end(), 2)
                line = session.vt.text().replace("\n", "")
                self.assertIn("TERM must be", line)
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

    def test_colour_as_asked_for(self):
        for value, variables, is_coloured in (("always", {"NO_COLOR": "1"}, True), ("never", {}, False), ("auto", {"NO_COLOR": "1"}, False)):
            with self.subTest(value=value), start("--color", value, environment=variables) as session:
                session.press("h")
                self.assertEqual(session.vt.colours != set(), is_coloured)

    def test_ascii(self):
        with start(environment={"LC_ALL": "C"}) as session:
            for key in "he":
                session.press(key)
            self.assertTrue(session.vt.text().isascii())


if __name__ == "__main__":
    harness.main()
