#!/usr/bin/env python3
"""The pictures of --format svg: svg.py PROGRAM

Of every tensor of every chapter: well-formed, with the numbers that are printed as text, the names of rows and columns
that the heat map has, and legible colours."""

import json
import os
import re
import unittest
import xml.etree.ElementTree as tree

import harness
from harness import EVERY, sample

SPACE = "{http://www.w3.org/2000/svg}"
ALLOWED = {SPACE + name for name in ("svg", "title", "desc", "rect", "text", "g")}


def text_of(*arguments):
    return harness.text_of(*arguments, env={**os.environ, "COLUMNS": "4000", "LC_ALL": "C.UTF-8"})


def numbers_of(text):
    """The numbers of the first printed tensor, in order."""
    start = at = text.index("tensor(") + len("tensor(")
    depth = 1
    while depth:
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    inner = re.sub(r",\s+(dtype|grad_fn|size|requires_grad)=.*", "", text[start:at], flags=re.S)
    return re.findall(r"-?inf|nan|True|False|-?\d[\d.e+-]*", inner)


def texts(parent, name):
    return [group.find(SPACE + "text").text for group in parent.iter(SPACE + "g") if group.get("class") == name]


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
        self.assertEqual([one.text for one in root.findall(SPACE + "text")][0], f"{title} {shape}")
        self.assertIn(f"{step['name']} = {step['expression']}", root.find(SPACE + "desc").text)

    def check_names(self, root, heatmap, full):
        """The texts in the order of the heat map: for each matrix an optional heading, a line of names, its rows."""
        lines = iter(heatmap)

        def find(wanted, holds):
            self.assertTrue(any(holds(line) for line in lines), f"{full}: the heat map has no line of {wanted}")

        for matrix in (group for group in root if group.get("class") == "matrix"):
            heading = matrix.findtext(SPACE + "text")
            if heading is not None and heading != "...":
                find(heading, lambda line, wanted=heading: line == wanted)
            columns = " ".join(texts(matrix, "column")).split()
            if columns:
                find(columns, lambda line, wanted=columns: line.replace("...", "").split() == wanted)
            for row in texts(matrix, "row"):
                find(row, lambda line, wanted=row: line.startswith(wanted + " "))

    def check_tensor(self, command, step, full):
        root = tree.fromstring(text_of(*command, "--only", full, "--format", "svg").encode())
        self.check_frame(root, step, full)
        cells = [group for group in root.iter(SPACE + "g") if group.get("class") == "cell"]
        text = text_of(*command, "--only", full)
        self.assertEqual([cell.find(SPACE + "text").text for cell in cells], numbers_of(text), full)
        self.assertGreaterEqual(min(map(contrast, cells), default=21), 4.5, full)
        self.check_names(root, text_of(*command, "--only", full, "--heatmap").splitlines(), full)
        return len(cells)

    def test_every_tensor(self):
        tensors = []
        for chapter in json.loads(text_of("list", "--format", "json"))["chapters"]:
            command = [chapter["chapter"], "--article", chapter["article"]]
            steps = json.loads(text_of(*command, "--steps", "all", "--format", "json"))["steps"]
            tensors += [(command, step, full) for step, full in tensor_names(steps)]
        count = 0
        for command, step, full in sample(tensors):
            with self.subTest(chapter=command, tensor=full):
                count += self.check_tensor(command, step, full)
        self.assertGreater(count, 10_000 if EVERY == 1 else 0)

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
        """In each of 6 matrices: once in each of 6 rows, and between them; and between the matrices."""
        command = ["causal", "--tokens", "40", "--batch", "9", "--only", "attn_scores", "--format", "svg"]
        dots = [one.text for one in tree.fromstring(text_of(*command)).iter(SPACE + "text")].count("...")
        self.assertEqual(dots, 6 * (6 + 1) + 1)


if __name__ == "__main__":
    harness.main()
