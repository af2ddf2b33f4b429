#!/usr/bin/env python3
"""Where a lesson's page shows its steps, in a real Chromium: layout.py PROGRAM [SHARE | LESSON...]

In a classroom's windows and on a phone nothing overlaps, the page does not scroll sideways, the box of a wide map does and
says so, text is 13 pixels high, and of a chosen cell the number, its derivation's heading and its result are in sight. On
paper, sheets are full. SHARE is a part of the lessons: 2/3 is the second of three. With ATTN_TEST_EVERY, a lesson has one of
the sizes a day, and of the other articles' a third is looked at. Exits with 77, skipped, where there is no Chromium."""

import json
import pathlib
import re
import sys
import tempfile
import time
import zlib

import chromium
from chromium import check, equal
from harness import output_of, sample, text_of

SIZES = ((1366, 768), (1024, 640), (390, 844))
DEFAULT = ("simplified", "trainable", "causal", "dropout", "multihead", "cross")
TEN_WORDS = "one two three four five six seven eight nine ten"
# Lessons of other sizes; of these, some cells of every step.
OTHERS = {
    "wide": ["causal", "--d-in", "16", "--d-out", "2", "--steps", "all"],
    "square": ["trainable", "--d-in", "16", "--d-out", "16", "--steps", "all"],
    "long": ["multihead", "--sentence", TEN_WORDS, "--batch", "2", "--steps", "all"],
    "long-cross": ["cross", "--sentence", TEN_WORDS, "--steps", "all"],
    "fixture": ["dropout", "--fixture", "--steps", "all"],
    "printed": ["causal"],
    "tokens": ["simplified", "--tokens", "30", "--steps", "all"],
}
A4 = {"paperWidth": 8.27, "paperHeight": 11.69, "marginTop": 0.4, "marginBottom": 0.4}  # inches
LEAST_FULL = 0.6  # of a sheet that is not the last
MEAN_FULL = 0.75

# What is wrong with a step when its first, its middle or its last cell is chosen.
LOOK = """async (article, next) => {
  const wrong = new Set();
  const shown = (selector) => [...article.querySelectorAll(selector)].filter((one) => one.getClientRects().length);
  const panel = article.querySelector(".derivation");
  const name = (element) => element.className || element.tagName;
  const meets = (one, other) => {
    const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
    return Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  };
  const isSeen = (element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    if (left < -1 || right > innerWidth + 1 || top < -1 || bottom > innerHeight + 1) return false;
    return element.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
  };
  const cells = shown(".result td[data-position]");
  for (const cell of new Set([0, cells.length >> 1, cells.length - 1].map((i) => cells[i]))) {
    cell.focus();
    await next();
    if (document.documentElement.scrollWidth > document.documentElement.clientWidth) wrong.add("the page scrolls sideways");
    const pieces = shown(":scope > header > *, .tools, .box, .links, .through, .reasons, .notices, .printed");
    if (innerWidth >= 900) pieces.push(panel);  // elsewhere it is pinned above the others
    pieces.forEach((one, i) => pieces.slice(i + 1).forEach((other) => {
      if (meets(one, other)) wrong.add(`${name(one)} overlaps ${name(other)}`);
    }));
    for (const box of shown(".maps .scroll, .derivation")) {
      if (box.scrollWidth > box.clientWidth + 1 && box.offsetHeight - box.clientHeight < 6) wrong.add("a box is cut without a scrollbar");
    }
    for (const [what, element] of [["cell", cell], ["heading", panel.querySelector("h3")], ["total", panel.querySelector(".total b")]]) {
      if (!isSeen(element)) wrong.add(`the ${what} is out of sight`);
    }
    for (const element of shown("*")) {
      const isText = [...element.childNodes].some((one) => one.nodeType === Node.TEXT_NODE && one.data.trim());
      if (isText && parseFloat(getComputedStyle(element).fontSize) < 12.99) wrong.add(`small text in ${name(element)}`);
    }
  }
  return { wrong: [...wrong] };
}"""


def check_pictures(browser, name, sizes):
    """All steps of the page at one size after the other."""
    for width, height in sizes:
        browser.size(width, height)
        browser.open(name.as_uri())
        found = browser.each_step(LOOK)
        check(found, name.stem, "has no pictures")
        for one in found:
            equal(one["wrong"], [], name.stem, f"{width}x{height}", one["id"])


def lowest_text(content):
    """Where the lowest line of a page's text stands, in points from its lower edge, by the content stream's matrices."""
    scale, shift, line, lowest = 1.0, 0.0, 0.0, float("inf")
    kept, numbers = [], []
    for token in re.findall(r"<[^>]*>|\[[^\]]*\]|/\S+|[^\s<>\[\]/]+", content):
        if re.fullmatch(r"[-+]?[\d.]+", token):
            numbers.append(float(token))
            continue
        if token == "q":
            kept.append((scale, shift))
        elif token == "Q":
            scale, shift = kept.pop()
        elif token == "cm":
            scale, shift = scale * numbers[-3], shift + scale * numbers[-1]
        elif token == "Tm":
            line = numbers[-1]
        elif token == "Td":
            line -= numbers[-1]
        elif token in ("Tj", "TJ"):
            lowest = min(lowest, shift + scale * line)
        if not token.startswith(("<", "[")):
            numbers.clear()
    return lowest


def sheets(pdf):
    """How far down each sheet is printed, from 0 to 1."""
    objects = dict(re.findall(rb"(\d+) 0 obj\n(.*?)endobj", pdf, re.S))
    for page in objects.values():
        if not re.search(rb"/Type /Page\b", page):
            continue
        height = float(re.search(rb"/MediaBox \[0 0 [\d.]+ ([\d.]+)\]", page)[1])
        stream = objects[re.search(rb"/Contents (\d+) 0 R", page)[1]]
        content = zlib.decompress(stream[stream.index(b"stream\n") + 7:]).decode("latin-1")
        margin = 72 * A4["marginTop"]
        yield 1 - (lowest_text(content) - margin) / (height - 2 * margin)


def check_print(browser, name, folder):
    printed = {}
    for theme in ("light", "dark"):
        browser.media(prefers_color_scheme=theme)
        browser.open(name.as_uri())
        path = pathlib.Path(folder, "printed.pdf")
        browser.pdf(path, **A4)
        printed[theme] = [round(full, 2) for full in sheets(path.read_bytes())]
    full = printed["light"]
    print(f"{name.stem} on paper: {len(full)} sheets, {full}")
    equal(printed["dark"], full, name.stem, "on paper, from the dark theme")
    emptiest = min(full[:-1], default=1)
    check(emptiest >= LEAST_FULL, f"{name.stem} on paper: a sheet is {emptiest:.0%} full")
    check(not full[:-1] or sum(full[:-1]) / len(full[:-1]) >= MEAN_FULL, f"{name.stem} on paper: the sheets are half empty")
    check(full and max(full) <= 1.01, f"{name.stem} on paper: {full}")
    browser.media()


def lessons():
    """Of each page its name, its arguments, and at what sizes."""
    for chapter in DEFAULT:
        yield f"blog-{chapter}", [chapter, "--steps", "all"], SIZES
    for name, arguments in OTHERS.items():
        yield name, arguments, SIZES
    listed = json.loads(text_of("list", "--format", "json"))["chapters"]
    for i, chapter in sample(enumerate(listed), most=3):
        if chapter["article"] != "blog" and chapter["chapter"] != "cross":
            yield (f"{chapter['article']}-{chapter['chapter']}",
                   [chapter["chapter"], "--article", chapter["article"], "--steps", "all"], [SIZES[i % 3]])


def main():
    only = sys.argv[2:]
    part, parts = map(int, only.pop().split("/")) if only and re.fullmatch(r"\d+/\d+", only[0]) else (1, 1)
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, chromium.Chromium(scrollbars=True) as browser:
        for number, (name, arguments, sizes) in enumerate(lessons()):
            if number % parts != part - 1 or (only and name not in only):
                continue
            page = pathlib.Path(folder, f"{name}.html")
            output_of(*arguments, "--format", "html", "-o", page)
            check_pictures(browser, page, sample(sizes, number))
            if name.startswith("blog-"):
                check_print(browser, page, folder)
            check(not browser.errors, name, "says on the console:", browser.errors)
            print(f"{name}: {time.monotonic() - begun:.0f} seconds", flush=True)
    return chromium.verdict()


if __name__ == "__main__":
    sys.exit(main())
