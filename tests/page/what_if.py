#!/usr/bin/env python3
"""The what-ifs of the page of --format html in a real Chromium: what_if.py PROGRAM

Of each chapter and rule (with ATTN_TEST_EVERY, of a third of the chapters and some of their rules, others each day): the
sentence, the changed text and cells and what is said of each step are those of --what-if, and the differences those that
numpy computes from what --save writes. Exits with 77, skipped, where there is no Chromium."""

import decimal
import json
import os
import pathlib
import re
import sys
import tempfile

import numpy as np

import chromium
import harness
import page as pages
from chromium import check, equal


def text_of(*command):
    """With so narrow a terminal that one side stands below the other."""
    return harness.text_of(*command, env={**os.environ, "COLUMNS": "20"})


def bare(text):
    """A printed tensor without its marks and blanks."""
    return re.sub(r"[\s*]", "", text)


class SideBySide:
    """What --what-if writes: its sentence, what the changed side prints, and the steps that are the same."""

    def __init__(self, text):
        lines = text.splitlines()
        self.sentence = lines[0].removeprefix("# ")
        self.changed, self.same, self.alike = [], [], []
        block = None
        for line in lines[1:]:
            told = re.fullmatch(r"# (.*): (same as before(?: in all printed digits)?)", line)
            if line in ("# original", "# changed"):
                block = [] if line.endswith("changed") else None
                if block is not None:
                    self.changed.append(block)
            elif told:
                names = told[1].split(", ")
                (self.alike if told[2].endswith("digits") else self.same).extend(names)
                block = None
            elif line.startswith("# ") and not line.startswith("# no "):
                block = None
            elif block is not None:
                block.append(line)
        self.changed = [bare("".join(block)) for block in self.changed]


# Every step as it is shown now: what is new before it, its text, its cells and what is said of it.
READ = """(() => {
  dispatchEvent(new Event("beforeprint"));
  const text = (article, selector) => [...article.querySelectorAll(selector)].map((one) => one.textContent).join(" ");
  return [...document.querySelectorAll("article.step:not(.introduction, .ending)")].map((article) => ({
    id: article.id,
    added: [...article.querySelectorAll(".what-if-added pre")].map((one) => one.textContent),
    text: article.querySelector(".printed[hidden]") ? null : article.querySelector(".printed pre").textContent,
    out: article.querySelector(".printed .out").textContent,
    note: text(article, ".what-if-note"),
    did: text(article, ".did"),
    why: text(article, ".why:not([hidden])"),
    plain: [...article.querySelectorAll(".result td.plain")].map((cell) => Number(cell.dataset.position)),
    cells: [...article.querySelectorAll(".result td[data-position]")].map((cell) => cell.textContent),
    wrong: (text(article, ".what-if-note").startsWith("Changed")
            ? [...article.querySelectorAll(".result td[data-position]")] : []).filter((cell) => {
      cell.dispatchEvent(new PointerEvent("pointerover", {bubbles: true}));
      const panel = article.querySelector(".derivation");
      return panel.querySelector(".total b")?.textContent !== cell.textContent;
    }).map((cell) => cell.dataset.position),
  }));
})()"""


def read(browser, page, ids, rule, show):
    suffix = "" if show == "changed" else f"&show={show}"
    browser.open(f"{page.as_uri()}#{ids[0]}?what-if={rule}{suffix}")
    browser.wait()
    return browser.js(READ)


def difference_text(number):
    """As a script writes it, which rounds a tie away from 0."""
    if number == 0:
        return "0"
    if not np.isfinite(number):
        return ("+" if number > 0 else "") + str(number)
    fixed = decimal.Decimal(float(number)).quantize(decimal.Decimal("0.0001"), decimal.ROUND_HALF_UP)
    if fixed == 0:
        scientific = f"{float(number):+.2e}"
        return re.sub(r"e([-+])0*(\d)", r"e\1\2", scientific)
    return f"{fixed:+f}"


def check_difference(step, was, now, *where):
    """The cells against numpy's difference of the two saved tensors; numbers that are the same differ by 0."""
    same = (was == now) | (np.isnan(was) & np.isnan(now))
    with np.errstate(invalid="ignore"):
        wanted = np.where(same, np.float32(0), now - was).ravel()
    equal(step["cells"], [difference_text(number) for number in wanted], *where, "difference")
    plain = set(np.flatnonzero((wanted == 0) | ~np.isfinite(wanted)))
    equal(set(step["plain"]), plain, *where, "cells without a colour")
    unbounded = int(np.count_nonzero(~np.isfinite(wanted)))
    told = re.search(r"so is the difference: (\d+) of (\d+)", step["note"])
    equal(told and (int(told[1]), int(told[2])), (unbounded, wanted.size) if unbounded else None, *where, "infinite")
    check(not step["wrong"], *where, "derivations that end elsewhere:", step["wrong"][:3])
    check(step["text"] is None, *where, "a difference shows a printed text")


def check_rule(browser, command, page, steps, rule, name):
    """Returns how many steps are the same, changed, gone and subtracted."""
    wanted = SideBySide(text_of(*command, "--what-if", rule))
    ids = [step["id"] for step in steps]
    folder = page.parent
    changed_file = folder / "changed.npz"
    text_of(*command, "--what-if", rule, "--save", str(changed_file), "--force")
    saved = np.load(folder / f"{page.stem}.npz"), np.load(changed_file)

    shown = read(browser, page, ids, rule, "changed")
    equal(shown[0]["did"], wanted.sentence, name, rule, "the sentence")
    printed, same, alike = [], [], []
    for step, plain in zip(shown, steps):
        printed += [bare(text) for text in step["added"]]
        note = step["note"].removeprefix(f"With {rule}: ")
        if note == "same as before.":
            same.append(plain["title"])
            equal((step["text"], step["cells"], step["why"]), (plain["text"], plain["cells"], plain["why"]), name, rule,
                  step["id"], "differs from the step as it is")
            continue
        equal(step["why"], "", name, rule, step["id"], "says why the step as it is is there")
        if note == "same as before in all printed digits.":
            alike.append(plain["title"])
            continue
        is_gone = note.startswith("no ")
        printed.append(bare(step["text"]))
        check(is_gone or note == f"Changed by {rule}.", name, rule, step["id"], "says", note)
        if step["cells"]:
            equal(step["cells"], pages.numbers_of(step["out"]), name, rule, step["id"], "cells")
        check(not step["wrong"], name, rule, step["id"], "derivations that end elsewhere:", step["wrong"][:3])
    equal(printed, wanted.changed, name, rule, "what the changed side prints")
    equal(set(same), set(wanted.same), name, rule, "steps that are the same as before")
    equal(set(alike), set(wanted.alike), name, rule, "steps that are the same in all printed digits")

    subtracted = 0
    for step, plain in zip(read(browser, page, ids, rule, "difference"), steps):
        key = plain["key"]
        if step["cells"]:
            check_difference(step, saved[0][key], saved[1][key], name, rule, step["id"])
            subtracted += 1
        else:
            is_same = step["note"] == f"With {rule}: same as before: nothing differs."
            is_gone = step["note"].endswith(": nothing to subtract from.") and key not in saved[1]
            is_no_float = key in saved[1] and saved[1][key].dtype.kind in "bi"
            if is_no_float and not is_same:
                differing = np.count_nonzero(saved[0][key] != saved[1][key])
                kind = ("not numbers" if saved[1][key].dtype == bool
                        else "whole numbers, which this page does not subtract")
                equal(step["note"], f"With {rule}: {differing} of {saved[0][key].size} elements differ; they are "
                      f"{kind}.", name, rule, step["id"])
                check(differing > 0, name, rule, step["id"], "is said to differ")
                continue
            check(is_same or is_gone, name, rule, step["id"], "has no difference:", step["note"])
            if is_same and plain["kind"] == "tensor":
                was, now = saved[0][key], saved[1][key]
                is_equal = np.array_equal(was, now, equal_nan=was.dtype.kind == "f")
                check(is_equal, name, rule, step["id"], "is not the same")
    return np.array([len(same), len(printed), subtracted])


def check_chapter(browser, chapter, folder, number):
    name = f"{chapter['article']}-{chapter['chapter']}"
    command = [chapter["chapter"], "--article", chapter["article"], "--steps", "all"]
    page = folder / f"{name}.html"
    text_of(*command, "--format", "html", "-o", str(page))
    text_of(*command, "--save", str(folder / f"{name}.npz"))
    listed = json.loads(text_of(*command, "--format", "json"))["steps"]
    browser.open(page.as_uri() + "#" + listed[0]["name"])
    rules = browser.js("[...document.querySelectorAll('.what-if option')].map((one) => one.value)")
    equal(rules, ["", *chapter["what_ifs"]], name, "rules")
    steps = browser.js(READ)
    for step, one in zip(steps, listed, strict=True):
        step["kind"] = one["kind"]
        step["key"] = "/".join(filter(None, (one["section"], one["name"])))
        step["title"] = one["name"] + (".shape" if one["kind"] == "size" else "")
    counts = np.array([0, 0, 0])
    tried = harness.sample(chapter["what_ifs"], number, within=3)
    for rule in tried:
        counts += check_rule(browser, command, page, steps, rule, name)
    check(not browser.errors, name, "says on the console:", browser.errors)
    print(name, "rules:", len(tried), "steps that are the same, changed and subtracted:", *counts)
    check(counts.all() or len(tried) < len(rules) - 1, name, "has nothing to compare")


def state(browser):
    return browser.js("""(() => {
      const article = document.querySelector(".step.current");
      return [article.id, article.querySelector(".what-if select").value,
              article.querySelector(".switch:not([hidden]) [aria-pressed=true]")?.textContent ?? null, location.hash];
    })()""")


def choose(browser, rule):
    browser.js(f"""(() => {{
      const list = document.querySelector(".what-if select");
      list.value = {json.dumps(rule)};
      list.dispatchEvent(new Event("change", {{bubbles: true}}));
    }})()""")
    browser.wait()


def check_switch(browser, page):
    """The rule is chosen once and kept; buttons, w and addresses say what is shown."""
    uri = page.as_uri()
    browser.open(uri + "#attn_weights")
    equal(state(browser), ["attn_weights", "", None, "#attn_weights"], "before a rule is chosen")
    plain = browser.js(READ)
    choose(browser, "no-mask")
    equal(state(browser), ["attn_weights", "no-mask", "changed", "#attn_weights?what-if=no-mask"], "a rule chosen")
    said = browser.js("document.getElementById('lesson-said').textContent")
    check("Changed by no-mask. Without a mask" in said, "announced:", said)
    browser.js("document.querySelector('.step.current').focus()")
    browser.key("ArrowRight")
    equal(state(browser)[1:3], ["no-mask", "changed"], "kept by the next step")
    check(browser.js("location.hash").endswith("?what-if=no-mask"), "kept in the address")
    browser.key("ArrowLeft")
    for wanted in ("difference", "original", "changed", "difference"):
        browser.key("w")
        equal(state(browser)[2], wanted, "after w")
    equal(state(browser)[3], "#attn_weights?what-if=no-mask&show=difference", "the address after w")
    browser.click(".switch button:nth-child(1)")
    equal(state(browser)[2:], ["original", "#attn_weights?what-if=no-mask&show=original"], "a button")
    browser.click(".switch button:nth-child(2)")
    browser.click(pages.cell(7))
    browser.key("w")
    equal(browser.js("[document.activeElement.dataset.position, document.activeElement.textContent[0]]"), ["7", "-"],
          "the number that had the focus")
    browser.key("w")
    browser.key("w")
    browser.click(".step.current .links a")
    equal(state(browser)[:3], ["scaled_attn_scores", "no-mask", "changed"], "a link within the page")
    browser.js("history.back()")
    browser.wait()
    browser.wait()
    equal(state(browser)[:3], ["attn_weights", "no-mask", "changed"], "back")
    choose(browser, "")
    equal(state(browser), ["attn_weights", "", None, "#attn_weights[0,1,1]"], "no rule again")
    equal(browser.js(READ), plain, "all steps, as they were")
    browser.js("document.querySelector('.step.current').focus()")
    browser.key("w")
    equal(browser.js("document.activeElement.localName"), "select", "w without a rule")
    browser.open(uri + "#attn_weights[0,1,2]?what-if=no-mask")
    browser.wait()
    equal((state(browser)[:3], browser.js("document.activeElement.textContent")),
          (["attn_weights", "no-mask", "changed"], "0.1743"), "an address with all")
    for query in ("?what-if=nonsense", "?", "?show=difference", "?what-if=__proto__&show=constructor"):
        browser.open(f"{uri}#attn_weights{query}")
        browser.wait()
        equal(state(browser)[:3], ["attn_weights", "", None], "an address with", query)
    check(not browser.errors, "console:", browser.errors)


def check_idle(browser, folder):
    """A rule that moves no number says why; where tensors are summarised, there are no rules."""
    page = folder / "idle.html"
    text_of("dropout", "--dropout", "0", "--format", "html", "-o", str(page))
    sentence = SideBySide(text_of("dropout", "--dropout", "0", "--what-if", "no-rescale")).sentence
    check(sentence.startswith("No number changed: "), "idle:", sentence)
    browser.open(page.as_uri())
    ids = browser.js("[...document.querySelectorAll('article.step:not(.introduction, .ending)')].map((step) => step.id)")
    shown = read(browser, page, ids, "no-rescale", "changed")
    equal(shown[0]["did"], sentence, "idle")
    equal({step["note"] for step in shown}, {"With no-rescale: same as before."}, "idle steps")
    page = folder / "large.html"
    text_of("causal", "--tokens", "33", "--format", "html", "-o", str(page))
    browser.open(page.as_uri())
    equal(browser.js("document.querySelectorAll('.what-if').length"), 0, "rules where tensors are summarised")


def check_only(browser, folder):
    """Of the steps that are asked for, some may be gone."""
    page = folder / "only.html"
    text_of("causal", "--only", "scaled_attn_scores,attn_weights", "--format", "html", "-o", str(page))
    browser.open(page.as_uri())
    shown = read(browser, page, ["scaled_attn_scores"], "no-scaling", "changed")
    equal([step["note"] for step in shown],
          ["With no-scaling: no scaled_attn_scores here. The line is gone.", "Changed by no-scaling."], "--only")


def check_article(browser, article, names, folder):
    """All chapters on one page: each its own rules and address; page.py compares their steps."""
    page = folder / f"all-{article}.html"
    text_of("all", "--article", article, "--format", "html", "-o", str(page))
    print(f"all of {article}: {page.stat().st_size} bytes")
    check(page.stat().st_size < 1_500_000, article, "has", page.stat().st_size, "bytes")
    browser.open(page.as_uri())
    together = browser.js(pages.IDS)
    equal(browser.js("""[...document.querySelectorAll('[id]')].map((one) => one.id)
      .filter((id, i, all) => all.indexOf(id) !== i)"""), [], article, "ids that occur twice")
    listed = browser.js("[...document.querySelectorAll('nav .chapter')].map((one) => one.textContent).filter(Boolean)")
    equal(listed, names, article, "chapters in the contents")
    equal(browser.js("document.querySelector('.step.current').id"), f"{names[0]}/introduction", "what comes first")
    browser.js(f"location.hash = {json.dumps(together[0])}")
    browser.wait()
    equal(browser.js("document.querySelector('.step.current').id"), together[0], "the first step")
    equal(browser.js("document.querySelector('.counter').textContent"), f"1 / {len(together)}", article, "one counter")
    last = together[-1]
    browser.open(f"{page.as_uri()}#{last}?what-if=no-scaling")
    browser.wait()
    equal(browser.js("document.querySelector('.step.current').id"), last, article, "an address with a chapter")
    equal(browser.js("document.querySelector('.step.current .place .chapter').textContent"), names[-1], article,
          "the step's chapter")
    changed = browser.js(READ)
    alone = folder / f"{article}-{names[-1]}-alone.html"
    text_of(names[-1], "--article", article, "--steps", "all", "--format", "html", "-o", str(alone))
    browser.open(f"{alone.as_uri()}#{last.split('/')[1]}?what-if=no-scaling")
    browser.wait()
    for one, other in zip(browser.js(READ)[::-1], changed[::-1]):
        equal({**one, "id": ""}, {**other, "id": ""}, article, "changed")
    browser.open(f"{page.as_uri()}#simplified/attn_weights?what-if=same-weights")
    browser.wait()
    if names[0] == "simplified":
        note = browser.js("document.querySelector('.step.current .what-if-note').textContent")
        equal(note, "same-weights does not apply to simplified.", article, "a rule of other chapters")
    check(not browser.errors, article, "console:", browser.errors)


def check_asked(browser, folder):
    """A page made with --what-if opens with the rule changed; an address that says nothing of it shows the original."""
    path = folder / "asked.html"
    did = text_of("causal", "--what-if", "no-mask").split("\n")[0][2:]
    text_of("causal", "--what-if", "no-mask", "--output", str(path))
    browser.open(path.as_uri())
    equal(browser.js("location.hash"), "#introduction?what-if=no-mask", "the address of the first step")
    for _ in range(6):
        browser.key("ArrowRight")
    equal(browser.js("document.querySelector('.step.current .did').textContent"), did, "the effect")
    check("what-if=no-mask" in browser.js("location.hash"), "the rule is kept")
    browser.open(path.as_uri() + "#attn_weights")
    equal(browser.js("document.querySelector('.step.current .what-if-note')"), None, "the original")


def main():
    with tempfile.TemporaryDirectory() as name, chromium.Chromium() as browser:
        folder = pathlib.Path(name)
        browser.size(1280, 720)
        chapters = json.loads(text_of("list", "--format", "json"))["chapters"]
        for number, chapter in harness.sample(enumerate(chapters), most=3):
            check_chapter(browser, chapter, folder, number)
        for article in sorted({chapter["article"] for chapter in chapters}):
            names = [chapter["chapter"] for chapter in chapters if chapter["article"] == article]
            check_article(browser, article, names, folder)
        causal = folder / "causal.html"
        text_of("causal", "--steps", "all", "--format", "html", "-o", str(causal))
        check_switch(browser, causal)
        check_idle(browser, folder)
        check_only(browser, folder)
        check_asked(browser, folder)
    return chromium.verdict()


if __name__ == "__main__":
    sys.exit(main())
