#!/usr/bin/env python3
"""The pictures of --format svg: svg.py PROGRAM

Of every tensor of every chapter: well-formed, with the words of the heat map's lines, the numbers that are printed, and
legible colours."""

import json
import os
import re
import unittest
import xml.etree.ElementTree as tree

import harness
from harness import numbers_of, sample

SPACE = "{http://www.w3.org/2000/svg}"
ALLOWED = {SPACE + name for name in ("svg", "title", "desc", "rect", "text", "g")}


def text_of(*arguments):
    return harness.text_of(*arguments, env={**os.environ, "COLUMNS": "4000", "LC_ALL": "C.UTF-8"})


def luminance(colour):
    channels = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(cell):
    inks = [luminance(cell.find(SPACE + part).get("fill")) for part in ("rect", "text")]
    return (max(inks) + 0.05) / (min(inks) + 0.05)


def tensor_names(steps):
    """The name, with its section if several sections have it."""
    tensors = [step for step in steps if step["kind"] == "tensor"]
    shared = [step["name"] for step in tensors]
    return [(step, step["name"] if shared.count(step["name"]) == 1 else f"{step['section']}/{step['name']}")
            for step in tensors]


class Pictures(unittest.TestCase):
    def check_frame(self, root, step, full):
        self.assertEqual(root.get("version"), "1.1")
        self.assertEqual(root.get("viewBox"), f"0 0 {root.get('width')} {root.get('height')}")
        self.assertLessEqual({element.tag for element in root.iter()}, ALLOWED)
        self.assertEqual(root[0].tag, SPACE + "title")
        shape = f"[{', '.join(map(str, step['shape']))}]"
        title = f"{step['section']}/{step['name']}" if step["section"] else step["name"]
        self.assertEqual(root[0].text, f"{title} {shape}", full)
        self.assertEqual(root.find(SPACE + "g").findtext(SPACE + "text"), f"{title} {shape}")
        self.assertIn(f"{step['name']} = {step['expression']}", root.find(SPACE + "desc").text)

    def check_tensor(self, command, step, full):
        root = tree.fromstring(text_of(*command, "--only", full, "--format", "svg").encode())
        self.check_frame(root, step, full)
        lines = [[one.text for one in group.iter(SPACE + "text")] for group in root if group.get("class") == "line"]
        heatmap = text_of(*command, "--only", full, "--heatmap", "--color", "always").splitlines()
        heatmap = [re.sub(r"\x1b\[[\d;]*m", "", line).split() for line in heatmap]
        self.assertTrue(any(heatmap[i:i + len(lines)] == lines for i in range(len(heatmap))), (full, lines, heatmap))
        cells = [group for group in root.iter(SPACE + "g") if group.get("class") == "cell"]
        shown = [cell.find(SPACE + "text").text for cell in cells][:-2 if step["dtype"] == "bool" else None]  # the legend
        numbers = [number for number in numbers_of(text_of(*command, "--only", full)) if number[-3:] not in ("inf", "nan")]
        self.assertEqual(shown, numbers, full)
        self.assertGreaterEqual(min(map(contrast, cells), default=21), 4.5, full)

    def test_every_tensor(self):
        for chapter in sample(harness.chapters()):
            steps = json.loads(text_of(*chapter["command"], "--steps", "all", "--format", "json"))["steps"]
            for step, full in tensor_names(steps):
                with self.subTest(chapter=chapter["command"], tensor=full):
                    self.check_tensor(chapter["command"], step, full)

    def test_as_it_is_printed(self):
        """Summarised, in other digits, and words that mean something to XML."""
        for lesson, printing in ((["--tokens", "40"], []), ([], ["--threshold", "5", "--edgeitems", "1"]),
                                 ([], ["--precision", "9"]), ([], ["--sci-mode", "on"]), (["--seed", "-4"], []),
                                 (["--sentence", "a<b &amp; \"c\" 'd' 日本"], [])):
            steps = json.loads(text_of("causal", *lesson, "--steps", "all", "--format", "json"))["steps"]
            for step, full in sample(tensor_names(steps)):
                with self.subTest(options=lesson + printing, tensor=full):
                    self.check_tensor(["causal", *lesson, *printing], step, full)

    def test_summarised_is_dotted(self):
        """In each of 6 matrices: once in the names, in each of 6 rows, and between them; and between the matrices."""
        command = ["causal", "--tokens", "40", "--batch", "9", "--only", "attn_scores", "--format", "svg"]
        dots = [one.text for one in tree.fromstring(text_of(*command)).iter(SPACE + "text")].count("...")
        self.assertEqual(dots, 6 * (1 + 6 + 1) + 1)


if __name__ == "__main__":
    harness.main()
