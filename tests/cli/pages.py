"""What `verify` says of pages that readers of the lesson might publish: made by PyTorch, with seeds, sizes, inputs and print
calls of their own (see ../pages/make_pages.py). Nothing that is true is called wrong, what is given or can be derived is
explained, and what is damaged is noticed.

    /usr/bin/python3 tests/cli/pages.py build/release/attn-walkthrough
"""
import json
import pathlib
import random
import re
import subprocess
import sys
import unittest

BINARY = ""
PAGES = pathlib.Path(__file__).resolve().parents[1] / "pages"
HANG_LIMIT = 60
EXPLAINED = ("same", "same numbers", "follows")
NUMBER = re.compile(r"(?<![\w.])-?(?:\d+\.\d*(?:e[+-]\d+)?|\d+|inf)(?![\w.])")


def findings(text):
    done = subprocess.run([BINARY, "verify", "-", "--format", "json"], input=text.encode(), capture_output=True,
                          timeout=HANG_LIMIT)
    assert done.returncode in (0, 1), done.stderr
    return [one for one in json.loads(done.stdout)["findings"] if one["kind"] == "tensor"]


def numbers_of(text):
    """For each tensor of a page, where its numbers stand."""
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
    def test_nothing_true_is_called_wrong(self):
        for name, text, tags in pages():
            found = findings(text)
            self.assertEqual(len(found), len(tags), name)
            for one in found:
                self.assertNotIn(one["verdict"], ("differs", "last digit"), (name, one["line"]))

    def test_what_can_be_known_is_explained(self):
        for name, text, tags in pages():
            for one, tag in zip(findings(text), tags):
                if tag != "hidden" and one["cells"] > 3:
                    self.assertIn(one["verdict"], EXPLAINED, (name, one["line"], tag))

    def test_the_same_cells_in_another_order_follow_from_nothing(self):
        choices = random.Random(1)
        for name, text, _ in pages():
            for i, spans in enumerate(numbers_of(text)):
                words = [text[begin:end] for begin, end in spans]
                if len(set(words)) < 3:
                    continue
                shuffled = words[:]
                while shuffled == words:
                    choices.shuffle(shuffled)
                verdict = findings(replaced(text, spans, shuffled))[i]["verdict"]
                self.assertNotIn(verdict, EXPLAINED + ("last digit",), (name, i))

    def test_a_wrong_sign_is_noticed_at_its_place(self):
        choices = random.Random(2)
        for name, text, _ in pages():
            for i, (spans, one) in enumerate(zip(numbers_of(text), findings(text))):
                places = [place for place, (begin, end) in enumerate(spans) if text[begin:end] != "inf"
                          and float(text[begin:end]) != 0]
                if one["verdict"] not in EXPLAINED or not places:
                    continue
                place = choices.choice(places)
                begin, end = spans[place]
                word = text[begin:end]
                damaged = findings(replaced(text, [(begin, end)], [word[1:] if word[0] == "-" else "-" + word]))[i]
                self.assertNotIn(damaged["verdict"], EXPLAINED, (name, i, word))
                for difference in damaged["differences"]:
                    position = 0
                    for size, index in zip(damaged["shape"], difference["index"]):
                        position = position * size + index
                    self.assertEqual(position, place, (name, i, word))


if __name__ == "__main__":
    BINARY = sys.argv.pop(1)
    unittest.main()
