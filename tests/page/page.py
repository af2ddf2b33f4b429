#!/usr/bin/env python3
"""The page of --format html in a real Chromium: page.py PROGRAM [--pages FOLDER]

Without --pages, PROGRAM makes the pages; with it, FOLDER holds them as ARTICLE-CHAPTER.html. With ATTN_TEST_EVERY, the
numbers of a third of the articles, others each day. Exits with 77, skipped, where there is no Chromium."""

import argparse
import json
import pathlib
import re
import sys
import tempfile

import chromium
from chromium import check, equal
from harness import sample, text_of

MOST_BYTES = 450_000  # of which derivations take 70,000: a page needs no other file

def numbers_of(text):
    """The numbers of a printed tensor, in its order."""
    inner = re.sub(r",\s+(dtype|grad_fn|size|requires_grad)=.*", "", text, flags=re.S)
    return re.findall(r"-?inf|nan|True|False|-?\d[\d.e+-]*", inner)


# Every step's name in an address.
IDS = """[...document.querySelectorAll("article.step:not(.introduction, .ending)")].map((article) => article.id)"""

# Every step with its printed text and its cells; and for every cell, whether its derivation ends in its number.
READ = """(() => {
  dispatchEvent(new Event("beforeprint"));
  const steps = JSON.parse(document.getElementById("lesson-data").textContent).steps.filter(({frame}) => !frame);
  return [...document.querySelectorAll("article.step:not(.introduction, .ending)")].map((article, i) => ({
    id: article.id,
    end: steps[i].end ?? "\\n",
    text: article.querySelector("pre").textContent,
    out: article.querySelector(".out").textContent,
    drawn: Boolean(article.querySelector(".result")),
    cells: [...article.querySelectorAll(".result td[data-position]")].map((cell) => cell.textContent),
    wrong: [...article.querySelectorAll(".result td[data-position]")].map((cell) => {
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
    }).filter(Boolean),
  }));
})()"""


def check_numbers(browser, path, text, name):
    """Returns the steps."""
    browser.open(path.as_uri())
    steps = browser.js(READ)
    equal("".join(step["text"] + step["end"] for step in steps), text, name, "the printed text")
    for step in steps:
        if step["drawn"]:
            equal(step["cells"], numbers_of(step["out"]), name, step["id"], "cells")
            check(not step["wrong"], name, step["id"], "derivations that end elsewhere:", step["wrong"][:3])
        else:
            check("tensor(" not in step["out"] or step["out"] == "tensor([])", name, step["id"], "has no heat map")
    check(not browser.errors, name, "says on the console:", browser.errors)
    equal(browser.requests, [path.as_uri()], name, "requests")
    return steps


def check_together(browser, path, article, chapters):
    """All chapters of an article on one page have the steps that each has alone."""
    text_of("all", "--article", article, "--format", "html", "-o", str(path))
    browser.open(path.as_uri())
    alone = [{**step, "id": f"{name}/{step['id']}"} for name, steps in chapters.items() for step in steps]
    equal(browser.js(READ), alone, article, "the chapters' steps")
    check(not browser.errors, article, "console:", browser.errors)


def met(browser, table):
    """The positions of the marked cells in the table whose caption begins so."""
    return browser.js(f"""(() => {{
      const table = [...document.querySelectorAll(".step.current .operands table")]
        .find((one) => one.caption.textContent.startsWith({json.dumps(table)}));
      return [...table.querySelectorAll("td.met")].map((cell) => Number(cell.dataset.position));
    }})()""")


def panel(browser):
    return browser.js("document.querySelector('.step.current .derivation').innerText")


def cell(position):
    return f".step.current .result td[data-position='{position}']"


def check_hover(browser, path):
    browser.open(path.as_uri() + "#attn_scores")
    check("Point at" in panel(browser), "a hint before anything is chosen")
    browser.hover(cell(8))
    equal(met(browser, "queries[0]"), [3, 4, 5], "hover: the row of queries")
    equal(met(browser, "keys_transposed[0]"), [2, 8, 14], "hover: the column of keys_transposed")
    for part in ("attn_scores[0, 1, 2]", "journey", "starts", "queries", "product", "sum"):
        check(part in panel(browser), "hover: the derivation lacks", part)
    browser.hover("h1")
    check("Point at" in panel(browser), "the derivation goes when the pointer leaves")
    browser.click(cell(8))
    browser.hover("h1")
    check("attn_scores[0, 1, 2]" in panel(browser), "a clicked cell stays")
    said = browser.js("document.getElementById('lesson-said').textContent")
    check("attn_scores[0, 1, 2], journey, starts:" in said and " times " in said, "read out:", said)
    for step, at, wanted in (("attn_weights", 7, "The exponentials sum to"), ("masked_attn_scores", 1, "Masked"),
                             ("masked_attn_scores", 6, "The same number as"), ("inputs", 0, "Given")):
        browser.open(path.as_uri() + "#" + step)
        browser.hover(cell(at))
        check(wanted in panel(browser), step, "derivation:", panel(browser))
    browser.open(path.as_uri() + "#dropout_attn_weights")
    told = set()
    for at in (0, 6, 7, 12, 13, 14):
        browser.hover(cell(at))
        told.add(re.search(r"Kept|Dropped", panel(browser))[0])
    equal(told, {"Kept", "Dropped"}, "dropout's derivations")


def current(browser):
    return browser.js("document.querySelector('.step.current').id")


def check_keyboard(browser, path):
    browser.open(path.as_uri())
    ids = browser.js("[...document.querySelectorAll('article.step')].map((step) => step.id)")
    equal(current(browser), ids[0], "the first step")
    for key, wanted in (("ArrowRight", 1), ("PageDown", 2), ("ArrowLeft", 1), ("PageUp", 0), ("PageUp", 0),
                        ("End", -1), ("ArrowRight", -1), ("Home", 0)):
        browser.key(key)
        equal(current(browser), ids[wanted], "after", key)
        equal(browser.js("document.querySelectorAll('nav [aria-current]').length"), 1, "one entry is current")
    browser.open(path.as_uri() + "#attn_scores")
    browser.js("document.querySelector('.step.current').focus()")
    position = "Number(document.activeElement.dataset.position ?? -1)"
    for _ in range(8):
        browser.key("Tab")
        if browser.js(position) >= 0:
            break
    for key, modifiers, wanted in (("ArrowRight", 0, 1), ("ArrowDown", 0, 7), ("ArrowLeft", 0, 6), ("ArrowLeft", 0, 6),
                                   ("End", 0, 11), ("Home", 0, 6), ("ArrowUp", 0, 0), ("End", 2, 71), ("ArrowUp", 0, 65),
                                   ("Home", 2, 0)):
        browser.key(key, modifiers)
        equal(browser.js(position), wanted, "the cell after", key)
        equal(current(browser), "attn_scores", "the step stays")
        stops = "document.querySelectorAll('.step.current [role=grid] [tabindex=\"0\"]').length"
        equal(browser.js(stops), 1, "one tab stop")
        check(browser.js("document.activeElement.getClientRects().length > 0"), "the focused cell is seen")
    browser.key("Escape")
    equal(browser.js(position), -1, "after Escape")
    browser.key("ArrowRight")
    equal(current(browser), ids[ids.index("attn_scores") + 1], "arrows step again")
    browser.open(path.as_uri() + "#attn_scores[0,1,2]")
    equal(browser.js(position), 8, "an address with an element")
    browser.open(path.as_uri() + "#attn_scores[9,9,9]")
    equal((current(browser), browser.js(position)), ("attn_scores", -1), "an address with no such element")
    browser.open(path.as_uri() + "#nonsense%")
    equal(current(browser), ids[0], "an address that is none")
    browser.open(path.as_uri() + "#attn_scores")
    browser.click(".step.current .links a")
    equal(current(browser), "queries", "a link to where a step came from")
    browser.js("history.back()")
    browser.wait()
    browser.wait()
    equal(current(browser), "attn_scores", "back")
    check(not browser.errors, "keyboard: console:", browser.errors)


CONTRAST = """(() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
  const rgb = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
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
  const selector = ".step.current :is(td, th, p, a, li, h2, summary, code, caption), nav a, " +
    ".bar button:enabled, footer p";
  return Math.min(...[...document.querySelectorAll(selector)]
    .filter((element) => element.innerText?.trim() && element.getClientRects().length)
    .map((element) => {
      const inks = [luminance(rgb(getComputedStyle(element).color)), luminance(ground(element))];
      return (Math.max(...inks) + 0.05) / (Math.min(...inks) + 0.05);
    }));
})()"""


def check_themes(browser, path):
    paper = {}
    for theme in ("light", "dark"):
        browser.media(prefers_color_scheme=theme)
        for step in ("attn_scores[0,1,2]", "attn_weights[0,3,2]", "mask[0,1]"):
            browser.open(path.as_uri() + "#" + step)
            check(browser.js(CONTRAST) >= 4.5, theme, step, "contrast", browser.js(CONTRAST))
        paper[theme] = browser.js("getComputedStyle(document.body).backgroundColor")
    check(paper["light"] != paper["dark"], "the themes differ")
    browser.click(".theme")
    equal(browser.js("getComputedStyle(document.body).backgroundColor"), paper["light"], "toggled from dark")
    equal(browser.js("document.querySelector('.theme').getAttribute('aria-pressed')"), "false", "the toggle says so")
    browser.click(".theme")
    equal(browser.js("getComputedStyle(document.body).backgroundColor"), paper["dark"], "and back")
    browser.js("localStorage.clear()")
    browser.media()


def check_phone(browser, path):
    browser.size(360, 720, mobile=True)
    browser.open(path.as_uri())
    count = browser.js("document.querySelectorAll('article.step').length")
    for _ in range(count):
        browser.js("document.querySelector('.step.current .result td[data-position]')?.focus()")
        width = browser.js("Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)")
        check(width <= 360, current(browser), "is", width, "wide on a phone")
        browser.js("document.querySelector('.step.current').focus()")
        browser.key("PageDown")
    browser.click(".toggle-contents")
    check(browser.js("document.querySelector('nav').getClientRects().length > 0"), "the contents open")
    browser.click("nav li:nth-child(2) a")
    check(browser.js("document.querySelector('nav').getClientRects().length === 0"), "and close")
    browser.size(1280, 720)


def check_heads(browser, path):
    """The columns that heads share, and each head's own, are marked alike."""
    browser.open(path.as_uri())
    browser.js('dispatchEvent(new Event("beforeprint"))')
    marks = """(id, table) => [...document.querySelectorAll(`article#${id} .result table`)[table].querySelectorAll("thead th")]
      .map((heading) => [heading.title, heading.style.getPropertyValue("--head")])"""
    shared = browser.js(f'({marks})("keys", 0)')
    equal([title for title, _ in shared], ["head 1", "head 2", "head 3"], "heads of the keys' columns")
    equal(len({colour for _, colour in shared}), 3, "colours of heads")
    for head in range(3):
        equal(browser.js(f'({marks})("keys_heads", {head})'), [shared[head]], "the columns of head", head + 1)
    equal(browser.js(f'({marks})("context_vecs", 0)'), shared, "heads joined again")
    equal(browser.js(f'({marks})("output", 0)'), [["", ""]] * 3, "mixed columns are no head's")


def check_structure(browser, path):
    browser.open(path.as_uri() + "#attn_scores")
    equal(browser.js("document.querySelectorAll('table.map:not(:has(caption))').length"), 0, "tables without captions")
    equal(browser.js("document.querySelectorAll('th:not([scope])').length"), 0, "headings without scope")
    equal(browser.js("""[...document.querySelectorAll('[id]')].map((one) => one.id)
      .filter((id, i, all) => all.indexOf(id) !== i)"""), [], "ids that occur twice")
    equal(browser.js("""[...document.querySelectorAll('button')]
      .filter((one) => !(one.ariaLabel ?? one.textContent).trim()).length"""), 0, "buttons without names")
    browser.size(390, 844)
    equal(browser.js("""[...document.querySelectorAll('button')]
      .filter((one) => !(one.ariaLabel ?? [...one.childNodes].filter((part) => !part.ariaHidden && part.getClientRects?.().length !== 0)
        .map((part) => part.textContent).join("")).trim()).length"""), 0,
          "buttons without names on a phone")
    browser.size(1280, 720)
    browser.click(cell(8))
    equal(browser.js("[...document.querySelectorAll('th')].filter((one) => !one.textContent).length"), 0, "empty headings")
    check(browser.js("document.querySelector('[aria-live=polite]') !== null"), "a live region")
    check(browser.js("document.querySelector('.skip').getAttribute('href') === '#lesson-steps'"), "a skip link")
    browser.media("print")
    browser.js("dispatchEvent(new Event('beforeprint'))")
    seen = "[...document.querySelectorAll('{}')].filter((one) => one.getClientRects().length).length"
    everything = "document.querySelectorAll('{}').length"
    equal(browser.js(seen.format("article.step")), browser.js(everything.format("article.step")), "printed steps")
    equal(browser.js(seen.format("button, .derivation, nav")), 0, "printed controls")
    equal(browser.js(seen.format(".result table")), browser.js(everything.format(".result table")), "printed maps")
    browser.media()


# Of everything that is printed: its colours, and where its text or its ground is not as on paper.
PRINTED = """(() => {
  dispatchEvent(new Event("beforeprint"));
  const seen = [...document.querySelectorAll("html, body, body *")].filter((one) => one.getClientRects().length);
  const colours = seen.map((one) => {
    const {color, backgroundColor, backgroundImage, boxShadow, borderTopColor} = getComputedStyle(one);
    return [color, backgroundColor, backgroundImage, boxShadow, borderTopColor].join(" ");
  });
  const bright = (text) => text.match(/[\\d.]+/g).slice(0, 3).reduce((sum, c) => sum + Number(c), 0) / 3;
  const isMap = (one) => one.closest(".map td, .legend i");
  const wrong = seen.filter((one) => !isMap(one)).filter((one) => {
    const {color, backgroundColor} = getComputedStyle(one);
    return bright(color) > 110 || !(backgroundColor.endsWith(", 0)") || bright(backgroundColor) > 240);
  });
  return [colours, wrong.slice(0, 3).map((one) => one.outerHTML.slice(0, 100))];
})()"""


def check_print(browser, path):
    for step in ("attn_scores[0,1,2]", "mask[0,1]"):
        printed = {}
        for theme in ("light", "dark"):
            browser.media(prefers_color_scheme=theme)
            browser.open(path.as_uri() + "#" + step)
            browser.media("print", prefers_color_scheme=theme)
            equal(browser.js("document.documentElement.dataset.theme"), theme, "the theme printed from")
            equal(browser.js("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)", "paper")
            printed[theme], wrong = browser.js(PRINTED)
            equal(wrong, [], step, "printed from", theme, "in the colours of a screen")
        check(len(printed["light"]) > 1000, "much is printed:", len(printed["light"]))
        equal([one for one in zip(printed["light"], printed["dark"]) if one[0] != one[1]][:3], [], step,
              "printed from light and from dark")
    browser.media()


def check_vector(browser, path):
    """A bias has no row name: nothing but numbers and their columns' names is marked."""
    browser.open(path.as_uri() + "#out_proj_bias")
    browser.click(cell(1))
    marked = "[...document.querySelectorAll('.step.current :is(.met, .at)')].map((one) => one.textContent)"
    check(browser.js(marked) and all(browser.js(marked)), "an empty cell is marked:", browser.js(marked))


def focused(browser):
    return browser.js("document.activeElement.dataset.position ?? document.activeElement.className")


def check_escape(browser, path):
    """Escape in a derivation and in the operands comes back to the number, then out of the map."""
    for inside in (".derivation a", ".operands .scroll[tabindex]"):
        browser.size(390, 844)
        browser.open(path.as_uri() + "#attn_scores[0,1,2]")
        browser.js(f"document.querySelector('.step.current {inside}').focus()")
        check(focused(browser) != "8", inside, "takes the focus")
        browser.key("Escape")
        equal(focused(browser), "8", "Escape in", inside)
        check("attn_scores[0, 1, 2]" in panel(browser), "its derivation stays")
        browser.key("Escape")
        equal(focused(browser), "step current", "Escape in the map")
    browser.js("document.querySelector('.step.current .operands .scroll[tabindex]').focus()")
    browser.key("ArrowRight")
    equal(current(browser), "attn_scores", "an arrow in a box that scrolls")
    browser.size(1280, 720)
    browser.open(path.as_uri() + "#attn_scores")
    equal(browser.js("document.querySelectorAll('.step.current .operands [tabindex]').length"), 0,
          "boxes that need not scroll are no tab stops")


def check_without_script(browser, path, text):
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    browser.load("about:blank")
    browser.load(path.as_uri())
    browser.call("Emulation.setScriptExecutionDisabled", value=False)
    shown = browser.js("document.body.innerText")
    equal(browser.js("document.querySelectorAll('.result').length"), 0, "maps without scripts")
    check(all(line.strip() in shown for line in text.splitlines()), "without scripts, the printed text is there")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--pages", type=pathlib.Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, chromium.Chromium() as browser:
        pages = arguments.pages or pathlib.Path(folder)
        browser.size(1280, 720)
        chapters = json.loads(text_of("list", "--format", "json"))["chapters"]
        looked_at = sample(sorted({chapter["article"] for chapter in chapters}), most=3)
        texts, articles = {}, {}
        for chapter in chapters:
            name = f"{chapter['article']}-{chapter['chapter']}"
            page = pages / f"{name}.html"
            command = [chapter["chapter"], "--article", chapter["article"], "--steps", "all"]
            if not arguments.pages:
                text_of(*command, "--format", "html", "-o", str(page))
            texts[name] = text_of(*command)
            size = page.stat().st_size
            print(f"{name}: {size} bytes")
            check(size < MOST_BYTES, name, "has", size, "bytes")
            if chapter["article"] in looked_at:
                steps = articles.setdefault(chapter["article"], {})
                steps[chapter["chapter"]] = check_numbers(browser, page, texts[name], name)
        for article, steps in articles.items():
            check_together(browser, pathlib.Path(folder, f"{article}.html"), article, steps)
        page = pages / "blog-causal.html"
        check_hover(browser, page)
        check_keyboard(browser, page)
        check_themes(browser, page)
        check_structure(browser, page)
        check_print(browser, page)
        check_escape(browser, page)
        check_vector(browser, pages / "blog-multihead.html")
        check_heads(browser, pages / "blog-multihead.html")
        for name in ("blog-simplified", "blog-causal", "livebook-multihead"):
            check_phone(browser, pages / f"{name}.html")
        check_without_script(browser, page, texts["blog-causal"])
    return chromium.verdict()


if __name__ == "__main__":
    sys.exit(main())
