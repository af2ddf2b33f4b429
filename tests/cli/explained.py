"""How many of its tensors `verify` explains on each page of ../pages/kept.txt and of golden/pages: whatever a change takes away is seen.

    PYTHONPATH=tests /usr/bin/python3 tests/cli/explained.py build/release/attn-walkthrough
    PYTHONPATH=tests /usr/bin/python3 tests/cli/explained.py build/release/attn-walkthrough --table > tests/pages/explained.txt
"""
import json
import pathlib
import sys
import unittest

import harness
import kept_pages

TESTS = pathlib.Path(__file__).resolve().parents[1]
TABLE = TESTS / "pages/explained.txt"
EXPLAINED = ("same", "same numbers", "last digit", "follows", "mistake", "inherited")


def pages():
    """Each page's name in the table, and its path."""
    for folder in (kept_pages.folder(), TESTS.parent / "golden/pages"):
        for path in sorted([*folder.glob("*.md"), *folder.glob("*.txt"), *folder.glob("*.ipynb")]):
            yield f"{folder.parent.name}/{path.name}", path


def explained(path):
    """The number of tensors that are explained in full, of all."""
    done = harness.run("verify", "--format", "json", str(path))
    if done.returncode not in (0, 1):
        return 0, 0
    (report,) = json.loads(done.stdout)
    tensors = [one for one in report["findings"] if one["kind"] == "tensor"]
    return sum(one["verdict"] in EXPLAINED for one in tensors), len(tensors)


class Explained(unittest.TestCase):
    def test_no_page_loses_an_explanation(self):
        rows = [line.split() for line in TABLE.read_text().splitlines()]
        known = {name: (int(least), int(of)) for name, least, of in rows}
        self.assertEqual(sorted(known), sorted(name for name, _ in pages()))
        for name, path in harness.sparse(pages(), 5):
            with self.subTest(name):
                least, of = known[name]
                count, printed = explained(path)
                self.assertEqual(printed, of, "tensors on the page")
                self.assertGreaterEqual(count, least, "tensors explained")


if __name__ == "__main__":
    if sys.argv[2:] == ["--table"]:
        for name, path in pages():
            print(name, *explained(path))
    else:
        harness.main()
