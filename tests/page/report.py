#!/usr/bin/env python3
"""The page of verify --format html in a real Chromium: report.py PROGRAM

Exits with 77, skipped, where there is no Chromium."""

import pathlib
import sys
import tempfile

import chromium
from chromium import equal
from harness import run, text_of


def fits(browser, what):
    for width in (390, 1920):
        browser.size(width, 800)
        equal(browser.js("document.documentElement.scrollWidth <= innerWidth"), True, what, "fits into", width)


def main():
    with tempfile.TemporaryDirectory() as folder, chromium.Chromium() as browser:
        page = text_of("causal")
        path = pathlib.Path(folder, "report.html")
        run("verify", "-", "--format", "html", "-o", path, page=page.replace("0.5608", "0.5708", 1).encode())
        browser.open(path.as_uri())
        panel = "document.getElementById('derivation')"
        equal(browser.js(f"{panel}.hidden"), True, "nothing is derived before somebody asks")
        browser.hover(".wrong.cell")
        equal(browser.js(f"{panel}.hidden"), False, "hovering shows the derivation")
        equal(browser.js(f"{panel}.textContent").splitlines()[0].split(", exactly")[0], "here 0.5708, right 0.5608",
              "the wrong cell's words")
        browser.js("document.querySelector('#derivation pre').focus()")
        browser.key("Escape")
        equal(browser.js(f"{panel}.hidden"), True, "Escape puts it away")
        equal(browser.js("document.activeElement.matches('.tensor:has(.wrong)')"), True, "and comes back to the tensor")
        browser.js("document.querySelector('.tensor').focus()")
        for name, number in (("ArrowRight", 0), ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1)):
            browser.key(name)
            equal(browser.js("document.querySelector('.shown').textContent"),
                  browser.js(f"document.querySelectorAll('.tensor .cell')[{number}].textContent"), name, number)
        for scheme in ("light", "dark"):
            browser.media("", **{"prefers-color-scheme": scheme})
            poor = browser.js(CONTRAST)
            equal(poor, [], scheme, "contrast of text")
        fits(browser, "a page")
        run("causal", "--what-if", "no-scaling", "--save", "port", cwd=folder)
        run("verify", "port", "--chapter", "causal", "--format", "html", "-o", path, "--force", cwd=folder)
        browser.media("", **{"prefers-color-scheme": "light"})
        browser.open(path.as_uri())
        equal(browser.js(CONTRAST), [], "contrast of a port's text")
        fits(browser, "a port")
    return chromium.verdict()


# Text of less than 4.5 : 1 to what is behind it (WCAG 2.1, 1.4.3).
CONTRAST = """(() => {
  const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
      .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const colour = rgb(getComputedStyle(one).backgroundColor);
      if (colour.length === 3 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  return [...new Set([...document.querySelectorAll(".cell, .verdict, .key span, .detail, .summary, a, summary")].filter((element) => {
    const [a, b] = [light(rgb(getComputedStyle(element).color)), light(behind(element))].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05) < 4.5;
  }).map((element) => element.className))];
})()"""

if __name__ == "__main__":
    sys.exit(main())
