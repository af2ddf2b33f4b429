#!/usr/bin/env python3
"""The page's projector mode, its slides and its grid of all heads, in a real Chromium: projector.py PROGRAM

In projector mode type is larger and what is besides picture, formula and derivation is gone; printed, each step begins a
sheet; the grid shows every head on one scale, and the head of the cell that is chosen is named. Exits with 77, skipped,
where there is no Chromium."""

import json
import pathlib
import re
import sys
import tempfile

import numpy as np

import chromium
from chromium import check, equal
from harness import output_of, text_of

CHAPTERS = ("simplified", "causal", "multihead", "cross")
STEP = ".step.current"


def check_keys(browser, page):
    browser.size(1366, 768)
    browser.open(page + "#attn_scores")
    size = f"parseFloat(getComputedStyle(document.querySelector('{STEP} .result td[data-position]')).fontSize)"
    extra = """[...document.querySelectorAll("nav, footer, .step.current :is(.why, .notices, .printed, .links, .shapes)")]
      .filter((one) => one.getClientRects().length).length"""
    plain = browser.js(size)
    check(browser.js(extra) > 2, "more than the picture")
    browser.key("p")
    check(browser.js(size) > 1.2 * plain, "larger type:", plain, browser.js(size))
    equal(browser.js(extra), 0, "nothing but the picture")
    browser.key("ArrowRight")
    check(browser.js("document.querySelector('.step.current').id") != "attn_scores", "arrows step")
    browser.click("button.projector")
    equal(browser.js(size), plain, "the page is back")


def check_slides(browser, page, folder, name):
    """The page made with --slides begins as its projector, and has a sheet or more for each step."""
    slides = folder / f"{name}-slides.html"
    output_of(name, "--format", "html", "--slides", "-o", str(slides), "--force")
    browser.open(slides.as_uri())
    equal(browser.js("[document.documentElement.className.includes('projector'), document.querySelector('button.projector').ariaPressed]"),
          [True, "true"], name, "--slides begins as the projector")
    articles = browser.js("document.querySelectorAll('article.step').length")
    path = folder / "slides.pdf"
    browser.pdf(path, preferCSSPageSize=True)
    pdf = path.read_bytes()
    boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf)
    check(len(re.findall(rb"/Type /Page\b", pdf)) >= articles, name, "sheets")
    check(boxes and all(float(width) > 1.4 * float(height) for width, height in boxes), name, "slides lie:", boxes[:2])


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
        check(not browser.errors, "console:", browser.errors)
    return chromium.verdict()


if __name__ == "__main__":
    sys.exit(main())
