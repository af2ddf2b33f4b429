#!/usr/bin/env python3
"""The pictures of --format svg in a real Chromium: svg.py PROGRAM

Of every tensor of every chapter, no text leaves its cell, the picture, or runs into another text. Exits with 77,
skipped, where there is no Chromium."""

import json
import pathlib
import sys
import tempfile

import chromium
from harness import text_of

# Of each picture: texts beyond the picture or their cell, and pairs of texts that meet.
READ = """[...document.querySelectorAll("svg")].map((svg) => {
  const box = (one) => one.getBoundingClientRect();
  const inside = (inner, outer) => inner.left >= outer.left - 0.5 && inner.right <= outer.right + 0.5 &&
    inner.top >= outer.top - 0.5 && inner.bottom <= outer.bottom + 0.5;
  const texts = [...svg.querySelectorAll("text")].map((one) =>
    ({text: one.textContent, box: box(one), cell: one.closest(".cell")}));
  const meet = (one, other) => one.left < other.right && other.left < one.right &&
    one.top + 3 < other.bottom && other.top + 3 < one.bottom;
  const cellOf = (one) => box(one.cell.querySelector("rect"));
  const fits = (one) => inside(one.box, box(svg)) && (!one.cell || inside(one.box, cellOf(one)));
  return {
    name: svg.querySelector("title").textContent,
    texts: texts.length,
    outside: texts.filter((one) => !fits(one)).map((one) => one.text),
    meeting: texts.length > 600 ? [] : texts.flatMap((one, i) =>
      texts.slice(i + 1).filter((other) => meet(one.box, other.box)).map((other) => `${one.text} ${other.text}`)),
  };
})"""


def tensor_names(steps):
    tensors = [step for step in steps if step["kind"] == "tensor"]
    return [f"{step['section']}/{step['name']}" if step["section"] else step["name"] for step in tensors]


def check(browser, page, command, printing=()):
    """Returns how many pictures there are, and how many are wrong."""
    names = tensor_names(json.loads(text_of(*command, "--steps", "all", "--format", "json"))["steps"])
    pictures = [text_of(*command, *printing, "--only", name, "--format", "svg") for name in names]
    drawn = "\n".join(one[one.index("<svg"):] for one in pictures)
    page.write_text("<!doctype html><meta charset=utf-8>" + drawn, encoding="utf-8")
    browser.open(page.as_uri())
    found = browser.js(READ)
    wrong = [one for one in found if one["outside"] or one["meeting"] or not one["texts"]]
    for one in wrong:
        print("FAILED:", *command, *printing, one["name"], "outside:", one["outside"][:5],
              "meeting:", one["meeting"][:5])
    return len(found), len(wrong) + (len(found) != len(names))


def main():
    with tempfile.TemporaryDirectory() as folder, chromium.Chromium() as browser:
        page = pathlib.Path(folder) / "pictures.html"
        browser.size(1600, 900)
        chapters = json.loads(text_of("list", "--format", "json"))["chapters"]
        commands = [[chapter["chapter"], "--article", chapter["article"]] for chapter in chapters]
        sentence = "Überraschend-lange-Wörter-sind-nicht-selten a 日本語の文章"
        commands += [["causal", *options]
                     for options in (["--tokens", "40"], ["--sentence", sentence], ["--batch", "5"])]
        results = [check(browser, page, command) for command in commands]
        for printing in (["--precision", "12"], ["--sci-mode", "on"]):
            results.append(check(browser, page, ["causal"], printing))
    count, wrong = sum(one for one, _ in results), sum(one for _, one in results)
    print(f"{count} pictures, {wrong} wrong")
    return 1 if wrong or count < 500 else 0


if __name__ == "__main__":
    sys.exit(main())
