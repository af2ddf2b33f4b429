"""Compares the program's output with the golden files, for every chapter of every article that `list` names.

    PYTHONPATH=tests /usr/bin/python3 tests/golden.py build/release/attn-walkthrough golden [--blas portable]

golden/ARTICLE/CHAPTER.txt and CHAPTER.all.txt must be printed byte for byte. golden/pages/ARTICLE-CHAPTER.txt holds an
article's figures: all must appear, in order, but blank lines and indentation, which pages lose, do not count, and
lines between them may be added."""
import difflib
import pathlib
import sys
import unittest

import harness
from harness import BINARY, text_of

GOLDEN = pathlib.Path()
KERNELS = []


def stripped(text):
    return ["".join(line.split()) for line in text.splitlines() if line.strip()]


class Golden(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.chapters = [(row["article"], row["chapter"]) for row in harness.chapters()]

    def check(self, file, *arguments):
        with self.subTest(golden=str(file.relative_to(GOLDEN))):
            golden, printed = file.read_text(), text_of(*arguments, *KERNELS)
            if golden != printed:
                lines = difflib.unified_diff(golden.splitlines(), printed.splitlines(), str(file), "printed", lineterm="")
                self.fail("\n".join(lines) + f"\nTo accept what PyTorch prints now:\n  /usr/bin/python3 "
                          f"golden/make_golden.py {BINARY} {arguments[0]} && git diff golden")

    def test_chapters(self):
        for article, chapter in self.chapters:
            arguments = [chapter, "--article", article]
            self.check(GOLDEN / article / f"{chapter}.txt", *arguments)
            self.check(GOLDEN / article / f"{chapter}.all.txt", *arguments, "--steps", "all")

    def test_defaults(self):
        first = {}
        for article, chapter in self.chapters:
            first.setdefault(chapter, article)
        for chapter, article in first.items():
            self.check(GOLDEN / article / f"{chapter}.txt", chapter)

    def test_every_file_is_compared(self):
        expected = {f"{article}/{chapter}{suffix}.txt" for article, chapter in self.chapters for suffix in ("", ".all")}
        folders = {article for article, _ in self.chapters}
        self.assertEqual({f"{folder}/{file.name}" for folder in folders for file in (GOLDEN / folder).iterdir()}, expected)

    def test_pages(self):
        compared = 0
        for article, chapter in self.chapters:
            page = GOLDEN / "pages" / f"{article}-{chapter}.txt"
            if page.exists():
                compared += 1
                with self.subTest(page=page.name):
                    printed = iter(stripped(text_of(chapter, "--article", article, *KERNELS)))
                    missing = next((line for line in stripped(page.read_text()) if line not in printed), None)
                    self.assertIsNone(missing, "the page has a line that the program does not print there")
        self.assertGreaterEqual(compared, 5)


if __name__ == "__main__":
    GOLDEN = pathlib.Path(sys.argv[2]).resolve()
    KERNELS = sys.argv[3:5] if "--blas" in sys.argv else []
    harness.main(sys.argv[3 + len(KERNELS):])
