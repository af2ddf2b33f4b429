#!/usr/bin/env python3
"""How pages look in a real Chromium: looks.py PROGRAM FOLDER [SHARE]

Every page (of each chapter, of lessons of other sizes, of an article, of slides, of a report, the one that computes) in some
windows and both themes: nothing overlaps or is cut, no page scrolls sideways, text is 13 pixels high and legible, of a chosen
cell the number, its derivation's heading and its result are in sight, and axe-core finds no fault, whatever is opened or
chosen. Paper is white and its sheets are full. In pictures of --format svg, texts keep to their cells. SHARE is a part of the
pages: 2/3 is the second of three. With ATTN_TEST_EVERY a page has one window a day, and of other articles a third is looked
at. FOLDER gets axe-core from npm. Exits with 77, skipped, where there is no Chromium."""

import fcntl
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import chromium
import harness
from chromium import STEP, check, equal
from harness import output_of, run, sample, text_of

AXE = "axe-core@4.14.1"
WINDOWS = ((1366, 768), (390, 844), (1024, 640), (1920, 1080))
DEFAULT = ("simplified", "trainable", "causal", "dropout", "multihead", "cross")
TEN_WORDS = "one two three four five six seven eight nine ten"
OTHERS = {
    "wide": ["causal", "--d-in", "16", "--d-out", "2", "--steps", "all"],
    "square": ["trainable", "--d-in", "16", "--d-out", "16", "--steps", "all"],
    "long": ["multihead", "--sentence", TEN_WORDS, "--batch", "2", "--steps", "all"],
    "long-cross": ["cross", "--sentence", TEN_WORDS, "--steps", "all"],
    "fixture": ["dropout", "--fixture", "--steps", "all"],
    "printed": ["causal"],
    "tokens": ["simplified", "--tokens", "30", "--steps", "all"],
    "article": ["all"],
}
# What may be opened or chosen at a step: the end of its address, keys, or a click.
STATES = ("as it is", "a chosen cell", "?what-if=RULE", "?what-if=RULE&show=difference", "?exercise=numbers&cells=INDEX",
          "?exercise=wrong&seed=3", "?exercise=rule&seed=3", "key a", "key p", "key g", "key x", "click .toggle-contents",
          "click .answer button", "click .exercise > button")
SHEET = (717, 1045)  # A4 less its margins, in pixels of CSS
A4 = {"paperWidth": 8.27, "paperHeight": 11.69, "marginTop": 0.4, "marginBottom": 0.4}  # inches
MEAN_FULL = 0.75

# What axe-core finds: the rule, its help and where.
AXE_RUN = """axe.run({resultTypes: ["violations"]}).then(({violations}) =>
  violations.map(({id, help, nodes}) => `${id}: ${help}: ${nodes.slice(0, 3).map(({html, target}) =>
    `${target.join(" ")} ${html.slice(0, 200)}`).join(" | ")}`))"""

# What is wrong with any page as it is seen now.
WRONG = """(() => {
  const wrong = new Set();
  const name = (element) => element.className || element.tagName;
  const root = document.documentElement;
  if (Math.max(root.scrollWidth, document.body.scrollWidth) > root.clientWidth) wrong.add("the page scrolls sideways");
  const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
  if (new Set(ids).size < ids.length) wrong.add("ids that occur twice");
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
  const known = new Map();
  const rgb = (colour) => {
    if (!known.has(colour)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      known.set(colour, [...canvas.getImageData(0, 0, 1, 1).data]);
    }
    return known.get(colour);
  };
  const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  const luminance = ([r, g, b]) => 0.2126 * linear(r / 255) + 0.7152 * linear(g / 255) + 0.0722 * linear(b / 255);
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = rgb(getComputedStyle(at).backgroundColor);
      if (colour[3]) return colour;
    }
    return [255, 255, 255];
  };
  for (const element of document.querySelectorAll("body *")) {
    const isText = [...element.childNodes].some((one) => one.nodeType === Node.TEXT_NODE && one.data.trim());
    if (!isText || !element.getClientRects().length || element.closest(":disabled, .skip")) continue;
    const { fontSize, color } = getComputedStyle(element);
    if (parseFloat(fontSize) < 12.99) wrong.add(`small text in ${name(element)}`);
    const inks = [luminance(rgb(color)), luminance(ground(element))];
    if ((Math.max(...inks) + 0.05) / (Math.min(...inks) + 0.05) < 4.5) wrong.add(`pale text in ${name(element)}`);
  }
  return [...wrong];
})()"""

# Goes to each step that has a picture: what is wrong with it when its first, its middle or its last cell is chosen.
STEPS_WRONG = """(async () => {
  const next = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const found = [];
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
  for (const id of [...document.querySelectorAll("article.step")].map((one) => one.id)) {
    location.hash = id;
    while (document.querySelector(".step.current").id !== id) await next();
    await next();
    const article = document.querySelector(".step.current");
    const shown = (selector) => [...article.querySelectorAll(selector)].filter((one) => one.getClientRects().length);
    const cells = shown(".result td[data-position]");
    if (!cells.length) continue;
    const wrong = new Set();
    const panel = article.querySelector(".derivation");
    for (const cell of new Set([0, cells.length >> 1, cells.length - 1].map((i) => cells[i]))) {
      cell.focus();
      await next();
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
    }
    found.push([id, [...wrong, ...%s]]);
  }
  return found;
})()""" % WRONG

# Of everything that is printed: its colours, and where its text or its ground is not as on paper.
PRINTED = """(() => {
  dispatchEvent(new Event("beforeprint"));
  const seen = [...document.querySelectorAll("html, body, body *")].filter((one) => one.getClientRects().length);
  const colours = seen.map((one) => {
    const {color, backgroundColor, backgroundImage, boxShadow, borderTopColor} = getComputedStyle(one);
    return [color, backgroundColor, backgroundImage, boxShadow, borderTopColor].join(" ");
  });
  const bright = (text) => text.match(/[\\d.]+/g).slice(0, 3).reduce((sum, c) => sum + Number(c), 0) / 3;
  const wrong = seen.filter((one) => !one.closest(".map td, .legend i")).filter((one) => {
    const {color, backgroundColor} = getComputedStyle(one);
    return bright(color) > 110 || !(backgroundColor.endsWith(", 0)") || bright(backgroundColor) > 240);
  });
  return [colours, wrong.slice(0, 3).map((one) => one.outerHTML.slice(0, 100))];
})()"""

# Of each picture: texts beyond the picture or their cell, and pairs of texts that meet.
PICTURES = """[...document.querySelectorAll("svg")].map((svg) => {
  const box = (one) => one.getBoundingClientRect();
  const inside = (inner, outer) => inner.left >= outer.left - 0.5 && inner.right <= outer.right + 0.5 &&
    inner.top >= outer.top - 0.5 && inner.bottom <= outer.bottom + 0.5;
  const texts = [...svg.querySelectorAll("text")].map((one) => ({text: one.textContent, box: box(one), cell: one.closest(".cell")}));
  const meet = (one, other) => one.left < other.right && other.left < one.right && one.top + 3 < other.bottom && other.top + 3 < one.bottom;
  const fits = (one) => inside(one.box, box(svg)) && (!one.cell || inside(one.box, box(one.cell.querySelector("rect"))));
  return [svg.querySelector("title").textContent, texts.length > 0, [
    ...texts.filter((one) => !fits(one)).map((one) => `${one.text} is outside`),
    ...(texts.length > 600 ? [] : texts.flatMap((one, i) =>
      texts.slice(i + 1).filter((other) => meet(one.box, other.box)).map((other) => `${one.text} meets ${other.text}`))),
  ]];
})"""


def install(folder):
    """axe-core's script in that folder, installed where it is missing; none if it cannot be had. Shares wait for each other."""
    script = folder / "node_modules" / "axe-core" / "axe.min.js"
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not script.exists():
            command = [shutil.which("npm") or "false", "install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund",
                       "--fetch-retries=1", "--fetch-timeout=30000", AXE]
            subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=180)
    if not script.exists():
        print(f"left out: {AXE}, which npm does not get; install nodejs and npm")
        return None
    return script.read_text(encoding="utf-8")


def look(browser, axe, *where):
    equal(browser.js(WRONG), [], *where)
    if axe:
        browser.js(axe)
        equal(browser.js(AXE_RUN), [], *where)
    check(not browser.errors, *where, "console:", browser.errors)


def reach(browser, uri, step, state):
    """The page at that step, in that state."""
    kind, _, what = state.partition(" ")
    browser.open(f"{uri}#{step}")
    browser.js(f"document.querySelector('{STEP} .result td[data-position]').focus()")
    cell = re.search(r"\[(.*)\]", browser.address())
    if not cell:
        return  # a single number has no place to name
    index = cell[1]
    rule = browser.js("document.querySelector('.what-if option:not([value=\"\"])')?.value")
    if kind == "click" and what != ".toggle-contents":
        browser.open(f"{uri}#{step}[{index}]?exercise=numbers&cells={index}")
    elif state.startswith("?") and (rule or "RULE" not in state):
        browser.open(f"{uri}#{step}{state.replace('RULE', str(rule)).replace('INDEX', index)}", rule if "RULE" in state else None)
    elif state != "a chosen cell":
        browser.open(f"{uri}#{step}")
    if kind == "key":
        browser.key(what)
    elif kind == "click":
        browser.js(f"document.querySelector('{what}')?.click()")
    browser.wait()


def check_lesson(browser, axe, page, number, windows):
    """All steps in each window, then one of them in one state after the other."""
    for i, (width, height) in windows:
        theme = ("light", "dark")[(i + number) % 2]
        browser.media(prefers_color_scheme=theme)
        browser.size(width, height, mobile=width < 600)
        browser.open(page.as_uri())
        found = browser.js(STEPS_WRONG)
        check(found, page.stem, "has no pictures")
        for step, wrong in found:
            equal(wrong, [], page.stem, width, theme, step)
        for j in range(2):
            state = STATES[(2 * (i + number * len(WINDOWS)) + j) % len(STATES)]
            step = found[(i + j * 3) * len(found) // 8 % len(found)][0]
            reach(browser, page.as_uri(), step, state)
            look(browser, axe, page.stem, width, theme, step, state)
    browser.media()


def pdf_of(browser, folder, **paper):
    """How many sheets the page has, and how large they are."""
    path = folder / "printed.pdf"
    browser.pdf(path, **paper)
    pdf = path.read_bytes()
    boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf)
    return len(re.findall(rb"/Type /Page\b", pdf)), [(float(width), float(height)) for width, height in boxes]


def check_print(browser, page, folder):
    """Every step and map is on white paper, nothing to press is, it is the same from both themes, and sheets are full."""
    printed = {}
    for theme in ("light", "dark"):
        browser.media(prefers_color_scheme=theme)
        browser.size(*SHEET)
        browser.open(page.as_uri())
        sheets, _ = pdf_of(browser, folder, **A4)
        browser.media("print", prefers_color_scheme=theme)
        equal(browser.js("document.documentElement.dataset.theme"), theme, "the theme printed from")
        colours, wrong = browser.js(PRINTED)
        equal(wrong, [], page.stem, "printed from", theme, "in the colours of a screen")
        printed[theme] = colours, sheets
        height = browser.js("document.documentElement.scrollHeight")
        check(sheets <= 1 + height / SHEET[1] / MEAN_FULL, page.stem, "on paper:", sheets, "sheets for", height, "pixels")
    check(len(printed["light"][0]) > 500, "much is printed:", len(printed["light"][0]))
    check(printed["light"] == printed["dark"], page.stem, "printed from light and from dark")
    for selector in ("article.step", ".result table"):
        equal(browser.count(selector), len(browser.texts(selector)), page.stem, "printed:", selector)
    equal(browser.count("button, .derivation, nav"), 0, page.stem, "printed controls")
    browser.media()


def check_slides(browser, folder, name):
    """A page made with --slides begins as the projector, and has a sheet that lies for each step, or more."""
    path = folder / f"{name}-slides.html"
    output_of(name, "--format", "html", "--slides", "-o", path)
    browser.open(path.as_uri())
    equal(browser.js("[document.documentElement.className.includes('projector'), document.querySelector('button.projector').ariaPressed]"),
          [True, "true"], name, "--slides begins as the projector")
    sheets, boxes = pdf_of(browser, folder, preferCSSPageSize=True)
    check(sheets >= len(browser.texts("article.step")), name, "sheets:", sheets)
    check(boxes and all(width > 1.4 * height for width, height in boxes), name, "slides lie:", boxes[:2])


def check_report(browser, axe, folder):
    """Reports on a page and on a port, with the derivation of a wrong cell."""
    path, port = folder / "report.html", folder / "port"
    run("verify", "-", "--format", "html", "-o", path, page=text_of("causal").replace("0.5608", "0.5708", 1).encode())
    run("causal", "--what-if", "no-scaling", "--save", port)
    run("verify", port, "--chapter", "causal", "--format", "html", "-o", folder / "port.html")
    for i, (width, height) in sample(enumerate(WINDOWS)):
        browser.media(prefers_color_scheme=("dark", "light")[i % 2])
        browser.size(width, height)
        browser.open(path.as_uri())
        look(browser, axe, "a report", width)
        browser.hover(".wrong.cell")
        look(browser, axe, "a report with a derivation", width)
        browser.open((folder / "port.html").as_uri())
        look(browser, axe, "a report on a port", width)
    browser.media()


def check_live(browser, axe, folder):
    """The page that computes, with all its settings shown: as it comes, another lesson, an error."""
    if run("causal", "--format", "html", "--live").returncode:
        print("left out: the page that computes its lesson; this program was built without --live")
        return
    page = folder / "live.html"
    output_of("causal", "--live", "-o", page)
    for i, (width, height) in sample(enumerate(WINDOWS)):
        browser.media(prefers_color_scheme=("light", "dark")[i % 2])
        browser.size(width, height)
        browser.open(page.as_uri())
        browser.js("document.querySelector('.live details').open = true")
        for address in ("", "multihead?seed=7/attn_scores", "causal?tokens=0"):
            browser.js(f"location.hash = {json.dumps(address)}")
            browser.wait()
            browser.until("!document.querySelector('.live').hasAttribute('aria-busy')")
            look(browser, axe, "live", width, address)
    browser.media()


def check_svg(browser, folder, command, printing=()):
    """The picture of each tensor."""
    steps = json.loads(text_of(*command, "--steps", "all", "--format", "json"))["steps"]
    names = ["/".join(filter(None, (step["section"], step["name"]))) for step in steps if step["kind"] == "tensor"]
    drawn = [text_of(*command, *printing, "--only", name, "--format", "svg") for name in names]
    page = folder / "pictures.html"
    page.write_text("<!doctype html><meta charset=utf-8>" + "\n".join(one[one.index("<svg"):] for one in drawn), encoding="utf-8")
    browser.open(page.as_uri())
    found = browser.js(PICTURES)
    equal(len(found), len(names), *command, *printing, "pictures")
    for name, has_text, wrong in found:
        check(has_text and not wrong, *command, *printing, name, wrong[:5])


def pages():
    """Of each page of a lesson its name, its arguments and its windows, with their numbers."""
    windows = list(enumerate(WINDOWS))
    listed = harness.chapters()
    yield from ((f"blog-{chapter}", [chapter, "--steps", "all"], windows) for chapter in DEFAULT)
    yield from ((name, arguments, windows) for name, arguments in OTHERS.items())
    for i, chapter in sample(enumerate(listed), most=3):
        if chapter["article"] != "blog" and chapter["chapter"] != "cross":
            arguments = [chapter["chapter"], "--article", chapter["article"], "--steps", "all"]
            yield f"{chapter['article']}-{chapter['chapter']}", arguments, [windows[i % len(windows)]]


def main():
    part, parts = map(int, sys.argv[3].split("/")) if len(sys.argv) > 3 else (1, 1)
    with tempfile.TemporaryDirectory() as name, chromium.Chromium(scrollbars=True) as browser:
        folder, axe = pathlib.Path(name), install(pathlib.Path(sys.argv[2]))
        for number, (name, arguments, windows) in list(enumerate(pages()))[part - 1::parts]:
            page = folder / f"{name}.html"
            output_of(*arguments, "--format", "html", "-o", page)
            check_lesson(browser, axe, page, number, sample(windows, number))
            if name.startswith("blog-"):
                check_print(browser, page, folder)
                check_slides(browser, folder, name.removeprefix("blog-"))
            print(name, flush=True)
        browser.size(1600, 900)
        chapters = harness.chapters()
        for chapter in sample(chapters[part - 1::parts], most=3):
            check_svg(browser, folder, [chapter["chapter"], "--article", chapter["article"]])
        if part == parts:
            sentence = "Überraschend-lange-Wörter-sind-nicht-selten a 日本語の文章"
            for options in (["--tokens", "40"], ["--sentence", sentence], ["--batch", "5"]):
                check_svg(browser, folder, ["causal", *options])
            for printing in (["--precision", "12"], ["--sci-mode", "on"]):
                check_svg(browser, folder, ["causal"], printing)
            check_report(browser, axe, folder)
            check_live(browser, axe, folder)
    return chromium.verdict()


if __name__ == "__main__":
    sys.exit(main())
