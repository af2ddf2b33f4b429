"""The report of `verify --format html`: its text is the page's, and each tinted cell gives the right number.

    PYTHONPATH=tests /usr/bin/python3 tests/cli/tinted.py build/release/attn-walkthrough
"""
import html.parser
import json
import pathlib
import re
import unittest

import harness
import kept_pages
from harness import run, text_of

PAGES = kept_pages.folder()


class Report(html.parser.HTMLParser):
    """The texts of the pages in a report, and their tensors: class, and for each cell class, number and words."""

    def __init__(self, text):
        super().__init__()
        self.pages, self.tensors, self.open, self.scripts = [], [], [], 0
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        if tag in ("meta", "link"):
            return
        attributes = dict(attributes)
        names = (attributes.get("class") or "").split()
        self.open.append((tag, names))
        self.scripts += tag == "script"
        if tag == "pre" and "aria-label" in attributes:
            self.pages.append("")
        if "tensor" in names:
            self.tensors.append((names[1], []))
        if "cell" in names:
            self.tensors[-1][1].append([names[1:], "", attributes["title"]])

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        names = [name for _, classes in self.open for name in classes]
        if "cell" in names:
            self.tensors[-1][1][-1][1] += data
        if self.pages and any(tag == "pre" for tag, _ in self.open) and "said" not in names and "main" in [t for t, _ in self.open]:
            self.pages[-1] += data


def report_of(page, *arguments):
    done = run("verify", "-", "--format", "html", *arguments, page=page.encode())
    assert done.returncode in (0, 1) and not done.stderr, done
    return Report(done.stdout.decode()), done.returncode


def tint_of(finding):
    """Green and blue mean looked at in full."""
    if finding["by"] == "program" and finding["verdict"] == "follows":
        return "program"
    return {"same numbers": "same", "last digit": "last-digit"}.get(finding["verdict"], finding["verdict"])


class Tinted(unittest.TestCase):
    def test_the_text_is_the_page(self):
        for file in sorted(PAGES.glob("page-*.txt")):
            text = file.read_text()
            report, _ = report_of(text)
            findings = json.loads(run("verify", "-", "--format", "json", page=text.encode()).stdout)[0]["findings"]
            self.assertEqual([page.strip("\n") for page in report.pages], [text.strip("\n")], file.name)
            self.assertEqual([verdict for verdict, _ in report.tensors],
                             [tint_of(one) for one in findings], file.name)
            for (_, cells), finding in zip(report.tensors, findings):
                self.assertEqual(len(cells), finding["cells"] if finding["kind"] == "tensor" else 0)

    def test_a_wrong_cell_stands_out_and_says_what_is_right(self):
        page = text_of("causal")
        self.assertIn("0.5608", page)
        report, code = report_of(page.replace("0.5608", "0.5708", 1))
        self.assertEqual(code, 1)
        marked = [cell for _, cells in report.tensors for cell in cells if cell[0]]
        self.assertEqual([(names, number) for names, number, _ in marked], [(["wrong"], "0.5708")])
        words = marked[0][2]
        self.assertIn("here 0.5708, right 0.5608, exactly 0.560793", words)
        self.assertIn("torch.softmax(", words)
        self.assertIn("float32 0.560793757, the number in the tensor", words)

    def test_every_number_of_a_lesson_is_derived(self):
        page = text_of("multihead", "--steps", "all")
        report, code = report_of(page)
        self.assertEqual(code, 0)
        cells = [cell for _, cells in report.tensors for cell in cells]
        self.assertGreater(len(cells), 300)
        for names, number, words in cells:
            self.assertEqual(names, [])
            self.assertIn(" = " + (number if "." in number else ""), words.splitlines()[1], words)

    def test_what_follows_says_from_what(self):
        weights = "tensor([[0.1234, 0.8766], [0.5120, 0.4880], [0.3141, 0.6859]])"
        report, _ = report_of(f"{weights}\n\n{weights}\n")
        self.assertEqual([verdict for verdict, _ in report.tensors], ["unknown", "follows"])
        self.assertEqual({words for _, _, words in report.tensors[1][1]}, {"line 1"})

    def test_nothing_of_a_page_is_markup(self):
        page = 'tensor([1.5, 2.5])\n<script>alert(1)</script> "\' &amp; <b>\x1b[31m\x07 \u202e evil\n{{title}} {{text}} &lt;!--page-->\n'
        report, _ = report_of(page)
        self.assertEqual(report.scripts, 1)
        raw = run("verify", "-", "--format", "html", page=page.encode()).stdout.decode()
        self.assertFalse(re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", raw))
        self.assertNotIn("<script>alert", raw)
        self.assertIn("{{title}} {{text}}", report.pages[0])


if __name__ == "__main__":
    harness.main()
