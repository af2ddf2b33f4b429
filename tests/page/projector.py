#!/usr/bin/env python3
"""The page's projector mode, its slides and its grid of all heads, in a real Chromium: projector.py PROGRAM

In projector mode a step is a screen of picture, formula and derivation in large type; printed, each step has a slide of its
own; the grid shows every head on one scale, and the head of the cell that is chosen is named. Exits with 77, skipped,
where there is no Chromium."""

import json
import pathlib
import re
import sys
import tempfile

import numpy as np

import chromium
from chromium import check, equal
from harness import output_of, sample, text_of

CHAPTERS = ("simplified", "causal", "multihead", "cross")
ROOMS = ((1024, 640), (1024, 768), (1366, 768), (1920, 1080))
STEP = ".step.current"
# Of every step: its id, what is seen besides picture, formula and derivation, and the height of type, a number's and a table's.
LOOK = """async (article, next) => {
  const cell = article.querySelector(".result td[data-position]");
  cell.focus();
  await next();
  const seen = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.getClientRects().length);
  const size = (one) => parseFloat(getComputedStyle(one).fontSize);
  return {
    extra: seen("nav, footer, .why, .notices, .printed, .links, .shapes, .place").map((one) => one.className || one.tagName),
    number: size(cell), told: Math.min(...seen(".derivation :is(td, code, b)").map(size)),
    heading: size(article.querySelector("h2")), expression: article.querySelector(".expression").getClientRects().length,
    sideways: document.documentElement.scrollWidth > innerWidth,
    below: document.documentElement.scrollHeight - innerHeight,
    cut: [article.querySelector(".derivation"), ...article.querySelectorAll(".result .box:not(.unseen) .scroll, .operands .scroll")]
      .filter((box) => (box.scrollHeight > box.clientHeight + 1 && box.offsetWidth - box.clientWidth < 6) ||
                       (box.scrollWidth > box.clientWidth + 1 && box.offsetHeight - box.clientHeight < 6)).length,
  };
}"""


def check_rooms(browser, page, name):
    for width, height in sample(ROOMS, CHAPTERS.index(name)):
        browser.size(width, height)
        browser.open(page)
        plain = {one["id"]: one for one in browser.each_step(LOOK)}
        browser.open(page)
        browser.key("p")
        found = browser.each_step(LOOK)
        check(len(found) >= 10, name, width, "steps:", len(found))
        for one in found:
            where = (name, f"{width}x{height}", one["id"])
            equal(one["extra"], [], *where, "besides picture, formula and derivation")
            check(one["expression"], *where, "the formula")
            check(not one["sideways"] and one["below"] < 2, *where, "a step is a screen:", one["below"])
            equal(one["cut"], 0, *where, "boxes cut without a scrollbar")
            check(one["number"] >= max(13, height / 75), *where, "numbers of", one["number"], "pixels")
            check(one["told"] >= max(13, height / 75), *where, "a derivation of", one["told"], "pixels")
        larger = [one["number"] / plain[one["id"]]["number"] for one in found]
        print(f"{name} {width}x{height}: numbers of {min(one['number'] for one in found):.1f} to "
              f"{max(one['number'] for one in found):.1f} pixels, {np.median(larger):.2f} times the page's")
        check(np.median(larger) > 1.05 or height < 700, name, height, "numbers are no larger:", np.median(larger))


def check_keys(browser, page):
    browser.size(1366, 768)
    browser.open(page + "#attn_scores")
    size = "parseFloat(getComputedStyle(document.documentElement).fontSize)"
    plain = browser.js(size)
    browser.key("p")
    first = browser.js(size)
    browser.key("+")
    larger = browser.js(size)
    browser.key("-")
    browser.key("-")
    smaller = browser.js(size)
    equal(browser.js("document.querySelector('h1').offsetWidth"), 1, "the title")
    check(plain < first and smaller < first < larger, "sizes:", plain, smaller, first, larger)
    browser.key("ArrowRight")
    equal(browser.js("document.querySelector('.step.current').id") != "attn_scores", True, "arrows step")
    browser.click("button.projector")
    equal((browser.js(size), browser.js("document.querySelector('h1').offsetWidth > 100")), (plain, True), "the page is back")


def check_slides(browser, page, folder, name):
    """A sheet for each step, and for the introduction and the summary; the page made with --slides begins as its projector."""
    slides = folder / f"{name}-slides.html"
    output_of(name, "--format", "html", "--slides", "-o", str(slides), "--force")
    browser.open(slides.as_uri())
    equal(browser.js("[document.documentElement.className.includes('projector'), document.querySelector('button.projector').ariaPressed]"),
          [True, "true"], name, "--slides begins as the projector")
    at_once = browser.js("parseFloat(getComputedStyle(document.documentElement).fontSize)")
    browser.open(page)
    articles = browser.js("document.querySelectorAll('article.step').length")
    browser.key("p")
    equal(browser.js("parseFloat(getComputedStyle(document.documentElement).fontSize)"), at_once, name, "the type of --slides and of p")
    if name == "cross":
        browser.open(slides.as_uri())
    path = folder / "slides.pdf"
    browser.pdf(path, preferCSSPageSize=True)
    pdf = path.read_bytes()
    boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf)
    equal(len(re.findall(rb"/Type /Page\b", pdf)), articles, name, "sheets")
    check(boxes and all(float(width) > 1.5 * float(height) for width, height in boxes), name, "slides lie:", boxes[:2])
    browser.size(round(281 * 96 / 25.4), 631)  # a sheet between its margins
    browser.media("print")
    browser.js("dispatchEvent(new Event('beforeprint'))")
    too_large = browser.js("""[...document.querySelectorAll("article.step")].filter((one) => one.querySelector(".result") &&
      (one.scrollHeight > one.clientHeight + 1 || one.querySelector(".result").scrollWidth > 281 * 96 / 25.4 + 1)).map(({id}) => id)""")
    equal(too_large, [], name, "steps larger than their sheet")
    browser.media()


def check_grid(browser, page, folder):
    """Every head's matrix at once; a number has the same colour in each."""
    output_of("multihead", "--steps", "all", "--save", str(folder / "steps"))
    weights = np.load(folder / "steps" / "attn_weights.npy")
    for window in ((1366, 768), (1024, 640)):
        browser.size(*window)
        browser.open(page + "#attn_weights")
        browser.key("a")
        shown = browser.js(f"""[...document.querySelectorAll("{STEP} .result table")].filter((one) => one.getClientRects().length)
          .map((one) => [one.caption.textContent, [...one.querySelectorAll("td[data-position]")].map((cell) => Number(cell.textContent))])""")
        heads = weights.reshape(-1, *weights.shape[-2:])
        equal(len(shown), len(heads), window, "matrices")
        for number, (caption, cells) in enumerate(shown):
            check(f"head {number + 1}" in caption, "its name:", caption)
            check(np.allclose(cells, heads[number].ravel(), atol=6e-5), "the numbers of head", number + 1)
        colours = browser.js(f"""[...document.querySelectorAll("{STEP} .result td[data-position]")]
          .map((one) => [one.textContent, getComputedStyle(one).backgroundColor])""")
        colour = {}
        equal([text for text, one in colours if colour.setdefault(text, one) != one], [], window, "the same number in two colours")
        equal(browser.js("document.documentElement.scrollWidth <= innerWidth"), True, window, "fits in width")
    browser.size(1366, 768)
    at = heads[0].size + 7
    browser.hover(f"{STEP} .result td[data-position='{at}']")
    check("head 2" in browser.js(f"document.querySelector('{STEP} .derivation h3').textContent"), "the head of the cell is named")
    equal(browser.js(f"[...document.querySelectorAll('{STEP} caption.met')].map((one) => one.textContent.includes('head 2'))"), [True], "its caption is marked")
    browser.key("a")
    equal(browser.js(f"[...document.querySelectorAll('{STEP} .result table')].filter((one) => one.getClientRects().length).length"), 1, "one slice again")
    browser.open(page + "#context_vecs[0,1,2]")
    steps = json.loads(text_of("multihead", "--steps", "all", "--format", "json"))["steps"]
    width = next(step["shape"][-1] for step in steps if step["name"] == "context_vecs" and len(step.get("shape", [])) == 3)
    told = browser.js(f"document.querySelector('{STEP} .derivation h3').textContent")
    check(f"head {2 * len(heads) // width + 1}" in told, "the head that a column of all heads belongs to:", told)


def main():
    with tempfile.TemporaryDirectory() as name, chromium.Chromium(scrollbars=True) as browser:
        folder = pathlib.Path(name)
        pages = {}
        for chapter in CHAPTERS:
            path = folder / f"{chapter}.html"
            output_of(chapter, "--format", "html", "-o", str(path))
            pages[chapter] = path.as_uri()
        check_keys(browser, pages["causal"])
        check_grid(browser, pages["multihead"], folder)
        for chapter in CHAPTERS:
            check_slides(browser, pages[chapter], folder, chapter)
            check_rooms(browser, pages[chapter], chapter)
        check(not browser.errors, "console:", browser.errors)
    return chromium.verdict()


if __name__ == "__main__":
    sys.exit(main())
