#!/usr/bin/env python3
"""What a lesson's page promises its readers, in a real Chromium: rooms.py PROGRAM

Rings keep off digits; one scale serves a step as it is and changed; the address has the chosen cell; a derivation that is
cut says so; the glossary. Exits with 77, skipped, where there is no Chromium."""

import itertools
import pathlib
import re
import sys
import tempfile

import chromium
from chromium import check, equal
from harness import output_of, sample

CHAPTERS = ("causal", "multihead", "cross")

def digits(browser, cell):
    """What is seen where a cell's digits are."""
    x, y, width, height = browser.js(f"""(() => {{
      const range = document.createRange();
      range.selectNodeContents(document.querySelector("{cell}").firstChild);
      const {{ x, y, width, height }} = range.getBoundingClientRect();
      return [x, y + height * .18, width, height * .64];
    }})()""")
    clip = {"x": x, "y": y, "width": width, "height": height, "scale": 1}
    return browser.call("Page.captureScreenshot", format="png", clip=clip)["data"]


def check_rings(browser, pages):
    """Digits look as they do without rings, in the chosen cell, in those that meet in it and in their neighbours."""
    seen = 0
    looks = sample(itertools.product(((1024, 768), (1024, 640)), ("light", "dark")))
    for window, theme in looks:
        browser.size(*window)
        browser.media(prefers_color_scheme=theme)
        for address in ("cross#attn_weights[1,1]", "cross#context_vecs[1,1]", "causal#attn_scores[0,2,3]"):
            chapter, _, rest = address.partition("#")
            browser.open(f"{pages[chapter]}#{rest}")
            browser.js("""document.querySelectorAll(".step.current :is(td.at, td.met)").forEach((cell) => {
              for (const one of [cell, cell.previousElementSibling, cell.parentElement.nextElementSibling?.cells[cell.cellIndex]]) {
                if (one?.matches("td[data-position]")) one.classList.add("tried");
              }
            })""")
            count = browser.js("""[...document.querySelectorAll(".step.current .tried")]
              .map((one, i) => one.setAttribute("id", `tried${i}`)).length""")
            browser.wait()
            ringed = [digits(browser, f"#tried{i}") for i in range(count)]
            browser.js("""document.querySelectorAll(".step.current td[data-position]").forEach((cell) => {
              cell.style.boxShadow = "none"; cell.style.outline = "none"; })""")
            browser.wait()
            wrong = [i for i in range(count) if digits(browser, f"#tried{i}") != ringed[i]]
            equal(wrong, [], window, theme, address, "rings cross digits of")
            seen += count
    check(seen > 50 * len(looks), "cells with rings near:", seen)
    browser.media()


def state(browser):
    return browser.js("""(() => {
      const step = document.querySelector(".step.current");
      const cell = step.querySelector(".result td.at");
      const colour = (one) => getComputedStyle(one).backgroundColor;
      return { hash: decodeURIComponent(location.hash), at: cell?.dataset.position ?? null,
               legend: step.querySelector(".legend").textContent, focus: document.activeElement.dataset?.position ?? null,
               colours: [...step.querySelectorAll(".map td[data-position]")].map((one) => [one.textContent, colour(one)]) };
    })()""")


def check_choice(browser, pages):
    """The address has the chosen cell; w keeps it and the scale; Escape comes back; a click elsewhere releases it."""
    browser.size(1280, 720)
    browser.open(pages["causal"] + "#attn_weights")
    browser.click(".step.current .result td[data-position='7']")
    equal(state(browser)["hash"], "#attn_weights[0,1,1]", "the address of a chosen cell")
    own = state(browser)["legend"]
    browser.key("w")
    browser.key("Escape")
    equal(state(browser)["focus"], "7", "Escape comes back from w")
    browser.js("""(() => { const list = document.querySelector(".what-if select");
      list.focus(); list.value = "no-mask"; list.dispatchEvent(new Event("change")); })()""")
    browser.wait()
    browser.wait()
    changed = state(browser)
    equal((changed["hash"], changed["at"]), ("#attn_weights[0,1,1]?what-if=no-mask", "7"), "a change keeps the cell")
    browser.key("w")
    browser.key("w")
    original = state(browser)
    equal((original["hash"], original["at"]), ("#attn_weights[0,1,1]?what-if=no-mask&show=original", "7"), "w keeps the cell")
    equal(original["legend"], changed["legend"], "one scale for both")
    equal(original["legend"], own, "that of the wider of the two, here the original")
    alike = dict(map(tuple, changed["colours"])).items() & dict(map(tuple, original["colours"])).items()
    check(len(alike) >= 20, "numbers that both show have the same colours, operands too:", len(alike))
    browser.open(pages["causal"] + "#keys[0,1,1]?what-if=no-mask")
    browser.wait()
    for show in ("&show=difference", "&show=original", ""):
        browser.key("w")
        equal(browser.js("location.hash"), f"#keys[0,1,1]?what-if=no-mask{show}", "w keeps the cell where nothing differs")
    browser.open(pages["causal"] + "#attn_weights[0,1,1]?what-if=no-mask&show=original")
    browser.wait()
    browser.click(".step.current h2")
    equal((state(browser)["hash"], state(browser)["at"]), ("#attn_weights?what-if=no-mask&show=original", None), "released")


def check_names(browser, pages):
    browser.open(pages["multihead"] + "#attn_weights")
    texts = lambda selector: browser.js(f"[...document.querySelectorAll('{selector}')].map((one) => one.textContent)")
    slices = texts(".step.current .slices button")
    equal(slices, ["head 1", "head 2", "head 3", "▦"], "the buttons of heads")
    browser.open(pages["multihead"] + "#scaled_attn_scores")
    equal(texts(".step.current h2"), ["scaled attention scores"], "a title that is words")
    check("scaled_attn_scores = " in texts(".step.current .expression")[0], "its code beside it")
    browser.open(pages["multihead"] + "#context_heads[0,0,1,0]")
    equal(texts(".step.current .derivation h3 code"), ["context_heads[0, 0, 1, 0]"], "a cell's name")


def check_glossary(browser, pages):
    """The terms of help glossary, opened with g; arrows do not step meanwhile; and what introductions tell."""
    browser.open(pages["causal"] + "#introduction")
    terms = re.findall(r"(?m)^- (.*?): ", output_of("help", "glossary").decode())
    equal(browser.js("[...document.querySelectorAll('dialog dt')].map((one) => one.textContent)"), terms, "terms")
    check(len(terms) >= 20, "twenty of them or more:", len(terms))
    browser.key("g")
    check(browser.js("document.querySelector('dialog').open"), "g opens the glossary")
    equal(browser.js("document.querySelector('dialog').scrollTop"), 0, "from its heading on")
    browser.key("ArrowRight")
    equal(browser.js("document.querySelector('.step.current').id"), "introduction", "the step below the glossary")
    browser.key("g")
    browser.click("button.glossary")
    check(browser.js("document.querySelector('dialog').open"), "its button opens it")
    browser.key("Escape")
    check(not browser.js("document.querySelector('dialog').open"), "Escape closes it")
    told = browser.js("document.querySelector('.step.current').innerText")
    for part in ("scores of later tokens become -inf", "Look above the diagonal", "After this you can:", "draw the mask"):
        check(part in told, "the introduction lacks", part)


def check_more(browser, page):
    """A derivation that is cut has a button that leads to its end; one that the page has not says so."""
    browser.size(1024, 640)
    browser.open(page + "#queries[1,1]")
    rest = "(() => { const panel = document.querySelector('.step.current .derivation'); return panel.scrollHeight - panel.clientHeight - panel.scrollTop; })()"
    check(browser.js(rest) > 10, "a long derivation")
    for _ in range(12):
        if browser.js("document.querySelector('.step.current .more').hidden"):
            break
        browser.js("document.querySelector('.step.current .more').click()")
        browser.wait()
    check(browser.js(rest) < 3, "more leads to the end:", browser.js(rest))
    check(browser.js("document.querySelector('.step.current .more').hidden"), "and is gone there")


def main():
    with tempfile.TemporaryDirectory() as folder, chromium.Chromium(scrollbars=True) as browser:
        pages = {}
        for chapter in CHAPTERS:
            pages[chapter] = pathlib.Path(folder, f"{chapter}.html").as_uri()
            output_of(chapter, "--steps", "all", "--format", "html", "-o", pages[chapter].removeprefix("file://"))
        wide = pathlib.Path(folder, "wide.html")
        output_of("trainable", "--d-in", "30", "--d-out", "2", "--steps", "all", "--format", "html", "-o", wide)
        check_choice(browser, pages)
        check_names(browser, pages)
        check_more(browser, wide.as_uri())
        check_glossary(browser, pages)
        check_rings(browser, pages)
        check(not browser.errors, "console:", browser.errors)
    return chromium.verdict()


if __name__ == "__main__":
    sys.exit(main())
