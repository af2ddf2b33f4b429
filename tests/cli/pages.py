"""What `verify` says of pages that readers of the lesson might publish: made by PyTorch, with seeds, sizes, inputs and print
calls of their own (../pages/kept.txt). Nothing that is true is called wrong, what is given or can be derived is
explained, and what is damaged is noticed."""
import functools
import json
import pathlib
import random
import re
import unittest

import numpy as np

import harness
import kept_pages
from harness import run

PAGES = kept_pages.folder()
EXPLAINED = ("same", "same numbers", "follows")
NUMBER = re.compile(r"(?<![\w.])-?(?:\d+\.\d*(?:e[+-]\d+)?|\d+|inf)(?![\w.])")


@functools.cache
def report(text):
    done = run("verify", "-", "--format", "json", page=text.encode())
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)[0]


def findings(text):
    return [one for one in report(text)["findings"] if one["kind"] == "tensor"]


def numbers_of(text):
    """The position of each tensor's numbers on a page."""
    result = []
    for start in re.finditer(r"\b(?:tensor|array)\(", text):
        depth, end = 1, start.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        last = text.rfind("]", start.end(), end)
        result.append([found.span() for found in NUMBER.finditer(text, start.end(), last if last > 0 else end - 1)])
    return result


def replaced(text, spans, words):
    for (begin, end), word in sorted(zip(spans, words), reverse=True):
        text = text[:begin] + word + text[end:]
    return text


def pages():
    for file in sorted(PAGES.glob("page-*.txt")):
        yield file.name, file.read_text(), json.loads(file.with_suffix(".json").read_text())


class Pages(unittest.TestCase):
    # Products of three and whole layers, sums of rows that are all alike, and weights that are not printed are no relations.
    NO_RELATION = (("page-7.txt", 28), ("page-32.txt", 7))

    def test_nothing_true_is_called_wrong_and_what_can_be_known_is_explained(self):
        for name, text, tags in harness.sample(pages()):
            for one, tag in zip(findings(text), tags, strict=True):
                self.assertNotIn(one["verdict"], ("differs", "last digit"), (name, one["line"]))
                if tag != "hidden" and one["cells"] > 3 and (name, one["line"]) not in self.NO_RELATION:
                    self.assertIn(one["verdict"], EXPLAINED, (name, one["line"], tag))

    def test_damage_is_noticed(self):
        """The same cells in another order follow from nothing; a wrong sign is noticed at its place."""
        choices = random.Random(1)
        for name, text, i in harness.sample((name, text, i) for name, text, _ in pages() for i in range(len(numbers_of(text)))):
            spans = numbers_of(text)[i]
            words = [text[begin:end] for begin, end in spans]
            if len(set(words)) > 2:
                shuffled = words[:]
                while shuffled == words:
                    choices.shuffle(shuffled)
                verdict = findings(replaced(text, spans, shuffled))[i]["verdict"]
                self.assertNotIn(verdict, EXPLAINED + ("last digit",), (name, i))
            places = [place for place, word in enumerate(words) if word != "inf" and float(word) != 0]
            if not places or findings(text)[i]["verdict"] not in EXPLAINED:
                continue
            place = choices.choice(places)
            word = words[place]
            damaged = findings(replaced(text, [spans[place]], [word[1:] if word[0] == "-" else "-" + word]))[i]
            self.assertNotIn(damaged["verdict"], EXPLAINED, (name, i, word))
            for difference in damaged["differences"]:
                self.assertEqual(np.ravel_multi_index(difference["index"], damaged["shape"]), place, (name, i, word))


def listed():
    """Title, page, and for what is replaced on it, its verdicts: pages.txt."""
    for block in pathlib.Path(__file__).with_suffix(".txt").read_text().split("\n==== ")[1:]:
        title, _, body = block.partition("\n")
        page, _, told = re.fullmatch(r"(?s)(.*?)((?:\n|\A)(?=[-=]> )|\Z)(.*)", body).groups()
        for part in re.split(r"(?m)^=> ", told):
            replaced, _, verdicts = part.partition("\n") if " | " in part.partition("\n")[0] else ("", "", part)
            if verdicts:
                text = (PAGES / title).read_text() if title.endswith(".md") else page
                words = replaced.replace("\\n", "\n").split(" | ")
                yield title, text.replace(*words, 1) if replaced else text, re.findall(r"(?m)^-> (.*)$", verdicts)


class TrueAtTheirPlace(unittest.TestCase):
    def test_each_is_told_as_it_was_made(self):
        names = {title for title, *_ in listed()}
        self.assertLessEqual({page.name for page in PAGES.glob("true-*.md")}, names)
        for title, page, verdicts in harness.sample(listed()):
            with self.subTest(page=title, verdicts=verdicts):
                found = findings(page)
                self.assertEqual(len(found), len(verdicts), found)
                for one, told in zip(found, verdicts):
                    if told == "not explained":
                        self.assertNotIn(one["verdict"], EXPLAINED)
                    elif told != "*":
                        verdict, _, relation = told.partition(": ")
                        self.assertEqual((one["verdict"], relation and one["relation"]), (verdict, relation))

    def test_another_digit_of_a_draw_is_not_known(self):
        for title, page, _ in harness.sample(one for one in listed() if one[0].startswith("Drawn after seed")):
            with self.subTest(page=title):
                begin, end = numbers_of(page)[0][7]
                printed = page[begin:end]
                changed = {"1.3333": "0.0000", "0.0000": "1.3333"}.get(printed, printed[:-1] + str((int(printed[-1]) + 5) % 10))
                (found,) = findings(page[:begin] + changed + page[end:])
                self.assertIn(found["verdict"], ("unknown", "last digit", "differs"), title)

    def test_a_wrong_digit_behind_many_layers(self):
        """Their bounds are wide; what exact arithmetic makes of the draws is not."""
        for name in ("of-a-gpt",):
            page = (PAGES / f"true-{name}.md").read_text()
            begin = page.rindex("tensor([[[")
            last = page[begin:]
            for number in harness.sample(re.findall(r"-?\d\.\d{4}", last[:last.index(")")])):
                wrong = number[:-2] + str((int(number[-2]) + 5) % 10) + number[-1]
                changed = findings(page[:page.rindex(number)] + wrong + page[page.rindex(number) + len(number):])
                found = next(one for one in changed if one["line"] == page.count("\n", 0, begin) + 1)
                self.assertNotIn(found["verdict"], EXPLAINED, (name, number))

    def test_without_fences_it_is_the_same_page(self):
        """As a plain text, in which only its words tell the program from its output; a list after words may be either."""
        for path in harness.sample(path for path in PAGES.glob("true-*.md") if path.stem != "true-of-a-loop"):
            page = path.read_text()
            plain = "".join(line for line in page.splitlines(True) if not line.startswith("```"))
            text = re.sub(r"```python\n(.*?)```\n*```\n(.*?)```", r"In [1]:\n\1\n\2", page, flags=re.DOTALL)  # of a notebook
            for other in (plain, text):
                self.assertEqual([one["verdict"] for one in findings(other)], [one["verdict"] for one in findings(page)], path.name)

    def test_sizes_that_the_program_computes(self):
        told = report((PAGES / "true-dropped.md").read_text())
        self.assertEqual([(one["verdict"], one["relation"]) for one in told["findings"] if one["kind"] == "size"],
                         [("follows", f"{words}, as the listing computes it") for words in ("out.shape", "x.size()")])

    def test_a_listing_excuses_no_mistake(self):
        """A mistake that its label does not announce is a mistake, even if the program on the page makes it."""
        page = (PAGES / "true-on-purpose.md").read_text()
        found = findings(page.replace("backward weights", "weights").replace("sharpened weights", "weights"))
        self.assertEqual([one["mistake"]["name"] for one in found if one["verdict"] == "mistake"],
                         ["mask-triangle", "wrong-scale"])


LESSONS = {"blog": "trainable causal dropout multihead", "book": "trainable causal dropout multihead",
           "ahead-of-ai": "trainable causal multihead cross",
           "modern": "grouped cache online rotary positions bias sinks backward"}
SHOWN = ([], ["--steps", "all"], ["--only", "keys"], ["--only", "context_vecs"])


class SeedsThatNobodyNames(unittest.TestCase):
    def test_the_lessons_of_any_seed_are_found(self):
        for article, chapter, seed, shown in harness.sample(
                (article, chapter, seed, shown) for article, chapters in LESSONS.items() for chapter in chapters.split()
                for seed in (0, 42, 31337) for shown in SHOWN):
            with self.subTest(article=article, chapter=chapter, seed=seed, shown=shown):
                lesson = run(chapter, "--article", article, "--seed", str(seed), *shown)
                if lesson.returncode == 0:  # it has such a step
                    told = report(lesson.stdout.decode())
                    self.assertLessEqual({one["verdict"] for one in told["findings"]}, set(EXPLAINED))
                    self.assertIn(seed, [one["seed"] for one in told["lessons"]])

    def test_three_lessons_of_three_seeds_in_one_log(self):
        log = b"".join(harness.output_of(chapter, "--seed", seed)
                       for chapter, seed in (("causal", "7"), ("trainable", "31337"), ("multihead", "2024")))
        told = report(log.decode())
        self.assertLessEqual({one["verdict"] for one in told["findings"]}, set(EXPLAINED))
        self.assertEqual(sorted(one["seed"] for one in told["lessons"]), [7, 2024, 31337])

    def test_a_seed_that_is_found_excuses_no_digit(self):
        page = harness.output_of("causal", "--seed", "7").decode()
        self.assertIn("differs", {one["verdict"] for one in findings(page.replace("0.1516", "0.1576"))})
        for only in ("keys", "values"):
            page = harness.output_of("causal", "--seed", "7", "--only", only).decode()
            if "0.3" in page:
                (changed,) = findings(page.replace("0.3", "0.9"))
                self.assertNotIn(changed["verdict"], ("same", "same numbers"))


if __name__ == "__main__":
    harness.main()
