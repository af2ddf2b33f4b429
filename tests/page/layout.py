#!/usr/bin/env python3
"""A projected step shows its picture whole, in a real Chromium: layout.py PROGRAM [SHARE | LESSON...]

At 1024x768, 1280x720 and 1920x1080, for every cell of every step, nothing scrolled: the chosen cell, the operands' cells
that meet in it, all these with their row and column names, and the derivation are in sight, or a box that shows its
scrollbar went there by itself. On paper, sheets are full. SHARE is a part of the lessons: 2/3 is the second of three. With
ATTN_TEST_EVERY, a lesson has one of the sizes a day, and of the other articles' a third is looked at. Exits with 77,
skipped, where there is no Chromium."""

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

SIZES = ((1024, 768), (1280, 720), (1920, 1080))
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
SAMPLE_CELLS = 5
SMALLEST = 13  # pixels of a number's height
A4 = {"paperWidth": 8.27, "paperHeight": 11.69, "marginTop": 0.4, "marginBottom": 0.4}  # inches
LEAST_FULL = 0.6  # of a sheet that is not the last
MEAN_FULL = 0.75

# What is wrong on the page: [step, position, what]; at most `cells` cells of a step, evenly spread, or all.
MEASURE = """async (most) => {
  const faults = [];
  const sizes = [];
  const next = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const near = 1.5;

  const inWindow = () => ({left: 0, top: 0, right: document.documentElement.clientWidth, bottom: innerHeight});
  let rooms = new Map();  // of this cell: for each element, where its children can be seen

  /** What the window and all boxes around leave to an element's children. */
  function room(element) {
    if (element === document.body) return inWindow();
    if (!rooms.has(element)) {
      const {left, top, right, bottom} = room(element.parentElement);
      const {overflowX, overflowY} = getComputedStyle(element);
      const box = element.getBoundingClientRect();
      const x = box.left + element.clientLeft;
      const y = box.top + element.clientTop;
      const [clipsX, clipsY] = [overflowX !== "visible", overflowY !== "visible"];
      rooms.set(element, {
        left: clipsX ? Math.max(left, x) : left, right: clipsX ? Math.min(right, x + element.clientWidth) : right,
        top: clipsY ? Math.max(top, y) : top, bottom: clipsY ? Math.min(bottom, y + element.clientHeight) : bottom,
      });
    }
    return rooms.get(element);
  }

  /** Wholly in the window, not clipped, and nothing over it. */
  function whole(element) {
    const full = element.getBoundingClientRect();
    const part = room(element.parentElement);
    if (!full.width || !full.height) return false;
    if (part.left > full.left + near || part.top > full.top + near || part.right < full.right - near ||
        part.bottom < full.bottom - near) return false;
    return [[full.left + 3, full.top + 3], [full.right - 3, full.bottom - 3]].every(([x, y]) => {
      const hit = document.elementFromPoint(x, y);
      return hit && (element.contains(hit) || hit.contains(element));
    });
  }

  const scrollsX = (box) => box.scrollWidth > box.clientWidth + 1;
  const scrollsY = (box) => box.scrollHeight > box.clientHeight + 1;
  const barX = (box) => box.offsetHeight - box.clientHeight - 2 * box.clientTop >= 6;
  const barY = (box) =>
    box.offsetWidth - box.clientWidth - box.clientLeft - parseFloat(getComputedStyle(box).borderRightWidth) >= 6;

  /** A cell's row name and column name. */
  function namesOf(cell) {
    const table = cell.closest("table");
    const column = table.tHead?.rows[0].cells[cell.cellIndex];
    const row = cell.parentElement.cells[0];
    return [row, column].filter((one) => one?.tagName === "TH");
  }

  /** Why the marked cells of a map are not shown; a run of them longer than its box need only begin there. */
  function marked(cells, box, what) {
    const visible = cells.filter(whole);
    const wrong = [];
    if (scrollsX(box) && !barX(box)) wrong.push(`${what} scrolls sideways without a scrollbar`);
    if (scrollsY(box) && !barY(box)) wrong.push(`${what} scrolls down without a scrollbar`);
    if (!visible.length) return [...wrong, `${what} shows no marked cell`];
    if (visible.length < cells.length) {
      const rects = cells.map((cell) => cell.getBoundingClientRect());
      const span = (from, to) => Math.max(...rects.map((one) => one[to])) - Math.min(...rects.map((one) => one[from]));
      const table = box.querySelector("table");
      const rowName = table.tBodies[0].rows[0].cells[0].getBoundingClientRect().width;
      const head = table.tHead ? table.tHead.offsetHeight + table.caption.offsetHeight : 0;
      const width = box.clientWidth - rowName - 10;
      const height = box.clientHeight - head - 10;
      const isColumn = span("top", "bottom") > rects[0].height + 1;
      const isLong = isColumn ? scrollsY(box) && span("top", "bottom") > height
                              : scrollsX(box) && span("left", "right") > width;
      const fit = Math.floor(isColumn ? height / (rects[0].height + 2) : width / (rects[0].width + 2));
      if (!isLong) wrong.push(`${what} shows ${visible.length} of ${cells.length} marked cells`);
      else if (visible.length < fit - 1) wrong.push(`${what} shows ${visible.length} marked cells where ${fit} fit`);
    }
    const names = new Set(visible.flatMap(namesOf));
    for (const name of names) if (!whole(name)) wrong.push(`${what} hides the name ${name.textContent}`);
    return wrong;
  }

  function derivation(panel) {
    const wrong = [];
    if (!whole(panel)) wrong.push("the derivation's panel is cut");
    if (!whole(panel.querySelector("h3"))) wrong.push("the derivation's heading is hidden");
    if (!whole(panel.querySelector(".total"))) wrong.push("the derivation's total is hidden");
    const rows = [...panel.querySelectorAll("tbody tr")];
    const shown = rows.filter((row) => whole(row.cells[0])).length;
    const more = panel.querySelector(".more:not([hidden])");  // which leads to the others
    if (shown < Math.min(rows.length, 3) && !(more && whole(more))) wrong.push(`the derivation shows ${shown} of ${rows.length} lines`);
    if (scrollsY(panel) && !barY(panel)) wrong.push("the derivation scrolls without a scrollbar");
    if (scrollsX(panel) && !barX(panel)) wrong.push("the derivation scrolls sideways without a scrollbar");
    return wrong;
  }

  function check(article, cell) {
    const wrong = [];
    rooms = new Map();
    if (scrollY) wrong.push("choosing the cell scrolls the page");
    scrollTo(0, 0);
    const box = cell.closest(".scroll");
    wrong.push(...marked([cell], box, "the map"));
    for (const operand of article.querySelectorAll(".operands .box")) {
      const cells = [...operand.querySelectorAll(".met, .at")].filter((one) => one.tagName === "TD");
      const name = operand.querySelector("caption").textContent;
      if (cells.length) wrong.push(...marked(cells, operand.querySelector(".scroll"), name));
      else if (!whole(operand)) wrong.push(`${name} is cut`);
    }
    wrong.push(...derivation(article.querySelector(".derivation")));
    return wrong;
  }

  function checkStep(article) {
    const wrong = [];
    rooms = new Map();
    const why = article.querySelector(".why");
    if (why?.textContent && !whole(why)) wrong.push("the reason is hidden");
    if (!whole(article.querySelector("h2"))) wrong.push("the heading is hidden");
    if (document.documentElement.scrollWidth > innerWidth) wrong.push("the page is too wide");
    for (const map of article.querySelectorAll(".result .box:not(.unseen) table, .operands table")) {
      const size = parseFloat(getComputedStyle(map.querySelector("tbody td:last-child")).fontSize);
      sizes.push(size);
      const box = map.parentElement;
      const isSmall = map.rows.length <= 7 && map.rows[0].cells.length <= 7;
      const isResult = Boolean(map.closest(".result"));
      const isSmallest = size < 13.1;  // no smaller text can be read; the box scrolls
      if (isSmall && isResult && !isSmallest && (scrollsX(box) || scrollsY(box))) wrong.push("the map does not fit its box");
    }
    return wrong;
  }

  let count = 0;
  for (const id of [...document.querySelectorAll("article.step")].map((one) => one.id)) {
    location.hash = id;
    for (let waited = 0; document.querySelector(".step.current").id !== id && waited < 50; ++waited) await next();
    await next();
    const article = document.querySelector(".step.current");
    if (!article.querySelector(".result")) continue;
    const cells = [...article.querySelectorAll(".result td[data-position]")];
    const every = most ? Math.ceil(cells.length / most) : 1;
    const chosen = cells.filter((_, i) => i % every === 0 || i === cells.length - 1);
    faults.push(...checkStep(article).map((what) => [id, null, what]));
    for (const cell of chosen) {
      const slice = [...article.querySelectorAll(".result .box")].indexOf(cell.closest(".box"));
      if (!cell.getClientRects().length) article.querySelectorAll(".slices button")[slice].click();
      cell.focus();
      ++count;
      faults.push(...check(article, cell).map((what) => [id, Number(cell.dataset.position), what]));
    }
  }
  return {faults, count, sizes};
}"""


def check_pictures(browser, name, cells, sizes):
    """All steps of the page at one size after the other."""
    measured = {}
    for width, height in sizes:
        browser.size(width, height)
        browser.load("about:blank")
        browser.open(name.as_uri())
        got = browser.js(f"({MEASURE})({json.dumps(cells)})")
        measured[width] = got["sizes"]
        for step, position, what in got["faults"]:
            check(False, f"{name.stem} {width}x{height} {step}{'' if position is None else f' cell {position}'}: {what}")
        check(min(got["sizes"], default=SMALLEST) >= SMALLEST,
              f"{name.stem} {width}x{height}: numbers of {min(got['sizes'], default=0)} pixels")
        steps = {step for step, *_ in got["faults"]}
        print(f"{name.stem} {width}x{height}: {got['count']} cells, {len(got['faults'])} faults in {len(steps)} steps, "
              f"numbers of {min(got['sizes'], default=0):.1f} to {max(got['sizes'], default=0):.1f} pixels", flush=True)
    small, large = (sorted(measured.get(width, [])) for width in (1024, 1920))
    check(not small or not large or large[len(large) // 2] > small[len(small) // 2],
          f"{name.stem}: numbers on a larger screen are no larger")


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
    """Of each page its name, its arguments, how many cells of a step are tried (None: all), and at what sizes."""
    for chapter in DEFAULT:
        yield f"blog-{chapter}", [chapter, "--steps", "all"], None, SIZES
    for name, arguments in OTHERS.items():
        yield name, arguments, SAMPLE_CELLS, SIZES
    listed = json.loads(text_of("list", "--format", "json"))["chapters"]
    for i, chapter in sample(enumerate(listed), most=3):
        if chapter["article"] != "blog" and chapter["chapter"] != "cross":
            yield (f"{chapter['article']}-{chapter['chapter']}",
                   [chapter["chapter"], "--article", chapter["article"], "--steps", "all"], 1, [SIZES[i % 3]])


def main():
    only = sys.argv[2:]
    part, parts = map(int, only.pop().split("/")) if only and re.fullmatch(r"\d+/\d+", only[0]) else (1, 1)
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, chromium.Chromium(scrollbars=True) as browser:
        for number, (name, arguments, cells, sizes) in enumerate(lessons()):
            if number % parts != part - 1 or (only and name not in only):
                continue
            page = pathlib.Path(folder, f"{name}.html")
            output_of(*arguments, "--format", "html", "-o", page)
            check_pictures(browser, page, cells, sample(sizes, number))
            if cells is None:
                check_print(browser, page, folder)
            check(not browser.errors, name, "says on the console:", browser.errors)
            print(f"{name}: {time.monotonic() - begun:.0f} seconds", flush=True)
    return chromium.verdict()


if __name__ == "__main__":
    sys.exit(main())
