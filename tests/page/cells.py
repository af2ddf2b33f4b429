#!/usr/bin/env python3
"""Every number of the pages of --format html in a real Chromium: cells.py PROGRAM

Of each chapter (with ATTN_TEST_EVERY, of a third of them and some of their rules, others each day): texts and cells are what
the program prints, and each cell's derivation ends in it. With a rule changed, cells, notes and the sentence are those of
--what-if in JSON, and differences those that numpy computes. On one page, an article's chapters show the same. Exits with 77,
skipped, where there is no Chromium."""

import decimal
import json
import pathlib
import re
import sys
import tempfile

import numpy as np

import chromium
import harness
from chromium import check, equal
from harness import numbers_of, sample, text_of

MOST_BYTES = 450_000  # of which derivations take 70,000: a page needs no other file
MOST_TOGETHER = 1_500_000

# Every step as it is shown now, and of every cell of a tensor that is shown whether its derivation ends in its number.
READ = """(() => {
  dispatchEvent(new Event("beforeprint"));
  const steps = JSON.parse(document.getElementById("lesson-data").textContent).steps.filter(({frame}) => !frame);
  return [...document.querySelectorAll("article.step:not(.introduction, .ending)")].map((article, i) => {
    const text = (selector) => [...article.querySelectorAll(selector)].map((one) => one.textContent).join(" ");
    const cells = [...article.querySelectorAll(".result td[data-position]")];
    const note = text(".what-if-note");
    const endsElsewhere = (cell) => {
      cell.dispatchEvent(new PointerEvent("pointerover", {bubbles: true}));
      const panel = article.querySelector(".derivation");
      const total = panel.querySelector(".total b")?.textContent;
      const exact = panel.querySelector(".total small")?.textContent.split(" ").at(-1) ?? total;
      const found = (panel.querySelector("p:not(.total):last-of-type > code")?.textContent ??
                     panel.querySelector("tbody tr:last-child td:last-child")?.textContent)?.split("= ").at(-1);
      const own = panel.querySelector("p:nth-last-of-type(2) > code")?.textContent.split("= ").at(-1) ?? found;
      const near = own === undefined || !/^-?[\\d.]+(e[-+]\\d+)?$/.test(own) ||
        Math.abs(own - exact) < 2e-6 * Math.max(1, Math.abs(exact));
      return total === cell.textContent && near ? null : [cell.dataset.position, total, exact, own];
    };
    return {
      id: article.id, note, end: steps[i].end ?? "\\n", did: text(".did"), why: text(".why:not([hidden])"),
      added: article.querySelectorAll(".what-if-added pre").length,
      text: article.querySelector(".printed[hidden]") ? null : article.querySelector(".printed pre").textContent,
      out: article.querySelector(".printed .out").textContent,
      drawn: Boolean(article.querySelector(".result")),
      cells: cells.map((cell) => cell.textContent),
      plain: cells.filter((cell) => cell.matches(".plain")).map((cell) => Number(cell.dataset.position)),
      wrong: note && !note.startsWith("Changed") ? [] : cells.map(endsElsewhere).filter(Boolean),
    };
  });
})()"""


def values_of(step):
    return np.array(step["values"], dtype=np.float32 if step["dtype"] == "float32" else None)


def rules_of(browser, step):
    """The what-ifs to choose from, which no introduction has."""
    browser.js(f"location.hash = {json.dumps(step)}")
    browser.until(f"document.querySelector('.step.current').id === {json.dumps(step)}")
    return browser.js("[...document.querySelectorAll('.what-if option')].map((one) => one.value).slice(1)")


def read(browser, uri, ids, rule, show):
    browser.open(f"{uri}#{ids[0]}?what-if={rule}&show={show}", rule)
    return browser.js(READ)


def difference_text(number):
    """As a script writes it, which rounds a tie away from 0."""
    if number == 0:
        return "0"
    if not np.isfinite(number):
        return ("+" if number > 0 else "") + str(number)
    fixed = decimal.Decimal(float(number)).quantize(decimal.Decimal("0.0001"), decimal.ROUND_HALF_UP)
    return f"{fixed:+f}" if fixed else re.sub(r"e([-+])0*(\d)", r"e\1\2", f"{float(number):+.2e}")


def check_cells(step, *where):
    equal(step["cells"], numbers_of(step["out"]), *where, "cells")
    check(not step["wrong"], *where, "derivations that end elsewhere:", step["wrong"][:3])


def check_difference(step, was, now, *where):
    """The cells against numpy's difference of the two tensors; numbers that are the same differ by 0."""
    same = (was == now) | (np.isnan(was) & np.isnan(now))
    with np.errstate(invalid="ignore"):
        wanted = np.where(same, np.float32(0), now - was).ravel()
    equal(step["cells"], [difference_text(number) for number in wanted], *where, "difference")
    equal(set(step["plain"]), set(np.flatnonzero((wanted == 0) | ~np.isfinite(wanted))), *where, "cells without a colour")
    unbounded = int(np.count_nonzero(~np.isfinite(wanted)))
    told = re.search(r"so is the difference: (\d+) of (\d+)", step["note"])
    equal(told and (int(told[1]), int(told[2])), (unbounded, wanted.size) if unbounded else None, *where, "infinite")
    check(not step["wrong"], *where, "derivations that end elsewhere:", step["wrong"][:3])
    equal(step["text"], None, *where, "a difference shows no printed text")


def check_rule(browser, command, uri, steps, rule):
    """A rule's steps, changed and subtracted. Returns how many differ."""
    lesson = json.loads(text_of(*command, "--what-if", rule, "--format", "json"))
    key = lambda step: (step["section"], step["name"], step["kind"])
    rows = {key(row): row for row in lesson["steps"]}
    ids = [step["id"] for step in steps]
    changed, subtracted = (read(browser, uri, ids, rule, show) for show in ("changed", "difference"))
    equal(changed[0]["did"], lesson["what_if"]["effect"], *command, rule, "the sentence")
    equal(sum(step["added"] for step in changed),
          sum(row["compared"] == "only with the change" for row in lesson["steps"]), *command, rule, "added")
    differing = 0
    for step, now, less in zip(steps, changed, subtracted, strict=True):
        where = (*command, rule, step["id"])
        row = rows.get(key(step["row"]))
        compared = row["compared"] if row else "gone"
        if compared == "same as before":
            equal(now["note"], f"With {rule}: same as before.", *where)
            equal([now[part] for part in ("text", "cells", "why")], [step[part] for part in ("text", "cells", "why")], *where, "as it is")
            equal(less["note"], f"With {rule}: same as before: nothing differs.", *where)
            continue
        equal(now["why"], "", *where, "does not say why the step as it is is there")
        if compared == "gone":
            check(now["note"].startswith(f"With {rule}: no ") and less["note"].endswith(": nothing to subtract from."),
                  *where, now["note"], less["note"])
            continue
        differing += 1
        if now["note"].endswith("same as before in all printed digits."):
            equal(now["cells"], step["cells"], *where, "in all printed digits")
        else:
            equal(now["note"], f"Changed by {rule}.", *where)
        if row["kind"] != "tensor":
            continue
        was, is_now = values_of(step["row"]), values_of(row)
        check_cells(now, *where)
        if row["dtype"] == "float32":
            check(np.allclose([float(number) for number in now["cells"]], is_now.ravel(), rtol=6e-5, atol=6e-5, equal_nan=True),
                  *where, "numbers")
            check_difference(less, was, is_now, *where)
        else:
            kind = "not numbers" if row["dtype"] == "bool" else "whole numbers, which this page does not subtract"
            equal(less["note"], f"With {rule}: {np.count_nonzero(was != is_now)} of {was.size} elements differ; they are {kind}.", *where)
    return differing


def check_chapter(browser, chapter, folder, number):
    """Returns the steps as they are, and the page's address."""
    command = [chapter["chapter"], "--article", chapter["article"], "--steps", "all"]
    path = folder / f"{chapter['article']}-{chapter['chapter']}.html"
    text_of(*command, "--format", "html", "-o", path)
    check(path.stat().st_size < MOST_BYTES, *command, "has", path.stat().st_size, "bytes")
    browser.open(path.as_uri())
    steps = browser.js(READ)
    equal("".join(step["text"] + step["end"] for step in steps), text_of(*command), *command, "the printed text")
    rows = json.loads(text_of(*command, "--format", "json"))["steps"]
    for step, row in zip(steps, rows, strict=True):
        if step["drawn"]:
            check_cells(step, *command, step["id"])
        else:
            check("tensor(" not in step["out"] or step["out"] == "tensor([])", *command, step["id"], "has no heat map")
    equal(browser.requests, [path.as_uri()], *command, "requests")
    equal(rules_of(browser, steps[0]["id"]), chapter["what_ifs"], *command, "rules")
    tried = sample(chapter["what_ifs"], number, within=3)
    told = [{**step, "row": row} for step, row in zip(steps, rows)]
    differing = sum(check_rule(browser, command, path.as_uri(), told, rule) for rule in tried)
    check(differing or len(tried) < len(chapter["what_ifs"]), *command, "no rule changes a step")
    check(not browser.errors, *command, "says on the console:", browser.errors)
    return steps, path.as_uri()


def check_together(browser, folder, article, chapters):
    """All chapters of an article on one page have the steps that each has alone, with a rule changed too, and addresses of their own."""
    path = folder / f"all-{article}.html"
    text_of("all", "--article", article, "--format", "html", "-o", path)
    check(path.stat().st_size < MOST_TOGETHER, article, "has", path.stat().st_size, "bytes")
    browser.open(path.as_uri())
    steps = browser.js(READ)
    wanted = [{**step, "id": f"{name}/{step['id']}"} for name, (alone, _) in chapters.items() for step in alone]
    equal(steps, wanted, article, "the chapters' steps")
    equal(list(filter(None, browser.texts("nav .chapter"))), list(chapters), article, "chapters in the contents")
    last, (alone, uri) = list(chapters.items())[-1]
    rules = rules_of(browser, wanted[-1]["id"])
    rule = next((rule for rule in ("no-scaling", "no-mask") if rule in rules), rules[0])
    together = read(browser, path.as_uri(), [wanted[-1]["id"]], rule, "changed")[-len(alone):]
    equal(browser.current(), wanted[-1]["id"], article, "an address with a chapter")
    equal(browser.text(".step.current .place .chapter"), last, article, "the step's chapter")
    one_by_one = read(browser, uri, [alone[-1]["id"]], rule, "changed")
    equal([{**step, "id": ""} for step in together], [{**step, "id": ""} for step in one_by_one], article, rule)
    if "same-weights" in rules and "simplified" in chapters:
        browser.open(f"{path.as_uri()}#simplified/attn_weights?what-if=same-weights", "same-weights")
        equal(browser.text(".step.current .what-if-note"),
              "same-weights does not apply to simplified.", article, "a rule of other chapters")
    check(not browser.errors, article, "console:", browser.errors)


def main():
    with tempfile.TemporaryDirectory() as name, chromium.Chromium() as browser:
        folder = pathlib.Path(name)
        browser.size(1280, 720)
        listed = harness.chapters()
        articles = sample(sorted({chapter["article"] for chapter in listed}), most=3)
        for article in articles:
            chapters = [chapter for chapter in listed if chapter["article"] == article]
            shown = {chapter["chapter"]: check_chapter(browser, chapter, folder, number) for number, chapter in enumerate(chapters)}
            check_together(browser, folder, article, shown)
            print(article, len(shown), "chapters", flush=True)
    return chromium.verdict()


if __name__ == "__main__":
    sys.exit(main())
